"""Checkers of lesson 09: a loop with a last word, sessions that remember, and runs that wait for approvals.

Their models follow a script, so that the same thing is checked with real models and without a network.
"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...agents import Agent, Response, Runner, SessionStore
from ...errors import CourseError
from ...tools import ToolCall, ToolResult, tool
from . import call, checker, expect, expect_type

_MODEL = "script"
_MOST = 15


def _says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _wants(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments}


_DONE = ("end_turn", _says("Order 1042 has left the warehouse."))
_LOOKS = ("tool_use", _wants("find_order", number=1042))
_PAUSES = ("pause_turn", _says("I am still searching."))
_LAST_WORD = "I could not find out more."


class _Script:
    """A model that says one turn after the other, the last one for ever, and its client.

    Where the request forbids tools, a turn with calls becomes a last word.
    """

    def __init__(self, *turns: tuple[Any, ...]) -> None:
        import anthropic
        import httpx2

        self._turns = turns
        self.sent: list[dict[str, Any]] = []
        self._response = httpx2.Response
        transport = httpx2.MockTransport(self._answer)
        http_client = httpx2.Client(transport=transport)
        self.client = anthropic.Anthropic(
            api_key="none", base_url="http://script.invalid", max_retries=0, http_client=http_client
        )

    def _answer(self, request: Any) -> Any:
        asked = json.loads(request.content)
        self.sent.append(asked)
        stop_reason, *blocks = self._turns[min(len(self.sent), len(self._turns)) - 1]
        if _choice(asked) == "none" and any(block["type"] == "tool_use" for block in blocks):
            stop_reason, blocks = "end_turn", [_says(_LAST_WORD)]
        content = [
            {"id": f"toolu_{len(self.sent)}_{n}", **block} if block["type"] == "tool_use" else block
            for n, block in enumerate(blocks)
        ]
        body = {"id": f"msg_{len(self.sent)}", "type": "message", "role": "assistant", "model": _MODEL}
        usage = {"input_tokens": 10, "output_tokens": 10}
        return self._response(
            200, json={**body, "content": content, "stop_reason": stop_reason, "usage": usage}
        )


def _choice(request: dict[str, Any]) -> Any:
    """The kind of a request's tool_choice; where there is none, the service takes "auto"."""
    choice = request.get("tool_choice") or {"type": "auto"}
    return choice.get("type") if isinstance(choice, dict) else None


# ---- a: a loop with a last word ----


