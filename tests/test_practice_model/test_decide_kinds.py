"""Whole kinds of messages, told in a library, a clinic and a hotel whose tools are defined with care."""

from __future__ import annotations

import json
from datetime import date

import pytest
from decide_tools import assistant, integer, number, request, results, text, tool, user

from practice_model.decide.decide import decide
from practice_model.decide.small_talk import first_sentence
from practice_model.decide.wording import spoken
from practice_model.language.clauses import split
from practice_model.request import Call

TODAY = date(2026, 3, 11)  # a Wednesday

FIND_LOAN = tool(
    "find_loan",
    "Get one loan by its number: title, reader and the day on which it is due. Use it when the user gives a "
    "loan number. Without a number, use list_loans.",
    number=integer("The loan number, five digits, such as 20417."),
)
LIST_LOANS = tool(
    "list_loans",
    "List loans, newest first, at most 50. Every filter that is left out matches all loans. Use it when the "
    "user asks about loans without giving a number. For one loan by number, use find_loan.",
    "",
    email=text("Only loans of the reader with this e-mail address."),
    status=text("Only loans with this status.", enum=["borrowed", "overdue", "returned", "renewed"]),
    since=text("Only loans that began on this day or later, written YYYY-MM-DD."),
)
RULES = tool(
    "search_rules",
    "Search the guide of the library: how membership, fines, reservations and inter-library loans work. Use "
    "it for questions about the rules, not for one particular loan.",
    query=text("What to look for: a few words or a whole question."),
)
REPORT = tool(
    "create_report",
    "Open a maintenance report for the guest's room. Call it once per problem.",
    area=text("What it is about.", enum=["plumbing", "heating", "furniture", "other"]),
    urgency=text("Use high only when the guest cannot stay in the room.", enum=["low", "normal", "high"]),
    summary=text("The problem in one or two sentences, at most 300 characters.", maxLength=300),
)
TAXI = tool(
    "calculate_transfer",
    "Calculate what a transfer from the hotel costs, and how long it takes.",
    luggage_kg=number("Weight of the luggage in kilograms."),
    destination=text("The country or city to go to."),
)
HOTEL_FAQ = tool(
    "search_faq",
    "Search the frequently asked questions of the hotel: breakfast, pets, parking and late check-out.",
    query=text("What to look for."),
)
DOSE = tool(
    "get_sample",
    "Get one blood sample of the clinic by its number: the result and the day on which it was taken.",
    sample_number=integer("The number of the sample."),
)
VISITS = tool(
    "list_visits",
    "List the visits of the clinic. Every filter that is left out matches all visits. Use it when the user "
    "asks about visits.",
    "",
    email=text("Only visits of the patient with this e-mail address."),
    status=text("Only visits with this status.", enum=["planned", "cancelled", "missed"]),
)
STOCK = tool(
    "check_shelf",
    "Check whether a medicine is on the shelf, and how many boxes there are.",
    code=text("The code of the medicine, such as MED-31."),
)
LIBRARY = (FIND_LOAN, LIST_LOANS, RULES)
HOTEL = (REPORT, TAXI, HOTEL_FAQ)
CLINIC = (DOSE, VISITS, STOCK)


def turn(turns, tools):
    return decide(request(turns, tools), TODAY)


def called(turns, tools) -> list[tuple[str, dict]]:
    return [(call.name, call.arguments) for call in turn(turns, tools).calls]


def answer(question: str, call: Call, result: object, tools) -> str:
    history = [
        user(question),
        assistant(Call(call.name, call.arguments, "a")),
        results(("a", json.dumps(result))),
    ]
    decision = turn(history, tools)
    assert decision.calls == ()
    return decision.text


LOAN = {
    "number": 20417,
    "total_usd": 4,
    "due_on": "2026-03-20",
    "branch": "north",
    "books": [{"title": "Emma"}, {"title": "Ulysses"}],
}


@pytest.mark.parametrize("question", ["Show loan 20417", "When is loan 20417 due, and what is in it?"])
def test_a_number_of_a_thing_or_a_price_is_no_count(question):
    said = answer(question, Call("find_loan", {"number": 20417}), LOAN, LIBRARY)
    assert "There are" not in said
    assert "Emma" in said and "20 March 2026" in said


def test_a_word_that_names_the_argument_is_not_what_is_counted():
    box = {"code": "MED-31", "quantity": 12, "name": "ibuprofen"}
    said = answer("How many MED-31 do we have?", Call("check_shelf", {"code": "MED-31"}), box, CLINIC)
    assert said == "The quantity of MED-31 is 12."


def test_two_questions_are_not_answered_by_one_field():
    said = answer(
        "Where is loan 20417 and when is it due?", Call("find_loan", {"number": 20417}), LOAN, LIBRARY
    )
    assert "north" in said and "20 March 2026" in said


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        (
            "Please open a report: the heating makes a loud noise at night. Urgency low.",
            {"area": "heating", "urgency": "low", "summary": "the heating makes a loud noise at night"},
        ),
        (
            "Open a report, please: one leg of the bed is broken. High urgency, furniture.",
            {"area": "furniture", "urgency": "high", "summary": "one leg of the bed is broken"},
        ),
    ],
)
def test_free_text_stands_as_it_was_written_and_an_action_comes_once(message, arguments):
    assert called(message, HOTEL) == [("create_report", arguments)]


def test_a_value_beside_the_name_of_a_property_belongs_to_that_property():
    """ "alta" is the urgency: it is no area, and no part of the summary."""
    arguments = {"area": "other", "urgency": "high", "summary": "la ventana no cierra"}
    assert called("Abre un informe: la ventana no cierra. Urgencia alta.", HOTEL) == [
        ("create_report", arguments)
    ]


