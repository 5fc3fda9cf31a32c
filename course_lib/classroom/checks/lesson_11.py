"""Checkers of lesson 11: calls from the chunks of a stream, which calls may run, and a status line."""

from __future__ import annotations

import inspect
import io
from collections.abc import Generator
from contextlib import redirect_stdout
from functools import cache
from typing import Any

from ...agents import CallEnded, CallStarted, Done, Response, TextPiece, TurnEnded
from ...tools import ToolCall, ToolResult
from .helpers import call, expect, expect_empty, expect_returned, expect_type, explained, listed
from .results import ToDo
from .running import checker, is_stub

# 11.a: calls from the chunks of a stream --------------------------------------------------------------

_CALL_IDS = ("call_a", "call_b")


@checker("11.a")
def check_11_a(assemble_chat: Any) -> None:
    alone = [_begins(0, "call_a", "find_order"), (0, '{"num'), (0, 'ber": 7}')]
    got = _assembled(assemble_chat, _chunks(*alone))
    expect(len(got) == 1, "one", got=len(got))
    _expect_call(got[0], "call_a", "find_order", {"number": 7}, "alone")

    one_by_one = [_begins(0, "call_a", "find_order"), (0, '{"number"'), (0, ": 10"), (0, "42}")]
    one_by_one += [_begins(1, "call_b", "find_order"), (1, '{"number": 1043'), (1, "}")]
    got = _assembled(assemble_chat, _chunks(*one_by_one))
    expect(len(got) == 2, "two", got=len(got))
    for place, (call_id, number) in enumerate((("call_a", 1042), ("call_b", 1043))):
        _expect_call(got[place], call_id, "find_order", {"number": number}, "two_alike")

    by_turns = [_begins(0, "call_a", "find_order"), _begins(1, "call_b", "check_inventory")]
    by_turns += [(0, '{"number"'), (1, '{"sku"'), (0, ": 10"), (1, ': "SKU-'), (0, "42}"), (1, '990"}')]
    got = _assembled(assemble_chat, _chunks(*by_turns), "mixed")
    _expect_pair(got, "by_turns")

    together = [[by_turns[0], by_turns[1]], [(0, '{"number": 1042}'), (1, '{"sku": "SKU-990"}')]]
    got = _assembled(assemble_chat, _chunks(*together), "together_mixed")
    expect(len(got) == 2, "together", got=len(got))
    _expect_pair(got, "together_mixed")

    late_first = [by_turns[1], (1, '{"sku": "SKU-990"}'), by_turns[0], (0, '{"number": 1042}')]
    got = _assembled(assemble_chat, _chunks(*late_first))
    expect([one.get("id") for one in got] == ["call_a", "call_b"], "order")

    got = _assembled(assemble_chat, _chunks(_begins(0, "call_a", "list_orders")), "empty_text")
    expect(len(got) == 1, "no_pieces")
    _expect_call(got[0], "call_a", "list_orders", {}, "no_pieces")
    expect(_assembled(assemble_chat, _chunks()) == [], "text_only")


def _expect_pair(got: list[dict[str, Any]], key: str) -> None:
    expect(len(got) == 2, "two", got=len(got))
    _expect_call(got[0], "call_a", "find_order", {"number": 1042}, key)
    _expect_call(got[1], "call_b", "check_inventory", {"sku": "SKU-990"}, key)


def _assembled(assemble_chat: Any, chunks: list[Any], no_json: str = "no_json") -> list[dict[str, Any]]:
    """Return the learner's calls. A piece that is read by itself, or mixed with another's, is no JSON."""
    with explained("no_choices", IndexError), explained(no_json, ValueError):
        got = call(assemble_chat, chunks)
    expect_returned(got, list, "assemble_chat(chunks)")
    for one in got:
        expect_type(one, dict, "each call")
    ids = [one["id"] for one in got if isinstance(one.get("id"), str)]
    expect_empty([one for one in ids if one not in _CALL_IDS], "other_chunks")
    return got


def _expect_call(one: dict[str, Any], call_id: str, name: str, arguments: dict[str, Any], key: str) -> None:
    missing = [field for field in ("id", "name", "arguments") if field not in one]
    expect(not missing, "fields", missing=listed(missing))
    expect(one["name"] is not None and one["id"] is not None, "forgot", got=repr(one))
    expect(not isinstance(one["arguments"], str), "text", got=repr(one["arguments"]))
    expect_type(one["arguments"], dict, 'a call\'s "arguments"')
    expect(one["id"] == call_id and one["name"] == name, "whose", expected=name, got=repr(one))
    expect(one["arguments"] == arguments, key, expected=repr(arguments), got=repr(one["arguments"]))


def _begins(index: int, call_id: str, name: str) -> dict[str, Any]:
    """Return the first piece of a call, the only one with its id and name."""
    function = {"name": name, "arguments": ""}
    return {"index": index, "id": call_id, "type": "function", "function": function}


