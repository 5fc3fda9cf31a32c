"""Checkers of lesson 09: a loop with a last word, sessions that remember, runs that wait for approvals.

Their models are scripted, so that a check needs no service and always sees the same calls.
"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...agents import Agent, Response, Runner, ScriptedModel, ScriptedTurn, SessionStore
from ...errors import CourseError
from ...tools import ToolCall, ToolResult, tool
from .helpers import blocks, call, expect, expect_empty, expect_returned, expect_type, field, listed
from .running import checker

_MODEL = "script"
_MOST = 15

_DONE = ScriptedTurn("Order 1042 has left the warehouse.")
_LOOKS = ScriptedTurn(("find_order", {"number": 1042}))
_PAUSES = ScriptedTurn("I am still searching.", stop_reason="pause_turn")
_LAST_WORD = "I could not find out more."


def _choice(request: dict[str, Any]) -> Any:
    """Return the kind of a request's tool_choice; where there is none, the service takes "auto"."""
    choice = request.get("tool_choice") or {"type": "auto"}
    return choice.get("type") if isinstance(choice, dict) else None


# 09.a: a loop with a last word ------------------------------------------------------------------------


class _Loop:
    """What `polite_loop` is given: `ask` and `run`, which note what they get."""

    def __init__(self, *turns: ScriptedTurn) -> None:
        self.model = ScriptedModel(*turns, without_tools=_LAST_WORD)
        self.asked = 0
        self.ran: list[ToolCall] = []

    def ask(self, messages: Any, **more: Any) -> Any:
        expect_type(messages, list, "messages")
        expect(self.asked < _MOST, "endless", got=_MOST)
        _check_history(messages)
        self.asked += 1
        return self.model.client.messages.create(
            model=_MODEL, max_tokens=1000, messages=copy.deepcopy(messages), **more
        )

    def run(self, calls: Any) -> list[ToolResult]:
        expect_type(calls, list, "calls")
        expect(all(isinstance(one, ToolCall) for one in calls), "run_gets")
        self.ran += calls
        return [
            ToolResult(one.id, one.name, f"The result of {one.id}.", is_error=one.cut_off) for one in calls
        ]


def _check_history(messages: list[Any]) -> None:
    """Check what the service would refuse."""
    for message in messages:
        expect_type(message, dict, "each message")
    open_calls: set[str] = set()
    for message in messages:
        results = _ids(message, "tool_result", "tool_use_id")
        expect(results <= open_calls, "no_call")
        expect_empty(open_calls - results, "unanswered")
        expect(message.get("content"), "empty_message")
        open_calls = _ids(message, "tool_use", "id")
    expect_empty(open_calls, "unanswered")


def _ids(message: dict[str, Any], kind: str, name: str) -> set[str]:
    return {field(block, name) for block in blocks(message, kind)}


def _text_of(messages: list[Any]) -> str:
    """Return the text of the last message."""
    last = messages[-1] if messages else {}
    content = last.get("content")
    if isinstance(content, str):
        return content
    return "".join(field(block, "text") or "" for block in blocks(last, "text"))


