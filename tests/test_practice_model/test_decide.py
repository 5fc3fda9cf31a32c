"""What the practice model decides: which tools, with which arguments, when not at all."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import (
    BOOKS,
    FORECAST,
    HOURS,
    LIBRARY,
    LIGHT,
    LOAN,
    MAIL,
    NOTES,
    PARCEL,
    PLAYLIST,
    RATE,
    ROOM,
    SUM,
    assistant,
    integer,
    number,
    request,
    results,
    text,
    tool,
    user,
)

from practice_model.decide.decide import decide
from practice_model.request import Call

TODAY = date(2026, 3, 11)  # a Wednesday


def called(turns, tools, **more) -> list[tuple[str, dict]]:
    decision = decide(request(turns, tools, **more), TODAY)
    return [(call.name, call.arguments) for call in decision.calls]


def said(turns, tools=(), **more) -> str:
    decision = decide(request(turns, tools, **more), TODAY)
    assert decision.calls == ()
    return decision.text


ONE_CALL = [
    ((FORECAST,), "What's the weather like in Oslo?", "get_forecast", {"city": "Oslo"}),
    ((FORECAST,), "will it rain in new york tomorrow", "get_forecast", {"city": "New York"}),
    ((FORECAST,), "¿Qué tiempo hace en Sevilla?", "get_forecast", {"city": "Sevilla"}),
    ((FORECAST,), "Forecast for Kirkwall, please", "get_forecast", {"city": "Kirkwall"}),
    ((SUM,), "What is 17 * 23?", "calculate", {"expression": "17 * 23"}),
    ((SUM, FORECAST), "¿Cuánto es 40 multiplicado por 12?", "calculate", {"expression": "40 * 12"}),
    ((SUM,), "calculate 15% of 80", "calculate", {"expression": "15 / 100 * 80"}),
    (LIBRARY, "Do you have any books about sailing?", "search_books", {"query": "sailing"}),
    (LIBRARY, "Please renew loan L-2207", "renew_loan", {"loan_id": "L-2207"}),
    (LIBRARY, "Renueva el préstamo L-2207, por favor", "renew_loan", {"loan_id": "L-2207"}),
    (
        LIBRARY,
        "When is the harbour branch open tomorrow?",
        "get_opening_hours",
        {"day": "2026-03-12", "branch": "harbour"},
    ),
    (
        LIBRARY,
        "I'd like to book a study room for 4 people on Friday",
        "reserve_room",
        {"day": "2026-03-13", "people": 4},
    ),
    ((PARCEL, MAIL), "Where is my parcel TR-99812?", "track_parcel", {"tracking_number": "TR-99812"}),
    ((PARCEL, MAIL), "¿Dónde está mi paquete TR-99812?", "track_parcel", {"tracking_number": "TR-99812"}),
    (
        (RATE,),
        "How much is one euro in dollars?",
        "get_exchange_rate",
        {"from_currency": "EUR", "to_currency": "USD"},
    ),
    (
        (RATE,),
        "What is the exchange rate from GBP to JPY?",
        "get_exchange_rate",
        {"from_currency": "GBP", "to_currency": "JPY"},
    ),
    (
        (MAIL,),
        "Send an email to kim@example.org saying the room is free",
        "send_email",
        {"to": "kim@example.org", "body": "the room is free"},
    ),
    ((PLAYLIST, LIGHT), 'Pon la canción "Clavelitos"', "reproducir_cancion", {"titulo": "Clavelitos"}),
    (
        (PLAYLIST, LIGHT),
        "Turn off the light in the kitchen",
        "set_light",
        {"room": "kitchen", "state": "off"},
    ),
    ((PLAYLIST, LIGHT), "Apaga la luz del dormitorio", "set_light", {"room": "bedroom", "state": "off"}),
    ((NOTES,), "Which notes did I write last week?", "list_notes", {"period": "week"}),
    ((NOTES,), "¿Qué notas escribí el mes pasado?", "list_notes", {"period": "month"}),
    (
        (NOTES,),
        "¿Cuántas notas escribí la última semana sobre jardinería?",
        "list_notes",
        {"period": "week", "keyword": "jardinería"},
    ),
    ((NOTES,), "How many notes do I have?", "list_notes", {"period": "all"}),
    (
        (NOTES,),
        "Show my notes of the last 30 days that mention bread",
        "list_notes",
        {"period": "month", "keyword": "bread"},
    ),
]


@pytest.mark.parametrize(
    ("tools", "message", "name", "arguments"), ONE_CALL, ids=[row[1] for row in ONE_CALL]
)
def test_one_message_one_call(tools, message, name, arguments):
    assert called(message, tools) == [(name, arguments)]


NO_CALL = [
    ((FORECAST,), "How are you?"),
    ((FORECAST,), "¿Cómo estás?"),
    ((FORECAST,), "Thanks, that helped."),
    ((FORECAST,), "What tools do you have?"),
    ((FORECAST,), "¿Qué herramientas tienes disponibles?"),
    ((FORECAST, SUM), "Who wrote Don Quixote?"),
    ((FORECAST,), "Don't call any tool: is it raining in Oslo?"),
    ((LOAN,), "How do I renew a loan?"),
    ((MAIL,), "How many emails did I send last week?"),
]


@pytest.mark.parametrize(("tools", "message"), NO_CALL, ids=[row[1] for row in NO_CALL])
def test_no_call_where_none_is_asked_for(tools, message):
    assert called(message, tools) == []


def test_two_clauses_give_two_calls_in_one_turn():
    assert called("What's the weather in Oslo, and what is 12 * 12?", (FORECAST, SUM)) == [
        ("get_forecast", {"city": "Oslo"}),
        ("calculate", {"expression": "12 * 12"}),
    ]


def test_two_things_of_one_kind_give_two_calls_of_one_tool():
    assert called("Weather in Oslo, Bergen and Madrid?", (FORECAST,)) == [
        ("get_forecast", {"city": "Oslo"}),
        ("get_forecast", {"city": "Bergen"}),
        ("get_forecast", {"city": "Madrid"}),
    ]


def test_without_parallel_calls_one_comes_at_a_time():
    message = user("What's the weather in Oslo, and what is 12 * 12?")
    first = decide(request([message], (FORECAST, SUM), parallel=False), TODAY)
    assert [call.name for call in first.calls] == ["get_forecast"]
    history = [
        message,
        assistant(Call("get_forecast", {"city": "Oslo"}, "a")),
        results(("a", '{"sky": "clear"}')),
    ]
    assert called(history, (FORECAST, SUM), parallel=False) == [("calculate", {"expression": "12 * 12"})]


def test_list_tools_are_named_without_a_call():
    answer = said("Which tools can you use?", (FORECAST, SUM))
    assert "get_forecast" in answer and "calculate" in answer


def test_what_is_required_and_was_not_said_is_asked_for():
    answer = said("Renew my loan", (LOAN,))
    assert "loan_id" in answer and answer.endswith("?")


def test_the_answer_to_that_question_completes_the_call():
    history = [user("Renew my loan"), assistant(text=said("Renew my loan", (LOAN,))), user("L-77")]
    assert called(history, (LOAN,)) == [("renew_loan", {"loan_id": "L-77"})]


def test_a_follow_up_repeats_the_last_call_with_what_changed():
    history = [
        user("What's the weather in Oslo?"),
        assistant(Call("get_forecast", {"city": "Oslo"}, "a")),
        results(("a", "Rain")),
        assistant(text="Rain in Oslo."),
        user("And in Bergen?"),
    ]
    assert called(history, (FORECAST,)) == [("get_forecast", {"city": "Bergen"})]


def test_a_follow_up_question_is_no_answer_to_a_question_of_the_assistant():
    history = [
        user("What's the weather in Oslo?"),
        assistant(Call("get_forecast", {"city": "Oslo"}, "a")),
        results(("a", "Rain")),
        assistant(text="Rain in Oslo. Shall I look anything else up for you?"),
        user("And in Bergen?"),
    ]
    assert called(history, (FORECAST,)) == [("get_forecast", {"city": "Bergen"})]


def test_a_call_that_needs_a_result_waits_for_it():
    where = tool(
        "find_customer",
        "Find a customer by name. Returns name and e-mail.",
        name=text("Name of the customer."),
    )
    message = user('Find the customer "Blue Fern Ltd" and send them an email saying the parts are in')
    assert [name for name, _ in called([message], (where, MAIL))] == ["find_customer"]
    history = [
        message,
        assistant(Call("find_customer", {"name": "Blue Fern Ltd"}, "a")),
        results(("a", '{"name": "Blue Fern Ltd", "email": "office@fern.example"}')),
    ]
    assert called(history, (where, MAIL)) == [
        ("send_email", {"to": "office@fern.example", "body": "the parts are in"})
    ]


def test_after_the_results_it_answers_from_them():
    history = [
        user("What's the weather in Oslo?"),
        assistant(Call("get_forecast", {"city": "Oslo"}, "a")),
        results(("a", '{"sky": "overcast", "temperature_c": 4}')),
    ]
    answer = said(history, (FORECAST,))
    assert "overcast" in answer and "4 °C" in answer


def test_it_answers_in_the_language_of_the_question():
    history = [
        user("¿Cuántas notas escribí la última semana?"),
        assistant(Call("list_notes", {"period": "week"}, "a")),
        results(("a", '{"count": 3, "notes": ["pan", "luz", "mar"]}')),
    ]
    assert "Hay 3 notas" in said(history, (NOTES,))


def test_a_failed_call_is_told_by_its_name_and_reason():
    history = [
        user("Renew loan L-1"),
        assistant(Call("renew_loan", {"loan_id": "L-1"}, "a")),
        results(("a", "The loan desk does not answer."), error=True),
    ]
    answer = said(history, (LOAN,))
    assert "renew_loan" in answer and "The loan desk does not answer." in answer


def test_an_error_that_names_the_allowed_values_is_mended_once():
    crates = tool("list_crates", "List the crates in the store.", size=text("Size of the crates."))
    history = [
        user("List the little crates of size small"),
        assistant(Call("list_crates", {"size": "small"}, "a")),
        results(("a", "size must be one of: S (small), M, L"), error=True),
    ]
    decision = decide(request(history, (crates,)), TODAY)
    assert [call.name for call in decision.calls] == ["list_crates"]
    again = [
        *history,
        assistant(Call("list_crates", decision.calls[0].arguments, "b")),
        results(("b", "size must be one of: S (small), M, L"), error=True),
    ]
    assert called(again, (crates,)) == []


def test_a_call_that_was_made_is_not_made_again_even_with_other_arguments():
    history = [
        user("What's the weather in Oslo?"),
        assistant(Call("get_forecast", {"city": "Oslo, Norway"}, "a")),
        results(("a", "Sun")),
    ]
    assert called(history, (FORECAST,)) == []


def test_tool_choice_none_means_no_call():
    assert called("What's the weather in Oslo?", (FORECAST,), mode="none") == []


def test_tool_choice_any_always_calls_something_that_fits_its_schema():
    ((name, arguments),) = called("Tell me a joke", (ROOM, LOAN), mode="any")
    assert name in ("reserve_room", "renew_loan") and arguments


def test_tool_choice_tool_calls_that_tool():
    ((name, _),) = called("What's the weather in Oslo?", (FORECAST, BOOKS), mode="tool", name="search_books")
    assert name == "search_books"


def test_a_good_definition_wins_over_a_stuffed_one():
    stuffed = tool(
        "helper",
        "weather rain sun forecast city loan book sum email parcel "
        + " ".join(f"word{i}" for i in range(300)),
        city=text(),
    )
    assert [name for name, _ in called("Will it rain in Oslo?", (stuffed, FORECAST))] == ["get_forecast"]


def test_a_vague_definition_is_not_chosen():
    vague = tool("do_it", "Does the thing with the data.", value=text())
    assert called("Will it rain in Oslo?", (vague,)) == []


def test_words_that_say_when_not_to_use_a_tool_count_against_it():
    good = tool(
        "find_invoice",
        "Find an invoice. Do not use it for receipts; use find_receipt instead.",
        number=text(),
    )
    other = tool("find_receipt", "Find a receipt.", number=text())
    assert called("Find the receipt 4411", (good, other)) == [("find_receipt", {"number": "4411"})]


def test_without_tools_it_says_that_it_cannot_know():
    assert "no tools" in said("How many messages did I send last week?")
    assert "ninguna herramienta" in said("¿Cuántos mensajes envié la semana pasada?")


def test_it_remembers_only_what_the_history_holds():
    assert "Aroa" in said([user("My name is Aroa."), assistant(text="Understood."), user("What is my name?")])
    assert "Aroa" not in said("What is my name?")


def test_relative_dates_count_from_the_stated_day():
    found = called("When is the north branch open tomorrow?", (HOURS,), system="Today is 2030-07-01.")
    assert found == [("get_opening_hours", {"day": "2030-07-02", "branch": "north"})]


def test_units_become_those_of_the_parameter():
    weigh = tool(
        "quote_freight",
        "Price of sending freight.",
        weight_kg=number("Weight in kilograms."),
        destination=text("Where to."),
    )
    assert called("Quote the freight for 500 g to Bilbao", (weigh,)) == [
        ("quote_freight", {"weight_kg": 0.5, "destination": "Bilbao"})
    ]


def test_a_structured_answer_fits_its_schema():
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city", "days"],
    }
    assert said("Plan 3 days in Oslo", output_schema=schema) == '{"city": "Oslo", "days": 3}'


def test_the_same_request_gets_the_same_decision():
    one = request("Weather in Oslo and 2 + 2?", (FORECAST, SUM))
    assert decide(one, TODAY) == decide(one, TODAY)


def test_scores_say_which_words_counted():
    decision = decide(request("Will it rain in Oslo?", (FORECAST, BOOKS)), TODAY)
    best = next(row for row in decision.scores if row.chosen)
    assert best.tool == "get_forecast" and "rain ~ forecast" in best.because


def test_parameters_without_descriptions_are_filled_by_their_names():
    table = tool("book_table", "", name=text(), guests=integer(), date=text())
    assert called("Book a table for 6 guests on 2026-04-02 in the name of Vega", (table,)) == [
        ("book_table", {"name": "Vega", "guests": 6, "date": "2026-04-02"})
    ]
