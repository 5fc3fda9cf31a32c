"""history: what real responses become, and that each provider takes a history back, whoever spoke in it."""

from __future__ import annotations

import copy
import itertools
import json
import re

import pytest
from client_tools import QUESTION, called
from history_tools import MODELS, PROVIDERS, TOOLS, Clients, Requests

from course_lib import providers
from course_lib.errors import CourseError
from course_lib.execution import run_calls
from course_lib.providers import history, shared
from course_lib.providers.shared import parse_arguments
from course_lib.tools import ToolCall, ToolResult
from practice_model import PracticeModel

pytest.importorskip("google.genai")

EACH = pytest.mark.parametrize("provider", PROVIDERS)
PAIRS = pytest.mark.parametrize(("first", "second"), list(itertools.product(PROVIDERS, PROVIDERS)))
WHOLE_OR_STREAM = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
THINKING = {
    "anthropic": {"thinking": {"type": "adaptive", "display": "summarized"}},
    "openai": {},
    "openai-responses": {
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
    },
    "gemini": {"config": {"thinking_config": {"include_thoughts": True, "thinking_budget": 512}}},
}
MORE = "And what is the weather in Lisbon?"


@pytest.fixture
def clients():
    called.clear()
    return Clients(PracticeModel())


def leaves(value):
    """All texts in a value, with the keys that lead to them."""
    if isinstance(value, dict):
        return [(name, *one) for name, inner in value.items() for one in leaves(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in leaves(inner)]
    return [(value,)]


def blank_texts(wire):
    """Every empty text that a service would refuse: content, text and parts, but not thinking."""
    return [one for one in leaves(wire) if one[-2:] in (("content", ""), ("text", ""))]


# There and back -----------------------------------------------------------------------------------


@WHOLE_OR_STREAM
@EACH
def test_a_provider_gets_back_unchanged_what_it_sent(clients, provider, stream):
    turns = [history.user(QUESTION)]
    text = clients.answer(provider, turns, stream=stream, tokens=4000, **copy.deepcopy(THINKING[provider]))
    assert "21" in text and "18:30" in text
    module = providers.module_of(provider)
    sent = history.to_wire(turns, provider)
    for turn in turns:
        if turn["role"] == "assistant":
            assert all(item in sent for item in turn["wire"])
            again = {"output": turn["wire"]} if provider == "openai-responses" else turn["wire"][0]
            assert [one.id for one in module.read_calls(again)] == [one["id"] for one in turn["calls"]]
    assert json.loads(json.dumps(turns)) == turns


@EACH
def test_thinking_and_signatures_are_those_of_the_response(clients, provider):
    turns = [history.user(QUESTION)]
    response = clients.ask(provider, turns, tokens=4000, **copy.deepcopy(THINKING[provider]))
    raw = clients.practice.log.list()[-1].response
    names = ("signature", "thinking", "encrypted_content", "thoughtSignature")
    theirs = [one for one in leaves(raw) if one[-2] in names and one[-1]]
    turn = history.assistant(response, provider, MODELS[provider])
    ours = [one for one in leaves(turn["wire"]) if one[-2] in names]
    assert sorted(one[-2:] for one in ours) == sorted(one[-2:] for one in theirs)
    assert ours or provider == "openai"


@WHOLE_OR_STREAM
@PAIRS
def test_a_session_begun_on_one_goes_on_with_another(clients, first, second, stream):
    turns = [history.user(QUESTION)]
    clients.answer(first, turns, stream=stream)
    turns.append(history.user(MORE))
    assert "21" in clients.answer(second, turns, stream=stream)
    turns.append(history.user("What time is it in Tokyo?"))
    assert "18:30" in clients.answer(first, turns, stream=stream)
    assert [call["name"] for turn in turns for call in turn.get("calls", [])] == [
        "get_weather",
        "get_time",
        "get_weather",
        "get_time",
    ]


@PAIRS
def test_another_can_take_over_between_calls_and_answer(clients, first, second):
    turns = [history.user(QUESTION)]
    turns.append(history.assistant(clients.ask(first, turns), first, MODELS[first]))
    calls = history.unanswered(turns)
    turns.append(history.results(run_calls(calls, TOOLS)))
    text = clients.answer(second, turns)
    assert "21" in text and "18:30" in text


@PAIRS
def test_errors_are_told_as_errors_to_both(clients, first, second):
    turns = [history.user(QUESTION)]
    turns.append(history.assistant(clients.ask(first, turns), first, MODELS[first]))
    weather, time = history.unanswered(turns)
    turns.append(
        history.results(
            [
                ToolResult(weather.id, weather.name, "The weather station is down.", is_error=True),
                ToolResult(time.id, time.name, "18:30"),
            ]
        )
    )
    text = clients.answer(second, turns)
    assert "weather station is down" in text and "18:30" in text


@pytest.mark.parametrize("fault", ["truncated", "refusal", "filtered", "pause_turn"])
@EACH
def test_a_turn_that_ended_early_does_not_end_the_session(clients, provider, fault):
    turns = [history.user(QUESTION)]
    with clients.practice.faults(fault):
        turns.append(history.assistant(clients.ask(provider, turns), provider, MODELS[provider]))
    calls = history.unanswered(turns)
    if calls:
        turns.append(history.results(run_calls(calls, TOOLS)))
    turns.append(history.user(MORE))
    for second in PROVIDERS:
        # OpenAI writes what it refuses with in a field of its own.
        sent = [one for one in history.to_wire(turns, second) if not one.get("refusal")]
        assert not blank_texts(sent)
        assert Requests(clients.practice).answer(second, copy.deepcopy(turns))


@WHOLE_OR_STREAM
@EACH
def test_a_turn_cut_off_anywhere_can_be_followed_by_another(clients, provider, stream):
    for tokens in range(1, 60, 4):
        turns = [history.user(QUESTION)]
        options = copy.deepcopy(THINKING[provider])
        tokens = max(16, tokens) if provider == "openai-responses" else tokens
        response = clients.ask(provider, turns, stream=stream, tokens=tokens, **options)
        turns.append(history.assistant(response, provider, MODELS[provider]))
        if calls := history.unanswered(turns):
            turns.append(history.results(run_calls(calls, TOOLS)))
        else:
            assert turns[-1]["stop_reason"] in ("max_tokens", "other")
        turns.append(history.user(MORE))
        for second in PROVIDERS:
            Requests(clients.practice).ask(second, turns)


def test_a_paused_turn_goes_back_as_the_last_one_and_goes_on(clients):
    turns = [history.user(QUESTION)]
    with clients.practice.faults("pause_turn"):
        turns.append(history.assistant(clients.ask("anthropic", turns), "anthropic", "m"))
    assert turns[-1]["stop_reason"] == "pause" and history.unanswered(turns) == []
    sent = history.to_wire(turns, "anthropic")
    assert sent[-1] == turns[-1]["wire"][0]
    assert sent[-1]["content"][-1]["type"] == "server_tool_use"
    clients.answer("anthropic", turns)
    assert [message["role"] for message in history.to_wire(turns, "anthropic")][:2] == ["user", "assistant"]


def test_a_pause_that_the_user_ended_leaves_no_open_search():
    def turn(*content):
        message = {"content": list(content), "stop_reason": "pause_turn"}
        return history.assistant(message, "anthropic", "m")

    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    text = {"type": "text", "text": "Looking."}
    hello, stop = history.user("Hello"), history.user("Stop")
    assert history.to_wire([hello, turn(text, search), stop], "anthropic")[1]["content"] == [text]
    both = history.to_wire([hello, turn(text, search), turn(found, text), stop], "anthropic")
    assert both[1]["content"] == [text, search, found, text]
    alone = history.to_wire([hello, turn(search), stop], "anthropic")
    assert [message["role"] for message in alone] == ["user"]


# What a response becomes --------------------------------------------------------------------------


@EACH
def test_the_neutral_half_of_a_turn_is_the_same_for_all(clients, provider):
    turn = history.assistant(clients.ask(provider, [history.user(QUESTION)]), provider, "some-model")
    assert [(call["name"], call["arguments"]) for call in turn["calls"]] == [
        ("get_weather", {"city": "Madrid"}),
        ("get_time", {"city": "Tokyo"}),
    ]
    assert turn["stop_reason"] == "tool_calls"
    assert (turn["provider"], turn["model"]) == (provider, "some-model")
    assert turn["usage"]["input_tokens"] > 20 and turn["usage"]["output_tokens"] > 5
    turns = [history.user("Hello")]
    clients.answer(provider, turns)
    assert turns[-1]["calls"] == [] and turns[-1]["stop_reason"] == "end" and turns[-1]["text"].strip()


@EACH
def test_a_dictionary_and_a_stream_become_the_same_as_the_sdks_object(clients, provider):
    turns = [history.user(QUESTION)]
    whole = history.assistant(clients.ask(provider, turns), provider, "m")
    raw = clients.practice.log.list()[-1].response
    assert history.assistant(raw, provider, "m")["calls"] == whole["calls"]
    assert history.assistant(raw, provider, "m")["usage"] == whole["usage"]
    streamed = history.assistant(clients.ask(provider, turns, stream=True), provider, "m")
    assert {**streamed, "usage": 0} == {**whole, "usage": 0}


@pytest.mark.parametrize(
    ("fault", "reasons"),
    [
        ("truncated", dict.fromkeys(PROVIDERS, "max_tokens")),
        ("refusal", dict.fromkeys(PROVIDERS, "refusal")),
        ("filtered", dict.fromkeys(PROVIDERS, "refusal")),
        ("broken_json", {"gemini": "other", "openai": "tool_calls", "openai-responses": "tool_calls"}),
    ],
)
@EACH
def test_why_a_turn_ended_is_said_in_the_same_words(clients, provider, fault, reasons):
    with clients.practice.faults(fault):
        turn = history.assistant(clients.ask(provider, [history.user(QUESTION)]), provider, "m")
    assert turn["stop_reason"] == reasons.get(provider, "tool_calls")
    if fault == "refusal":
        assert turn["calls"] == [] and "None" not in turn["text"]


def test_a_forced_call_is_a_call_though_the_service_says_stop():
    message = {"role": "assistant", "content": None, "tool_calls": [chat_call("a", "{}")]}
    completion = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert history.assistant(completion, "openai", "m")["stop_reason"] == "tool_calls"


def chat_call(call_id, arguments, name="price"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_null_content_is_no_text_and_stays_null():
    message = {"role": "assistant", "content": None, "tool_calls": [chat_call("call_1", '{"item":"bun"}')]}
    turn = history.assistant({"choices": [{"message": message}]}, "openai", "m")
    assert turn["text"] == "" and turn["wire"][0]["content"] is None
    turns = [history.user("Go"), turn, result("call_1")]
    for provider in PROVIDERS:
        assert "None" not in json.dumps(history.to_wire(turns, provider))
        assert not blank_texts(history.to_wire(turns, provider))
    assert history.to_wire(turns, "openai")[1] == message


@pytest.mark.parametrize(
    ("text", "kept", "sent"),
    [
        ('{"item": "bun"}', {"item": "bun"}, {"item": "bun"}),
        ('"{\\"item\\": \\"bun\\"}"', {"item": "bun"}, {"item": "bun"}),
        ("", {}, {}),
        (None, {}, {}),
        ('{"item": "bu', '{"item": "bu', {}),
        ("[1]", "[1]", {}),
    ],
)
def test_arguments_are_kept_as_they_were_and_sent_as_an_object(text, kept, sent):
    message = {"role": "assistant", "content": None, "tool_calls": [chat_call("a", text)]}
    turn = history.assistant({"choices": [{"message": message}]}, "openai", "m")
    turns = [history.user("Go"), turn]
    assert history.unanswered(turns) == [ToolCall("a", "price", kept)]
    turns.append(result("a"))
    arguments = history.to_wire(turns, "openai")[1]["tool_calls"][0]["function"]["arguments"]
    assert parse_arguments(arguments) == sent
    assert history.to_wire(turns, "anthropic")[1]["content"][0]["input"] == sent
    assert json.loads(history.to_wire(turns, "openai-responses")[1]["arguments"]) == sent
    assert history.to_wire(turns, "gemini")[1]["parts"][0]["functionCall"]["args"] == sent


def test_fields_that_a_service_would_not_take_back_are_not_kept():
    block = {"type": "tool_use", "id": "toolu_c", "name": "price", "input": {"item": "bun"}}
    message = {"content": [{**block, "caller": {"type": "direct"}, "toolset_name": None}]}
    turn = history.assistant(message, "anthropic", "m")
    assert turn["wire"] == [{"role": "assistant", "content": [block]}]


def test_a_call_that_was_cut_off_is_remembered_as_one(clients):
    turns = [history.user(QUESTION)]
    turns.append(history.assistant(clients.ask("anthropic", turns, tokens=30), "anthropic", "m"))
    (call,) = history.unanswered(json.loads(json.dumps(turns)))
    assert call.cut_off
    (found,) = run_calls([call], TOOLS)
    assert found.is_error and not called


def test_texts_around_other_blocks_are_paragraphs_and_neighbours_are_one():
    def text(words):
        return {"type": "text", "text": words}

    content = [{"type": "thinking", "thinking": "Hm", "signature": "c2ln"}, text("One "), text("two.")]
    content += [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, text("Three.")]
    assert history.assistant({"content": content}, "anthropic", "m")["text"] == "One two.\n\nThree."


def test_tokens_from_a_cache_and_of_thinking_are_counted():
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300}
    turn = history.assistant({"content": [], "usage": {**usage, "output_tokens": 7}}, "anthropic", "m")
    assert turn["usage"] == {"input_tokens": 321, "output_tokens": 7}
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 30}
    turn = history.assistant({"candidates": [], "usageMetadata": usage}, "gemini", "m")
    assert turn["usage"] == {"input_tokens": 5, "output_tokens": 32}
    turn = history.assistant({"choices": [], "usage": None}, "openai", "m")
    assert turn["usage"] == {"input_tokens": 0, "output_tokens": 0}


