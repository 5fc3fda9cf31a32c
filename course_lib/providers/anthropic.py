"""Anthropic Messages: calls are `tool_use` blocks, results are `tool_result` blocks in one user message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from practice_model.facts.services import ANTHROPIC

from ..errors import CourseError
from ..plain_json import kind_of
from ..tools import Tool, ToolCall, ToolResult
from . import shared
from .mistakes import check_response, explained, results_of
from .shared import (
    ENDED_EARLY,
    JSON,
    Call,
    SendOptions,
    as_json,
    as_object,
    checked_client,
    dump,
    extra_body,
    get,
    if_any,
    items_in,
    joined,
    paragraphs,
    parse_arguments,
    result_text,
    token_count,
    unchanged,
)

NAME, LABEL = "anthropic", "Anthropic"
MODEL_IDS = ANTHROPIC.model_ids
SDK = "anthropic"
VARIABLES = ANTHROPIC.variables
STRICT = "anthropic"
FIELDS = RESPONSE_FIELDS = ("content",)
LISTS: dict[str, str] = {}
METHOD = "client.messages.create(...)"
UNIQUE_IDS = True
HISTORY_FIELD, SYSTEM_FIELDS = "messages", ("system",)
STOP_FIELDS, RESULT_FIELD = ("stop_reason",), "content"
INPUT_TOKENS = ("usage", "input_tokens")
CONNECTION_ERRORS = ("APIConnectionError", "RetryableError")
SERVICE_ERROR_TYPES = ("overloaded_error", "rate_limit_error", "api_error", "timeout_error")
SERVICE_ERROR_CODES: tuple[str, ...] = ()

STOP_REASONS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
}
# A call that stands last was not finished when the model was stopped for one of these.
CUT_OFF = ("max_tokens", "model_context_window_exceeded")
# What a call may carry when it is sent back. Of the rest, some is refused ("extra inputs are not permitted").
CALL_FIELDS = ("type", "id", "name", "input", "cache_control")
THINKING = ("thinking", "redacted_thinking")
MOST_TOKENS = 16_000
"""The `max_tokens` of a request, which this API requires: room for thinking and for long arguments. Above
21,333 the SDK insists on a stream."""

# Responses ----------------------------------------------------------------------------------------


@explained
def read_calls(response: Any) -> list[ToolCall]:
    """The tool calls of a message, in order; none of a refusal, which may come in the middle of one.

    `server_tool_use` blocks are the provider's own calls, not yours.
    """
    check_response(response, "anthropic")
    ended = get(response, "stop_reason") in CUT_OFF or get(response, ENDED_EARLY, False)
    calls = []
    blocks = _blocks(response)
    for block in blocks:
        if get(block, "type") == "tool_use":
            arguments = parse_arguments(get(block, "input"))
            cut_off = block is blocks[-1] and ended
            calls.append(ToolCall(str(get(block, "id", "")), get(block, "name", ""), arguments, cut_off))
    return calls


def read_text(response: Any) -> str:
    """Return the text of a message; a blank line stands where another block came between two texts."""
    content = get(response, "content", [])
    if isinstance(content, str):
        return content
    return paragraphs((get(block, "text") if get(block, "type") == "text" else None) for block in content)


def read_stop_reason(response: Any) -> str:
    return STOP_REASONS.get(get(response, "stop_reason"), "other")


def read_usage(response: Any) -> tuple[int, int]:
    usage = get(response, "usage", {})
    # What was read from a cache, or written into it, is counted apart here, and with the rest elsewhere.
    cached = [get(usage, f"cache_{kind}_input_tokens") for kind in ("creation", "read")]
    tokens_in = sum(map(token_count, [get(usage, "input_tokens"), *cached]))
    return tokens_in, token_count(get(usage, "output_tokens"))


@explained
def write_turn(response: Any) -> list[dict[str, Any]]:
    """The assistant's message for the history: all blocks in order, thinking with its signature unchanged."""
    check_response(response, "anthropic")
    content = get(response, "content", [])
    blocks = content if isinstance(content, str) else [_block(block) for block in _blocks(response)]
    # An empty turn would be refused.
    return [{"role": "assistant", "content": blocks}] if blocks else []


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One user message with a `tool_result` block for each result; several messages would be refused."""
    blocks = []
    for result in results_of(results):
        block = {
            "type": "tool_result",
            "tool_use_id": result.tool_call_id,
            "content": result_text(result, mark_error=False),
        }
        blocks.append({**block, "is_error": True} if result.is_error else block)
    return [{"role": "user", "content": blocks}] if blocks else []


@explained
def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The message that the events of a stream add up to; input that is no JSON object stays text.

    One that breaks off before it says why the model stopped gives what was there, marked as such.
    """
    message: dict[str, Any] = {"role": "assistant", "content": []}
    blocks: dict[int, dict[str, Any]] = {}
    written: dict[int, str] = {}
    for event in events:
        kind, index = get(event, "type"), get(event, "index", 0)
        if kind == "message_start":
            message |= {**dump(get(event, "message", {})), "content": []}
        elif kind == "content_block_start":
            blocks[index] = dict(dump(get(event, "content_block", {})))
        elif kind == "content_block_delta" and index in blocks:
            _add(blocks[index], get(event, "delta", {}), index, written)
        elif kind == "message_delta":
            message |= dump(get(event, "delta", {}))
            message["usage"] = {**(message.get("usage") or {}), **dump(get(event, "usage", {}))}
    for index, text in written.items():
        blocks[index]["input"] = parse_arguments(text)
    message["content"] = [blocks[index] for index in sorted(blocks)]
    return message if message.get("stop_reason") else {**message, ENDED_EARLY: True}


