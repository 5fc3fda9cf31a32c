"""Symptoms that users report of what models send: each kind, as a call and as what becomes of it."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from course_lib import ToolCall, run_calls, run_calls_async, tool

ran: list[tuple] = []


class Stop(BaseModel):
    name: str
    minutes: int = 5


@tool
def plan_ride(
    stops: list[str], speed: float = 20.0, night: bool = False, budget: dict[str, int] | None = None
) -> float:
    """Plan a ride."""
    ran.append(("plan_ride", stops, speed, night, budget))
    return len(stops) * speed + sum((budget or {}).values()) + (1000 if night else 0)


@tool
def next_train() -> str:
    """Say when the next train leaves."""
    ran.append(("next_train",))
    return "at 9:05"


@tool
def drop_seats(row: str = "all", count: int = 0) -> str:
    """Give seats back."""
    ran.append(("drop_seats", row, count))
    return f"{row} {count}"


@tool
def find_ticket(code: str, kind: Literal["day", "week"] = "day") -> str:
    """Find a ticket by its code."""
    ran.append(("find_ticket", code, kind))
    return code


@tool
def visit(stop: Stop) -> int:
    """Visit a stop."""
    ran.append(("visit", stop))
    return stop.minutes


TOOLS = [plan_ride, next_train, drop_seats, find_ticket, visit]

UNDERSTOOD = {
    "no text for a tool without parameters": ("next_train", "", "at 9:05"),
    "blanks for a tool without parameters": ("next_train", " \n\t", "at 9:05"),
    "null for a tool without parameters": ("next_train", "null", "at 9:05"),
    "no text where all is optional": ("drop_seats", "", "all 0"),
    "a list written as text": ("plan_ride", {"stops": '["Irun", "Hondarribia"]'}, "40.0"),
    "an object written as text": ("plan_ride", {"stops": [], "budget": '{"lunch": 12}'}, "12.0"),
    "a model written as text": ("visit", {"stop": '{"name": "Irun", "minutes": "9"}'}, "9"),
    "all of it written as text twice": ("drop_seats", json.dumps('{"row": "F"}'), "F 0"),
    "numbers written as text": ("plan_ride", {"stops": ["a"], "speed": "17.5"}, "17.5"),
    "a whole number written as text": ("drop_seats", {"row": "F", "count": "3"}, "F 3"),
    "the word false": ("plan_ride", {"stops": ["a"], "night": "false"}, "20.0"),
    "the word No": ("plan_ride", {"stops": ["a"], "night": "No"}, "20.0"),
    "the word true": ("plan_ride", {"stops": ["a"], "night": "TRUE"}, "1020.0"),
}

REFUSED = {
    "no text where something is required": ("find_ticket", "", ["code is missing"]),
    "something required is missing": ("find_ticket", {"kind": "week"}, ["code is missing"]),
    "something inside is missing": ("visit", {"stop": {"minutes": 3}}, ["stop.name is missing"]),
    "an argument was made up": ("find_ticket", {"code": "a", "lang": "es"}, ["lang is no", "code, kind"]),
    "one was made up inside": (
        "visit",
        {"stop": {"name": "a", "lat": 4}},
        ["stop.lat is no", "name, minutes"],
    ),
    "a list for all of it": ("drop_seats", '[{"row": "F"}]', ["must be a JSON object, not array"]),
    "a number for all of it": ("drop_seats", "12", ["must be a JSON object, not integer"]),
    "JSON that breaks off": ("drop_seats", '{"row": "F", ', ["not valid JSON", '{"row": "F",', "char 12"]),
    "JSON in other quotes": ("drop_seats", "{'row': 'F'}", ["not valid JSON", "{'row': 'F'}"]),
    "words around the JSON": ("drop_seats", 'Sure: {"row": "F"}', ["not valid JSON", "Sure:"]),
    "a number for a text": ("find_ticket", {"code": 417}, ["code should be a string, in quotes, not 417"]),
    "a fraction for a whole number": ("drop_seats", {"count": "3.5"}, ["count should be", "integer", "3.5"]),
    "a word for a number": ("drop_seats", {"count": "three"}, ["count should be", "integer", "three"]),
    "a word that is neither yes nor no": ("plan_ride", {"stops": [], "night": "later"}, ["night", "boolean"]),
    "nothing for yes or no": ("plan_ride", {"stops": [], "night": ""}, ["night should be a valid boolean"]),
    "text that holds a wrong list": ("plan_ride", {"stops": "[1, 2]"}, ["stops[0]", "you sent", "[1, 2]"]),
    "a value beside the choices": ("find_ticket", {"code": "a", "kind": "Day"}, ["'day' or 'week'"]),
    "a name with a slip": (
        "find_tiket",
        {"code": "a"},
        ["no tool 'find_tiket'", "mean find_ticket?", "visit"],
    ),
    "a name of nobody": ("functions.run", "{}", ["no tool 'functions.run'", "plan_ride", "next_train"]),
    "a wrapper for several calls": (
        "multi_tool_use.parallel",
        '{"tool_uses": [{"recipient_name": "functions.visit", "parameters": {"stop": {"name": "a"}}}]}',
        ["no tool 'multi_tool_use.parallel'", "the tools are: plan_ride"],
    ),
}


def beside_another(name: str, arguments: Any) -> Any:
    """The result of a call that stands between two good ones, which have theirs whatever it is."""
    calls = [ToolCall("a", "next_train", {}), ToolCall("b", name, arguments), ToolCall("c", "next_train", "")]
    results = run_calls(calls, TOOLS)
    again = asyncio.run(run_calls_async(calls, TOOLS))
    assert [(one.tool_call_id, one.content, one.is_error) for one in results] == [
        (one.tool_call_id, one.content, one.is_error) for one in again
    ]
    assert [one.tool_call_id for one in results] == ["a", "b", "c"]
    assert results[0].content == results[2].content == "at 9:05"
    return results[1]


@pytest.mark.parametrize(("name", "arguments", "expected"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_what_a_model_meant_is_understood(name, arguments, expected):
    sent = copy.deepcopy(arguments)
    result = beside_another(name, arguments)
    assert (result.content, result.is_error) == (expected, False)
    assert arguments == sent  # as the history has it


@pytest.mark.parametrize(("name", "arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_meant_is_told_to_the_model_and_nothing_runs(name, arguments, words):
    ran.clear()
    result = beside_another(name, arguments)
    assert result.is_error and {one[0] for one in ran} == {"next_train"}
    for part in words:
        assert part in result.content
    assert len(result.content) < 400


def test_of_a_long_text_that_is_no_json_only_the_beginning_is_told():
    result = beside_another("drop_seats", '{"row": "' + "F" * 5_000)
    assert result.is_error and len(result.content) < 500
