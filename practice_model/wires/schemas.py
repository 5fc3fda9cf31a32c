"""Which JSON Schemas the services take: whether it is one at all, OpenAI's subsets, Anthropic's strict one.

Not a validator of data, and not complete: what is looked for are the mistakes that people make. What each
keyword may hold, and what strict modes refuse, is in facts/keywords.py. Each function yields what is wrong,
in the service's words where it has some; a refusal names the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts.keywords import (
    ANTHROPIC_LIMITS,
    BESIDE_REFERENCE,
    HARD_PATTERN,
    KEYWORDS,
    LARGE_ENUM,
    MIN_ITEMS,
    OF_TYPE,
    OPENAI_LIMITS,
    STRICT_FORMATS,
    STRICT_REFUSED,
    anthropic_sizes,
    openai_sizes,
)
from ..facts.schemas import TYPES, schemas_inside, target, walk

Schema = dict[str, Any]


# JSON Schema, draft 2020-12 -----------------------------------------------------------------------


def problems(schema: Any, place: str = "") -> Iterator[str]:
    """Yield what keeps something from being a schema, each with its place."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{place or 'the schema'} should be an object"
        return
    inside = f"{place}." if place else ""
    for keyword, value in schema.items():
        if keyword == "type":
            yield from (f"{inside}type {problem}" for problem in _type_problems(value))
        elif keyword in KEYWORDS and not KEYWORDS[keyword].fits(value):
            yield f"{inside}{keyword} should be {KEYWORDS[keyword].text}"
    for keyword, step, child in schemas_inside(schema):
        yield from problems(child, inside + (keyword if step is None else f"{keyword}.{step}"))


def _type_problems(value: Any) -> Iterator[str]:
    names = value if isinstance(value, list) and value else [value]
    for name in names:
        if name not in TYPES:
            yield f"{name!r} is not a type; the types are {', '.join(TYPES)}"
    if len({str(name) for name in names}) < len(names):
        yield "names a type twice"


def _types(part: Schema) -> list[Any]:
    return part["type"] if isinstance(part.get("type"), list) else [part.get("type")]


# OpenAI: a function's parameters, and a structured answer -----------------------------------------

_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def openai_problems(schema: Any, strict: bool) -> Iterator[str]:
    """Yield what OpenAI has against a schema; `context` is the place in it."""
    if not isinstance(schema, dict):
        yield f"{schema!r} is not of type 'object', 'boolean'."
    kind = schema.get("type")
    if kind != "object":
        yield f"""schema must be a JSON Schema of 'type: "object"', got 'type: "{kind}"'."""
    if any(keyword in schema for keyword in _NOT_AT_THE_TOP):
        names = "/".join(f"'{keyword}'" for keyword in _NOT_AT_THE_TOP)
        yield f"schema must have type 'object' and not have {names} at the top level."
    for path, part in walk(schema):
        if any(_type_problems(part.get("type", "object"))):
            rule = f"{part['type']!r} is not valid under any of the given schemas."
            yield f"{rule} (In context={path}: the types are {', '.join(TYPES)})"
    for problem in problems(schema):
        yield f"the schema is not valid JSON Schema: {problem}."
    for path, part in walk(schema):
        if not path and "properties" not in part:
            yield "In context=(), object schema missing properties."
        if part.get("type") == "array" and "items" not in part and "prefixItems" not in part:
            yield f"In context={path}, array schema missing items."
    if strict:
        for path, part in walk(schema):
            for problem in _openai_strict_problems(part, schema):
                yield f"In context={path}, {problem}"
        yield from _openai_limits(schema)


def _openai_strict_problems(part: Schema, root: Schema) -> Iterator[str]:
    """Yield what the strict subset has against one schema, leaving out those inside it."""
    if "$ref" in part:
        beside = sorted(set(part) - BESIDE_REFERENCE)
        if beside:
            yield f"$ref cannot have keywords {{{', '.join(repr(name) for name in beside)}}}."
        if not isinstance(target(part["$ref"], root), dict):
            yield f"reference to component '{part['$ref']}' which was not found in the schema."
        return
    for keyword in STRICT_REFUSED["openai"]:
        if keyword in part:
            yield f"'{keyword}' is not permitted."
    if not any(keyword in part for keyword in ("type", "anyOf", "enum", "const")):
        yield "schema must have a 'type' key."
    types = _types(part)
    if "object" in types or "properties" in part:
        if part.get("additionalProperties") is not False:
            yield "'additionalProperties' is required to be supplied and to be false."
        names, required = list(part.get("properties", {})), part.get("required", [])
        rule = "'required' is required to be supplied and to be an array including every key in properties."
        missing = [name for name in names if name not in required]
        extra = [name for name in required if name not in names]
        yield from (f"{rule} Missing '{name}'." for name in missing)
        yield from (f"{rule} Extra required key '{name}' supplied." for name in extra)
    if "array" in types and "items" not in part:
        yield "array schema missing items."
    if part.get("format", "date") not in STRICT_FORMATS["openai"]:
        yield f"'{part['format']}' is not a valid format."