@checker("09.a")
def check_09_a(polite_loop: Any) -> None:
    loop, _, messages = _looped(polite_loop, [_DONE], 5, "end", "at_once")
    expect(loop.asked == 1 and not loop.ran, "needless", asked=loop.asked, ran=len(loop.ran))
    expect(_text_of(messages) == _DONE.parts[0], "answer_lost")

    two = [("find_order", {"number": 1042}), ("check_inventory", {"sku": "SKU-210"})]
    turns = [ScriptedTurn("I will look.", *two), _DONE]
    loop, _, messages = _looped(polite_loop, turns, 5, "end", "with_calls")
    expect(len(loop.ran) == 2, "ran", got=len(loop.ran))
    expect(_text_of(messages) == _DONE.parts[0], "answer_lost")

    loop, _, _ = _looped(polite_loop, [_PAUSES, _LOOKS, _DONE], 5, "end", "pause")
    expect(loop.asked == 3, "pause_asked", got=loop.asked)
    expect(len(loop.model.requests[1]["messages"]) == 2, "pause_left_out")

    cut = ScriptedTurn(("find_order", {"number": 104}), stop_reason="max_tokens")
    loop, _, _ = _looped(polite_loop, [cut, _DONE], 5, "end", "cut_call")
    expect(len(loop.ran) == 1 and loop.ran[0].cut_off, "cut_off")
    for stop_reason, reason in (
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "context_window"),
        ("compaction", "other"),
    ):
        turn = ScriptedTurn("Order 1042 is not", stop_reason=stop_reason)
        _looped(polite_loop, [turn], 5, reason, "reason")
    _looped(polite_loop, [_LOOKS, ScriptedTurn(stop_reason="refusal")], 5, "refusal", "reason")

    for most in (4, 1):
        loop, reason, messages = _looped(polite_loop, [_LOOKS], most, None, "")
        expect(loop.asked == most, "cap", max_turns=most, got=loop.asked)
        last = loop.model.requests[-1]
        expect(_choice(last) == "none", "not_forbidden", max_turns=most, got=repr(last.get("tool_choice")))
        expect(reason == "end", "reason_at_cap", got=repr(reason))
        expect(_text_of(messages) == _LAST_WORD, "last_word_lost")
    loop, reason, messages = _looped(polite_loop, [_LOOKS, _DONE], 2, None, "")
    expect(reason == "end" and _text_of(messages) == _DONE.parts[0], "just_in_time", got=repr(reason))
    _looped(polite_loop, [_PAUSES], 3, "max_turns", "pause_last")


def _looped(
    polite_loop: Any, turns: list[ScriptedTurn], max_turns: int, reason: str | None, key: str
) -> tuple[_Loop, Any, list[Any]]:
    """Return one run: what it was asked, its reason (which is checked, unless None) and its messages."""
    loop = _Loop(*turns)
    got = call(polite_loop, loop.ask, loop.run, "Where is order 1042?", max_turns)
    expect(got is not None, "returns_none")
    expect(isinstance(got, tuple | list) and len(got) == 2, "shape")
    found, messages = got
    expect_type(found, str, "the reason")
    expect_type(messages, list, "messages")
    expect(loop.asked, "not_asked")
    expect("Where is order 1042?" in json.dumps(loop.model.requests[0]["messages"]), "no_question")
    _check_history(messages)
    before = loop.model.requests[: max_turns - 1]
    expect("none" not in [_choice(one) for one in before], "too_early", max_turns=max_turns)
    forced = [repr(one["tool_choice"]) for one in before if _choice(one) != "auto"]
    expect_empty(forced[:1], "not_free", max_turns=max_turns)
    if reason is not None:
        stop_reason = turns[-1].stop_reason
        expect(found == reason, key, expected=reason, got=repr(found), stop_reason=stop_reason)
    return loop, found, messages


# 09.b: a session in a file ----------------------------------------------------------------------------

_CUSTOMER, _OTHER = "alex@example.com", "emma@example.org"
_FIRST, _SECOND, _STRANGE = "My parcel weighs 2.5 kg.", "And to Canada?", "What is my parcel's weight?"


@checker("09.b")
def check_09_b(reply: Any) -> None:
    with _folder() as folder:
        file = folder / "sessions.sqlite"
        model = ScriptedModel(*[f"This is answer {n}." for n in range(1, 9)])
        agent = Agent("shop", "Help the customers.", [], (model.client, _MODEL))
        got = call(reply, agent, file, _CUSTOMER, _FIRST)
        expect(got is not None, "returns_none")
        expect(not isinstance(got, Response), "response")
        expect_type(got, str, "reply(agent, file, customer, text)")
        expect(model.requests, "not_asked")
        asked = len(model.requests)
        expect(got == "This is answer 1." and asked == 1, "answer", got=got, asked=asked)
        earlier = [one for one in _users(model.requests[0])[:-1] if one != _FIRST]
        expect(not earlier, "earlier", got=" / ".join(earlier))
        call(reply, agent, file, _OTHER, _STRANGE)
        call(reply, agent, file, _CUSTOMER, _SECOND)
        expect(len(model.requests) == 3, "asked", got=len(model.requests))
        _, others, again = [_users(one) for one in model.requests]
        expect(_FIRST not in others, "mixes")
        expect(again[-1:] == [_SECOND], "text", got=again[-1] if again else "")
        in_file = _sessions(file)
        expect(_FIRST in again or in_file, "in_memory")
        expect(_FIRST in again, "forgets", got=listed(in_file))
        expect(again == [_FIRST, _SECOND], "again", got=" / ".join(again))
        expect(in_file, "no_file")
        expect(in_file == sorted((_CUSTOMER, _OTHER)), "ids", got=listed(in_file))
        call(reply, agent, folder / "another.sqlite", _CUSTOMER, _SECOND)
        expect(_users(model.requests[-1]) == [_SECOND], "one_file")


