"""history: what is wrong with a history is said with its place, and repair and trim leave none of it."""

from __future__ import annotations

import collections
import contextlib
import copy
import enum
import json
import re

import pytest
from history_tools import PROVIDERS, Clients, Requests
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.providers import history
from course_lib.providers.history import assistant, check, repair, to_wire, trim, unanswered, user
from course_lib.tools import ToolResult
from practice_model import PracticeModel


def calling(*ids, text="", **more):
    calls = [{"id": one, "name": "price", "arguments": {"item": "bun"}} for one in ids]
    return {"role": "assistant", "text": text, "calls": calls, **more}


def saying(text):
    return {"role": "assistant", "text": text}


def result(call_id, content="2"):
    return history.results([ToolResult(call_id, "price", content)])


def ids(turns):
    """The roles of a history; of the tools' turns the ids that they answer."""
    return [
        [one["tool_call_id"] for one in turn["results"]] if turn["role"] == "tool" else turn["role"]
        for turn in turns
    ]


GO, ON = user("Go"), user("On")
PRACTICE = PracticeModel()  # it keeps nothing of a request that matters here
CLIENTS, REQUESTS = Clients(PRACTICE), Requests(PRACTICE)


# What is wrong is said ----------------------------------------------------------------------------

BROKEN = {
    "an orphan at the start": ([result("toolu_a"), ON], r"history\[0\]\['results'\]\[0\].*toolu_a"),
    "an orphan later": ([GO, saying("Hi"), result("a")], r"history\[2\]\['results'\]\[0\] answers no call"),
    "an orphan beside a result": ([GO, calling("a"), result("a"), result("b")], r"history\[3\].*'b'"),
    "a second result": ([GO, calling("a"), result("a"), result("a")], r"another result of the call 'a'"),
    "a call without a result": ([GO, calling("a"), ON], r"history\[1\] has calls without .*'a'"),
    "one of two without": ([GO, calling("a", "b"), result("a"), saying("Hm")], r"before history\[3\]: 'b'"),
    "text before results": ([GO, calling("a"), ON, result("a")], r"history\[3\].*answers no call"),
    "the model begins": ([saying("Hello"), GO], r"history\[0\] is the model's"),
    "an empty user text": ([{"role": "user", "text": " "}], r"history\[0\]\['text'\] is empty"),
    "null for text": ([GO, saying(None)], r"history\[1\]\['text'\] is None\. It must be text"),
    "no results": (
        [GO, calling("a"), {"role": "tool", "results": []}],
        r"history\[2\]\['results'\] is empty",
    ),
    "instructions": ([{"role": "system", "content": "Be brief"}], r"Instructions are not part of it"),
    "a role of another format": ([{"role": "model", "parts": []}], r"the role 'model'.*\"assistant\""),
    "a provider's message": ([{"role": "user", "content": "Hello"}], r"history\[0\] has no 'text'"),
    "no role": ([{}], "history.0. has no role"),
    "no turn": ([GO, "Hello"], r"history\[1\] is a str, not a turn. Make turns with history.user"),
    "no list": ({"role": "user"}, "A history is a list of turns, and this is a dict"),
    "nothing": (None, "NoneType"),
    "calls that are none": ([GO, {**saying(""), "calls": ["a"]}], r"\['calls'\]\[0\] is a str"),
    "a call without an id": (
        [GO, {**saying(""), "calls": [{"name": "f", "arguments": {}}]}],
        r"history\[1\]\['calls'\]\[0\] has no 'id'",
    ),
    "null for arguments": (
        [GO, {**saying(""), "calls": [{"id": "a", "name": "f", "arguments": None}]}],
        r"\['arguments'\] is None. It must be a dictionary",
    ),
    "content that is no text": (
        [GO, calling("a"), {"role": "tool", "results": [{"tool_call_id": "a", "name": "f", "content": {}}]}],
        r"history\[2\]\['results'\]\[0\]\['content'\] is a dict. It must be text",
    ),
    "an unknown provider": ([GO, {**saying(""), "provider": "acme"}], "'provider'. is 'acme'. Write one of"),
    "an unknown reason": ([GO, {**saying(""), "stop_reason": "tool_use"}], "'stop_reason'. is 'tool_use'"),
    "nobody's wire": ([GO, {**saying(""), "wire": []}], "has a wire, but no provider"),
    "bytes": ([GO, {**saying(""), "x": {"y": [b"z"]}}], r"history\[1\]\['x'\]\['y'\]\[0\] is a bytes"),
    "an object": (
        [{**GO, "when": object()}],
        r"history\[0\]\['when'\] is a object, which JSON does not have",
    ),
    "a set": ([{**GO, "tags": {1}}], "is a set"),
    "a number that is none": ([{**GO, "x": float("nan")}], r"\['x'\] is a number that JSON cannot carry"),
    "a number without end": ([{**GO, "x": 10**10_000}], r"\['x'\] is a number that JSON cannot carry"),
    "a key that is no text": ([{**GO, 3: "x"}], r"history\[0\]\[3\] is a key that is no text"),
    "half a character": ([{"role": "user", "text": "a\ud83d"}], r"\['text'\] has half a character"),
    "half a character in a key": ([{**GO, "\ud83d": 1}], "has half a character"),
}