def _openai_limits(schema: Schema) -> Iterator[str]:
    """Yield the limits of strict mode that the schema is over. References are not followed."""
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
            yield (
                f"Expected at most {limit} {what} within a schema when using structured outputs, "
                f"but received {size}. Consider reducing their number, or use 'strict: false' to opt out of "
                "structured outputs."
            )


# Anthropic: `strict: true` and `output_config.format` ---------------------------------------------


def anthropic_problems(schema: Schema) -> Iterator[str]:
    """Yield what Anthropic's strict subset has against a schema."""
    for _, part in walk(schema):
        yield from _anthropic_strict_problems(part, schema)
    if _is_recursive(schema):
        yield "Recursive schemas are not supported: a definition may not contain a $ref to itself"


def anthropic_limits(schemas: list[Schema]) -> Iterator[str]:
    """Yield the limits that all strict schemas of a request are over together."""
    sizes = [anthropic_sizes(schema) for schema in schemas]
    optional = sum(size["optional parameters"] for size in sizes)
    unions = sum(size["union parameters"] for size in sizes)
    if optional > (limit := ANTHROPIC_LIMITS["optional parameters"]):
        yield (
            f"Schemas contain too many optional parameters ({optional}; limit: {limit}). "
            "Make parameters required, or fewer tools strict."
        )
    if unions > (limit := ANTHROPIC_LIMITS["union parameters"]):
        yield (
            f"Schemas contain too many parameters with union types ({unions} with type arrays or anyOf; "
            f"limit: {limit}). Reduce the number of nullable or union-typed parameters."
        )


def _anthropic_strict_problems(part: Schema, root: Schema) -> Iterator[str]:
    """Yield what the strict subset has against one schema, leaving out those inside it."""
    types = _types(part)
    refused = [keyword for keyword in STRICT_REFUSED["anthropic"] if keyword in part]
    for keyword in refused:
        if not any(keyword in keywords for keywords in OF_TYPE.values()):
            yield f"'{keyword}' is not supported"
    for kind in types:
        found = sorted(keyword for keyword in refused if keyword in OF_TYPE.get(kind, ()))
        if len(found) == 1:
            yield f"For '{kind}' type, property '{found[0]}' is not supported"
        elif found:
            yield f"For '{kind}' type, properties {', '.join(found)} are not supported"
    if refused:  # they belong to a type that the schema does not have
        yield f"'{refused[0]}' is not supported"
    if ("object" in types or "properties" in part) and part.get("additionalProperties") is not False:
        explicitly = "" if "additionalProperties" in part else "explicitly set to "
        yield f"For 'object' type, 'additionalProperties' must be {explicitly}false"
    if part.get("minItems", 0) not in MIN_ITEMS:
        yield "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if "string" in types and part.get("format", "date") not in STRICT_FORMATS["anthropic"]:
        yield f"For 'string' type, format '{part['format']}' is not supported"
    if HARD_PATTERN.search(part.get("pattern", "")):
        yield "Patterns with backreferences, lookaround or word boundaries are not supported"
    if any(isinstance(value, dict | list) for value in part.get("enum", ())):
        yield "An enum may hold strings, numbers, true, false and null only"
    if "$ref" in part and not isinstance(target(part["$ref"], root), dict):
        yield f"$ref '{part['$ref']}' does not point into this schema: external references are not supported"
    if any(isinstance(choice, dict) and "$ref" in choice for choice in part.get("allOf", ())):
        yield "allOf with $ref is not supported"


def _is_recursive(root: Schema) -> bool:
    """Return whether following $ref comes back to a schema that is being followed."""
    done: set[int] = set()

    def visit(part: Any, path: frozenset[int]) -> bool:
        if not isinstance(part, dict) or id(part) in done:
            return False
        if id(part) in path:
            return True
        followed = [child for _, _, child in schemas_inside(part)]
        if "$ref" in part:
            followed.append(target(part["$ref"], root))
        found = any(visit(child, path | {id(part)}) for child in followed)
        done.add(id(part))
        return found

    return visit(root, frozenset())