def test_what_is_only_told_does_not_outdo_what_is_asked_for():
    decision = turn(
        "My room is cold and nobody answers my calls. Please open a report.", (*HOTEL, LIST_LOANS)
    )
    assert decision.calls == ()
    assert "create_report I still need" in decision.text


@pytest.mark.parametrize(
    ("message", "tools"),
    [
        ("Do you sell postcards?", CLINIC),
        ("Can I bring my dog?", CLINIC),
        ("Do you have a photocopier?", (FIND_LOAN, LIST_LOANS)),
        ("Quiero mandar una carta de 20 gramos a Francia", (FIND_LOAN, LIST_LOANS)),
        ("I don't want to open a report.", HOTEL),
        ("What is the capital of Norway?", (TAXI, DOSE)),
        ("What is 12 + 30?", CLINIC),
        ("Add 10% to 40 and to 60", CLINIC),
        ("¿Cuánto pesan 2,5 kg de arroz?", CLINIC),
    ],
)
def test_a_tool_that_could_always_be_called_and_a_stray_fact_need_evidence(message, tools):
    decision = turn(message, tools)
    assert decision.calls == ()
    assert "still need" not in decision.text and "me falta" not in decision.text


@pytest.mark.parametrize(
    ("message", "tools", "wanted"),
    [
        ("Which loans are overdue?", LIBRARY, ("list_loans", {"status": "overdue"})),
        (
            "Which loans has ana@example.org renewed since February 2nd, 2026?",
            LIBRARY,
            ("list_loans", {"email": "ana@example.org", "since": "2026-02-02"}),
        ),
        ("¿Qué visitas tiene luis@example.com?", CLINIC, ("list_visits", {"email": "luis@example.com"})),
        ("Show loan 20417", LIBRARY, ("find_loan", {"number": 20417})),
    ],
)
def test_filters_that_are_said_are_kept(message, tools, wanted):
    assert called(message, tools) == [wanted]


@pytest.mark.parametrize(
    "message", ["Cancel my visit.", "Please cancel visit 7.", "Cancela mi visita", "Don't cancel it"]
)
def test_an_action_that_no_tool_does_is_no_filter(message):
    assert called(message, CLINIC) == []


@pytest.mark.parametrize(
    ("message", "tools", "query"),
    [
        ("How do I become a member?", LIBRARY, "become a member"),
        ("How long do reservations last?", LIBRARY, "reservations"),
        ("What happens if I lose a book?", LIBRARY, "lose a book"),
        ("I don't want to open a report, I just want to know how parking works.", HOTEL, "parking"),
        ("Do you accept pets?", HOTEL, "pets"),
        ("What kinds of breakfast do you offer?", HOTEL, "kinds of breakfast"),
        ("¿Puedo traer mi perro?", HOTEL, "traer mi perro"),
    ],
)
def test_a_question_of_rules_is_looked_up(message, tools, query):
    [(name, arguments)] = called(message, tools)
    assert name in ("search_rules", "search_faq")
    assert arguments == {"query": query}


@pytest.mark.parametrize("reply", ["Toledo", "To Toledo, please"])
def test_a_bare_answer_completes_what_was_asked_before(reply):
    first = "How much is a transfer with 20 kg?"
    asked = turn(first, HOTEL)
    assert "destination" in asked.text
    history = [user(first), assistant(text=asked.text), user(reply)]
    assert called(history, HOTEL) == [("calculate_transfer", {"luggage_kg": 20, "destination": "Toledo"})]


def test_answers_to_two_questions_in_a_row_are_read_together():
    history = [
        user("How much is a transfer?"),
        assistant(text="To use calculate_transfer I still need: luggage_kg; destination. Can you tell me?"),
        user("20 kg"),
        assistant(text="To use calculate_transfer I still need: destination. Can you tell me?"),
        user("Toledo"),
    ]
    assert called(history, HOTEL) == [("calculate_transfer", {"luggage_kg": 20, "destination": "Toledo"})]


def test_a_sentence_does_not_end_at_an_abbreviation():
    assert first_sentence("A room code, e.g. B7 or C9. Not its name.") == "A room code, e.g. B7 or C9."
    assert first_sentence("Weight, approx. in kg. Optional.") == "Weight, approx. in kg."


def test_a_message_is_not_cut_at_an_abbreviation():
    parts = split("Book a room for Dr. Vega. Open a report.", [])
    assert [part.text for part in parts] == ["Book a room for Dr. Vega", "Open a report"]


def test_where_no_tool_is_wanted_the_answer_says_that_none_was_called():
    assert turn("Don't use any tool: what would you do?", HOTEL).text.startswith(
        "I called no tool, as you asked"
    )
    assert turn("¿Qué harías sin usar herramientas?", HOTEL).text.startswith(
        "No he llamado a ninguna herramienta"
    )


@pytest.mark.parametrize(
    ("key", "spanish"),
    [("rate", "tasa"), ("cost", "coste"), ("ticket", "ticket"), ("text", "texto"), ("count", "recuento")],
)
def test_a_field_is_named_by_its_everyday_translation(key, spanish):
    assert spoken(key, "es") == spanish


def test_value_added_tax_is_written_in_capitals():
    bill = Call("get_bill", {"room": "12"})
    told = answer("Enséñame la cuenta de la habitación 12", bill, {"vat": 3, "sum": 30}, HOTEL)
    assert told.startswith("El IVA de la habitación 12 es 3")
