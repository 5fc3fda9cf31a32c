"""Answers as event streams: the events and their order, what the SDKs make of them, what the log keeps."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic.types import RawMessageStreamEvent
from pydantic import TypeAdapter

from practice_model import PracticeModel, Server
from practice_model.request import Call, Decision, Request
from practice_model.server.inprocess import AsyncPracticeTransport, PracticeTransport
from practice_model.wires.anthropic import answer as anthropic_messages

MODEL = "claude-haiku-5-5"
EVENT = TypeAdapter(RawMessageStreamEvent)
HEADERS = {"x-api-key": "practice", "anthropic-version": "2026-10-21"}
SCHEMA = {
    "type": "object",
    "properties": {"item": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["item"],
}
PRICE = {"name": "price", "description": "The price of an item.", "input_schema": SCHEMA}
TIDE = {"name": "tide", "description": "The tide now.", "input_schema": {"type": "object", "properties": {}}}
ARGUMENTS = {"item": "piña 🍍 bun, 1/2", "count": 12345, "flags": [True, None], "deep": {"x": 1.5}}


def body(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Price of bun?"}]
    return {"model": MODEL, "max_tokens": 1000, "messages": messages, "tools": [PRICE, TIDE], **more}


def events(decision: Decision, **more: Any) -> list[dict[str, Any]]:
    """The data of the events of a streamed answer, each checked against the SDK's own type."""
    model = PracticeModel(lambda request: decision)
    reply = model.handle("POST", "/v1/messages", HEADERS, json.dumps(body(stream=True, **more)).encode())
    assert reply.headers["content-type"].startswith("text/event-stream"), reply.body
    found = []
    for block in b"".join(reply.body).decode("utf-8").strip().split("\n\n"):
        name, data = block.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
        if found[-1]["type"] != "ping":
            EVENT.validate_python(found[-1])
    return found


def deltas(found: list[dict[str, Any]], kind: str) -> list[str]:
    field = {"input_json_delta": "partial_json"}.get(kind, kind.removesuffix("_delta"))
    return [
        one["delta"][field]
        for one in found
        if one["type"] == "content_block_delta" and one["delta"]["type"] == kind
    ]


# The events of Anthropic --------------------------------------------------------------------------


def test_a_text_streams_in_the_order_of_the_real_service():
    found = events(Decision(text="The bun costs two euros, and the tea costs three."))
    kinds = [one["type"] for one in found]
    assert kinds[:3] == ["message_start", "content_block_start", "ping"]
    assert set(kinds[3:-3]) == {"content_block_delta"} and len(kinds) > 8
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    assert "".join(deltas(found, "text_delta")) == "The bun costs two euros, and the tea costs three."


def test_the_first_event_holds_the_message_without_its_content_and_its_end():
    message = events(Decision(text="Hello"))[0]["message"]
    assert message["content"] == []
    assert (message["role"], message["type"], message["model"]) == ("assistant", "message", MODEL)
    assert (message["stop_reason"], message["stop_sequence"], message["stop_details"]) == (None, None, None)
    assert message["usage"]["output_tokens"] == 1
    assert message["usage"]["input_tokens"] > 0


def test_the_end_says_why_and_how_much():
    end = events(Decision(text="Hello there"))[-2]
    assert end["delta"] == {"stop_reason": "end_turn", "stop_sequence": None, "stop_details": None}
    assert set(end["usage"]) == {
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
        "output_tokens_details",
    }


def test_a_call_starts_empty_and_its_input_comes_in_several_pieces():
    found = events(Decision(calls=(Call("price", ARGUMENTS),)))
    start = found[1]["content_block"]
    assert (start["type"], start["name"], start["input"]) == ("tool_use", "price", {})
    pieces = deltas(found, "input_json_delta")
    assert pieces[0] == "" and len(pieces) > 5
    assert json.loads("".join(pieces)) == ARGUMENTS


def test_pieces_are_cut_inside_numbers_and_inside_escaped_letters():
    cut_number = cut_escape = False
    for n in range(40):
        call = Call("price", {"item": f"ñandú {n} ¿qué?", "count": 1234567890 + n})
        before = ""
        for piece in deltas(events(Decision(calls=(call,))), "input_json_delta"):
            cut_number |= before[-1:].isdigit() and piece[:1].isdigit()
            cut_escape |= any(before.endswith("\\u00f1"[:end]) for end in range(2, 6))
            before += piece
    assert cut_number and cut_escape