@pytest.mark.parametrize(("turns", "said"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_said_with_its_place(turns, said):
    for function in (check, lambda turns: trim(turns, 5)):
        with pytest.raises(CourseError, match=said):
            function(turns)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("turns", "said"), BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_never_sent_broken(turns, said, provider):
    """What does not matter for this provider may pass, but then the provider takes it."""
    try:
        to_wire(turns, provider)
    except CourseError as error:
        assert re.search(said, str(error))
    else:
        CLIENTS.ask(provider, [*turns, ON])


def test_several_mistakes_are_told_at_once():
    with pytest.raises(CourseError) as error:
        check([GO, calling("a"), ON, saying("Hi"), result("b"), result("c")])
    assert len(str(error.value).splitlines()) == 3
    with pytest.raises(CourseError) as error:
        check([{}] * 10_000)
    assert len(str(error.value).splitlines()) == 5


def test_a_history_that_holds_itself_is_refused():
    turn = {**GO}
    turn["again"] = turn
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    turns: list = [GO]
    turns.append(turns)
    for wrong in ([turn], [{**GO, "x": deep}], turns):
        for function in (check, repair):
            with pytest.raises(CourseError) as error:
                function(wrong)
            assert "history[" in str(error.value) and len(str(error.value)) < 1000


def test_values_of_kin_are_taken_for_what_they_are():
    class Word(enum.StrEnum):
        GO = "go"

    class Number(enum.IntEnum):
        ONE = 1

    turns = [collections.OrderedDict(role="user", text=Word.GO, n=Number.ONE, more=(1, True, None, 0.5))]
    check(turns)
    (kept,) = trim(turns, 1)
    assert kept == {"role": "user", "text": "go", "n": 1, "more": [1, True, None, 0.5]}
    assert [type(value) for value in kept.values()] == [str, str, int, list] and type(kept) is dict


def test_a_large_history_is_only_large():
    turns = [user("x" * 1_000_000)]
    for n in range(2_000):
        turns += [calling(str(n)), result(str(n))]
    assert len(repair(turns)) == 4_001
    assert len(to_wire(turns, "anthropic")) == 4_001


def test_fields_of_your_own_are_allowed_and_not_sent():
    turns = [{**GO, "at": "12:00"}, {**saying("Hi"), "agent": "sales"}, {**ON, "x": {}}]
    assert trim(turns, 9) == [{**turns[0]}, {**turns[1], "calls": []}, {**turns[2]}]
    for provider in PROVIDERS:
        assert "sales" not in json.dumps(to_wire(turns, provider))


WIRES = {
    "anthropic": {"content": [{"type": "tool_use", "id": "a", "name": "price", "input": {}}]},
    "openai": {
        "message": {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "price", "arguments": "{}"}}],
        }
    },
    "openai-responses": {
        "output": [
            {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "price", "arguments": "{}"}
        ]
    },
    "gemini": {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "price", "args": {}}}]},
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wire_that_was_changed_is_refused_and_repair_goes_on_without_it(provider):
    turn = assistant(WIRES[provider], provider, "m")
    good = [GO, turn, result("a")]
    check(good)
    wrong = [[], [None], ["text"], [[]], [{}], [{"role": "user"}], [{"role": "assistant", "content": [1]}]]
    wrong += [[{"role": "model", "parts": [None]}], turn["wire"] * 2, [{"type": "function_call"}]]
    wrong += [[{"role": "assistant", "content": [{"type": "tool_use"}], "tool_calls": [{}]}]]
    for wire in wrong:
        turns = [GO, {**turn, "wire": wire}, result("a")]
        with pytest.raises(CourseError, match=r"history\[1\]\['wire'\] and its 'calls' do not fit"):
            to_wire(turns, provider)
        mended = repair(turns)
        assert "wire" not in mended[1] and mended[1]["calls"] == turn["calls"]
        assert to_wire(mended, provider)
    assert repair(good) == good
    with pytest.raises(CourseError, match="do not fit"):
        check([GO, {**turn, "calls": [{**turn["calls"][0], "id": "b"}]}])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_turn_that_was_added_twice_is_sent_with_other_ids(provider):
    turn = assistant(WIRES[provider], provider, "m")
    assert_taken([GO, turn, result("a"), turn, result("a"), ON, turn, result("a")])


