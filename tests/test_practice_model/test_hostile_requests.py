"""No request, by accident or by intent, makes the practice model fail: the same on all four APIs."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from request_mutations import PATTERNS, doubling
from request_tools import APIS, body_of, calls_of, fields, send
from weekly import WEEKLY, at_most

from practice_model.decide.bounds import matches, pattern_size

NUMBER = fields(value={"type": "number"})
CITY = fields(city={"type": "string"})
PING = ("ping", "Ping a host.", fields(host={"type": "string"}))
RELEASE = ("release", "Release a version.", fields(version={"type": "string"}))
COUNT = ("count", "Count to a number.", NUMBER)
CALCULATE = ("calculate", "Calculate an expression.", fields(expression={"type": "string"}))
WEATHER = ("get_weather", "The weather in a city.", CITY)


def on_each_api(cases):
    """Each case for each API in the weekly run, and otherwise for one after the other."""
    pairs = [
        (api, case) for n, case in enumerate(cases) for api in (APIS if WEEKLY else [APIS[n % len(APIS)]])
    ]
    return pytest.mark.parametrize(("api", "case"), pairs, ids=[f"{api}-{case[:40]}" for api, case in pairs])


# Facts that look like numbers and are none -----------------------------------------------------------

TEXTS = [
    "Ping 192.168.1.1",
    "Ping 10.0.0.1:8080 and 255.255.255.255",
    "version 1.234.5",
    "Release 2.000.001.4, then 1,234.567.8",
    "Calculate 192.168.1 + 1.234.5",
    "Calculate 1.2.3 * 4",
    "add 1.234.5, 2.000.1 and 3",
    "15% of 1.234.5.6",
    "Count to 1,2,3,4",
    "Count to one hundred and " * 60,
    "Cuenta hasta mil " + "millones " * 300,
    "Count to " + "9" * 5_000,
    "Calculate " + "9" * 400 + " * 2.5",
    "Calculate 2 " + "* 99999999999999999999 " * 50,
    "Count to 9e999 and 1" + "0" * 400 + ".5 km",
    "Count to ²³ or ½ or ١٢٣ or ４２",
    "Calculate ² + ٣",
    "−.5 of ,5 and 5.,6",
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("text", TEXTS, ids=[text[:40] for text in TEXTS])
def test_what_looks_like_a_number_is_no_fault(api, text):
    for tool in (PING, RELEASE, COUNT, CALCULATE):
        for force in (False, True):
            assert send(api, body_of(api, text, [tool], force=force))[0] == 200
    assert send(api, body_of(api, text))[0] == 200


@pytest.mark.parametrize("api", APIS)
def test_an_address_and_a_version_are_passed_on_whole(api):
    for text, tool in (("Ping 192.168.1.1", PING), ("Release version 1.234.5", RELEASE)):
        (call,) = calls_of(api, send(api, body_of(api, text, [tool]))[1])
        assert list(call[1].values()) == [text.split()[-1]]


# Orders of calls in the system prompt, for tools that are not there ------------------------------------

ORDERS = [
    "First call get_weather, then get_weather.",
    "First get the weather in a city, then tell it.",
    "Before you get the weather, check the calendar.",
    "Check the weather only after you asked for the city.",
    "After the weather in the city, the weather in the city.",
    "Start with get_weather. First call get_weather.",
    "Primero llama a get_weather, después a get_weather.",
    "First call a, then b.",
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("system", ORDERS)
def test_an_order_among_tools_of_which_one_is_offered_is_no_fault(api, system):
    for text in ("What is the weather in Oslo?", "Hello", "And then?"):
        assert send(api, body_of(api, text, [WEATHER], system))[0] == 200
    described = ("get_weather", f"The weather in a city. {system}", CITY)
    assert send(api, body_of(api, "What is the weather in Oslo?", [described]))[0] == 200
    assert send(api, body_of(api, "What is the weather in Oslo?", [], system))[0] == 200


# Patterns ------------------------------------------------------------------------------------------

CODES = [
    ("My code is " + "x" * 40, "(x+x+)+y"),
    ("My code is " + "a" * 40 + "!", "^(a+)+$"),
    ("My code is " + "ab " * 40 + "!", r"^(\w+\s?)*$"),
    ("a" * 8_000 + " is my code", "(a{0,100}){0,90}y"),
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(("text", "pattern"), CODES, ids=[pattern for _, pattern in CODES])
def test_a_pattern_that_backtracks_takes_no_time(api, text, pattern):
    tool = ("find_item", "Find an item by its code.", fields(code={"type": "string", "pattern": pattern}))
    for force in (False, True):
        with at_most(2):
            assert send(api, body_of(api, text, [tool], force=force))[0] == 200


@pytest.mark.parametrize("pattern", PATTERNS, ids=[pattern[:20] for pattern in PATTERNS])
def test_a_pattern_of_any_kind_is_no_fault(pattern):
    tool = ("find_item", "Find an item by its code.", fields(code={"type": "string", "pattern": pattern}))
    for force in (False, True):
        with at_most(2):
            status, answer = send(
                "openai_chat", body_of("openai_chat", "Find item xx-12.", [tool], force=force)
            )
        assert status == 200 or "too complex" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        (r"^[A-Z]{2}-\d+$", "PX-7", True),
        (r"^[A-Z]{2}-\d+$", "a PX-7", False),
        (r"\d", "a 7 b", True),  # anywhere, as JSON Schema has it
        (r"^\/api\/[^/]+$", "/api/x", True),
        ("^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$", "7.50", True),  # Pydantic's, of a Decimal
        ("^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$", "seven", False),
        (r"^(?=.*\d)(?=.*[a-z])\w+$", "!", False),  # what it looks at is left out
        (r"^(?=.*\d)(?=.*[a-z])\w+$", "abc", True),
        (r"^(a|b)\1$", "ab", True),  # not judged
        ("(", "x", True),
    ],
)
def test_what_a_pattern_matches(pattern, text, fits):
    assert matches(pattern, text) is fits


@pytest.mark.parametrize(
    ("pattern", "size"),
    [("abc", 3), ("a{3}", 3), ("(ab){2,6}", 12), (r"[a-z]{2}\d+", 4), ("((a{9}){9}){9}", 729)],
)
def test_the_size_of_a_pattern(pattern, size):
    assert pattern_size(pattern) == pytest.approx(size, abs=2)


# Schemas that are much work ------------------------------------------------------------------------

MANY = [f"field_{n}" for n in range(4_500)]
VALUES = [f"value {n}" for n in range(9_999)] + ["the last one"]
LARGE = {
    **{
        f"{ways} times {keyword} on {levels} levels": doubling(levels, ways, keyword)
        for keyword in ("properties", "anyOf", "allOf")
        for levels, ways in ((16, 2), (40, 2), (12, 6))
    },
    "one definition that has itself eight times": doubling(1, 8, "properties"),
    "4,500 fields": {"type": "object", "properties": dict.fromkeys(MANY, {"type": "string"})},
    "4,500 required fields": fields(**dict.fromkeys(MANY, {"type": "string"})),
    "10,000 values": fields(value={"type": "string", "enum": VALUES}),
    "3,000 alternatives": fields(value={"anyOf": [{"const": value} for value in VALUES[:3_000]]}),
    "lists in lists": fields(
        value={"type": "array", "minItems": 10**4, "items": {"type": "array", "minItems": 10**4, "items": {}}}
    ),
    "a list without repetitions": fields(
        value={"type": "array", "minItems": 10**4, "uniqueItems": True, "items": {"enum": VALUES}}
    ),
    "numbers at the end of what there is": fields(
        value={"type": "number", "minimum": 1e299, "multipleOf": 1e-300}
    ),
    "a megabyte of description": fields(value={"type": "string", "description": "The city. " * 100_000}),
}


@on_each_api(LARGE)
def test_a_schema_that_is_much_work_is_answered_in_time(api, case):
    tool = ("get_weather", "The weather in a city.", LARGE[case])
    for force in (False, True):
        with at_most(5):
            status, answer = send(api, body_of(api, "What is the weather in Oslo?", [tool], force=force))
        assert status == 200, answer
    assert calls_of(api, answer)


def test_of_10_000_values_the_one_that_is_named_is_found():
    values = {"type": "string", "enum": [*VALUES, *(f"box-{n}" for n in range(200))]}
    tool = ("set_level", "Set the level of the lamp.", fields(level=values))
    for named in ("value 9998", "the last one", "box-177"):
        answer = send("anthropic", body_of("anthropic", f"Set the level to {named}, please.", [tool]))[1]
        assert calls_of("anthropic", answer) == [("set_level", {"level": named})]


def test_what_is_guessed_of_doubling_definitions_fits():
    for keyword in ("anyOf", "allOf"):
        schema = doubling(6, 2, keyword)
        schema["$defs"]["D5"] = {
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
        }
        tool = ("get_weather", "The weather in a city.", schema)
        answer = send("anthropic", body_of("anthropic", "What is the weather?", [tool], force=True))[1]
        ((_, arguments),) = calls_of("anthropic", answer)
        assert Draft202012Validator(schema).is_valid(arguments)


TOO_MUCH = {
    "8,000 fields": [("a", "", fields(**dict.fromkeys(map("f{}".format, range(8_000)), {"type": "string"})))],
    "8,000 fields in all": [
        (f"a{n}", "", fields(**dict.fromkeys(map("f{}".format, range(160)), {"type": "string"})))
        for n in range(50)
    ],
    "patterns": [
        (
            "a",
            "",
            fields(**{f"f{n}": {"type": "string", "pattern": f"(a{{40}}b){{20}}{n}"} for n in range(40)}),
        )
    ],
    "60,000 parts": [("a", "", fields(a={"type": "object", "examples": [[] for _ in range(60_000)]}))],
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("tools", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_much_is_a_400_of_the_service_and_says_so(api, tools):
    status, answer = send(api, body_of(api, "Hello", tools))
    assert status == 400 and "too complex" in answer["error"]["message"]
    assert answer["error"].get("type", "invalid_request_error") == "invalid_request_error"
    assert answer["error"].get("status", "INVALID_ARGUMENT") == "INVALID_ARGUMENT"


def test_more_tools_than_can_be_read_are_refused():
    tools = [(f"tool_{n}", "Do it.", CITY) for n in range(501)]
    for api in ("anthropic", "gemini"):
        status, answer = send(api, body_of(api, "Hello", tools))
        assert status == 400 and "501" in answer["error"]["message"]
        assert send(api, body_of(api, "Hello", tools[:500]))[0] == 200


# Long texts and histories --------------------------------------------------------------------------

LONG = {
    "identifiers": " ".join(f"TR-{n}" for n in range(5_000)),
    "prose": "Please find out what the weather is like in Oslo, and then tell Ana about it. " * 1_300,
    "digits": "1234567890" * 10_000,
    "commas": "," * 100_000,
    "quotes": "\"'“«" * 25_000,
    "brackets": "([{" * 33_000,
    "number words": "one hundred and " * 6_000,
    "8 MB": "What is the weather in Oslo? " * 280_000,
}


@on_each_api(LONG)
def test_a_long_text_is_answered_in_time_wherever_it_stands(api, case):
    text = LONG[case]
    described = ("send_mail", f"Send a mail. {text[:200_000]}", fields(to={"type": "string"}))
    with at_most(5):
        assert send(api, body_of(api, text, [WEATHER, PING]))[0] == 200
    with at_most(5):
        assert (
            send(api, body_of(api, "What is the weather in Oslo?", [WEATHER, described], text[:200_000]))[0]
            == 200
        )


DAYS = ["2026-02-31", "9999-12-31", "0001-01-01", "2026-13-01T00:00:00Z"]


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("text", ["What about the day after?", "And the day before?", "And a year later?"])
def test_a_day_that_there_is_not_is_no_fault(day, text):
    tool = ("get_weather", "The weather on a day.", fields(date={"type": "string", "format": "date"}))
    body = body_of("openai_chat", "What is the weather today?", [tool])
    call = {"name": "get_weather", "arguments": json.dumps({"date": day})}
    body["messages"] += [
        {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
        {"role": "user", "content": text},
    ]
    assert send("openai_chat", body)[0] == 200
