"""The rules of the Gemini protocol that go beyond the shape of a request, as two tables.

The messages are worded as the real service words them; what is in round brackets at their end is the practice
model's own help. Violations of the first table are listed together, as the service lists them; of the second
table, the first rule that a request breaks is the one it is told. All are 400 INVALID_ARGUMENT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import Refused
from . import gemini_conversation as conversation
from . import gemini_tools as tools
from .gemini_shapes import GenerateContentRequest


class FieldRule(NamedTuple):
    """What is looked for, and the line that is said of each place where it is found."""

    find: Callable[[GenerateContentRequest], Iterator[dict[str, Any]]]
    line: str


class Rule(NamedTuple):
    """What is looked for, and what is said when it is found."""

    find: Callable[[GenerateContentRequest], dict[str, Any] | None]
    message: str


NO_DATA = "{place}: required oneof field 'data' must have one initialized field"

FIELD_RULES = (
    FieldRule(conversation.no_contents, "{place}: contents is not specified"),
    FieldRule(conversation.no_parts, "{place}: contents.parts must not be empty."),
    FieldRule(conversation.part_without_data, NO_DATA),
    FieldRule(conversation.part_without_name, "{place}: Name cannot be empty."),
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
        conversation.unknown_role,
        'Please use a valid role: user, model. (contents[{n}].role is "{role}"; instructions go into '
        "systemInstruction)",
    ),
    Rule(
        conversation.part_of_other_role,
        CALL_TURN + ' (contents[{n}].parts[{m}] is a functionCall: its content has the role "model")',
    ),
    Rule(
        conversation.response_of_model,
        RESPONSE_TURN + ' (contents[{n}].parts[{m}] is a functionResponse: its content has the role "user")',
    ),
    Rule(
        conversation.call_comes_first,
        CALL_TURN + " (contents[{n}] has a functionCall, and no user turn before)",
    ),
    Rule(
        conversation.response_without_call,
        RESPONSE_TURN + " (contents[{n}] has a functionResponse, and no functionCall comes before it)",
    ),
    Rule(
        conversation.counts_differ,
        "Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn. (contents[{n}] has {calls}: {names}; after it, {after} has "
        "{responses})",
    ),
    Rule(
        conversation.signature_lost,
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
        "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
        "data, function call `default_api:{name}` , position {position}. Please refer to "
        + SIGNATURES
        + " for more details.",
    ),
    Rule(
        conversation.ends_with_model_turn,
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


def check(request: GenerateContentRequest) -> None:
    """Raise Refused for what the request breaks: all of the first table, or the first of the second."""
    check_fields(request, "GenerateContentRequest")
    for rule in RULES:
        found = rule.find(request)
        if found is not None:
            raise Refused(400, "INVALID_ARGUMENT", rule.message.format(**found))


def check_fields(request: GenerateContentRequest, name: str) -> None:
    """Raise Refused for what the request breaks of the first table; `name` begins each place."""
    lines = [rule.line.format(**found) for rule in FIELD_RULES for found in rule.find(request)]
    if lines:
        raise Refused(400, "INVALID_ARGUMENT", "".join(f"* {name}.{line}\n" for line in lines))