def _add(block: dict[str, Any], delta: Any, index: int, written: dict[int, str]) -> None:
    """Add one delta to its block. Input is collected apart: the {} that a block starts with is not part of
    it."""
    for name in ("text", "thinking"):
        if get(delta, "type") == f"{name}_delta":
            block[name] = (block.get(name) or "") + get(delta, name, "")
    if get(delta, "type") == "signature_delta":
        block["signature"] = get(delta, "signature", "")
    if get(delta, "type") == "input_json_delta" and get(delta, "partial_json"):
        written[index] = written.get(index, "") + get(delta, "partial_json")


def _blocks(response: Any) -> list[Any]:
    """Return the blocks of a message. A refusal's calls are left out: nothing is to run, so nothing would
    answer them."""
    blocks = get(response, "content", [])
    if not isinstance(blocks, str | list | tuple):
        raise CourseError(
            f"The 'content' of this response is {kind_of(blocks)}, and must be text or a list of blocks."
        )
    if not isinstance(blocks, str) and any(isinstance(one, str | int) or one is None for one in blocks):
        raise CourseError("The 'content' of this response holds what is no block.")
    if get(response, "stop_reason") != "refusal" or isinstance(blocks, str):
        return list(blocks)
    return [block for block in blocks if get(block, "type") != "tool_use"]


def _block(block: Any) -> dict[str, Any]:
    found = dump(block)
    if found.get("type") != "tool_use":
        return found
    kept = {name: found[name] for name in CALL_FIELDS if found.get(name) is not None}
    return {**kept, "id": str(kept.get("id", "")), "input": as_object(found.get("input"))}


# A history ----------------------------------------------------------------------------------------

set_call_ids = shared.set_call_ids
known_fields = unchanged


def call_ids(messages: list[Any]) -> list[str | None]:
    blocks = items_in(messages, "content", "assistant")
    return [block["id"] for block in blocks if block.get("type") == "tool_use"]


def own_messages(messages: list[JSON]) -> list[JSON]:
    """Return the messages of the model's own turn without blank texts, which are refused."""
    found = []
    for message in messages:
        blocks = message.get("content")
        if not isinstance(blocks, list):
            found += [message] if isinstance(blocks, str) and blocks.strip() else []
            continue
        kept = [block for block in blocks if block.get("type") != "text" or str(block.get("text")).strip()]
        found += [{**message, "content": kept}] if kept else []
    return found


def write_user(text: str) -> list[JSON]:
    return [{"role": "user", "content": text}]


