"""Going through a JSON Schema without mistaking a parameter called `title` or `items` for a keyword.

The tables say which keywords hold schemas, and how. Everything in this package that looks inside a schema
goes through `rebuild` or `walk`, so that names that people choose are never read as keywords.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]

BY_NAME = ("properties", "patternProperties", "dependentSchemas", "$defs")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = (
    "items",
    "additionalProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
)

__all__ = ["Schema", "admits_null", "is_null", "join", "rebuild", "walk"]


def rebuild(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """A copy of a schema with `change` applied to every schema in it, the inner ones first."""
    if not isinstance(schema, dict):
        return schema  # true and false are schemas too
    copy = dict(schema)
    for keyword in copy:
        held = copy[keyword]
        if keyword in BY_NAME and isinstance(held, dict):
            copy[keyword] = {name: rebuild(part, change) for name, part in held.items()}
        elif keyword in LISTS and isinstance(held, list):
            copy[keyword] = [rebuild(part, change) for part in held]
        elif keyword in SINGLE:
            copy[keyword] = rebuild(held, change)
    return change(copy)


def walk(schema: Any, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Every schema in a schema, each with its place as a caller would write it: `box.prices`, `tags[]`."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword, held in schema.items():
        if keyword in BY_NAME and isinstance(held, dict):
            for name, part in held.items():
                yield from walk(part, join(path, name))
        elif keyword in LISTS and isinstance(held, list):
            for part in held:
                yield from walk(part, path + "[]" if keyword == "prefixItems" else path)
        elif keyword in SINGLE:
            yield from walk(held, path + "[]" if keyword == "items" else path)


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def admits_null(schema: Schema) -> bool:
    """Whether null fits a schema, as far as its own keywords and its choices say."""
    kind = schema.get("type")
    if "anyOf" in schema:
        return any(admits_null(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return None in schema["enum"]
    if kind is None:
        return "$ref" not in schema and "properties" not in schema
    return kind == "null" or (isinstance(kind, list) and "null" in kind)
