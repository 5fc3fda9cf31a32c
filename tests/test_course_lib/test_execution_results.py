"""What becomes of a call, told to the model: whatever goes wrong with it, and whatever comes back from it."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import datetime
import decimal
import json
import pickle
import sys
import threading
import uuid
from typing import Annotated

import pytest
from execution_limits import until
from execution_tools import (
    ARGUMENTS,
    EVERYWHERE,
    KEY,
    TOOLS,
    add,
    beside_others,
    call,
    from_sync,
)
from pydantic import AfterValidator, BaseModel

from course_lib.errors import CourseError, ToolArgumentError, ToolExecutionError, ToolNotRunError
from course_lib.execution import left_running, run_calls
from course_lib.tools import ToolCall, ToolResult, tool

# What goes wrong ----------------------------------------------------------------------------------


@EVERYWHERE
@pytest.mark.parametrize(
    ("one", "says"),
    [
        (call("boom"), ["boom", "ValueError", "disk is full: code 42"]),
        (call("boom_async"), ["boom_async", "ValueError", "disk is full: code 42"]),
        (call("add", {"a": "many", "b": 2}), ["add", "a ", "integer", "many"]),
        (call("add", {"a": "many", "zzz": 1}), ["add", "a ", "b ", "zzz"]),
        (call("add", {"a": 1}), ["add", "b ", "missing"]),
        (call("add", {"a": 1, "b": 2, "zzz": 3}), ["add", "zzz"]),
        (call("add", {"a": True, "b": 2}), ["add", "a ", "integer"]),
        (call("add", '{"a": 1, "b'), ["add", "not valid JSON", '{"a": 1, "b']),
        (call("add", "[1, 2]"), ["add", "object", "array"]),
        (call("add", ""), ["add", "a ", "b "]),
        (call("add_async", {"a": 1}), ["add_async", "b "]),
        (call("ad"), ["There is no tool 'ad'", "Did you mean add?", "add, add_async, boom, boom_async"]),
        (call("multi_tool_use.parallel"), ["no tool 'multi_tool_use.parallel'", "add"]),
        (call(""), ["There is no tool ''", "add"]),
        (call("add", cut_off=True), ["add", "cut off", "did not run"]),
    ],
    ids=lambda value: "" if isinstance(value, list) else f"{value.name}-{value.arguments}"[:40],
)
def test_a_failure_is_told_to_the_model_and_the_others_keep_their_results(run, one, says):
    result = beside_others(run, one)
    assert result.is_error
    for part in says:
        assert part in result.content


def test_without_tools_every_call_is_answered_that_there_are_none():
    (found,) = run_calls([call("add")], [])
    assert found.is_error and "there are no tools" in found.content


def test_the_text_of_an_unknown_tool_says_nothing_of_arguments():
    (found,) = run_calls([call("get_wether", {"city": "Soria"})], [add])
    assert found.content == "There is no tool 'get_wether'; the tools are: add. Nothing was run."


@pytest.mark.parametrize("name", [None, 7, ["add"], {"add": 1}, "x" * 100_000, "\ud800", "add\n"])
def test_a_name_that_is_no_name_is_an_unknown_tool(name):
    result = beside_others(from_sync, ToolCall("c", name, {}))
    assert result.is_error and "There is no tool" in result.content
    assert len(result.content) < 2_200
    result.content.encode("utf-8")


@pytest.mark.parametrize("arguments", [None, 3, ["a"], "\ud800", "[" * 100_000, {1: 2}])
def test_arguments_that_are_no_arguments_are_told(arguments):
    result = beside_others(from_sync, call("add", arguments))
    assert result.is_error and "add" in result.content
    result.content.encode("utf-8")


def test_broken_json_never_runs_a_tool_with_its_defaults():
    ran = []

    @tool
    def wipe(path: str = "/"):
        ran.append(path)

    (found,) = run_calls([call("wipe", '{"path": "/data/x", ')], [wipe])
    assert found.is_error and "/data/x" in found.content and not ran


def test_a_call_that_was_cut_off_does_not_run_even_if_it_looks_complete():
    ran = []

    @tool
    def wipe(path: str = "/"):
        ran.append(path)

    (found,) = run_calls([call("wipe", {}, cut_off=True)], [wipe])
    assert found.is_error and not ran


class Odd(BaseException):
    """Neither an Exception nor one of Python's own."""


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


RAISED = [
    (ValueError("x y z"), "ValueError: x y z"),
    (KeyError("sku"), "KeyError: 'sku'"),
    (AssertionError(), "AssertionError"),
    (StopIteration(3), "StopIteration"),
    (SystemExit(2), "SystemExit: 2"),
    (GeneratorExit(), "GeneratorExit"),
    (Odd("strange"), "Odd: strange"),
    (Unspeakable(), "Unspeakable"),
    (asyncio.CancelledError(), "cancelled from inside"),
    (TimeoutError("the shop did not answer"), "TimeoutError: the shop did not answer"),
    (ExceptionGroup("two", [ValueError("left"), KeyError("right")]), "ValueError: left; KeyError: 'right'"),
    (ToolExecutionError("broken", "the shop is closed on Sundays"), "the shop is closed on Sundays"),
    (CourseError("from inside"), "CourseError: from inside"),
    (ValueError("\ud800"), "ValueError: ?"),
]


