"""What Chat Completions refuses beyond the shape of a request, as one table of rules.

Each finder looks for its first violation and returns what the texts of its rule need, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...facts.models import gpt
from ...facts.services import OPENAI_MAX_STOP_SEQUENCES
from ..api import Found, WireRule, when
from ..conversation import (
    Round,
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
)
from ..openai.rules import (
    BAD_SCHEMA,
    bad_answer_schema,
    choice_not_offered,
    effort_not_taken,
    effort_unknown,
    not_here,
    sampling,
    takes_sampling,
)
from .shapes import AssistantMessage, ChatRequest, ToolMessage

# Limits, tools and formats ------------------------------------------------------------------------


def limit_too_large(request: ChatRequest) -> Found:
    name = "max_tokens" if request.max_tokens is not None else "max_completion_tokens"
    asked, limit = getattr(request, name) or 0, gpt(request.model).max_output
    return {"name": name, "asked": asked, "limit": limit} if asked > limit else None


def effort_with_tools(request: ChatRequest) -> Found:
    taken = gpt(request.model).efforts_with_tools
    if not request.tools or taken is None or request.reasoning_effort in taken:
        return None
    return {"model": request.model}


def not_taken(name: str) -> Callable[[ChatRequest], Found]:
    return lambda request: {"name": name} if getattr(request, name) and not takes_sampling(request) else None


def without_tools(name: str) -> Callable[[ChatRequest], Found]:
    return lambda request: (
        {"name": name} if getattr(request, name) is not None and not request.tools else None
    )


def too_many_stops(request: ChatRequest) -> Found:
    count = len(request.stop) if isinstance(request.stop, list) else 0
    limit = OPENAI_MAX_STOP_SEQUENCES
    return {"count": count, "limit": limit} if count > limit else None


def no_word_json(request: ChatRequest) -> Found:
    if request.answer_format.type != "json_object":
        return None
    text = " ".join(str(message.content) for message in request.messages)
    return None if "json" in text.lower() else {}


# Messages, calls and results -----------------------------------------------------------------------


def no_content(request: ChatRequest) -> Found:
    for n, message in enumerate(request.messages):
        if isinstance(message, AssistantMessage) and message.content is None:
            if not (message.tool_calls or message.function_call or message.refusal or message.audio):
                return {"n": n}
    return None


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


# The table ----------------------------------------------------------------------------------------------

UNSUPPORTED = "Unsupported parameter: '{name}' is not supported with this model."
ONLY_DEFAULT = (
    "Unsupported value: '{name}' does not support {value} with this model. "
    "Only the default (1) value is supported."
)
WITHOUT_TOOLS = "Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified."

NOT_HERE = {
    "functions": "use `tools`",
    "function_call": "use `tool_choice`",
    "audio": "it only writes text",
    "web_search_options": "it has no network",
    "logprobs": "it does not work with probabilities",
    "top_logprobs": "it does not work with probabilities",
}

RULES = (
    WireRule(
        when(lambda request: not gpt(request.model).in_chat),
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        "model",
        None,
        404,
    ),
    WireRule(
        when(lambda request: request.max_tokens is not None and request.max_completion_tokens is not None),
        "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        None,
        "invalid_parameter_combination",
    ),
    WireRule(
        when(lambda request: request.max_tokens is not None and not gpt(request.model).takes_max_tokens),
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
    ),
    WireRule(
        limit_too_large,
        "{name} is too large: {asked}. This model supports at most {limit} completion tokens, "
        "whereas you provided {asked}.",
        "{name}",
        "invalid_value",
    ),
    WireRule(effort_not_taken, "Unrecognized request argument supplied: reasoning_effort"),
    WireRule(
        effort_unknown,
        "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. "
        "Supported values are: {supported}.",
        "reasoning_effort",
        "unsupported_value",
    ),
    *(WireRule(sampling(name), ONLY_DEFAULT, name, "unsupported_value") for name in ("temperature", "top_p")),
    *(
        WireRule(not_taken(name), UNSUPPORTED, name, "unsupported_parameter")
        for name in (
            "stop",
            "presence_penalty",
            "frequency_penalty",
            "logit_bias",
            "logprobs",
            "top_logprobs",
        )
    ),
    WireRule(
        too_many_stops,
        "Invalid 'stop': array too long. Expected an array with maximum length {limit}, "
        "but got an array with length {count} instead.",
        "stop",
        "array_above_max_length",
    ),
    WireRule(
        when(lambda request: request.stream_options is not None and not request.stream),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "stream_options",
    ),
    *not_here(NOT_HERE),
    WireRule(
        when(lambda request: "audio" in (request.modalities or [])),
        f"'audio' is not in the practice model: {NOT_HERE['audio']}.",
        "audio",
        "unsupported_parameter",
    ),
    *(WireRule(without_tools(name), WITHOUT_TOOLS, name) for name in ("tool_choice", "parallel_tool_calls")),
    BAD_SCHEMA,
    WireRule(
        choice_not_offered,
        "Invalid value for 'tool_choice': no function named '{name}' was specified in the 'tools' "
        "parameter. (specified: {offered})",
        "tool_choice",
    ),
    WireRule(
        effort_with_tools,
        "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "
        "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
        "reasoning_effort",
    ),
    WireRule(bad_answer_schema, "Invalid schema for response_format '{name}': {problem}", "response_format"),
    WireRule(
        no_word_json,
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type "
        "'json_object'.",
        "messages",
    ),
    WireRule(
        no_content,
        "Invalid value for 'content': expected a string, got null.",
        "messages.[{n}].content",
    ),
    WireRule(
        over(_rounds, result_without_calls),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'. (messages[{n}], tool_call_id {id})",
        "messages.[{n}].role",
    ),
    WireRule(
        over(_rounds, repeated_call),
        "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}' in messages[{n}].",
        "messages.[{n}].tool_calls",
    ),
    WireRule(
        over(_rounds, result_of_no_call),
        "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
        "messages.[{n}].tool_call_id",
    ),
    WireRule(
        over(_rounds, repeated_result),
        "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and "
        "messages[{n}].",
        "messages.[{n}].tool_call_id",
    ),
    WireRule(
        over(_rounds, call_without_result),
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
        "messages.[{next}].role",
    ),
)
