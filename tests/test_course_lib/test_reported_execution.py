"""Symptoms that users report of running tools: each kind with tools of our own."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import datetime as dt
import enum
import ipaddress
import json
import threading
from decimal import Decimal
from pathlib import PurePosixPath
from types import SimpleNamespace
from urllib.parse import quote
from uuid import UUID

import pytest
from execution_limits import until
from pydantic import BaseModel

from course_lib import ToolCall, run_calls, run_calls_async, tool
from course_lib.execution import left_running
from course_lib.tools import Tool

SECRET = "tk-live-7Qd0Zr+4/w="


def results_of(*tools: Tool, **options) -> list:
    """One call of each tool, run in both ways, which give the same."""
    calls = [ToolCall(f"id_{number}", one.name, {}) for number, one in enumerate(tools)]
    found = run_calls(calls, tools, **options)
    again = asyncio.run(run_calls_async(calls, tools, **options))
    assert [(one.content, one.is_error) for one in found] == [(one.content, one.is_error) for one in again]
    assert [one.tool_call_id for one in found] == [one.id for one in calls]
    return found


def giving(value) -> Tool:
    return Tool(lambda: value, name="give")


# Side by side ---------------------------------------------------------------------------------------


def test_functions_that_block_run_side_by_side_and_the_loop_goes_on():
    together = threading.Barrier(4)

    @tool
    def meet(guest: int) -> int:
        """Wait for the others."""
        together.wait(30)
        return guest

    async def main():
        calls = [ToolCall(str(guest), "meet", {"guest": guest}) for guest in (7, 8, 9)]
        running = asyncio.create_task(run_calls_async(calls, [meet]))
        await asyncio.sleep(0)
        await asyncio.to_thread(together.wait, 30)  # only a loop that goes on comes here
        return await running

    assert [one.content for one in asyncio.run(main())] == ["7", "8", "9"]


@tool
def fine() -> str:
    """Go well."""
    return "fine"


@tool
def also_fine() -> str:
    """Go well, too."""
    return "fine"


@tool
async def missing_key() -> str:
    """Look for what is not there."""
    return {}["stock"]


@tool
def no_file() -> str:
    """Read what is not there."""
    return PurePosixPath("nothing").read_text()


def test_one_that_fails_takes_nothing_from_its_neighbours():
    found = results_of(fine, missing_key, no_file, also_fine)
    assert [one.is_error for one in found] == [False, True, True, False]
    assert "KeyError: 'stock'" in found[1].content and "AttributeError" in found[2].content
    assert found[0].content == found[3].content == "fine"


def test_one_that_hangs_is_told_with_its_limit_and_the_others_have_their_results():
    over = threading.Event()

    @tool
    def hang() -> str:
        """Hang."""
        over.wait(30)
        return "too late"

    @tool
    async def hang_async() -> str:
        """Hang."""
        await asyncio.sleep(30)

    try:
        found = results_of(fine, hang, hang_async, timeout=0.3)
    finally:
        over.set()
    until(lambda: not left_running())
    assert found[0].content == "fine"
    for name, one in (("hang", found[1]), ("hang_async", found[2])):
        assert one.is_error and one.content.startswith(name) and "0.3 s" in one.content
        assert "too late" not in one.content


USER = contextvars.ContextVar("USER", default="nobody")


def test_a_function_in_a_thread_knows_the_context_variables_of_its_caller():
    names = [Tool(lambda: USER.get(), name=f"who_{number}") for number in range(3)]
    token = USER.set("Leire")
    try:
        assert [one.content for one in results_of(*names)] == ["Leire"] * 3
    finally:
        USER.reset(token)


# What comes back ------------------------------------------------------------------------------------


class Size(enum.Enum):
    BIG = "big"


@dataclasses.dataclass
class Shelf:
    number: int
    opened: dt.date


class Box(BaseModel):
    weight: Decimal


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (dt.datetime(2031, 5, 2, 9, 30), "2031-05-02T09:30:00"),
        (dt.timedelta(minutes=90), "PT1H30M"),
        (Decimal("0.10"), "0.10"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        ({4}, [4]),
        (Shelf(3, dt.date(2031, 5, 2)), {"number": 3, "opened": "2031-05-02"}),
        (Box(weight="1.50"), {"weight": "1.50"}),
        (Size.BIG, "big"),
        (PurePosixPath("/srv/a b"), "/srv/a b"),
        (ipaddress.ip_address("10.0.0.7"), "10.0.0.7"),
        (range(2), [0, 1]),
        (SimpleNamespace(a=1), {"a": 1}),
        ({Size.BIG: [Shelf(1, dt.date(2031, 5, 2))]}, {"big": [{"number": 1, "opened": "2031-05-02"}]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_json_does_not_have_arrives_as_text_that_loads_again(value, expected):
    (found,) = results_of(giving({"it": value}))
    assert json.loads(found.content) == {"it": expected} and not found.is_error


@pytest.mark.parametrize("words", ["Núñez, A Coruña", "größer", "東京", "🚲"])
def test_letters_beyond_ascii_stay_what_they_are(words):
    alone, inside = results_of(
        Tool(lambda: words, name="alone"), Tool(lambda: {words: [words]}, name="inside")
    )
    assert alone.content == words and inside.content.count(words) == 2 and "\\u" not in inside.content


@pytest.mark.parametrize("value", [None, "", "   ", "\n"])
def test_no_output_is_told_as_success_in_words(value):
    (found,) = results_of(giving(value))
    assert not found.is_error and "no output" in found.content


def test_a_frame_is_told_in_whole_cells_with_its_number_of_rows():
    import pandas

    note = "left at the north gate, " * 8
    frame = pandas.DataFrame({"parcel": range(400), "note": [note] * 400})
    (found,) = results_of(giving(frame), max_characters=4_000)
    read = json.loads(found.content)
    assert read["rows"] == 400 and 0 < read["rows_shown"] == len(read["data"]) < 400
    assert read["data"][0]["note"] == note and len(found.content) < 4_500


@pytest.mark.parametrize("middle", ["-" * 200_000, "é" * 200_000, "🚲" * 100_000, '"\\\n' * 70_000])
def test_a_result_that_is_too_long_keeps_both_ends_and_says_how_much_is_missing(middle):
    (found,) = results_of(giving(f"FIRST{middle}LAST"), max_characters=3_000)
    assert found.content.startswith("FIRST") and found.content.endswith("LAST")
    assert "left out" in found.content and len(found.content) < 3_300
    found.content.encode("utf-8")


# What must not come back ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "GET https://routes.invalid/v2?from=Irun&token={} -> 401",
        "PUT https://routes.invalid/v2?api_key={} -> 401",
        "headers were {{'Authorization': 'Bearer {}'}} -> 401",
        "https://ana:{}@routes.invalid refused -> 401",
        "no route for {} -> 401",  # known from the environment alone
    ],
)
def test_a_secret_in_an_exception_is_masked_in_every_spelling(text, monkeypatch):
    monkeypatch.setenv("ROUTES_API_KEY", SECRET)
    for spelling in (SECRET, quote(SECRET, safe="")):

        @tool
        def route(spelling: str = spelling) -> str:
            """Find a route."""
            raise PermissionError(text.format(spelling))

        (found,) = results_of(route)
        assert SECRET not in found.content and quote(SECRET, safe="") not in found.content
        assert found.is_error and "PermissionError" in found.content and "-> 401" in found.content
