"""Symptoms that users report of streams, also of servers that bend the format, in pieces of our own."""

from __future__ import annotations

import pytest

from course_lib import ToolCall, run_calls, tool
from course_lib.providers import anthropic, history, openai_chat

ran = []


@tool
def ring(bell: str = "all") -> str:
    """Ring a bell."""
    ran.append(bell)
    return f"{bell} rings"


def chunk(*pieces, finish=None, **more):
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(pieces)}, "finish_reason": finish}], **more}


def piece(arguments=None, name=None, **more):
    function = {"arguments": arguments, "name": name}
    return {**more, "function": {key: value for key, value in function.items() if value is not None}}


EAST = ToolCall("k1", "ring", {"bell": "east"})
WEST = ToolCall("k2", "ring", {"bell": "west"})
ALL = ToolCall("k1", "ring", {})

CHAT = {
    "no index": (
        [chunk(piece("", "ring", id="k1")), chunk(piece('{"bell"')), chunk(piece(':"east"}'))],
        [EAST],
    ),
    "no index, and two calls": (
        [
            chunk(piece('{"bell":', "ring", id="k1")),
            chunk(piece('"east"}')),
            chunk(piece("", "ring", id="k2")),
            chunk(piece('{"bell":"west"}')),
        ],
        [EAST, WEST],
    ),
    "the first index is 3": (
        [
            chunk(piece(index=3, id="k1")),
            chunk(piece(None, "ring", index=3)),
            chunk(piece('{"bell":"east"}', index=3)),
        ],
        [EAST],
    ),
    "indices with a gap": (
        [
            chunk(piece('{"bell":"east"}', "ring", index=1, id="k1")),
            chunk(piece('{"bell":"west"}', "ring", index=4, id="k2")),
        ],
        [EAST, WEST],
    ),
    "name and id come again in every piece": (
        [chunk(piece(text, "ring", index=0, id="k1")) for text in ("{", '"bell"', ':"east', '"}')],
        [EAST],
    ),
    "the name comes in two pieces": (
        [chunk(piece("", "ri", index=0, id="k1")), chunk(piece('{"bell":"east"}', "ng", index=0))],
        [EAST],
    ),
    "a last chunk without choices": (
        [chunk(piece("{}", "ring", index=0, id="k1")), {"choices": [], "usage": {"total_tokens": 31}}],
        [ALL],
    ),
    "a first chunk without choices": (
        [{"choices": [], "prompt_filter_results": []}, chunk(piece("{}", "ring", index=0, id="k1"))],
        [ALL],
    ),
    "no piece of arguments at all": ([chunk(piece(None, "ring", index=0, id="k1"))], [ALL]),
}


@pytest.mark.parametrize(("chunks", "calls"), CHAT.values(), ids=CHAT)
def test_calls_are_put_together_from_chunks_of_any_server(chunks, calls):
    merged = openai_chat.merge_stream([*chunks, chunk(finish="tool_calls")])
    assert openai_chat.read_calls(merged) == calls
    (turn,) = openai_chat.write_turn(merged)
    assert [one["id"] for one in turn["tool_calls"]] == [one.id for one in calls]


def test_the_usage_of_a_chunk_without_choices_is_kept():
    chunks, _ = CHAT["a last chunk without choices"]
    merged = openai_chat.merge_stream([chunks[0], chunk(finish="tool_calls"), chunks[1]])
    assert merged["usage"] == {"total_tokens": 31}


def start(given):
    block = {"type": "tool_use", "id": "k1", "name": "ring", "input": given}
    return {"type": "content_block_start", "index": 0, "content_block": block}


def delta(text):
    inside = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": 0, "delta": inside}


STOP = {"type": "content_block_stop", "index": 0}

MESSAGES = {
    "no piece": ([start({})], ALL),
    "an empty piece": ([start({}), delta("")], ALL),
    "several empty pieces": ([start({}), delta(""), delta("")], ALL),
    "empty braces as a piece": ([start({}), delta("{}")], ALL),
    "all of it at the start": ([start({"bell": "east"})], EAST),
    "all of it at the start, then an empty piece": ([start({"bell": "east"}), delta("")], EAST),
    "pieces cut in a letter": ([start({}), delta('{"be'), delta('ll":"ea'), delta('st"}')], EAST),
    "all of it at the start, and again in pieces": (
        [start({"bell": "east"}), delta('{"bell":'), delta('"east"}')],
        EAST,
    ),
}


@pytest.mark.parametrize(("events", "call"), MESSAGES.values(), ids=MESSAGES)
def test_the_input_of_a_call_is_put_together_from_events_of_any_server(events, call):
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}
    assert anthropic.read_calls(anthropic.merge_stream([*events, STOP, end])) == [call]


@pytest.mark.parametrize("text", ['{"bell": east}', '{"bell": "east",}', '{"bell" "east"}', "east"])
def test_input_that_is_no_json_does_not_run_is_told_and_can_be_sent_back(text):
    ran.clear()
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}
    merged = anthropic.merge_stream([start({}), delta(text), STOP, end])
    turns = [history.user("Ring the east bell"), history.assistant(merged, "anthropic", "some-model")]
    (result,) = results = run_calls(history.unanswered(turns), [ring])
    assert result.is_error and ran == []
    assert "not valid JSON" in result.content and text in result.content
    turns.append(history.results(results))
    sent = history.to_wire(turns, "anthropic")
    assert [block["input"] for block in sent[1]["content"]] == [{}]
    assert sent[2]["content"][0]["tool_use_id"] == "k1"