def test_a_tool_without_arguments_sends_one_empty_piece_and_no_braces():
    found = events(Decision(calls=(Call("tide", {}),)))
    assert deltas(found, "input_json_delta") == [""]


def test_thinking_streams_before_its_signature_and_the_rest():
    decision = Decision(
        text="Two.", thinking="The price tool fits the question best.", calls=(Call("tide", {}),)
    )
    found = events(decision, thinking={"type": "adaptive", "display": "summarized"})
    starts = [one["content_block"]["type"] for one in found if one["type"] == "content_block_start"]
    assert starts == ["thinking", "text", "tool_use"]
    assert found[1]["content_block"] == {"type": "thinking", "thinking": "", "signature": ""}
    assert "".join(deltas(found, "thinking_delta")) == decision.thinking
    assert len(deltas(found, "signature_delta")) == 1
    assert [one["index"] for one in found if one["type"] == "content_block_stop"] == [0, 1, 2]


def test_an_input_that_is_cut_off_streams_as_far_as_it_was_written():
    call = Call("price", {"count": 3, "item": "a very long name of a bun " * 20})
    found = events(Decision(calls=(call,)), max_tokens=40)
    text = "".join(deltas(found, "input_json_delta"))
    assert text.startswith('{"count": 3, "item": "a very')
    with pytest.raises(ValueError):
        json.loads(text)
    assert found[-2]["delta"]["stop_reason"] == "max_tokens"


def test_an_answer_of_nothing_still_starts_and_ends():
    kinds = [one["type"] for one in events(Decision(text="Hello"), max_tokens=0)]
    assert kinds == ["message_start", "message_delta", "message_stop"]


def test_an_error_before_the_stream_is_an_ordinary_error():
    reply = PracticeModel().handle(
        "POST", "/v1/messages", HEADERS, json.dumps(body(stream=True, max_tokens="x")).encode()
    )
    assert reply.status == 400 and json.loads(reply.body)["type"] == "error"


def test_a_bug_of_ours_in_a_stream_is_500_and_not_a_broken_stream(monkeypatch, caplog):
    def broken(*_: Any):
        yield b"event: message_start\n\n"
        raise KeyError("bug")

    monkeypatch.setattr(anthropic_messages, "stream", broken)
    request = json.dumps(body(stream=True)).encode()
    reply = PracticeModel(brain).handle("POST", "/v1/messages", HEADERS, request)
    assert (reply.status, reply.headers["x-should-retry"]) == (500, "false")


def test_the_same_request_streams_the_same_bytes():
    def once() -> bytes:
        model = PracticeModel(lambda request: Decision(calls=(Call("price", ARGUMENTS),)))
        return b"".join(
            model.handle("POST", "/v1/messages", HEADERS, json.dumps(body(stream=True)).encode()).body
        )

    assert once() == once()


# The real SDK, through both adapters --------------------------------------------------------------


def brain(request: Request) -> Decision:
    """Calls two tools, then reads their results aloud."""
    last = request.turns[-1]
    if last.results:
        return Decision(text=" and ".join(one.content for one in last.results))
    calls = (Call("price", ARGUMENTS), Call("tide", {}))
    return Decision(text="I look that up.", calls=calls, thinking="Both tools fit.")


@pytest.fixture(params=["server", "transport"])
def clients(request):
    """A model, a synchronous client of it and a maker of asynchronous ones."""
    model = PracticeModel(brain)
    options: dict[str, Any] = {"api_key": "practice", "max_retries": 0}
    if request.param == "server":
        with Server(model.handle) as server:
            options["base_url"] = server.url
            with anthropic.Anthropic(**options) as client:
                yield model, client, lambda: anthropic.AsyncAnthropic(**options)
        return

    def in_process() -> anthropic.AsyncAnthropic:
        http_client = httpx2.AsyncClient(transport=AsyncPracticeTransport(model.handle))
        return anthropic.AsyncAnthropic(http_client=http_client, **options)

    http_client = httpx2.Client(transport=PracticeTransport(model.handle))
    with anthropic.Anthropic(http_client=http_client, **options) as client:
        yield model, client, in_process


def plain(message: Any) -> dict[str, Any]:
    return json.loads(message.model_dump_json(exclude_none=True))