@pytest.mark.parametrize(
    "wrong",
    [float("nan"), float("inf"), "\ud83d", object(), 10**10_000],
    ids=["nan", "inf", "half", "object", "huge"],
)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wire_that_no_request_could_carry_is_not_sent(provider, wrong):
    turn = copy.deepcopy(assistant(WIRES[provider], provider, "m"))
    turn["wire"][0]["extra"] = wrong
    with pytest.raises(CourseError, match=r"history\[1\]\['wire'\]\[0\]\['extra'\]"):
        to_wire([GO, turn, result("a")], provider)


# Calls that are to run ----------------------------------------------------------------------------


def test_unanswered_are_the_calls_of_the_last_turn_that_lack_a_result():
    assert unanswered([GO]) == []
    turns = [GO, calling("a", "b", "c")]
    assert [one.id for one in unanswered(turns)] == ["a", "b", "c"]
    turns.append(result("b"))
    assert [one.id for one in unanswered(turns)] == ["a", "c"]
    turns += [result("c"), result("a")]
    assert unanswered(turns) == []
    assert [one.id for one in unanswered([*turns, calling("a")])] == ["a"]
    assert unanswered([*turns, calling("a"), result("a"), saying("Hi")]) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_is_sent_while_a_call_lacks_its_result(provider):
    turns = [GO, calling("call_1", "call_2"), result("call_1")]
    check(turns)  # it is whole, and not finished
    with pytest.raises(CourseError, match=r"history\[1\]: the call 'call_2' of price has no result.*repair"):
        to_wire(turns, provider)


# Repair -------------------------------------------------------------------------------------------

