"""What Gemini refuses beyond the shape of a request: models, and two sets of rules, all of them a 400.

Violations of the first are all listed together, each with its place, as the service does; of the second, the
first one that is broken is named.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from ...facts.models import GEMINI_LISTED, GEMINI_RETIRED, THINKING_BUDGETS, gemini
from ...facts.schemas import TOOL_NAMES
from ...facts.services import GEMINI_MAX_STOP_SEQUENCES
from ..api import Refused
from ..rules import (
    Finder,
    Found,
    Round,
    Rules,
    WireLink,
    WireTurn,
    grouped,
    over,
    repeated,
    result_without_calls,
    rounds,
    when,
)
from ..schemas import problems
from .schemas import openapi_problems
from .shapes import Content, FunctionDeclaration, GeminiPart, GenerateContentRequest

FIELD_RULES = Rules("INVALID_ARGUMENT")
RULES = Rules("INVALID_ARGUMENT")


def check_model(model: str, version: str, method: str) -> None:
    """Raise Refused for an id that does not exist or no longer does."""
    if GEMINI_RETIRED.fullmatch(model):
        raise Refused(
            404,
            "NOT_FOUND",
            f"This model models/{model[:200]} is no longer available. Please update your code to use a newer "
            "model for the latest features and improvements.",
        )
    if gemini(model):
        return
    near = difflib.get_close_matches(model, GEMINI_LISTED, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise Refused(
        404,
        "NOT_FOUND",
        f"models/{model[:200]} is not found for API version {version}, or is not supported for {method}. "
        f"Call ListModels to see the list of available models and their supported methods.{hint}",
    )


def check(request: GenerateContentRequest) -> None:
    """Raise Refused for what the request breaks: all of FIELD_RULES, or the first of RULES."""
    check_fields(request, "GenerateContentRequest")
    RULES.check(request)


def check_fields(request: GenerateContentRequest, name: str) -> None:
    """Raise Refused for all that the request breaks of FIELD_RULES; `name` begins each place."""
    lines = [refused.message for refused in FIELD_RULES.violations(request)]
    if lines:
        raise Refused(400, "INVALID_ARGUMENT", "".join(f"* {name}.{line}\n" for line in lines))


# Fields: contents -------------------------------------------------------------------------------


@FIELD_RULES.refuse("contents: contents is not specified")
def no_contents(request: GenerateContentRequest) -> Found:
    return when(not request.contents)


@FIELD_RULES.refuse("contents[{n}].parts: contents.parts must not be empty.")
def no_parts(request: GenerateContentRequest) -> Found:
    return ({"n": n} for n, content in enumerate(request.contents) if not content.parts)


def _all_parts(request: GenerateContentRequest) -> Iterator[tuple[str, GeminiPart]]:
    """Yield every part with its place, those of the system instruction first."""
    if request.system_instruction is not None:
        for m, part in enumerate(request.system_instruction.parts):
            yield f"system_instruction.parts[{m}]", part
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            yield f"contents[{n}].parts[{m}]", part


@FIELD_RULES.refuse("{place}.data: required oneof field 'data' must have one initialized field")
def part_without_data(request: GenerateContentRequest) -> Found:
    for place, part in _all_parts(request):
        # A signature may come in a part of its own, at the end of a stream.
        yield from when(part.data is None and part.thought_signature is None, place=place)


@FIELD_RULES.refuse("{place}.{kind}.name: Name cannot be empty.")
def part_without_name(request: GenerateContentRequest) -> Found:
    for place, part in _all_parts(request):
        for kind in ("function_call", "function_response"):
            found = getattr(part, kind)
            yield from when(found is not None and not found.name, place=place, kind=kind)


# Fields: tools and configuration ----------------------------------------------------------------


def _functions(request: GenerateContentRequest) -> Iterator[tuple[str, FunctionDeclaration]]:
    for t, tool in enumerate(request.tools):
        for f, function in enumerate(tool.function_declarations):
            yield f"tools[{t}].function_declarations[{f}]", function


@FIELD_RULES.refuse("tools[{t}].tool_type: required one_of 'tool_type' must have one initialized field")
def empty_tool(request: GenerateContentRequest) -> Found:
    for t, tool in enumerate(request.tools):
        yield from when(not tool.function_declarations and not tool.built_in, t=t)


@FIELD_RULES.refuse(
    "{place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric "
    "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
def bad_name(request: GenerateContentRequest) -> Found:
    for place, function in _functions(request):
        yield from when(not re.fullmatch(TOOL_NAMES["gemini"], function.name), place=place)


@FIELD_RULES.refuse("{problem}")
def bad_schema(request: GenerateContentRequest) -> Found:
    for place, function in _functions(request):
        for name in ("parameters", "response"):
            schema = getattr(function, name)
            # A root without a type is reported once, by not_an_object.
            if schema is not None and (schema.type == "OBJECT" or name == "response"):
                found = openapi_problems(schema, f"{place}.{name}", may_be_empty=name == "parameters")
                yield from ({"problem": one} for one in found)
    if request.config.response_schema is not None:
        found = openapi_problems(request.config.response_schema, "generation_config.response_schema")
        yield from ({"problem": one} for one in found)


MIME_TYPES = ("", "text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum")


@FIELD_RULES.refuse(
    "generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`, "
    "`application/xml`, `application/yaml` and `text/x.enum`."
)
def bad_mime_type(request: GenerateContentRequest) -> Found:
    return when(request.config.response_mime_type not in MIME_TYPES)


@FIELD_RULES.refuse("generation_config.temperature: temperature must be in the range [0.0, 2.0]")
def bad_temperature(request: GenerateContentRequest) -> Found:
    return when(not 0 <= (request.config.temperature or 0) <= 2)


@FIELD_RULES.refuse("generation_config.max_output_tokens: max_output_tokens must be positive")
def max_tokens_not_positive(request: GenerateContentRequest) -> Found:
    tokens = request.config.max_output_tokens
    return when(tokens is not None and tokens < 1)


# Turns, calls and results -----------------------------------------------------------------------

CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response "
    "turn."
)
RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."


def _turns(contents: list[Content]) -> list[WireTurn]:
    """Return the turns of the history: contents in a row from the same side are one."""
    messages = (
        WireTurn(
            content.role == "model",
            n,
            _links(content, n, "function_call"),
            _links(content, n, "function_response"),
        )
        for n, content in enumerate(contents)
    )
    return grouped(messages, lambda last, content: last.of_model == content.of_model)


def _links(content: Content, n: int, kind: str) -> list[WireLink]:
    parts = enumerate(content.parts)
    return [WireLink(getattr(part, kind).id, n, m) for m, part in parts if getattr(part, kind) is not None]


def _rounds(request: GenerateContentRequest) -> Iterator[Round]:
    return rounds(_turns(request.contents))


ROLES = ("", "user", "model", "function", "tool")
"""The service names the first two in its message, and takes the older ones for function responses as well."""


@RULES.refuse(
    'Please use a valid role: user, model. (contents[{n}].role is "{role}"; instructions go into '
    "systemInstruction)"
)
def unknown_role(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        yield from when(content.role not in ROLES, n=n, role=content.role[:100])


def misplaced(kind: str, belongs_to_model: bool) -> Finder:
    """Return a finder for parts with a call or a response in a content of the other side."""

    def find(request: GenerateContentRequest) -> Found:
        for n, content in enumerate(request.contents):
            if (content.role == "model") != belongs_to_model:
                yield from ({"n": n, "m": link.m} for link in _links(content, n, kind))

    return find


RULES.add(
    misplaced("function_call", belongs_to_model=True),
    CALL_TURN + ' (contents[{n}].parts[{m}] is a functionCall: its content has the role "model")',
)
RULES.add(
    misplaced("function_response", belongs_to_model=False),
    RESPONSE_TURN + ' (contents[{n}].parts[{m}] is a functionResponse: its content has the role "user")',
)


@RULES.refuse(CALL_TURN + " (contents[{n}] has a functionCall, and no user turn before)")
def call_comes_first(request: GenerateContentRequest) -> Found:
    return ({"n": call.n} for call in _turns(request.contents)[0].calls)


RULES.add(
    over(_rounds, result_without_calls),
    RESPONSE_TURN + " (contents[{n}] has a functionResponse, and no functionCall comes before it)",
)


@RULES.refuse(
    "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn. (contents[{n}] has {calls}: {names}; after it, {after} has {responses})"
)
def counts_differ(request: GenerateContentRequest) -> Found:
    turns = _turns(request.contents)
    for turn, after in zip(turns, [*turns[1:], None], strict=True):
        responses = after.results if after else []
        if turn.calls and len(turn.calls) != len(responses):
            parts = (request.contents[call.n].parts[call.m] for call in turn.calls)
            yield {
                "n": turn.calls[0].n,
                "calls": _count(len(turn.calls), "functionCall"),
                "names": ", ".join(part.function_call.name for part in parts),
                "responses": _count(len(responses), "functionResponse"),
                "after": f"contents[{after.n}]" if after else "nothing",
            }


def _count(number: int, kind: str) -> str:
    return f"{number} {kind} part{'' if number == 1 else 's'}"


@RULES.refuse(
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
    "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
    "data, function call `default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)
def signature_lost(request: GenerateContentRequest) -> Found:
    """In the current turn, the first call of each step must carry the signature it came with."""
    if not gemini(request.model).is_3_or_newer:
        return
    start = _start_of_current_turn(request.contents)
    for turn in _turns(request.contents[start:]):
        if turn.calls:
            n = start + turn.calls[0].n
            part = request.contents[n].parts[turn.calls[0].m]
            if not part.thought_signature:
                yield {"name": part.function_call.name, "position": n + 1}


def _start_of_current_turn(contents: list[Content]) -> int:
    """Return the index after the last content in which the user says something new."""
    for n in range(len(contents) - 1, -1, -1):
        content = contents[n]
        if content.role != "model" and any(part.function_response is None for part in content.parts):
            return n + 1
    return 0


@RULES.refuse("Requests ending with a model turn are not supported.")
def ends_with_model_turn(request: GenerateContentRequest) -> Found:
    of_model = request.contents[-1].role == "model"
    return when(of_model and not gemini(request.model).takes_model_turn_at_the_end)


# Functions --------------------------------------------------------------------------------------


@RULES.refuse("Duplicate function declaration found: {name}")
def repeated_function(request: GenerateContentRequest) -> Found:
    return ({"name": name} for name in repeated(function.name for function in request.declarations))


@RULES.refuse(
    "{place}: parameters and parameters_json_schema are mutually exclusive. (function {name}: keep one)"
)
def two_schemas(request: GenerateContentRequest) -> Found:
    for place, function in _functions(request):
        both = function.parameters is not None and function.parameters_json_schema is not None
        yield from when(both, place=place, name=function.name)


@RULES.refuse(
    "Unable to submit request because `{name}` functionDeclaration `parameters` schema should be of type "
    "OBJECT."
)
def not_an_object(request: GenerateContentRequest) -> Found:
    for function in request.declarations:
        openapi, schema = function.parameters, function.parameters_json_schema
        wrong = (openapi is not None and openapi.type != "OBJECT") or not _may_be_object(schema)
        yield from when(wrong, name=function.name)


def _may_be_object(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return schema is None
    if "type" in schema:
        return schema["type"] == "object"
    return any(name in schema for name in ("properties", "$ref", "anyOf", "oneOf", "allOf"))


@RULES.refuse("{place}json_schema: JSON schema is invalid. ({problem})")
def bad_json_schema(request: GenerateContentRequest) -> Found:
    schemas = [(f"{place}.parameters_", one.parameters_json_schema) for place, one in _functions(request)]
    for place, schema in [*schemas, ("generation_config.response_", request.config.response_json_schema)]:
        if schema is not None:
            yield from ({"place": place, "problem": problem} for problem in problems(schema))


def _mixes(request: GenerateContentRequest) -> bool:
    return bool(request.declarations) and any(tool.built_in for tool in request.tools)


@RULES.refuse(
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function "
    "calling."
)
def built_in_with_functions(request: GenerateContentRequest) -> Found:
    enabled = request.tool_config and request.tool_config.include_server_side_tool_invocations
    return when(_mixes(request) and gemini(request.model).is_3_or_newer and not enabled)


@RULES.refuse("Tool use with function calling is unsupported")
def built_in_with_functions_before_3(request: GenerateContentRequest) -> Found:
    return when(_mixes(request) and not gemini(request.model).is_3_or_newer)


# Function calling configuration -----------------------------------------------------------------


@RULES.refuse("Function calling config is set without function_declarations.")
def config_without_functions(request: GenerateContentRequest) -> Found:
    given = request.tool_config and request.tool_config.function_calling_config
    return when(given and not request.declarations)


@RULES.refuse("Please set allowed_function_names only when function calling mode is ANY.")
def allowed_names_in_other_mode(request: GenerateContentRequest) -> Found:
    calling = request.calling
    return when(calling.allowed_function_names and calling.mode not in ("ANY", "VALIDATED"))


@RULES.refuse(
    "tool_config.function_calling_config.allowed_function_names[{n}]: `{name}` is not found in "
    "function_declarations. (declared: {names})"
)
def allowed_name_not_declared(request: GenerateContentRequest) -> Found:
    declared = [function.name for function in request.declarations]
    for n, name in enumerate(request.calling.allowed_function_names):
        yield from when(name not in declared, n=n, name=name[:100], names=", ".join(declared))


# Generation configuration -----------------------------------------------------------------------


@RULES.refuse("Function calling with a response mime type: '{mime}' is unsupported")
def json_with_functions(request: GenerateContentRequest) -> Found:
    mime = request.config.response_mime_type
    taken = mime in ("", "text/plain") or gemini(request.model).is_3_or_newer
    return when(request.declarations and not taken, mime=mime)


@RULES.refuse("Multiple candidates is not enabled for this model")
def several_candidates(request: GenerateContentRequest) -> Found:
    return when((request.config.candidate_count or 1) > 1)


@RULES.refuse(
    "Unable to submit request because it has a maxOutputTokens value of {asked} but the supported range is "
    "from 1 (inclusive) to {limit} (exclusive). Update the value and try again."
)
def max_tokens_too_large(request: GenerateContentRequest) -> Found:
    asked, limit = request.config.max_output_tokens or 0, gemini(request.model).max_output
    return when(asked > limit, asked=asked, limit=limit + 1)


@RULES.refuse(
    "Unable to submit request because it has {count} stopSequences but the maximum is {limit}. Update the "
    "value and try again."
)
def too_many_stop_sequences(request: GenerateContentRequest) -> Found:
    count = len(request.config.stop_sequences)
    return when(count > GEMINI_MAX_STOP_SEQUENCES, count=count, limit=GEMINI_MAX_STOP_SEQUENCES)


@RULES.refuse("You can only set only one of thinking budget and thinking level.")
def budget_and_level(request: GenerateContentRequest) -> Found:
    return when(request.thinking.thinking_budget is not None and request.thinking.thinking_level)


@RULES.refuse("Thinking level is not supported for this model.")
def level_not_taken(request: GenerateContentRequest) -> Found:
    return when(request.thinking.thinking_level and not gemini(request.model).is_3_or_newer)


@RULES.refuse("Thinking is not enabled for this model.")
def thinking_not_taken(request: GenerateContentRequest) -> Found:
    asked = request.thinking.include_thoughts or request.thinking.thinking_budget
    return when(asked and not gemini(request.model).thinks)


@RULES.refuse("Budget 0 is invalid. This model only works in thinking mode.")
def budget_of_zero(request: GenerateContentRequest) -> Found:
    must_think = gemini(request.model).thinks and "pro" in request.model
    return when(must_think and request.thinking.thinking_budget == 0)


@RULES.refuse("The thinking budget ({budget}) is invalid. Please choose a value between {low} and {high}.")
def budget_out_of_range(request: GenerateContentRequest) -> Found:
    budget = request.thinking.thinking_budget
    line = next((line for line in THINKING_BUDGETS if line in request.model), "flash")
    low, high = THINKING_BUDGETS[line]
    return when(not (budget in (None, 0, -1) or low <= budget <= high), budget=budget, low=low, high=high)
