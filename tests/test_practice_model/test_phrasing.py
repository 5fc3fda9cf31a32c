"""Answers from tool results: they say what the results say, the asked thing first, in the user's language."""

from __future__ import annotations

import json
from datetime import date

import pytest
from decide_tools import assistant, define, request, results, user

from practice_model.decide.decide import decide
from practice_model.request import Call

TODAY = date(2026, 3, 11)
ORDER = {"order_id": "7", "status": "shipped", "carrier": "DHL", "eta": "2026-03-15"}
LAMP = {"name": "lamp", "price": 12.5, "currency": "EUR", "in_stock": True, "colour": "red"}
NOTES = {
    "count": 2,
    "notes": [{"written": "2026-03-01", "text": "bread"}, {"written": "2026-03-02", "text": "sea"}],
}


def answer(question: str, call: Call, result: object, error: bool = False) -> str:
    content = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    history = [
        user(question),
        assistant(Call(call.name, call.arguments, "a")),
        results(("a", content), error=error),
    ]
    signature = f"{call.name}({', '.join(call.arguments)})"
    decision = decide(request(history, (define(signature),)), TODAY)
    assert decision.calls == ()
    return decision.text


get_order = Call("get_order", {"order_id": "7"})
get_product = Call("get_product", {"name": "lamp"})
list_notes = Call("list_notes", {"period": "week"})
calculate = Call("calculate", {"expression": "2 + 2"})
check_access = Call("check_access", {"door": "north"})
fetch = Call("fetch_page", {"url": "https://example.org"})

