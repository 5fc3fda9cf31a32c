"""What Gemini refuses beyond the shape of a request, as two tables of rules."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...facts.models import GEMINI_LISTED, GEMINI_RETIRED, gemini
from .. import api
from ..api import Found, Refused, Rule
from ..conversation import Round, WireLink, WireTurn, grouped, over, result_without_calls, rounds
from . import tools
from .shapes import Content, GeminiPart, GenerateContentRequest

# What can be wrong with the contents: who speaks, empty parts, calls and responses that do not match --
# The first kind of function yields the place of each violation, for gemini_rules.py to list; the second looks
# for its first violation and returns what its message needs, or None.


Places = Iterator[dict[str, Any]]
ROLES = ("", "user", "model", "function", "tool")
"""The service names the first two in its message, and takes the older ones for function responses as well."""


# Places -------------------------------------------------------------------------------------------


def no_contents(request: GenerateContentRequest) -> Places:
    if not request.contents:
        yield {"place": "contents"}


def no_parts(request: GenerateContentRequest) -> Places:
    for n, content in enumerate(request.contents):
        if not content.parts:
            yield {"place": f"contents[{n}].parts"}


def _all_parts(request: GenerateContentRequest) -> Iterator[tuple[str, GeminiPart]]:
    """Every part with its place, those of the system instruction first."""
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


# Turns --------------------------------------------------------------------------------------------


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


def unknown_role(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        if content.role not in ROLES:
            return {"n": n, "role": content.role[:100]}
    return None


def part_of_other_role(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            if part.function_call is not None and content.role != "model":
                return {"n": n, "m": m}
    return None


def response_of_model(request: GenerateContentRequest) -> Found:
    for n, content in enumerate(request.contents):
        for m, part in enumerate(content.parts):
            if part.function_response is not None and content.role == "model":
                return {"n": n, "m": m}
    return None


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
    if gemini(request.model).takes_model_turn_at_the_end:
        return None
    return {} if request.contents[-1].role == "model" else None


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
    """The index after the last content in which the user says something, rather than answers a call."""
    for n in range(len(contents) - 1, -1, -1):
        content = contents[n]
        if content.role != "model" and any(part.function_response is None for part in content.parts):
            return n + 1
    return 0


# The rules of the Gemini protocol that go beyond the shape of a request, as two tables ----------------
# The messages are worded as the real service words them; what is in round brackets at their end is the
# practice model's own help. Violations of the first table are listed together, as the service lists them;
# of the second table, the first rule that a request breaks is the one it is told. All are 400
# INVALID_ARGUMENT.


class FieldRule(NamedTuple):
    """What is looked for, and the line that is said of each place where it is found."""

    find: Callable[[GenerateContentRequest], Iterator[dict[str, Any]]]
    line: str


NO_DATA = "{place}: required oneof field 'data' must have one initialized field"

FIELD_RULES = (
    FieldRule(no_contents, "{place}: contents is not specified"),
    FieldRule(no_parts, "{place}: contents.parts must not be empty."),
    FieldRule(part_without_data, NO_DATA),
    FieldRule(part_without_name, "{place}: Name cannot be empty."),
    FieldRule(tools.empty_tool, "{place}: required one_of 'tool_type' must have one initialized field"),
    FieldRule(
        tools.bad_name,
        "{place}: Invalid function name. Must start with a letter or an underscore. Must be alphameric "
        "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
    ),
    FieldRule(tools.bad_schema, "{problem}"),
    FieldRule(
        tools.bad_mime_type,
        "{place}: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, "
        "`application/yaml` and `text/x.enum`.",
    ),
    FieldRule(tools.bad_temperature, "{place}: temperature must be in the range [0.0, 2.0]"),
    FieldRule(tools.max_tokens_not_positive, "{place}: max_output_tokens must be positive"),
)

CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response "
    "turn."
)
RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."
SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures"

RULES = (
    Rule(
        unknown_role,
        'Please use a valid role: user, model. (contents[{n}].role is "{role}"; instructions go into '
        "systemInstruction)",
    ),
    Rule(
        part_of_other_role,
        CALL_TURN + ' (contents[{n}].parts[{m}] is a functionCall: its content has the role "model")',
    ),
    Rule(
        response_of_model,
        RESPONSE_TURN + ' (contents[{n}].parts[{m}] is a functionResponse: its content has the role "user")',
    ),
    Rule(
        call_comes_first,
        CALL_TURN + " (contents[{n}] has a functionCall, and no user turn before)",
    ),
    Rule(
        over(_rounds, result_without_calls),
        RESPONSE_TURN + " (contents[{n}] has a functionResponse, and no functionCall comes before it)",
    ),
    Rule(
        counts_differ,
        "Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn. (contents[{n}] has {calls}: {names}; after it, {after} has "
        "{responses})",
    ),
    Rule(
        signature_lost,
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
        "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
        "data, function call `default_api:{name}` , position {position}. Please refer to "
        + SIGNATURES
        + " for more details.",
    ),
    Rule(
        ends_with_model_turn,
        "Requests ending with a model turn are not supported.",
    ),
    Rule(tools.repeated_function, "Duplicate function declaration found: {name}"),
    Rule(
        tools.two_schemas,
        "{place}: parameters and parameters_json_schema are mutually exclusive. (function {name}: keep one)",
    ),
    Rule(
        tools.not_an_object,
        "Unable to submit request because `{name}` functionDeclaration `parameters` schema should be of type "
        "OBJECT.",
    ),
    Rule(tools.bad_json_schema, "{place}: JSON schema is invalid. ({problem})"),
    Rule(
        tools.built_in_with_functions,
        "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function "
        "calling.",
    ),
    Rule(tools.built_in_with_functions_on_old_model, "Tool use with function calling is unsupported"),
    Rule(tools.config_without_functions, "Function calling config is set without function_declarations."),
    Rule(
        tools.allowed_names_in_other_mode,
        "Please set allowed_function_names only when function calling mode is ANY.",
    ),
    Rule(
        tools.allowed_name_not_declared,
        "tool_config.function_calling_config.allowed_function_names[{n}]: `{name}` is not found in "
        "function_declarations. (declared: {names})",
    ),
    Rule(tools.json_with_functions, "Function calling with a response mime type: '{mime}' is unsupported"),
    Rule(tools.several_candidates, "Multiple candidates is not enabled for this model"),
    Rule(
        tools.max_tokens_too_large,
        "Unable to submit request because it has a maxOutputTokens value of {asked} but the supported range "
        "is from 1 (inclusive) to {limit} (exclusive). Update the value and try again.",
    ),
    Rule(
        tools.too_many_stop_sequences,
        "Unable to submit request because it has {count} stopSequences but the maximum is {limit}. Update "
        "the value and try again.",
    ),
    Rule(tools.budget_and_level, "You can only set only one of thinking budget and thinking level."),
    Rule(tools.level_not_taken, "Thinking level is not supported for this model."),
    Rule(tools.thinking_not_taken, "Thinking is not enabled for this model."),
    Rule(tools.budget_of_zero, "Budget 0 is invalid. This model only works in thinking mode."),
    Rule(
        tools.budget_out_of_range,
        "The thinking budget ({budget}) is invalid. Please choose a value between {low} and {high}.",
    ),
)


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