class _Talk:
    """What `polite_loop` is given: `ask` and `run`, which note what they get."""

    def __init__(self, *turns: tuple[Any, ...]) -> None:
        self.script = _Script(*turns)
        self.asked = 0
        self.ran: list[ToolCall] = []

    def ask(self, messages: Any, **more: Any) -> Any:
        expect_type(messages, list, "messages")
        expect(self.asked < _MOST, "endless", got=_MOST)
        _check_history(messages)
        self.asked += 1
        return self.script.client.messages.create(
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
    """What the service would refuse."""
    for message in messages:
        expect_type(message, dict, "each message")
    open_calls: set[str] = set()
    for message in messages:
        results = _ids(message, "tool_result", "tool_use_id")
        expect(results <= open_calls, "no_call")
        expect(open_calls <= results, "unanswered", got=", ".join(sorted(open_calls - results)))
        expect(message.get("content"), "empty_message")
        open_calls = _ids(message, "tool_use", "id")
    expect(not open_calls, "unanswered", got=", ".join(sorted(open_calls)))


def _ids(message: dict[str, Any], kind: str, field: str) -> set[str]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return {_get(block, field) for block in blocks if _get(block, "type") == kind}


def _get(block: Any, field: str) -> Any:
    return block.get(field) if isinstance(block, dict) else getattr(block, field, None)


def _text_of(messages: list[Any]) -> str:
    content = messages[-1].get("content") if messages else ""
    if isinstance(content, str):
        return content
    return "".join(_get(block, "text") or "" for block in content or [] if _get(block, "type") == "text")


@checker("09.a")
def check_09_a(polite_loop: Any) -> None:
    talk, _, messages = _loop(polite_loop, [_DONE], 5, "end", "at_once")
    expect(talk.asked == 1 and not talk.ran, "needless", asked=talk.asked, ran=len(talk.ran))
    expect(_text_of(messages) == _DONE[1]["text"], "answer_lost")

    two = ("tool_use", _wants("find_order", number=1042), _wants("check_inventory", sku="SKU-210"))
    talk, _, messages = _loop(polite_loop, [_says_first(two), _DONE], 5, "end", "with_calls")
    expect(len(talk.ran) == 2, "ran", got=len(talk.ran))
    expect(_text_of(messages) == _DONE[1]["text"], "answer_lost")

    talk, _, _ = _loop(polite_loop, [_PAUSES, _LOOKS, _DONE], 5, "end", "pause")
    expect(talk.asked == 3, "pause_asked", got=talk.asked)
    expect(len(talk.script.sent[1]["messages"]) == 2, "pause_left_out")

    cut = ("max_tokens", _wants("find_order", number=104))
    talk, _, _ = _loop(polite_loop, [cut, _DONE], 5, "end", "cut_call")
    expect(len(talk.ran) == 1 and talk.ran[0].cut_off, "cut_off")
    for stop_reason, reason in (
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "context_window"),
        ("compaction", "other"),
    ):
        _loop(polite_loop, [(stop_reason, _says("Order 1042 is not"))], 5, reason, "reason")
    _loop(polite_loop, [_LOOKS, ("refusal",)], 5, "refusal", "reason")

    for most in (4, 1):
        talk, reason, messages = _loop(polite_loop, [_LOOKS], most, None, "")
        expect(talk.asked == most, "cap", max_turns=most, got=talk.asked)
        last = talk.script.sent[-1]
        expect(_choice(last) == "none", "not_forbidden", max_turns=most, got=repr(last.get("tool_choice")))
        expect(reason == "end", "reason_at_cap", got=repr(reason))
        expect(_text_of(messages) == _LAST_WORD, "last_word_lost")
    talk, reason, messages = _loop(polite_loop, [_LOOKS, _DONE], 2, None, "")
    expect(reason == "end" and _text_of(messages) == _DONE[1]["text"], "just_in_time", got=repr(reason))
    _loop(polite_loop, [_PAUSES], 3, "max_turns", "pause_last")


def _says_first(turn: tuple[Any, ...]) -> tuple[Any, ...]:
    stop_reason, *blocks = turn
    return (stop_reason, _says("I will look."), *blocks)


def _loop(
    polite_loop: Any, turns: list[Any], max_turns: int, reason: str | None, key: str
) -> tuple[_Talk, Any, list[Any]]:
    """One run: what it was asked, its reason (which is checked, unless None) and its messages."""
    talk = _Talk(*turns)
    got = call(polite_loop, talk.ask, talk.run, "Where is order 1042?", max_turns)
    expect(got is not None, "returns_none")
    expect(isinstance(got, tuple | list) and len(got) == 2, "shape")
    found, messages = got
    expect_type(found, str, "the reason")
    expect_type(messages, list, "messages")
    expect(talk.asked, "not_asked")
    expect("Where is order 1042?" in json.dumps(talk.script.sent[0]["messages"]), "no_question")
    _check_history(messages)
    before = talk.script.sent[: max_turns - 1]
    expect("none" not in [_choice(one) for one in before], "too_early", max_turns=max_turns)
    forced = [repr(one["tool_choice"]) for one in before if _choice(one) != "auto"]
    expect(not forced, "not_free", max_turns=max_turns, got=", ".join(forced[:1]))
    if reason is not None:
        stop_reason = turns[-1][0]
        expect(found == reason, key, expected=reason, got=repr(found), stop_reason=stop_reason)
    return talk, found, messages


# ---- b: a session in a file ----


_CUSTOMER, _OTHER = "alex@example.com", "emma@example.org"
_FIRST, _SECOND, _STRANGE = "My parcel weighs 2.5 kg.", "And to Canada?", "What is my parcel's weight?"


