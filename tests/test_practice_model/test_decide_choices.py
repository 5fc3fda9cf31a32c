"""Which tool a message is for, told by kinds: one idea a table, with siblings in both languages."""

from __future__ import annotations

import json
from datetime import date

import pytest
from decide_tools import assistant, define, request, results, text, tool, user

from practice_model.decide.decide import decide
from practice_model.request import Call
from practice_model.running import Explanation

TODAY = date(2026, 3, 11)  # a Wednesday

FIND_LOAN = define(
    "find_loan(number:integer)",
    "Get one loan by its number: title, reader and the day on which it is due.",
    number="The loan number, five digits, such as 20417.",
)
LOAN_COST = define(
    "calculate_loan_cost(weeks:integer, kind:book|film)",
    "Calculate what it costs to borrow something.",
    weeks="For how many weeks.",
)
LIST_LOANS = define(
    "list_loans(reader?:email, status?:open|returned|overdue, since?:date)",
    "List loans, newest first. Use it when no loan number is given.",
)
RULES = define(
    "search_rules(query)",
    "Search the articles about the rules of the library: cards, fees, returns. Not for one particular loan.",
    query="What to look for: a few words or a whole question.",
)
COPIES = define("check_copies(code)", "Check how many copies of a title are left.", code="Such as BK-311.")
POSTAGE = define(
    "calculate_postage(weight_kg:number, country)",
    "Calculate what it costs to post a parcel.",
    weight_kg="Weight of the parcel in kilograms.",
    country="Country as a two-letter code, such as PT.",
)
REPORT = define(
    "report_problem(area:lights|water|doors, priority:low|normal|high, summary)",
    "Report a problem to the caretaker. It writes to the log: call it once per problem.",
    summary="The problem in one or two sentences.",
)
TAX = define(
    "calculate_tax(amount:number, rate?:number)",
    "Calculate the sales tax on an amount.",
    amount="The amount before tax.",
    rate="The tax rate as a fraction: 0.20 means 20 percent.",
)
LIBRARY = (FIND_LOAN, LOAN_COST, LIST_LOANS, RULES, COPIES, POSTAGE, REPORT, TAX)


def called(message: str, *tools, system: str = "") -> list[tuple[str, dict]]:
    decision = decide(request(message, tools or LIBRARY, system=system), TODAY)
    return [(call.name, call.arguments) for call in decision.calls]


@pytest.mark.parametrize(
    "message",
    [
        "Has loan 20417 been returned?",
        "Did 20417 come back already?",
        "Still waiting for 20417. Any news?",
        "When is #20417 due?",
        "I never got the book of loan 20417",
        "Could you look up 20417 for me?",
        "whats the staus of laon 20417",
        "¿Ya han devuelto el préstamo 20417?",
        "¿Dónde está el 20417?",
        "Sigo esperando el 20417, ¿se sabe algo?",
        "¿Me puedes mirar el 20417?",
    ],
)
def test_a_question_about_one_thing_goes_to_the_tool_that_looks_it_up(message):
    assert called(message) == [("find_loan", {"number": 20417})]


def test_the_form_of_an_example_tells_what_a_bare_code_is():
    assert called("And what about BK-207?") == [("check_copies", {"code": "BK-207"})]
    assert called("Is 20555 there?") == [("find_loan", {"number": 20555})]


def test_a_number_that_measures_something_is_no_number_of_a_thing():
    assert called("Is 20417 kg a lot?") == []


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("Do you post parcels to Portugal?", "Portugal"),
        ("Can I bring a dog?", "dog"),
        ("Who pays the fees of late returns?", "return"),
        ("Is it possible to get a card without an address?", "card"),
        ("I want to get a second card, how does that work?", "second card"),
        ("¿Enviáis libros a Portugal?", "Portugal"),
        ("¿Puedo llevar un perro?", "perro"),
        ("¿Qué carnés aceptan?", "carn"),
        ("Quiero sacar otro carné, ¿cómo lo hago?", "otro carn"),
        ("¿Tengo que pagar por devolver tarde?", "pagar"),
    ],
)
def test_a_question_of_how_things_are_done_is_looked_up_in_the_rules(message, word):
    [(name, arguments)] = called(message)
    assert name == "search_rules"
    assert word in arguments["query"]


