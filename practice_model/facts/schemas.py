"""What a tool definition may hold: the names, and the keywords of JSON Schema with what each takes.

JSON Schema is draft 2020-12 (https://json-schema.org/draft/2020-12), with `definitions` and `dependencies` of
earlier drafts, which services still take, and OpenAPI's `discriminator`, which Pydantic writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# Names --------------------------------------------------------------------------------------------

# From the vendors' API references (2026-11). By reports of 2026, OpenAI takes 128 characters and not just 64.
TOOL_NAMES = {
    "anthropic": r"[a-zA-Z0-9_-]{1,128}",
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
}

CALL_NAME_LENGTHS = {"anthropic": (1, 200), "openai": (1, 64), "gemini": (1, None)}
"""How many characters the name of a call in a history has, whatever tools there are; None: no limit is known.

OpenAI wants more of it: what it wants of a tool's name. Anthropic did so until 2024 (`tool_use.name: String
should match pattern`); in reports since then it refuses by the length alone, and in one it takes the JSON of
whole inputs as names. Of Gemini nothing is known but "Name cannot be empty".
"""
FIELD_NAME = r"[a-zA-Z0-9_.-]{1,64}"
"""Anthropic's rule for the names of properties; the others take more."""

# The schemas inside a schema ----------------------------------------------------------------------

MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords that hold schemas by name."""
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords that hold a list of schemas."""
SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
"""Keywords that hold one schema."""


def schemas_in(keyword: str, held: Any) -> Iterator[tuple[str | int | None, Any]]:
    """Yield the schemas that a keyword holds, each with its name or index; None where it holds just one."""
    if keyword in MAPS and isinstance(held, dict):
        yield from held.items()
    elif keyword in LISTS and isinstance(held, list):
        yield from enumerate(held)
    elif keyword in SINGLE:
        yield None, held


def target(reference: str, root: Any) -> Any:
    """Return the schema that a local $ref such as `#/$defs/Address` points to, or None."""
    if not reference.startswith("#"):
        return None
    for step in reference.removeprefix("#").split("/"):
        if step:
            step = step.replace("~1", "/").replace("~0", "~")
            root = root.get(step) if isinstance(root, dict) else None
    return root if isinstance(root, dict | bool) else None


# Gemini takes the names of keywords and fields in both spellings.


def snake_case(word: str) -> str:
    """Return `function_declarations` for `functionDeclarations`."""
    return re.sub("(?<!^)[A-Z]", lambda found: f"_{found[0].lower()}", word)


def camel_case(word: str) -> str:
    """Return `functionDeclarations` for `function_declarations`."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), word)


# What each keyword holds --------------------------------------------------------------------------

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_PYTHON_TYPES = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}


def is_of_type(value: Any, name: str) -> bool:
    """Return whether a value is of a JSON type; every value is of a type that there is not."""
    if name in ("number", "integer"):
        return is_number(value) and (name == "number" or isinstance(value, int) or value.is_integer())
    return isinstance(value, _PYTHON_TYPES.get(name, object))


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