def test_create_with_stream_gives_the_raw_events(clients):
    _, client, _ = clients
    found = list(client.messages.create(**body(), stream=True))
    assert (found[0].type, found[-1].type) == ("message_start", "message_stop")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"thinking": {"type": "adaptive"}},
        {"thinking": {"type": "adaptive", "display": "summarized"}},
        {"max_tokens": 60},
    ],
)
def test_the_final_message_equals_the_one_without_streaming(clients, more):
    _, client, _ = clients
    whole = client.messages.create(**body(**more))
    with client.messages.stream(**body(**more)) as stream:
        assert plain(stream.get_final_message()) == plain(whole)


@pytest.mark.parametrize("limit", range(0, 140, 4))
def test_they_are_equal_wherever_the_limit_falls(limit):
    http_client = httpx2.Client(transport=PracticeTransport(PracticeModel(brain).handle))
    client = anthropic.Anthropic(api_key="practice", http_client=http_client)
    whole = client.messages.create(**body(max_tokens=limit))
    with client.messages.stream(**body(max_tokens=limit)) as stream:
        assert plain(stream.get_final_message()) == plain(whole)


def test_the_stream_helper_gives_text_and_input_as_they_grow(clients):
    _, client, _ = clients
    with client.messages.stream(**body()) as stream:
        found = list(stream)
    assert "".join(one.text for one in found if one.type == "text") == "I look that up."
    inputs = [one for one in found if one.type == "input_json"]
    assert inputs[-2].snapshot == ARGUMENTS
    with client.messages.stream(**body()) as stream:
        assert "".join(stream.text_stream) == "I look that up."


def test_the_asynchronous_sdk_streams_a_tool_conversation(clients):
    _, _, make_client = clients

    async def talk() -> str:
        async with make_client() as client:
            async with client.messages.stream(**body()) as stream:
                first = await stream.get_final_message()
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": f"{block.name} found"}
                for block in first.content
                if block.type == "tool_use"
            ]
            messages = [*body()["messages"], first.to_param(), {"role": "user", "content": results}]
            async with client.messages.stream(**body(messages=messages)) as stream:
                return await stream.get_final_text()

    assert asyncio.run(talk()) == "price found and tide found"
    assert asyncio.run(talk()) == "price found and tide found", "a second event loop works as well"


def test_the_beta_stream_works_too(clients):
    _, client, _ = clients
    with client.beta.messages.stream(**body()) as stream:
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["text", "tool_use", "tool_use"]


@pytest.mark.parametrize("options", [{}, {"thread": False}])
def test_the_tool_runner_streams(clients, options):
    _, client, _ = clients

    @anthropic.beta_tool
    def price(item: str, count: int, flags: list, deep: dict) -> str:
        """The price of an item."""
        return f"{count} times {item}"

    @anthropic.beta_tool
    def tide() -> str:
        """The tide now."""
        return "high"

    runner = client.beta.messages.tool_runner(
        model=MODEL,
        max_tokens=1000,
        messages=body()["messages"],
        tools=[price, tide],
        stream=True,
        **options,
    )
    last = [stream.get_final_message() for stream in runner][-1]
    assert last.content[0].text == "12345 times piña 🍍 bun, 1/2 and high"


# The log, and clients that hang up ----------------------------------------------------------------


def test_the_log_keeps_the_events_of_a_stream_as_a_list(clients):
    model, client, _ = clients
    with client.messages.stream(**body()) as stream:
        stream.get_final_message()
        logged = model.log.list()[-1]
    assert logged.response[0]["type"] == "message_start"
    assert logged.response[-1] == {"type": "message_stop"}
    assert logged.status == 200


def test_a_client_that_hangs_up_in_mid_stream_does_no_harm(caplog):
    model = PracticeModel(lambda request: Decision(text="word " * 100_000))
    request = json.dumps(body(stream=True, max_tokens=128_000)).encode()
    head = "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    with Server(model.handle) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(f"{head}Content-Length: {len(request)}\r\n\r\n".encode() + request)
            assert b"200 OK" in connection.recv(1000)
        while not model.log.list():  # entered as soon as the server has noticed
            time.sleep(0.01)
        assert model.log.list()[0].response[0]["type"] == "message_start"
        with anthropic.Anthropic(base_url=server.url, api_key="practice") as client:
            assert client.messages.create(**body()).stop_reason == "max_tokens"
    assert not caplog.records
