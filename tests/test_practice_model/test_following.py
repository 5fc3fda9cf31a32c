"""A message that speaks of what was said or found before it, without naming it."""

from __future__ import annotations

import json
from datetime import date

import pytest
from decide_tools import assistant, integer, number, request, results, text, tool, user

from practice_model.decide.decide import decide
from practice_model.request import Call, ToolSpec

TODAY = date(2026, 3, 11)
TRAIN = tool("find_train", "Look up a train by its number.", number=text("The number, such as RE 7."))
SEATS = tool("check_seats", "How many seats are free in a coach.", coach_id=text("The id of the coach."))
FARE = tool(
    "estimate_fare",
    "What a parcel costs by train.",
    weight_kg=number("Its weight in kilograms."),
    destination=text("The city that it goes to."),
)
TAX = tool("work_out_tax", "The tax on an amount.", amount=number("The amount before tax."))
WEATHER = tool("get_weather", "The weather in a city.", city=text("The city."))
TOOLS = (TRAIN, SEATS, FARE, TAX, WEATHER)
FOUND = {
    "number": "RE 7",
    "platform": "4b",
    "departs_at": "2026-03-11 17:05",
    "arrives_at": "2026-03-11 18:40",
    "price_eur": 31.5,
    "coaches": [
        {"coach_id": "C-11", "kind": "silent coach"},
        {"coach_id": "C-12", "kind": "family coach"},
    ],
}
LOOKED_UP = [
    user("When does train RE 7 leave?"),
    assistant(Call("find_train", {"number": "RE 7"}, "a")),
    results(("a", json.dumps(FOUND))),
    assistant(text="It leaves at 17:05."),
]


def after(message: str, before=LOOKED_UP):
    return decide(request([*before, user(message)], TOOLS), TODAY)


def calls(message: str, before=LOOKED_UP) -> list[tuple[str, dict]]:
    return [(call.name, call.arguments) for call in after(message, before).calls]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("And when does it arrive?", "18:40"),
        ("How much does it cost?", "31.5"),
        ("And what is its platform?", "4b"),
        ("¿Y cuándo llega?", "18:40"),
        ("¿Y cuánto cuesta?", "31,5"),
    ],
)
def test_a_question_about_what_was_found_is_answered_from_it(message, told):
    decision = after(message)
    assert not decision.calls and told in decision.text


@pytest.mark.parametrize(
    "message",
    [
        "Can you book it?",  # asks for something that nobody can do
        "How long is it?",  # no field says so
        "When does RE 9 arrive?",  # names another
        "When is your birthday?",
    ],
)
def test_nothing_is_made_of_it_where_something_else_is_asked(message):
    assert "18:40" not in after(message).text and "31.5" not in after(message).text


def test_what_was_found_fills_a_call_and_the_thing_that_is_named_comes_first():
    assert calls("Are there free seats in its first coach?") == [("check_seats", {"coach_id": "C-11"})]
    assert calls("Are there free seats in its family coach?") == [("check_seats", {"coach_id": "C-12"})]
    assert calls("Are there free seats in a coach?") == []  # of which train?


def test_a_field_that_is_named_is_handed_on():
    assert calls("What is the tax on its price?") == [("work_out_tax", {"amount": 31.5})]
    both = [user("Look up train RE 7 and work out the tax on its price."), *LOOKED_UP[1:3]]
    [call] = decide(request(both, TOOLS), TODAY).calls
    assert (call.name, call.arguments) == ("work_out_tax", {"amount": 31.5})


FARES = [
    user("What does a parcel of 3 kg to Murcia cost?"),
    assistant(Call("estimate_fare", {"weight_kg": 3, "destination": "Murcia"}, "a")),
    results(("a", '{"fare_eur": 9}')),
    assistant(text="9 euros."),
]


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("And to Girona?", {"weight_kg": 3, "destination": "Girona"}),
        ("What about Girona?", {"weight_kg": 3, "destination": "Girona"}),
        ("¿Y a Girona?", {"weight_kg": 3, "destination": "Girona"}),
        ("And 5 kg?", {"weight_kg": 5, "destination": "Murcia"}),
    ],
)
def test_a_bare_fact_changes_the_last_call_whatever_tool_it_might_fit(message, arguments):
    assert calls(message, FARES) == [("estimate_fare", arguments)]


