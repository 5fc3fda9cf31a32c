"""Rules about the values that a schema names: `enum`, `default`, `$ref`, and the names of the fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .found import Found, error, warning
from .parts import CHOICES, Definition, Part, kinds_of, name_at, shown
from .vocabulary import TYPES

FIELD = r"[a-zA-Z0-9_.-]{1,64}"
MANY_FIELDS = 15

__all__ = ["FIELD", "fits", "target", "values"]


def values(one: Definition) -> Iterator[Found]:
    for part in one.parts:
        yield from _enum(one, part)
        yield from _default(part)
        yield from _reference(one, part)
        yield from _field_names(one, part)


def _enum(one: Definition, part: Part) -> Iterator[Found]:
    given, where = part.schema.get("enum"), f"{part.where}.enum"
    if not isinstance(given, list) or not given:
        return
    if len({shown(value, 10**6) for value in given}) < len(given):
        twice = next(value for value in given if [shown(v) for v in given].count(shown(value)) > 1)
        yield warning("enum-twice", where, value=shown(twice))
    alike = _alike(given)
    if alike:
        yield warning("enum-alike", where, values=", ".join(map(shown, alike)))
    kinds = kinds_of(part.schema)
    if kinds and all(kind in TYPES for kind in kinds):
        wrong = [value for value in given if not any(fits(value, kind) for kind in kinds)]
        wrong = [] if part.schema.get("nullable") is True and wrong == [None] else wrong
        if wrong:
            yield error("enum-of-another-type", where, value=shown(wrong[0]), kind=" / ".join(kinds))
    elif not kinds and len({_kind(value) for value in given if value is not None}) > 1:
        yield warning("enum-mixed", where)
    if len({shown(value) for value in given}) == 1 and part.name and not _is_tag(part):
        yield warning("enum-of-one", where, name=part.name, value=shown(given[0]))


def _alike(given: list[Any]) -> list[str]:
    """Two values that differ only in case or in separators."""
    seen: dict[str, str] = {}
    for value in given:
        if isinstance(value, str):
            key = re.sub(r"[\W_]+", "", value.casefold())
            if key and seen.setdefault(key, value) != value and value.casefold() != value.upper():
                return [seen[key], value]
    return []


def _is_tag(part: Part) -> bool:
    """Whether a field tells the choices of a union apart."""
    around = part.parent
    while around is not None:
        if around.via in CHOICES or around.via in ("$defs", "definitions"):
            return True
        around = around.parent
    return False


def _kind(value: Any) -> str:
    return next(
        (kind for kind in ("boolean", "number", "string", "array", "object") if fits(value, kind)), "null"
    )


def fits(value: Any, kind: str) -> bool:
    """Whether a value is of a JSON type."""
    if kind in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return kind == "number" or value == int(value)
    python = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    return isinstance(value, python[kind])


def _default(part: Part) -> Iterator[Found]:
    if "default" not in part.schema or part.schema["default"] is None:
        return
    given, where = part.schema["default"], f"{part.where}.default"
    kinds, enum = kinds_of(part.schema), part.schema.get("enum")
    if isinstance(enum, list) and enum and given not in enum:
        yield warning(
            "default-not-allowed", where, default=shown(given), allowed=", ".join(map(shown, enum[:5]))
        )
    elif kinds and all(kind in TYPES for kind in kinds) and not any(fits(given, kind) for kind in kinds):
        yield warning("default-not-allowed", where, default=shown(given), allowed=" / ".join(kinds))


def _reference(one: Definition, part: Part) -> Iterator[Found]:
    given = part.schema.get("$ref")
    if isinstance(given, str) and not one.is_openapi and target(given, one.schema) is None:
        yield error("reference-broken", f"{part.where}.$ref", ref=given)


def target(reference: str, root: Any) -> Any:
    """What `#/$defs/Address` points to in a schema, or None."""
    if not reference.startswith("#"):
        return None
    for step in reference.removeprefix("#").split("/"):
        if step:
            step = step.replace("~1", "/").replace("~0", "~")
            root = root.get(step) if isinstance(root, dict) else None
    return root if isinstance(root, dict | bool) else None


def _field_names(one: Definition, part: Part) -> Iterator[Found]:
    properties = part.schema.get("properties")
    if not isinstance(properties, dict):
        return
    for name in properties:
        if not re.fullmatch(FIELD, name):
            told = error if one.provider in ("anthropic", "") else warning
            where = f"{part.where}.properties{name_at(name)}"
            yield told("field-name-refused", where, name=shown(name), pattern=f"^{FIELD}$")
    if len(properties) > MANY_FIELDS:
        yield warning("many-fields", f"{part.where}.properties", n=len(properties))
