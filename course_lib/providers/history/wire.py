"""From a history to what a provider is sent: messages, input items or contents."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

from ...errors import CourseError
from ...plain_json import NOTHING
from ...tools import ToolResult
from ..gemini import OWN_ID
from ..reading import as_object
from .checking import Turn, check, fits_its_wire, matched
from .turns import module_of

# What of a provider's own turn cannot be sent back to it: the ends of turns that were cut off or paused
# All else stays as it came.


Message = dict[str, Any]
_THINKING = ("thinking", "redacted_thinking")


def _anthropic(turn: dict[str, Any]) -> list[Message]:
    """Without blank texts, which are refused."""
    found = []
    for message in turn["wire"]:
        blocks = message.get("content")
        if not isinstance(blocks, list):
            found += [message] if isinstance(blocks, str) and blocks.strip() else []
            continue
        kept = [block for block in blocks if block.get("type") != "text" or str(block.get("text")).strip()]
        found += [{**message, "content": kept}] if kept else []
    return found


def _chat(turn: dict[str, Any]) -> list[Message]:
    """Without messages that say nothing."""
    return [
        message
        for message in turn["wire"]
        if message.get("content") or message.get("tool_calls") or message.get("refusal")
    ]


def _responses(turn: dict[str, Any]) -> list[Message]:
    """Without reasoning that was cut off: it is refused where what it led to is missing."""
    items = list(turn["wire"])
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return items


OWN: dict[str, Callable[[dict[str, Any]], list[Message]]] = {
    "anthropic": _anthropic,
    "openai": _chat,
    "openai-responses": _responses,
    "gemini": lambda turn: list(turn["wire"]),
}
"""By provider: what goes back of one of its turns."""


def calls_without_thinking(sent: list[Message]) -> bool:
    """Whether messages answer a turn that has calls, and does not begin with thinking of Anthropic's model.

    What counts is what is sent, where results are joined with what the user says after them: the service
    wants the last message of the model before results to begin with thinking. Whether it would take one in
    which the model itself left its thinking out, as in a later turn of an exchange, is said nowhere for
    certain; no budget is always taken.
    """
    if len(sent) < 2 or "tool_result" not in _kinds(sent[-1]):
        return False
    kinds = _kinds(sent[-2])
    return "tool_use" in kinds and kinds[0] not in _THINKING


def _kinds(message: Message) -> list[Any]:
    content = message.get("content")
    return [block.get("type") for block in content] if isinstance(content, list) else []


def finish_anthropic(sent: list[Message]) -> list[Message]:
    """Messages without the two ends that Anthropic refuses.

    A tool that runs on its side leaves its call open where the model paused: that can only stay at the end of
    the conversation, where it goes on. And thinking cannot be the last block of a message, as it is where the
    answer was cut off in it.
    """
    found: list[Message] = []
    for n, message in enumerate(sent):
        blocks = message["content"]
        if message["role"] == "assistant" and isinstance(blocks, list):
            if n < len(sent) - 1:
                blocks = _without_open_calls(blocks)
            while blocks and blocks[-1].get("type") in _THINKING:
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


# From a history to what a provider is sent: messages, input items or contents -------------------------


_SENDABLE_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
"""Anthropic takes these characters alone, Chat Completions no more than 40 of them."""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")
NO_SIGNATURE = "skip_thought_signature_validator"
"""What Gemini asks for where it wants a signature of a call that another model made; it takes none at all in
the turn that is under way. https://ai.google.dev/gemini-api/docs/thought-signatures"""