def test_a_full_request_does_not_go_to_the_last_tool():
    assert calls("And what is the weather in Girona?", FARES) == [("get_weather", {"city": "Girona"})]


def test_a_number_with_its_unit_is_remembered_and_a_bare_one_is_not():
    said = [user("My parcel weighs 2.5 kg."), assistant(text="Where to?")]
    cost = "What does a parcel to Girona cost?"
    assert calls(cost, said) == [("estimate_fare", {"weight_kg": 2.5, "destination": "Girona"})]
    assert calls(cost, [user("I am 41."), assistant(text="I see.")]) == []


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("No, to Girona.", {"weight_kg": 3, "destination": "Girona"}),
        ("Sorry, I meant Girona.", {"weight_kg": 3, "destination": "Girona"}),
        ("Make it 5 kg.", {"weight_kg": 5, "destination": "Murcia"}),
        ("Actually, 4 kg.", {"weight_kg": 4, "destination": "Murcia"}),
        ("Perdón, a Girona.", {"weight_kg": 3, "destination": "Girona"}),
        ("Mejor 5 kg.", {"weight_kg": 5, "destination": "Murcia"}),
    ],
)
def test_a_correction_changes_the_last_call(message, arguments):
    assert calls(message, FARES) == [("estimate_fare", arguments)]


@pytest.mark.parametrize("message", ["No, thank you.", "Sorry!", "No."])
def test_a_no_without_a_fact_calls_nothing(message):
    assert calls(message, FARES) == []


NOTES = tool(
    "search_notes",
    "Notes that the crew wrote in a period, with a word in them.",
    "period",
    period=text("How far back.", enum=["day", "week", "all"]),
    word=text("A word that they must have."),
)


@pytest.mark.parametrize(
    "message", ["Only those about engines.", "And about engines?", "Just the ones about engines, please."]
)
def test_a_narrower_search_keeps_what_was_said(message):
    history = [
        user("Which notes did the crew write this week?"),
        assistant(Call("search_notes", {"period": "week"}, "a")),
        results(("a", '{"count": 4}')),
        assistant(text="Four."),
    ]
    [call] = decide(request([*history, user(message)], (NOTES,)), TODAY).calls
    assert call.arguments == {"period": "week", "word": "engines"}


def test_the_answer_to_a_follow_up_needs_no_other_tool():
    """How a message is read does not depend on what its own calls have returned."""
    stands = tool("get_forecast", "The forecast for a city.", city=text("The city."))
    turns = [
        user("What does a parcel of 3 kg to Ronda cost?"),
        assistant(Call("estimate_fare", {"weight_kg": 3, "destination": "Ronda"}, "a")),
        results(("a", '{"destination": "Ronda", "price_eur": 4}')),
        assistant(text="It costs 4 EUR."),
        user("And to Nerja?"),
    ]
    first = decide(request(turns, (FARE, stands)), TODAY)
    assert [call.arguments for call in first.calls] == [{"weight_kg": 3, "destination": "Nerja"}]
    turns += [
        assistant(Call("estimate_fare", {"weight_kg": 3, "destination": "Nerja"}, "b")),
        results(("b", '{"destination": "Nerja", "price_eur": 5}')),
    ]
    assert decide(request(turns, (FARE, stands)), TODAY).calls == ()


def test_a_bare_amount_completes_the_request_before_it():
    refund = tool(
        "refund_ticket",
        "Give money back for a ticket.",
        number=integer("The ticket's number, such as 4711."),
        amount=number("How much to give back."),
    )
    found = decide(request("Refund ticket 4711 please, 10 euros", (refund, TAX)), TODAY).calls
    assert [(call.name, call.arguments) for call in found] == [
        ("refund_ticket", {"number": 4711, "amount": 10})
    ]


