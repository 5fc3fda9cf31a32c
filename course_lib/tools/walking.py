"""Walking through a JSON Schema: every schema inside it, and the place where each stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from practice_model.facts.schemas import LISTS, MAPS, SINGLE

# Going through a JSON Schema without mistaking a parameter called `title` or `items` for a keyword ----
# Everything in this package that looks inside a schema goes through `rebuild` or `walk`, so that names that
# people choose are never read as keywords.


Schema = dict[str, Any]


def rebuild(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """A copy of a schema with `change` applied to every schema in it, the inner ones first."""
    if not isinstance(schema, dict):
        return schema  # true and false are schemas too
    copy = dict(schema)
    for keyword in copy:
        held = copy[keyword]
        if keyword in MAPS and isinstance(held, dict):
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
        if keyword in MAPS and isinstance(held, dict):
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


# Places in arguments, and the schemas that describe them ----------------------------------------------


Steps = tuple[str | int, ...]
"""How to get to a value: names of fields and numbers of items."""


def spell(steps: Steps) -> str:
    """A place as Python would write it: `box.prices[1]`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".")


def resolve(data: Any, location: Sequence[str | int]) -> Steps:
    """The steps of a location that lead somewhere.

    Pydantic's locations say also which member of a union it tried; those steps are not in the data.
    """
    steps = []
    for step in location:
        if isinstance(data, dict) and step in data or _is_index(data, step):
            data = data[step]
            steps.append(step)
    return tuple(steps)


def _is_index(data: Any, step: Any) -> bool:
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def leaves(data: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """The values in some JSON that hold no others, each with its place."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from leaves(value, (*steps, name))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from leaves(value, (*steps, index))
    else:
        yield steps, data


def objects(data: Any, steps: Steps = ()) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """The objects in some JSON, each with its place, the outer ones first."""
    if isinstance(data, dict):
        yield steps, data
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in inside:
        yield from objects(value, (*steps, step))


def schemas_at(schema: Schema, steps: Steps) -> list[Schema]:
    """The schemas that may describe a place: one, or several where there is a choice."""
    parts = _choices(schema, schema)
    for step in steps:
        parts = [
            choice for part in parts for inner in _inside(part, step) for choice in _choices(inner, schema)
        ]
    return parts


def _choices(part: Schema, root: Schema) -> list[Schema]:
    if "$ref" in part:
        part = root["$defs"][part["$ref"].removeprefix("#/$defs/")]
    if "anyOf" not in part:
        return [part]
    return [choice for one in part["anyOf"] for choice in _choices(one, root)]


def _inside(part: Schema, step: str | int) -> list[Schema]:
    if isinstance(step, int):
        first = part.get("prefixItems", [])
        found = first[step] if step < len(first) else part.get("items")
    else:
        found = part.get("properties", {}).get(step, part.get("additionalProperties"))
    return [found] if isinstance(found, dict) else []