ANSWERS = [
    ("What's the status of order 7?", get_order, ORDER, "Status (order id: 7): shipped."),
    ("When will order 7 arrive?", get_order, ORDER, "Eta (order id: 7): 2026-03-15."),
    ("How much does the lamp cost?", get_product, LAMP, "Price (name: lamp): 12.5 EUR."),
    ("¿Cuánto cuesta la lámpara?", get_product, LAMP, "Precio (nombre: lamp): 12.5 EUR."),
    ("Is the lamp in stock?", get_product, LAMP, "Yes (in stock)."),
    ("Is the lamp in stock?", get_product, LAMP | {"in_stock": False}, "No (in stock: no)."),
    ("What is 2 + 2?", calculate, "4", "2 + 2 = 4"),
    ("What is 2 + 2?", calculate, {"result": 4}, "2 + 2 = 4"),
    ("What is 2 + 2?", calculate, "4.000000000000001", "2 + 2 = 4"),
    ("Is the north door open?", check_access, "true", "Yes."),
    ("¿Está abierta la puerta norte?", check_access, "false", "No."),
    ("How many notes did I write?", list_notes, "3", "There are 3 notes (period: week)."),
    ("How many notes did I write?", list_notes, {"count": 0}, "There are no notes (period: week)."),
    ("¿Cuántas notas escribí?", list_notes, {"count": 1}, "Hay 1 nota (período: week)."),
    ("Send it", Call("send_email", {"to": "a@b.example"}), "Email sent.", "Email sent."),
    ("Send it", Call("send_email", {"to": "a@b.example"}), {"message": "Email was sent."}, "Email was sent."),
    ("Read the page", fetch, "<html><style>p{}</style><p>It &amp; rains.</p></html>", "It & rains."),
    ("Read the page", fetch, "1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ("Read the page", fetch, "🌧️ ñandú", "🌧️ ñandú"),
    ("Read the page", fetch, "", "fetch_page: no results."),
    ("Lee la página", fetch, "null", "fetch_page (url: https://example.org): sin resultados."),
    ("Show order 7", get_order, {"error": "no such order"}, "I could not complete get_order: no such order"),
    (
        "Muestra el pedido 7",
        get_order,
        {"error": {"message": "no existe"}},
        "No pude completar get_order: no existe",
    ),
    ("Show order 7", get_order, "Error: timeout", "I could not complete get_order: timeout"),
]


TRIP = {
    "number": 31,
    "booked_on": "2026-03-01",
    "expected_on": "2026-03-15",
    "seat_number": 4,
    "refunded": False,
    "total_eur": 80,
}
get_trip = Call("get_trip", {"number": 31})
ANSWERS += [
    ("¿Cuándo llega el viaje 31?", get_trip, TRIP, "Previsto el (número: 31): 2026-03-15."),
    ("When will trip 31 arrive?", get_trip, TRIP, "Expected on (number: 31): 2026-03-15."),
    ("¿Cuánto pagué por el viaje 31?", get_trip, TRIP, "Total (número: 31): 80 EUR."),
    ("Is trip 31 paid back?", get_trip, TRIP, "No (refunded: no)."),
    ("¿Está devuelto el viaje 31?", get_trip, TRIP, "No (reembolsado: no)."),
    (
        "Enséñame el viaje 31",
        get_trip,
        TRIP,
        "Viaje (número: 31): número 31, reservado el 2026-03-01, previsto el 2026-03-15, "
        "número de asiento 4, reembolsado no, total 80 EUR.",
    ),
]


@pytest.mark.parametrize(
    ("question", "call", "result", "said"), ANSWERS, ids=[f"{row[0]} {str(row[2])[:40]}" for row in ANSWERS]
)
def test_an_answer(question, call, result, said):
    assert answer(question, call, result) == said


def test_a_failed_call_is_told_with_its_reason():
    assert answer("Show order 7", get_order, "the line is busy", error=True).endswith(
        "get_order: the line is busy"
    )


def test_a_count_comes_before_its_list():
    said = answer("How many notes did I write last week?", list_notes, NOTES)
    assert said.splitlines() == [
        "There are 2 notes (period: week):",
        "- 2026-03-01: bread",
        "- 2026-03-02: sea",
    ]


def test_a_question_for_everything_gets_every_field():
    said = answer("Show me order 7", get_order, ORDER)
    assert all(str(value) in said for value in ORDER.values())


def test_the_text_of_a_python_dictionary_is_read_as_one():
    assert answer("What's the status of order 7?", get_order, str(ORDER)) == "Status (order id: 7): shipped."


def test_a_long_text_is_cut_at_a_word():
    said = answer("Read the page", fetch, "word " * 500)
    assert len(said) < 700 and said.endswith("word …")


def test_a_long_list_is_cut_and_says_so():
    said = answer("List the notes", list_notes, [f"note {i}" for i in range(25)])
    assert said.startswith("There are 25 notes") and said.endswith("- … and 15 more")


def test_nothing_is_said_that_no_result_says():
    said = answer("What's the weather?", Call("get_weather", {}), {"sky": "overcast"})
    assert "overcast" in said and not any(character.isdigit() for character in said)


@pytest.mark.parametrize(
    ("question", "value", "answer"),
    [
        (
            "Where is my parcel 7?",
            {"number": "7", "placed_on": "2026-03-01", "status": "in transit"},
            "in transit",
        ),
        (
            "¿Dónde está mi paquete 7?",
            {"number": "7", "placed_on": "2026-03-01", "status": "en camino"},
            "en camino",
        ),
        ("Where is parcel 7?", {"number": "7", "status": "ready", "location": "Lugo depot"}, "Lugo depot"),
        (
            "When does parcel 7 arrive?",
            {"number": "7", "arrival": "2026-03-12", "depot": "Lugo"},
            "2026-03-12",
        ),
    ],
)
def test_where_and_when_are_answered_by_a_field_of_the_right_kind(question, value, answer):
    parcel = define(
        "find_parcel(number)", "Where a parcel is and when it arrives.", number="Number of the parcel"
    )
    history = [
        user(question),
        assistant(Call("find_parcel", {"number": "7"}, "a")),
        results(("a", json.dumps(value, ensure_ascii=False))),
    ]
    said = decide(request(history, (parcel,)), TODAY).text
    assert answer in said and "2026-03-01" not in said and "Lugo depot" not in said.replace(answer, "")


def test_words_that_only_name_the_tool_do_not_ask_for_one_field():
    fare = define("estimate_taxi(distance_km:number)", "Estimate a taxi ride.")
    value = {"cab_minutes": 18, "cost_usd": 21.25}
    history = [
        user("Can you estimate the taxi for 7 km?"),
        assistant(Call("estimate_taxi", {"distance_km": 7}, "a")),
        results(("a", json.dumps(value))),
    ]
    said = decide(request(history, (fare,)), TODAY).text
    assert "21.25 USD" in said and "18" in said


def test_a_field_with_the_word_itself_in_its_name_is_the_one_asked_for():
    fare = define("get_fare(distance_km:number)", "The fare of a taxi ride.")
    history = [
        user("What is the fare for 7 km?"),
        assistant(Call("get_fare", {"distance_km": 7}, "a")),
        results(("a", '{"ride_minutes": 18, "fare_usd": 21.25}')),
    ]
    said = decide(request(history, (fare,)), TODAY).text
    assert "21.25 USD" in said and "18" not in said


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Is MUG-7 in stock?", "Yes"),
        ("¿Está disponible MUG-7?", "Sí"),
        ("Is MUG-7 broken?", "12"),  # no field says so: all of them are told, and no "yes"
        ("Is MUG-7 expensive?", "12"),
    ],
)
def test_a_truth_answers_no_question_about_something_else(question, told):
    found = {"sku": "MUG-7", "in_stock": True, "price_eur": 12}
    said = answer(question, Call("check_stock", {"sku": "MUG-7"}), found)
    assert told in said and (told in ("Yes", "Sí")) == said.startswith(("Yes", "Sí"))


@pytest.mark.parametrize("question", ["How much is the VAT on 80?", "¿Cuánto es el IVA de 80?"])
def test_the_field_that_is_named_beats_the_total(question):
    said = answer(question, Call("work_out_vat", {"amount": 80}), {"amount": 80, "vat": 16.0, "total": 96.0})
    assert "16" in said and "96" not in said


def test_when_is_answered_by_no_truth():
    found = {"sku": "MUG-7", "in_stock": False, "quantity": 0, "restock_on": "2026-05-01"}
    for question in ("When will MUG-7 be back in stock?", "When is MUG-7 in stock again?"):
        assert "2026-05-01" in answer(question, Call("check_stock", {"sku": "MUG-7"}), found)
