"""The keywords of JSON Schema: what each may hold, and which of them strict modes and Gemini take.

JSON Schema is draft 2020-12 (https://json-schema.org/draft/2020-12), with `definitions` and `dependencies` of
earlier drafts, which services still take, and OpenAPI's `discriminator`, which Pydantic writes.

What strict modes and Gemini take is from the vendors' pages on structured outputs (Anthropic and OpenAI,
2026-11) and from the reference of the Gemini API (2026-11); each service answers 400 to anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .schemas import LISTS, MAPS, SINGLE, is_number, schemas_inside, walk

# What each keyword holds --------------------------------------------------------------------------


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value % 1 == 0


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


@dataclass(frozen=True)
class Kind:
    """A kind of value that keywords hold."""

    text: str
    """What it should be, in words."""
    example: str
    fits: Callable[[Any], bool]
    """Whether a value is of this kind, whatever stands inside it."""


_TYPE = Kind("a type, or a list of types", '"string"', lambda value: isinstance(value, str | list))
ANYTHING = Kind("any value", "...", lambda value: True)
_NUMBER = Kind("a number", "1", is_number)
_COUNT = Kind("a whole number, 0 or more", "1", _is_count)
_TEXT = Kind("a string", '"..."', lambda value: isinstance(value, str))
_SWITCH = Kind("true or false", "true", lambda value: isinstance(value, bool))
_LIST = Kind("a list", "[...]", lambda value: isinstance(value, list))

KEYWORDS: dict[str, Kind] = {
    **dict.fromkeys(
        MAPS,
        Kind(
            "an object that maps names to schemas",
            '{"name": {"type": ...}}',
            lambda value: isinstance(value, dict),
        ),
    ),
    **dict.fromkeys(
        LISTS,
        Kind(
            "a list of schemas with at least one",
            "[{...}, {...}]",
            lambda value: isinstance(value, list) and bool(value),
        ),
    ),
    **dict.fromkeys(
        SINGLE, Kind("a schema (an object)", '{"type": ...}', lambda value: isinstance(value, dict | bool))
    ),
    "type": _TYPE,
    "enum": _LIST,
    "examples": _LIST,
    "multipleOf": Kind("a number above 0", "1", lambda value: is_number(value) and value > 0),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), _COUNT),
    **dict.fromkeys(("pattern", "format", "title", "description"), _TEXT),
    **dict.fromkeys(("$ref", "$id", "$schema", "$comment"), _TEXT),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _SWITCH),
    "required": Kind("a list of different names", '["name"]', _is_names),
    "dependentRequired": Kind(
        "an object of lists of names",
        '{"name": ["other"]}',
        lambda value: isinstance(value, dict) and all(_is_names(names) for names in value.values()),
    ),
    **dict.fromkeys(("const", "default"), ANYTHING),
    # Known, and nobody here looks at what they hold.
    **dict.fromkeys(("contentEncoding", "contentMediaType", "contentSchema", "$anchor"), ANYTHING),
    **dict.fromkeys(("$dynamicRef", "$dynamicAnchor", "$vocabulary"), ANYTHING),
    **dict.fromkeys(("discriminator", "dependencies"), ANYTHING),
}

# The strict subsets of Anthropic and OpenAI -------------------------------------------------------

STRICT_FORMATS = {
    "anthropic": tuple("date-time time date duration email hostname uri ipv4 ipv6 uuid".split()),
    "openai": tuple("date-time time date duration email hostname ipv4 ipv6 uuid".split()),
}

_NEITHER = tuple(
    """
    oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames minProperties
    maxProperties unevaluatedProperties unevaluatedItems prefixItems contains minContains maxContains
    uniqueItems minLength maxLength
    """.split()
)
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
STRICT_REFUSED = {
    "anthropic": (*_NEITHER, *_NUMBERS, "maxItems"),
    "openai": (*_NEITHER, "allOf", "default"),
}
"""Keywords that are refused wherever they stand."""

# Anthropic names the type in its message where the keyword belongs to one.
OF_TYPE = {
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems"),
    "object": ("patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired"),
}

BESIDE_REFERENCE = frozenset({"$ref", "$defs", "definitions"})
"""All that may stand beside a `$ref` on OpenAI."""
HARD_PATTERN = re.compile(r"\(\?[=!<]|\\[1-9]|\\[bB]")
"""What Anthropic's `pattern` may not have: look-around, references to groups, word boundaries."""
MIN_ITEMS = (0, 1)
"""All that Anthropic's `minItems` may be."""

# How large strict schemas may be ------------------------------------------------------------------

# Anthropic counts over all strict tools of a request, OpenAI in each schema.
ANTHROPIC_LIMITS = {"strict tools": 20, "optional parameters": 24, "union parameters": 16}
LARGE_ENUM = 250
OPENAI_LIMITS = {
    "properties": 5_000,
    "levels of nesting": 10,
    "enum values": 1_000,
    "characters in names and enums": 120_000,
    f"characters in an enum of more than {LARGE_ENUM} values": 15_000,
}


def anthropic_sizes(schema: Any) -> dict[str, int]:
    """Return how much of each of ANTHROPIC_LIMITS a strict tool takes."""
    parts = [part for _, part in walk(schema)]
    return {
        "strict tools": 1,
        "optional parameters": sum(
            len(set(part.get("properties") or ()) - set(part.get("required") or ())) for part in parts
        ),
        "union parameters": sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts),
    }


def openai_sizes(schema: Any) -> dict[str, int]:
    """Return how large a schema is in each of OPENAI_LIMITS. References are not followed."""
    parts = [part for _, part in walk(schema)]
    enums = [[str(value) for value in part["enum"]] for part in parts if "enum" in part]
    names = [name for part in parts for keyword in ("properties", "$defs") for name in part.get(keyword, ())]
    constants = [str(part["const"]) for part in parts if "const" in part]
    letters = [sum(map(len, enum)) for enum in enums]
    sizes = (
        sum(len(part.get("properties", ())) for part in parts),
        _depth(schema),
        sum(map(len, enums)),
        sum(map(len, [*names, *constants])) + sum(letters),
        max((count for enum, count in zip(enums, letters, strict=True) if len(enum) > LARGE_ENUM), default=0),
    )
    return dict(zip(OPENAI_LIMITS, sizes, strict=True))


def _depth(schema: Any) -> int:
    """Return how many schemas stand inside each other; the choices of one place are one level."""
    if not isinstance(schema, dict):
        return 0
    depths = (_depth(part) + (word in ("properties", "items")) for word, _, part in schemas_inside(schema))
    return max([1, *depths])


# Gemini's subset of OpenAPI -----------------------------------------------------------------------

GEMINI_KEYWORDS = frozenset(
    """
    type format title description nullable enum items minItems maxItems properties required minProperties
    maxProperties minimum maximum minLength maxLength pattern example default anyOf propertyOrdering
    """.split()
)
"""What `parameters` and `responseSchema` take; `parametersJsonSchema` takes JSON Schema instead."""
GEMINI_FORMATS = {
    "string": ("enum", "date-time"),
    "number": ("float", "double"),
    "integer": ("int32", "int64"),
}