@pytest.mark.parametrize(
    "message", ["Which day is it today?", "¿Qué día es hoy?", "And what is today's date?"]
)
def test_the_day_is_told_without_a_tool_unless_one_tells_it(message):
    said = decide(request([user(message)], (NOTES, TRAIN), system="Today is 2026-03-11."), TODAY)
    assert not said.calls and "2026" in said.text
    clock = tool("get_date", "Which day it is.")
    assert [call.name for call in decide(request([user(message)], (clock, NOTES)), TODAY).calls] == [
        "get_date"
    ]


LETTERS = tool(
    "get_letters",
    "Get the letters that the passenger has written, newest first.",
    "period",
    period=text("How far back to look.", enum=["day", "week", "month", "all"]),
    keyword=text("Only letters that contain this word."),
    state=text("Only letters in this state.", enum=["sent", "answered", "lost"]),
)
RULES = tool(
    "search_rules",
    "Search the railway's help articles: fares, luggage, refunds.",
    query=text("What to look for."),
)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Search my letters for luggage", {"period": "all", "keyword": "luggage"}),
        ("Find the messages with the word refund", {"period": "all", "keyword": "refund"}),
        ("Busca en mis mensajes la palabra equipaje", {"period": "all", "keyword": "equipaje"}),
        ("¿Qué hablamos esta semana?", {"period": "week"}),
        ("¿Qué dijimos del equipaje?", {"period": "all", "keyword": "equipaje"}),
        ("What did we discuss this month?", {"period": "month"}),
    ],
)
def test_who_looks_through_what_was_written_asks_no_help_article(message, arguments):
    notes = ToolSpec("get_messages", LETTERS.description.replace("letters", "messages"), LETTERS.schema)
    found = decide(request(message.replace("letters", "messages"), (notes, RULES)), TODAY).calls
    assert [(call.name, call.arguments) for call in found] == [("get_messages", arguments)]


@pytest.mark.parametrize(
    "message", ["And which of them are lost?", "Only the lost ones.", "¿Y cuáles de ellas se han perdido?"]
)
def test_a_question_about_some_of_those_narrows_the_last_call(message):
    history = [
        user("Show me the letters of this week"),
        assistant(Call("get_letters", {"period": "week"}, "a")),
        results(("a", '{"count": 9}')),
        assistant(text="Nine."),
    ]
    [call] = decide(request([*history, user(message)], (LETTERS, RULES)), TODAY).calls
    assert (call.name, call.arguments) == ("get_letters", {"period": "week", "state": "lost"})


def test_who_asks_whether_they_have_something_asks_for_no_rule():
    [call] = decide(request("Do I have any letters that were not answered?", (LETTERS, RULES)), TODAY).calls
    assert call.name == "get_letters" and "state" not in call.arguments


@pytest.mark.parametrize("message", ["I'd like to talk to a person", "Quiero hablar con una persona"])
def test_nobody_is_there_to_speak_with_where_no_tool_brings_one(message):
    said = decide(request(message, (LETTERS, RULES)), TODAY)
    assert not said.calls and said.text.startswith(("I cannot do that", "No puedo hacerlo"))


@pytest.mark.parametrize(
    "ending", ["return only its result", "answer with the number only", "reply in one sentence"]
)
def test_how_to_answer_is_no_request_of_its_own(ending):
    found = decide(
        request(f"How many seats are free in coach C-11? Then {ending}.", (SEATS, RULES)), TODAY
    ).calls
    assert [(call.name, call.arguments) for call in found] == [("check_seats", {"coach_id": "C-11"})]
    weighed = decide(
        request("Find train RE 7 and give me the number of seats in coach C-11", (TRAIN, SEATS)), TODAY
    ).calls
    assert {call.name for call in weighed} == {"find_train", "check_seats"}
