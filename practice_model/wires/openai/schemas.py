"""Which JSON Schemas OpenAI takes for a function's parameters and a structured answer, strict and not.

The service answers 400 to anything that facts/keywords.py has not. Messages are worded as the service words
them: `context` is the place in the schema.
"""

from __future__ import annotations

from typing import Any

from ...facts.keywords import (
    BESIDE_REFERENCE,
    LARGE_ENUM,
    OPENAI_LIMITS,
    STRICT_FORMATS,
    STRICT_REFUSED,
    openai_sizes,
)
from ...facts.schemas import TYPES, target
from .. import json_schema
from ..json_schema import walk

_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def parameters_problem(schema: Any) -> str | None:
    """Return the first thing that is wrong with a schema whether strict or not, or None."""
    if not isinstance(schema, dict):
        return f"{schema!r} is not of type 'object', 'boolean'."
    kind = schema.get("type")
    if kind != "object":
        return f"""schema must be a JSON Schema of 'type: "object"', got 'type: "{kind}"'."""
    if any(keyword in schema for keyword in _NOT_AT_THE_TOP):
        names = "/".join(f"'{keyword}'" for keyword in _NOT_AT_THE_TOP)
        return f"schema must have type 'object' and not have {names} at the top level."
    for path, part in walk(schema):
        if json_schema.problem({"type": part.get("type", "object")}):
            types = ", ".join(TYPES)
            wrong = part["type"]
            rule = f"{wrong!r} is not valid under any of the given schemas."
            return f"{rule} (In context={path}: the types are {types})"
    wrong = json_schema.problem(schema)
    if wrong:
        return f"the schema is not valid JSON Schema: {wrong}."
    for path, part in walk(schema):
        if not path and "properties" not in part:
            return "In context=(), object schema missing properties."
        if part.get("type") == "array" and "items" not in part and "prefixItems" not in part:
            return f"In context={path}, array schema missing items."
    return None


def strict_problem(schema: dict[str, Any]) -> str | None:
    """Return the first thing in a schema that the strict subset does not have, or None."""
    for path, part in walk(schema):
        wrong = _wrong(part, schema)
        if wrong:
            return f"In context={path}, {wrong}"
    return _over_a_limit(schema)


def _wrong(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    """Return what is wrong with one schema, leaving out those inside it."""
    if "$ref" in part:
        return _wrong_reference(part, root)
    for keyword in STRICT_REFUSED["openai"]:
        if keyword in part:
            return f"'{keyword}' is not permitted."
    types = part["type"] if isinstance(part.get("type"), list) else [part.get("type")]
    if not any(keyword in part for keyword in ("type", "anyOf", "enum", "const")):
        return "schema must have a 'type' key."
    if "object" in types or "properties" in part:
        wrong = _wrong_object(part)
        if wrong:
            return wrong
    if "array" in types and "items" not in part:
        return "array schema missing items."
    if part.get("format", "date") not in STRICT_FORMATS["openai"]:
        return f"'{part['format']}' is not a valid format."
    return None


def _wrong_object(part: dict[str, Any]) -> str | None:
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    names, required = list(part.get("properties", {})), part.get("required", [])
    rule = "'required' is required to be supplied and to be an array including every key in properties."
    missing = [name for name in names if name not in required]
    extra = [name for name in required if name not in names]
    if missing:
        return f"{rule} Missing '{missing[0]}'."
    return f"{rule} Extra required key '{extra[0]}' supplied." if extra else None


def _wrong_reference(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    beside = sorted(set(part) - BESIDE_REFERENCE)
    if beside:
        return f"$ref cannot have keywords {{{', '.join(repr(name) for name in beside)}}}."
    reference = part["$ref"]
    if not isinstance(target(reference, root), dict):
        return f"reference to component '{reference}' which was not found in the schema."
    return None


def _over_a_limit(schema: dict[str, Any]) -> str | None:
    """Return which limit of strict mode the schema is over, or None. References are not followed."""
    counted = (
        "object properties in total",
        "levels of nesting",
        "enum values in total",
        "characters in names, enum values and const values",
        f"characters in an enum of more than {LARGE_ENUM} values",
    )
    sizes, limits = openai_sizes(schema).values(), OPENAI_LIMITS.values()
    for what, size, limit in zip(counted, sizes, limits, strict=True):
        if size > limit:
            return (
                f"Expected at most {limit} {what} within a schema when using structured outputs, "
                f"but received {size}. Consider reducing their number, or use 'strict: false' to opt out of "
                "structured outputs."
            )
    return None
