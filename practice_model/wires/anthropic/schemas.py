"""Which JSON Schemas `strict: true` and `output_config.format` take on the Messages API.

The service answers 400 to anything that facts/keywords.py has not.
"""

from __future__ import annotations

from typing import Any

from ...facts.keywords import (
    ANTHROPIC_LIMITS,
    HARD_PATTERN,
    MIN_ITEMS,
    OF_TYPE,
    STRICT_FORMATS,
    STRICT_REFUSED,
    anthropic_sizes,
)
from ...facts.schemas import target
from ..json_schema import children, walk


def strict_problem(schema: dict[str, Any]) -> str | None:
    """Return the first thing in a schema that the strict subset does not have, or None."""
    for _, part in walk(schema):
        wrong = _wrong(part, schema)
        if wrong:
            return wrong
    if _is_recursive(schema):
        return "Recursive schemas are not supported: a definition may not contain a $ref to itself"
    return None


def strict_too_complex(schemas: list[dict[str, Any]]) -> str | None:
    """Return which limit all strict schemas of a request are over together, or None."""
    sizes = [anthropic_sizes(schema) for schema in schemas]
    optional = sum(size["optional parameters"] for size in sizes)
    unions = sum(size["union parameters"] for size in sizes)
    limit = ANTHROPIC_LIMITS["optional parameters"]
    if optional > limit:
        return (
            f"Schemas contain too many optional parameters ({optional}; limit: {limit}). "
            "Make parameters required, or fewer tools strict."
        )
    limit = ANTHROPIC_LIMITS["union parameters"]
    if unions > limit:
        return (
            f"Schemas contain too many parameters with union types ({unions} with type arrays or anyOf; "
            f"limit: {limit}). Reduce the number of nullable or union-typed parameters."
        )
    return None


def _wrong(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    """Return what is wrong with one schema, leaving out those inside it."""
    types = part["type"] if isinstance(part.get("type"), list) else [part.get("type")]
    refused = [keyword for keyword in STRICT_REFUSED["anthropic"] if keyword in part]
    for keyword in refused:
        if not any(keyword in keywords for keywords in OF_TYPE.values()):
            return f"'{keyword}' is not supported"
    for kind in types:
        found = sorted(keyword for keyword in refused if keyword in OF_TYPE.get(kind, ()))
        if found:
            verb = "property {} is" if len(found) == 1 else "properties {} are"
            names = f"'{found[0]}'" if len(found) == 1 else ", ".join(found)
            return f"For '{kind}' type, {verb.format(names)} not supported"
    if refused:  # they belong to a type that the schema does not have
        return f"'{refused[0]}' is not supported"
    if ("object" in types or "properties" in part) and part.get("additionalProperties") is not False:
        if "additionalProperties" in part:
            return "For 'object' type, 'additionalProperties' must be false"
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    if part.get("minItems", 0) not in MIN_ITEMS:
        return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if "string" in types and part.get("format", "date") not in STRICT_FORMATS["anthropic"]:
        return f"For 'string' type, format '{part['format']}' is not supported"
    if HARD_PATTERN.search(part.get("pattern", "")):
        return "Patterns with backreferences, lookaround or word boundaries are not supported"
    if any(isinstance(value, dict | list) for value in part.get("enum", ())):
        return "An enum may hold strings, numbers, true, false and null only"
    return _wrong_reference(part, root)


def _wrong_reference(part: dict[str, Any], root: dict[str, Any]) -> str | None:
    if "$ref" in part and not isinstance(target(part["$ref"], root), dict):
        return f"$ref '{part['$ref']}' does not point into this schema: external references are not supported"
    if any(isinstance(choice, dict) and "$ref" in choice for choice in part.get("allOf", ())):
        return "allOf with $ref is not supported"
    return None


def _is_recursive(root: dict[str, Any]) -> bool:
    """Return whether following $ref comes back to a schema that is being followed."""
    done: set[int] = set()

    def visit(part: Any, path: frozenset[int]) -> bool:
        if not isinstance(part, dict) or id(part) in done:
            return False
        if id(part) in path:
            return True
        path = path | {id(part)}
        targets = [child for _, child in children(part)]
        if "$ref" in part:
            targets.append(target(part["$ref"], root))
        found = any(visit(target, path) for target in targets)
        done.add(id(part))
        return found

    return visit(root, frozenset())
