"""From a Gemini request to the neutral one: turns, tools, structured output, token counts."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from ...facts.models import gemini
from ...request import Call, Request, Result, ToolChoice, ToolSpec, Turn
from ..writing import CALL_OVERHEAD, count_json_tokens, count_tokens
from . import shapes
from .shapes import Content, FunctionDeclaration, GeminiPart, GenerateContentRequest, GenerationConfig
from .tools import to_json_schema

# How many tokens a Gemini request has. An estimate, the same every time -------------------------------


MEDIA_TOKENS = {"IMAGE": 258, "DOCUMENT": 258, "AUDIO": 320, "VIDEO": 2630}


def count_input(request: GenerateContentRequest) -> dict[str, int]:
    """The tokens of a request by kind of content: {"TEXT": 52, "IMAGE": 258}."""
    counts = {"TEXT": 0}
    contents = [request.system_instruction] if request.system_instruction else []
    for content in [*contents, *request.contents]:
        _count_content(content, counts)
    for function in request.declarations:
        counts["TEXT"] += 8 + count_json_tokens([function.name, function.description, parameters(function)])
    return counts


def _count_content(content: Content, counts: dict[str, int]) -> None:
    for part in content.parts:
        for media in [part, *(part.function_response.parts if part.function_response else [])]:
            kind = modality(media)
            if kind:
                counts[kind] = counts.get(kind, 0) + MEDIA_TOKENS[kind]
        counts["TEXT"] += _count_part(part)


def _count_part(part: GeminiPart) -> int:
    if part.text is not None:
        return count_tokens(part.text)
    if part.function_call is not None:
        call = part.function_call
        return CALL_OVERHEAD + count_tokens(call.name) + count_json_tokens(call.args or {})
    if part.function_response is not None:
        response = part.function_response
        return CALL_OVERHEAD + count_tokens(response.name) + count_json_tokens(response.response or {})
    return 0


def modality(part: Any) -> str:
    """IMAGE, DOCUMENT, AUDIO or VIDEO for a part that is a file; else nothing."""
    blob = part.inline_data or part.file_data
    if blob is None:
        return ""
    kind = blob.mime_type.partition("/")[0].upper()
    return kind if kind in ("IMAGE", "AUDIO", "VIDEO") else "DOCUMENT"


def parameters(function: FunctionDeclaration) -> dict[str, Any]:
    """The JSON Schema of a function's arguments, in whichever of the two fields it came."""
    if function.parameters is not None:
        return to_json_schema(function.parameters)
    schema = function.parameters_json_schema
    return schema if isinstance(schema, dict) else {"type": "object", "properties": {}}


# Structured output: the schema that an answer must fit, and answers that are no objects ---------------
# Only Gemini's answers may be a bare list or a bare value. The rest of the practice model fills objects, so a
# bare schema is put into one, and the answer is taken out of it again.


KEY = "value"


def for_the_brain(config: GenerationConfig) -> dict[str, Any] | None:
    """The JSON Schema of an object that the answer must fit; None where any text will do."""
    schema = _schema(config)
    if schema is None or not _is_bare(schema):
        return schema
    definitions = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    inner = {name: part for name, part in schema.items() if name not in definitions}
    return {"type": "object", "properties": {KEY: inner}, "required": [KEY], **definitions}


def from_the_brain(text: str, config: GenerationConfig) -> str:
    """The answer in the form that was asked for; it may be cut off at the limit."""
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
    """Whether a schema asks for something else than an object."""
    return schema.get("type", "object") != "object" or ("enum" in schema and "properties" not in schema)


# From a Gemini request to the neutral one: turns, results matched with their calls, tools, tool choice


ENVELOPES = ("output", "result", "return_value", "content")
"""Keys that say only "this is what the function gave back"."""