def test_half_characters_of_a_model_are_replaced_for_nothing_could_send_them():
    call = {"type": "tool_use", "id": "a", "name": "price", "input": {"item": "bun\ud83d"}}
    content = [{"type": "text", "text": "caf\ud83dé"}, call]
    turn = history.assistant({"content": content}, "anthropic", "m")
    assert turn["text"] == "caf?é" and turn["calls"][0]["arguments"] == {"item": "bun?"}
    assert history.user("a\ud83db")["text"] == "a?b"
    history.check([history.user("Go"), turn, result("a")])


@pytest.mark.parametrize("wrong", [None, 7, "Hello", [], {}, {"error": "x"}, object(), dict])
@EACH
def test_what_is_no_response_is_refused_with_what_to_give(provider, wrong):
    with pytest.raises(CourseError, match="no response.*returned"):
        history.assistant(wrong, provider, "m")


@PAIRS
def test_a_response_of_another_provider_is_told_apart(clients, first, second):
    response = clients.ask(first, [history.user(QUESTION)])
    if first == second:
        assert history.assistant(response, second, "m")["calls"]
    else:
        with pytest.raises(CourseError, match=f'no response of "{second}"'):
            history.assistant(response, second, "m")


def test_an_unknown_provider_is_told_the_known_ones():
    for wrong in ("claude", "openai_chat", "", None, 3):
        with pytest.raises(CourseError, match='"anthropic", "openai", "openai-responses", "gemini"'):
            history.to_wire([history.user("Hello")], wrong)