@contextmanager
def _folder() -> Iterator[Path]:
    # Windows cannot remove a file that somebody has left open.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        yield Path(name)


def _users(request: dict[str, Any]) -> list[str]:
    """Return the texts of the user in a request."""
    return [_text_of([one]) for one in request["messages"] if one["role"] == "user"]


def _sessions(file: Path) -> list[str]:
    if not file.is_file():
        return []
    try:
        with SessionStore(file) as store:
            return store.session_ids()
    except CourseError:  # a file, and no store
        return []


# 09.c: runs that wait ---------------------------------------------------------------------------------

_MESSAGE = "Please refund what I ordered twice."
_THREE = [
    ScriptedTurn(
        ("refund_order", {"number": 1042, "amount": 5}), ("refund_order", {"number": 1039, "amount": 500})
    ),
    ScriptedTurn(("refund_order", {"number": 1036, "amount": 20})),
    ScriptedTurn("Two refunds are on their way, one was refused."),
]


class _Desk:
    """A runner whose model follows a script, and what was paid."""

    def __init__(self, *turns: ScriptedTurn) -> None:
        self.paid: list[int] = []
        self.shown: list[ToolCall] = []
        self.model = ScriptedModel(*turns)

        @tool(needs_approval=True)
        def refund_order(number: int, amount: int) -> str:
            """Refund an amount of an order."""
            self.paid.append(amount)
            return f"{amount} dollars of order {number} were refunded."

        agent = Agent("desk", "Help the customers.", [refund_order], (self.model.client, _MODEL))
        self.runner = Runner(agent, on_limit="stop")

    def up_to(self, most: int) -> Callable[[Any], bool]:
        def allows(one: Any) -> bool:
            expect(isinstance(one, ToolCall), "allows_gets", got=type(one).__name__)
            self.shown.append(one)
            return one.arguments["amount"] <= most

        return allows


@checker("09.c")
def check_09_c(run_with_approvals: Any) -> None:
    desk, response = _approved(run_with_approvals, _THREE[2:], 100)
    expect(response.stop_reason == "end" and len(desk.model.requests) == 1, "nothing_waits")

    desk, response = _approved(run_with_approvals, _THREE[1:], 100)
    expect(response.stop_reason != "approval", "not_resumed")
    expect(desk.paid, "not_paid")
    expect(desk.paid == [20], "twice", got=desk.paid)

    desk, response = _approved(run_with_approvals, [_THREE[0], _THREE[2]], 100)
    expect(500 not in desk.paid, "paid_too_much", got=desk.paid)
    expect(response.stop_reason != "approval", "not_resumed")
    expect(desk.paid == [5], "only_allowed", got=desk.paid)

    desk, response = _approved(run_with_approvals, [_THREE[0], _THREE[2]], 0)
    expect(not desk.paid, "paid_none", got=desk.paid)
    expect(response.stop_reason == "end" and not response.waiting, "refused_all", got=response.stop_reason)

    desk, response = _approved(run_with_approvals, _THREE, 100)
    expect(response.stop_reason != "approval", "waits_again", asked=len(desk.model.requests))
    expect(desk.paid == [5, 20], "in_all", got=desk.paid)
    expect(response.content == _THREE[2].parts[0], "other_response", got=response.content)


def _approved(run_with_approvals: Any, turns: list[ScriptedTurn], most: int) -> tuple[_Desk, Response]:
    desk = _Desk(*turns)
    response = call(run_with_approvals, desk.runner, "anna", _MESSAGE, desk.up_to(most))
    expect_returned(response, Response, "run_with_approvals(...)")
    counts = [_users(one).count(_MESSAGE) for one in desk.model.requests]
    expect(any(counts), "not_run")
    expect(max(counts) == 1, "says_it_again")
    sessions = desk.runner.store.session_ids()
    expect(sessions == ["anna"], "session", got=listed(sessions))
    return desk, response
