"""What JSON Schema knows, by name: its types, its keywords with what each may hold, and what people write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import LISTS, MAPS, SINGLE

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
# What people write -> the type that they mean.
MEANT_TYPES = {
    **dict.fromkeys(("str", "text", "varchar", "char", "strings"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64", "integers"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric", "num", "numbers"), "number"),
    **dict.fromkeys(("bool", "booleans"), "boolean"),
    **dict.fromkeys(("dict", "map", "hash", "struct", "dictionary", "json"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "sequence", "arrays"), "array"),
    **dict.fromkeys(("none", "nonetype", "nil"), "null"),
}
# What people write -> the keyword that they mean.
MEANT_KEYWORDS = {
    **dict.fromkeys(("types", "datatype", "data_type", "kind"), "type"),
    **dict.fromkeys(("require", "requires", "requiredProperties", "mandatory"), "required"),
    **dict.fromkeys(("desc", "descr", "descripcion", "comment", "help", "doc"), "description"),
    **dict.fromkeys(
        ("values", "options", "choices", "enums", "allowed", "allowed_values", "allowedValues", "one_of"),
        "enum",
    ),
    **dict.fromkeys(("property", "props", "fields", "params", "parameters", "arguments"), "properties"),
    **dict.fromkeys(("item", "items_type", "itemType"), "items"),
    **dict.fromkeys(("min", "minValue", "min_value"), "minimum"),
    **dict.fromkeys(("max", "maxValue", "max_value"), "maximum"),
    **dict.fromkeys(("regex", "regexp"), "pattern"),
    **dict.fromkeys(("default_value", "defaultValue"), "default"),
    "additional_properties": "additionalProperties",
    "any_of": "anyOf",
    "all_of": "allOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_items": "minItems",
    "max_items": "maxItems",
    "multiple_of": "multipleOf",
    "unique_items": "uniqueItems",
    "example": "examples",
}
_OTHER_KNOWN = (
    "type enum const default examples title description format pattern minimum maximum exclusiveMinimum "
    "exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties "
    "uniqueItems minContains maxContains "
    "required dependentRequired deprecated readOnly writeOnly contentEncoding "
    "contentMediaType contentSchema $ref $id $schema $comment $anchor $dynamicRef $dynamicAnchor $vocabulary "
    "discriminator dependencies"
).split()
KNOWN = frozenset([*_OTHER_KNOWN, *MAPS, *LISTS, *SINGLE])

__all__ = ["EXPECTED", "KNOWN", "MEANT_KEYWORDS", "MEANT_TYPES", "TYPES", "is_number"]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == int(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict | bool) for one in value)


# The form of the value as an example, and whether a value has it.
EXPECTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(MAPS, ('{"name": {"type": ...}}', lambda held: isinstance(held, dict))),
    **dict.fromkeys(LISTS, ("[{...}, {...}]", _is_schemas)),
    **dict.fromkeys(SINGLE, ('{"type": ...}', lambda held: isinstance(held, dict | bool))),
    "enum": ('["a", "b"]', lambda held: isinstance(held, list) and bool(held)),
    "examples": ("[...]", lambda held: isinstance(held, list)),
    "multipleOf": ("1", lambda held: is_number(held) and held > 0),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), ("1", is_number)),
    **dict.fromkeys(
        "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains".split(),
        ("1", _is_count),
    ),
    **dict.fromkeys(
        "pattern format title description $ref $id $schema $comment".split(), ('"..."', _is_text)
    ),
    **dict.fromkeys(
        "uniqueItems deprecated readOnly writeOnly".split(), ("true", lambda held: isinstance(held, bool))
    ),
}
