"""The subset of JSON Schema in which a provider can promise arguments that fit.

One table, for those who write strict schemas (`strict`) and for those who review them (`rules_strict`).

As of 2026-11, from the providers' pages on structured outputs; each answers 400 to anything else.
"""

from __future__ import annotations

import re

FORMATS = {
    "anthropic": tuple("date-time time date duration email hostname uri ipv4 ipv6 uuid".split()),
    "openai": tuple("date-time time date duration email hostname ipv4 ipv6 uuid".split()),
}
_NEITHER = (
    "oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames "
    "minProperties maxProperties unevaluatedProperties unevaluatedItems prefixItems contains minContains "
    "maxContains uniqueItems minLength maxLength"
).split()
_NUMBERS = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split()
REFUSED = {
    "anthropic": (*_NEITHER, *_NUMBERS, "maxItems"),
    "openai": (*_NEITHER, "allOf", "default"),
}
# Anthropic's engine has no word boundaries, references to groups, or look-around.
HARD_PATTERN = re.compile(r"\(\?[=!<]|\\[1-9]|\\[bB]")

__all__ = ["FORMATS", "HARD_PATTERN", "REFUSED"]
