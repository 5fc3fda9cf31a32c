"""Checkers of lesson 06: every call answered in one message, calls at the same time, and a shared stock."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from course_lib.checks import NotYet, call, checker, expect, expect_type
from course_lib.checks.texts import text_for_exercise
from course_lib.tools import ToolCall

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


@checker("06.a")
def check_06_a(answer_all: Any) -> None:
    try:
        got = call(answer_all, list(_CALLS), dict(_TOOLS))
    except (ValueError, KeyError, TypeError) as error:
        raise NotYet(text_for_exercise("lets_out", got=f"{type(error).__name__}: {error}")) from error
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
    expect(sorted(map(str, ids)) == [one.id for one in _CALLS], "ids", got=", ".join(map(str, ids)))
    for block in blocks:
        _check_block(block)


def _check_block(block: dict[str, Any]) -> None:
    one = next(found for found in _CALLS if found.id == block["tool_use_id"])
    content, failed = block.get("content"), block.get("is_error", False)
    expect_type(content, str, 'the block\'s "content"')
    values = {"name": one.name, "arguments": json.dumps(one.arguments)}
    if one.id in ("toolu_1", "toolu_6"):
        expect(failed is False, "good_marked", **values)
        expected = _TOOLS[one.name](**one.arguments)
        try:
            arrived = json.loads(content)
        except ValueError as error:
            raise NotYet(text_for_exercise("no_json", got=content[:60])) from error
        expect(arrived == expected, "other_value", **values)
        return
    expect(failed is True, "not_marked", **values)
    expect(len(content.strip()) >= 2, "no_reason", **values)
    if one.id == "toolu_4":
        expect("no tool" not in content.lower() and "find_order" not in content, "key_error", got=content)
    expect(_REASONS.get(one.id, "7") in content.lower(), "no_reason", **values)


@checker("06.b", seconds=20)
def check_06_b(in_parallel: Any) -> None:
    try:
        got = call(in_parallel, [], lambda one: one)
    except ValueError as error:
        raise NotYet(text_for_exercise("empty_raises", got=str(error))) from error
    expect(got == [], "empty")
    calls = [ToolCall(f"call_{n}", "wait", {"n": n}) for n in range(12)]
    together = threading.Barrier(len(calls), timeout=3)

    def meet(one: ToolCall) -> str:
        together.wait()  # nobody gets past before all have come
        return one.id

    try:
        got = call(in_parallel, calls, meet)
    except threading.BrokenBarrierError as error:
        raise NotYet(text_for_exercise("not_together", n=len(calls))) from error
    expect_type(got, list, "in_parallel(calls, run)")
    expect(
        not any(isinstance(one, threading.BrokenBarrierError) for one in got), "not_together", n=len(calls)
    )
    expect(len(got) == len(calls), "number", expected=len(calls), got=len(got))
    expect(got == [one.id for one in calls], "order_together", got=", ".join(map(str, got[:4])))
    _check_order(in_parallel, calls)
    _check_failure(in_parallel, calls)


def _check_order(in_parallel: Any, calls: list[ToolCall]) -> None:
    """The last call ends first, the first last."""
    done = [threading.Event() for _ in calls]

    def backwards(one: ToolCall) -> int:
        number = one.arguments["n"]
        if number + 1 < len(calls):
            done[number + 1].wait(3)
        done[number].set()
        return number

    got = call(in_parallel, calls, backwards)
    expect(got == list(range(len(calls))), "order", got=", ".join(map(str, got[:4])))


def _check_failure(in_parallel: Any, calls: list[ToolCall]) -> None:
    def fail(one: ToolCall) -> int:
        if one.arguments["n"] == 5:
            raise LookupError("nothing there")
        return one.arguments["n"]

    try:
        got = call(in_parallel, calls, fail)
    except LookupError as error:
        raise NotYet(text_for_exercise("lets_out")) from error
    expect(len(got) == len(calls), "lost", got=len(got))
    expect(isinstance(got[5], LookupError), "no_exception", got=repr(got[5]))
    expect(
        [one for one in got if not isinstance(one, LookupError)] == [0, 1, 2, 3, 4, *range(6, 12)], "others"
    )


class _Slow(dict):
    """A stock that lets another thread in between a look and a change."""

    def __init__(self, values: dict[str, int]) -> None:
        super().__init__(values)
        self.looks = 0

    def __getitem__(self, key: str) -> int:
        value = super().__getitem__(key)
        self.looks += 1
        threading.Event().wait(0.002)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default


@checker("06.c", seconds=20)
def check_06_c(take: Any) -> None:
    stock = {"SKU-990": 2, "SKU-410": 0}
    got = [call(take, stock, "SKU-990") for _ in range(3)]
    expect(None not in got, "returns_none")
    expect(stock["SKU-990"] != 2, "unchanged")
    expect(got == [True, True, False], "alone", got=", ".join(map(repr, got)))
    expect(call(take, stock, "SKU-410") is False, "none_left")
    expect(stock == {"SKU-990": 0, "SKU-410": 0}, "stock", got=repr(stock))

    crowd = _Slow({"SKU-990": 5})
    answers, raised = [], []

    def one() -> None:
        try:
            answers.append(take(crowd, "SKU-990"))
        except Exception as error:  # noqa: BLE001 - told below
            raised.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=one, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 3
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    expect(not raised, "raised", got=raised[0] if raised else "")
    expect(not any(thread.is_alive() for thread in threads), "stuck")
    sold, left = sum(map(bool, answers)), dict.__getitem__(crowd, "SKU-990")
    expect(sold == 5, "oversold", sold=sold)
    expect(left == 0, "left", left=left)
