"""run_calls: one result for each call, in the order of the calls; what goes along; mistakes."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from execution_tools import EVERYWHERE, TOOLS, add, call, from_async, from_notebook, from_sync
from weekly import tenth

from course_lib.errors import CourseError, ToolSchemaError
from course_lib.execution import run_calls, run_calls_async
from course_lib.tools import Context, tool

# Order --------------------------------------------------------------------------------------------


@EVERYWHERE
def test_no_calls_give_no_results(run):
    assert run([], TOOLS) == [] == run([], [])


@EVERYWHERE
def test_each_call_has_its_result_with_its_id_in_the_order_of_the_calls(run):
    @tool
    def wait(seconds: float) -> float:
        time.sleep(seconds)
        return seconds

    found = run([call("wait", {"seconds": s}, id=str(s)) for s in (0.03, 0.01, 0.0)], [wait])
    assert [(one.tool_call_id, one.content) for one in found] == [
        ("0.03", "0.03"),
        ("0.01", "0.01"),
        ("0.0", "0.0"),
    ]
    assert found[2].ended < found[0].ended


def test_the_order_is_that_of_the_calls_in_random_schedules():
    """Each async call waits for a random other one to end first, so that any order of ending happens."""
    chance = random.Random(5)

    async def turns():
        for _ in range(tenth(1000)):
            count = chance.randint(2, 8)
            order = chance.sample(range(count), count)
            ended = [asyncio.Event() for _ in order]
            at_end: list[int] = []

            @tool
            async def work(number: int) -> int:
                place = order.index(number)  # noqa: B023 (each turn has its own tool)
                if place:
                    await ended[order[place - 1]].wait()  # noqa: B023
                at_end.append(number)  # noqa: B023
                ended[number].set()  # noqa: B023
                if chance.random() < 0.3:
                    raise ValueError(number)
                return number

            calls = [call("work", {"number": n}, id=str(n)) for n in range(count)]
            found = await run_calls_async(calls, [work])
            assert at_end == order
            assert [one.tool_call_id for one in found] == [str(n) for n in range(count)]
            assert all(one.content.endswith(one.tool_call_id) for one in found)

    asyncio.run(turns())


def test_threads_that_end_in_any_order_do_not_mix_results():
    chance = random.Random(6)

    @tool
    def work(number: int) -> int:
        time.sleep(chance.random() / 1000)
        return number

    for _ in range(20):
        found = run_calls([call("work", {"number": n}, id=str(n)) for n in range(16)], [work])
        assert [(one.tool_call_id, one.content) for one in found] == [(str(n), str(n)) for n in range(16)]


def test_calls_of_a_turn_run_at_the_same_time():
    """Two of each kind, sync and async, that can only end together."""
    here = threading.Barrier(3)

    @tool
    def meet() -> str:
        here.wait(30)
        return "met"

    @tool
    async def meet_async() -> str:
        await asyncio.to_thread(here.wait, 30)
        return "met"

    calls = [call("meet", {}), call("meet_async", {}), call("meet", {})]
    assert [one.content for one in run_calls(calls, [meet, meet_async])] == ["met"] * 3


def test_sync_tools_leave_the_loop_free():
    beats = []
    go_on = threading.Event()

    @tool
    def block() -> str:
        go_on.wait(30)
        return "done"

    async def heart():
        while len(beats) < 20:
            beats.append(1)
            await asyncio.sleep(0)
        go_on.set()

    async def main():
        found, _ = await asyncio.gather(run_calls_async([call("block", {})] * 3, [block]), heart())
        return found

    assert [one.content for one in asyncio.run(main())] == ["done"] * 3


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_run_at_the_same_time_than_max_workers(most):
    lock, now, peak = threading.Lock(), [0], [0]

    @tool
    def work() -> None:
        with lock:
            now[0] += 1
            peak[0] = max(peak[0], now[0])
        time.sleep(0.002)
        with lock:
            now[0] -= 1

    assert len(run_calls([call("work", {})] * 12, [work], max_workers=most)) == 12
    assert peak[0] <= most


def test_times_are_seconds_from_the_start_of_the_turn():
    found = run_calls([call("add"), call("nope")], TOOLS)
    assert 0 <= found[0].started <= found[0].ended
    assert found[1].started is None and found[1].ended is None


# What goes along ----------------------------------------------------------------------------------

USER = contextvars.ContextVar("USER", default="nobody")


@EVERYWHERE
def test_context_variables_go_with_every_call_and_do_not_come_back(run):
    def who():
        before = USER.get()
        USER.set("changed by a tool")
        return before

    async def who_async():
        return who()

    tools = [tool(who), tool(who_async)]
    token = USER.set("ana")
    try:
        found = run([call("who", {}), call("who_async", {}), call("who", {})], tools)
        assert [one.content for one in found] == ["ana"] * 3 and USER.get() == "ana"
    finally:
        USER.reset(token)


def test_the_context_reaches_the_tools_that_ask_for_it():
    @tool
    def mine(context: Context, n: int) -> str:
        return f"{context.user} {n}"

    (found,) = run_calls([call("mine", {"n": 1})], [mine], context=Context(user="ana"))
    assert found.content == "ana 1"


@EVERYWHERE
def test_the_context_tells_each_call_its_id_and_its_key(run):
    """The object is one for all of them, so that tools can leave something in it."""

    @tool
    def mine(context: Context) -> list:
        context.seen.append(context)
        return [context.call_id, context.call_key, context.user]

    @tool
    async def mine_async(context: Context) -> list:
        await asyncio.sleep(0)
        return mine(context)

    context = Context(user="ana", seen=[])
    calls = [call("mine", {}, "a"), call("mine_async", {}, "b", key="k1"), call("mine", {}, "c", key="k2")]
    found = run(calls, [mine, mine_async], context=context)
    told = ['["a","a","ana"]', '["b","k1","ana"]', '["c","k2","ana"]']
    assert [one.content for one in found] == told
    assert all(one is context for one in context.seen)
    assert context.call_id == ""  # no call runs here
    assert context == Context(user="ana", seen=context.seen)


@EVERYWHERE
def test_what_a_tool_calls_itself_has_its_own_id(run):
    @tool
    def inner(context: Context) -> str:
        return context.call_id

    @tool
    def outer(context: Context) -> list:
        (found,) = run_calls([call("inner", {}, "inside")], [inner], context=context)
        return [found.content, context.call_id]

    (found,) = run([call("outer", {}, "outside")], [outer], context=Context())
    assert found.content == '["inside","outside"]'


@EVERYWHERE
def test_a_key_for_all_is_none(run):
    """In threads that a tool starts itself nobody knows for which call, and "" would be one key for each."""

    @tool
    def in_a_pool(context: Context) -> str:
        with ThreadPoolExecutor() as pool:
            return pool.submit(lambda: context.call_key).result()

    @tool
    async def in_an_executor(context: Context) -> str:
        return await asyncio.get_running_loop().run_in_executor(None, lambda: context.call_key)

    @tool
    async def to_thread(context: Context) -> str:
        return await asyncio.to_thread(lambda: context.call_key)

    tools = [in_a_pool, in_an_executor, to_thread]
    calls = [call(one.name, {}, one.name, key="k") for one in tools]
    found = run(calls, tools, context=Context(user="ana"))
    for one in found[:2]:
        assert one.is_error and "key = context.call_key, and give the thread the key" in one.content
    assert found[2].content == "k"
    with pytest.raises(CourseError, match=r"no call of a model runs.*Context\(call_key='any text'"):
        Context().call_key  # noqa: B018


def test_a_context_may_have_a_field_of_that_name():
    @dataclasses.dataclass
    class Mine(Context):
        call_id: str
        user: str

    with pytest.raises(TypeError, match="call_id"):
        Mine(user="ana")
    assert (Mine("a", "ana").call_id, Mine("a", "ana").user) == ("a", "ana")


def test_a_key_that_the_program_sets_itself_comes_first():
    @tool
    def mine(context: Context) -> list:
        return [context.call_id, context.call_key]

    (found,) = run_calls([call("mine", {}, "a")], [mine], context=Context(call_key="of the program"))
    assert found.content == '["a","of the program"]'


def test_the_key_of_a_call_is_no_part_of_what_is_compared_or_shown():
    with_key = call("add", key="k")
    assert with_key == call("add") and repr(with_key) == repr(call("add"))
    assert [one.name for one in dataclasses.fields(with_key)] == ["id", "name", "arguments", "cut_off"]
    assert dataclasses.replace(with_key, id="b").key == "k"


def test_methods_are_tools_of_their_object():
    class Shop:
        def __init__(self, name):
            self.name = name

        @tool
        def hello(self) -> str:
            return f"hello from {self.name}"

        @tool
        async def hello_async(self) -> str:
            return f"hello from {self.name}"

    shop = Shop("Soria")
    found = run_calls([call("hello", {}), call("hello_async", {})], [shop.hello, shop.hello_async])
    assert [one.content for one in found] == ["hello from Soria"] * 2


def test_a_tool_may_run_calls_itself():
    @tool
    def outer() -> str:
        return run_calls([call("add")], TOOLS)[0].content

    @tool
    async def outer_async() -> str:
        return run_calls([call("add")], TOOLS)[0].content  # a sync helper inside an async tool

    assert [
        one.content for one in run_calls([call("outer", {}), call("outer_async", {})], [outer, outer_async])
    ] == [
        "3",
        "3",
    ]


def test_the_arguments_in_the_history_stay_as_they_were_sent():
    @tool
    def change(box: dict[str, Any], tags: list[str]) -> int:
        box.clear()
        tags.append("changed")
        return 1

    sent = {"box": {"w": {"x": 1}}, "tags": ["a"]}
    run_calls([call("change", sent)], [change])
    assert sent == {"box": {"w": {"x": 1}}, "tags": ["a"]}


# Mistakes of the program --------------------------------------------------------------------------


class Shelf:
    @tool
    def find(self, number: int) -> int:
        return number


@pytest.mark.parametrize(
    ("calls", "tools", "options", "says"),
    [
        ([call("add")], [add, add], {}, "Two tools are called 'add'"),
        ([call("add")], [add.function], {}, "Put @tool on the function"),
        ([call("add")], {"add": add}, {}, "list\\(tools.values"),
        (call("add"), [add], {}, "write \\[call\\]"),
        (None, [add], {}, "calls is None.*read_calls"),
        ([call("add")], add, {}, "write \\[add\\]"),
        ([call("add")], None, {}, "tools is None"),
        ([call("add")], [Shelf.find], {}, "method of Shelf.*Shelf\\(...\\).find"),
        ([call("add")], [add], {"context": {"user": "a"}}, "context is a dict"),
        ([call("add")], [add], {"approve": lambda: True}, "one argument, the ToolCall"),
        ([{"id": "c", "name": "add", "input": {}}], TOOLS, {}, "dict is no ToolCall.*read_calls"),
        ([call("add")], TOOLS, {"timeout": 0}, "timeout is 0; write seconds"),
        ([call("add")], TOOLS, {"timeout": "10"}, "timeout is '10'"),
        ([call("add")], TOOLS, {"timeout": True}, "timeout is True"),
        ([call("add")], TOOLS, {"turn_timeout": -1}, "turn_timeout is -1"),
        ([call("add")], TOOLS, {"timeout": float("nan")}, "timeout is nan"),
        ([call("add")], TOOLS, {"max_workers": 0}, "max_workers is 0"),
        ([call("add")], TOOLS, {"max_characters": 1.5}, "max_characters is 1.5"),
        ([call("add")], TOOLS, {"approve": True}, "approve is True"),
    ],
)  # fmt: skip
def test_a_mistake_of_the_program_is_raised_before_anything_runs(calls, tools, options, says):
    for run in (from_sync, from_async, from_notebook):
        with pytest.raises(CourseError, match=says):
            run(calls, tools, **options)


def test_a_context_that_is_missing_is_a_mistake_of_the_program():
    ran = []

    @tool
    def first():
        ran.append(1)

    @tool
    def mine(context: Context) -> str:
        return "x"

    with pytest.raises(CourseError, match="mine takes a Context"):
        run_calls([call("first", {}), call("mine", {})], [first, mine])
    assert not ran


def test_two_tools_of_one_name_are_a_schema_error():
    with pytest.raises(ToolSchemaError):
        run_calls([], [add, add])
