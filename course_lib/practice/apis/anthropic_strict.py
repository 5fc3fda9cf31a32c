"""Which schemas `strict: true` and `output_config.format` take on the Messages API.

Read from the vendor's page on structured outputs (2026-10); the service answers 400 to anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .json_schema import children

FORMATS = frozenset("date-time time date duration email hostname uri ipv4 ipv6 uuid".split())
MAX_STRICT_TOOLS = 20
MAX_OPTIONAL = 24
MAX_UNIONS = 16

_NUMBER_RULES = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_UNSUPPORTED: dict[str, tuple[str, ...]] = {
    "integer": _NUMBER_RULES,
    "number": _NUMBER_RULES,
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems"),
    "object": ("patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired"),
}
_UNSUPPORTED_ANYWHERE = ("oneOf", "not", "if", "then", "else", "dependentSchemas", "unevaluatedProperties")
_HARD_PATTERN = re.compile(r"\(\?[=!<]|\\[1-9]|\\[bB]")

__all__ = ["MAX_STRICT_TOOLS", "problem", "too_complex"]


def problem(schema: dict[str, Any]) -> str | None:
    """The first thing in a schema that the strict subset does not have, or None."""
    for part in _walk(schema):
        wrong = _wrong(part, schema)
        if wrong:
            return wrong
    if _is_recursive(schema):
        return "Recursive schemas are not supported: a definition may not contain a $ref to itself"
    return None


def too_complex(schemas: list[dict[str, Any]]) -> str | None:
    """Whether all strict schemas of a request together are over the limits, which count across tools."""
    parts = [part for schema in schemas for part in _walk(schema)]
    optional = sum(len(set(part.get("properties") or {}) - set(part.get("required") or [])) for part in parts)
    unions = sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts)
    if optional > MAX_OPTIONAL:
        return (
            f"Schemas contain too many optional parameters ({optional}; limit: {MAX_OPTIONAL}). "
            "Make parameters required, or fewer tools strict."
        )
    if unions > MAX_UNIONS:
        return (
            f"Schemas contain too many parameters with union types ({unions} with type arrays or anyOf; "
            f"limit: {MAX_UNIONS}). Reduce the number of nullable or union-typed parameters."
        )
    return None


def _walk(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and every schema inside it."""
    if isinstance(schema, dict):
        yield schema
        for _, child in children(schema):
            yield from _walk(child)


def _wrong(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    """What is wrong with one schema, leaving out those inside it."""
    types = part["type"] if isinstance(part.get("type"), list) else [part.get("type")]
    for keyword in _UNSUPPORTED_ANYWHERE:
        if keyword in part:
            return f"'{keyword}' is not supported"
    for kind in types:
        found = sorted(keyword for keyword in _UNSUPPORTED.get(kind, ()) if keyword in part)
        if found:
            verb = "property {} is" if len(found) == 1 else "properties {} are"
            names = f"'{found[0]}'" if len(found) == 1 else ", ".join(found)
            return f"For '{kind}' type, {verb.format(names)} not supported"
    if ("object" in types or "properties" in part) and part.get("additionalProperties") is not False:
        if "additionalProperties" in part:
            return "For 'object' type, 'additionalProperties' must be false"
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    if part.get("minItems", 0) not in (0, 1):
        return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if "string" in types and part.get("format", "date") not in FORMATS:
        return f"For 'string' type, format '{part['format']}' is not supported"
    if _HARD_PATTERN.search(part.get("pattern", "")):
        return "Patterns with backreferences, lookaround or word boundaries are not supported"
    if any(isinstance(value, dict | list) for value in part.get("enum", ())):
        return "An enum may hold strings, numbers, true, false and null only"
    return _wrong_reference(part, root)


def _wrong_reference(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    if "$ref" in part and _target(part["$ref"], root) is None:
        return f"$ref '{part['$ref']}' does not point into this schema: external references are not supported"
    if any(isinstance(choice, dict) and "$ref" in choice for choice in part.get("allOf", ())):
        return "allOf with $ref is not supported"
    return None


def _target(reference: str, root: dict[str, Any]) -> dict[str, Any] | None:
    """What a local $ref such as `#/$defs/Address` points to."""
    if not reference.startswith("#"):
        return None
    place: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        if step:
            step = step.replace("~1", "/").replace("~0", "~")
            place = place.get(step) if isinstance(place, dict) else None
    return place if isinstance(place, dict) else None


def _is_recursive(root: dict[str, Any]) -> bool:
    """Whether following $ref comes back to a schema that is being followed."""
    done: set[int] = set()

    def visit(part: Any, path: frozenset[int]) -> bool:
        if not isinstance(part, dict) or id(part) in done:
            return False
        if id(part) in path:
            return True
        path = path | {id(part)}
        targets = [child for _, child in children(part)]
        if "$ref" in part:
            targets.append(_target(part["$ref"], root))
        found = any(visit(target, path) for target in targets)
        done.add(id(part))
        return found

    return visit(root, frozenset())