def neutral(shape: shapes.GenerateContentRequest) -> Request:
    """The request without a trace of the wire format."""
    config = shape.config
    calling = shape.calling or shapes.FunctionCallingConfig()
    allowed = calling.allowed_function_names or [function.name for function in shape.declarations]
    strict = calling.mode in ("ANY", "VALIDATED")
    return Request(
        model=shape.model,
        turns=_turns(shape.contents),
        system=_text(shape.system_instruction.parts) if shape.system_instruction else "",
        tools=tuple(
            ToolSpec(function.name, function.description, parameters(function), strict)
            for function in shape.declarations
            if function.name in allowed
        ),
        tool_choice=_tool_choice(calling),
        max_tokens=config.max_output_tokens,
        stop_sequences=tuple(stop for stop in config.stop_sequences if stop),
        output_schema=for_the_brain(config),
        thinking=thinks(shape),
    )


def thinks(shape: shapes.GenerateContentRequest) -> bool:
    """Whether the model thinks before it answers: most do by themselves, the smallest when asked to."""
    if not gemini(shape.model).thinks:
        return False
    thinking = shape.config.thinking_config or shapes.ThinkingConfig()
    if thinking.thinking_budget is not None:
        return thinking.thinking_budget != 0
    if thinking.thinking_level is not None:
        return thinking.thinking_level != "MINIMAL"
    return thinking.include_thoughts or "lite" not in shape.model


def _tool_choice(calling: shapes.FunctionCallingConfig) -> ToolChoice:
    names = calling.allowed_function_names
    if calling.mode == "NONE":
        return ToolChoice("none")
    if calling.mode == "ANY":
        return ToolChoice("tool", names[0]) if len(names) == 1 else ToolChoice("any")
    return ToolChoice()


# Turns --------------------------------------------------------------------------------------------


def _turns(contents: list[shapes.Content]) -> tuple[Turn, ...]:
    """Return the history; contents in a row from the same side are one turn."""
    found: list[Turn] = []
    calls: tuple[Call, ...] = ()
    for of_model, group in groupby(contents, key=lambda content: content.role == "model"):
        parts = [part for content in group for part in content.parts]
        made = _calls(parts, len(found))
        found.append(_turn("assistant" if of_model else "user", parts, made, calls))
        calls = made
    return tuple(found)


def _turn(role: str, parts: list[GeminiPart], made: tuple[Call, ...], before: tuple[Call, ...]) -> Turn:
    responses = [part.function_response for part in parts if part.function_response is not None]
    files = [*parts, *(file for response in responses for file in response.parts)]
    kinds = tuple(modality(file).lower() for file in files if modality(file))
    return Turn(role, _text(parts), made, _results(responses, before), kinds)


def _text(parts: list[shapes.GeminiPart]) -> str:
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _calls(parts: list[GeminiPart], number: int) -> tuple[Call, ...]:
    """Return the calls of a turn. Older models give them no id, so they get one here."""
    calls = [part.function_call for part in parts if part.function_call is not None]
    ids = [call.id for call in calls]
    unique = all(ids) and len(set(ids)) == len(ids)
    return tuple(
        Call(call.name, call.args or {}, call.id if unique else f"call_{number}_{n}")
        for n, call in enumerate(calls)
    )


def _results(responses: list[shapes.FunctionResponse], calls: tuple[Call, ...]) -> tuple[Result, ...]:
    """The responses as results: each belongs to the call of its id, else of its name, else of its place."""
    open_calls = list(calls)
    found = []
    for response in responses:
        call = (
            next((call for call in open_calls if response.id and call.id == response.id), None)
            or next((call for call in open_calls if call.name == response.name), None)
            or next(iter(open_calls), None)
        )
        if call is not None:
            open_calls.remove(call)
        content, is_error = _payload(response.response or {})
        found.append(Result(call.id if call else response.id, content, is_error))
    return tuple(found)


def _payload(response: dict[str, Any]) -> tuple[str, bool]:
    """What a function gave back, as text, and whether it says that it failed."""
    if response.get("error") and not any(name in response for name in ("output", "result")):
        return _written(response["error"] if len(response) == 1 else response), True
    if len(response) == 1 and next(iter(response)) in ENVELOPES:
        return _written(next(iter(response.values()))), False
    return _written(response), False


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