def test_without_rules_to_search_what_is_missing_is_asked():
    decision = decide(request("Do you post parcels to Portugal?", (POSTAGE,)), TODAY)
    assert not decision.calls
    assert "weight_kg" in decision.text
    assert decision.text.endswith("?")


@pytest.mark.parametrize(
    "message",
    [
        "How much is it to post 2 kg to Portugal?",
        "I want to post a 2 kg box to Portugal, what do I pay?",
        "¿Cuánto me sale mandar 2 kilos a Portugal?",
        "Quiero enviar un paquete de 2000 gramos a Portugal, ¿cuánto es?",
    ],
)
def test_the_tool_is_chosen_whose_arguments_are_all_said(message):
    assert called(message) == [("calculate_postage", {"weight_kg": 2, "country": "PT"})]


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("What's the tax on 250?", {"amount": 250}),
        ("¿Cuánto es el impuesto de 250?", {"amount": 250}),
        ("What's the tax on 250 at 10%?", {"amount": 250, "rate": 0.1}),
        ("Calcula el impuesto de 250 al 10 %", {"amount": 250, "rate": 0.1}),
    ],
)
def test_a_bare_number_is_for_the_parameter_that_is_required(message, arguments):
    assert called(message) == [("calculate_tax", arguments)]


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("Which loans did I open this week?", {"since": "2026-03-09"}),
        ("The loans that I have returned since Monday", {"since": "2026-03-09"}),
        ("Which loans has ana@example.com returned?", {"reader": "ana@example.com"}),
        ("Which loans did ana@example.com open?", {"reader": "ana@example.com"}),
        ("¿Qué préstamos he devuelto desde el lunes?", {"since": "2026-03-09"}),
        ("Show the open loans", {"status": "open"}),
        ("Muéstrame los préstamos devueltos", {"status": "returned"}),
        ("¿Qué préstamos se han devuelto?", {"status": "returned"}),
    ],
)
def test_the_verb_of_what_somebody_did_filters_nothing_but_a_state_does(message, arguments):
    assert called(message) == [("list_loans", arguments)]


@pytest.mark.parametrize(
    ("urgency", "priority"),
    [
        ("It's urgent", "high"),
        ("as soon as possible", "high"),
        ("this can't wait", "high"),
        ("no rush", "low"),
        ("it's not urgent", "low"),
        ("whenever you have time", "low"),
        ("high priority", "high"),
        ("es urgente", "high"),
        ("cuanto antes", "high"),
        ("no corre prisa", "low"),
        ("no es urgente", "low"),
        ("puede esperar", "low"),
    ],
)
def test_everyday_words_for_urgency_choose_a_degree(urgency, priority):
    message = f"Report a problem with the lights: the lamp flickers. {urgency.capitalize()}."
    if any(word in urgency for word in ("es ", "cuanto", "corre", "puede")):
        message = f"Informa de un problema con las luces: la lámpara parpadea. {urgency.capitalize()}."
    [(name, arguments)] = called(message)
    assert (name, arguments["area"], arguments["priority"]) == ("report_problem", "lights", priority)


def test_a_scale_with_other_words_gets_its_own_highest():
    tool = define("raise_alarm(level:minor|major|critical, text)", "Raise an alarm.", text="What happened.")
    [(_, arguments)] = called("Raise an alarm right away: smoke in the archive", tool)
    assert arguments["level"] == "critical"


@pytest.mark.parametrize(
    ("message", "queue"),
    [
        ("Put my call in the right queue: the screen is cracked", "hardware"),
        ("Put my call in the right queue: I forgot my password", "access"),
    ],
)
def test_what_the_description_says_of_a_value_chooses_it(message, queue):
    tool = define(
        "queue_call(queue:hardware|access)",
        "Put a call in a queue.",
        queue="hardware: a screen, keyboard or battery is broken; access: a password or an account.",
    )
    assert called(message, tool) == [("queue_call", {"queue": queue})]


@pytest.mark.parametrize(
    "message",
    ["Check loan 20417 and loan 20555", "Mira el préstamo 20417 y el 20555", "Is 20417 due? And 20555?"],
)
def test_two_things_of_a_kind_give_two_calls(message):
    assert called(message) == [("find_loan", {"number": 20417}), ("find_loan", {"number": 20555})]


@pytest.mark.parametrize("message", ["Tell me a joke", "Show me something nice", "Cuéntame un chiste"])
def test_a_verb_that_every_tool_has_is_no_reason_to_call(message):
    assert called(message) == []


