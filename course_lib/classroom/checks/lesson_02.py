"""Checkers of lesson 02: definitions translated, arguments as text, every call of a response answered."""

from __future__ import annotations

import copy
import json
from typing import Any

from ... import shop
from .helpers import call, expect, expect_equal, expect_type, explained, not_yet
from .results import described
from .running import checker

_TOOL = {
    "name": "find_order",
    "description": "Look up one order by its number.",
    "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
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
    for api, make in (("chat", _chat_call), ("responses", _responses_call)):
        with (
            explained(f"fails_{api}", AttributeError, TypeError, KeyError),
            explained("parse", json.JSONDecodeError),
        ):
            got = call(arguments_of, make('{"period": "week", "late": true}'))
        expect(not isinstance(got, str), "still_text")
        expect_type(got, dict, "arguments_of(call)")
        expect_equal(got, {"period": "week", "late": True}, "arguments_of(call)", reveal=True)
        with explained("empty"):
            got = call(arguments_of, make(""))
        expect(isinstance(got, dict) and not got, "empty_value", got=repr(got))


def _chat_call(arguments: str) -> Any:
    """Return a call as the SDK makes it from a response of Chat, so that it has its types and methods."""
    from openai.types.chat import ChatCompletionMessageFunctionToolCall

    function = {"name": "get_messages", "arguments": arguments}
    return ChatCompletionMessageFunctionToolCall.construct(id="call_1", type="function", function=function)


def _responses_call(arguments: str) -> Any:
    """Return a call as the SDK makes it from a response of Responses."""
    from openai.types.responses import ResponseFunctionToolCall

    return ResponseFunctionToolCall.construct(**_item(1, arguments))


def _item(number: int, arguments: str) -> dict[str, Any]:
    ids = {"id": f"fc_{number}", "call_id": f"call_{number}"}
    call_ = {"type": "function_call", "name": "get_messages", "arguments": arguments, "status": "completed"}
    return {**ids, **call_}


@checker("02.c")
def check_02_c(answer_all: Any) -> None:
    response = _response()
    try:
        got = call(answer_all, response)
    except AttributeError as error:
        if any(error.obj is item for item in response.output if item.type != "function_call"):
            raise not_yet("all_items", what=described(error)) from error
        raise
    alone = isinstance(got, dict) and got.keys() & {"type", "role", "call_id", "tool_call_id", "output"}
    expect(not alone, "one_item")
    expect_type(got, list, "answer_all(response)")
    expect(len(got) == 2, "number", got=len(got))
    for number, (found, period) in enumerate(zip(got, ("week", "day"), strict=True), 1):
        expect_type(found, dict, f"answer_all(response)[{number - 1}]")
        expect(found.get("role") != "tool", "chat_form")
        expect(found.get("type") == "function_call_output", "type", got=repr(found.get("type")))
        expect(found.get("call_id") != f"fc_{number}", "item_id")
        expect(found.get("call_id") == f"call_{number}", "call_id", got=repr(found.get("call_id")))
        _check_output(found.get("output"), shop.get_messages(period))


def _response() -> Any:
    """Return a response as the SDK makes it: reasoning, a call, a sentence, another call."""
    from openai.types.responses import Response

    text = {"type": "output_text", "text": "And today's.", "annotations": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        _item(1, json.dumps({"period": "week"})),
        said,
        _item(2, json.dumps({"period": "day"})),
    ]
    return Response.construct(id="resp_1", object="response", status="completed", output=output)


def _check_output(output: Any, expected: dict[str, Any]) -> None:
    expect(not isinstance(output, dict), "output_dict")
    expect_type(output, str, 'the item\'s "output"')
    with explained("output_no_json", ValueError, got=output[:50]):
        got = json.loads(output)
    expect(got == expected, "output_other")
