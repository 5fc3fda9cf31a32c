"""No request, by accident or by intent, makes the practice model fail: the same on all four APIs."""

from __future__ import annotations

import pytest
from request_tools import APIS, body_of, calls_of, fields, send

NUMBER = fields(value={"type": "number"})
CITY = fields(city={"type": "string"})
PING = ("ping", "Ping a host.", fields(host={"type": "string"}))
RELEASE = ("release", "Release a version.", fields(version={"type": "string"}))
COUNT = ("count", "Count to a number.", NUMBER)
CALCULATE = ("calculate", "Calculate an expression.", fields(expression={"type": "string"}))
WEATHER = ("get_weather", "The weather in a city.", CITY)

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
    "Count to one hundred and " * 300,
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
