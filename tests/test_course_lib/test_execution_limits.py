"""run_calls with limits of time, and how it ends when it is told to stop."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from execution_limits import call, hanging, quick, released, texts, until

from course_lib.execution import left_running, run_calls, run_calls_async
from course_lib.tools import tool


@pytest.fixture
def release():
    with released() as event:
        yield event


# Time limits --------------------------------------------------------------------------------------


def test_a_call_over_its_limit_is_told_and_the_others_keep_their_results(release):
    @tool
    async def hang_async() -> str:
        await asyncio.sleep(30)

    calls = [call("hang"), call("quick"), call("hang_async"), call("quick")]
    found = run_calls(calls, [hanging(release), hang_async, quick], timeout=0.3)
    assert [one.content for one in found] == [
        "hang failed: it took longer than its limit of 0.3 s. It may still run to its end, but nobody waits "
        "for what it returns.",
        "quick",
        "hang_async failed: it took longer than its limit of 0.3 s, and was stopped.",
        "quick",
    ]
    assert [one.is_error for one in found] == [True, False, True, False]
    assert found[0].ended - found[0].started >= 0.3


def test_what_returns_after_its_limit_is_dropped_and_counted_until_then(release):
    hang = hanging(release)
    assert left_running() == {}
    for count in (1, 2):
        run_calls([call("hang")], [hang], timeout=0.01)
        assert left_running() == {"hang": count}
    release.set()
    until(lambda: not left_running())


def test_a_limit_is_counted_from_the_calls_own_start():
    @tool
    def work() -> str:
        time.sleep(0.2)
        return "done"

    # One after the other they take longer than the limit.
    assert texts([call("work")] * 3, [work], timeout=0.5, max_workers=1) == ["done"] * 3


def test_calls_that_hang_do_not_starve_later_ones(release):
    hang = hanging(release)
    for _ in range(3):
        run_calls([call("hang")] * 64, [hang], timeout=0.01)
    assert left_running() == {"hang": 192}
    assert texts([call("quick")] * 64, [quick], timeout=30) == ["quick"] * 64
    # In the same turn: their places are free after their limit.
    assert texts([call("hang"), call("quick")], [hang, quick], timeout=0.3, max_workers=1)[1] == "quick"


def test_a_turn_has_a_limit_too(release):
    found = run_calls(
        [call("hang"), call("hang"), call("quick")],
        [hanging(release), quick],
        turn_timeout=0.2,
        max_workers=1,
    )
    over = "the limit of 0.2 s for all calls of the turn was over"
    assert [one.content for one in found] == [
        f"hang failed: {over}. It may still run to its end, but nobody waits for what it returns.",
        f"hang did not run: {over}.",
        f"quick did not run: {over}.",
    ]
    assert found[0].started is not None and found[1].started is None


def test_without_limits_a_call_may_take_its_time():
    @tool
    def work() -> str:
        time.sleep(0.01)
        return "done"

    assert texts([call("work")], [work], timeout=None) == ["done"]


def test_a_call_that_was_given_up_before_it_began_never_begins(monkeypatch):
    ran = []
    start = threading.Thread.start
    held = []

    @tool
    def work() -> None:
        ran.append(1)

    async def turn():
        with monkeypatch.context() as patch:  # a machine so busy that the thread comes too late
            patch.setattr(threading.Thread, "start", lambda thread: held.append(thread))
            return await run_calls_async([call("work")], [work], timeout=0.01)

    (found,) = asyncio.run(turn())
    assert found.is_error
    for thread in held:
        start(thread)
        thread.join()
    assert held and not ran and not left_running()


def test_an_async_tool_that_will_not_stop_is_not_waited_for(release):
    @tool
    async def stubborn() -> str:
        while not release.is_set():
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                pass
        raise ValueError("in the end")

    found = run_calls([call("stubborn"), call("quick")], [stubborn, quick], timeout=0.3)
    assert "limit of 0.3 s. It may still run" in found[0].content and found[1].content == "quick"
    assert left_running() == {"stubborn": 1}
    release.set()
    until(lambda: not left_running())


def test_an_async_tool_may_clean_up_after_its_limit(release):
    cleaned = threading.Event()

    @tool
    async def work() -> str:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.03)
            cleaned.set()

    run_calls([call("work")], [work], timeout=0.01)
    assert cleaned.wait(30)


def test_a_function_run_by_to_thread_inside_a_tool_is_not_waited_for(release):
    @tool
    async def hang() -> str:
        await asyncio.to_thread(release.wait, 30)

    found = run_calls([call("hang")] * 40 + [call("quick")], [hang, quick], timeout=0.3)
    assert [one.is_error for one in found] == [True] * 40 + [False]


def test_a_coroutine_that_comes_too_late_is_dropped_without_a_warning(release):
    @tool
    def start():
        release.wait(30)
        return asyncio.sleep(0)

    run_calls([call("start")], [start], timeout=0.01)
    release.set()
    until(lambda: not left_running())


# Cancellation and Ctrl-C --------------------------------------------------------------------------


def test_cancelling_a_turn_cancels_its_calls_and_stays_a_cancellation(release):
    ended = []

    @tool
    async def sleep() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(1)

    async def main():
        turn = asyncio.ensure_future(
            run_calls_async([call("sleep"), call("hang")], [sleep, hanging(release)])
        )
        await asyncio.sleep(0.02)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        await asyncio.sleep(0)
        assert ended == [1] and left_running() == {"hang": 1}

    asyncio.run(main())


def test_wait_for_around_a_turn_works(release):
    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_calls_async([call("hang")], [hanging(release)]), 0.02)

    asyncio.run(main())


def test_calls_that_wait_do_not_start_after_a_cancellation():
    ran = []

    @tool
    async def work() -> None:
        ran.append(1)
        await asyncio.sleep(30)

    async def main():
        turn = asyncio.ensure_future(run_calls_async([call("work")] * 3, [work], max_workers=1))
        await asyncio.sleep(0.01)
        turn.cancel()
        await asyncio.wait({turn})
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert ran == [1]


START = """
import asyncio, sys, threading, time
from course_lib.execution import run_calls, run_calls_async, left_running
from course_lib.tools import ToolCall, tool
@tool
def hang():
    print("inside", flush=True)
    threading.Event().wait(60)
