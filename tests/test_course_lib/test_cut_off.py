"""read_calls tells which call the model could not finish, through the real SDKs: whole responses, streams."""

from __future__ import annotations

from types import SimpleNamespace

import anthropic as anthropic_sdk
import httpx2
import openai
import pytest
from client_tools import CITY, QUESTION
from google import genai

from course_lib.execution import run_calls
from course_lib.providers import anthropic, gemini, openai_chat, openai_responses
from course_lib.tools import ToolCall, tool
from practice_model import PracticeModel
from practice_model.server.inprocess import PracticeTransport

DEFINITIONS = [
    {"name": "get_weather", "description": "The weather in a city."},
    {"name": "get_time", "description": "The local time in a city."},
]
MADRID, TOKYO = ("get_weather", {"city": "Madrid"}), ("get_time", {"city": "Tokyo"})


@pytest.fixture
def model():
    return PracticeModel()


def client(model):
    return httpx2.Client(transport=PracticeTransport(model.handle))


def ask_anthropic(model, tokens, stream):
    sdk = anthropic_sdk.Anthropic(api_key="practice", base_url="http://practice", http_client=client(model))
    found = sdk.messages.create(
        model="claude-haiku-5-5",
        max_tokens=tokens,
        messages=[{"role": "user", "content": QUESTION}],
        tools=[{**one, "input_schema": CITY} for one in DEFINITIONS],
        stream=stream,
    )
    return anthropic, found


def ask_chat(model, tokens, stream):
    sdk = openai.OpenAI(api_key="practice", base_url="http://practice/v1", http_client=client(model))
    found = sdk.chat.completions.create(
        model="gpt-5.4-mini",
        max_completion_tokens=tokens,
        messages=[{"role": "user", "content": QUESTION}],
        tools=[{"type": "function", "function": {**one, "parameters": CITY}} for one in DEFINITIONS],
        stream=stream,
    )
    return openai_chat, found


def ask_responses(model, tokens, stream):
    sdk = openai.OpenAI(api_key="practice", base_url="http://practice/v1", http_client=client(model))
    found = sdk.responses.create(
        model="gpt-5.4-mini",
        max_output_tokens=max(16, tokens),
        input=QUESTION,
        tools=[{"type": "function", **one, "parameters": CITY, "strict": False} for one in DEFINITIONS],
        stream=stream,
    )
    return openai_responses, found


def ask_gemini(model, tokens, stream):
    sdk = genai.Client(
        api_key="practice", http_options={"base_url": "http://practice", "httpx_client": client(model)}
    )
    ask = sdk.models.generate_content_stream if stream else sdk.models.generate_content
    found = ask(
        model="gemini-3.5-flash-lite",
        contents=QUESTION,
        config={
            "max_output_tokens": tokens,
            "automatic_function_calling": {"disable": True},
            "tools": [
                {"function_declarations": [{**one, "parameters_json_schema": CITY} for one in DEFINITIONS]}
            ],
        },
    )
    return gemini, list(found) if stream else found


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("ask", [ask_anthropic, ask_chat, ask_responses, ask_gemini])
def test_only_the_last_call_of_a_response_that_ran_out_of_tokens_is_cut_off(model, ask, stream):
    seen = set()
    for tokens in [*range(2, 90, 4), 1000]:
        provider, found = ask(model, tokens, stream)
        calls = provider.read_calls(provider.merge_stream(found) if stream else found)
        seen.add(tuple(one.cut_off for one in calls))
        whole = [(one.name, one.arguments) for one in calls if not one.cut_off]
        assert whole == [MADRID, TOKYO][: len(whole)]
    assert {(True,), (False, False)} <= seen <= {(), (True,), (False, True), (False, False)}
    assert [one.cut_off for one in calls] == [False, False]


def test_a_call_that_was_cut_off_does_not_run_and_the_model_is_told(model):
    ran = []

    @tool
    def get_weather(city: str = "here"):
        ran.append(city)

    _, found = ask_anthropic(model, 30, False)
    (one,) = anthropic.read_calls(found)
    assert (one.name, one.arguments) == ("get_weather", {})  # it looks like a call without arguments
    (result,) = run_calls([one], [get_weather])
    assert result.is_error and "cut off" in result.content and not ran


@pytest.mark.parametrize("fault", ["refusal", "filtered"])
@pytest.mark.parametrize("ask", [ask_anthropic, ask_chat, ask_responses, ask_gemini])
def test_a_refusal_has_no_calls(model, ask, fault):
    with model.faults(fault):
        provider, found = ask(model, 1000, False)
    assert provider.read_calls(found) == []


def use(id="t", **input):
    return {"type": "tool_use", "id": id, "name": "f", "input": input}


