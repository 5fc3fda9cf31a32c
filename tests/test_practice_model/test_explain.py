"""Why a tool was called, where each argument came from, and what to change where one is missing."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import assistant, integer, request, results, text, tool, user

from practice_model.decide.decide import decide
from practice_model.request import Call
from practice_model.running import Explanation

TODAY = date(2026, 3, 11)  # a Wednesday
BOOK_TABLE = tool(
    "book_table",
    "Book a table in a restaurant.",
    "restaurant day people",
    restaurant=text("The name of the restaurant, for example “Lago”."),
    day=text("The day, as YYYY-MM-DD."),
    people=integer("For how many people."),
    area=text("Where the table stands.", enum=["terrace", "inside"]),
    note=text(),
)


def reasons(message, *tools, before=()) -> dict[str, tuple[object, str]]:
    decision = decide(request([*before, user(message)], tools or (BOOK_TABLE,)), TODAY)
    return {one.argument: (one.value, one.reason) for one in decision.arguments}


def test_each_argument_says_the_words_that_it_came_from():
    found = reasons("Book a table at “Casa Nube” on Friday for four people, on the terrace")
    assert found["restaurant"] == ("Casa Nube", "“Casa Nube”") or "Casa Nube" in found["restaurant"][1]
    assert found["day"] == ("2026-03-13", "“on Friday” is a date")
    assert found["people"][0] == 4 and "four" in found["people"][1]
    assert found["area"] == ("terrace", "“terrace” names this value")
    assert found["note"] == (None, "left out: nothing says it, and it is optional")


@pytest.mark.parametrize(
    ("message", "argument", "reason"),
    [
        ("Book a table at “Casa Nube” for four people", "day", "missing: the message has no date"),
        ("Book a table at “Casa Nube” tomorrow", "people", "missing: the message has no number for it"),
    ],
)
def test_a_missing_argument_says_what_the_message_lacks(message, argument, reason):
    assert reasons(message)[argument] == (None, reason)


@pytest.mark.parametrize(
    ("slot", "advice"),
    [
        (
            text("Which size.", enum=["s", "m", "l"]),
            "say in the description of `size` what each value stands for",
        ),
        (text(), "describe `size`: what it is, and an example of it"),
        (text("The name of the size."), "give an example in the description of `size`"),
    ],
)
def test_what_is_missing_comes_with_what_to_change(slot, advice):
    shirt = tool("order_shirt", "Order a shirt.", "size", size=slot)
    explanation = Explanation(decide(request("Order a shirt, please", (shirt,)), TODAY))
    [said] = explanation.advice()
    assert said.startswith(advice) and f"To change that: {said}." in repr(explanation)
    assert "To change that" in explanation._repr_html_()


def test_what_earlier_calls_gave_is_said_to_be_from_there():
    before = [
        user("Book a table at “Lago” on Friday for 2 people"),
        assistant(Call("book_table", {"restaurant": "Lago", "day": "2026-03-13", "people": 2}, "a")),
        results(("a", '{"booked": true}')),
        assistant(text="Done."),
    ]
    found = reasons("What about Saturday?", before=before)
    assert found["day"][0] == "2026-03-14" and "Saturday" in found["day"][1]
    assert found["restaurant"] == ("Lago", "what was said or called before")


def test_each_of_two_calls_has_its_own_words():
    light = tool("set_light", "Switch a light.", "room", room=text("Which room.", enum=["hall", "kitchen"]))
    decision = decide(request("Switch on the light in the hall and the kitchen", (light,)), TODAY)
    assert [(one.value, one.reason) for one in decision.arguments] == [
        ("hall", "“hall” names this value"),
        ("kitchen", "“kitchen” names this value"),
    ]


def test_where_no_tool_fits_the_nearest_is_named_with_what_to_change():
    stock = tool("stock", "Items and their amount.", "item", item=text("The item."))
    decision = decide(request("Are there any spoons left?", (stock,)), TODAY)
    assert not decision.calls
    assert all("say in its description when to use it" in line for line in Explanation(decision).advice())