MENDED = {
    "nothing to do": (
        [GO, calling("a"), result("a"), saying("2")],
        ["user", "assistant", ["a"], "assistant"],
    ),
    "an orphan at the start": ([result("call_1"), ON], ["user"]),
    "nothing but orphans": ([result("a"), result("b")], []),
    "an orphan beside a result": ([GO, calling("a"), result("a"), result("b")], ["user", "assistant", ["a"]]),
    "a second result": ([GO, calling("a"), result("a"), result("a", "3")], ["user", "assistant", ["a"]]),
    "separate turns": ([GO, calling("a", "b"), result("b"), result("a")], ["user", "assistant", ["a", "b"]]),
    "text before results": ([GO, calling("a"), ON, result("a")], ["user", "assistant", ["a"], "user"]),
    "the last call open": ([GO, calling("a", "b"), result("a")], ["user", "assistant", ["a", "b"]]),
    "a call open on the way": ([GO, calling("a"), ON], ["user", "assistant", ["a"], "user"]),
    "the model begins": ([saying("Hello"), GO], ["user", "assistant", "user"]),
    "a call begins": ([calling("a"), result("a"), ON], ["user", "assistant", ["a"], "user"]),
    "empty turns": ([GO, {"role": "user", "text": ""}, {"role": "tool", "results": []}], ["user"]),
    "a late result": (
        [GO, calling("a"), calling("b"), result("b"), result("a")],
        ["user", "assistant", ["a"], "assistant", ["b"]],
    ),
    "the same id again": (
        [GO, calling("a"), result("a"), calling("a"), result("a", "3")],
        ["user", "assistant", ["a"], "assistant", ["a"]],
    ),
    "one id twice in a turn": (
        [GO, calling("a", "a"), result("a"), result("a", "3")],
        ["user", "assistant", ["a", "a"]],
    ),
    "a summary for what was before": (
        [user("So far: prices were asked."), result("a"), saying("2"), ON],
        ["user", "assistant", "user"],
    ),
}


@pytest.mark.parametrize(("turns", "expected"), MENDED.values(), ids=MENDED)
def test_repair_leaves_a_history_that_every_provider_takes(turns, expected):
    before = copy.deepcopy(turns)
    mended = repair(turns)
    assert ids(mended) == expected
    assert turns == before
    assert repair(mended) == mended
    assert_taken(mended)


def assert_taken(turns):
    """No provider refuses the history, with a question of the user's behind it."""
    check(turns)
    assert unanswered(turns) == []
    for provider in PROVIDERS:
        REQUESTS.ask(provider, [*turns, user("And now?")])


def test_the_result_of_an_open_call_says_that_nobody_knows():
    mended = repair([GO, calling("a", "b"), result("b")])
    first, second = mended[2]["results"]
    assert first["is_error"] and "unknown" in first["content"] and first["name"] == "price"
    assert (second["is_error"], second["content"]) == (False, "2")
    assert [one["content"] for one in repair([GO, calling("a", "a"), result("a", "7")])[2]["results"]] == [
        "7",
        first["content"],
    ]


def test_repair_keeps_what_was_said_and_reads_what_was_written_as_text():
    turns = [GO, {"role": "assistant", "text": None, "calls": None}, ON]
    assert repair(turns)[1] == {"role": "assistant", "text": "", "calls": []}
    for written, read in (('{"item": "bun"}', {"item": "bun"}), (None, {}), ("", {}), ("{", "{")):
        turn = {"role": "assistant", "text": None, "calls": [{"id": "a", "name": "f", "arguments": written}]}
        found = {"tool_call_id": "a", "name": "f", "content": {"price": 2}, "is_error": None}
        mended = repair([GO, turn, {"role": "tool", "results": [found]}])
        assert mended[1]["calls"][0]["arguments"] == read
        assert mended[2]["results"] == [{**found, "content": '{"price":2}', "is_error": False}]
        assert_taken(mended)


@pytest.mark.parametrize(
    "turns", [None, "x", [None], [{"role": "system"}], [{"role": "tool", "results": [1]}]]
)
def test_repair_refuses_what_is_no_history(turns):
    with pytest.raises(CourseError, match="istory"):
        repair(turns)


SOME_ID = st.sampled_from(["a", "b", "c", "", "é.1"])
PIECES = st.one_of(
    st.builds(user, st.sampled_from(["Hello", "Prices?"])),
    st.builds(saying, st.sampled_from(["", " ", "Hi", None])),
    st.builds(lambda found: calling(*found), st.lists(SOME_ID, max_size=3)),
    st.builds(result, SOME_ID, st.sampled_from(["", "2", "[1]"])),
    st.sampled_from([assistant(WIRES[provider], provider, "m") for provider in PROVIDERS]),
    st.just({"role": "tool", "results": []}),
    st.just({"role": "user", "text": ""}),
)


