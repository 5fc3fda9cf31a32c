"""wires/rules.py: which calls and results of a history belong together, whatever the API."""

from __future__ import annotations

from practice_model.request import Call, ConversationTurn, merged
from practice_model.wires.rules import (
    Found,
    Round,
    WireLink,
    WireTurn,
    call_without_result,
    grouped,
    repeated_call,
    repeated_result,
    result_of_no_call,
    result_without_calls,
    rounds,
)


def links(ids: str, n: int) -> list[WireLink]:
    """Return a call or a result for each letter, in message n."""
    return [WireLink(letter, n, m) for m, letter in enumerate(ids)]


def history(*messages: str) -> list[WireTurn]:
    """Return a turn for each message: "ab" calls a and b, "-ab" answers them, "" says something."""
    return [
        WireTurn(
            not text.startswith("-"),
            n,
            [] if text.startswith("-") else links(text, n),
            links(text[1:], n) if text.startswith("-") else [],
        )
        for n, text in enumerate(messages)
    ]


def ids(found: Round) -> tuple[str, str]:
    return "".join(call.id for call in found.calls), "".join(result.id for result in found.results)


def first(found: Found) -> dict | None:
    return next(iter(found), None)


def test_a_round_is_the_calls_of_a_turn_and_the_results_of_the_next():
    assert [ids(one) for one in rounds(history("", "ab", "-ab", "c", "", "-d", "e"))] == [
        ("ab", "ab"),
        ("c", ""),
        ("", "d"),
        ("e", ""),
    ]


def test_neighbours_are_one_turn_where_the_api_says_so():
    both = grouped(history("a", "b", "-ab"), lambda last, message: last.of_model and message.of_model)
    assert [ids(one) for one in rounds(both)] == [("ab", "ab")]
    none = grouped(history("a", "b", "-ab"), lambda last, message: False)
    assert [ids(one) for one in rounds(none)] == [("a", ""), ("b", "ab")]


def test_calls_without_result_are_named_together_with_the_place_where_one_is_missing():
    assert first(call_without_result(rounds(history("", "abc", "-b")))) == {
        "n": 1,
        "id": "a",
        "ids": "a, c",
        "next": 3,
    }
    found = call_without_result(rounds(history("", "ab")))
    assert first(found) == {"n": 1, "id": "a", "ids": "a, b", "next": 2}
    assert first(call_without_result(rounds(history("", "ab", "-ba")))) is None


def test_a_result_needs_a_call_before_it():
    assert first(result_without_calls(rounds(history("", "-a", "a", "-a")))) == {"n": 1, "m": 0, "id": "a"}
    assert first(result_of_no_call(rounds(history("a", "-ab")))) == {"n": 1, "m": 1, "id": "b"}
    # In one round for the whole conversation, order decides.
    assert first(result_of_no_call([Round(links("a", 5), links("a", 3))])) == {"n": 3, "m": 0, "id": "a"}
    assert first(result_of_no_call([Round(links("a", 3), links("a", 5))])) is None


def test_an_id_is_used_once_in_a_turn_but_may_come_again_in_another():
    assert first(repeated_call(rounds(history("aba", "-ab")))) == {"n": 0, "m": 2, "id": "a", "first": 0}
    assert first(repeated_result(rounds(history("ab", "-abb")))) == {"n": 1, "m": 2, "id": "b", "first": 1}
    again = history("a", "-a", "a", "-a")
    assert first(repeated_call(rounds(again))) is None
    assert first(repeated_result(rounds(again))) is None


def test_what_one_side_says_in_a_row_is_one_neutral_turn():
    call = Call("f", {})
    turns = [
        ConversationTurn("user", "one"),
        ConversationTurn("user", "two"),
        ConversationTurn("assistant"),
        ConversationTurn("assistant", "three", (call,)),
    ]
    assert merged(turns) == (
        ConversationTurn("user", "one\n\ntwo"),
        ConversationTurn("assistant", "three", (call,)),
    )