@checker("09.b")
def check_09_b(reply: Any) -> None:
    with _folder() as folder:
        file = folder / "sessions.sqlite"
        script = _Script(*[("end_turn", _says(f"This is answer {n}.")) for n in range(1, 9)])
        agent = Agent("shop", "Help the customers.", [], (script.client, _MODEL))
        got = call(reply, agent, file, _CUSTOMER, _FIRST)
        expect(got is not None, "returns_none")
        expect(not isinstance(got, Response), "response")
        expect_type(got, str, "reply(agent, file, customer, text)")
        expect(script.sent, "not_asked")
        expect(
            got == "This is answer 1." and len(script.sent) == 1, "answer", got=got, asked=len(script.sent)
        )
        earlier = [one for one in _users(script.sent[0])[:-1] if one != _FIRST]
        expect(not earlier, "earlier", got=" / ".join(earlier))
        call(reply, agent, file, _OTHER, _STRANGE)
        call(reply, agent, file, _CUSTOMER, _SECOND)
        expect(len(script.sent) == 3, "asked", got=len(script.sent))
        _, others, again = [_users(one) for one in script.sent]
        expect(_FIRST not in others, "mixes")
        expect(again[-1:] == [_SECOND], "text", got=again[-1] if again else "")
        in_file = _sessions(file)
        expect(_FIRST in again or in_file, "in_memory")
        expect(_FIRST in again, "forgets", got=", ".join(in_file))
        expect(again == [_FIRST, _SECOND], "again", got=" / ".join(again))
        expect(in_file, "no_file")
        expect(in_file == sorted((_CUSTOMER, _OTHER)), "ids", got=", ".join(in_file))
        call(reply, agent, folder / "another.sqlite", _CUSTOMER, _SECOND)
        expect(_users(script.sent[-1]) == [_SECOND], "one_file")


@contextmanager
def _folder() -> Iterator[Path]:
    # Windows cannot remove a file that somebody has left open.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        yield Path(name)


def _users(request: dict[str, Any]) -> list[str]:
    """The texts of the user in a request."""
    return [_text_of([one]) for one in request["messages"] if one["role"] == "user"]


def _sessions(file: Path) -> list[str]:
    if not file.is_file():
        return []
    try:
        with SessionStore(file) as store:
            return store.session_ids()
    except CourseError:  # a file, and no store
        return []


# ---- c: runs that wait ----


_MESSAGE = "Please refund what I ordered twice."
_THREE = [
    (
        "tool_use",
        _wants("refund_order", number=1042, amount=5),
        _wants("refund_order", number=1039, amount=500),
    ),
    ("tool_use", _wants("refund_order", number=1036, amount=20)),
    ("end_turn", _says("Two refunds are on their way, one was refused.")),
]


class _Desk:
    """A runner whose model follows a script, and what was paid."""

    def __init__(self, *turns: tuple[Any, ...]) -> None:
        self.paid: list[int] = []
        self.shown: list[ToolCall] = []
        self.script = _Script(*turns)

        @tool(needs_approval=True)
        def refund_order(number: int, amount: int) -> str:
            """Refund an amount of an order."""
            self.paid.append(amount)
            return f"{amount} dollars of order {number} were refunded."

        agent = Agent("desk", "Help the customers.", [refund_order], (self.script.client, _MODEL))
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
    expect(response.stop_reason == "end" and len(desk.script.sent) == 1, "nothing_waits")

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
    expect(response.stop_reason != "approval", "waits_again", asked=len(desk.script.sent))
    expect(desk.paid == [5, 20], "in_all", got=desk.paid)
    expect(response.content == _THREE[2][1]["text"], "other_response", got=response.content)


def _approved(run_with_approvals: Any, turns: list[Any], most: int) -> tuple[_Desk, Response]:
    desk = _Desk(*turns)
    response = call(run_with_approvals, desk.runner, "anna", _MESSAGE, desk.up_to(most))
    expect(response is not None, "returns_none")
    expect_type(response, Response, "run_with_approvals(...)")
    said = [_users(one).count(_MESSAGE) for one in desk.script.sent]
    expect(any(said), "not_run")
    expect(max(said) == 1, "says_it_again")
    expect(
        desk.runner.store.session_ids() == ["anna"], "session", got=", ".join(desk.runner.store.session_ids())
    )
    return desk, response
