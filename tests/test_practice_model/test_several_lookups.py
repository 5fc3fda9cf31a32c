"""Calls that no single word of a tool asks for: chains, everything about a thing, knowledge in general."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import assistant, define, request, results, text, tool, user

from practice_model.decide.decide import decide
from practice_model.request import Call

TODAY = date(2026, 3, 11)
MAYOR = tool("get_mayor", "Who the mayor of a city is.", city=text("The city's name."))
LARGEST = tool("get_largest_city", "The largest city of a country.", country=text("The country's name."))
BOAT = tool("find_boat", "Look up a boat by its number.", boat_id=text("The boat's number."))
OWNER = tool("get_owner", "The name and phone number of an owner.", owner_id=text("The owner's id."))
TIDES = tool("get_tides", "The tides of a harbour today.", harbour=text("The name of the harbour."))
WIND = tool("get_wind", "The wind in a harbour today.", harbour=text("The name of the harbour."))


def calls(message: str, *tools, made=(), system: str = "") -> list[tuple[str, dict]]:
    history = [user(message)]
    for number, (name, arguments, result) in enumerate(made):
        history += [assistant(Call(name, arguments, str(number))), results((str(number), result))]
    decision = decide(request(history, tools, system=system), TODAY)
    return [(call.name, call.arguments) for call in decision.calls]


@pytest.mark.parametrize(
    ("message", "tools", "first", "found", "then"),
    [
        (
            "Who is the mayor of the largest city of Italy?",
            (MAYOR, LARGEST),
            ("get_largest_city", {"country": "Italy"}),
            "Rome",
            ("get_mayor", {"city": "Rome"}),
        ),
        (
            "What is the phone number of the owner of boat 512?",
            (OWNER, BOAT),
            ("find_boat", {"boat_id": "512"}),
            '{"boat_id": "512", "owner_id": "77", "length_m": 9}',
            ("get_owner", {"owner_id": "77"}),
        ),
    ],
)
def test_what_one_call_needs_another_finds_first(message, tools, first, found, then):
    assert calls(message, *tools) == [first]
    assert calls(message, *tools, made=[(*first, found)]) == [then]
    assert calls(message, *tools, made=[(*first, found), (*then, "Ana Ruiz")]) == []


def test_a_fact_that_fits_the_first_tool_needs_no_other():
    assert calls("Who is the mayor of Rome?", MAYOR, LARGEST) == [("get_mayor", {"city": "Rome"})]
    assert calls("Look up boat 512", BOAT, OWNER) == [("find_boat", {"boat_id": "512"})]


@pytest.mark.parametrize(
    "message",
    ["Tell me everything about Calella harbour", "Give me all the information on the harbour of Calella"],
)
def test_everything_about_a_thing_is_asked_of_each_tool_that_knows_of_it(message):
    assert [name for name, _ in calls(message, TIDES, WIND, OWNER)] == ["get_tides", "get_wind"]


WEB = tool("search_web", "Search the internet.", query=text("What to search for."))
PEOPLE = tool("entity_info", "Get information about a given entity.", name=text())


@pytest.mark.parametrize(
    ("message", "offered", "expected"),
    [
        ("Who was Clara Campoamor?", WEB, [{"query": "Clara Campoamor"}]),
        ("How deep is Lake Baikal?", WEB, [{"query": "How deep is Lake Baikal"}]),
        ("¿Qué es la fotosíntesis?", WEB, [{"query": "fotosíntesis"}]),
        ("Rosa, Julio and Marta share a flat. Who is the oldest?", PEOPLE,
         [{"name": "Rosa"}, {"name": "Julio"}, {"name": "Marta"}]),
        ("How are you?", WEB, []),
        ("Thank you!", PEOPLE, []),
        ("My name is Ana.", WEB, []),
        ("Where is my parcel?", WEB, []),
    ],
)  # fmt: skip
def test_a_question_of_fact_goes_to_a_tool_for_knowledge_in_general(message, offered, expected):
    assert [arguments for _, arguments in calls(message, offered, TIDES)] == expected


@pytest.mark.parametrize(
    "how",
    ["then return only its result", "and reply in one word", "then give me just the value"],
)
def test_how_to_answer_is_no_call_of_its_own(how):
    message = f'Search the internet for "quiet harbours", {how}.'
    assert calls(message, WEB) == [("search_web", {"query": "quiet harbours"})]


NONE_TAKEN = define("read_gauge()", "")
LEVEL = define("set_level(level)", "")


def test_what_the_system_prompt_calls_first_is_called_for_any_request():
    system = "Always call `read_gauge` first, then call `set_level` with that result before you answer."
    assert calls("Use the tools.", NONE_TAKEN, LEVEL, system=system) == [("read_gauge", {})]
    made = [("read_gauge", {}, "7 cm")]
    assert calls("Use the tools.", NONE_TAKEN, LEVEL, system=system, made=made)[0][0] == "set_level"
    assert calls("Thanks!", NONE_TAKEN, LEVEL, system=system) == []


def test_a_tool_that_finds_tools_is_asked_for_what_no_tool_does():
    finder = tool("search_tools", "Search for further tools.", query=text("Words of their descriptions."))
    assert [name for name, _ in calls("Translate 'good night' to Greek.", finder, TIDES)] == ["search_tools"]
    assert calls("Thanks!", finder, TIDES) == []


def test_one_more_member_of_a_list_is_no_call_of_its_own():
    tags = {"type": "array", "items": {"type": "string", "enum": ["wet", "cold", "calm"]}}
    tag = tool("tag_day", "Put tags on a day of the log.", log_id=text("The log's number."), tags=tags)
    assert calls("Tag log 12 as wet and cold", tag) == [
        ("tag_day", {"log_id": "12", "tags": ["wet", "cold"]})
    ]


CROSSING = tool(
    "get_crossing", "What a trip by ship to an island costs and how long it lasts.", island=text()
)
RULES = tool("search_rules", "Search the rules: how boarding works, what passengers may do.", query=text())


@pytest.mark.parametrize(
    ("message", "island"),
    [
        ("What does the trip to Ibiza cost, and how long does it take?", "Ibiza"),
        ("¿Cuánto cuesta el viaje a Ibiza y cuánto tarda?", "Ibiza"),
        ("¿Cuánto cuesta el viaje a Ibiza y cuánto tiempo dura?", "Ibiza"),
    ],
)
def test_a_question_that_names_nothing_belongs_to_the_one_before_it(message, island):
    assert calls(message, CROSSING, RULES) == [("get_crossing", {"island": island})]


LIST = tool("list_boats", "List the boats of the harbour.", "", owner=text("The owner's name."))


@pytest.mark.parametrize("message", ["Where is my boat? It is 512.", "¿Dónde está mi barco? Es el 512."])
def test_a_fact_about_what_was_named_completes_the_question(message):
    assert calls(message, LIST, BOAT) == [("find_boat", {"boat_id": "512"})]
