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
    (
        "What's the status of order 7?",
        get_order,
        ORDER,
        "Order 7 has been shipped; it is expected on 15 March 2026.",
    ),
    ("When will order 7 arrive?", get_order, ORDER, "Order 7 is expected on 15 March 2026."),
    ("How much does the lamp cost?", get_product, LAMP, "The lamp costs 12.50 EUR."),
    ("¿Cuánto cuesta la lámpara?", get_product, LAMP, "Lamp cuesta 12,50 EUR."),
    ("Is the lamp in stock?", get_product, LAMP, "Yes, the lamp is in stock."),
    ("Is the lamp in stock?", get_product, LAMP | {"in_stock": False}, "No, the lamp is not in stock."),
    ("What is 2 + 2?", calculate, "4", "2 + 2 = 4"),
    ("What is 2 + 2?", calculate, {"result": 4}, "2 + 2 = 4"),
    ("What is 2 + 2?", calculate, "4.000000000000001", "2 + 2 = 4"),
    ("Is the north door open?", check_access, "true", "Yes."),
    ("¿Está abierta la puerta norte?", check_access, "false", "No."),
    ("How many notes did I write?", list_notes, "3", "There are 3 notes (week)."),
    ("How many notes did I write?", list_notes, {"count": 0}, "There are no notes (week)."),
    ("¿Cuántas notas escribí?", list_notes, {"count": 1}, "Hay 1 nota (semana)."),
    ("Send it", Call("send_email", {"to": "a@b.example"}), "Email sent.", "Email sent."),
    ("Send it", Call("send_email", {"to": "a@b.example"}), {"message": "Email was sent."}, "Email was sent."),
    ("Read the page", fetch, "<html><style>p{}</style><p>It &amp; rains.</p></html>", "It & rains."),
    ("Read the page", fetch, "1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ("Read the page", fetch, "🌧️ ñandú", "🌧️ ñandú"),
    ("Read the page", fetch, "", "fetch_page returned nothing."),
    ("Lee la página", fetch, "null", "fetch_page no ha devuelto nada."),
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
    ("¿Cuándo llega el viaje 31?", get_trip, TRIP, "El viaje 31 se espera para el 15 de marzo de 2026."),
    ("When will trip 31 arrive?", get_trip, TRIP, "Trip 31 is expected on 15 March 2026."),
    ("¿Cuánto pagué por el viaje 31?", get_trip, TRIP, "El total del viaje 31 es 80 EUR."),
    ("Is trip 31 paid back?", get_trip, TRIP, "No, trip 31 is not refunded."),
    ("¿Está devuelto el viaje 31?", get_trip, TRIP, "No, el viaje 31 no está reembolsado."),
    (
        "Enséñame el viaje 31",
        get_trip,
        TRIP,
        "El viaje 31 fue reservado el 1 de marzo de 2026, se espera para el 15 de marzo de 2026 y no está "
        "reembolsado. Su número de asiento es 4 y su total es 80 EUR.",
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
        "There are 2 notes (week):",
        "- 1 March 2026: bread",
        "- 2 March 2026: sea",
    ]


def test_a_question_for_everything_gets_every_field():
    said = answer("Show me order 7", get_order, ORDER)
    assert said == "Order 7 has been shipped and is expected on 15 March 2026. Its carrier is DHL."


def test_the_text_of_a_python_dictionary_is_read_as_one():
    assert (
        answer("What's the status of order 7?", get_order, str(ORDER))
        == "Order 7 has been shipped; it is expected on 15 March 2026."
    )


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
            "12 March 2026",
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
        assert "1 May 2026" in answer(question, Call("check_stock", {"sku": "MUG-7"}), found)


# Each clause has its own call, and its own field --------------------------------------------------

LOAN = {"loan_id": "L-7", "status": "overdue", "due_on": "2026-03-01", "title": "Emma"}
SAVED = {"count": 2, "recipes": [{"title": "Paella", "minutes": 50}, {"title": "Gazpacho", "minutes": 15}]}


def told(question: str, *made: tuple[Call, object], system: str = "") -> str:
    calls = [Call(call.name, call.arguments, str(n)) for n, (call, _) in enumerate(made)]
    contents = [(str(n), json.dumps(value, ensure_ascii=False)) for n, (_, value) in enumerate(made)]
    tools = tuple(define(f"{call.name}({', '.join(call.arguments)})") for call, _ in made)
    history = [user(question), assistant(*calls), results(*contents)]
    return decide(request(history, tools, system=system), TODAY).text


def test_each_clause_is_answered_from_its_own_call_and_field():
    loan, recipes = Call("find_loan", {"loan_id": "L-7"}), Call("list_recipes", {})
    said = told("When is loan L-7 due, and how many recipes did I save?", (loan, LOAN), (recipes, SAVED))
    first, second = said.split("\n\n")
    assert first == "Loan L-7 is due on 1 March 2026."
    assert second.splitlines()[0] == "There are 2 recipes:"


def test_two_questions_about_one_thing_are_one_sentence():
    flight = {"flight_number": "IB31", "departs_at": "2026-03-12T08:15", "gate": "B7"}
    call = Call("get_flight", {"flight_number": "IB31"})
    assert (
        told("When does flight IB31 leave, and from which gate?", (call, flight))
        == "Flight IB31 departs on 12 March 2026 at 08:15; its gate is B7."
    )


def test_a_call_that_only_found_an_argument_is_not_reported():
    town, sky = Call("get_location", {}), Call("get_weather", {"city": "Vigo"})
    assert (
        told("What's the weather here?", (town, "Vigo"), (sky, {"temperature_c": 21, "sky": "clear"}))
        == "In Vigo, the temperature is 21 °C and the sky is clear."
    )


ORDERED = {"number": 5, "status": "delivered", "delivered_on": "2026-03-02", "expected_on": "2026-03-01"}
SENTENCES = [
    ("Where is parcel 5?", Call("track_parcel", {"number": 5}), ORDERED,
     "Parcel 5 was delivered on 2 March 2026."),
    ("¿Dónde está el paquete 5?", Call("track_parcel", {"number": 5}), ORDERED,
     "El paquete 5 fue entregado el 2 de marzo de 2026."),
    ("Who wrote Emma?", Call("get_book", {"title": "Emma"}),
     {"title": "Emma", "author": "Jane Austen", "book_id": 3},
     "The author of Emma is Jane Austen."),
    ("Cuéntame del libro Emma", Call("get_book", {"title": "Emma"}),
     {"title": "Emma", "author": "Jane Austen", "book_id": 3, "content": "novela"},
     "El autor de Emma es Jane Austen, su ID de libro es 3 y su contenido es novela."),
    ("¿Cuántos puntos tiene Kira?", Call("get_player", {"player": "Kira"}), {"points": 320, "level": 7},
     "Kira tiene 320 puntos."),
    ("Cancela la reserva 91", Call("cancel_booking", {"reservation_id": 91}), {"status": "cancelled"},
     "La reserva 91 está cancelada."),
    ("Turn off the light in the hall", Call("set_light", {"room": "hall", "on": False}), {"ok": True},
     "I have set the light (room: hall, on: no)."),
    ("Apaga la luz", Call("set_light", {"on": False}), {"ok": True}, "He ajustado la luz (encendido: no)."),
    ("Merge pull request 12", Call("merge_pull_request", {"number": 12}), {"merged": True},
     "I have merged pull request 12."),
    ("Delete note 4", Call("delete_note", {"note_id": 4}), {"success": False, "reason": "locked"},
     "I could not complete delete_note: reason locked."),
    ("Open a ticket: the lamp is broken", Call("create_ticket", {"summary": "the lamp is broken"}),
     {"number": 31, "status": "open"}, "Ticket 31 is open."),
    ("How many cups are 3 pints?", Call("convert", {"amount": 3, "unit": "pint"}),
     {"value": 6, "unit": "cups"},
     "The value is 6 cups."),
    ("Do I need a visa for Japan?", Call("get_visa_rules", {"country": "JP"}), {"visa_required": False},
     "No, the visa is not required."),
    ("¿Necesito visado para Japón?", Call("get_visa_rules", {"country": "JP"}), {"visa_required": False},
     "No, el visado no es necesario."),
    ("¿Cuál es mi saldo?", Call("get_balance", {}), {"balance": 1520.5, "currency": "EUR"},
     "El saldo es 1520,50 EUR."),
    ("Find hotels in Rome", Call("search_hotels", {"city": "Rome"}),
     {"hotels": [{"name": "Sol", "price": 95}]},
     "There is 1 hotel (Rome):\n- Sol: price 95"),
    ("Busca hoteles en Roma", Call("search_hotels", {"city": "Roma"}),
     {"hotels": [{"name": "Sol", "price": 95}]},
     "Hay 1 hotel (Roma):\n- Sol: precio 95"),
    ("Show the open tickets", Call("list_tickets", {"status": "open"}), [{"number": 3, "status": "open"}],
     "There is 1 open ticket:\n- Ticket 3: open"),
    ("How old is Bruma?", Call("get_pet", {"name": "Bruma"}), {"age_years": 4, "vaccinated": True},
     "The age of Bruma is 4 years."),
    ("When did the backup run?", Call("get_backup", {"server": "db1"}),
     {"last_run": "2026-03-10T02:00:00", "size_gb": 12.4}, "The last run of db1 is 10 March 2026 at 02:00."),
    ("What films are on?", Call("list_films", {"date": "2026-03-11"}),
     {"cinema": "Rex", "films": [{"title": "Alien", "starts": "20:30"}]},
     "There is 1 film (11 March 2026):\n- Alien: starts at 20:30\nCinema Rex."),
    ("Move my meeting to 5 pm", Call("move_meeting", {"meeting_id": 3, "time": "17:00"}),
     {"id": 3, "time": "17:00", "status": "ok"}, "I have moved meeting 3."),
    ("Open the back door", Call("lock_door", {"door": "back", "action": "unlock"}), {"ok": True},
     "I have unlocked the door (door: back)."),
    ("Go north", Call("move", {"direction": "north"}), {"ok": True}, "I have moved (direction: north)."),
    ("Toggle the lamp in the hall", Call("toggle_lamp", {"room": "hall"}), {"ok": True},
     "Done: toggle lamp (room: hall)."),
    ("Add a task: buy milk", Call("add_task", {"title": "buy milk", "priority": 2}), {"ok": True},
     "I have added the task “buy milk” (priority: 2)."),
    ("Añade una tarea: comprar leche", Call("add_task", {"title": "comprar leche"}), {"ok": True, "id": 8},
     "He añadido la tarea «comprar leche». ID 8."),
    ("Start a timer for 10 minutes", Call("start_timer", {"duration_minutes": 10}), {"ok": True},
     "I have started the timer (duration: 10 minutes)."),
    ("How many dollars are 80 euros?", Call("convert_currency", {"amount": 80, "to": "USD"}),
     {"result": 92.4},
     "The result is 92.4 dollars."),
    ("Is shop 3 open?", Call("get_shop", {"shop_id": 3}), {"success": False, "error_code": 7},
     "I could not complete get_shop: error code 7."),
    ("How much is 80 dollars plus VAT?", Call("work_out_vat", {"amount": 80}), {"vat": 16, "total": 96},
     "The total is 96."),
    ("¿Ha llegado el paquete 5?", Call("track_parcel", {"number": 5}),
     {"number": 5, "status": "shipped", "placed_on": "2026-03-01", "due": "2026-03-12"},
     "El paquete 5 está enviado; se espera para el 12 de marzo de 2026."),
    ("List the orders since 1 March", Call("list_orders", {"since": "2026-03-01"}),
     [{"number": 3, "status": "placed", "placed_on": "2026-03-02"}],
     "There is 1 order (since 1 March 2026):\n- Order 3: placed on 2 March 2026"),
    ("What does lentil mean?", Call("define_word", {"word": "lentil"}),
     {"word": "lentil", "meaning": "A seed."}, "Meaning: A seed."),
    ("Roll two dice", Call("roll_dice", {"count": 2}), {"rolls": [3, 5], "total": 8},
     "Roll dice:\n- rolls: 3 and 5\n- total: 8"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "call", "result", "said"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_for_a_tool_of_ones_own(question, call, result, said):
    assert told(question, (call, result)) == said


def test_the_year_of_today_is_not_said_again():
    order = Call("find_order", {"number": 5})
    value = {"number": 5, "status": "paid", "expected_on": "2026-11-22"}
    said = told("Where is order 5?", (order, value), system="Today is 2026-11-20.")
    assert said == "Order 5 has been paid; it is expected on 22 November."


# JSON that only the prompt asks for ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (
            'Maria is 34, from Madrid. Answer only with JSON: {"name": "...", "age": 0, "city": "..."}',
            {"name": "Maria", "age": 34, "city": "Madrid"},
        ),
        (
            'Reply as JSON with the keys name and email: "I am Ana Torres, ana@example.com"',
            {"name": "Ana Torres", "email": "ana@example.com"},
        ),
        ('Responde solo con JSON: {"hotel": <texto>}', {"hotel": None}),
    ],
)
def test_json_that_the_prompt_asks_for_is_given(question, value):
    assert json.loads(decide(request(question), TODAY).text) == value


def test_json_from_a_result_has_what_the_result_says():
    said = told(
        'Where is order 7? Answer only with JSON: {"status": "", "eta": ""}', (get_order, ORDER), system=""
    )
    assert json.loads(said) == {"status": "shipped", "eta": "2026-03-15"}
