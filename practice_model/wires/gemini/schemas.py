"""The subset of OpenAPI that Gemini takes as `parameters` and `responseSchema`, and structured answers.

Only Gemini's answers may be a bare list or a bare value. The rest of the practice model fills objects, so a
bare schema is put into one (`answer_schema`), and the answer is taken out of it again (`answer_text`).

An object without properties: as the whole of `parameters` the service took it in recorded exchanges
(gemini-2.0-flash, gemini-2.5-pro), while it had refused it until spring 2025. Inside a schema, and in
`responseSchema`, it was last reported to be refused in December 2025; whether it still is there is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...facts.keywords import GEMINI_FORMATS
from .shapes import FunctionDeclaration, GenerationConfig, Schema


def openapi_problems(schema: Schema, place: str, may_be_empty: bool = False) -> Iterator[str]:
    """Yield everything that is wrong with a schema, each with its place, as the service lists it.

    `may_be_empty` says whether it may be an object without properties; those inside it never may.
    """
    kind = schema.type
    if kind == "TYPE_UNSPECIFIED" and not schema.any_of:
        yield f"{place}.type: must be specified when not using one_of, any_of or all_of fields"
    yield from _object_problems(schema, place, may_be_empty)
    if kind == "ARRAY" and schema.items is None:
        yield f"{place}.items: missing field."
    if kind != "ARRAY" and schema.items is not None:
        yield f"{place}.items: field predicate failed: $type == Type.ARRAY"
    if schema.enum and kind != "STRING":
        yield f"{place}.enum: only allowed for STRING type"
    for n, value in enumerate(schema.enum):
        if not value:
            yield f"{place}.enum[{n}]: cannot be empty"
    formats = GEMINI_FORMATS.get(kind.lower())
    if schema.format and formats and schema.format not in formats:
        names = " and ".join(f"'{name}'" for name in formats)
        yield f"{place}.format: only {names} are supported for {kind} type"
    for name, child in _children(schema):
        yield from openapi_problems(child, place + name)


def _object_problems(schema: Schema, place: str, may_be_empty: bool) -> Iterator[str]:
    if schema.type == "OBJECT":
        if not (schema.properties or may_be_empty):
            yield f"{place}.properties: should be non-empty for OBJECT type"
            return
        for n, name in enumerate(schema.required):
            if name not in schema.properties:
                yield f"{place}.required[{n}]: property is not defined"
        return
    # A union may keep what its branches share beside it.
    if schema.properties and not schema.any_of:
        yield f"{place}.properties: only allowed for OBJECT type"
    if schema.required and not schema.any_of:
        yield f"{place}.required: only allowed for OBJECT type"


def _children(schema: Schema) -> Iterator[tuple[str, Schema]]:
    yield from ((f".properties[{name}]", child) for name, child in schema.properties.items())
    yield from ((f".any_of[{n}]", child) for n, child in enumerate(schema.any_of))
    if schema.items is not None:
        yield ".items", schema.items


# As JSON Schema ---------------------------------------------------------------------------------

_JSON_NAMES = {
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "minimum": "minimum",
    "maximum": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "title": "title",
    "description": "description",
    "default": "default",
}


def to_json_schema(schema: Schema) -> dict[str, Any]:
    """Return the same as JSON Schema, which is what the rest of the practice model reads."""
    found: dict[str, Any] = {}
    if schema.type != "TYPE_UNSPECIFIED":
        kind = schema.type.lower()
        found["type"] = [kind, "null"] if schema.nullable and kind != "null" else kind
    for name, json_name in _JSON_NAMES.items():
        value = getattr(schema, name)
        if value not in (None, ""):
            found[json_name] = value
    if schema.enum:
        found["enum"] = [*schema.enum, None] if schema.nullable else list(schema.enum)
    if schema.format == "date-time":
        found["format"] = schema.format
    if schema.example is not None:
        found["examples"] = [schema.example]
    if schema.items is not None:
        found["items"] = to_json_schema(schema.items)
    if schema.properties:
        found["properties"] = {name: to_json_schema(child) for name, child in schema.properties.items()}
    if schema.required:
        found["required"] = list(schema.required)
    if schema.any_of:
        null = [{"type": "null"}] if schema.nullable else []
        found["anyOf"] = [to_json_schema(child) for child in schema.any_of] + null
    return found


def parameters(function: FunctionDeclaration) -> dict[str, Any]:
    """Return the JSON Schema of a function's arguments, in whichever of the two fields it came."""
    if function.parameters is not None:
        return to_json_schema(function.parameters)
    schema = function.parameters_json_schema
    return schema if isinstance(schema, dict) else {"type": "object", "properties": {}}


# Structured answers -----------------------------------------------------------------------------

KEY = "value"


def answer_schema(config: GenerationConfig) -> dict[str, Any] | None:
    """Return the JSON Schema of an object that the answer must fit; None where any text will do."""
    schema = _schema(config)
    if schema is None or not _is_bare(schema):
        return schema
    definitions = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    inner = {name: part for name, part in schema.items() if name not in definitions}
    return {"type": "object", "properties": {KEY: inner}, "required": [KEY], **definitions}


def answer_text(text: str, config: GenerationConfig) -> str:
    """Return the answer in the form that was asked for; it may be cut off at the limit."""
    schema = _schema(config)
    if schema is None or not _is_bare(schema):
        return text
    try:
        value = json.loads(text)[KEY]
    except (ValueError, KeyError, TypeError):
        return text.removeprefix(f'{{"{KEY}": ')
    if config.response_mime_type == "text/x.enum":  # without the quotation marks of JSON
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _schema(config: GenerationConfig) -> dict[str, Any] | None:
    # A schema without a type of answer that can follow it is not looked at, as on the real service.
    if config.response_mime_type not in ("application/json", "text/x.enum"):
        return None
    if config.response_schema is not None:
        return to_json_schema(config.response_schema)
    schema = config.response_json_schema
    return schema if isinstance(schema, dict) else {"type": "object"}


def _is_bare(schema: dict[str, Any]) -> bool:
    """Return whether a schema asks for something else than an object."""
    return schema.get("type", "object") != "object" or ("enum" in schema and "properties" not in schema)
