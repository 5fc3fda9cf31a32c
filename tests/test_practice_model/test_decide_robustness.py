"""Whatever schemas and messages come: a decision is made, in time, and what it sends fits the schema."""

from __future__ import annotations

from datetime import date

import pytest
from decide_tools import FORECAST, LIBRARY, SUM, request
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from weekly import at_most, tenth

from practice_model.decide.decide import decide
from practice_model.request import ToolSpec

TODAY = date(2026, 3, 11)
WORDS = st.sampled_from(
    "send the message to Ana about bread city Oslo order 42 on friday at 5pm 3 kg red small true email "
    "a@b.example "
    "«hola» 12 * 7 list all of them y el pedido para mañana 2026-04-02 https://example.org PX-7 no 5% "
    "$20".split()
)
MESSAGES = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60)
NAMES = st.sampled_from(
    [
        "city",
        "date",
        "email",
        "amount",
        "query",
        "is_open",
        "tags",
        "to",
        "order_id",
        "unit",
        "x",
        "start_time",
    ]
)
BOUND = st.integers(-3, 9)
LEAVES = st.one_of(
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": st.integers(0, 4)}),
    st.fixed_dictionaries(
        {"type": st.just("string"), "format": st.sampled_from(["date", "date-time", "time", "email", "uri"])}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("string"),
            "pattern": st.sampled_from(
                [
                    r"^[A-Z]{2}$",
                    r"^\d+$",
                    r"^[a-z_]{3,8}$",
                    r"^PX-\d{2,4}$",
                    "^(on|off)$",
                    r"^a\.b$",
                    "^#[0-9a-f]{6}$",
                ]
            ),
        }
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["number", "integer"])},
        optional={"minimum": BOUND, "multipleOf": st.sampled_from([2, 3])},
    ),
    st.tuples(BOUND, st.integers(1, 5)).map(
        lambda pair: {"type": "integer", "exclusiveMinimum": pair[0], "maximum": pair[0] + pair[1]}
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["boolean", "null", ["string", "null"], ["integer", "null"]])}
    ),
    st.fixed_dictionaries(
        {"enum": st.lists(st.sampled_from(["red", "small", 5, None, True]), min_size=1, unique=True)}
    ),
    st.fixed_dictionaries({"const": st.sampled_from(["red", 5, None, False])}),
)


