"""OpenAI Responses: what is accepted, what is refused and in which words, what "
"is answered and what is kept."""

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
from openai.types.responses import Response, ResponseItemList, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter
from wire_tools import changed, places

from practice_model import PracticeModel, Server
from practice_model.request import Call, Decision
from practice_model.server.inprocess import AsyncPracticeTransport, PracticeTransport
from practice_model.wires.openai_responses.history import Store

MODEL = "gpt-5.4-mini"
REASONING = "gpt-5-mini"
SCHEMA = {
    "type": "object",
    "properties": {"item": {"type": "string"}},
    "required": ["item"],
    "additionalProperties": False,
}
PRICE = {
    "type": "function",
    "name": "price",
    "description": "The price.",
    "parameters": SCHEMA,
    "strict": True,
}
TIDE = {
    "type": "function",
    "name": "tide",
    "parameters": {"type": "object", "properties": {}},
    "strict": False,
}
QUESTION = {"role": "user", "content": "Price of bun?"}
REAL_ID = "0c392a2e7f017469006a6c050722e48195b1729ae44adc7e"
STREAM_EVENT = TypeAdapter(ResponseStreamEvent)


def call(call_id: str, **more: Any) -> dict:
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": "price",
        "arguments": '{"item":"bun"}',
        **more,
    }


def output(call_id: str, content: Any = "2") -> dict:
    return {"type": "function_call_output", "call_id": call_id, "output": content}


def body(given: Any = "Price of bun?", **more: Any) -> dict:
    return {"model": MODEL, "input": given, **more}


class Scripted(wire_tools.Scripted):
    ITEM = "jalapeño"
    THINKING = "A price is asked."


class Service:
    """One practice model, asked over and over: the Responses API remembers."""

    def __init__(self, decision: Decision | None = None) -> None:
        self.brain = Scripted(decision)
        self.model = PracticeModel(self.brain)

    def raw(self, data: Any, path: str = "/v1/responses", method: str = "POST", **headers: str):
        raw = b"" if data is None else json.dumps(data).encode("utf-8")
        return self.model.handle(method, path, {"authorization": "Bearer practice", **headers}, raw)

    def create(self, data: Any) -> dict:
        """The response to a request that is accepted."""
        reply = self.raw(data)
        answer = json.loads(reply.body)
        assert reply.status == 200, answer
        Response.model_validate(answer)
        return answer

    def error(self, data: Any, status: int = 400, **options: Any) -> dict:
        reply = self.raw(data, **options)
        answer = json.loads(reply.body)
        assert reply.status == status, answer
        assert set(answer["error"]) == {"message", "type", "param", "code"}
        return answer["error"]

    def get(self, path: str) -> tuple[int, dict]:
        reply = self.raw(None, f"/v1/responses/{path}", "GET")
        return reply.status, json.loads(reply.body)

    def events(self, data: dict) -> list[dict]:
        """The payloads of the event stream, checked against the SDK's types and for their numbers."""
        reply = self.raw({**data, "stream": True})
        assert reply.status == 200 and reply.headers["content-type"].startswith("text/event-stream")
        found = []
        for block in b"".join(reply.body).decode("utf-8").split("\n\n")[:-1]:
            name, data_line = block.split("\n")
            found.append(json.loads(data_line.removeprefix("data: ")))
            assert name == f"event: {found[-1]['type']}"
            STREAM_EVENT.validate_python(found[-1])
        assert [one["sequence_number"] for one in found] == list(range(len(found)))
        return found


@pytest.fixture
def service() -> Service:
    return Service()


# The shape of a request, and the words for what is wrong with it -----------------------------------