@tool
async def hang_async():
    print("inside", flush=True)
    await asyncio.sleep(60)
@tool
async def hang_in_thread():
    print("inside", flush=True)
    await asyncio.to_thread(threading.Event().wait, 60)
@tool
def later():
    print("later", flush=True)
def calls(*names):
    return [ToolCall(name, name, {}) for name in names]
tools = [hang, hang_async, hang_in_thread, later]
"""


@pytest.mark.parametrize(
    "main",
    [
        "run_calls(calls('hang', 'later'), tools, max_workers=1)",
        "run_calls(calls('hang_async', 'later'), tools, max_workers=1)",
        "asyncio.run(run_calls_async(calls('hang'), tools))",
        """
async def cell():
    run_calls(calls('hang', 'later'), tools, max_workers=1)
asyncio.new_event_loop().run_until_complete(cell())  # as a kernel: with Python's own handler for Ctrl-C
""",
    ],
    ids=["sync", "async tool", "async", "notebook"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
def test_ctrl_c_stops_a_turn_at_once(main):
    program = START + textwrap.dedent("""
        try:
            MAIN
        except KeyboardInterrupt:
            print("stopped", flush=True)
        time.sleep(0.2)
        """).replace("MAIN", textwrap.indent(main, "    ").strip())
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout.readline() == "inside\n"
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=50)[0]
    assert rest == "stopped\n"  # and what waited for its turn was not started


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(
    "main",
    [
        "run_calls(calls('stop', 'silent'), [stop, silent])",
        "asyncio.new_event_loop().run_until_complete(cell())  # as a kernel does",
    ],
    ids=["program", "notebook"],
)
def test_ctrl_c_inside_a_tool_is_ctrl_c(kind, main):
    # In a process of its own: should one come late, it must not end the tests.
    program = START + textwrap.dedent(f"""
        @tool
        def silent():  # what it printed in its thread could run into the last line
            return 1
        @tool
        {kind} stop():
            raise KeyboardInterrupt
        async def cell():
            run_calls(calls('stop'), [stop])
        try:
            {main}
        except KeyboardInterrupt:
            print("stopped")
        """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=50)
    assert done.stdout.splitlines()[-1] == "stopped" and done.returncode == 0


@pytest.mark.parametrize("name", ["hang", "hang_async", "hang_in_thread"])
def test_a_call_that_hangs_does_not_keep_the_program_from_exiting(name):
    program = START + f"print(run_calls(calls({name!r}), tools, timeout=0.05)[0].is_error)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=50)
    assert done.stdout.split() == ["inside", "True"] and done.stderr == "" and done.returncode == 0
