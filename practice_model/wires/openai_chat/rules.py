"""What Chat Completions refuses beyond the shape of a request: the rules in their order."""

from __future__ import annotations

from collections.abc import Iterator

from ...facts.models import gpt
from ...facts.services import OPENAI_MAX_STOP_SEQUENCES
from ..openai.rules import (
    BAD_SCHEMA,
    NOT_HERE,
    bad_answer_schema,
    bad_schema,
    choice_not_offered,
    effort_not_taken,
    effort_unknown,
    not_here,
    sampling_not_taken,
    takes_sampling,
)
from ..rules import (
    Found,
    Round,
    Rules,
    WireLink,
    WireTurn,
    call_without_result,
    grouped,
    over,
    repeated_call,
    repeated_result,
    result_of_no_call,
    result_without_calls,
    rounds,
    when,
)
from .shapes import AssistantMessage, ChatRequest, ToolMessage

RULES = Rules()


# Limits and settings ------------------------------------------------------------------------------


@RULES.refuse(
    "This model is only supported in v1/responses and not in v1/chat/completions.", "model", status=404
)
def model_not_in_chat(request: ChatRequest) -> Found:
    return when(not gpt(request.model).in_chat)


@RULES.refuse(
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    code="invalid_parameter_combination",
)
def two_limits(request: ChatRequest) -> Found:
    return when(request.max_tokens is not None and request.max_completion_tokens is not None)


@RULES.refuse(
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    "max_tokens",
    "unsupported_parameter",
)
def max_tokens_not_taken(request: ChatRequest) -> Found:
    return when(request.max_tokens is not None and not gpt(request.model).takes_max_tokens)


@RULES.refuse(
    "{name} is too large: {asked}. This model supports at most {limit} completion tokens, "
    "whereas you provided {asked}.",
    "{name}",
    "invalid_value",
)
def limit_too_large(request: ChatRequest) -> Found:
    name = "max_tokens" if request.max_tokens is not None else "max_completion_tokens"
    asked, limit = getattr(request, name) or 0, gpt(request.model).max_output
    return when(asked > limit, name=name, asked=asked, limit=limit)


RULES.add(effort_not_taken, "Unrecognized request argument supplied: reasoning_effort")
RULES.add(
    effort_unknown,
    "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. "
    "Supported values are: {supported}.",
    "reasoning_effort",
    "unsupported_value",
)
RULES.add(
    sampling_not_taken,
    "Unsupported value: '{name}' does not support {value} with this model. "
    "Only the default (1) value is supported.",
    "{name}",
    "unsupported_value",
)


@RULES.refuse(
    "Unsupported parameter: '{name}' is not supported with this model.", "{name}", "unsupported_parameter"
)
def not_taken(request: ChatRequest) -> Found:
    names = ("stop", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs")
    for name in names:
        yield from when(getattr(request, name) and not takes_sampling(request), name=name)


@RULES.refuse(
    "Invalid 'stop': array too long. Expected an array with maximum length {limit}, "
    "but got an array with length {count} instead.",
    "stop",
    "array_above_max_length",
)
def too_many_stops(request: ChatRequest) -> Found:
    count = len(request.stop) if isinstance(request.stop, list) else 0
    return when(count > OPENAI_MAX_STOP_SEQUENCES, count=count, limit=OPENAI_MAX_STOP_SEQUENCES)


@RULES.refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
def stream_options_without_stream(request: ChatRequest) -> Found:
    return when(request.stream_options is not None and not request.stream)


_WHY_NOT = {
    "functions": "use `tools`",
    "function_call": "use `tool_choice`",
    "audio": "it only writes text",
    "web_search_options": "it has no network",
    "logprobs": "it does not work with probabilities",
    "top_logprobs": "it does not work with probabilities",
}
RULES.add(not_here(_WHY_NOT), *NOT_HERE)


@RULES.refuse(*NOT_HERE)
def asks_for_audio(request: ChatRequest) -> Found:
    return when("audio" in (request.modalities or []), name="audio", reason=_WHY_NOT["audio"])


# Tools and formats --------------------------------------------------------------------------------


@RULES.refuse("Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.", "{name}")
def setting_without_tools(request: ChatRequest) -> Found:
    for name in ("tool_choice", "parallel_tool_calls"):
        yield from when(getattr(request, name) is not None and not request.tools, name=name)


RULES.add(bad_schema, *BAD_SCHEMA)
RULES.add(
    choice_not_offered,
    "Invalid value for 'tool_choice': no function named '{name}' was specified in the 'tools' parameter. "
    "(specified: {offered})",
    "tool_choice",
)


@RULES.refuse(
    "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "
    "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    "reasoning_effort",
)
def effort_with_tools(request: ChatRequest) -> Found:
    taken = gpt(request.model).efforts_with_tools
    refused = taken is not None and request.reasoning_effort not in taken
    return when(request.tools and refused, model=request.model)


RULES.add(bad_answer_schema, "Invalid schema for response_format '{name}': {problem}", "response_format")


@RULES.refuse(
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    "messages",
)
def no_word_json(request: ChatRequest) -> Found:
    if request.answer_format.type == "json_object":
        text = " ".join(str(message.content) for message in request.messages)
        yield from when("json" not in text.lower())


# Messages, calls and results ----------------------------------------------------------------------


@RULES.refuse("Invalid value for 'content': expected a string, got null.", "messages.[{n}].content")
def no_content(request: ChatRequest) -> Found:
    for n, message in enumerate(request.messages):
        if isinstance(message, AssistantMessage) and message.content is None:
            said = message.tool_calls or message.function_call or message.refusal or message.audio
            yield from when(not said, n=n)


def _rounds(request: ChatRequest) -> Iterator[Round]:
    """Yield each assistant message that calls, with the tool messages right after it."""
    messages = (
        WireTurn(
            isinstance(message, AssistantMessage),
            n,
            [WireLink(call.id, n) for call in getattr(message, "tool_calls", None) or []],
            [WireLink(message.tool_call_id, n)] if isinstance(message, ToolMessage) else [],
        )
        for n, message in enumerate(request.messages)
    )
    return rounds(grouped(messages, lambda last, message: bool(last.results and message.results)))


RULES.add(
    over(_rounds, result_without_calls),
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'. (messages[{n}], tool_call_id {id})",
    "messages.[{n}].role",
)
RULES.add(
    over(_rounds, repeated_call),
    "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}' in messages[{n}].",
    "messages.[{n}].tool_calls",
)
RULES.add(
    over(_rounds, result_of_no_call),
    "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    "messages.[{n}].tool_call_id",
)
RULES.add(
    over(_rounds, repeated_result),
    "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and "
    "messages[{n}].",
    "messages.[{n}].tool_call_id",
)
RULES.add(
    over(_rounds, call_without_result),
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    "messages.[{next}].role",
)
