"""Whether a JSON Schema is one at all (draft 2020-12), checked by a table of what each keyword may hold.

Not a validator of data, and not complete: it names the mistakes that people make. What each provider's
strict mode allows beyond that is in the provider's own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


def problem(schema: Any, place: str = "") -> str | None:
    """The first thing that is wrong with a schema, with its place, or None."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return f"{place or 'the schema'} should be an object"
    for keyword, value in schema.items():
        where = f"{place}.{keyword}" if place else keyword
        check = _KEYWORDS.get(keyword)
        wrong = check(value) if check else None
        if wrong:
            return f"{where} {wrong}"
    for name, child in children(schema):
        wrong = problem(child, f"{place}.{name}" if place else name)
        if wrong:
            return wrong
    return None


def children(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas directly inside a schema, each with its place in it, such as `properties.city`."""
    for keyword in _MAPS:
        if isinstance(schema.get(keyword), dict):
            yield from ((f"{keyword}.{name}", child) for name, child in schema[keyword].items())
    for keyword in _LISTS:
        if isinstance(schema.get(keyword), list):
            yield from ((f"{keyword}.{index}", child) for index, child in enumerate(schema[keyword]))
    for keyword in _SINGLE:
        if keyword in schema:
            yield keyword, schema[keyword]


def _type(value: Any) -> str | None:
    names = value if isinstance(value, list) and value else [value]
    unknown = [name for name in names if name not in TYPES]
    if unknown:
        return f"{unknown[0]!r} is not a type; the types are {', '.join(TYPES)}"
    return None if len({str(name) for name in names}) == len(names) else "names a type twice"


def _kind(words: str, test: Callable[[Any], bool]) -> Callable[[Any], str | None]:
    return lambda value: None if test(value) else f"should be {words}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


_number = _kind("a number", _is_number)
_whole = _kind("a whole number, 0 or more", lambda v: _is_number(v) and v == int(v) and v >= 0)
_text = _kind("a string", lambda v: isinstance(v, str))
_switch = _kind("true or false", lambda v: isinstance(v, bool))
_list = _kind("a list", lambda v: isinstance(v, list))
_schema = _kind("a schema (an object)", lambda v: isinstance(v, dict | bool))
_schema_map = _kind("an object that maps names to schemas", lambda v: isinstance(v, dict))
_schema_list = _kind("a list of schemas with at least one", lambda v: isinstance(v, list) and bool(v))
_names = _kind("a list of different names", _is_names)

_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = (
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
_KEYWORDS: dict[str, Callable[[Any], str | None]] = {
    "type": _type,
    "enum": _list,
    "required": _names,
    "multipleOf": _kind("a number above 0", lambda v: _is_number(v) and v > 0),
    "dependentRequired": _kind(
        "an object of lists of names",
        lambda v: isinstance(v, dict) and all(_is_names(names) for names in v.values()),
    ),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(
        (
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "minContains",
            "maxContains",
        ),
        _whole,
    ),
    **dict.fromkeys(
        ("pattern", "format", "title", "description", "$ref", "$id", "$schema", "$comment"), _text
    ),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _switch),
    "examples": _list,
    **dict.fromkeys(_MAPS, _schema_map),
    **dict.fromkeys(_LISTS, _schema_list),
    **dict.fromkeys(_SINGLE, _schema),
}