def _chunks(*steps: Any) -> list[Any]:
    """Return a stream: a chunk for each step, which is a piece or a list of some, and those around them."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}, {"content": "Let me look."}]
    for step in steps:
        pieces = step if isinstance(step, list) else [step]
        deltas.append({"tool_calls": [_piece(one) for one in pieces]})
    chunks = [_chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    ending = "tool_calls" if steps else "stop"
    chunks.append(_chunk([{"index": 0, "delta": {}, "finish_reason": ending}]))
    return [*chunks, _chunk([])]  # the last one brings the usage, and no choices


def _piece(one: Any) -> dict[str, Any]:
    return one if isinstance(one, dict) else {"index": one[0], "function": {"arguments": one[1]}}


def _chunk(choices: list[dict[str, Any]]) -> Any:
    """Return a chunk as OpenAI's SDK gives it."""
    from openai.types.chat import ChatCompletionChunk

    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "a-model"}
    return ChatCompletionChunk.model_validate({**head, "choices": choices})


# 11.b: which calls may run ----------------------------------------------------------------------------

_TEXT = {"type": "text", "text": "Let me look."}
_ORDER = {"type": "tool_use", "id": "toolu_order", "name": "find_order", "input": '{"number": 1042}'}
_STOCK = {"type": "tool_use", "id": "toolu_stock", "name": "check_inventory", "input": '{"sku": "SKU-990"}'}
_SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": '{"query": "a"}'}


@checker("11.b")
def check_11_b(ready: Any) -> None:
    both = [_TEXT, _ORDER, _STOCK]
    ids = ["toolu_order", "toolu_stock"]
    got = _ready(ready, _stream(both, "tool_use"))
    expect(got != [_ORDER["name"], _STOCK["name"]], "names")
    expect(len(got) == 2, "whole", got=_shown(got))
    expect(got == ids, "whole", got=_shown(got))
    expect(_ready(ready, _stream([_TEXT], "end_turn")) == [], "no_call")
    got = _ready(ready, _stream([_TEXT, _SEARCH, _ORDER], "tool_use"))
    expect(got == ids[:1], "server", got=_shown(got))

    cut = {**_STOCK, "input": '{"sku": "SK'}
    got = _ready(ready, _stream([_TEXT, _ORDER, cut], "max_tokens"))
    expect("toolu_stock" not in got, "cut", got=_shown(got))
    expect(got == ids[:1], "too_careful", got=_shown(got))
    for looks in ('{"sku": "SKU-990"}', ""):
        got = _ready(ready, _stream([_TEXT, _ORDER, {**_STOCK, "input": looks}], "max_tokens"))
        expect("toolu_stock" not in got, "looks_whole", input=looks or '""', got=_shown(got))
    got = _ready(ready, _stream([_TEXT, cut], "max_tokens"))
    expect(got == [], "cut", got=_shown(got))
    got = _ready(ready, _stream([_ORDER, _TEXT], "max_tokens"))
    expect(got == ids[:1], "text_behind", got=_shown(got))

    got = _ready(ready, _stream(both, "refusal"))
    expect(got == [], "refusal", got=_shown(got))
    events = _stream(both, "tool_use")
    for kept in range(len(events) - 2, -1, -1):  # without message_delta and message_stop, and less
        got = _ready(ready, events[:kept])
        expect(got == [], "broke_off", kept=kept, got=_shown(got))
    expect(_ready(ready, iter(_stream(both, "tool_use"))) == ids, "once")


def _shown(got: list[Any]) -> str:
    return ", ".join(map(repr, got)) or "[]"


def _ready(ready: Any, events: Any) -> list[Any]:
    got = call(ready, events)
    expect_returned(got, list, "ready(events)")
    known = [block[name] for block in (_ORDER, _STOCK, _SEARCH) for name in ("id", "name")]
    expect_empty([one for one in got if isinstance(one, str) and one not in known], "other_events")
    return got


def _stream(blocks: list[dict[str, Any]], reason: str) -> list[Any]:
    """Return the raw events of a message with these blocks, as Anthropic's SDK gives them."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "a-model", "content": []}
    usage = {"input_tokens": 9, "output_tokens": 1}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    found: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        here = {"index": index}
        if block["type"] == "text":
            begun, field, kind = {**block, "text": ""}, "text", "text_delta"
            pieces = [block["text"][:6], block["text"][6:]]
        else:
            begun, field, kind = {**block, "input": {}}, "partial_json", "input_json_delta"
            pieces = ["", *filter(None, (block["input"][:6], block["input"][6:]))]
        found.append({"type": "content_block_start", **here, "content_block": begun})
        for piece in pieces:
            found.append({"type": "content_block_delta", **here, "delta": {"type": kind, field: piece}})
        found.append({"type": "content_block_stop", **here})
    ending = {"stop_reason": reason, "stop_sequence": None}
    found += [{"type": "message_delta", "delta": ending, "usage": usage}, {"type": "message_stop"}]
    return [_event_type().validate_python(one) for one in found]


@cache
def _event_type() -> Any:
    """Return what makes the SDK's events; to make it takes longer than all the events."""
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    return TypeAdapter(RawMessageStreamEvent)