@pytest.mark.parametrize("wrong", ["", "  \n", None, 5, ["Hello"]])
def test_a_user_says_text(wrong):
    with pytest.raises(CourseError, match="user"):
        history.user(wrong)


@pytest.mark.parametrize("wrong", [[], [None], [{"tool_call_id": "a"}], ["text"]])
def test_results_are_results(wrong):
    with pytest.raises(CourseError, match=r"results\(\)"):
        history.results(wrong)


def test_a_result_says_whether_it_is_an_error():
    given = [ToolResult("call_a", "price", "2"), ToolResult("call_b", "price", "No such bun.", is_error=True)]
    assert [one["is_error"] for one in history.results(given)["results"]] == [False, True]


# What others are sent -----------------------------------------------------------------------------


def spoken(*calls, text="", provider=None, **more):
    """An assistant's turn as another program may have written it: without a wire."""
    found = [{"id": call_id, "name": name, "arguments": {"item": "bun"}} for call_id, name in calls]
    return {"role": "assistant", "text": text, "calls": found, "stop_reason": "end", **more}


def result(call_id, content="2", is_error=False, name="price"):
    return history.results([ToolResult(call_id, name, content, is_error)])


def pairs_sent(turns, provider):
    """The ids of all calls and of all results, as sent."""
    sent = history.to_wire(turns, provider)
    if provider == "anthropic":
        blocks = [block for message in sent for block in shared._blocks(message["content"])]
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        return calls, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    if provider == "openai":
        calls = [call["id"] for message in sent for call in message.get("tool_calls", [])]
        return calls, [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    if provider == "openai-responses":
        calls = [item["call_id"] for item in sent if item.get("type") == "function_call"]
        return calls, [item["call_id"] for item in sent if item.get("type") == "function_call_output"]
    parts = [part for content in sent for part in content["parts"]]
    calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
    return calls, [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]


IDS = ["call_1", "functions.price:0", "", "é", "x" * 300, "local_0123456789ab_0", "a b", "\n", '"']


@EACH
def test_ids_that_a_provider_would_refuse_are_mapped_alike_for_call_and_result(clients, provider):
    turns = [history.user("Prices?")]
    for call_id in IDS:
        turns += [spoken((call_id, "price")), result(call_id)]
    calls, answers = pairs_sent(turns, provider)
    assert calls == answers and len(set(calls)) == len(IDS)
    assert calls[0] == "call_1"
    clients.ask(provider, turns)
    # What was sent before stays as it was, or the provider's cache of it is of no use.
    assert pairs_sent(turns[:5], provider)[0] == calls[:2]


@EACH
def test_an_id_that_comes_again_is_told_apart(clients, provider):
    turns = [history.user("Prices?")]
    turns += [spoken(("a", "price"), ("a", "price")), result("a", "first"), result("a", "second")]
    turns += [spoken(("a", "price")), result("a", "third")]
    calls, answers = pairs_sent(turns, provider)
    assert calls == answers and len(set(calls)) == 3
    text = json.dumps(history.to_wire(turns, provider))
    assert text.index("first") < text.index("second") < text.index("third")
    clients.ask(provider, turns)


@EACH
def test_names_that_a_model_invented_are_sent_as_ones_that_all_take(clients, provider):
    names = ["functions.price", "get price", "", "größe", "x" * 200, "price"]
    turns = [history.user("Go"), spoken(*((str(n), name) for n, name in enumerate(names)))]
    turns.append(
        history.results([ToolResult(str(n), name, f"no tool {name!r}", True) for n, name in enumerate(names)])
    )
    wire = history.to_wire(turns, provider)
    sent = [one[-1] for one in leaves(wire) if one[-2] == "name"]
    assert sent[-1] == "price" and all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in sent)
    clients.ask(provider, turns)