def write_assistant(text: str, calls: list[Call]) -> list[JSON]:
    blocks: list[JSON] = [{"type": "text", "text": text}] if text.strip() else []
    blocks += [
        {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        for call_id, name, arguments in calls
    ]
    return [{"role": "assistant", "content": blocks}] if blocks else []


def finish_messages(messages: list[JSON]) -> list[JSON]:
    """Return messages whose roles take turns, without what may not stand at the end of one."""
    # What is left out may have stood between two messages of the user.
    return joined(_without_refused_ends(joined(messages, "content")), "content")


def _without_refused_ends(messages: list[JSON]) -> list[JSON]:
    """Return messages without the two ends that are refused.

    A tool that runs on the service's side leaves its call open where the model paused: that can only stay at
    the end of the conversation, where it goes on. And thinking cannot be the last block of a message, as it
    is where the answer was cut off in it.
    """
    found: list[JSON] = []
    for n, message in enumerate(messages):
        blocks = message["content"]
        if message["role"] == "assistant" and isinstance(blocks, list):
            if n < len(messages) - 1:
                blocks = _without_open_calls(blocks)
            while blocks and blocks[-1].get("type") in THINKING:
                blocks = blocks[:-1]
            if not blocks:
                continue
            message = {**message, "content": blocks}
        found.append(message)
    return found


def _without_open_calls(blocks: list[Any]) -> list[Any]:
    answered = {block.get("tool_use_id") for block in blocks}
    return [
        block
        for block in blocks
        if block.get("type") not in ("server_tool_use", "mcp_tool_use") or block.get("id") in answered
    ]


# Requests: POST /v1/messages ----------------------------------------------------------------------

client_of_kind = checked_client
read_answer, retry_delay = shared.read_answer, shared.retry_delay


def check_options(options: JSON) -> None:
    choice = options.get("tool_choice")
    if _thinks(options) and isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
        raise CourseError(
            f"Anthropic takes no tool_choice {choice['type']!r} beside a thinking budget: who thinks "
            "chooses by itself. Leave one of the two out of options."
        )


def write_definitions(tools: Iterable[Tool]) -> list[JSON]:
    return [one.to_anthropic() for one in tools]


def write_request(model: str, instructions: str, messages: list[JSON], tools: list[JSON]) -> JSON:
    head: JSON = {"model": model, "max_tokens": MOST_TOKENS}
    return {**head, **if_any(system=instructions), "messages": messages, **if_any(tools=tools)}


def fit_request(body: JSON) -> JSON:
    """Return a body without a thinking budget where its last turn has calls and no thinking.

    With a budget, the service wants the thinking before the calls whose results it gets. There is none where
    another model made them, or the same one without thinking: then they are answered without.
    """
    if _thinks(body) and _calls_without_thinking(body["messages"]):
        return {name: value for name, value in body.items() if name != "thinking"}
    return body


def _thinks(fields: JSON) -> bool:
    """Return whether the model gets a budget for thinking; with adaptive thinking it gets none."""
    thinking = fields.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _calls_without_thinking(messages: list[JSON]) -> bool:
    """Return whether the messages answer a turn that has calls, and does not begin with thinking.

    What counts is what is sent, where results are joined with what the user says after them: the service
    wants the last message of the model before results to begin with thinking. Its documentation does not say
    whether it accepts one in which the model itself left its thinking out; a request without a budget is
    always accepted.
    """
    if len(messages) < 2 or "tool_result" not in _kinds(messages[-1]):
        return False
    kinds = _kinds(messages[-2])
    return "tool_use" in kinds and kinds[0] not in THINKING


def _kinds(message: JSON) -> list[Any]:
    content = message.get("content")
    return [block.get("type") for block in content] if isinstance(content, list) else []


def make_client(asynchronous: bool) -> Any:
    import anthropic

    return (anthropic.AsyncAnthropic if asynchronous else anthropic.Anthropic)(max_retries=0)


def send(client: Any, body: JSON, options: SendOptions) -> Any:
    return client.post("/v1/messages", **as_json(body), cast_to=object, options=options)


def stream(client: Any, body: JSON, options: SendOptions) -> Any:
    required = {"model": body["model"], "max_tokens": body["max_tokens"], "messages": []}
    return client.messages.create(**required, stream=True, **extra_body(body, options))


def text_in(event: Any) -> str:
    delta = get(event, "delta", {}) if get(event, "type") == "content_block_delta" else {}
    return get(delta, "text", "") if get(delta, "type") == "text_delta" else ""
