"""OpenAI Chat Completions: what is accepted, what is refused and in which words, and what is answered."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import openai
import pytest
import wire_tools
from hypothesis import given
from hypothesis import strategies as st
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel
from wire_tools import changed, places

from practice_model import PracticeModel, Server
from practice_model.request import Call, Decision, Request
from practice_model.server.inprocess import AsyncPracticeTransport, PracticeTransport

MODEL = "gpt-5.4-mini"
OLDER = "gpt-4o"
SCHEMA = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
PRICE = {
    "type": "function",
    "function": {"name": "price", "description": "The price of an item.", "parameters": SCHEMA},
}
QUESTION = {"role": "user", "content": "Price of bun?"}


def call(call_id: str, item: str = "bun") -> dict:
    function = {"name": "price", "arguments": json.dumps({"item": item})}
    return {"id": call_id, "type": "function", "function": function}


def calling(*ids: str) -> dict:
    return {"role": "assistant", "content": None, "tool_calls": [call(one) for one in ids]}


def result(call_id: str, content: Any = "2") -> dict:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def body(*messages: dict, **more: Any) -> dict:
    return {"model": MODEL, "messages": list(messages) or [QUESTION], **more}


def tool(parameters: Any = SCHEMA, name: str = "price", **more: Any) -> dict:
    return {"type": "function", "function": {"name": name, "parameters": parameters, **more}}


def strict(**schema: Any) -> dict:
    """A tool whose parameters are strict and right, but for the given changes."""
    right = {**SCHEMA, "additionalProperties": False}
    return tool({**right, **schema}, strict=True)


def strict_item(**item: Any) -> dict:
    return strict(properties={"item": item})


class Scripted(wire_tools.Scripted):
    ITEM = "jalapeño"
    THINKING = "A price is asked."


def reply_to(data: Any, *, path: str = "/v1/chat/completions", brain: Any = None, **headers: str):
    headers = {"authorization": "Bearer practice", **headers}
    method = "GET" if data is None else "POST"
    raw = b"" if data is None else json.dumps(data).encode("utf-8")
    return PracticeModel(brain or Scripted()).handle(method, path, headers, raw)


def send(data: Any, **options: Any) -> tuple[int, Any]:
    """The status and the parsed answer."""
    reply = reply_to(data, **options)
    return reply.status, json.loads(reply.body)


def accepted(data: Any, **options: Any) -> dict:
    status, answer = send(data, **options)
    assert status == 200, answer
    ChatCompletion.model_validate(answer)
    return answer


def choice(data: Any, **options: Any) -> dict:
    return accepted(data, **options)["choices"][0]


def error(data: Any, status: int = 400, **options: Any) -> dict:
    got, answer = send(data, **options)
    assert got == status, answer
    assert set(answer) == {"error"} and set(answer["error"]) == {"message", "type", "param", "code"}
    assert answer["error"]["type"] == "invalid_request_error"
    return answer["error"]


def neutral(data: dict) -> Request:
    """The request as `decide` sees it."""
    brain = Scripted(Decision(text="Hi."))
    accepted(data, brain=brain)
    return brain.asked[0]


def chunks(data: dict, **options: Any) -> list[dict]:
    """The payloads of the event stream, checked to end with [DONE]."""
    reply = reply_to({**data, "stream": True}, **options)
    assert reply.status == 200 and reply.headers["content-type"].startswith("text/event-stream")
    lines = b"".join(reply.body).decode("utf-8").split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    found = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    for one in found:
        ChatCompletionChunk.model_validate(one)
    return found


# The shape of a request, and the words for what is wrong with it -----------------------------------


@pytest.mark.parametrize(
    ("change", "message", "param", "code"),
    [
        (
            {"messages": []},
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but "
            "got an empty array "
            "instead.",
            "messages",
            "empty_array",
        ),
        (
            {"messages": "Hello"},
            "Invalid type for 'messages': expected an array, but got a string instead.",
            "messages",
            "invalid_type",
        ),
        (
            {"messages": [{"role": "robot", "content": "x"}]},
            "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', "
            "'function', 'tool', "
            "and 'developer'.",
            "messages[0].role",
            "invalid_value",
        ),
        (
            {"messages": [{"role": "user", "content": 5}]},
            "Invalid type for 'messages[0].content': expected one of a string or array of "
            "objects, but got an "
            "integer instead.",
            "messages[0].content",
            "invalid_type",
        ),
        (
            {"messages": [{"role": "tool", "content": "x"}]},
            "Missing required parameter: 'messages[0].tool_call_id'.",
            "messages[0].tool_call_id",
            "missing_required_parameter",
        ),
        (
            {"messages": [{"role": "tool", "content": "x", "tool_call_id": "c" * 65}]},
            "Invalid 'messages[0].tool_call_id': string too long. Expected a string with "
            "maximum length 64, but got a string with length 65 instead.",
            "messages[0].tool_call_id",
            "string_above_max_length",
        ),
        (
            {"messages": [{**QUESTION, "is_error": True}]},
            "Unknown parameter: 'messages[0].is_error'.",
            "messages[0].is_error",
            "unknown_parameter",
        ),
        (
            {"messages": [{**calling("a"), "tool_calls": []}]},
            "Invalid 'messages[0].tool_calls': empty array. Expected an array with minimum length 1, but got "
            "an empty array instead.",
            "messages[0].tool_calls",
            "empty_array",
        ),
        (
            {
                "messages": [
                    {
                        "role": "assistant",
                        "tool_calls": [
                            {
                                "id": "call_1",
                                "type": "function",
                                "function": {"name": "price", "arguments": {"item": "bun"}},
                            }
                        ],
                    }
                ]
            },
            "Invalid type for 'messages[0].tool_calls[0].function.arguments': expected a string, but got an "
            "object instead.",
            "messages[0].tool_calls[0].function.arguments",
            "invalid_type",
        ),
        ({"thinking": {}}, "Unrecognized request argument supplied: thinking", None, None),
        (
            {"max_completion_tokens": 0},
            "Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 1, but got 0 "
            "instead.",
            "max_completion_tokens",
            "integer_below_min_value",
        ),
        (
            {"temperature": 3},
            "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
            "temperature",
            "decimal_above_max_value",
        ),
        (
            {"tools": []},
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array "
            "instead.",
            "tools",
            "empty_array",
        ),
        (
            {"tools": [PRICE] * 129},
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but "
            "got an array with "
            "length 129 instead.",
            "tools",
            "array_above_max_length",
        ),
        (
            {"tools": [{"type": "function", "name": "price", "parameters": SCHEMA}]},
            "Missing required parameter: 'tools[0].function'.",
            "tools[0].function",
            "missing_required_parameter",
        ),
        (
            {"tools": [tool(name="the price")]},
            "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches "
            "the pattern '^[a-zA-Z0-9_-]+$'.",
            "tools[0].function.name",
            "invalid_value",
        ),
        (
            {"tools": [tool(name="p" * 65)]},
            "Invalid 'tools[0].function.name': string too long. Expected a string with "
            "maximum length 64, but "
            "got a string with length 65 instead.",
            "tools[0].function.name",
            "string_above_max_length",
        ),
        (
            {"tools": [PRICE], "tool_choice": "any"},
            "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice",
            "invalid_value",
        ),
        (
            {"tools": [PRICE], "tool_choice": {"type": "function", "name": "price"}},
            "Missing required parameter: 'tool_choice.function'.",
            "tool_choice.function",
            "missing_required_parameter",
        ),
        (
            {"metadata": {f"k{n}": "v" for n in range(17)}},
            "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got "
            "an object with 17 properties instead.",
            "metadata",
            "object_above_max_properties",
        ),
    ],
)
def test_a_wrong_shape_is_refused_with_its_place(change, message, param, code):
    found = error(body(**change))
    assert (found["message"], found["param"], found["code"]) == (message, param, code)


def test_a_missing_model_and_missing_messages_are_named():
    assert error({"messages": [QUESTION]})["message"] == "you must provide a model parameter"
    assert error({"model": MODEL})["message"] == "Missing required parameter: 'messages'."


@pytest.mark.parametrize("data", [None, 5, "x", [QUESTION], {"model": 5, "messages": [QUESTION]}])
def test_a_body_of_another_kind_is_refused(data):
    reply = PracticeModel(Scripted()).handle(
        "POST", "/v1/chat/completions", {"authorization": "Bearer x"}, json.dumps(data).encode()
    )
    assert reply.status == 400


@pytest.mark.parametrize("header", ["", "Bearer ", "practice", "Basic abc"])
def test_a_key_is_needed_as_a_bearer_token(header):
    found = error(body(), 401, authorization=header)
    assert found["code"] == "invalid_api_key" and "Authorization: Bearer" in found["message"]


# Calls and results ------------------------------------------------------------------------------------


def test_a_missing_result_is_named():
    found = error(body(QUESTION, calling("call_1", "call_2"), result("call_1"), {**QUESTION}))
    assert found["message"] == (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'. The following tool_call_ids did not have response messages: call_2"
    )
    assert (found["param"], found["code"]) == ("messages.[3].role", None)


def test_a_conversation_may_not_end_with_calls():
    assert (
        "response messages: call_1, call_2" in error(body(QUESTION, calling("call_1", "call_2")))["message"]
    )


def test_a_result_needs_the_call_before_it():
    found = error(body({"role": "system", "content": "Be brief."}, result("call_1"), QUESTION))
    assert found["message"].startswith(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'."
    )
    assert "call_1" in found["message"] and found["param"] == "messages.[1].role"


def test_a_misplaced_result_is_told_from_a_missing_one():
    found = error(body(QUESTION, calling("call_1"), result("call_1"), QUESTION, result("call_1")))
    assert found["param"] == "messages.[4].role"


def test_a_result_with_another_id_is_named():
    found = error(body(QUESTION, calling("call_1"), result("call_9")))
    assert found["message"] == (
        "Invalid parameter: 'tool_call_id' of 'call_9' not found in 'tool_calls' of previous message."
    )
    assert found["param"] == "messages.[2].tool_call_id"


def test_a_second_result_for_a_call_is_refused():
    found = error(body(QUESTION, calling("call_1"), result("call_1"), result("call_1")))
    assert found["message"] == (
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_1', in messages[2] and messages[3]."
    )


@pytest.mark.parametrize("name", ["shop.price", "the price", "p" * 65, ""])
def test_a_name_that_no_tool_may_have_is_refused_in_the_history_too(name):
    history = [QUESTION, calling("call_1"), result("call_1")]
    history[1]["tool_calls"][0]["function"]["name"] = name
    assert error(body(*history))["param"] == "messages[1].tool_calls[0].function.name"


def test_an_assistant_message_says_or_calls_something():
    found = error(body(QUESTION, {"role": "assistant", "content": None}, QUESTION))
    assert found["message"] == "Invalid value for 'content': expected a string, got null."


def test_results_may_come_in_any_order_and_as_parts():
    parts = [{"type": "text", "text": "3"}, {"type": "text", "text": "euros"}]
    messages = [QUESTION, calling("call_1", "call_2"), result("call_2", parts), result("call_1")]
    assert choice(body(*messages))["message"]["content"] == "3\neuros; 2"


def test_arguments_that_are_not_json_are_taken_as_history():
    broken = calling("call_1")
    broken["tool_calls"][0]["function"]["arguments"] = '{"item": '
    assert neutral(body(QUESTION, broken, result("call_1", "bad JSON"))).turns[1].calls[0].arguments == {}


# Schemas ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        (
            tool({"type": "string"}),
            """schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.""",
        ),
        (tool({}), """schema must be a JSON Schema of 'type: "object"', got 'type: "None"'."""),
        (tool([]), "[] is not of type 'object', 'boolean'."),
        (tool({"type": "object"}), "In context=(), object schema missing properties."),
        (
            tool({"type": "object", "properties": {"tags": {"type": "array"}}}),
            "In context=('properties', 'tags'), array schema missing items.",
        ),
        (
            tool({"type": "object", "properties": {}, "anyOf": [{"type": "object"}]}),
            "schema must have type 'object' and not have "
            "'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        ),
        (
            strict(additionalProperties=True),
            "In context=(), 'additionalProperties' is required to be supplied and to be false.",
        ),
        (
            strict(required=[]),
            "In context=(), 'required' is required to be supplied and to be an array including every key in "
            "properties. Missing 'item'.",
        ),
        (
            strict(required=["item", "size"]),
            "In context=(), 'required' is required to be supplied and to be an array including every key in "
            "properties. Extra required key 'size' supplied.",
        ),
        (
            strict_item(type="object", properties={}),
            "In context=('properties', 'item'), 'additionalProperties' is required to be supplied and to be "
            "false.",
        ),
        (
            strict_item(type="string", default="bun"),
            "In context=('properties', 'item'), 'default' is not permitted.",
        ),
        (
            strict_item(oneOf=[{"type": "string"}]),
            "In context=('properties', 'item'), 'oneOf' is not permitted.",
        ),
        (
            strict_item(type="string", minLength=1),
            "In context=('properties', 'item'), 'minLength' is not permitted.",
        ),
        (
            strict_item(type="string", format="uri"),
            "In context=('properties', 'item'), 'uri' is not a valid format.",
        ),
        (strict_item(description="x"), "In context=('properties', 'item'), schema must have a 'type' key."),
        (
            strict(
                properties={"item": {"$ref": "#/$defs/I", "description": "x"}},
                **{"$defs": {"I": {"type": "string"}}},
            ),
            "In context=('properties', 'item'), $ref cannot have keywords {'description'}.",
        ),
        (
            strict_item(
                type="array",
                items={
                    "type": "object",
                    "properties": {"a": {"type": "string"}},
                    "additionalProperties": False,
                },
            ),
            "In context=('properties', 'item', 'items'), 'required' is required to be supplied and to be an "
            "array including every key in properties. Missing 'a'.",
        ),
    ],
)
def test_a_schema_that_is_not_taken_is_refused_in_the_services_words(tool, problem):
    found = error(body(tools=[PRICE, tool]))
    assert found["message"] == f"Invalid schema for function 'price': {problem}"
    assert (found["param"], found["code"]) == ("tools[1].function.parameters", "invalid_function_parameters")


def test_a_type_that_does_not_exist_is_named():
    found = error(body(tools=[tool({"type": "object", "properties": {"item": {"type": "str"}}})]))
    assert "'str' is not valid under any of the given schemas." in found["message"]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"type": "string", "enum": [str(n) for n in range(1001)]}, "at most 1000 enum values"),
        ({"type": "string", "enum": ["x" * 100 + str(n) for n in range(251)]}, "at most 15000 characters"),
        ({"type": "string", "const": "x" * 120_001}, "at most 120000 characters"),
    ],
)
def test_a_strict_schema_has_limits(item, words):
    assert words in error(body(tools=[strict_item(**item)]))["message"]
    choice(body(tools=[tool({"type": "object", "properties": {"item": item}})]))


def test_a_strict_schema_may_have_ten_levels_but_not_eleven():
    def nested(levels: int) -> dict:
        schema: dict = {"type": "string"}
        for _ in range(levels - 1):
            closed = {"additionalProperties": False, "required": ["item"]}
            schema = {"type": "object", "properties": {"item": schema}, **closed}
        return tool(schema, strict=True)

    choice(body(tools=[nested(10)]))
    assert "at most 10 levels" in error(body(tools=[nested(11)]))["message"]


@pytest.mark.parametrize(
    "item",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"type": "string", "pattern": "^b"},
        {"type": "string", "format": "date-time"},
        {"type": "number", "minimum": 0, "multipleOf": 2},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        {"enum": ["bun", "tea"], "type": "string"},
        {"$ref": "#"},
    ],
)
def test_what_the_strict_subset_has_is_taken(item):
    choice(body(tools=[strict(properties={"item": item})]))


def test_a_tool_without_parameters_and_two_tools_of_one_name_are_taken():
    bare = {"type": "function", "function": {"name": "tide"}}
    request = neutral(body(tools=[bare, PRICE, PRICE]))
    assert [tool.name for tool in request.tools] == ["tide", "price", "price"]
    assert request.tools[0].schema == {"type": "object", "properties": {}}


# Tool choice ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"parallel_tool_calls": True}, "parallel_tool_calls"),
        ({"parallel_tool_calls": False}, "parallel_tool_calls"),
    ],
)
def test_settings_for_tools_need_tools(change, param):
    found = error(body(**change))
    assert (
        found["message"]
        == f"Invalid value for '{param}': '{param}' is only allowed when 'tools' are specified."
    )
    assert found["param"] == param


def test_a_choice_of_a_tool_that_is_not_offered_is_refused():
    wanted = {"type": "function", "function": {"name": "weather"}}
    found = error(body(tools=[PRICE], tool_choice=wanted))
    assert found["message"].startswith(
        "Invalid value for 'tool_choice': no function named 'weather' was specified in the 'tools' parameter."
    )


@pytest.mark.parametrize(
    ("wanted", "mode", "name"),
    [
        ("auto", "auto", ""),
        ("none", "none", ""),
        ("required", "any", ""),
        ({"type": "function", "function": {"name": "price"}}, "tool", "price"),
    ],
)
def test_the_tool_choice_reaches_the_brain(wanted, mode, name):
    found = neutral(body(tools=[PRICE], tool_choice=wanted, parallel_tool_calls=False)).tool_choice
    assert (found.mode, found.name, found.parallel) == (mode, name, False)


def test_allowed_tools_hide_the_others():
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "tide"}}]}
    wanted = {"type": "allowed_tools", "allowed_tools": allowed}
    request = neutral(body(tools=[PRICE, tool(name="tide")], tool_choice=wanted))
    assert [tool.name for tool in request.tools] == ["tide"] and request.tool_choice.mode == "any"


# Models ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["gpt-9", "gpt-5.1-mini", "claude-haiku-5-5", "", "gpt-5.4-mini-2026"])
def test_an_unknown_model_is_404(model):
    found = error(body(model=model), 404)
    assert found["message"].startswith(f"The model `{model}` does not exist or you do not have access to it.")
    assert (found["param"], found["code"]) == (None, "model_not_found")


@pytest.mark.parametrize("model", ["gpt-4", "gpt-3.5-turbo", "o4-mini", "o1", "gpt-4-turbo-2024-04-09"])
def test_a_retired_model_is_404(model):
    found = error(body(model=model), 404)
    assert found["message"].startswith(f"The model `{model}` has been deprecated")
    assert found["code"] == "model_not_found"


@pytest.mark.parametrize("model", ["gpt-5.6-luna", "gpt-6-luna"])
def test_the_newest_models_take_tools_only_without_reasoning(model):
    found = error(body(model=model, tools=[PRICE]))
    assert found["message"] == (
        f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "
        "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
    )
    assert found["param"] == "reasoning_effort"
    choice(body(model=model, tools=[PRICE], reasoning_effort="none"))
    choice(body(model=model))


@pytest.mark.parametrize(
    ("model", "change", "message", "code"),
    [
        (
            MODEL,
            {"max_tokens": 50},
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "unsupported_parameter",
        ),
        (
            "gpt-5-mini",
            {"temperature": 0.2},
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the "
            "default (1) value "
            "is supported.",
            "unsupported_value",
        ),
        (
            "gpt-5-mini",
            {"stop": "x"},
            "Unsupported parameter: 'stop' is not supported with this model.",
            "unsupported_parameter",
        ),
        (
            "gpt-5-mini",
            {"reasoning_effort": "none"},
            "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values "
            "are: 'minimal', 'low', 'medium', and 'high'.",
            "unsupported_value",
        ),
        (
            OLDER,
            {"reasoning_effort": "low"},
            "Unrecognized request argument supplied: reasoning_effort",
            None,
        ),
        (
            OLDER,
            {"max_tokens": 50, "max_completion_tokens": 50},
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
            "invalid_parameter_combination",
        ),
        (
            OLDER,
            {"max_tokens": 20_000},
            "max_tokens is too large: 20000. This model supports at most 16384 completion "
            "tokens, whereas you "
            "provided 20000.",
            "invalid_value",
        ),
    ],
)
def test_what_a_family_of_models_does_not_take_is_refused(model, change, message, code):
    found = error(body(model=model, **change))
    assert (found["message"], found["code"]) == (message, code)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (MODEL, {"temperature": 0.2}),
        (MODEL, {"max_completion_tokens": 50, "seed": 1, "user": "u", "metadata": {"a": "b"}, "store": True}),
        (OLDER, {"max_tokens": 50, "temperature": 0, "stop": ["x"], "presence_penalty": 1.0}),
        ("gpt-5-mini", {"temperature": 1, "verbosity": "low", "service_tier": "flex"}),
        ("gpt-4.1-mini-2025-04-14", {"logprobs": False, "n": 1, "logit_bias": {}}),
        ("practice-sloppy", {}),
    ],
)
def test_what_a_family_of_models_takes_is_accepted(model, change):
    choice(body(model=model, **change))


def test_what_is_not_here_is_said():
    for change in (
        {"logprobs": True},
        {"functions": [{}]},
        {"web_search_options": {}, "audio": {"voice": "x"}},
    ):
        assert "is not in the practice model" in error(body(model=OLDER, **change))["message"]


def test_the_models_are_listed_and_shown():
    status, answer = send(None, path="/v1/models")
    assert status == 200 and MODEL in [Model.model_validate(one).id for one in answer["data"]]
    assert send(None, path=f"/v1/models/{MODEL}")[1]["id"] == MODEL
    assert error(None, 404, path="/v1/models/gpt-9")["code"] == "model_not_found"


def test_the_list_of_models_is_anthropics_for_anthropics_headers():
    _, answer = send(None, path="/v1/models", **{"anthropic-version": "2026-10-21"})
    assert answer["data"][0]["id"].startswith("claude-")


# To the neutral request ---------------------------------------------------------------------------------


def test_the_history_reaches_the_brain_without_its_wire_format():
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
        QUESTION,
        calling("call_1", "call_2"),
        result("call_2", "3"),
        result("call_1", "2"),
        {
            "role": "user",
            "content": [{"type": "text", "text": "And?"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
    ]
    request = neutral(body(*messages, max_completion_tokens=99, tools=[PRICE]))
    assert (request.system, request.max_tokens) == ("Be brief.\n\nBe kind.", 99)
    assert [turn.role for turn in request.turns] == ["user", "assistant", "user"]
    assert [one.arguments for one in request.turns[1].calls] == [{"item": "bun"}] * 2
    last = request.turns[2]
    assert [one.call_id for one in last.results] == ["call_2", "call_1"]
    assert (last.text, last.media) == ("And?", ("image",))


@pytest.mark.parametrize(
    ("wanted", "schema"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, {"type": "object"}),
        ({"type": "json_schema", "json_schema": {"name": "bun", "schema": SCHEMA}}, SCHEMA),
    ],
)
def test_the_schema_of_the_answer_reaches_the_brain(wanted, schema):
    question = {"role": "user", "content": "Answer as JSON."}
    assert neutral(body(question, response_format=wanted)).output_schema == schema


def test_the_schema_of_the_answer_is_checked():
    wanted = {"type": "json_schema", "json_schema": {"name": "bun", "schema": SCHEMA, "strict": True}}
    found = error(body(response_format=wanted))
    assert found["message"].startswith("Invalid schema for response_format 'bun': In context=(), 'additional")
    assert (found["param"], found["code"]) == ("response_format", None)


def test_json_has_to_be_mentioned_for_a_json_object():
    found = error(body(response_format={"type": "json_object"}))
    assert found["message"].startswith("'messages' must contain the word 'json' in some form")


# From the decision ----------------------------------------------------------------------------------------


def test_a_call_has_its_arguments_as_compact_json_text_and_no_content():
    answer = accepted(body(tools=[PRICE]))
    (one,) = answer["choices"]
    assert (one["finish_reason"], one["message"]["content"]) == ("tool_calls", None)
    (made,) = one["message"]["tool_calls"]
    assert made["function"] == {"name": "price", "arguments": '{"item":"jalapeño"}'}
    assert made["id"].startswith("call_") and len(made["id"]) == 29
    assert answer["id"].startswith("chatcmpl-") and answer["model"] == "gpt-5.4-mini-2026-03-17"


def test_an_answer_is_a_function_of_the_request():
    assert accepted(body(tools=[PRICE])) == accepted(body(tools=[PRICE]))
    assert accepted(body(tools=[PRICE]))["id"] != accepted(body())["id"]


def test_a_text_answer_ends_with_stop():
    one = choice(body())
    assert (one["message"]["content"], one["finish_reason"]) == ("Hello.", "stop")
    assert "tool_calls" not in one["message"]


def test_a_limit_cuts_the_arguments_in_their_text():
    brain = Scripted(Decision(calls=(Call("price", {"item": "a very long bun with many seeds on it"}),)))
    one = choice(body(tools=[PRICE], max_completion_tokens=20), brain=brain)
    text = one["message"]["tool_calls"][0]["function"]["arguments"]
    assert one["finish_reason"] == "length" and text.startswith('{"item"')
    with pytest.raises(ValueError):
        json.loads(text)


def test_reasoning_counts_against_the_limit_and_is_not_shown():
    answer = accepted(body(model="gpt-5-mini", max_completion_tokens=2))
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["choices"][0]["message"]["content"] == ""
    assert answer["usage"]["completion_tokens_details"]["reasoning_tokens"] == 2


def test_a_stop_sequence_ends_the_text():
    one = choice(body(model=OLDER, stop=["l"]))
    assert (one["message"]["content"], one["finish_reason"]) == ("He", "stop")


def test_several_choices_have_calls_of_their_own():
    answer = accepted(body(tools=[PRICE], n=2))
    ids = [one["message"]["tool_calls"][0]["id"] for one in answer["choices"]]
    assert [one["index"] for one in answer["choices"]] == [0, 1] and len(set(ids)) == 2


def test_a_refusal_has_a_place_of_its_own():
    brain = Scripted(Decision(text="I cannot do that.", ending="refusal"))
    one = choice(body(), brain=brain)
    assert (one["message"]["refusal"], one["message"]["content"]) == ("I cannot do that.", None)
    assert one["finish_reason"] == "stop"
    deltas = [one["choices"][0]["delta"] for one in chunks(body(), brain=brain)]
    assert "".join(delta.get("refusal") or "" for delta in deltas) == "I cannot do that."
    again = choice(body(QUESTION, one["message"], QUESTION))
    assert again["message"]["content"] == "Hello."


def test_a_filtered_answer_says_so():
    one = choice(body(), brain=Scripted(Decision(text="x", ending="filtered")))
    assert (one["message"]["content"], one["finish_reason"]) == ("", "content_filter")


def test_arguments_that_are_wrong_on_purpose_are_sent_as_they_are():
    brain = Scripted(Decision(calls=(Call("price", {}, raw='{"item": '),)))
    assert (
        choice(body(tools=[PRICE]), brain=brain)["message"]["tool_calls"][0]["function"]["arguments"]
        == '{"item": '
    )


# Streaming ------------------------------------------------------------------------------------------------


def test_a_streamed_text_begins_with_the_role_and_ends_with_the_reason():
    found = [
        one["choices"][0]
        for one in chunks(body(), brain=Scripted(Decision(text="One two three four five six.")))
    ]
    assert found[0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert "".join(one["delta"].get("content", "") for one in found) == "One two three four five six."
    assert (found[-1]["delta"], found[-1]["finish_reason"]) == ({}, "stop")
    assert {one["finish_reason"] for one in found[:-1]} == {None}


def test_streamed_calls_come_name_first_and_then_in_pieces():
    brain = Scripted(Decision(calls=(Call("price", {"item": "jalapeño", "n": 12345}), Call("price", {}))))
    deltas = [one["choices"][0]["delta"] for one in chunks(body(tools=[PRICE]), brain=brain)]
    pieces = [piece for delta in deltas for piece in delta.get("tool_calls", [])]
    heads = [piece for piece in pieces if "id" in piece]
    assert [(piece["index"], piece["function"]) for piece in heads] == [
        (0, {"name": "price", "arguments": ""}),
        (1, {"name": "price", "arguments": ""}),
    ]
    texts = [[piece["function"]["arguments"] for piece in pieces if piece["index"] == n] for n in (0, 1)]
    assert "".join(texts[0]) == '{"item":"jalapeño","n":12345}' and "".join(texts[1]) == "{}"
    assert len(texts[0]) > 3


def test_the_stream_says_what_the_plain_answer_says():
    plain, found = accepted(body(tools=[PRICE])), chunks(body(tools=[PRICE]))
    assert {one["id"] for one in found} == {plain["id"]}
    assert (
        found[1]["choices"][0]["delta"]["tool_calls"][0]["id"]
        == plain["choices"][0]["message"]["tool_calls"][0]["id"]
    )
    assert found[-1]["choices"][0]["finish_reason"] == plain["choices"][0]["finish_reason"]


def test_usage_comes_last_with_no_choices_where_it_is_asked_for():
    asked = chunks(body(stream_options={"include_usage": True}))
    assert asked[-1]["choices"] == [] and asked[-1]["usage"]["total_tokens"] > 0
    assert {one["usage"] for one in asked[:-1]} == {None}
    assert all("usage" not in one for one in chunks(body()))


def test_stream_options_need_a_stream():
    message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    assert error(body(stream_options={"include_usage": True}))["message"] == message


# The SDK ------------------------------------------------------------------------------------------------


@pytest.fixture(params=["server", "transport"])
def clients(request):
    """A synchronous client and a maker of asynchronous ones, through the server or in process."""
    model = PracticeModel(Scripted())
    if request.param == "server":
        with Server(model.handle) as server:
            options = {"base_url": f"{server.url}/v1", "api_key": "practice", "max_retries": 0}
            with openai.OpenAI(**options) as client:
                yield client, lambda: openai.AsyncOpenAI(**options)
        return

    def in_process() -> openai.AsyncOpenAI:
        http_client = httpx2.AsyncClient(transport=AsyncPracticeTransport(model.handle))
        return openai.AsyncOpenAI(api_key="practice", max_retries=0, http_client=http_client)

    http_client = httpx2.Client(transport=PracticeTransport(model.handle))
    with openai.OpenAI(api_key="practice", max_retries=0, http_client=http_client) as client:
        yield client, in_process


TIDE = tool({"type": "object", "properties": {}}, name="tide")


def results_of(message: Any) -> list[dict]:
    return [result(one.id, f"{one.function.name} is 2") for one in message.tool_calls]


def test_the_sdk_completes_a_tool_conversation(clients):
    client, _ = clients
    messages: list[Any] = [QUESTION]
    first = client.chat.completions.create(model=MODEL, messages=messages, tools=[PRICE, TIDE]).choices[0]
    messages += [first.message, *results_of(first.message)]
    second = client.chat.completions.create(model=MODEL, messages=messages, tools=[PRICE, TIDE]).choices[0]
    assert (first.finish_reason, second.finish_reason) == ("tool_calls", "stop")
    assert second.message.content == "price is 2"


def test_the_sdk_completes_a_streamed_tool_conversation(clients):
    client, _ = clients
    messages: list[Any] = [QUESTION]
    for expected in (None, "price is 2"):
        with client.chat.completions.stream(model=MODEL, messages=messages, tools=[PRICE, TIDE]) as stream:
            kinds = [one.type for one in stream]
            message = stream.get_final_completion().choices[0].message
        assert message.content == expected
        if message.tool_calls:
            assert "tool_calls.function.arguments.done" in kinds
            messages += [message, *results_of(message)]


def test_the_asynchronous_sdk_completes_a_tool_conversation_streamed_and_not(clients):
    async def talk(stream: bool) -> str:
        async with clients[1]() as client:
            messages: list[Any] = [QUESTION]
            message: Any = None
            for _ in range(2):
                asked = {"model": MODEL, "messages": messages, "tools": [PRICE, TIDE]}
                if stream:
                    async with client.chat.completions.stream(**asked) as events:
                        message = (await events.get_final_completion()).choices[0].message
                else:
                    message = (await client.chat.completions.create(**asked)).choices[0].message
                messages += [message, *(results_of(message) if message.tool_calls else [])]
            return message.content

    assert asyncio.run(talk(False)) == asyncio.run(talk(True)) == "price is 2"


def test_raw_chunks_give_the_usage_at_the_end(clients):
    client, _ = clients
    options = {"include_usage": True}
    found = list(
        client.chat.completions.create(model=MODEL, messages=[QUESTION], stream=True, stream_options=options)
    )
    assert found[-1].choices == [] and found[-1].usage.total_tokens > 0


class Price(BaseModel):
    """The price of an item."""

    item: str


def test_parse_reads_the_arguments_of_a_strict_tool_and_its_message_can_be_sent_back(clients):
    client, _ = clients
    tools = [openai.pydantic_function_tool(Price, name="price")]
    message = client.chat.completions.parse(model=MODEL, messages=[QUESTION], tools=tools).choices[0].message
    assert message.tool_calls[0].function.parsed_arguments == Price(item="jalapeño")
    again = [QUESTION, message, *results_of(message)]
    assert client.chat.completions.parse(model=MODEL, messages=again, tools=tools).choices[0].message.content


def test_parse_reads_a_structured_answer():
    model = PracticeModel(Scripted(Decision(text='{"item": "bun"}')))
    http_client = httpx2.Client(transport=PracticeTransport(model.handle))
    client = openai.OpenAI(api_key="practice", http_client=http_client)
    answer = client.chat.completions.parse(model=MODEL, messages=[QUESTION], response_format=Price)
    assert answer.choices[0].message.parsed == Price(item="bun")


def test_mistakes_raise_the_sdks_own_exceptions(clients):
    client, _ = clients
    with pytest.raises(openai.BadRequestError, match="call_1"):
        client.chat.completions.create(model=MODEL, messages=[QUESTION, calling("call_1")])
    with pytest.raises(openai.NotFoundError) as unknown:
        client.chat.completions.create(model="gpt-9", messages=[QUESTION])
    assert unknown.value.code == "model_not_found" and unknown.value.request_id.startswith("req_")
    assert client.models.retrieve(MODEL).id == MODEL and len(client.models.list().data) > 10


# Anything at all ------------------------------------------------------------------------------------------

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.just([]),
    st.just({}),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(
        st.sampled_from(["type", "role", "name", "function", "id"]), st.text(max_size=8), max_size=3
    ),
)
RICH = body(
    {"role": "system", "content": "Be brief."},
    QUESTION,
    calling("call_1", "call_2"),
    result("call_1"),
    result("call_2", [{"type": "text", "text": "3"}]),
    {"role": "assistant", "content": "Two."},
    {"role": "user", "content": [{"type": "text", "text": "And tea, and a bun for 3 euros?"}]},
    tools=[PRICE, strict(), {"type": "custom", "custom": {"name": "free"}}],
    tool_choice="auto",
    parallel_tool_calls=True,
    max_completion_tokens=400,
    response_format={"type": "text"},
    reasoning_effort="none",
    stream=False,
    metadata={"a": "b"},
)


CHANGES = st.lists(
    st.tuples(st.sampled_from(places(RICH)), st.sampled_from(["replace", "remove", "double", "add"]), JUNK),
    min_size=1,
    max_size=3,
)


@given(CHANGES, st.booleans())
def test_no_request_whatever_gives_a_500(changes, stream):
    data = RICH
    for path, change, junk in changes:
        data = changed(data, path, change, junk)
    if stream:
        data["stream"] = True
    headers = {"authorization": "Bearer practice"}
    reply = PracticeModel().handle("POST", "/v1/chat/completions", headers, json.dumps(data).encode("utf-8"))
    sent = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
    assert reply.status in (200, 400, 404), (data, sent)
    if reply.status != 200:
        assert json.loads(sent)["error"]["message"]
    elif data.get("stream"):
        for line in sent.decode("utf-8").split("\n\n")[:-2]:
            ChatCompletionChunk.model_validate_json(line.removeprefix("data: "))
    else:
        ChatCompletion.model_validate_json(sent)
