"""Thousands of calls, half of them failing in one way or another, leave nothing behind but their results."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sys
import threading
import time
import warnings

import pytest
from weekly import WEEKLY

from course_lib.execution import left_running, run_calls, run_calls_async
from course_lib.tools import ToolCall, tool

CALLS, BATCH = 10_000 if WEEKLY else 2_000, 100


@tool
def good(n: int) -> dict:
    return {"n": n, "city": "Logroño"}


@tool
async def good_async(n: int) -> int:
    await asyncio.sleep(0)
    return n


@tool
def fail(n: int) -> int:
    raise ValueError(f"number {n}")


@tool
async def fail_async(n: int) -> int:
    raise ConnectionError(f"number {n}")


@tool
def leave(n: int) -> int:
    sys.exit(n)


@tool
async def give_up(n: int) -> int:
    raise asyncio.CancelledError


@tool(needs_approval=True)
async def refund(n: int) -> int:
    return n


@tool
async def slow(n: int) -> int:
    await asyncio.sleep(60)


@tool
def large(n: int) -> str:
    return "x" * 30_000


TOOLS = [good, good_async, fail, fail_async, leave, give_up, refund, slow, large]
GOOD = [("good", {"n": 1}), ("good_async", {"n": 1}), ("large", {"n": 1})]
BAD = [
    ("fail", {"n": 1}),
    ("fail_async", {"n": 1}),
    ("leave", {"n": 1}),
    ("give_up", {"n": 1}),
    ("refund", {"n": 1}),
    ("nope", {}),
    ("good", {"n": "many"}),
    ("good_async", '{"n": '),
]


def turn(chance: random.Random, start: int) -> list[tuple[ToolCall, bool]]:
    """The calls of one turn, each with whether it fails."""
    found = []
    for number in range(start, start + BATCH):
        bad = number % 2 == 1
        name, arguments = chance.choice(BAD if bad else GOOD)
        found.append((ToolCall(str(number), name, arguments), bad))
    chance.shuffle(found)
    return found


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted on Linux only")
@pytest.mark.filterwarnings("error")
def test_thousands_of_mixed_calls_leave_nothing_behind():
    chance = random.Random(7)
    run_calls([one for one, _ in turn(chance, 0)], TOOLS)  # what is loaded and remembered once
    gc.collect()
    threads, files = threading.active_count(), open_files()
    memory = []
    answered = 0
    for start in range(0, CALLS, BATCH):
        calls = turn(chance, start)
        asked = [one for one, _ in calls]
        # In turns: from a program, from a loop.
        found = asyncio.run(run_calls_async(asked, TOOLS)) if start // BATCH % 2 else run_calls(asked, TOOLS)
        assert [one.tool_call_id for one in found] == [one.id for one, _ in calls]
        assert [one.is_error for one in found] == [bad for _, bad in calls]
        answered += len(found)
        if start % (CALLS // 4) == CALLS // 4 - BATCH:
            gc.collect()
            memory.append(sys.getallocatedblocks())
    assert answered == CALLS and not left_running()
    settle(lambda: threading.active_count() <= threads)
    assert open_files() <= files
    assert memory[-1] < memory[0] + 1000, memory  # objects, over three quarters of the calls


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted on Linux only")
@pytest.mark.filterwarnings("error")
def test_only_functions_that_overrun_keep_their_threads():
    release = threading.Event()

    @tool
    def hang() -> None:
        release.wait(60)

    calls = [ToolCall(str(n), ("hang", "slow", "good")[n % 3], {"n": n} if n % 3 else {}) for n in range(60)]
    gc.collect()
    threads, files = threading.active_count(), open_files()
    for _ in range(3):
        found = run_calls(calls, [*TOOLS, hang], timeout=0.5)
        assert [one.is_error for one in found] == [n % 3 != 2 for n in range(60)]
    assert left_running() == {"hang": 60}
    settle(lambda: threading.active_count() == threads + 60)
    assert open_files() <= files
    release.set()
    settle(lambda: threading.active_count() <= threads)
    assert not left_running()


def settle(condition) -> None:
    """Wait for threads that are about to end."""
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited 30 s in vain")


def test_nothing_warns_of_what_was_left_open():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            run_calls([ToolCall("a", "slow", {"n": 1}), ToolCall("b", "fail", {"n": 1})], TOOLS, timeout=0.01)
        gc.collect()
