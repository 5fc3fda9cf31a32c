"""What Gemini refuses beyond the shape of a request: models, and two tables of rules, all of them a 400.

Finders of the first table yield the place of each violation, and all are listed together, as the service
does. Those of the second look for their first violation and return what their rule's texts need, or None.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...facts.models import GEMINI_LISTED, GEMINI_RETIRED, THINKING_BUDGETS, gemini
from ...facts.schemas import TOOL_NAMES
from ...facts.services import GEMINI_MAX_STOP_SEQUENCES
from .. import api, json_schema
from ..api import Found, Refused, WireRule, when
from ..conversation import Round, WireLink, WireTurn, grouped, over, result_without_calls, rounds
from .schemas import problems
from .shapes import Content, FunctionDeclaration, GeminiPart, GenerateContentRequest

Places = Iterator[dict[str, Any]]


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
    """Raise Refused for what the request breaks: all of the first table, or the first of the second."""
    check_fields(request, "GenerateContentRequest")
    api.check(RULES, request, "INVALID_ARGUMENT")


def check_fields(request: GenerateContentRequest, name: str) -> None:
    """Raise Refused for what the request breaks of the first table; `name` begins each place."""
    lines = [rule.line.format(**found) for rule in FIELD_RULES for found in rule.find(request)]
    if lines:
        raise Refused(400, "INVALID_ARGUMENT", "".join(f"* {name}.{line}\n" for line in lines))


# Places: contents -------------------------------------------------------------------------------


def no_contents(request: GenerateContentRequest) -> Places:
    if not request.contents:
        yield {"place": "contents"}


def no_parts(request: GenerateContentRequest) -> Places:
    for n, content in enumerate(request.contents):
        if not content.parts:
            yield {"place": f"contents[{n}].parts"}


def _all_parts(request: GenerateContentRequest) -> Iterator[tuple[str, GeminiPart]]:
    """Yield every part with its place, those of the system instruction first."""
    if request.system_instruction is not None:
        for m, part in enumerate(request.system_instruction.parts):
            yield f"system_instruction.parts[{m}]", part
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            yield f"contents[{n}].parts[{m}]", part


def part_without_data(request: GenerateContentRequest) -> Places:
    for place, part in _all_parts(request):
        # A signature may come in a part of its own, at the end of a stream.
        if part.data is None and part.thought_signature is None:
            yield {"place": f"{place}.data"}


def part_without_name(request: GenerateContentRequest) -> Places:
    for place, part in _all_parts(request):
        for kind in ("function_call", "function_response"):
            found = getattr(part, kind)
            if found is not None and not found.name:
                yield {"place": f"{place}.{kind}.name"}


# Places: tools and configuration ----------------------------------------------------------------


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
            # A root without a type is reported once, by not_an_object.
            if schema is not None and (schema.type == "OBJECT" or name == "response"):
                found = problems(schema, f"{place}.{name}", may_be_empty=name == "parameters")
                yield from ({"problem": one} for one in found)
    if request.config.response_schema is not None:
        place = "generation_config.response_schema"
        yield from ({"problem": one} for one in problems(request.config.response_schema, place))


MIME_TYPES = ("", "text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum")


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


# Turns, calls and results -----------------------------------------------------------------------


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


def unknown_role(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        if content.role not in ROLES:
            return {"n": n, "role": content.role[:100]}
    return None


def misplaced(kind: str, belongs_to_model: bool) -> Callable[[GenerateContentRequest], Found]:
    """Return a finder for a part with a call or a response in a content of the other side."""

    def find(request: GenerateContentRequest) -> Found:
        for n, content in enumerate(request.contents):
            for m, part in enumerate(content.parts):
                if getattr(part, kind) is not None and (content.role == "model") != belongs_to_model:
                    return {"n": n, "m": m}
        return None

    return find


def call_comes_first(request: GenerateContentRequest) -> Found:
    first = _turns(request.contents)[0]
    return {"n": first.calls[0].n} if first.calls else None


def counts_differ(request: GenerateContentRequest) -> Found:
    turns = _turns(request.contents)
    for turn, after in zip(turns, [*turns[1:], None], strict=True):
        responses = after.results if after else []
        if turn.calls and len(turn.calls) != len(responses):
            parts = (request.contents[call.n].parts[call.m] for call in turn.calls)
            return {
                "n": turn.calls[0].n,
                "calls": _count(len(turn.calls), "functionCall"),
                "names": ", ".join(part.function_call.name for part in parts),
                "responses": _count(len(responses), "functionResponse"),
                "after": f"contents[{after.n}]" if after else "nothing",
            }
    return None


def _count(number: int, kind: str) -> str:
    return f"{number} {kind} part{'' if number == 1 else 's'}"


def ends_with_model_turn(request: GenerateContentRequest) -> Found:
    of_model = request.contents[-1].role == "model"
    return {} if of_model and not gemini(request.model).takes_model_turn_at_the_end else None


def signature_lost(request: GenerateContentRequest) -> Found:
    """In the current turn, the first call of each step must carry the signature it came with."""
    if not gemini(request.model).is_3_or_newer:
        return None
    start = _start_of_current_turn(request.contents)
    for turn in _turns(request.contents[start:]):
        if turn.calls:
            n = start + turn.calls[0].n
            part = request.contents[n].parts[turn.calls[0].m]
            if not part.thought_signature:
                return {"name": part.function_call.name, "position": n + 1}
    return None


def _start_of_current_turn(contents: list[Content]) -> int:
    """Return the index after the last content in which the user says something new."""
    for n in range(len(contents) - 1, -1, -1):
        content = contents[n]
        if content.role != "model" and any(part.function_response is None for part in content.parts):
            return n + 1
    return 0


# Functions --------------------------------------------------------------------------------------


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


def _mixes(request: GenerateContentRequest) -> bool:
    return bool(request.declarations) and any(tool.built_in for tool in request.tools)


# Function calling configuration -----------------------------------------------------------------


def config_without_functions(request: GenerateContentRequest) -> Found:
    given = request.tool_config and request.tool_config.function_calling_config
    return {} if given and not request.declarations else None


def allowed_names_in_other_mode(request: GenerateContentRequest) -> Found:
    calling = request.calling
    return {} if calling.allowed_function_names and calling.mode not in ("ANY", "VALIDATED") else None


def allowed_name_not_declared(request: GenerateContentRequest) -> Found:
    declared = [function.name for function in request.declarations]
    for n, name in enumerate(request.calling.allowed_function_names):
        if name not in declared:
            return {"n": n, "name": name[:100], "names": ", ".join(declared)}
    return None


# Generation configuration -----------------------------------------------------------------------


def json_with_functions(request: GenerateContentRequest) -> Found:
    mime = request.config.response_mime_type
    if mime in ("", "text/plain") or not request.declarations or gemini(request.model).is_3_or_newer:
        return None
    return {"mime": mime}


def max_tokens_too_large(request: GenerateContentRequest) -> Found:
    asked, limit = request.config.max_output_tokens, gemini(request.model).max_output
    return {"asked": asked, "limit": limit + 1} if asked is not None and asked > limit else None


def too_many_stop_sequences(request: GenerateContentRequest) -> Found:
    count = len(request.config.stop_sequences)
    return {"count": count, "limit": GEMINI_MAX_STOP_SEQUENCES} if count > GEMINI_MAX_STOP_SEQUENCES else None


def budget_and_level(request: GenerateContentRequest) -> Found:
    thinking = request.thinking
    return {} if thinking.thinking_budget is not None and thinking.thinking_level else None


def thinking_not_taken(request: GenerateContentRequest) -> Found:
    asked = request.thinking.include_thoughts or request.thinking.thinking_budget
    return {} if asked and not gemini(request.model).thinks else None


def budget_of_zero(request: GenerateContentRequest) -> Found:
    must_think = gemini(request.model).thinks and "pro" in request.model
    return {} if must_think and request.thinking.thinking_budget == 0 else None


def budget_out_of_range(request: GenerateContentRequest) -> Found:
    budget = request.thinking.thinking_budget
    line = next((line for line in THINKING_BUDGETS if line in request.model), "flash")
    low, high = THINKING_BUDGETS[line]
    if budget in (None, 0, -1) or low <= budget <= high:
        return None
    return {"budget": budget, "low": low, "high": high}


# The tables -------------------------------------------------------------------------------------


class FieldRule(NamedTuple):
    """What is looked for, and the line that is said of each place where it is found."""

    find: Callable[[GenerateContentRequest], Iterator[dict[str, Any]]]
    line: str


FIELD_RULES = (
    FieldRule(no_contents, "{place}: contents is not specified"),
    FieldRule(no_parts, "{place}: contents.parts must not be empty."),
    FieldRule(part_without_data, "{place}: required oneof field 'data' must have one initialized field"),
    FieldRule(part_without_name, "{place}: Name cannot be empty."),
    FieldRule(empty_tool, "{place}: required one_of 'tool_type' must have one initialized field"),
    FieldRule(
        bad_name,
        "{place}: Invalid function name. Must start with a letter or an underscore. Must be alphameric "
        "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
    ),
    FieldRule(bad_schema, "{problem}"),
    FieldRule(
        bad_mime_type,
        "{place}: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, "
        "`application/yaml` and `text/x.enum`.",
    ),
    FieldRule(bad_temperature, "{place}: temperature must be in the range [0.0, 2.0]"),
    FieldRule(max_tokens_not_positive, "{place}: max_output_tokens must be positive"),
)

CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response "
    "turn."
)
RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."

RULES = (
    WireRule(
        unknown_role,
        'Please use a valid role: user, model. (contents[{n}].role is "{role}"; instructions go into '
        "systemInstruction)",
    ),
    WireRule(
        misplaced("function_call", belongs_to_model=True),
        CALL_TURN + ' (contents[{n}].parts[{m}] is a functionCall: its content has the role "model")',
    ),
    WireRule(
        misplaced("function_response", belongs_to_model=False),
        RESPONSE_TURN + ' (contents[{n}].parts[{m}] is a functionResponse: its content has the role "user")',
    ),
    WireRule(call_comes_first, CALL_TURN + " (contents[{n}] has a functionCall, and no user turn before)"),
    WireRule(
        over(_rounds, result_without_calls),
        RESPONSE_TURN + " (contents[{n}] has a functionResponse, and no functionCall comes before it)",
    ),
    WireRule(
        counts_differ,
        "Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn. (contents[{n}] has {calls}: {names}; after it, {after} has "
        "{responses})",
    ),
    WireRule(
        signature_lost,
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
        "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
        "data, function call `default_api:{name}` , position {position}. Please refer to "
        "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
    ),
    WireRule(ends_with_model_turn, "Requests ending with a model turn are not supported."),
    WireRule(repeated_function, "Duplicate function declaration found: {name}"),
    WireRule(
        two_schemas,
        "{place}: parameters and parameters_json_schema are mutually exclusive. (function {name}: keep one)",
    ),
    WireRule(
        not_an_object,
        "Unable to submit request because `{name}` functionDeclaration `parameters` schema should be of type "
        "OBJECT.",
    ),
    WireRule(bad_json_schema, "{place}: JSON schema is invalid. ({problem})"),
    WireRule(
        built_in_with_functions,
        "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function "
        "calling.",
    ),
    WireRule(
        when(lambda request: _mixes(request) and not gemini(request.model).is_3_or_newer),
        "Tool use with function calling is unsupported",
    ),
    WireRule(config_without_functions, "Function calling config is set without function_declarations."),
    WireRule(
        allowed_names_in_other_mode,
        "Please set allowed_function_names only when function calling mode is ANY.",
    ),
    WireRule(
        allowed_name_not_declared,
        "tool_config.function_calling_config.allowed_function_names[{n}]: `{name}` is not found in "
        "function_declarations. (declared: {names})",
    ),
    WireRule(json_with_functions, "Function calling with a response mime type: '{mime}' is unsupported"),
    WireRule(
        when(lambda request: (request.config.candidate_count or 1) > 1),
        "Multiple candidates is not enabled for this model",
    ),
    WireRule(
        max_tokens_too_large,
        "Unable to submit request because it has a maxOutputTokens value of {asked} but the supported range "
        "is from 1 (inclusive) to {limit} (exclusive). Update the value and try again.",
    ),
    WireRule(
        too_many_stop_sequences,
        "Unable to submit request because it has {count} stopSequences but the maximum is {limit}. Update "
        "the value and try again.",
    ),
    WireRule(budget_and_level, "You can only set only one of thinking budget and thinking level."),
    WireRule(
        when(lambda request: request.thinking.thinking_level and not gemini(request.model).is_3_or_newer),
        "Thinking level is not supported for this model.",
    ),
    WireRule(thinking_not_taken, "Thinking is not enabled for this model."),
    WireRule(budget_of_zero, "Budget 0 is invalid. This model only works in thinking mode."),
    WireRule(
        budget_out_of_range,
        "The thinking budget ({budget}) is invalid. Please choose a value between {low} and {high}.",
    ),
)
