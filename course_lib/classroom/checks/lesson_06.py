"""Checkers of lesson 06: every call answered in one message, calls at the same time, and a shared stock."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import json
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from ...tools import ToolCall
from .helpers import call, expect, expect_type, explained, listed, not_yet
from .results import described
from .running import checker

_TOOLS: dict[str, Callable[..., Any]] = {
    "get_weather": lambda city: {"city": city, "condition": "lluvia y sol en Logroño"},
    "find_order": lambda number: {"number": number, "status": {1042: "shipped"}[number]},
    "check_inventory": lambda sku: int(sku),
}
_CALLS = [
    ToolCall("toolu_1", "get_weather", {"city": "Madrid"}),
    ToolCall("toolu_2", "check_inventory", {"sku": "SKU-990"}),  # ValueError
    ToolCall("toolu_3", "search_help", {"query": "returns"}),  # no such tool
    ToolCall("toolu_4", "find_order", {"number": 7}),  # KeyError, inside the tool
    ToolCall("toolu_5", "find_order", {"id": 7}),  # TypeError
    ToolCall("toolu_6", "find_order", {"number": 1042}),
]
# What the text of each failing call has to say, in lower case.
_REASONS = {"toolu_2": "sku-990", "toolu_3": "search_help", "toolu_5": "id"}


def _expect_no_coroutine(got: object, function: str) -> None:
    """Go on if a function gave what it returns, and not what an `async def` gives: something to await."""
    if inspect.isawaitable(got):
        if inspect.iscoroutine(got):
            got.close()  # else Python warns that nobody awaited it
        raise not_yet("checks.06.coroutine", function=function)


@checker("06.a")
def check_06_a(answer_all: Any) -> None:
    with explained("lets_out", ValueError, KeyError, TypeError):
        got = call(answer_all, list(_CALLS), dict(_TOOLS))
    _expect_no_coroutine(got, "answer_all")
    expect(not isinstance(got, dict), "one_message_no_list")
    expect_type(got, list, "answer_all(calls, tools)")
    expect(len(got) == 1, "messages", got=len(got))
    (message,) = got
    expect_type(message, dict, "the message")
    expect(message.get("role") == "user", "role", got=repr(message.get("role")))
    blocks = message.get("content")
    expect_type(blocks, list, 'the message\'s "content"')
    expect(len(blocks) == len(_CALLS), "number", expected=len(_CALLS), got=len(blocks))
    for block in blocks:
        expect_type(block, dict, "each block")
        expect(block.get("type") == "tool_result", "type", got=repr(block.get("type")))
    ids = [block.get("tool_use_id") for block in blocks]
    expect(sorted(map(str, ids)) == [one.id for one in _CALLS], "ids", got=listed(ids))
    answers = {block["tool_use_id"]: block for block in blocks}
    for one in _CALLS:
        _check_block(one, answers)


def _check_block(one: ToolCall, answers: dict[str, dict[str, Any]]) -> None:
    block = answers[one.id]
    content, failed = block.get("content"), block.get("is_error", False)
    expect_type(content, str, 'the block\'s "content"')
    values = {"name": one.name, "arguments": json.dumps(one.arguments)}
    if one.id in ("toolu_1", "toolu_6"):
        expect(failed is False, "good_marked", **values)
        expected = _TOOLS[one.name](**one.arguments)
        with explained("no_json", ValueError, got=content[:60]):
            arrived = json.loads(content)
        expect(arrived == expected, "other_value", **values)
        return
    expect(failed is True, "not_marked", **values)
    if one.id == "toolu_4":
        _check_key_error(content, answers["toolu_3"].get("content"))
    has_reason = len(content.strip()) >= 2 and _REASONS.get(one.id, "7") in content.lower()
    expect(has_reason, "no_reason", **values, got=content)


def _check_key_error(content: str, unknown: str) -> None:
    """Check the text of a tool that exists and raised KeyError: it must not say that there is no such tool.

    `unknown` is the text for a name that is not in tools: the same sentence here confuses the two.
    """
    others = [name for name in _TOOLS if name != "find_order" and name in content]
    same = "find_order" in content and content == unknown.replace("search_help", "find_order")
    expect("no tool" not in content.lower() and not others and not same, "key_error", got=content)
    expect(content.strip().strip("'\"") != "7", "only_key", got=content)


@checker("06.b", seconds=20)
def check_06_b(in_parallel: Any) -> None:
    with _without_traces_of_threads():
        _check_in_parallel(in_parallel)


def _check_in_parallel(in_parallel: Any) -> None:
    with explained("empty_raises", ValueError):
        got = _results(in_parallel, [], lambda one: one)
    expect(got == [], "empty", got=repr(got))
    calls = [ToolCall(f"call_{n}", "wait", {"n": n}) for n in range(12)]
    together, alone = threading.Barrier(len(calls), timeout=3), threading.Event()

    def meet(one: ToolCall) -> str:
        try:
            together.wait()  # nobody gets past before all have come
        except threading.BrokenBarrierError:
            alone.set()
        return one.id

    got = _results(in_parallel, calls, meet)
    expect(not alone.is_set(), "not_together", n=len(calls))
    expect(len(got) == len(calls), "number", expected=len(calls), got=len(got))
    expect(got == [one.id for one in calls], "order_together", got=listed(got[:4]))
    _check_order(in_parallel, calls)
    _check_failure(in_parallel, calls)


def _results(in_parallel: Any, calls: list[ToolCall], run: Callable[[ToolCall], Any]) -> list[Any]:
    """Return what in_parallel returns, if it is a list."""
    got = call(in_parallel, calls, run)
    _expect_no_coroutine(got, "in_parallel")
    expect(not isinstance(got, Iterator), "generator")
    expect_type(got, list, "in_parallel(calls, run)")
    return got


@contextlib.contextmanager
def _without_traces_of_threads() -> Iterator[None]:
    """Keep Python from printing what a thread of the answer raises: the check reports it."""
    before = threading.excepthook
    threading.excepthook = lambda raised: None
    try:
        yield
    finally:
        threading.excepthook = before


def _check_order(in_parallel: Any, calls: list[ToolCall]) -> None:
    """Check the order of the results where the last call ends first, the first last."""
    done = [threading.Event() for _ in calls]

    def backwards(one: ToolCall) -> int:
        number = one.arguments["n"]
        if number + 1 < len(calls):
            done[number + 1].wait(3)
        done[number].set()
        return number

    got = _results(in_parallel, calls, backwards)
    expect(got == list(range(len(calls))), "order", got=listed(got[:4]))


def _check_failure(in_parallel: Any, calls: list[ToolCall]) -> None:
    def fail(one: ToolCall) -> int:
        if one.arguments["n"] == 5:
            raise LookupError("nothing there")
        return one.arguments["n"]

    with explained("lets_out", LookupError):
        got = _results(in_parallel, calls, fail)
    expect(len(got) == len(calls), "lost", got=len(got))
    expect(isinstance(got[5], LookupError), "no_exception", got=repr(got[5]))
    others = [one for one in got if not isinstance(one, LookupError)]
    expect(others == [0, 1, 2, 3, 4, *range(6, 12)], "others")


_PATIENCE = 3
"""Seconds after which a call that did not come back counts as stuck."""


class _Slow(dict):
    """A stock that lets another thread in between a look and a change."""

    def __getitem__(self, key: str) -> int:
        value = super().__getitem__(key)
        threading.Event().wait(0.002)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default


@checker("06.c", seconds=20)
def check_06_c(take: Any) -> None:
    stock = {"SKU-990": 2, "SKU-410": 0}
    got = [_in_time(take, stock, "SKU-990") for _ in range(3)]
    expect(None not in got, "returns_none")
    expect(stock["SKU-990"] != 2, "unchanged")
    expect(got == [True, True, False], "alone", got=listed([repr(one) for one in got]))
    expect(_in_time(take, stock, "SKU-410") is False, "none_left")
    expect(stock == {"SKU-990": 0, "SKU-410": 0}, "stock", got=repr(stock))

    crowd = _Slow({"SKU-990": 5})
    answers, raised = [], []

    def one() -> None:
        try:
            answers.append(take(crowd, "SKU-990"))
        except Exception as error:  # noqa: BLE001 - reported below
            raised.append(described(error))

    threads = [threading.Thread(target=one, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _PATIENCE
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    expect(not raised, "raised", got=raised[0] if raised else "")
    expect(not any(thread.is_alive() for thread in threads), "stuck", seconds=_PATIENCE)
    sold, left = sum(map(bool, answers)), dict.__getitem__(crowd, "SKU-990")
    if (sold, left) != (5, 0) and _names(getattr(take, "__code__", None)) & {"Lock", "RLock", "Semaphore"}:
        raise not_yet("lock_inside", sold=sold)
    expect(sold == 5, "oversold", sold=sold, left=left)
    expect(left == 0, "left", left=left)


def _in_time(take: Any, *given: Any) -> Any:
    """Return take(*given), called in a thread: waiting for a lock without end holds up nothing there."""
    came: list[Any] = []
    context = contextvars.copy_context()

    def one() -> None:
        try:
            came.append((context.run(call, take, *given), None))
        except BaseException as error:  # noqa: BLE001 - raised again below, where check() sees it
            came.append((None, error))

    thread = threading.Thread(target=one, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    expect(came, "stuck", seconds=_PATIENCE)
    ((value, error),) = came
    if error is not None:
        raise error
    _expect_no_coroutine(value, "take")
    return value


def _names(code: CodeType | None) -> set[str]:
    """Return the names that a function uses, those of the functions inside it too."""
    if not isinstance(code, CodeType):
        return set()
    inside = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inside)
