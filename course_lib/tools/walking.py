"""Walks through JSON: the schemas inside a schema, and the values inside a value, each with its place.

What looks inside a schema goes through `rebuild`, `walk` or `schemas_in`: names that people choose, such as a
parameter called `title` or `items`, are then never read as keywords.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from practice_model.facts.schemas import LISTS, MAPS, SINGLE, schemas_in

Schema = dict[str, Any]


def rebuild(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """Return a copy of a schema with `change` applied to every schema in it, the inner ones first."""
    if not isinstance(schema, dict):
        return schema  # true and false are schemas too
    copy = dict(schema)
    for keyword, held in schema.items():
        if keyword in MAPS and isinstance(held, dict):
            copy[keyword] = {name: rebuild(part, change) for name, part in held.items()}
        elif keyword in LISTS and isinstance(held, list):
            copy[keyword] = [rebuild(part, change) for part in held]
        elif keyword in SINGLE:
            copy[keyword] = rebuild(held, change)
    return change(copy)


def walk(schema: Any, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield every schema in a schema, each with its place as callers write it: `box.prices`, `tags[]`."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword, held in schema.items():
        item = path + "[]" if keyword in ("items", "prefixItems") else path
        for step, part in schemas_in(keyword, held):
            yield from walk(part, join(path, step) if isinstance(step, str) else item)


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def without(part: Schema, *keywords: str) -> Schema:
    return {keyword: value for keyword, value in part.items() if keyword not in keywords}


def is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def admits_null(schema: Schema) -> bool:
    """Return whether null fits a schema, as far as its own keywords and its choices say."""
    kind = schema.get("type")
    if "anyOf" in schema:
        return any(admits_null(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return None in schema["enum"]
    if kind is None:
        return "$ref" not in schema and "properties" not in schema
    return kind == "null" or (isinstance(kind, list) and "null" in kind)


# Places in a value, and the schemas that describe them ------------------------------------------------

Steps = tuple[str | int, ...]
"""How to get to a value: names of fields and numbers of items."""


def spell(steps: Steps) -> str:
    """Return a place as Python would write it: `box.prices[1]`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".")


def resolve(data: Any, location: Sequence[str | int]) -> Steps:
    """Return the steps of a location that lead somewhere.

    Pydantic's locations say also which member of a union it tried; those steps are not in the data.
    """
    steps = []
    for step in location:
        is_index = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if is_index or isinstance(data, dict) and step in data:
            data = data[step]
            steps.append(step)
    return tuple(steps)


def values_in(data: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield every value in some JSON, each with its place, the outer ones first."""
    yield steps, data
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in inside:
        yield from values_in(value, (*steps, step))


def leaves(data: Any) -> Iterator[tuple[Steps, Any]]:
    """Yield the values in some JSON that hold no others, each with its place."""
    return ((steps, value) for steps, value in values_in(data) if not isinstance(value, dict | list))


def objects(data: Any) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Yield the objects in some JSON, each with its place, the outer ones first."""
    return ((steps, value) for steps, value in values_in(data) if isinstance(value, dict))


def schemas_at(schema: Schema, steps: Steps) -> list[Schema]:
    """Return the schemas that may describe a place: one, or several where there is a choice."""
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
