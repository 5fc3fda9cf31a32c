"""Names that a tool definition may have, the types of JSON, and the schemas inside a schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

# Names --------------------------------------------------------------------------------------------

# From the vendors' API references (2026-11). By reports of 2026, OpenAI takes 128 characters and not just 64.
TOOL_NAMES = {
    "anthropic": r"[a-zA-Z0-9_-]{1,128}",
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
}

CALL_NAME_LENGTHS = {"anthropic": (1, 200), "openai": (1, 64), "gemini": (1, None)}
"""How many characters the name of a call in a history has, whatever tools there are; None: no limit is known.

OpenAI wants more of it: what it wants of a tool's name. Anthropic did so until 2024 (`tool_use.name: String
should match pattern`); in reports since then it refuses by the length alone, and in one it takes the JSON of
whole inputs as names. Of Gemini nothing is known but "Name cannot be empty".
"""
FIELD_NAME = r"[a-zA-Z0-9_.-]{1,64}"
"""Anthropic's rule for the names of properties; the others take more."""

# The schemas inside a schema ----------------------------------------------------------------------

MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords that hold schemas by name."""
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords that hold a list of schemas."""
SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
"""Keywords that hold one schema."""


def schemas_in(keyword: str, held: Any) -> Iterator[tuple[str | int | None, Any]]:
    """Yield the schemas that a keyword holds, each with its name or index; None where it holds just one."""
    if keyword in MAPS and isinstance(held, dict):
        yield from held.items()
    elif keyword in LISTS and isinstance(held, list):
        yield from enumerate(held)
    elif keyword in SINGLE:
        yield None, held


def schemas_inside(schema: dict[str, Any]) -> Iterator[tuple[str, str | int | None, Any]]:
    """Yield the schemas directly inside a schema, each with its keyword and its name or index there."""
    for keyword in (*MAPS, *LISTS, *SINGLE):
        if keyword in schema:
            yield from ((keyword, step, child) for step, child in schemas_in(keyword, schema[keyword]))


def walk(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the schema and every schema inside it, each with its place."""
    if isinstance(schema, dict):
        yield path, schema
        for keyword, step, child in schemas_inside(schema):
            yield from walk(child, (*path, keyword) if step is None else (*path, keyword, str(step)))


def target(reference: str, root: Any) -> Any:
    """Return the schema that a local $ref such as `#/$defs/Address` points to, or None."""
    if not reference.startswith("#"):
        return None
    for step in reference.removeprefix("#").split("/"):
        if step:
            step = step.replace("~1", "/").replace("~0", "~")
            root = root.get(step) if isinstance(root, dict) else None
    return root if isinstance(root, dict | bool) else None


# Gemini takes the names of keywords and fields in both spellings.


def snake_case(word: str) -> str:
    """Return `function_declarations` for `functionDeclarations`."""
    return re.sub("(?<!^)[A-Z]", lambda found: f"_{found[0].lower()}", word)


def camel_case(word: str) -> str:
    """Return `functionDeclarations` for `function_declarations`."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), word)


# Types --------------------------------------------------------------------------------------------

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_PYTHON_TYPES = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}


def is_of_type(value: Any, name: str) -> bool:
    """Return whether a value is of a JSON type; every value is of a type that there is not."""
    if name in ("number", "integer"):
        return is_number(value) and (name == "number" or isinstance(value, int) or value.is_integer())
    return isinstance(value, _PYTHON_TYPES.get(name, object))
