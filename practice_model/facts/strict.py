"""What strict modes take of JSON Schema, and the subset of OpenAPI that Gemini takes.

From the vendors' pages on structured outputs (Anthropic and OpenAI, 2026-11) and from the reference of the
Gemini API (2026-11); each service answers 400 to anything else.
"""

from __future__ import annotations

import re

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
