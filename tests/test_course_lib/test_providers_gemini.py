"""providers.gemini: what its wire has that the others have not, and a whole round with the real SDK."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from client_tools import QUESTION, assert_answered, called, get_time, get_weather, set_environment

from course_lib.providers import gemini
from course_lib.tools import Tool, ToolCall, ToolResult
from practice_model import PracticeModel, Server

genai = pytest.importorskip("google.genai")
types = pytest.importorskip("google.genai.types")


def response(*parts, **more):
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


def call(item, call_id=None, name="price"):
    given = {} if call_id is None else {"id": call_id}
    return {"functionCall": {**given, "name": name, "args": {"item": item}}}


# Reading ------------------------------------------------------------------------------------------


def test_snake_case_and_a_content_alone_are_read_as_well():
    part = {"function_call": {"id": "a", "name": "price", "args": {"item": "bun"}}}
    found = [ToolCall("a", "price", {"item": "bun"})]
    assert gemini.read_calls(response(part)) == found
    assert gemini.read_calls({"role": "model", "parts": [part]}) == found
    assert gemini.read_calls(types.Content.model_validate({"role": "model", "parts": [part]})) == found


def test_a_call_without_arguments_has_none():
    (read,) = gemini.read_calls(response({"functionCall": {"id": "a", "name": "today"}}))
    assert read.arguments == {}


def test_names_inside_arguments_are_nobodys_to_change():
    arguments = {"weight_kg": 2, "sendTo": {"zip_code": None}, "thought_signature": "x"}
    part = {"functionCall": {"id": "a", "name": "ship", "args": arguments}}
    sdk = types.GenerateContentResponse.model_validate(response(part))
    for given in (response(part), sdk):
        assert gemini.read_calls(given)[0].arguments == arguments
        assert gemini.write_turn(given)[0]["parts"] == [part]


@pytest.mark.parametrize(
    "nothing",
    [
        {"candidates": []},
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}},
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
        {"candidates": [{"content": {"role": "model"}, "finishReason": "MALFORMED_FUNCTION_CALL"}]},
        {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "MAX_TOKENS"}]},
        {"candidates": None, "usageMetadata": {"promptTokenCount": 3}},
        {"candidates": [{"content": None}]},
    ],
)
def test_where_nothing_was_generated_there_are_no_calls_and_no_turn(nothing):
    for given in (nothing, types.GenerateContentResponse.model_validate(nothing)):
        assert gemini.read_calls(given) == []
        assert gemini.write_turn(given) == []
        assert gemini.read_calls(gemini.merge_stream([given])) == []


def test_calls_that_ran_on_their_side_are_not_yours():
    part = {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["tea"]}}}
    assert gemini.read_calls(response(part)) == []
    assert gemini.write_turn(response(part))[0]["parts"] == [part]


# Calls without ids --------------------------------------------------------------------------------

TWO = response({**call("bun"), "thoughtSignature": "/+7/+w=="}, call("bun"))


def test_calls_without_ids_get_ids_of_their_own_that_stay_the_same():
    calls = gemini.read_calls(TWO)
    assert len({one.id for one in calls}) == 2
    sdk = types.GenerateContentResponse.model_validate(TWO)
    snake = sdk.model_dump(exclude_none=True)
    for again in (TWO, sdk, snake, gemini.write_turn(TWO)[0], gemini.write_turn(sdk)[0]):
        assert gemini.read_calls(again) == calls


@pytest.mark.parametrize(
    "other",
    [
        response({**call("bun"), "thoughtSignature": "AAAA"}, call("bun")),
        response({**call("bun"), "thoughtSignature": "/+7/+w=="}, call("tea")),
        response({**call("bun"), "thoughtSignature": "/+7/+w=="}, call("bun", name="cost")),
    ],
    ids=["signature", "arguments", "name"],
)
def test_another_turn_gets_other_ids(other):
    ids = {one.id for one in gemini.read_calls(TWO)}
    assert ids.isdisjoint(one.id for one in gemini.read_calls(other))


def test_ids_of_our_own_are_not_sent():
    results = [ToolResult(one.id, one.name, "2") for one in gemini.read_calls(TWO)]
    parts = gemini.write_results(results)[0]["parts"]
    assert [set(part["functionResponse"]) for part in parts] == [{"name", "response"}] * 2
    assert "local_" not in json.dumps(gemini.write_turn(TWO))


def test_without_ids_results_go_back_in_the_order_of_the_calls():
    calls = gemini.read_calls(response(*(call(str(n)) for n in range(12))))
    results = [ToolResult(one.id, one.name, one.arguments["item"]) for one in reversed(calls)]
    parts = gemini.write_results(results)[0]["parts"]
    assert [part["functionResponse"]["response"]["result"] for part in parts] == [str(n) for n in range(12)]


# Writing ------------------------------------------------------------------------------------------


def test_a_signature_comes_back_unchanged_whatever_it_was_wrapped_in():
    for signature in ("AbC=", "/+7/+w==", "_-7_-w=="):
        part = {**call("bun", "a"), "thoughtSignature": signature}
        assert gemini.write_turn(response(part))[0]["parts"] == [part]
    part = {**call("bun", "a"), "thoughtSignature": "/+7/+w=="}
    sdk = types.GenerateContentResponse.model_validate(response(part))
    assert sdk.candidates[0].content.parts[0].thought_signature == b"\xff\xee\xff\xfb"
    written = gemini.write_turn(sdk)
    assert written[0]["parts"] == [part]
    assert types.Content.model_validate(json.loads(json.dumps(written))[0]) == sdk.candidates[0].content
    snake = sdk.model_dump(exclude_none=True)  # has the bytes
    assert gemini.write_turn(snake)[0]["parts"][0]["thought_signature"] == "/+7/+w=="


def test_thoughts_and_parts_that_hold_a_signature_alone_go_back_and_empty_parts_do_not():
    kept = [
        {"text": "Hm", "thought": True},
        {"text": "Hello"},
        {"text": "", "thoughtSignature": "AAAA"},
        {"thoughtSignature": "AAAA"},
    ]
    empty = [{}, {"text": ""}, {"text": "", "thought": True}, {"text": None}]
    assert gemini.write_turn(response(*kept, *empty)) == [{"role": "model", "parts": kept}]
    assert gemini.write_turn(response(*empty)) == []


def test_results_go_into_one_user_content_with_their_ids():
    results = [ToolResult("a", "price", "2 dollars"), ToolResult("b", "cost", "no bun", is_error=True)]
    assert gemini.write_results(results) == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "a", "name": "price", "response": {"result": "2 dollars"}}},
                {"functionResponse": {"id": "b", "name": "cost", "response": {"error": "no bun"}}},
            ],
        }
    ]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ('{"price": 2.5, "tags": []}', {"price": 2.5, "tags": []}),
        ('[{"a": null}]', [{"a": None}]),
        ("12", "12"),
        ("007", "007"),
        ('"tea"', '"tea"'),
        ("null", "null"),
        ("", ""),
        ('{"price": ', '{"price": '),
        ('{"price": NaN}', '{"price": NaN}'),
        ('{"price": -Infinity}', '{"price": -Infinity}'),
        ('{"price": 1e999}', '{"price": 1e999}'),
        ('{"id": 9007199254740992}', {"id": 2**53}),
        ('{"id": 9007199254740993}', '{"id": 9007199254740993}'),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_objects_and_lists_go_as_what_they_are_and_all_else_as_text(content, sent):
    for is_error, key in ((False, "result"), (True, "error")):
        ((part,),) = (one["parts"] for one in gemini.write_results([ToolResult("a", "p", content, is_error)]))
        expected = sent if sent or not is_error else "The tool failed."
        assert part["functionResponse"]["response"] == {key: expected}


def test_an_error_is_never_empty_for_that_would_be_none():
    for content in ("", "{}"):
        ((part,),) = (one["parts"] for one in gemini.write_results([ToolResult("a", "p", content, True)]))
        assert part["functionResponse"]["response"] == {"error": "The tool failed."}


# Streams ------------------------------------------------------------------------------------------


def test_text_is_joined_and_thoughts_are_kept_apart():
    chunks = [response({"text": text, "thought": True}) for text in ("Let ", "me see.")]
    chunks += [response({"text": text}) for text in ("Hel", "lo", "")]
    (merged,) = gemini.merge_stream(chunks)["candidates"]
    assert merged["content"]["parts"] == [{"text": "Let me see.", "thought": True}, {"text": "Hello"}]


def test_a_part_with_a_signature_stays_a_part_of_its_own():
    signed = {"text": "", "thoughtSignature": "AAAA"}
    (merged,) = gemini.merge_stream(
        [response({"text": "Hel"}), response({"text": "lo"}), response(signed, finishReason="STOP")]
    )["candidates"]
    assert merged["content"]["parts"] == [{"text": "Hello"}, signed]
    assert merged["finishReason"] == "STOP"


def test_calls_come_whole_in_one_chunk_or_in_several():
    signed = {**call("bun", "a"), "thoughtSignature": "AAAA"}
    chunks = [
        response({"text": "One moment."}),
        response(signed),
        response(call("tea", "b"), call("pie", "c")),
    ]
    merged = gemini.merge_stream(chunks)
    assert [one.id for one in gemini.read_calls(merged)] == ["a", "b", "c"]
    assert gemini.write_turn(merged)[0]["parts"] == [
        {"text": "One moment."},
        signed,
        call("tea", "b"),
        call("pie", "c"),
    ]


def test_sdk_chunks_and_snake_case_merge_like_rest_chunks():
    whole = [
        {**response({"text": "Hi"}), "responseId": "r", "modelVersion": "m"},
        {
            **response({**call("bun", "a"), "thoughtSignature": "/+7/+w=="}, finishReason="STOP"),
            "usageMetadata": {"totalTokenCount": 7},
        },
    ]
    merged = gemini.merge_stream(whole)
    assert merged == {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "Hi"}, {**call("bun", "a"), "thoughtSignature": "/+7/+w=="}],
                },
                "finishReason": "STOP",
            }
        ],
        "responseId": "r",
        "modelVersion": "m",
        "usageMetadata": {"totalTokenCount": 7},
    }
    sdk = [types.GenerateContentResponse.model_validate(chunk) for chunk in whole]
    assert gemini.merge_stream(sdk) == merged
    snake = gemini.merge_stream([chunk.model_dump() for chunk in sdk])
    assert gemini.read_calls(snake) == gemini.read_calls(merged)
    assert snake["responseId"] == "r"


def test_only_the_first_candidate_is_merged_and_a_blocked_prompt_says_so():
    second = {"content": {"parts": [{"text": "B"}]}, "index": 1}
    merged = gemini.merge_stream([{"candidates": [{"content": {"parts": [{"text": "A"}]}}, second]}])
    assert [one["content"]["parts"] for one in merged["candidates"]] == [[{"text": "A"}]]
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    assert gemini.merge_stream([blocked]) == {"candidates": [], **blocked}


# With the real SDK --------------------------------------------------------------------------------

NEW, WITHOUT_IDS = "gemini-3.5-flash-lite", "gemini-2.5-flash"
FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}
CONFIG = {"tools": [{"function_declarations": [Tool(f).to_gemini_declaration() for f in FUNCTIONS.values()]}]}


@pytest.fixture
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    model = PracticeModel()
    with Server(model.handle) as server:
        set_environment(
            monkeypatch,
            ("GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"),
            GOOGLE_GEMINI_BASE_URL=server.url,
            GEMINI_API_KEY="practice",
        )
        yield model


def whole(client: Any, model: str, history: list[Any]) -> Any:
    return client.models.generate_content(model=model, contents=history, config=CONFIG)


def streamed(client: Any, model: str, history: list[Any]) -> Any:
    stream = client.models.generate_content_stream(model=model, contents=history, config=CONFIG)
    return gemini.merge_stream(stream)


def text_of(response: Any) -> str:
    ((content,),) = [gemini.write_turn(response)]
    return "".join(part.get("text", "") for part in content["parts"])


@pytest.mark.parametrize("ask", [whole, streamed])
@pytest.mark.parametrize("model", [NEW, WITHOUT_IDS])
def test_parallel_calls_there_and_back(practice, model, ask):
    client = genai.Client()
    history: list[Any] = [{"role": "user", "parts": [{"text": QUESTION}]}]
    response = ask(client, model, history)
    calls = gemini.read_calls(response)
    assert [one.name for one in calls] == ["get_weather", "get_time"]
    assert all(one.id.startswith("local_") == (model == WITHOUT_IDS) for one in calls)
    history += gemini.write_turn(response)
    # The later result first: the service must still find the call of each.
    results = [ToolResult(one.id, one.name, FUNCTIONS[one.name](**one.arguments)) for one in reversed(calls)]
    history += gemini.write_results(results)
    assert_answered(text_of(ask(client, model, json.loads(json.dumps(history)))))


@pytest.mark.parametrize("model", [NEW, WITHOUT_IDS])
def test_a_failure_among_the_results_is_told_as_one(practice, model):
    client = genai.Client()
    history: list[Any] = [{"role": "user", "parts": [{"text": QUESTION}]}]
    response = whole(client, model, history)
    weather, time = gemini.read_calls(response)
    history += gemini.write_turn(response)
    history += gemini.write_results(
        [
            ToolResult(weather.id, weather.name, "The weather station is down.", is_error=True),
            ToolResult(time.id, time.name, '{"city": "Tokyo", "time": "18:30"}'),
        ]
    )
    final = whole(client, model, history)
    assert gemini.read_calls(final) == []
    assert "18:30" in text_of(final) and "weather station is down" in text_of(final)
    assert {exchange.status for exchange in practice.log.list()} == {200}
    called.clear()
