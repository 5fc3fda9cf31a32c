"""Lesson 11: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import inspect
import io
import json
import re
from contextlib import redirect_stdout

import lessons
import pytest
from lessons import HOSTILE, Hostile, judge, solution

from course_lib import agents, check, models, shop
from course_lib.classroom.checks import PASSED
from course_lib.tools import tool


@pytest.fixture(scope="module")
def lesson():
    yield from lessons.executed("11", until="same-requests-show")


CALLS = [("find_order", {"number": 1042}), ("check_inventory", {"sku": "SKU-990"})]


def kinds(events):
    return [event.type for event in events]


# ---- 1. and 2. Anthropic's events ----


def test_a_message_opens_and_closes_and_the_reason_comes_last(lesson):
    events = lesson[0]["events"]
    assert kinds(events)[0] == "message_start" and kinds(events)[-2:] == ["message_delta", "message_stop"]
    assert events[-2].delta.stop_reason == "tool_use"
    assert all(event.message.stop_reason is None for event in events if event.type == "message_start")


def test_each_block_has_a_start_deltas_and_a_stop_with_its_index(lesson):
    events = lesson[0]["events"]
    for index in range(3):
        own = [event.type for event in events if getattr(event, "index", None) == index]
        assert own[0] == "content_block_start" and own[-1] == "content_block_stop"
        assert set(own[1:-1]) == {"content_block_delta"}
    starts = [event.content_block for event in events if event.type == "content_block_start"]
    assert [block.type for block in starts] == ["text", "tool_use", "tool_use"]
    assert [block.name for block in starts if block.type == "tool_use"] == [name for name, _ in CALLS]


def test_the_first_piece_is_there_early(lesson):
    names, _, _ = lesson
    assert 0 < names["first"] < names["whole"]
    assert kinds(names["events"]).index("content_block_delta") < len(names["events"]) / 4


def test_hardly_any_piece_is_json_and_one_is_by_accident(lesson):
    names, _, printed = lesson
    accidents = re.findall(r"is JSON: (.+)", printed)
    assert 1 <= len(accidents) < len(names["pieces"]) / 2
    assert all(one.isdigit() and one != "1042" for one in accidents)


def test_all_pieces_together_are_no_json_and_by_index_they_are_two_calls(lesson):
    names, _, printed = lesson
    with pytest.raises(ValueError):
        json.loads("".join(names["pieces"]))
    assert "Extra data" in printed
    made = names["assemble"](names["events"])
    assert [(one["name"], json.loads(one["text"])) for one in made] == CALLS


def test_of_a_call_without_arguments_not_even_the_braces_are_sent(lesson):
    names, _, _ = lesson
    whoami = tool(lambda: "Anna", name="who_am_i", description="Tell who the user is. Use it for that only.")
    asked = {"messages": [{"role": "user", "content": "Who am I?"}], "tools": [whoami.to_anthropic()]}
    events = names["client"].messages.create(
        model=models.ANTHROPIC, max_tokens=1000, **asked, tool_choice={"type": "any"}, stream=True
    )
    (made,) = names["assemble"](events)
    assert made["name"] == "who_am_i" and made["text"] == ""


# ---- 3. the other wires ----


def test_in_chat_only_the_first_piece_of_a_call_says_who_it_is(lesson):
    pieces = [
        piece
        for chunk in lesson[0]["chat_events"]
        for choice in chunk.choices
        for piece in choice.delta.tool_calls or []
    ]
    named = [piece for piece in pieces if piece.id or piece.function.name]
    assert [(piece.index, piece.function.name) for piece in named] == [
        (0, "find_order"),
        (1, "check_inventory"),
    ]
    assert len(pieces) > len(named) and all(piece.id and piece.function.name for piece in named)


def test_responses_repeats_the_whole_in_its_done_events(lesson):
    events = lesson[0]["response_events"]
    done = [one for one in events if one.type == "response.function_call_arguments.done"]
    assert [json.loads(one.arguments) for one in done] == [arguments for _, arguments in CALLS]
    for one in done:
        deltas = [
            other.delta
            for other in events
            if other.type == "response.function_call_arguments.delta" and other.item_id == one.item_id
        ]
        assert "".join(deltas) == one.arguments
    items = [one.item for one in events if one.type == "response.output_item.done"]
    assert all(item.call_id and item.call_id != item.id for item in items)


def test_gemini_sends_a_call_in_one_part(lesson):
    from google import genai
    from google.genai import types

    config = types.GenerateContentConfig(
        tools=[{"functionDeclarations": [one.to_gemini_declaration() for one in lesson[0]["TOOLS"]]}],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    client = genai.Client()
    chunks = client.models.generate_content_stream(
        model=models.GEMINI, contents=lesson[0]["question"], config=config
    )
    parts = [part for chunk in chunks for one in chunk.candidates for part in one.content.parts or []]
    made = [part.function_call for part in parts if part.function_call]
    assert [(one.name, one.args) for one in made] == CALLS


# ---- 4. the SDK and merge_stream ----


def test_a_snapshot_has_a_wrong_number_and_the_final_message_the_right_one(lesson):
    names, _, printed = lesson
    snapshots = {int(number) for number in re.findall(r"\{'number': (\d+)\}", printed)}
    assert {10, 1042} <= snapshots
    with names["client"].messages.stream(**names["request"]) as stream:
        message = stream.get_final_message()
    made = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
    assert message.stop_reason == "tool_use" and made == CALLS


def test_three_wires_give_the_same_calls(lesson):
    names, _, _ = lesson
    wires = (("wire", "events"), ("openai_chat", "chat_events"), ("openai_responses", "response_events"))
    for form, events in wires:
        made = names[form].read_calls(names[form].merge_stream(names[events]))
        assert [(one.name, one.arguments) for one in made] == CALLS
        assert not any(one.cut_off for one in made)


# ---- 5. complete or not ----


def test_a_call_that_was_cut_off_is_stopped_like_any_other(lesson):
    _, made, printed = lesson
    assert [one.request["max_tokens"] for one in made["cut"]] == [36, 48]
    assert printed.count("['content_block_stop', 'message_delta', 'message_stop']") == 2
    assert "max_tokens find_order {'number': 1042} cut_off=True" in printed  # it looks whole
    assert "max_tokens find_order {'number': 1042} cut_off=False" in printed
    assert re.search(r"max_tokens check_inventory .+ cut_off=True", printed)


def test_the_sdk_makes_an_empty_input_of_it_and_run_calls_does_not_run_it(lesson):
    names, _, printed = lesson
    assert "('check_inventory', {})" in printed
    good, bad = names["run_calls"](names["wire"].read_calls(names["message"]), names["TOOLS"])
    assert not good.is_error and bad.is_error and "cut off" in bad.content


def test_a_done_event_of_responses_may_hold_a_call_that_was_cut_off(lesson):
    _, made, printed = lesson
    (exchange,) = made["cut-responses"]
    assert exchange.request["max_output_tokens"] == 40
    assert '{"sku": "SKU\n    incomplete' in printed


def test_a_lost_connection_raises_is_not_retried_andleaves_no_reason(lesson):
    names, made, printed = lesson
    assert len(made["lost"]) == 1 and "RemoteProtocolError after" in printed
    assert 0 < len(names["arrived"]) < len(names["events"])
    assert "message_delta" not in kinds(names["arrived"])
    (left,) = names["wire"].read_calls(names["wire"].merge_stream(names["arrived"]))
    assert left.cut_off


# ---- 6. and 7. the status line, and the run ----


def test_a_shorter_textleaves_the_end_of_the_longer_one(lesson):
    assert lesson[0]["on_screen"]("looking up order 1042\rdone") == "doneing up order 1042"
    assert "doneing up order 1042" in lesson[2]


def test_the_status_line_is_one_line_andleaves_nothing(lesson):
    names, _, _ = lesson
    with redirect_stdout(io.StringIO()) as printed:
        names["show_status"]("a long text\nof two lines " * 9)
        names["show_status"]("done")
    assert "\n" not in printed.getvalue()
    assert names["on_screen"](printed.getvalue()).rstrip() == "done"


def test_the_calls_run_after_the_end_of_the_turn(lesson):
    found = [type(event) for event in lesson[0]["run_events"]]
    started, ended = agents.CallStarted, agents.CallEnded
    assert found.index(agents.TurnEnded) < found.index(started)
    assert [kind for kind in found if kind in (started, ended)] == [started, started, ended, ended]
    assert found[-1] is agents.Done


def test_following_a_run_ends_with_the_answer_alone(lesson):
    names, _, _ = lesson
    with redirect_stdout(io.StringIO()) as printed:
        names["follow"](names["run_events"])
    status, _, answer = printed.getvalue().rpartition("\r")
    assert answer == names["run_events"][-1].response.content + "\n"
    assert names["on_screen"](status).strip() == ""


def test_the_history_is_that_of_run_and_one_field_of_the_requests_differs(lesson):
    names, made, printed = lesson
    assert names["response"].messages == names["streamed"].messages
    assert "True 4" in printed
    assert printed.count("differ in: ['stream']") == 2
    assert len(made["same-requests"]) == 4


# ---- the exercises ----


def assembled(by_index=True, last=None, keep=True, loads=json.loads, fields=None, choose=None, ordered=True):
    """The solution of 11.a with its decisions as parameters."""

    def assemble_chat(chunks):
        calls = {}
        for chunk in chunks:
            for choice in choose(chunk) if choose else chunk.choices:
                for piece in (choice.delta.tool_calls or [])[:last]:
                    key = piece.index if by_index else (max(calls, default=0) if not piece.id else len(calls))
                    one = calls.setdefault(key, {"id": None, "name": None, "text": ""})
                    one["id"] = piece.id or (one["id"] if keep else None)
                    one["name"] = piece.function.name or (one["name"] if keep else None)
                    one["text"] += piece.function.arguments or ""
        found = sorted(calls.items()) if ordered else calls.items()
        made = [{"id": one["id"], "name": one["name"], "arguments": loads(one["text"])} for _, one in found]
        return [fields(one) for one in made] if fields else made

    return assemble_chat


def or_empty(text):
    return json.loads(text or "{}")


def test_exercise_a_calls_from_chunks():
    right = solution("11", "ex-11-a-answer")["assemble_chat"]

    def by_piece(chunks):
        return [
            {"id": piece.id, "name": piece.function.name, "arguments": json.loads(piece.function.arguments)}
            for chunk in chunks
            for choice in chunk.choices
            for piece in choice.delta.tool_calls or []
        ]

    def by_name(chunks):
        texts, ids, name = {}, {}, None
        for chunk in chunks:
            for choice in chunk.choices:
                for piece in choice.delta.tool_calls or []:
                    name = piece.function.name or name
                    ids.setdefault(name, piece.id)
                    texts[name] = texts.get(name, "") + piece.function.arguments
        return [{"id": ids[one], "name": one, "arguments": or_empty(texts[one])} for one in texts]

    judge(
        "11.a",
        right,
        {
            "reads each piece": by_piece,
            "joins by name": by_name,
            "adds to the last call": assembled(by_index=False, loads=or_empty),
            "overwrites the name": assembled(keep=False, loads=or_empty),
            "first choice": assembled(choose=lambda chunk: [chunk.choices[0]], loads=or_empty),
            "first piece": assembled(last=1, loads=or_empty),
            "leaves text": assembled(loads=str),
            "no empty text": assembled(),
            "no order": assembled(loads=or_empty, ordered=False),
            "no id": assembled(
                loads=or_empty,
                fields=lambda one: {"name": one["name"], "arguments": one["arguments"]},
            ),
            "leaves out calls without arguments": lambda chunks: [
                one for one in right(chunks) if one["arguments"]
            ],
            "a stream of the lesson": lambda chunks: [{**one, "id": "call_o8q8"} for one in right(chunks)],
            "a dictionary": lambda chunks: {one["id"]: one for one in right(chunks)},
            "returns nothing": lambda chunks: print(end=""),
        },
    )


def stopped(events):
    """Trusts content_block_stop, which comes for a call that was cut off, too."""
    calls, done = {}, []
    for event in events:
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            calls[event.index] = event.content_block.id
        elif event.type == "content_block_stop" and event.index in calls:
            done.append(calls[event.index])
    return done


def readable(events):
    """Trusts a text that is JSON."""
    calls, texts, reason = {}, {}, None
    for event in events:
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            calls[event.index] = event.content_block.id
            texts[event.index] = ""
        elif event.type == "content_block_delta" and event.index in calls:
            texts[event.index] += event.delta.partial_json
        elif event.type == "message_delta":
            reason = event.delta.stop_reason
    good = []
    for index, text in texts.items():
        try:
            json.loads(text or "{}")
        except ValueError:
            continue
        good.append(calls[index])
    return good if reason not in (None, "refusal") else []


def decided(decide, kinds=("tool_use",)):
    """The blocks and the reason, and what `decide` makes of them."""

    def ready(events):
        blocks, reason = [], None
        for event in events:
            if event.type == "content_block_start":
                blocks.append(event.content_block)
            elif event.type == "message_delta":
                reason = event.delta.stop_reason
        return decide([block for block in blocks], [b.id for b in blocks if b.type in kinds], reason)

    return ready


def test_exercise_b_which_calls_may_run():
    right = solution("11", "ex-11-b-answer")["ready"]

    def last_call(blocks, ids, reason):
        if reason in (None, "refusal"):
            return []
        return ids[:-1] if reason == "max_tokens" else ids

    def no_end(blocks, ids, reason):
        if reason == "refusal":
            return []
        return ids[:-1] if reason == "max_tokens" and blocks[-1].type == "tool_use" else ids

    def twice(events):
        reasons = [event.delta.stop_reason for event in events if event.type == "message_delta"]
        return right(events) if reasons else []

    judge(
        "11.b",
        right,
        {
            "trusts content_block_stop": stopped,
            "trusts the text": readable,
            "only tool_use": decided(lambda blocks, ids, reason: ids if reason == "tool_use" else []),
            "the last call": decided(last_call),
            "no end is no matter": decided(no_end),
            "runs after a refusal": decided(
                lambda blocks, ids, reason: ids if reason == "refusal" else right_of(blocks, ids, reason)
            ),
            "the provider's calls": decided(right_of, kinds=("tool_use", "server_tool_use")),
            "names": lambda events: [NAMES.get(one, one) for one in right(events)],
            "first call": lambda events: right(events)[:1],
            "a stream of the lesson": lambda events: ["toolu_01Ly", "toolu_01jL"],
            "loops twice": twice,
            "a set": lambda events: set(right(events)),
            "returns nothing": lambda events: print(end=""),
        },
    )


NAMES = {"toolu_order": "find_order", "toolu_stock": "check_inventory"}


def right_of(blocks, ids, reason):
    if reason in (None, "refusal"):
        return []
    if reason == "max_tokens" and blocks[-1].type != "text":
        return ids[:-1]
    return ids


def followed(
    fill=lambda line, width: line.ljust(width),
    before=lambda width: "\r" + " " * width + "\r",
    key=lambda call: call.id,
    join=", ".join,
    begin="\r",
    end="",
    last="\n",
    collect=iter,
    when=(agents.CallStarted, agents.CallEnded),
):
    """The solution of 11.c with its decisions as parameters."""

    def follow_all(events):
        running, width = {}, 0
        for event in collect(events):
            if isinstance(event, agents.Done):
                print(before(width) + event.response.content, end=last)
            elif isinstance(event, when):
                if isinstance(event, agents.CallStarted):
                    running[key(event.call)] = event.call.name
                else:
                    running.pop(key(event.call), None)
                line = join(running.values())
                print(begin + fill(line, width), end=end, flush=True)
                width = max(width, len(line))

    return follow_all


def test_exercise_c_a_status_line():
    right = solution(
        "11", "ex-11-c-answer", Done=agents.Done, CallStarted=agents.CallStarted, CallEnded=agents.CallEnded
    )["follow_all"]
    judge(
        "11.c",
        right,
        {
            "no blanks": followed(fill=lambda line, width: line),
            "fixed width": followed(fill=lambda line, width: line.ljust(30)),
            "cut to a fixed width": followed(fill=lambda line, width: f"{line[:30]:<30}"),
            "very wide": followed(fill=lambda line, width: line.ljust(300)),
            "escape": followed(fill=lambda line, width: line + "\x1b[K"),
            "lines": followed(begin="", end="\n"),
            "no return": followed(begin=""),
            "by name": followed(key=lambda call: call.name),
            "only starts": followed(when=agents.CallStarted),
            "other separator": followed(join=" ".join),
            "answer over the line": followed(before=lambda width: "\r"),
            "answer in a new line": followed(before=lambda width: "\n"),
            "no end": followed(last=""),
            "collects first": followed(collect=lambda events: list(events)),
            "a run of the lesson": lambda events: print(
                "\rfind_order\r          \rOrder 1042 is on its way."
            ),
            "prints nothing": lambda events: [None for _ in events],
            "no answer": followed(before=lambda width: "\r" + " " * width + "\r", last="\n", collect=no_done),
        },
    )


def no_done(events):
    return (event for event in events if not isinstance(event, agents.Done))


def test_a_function_that_reads_what_the_lesson_has_is_told_of_its_parameters(lesson):
    names, _, _ = lesson
    answers = {
        "11.a": lambda chunks: assembled(loads=or_empty)(names["chat_events"]),
        "11.b": lambda events: decided(right_of)(names["events"]),
        "11.c": lambda events: followed()(names["run_events"]),
    }
    for exercise, answer in answers.items():
        result = check(exercise, answer)
        assert result.state != PASSED and "was given" in result.message, result


def test_merge_stream_is_explained_with_all_the_names_that_it_uses(lesson):
    source = inspect.getsource(lesson[0]["openai_responses"].merge_stream)
    (told,) = (cell.source for cell in lessons.cells("11") if cell.id == "merge-read")
    for name in ("explained", "_LAST", "get", "dump"):
        assert name in source and f"`{name}`" in told
    last = lesson[0]["openai_responses"]._LAST
    assert all(f"`{one.removeprefix('response.')}`" in told for one in last) and len(last) == 3


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("exercise", ["11.a", "11.b", "11.c"])
def test_the_last_hint_is_a_sentence_and_code_that_python_reads(exercise, lang):
    lessons.judge_last_hint(exercise, lang)


@pytest.mark.parametrize("exercise", ["11.a", "11.b", "11.c"])
@pytest.mark.parametrize(
    "answer",
    [
        *HOSTILE,
        lambda *_: [Hostile()],
        lambda *_: [{"id": Hostile(), "name": 1, "arguments": Hostile()}],
        lambda *_: print("\ud800\r\x1b\b\b"),
        lambda events: (yield from events),
    ],
)
def test_a_hostile_answer_gets_a_message(exercise, answer):
    result = check(exercise, answer)
    assert result.state != PASSED and result.message and "Traceback" not in result.message


def test_a_function_that_swallows_what_the_check_says_is_told_all_the_same():
    def swallows(events):
        try:
            for event in events:
                print(event.__class__.__name__)
        except Exception:  # noqa: BLE001 - as a learner may write it
            print("done")

    result = check("11.c", swallows)
    assert result.state != PASSED and result.message


def test_a_checkleaves_the_output_as_it_was(capsys):
    check("11.c", followed())
    print("still here")
    assert capsys.readouterr().out == "still here\n"


def test_the_shop_is_not_changed_by_the_lesson():
    assert tool(shop.find_order).run({"number": 1042})["status"] == "shipped"