@EACH
def test_results_follow_their_calls_in_one_message_in_their_order(clients, provider):
    turns = [history.user("Prices?"), spoken(("a", "price"), ("b", "price"), ("c", "price"))]
    turns += [
        result("c", "3"),
        history.results([ToolResult("b", "price", "2"), ToolResult("a", "price", "1")]),
    ]
    turns.append(history.user("Hurry"))
    assert pairs_sent(turns, provider) == (["a", "b", "c"], ["a", "b", "c"])
    clients.ask(provider, turns)
    if provider == "anthropic":
        last = history.to_wire(turns, provider)[-1]["content"]
        assert [block["type"] for block in last] == ["tool_result"] * 3 + ["text"]
    if provider == "gemini":
        last = history.to_wire(turns, provider)[-1]["parts"]
        assert [next(iter(part)) for part in last] == ["functionResponse"] * 3 + ["text"]
        assert all(isinstance(part["functionResponse"]["response"], dict) for part in last[:3])


@EACH
def test_users_who_speak_twice_and_models_that_say_nothing(clients, provider):
    turns = [history.user("Hello"), spoken(text=" \n"), history.user("Are you there?"), spoken(text="")]
    turns += [history.user("Hello?")]
    sent = history.to_wire(turns, provider)
    assert not blank_texts(sent)
    if provider != "openai-responses":
        assert [message["role"] for message in sent] == ["user"]
    for text in ("Hello", "Are you there?", "Hello?"):
        assert text in json.dumps(sent)
    clients.ask(provider, turns)


