"""Places in arguments, and the schemas that describe them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .walking import Schema

Steps = tuple[str | int, ...]
"""How to get to a value: names of fields and numbers of items."""

__all__ = ["Steps", "leaves", "objects", "resolve", "schemas_at", "spell"]


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
