"""The tools, and the ways to run their calls, of the tests of execution."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from course_lib.execution import run_calls, run_calls_async
from course_lib.tools import ToolCall, ToolResult, tool

KEY = "sk-test-0123456789abcdef"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
async def add_async(a: int, b: int) -> int:
    """Add two numbers."""
    await asyncio.sleep(0)
    return a + b


@tool
def boom(a: int, b: int) -> int:
    """Fail."""
    raise ValueError("disk is full: code 42")


@tool
async def boom_async(a: int, b: int) -> int:
    """Fail."""
    raise ValueError("disk is full: code 42")


TOOLS = [add, add_async, boom, boom_async]
ARGUMENTS = {"a": 1, "b": 2}


def call(name: str, arguments: Any = ARGUMENTS, id: str = "c", **more: Any) -> ToolCall:
    return ToolCall(id, name, arguments, **more)


def from_sync(calls, tools, **options):
    return run_calls(calls, tools, **options)


def from_async(calls, tools, **options):
    return asyncio.run(run_calls_async(calls, tools, **options))


def from_notebook(calls, tools, **options):
    """run_calls where a loop is running already, as in a cell of a notebook."""

    async def cell():
        return run_calls(calls, tools, **options)

    return asyncio.run(cell())


EVERYWHERE = pytest.mark.parametrize("run", [from_sync, from_async, from_notebook])


def beside_others(run, one: ToolCall, tools=TOOLS, **options) -> ToolResult:
    """The result of a call that stands between two good ones, which keep theirs."""
    calls = [call("add", id="first"), one, call("add_async", {"a": 2, "b": 2}, id="last")]
    first, result, last = run(calls, tools, **options)
    assert (first.tool_call_id, first.content, first.is_error) == ("first", "3", False)
    assert (last.tool_call_id, last.content, last.is_error) == ("last", "4", False)
    assert (result.tool_call_id, result.name) == (one.id, one.name)
    return result
