"""How long a turn of tool calls takes, beside bare threads or a bare asyncio.gather in the same run.

    python tests/benchmarks/bench_execution.py

8 and 64 tools of 100 ms, sync and async, from a sync and an async caller: the ratios are what to compare
between machines (1.00 is as fast as it can be). Then how much later than its limit a call comes back, and
what one call of a trivial function costs, here and in other libraries where they are installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from course_lib.execution import run_calls, run_calls_async
from course_lib.tools import ToolCall, tool

SECONDS, ROUNDS = 0.1, 7
LIMITS, LIMIT = 20, 0.05
TRIVIAL = 300


@tool
def wait(n: int) -> int:
    """Wait a tenth of a second."""
    time.sleep(SECONDS)
    return n


@tool
async def wait_async(n: int) -> int:
    """Wait a tenth of a second."""
    await asyncio.sleep(SECONDS)
    return n


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def calls(name: str, count: int) -> list[ToolCall]:
    return [ToolCall(str(n), name, {"n": n}) for n in range(count)]


def bare_threads(count: int) -> None:
    threads = [threading.Thread(target=wait.function, args=(n,)) for n in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


async def bare_gather(count: int) -> None:
    await asyncio.gather(*(wait_async.function(n) for n in range(count)))


def milliseconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def waiting(count: int) -> None:
    """Print the medians of all four ways, each with its ratio to the bare one."""
    ways = {
        "sync tools, sync caller": (lambda: run_calls(calls("wait", count), [wait]), "threads"),
        "sync tools, async caller": (
            lambda: asyncio.run(run_calls_async(calls("wait", count), [wait])),
            "threads",
        ),
        "async tools, sync caller": (lambda: run_calls(calls("wait_async", count), [wait_async]), "gather"),
        "async tools, async caller": (
            lambda: asyncio.run(run_calls_async(calls("wait_async", count), [wait_async])),
            "gather",
        ),
    }
    bare = {"threads": lambda: bare_threads(count), "gather": lambda: asyncio.run(bare_gather(count))}
    taken: dict[str, list[float]] = {name: [] for name in (*bare, *ways)}
    for _ in range(ROUNDS):  # in turns, so that a busy moment meets all of them
        for name, run in {**bare, **{name: run for name, (run, _) in ways.items()}}.items():
            taken[name].append(milliseconds(run))
    median = {name: statistics.median(times) for name, times in taken.items()}
    print(f"{count} tools of {SECONDS * 1000:.0f} ms")
    for name in bare:
        print(f"  bare {name:24} {median[name]:7.1f} ms")
    for name, (_, beside) in ways.items():
        print(f"  {name:29} {median[name]:7.1f} ms   {median[name] / median[beside]:.2f} times bare {beside}")


def lateness() -> None:
    """How much later than their limit calls come back."""
    release = threading.Event()

    @tool
    def hang() -> None:
        release.wait(60)

    @tool
    async def hang_async() -> None:
        await asyncio.sleep(60)

    print(f"a call over its limit of {LIMIT * 1000:.0f} ms comes back")
    for one in (hang, hang_async):
        late = [
            milliseconds(lambda one=one: run_calls([ToolCall("c", one.name, {})], [one], timeout=LIMIT))
            - LIMIT * 1000
            for _ in range(LIMITS)
        ]
        print(
            f"  {one.name:11} {statistics.median(late):5.1f} ms later in the median, {max(late):5.1f} at most"
        )
    release.set()


def microseconds(run: Callable[[], Any]) -> float:
    """The least of five, in processor time: what the call costs, not what else the machine does."""
    run()
    taken = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(TRIVIAL):
            run()
        taken.append((time.process_time() - start) / TRIVIAL * 1e6)
    return min(taken)


def others() -> Iterator[tuple[str, Callable[[], Any]]]:
    """One call of the same function in other libraries, without a model."""
    with contextlib.suppress(ImportError):
        from langchain_core.messages import AIMessage
        from langchain_core.tools import tool as langchain_tool
        from langgraph.graph import END, MessagesState, StateGraph
        from langgraph.prebuilt import ToolNode

        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode([langchain_tool(add.function)]))
        graph.set_entry_point("tools")
        graph.add_edge("tools", END)
        node = graph.compile()
        asked = [{"name": "add", "args": {"a": 1, "b": 2}, "id": "c", "type": "tool_call"}]
        message = AIMessage(content="", tool_calls=asked)
        yield "LangChain's ToolNode", lambda: node.invoke({"messages": [message]})
    with contextlib.suppress(ImportError):
        from anthropic import beta_tool

        theirs = beta_tool(lambda_free_add())
        yield "anthropic's tool.call, no thread", lambda: theirs.call({"a": 1, "b": 2})


def lambda_free_add() -> Callable[[int, int], str]:
    def add(a: int, b: int) -> str:
        """Add two numbers."""
        return str(a + b)

    return add


def overhead() -> None:
    one = [ToolCall("c", "add", {"a": 1, "b": 2})]

    def in_thread() -> None:
        thread = threading.Thread(target=add.function, args=(1, 2))
        thread.start()
        thread.join()

    rows = {
        "the function itself": lambda: add(1, 2),
        "a bare thread": in_thread,
        "asyncio.run of nothing": lambda: asyncio.run(asyncio.sleep(0)),
        "tool.execute (arguments checked)": lambda: add.execute(a=1, b=2),
        "run_calls, one call": lambda: run_calls(one, [add]),
        "run_calls, eight, each": lambda: run_calls(one * 8, [add]),
        **dict(others()),
    }
    print("one call of a trivial function, in processor time")
    for name, run in rows.items():
        taken = microseconds(run) / (8 if name.endswith("each") else 1)
        print(f"  {name:34} {taken:8.1f} microseconds")


def main() -> None:
    run_calls(calls("wait", 1), [wait])  # imports and caches
    waiting(8)
    waiting(64)
    lateness()
    overhead()


if __name__ == "__main__":
    main()
