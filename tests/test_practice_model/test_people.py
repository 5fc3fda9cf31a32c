"""Who asks for a person gets the tool that brings one, and nobody else does."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import BOOKS, HOURS, LOAN, request, text, tool

from practice_model.decide.decide import decide

TODAY = date(2026, 3, 11)
DESK = tool(
    "hand_over",
    "Hand the conversation over to a librarian, a person. Use it when somebody asks for a human being.",
    need=text("What the reader needs, in a sentence. What they want a person for."),
)
PASA = tool(
    "pasar_a_persona", "Pasa la conversación a una persona.", motivo=text("Lo que el cliente necesita.")
)
TOOLS = (BOOKS, LOAN, HOURS, DESK)


def called(message: str, tools=TOOLS) -> list[str]:
    return [call.name for call in decide(request(message, tools), TODAY).calls]


@pytest.mark.parametrize(
    "message",
    [
        "Could I speak to a human being, please?",
        "Put me through to somebody who can help.",
        "I would rather talk to a real person about my fine.",
        "Let me chat with one of your people: the reading room is too loud.",
        "Pásame con una persona, por favor",
        "Necesito hablar con alguien",
    ],
)
def test_who_asks_for_a_person_gets_one(message):
    assert called(message) == ["hand_over"]
    assert called(message, (BOOKS, PASA)) == ["pasar_a_persona"]
    assert "hand_over" not in called(message, TOOLS[:3])


@pytest.mark.parametrize(
    ("message", "tools"),
    [
        ("Which books are there about people who talk to animals?", ["search_books"]),
        ("Renew loan 77", ["renew_loan"]),
        ("Thanks, you are very helpful.", []),
        ("Somebody left an umbrella here.", []),
    ],
)
def test_who_speaks_of_people_does_not(message, tools):
    assert called(message) == tools


def test_what_the_user_needs_is_their_own_sentence():
    [call] = decide(request("I want to talk to a person. My book was never scanned.", (DESK,)), TODAY).calls
    assert "book was never scanned" in call.arguments["need"].lower()


def test_a_reason_that_nobody_gave_is_still_asked_for():
    cancel = tool("cancel_loan", "Cancel a loan.", loan_id=text(), reason=text("Why it is cancelled."))
    assert called("Cancel loan 77", (cancel,)) == []
