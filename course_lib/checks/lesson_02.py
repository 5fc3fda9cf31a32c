"""Checkers of lesson 02: definitions translated, arguments as text, every call of a response answered."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any

from course_lib import shop
from course_lib.checks import NotYet, call, checker, expect, expect_equal, expect_type
from course_lib.checks.texts import text_for_exercise

_TOOL = {
    "name": "find_order",
    "description": "Look up one order by its number.",
    "input_schema": {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]},
}


@checker("02.a")
def check_02_a(to_chat: Any, to_responses: Any) -> None:
    flat = {**_TOOL, "type": "function", "parameters": _TOOL["input_schema"], "strict": False}
    del flat["input_schema"]
    given = copy.deepcopy(_TOOL)
    got = call(to_responses, given)
    expect_type(got, dict, "to_responses(tool)")
    expect(given == _TOOL, "changed", name="to_responses")
    expect("function" not in got, "wrapped")
    _check_definition(got, "to_responses")
    expect_equal(got, flat, "to_responses(tool)", reveal=True)

    got = call(to_chat, given)
    expect_type(got, dict, "to_chat(tool)")
    expect(given == _TOOL, "changed", name="to_chat")
    expect("function" in got, "not_wrapped")
    expect("strict" not in got, "strict_outside")
    expect_type(got["function"], dict, 'to_chat(tool)["function"]')
    _check_definition(got["function"], "to_chat")
    expect("type" not in got["function"], "type_inside")
    wrapped = {"type": "function", "function": {key: value for key, value in flat.items() if key != "type"}}
    expect_equal(got, wrapped, "to_chat(tool)", reveal=True)


def _check_definition(found: dict[str, Any], name: str) -> None:
    expect("input_schema" not in found, "input_schema", name=name)
    expect("parameters" in found, "no_parameters", name=name)
    expect(found.get("strict") is False, "strict", name=name)


@checker("02.b")
def check_02_b(arguments_of: Any) -> None:
    def chat(text: str) -> SimpleNamespace:
        function = SimpleNamespace(name="get_messages", arguments=text)
        return SimpleNamespace(id="call_1", type="function", function=function)

    def responses(text: str) -> SimpleNamespace:
        return SimpleNamespace(
            id="fc_1", call_id="call_1", type="function_call", name="get_messages", arguments=text
        )

    for api, make in (("chat", chat), ("responses", responses)):
        for text, expected in (
            ('{"period": "week", "late": true}', {"period": "week", "late": True}),
            ("", {}),
        ):
            try:
                got = call(arguments_of, make(text))
            except (AttributeError, TypeError) as error:
                raise NotYet(text_for_exercise(f"fails_{api}", got=str(error))) from error
            except ValueError as error:
                raise NotYet(text_for_exercise("empty" if not text else "parse", got=str(error))) from error
            expect(not isinstance(got, str), "still_text")
            expect_type(got, dict, "arguments_of(call)")
            expect_equal(got, expected, "arguments_of(call)", reveal=True)


@checker("02.c")
def check_02_c(answer_all: Any) -> None:
    def item(number: int, **arguments: str) -> SimpleNamespace:
        text = json.dumps(arguments)
        ids = {"id": f"fc_{number}", "call_id": f"call_{number}"}
        return SimpleNamespace(
            type="function_call", name="get_messages", arguments=text, status="completed", **ids
        )

    reasoning = SimpleNamespace(type="reasoning", id="rs_1", summary=[])
    said = SimpleNamespace(type="message", id="msg_1", role="assistant", content=[])
    response = SimpleNamespace(output=[reasoning, item(1, period="week"), said, item(2, period="day")])
    try:
        got = call(answer_all, response)
    except AttributeError as error:
        raise NotYet(text_for_exercise("all_items", got=str(error))) from error
    expect(not isinstance(got, dict), "one_item")
    expect_type(got, list, "answer_all(response)")
    expect(len(got) == 2, "number", got=len(got))
    for number, (found, period) in enumerate(zip(got, ("week", "day"), strict=True), 1):
        expect_type(found, dict, f"answer_all(response)[{number - 1}]")
        expect(found.get("role") != "tool", "chat_form")
        expect(found.get("type") == "function_call_output", "type", got=repr(found.get("type")))
        expect(found.get("call_id") != f"fc_{number}", "item_id")
        expect(found.get("call_id") == f"call_{number}", "call_id", got=repr(found.get("call_id")))
        _check_output(found.get("output"), shop.get_messages(period))


def _check_output(output: Any, expected: dict[str, Any]) -> None:
    expect(not isinstance(output, dict), "output_dict")
    expect_type(output, str, 'the item\'s "output"')
    try:
        got = json.loads(output)
    except ValueError as error:
        raise NotYet(text_for_exercise("output_no_json", got=output[:50])) from error
    expect(got == expected, "output_other")
