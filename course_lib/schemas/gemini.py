"""A clean schema in Gemini's form: the subset of OpenAPI that `FunctionDeclaration.parameters` takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import ToolSchemaError
from .cleaning import type_name
from .strict import free_keys, only_lists
from .telling import tell
from .walking import Schema, is_null, join, rebuild, walk

_KEPT = frozenset(
    "type format description enum items minItems maxItems properties required minimum maximum minLength "
    "maxLength pattern anyOf".split()
)
_NO_FORM = ("not", "if", "then", "else", "allOf", "dependentSchemas", "dependentRequired", "contains")
_SIMPLE = ("STRING", "NUMBER", "BOOLEAN")

__all__ = ["reasons_against_gemini", "to_gemini"]


def to_gemini(schema: Schema, tool: str = "the schema") -> Schema:
    """A clean schema as Gemini writes it: upper-case types, `nullable`, no `$ref`, `const` or closed objects.

    Only text may have an `enum`, and only date-times a `format`; what else the subset lacks is told in the
    description. What may be anything becomes text, number, true or false. Raises ToolSchemaError for objects
    with any keys and for models that contain themselves.
    """
    reasons = [reason for _, reason in reasons_against_gemini(schema)]
    if reasons:
        raise ToolSchemaError("\n- ".join([f"{tool} cannot be declared to Gemini:", *reasons]))
    return rebuild(schema, _convert)


def reasons_against_gemini(schema: Schema) -> Iterator[tuple[str, str]]:
    """Why Gemini has no form for a clean schema: each place, and a sentence."""
    for path, part in walk(schema):
        if reason := _reason_against(path, part):
            yield path, reason
        for name, held in part.get("properties", {}).items():
            if is_null(held):
                yield join(path, name), f"'{join(path, name)}' is always null. Leave the parameter out."


def _reason_against(path: str, part: Schema) -> str | None:
    if free_keys(part):
        return f"'{path}' is an object with any keys. Write a list of objects with key and value instead."
    if "properties" in part and not part["properties"] and path:
        return f"'{path}' is an object without fields. Give it a field, or leave the parameter out."
    if "$ref" in part:
        return f"'{path}' contains itself. Write the levels that you need as separate models."
    found = [keyword for keyword in _NO_FORM if keyword in part]
    return f"'{path}' uses '{found[0]}'. Check that in the function instead." if found else None


def _convert(part: Schema) -> Schema:
    """One schema, after those inside it."""
    part = only_lists(part)
    if is_null(part):
        return part  # its parent takes it as `nullable`
    kinds = part.get("type")
    if isinstance(kinds, list):
        return _convert({**_without_type(part), "anyOf": [_one_kind(part, kind) for kind in kinds]})
    if "anyOf" in part:
        return _choice(part)
    if kinds is None:
        return {
            **tell(part, set(part) - _KEPT),
            "anyOf": [{"type": kind} for kind in _SIMPLE],
            "nullable": True,
        }
    told = set(part) - _KEPT
    if part.get("format") != "date-time":
        told.add("format")
    if "enum" in part and (kinds != "string" or "" in part["enum"]):
        told.add("enum")
    return {**tell(part, told), "type": kinds.upper()}


def _one_kind(part: Schema, kind: str) -> Schema:
    """The part of a mixed enum that has one type."""
    if kind == "null":
        return {"type": "null"}
    return _convert({"type": kind, "enum": [value for value in part["enum"] if type_name(value) == kind]})


def _without_type(part: Schema) -> dict[str, Any]:
    return {keyword: value for keyword, value in part.items() if keyword not in ("type", "enum")}


def _choice(part: Schema) -> Schema:
    choices = [choice for choice in part["anyOf"] if not is_null(choice)]
    beside = tell({**part, "anyOf": choices}, set(part) - _KEPT)
    if len(choices) == 1:
        del beside["anyOf"]
        beside = {**choices[0], **beside}
    return {**beside, "nullable": True} if len(choices) < len(part["anyOf"]) else beside