@pytest.mark.parametrize(
    ("change", "message", "param", "code"),
    [
        (
            {"input": None},
            'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.',
            "input",
            "missing_required_parameter",
        ),
        (
            {"input": 5},
            "Invalid type for 'input': expected one of a string or array of input items, but "
            "got an integer instead.",
            "input",
            "invalid_type",
        ),
        ({"messages": []}, "Unknown parameter: 'messages'.", "messages", "unknown_parameter"),
        (
            {"max_output_tokens": 5},
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= "
            "16, but got 5 instead.",
            "max_output_tokens",
            "integer_below_min_value",
        ),
        (
            {"tools": [{"type": "function", "function": {"name": "price", "parameters": SCHEMA}}]},
            "Missing required parameter: 'tools[0].name'.",
            "tools[0].name",
            "missing_required_parameter",
        ),
        (
            {"tools": [{**PRICE, "name": "the price"}]},
            "Invalid 'tools[0].name': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'.",
            "tools[0].name",
            "invalid_value",
        ),
        (
            {"tools": [PRICE], "tool_choice": {"type": "function", "function": {"name": "price"}}},
            "Missing required parameter: 'tool_choice.name'.",
            "tool_choice.name",
            "missing_required_parameter",
        ),
        (
            {"input": [{"type": "function_call_output", "output": "2"}]},
            "Missing required parameter: 'input[0].call_id'.",
            "input[0].call_id",
            "missing_required_parameter",
        ),
        (
            {"input": [{**output("call_1"), "output": {"price": 2}}]},
            "Invalid type for 'input[0].output': expected one of a string or array of "
            "objects, but got an object instead.",
            "input[0].output",
            "invalid_type",
        ),
        (
            {"input": [{"role": "tool", "content": "2"}]},
            "Invalid value: 'tool'. Supported values are: 'user', 'assistant', 'system', and 'developer'.",
            "input[0].role",
            "invalid_value",
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]},
            "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', "
            "'input_file', 'output_text', and 'refusal'.",
            "input[0].content[0].type",
            "invalid_value",
        ),
        (
            {"input": [{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]},
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            "input[0].content[0]",
            "invalid_value",
        ),
    ],
)
def test_a_wrong_shape_is_refused_with_its_place(service, change, message, param, code):
    found = service.error({**body(), **change})
    assert (found["message"], found["param"], found["code"]) == (message, param, code)


def test_a_key_is_needed(service):
    assert service.error(body(), 401, authorization="")["code"] == "invalid_api_key"


# Calls and outputs --------------------------------------------------------------------------------------


def test_a_missing_output_is_named(service):
    found = service.error(body([QUESTION, call("call_1"), call("call_2"), output("call_1")]))
    assert found["message"] == "No tool output found for function call call_2."
    assert (found["param"], found["code"]) == ("input", None)


@pytest.mark.parametrize(
    "items", [[output("call_1")], [output("call_1"), call("call_1")], [call("call_2"), output("call_1")]]
)
def test_an_output_without_its_call_before_it_is_named(service, items):
    found = service.error(body([QUESTION, *items]))
    assert found["message"] == "No tool call found for function call output with call_id call_1."


def test_a_second_output_for_a_call_is_refused(service):
    found = service.error(body([QUESTION, call("call_1"), output("call_1"), output("call_1")]))
    assert found["message"].startswith("Duplicate tool output found for function call call_1.")


def test_the_id_of_a_call_is_not_its_call_id(service):
    found = service.error(body([QUESTION, call("call_1", id="call_1"), output("call_1")]))
    assert found["message"] == "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'."
    assert (found["param"], found["code"]) == ("input[1].id", "invalid_value")


def test_an_item_may_be_there_once(service):
    item = call("call_1", id="fc_1")
    found = service.error(
        body([QUESTION, item, output("call_1"), {**item, "call_id": "call_2"}, output("call_2")])
    )
    assert found["message"].startswith("Duplicate item found with id fc_1.")


def test_reasoning_needs_what_it_led_to(service):
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA"}
    found = service.error(body([QUESTION, thought]))
    assert (
        found["message"]
        == "Item 'rs_1' of type 'reasoning' was provided without its required following item."
    )
    service.create(body([QUESTION, thought, call("call_1"), output("call_1")]))