@pytest.mark.parametrize("content", ["", "  "])
@EACH
def test_a_result_is_never_sent_empty(clients, provider, content):
    for is_error in (False, True):
        turns = [history.user("Go"), spoken(("a", "price")), result("a", content, is_error)]
        assert not blank_texts(history.to_wire(turns, provider))
        assert ("failed" if is_error else "OK") in json.dumps(history.to_wire(turns, provider))
        clients.ask(provider, turns)


def test_blank_texts_beside_thinking_and_calls_are_left_out_and_the_rest_stays():
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
    redacted = {"type": "redacted_thinking", "data": "eHl6"}
    use = {"type": "tool_use", "id": "a", "name": "price", "input": {}}
    content = [thinking, redacted, {"type": "text", "text": "\n\n"}, use]
    turns = [history.user("Go"), history.assistant({"content": content}, "anthropic", "m"), result("a")]
    assert history.to_wire(json.loads(json.dumps(turns)), "anthropic")[1]["content"] == [
        thinking,
        redacted,
        use,
    ]


def test_thinking_that_nothing_follows_is_left_out(clients):
    whole = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
    cut = {"type": "thinking", "thinking": "Hm, but", "signature": ""}
    said = {"type": "text", "text": "One moment"}
    for content, kept in (([cut], []), ([whole], []), ([whole, said, cut], [whole, said])):
        response = {"content": content, "stop_reason": "max_tokens"}
        turns = [history.user("Go"), history.assistant(response, "anthropic", "m"), history.user("On")]
        sent = history.to_wire(turns, "anthropic")
        assert [m["content"] for m in sent if m["role"] == "assistant"] == ([kept] if kept else [])
        clients.ask("anthropic", turns)