def test_a_refusal_in_the_middle_of_a_call_leaves_nothing_to_run_or_to_answer():
    message = {"stop_reason": "refusal", "content": [{"type": "text", "text": "I"}, use()]}
    assert anthropic.read_calls(message) == []
    assert anthropic.write_turn(message) == [
        {"role": "assistant", "content": [{"type": "text", "text": "I"}]}
    ]
    assert anthropic.write_turn({"stop_reason": "refusal", "content": [use()]}) == []


def marks(provider, response):
    return [one.cut_off for one in provider.read_calls(response)]


def test_a_call_before_the_text_that_was_cut_is_complete():
    text = {"type": "text", "text": "And"}
    assert marks(anthropic, {"stop_reason": "max_tokens", "content": [use("a"), use("b")]}) == [False, True]
    assert marks(anthropic, {"stop_reason": "max_tokens", "content": [use("a"), text]}) == [False]
    full = {"stop_reason": "model_context_window_exceeded", "content": [use("a")]}
    assert marks(anthropic, full) == [True]


def chat_choice(reason):
    calls = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in ("a", "b")
    ]
    return {"finish_reason": reason, "message": {"role": "assistant", "tool_calls": calls}}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("tool_calls", False), ("stop", False), (None, False), ("length", True), ("content_filter", True)],
)
def test_chat_a_completion_or_its_choice_tells_it_and_a_message_does_not(reason, expected):
    choice = chat_choice(reason)
    as_object = SimpleNamespace(
        finish_reason=reason, message=SimpleNamespace(tool_calls=choice["message"]["tool_calls"])
    )
    for response in (choice, {"choices": [choice]}, as_object, SimpleNamespace(choices=[as_object])):
        assert marks(openai_chat, response) == [False, expected]
    assert marks(openai_chat, choice["message"]) == [False, False]
    assert openai_chat.write_turn(choice) == openai_chat.write_turn({"choices": [choice]})


def item(status=None):
    return {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}", "status": status}


def test_responses_each_item_tells_it_and_else_the_response():
    for status, expected in (("completed", False), ("incomplete", True), ("in_progress", True)):
        assert marks(openai_responses, {"status": "incomplete", "output": [item(status)]}) == [expected]
        assert marks(openai_responses, {"status": status, "output": [item(), item()]}) == [False, expected]


@pytest.mark.parametrize(
    ("reason", "expected"), [("STOP", False), ("MAX_TOKENS", True), ("MALFORMED_FUNCTION_CALL", True)]
)
def test_gemini_the_candidate_tells_it(reason, expected):
    parts = [{"functionCall": {"name": "f", "args": {}}}] * 2
    parts = [dict(one) for one in parts]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason}
    assert marks(gemini, {"candidates": [candidate]}) == [False, expected]
    assert marks(gemini, {"candidates": [{**candidate, "content": {"parts": [*parts, {"text": "x"}]}}]}) == [
        False,
        False,
    ]
    from google.genai.types import GenerateContentResponse

    assert marks(gemini, GenerateContentResponse.model_validate({"candidates": [candidate]})) == [
        False,
        expected,
    ]


def test_a_call_says_nothing_of_being_cut_off_unless_it_was():
    assert ToolCall("a", "f", {}) == ToolCall("a", "f", {}, cut_off=False)


# Streams that break off --------------------------------------------------------------------------

ANTHROPIC_STREAM = [
    {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {}}},
    {"type": "content_block_start", "index": 0, "content_block": use("a")},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": use("b")},
]
CHAT_PIECE = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}
CHAT_STREAM = [
    {"choices": [{"index": 0, "delta": {"tool_calls": [{**CHAT_PIECE, "index": n, "id": name}]}}]}
    for n, name in enumerate("ab")
]
GEMINI_STREAM = [{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}}]}] * 2


@pytest.mark.parametrize(
    ("provider", "events", "expected", "end"),
    [
        (
            anthropic,
            ANTHROPIC_STREAM,
            [False, True],
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        ),
        (
            openai_chat,
            CHAT_STREAM,
            [True, True],
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        ),
        (gemini, GEMINI_STREAM, [False, True], {"candidates": [{"finishReason": "STOP"}]}),
    ],
)
def test_a_call_at_the_end_of_a_stream_that_broke_off_is_cut_off(provider, events, expected, end):
    broken = provider.merge_stream(events)
    assert marks(provider, broken) == expected
    assert marks(provider, provider.merge_stream([*events, end])) == [False, False]
    assert "ended_early" not in str(provider.write_turn(broken))


def test_responses_an_item_that_was_not_done_when_the_stream_broke_off_is_no_call():
    done = {"type": "response.output_item.done", "output_index": 0, "item": item("completed")}
    begun = {"type": "response.output_item.added", "output_index": 1, "item": item("in_progress")}
    merged = openai_responses.merge_stream([done, begun])
    assert merged["status"] == "incomplete" and marks(openai_responses, merged) == [False]