def test_a_file_that_is_no_document_is_refused(service):
    content = [{"type": "input_file", "file_url": "https://example.com/song.mp3?x=1"}]
    assert service.error(body([{"role": "user", "content": content}]))["code"] == "unsupported_file"
    content = [{"type": "input_file", "file_url": "https://example.com/menu.pdf"}]
    service.create(body([{"role": "user", "content": content}]))


# Tools and formats --------------------------------------------------------------------------------------


def test_a_strict_schema_is_checked(service):
    loose = {name: value for name, value in SCHEMA.items() if name != "additionalProperties"}
    found = service.error(body(tools=[PRICE, {**PRICE, "parameters": loose}]))
    assert found["message"] == (
        "Invalid schema for function 'price': In context=(), 'additionalProperties' is "
        "required to be supplied "
        "and to be false."
    )
    assert (found["param"], found["code"]) == ("tools[1].parameters", "invalid_function_parameters")


def test_where_strict_is_left_out_a_schema_that_fits_is_strict(service):
    fitting = {name: value for name, value in PRICE.items() if name != "strict"}
    loose = {**fitting, "name": "loose", "parameters": {"type": "object", "properties": {}}}
    answer = service.create(body(tools=[fitting, loose]))
    assert [tool["strict"] for tool in answer["tools"]] == [True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tool_choice": "required"}, "Tool choice 'required' must be specified with 'tools' parameter."),
        (
            {"tools": [PRICE], "tool_choice": {"type": "function", "name": "tide"}},
            "Tool choice 'function' not found in 'tools' parameter.",
        ),
        (
            {
                "tools": [PRICE],
                "tool_choice": {
                    "type": "allowed_tools",
                    "mode": "auto",
                    "tools": [{"type": "function", "name": "x"}],
                },
            },
            "Tool choice 'function' not found in 'tools' parameter.",
        ),
    ],
)
def test_a_choice_of_what_is_not_offered_is_refused(service, change, message):
    found = service.error(body(**change))
    assert found["message"].startswith(message) and found["param"] == "tool_choice"


@pytest.mark.parametrize("wanted", ["auto", "none"])
def test_a_tool_choice_and_parallel_calls_need_no_tools(service, wanted):
    assert service.create(body(tool_choice=wanted, parallel_tool_calls=True))["tool_choice"] == wanted


@pytest.mark.parametrize(
    ("wanted", "mode", "name", "offered"),
    [
        ("auto", "auto", "", ["price", "tide"]),
        ("required", "any", "", ["price", "tide"]),
        ({"type": "function", "name": "tide"}, "tool", "tide", ["price", "tide"]),
        (
            {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "tide"}]},
            "any",
            "",
            ["tide"],
        ),
    ],
)
def test_the_tool_choice_reaches_the_brain(service, wanted, mode, name, offered):
    service.create(body(tools=[PRICE, TIDE], tool_choice=wanted, parallel_tool_calls=False))
    (request,) = service.brain.asked
    assert (request.tool_choice.mode, request.tool_choice.name) == (mode, name)
    assert not request.tool_choice.parallel and [tool.name for tool in request.tools] == offered


def test_tools_that_the_provider_runs_are_accepted_and_not_used(service):
    service.create(body(tools=[{"type": "web_search"}, PRICE, {"type": "custom", "name": "free"}]))
    assert [tool.name for tool in service.brain.asked[0].tools] == ["price"]


def test_the_schema_of_the_answer_is_checked_and_reaches_the_brain(service):
    form = {"type": "json_schema", "name": "bun", "schema": SCHEMA, "strict": True}
    answer = service.create(body(text={"format": form}))
    assert service.brain.asked[0].output_schema == SCHEMA and answer["text"]["format"]["schema"] == SCHEMA
    found = service.error(body(text={"format": {**form, "schema": {**SCHEMA, "required": []}}}))
    assert (found["param"], found["code"]) == ("text.format.schema", "invalid_json_schema")


