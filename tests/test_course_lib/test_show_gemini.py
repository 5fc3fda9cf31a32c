"""show.* with Gemini: real exchanges, beside Anthropic's; contents as SDK objects and as dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from client_tools import called, get_time, set_environment

from course_lib import show
from course_lib.providers import anthropic, gemini
from course_lib.tools import Tool, ToolResult
from practice_model import PracticeModel, Server

genai = pytest.importorskip("google.genai")
types = pytest.importorskip("google.genai.types")

QUESTION = "What time is it in Tokyo?"
TOOL = Tool(get_time)


@pytest.fixture
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    model = PracticeModel()
    with Server(model.handle) as server:
        set_environment(
            monkeypatch,
            ("GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"),
            GOOGLE_GEMINI_BASE_URL=server.url,
            GEMINI_API_KEY="practice",
            ANTHROPIC_BASE_URL=server.url,
            ANTHROPIC_API_KEY="practice",
        )
        monkeypatch.setattr(show.exchanges, "recorded", model.log.list)
        yield model
    called.clear()


def answer(call):
    return ToolResult(call.id, call.name, json.dumps({"time": get_time(**call.arguments)}))


def gemini_round(model="gemini-3.5-flash-lite", declaration=None):
    """A question, a call, its result and the answer, as SDK objects and dictionaries mixed."""
    client = genai.Client()
    declaration = declaration or TOOL.to_gemini_declaration()
    config = {"system_instruction": "Be short.", "tools": [{"function_declarations": [declaration]}]}
    history = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
    response = client.models.generate_content(model=model, contents=history, config=config)
    history += gemini.write_turn(response)
    history += gemini.write_results([answer(call) for call in gemini.read_calls(response)])
    final = client.models.generate_content(model=model, contents=history, config=config)
    return [*history, final.candidates[0].content]


def anthropic_round():
    sdk = pytest.importorskip("anthropic")
    request = {"model": "claude-haiku-4-5", "max_tokens": 500, "tools": [TOOL.to_anthropic()]}
    history = [{"role": "user", "content": QUESTION}]
    response = sdk.Anthropic().messages.create(messages=history, **request)
    history += anthropic.write_turn(response)
    history += anthropic.write_results([answer(call) for call in anthropic.read_calls(response)])
    sdk.Anthropic().messages.create(messages=history, **request)


def row(table, name):
    """A row of the table as text: provider -> place."""
    lines = repr(table).split("\n")
    start = lines.index(name) + 1
    found = {}
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        provider, place = line.split(maxsplit=1)
        found[provider] = place
    return found


# names --------------------------------------------------------------------------------------------


def test_names_has_a_column_for_gemini_beside_the_others(practice):
    anthropic_round()
    gemini_round()
    table = show.names()
    content = "candidates[].content.parts[]"
    result = "contents[].parts[].functionResponse"
    assert {
        name: row(table, name)["Gemini"]
        for name in (
            "the tool's name, in the request",
            "its input schema",
            "why the model stopped",
            "the call's id",
            "the call's arguments",
            "what marks a result",
            "the result's link to its call",
            "the result's content",
            "the final text",
        )
    } == {
        "the tool's name, in the request": "tools[].functionDeclarations[].name",
        "its input schema": "tools[].functionDeclarations[].parameters",
        "why the model stopped": 'candidates[].finishReason: "STOP"',
        "the call's id": f"{content}.functionCall.id",
        "the call's arguments": f"{content}.functionCall.args  (object)",
        "what marks a result": result,
        "the result's link to its call": f"{result}.id",
        "the result's content": f"{result}.response",
        "the final text": f"{content}.text",
    }
    assert row(table, "the result's link to its call")["Anthropic"] == "messages[].content[].tool_use_id"
    assert row(table, "what marks a result")["Anthropic"] == 'messages[].content[].type: "tool_result"'


def test_names_tells_that_a_model_without_ids_links_by_name(practice):
    gemini_round("gemini-2.5-flash")
    table = show.names()
    assert row(table, "the call's id") == {"Gemini": "–"}
    assert row(table, "the result's link to its call")["Gemini"].endswith("functionResponse.name")


def test_names_finds_a_schema_in_either_of_its_two_fields(practice):
    gemini_round(
        declaration={
            "name": "get_time",
            "description": TOOL.description,
            "parameters_json_schema": TOOL.parameters,
        }
    )
    place = row(show.names(), "its input schema")["Gemini"]
    assert place == "tools[].functionDeclarations[].parameters_json_schema"  # as the SDK sends it


# conversation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["gemini-3.5-flash-lite", "gemini-2.5-flash"])
def test_a_history_reads_the_same_as_objects_camel_case_and_snake_case(practice, model):
    history = gemini_round(model)
    objects = [types.Content.model_validate(one) for one in history]
    text = repr(show.conversation(history, tools=types.Tool(function_declarations=[{"name": "get_time"}])))
    assert "4 messages, 1 tool call" in text and "Tools offered: get_time" in text
    assert "2. model\n  call 1: get_time · id " in text and '    {"city": "Tokyo"}' in text
    assert "3. user\n  result of call 1: get_time" in text and '{"result": {"time": "18:30"}}' in text
    assert "18:30" in text.split("4. model")[1]
    assert "ignature" not in text
    shown = {
        repr(show.conversation(given))
        for given in (
            history,
            objects,
            [one.model_dump(exclude_none=True) for one in objects],
            [one.model_dump(exclude_none=True, by_alias=True, mode="json") for one in objects],
        )
    }
    assert len(shown) == 1


def test_a_response_says_why_it_ended_and_a_blocked_prompt_why_there_is_none():
    malformed = {"candidates": [{"content": {"role": "model"}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    for body, reason in ((malformed, "MALFORMED_FUNCTION_CALL"), (blocked, "SAFETY")):
        for given in (body, types.GenerateContentResponse.model_validate(body)):
            text = repr(show.conversation([given]))
            assert "1. model\n" in text and text.rstrip().endswith(f": {reason}")


def test_a_signature_alone_is_shown_as_thought_that_nobody_can_read():
    parts = [{"text": "Hello."}, {"text": "", "thoughtSignature": "AAAA"}, {"thought_signature": "AAAA"}]
    text = repr(show.conversation([{"role": "model", "parts": parts}]))
    assert text.count("thinking\n    (not shown by the provider)") == 2
    assert "AAAA" not in text


# prompt and wire ----------------------------------------------------------------------------------


def test_the_last_request_and_a_request_written_for_the_sdk_read_the_same(practice):
    history = gemini_round()
    config = {"system_instruction": "Be short.", "tools": [{"function_declarations": [{"name": "get_time"}]}]}
    sent = repr(show.prompt())
    written = repr(show.prompt({"model": "m", "contents": history[:-1], "config": config}))
    objects = repr(
        show.prompt({"contents": history[:-1], "config": types.GenerateContentConfig.model_validate(config)})
    )
    for text in (sent, written, objects):
        assert "\nsystem\n  Be short." in text
        assert '  {"name": "get_time"' in text
        assert '[model, call 1: get_time]\n    {"city": "Tokyo"}' in text
        assert '[user, result of call 1]\n    {"result": {"time": "18:30"}}' in text
    assert "The response counts" in sent


def test_the_wire_shows_calls_and_results_and_no_key(practice):
    gemini_round()
    text = repr(show.wire(1))
    assert ":generateContent → 200 (accepted)" in text
    assert '"functionCall"' in text and '"functionResponse"' in text