# 11.c: a status line ----------------------------------------------------------------------------------

_ANSWER = "Order 1042 is on its way.\n\nThe espresso machine is in stock."
_LONG = "search_the_help_articles_and_all_the_messages_of_the_customer"
_MOST = 79
"""Characters that surely fit on one line of a screen; the tools' names do."""


@checker("11.c")
def check_11_c(follow_all: Any) -> None:
    if is_stub(follow_all):
        raise ToDo
    one, other = ("start", "1", "find_order"), ("start", "2", "find_order")
    _follow(follow_all, [one, ("end", "1")])
    _follow(follow_all, [one, other, ("end", "1"), ("end", "2")])
    _follow(follow_all, [one, other, ("end", "2"), ("end", "1")])
    long = ("start", "1", _LONG)
    _follow(follow_all, [long, ("end", "1"), ("start", "2", "calculate"), ("end", "2")])
    _follow(follow_all, [long, other, ("end", "1"), ("end", "2")])
    _follow(follow_all, [long], "Yes.\nNo.")  # the run ended at a limit
    _follow(follow_all, [])


def _follow(follow_all: Any, steps: list[tuple[str, ...]], answer: str = _ANSWER) -> None:
    """Play a run to the learner's function, and check the screen after each of its events."""
    printed, late = io.StringIO(), []
    events = _play(steps, answer, printed, late)
    with redirect_stdout(printed):
        call(follow_all, events)
    written = printed.getvalue()
    expect(inspect.getgeneratorstate(events) != inspect.GEN_CREATED, "not_read")
    expect(written, "nothing")
    expect(not late, "late", event=late[0] if late else "")
    lines = _screen(written)
    expect(lines[-1] == "" and len(lines) > 1, "no_end", got=repr(written[-20:]))
    shown = lines[0]
    first = answer.split("\n")[0]
    expect(not (shown.startswith(first) and shown != first), "answer_left", line=shown)
    left = "\n".join(lines[:-1])
    expect(left == answer, "answer", got=repr(left[:80]))


def _play(
    steps: list[tuple[str, ...]], answer: str, printed: io.StringIO, late: list[str]
) -> Generator[Any, None, None]:
    """Yield the events of a run; note in `late` after which of them nothing new was printed."""
    calls: dict[str, ToolCall] = {}
    running: list[str] = []
    yield TextPiece("Let me look.")
    yield TurnEnded(1, "support", {"role": "assistant", "text": "Let me look.", "calls": []})
    for kind, number, *name in steps:
        before = len(printed.getvalue())
        if kind == "start":
            calls[number] = ToolCall(f"call_{number}", name[0], {})
            running.append(number)
            event: Any = CallStarted(calls[number])
        else:
            running.remove(number)
            event = CallEnded(calls[number], ToolResult(f"call_{number}", calls[number].name, "ok"))
        yield event
        after = type(event).__name__
        if len(printed.getvalue()) == before:
            late.append(after)
        else:
            _look(printed.getvalue(), ", ".join(calls[one].name for one in running), after)
    yield TextPiece(answer[:6])
    yield TextPiece(answer[6:])
    yield TurnEnded(2, "support", {"role": "assistant", "text": answer, "calls": []})
    yield Done(Response(answer))


def _look(written: str, wanted: str, event: str) -> None:
    """Check that the screen shows what runs, on one line."""
    expect("\x1b" not in written, "escape")
    lines = _screen(written)
    expect(len(lines) == 1, "new_line", got=len(lines))
    widest = max(map(len, written.split("\r")))
    expect(widest <= _MOST, "wide", got=widest)
    shown = lines[0]
    rest = shown.removeprefix(wanted)
    stayed = rest.strip() not in written.rpartition("\r")[2]  # it is older than the last return
    expect(not (shown.startswith(wanted) and stayed), "left", line=shown, wanted=wanted)
    expect(shown == wanted, "line", event=event, wanted=repr(wanted), line=repr(shown))


def _screen(written: str) -> list[str]:
    """Return what a terminal shows: a return goes back, and what is written there is written over."""
    lines: list[list[str]] = [[]]
    place = 0
    for letter in written:
        if letter == "\r":
            place = 0
        elif letter == "\n":
            lines.append([])
            place = 0
        elif letter == "\b":
            place = max(0, place - 1)
        else:
            lines[-1][place : place + 1] = letter
            place += 1
    return ["".join(line).rstrip() for line in lines]
