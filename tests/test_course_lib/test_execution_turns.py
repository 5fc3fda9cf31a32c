"""run_calls with tools that must not overlap, and with tools that need an approval."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from execution_limits import Watch, call, hanging, mixed, quick, released, texts, until

from course_lib.execution import left_running, run_calls, run_calls_async
from course_lib.tools import ToolCall, tool


@pytest.fixture
def release():
    with released() as event:
        yield event


# One at a time ------------------------------------------------------------------------------------


def test_sequential_calls_of_a_turn_run_one_after_the_other_in_their_order():
    watch = Watch()
    assert texts(mixed(10), watch.tools()) == [str(n) for n in range(10)]
    assert watch.order == list(range(10)) and not watch.overlaps


def test_sequential_calls_of_turns_in_other_threads_and_loops_do_not_overlap_either():
    watch = Watch()
    tools = watch.tools()

    async def two_turns():
        await asyncio.gather(run_calls_async(mixed(6), tools), run_calls_async(mixed(6), tools))

    threads = [threading.Thread(target=run_calls, args=(mixed(6), tools)) for _ in range(4)]
    threads.append(threading.Thread(target=lambda: asyncio.run(two_turns())))
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(watch.order) == 36 and not watch.overlaps


def test_other_calls_run_beside_sequential_ones():
    both = threading.Barrier(2)

    @tool(sequential=True)
    def change() -> str:
        both.wait(30)
        return "changed"

    @tool
    def read() -> str:
        both.wait(30)
        return "read"

    assert texts([call("change"), call("read")], [change, read]) == ["changed", "read"]


def test_no_sequential_call_starts_beside_one_that_was_given_up(release):
    watch = Watch()
    hang = hanging(release, sequential=True)
    tools = [hang, quick, *watch.tools()]
    found = texts([call("hang"), call("change"), call("quick")], tools, timeout=0.3)
    busy = "change did not run: an earlier call of hang still runs."
    assert found[1:] == [busy, "quick"]
    assert texts([call("change")], tools) == [busy]  # the next turn
    assert not watch.order
    release.set()
    until(lambda: not left_running())
    assert texts([call("change")], tools) == ["0"]


def test_those_that_wait_in_other_turns_are_told_when_one_is_given_up(release):
    watch = Watch()
    tools = [hanging(release, sequential=True), *watch.tools()]

    async def main():
        first = asyncio.ensure_future(run_calls_async([call("hang")], tools, timeout=0.05))
        await asyncio.sleep(0.01)
        second = await run_calls_async([call("change_async")], tools, timeout=None)
        await first
        return second[0].content

    assert asyncio.run(main()) == "change_async did not run: an earlier call of hang still runs."


def test_waiting_for_a_sequential_call_of_another_turn_ends_with_the_turns_limit(release):
    tools = [hanging(release, sequential=True), *Watch().tools()]

    async def main():
        first = asyncio.ensure_future(run_calls_async([call("hang")], tools))
        await asyncio.sleep(0.01)
        (second,) = await run_calls_async([call("change")], tools, turn_timeout=0.02)
        release.set()
        await first
        (third,) = await run_calls_async([call("change")], tools)
        return second.content, third.content

    second, third = asyncio.run(main())
    assert "did not run: the limit of 0.02 s for all calls" in second and third == "0"


def test_a_sequential_tool_may_run_sequential_calls_itself():
    watch = Watch()

    @tool(sequential=True)
    def delegate() -> str:
        return ",".join(texts(mixed(4), watch.tools()))

    assert texts([call("delegate")] * 2, [delegate]) == ["0,1,2,3"] * 2
    assert not watch.overlaps


# Approval -----------------------------------------------------------------------------------------


def refund_tool(ran):
    @tool(needs_approval=True)
    def refund(number: int) -> str:
        ran.append(number)
        return f"refunded {number}"

    return refund


async def agree_async(one):
    await asyncio.sleep(0)
    return True


@pytest.mark.parametrize("approve", [lambda one: True, agree_async])
def test_a_call_that_is_approved_runs(approve):
    ran = []
    assert texts([call("refund", number=7)], [refund_tool(ran)], approve=approve) == ["refunded 7"]
    assert ran == [7]


async def refuse_async(one):
    return f"order {one.arguments['number']} is too old"


def fail(one):
    raise ConnectionError("the desk is closed")


def leave(one):
    raise SystemExit(3)


REFUSED = (
    "refund did not run: it needs an approval, which was not given{}. "
    "Do not call it again for this; tell the user."
)
NOT_ASKED = "refund did not run: asking for its approval failed: {}"


@pytest.mark.parametrize(
    ("approve", "says"),
    [
        (None, REFUSED.format(" (nobody is there to give it)")),
        (lambda one: False, REFUSED.format("")),
        (lambda one: None, REFUSED.format("")),
        (lambda one: 1, REFUSED.format("")),
        (lambda one: "yes", REFUSED.format(" (yes)")),
        (refuse_async, REFUSED.format(" (order 7 is too old)")),
        (
            fail,
            NOT_ASKED.format("ConnectionError: the desk is closed."),
        ),
        (leave, NOT_ASKED.format("SystemExit: 3.")),
    ],
    ids=["nobody", "false", "none", "one", "text", "async", "raises", "exits"],
)
def test_a_call_that_is_not_approved_does_not_run_and_the_model_is_told(approve, says):
    ran = []
    found = run_calls([call("quick"), call("refund", number=7)], [refund_tool(ran), quick], approve=approve)
    assert not ran and found[0].content == "quick"
    assert found[1].is_error and found[1].content.startswith(says) and found[1].started is None


def test_several_are_asked_one_at_a_time_in_order_while_others_run():
    watch, ran = Watch(), []
    others_done = threading.Event()

    @tool
    def other() -> str:
        others_done.set()
        return "other"

    def approve(one):
        with watch:
            others_done.wait(30)
            watch.order.append(one.arguments["number"])
            return one.arguments["number"] != 2

    calls = [*(call("refund", number=n) for n in range(4)), call("other")]
    found = run_calls(calls, [refund_tool(ran), other], approve=approve)
    assert watch.order == [0, 1, 2, 3] and not watch.overlaps
    assert [one.is_error for one in found] == [False, False, True, False, False] and sorted(ran) == [0, 1, 3]


def test_nobody_is_asked_about_a_call_that_cannot_run():
    asked = []
    run_calls([ToolCall("c", "refund", "{")], [refund_tool([])], approve=asked.append)
    assert not asked


def test_waiting_for_an_answer_is_not_the_calls_own_time():
    def approve(one):
        time.sleep(0.4)
        return True

    assert texts([call("refund", number=1)], [refund_tool([])], approve=approve, timeout=0.3) == [
        "refunded 1"
    ]


def test_waiting_for_an_answer_ends_with_the_turn(release):
    ran = []
    found = texts(
        [call("refund", number=1)] * 2,
        [refund_tool(ran)],
        approve=lambda one: release.wait(30),
        turn_timeout=0.05,
    )
    assert "the limit of 0.05 s for all calls of the turn was over" in found[0] and "did not run" in found[0]
    assert "did not run" in found[1] and not ran
