"""What an agent does with a service that answers slowly, wrongly, or in its own way."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import openai
import pytest
from agent_tools import run, run_async, stream, stream_async
from service_tools import call, chat, chunk, service

from course_lib.agents import Agent, Runner
from course_lib.errors import LoopLimitError, ServiceError
from course_lib.execution.retrying import Retrying
from course_lib.providers import clients
from course_lib.tools import tool

WHOLE = pytest.mark.parametrize("way", [run, run_async])
STREAMED = pytest.mark.parametrize("way", [stream, stream_async])
CHAT, RESPONSES = "openai:m", "openai-responses:m"
HELLO = [chunk(content="Hel"), chunk(content="lo"), chunk("stop")]


@tool
def note(text: str = "") -> str:
    """Keep a note."""
    return "noted"


def runner(model: Any = CHAT, **limits: Any) -> Runner:
    return Runner(Agent("clerk", "", [note], model), retrying=Retrying(sleep=lambda seconds: None), **limits)


# The service's mistakes ---------------------------------------------------------------------------------


@WHOLE
@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "GPU on fire"}},
        {"detail": "nothing here"},
        {"choices": 5},
        chat(5),
        chat("x", calls=7),
        ["no", "object"],
        "<html>Log in first</html>",
    ],
)
def test_an_answer_that_is_none_is_the_services_error(way, answer, monkeypatch):
    with service(monkeypatch, answer), pytest.raises(ServiceError):
        way(runner(), "anna", "Hello")


@WHOLE
@pytest.mark.parametrize("model", ["anthropic:m", CHAT, RESPONSES, "gemini:m"])
def test_half_of_a_json_text_is_the_services_error(way, model, monkeypatch):
    half = service(monkeypatch, '{"choices": [', kind="application/json")
    with half, pytest.raises(ServiceError, match="no JSON"):
        way(runner(model), "anna", "Hello")


@WHOLE
@pytest.mark.parametrize(
    ("error", "times"),
    [
        ({"code": 502, "message": "upstream"}, 2),
        ({"type": "overloaded_error"}, 2),
        ({"code": 400, "message": "your request"}, 1),
        ({"message": "no reason"}, 1),
    ],
)
def test_it_is_asked_again_where_the_service_names_an_error_that_may_pass(way, error, times, monkeypatch):
    with service(monkeypatch, {"error": error}, chat("Hello")) as asked:
        if times == 2:
            assert way(runner(), "anna", "Hello").content == "Hello"
        else:
            with pytest.raises(ServiceError):
                way(runner(), "anna", "Hello")
    assert len(asked.bodies) == times


@STREAMED
@pytest.mark.parametrize(
    ("model", "answer"),
    [
        (CHAT, "<html>Log in first</html>"),
        (CHAT, chat("in one piece")),
        (CHAT, []),
        (CHAT, [{"choices": 5}]),
        (CHAT, [{"choices": [{"index": 0, "delta": {"tool_calls": 5}}]}]),
        ("anthropic:m", "<html>Log in first</html>"),
        (
            RESPONSES,
            [
                {
                    "type": "response.failed",
                    "response": {"status": "failed", "error": {"message": "GPU on fire"}},
                }
            ],
        ),
        (RESPONSES, [{"type": "error", "code": None, "message": "GPU on fire"}]),
        ("gemini:m", "<html>Log in first</html>"),
    ],
)
def test_a_stream_raises_what_a_whole_answer_would(way, model, answer, monkeypatch):
    with service(monkeypatch, answer) as asked, pytest.raises(ServiceError):
        way(runner(model), "anna", "Hello")
    assert len(asked.bodies) == 1


@STREAMED
def test_a_stream_that_failed_before_it_said_anything_is_asked_for_again(way, monkeypatch):
    error = {"code": "server_error", "message": "try again"}
    failed = {"type": "response.failed", "response": {"status": "failed", "error": error, "output": []}}
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}
    done = {"type": "response.completed", "response": {"status": "completed", "output": [item]}}
    with service(monkeypatch, [failed], [done]) as asked:
        assert way(runner(RESPONSES), "anna", "Hello").content == "Hello"
    assert len(asked.bodies) == 2


# The model's mistakes -----------------------------------------------------------------------------------

TOO_MUCH = {
    "400 digits": '{"text": ' + "9" * 400 + "}",
    "300 levels": '{"text": ' + "[" * 300 + "]" * 300 + "}",
    "5000 digits": '{"text": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("written", TOO_MUCH.values(), ids=TOO_MUCH.keys())
@pytest.mark.parametrize("way", [run, stream])
def test_arguments_that_cannot_be_kept_are_told_to_the_model(way, written, monkeypatch):
    answers = [chat(calls=[call("note", written)], finish="tool_calls"), chat("Sorry.")]
    if way is stream:
        delta = {"tool_calls": [call("note", written, index=0)]}
        answers = [[chunk(**delta), chunk("tool_calls")], [chunk(content="Sorry."), chunk("stop")]]
    with service(monkeypatch, *answers) as asked:
        response = way(runner(), "anna", "Note this")
    assert response.content == "Sorry." and response.tool_calls_executed[0].is_error
    sent = asked.bodies[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"]
    assert sent == "{}" and "arguments" in asked.bodies[1]["messages"][-1]["content"]


# Time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [run_async, stream_async, stream])
def test_an_answer_that_drips_ends_with_the_time(way, monkeypatch):
    whole = way is run_async
    answer = chat("Hello " * 1000) if whole else [chunk(content="Hello ")] * 1000
    with service(monkeypatch, answer, pause=0.02) as asked:
        made = (openai.OpenAI if way is stream else openai.AsyncOpenAI)(max_retries=0)  # takes time, too
        with pytest.raises(LoopLimitError) as caught:
            way(runner((made, "m"), time_budget=2), "anna", "Hello")
        assert caught.value.limit == "time_budget" and len(asked.bodies) == 1
        assert asked.broken.wait(10)  # it was let go, long before its end


# What only some servers have ----------------------------------------------------------------------------

SIGNED = {"extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}


@pytest.mark.parametrize("way", [run, stream])
def test_what_a_server_sent_beside_goes_back_to_it(way, monkeypatch):
    answers = [
        chat(calls=[call("note", {}, **SIGNED)], finish="tool_calls", reasoning_content="Hm, a note."),
        chat("Noted."),
    ]
    if way is stream:
        answers = [
            [
                chunk(reasoning_content="Hm, "),
                chunk(reasoning_content="a note."),
                chunk(tool_calls=[call("note", "", index=0, **SIGNED)]),
                chunk(tool_calls=[{"index": 0, "function": {"arguments": "{}"}}]),
                chunk("tool_calls"),
            ],
            [chunk(content="Noted."), chunk("stop")],
        ]
    with service(monkeypatch, *answers) as asked:
        way(runner(), "anna", "Note this")
    turn = asked.bodies[1]["messages"][1]
    assert turn["reasoning_content"] == "Hm, a note."
    assert turn["tool_calls"] == [call("note", {}, **SIGNED)]


def test_another_model_does_not_get_it(monkeypatch):
    first = [
        chat(calls=[call("note", {}, **SIGNED)], finish="tool_calls", reasoning_content="Hm."),
        chat("Ok."),
    ]
    with service(monkeypatch, *first, chat("Hello.")) as asked:
        one = runner()
        one.run("anna", "Note this")
        Runner(Agent("clerk", "", [note], "openai:other"), one.store).run("anna", "Hello")
    turn = asked.bodies[2]["messages"][1]
    assert turn == {"role": "assistant", "content": None, "tool_calls": [call("note", {})]}


@WHOLE
def test_ids_that_are_numbers(way, monkeypatch):
    with service(monkeypatch, chat(calls=[{**call("note", {}), "id": 7}]), chat("Noted.")) as asked:
        assert way(runner(), "anna", "Note this").content == "Noted."
    turn, result = asked.bodies[1]["messages"][1:]
    assert turn["tool_calls"][0]["id"] == result["tool_call_id"] and isinstance(result["tool_call_id"], str)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (chat("Hello", finish=None), "end"),
        (chat("Hello", finish="tool_calls"), "end"),
        (chat("", finish="tool_calls"), "other"),
        (chat(None, finish="function_call", function_call={"name": "note", "arguments": "{}"}), "other"),
    ],
)
def test_a_run_ends_for_a_reason_that_is_documented(answer, reason, monkeypatch):
    with service(monkeypatch, answer):
        assert runner().run("anna", "Hello").stop_reason == reason


# Leaving ------------------------------------------------------------------------------------------------


async def left(one: Runner) -> None:
    async for _ in one.run_stream("anna", "Hello"):
        break


async def left_and_asked_again(one: Runner) -> None:
    await left(one)
    events = [event async for event in one.run_stream("anna", "Hello?")]
    assert events[-1].response.content


@pytest.mark.parametrize("leave", [left, left_and_asked_again])
def test_a_stream_that_is_left_ends_without_a_word(leave, monkeypatch, capfd, caplog):
    noise: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", noise.append)
    with service(monkeypatch, [chunk(content="Hello ")] * 40 + [chunk("stop")], pause=0.01):
        asyncio.run(leave(runner()))
        gc.collect()
    # The HTTP library's own generators cannot be reached: what the loop says of those is not ours.
    ours = [one for one in caplog.records if "object Response." not in one.getMessage()]
    assert not noise and not ours and capfd.readouterr() == ("", "")


def test_a_request_ends_with_the_stream_that_was_closed(monkeypatch):
    async def close_early() -> None:
        events = aiter(runner().run_stream("anna", "Hello"))
        await anext(events)
        await events.aclose()
        assert await asyncio.to_thread(asked.broken.wait, 10)

    with service(monkeypatch, [chunk(content="Hello ")] * 1000, pause=0.02) as asked:
        asyncio.run(close_early())


def test_clients_of_loops_that_ended_are_closed(monkeypatch):
    one = runner()
    with service(monkeypatch, chat("Hello")):
        for n in range(20):
            asyncio.run(one.run_async(f"s{n}", "Hello"))
            assert not clients._of_loops


def test_clients_of_loops_that_were_only_closed_are_dropped(monkeypatch):
    one = runner()
    with service(monkeypatch, chat("Hello")):
        for n in range(5):
            loop = asyncio.new_event_loop()
            loop.run_until_complete(one.run_async(f"s{n}", "Hello"))
            loop.close()
            assert len(clients._of_loops) == 1
    clients._of_loops.clear()
