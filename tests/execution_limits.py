"""What the tests of limits share: tools that hang, and a watch over what must not overlap."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest

from course_lib.execution import left_running, run_calls
from course_lib.tools import ToolCall, tool


@contextlib.contextmanager
def released():
    """An event for hanging tools to wait for, set at the end so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()
    until(lambda: not left_running())


def until(condition) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited 30 s in vain")


def call(name: str, id: str = "c", **arguments) -> ToolCall:
    return ToolCall(id, name, arguments)


@tool
def quick() -> str:
    return "quick"


def hanging(release, **options):
    @tool(**options)
    def hang() -> str:
        release.wait(30)
        return "late"

    return hang


def texts(calls, tools, **options):
    return [one.content for one in run_calls(calls, tools, **options)]


class Watch:
    """Tells whether any two of its functions were ever inside at the same time."""

    def __init__(self):
        self.inside, self.overlaps, self.order = 0, 0, []
        self.lock = threading.Lock()

    def __enter__(self):
        with self.lock:
            self.inside += 1
            self.overlaps += self.inside > 1

    def __exit__(self, *error):
        with self.lock:
            self.inside -= 1

    def tools(self):
        @tool(sequential=True)
        def change(n: int = 0) -> int:
            with self:
                self.order.append(n)
                time.sleep(0.002)
            return n

        @tool(sequential=True)
        async def change_async(n: int = 0) -> int:
            with self:
                self.order.append(n)
                await asyncio.sleep(0.002)
            return n

        return [change, change_async]


def mixed(count: int) -> list[ToolCall]:
    return [call("change_async" if n % 2 else "change", n=n) for n in range(count)]