def test_json_has_to_be_mentioned_for_a_json_object(service):
    form = {"format": {"type": "json_object"}}
    assert "must contain the word 'json'" in service.error(body(text=form))["message"]
    service.create(body("Answer as JSON.", text=form))


# Models ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["gpt-9", "gpt-4", "gpt-4.1-nano"])
def test_an_unknown_or_retired_model_is_404(service, model):
    assert service.error({**body(), "model": model}, 404)["code"] == "model_not_found"


def test_the_newest_models_take_tools_here(service):
    assert (
        service.create({**body(tools=[PRICE]), "model": "gpt-6-luna"})["output"][-1]["type"]
        == "function_call"
    )


@pytest.mark.parametrize(
    ("model", "change", "param"),
    [
        ("gpt-4o", {"reasoning": {"effort": "low"}}, "reasoning.effort"),
        (REASONING, {"reasoning": {"effort": "xhigh"}}, "reasoning.effort"),
        (REASONING, {"temperature": 0.5}, "temperature"),
        (MODEL, {"temperature": 0.5, "reasoning": {"effort": "high"}}, "temperature"),
        (MODEL, {"top_logprobs": 3}, "top_logprobs"),
        (MODEL, {"prompt": {"id": "pmpt_1"}}, "prompt"),
    ],
)
def test_what_a_model_does_not_take_is_refused(service, model, change, param):
    assert service.error({**body(**change), "model": model})["param"] == param


# What is answered ---------------------------------------------------------------------------------------


def test_a_call_has_two_ids_and_its_arguments_as_compact_json_text(service):
    answer = service.create(body(tools=[PRICE]))
    (item,) = answer["output"]
    assert (item["type"], item["name"], item["arguments"]) == (
        "function_call",
        "price",
        '{"item":"jalapeño"}',
    )
    assert item["id"].startswith("fc_") and item["call_id"].startswith("call_")
    assert (answer["status"], item["status"], answer["id"][:5]) == ("completed", "completed", "resp_")


def test_a_response_repeats_what_holds_for_it(service):
    answer = service.create(body(instructions="Be brief.", metadata={"a": "b"}, tools=[TIDE]))
    assert (answer["instructions"], answer["metadata"], answer["store"]) == ("Be brief.", {"a": "b"}, True)
    assert (answer["tool_choice"], answer["parallel_tool_calls"], answer["truncation"]) == (
        "auto",
        True,
        "disabled",
    )
    assert answer["tools"][0]["name"] == "tide" and answer["model"] == "gpt-5.4-mini-2026-03-17"


def test_a_model_that_reasons_puts_its_reasoning_first(service):
    more = {"include": ["reasoning.encrypted_content"], "reasoning": {"summary": "auto"}}
    answer = service.create({**body(tools=[PRICE], **more), "model": REASONING})
    thought, made = answer["output"]
    assert (thought["type"], made["type"]) == ("reasoning", "function_call")
    assert thought["summary"] == [{"type": "summary_text", "text": "A price is asked."}]
    assert thought["encrypted_content"].startswith("gAAAAA")
    assert answer["usage"]["output_tokens_details"]["reasoning_tokens"] > 0
    plain = service.create({**body(tools=[PRICE]), "model": REASONING})["output"][0]
    assert plain["summary"] == [] and "encrypted_content" not in plain


