"""What a message is about, and what it asks to be done: texts, actions, dates, sums, codes."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import define, request

from practice_model.decide.decide import decide

TODAY = date(2026, 3, 11)  # a Wednesday

NOTES = define(
    "list_notes(period:day|week|month|all, keyword?)",
    "List the notes that the reader has written, newest first.",
    keyword="Only notes that contain this text.",
)
FIND_LOAN = define(
    "find_loan(number:integer)",
    "Get one loan by its number: title, reader and the day on which it is due.",
    number="The loan number, five digits, such as 20417.",
)
LIST_LOANS = define(
    "list_loans(status?:opened|paid|returned, since?:date)",
    "List loans, newest first. Use it when no loan number is given.",
    status="Only loans with this status.",
    since="Only loans opened on this day or later.",
)
REPORT = define(
    "create_report(area:invoice|delivery|product|other, urgency?:low|normal|high, summary)",
    "Create a report for the caretaker.",
    summary="The problem in one or two sentences.",
)
WEATHER = define(
    "get_weather(city)",
    "Get the current weather of a city. Returns: the city (its English name), country and temperature.",
    city="Name of the city, such as Mexico City.",
)
POSTAGE = define(
    "calculate_postage(weight_kg:number, country)",
    "Calculate what it costs to post a parcel.",
    weight_kg="Weight of the parcel in kilograms.",
    country="Two-letter code of the country, such as PT or CL.",
)
TAX = define(
    "calculate_tax(amount:number, rate?:number)",
    "Calculate the sales tax on an amount.",
    amount="The amount before tax.",
    rate="The tax rate as a fraction: 0.20 means 20 percent.",
)
SUM = define("calculate(expression)", "Work out an arithmetic expression.")
LIBRARY = (NOTES, FIND_LOAN, LIST_LOANS, REPORT, WEATHER, POSTAGE, TAX, SUM)


def called(message: str, *tools, **more) -> list[tuple[str, dict]]:
    decision = decide(request(message, tools or LIBRARY, **more), TODAY)
    return [(call.name, call.arguments) for call in decision.calls]


# -- what somebody wrote -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "period", "keyword"),
    [
        ("Did I write about loan 20417?", "all", "loan 20417"),
        ("Have I ever complained about the heating?", "all", "heating"),
        ("Have I ever mentioned a lamp?", "all", "lamp"),
        ("Do I have notes about loan 20417?", "all", "loan 20417"),
        ("Did we say anything about the fee this week?", "week", "fee"),
        ("Which notes mention loan 20417?", "all", "loan 20417"),
        ("¿Me he quejado alguna vez de la calefacción?", "all", "calefacción"),
        ("¿He mencionado alguna vez una lámpara?", "all", "lámpara"),
        ("¿Tengo notas sobre el préstamo 20417?", "all", "préstamo 20417"),
        ("¿Escribí algo sobre la cuota este mes?", "month", "cuota"),
        ("¿Alguna vez pregunté por la tarifa?", "all", "tarifa"),
    ],
)
def test_what_somebody_wrote_is_looked_for_among_the_writings(message, period, keyword):
    assert called(message) == [("list_notes", {"period": period, "keyword": keyword})]


def test_a_question_about_the_thing_itself_is_looked_up():
    assert called("Is loan 20417 due?") == [("find_loan", {"number": 20417})]
    assert called("Did I write about loan 20417?", FIND_LOAN) == [("find_loan", {"number": 20417})]


# -- texts to write, and knowledge of the world --------------------------------------------------------------


@pytest.mark.parametrize("tools", [LIBRARY, (NOTES,), (NOTES, WEATHER, FIND_LOAN), (WEATHER,)])
@pytest.mark.parametrize(
    "message",
    [
        "Write a poem about the sea.",
        "Compose a short song about a loan that nobody returns",
        "Tell me a story about notes",
        "Write an essay",
        "Escribe un poema sobre el mar",
        "Redacta un cuento sobre un préstamo",
        "Who wrote Hamlet?",
        "¿Quién escribió Hamlet?",
        "What is the capital of Portugal?",
        "¿Cuál es la capital de Chile?",
        "What is the population of Norway?",
        "¿Cuántos habitantes tiene Chile?",
        "Where is Lisbon?",
    ],
)
def test_a_shared_word_or_place_is_no_reason_to_call(message, tools):
    assert called(message, *tools) == []


def test_a_tool_that_writes_or_tells_is_called():
    poem = define("write_poem(topic)", "Write a poem about a topic.")
    joke = define("get_joke()", "Get a random joke.")
    assert called("Write a poem about tea", poem, NOTES) == [("write_poem", {"topic": "tea"})]
    assert called("Tell me a joke", joke, NOTES) == [("get_joke", {})]


def test_a_place_alone_or_its_weather_is_a_reason():
    assert called("And Lisbon?") == [("get_weather", {"city": "Lisbon"})]
    assert called("Is it cold in Lisbon?") == [("get_weather", {"city": "Lisbon"})]
    assert called("¿Hace frío en Lisboa?") == [("get_weather", {"city": "Lisboa"})]


# -- actions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        (
            "I want my money back for the delivery. Please create a report.",
            {"area": "delivery", "summary": "I want my money back for the delivery"},
        ),
        (
            "The lamp leaks. Create a report with high urgency.",
            {"area": "product", "urgency": "high", "summary": "The lamp leaks"},
        ),
        (
            "Mi paquete no ha llegado, crea un informe urgente.",
            {"area": "delivery", "urgency": "high", "summary": "Mi paquete no ha llegado"},
        ),
        (
            "Loan 20417 came broken. Create a report, it's urgent.",
            {"area": "product", "urgency": "high", "summary": "Loan 20417 came broken"},
        ),
        (
            "La factura del préstamo 20417 está mal. Crea un informe.",
            {"area": "invoice", "summary": "La factura del préstamo 20417 está mal"},
        ),
        (
            "Create a report: I never got an invoice.",
            {"area": "invoice", "summary": "I never got an invoice"},
        ),
    ],
)
def test_what_is_told_beside_an_order_is_what_the_action_passes_on(message, arguments):
    assert called(message) == [("create_report", arguments)]


def test_a_request_beside_an_order_is_done_too():
    assert [name for name, _ in called("Look up loan 20417 and create a report: the lamp is broken")] == [
        "find_loan",
        "create_report",
    ]
    weather = "What is the weather in Lima? Also create a report: the lamp is broken."
    assert [name for name, _ in called(weather)] == ["get_weather", "create_report"]


# -- events and states ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Which loans were opened since last Monday?", {"since": "2026-03-09"}),
        ("Loans opened this week", {"since": "2026-03-09"}),
        ("Since Monday, which loans were opened?", {"since": "2026-03-09"}),
        ("¿Qué préstamos se han abierto desde el lunes?", {"since": "2026-03-09"}),
        ("Which opened loans are there?", {"status": "opened"}),
        ("Show the opened loans since Monday", {"status": "opened", "since": "2026-03-09"}),
        ("Which loans were returned this week?", {"status": "returned", "since": "2026-03-09"}),
        ("¿Qué préstamos están pagados?", {"status": "paid"}),
        ("¿Qué préstamos están abiertos?", {"status": "opened"}),
    ],
)
def test_the_verb_of_what_a_date_dates_is_no_filter_but_a_state_is(message, arguments):
    assert called(message) == [("list_loans", arguments)]


# -- sums ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "expression"),
    [
        ("Can you add 14.50, 20 and 6?", "14.5 + 20 + 6"),
        ("Add 3 and 4", "3 + 4"),
        ("¿Puedes sumar 14,50, 20 y 6?", "14.5 + 20 + 6"),
        ("Could you multiply 12 by 7?", "12 * 7"),
    ],
)
def test_the_verb_of_a_calculation_asks_to_calculate(message, expression):
    assert called(message) == [("calculate", {"expression": expression})]


@pytest.mark.parametrize(
    ("message", "amount"),
    [
        ("Tax on 12 * 5.5 dollars?", 66),
        ("What is the tax on (3 + 4) * 10?", 70),
        ("Tax on 100 - 20 dollars", 80),
        ("¿Cuánto es el impuesto de 2 * 50 euros?", 100),
    ],
)
def test_a_calculation_is_one_amount(message, amount):
    assert called(message) == [("calculate_tax", {"amount": amount})]


def test_two_operands_stay_two():
    multiply = define("multiply(a:number, b:number)", "Multiply two numbers.")
    assert called("What is 12 * 5.5?", multiply) == [("multiply", {"a": 12, "b": 5.5})]


@pytest.mark.parametrize(
    "message", ["Tax on 9 ** 9 ** 9 dollars", "Tax on 5 / 0 dollars", "Tax on " + "(" * 90 + "1"]
)
def test_a_calculation_that_comes_to_nothing_does_no_harm(message):
    decide(request(message, LIBRARY), TODAY)


# -- codes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("CA", "CA"),
        ("PT", "PT"),
        ("IN", "IN"),
        ("Portugal", "PT"),
        ("California", "US"),
        ("Lisbon", "PT"),
        ("UK", "GB"),
    ],
)
def test_a_country_is_written_as_the_field_says(place, code):
    message = f"How much is it to post 2 kg to {place}?"
    assert called(message) == [("calculate_postage", {"weight_kg": 2, "country": code})]


def test_a_state_has_the_code_of_its_own():
    tool = define(
        "get_tax_rate(region)",
        "Get the sales tax of a state.",
        region="Two-letter code of the state, such as TX.",
    )
    assert called("What is the sales tax in Texas?", tool) == [("get_tax_rate", {"region": "TX"})]
    assert called("What is the sales tax in CA?", tool) == [("get_tax_rate", {"region": "CA"})]


def test_a_little_word_is_no_abbreviation_of_a_place():
    assert called("Me gusta, ¿y el tiempo en Lima?", WEATHER) == [("get_weather", {"city": "Lima"})]
    assert called("Mi perro está enfermo", WEATHER) == []


# -- forced calls --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "name"), [("any", ""), ("tool", "find_loan")])
def test_a_forced_call_comes_without_words(mode, name):
    decision = decide(request("Where is loan 20417?", LIBRARY, mode, name), TODAY)
    assert [call.name for call in decision.calls] == ["find_loan"]
    assert decision.text == ""


def test_a_free_call_comes_with_words():
    assert "find_loan" in decide(request("Where is loan 20417?", LIBRARY), TODAY).text
