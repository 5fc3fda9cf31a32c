"""The reasons of a choice, in the words of the message and of the definitions."""

from __future__ import annotations

import re
from datetime import date

import pytest
from decide_tools import define, request

from practice_model.decide.decide import decide

TODAY = date(2026, 3, 11)  # a Wednesday

LOAN = define(
    "find_loan(number:integer)",
    "Get one loan by its number. Ask it when a book will arrive. Use loan_fee for its costs.",
    number="The loan number, five digits, such as 20417.",
)
FEE = define(
    "loan_fee(weeks:integer)", "What it takes to borrow something. Never for messages.", weeks="Weeks."
)
WEATHER = define("get_weather(city)", "Get the weather of a city.", city="Name of the city.")
POSTAGE = define("calculate_postage(weight_kg:number)", "Calculate what it costs to post a parcel.")
NOTES = define("list_notes(since:date)", "List the notes of a reader.")
TOOLS = (LOAN, FEE, WEATHER, POSTAGE, NOTES)


def reasons(message: str, tool: str) -> tuple[str, ...]:
    scores = decide(request(message, TOOLS), TODAY).scores
    return next(row.because for row in scores if row.tool == tool)


@pytest.mark.parametrize(
    ("message", "tool", "reason"),
    [
        ("Where is loan 20417?", "find_loan", "loan"),
        ("Where are the loans 20417 and 20555?", "find_loan", "loans"),
        ("Will it rain in Oslo?", "get_weather", "rain ~ weather"),
        ("What's the wether in Oslo?", "get_weather", "wether ~ weather"),
        ("¿Qué tiempo hace en Lima?", "get_weather", "tiempo ~ weather"),
        ("¿Dónde está el préstamo 20417?", "find_loan", "préstamo ~ loan"),
        ("Will loan 20417 be here on Monday?", "find_loan", "20417 has the form of number"),
        ("What does the loan cost?", "loan_fee", "cost (in the description of find_loan)"),
        ("¿Qué coste tiene el préstamo?", "loan_fee", "coste (in the description of find_loan)"),
        ("Which messages are there?", "loan_fee", "-messages"),
        ("¿Qué mensajes hay?", "loan_fee", "-mensajes ~ messages"),
        ("What is the weather in Oslo?", "get_weather", "Oslo is a place"),
        ("Notes since 2026-03-02?", "list_notes", "notes"),
        ("And Lima?", "get_weather", "nothing but a place"),
        ("Post 2 kg, how much?", "calculate_postage", "2 kg is a weight_kg"),
    ],
)
def test_a_reason_is_a_word_of_the_message_and_the_word_that_it_met(message, tool, reason):
    assert reason in reasons(message, tool)


@pytest.mark.parametrize(
    "message",
    [
        "Where is loan 20417?",
        "Will it rain in Oslo?",
        "¿Cuánto cuesta mandar 2 kg?",
        "Notes since Monday, please",
    ],
)
def test_every_word_in_a_reason_stands_in_the_message_or_in_the_definition(message):
    for row in decide(request(message, TOOLS), TODAY).scores:
        tool = next(one for one in TOOLS if one.name == row.tool)
        for reason in row.because:
            if " ~ " in reason:
                said, met = reason.lstrip("-").split(" (")[0].split(" ~ ")
                definitions = f"{tool} {LOAN.description}".lower().replace("_", " ")
                assert said in message.lower()
                assert met in definitions


def test_no_reason_is_the_name_of_a_kind_or_of_a_concept():
    for message in ("Where is loan 20417?", "¿Cuánto cuesta el préstamo?", "And 20417?", "And Lima?"):
        for row in decide(request(message, TOOLS), TODAY).scores:
            assert not any(re.search(r"numeral|=|said by|in the message", reason) for reason in row.because)


def test_a_word_that_counts_twice_is_named_once():
    because = reasons("A loan is a loan: where is loan 20417?", "find_loan")
    assert len(because) == len(set(because))