def test_an_answer_that_does_not_fit_is_incomplete():
    brain = Decision(calls=(Call("price", {"item": "a very long bun with many seeds on it"}),))
    answer = Service(brain).create(body(tools=[PRICE], max_output_tokens=18))
    assert (answer["status"], answer["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert answer["output"][-1]["status"] == "incomplete"
    with pytest.raises(ValueError):
        json.loads(answer["output"][-1]["arguments"])


def test_a_refusal_is_a_part_of_its_own():
    service = Service(Decision(text="I cannot do that.", ending="refusal"))
    answer = service.create(body())
    assert answer["output"][0]["content"] == [{"type": "refusal", "refusal": "I cannot do that."}]
    kinds = [one["type"] for one in service.events(body())]
    assert "response.refusal.delta" in kinds and "response.refusal.done" in kinds
    service.create(body([QUESTION, *answer["output"], QUESTION]))


def test_a_filtered_answer_is_incomplete():
    answer = Service(Decision(text="x", ending="filtered")).create(body())
    assert (answer["status"], answer["incomplete_details"]) == ("incomplete", {"reason": "content_filter"})


def test_an_answer_is_a_function_of_the_request():
    assert Service().create(body(tools=[PRICE])) == Service().create(body(tools=[PRICE]))


AND_TEA = [{"type": "input_text", "text": "And tea?"}, {"type": "input_image", "image_url": "x"}]


def test_the_input_reaches_the_brain_without_its_wire_format(service):
    items = [
        {"role": "developer", "content": "Be kind."},
        QUESTION,
        call("call_1"),
        call("call_2"),
        output("call_2", [{"type": "input_text", "text": "3"}, {"type": "input_image", "image_url": "x"}]),
        output("call_1"),
        {"type": "message", "role": "user", "content": AND_TEA},
    ]
    service.create(body(items, instructions="Be brief.", max_output_tokens=99))
    (request,) = service.brain.asked
    assert (request.system, request.max_tokens) == ("Be brief.\n\nBe kind.", 99)
    assert [turn.role for turn in request.turns] == ["user", "assistant", "user"]
    assert [(one.id, one.arguments) for one in request.turns[1].calls] == [
        ("call_1", {"item": "bun"}),
        ("call_2", {"item": "bun"}),
    ]
    assert [(one.call_id, one.content) for one in request.turns[2].results] == [
        ("call_2", "3\n[image]"),
        ("call_1", "2"),
    ]
    assert (request.turns[2].text, request.turns[2].media) == ("And tea?", ("image",))


def test_input_tokens_can_be_counted(service):
    reply = service.raw(
        {"model": MODEL, "input": "Price of bun?", "tools": [PRICE]}, "/v1/responses/input_tokens"
    )
    answer = json.loads(reply.body)
    assert answer["object"] == "response.input_tokens"
    assert answer["input_tokens"] == service.create(body(tools=[PRICE]))["usage"]["input_tokens"]


# What is kept -------------------------------------------------------------------------------------------


def test_a_response_goes_on_from_an_earlier_one(service):
    first = service.create(body(tools=[PRICE]))
    call_id = first["output"][0]["call_id"]
    second = service.create(
        body([output(call_id, "2 euros")], previous_response_id=first["id"], tools=[PRICE])
    )
    assert second["output"][0]["content"][0]["text"] == "2 euros"
    assert second["previous_response_id"] == first["id"]
    third = service.create(body("And tea?", previous_response_id=second["id"]))
    assert [turn.role for turn in service.brain.asked[-1].turns] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert third["id"] != second["id"]


def test_an_earlier_call_still_needs_its_output(service):
    first = service.create(body(tools=[PRICE]))
    found = service.error(body("And tea?", previous_response_id=first["id"]))
    assert found["message"] == f"No tool output found for function call {first['output'][0]['call_id']}."


def test_instructions_do_not_carry_over(service):
    first = service.create(body(instructions="Be brief."))
    service.create(body("And tea?", previous_response_id=first["id"]))
    assert service.brain.asked[-1].system == ""


def test_a_response_that_is_not_stored_cannot_be_gone_on_from(service):
    first = service.create(body(store=False))
    assert first["store"] is False and service.get(first["id"])[0] == 404
    found = service.error(body("And?", previous_response_id=first["id"]))
    assert found["message"] == f"Previous response with id '{first['id']}' not found."
    assert (found["param"], found["code"]) == ("previous_response_id", "previous_response_not_found")


def test_responses_are_shown_and_deleted(service):
    first = service.create(body(tools=[PRICE]))
    assert service.get(first["id"]) == (200, first)
    reply = service.raw(None, f"/v1/responses/{first['id']}", "DELETE")
    assert json.loads(reply.body) == {"id": first["id"], "object": "response", "deleted": True}
    status, answer = service.get(first["id"])
    assert (status, answer["error"]["message"]) == (404, f"Response with id '{first['id']}' not found.")


def test_another_practice_model_keeps_other_responses(service):
    first = service.create(body())
    assert Service().get(first["id"])[0] == 404


def test_the_input_items_are_listed_newest_first(service):
    first = service.create(body(tools=[PRICE]))
    more = [output(first["output"][0]["call_id"]), {"role": "assistant", "content": "Two."}]
    second = service.create(body(more, previous_response_id=first["id"]))
    _, listed = service.get(f"{second['id']}/input_items")
    ResponseItemList.model_validate(listed)
    kinds = [item["type"] for item in listed["data"]]
    assert kinds == ["message", "function_call_output", "function_call", "message"]
    _, page = service.get(f"{second['id']}/input_items?order=asc&limit=1&after={listed['data'][-1]['id']}")
    assert [item["type"] for item in page["data"]] == ["function_call"] and page["has_more"]


def test_an_item_can_be_referred_to(service):
    first = service.create(body(tools=[PRICE]))
    made = first["output"][0]
    reference = {"type": "item_reference", "id": made["id"]}
    second = service.create(body([QUESTION, reference, output(made["call_id"], "2 euros")]))
    assert second["output"][0]["content"][0]["text"] == "2 euros"
    service.create(body("And?", previous_response_id=second["id"]))
    assert service.brain.asked[-1].turns[1].calls[0].name == "price"
    found = service.error(body([{"type": "item_reference", "id": "fc_none"}]), 404)
    assert found["message"].startswith("Item with id 'fc_none' not found.")


def test_a_background_response_is_done_when_it_is_asked_for_again(service):
    first = service.create(body(background=True))
    assert (first["status"], first["output"]) == ("queued", [])
    assert service.get(first["id"])[1]["status"] == "completed"


def test_a_conversation_that_is_not_here_is_404(service):
    assert "not found" in service.error(body(conversation="conv_1"), 404)["message"]


@pytest.mark.parametrize(
    "field", [{"previous_response_id": f"resp_{REAL_ID}"}, {"conversation": f"conv_{REAL_ID}"}]
)
def test_what_was_said_on_the_real_service_is_taken_as_unknown(service, field):
    answer = service.create(body([output("call_1", "2 euros")], tools=[PRICE], **field))
    assert answer["output"][0]["content"][0]["text"] == "2 euros"
    assert service.brain.asked[0].turns[0].calls[0].name == "price"


def test_the_store_forgets_the_oldest_by_count_and_by_size():
    store = Store(max_count=2, max_bytes=10_000)
    for n in range(3):
        store.put({"id": f"resp_{n}", "output": []}, ())
    assert [store.get(f"resp_{n}") is not None for n in range(3)] == [False, True, True]
    store.put({"id": "resp_big", "output": ["x" * 20_000]}, ())
    assert store.get("resp_2") is None and store.get("resp_big") is not None


# Streaming ------------------------------------------------------------------------------------------------


def test_the_events_of_a_text_come_in_the_services_order():
    found = Service(Decision(text="One two three four five.")).events(body())
    kinds = [one["type"].removeprefix("response.") for one in found]
    assert kinds[:4] == ["created", "in_progress", "output_item.added", "content_part.added"]
    assert set(kinds[4:-4]) == {"output_text.delta"}
    assert kinds[-4:] == ["output_text.done", "content_part.done", "output_item.done", "completed"]
    assert "".join(one["delta"] for one in found if "delta" in one) == "One two three four five."
    assert found[0]["response"]["status"] == "in_progress" and found[0]["response"]["output"] == []


def test_the_events_of_a_call_carry_its_arguments_in_pieces():
    brain = Decision(calls=(Call("price", {"item": "jalapeño", "n": 12345}),))
    found = Service(brain).events(body(tools=[PRICE]))
    kinds = [one["type"].removeprefix("response.") for one in found]
    assert kinds[2] == "output_item.added" and found[2]["item"]["arguments"] == ""
    pieces = [one["delta"] for one in found if one["type"] == "response.function_call_arguments.delta"]
    assert len(pieces) > 2 and "".join(pieces) == '{"item":"jalapeño","n":12345}'
    assert kinds[-3:] == ["function_call_arguments.done", "output_item.done", "completed"]


def test_the_summary_of_reasoning_is_streamed_before_the_answer(service):
    found = service.events({**body(reasoning={"summary": "auto"}), "model": REASONING})
    kinds = [one["type"] for one in found]
    assert "response.reasoning_summary_text.delta" in kinds
    assert kinds.index("response.reasoning_summary_part.done") < kinds.index("response.content_part.added")


def test_an_incomplete_answer_ends_with_incomplete():
    found = Service(Decision(text="word " * 50)).events(body(max_output_tokens=16))
    assert found[-1]["type"] == "response.incomplete"


def test_the_stream_ends_with_the_plain_answer_and_is_kept(service):
    last = service.events(body(tools=[PRICE]))[-1]["response"]
    assert last == Service().create(body(tools=[PRICE]))
    assert service.get(last["id"]) == (200, last)


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


def outputs_of(response: Any) -> list[dict]:
    calls = [item for item in response.output if item.type == "function_call"]
    return [output(one.call_id, f"{one.name} is 2") for one in calls]


@pytest.mark.parametrize("model", [MODEL, REASONING])
def test_the_sdk_completes_a_tool_conversation_with_the_history_sent_again(clients, model):
    client, _ = clients
    history: list[Any] = [QUESTION]
    first = client.responses.create(model=model, input=history, tools=[PRICE, TIDE])
    history += [*first.output, *outputs_of(first)]
    assert (
        client.responses.create(model=model, input=history, tools=[PRICE, TIDE]).output_text == "price is 2"
    )


def test_the_sdk_completes_a_tool_conversation_with_the_previous_response(clients):
    client, _ = clients
    first = client.responses.create(model=MODEL, input="Price of bun?", tools=[PRICE])
    more = {"previous_response_id": first.id, "input": outputs_of(first)}
    second = client.responses.create(model=MODEL, tools=[PRICE], **more)
    assert second.output_text == "price is 2"
    assert client.responses.retrieve(second.id).output_text == "price is 2"
    assert [item.type for item in client.responses.input_items.list(second.id)][0] == "function_call_output"
    client.responses.delete(second.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(second.id)


def test_reasoning_can_be_sent_back_where_nothing_is_stored(clients):
    client, _ = clients
    more = {"store": False, "include": ["reasoning.encrypted_content"], "model": REASONING, "tools": [PRICE]}
    first = client.responses.create(input=[QUESTION], **more)
    history = [QUESTION, *first.output, *outputs_of(first)]
    assert client.responses.create(input=history, **more).output_text == "price is 2"
    bare = client.responses.create(input=[QUESTION], **{**more, "include": []})
    with pytest.raises(openai.NotFoundError, match="Items are not persisted"):
        client.responses.create(input=[QUESTION, *bare.output, *outputs_of(bare)], **more)


def test_the_sdk_completes_a_streamed_tool_conversation(clients):
    client, _ = clients
    history: list[Any] = [QUESTION]
    for expected in ("", "price is 2"):
        with client.responses.stream(model=MODEL, input=history, tools=[PRICE, TIDE]) as stream:
            for _ in stream:
                pass
            response = stream.get_final_response()
        assert response.output_text == expected
        history += [*response.output, *outputs_of(response)]


def test_the_asynchronous_sdk_completes_a_tool_conversation_streamed_and_not(clients):
    async def talk(stream: bool) -> str:
        async with clients[1]() as client:
            history: list[Any] = [QUESTION]
            response: Any = None
            for _ in range(2):
                asked = {"model": MODEL, "input": history, "tools": [PRICE, TIDE]}
                if stream:
                    async with client.responses.stream(**asked) as events:
                        response = await events.get_final_response()
                else:
                    response = await client.responses.create(**asked)
                history += [*response.output, *outputs_of(response)]
            return response.output_text

    assert asyncio.run(talk(False)) == asyncio.run(talk(True)) == "price is 2"


class Price(BaseModel):
    """The price of an item."""

    item: str


def test_parse_reads_arguments_and_its_output_can_be_sent_back(clients):
    client, _ = clients
    tools = [openai.pydantic_function_tool(Price, name="price")]
    first = client.responses.parse(model=MODEL, input=[QUESTION], tools=tools)
    assert first.output[0].parsed_arguments == Price(item="jalapeño")
    history = [QUESTION, *first.output, *outputs_of(first)]
    assert client.responses.parse(model=MODEL, input=history, tools=tools).output_text == "price is 2"


def test_parse_reads_a_structured_answer():
    model = PracticeModel(Scripted(Decision(text='{"item": "bun"}')))
    http_client = httpx2.Client(transport=PracticeTransport(model.handle))
    client = openai.OpenAI(api_key="practice", http_client=http_client)
    answer = client.responses.parse(model=MODEL, input="Price of bun?", text_format=Price)
    assert answer.output_parsed == Price(item="bun")


def test_mistakes_raise_the_sdks_own_exceptions(clients):
    client, _ = clients
    with pytest.raises(openai.BadRequestError, match="call_1") as missing:
        client.responses.create(model=MODEL, input=[QUESTION, call("call_1")])
    assert missing.value.param == "input"
    assert client.responses.input_tokens.count(model=MODEL, input="Price of bun?").input_tokens > 0


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
        st.sampled_from(["type", "role", "name", "id", "call_id"]), st.text(max_size=8), max_size=3
    ),
)
RICH = body(
    [
        {"role": "system", "content": "Be brief."},
        QUESTION,
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAA"},
        call("call_1", id="fc_1", status="completed"),
        call("call_2"),
        output("call_1"),
        output("call_2", [{"type": "input_text", "text": "3"}]),
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "output_text", "text": "Two."}],
        },
        {"role": "user", "content": [{"type": "input_text", "text": "And tea, and a bun for 3 euros?"}]},
    ],
    instructions="Be kind.",
    tools=[PRICE, TIDE, {"type": "web_search"}],
    tool_choice={"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "price"}]},
    parallel_tool_calls=True,
    max_output_tokens=400,
    text={"format": {"type": "json_schema", "name": "bun", "schema": SCHEMA, "strict": True}},
    reasoning={"effort": "low", "summary": "auto"},
    include=["reasoning.encrypted_content"],
    stream=False,
    background=False,
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
    reply = PracticeModel().handle("POST", "/v1/responses", headers, json.dumps(data).encode("utf-8"))
    sent = reply.body if isinstance(reply.body, bytes) else b"".join(reply.body)
    assert reply.status in (200, 400, 404), (data, sent)
    if reply.status != 200:
        assert json.loads(sent)["error"]["message"]
    elif data.get("stream"):
        for block in sent.decode("utf-8").split("\n\n")[:-1]:
            STREAM_EVENT.validate_json(block.split("\n")[1].removeprefix("data: "))
    else:
        Response.model_validate_json(sent)