def test_a_name_is_no_typing_mistake():
    notes = define("list_notes(author)", "List notes by their author.")
    assert called("List the notes of Lona", notes) == [("list_notes", {"author": "Lona"})]


def test_what_is_given_to_another_name_is_no_argument():
    tool = define("load_plan(id)", "Load a plan by its id.")
    assert called("Load the plan with speed=7", tool) == []
    assert called("Load the plan with id=7", tool) == [("load_plan", {"id": "7"})]


# -- order of calls that the system prompt or a description lays down ---------------------------------------

RENEW = define("renew_loan(number:integer)", "Renew a loan so that it is due later.")
CHAIN = (FIND_LOAN, RENEW, RULES, REPORT)


def turns(message: str, tools, system: str = "") -> list[list[str]]:
    """The names of the calls of each turn, every call answered with a plain result."""
    history, made = [user(message)], []
    for count in range(4):
        decision = decide(request(history, tools, system=system), TODAY)
        if not decision.calls:
            return made
        calls = [Call(c.name, c.arguments, f"{count}{i}") for i, c in enumerate(decision.calls)]
        made.append([call.name for call in calls])
        history += [assistant(*calls), results(*[(call.id, json.dumps({"done": True})) for call in calls])]
    return made


@pytest.mark.parametrize(
    "system",
    [
        "Before you renew a loan, look it up.",
        "Always call find_loan before renew_loan.",
        "First find the loan, then renew it.",
        "Be polite. Renew a loan only after you have looked it up with find_loan.",
        "Antes de renovar un préstamo, consúltalo con find_loan.",
        "Primero busca el préstamo, luego renuévalo.",
    ],
)
def test_the_system_prompt_can_lay_down_what_comes_first(system):
    assert turns("Renew loan 20417", CHAIN) == [["renew_loan"]]
    assert turns("Renew loan 20417", CHAIN, system) == [["find_loan"], ["renew_loan"]]


def test_a_description_can_lay_down_what_comes_first():
    renew = define("renew_loan(number:integer)", "Renew a loan. Before calling this tool, call find_loan.")
    assert turns("Renew loan 20417", (FIND_LOAN, renew)) == [["find_loan"], ["renew_loan"]]


def test_the_system_prompt_can_lay_down_what_follows():
    system = "After you report a problem, search the rules."
    message = "Report a problem with the doors, high priority: the lock is stuck"
    assert turns(message, CHAIN, system) == [["report_problem"], ["search_rules"]]


def test_the_system_prompt_can_lay_down_how_to_start():
    profile = define("get_reader()", "Get the current reader's name and card.")
    system = "Start every conversation by calling get_reader."
    assert turns("Where is loan 20417?", (profile, FIND_LOAN), system) == [["get_reader"], ["find_loan"]]


def test_a_rule_about_other_things_changes_nothing():
    system = (
        "Never renew anything before the reader has agreed. Answer before you ask. First of all, be kind."
    )
    assert turns("Where is loan 20417?", CHAIN, system) == [["find_loan"]]


# -- definitions that work, and definitions that do not --------------------------------------------------

VAGUE = (
    define("data(q, x)", "Gets data."),
    define("lookup(id)", "Looks up."),
    define("process(a, b)", "Processes."),
    define("do_stuff(x:number, y)", "Does stuff."),
    define("handle(q)", "Handles queries."),
)
QUESTIONS = [
    ("Where is loan 20417?", "find_loan"),
    ("Show the overdue loans", "list_loans"),
    ("How many copies of BK-311 are left?", "check_copies"),
    ("How much is it to post 2 kg to Portugal?", "calculate_postage"),
    ("How do I get a card?", "search_rules"),
    ("Report a problem with the water, it's urgent: the tap drips", "report_problem"),
    ("¿Cuándo vence el préstamo 20417?", "find_loan"),
    ("¿Cuántos ejemplares quedan de BK-311?", "check_copies"),
    ("¿Cómo consigo un carné?", "search_rules"),
]


@pytest.mark.parametrize(("message", "wanted"), QUESTIONS)
def test_good_definitions_are_chosen_and_vague_ones_are_not(message, wanted):
    assert [name for name, _ in called(message)] == [wanted]
    assert not any(name in ("data", "process", "do_stuff", "handle") for name, _ in called(message, *VAGUE))