@EVERYWHERE
@pytest.mark.parametrize(("error", "says"), RAISED, ids=[type(error).__name__ for error, _ in RAISED])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_whatever_a_tool_raises_is_its_failure(run, error, says, is_async):
    def broken():
        raise error

    async def broken_async():
        raise error

    result = beside_others(
        run, call("broken", {}), [*TOOLS, tool(broken_async if is_async else broken, name="broken")]
    )
    assert result.is_error and says in result.content and result.content.startswith("broken failed")
    assert "Traceback" not in result.content
    result.content.encode("utf-8")


def test_sys_exit_is_a_failure_of_the_tool():
    @tool
    def leave():
        sys.exit("bye")

    assert "SystemExit: bye" in beside_others(from_sync, call("leave", {}), [*TOOLS, leave]).content


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyError("no"), SystemExit("no")])
def test_a_check_of_arguments_that_breaks_is_a_failure_of_the_tool(error):
    def check(value: int) -> int:
        raise error

    @tool
    def checked(value: Annotated[int, AfterValidator(check)]) -> int:
        return value

    result = beside_others(from_sync, call("checked", {"value": 1}), [*TOOLS, checked])
    assert result.is_error and "checked" in result.content and "no" in result.content


@EVERYWHERE
@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (call("boom"), ValueError),
        (call("boom_async"), ValueError),
        (call("add", {"a": "many", "b": 2}), ToolArgumentError),
        (call("nope"), ToolArgumentError),
        (call("add", cut_off=True), ToolNotRunError),
        (call("slow"), ToolExecutionError),
        (call("ask_first"), ToolNotRunError),
    ],
)
def test_the_program_finds_the_exception_behind_an_error(run, one, kind):
    @tool
    async def slow(a: int, b: int) -> None:
        await asyncio.sleep(60)

    @tool(needs_approval=True)
    def ask_first(a: int, b: int) -> None: ...

    found, well = run([one, call("add")], [*TOOLS, slow, ask_first], timeout=0.05)
    assert found.is_error and type(found.cause) in (kind, *kind.__subclasses__())
    assert well.cause is None
    if kind is ValueError:
        assert str(found.cause) == "disk is full: code 42" and found.cause.__traceback__ is not None


def test_the_exception_is_no_part_of_what_is_compared_shown_or_kept():
    class Locked(Exception):
        def __init__(self, lock):
            self.lock = lock

    @tool
    def fail() -> None:
        raise Locked(threading.Lock())

    (found,) = run_calls([call("fail", {})], [fail])
    alike = ToolResult(found.tool_call_id, found.name, found.content, True, found.started, found.ended)
    assert isinstance(found.cause, Locked) and found == alike and repr(found) == repr(alike)
    assert "cause" not in dataclasses.asdict(found)
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):  # a lock can neither
        assert copied == found and copied.cause is None
    assert dataclasses.replace(found, content="Masked").cause is found.cause


def test_no_secret_of_an_exception_reaches_the_model():
    @tool
    def search(q: str) -> str:
        raise RuntimeError(f"GET https://maps.invalid/v1?q={q}&key={KEY} Authorization: Bearer {KEY} -> 403")

    (found,) = run_calls([call("search", {"q": "bus"})], [search])
    assert KEY not in found.content and "RuntimeError" in found.content and "403" in found.content


def test_a_long_exception_is_cut_and_masked_soon():
    @tool
    def search() -> str:
        raise RuntimeError("9" * 1_000_000 + f" key={KEY}")

    (found,) = run_calls([call("search", {})], [search])
    assert KEY not in found.content and len(found.content) < 2_200 and "left out" in found.content


def test_the_same_failure_five_turns_running_changes_nothing():
    for _ in range(5):
        assert "code 42" in beside_others(from_sync, call("boom")).content
        assert "many" in beside_others(from_sync, call("add", {"a": "many", "b": 1})).content


@tool(needs_approval=True)
def refund() -> str:
    """Refund."""
    return "refunded"


@tool
async def sleep() -> None:
    """Sleep."""
    await asyncio.sleep(60)


@EVERYWHERE
@pytest.mark.parametrize("name", ["boom", "sleep", "refund", "nope"])
def test_every_call_of_a_message_gets_its_message_or_the_next_request_would_be_refused(run, name):
    from course_lib.providers import openai_chat

    asked = [
        {"id": id, "type": "function", "function": {"name": one, "arguments": json.dumps(arguments)}}
        for id, one, arguments in (
            ("call_1", "add", ARGUMENTS),
            ("call_2", name, ARGUMENTS if name == "boom" else {}),
        )
    ]
    calls = openai_chat.read_calls({"role": "assistant", "content": None, "tool_calls": asked})
    written = openai_chat.write_results(run(calls, [*TOOLS, refund, sleep], timeout=0.5))
    assert [(one["role"], one["tool_call_id"]) for one in written] == [("tool", "call_1"), ("tool", "call_2")]
    assert written[0]["content"] == "3" and written[1]["content"].startswith("Error: ")
    assert name in written[1]["content"]


