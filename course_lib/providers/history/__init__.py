"""A conversation as plain JSON values, the same for all providers: it can be stored, and go on with another.

    {"role": "user", "text": "…"}
    {"role": "assistant", "text": "…", "calls": [{"id", "name", "arguments"}], "stop_reason": "tool_calls",
     "provider": "anthropic", "model": "…", "wire": […], "usage": {"input_tokens", "output_tokens"}}
    {"role": "tool", "results": [{"tool_call_id", "name", "content", "is_error"}]}

`wire` is the provider's own message, unchanged. The same provider gets it back, with the thinking and the
signatures that it asks for; another one gets the text and the calls, written its way. `arguments` are text
where the model wrote no JSON object. A call that the model could not finish has `"cut_off": True`.

    history = [user("What is the weather in Madrid?")]
    response = client.messages.create(messages=to_wire(history, "anthropic"), …)
    history.append(assistant(response, "anthropic", model))
    history.append(results(run_calls(unanswered(history), tools)))
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from pydantic_core import from_json, to_json

from ...errors import CourseError
from ...plain_json import NOTHING
from ...tools import ToolResult
from .. import ProviderModule, module_of
from ..shared import JSON, OWN_ID, as_object
from .checking import Turn, check, fits_its_wire, matched, repair, trim, unanswered
from .turns import PROVIDERS, assistant, results, user

__all__ = ["PROVIDERS", "assistant", "check", "repair", "results", "to_wire", "trim", "unanswered", "user"]

_SENDABLE_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
"""Anthropic takes these characters alone, Chat Completions no more than 40 of them."""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")


def to_wire(history: list[Turn], provider: str) -> list[JSON]:
    """Return what to send a provider: `messages` (Anthropic, Chat), `input` (Responses), `contents` (Gemini).

    Turns of the same provider go back as they came, those of others in its way of writing. Instructions are
    not among them; give them as `system`, `instructions` or `system_instruction`, or put them in front.
    Raises CourseError if the history cannot be sent: `check` would refuse it, or a call has no result yet.
    """
    module = module_of(provider)
    try:
        # Through JSON, which is quick: what is sent shares nothing with the history, and can be sent.
        return from_json(to_json(_written(history, module)), allow_inf_nan=False)
    except (CourseError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        check(history)  # looking closely at every turn is slow, so it is done when something went wrong
        if isinstance(error, CourseError):
            raise
        raise CourseError(f"This history cannot be sent ({type(error).__name__}: {error}).") from error


def _written(history: list[Turn], provider: ProviderModule) -> list[JSON]:
    sent: list[JSON] = []
    answers = matched(history)
    own = _own_turns(history, provider)
    ids = _sent_ids(history, own)
    for n, turn in enumerate(history):
        if turn["role"] == "user":
            if not turn["text"].strip():
                raise ValueError("an empty text")
            sent += provider.write_user(turn["text"])
        if turn["role"] != "assistant":
            continue
        calls = turn.get("calls", ())
        if n in own:
            sent += provider.own_messages(turn["wire"])
            names = [call["name"] for call in calls]
        else:
            # Models invent names that no provider takes: "functions.get_weather", or none.
            names = [_NOT_IN_NAMES.sub("_", call["name"])[:64] or "unknown" for call in calls]
            arguments = [as_object(call["arguments"]) for call in calls]
            sent += provider.write_assistant(turn["text"], list(zip(ids[n], names, arguments, strict=True)))
        if calls:
            _check_answered(answers[n], turn, n)
            found = zip(answers[n], ids[n], names, strict=True)
            sent += provider.write_results(
                [
                    ToolResult(call_id, name, _content(answer), answer.get("is_error", False))
                    for answer, call_id, name in found
                ]
            )
    return provider.finish_messages(sent)


def _own_turns(turns: list[Turn], provider: ProviderModule) -> set[int]:
    """Return the indexes of the turns whose wire goes back to this provider.

    A turn that stands there twice does so once: the second time its ids would be refused.
    """
    own: set[int] = set()
    seen: set[str] = set()
    for n, turn in enumerate(turns):
        if turn.get("provider") != provider.NAME or turn.get("wire") is None:
            continue
        if not fits_its_wire(turn):
            raise ValueError("a wire that does not fit")
        ids: list[str] = []
        if provider.UNIQUE_IDS:
            ids = [item["id"] for item in turn["wire"] if item.get("id")]
            ids += [call["id"] for call in turn.get("calls", ())]
        if seen.isdisjoint(ids):
            own.add(n)
            seen.update(ids)
    return own


def _check_answered(answers: list[Any], turn: Turn, n: int) -> None:
    if None in answers:
        call = turn["calls"][answers.index(None)]
        raise CourseError(
            f"history[{n}]: the call {call['id'][:80]!r} of {call['name'][:80]} has no result, and "
            "providers refuse that. Run history.unanswered(history) and append history.results(...), or "
            "close it with history.repair(history)."
        )


# Ids and results -----------------------------------------------------------------------------------


def _sent_ids(turns: list[Turn], own: set[int]) -> dict[int, list[str]]:
    """Return the ids of the calls of each assistant turn as this provider gets them.

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
    """Return an id that is not taken, and take it: the given one if possible, else one made from it."""
    new, count = call_id, 0
    while new in taken or not _SENDABLE_ID.fullmatch(new) or OWN_ID.fullmatch(new):
        new = f"call_{hashlib.sha256(f'{count} {call_id}'.encode()).hexdigest()[:24]}"
        count += 1
    taken.add(new)
    return new


def _content(answer: dict[str, Any]) -> str:
    """Return a result's text. An empty one is refused by some services, an empty error by more."""
    if answer["content"].strip():
        return answer["content"]
    return "The tool failed." if answer.get("is_error") else NOTHING
