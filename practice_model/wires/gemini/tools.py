"""What Gemini refuses in tools, the tool configuration and the generation configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...facts.models import THINKING_BUDGETS, gemini
from ...facts.schemas import TOOL_NAMES
from ...facts.services import GEMINI_MAX_STOP_SEQUENCES
from ...facts.strict import GEMINI_FORMATS
from .. import json_schema
from .shapes import FunctionDeclaration, GenerateContentRequest, Schema

# The subset of OpenAPI that Gemini takes as `parameters` and `responseSchema`: its rules; as JSON Schema


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


def problems(schema: Schema, place: str) -> Iterator[str]:
    """Everything that is wrong with a schema, each with its place, as the service lists it."""
    kind = schema.type
    if kind == "TYPE_UNSPECIFIED" and not schema.any_of:
        yield f"{place}.type: must be specified when not using one_of, any_of or all_of fields"
    yield from _object_problems(schema, place)
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
        yield from problems(child, place + name)


def _object_problems(schema: Schema, place: str) -> Iterator[str]:
    if schema.type == "OBJECT":
        if not schema.properties:
            yield f"{place}.properties: should be non-empty for OBJECT type"
        for n, name in enumerate(schema.required):
            if schema.properties and name not in schema.properties:
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


def to_json_schema(schema: Schema) -> dict[str, Any]:
    """The same as JSON Schema, which is what the rest of the practice model reads."""
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


# What can be wrong with the tools, the tool configuration and the generation configuration ------------
# The first kind of function yields the place of each violation, for gemini_rules.py to list; the second looks
# for its first violation and returns what its message needs, or None.


Found = dict[str, Any] | None
Places = Iterator[dict[str, Any]]
MIME_TYPES = ("", "text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum")


# Places -------------------------------------------------------------------------------------------


def _functions(request: GenerateContentRequest) -> Iterator[tuple[str, FunctionDeclaration]]:
    for t, tool in enumerate(request.tools):
        for f, function in enumerate(tool.function_declarations):
            yield f"tools[{t}].function_declarations[{f}]", function


def empty_tool(request: GenerateContentRequest) -> Places:
    for t, tool in enumerate(request.tools):
        if not tool.function_declarations and not tool.built_in:
            yield {"place": f"tools[{t}].tool_type"}


def bad_name(request: GenerateContentRequest) -> Places:
    for place, function in _functions(request):
        if not re.fullmatch(TOOL_NAMES["gemini"], function.name):
            yield {"place": f"{place}.name"}


def bad_schema(request: GenerateContentRequest) -> Places:
    for place, function in _functions(request):
        for name in ("parameters", "response"):
            schema = getattr(function, name)
            # A root without a type is told once, by not_an_object.
            if schema is not None and (schema.type == "OBJECT" or name == "response"):
                yield from ({"problem": one} for one in problems(schema, f"{place}.{name}"))
    if request.config.response_schema is not None:
        place = "generation_config.response_schema"
        yield from ({"problem": one} for one in problems(request.config.response_schema, place))


def bad_mime_type(request: GenerateContentRequest) -> Places:
    if request.config.response_mime_type not in MIME_TYPES:
        yield {"place": "generation_config.response_mime_type"}


def bad_temperature(request: GenerateContentRequest) -> Places:
    temperature = request.config.temperature
    if temperature is not None and not 0 <= temperature <= 2:
        yield {"place": "generation_config.temperature"}


def max_tokens_not_positive(request: GenerateContentRequest) -> Places:
    tokens = request.config.max_output_tokens
    if tokens is not None and tokens < 1:
        yield {"place": "generation_config.max_output_tokens"}


# Functions ----------------------------------------------------------------------------------------


def repeated_function(request: GenerateContentRequest) -> Found:
    seen: set[str] = set()
    for _, function in _functions(request):
        if function.name in seen:
            return {"name": function.name}
        seen.add(function.name)
    return None


def two_schemas(request: GenerateContentRequest) -> Found:
    for place, function in _functions(request):
        if function.parameters is not None and function.parameters_json_schema is not None:
            return {"place": place, "name": function.name}
    return None


def not_an_object(request: GenerateContentRequest) -> Found:
    for _, function in _functions(request):
        openapi, schema = function.parameters, function.parameters_json_schema
        if openapi is not None and openapi.type != "OBJECT":
            return {"name": function.name}
        if schema is not None and not _may_be_object(schema):
            return {"name": function.name}
    return None


def _may_be_object(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    if "type" in schema:
        return schema["type"] == "object"
    return any(name in schema for name in ("properties", "$ref", "anyOf", "oneOf", "allOf"))


def bad_json_schema(request: GenerateContentRequest) -> Found:
    for place, function in _functions(request):
        if function.parameters_json_schema is not None:
            problem = json_schema.problem(function.parameters_json_schema)
            if problem:
                return {"place": f"{place}.parameters_json_schema", "problem": problem}
    schema = request.config.response_json_schema
    problem = json_schema.problem(schema) if schema is not None else None
    return {"place": "generation_config.response_json_schema", "problem": problem} if problem else None


def built_in_with_functions(request: GenerateContentRequest) -> Found:
    if not _mixes(request) or not gemini(request.model).is_3_or_newer:
        return None
    return None if request.tool_config and request.tool_config.include_server_side_tool_invocations else {}


def built_in_with_functions_on_old_model(request: GenerateContentRequest) -> Found:
    return {} if _mixes(request) and not gemini(request.model).is_3_or_newer else None


def _mixes(request: GenerateContentRequest) -> bool:
    return bool(request.declarations) and any(tool.built_in for tool in request.tools)


# Function calling config --------------------------------------------------------------------------


def config_without_functions(request: GenerateContentRequest) -> Found:
    return {} if request.calling is not None and not request.declarations else None


def allowed_names_in_other_mode(request: GenerateContentRequest) -> Found:
    calling = request.calling
    if calling is None or not calling.allowed_function_names:
        return None
    return None if calling.mode in ("ANY", "VALIDATED") else {}


def allowed_name_not_declared(request: GenerateContentRequest) -> Found:
    declared = [function.name for function in request.declarations]
    for n, name in enumerate(request.calling.allowed_function_names if request.calling else []):
        if name not in declared:
            return {"n": n, "name": name[:100], "names": ", ".join(declared)}
    return None


# Generation config --------------------------------------------------------------------------------


def json_with_functions(request: GenerateContentRequest) -> Found:
    mime = request.config.response_mime_type
    if mime in ("", "text/plain") or not request.declarations or gemini(request.model).is_3_or_newer:
        return None
    return {"mime": mime}


def several_candidates(request: GenerateContentRequest) -> Found:
    count = request.config.candidate_count
    return {} if count is not None and count > 1 else None


def max_tokens_too_large(request: GenerateContentRequest) -> Found:
    asked, limit = request.config.max_output_tokens, gemini(request.model).max_output
    return {"asked": asked, "limit": limit + 1} if asked is not None and asked > limit else None


def too_many_stop_sequences(request: GenerateContentRequest) -> Found:
    count = len(request.config.stop_sequences)
    return {"count": count, "limit": GEMINI_MAX_STOP_SEQUENCES} if count > GEMINI_MAX_STOP_SEQUENCES else None


def budget_and_level(request: GenerateContentRequest) -> Found:
    thinking = request.config.thinking_config
    return {} if thinking and thinking.thinking_budget is not None and thinking.thinking_level else None


def level_not_taken(request: GenerateContentRequest) -> Found:
    thinking = request.config.thinking_config
    level = thinking and thinking.thinking_level
    return {} if level and not gemini(request.model).is_3_or_newer else None


def thinking_not_taken(request: GenerateContentRequest) -> Found:
    thinking = request.config.thinking_config
    asked = thinking and (thinking.include_thoughts or thinking.thinking_budget)
    return {} if asked and not gemini(request.model).thinks else None


def budget_of_zero(request: GenerateContentRequest) -> Found:
    thinking = request.config.thinking_config
    must_think = gemini(request.model).thinks and "pro" in request.model
    return {} if thinking and thinking.thinking_budget == 0 and must_think else None


def budget_out_of_range(request: GenerateContentRequest) -> Found:
    thinking = request.config.thinking_config
    budget = thinking.thinking_budget if thinking else None
    line = next((line for line in THINKING_BUDGETS if line in request.model), "flash")
    low, high = THINKING_BUDGETS[line]
    if budget in (None, 0, -1) or low <= budget <= high:
        return None
    return {"budget": budget, "low": low, "high": high}