# What comes back ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Shape(BaseModel):
    name: str
    when: datetime.date


DAY = datetime.date(2026, 1, 2)
RETURNED = [
    ("plain", "plain"),
    (7, "7"),
    (0.1, "0.1"),
    (True, "true"),
    (None, "OK (no output)"),
    ("", "OK (no output)"),
    ({"k": 1, "ü": "é"}, '{"k":1,"ü":"é"}'),
    ([1, "a", None], '[1,"a",null]'),
    ((1, 2), "[1,2]"),
    ({1}, "[1]"),
    (b"\xff\x00", "/wA="),
    (datetime.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
    (decimal.Decimal("1.10"), "1.10"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (Point(1, 2), '{"x":1,"y":2}'),
    (Shape(name="s", when=DAY), '{"name":"s","when":"2026-01-02"}'),
    ([Shape(name="s", when=DAY)], '[{"name":"s","when":"2026-01-02"}]'),
    (float("nan"), "NaN"),
    (object(), "<object object>"),
]  # fmt: skip


@EVERYWHERE
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_whatever_a_tool_returns_arrives_as_json_or_plain_text(run, is_async):
    values = [value for value, _ in RETURNED]

    def give(number: int):
        return values[number]

    async def give_async(number: int):
        return values[number]

    giver = tool(give_async if is_async else give, name="give")
    found = run([call("give", {"number": n}) for n in range(len(values))], [giver])
    assert [(one.content, one.is_error) for one in found] == [(text, False) for _, text in RETURNED]


def test_a_plain_function_may_return_something_to_await():
    @tool
    def start(a: int):
        return asyncio.sleep(0, result=a)

    @tool
    def start_and_fail():
        async def later():
            raise ValueError("later")

        return later()

    found = run_calls([call("start", {"a": 5}), call("start_and_fail", {})], [start, start_and_fail])
    assert [one.content for one in found] == ["5", "start_and_fail failed: ValueError: later"]


def test_generators_are_read_to_their_end_and_fail_as_functions_do():
    @tool
    def count(to: int):
        yield from range(to)

    @tool
    async def count_async(to: int):
        for number in range(to):
            yield number

    @tool
    def break_off():
        yield 1
        raise ValueError("no more")

    @tool
    async def break_off_async():
        yield 1
        raise ValueError("no more")

    tools = [count, count_async, break_off, break_off_async]
    calls = [
        call("count", {"to": 3}),
        call("count_async", {"to": 3}),
        call("break_off", {}),
        call("break_off_async", {}),
    ]
    assert [one.content for one in run_calls(calls, tools)] == [
        "[0,1,2]",
        "[0,1,2]",
        "break_off failed: ValueError: no more",
        "break_off_async failed: ValueError: no more",
    ]


def test_what_cannot_be_written_down_is_a_failure_of_the_tool():
    @tool
    def give():
        return Unspeakable()

    assert "RuntimeError: no words" in beside_others(from_sync, call("give", {}), [*TOOLS, give]).content


def test_a_result_that_is_too_large_keeps_its_ends_and_says_what_is_missing():
    @tool
    def read_log() -> str:
        return "START" + "x" * 500_000 + "END"

    (found,) = run_calls([call("read_log", {})], [read_log], max_characters=10_000)
    assert found.content.startswith("START") and found.content.endswith("END") and not found.is_error
    assert len(found.content) < 10_100 and "490,008 of 500,008 characters left out" in found.content
    assert len(run_calls([call("read_log", {})], [read_log])[0].content) < 21_000


def test_a_frame_arrives_as_its_rows():
    import pandas

    @tool
    def rows():
        return pandas.DataFrame([{"id": n, "note": "x" * 80} for n in range(100)])

    (found,) = run_calls([call("rows", {})], [rows])
    assert json.loads(found.content)["rows"] == 100 and "x" * 80 in found.content


class SlowText(Exception):
    end = threading.Event()

    def __str__(self):
        self.end.wait(30)
        return "late"


class ExitingText(Exception):
    def __str__(self):
        raise SystemExit(3)


@pytest.mark.parametrize("is_async", [False, True])
def test_text_that_takes_its_time_or_ends_the_program_does_neither(is_async):
    def act(how: str):
        if how == "slow value":
            return [SlowText()]
        raise SlowText if how == "slow" else ExitingText

    async def act_async(how: str):
        return act(how)

    one = tool(act_async if is_async else act, name="act")
    hows = ("slow value", "slow", "exit")
    SlowText.end.clear()
    try:
        found = run_calls([ToolCall(how, "act", {"how": how}) for how in hows], [one], timeout=0.2)
    finally:
        SlowText.end.set()
    until(lambda: not left_running())  # what hangs here would be counted in the tests that come after
    assert [result.is_error for result in found] == [True] * 3
    assert all("limit of 0.2 s" in result.content for result in found[:2])
    assert found[2].content == "act failed: ExitingText"