def test_reasoning_that_was_cut_off_is_left_out():
    items = [{"type": "reasoning", "id": "rs_1", "summary": []}]
    reasons = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    turn = history.assistant({"output": items, **reasons}, "openai-responses", "m")
    assert turn["stop_reason"] == "max_tokens"
    turns = [history.user("Go"), turn, history.user("On")]
    assert [item.get("type") for item in history.to_wire(turns, "openai-responses")] == [None, None]


def test_gemini_gets_a_signature_for_calls_that_another_model_made():
    turns = [history.user("Go"), spoken(("a", "price"), ("b", "price")), result("a"), result("b")]
    parts = history.to_wire(turns, "gemini")[1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == ["skip_thought_signature_validator", None]


def test_what_is_sent_shares_nothing_with_the_history():
    message = {"content": [{"type": "text", "text": "Hi", "citations": []}], "stop_reason": "end_turn"}
    turns = [history.user("Go"), history.assistant(message, "anthropic", "m"), history.user("On")]
    before = copy.deepcopy(turns)
    sent = history.to_wire(turns, "anthropic")
    sent[1]["content"][0]["citations"].append(1)
    sent[1]["content"].append({})
    message["content"][0]["text"] = "Changed"
    assert turns == before


def test_an_empty_history_is_one():
    assert [history.to_wire([], provider) for provider in PROVIDERS] == [[]] * 4
    assert history.repair([]) == history.trim([], 3) == history.unanswered([]) == []