def test_the_scores_say_why_a_good_definition_is_chosen():
    table = repr(Explanation(decide(request("Has 20417 come back?", LIBRARY), TODAY)))
    assert "20417 has the form of number" in table
    assert "asks about one thing" in table
    vague = repr(Explanation(decide(request("Has 20417 come back?", VAGUE), TODAY)))
    assert "It called no tool" in vague


@pytest.mark.parametrize(
    ("message", "as_said", "chosen"),
    [
        ("Which notes did I write last week?", "last week", "week"),
        ("Which notes did I write in the last 7 days?", "last 7 days", "week"),
        ("¿Qué notas escribí la semana pasada?", "la semana pasada", "week"),
        ("Show my notes of yesterday", "yesterday", "day"),
    ],
)
def test_a_period_is_a_value_of_an_enum_or_the_words_as_said(message, as_said, chosen):
    free = define("list_notes(period)", "List the notes that the user wrote.")
    closed = define("list_notes(period:day|week|month)", "List the notes that the user wrote.")
    assert called(message, free) == [("list_notes", {"period": as_said})]
    assert called(message, closed) == [("list_notes", {"period": chosen})]


@pytest.mark.parametrize(
    ("message", "as_said", "day"),
    [
        ("Book a table for tomorrow", "tomorrow", "2026-03-12"),
        ("Book a table for next Monday", "next Monday", "2026-03-16"),
        ("Reserva una mesa para mañana", "mañana", "2026-03-12"),
        ("Reserva una mesa para el 5 de mayo", "2026-05-05", "2026-05-05"),
    ],
)
def test_a_day_told_from_today_becomes_a_date_only_where_the_definition_says_how(message, as_said, day):
    loose = define("book_table(day)", "Book a table of the restaurant.", day="When.")
    strict = define("book_table(day:date)", "Book a table of the restaurant.", day="When.")
    told = define("book_table(day)", "Book a table of the restaurant.", day="The day, written YYYY-MM-DD.")
    assert called(message, loose) == [("book_table", {"day": as_said})]
    assert called(message, strict) == [("book_table", {"day": day})]
    assert called(message, told) == [("book_table", {"day": day})]


@pytest.mark.parametrize("message", ["Show the open loans", "Muéstrame los préstamos abiertos"])
def test_a_required_field_that_nobody_says_is_asked_for(message):
    much = define(
        "list_loans(reader:email, status:open|returned, since:date)", "List loans by reader, status."
    )
    less = define(
        "list_loans(reader?:email, status?:open|returned, since?:date)", "List loans by reader, status."
    )
    decision = decide(request(message, (much,)), TODAY)
    assert not decision.calls
    assert "reader" in decision.text
    assert called(message, less) == [("list_loans", {"status": "open"})]


@pytest.mark.parametrize("message", ["What do you say about fines?", "¿Qué decís sobre multas?"])
def test_a_description_that_says_when_not_to_use_it_redirects(message):
    books = define(
        "search_books(query)", "Search books. Not for questions about fines or cards: use search_rules."
    )
    rules = define("search_rules(query)", "Search the texts.")
    assert [name for name, _ in called(message, books, rules)] == ["search_rules"]


ENCYCLOPEDIA = tool("search_encyclopedia", "Search an encyclopedia.", query=text("What to look up."))
PERSON = define("get_entity(name)", "Get the knowledge about the given entity.")


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Who was Rosalind Franklin?", "Rosalind Franklin"),
        ("What is the capital of Peru?", "capital of Peru"),
        ("Tell me about volcanoes", "volcanoes"),
        ("¿Qué es la fotosíntesis?", "fotosíntesis"),
    ],
)
def test_a_question_of_fact_goes_to_a_tool_that_looks_anything_up(message, query):
    found = decide(request(message, (ENCYCLOPEDIA,)), TODAY).calls
    assert [(call.name, call.arguments) for call in found] == [("search_encyclopedia", {"query": query})]


@pytest.mark.parametrize(
    "message", ["Hello!", "Thanks, that was all.", "How are you?", "Write a poem about volcanoes."]
)
def test_small_talk_is_not_looked_up(message):
    assert not decide(request(message, (ENCYCLOPEDIA,)), TODAY).calls


def test_each_name_in_a_question_of_fact_is_looked_up():
    found = decide(request("Ada, Grace and Joan are sisters. Who is the oldest?", (PERSON,)), TODAY).calls
    assert [call.arguments["name"] for call in found] == ["Ada", "Grace", "Joan"]
