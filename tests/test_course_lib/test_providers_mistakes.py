"""What is no response, no stream and no list of results is told to the programmer, with what to write."""

from __future__ import annotations

import pytest

from course_lib.errors import CourseError
from course_lib.providers import anthropic, gemini, openai_chat, openai_responses
from course_lib.tools import ToolCall, ToolResult

MODULES = [anthropic, openai_chat, openai_responses, gemini]
WHOLE = {
    "anthropic": {"type": "message", "role": "assistant", "content": [{"type": "tool_use", "input": {}}]},
    "openai_chat": {
        "choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
    },
    "openai_responses": {"output": [{"type": "message", "content": []}]},
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]},
}


def name(module):
    return module.__name__.rpartition(".")[2]


@pytest.mark.parametrize("module", MODULES, ids=name)
@pytest.mark.parametrize("whose", WHOLE)
def test_the_response_of_another_provider_is_told_with_its_module(module, whose):
    for read in (module.read_calls, module.write_turn):
        if whose == name(module):
            read(WHOLE[whose])
            continue
        with pytest.raises(CourseError, match=f"use providers.{whose} for it"):
            read(WHOLE[whose])


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_what_is_no_response_is_told_with_what_to_do(module):
    async def create():
        return {}

    async def events():
        yield {}

    forgotten = create()
    for value, says in [
        (forgotten, "await it first"),
        (iter([]), "merge_stream"),
        (events(), "merge_stream"),
        ([{"type": "text"}], "the whole response"),
        ({"error": {"message": "overloaded"}}, "error of the service.*overloaded"),
        ("text", "a str is no response"),
        (None, "None is no response"),
        (5, "a int is no response"),
    ]:
        for read in (module.read_calls, module.write_turn):
            with pytest.raises(CourseError, match=says):
                read(value)
    with pytest.raises(CourseError, match="await it first"):
        module.merge_stream(forgotten)
    forgotten.close()


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_what_is_no_list_of_results_or_no_stream_is_told(module):
    result = ToolResult("a", "f", "1")
    for value, says in [
        (result, r"write_results\(\[result\]\)"),
        ([ToolCall("a", "f", {})], "ToolCall is no ToolResult"),
        ([{"tool_call_id": "a"}], "dict is no ToolResult"),
        (None, "None is no list of results"),
        ("abc", "str is no list"),
    ]:
        with pytest.raises(CourseError, match=says):
            module.write_results(value)
    for value, says in [({"content": []}, "whole response already"), (None, "None is no stream")]:
        with pytest.raises(CourseError, match=says):
            module.merge_stream(value)


def test_a_custom_tool_of_chat_has_its_name_and_its_text():
    call = {"id": "a", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert openai_chat.read_calls(message) == [ToolCall("a", "sql", "select 1")]
    assert openai_chat.write_turn(message)[0]["tool_calls"] == [call]


def test_a_name_that_comes_longer_each_time_is_the_last_one():
    def chunk(**function):
        piece = {"index": 0, "id": "a", "function": function}
        return {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": "tool_calls"}]}

    merged = openai_chat.merge_stream([chunk(name="get_"), chunk(name="get_weather"), chunk(arguments="{}")])
    assert openai_chat.read_calls(merged) == [ToolCall("a", "get_weather", {})]


MALFORMED = [
    (gemini, {"candidates": [{"content": {"parts": [None]}}]}),
    (gemini, {"candidates": [{"content": {"parts": 5}}]}),
    (openai_chat, {"choices": [{"message": {"tool_calls": {"a": 1}}}]}),
    (openai_responses, {"output": 5}),
    (anthropic, {"content": 5}),
]
BROKEN_STREAMS = [
    (gemini, {"candidates": 5}),
    (gemini, {"candidates": [{"content": {"parts": [{"text": 5}, {"text": "a"}]}}]}),
    (openai_chat, {"choices": 5}),
    (openai_chat, {"choices": [{"delta": {"tool_calls": 5}}]}),
    (openai_responses, {"type": "response.output_item.done", "item": 5}),
    (anthropic, {"type": "message_start", "message": 5}),
    (anthropic, {"type": "content_block_start", "index": [], "content_block": {}}),
]


@pytest.mark.parametrize(("module", "response"), MALFORMED)
def test_a_response_of_another_form_is_told(module, response):
    with pytest.raises(CourseError, match="read|must be|holds what is no"):
        module.read_calls(response)
        module.write_turn(response)


@pytest.mark.parametrize(("module", "event"), BROKEN_STREAMS)
def test_a_stream_of_another_form_is_told(module, event):
    with pytest.raises(CourseError, match="cannot be read by providers|neither an object"):
        module.merge_stream([event])


@pytest.mark.parametrize("module", MODULES, ids=name)
@pytest.mark.parametrize("error", [TypeError, ValueError, ConnectionError])
def test_what_breaks_while_a_stream_arrives_stays_what_it_is(module, error):
    def events():
        yield {}
        raise error("the line is dead")

    with pytest.raises(error, match="the line is dead"):
        module.merge_stream(events())
