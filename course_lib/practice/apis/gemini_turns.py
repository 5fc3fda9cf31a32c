"""From a Gemini request to the neutral one: turns, results matched with their calls, tools, tool choice."""

from __future__ import annotations

import json
from typing import Any

from ..request import Call, Request, Result, ToolChoice, ToolSpec, Turn
from . import gemini_models as models
from . import gemini_output as output
from . import gemini_shapes as shapes
from .gemini_conversation import Turn as Contents
from .gemini_conversation import turns as grouped
from .gemini_counting import modality, parameters

ENVELOPES = ("output", "result", "return_value", "content")
"""Keys that say only "this is what the function gave back"."""

__all__ = ["neutral", "thinks"]


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
        output_schema=output.for_the_brain(config),
        thinking=thinks(shape),
    )


def thinks(shape: shapes.GenerateContentRequest) -> bool:
    """Whether the model thinks before it answers: most do by themselves, the smallest when asked to."""
    if not models.thinks(shape.model):
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
    found: list[Turn] = []
    calls: tuple[Call, ...] = ()
    for number, turn in enumerate(grouped(contents)):
        made = _calls(turn, number)
        found.append(_turn(turn, made, calls))
        calls = made
    return tuple(found)


def _turn(turn: Contents, made: tuple[Call, ...], before: tuple[Call, ...]) -> Turn:
    parts = [part for _, content in turn.contents for part in content.parts]
    responses = [part.function_response for part in parts if part.function_response is not None]
    files = [*parts, *(file for response in responses for file in response.parts)]
    return Turn(
        "assistant" if turn.of_model else "user",
        _text(parts),
        made,
        _results(responses, before),
        tuple(modality(file).lower() for file in files if modality(file)),
    )


def _text(parts: list[shapes.Part]) -> str:
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _calls(turn: Contents, number: int) -> tuple[Call, ...]:
    """The calls of a turn. Older models give them no id, so they get one here."""
    calls = [part.function_call for _, part in turn.parts("function_call")]
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