@given(st.lists(PIECES, max_size=12))
def test_whatever_turns_come_in_whatever_order_repair_makes_them_a_history(turns):
    mended = repair(turns)
    assert repair(mended) == mended
    assert_taken(mended)
    users = [turn["text"] for turn in turns if turn["role"] == "user" and turn["text"]]
    assert [turn["text"] for turn in mended if turn["role"] == "user"][-len(users) :] == users or not users
    for most in (1, 3, 7):
        assert_taken(trim(mended, most))


JUNK = [None, 7, "", "x", [], {}, [[]], {"a": 1}, True, "\ud83d", float("nan"), b"x"]


@given(st.data())
def test_a_history_with_anything_changed_is_taken_or_refused_never_a_crash(data):
    turns = [GO]
    for provider in PROVIDERS:
        turns += [assistant(WIRES[provider], provider, "m"), result("a")]
    turns += [saying("Hi"), ON]
    holder = turns
    for _ in range(data.draw(st.integers(0, 7))):
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        inside = [key for key in keys if isinstance(holder[key], dict | list)]
        if not inside:
            break
        key = data.draw(st.sampled_from(inside))
        holder[key] = copy.deepcopy(holder[key])
        holder = holder[key]
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys:
        return
    key, change = data.draw(st.sampled_from(keys)), data.draw(st.sampled_from(["junk", "remove"]))
    if change == "remove":
        del holder[key]
    else:
        holder[key] = data.draw(st.sampled_from(JUNK))
    for function in (check, repair, unanswered, *(lambda t, p=p: to_wire(t, p) for p in PROVIDERS)):
        try:
            function(turns)
        except CourseError as error:
            assert "istory" in str(error)


# Trim ---------------------------------------------------------------------------------------------

LONG = [
    *(user("one"), calling("a"), result("a"), saying("1")),
    *(user("two"), saying("2")),
    *(user("three"), user("and"), calling("b", "c"), result("c"), result("b"), calling("d"), result("d")),
]


@pytest.mark.parametrize(
    ("most", "first"),
    [
        (1, "three"),
        (6, "three"),
        (7, "three"),
        (8, "three"),
        (9, "two"),
        (12, "two"),
        (13, "one"),
        (99, "one"),
    ],
)
def test_trim_keeps_whole_exchanges_and_always_the_last(most, first):
    kept = trim(LONG, most)
    assert kept[0]["text"] == first
    assert (
        kept
        == [
            {**turn, **({"calls": []} if turn == saying("1") or turn == saying("2") else {})} for turn in LONG
        ][-len(kept) :]
    )
    check(kept)


def test_an_exchange_that_is_under_way_is_kept_with_its_open_calls():
    turns = [*LONG, user("four"), calling("e", "f"), result("f")]
    kept = trim(turns, 1)
    assert ids(kept) == ["user", "assistant", ["f"]]
    assert [one.id for one in unanswered(kept)] == ["e"]


@pytest.mark.parametrize("most", [0, -1, None, "3", True, 2.5])
def test_most_turns_is_a_number(most):
    with pytest.raises(CourseError, match="most_turns"):
        trim([GO], most)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_real_session_can_be_trimmed_and_goes_on(provider):
    turns = []
    for city in ("Madrid", "Lisbon", "Rome", "Paris"):
        turns.append(user(f"What is the weather in {city}?"))
        CLIENTS.answer(provider, turns)
        turns = trim(turns, 5)
        assert turns[0]["role"] == "user" and len(turns) <= 5


@pytest.mark.parametrize("junk", [b"x", {1, 2}, object, 1 + 2j, {("a", "b"): 1}, [b"x"]], ids=repr)
def test_arguments_that_are_no_json_are_mended_or_refused(junk):
    turns = [GO, {"role": "assistant", "text": "", "calls": [{"id": "a", "name": "f", "arguments": junk}]}]
    with contextlib.suppress(CourseError):
        for provider in PROVIDERS:
            to_wire(repair(turns), provider)