def members(inner: st.SearchStrategy) -> st.SearchStrategy:
    """Objects some of whose properties are required."""
    return st.dictionaries(NAMES, inner, max_size=4).flatmap(
        lambda found: st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.just(found),
                "required": st.lists(st.sampled_from(sorted(found)), unique=True) if found else st.just([]),
            },
            optional={"additionalProperties": st.just(False)},
        )
    )


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        members(inner),
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner}, optional={"minItems": st.integers(0, 2)}
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("array"),
                "items": st.sampled_from(
                    [{"type": "string"}, {"type": "integer"}, {"enum": ["red", "small", 5]}]
                ),
                "uniqueItems": st.just(True),
                "minItems": st.integers(0, 3),
            }
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=5,
)
TOOLS = st.lists(
    st.builds(
        ToolSpec,
        st.sampled_from(["send_message", "list_orders", "getWeather", "buscar_pedido", "x", "cancel_order"]),
        st.sampled_from(["", "Send a message.", "Busca un pedido.", "List the orders of a city on a day."]),
        members(SCHEMAS),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda tool: tool.name,
)


@given(MESSAGES, TOOLS, st.sampled_from(["auto", "any", "tool"]))
def test_arguments_fit_the_schema_whatever_it_is(message, tools, mode):
    decision = decide(request(message, tools, mode=mode, name=tools[-1].name), TODAY)
    schemas = {tool.name: tool.schema for tool in tools}
    for call in decision.calls:
        assert Draft202012Validator(schemas[call.name]).is_valid(call.arguments), (call, schemas[call.name])
    assert decision.calls or (mode == "auto" and decision.text)


ODD_SCHEMAS = [
    {},
    {"type": "object", "properties": None},
    {"type": "object", "properties": [1, 2], "required": "city"},
    {"type": "object", "properties": {"city": True, "day": False}, "required": ["city"]},
    {"type": "object", "properties": {"a": None, "b": []}},
    {"type": "object", "properties": {}, "required": ["unknown"]},
    {"type": "object", "properties": {"city": {"enum": []}}, "required": ["city"]},
    {"type": "object", "properties": {"city": {"enum": "Oslo"}}, "required": ["city"]},
    {"type": "object", "properties": {"city": {"type": 5, "description": 7}}, "required": ["city", 3, None]},
    {"type": "object", "properties": {"city": {"$ref": "#/nowhere"}}, "required": ["city"]},
    {"type": "object", "properties": {"city": {"$ref": "#"}}, "required": ["city"]},
    {"type": "object", "properties": {"city": {"type": "array", "items": None}}, "required": ["city"]},
    {
        "type": "object",
        "properties": {"n": {"type": "number", "minimum": "x", "multipleOf": 0}},
        "required": ["n"],
    },
    {"type": "object", "properties": {"n": {"type": "integer", "minimum": 10**400}}, "required": ["n"]},
    {
        "type": "object",
        "properties": {"s": {"type": "string", "pattern": "(", "maxLength": -1}},
        "required": ["s"],
    },
    {"type": "object", "properties": {"s": {"type": "array", "minItems": 10**9}}, "required": ["s"]},
    {"anyOf": [{"type": "object", "properties": {"city": {"type": "string"}}}], "allOf": "x"},
]


@pytest.mark.parametrize("schema", ODD_SCHEMAS, ids=[str(schema)[:60] for schema in ODD_SCHEMAS])
@pytest.mark.parametrize("mode", ["auto", "any", "tool"])
def test_a_schema_that_is_none_is_no_crash(schema, mode):
    tools = [ToolSpec("get_weather", "The weather of a city.", schema), SUM]
    decision = decide(
        request("What is the weather in Oslo on Friday, 3 of 4?", tools, mode, "get_weather"), TODAY
    )
    assert decision.calls or decision.text


HOSTILE = [
    "(" * tenth(20_000),
    "1+" * tenth(20_000),
    "((1+" * tenth(10_000),
    "a" * tenth(100_000),
    "1" * tenth(100_000),
    "1,111" * tenth(20_000),
    "a.b/" * tenth(20_000),
    "a-1" * tenth(30_000),
    "please " * tenth(15_000) + "x",
    " " * tenth(100_000) + "weather",
    "between " * tenth(10_000),
    "'" * tenth(50_000),
    "“" * tenth(50_000),
    "@" * tenth(50_000),
    "A" * tenth(50_000) + " B",
    "Ana " * tenth(20_000),
    "what is the weather in Oslo? " * tenth(1_000),
    "and " * tenth(20_000),
    "twenty and " * tenth(8_000),
    "5 May " * tenth(10_000),
    "https://" * tenth(10_000),
    "\x00" * tenth(1_000) + " weather \ud800 in \u202eOslo 🌧️",
    "ßﬁİ" * tenth(1_000),
    "¿" * tenth(20_000),
]


@pytest.mark.parametrize(
    "message", HOSTILE, ids=[message[:12].encode("ascii", "replace").decode() for message in HOSTILE]
)
def test_a_hostile_message_gets_a_decision(message):
    with at_most(5):
        decision = decide(request(message, (FORECAST, SUM, *LIBRARY)), TODAY)
    assert decision.calls or decision.text


def test_many_tools_with_long_descriptions_get_a_decision():
    words = "word " * tenth(1_000)
    tools = [ToolSpec(f"tool_{i}", f"Tool number {i}. {words}", FORECAST.schema) for i in range(80)]
    with at_most(10):
        decision = decide(request("What's the weather in Oslo?", [*tools, FORECAST]), TODAY)
    assert decision.calls[0].name == "get_forecast"
