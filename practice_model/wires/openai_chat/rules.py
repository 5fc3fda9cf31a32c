"""What Chat Completions refuses beyond the shape of a request, as one table of rules.

Each finder looks for its first violation and returns what the texts of its rule need, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...facts.models import gpt
from ...facts.services import OPENAI_MAX_STOP_SEQUENCES
from ..api import Found, WireRule
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
from ..openai.rules import Choice, Offered, answer_schema_problem, schema_problem, takes_sampling
from ..openai.shapes import options
from .shapes import (
    AssistantMessage,
    ChatAllowedChoice,
    ChatFunctionChoice,
    ChatFunctionTool,
    ChatJSONSchemaFormat,
    ChatRequest,
    ToolMessage,
)

# Models and limits ------------------------------------------------------------------------------------


def wrong_api(request: ChatRequest) -> Found:
    return None if gpt(request.model).in_chat else {}


def old_limit(request: ChatRequest) -> Found:
    return {} if request.max_tokens is not None and not gpt(request.model).takes_max_tokens else None


def two_limits(request: ChatRequest) -> Found:
    return {} if request.max_tokens is not None and request.max_completion_tokens is not None else None


def limit_too_large(request: ChatRequest) -> Found:
    name = "max_tokens" if request.max_tokens is not None else "max_completion_tokens"
    asked, limit = getattr(request, name) or 0, gpt(request.model).max_output
    return {"name": name, "asked": asked, "limit": limit} if asked > limit else None


def effort_not_taken(request: ChatRequest) -> Found:
    return {} if request.reasoning_effort and not gpt(request.model).efforts else None


def effort_unknown(request: ChatRequest) -> Found:
    taken = gpt(request.model).efforts
    if request.reasoning_effort is None or request.reasoning_effort in taken:
        return None
    return {"value": request.reasoning_effort, "supported": options(list(taken))}


def effort_with_tools(request: ChatRequest) -> Found:
    taken = gpt(request.model).efforts_with_tools
    if not request.tools or taken is None or request.reasoning_effort in taken:
        return None
    return {"model": request.model}


def sampling(name: str) -> Callable[[ChatRequest], Found]:
    def find(request: ChatRequest) -> Found:
        value = getattr(request, name)
        if value in (None, 1) or takes_sampling(request.model, request.reasoning_effort):
            return None
        return {"name": name, "value": value}

    return find


def not_taken(name: str) -> Callable[[ChatRequest], Found]:
    def find(request: ChatRequest) -> Found:
        taken = takes_sampling(request.model, request.reasoning_effort)
        return {"name": name} if getattr(request, name) and not taken else None

    return find


def too_many_stops(request: ChatRequest) -> Found:
    count = len(request.stop) if isinstance(request.stop, list) else 0
    limit = OPENAI_MAX_STOP_SEQUENCES
    return {"count": count, "limit": limit} if count > limit else None


def stream_options_alone(request: ChatRequest) -> Found:
    return {} if request.stream_options is not None and not request.stream else None


NOT_HERE = {
    "functions": "use `tools`",
    "function_call": "use `tool_choice`",
    "audio": "it only writes text",
    "web_search_options": "it has no network",
    "logprobs": "it does not work with probabilities",
    "top_logprobs": "it does not work with probabilities",
}


def not_here(request: ChatRequest) -> Found:
    names = [name for name in NOT_HERE if getattr(request, name)]
    if "audio" in (request.modalities or []):
        names.append("audio")
    return {"name": names[0], "why": NOT_HERE[names[0]]} if names else None


# Tools and formats ------------------------------------------------------------------------------------


def functions(request: ChatRequest) -> list[Offered]:
    return [
        Offered(
            f"tools[{n}].function.parameters",
            tool.function.name,
            tool.function.description or "",
            tool.function.parameters,
            bool(tool.function.strict),
        )
        for n, tool in enumerate(request.tools or [])
        if isinstance(tool, ChatFunctionTool)
    ]


def choice(request: ChatRequest) -> Choice:
    wanted = request.tool_choice
    if wanted is None or isinstance(wanted, str):
        return Choice(wanted or "auto")
    if isinstance(wanted, ChatFunctionChoice):
        return Choice("named", (wanted.function.name,))
    if isinstance(wanted, ChatAllowedChoice):
        allowed = wanted.allowed_tools
        names = (tool.get("function", tool) for tool in allowed.tools if tool.get("type") == "function")
        found = tuple(str(one.get("name")) for one in names if isinstance(one, dict))
        return Choice(allowed.mode, found, only=True)
    return Choice("none")  # a custom tool: it is never used here


def choice_without_tools(request: ChatRequest) -> Found:
    return {} if request.tool_choice is not None and not request.tools else None


def parallel_without_tools(request: ChatRequest) -> Found:
    return {} if request.parallel_tool_calls is not None and not request.tools else None


def choice_not_offered(request: ChatRequest) -> Found:
    offered = [function.name for function in functions(request)]
    unknown = [name for name in choice(request).names if name not in offered]
    return {"name": unknown[0], "offered": ", ".join(offered)} if unknown else None


def bad_schema(request: ChatRequest) -> Found:
    return schema_problem(functions(request))


def bad_answer_schema(request: ChatRequest) -> Found:
    wanted = request.response_format
    if not isinstance(wanted, ChatJSONSchemaFormat) or wanted.json_schema.json_schema is None:
        return None
    schema = wanted.json_schema
    return answer_schema_problem(schema.name, schema.json_schema, bool(schema.strict))


def no_word_json(request: ChatRequest) -> Found:
    if getattr(request.response_format, "type", "") != "json_object":
        return None
    text = " ".join(str(message.content) for message in request.messages)
    return None if "json" in text.lower() else {}


# Messages, calls and results -----------------------------------------------------------------------


def no_content(request: ChatRequest) -> Found:
    for n, message in enumerate(request.messages):
        if isinstance(message, AssistantMessage) and not (
            message.tool_calls or message.function_call or message.refusal or message.audio
        ):
            if message.content is None:
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
WITHOUT_TOOLS = "Invalid value for '{0}': '{0}' is only allowed when 'tools' are specified."

RULES = (
    WireRule(
        wrong_api,
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        "model",
        None,
        404,
    ),
    WireRule(
        two_limits,
        "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        None,
        "invalid_parameter_combination",
    ),
    WireRule(
        old_limit,
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
        stream_options_alone,
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "stream_options",
    ),
    WireRule(not_here, "'{name}' is not in the practice model: {why}.", "{name}", "unsupported_parameter"),
    WireRule(choice_without_tools, WITHOUT_TOOLS.format("tool_choice"), "tool_choice"),
    WireRule(parallel_without_tools, WITHOUT_TOOLS.format("parallel_tool_calls"), "parallel_tool_calls"),
    WireRule(
        bad_schema,
        "Invalid schema for function '{name}': {problem}",
        "{place}",
        "invalid_function_parameters",
    ),
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