def to_wire(history: list[Turn], provider: str) -> list[Message]:
    """What to send a provider: `messages` (Anthropic, Chat), `input` (Responses) or `contents` (Gemini).

    Turns of the same provider go back as they came, those of others in its way of writing. Instructions are
    not among them; give them as `system`, `instructions` or `system_instruction`, or put them in front.
    Raises CourseError if the history cannot be sent: `check` would refuse it, or a call has no result yet.
    """
    module_of(provider)
    try:
        # Through JSON, which is quick: what is sent shares nothing with the history, and can be sent.
        return from_json(to_json(_written(history, provider)), allow_inf_nan=False)
    except (CourseError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        check(history)  # looking closely at every turn is slow, so it is done when something went wrong
        if isinstance(error, CourseError):
            raise
        raise CourseError(f"This history cannot be sent ({type(error).__name__}: {error}).") from error


def _written(history: list[Turn], provider: str) -> list[Message]:
    writer, sent = _WRITERS[provider], []
    answers = matched(history)
    own = _own_turns(history, provider)
    ids = _sent_ids(history, own)
    for n, turn in enumerate(history):
        if turn["role"] == "user":
            if not turn["text"].strip():
                raise ValueError("an empty text")
            sent += writer.user(turn["text"])
        if turn["role"] != "assistant":
            continue
        calls = turn.get("calls", ())
        if n in own:
            sent += OWN[provider](turn)
            names = [call["name"] for call in calls]
        else:
            names = [_sent_name(call["name"]) for call in calls]
            parts = [as_object(call["arguments"]) for call in calls]
            sent += writer.assistant(turn["text"], list(zip(ids[n], names, parts, strict=True)))
        if calls:
            _check_answered(answers[n], turn, n)
            sent += _results(answers[n], ids[n], names, provider)
    return writer.finish(sent)


def _own_turns(turns: list[Turn], provider: str) -> set[int]:
    """The indexes of the turns whose wire goes back to this provider.

    A turn that stands there twice does so once: the second time its ids would be refused.
    """
    own: set[int] = set()
    seen: set[str] = set()
    for n, turn in enumerate(turns):
        if turn.get("provider") != provider or turn.get("wire") is None:
            continue
        if not fits_its_wire(turn):
            raise ValueError("a wire that does not fit")
        ids = _lasting_ids(turn, provider)
        if seen.isdisjoint(ids):
            own.add(n)
            seen.update(ids)
    return own


def _lasting_ids(turn: Turn, provider: str) -> list[str]:
    """The ids of a turn that may come only once in a conversation; elsewhere they may, from turn to turn."""
    if provider not in ("anthropic", "openai-responses"):
        return []
    items = [item["id"] for item in turn["wire"] if item.get("id")]
    return items + [call["id"] for call in turn.get("calls", ())]


def _check_answered(answers: list[Any], turn: Turn, n: int) -> None:
    if None in answers:
        call = turn["calls"][answers.index(None)]
        raise CourseError(
            f"history[{n}]: the call {call['id'][:80]!r} of {call['name'][:80]} has no result, and "
            "providers refuse that. Run history.unanswered(history) and append history.results(...), or "
            "close it with history.repair(history)."
        )


# Ids, names, results ------------------------------------------------------------------------------


def _sent_ids(turns: list[Turn], own: set[int]) -> dict[int, list[str]]:
    """The ids of the calls of each assistant turn as this provider gets them.

    Ids of its own turns stay. Another's are replaced where it would refuse them, or where they come again:
    not every provider's ids are the only ones of their kind in a conversation.
    """
    found = {n: [call["id"] for call in turn.get("calls", ())] for n, turn in enumerate(turns)}
    taken = {call_id for n in own for call_id in found[n]}
    for n, ids in found.items():
        if n not in own:
            found[n] = [_new_id(call_id, taken) for call_id in ids]
    return found


def _new_id(call_id: str, taken: set[str]) -> str:
    """An id that is not taken, and takes it: the given one if possible, else one made from it."""
    new, count = call_id, 0
    while new in taken or not _SENDABLE_ID.fullmatch(new) or OWN_ID.fullmatch(new):
        new = f"call_{hashlib.sha256(f'{count} {call_id}'.encode()).hexdigest()[:24]}"
        count += 1
    taken.add(new)
    return new


def _sent_name(name: str) -> str:
    """A name that every provider takes. Models invent others: "functions.get_weather", or none at all."""
    return _NOT_IN_NAMES.sub("_", name)[:64] or "unknown"


def _results(
    answers: list[dict[str, Any] | None], ids: list[str], names: list[str], provider: str
) -> list[Message]:
    found = [
        ToolResult(call_id, name, _content(answer), answer.get("is_error", False))
        for answer, call_id, name in zip(answers, ids, names, strict=True)
    ]
    return module_of(provider).write_results(found)


def _content(answer: dict[str, Any]) -> str:
    """A result's text. An empty one is refused by some services, an empty error by more."""
    if answer["content"].strip():
        return answer["content"]
    return "The tool failed." if answer.get("is_error") else NOTHING


# Writing what others said -------------------------------------------------------------------------


Call = tuple[str, str, dict[str, Any]]
"""Id, name and arguments."""


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _anthropic_assistant(text: str, calls: list[Call]) -> list[Message]:
    blocks = [{"type": "text", "text": text}] if text.strip() else []
    blocks += [
        {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        for call_id, name, arguments in calls
    ]
    return [{"role": "assistant", "content": blocks}] if blocks else []


def _chat_assistant(text: str, calls: list[Call]) -> list[Message]:
    message: Message = {"role": "assistant", "content": text if text.strip() else None}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": _json(arguments)}}
            for call_id, name, arguments in calls
        ]
    return [message] if calls or text.strip() else []


def _responses_assistant(text: str, calls: list[Call]) -> list[Message]:
    items: list[Message] = [{"role": "assistant", "content": text}] if text.strip() else []
    for call_id, name, arguments in calls:
        call = {"call_id": call_id, "name": name, "arguments": _json(arguments)}
        items.append({"type": "function_call", **call})
    return items


def _gemini_assistant(text: str, calls: list[Call]) -> list[Message]:
    parts: list[dict[str, Any]] = [{"text": text}] if text.strip() else []
    for n, (call_id, name, arguments) in enumerate(calls):
        inner = {"id": call_id, "name": name, "args": arguments}
        signature = {} if n else {"thoughtSignature": NO_SIGNATURE}  # only the first of a turn has one
        parts.append({"functionCall": inner, **signature})
    return [{"role": "model", "parts": parts}] if parts else []


# Who speaks twice ---------------------------------------------------------------------------------


def _joined(sent: list[Message], inside: str) -> list[Message]:
    """Messages of the same role in a row as one: where a turn was empty, the user spoke twice."""
    found: list[Message] = []
    for message in sent:
        if found and found[-1]["role"] == message["role"]:
            both = [*_parts(found[-1][inside]), *_parts(message[inside])]
            found[-1] = {**found[-1], inside: both}
        else:
            found.append(message)
    return found


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _joined_users(sent: list[Message]) -> list[Message]:
    """The same for Chat Completions, where only users speak twice; some servers refuse even that."""
    found: list[Message] = []
    for message in sent:
        if found and message["role"] == "user" == found[-1]["role"]:
            found[-1] = {"role": "user", "content": f"{found[-1]['content']}\n\n{message['content']}"}
        else:
            found.append(message)
    return found


class _Writer(NamedTuple):
    """How a provider is told what the user and other models said."""

    user: Callable[[str], list[Message]]
    assistant: Callable[[str, list[Call]], list[Message]]
    finish: Callable[[list[Message]], list[Message]]


def _content_of_user(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


_WRITERS = {
    "anthropic": _Writer(
        _content_of_user,
        _anthropic_assistant,
        # What is left out may have stood between two messages of the user.
        lambda sent: _joined(finish_anthropic(_joined(sent, "content")), "content"),
    ),
    "openai": _Writer(_content_of_user, _chat_assistant, _joined_users),
    "openai-responses": _Writer(_content_of_user, _responses_assistant, list),
    "gemini": _Writer(
        lambda text: [{"role": "user", "parts": [{"text": text}]}],
        _gemini_assistant,
        lambda sent: _joined(sent, "parts"),
    ),
}
