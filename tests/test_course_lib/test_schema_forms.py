"""The same tool in the form that each provider takes."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any, Literal

import anthropic
import pytest
from google.genai import types as genai
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field
from schema_providers import refusal
from schema_signatures import Branch, Choices, Grade, Mixed, Roast

from course_lib.tools import ToolSchemaError, tool


@tool
def find_orders(
    email: str, state: Literal["sent", "returned"] | None = None, since: dt.date | None = None, most: int = 20
) -> list[dict]:
    """Find the orders of a customer.

    Args:
        email: As the customer wrote it.
        state: Leave it out to see all.
    """
    return []


def gemini(annotation: Any, default: Any = ...) -> dict[str, Any]:
    """What Gemini gets for one parameter of this type."""

    def probe(x):
        return x

    probe.__annotations__ = {"x": annotation}
    probe.__defaults__ = None if default is ... else (default,)
    declaration = tool(probe).to_gemini_declaration()
    assert refusal("gemini", declaration) is None
    genai.FunctionDeclaration(**declaration)
    return declaration["parameters"]["properties"]["x"]


# Anthropic ----------------------------------------------------------------------------------------


def test_anthropic_gets_name_description_and_schema():
    assert find_orders.to_anthropic() == {
        "name": "find_orders",
        "description": "Find the orders of a customer.",
        "input_schema": {
            "type": "object",
            "properties": {
                "email": {"type": "string", "description": "As the customer wrote it."},
                "state": {
                    "type": ["string", "null"],
                    "description": "Leave it out to see all.",
                    "enum": ["sent", "returned", None],
                },
                "since": {"type": ["string", "null"], "format": "date"},
                "most": {"type": "integer", "default": 20},
            },
            "required": ["email"],
        },
    }


def test_what_a_form_returns_is_the_callers_to_change():
    find_orders.to_anthropic()["input_schema"]["properties"].clear()
    find_orders.to_openai()["function"]["parameters"]["properties"].clear()
    find_orders.to_gemini_declaration()["parameters"]["properties"].clear()
    assert len(find_orders.parameters["properties"]) == 4
    assert len(find_orders.to_openai_parameters()["properties"]) == 4


def test_a_tool_without_description_sends_none():
    @tool
    def ping(): ...

    for definition in (ping.to_anthropic(), ping.to_openai_responses(), ping.to_gemini_declaration()):
        assert "description" not in definition


def test_the_strict_form_can_go_through_anthropics_own_transformation():
    schema = find_orders.to_anthropic(strict=True)["input_schema"]
    assert anthropic.transform_schema(schema)["required"] == ["email"]


# OpenAI -------------------------------------------------------------------------------------------


def test_chat_nests_the_function_and_responses_does_not():
    chat, responses = find_orders.to_openai(), find_orders.to_openai_responses()
    assert set(chat) == {"type", "function"}
    assert responses == {"type": "function", **chat["function"]}
    assert set(responses) == {"type", "name", "description", "parameters", "strict"}


def test_openai_is_always_told_whether_strict():
    assert find_orders.to_openai()["function"]["strict"] is False
    assert find_orders.to_openai_responses(strict=True)["strict"] is True


def test_openai_gets_null_as_a_choice():
    parameters = find_orders.to_openai_parameters()
    assert parameters["properties"]["since"] == {
        "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]
    }
    assert "nullable" not in json.dumps(parameters)


def test_openai_gets_a_tuple_as_a_list_of_that_length():
    @tool
    def mark(at: tuple[int, str], spot: Mixed): ...

    at, spot = mark.to_openai_parameters()["properties"].values()
    assert at["items"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert (at["minItems"], at["maxItems"]) == (2, 2)
    assert at["description"] == "(in this order: integer, string)"
    assert spot["description"] == "(in this order: label, weight)"


def test_the_tools_own_setting_counts_unless_the_call_says_otherwise():
    strict = tool(strict=True)(lambda_like)
    assert strict.to_anthropic()["strict"] is True
    assert strict.to_openai()["function"]["strict"] is True
    assert "strict" not in strict.to_anthropic(strict=False)
    assert "strict" not in tool(lambda_like).to_anthropic()


def lambda_like(a: int):
    return a


# Gemini -------------------------------------------------------------------------------------------


def test_gemini_gets_upper_case_types():
    @tool
    def sum_metrics(values: list[float]) -> float:
        """Sum a list of numbers."""
        return sum(values)

    assert sum_metrics.to_gemini_declaration() == {
        "name": "sum_metrics",
        "description": "Sum a list of numbers.",
        "parameters": {
            "type": "OBJECT",
            "properties": {"values": {"type": "ARRAY", "items": {"type": "NUMBER"}}},
            "required": ["values"],
        },
    }


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, {"type": "STRING"}),
        (bool, {"type": "BOOLEAN"}),
        (str | None, {"type": "STRING", "nullable": True}),
        (int | float, {"type": "NUMBER"}),
        (float | int, {"type": "NUMBER"}),
        (int | float | None, {"type": "NUMBER", "nullable": True}),
        (int | str, {"anyOf": [{"type": "INTEGER"}, {"type": "STRING"}]}),
        (int | str | None, {"anyOf": [{"type": "INTEGER"}, {"type": "STRING"}], "nullable": True}),
        (Decimal, {"anyOf": [{"type": "NUMBER"}, {"type": "STRING"}]}),
        (Literal["metric"], {"type": "STRING", "enum": ["metric"]}),
        (Literal["S", "M"] | None, {"type": "STRING", "enum": ["S", "M"], "nullable": True}),
        (list[Literal["mon"]], {"type": "ARRAY", "items": {"type": "STRING", "enum": ["mon"]}}),
        (Roast, {"type": "STRING", "enum": ["light", "dark"]}),
        (Grade, {"type": "INTEGER", "description": "(one of 1, 2)"}),
        (Literal["", "a"], {"type": "STRING", "description": '(one of "", "a")'}),
        (dt.datetime, {"type": "STRING", "format": "date-time"}),
        (dt.date, {"type": "STRING", "description": "(format date)"}),
        (tuple[float, float], {"type": "ARRAY", "items": {"type": "NUMBER"}, "minItems": 2, "maxItems": 2}),
        (tuple[int, ...], {"type": "ARRAY", "items": {"type": "INTEGER"}}),
        (set[str], {"type": "ARRAY", "items": {"type": "STRING"}, "description": "(each item once)"}),
        (
            Annotated[int, Field(gt=0, le=9, description="How many.")],
            {"type": "INTEGER", "maximum": 9, "description": "How many. (more than 0)"},
        ),
    ],
)
def test_gemini_gets_what_its_subset_has(annotation, expected):
    assert gemini(annotation) == expected


def test_gemini_reads_a_default_in_the_description():
    assert gemini(int, 3) == {"type": "INTEGER", "description": "(default 3)"}


def test_gemini_gets_the_parts_of_a_choice_of_two_types():
    assert gemini(Literal["auto", 1, 2]) == {
        "anyOf": [{"type": "STRING", "enum": ["auto"]}, {"type": "INTEGER", "description": "(one of 1, 2)"}]
    }


def test_gemini_takes_anything_as_text_number_or_boolean():
    kinds = [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}]
    assert gemini(Any) == {"anyOf": kinds, "nullable": True}
    assert gemini(list) == {"type": "ARRAY", "items": {"anyOf": kinds, "nullable": True}}


def test_gemini_gets_no_keyword_that_it_refuses_but_parameters_of_that_name():
    class Room(BaseModel):
        model_config = ConfigDict(extra="forbid")
        const: int
        additionalProperties: str = "x"

    @tool
    def book(room: Room, title: str, default: int = 0): ...

    parameters = book.to_gemini_declaration()["parameters"]
    assert set(parameters["properties"]) == {"room", "title", "default"}
    assert parameters["properties"]["room"] == {
        "type": "OBJECT",
        "properties": {
            "const": {"type": "INTEGER"},
            "additionalProperties": {"type": "STRING", "description": '(default "x")'},
        },
        "required": ["const"],
    }


def test_a_tool_without_parameters_is_declared_without():
    @tool
    def ping():
        """Ping."""

    assert ping.to_gemini_declaration() == {"name": "ping", "description": "Ping."}


@pytest.mark.parametrize("annotation", [dict, dict[str, int], list[dict[str, int]], dict[str, int] | None])
def test_gemini_cannot_be_told_of_any_keys(annotation):
    with pytest.raises(ToolSchemaError, match=r"'x(\[\])?' is an object with any keys.*key and value"):
        gemini(annotation)


def test_gemini_cannot_be_told_of_a_model_in_itself():
    with pytest.raises(ToolSchemaError, match=r"'x' contains itself"):
        gemini(Branch)


def test_gemini_cannot_be_told_of_nothing_but_null():
    with pytest.raises(ToolSchemaError, match="'x' is always null"):
        gemini(None)


def test_every_reason_is_told_at_once():
    @tool
    def store(a: dict, b: Branch, c: int): ...

    with pytest.raises(ToolSchemaError) as error:
        store.to_gemini_declaration()
    assert str(error.value).startswith("store cannot be declared to Gemini:\n- 'a'")
    assert "\n- 'b' contains itself" in str(error.value)


def test_gemini_wants_a_letter_first_in_the_name():
    with pytest.raises(ToolSchemaError, match='name="tool_3d_view"'):
        tool(name="3d_view")(lambda_like).to_gemini_declaration()


# What stays the same ------------------------------------------------------------------------------


def test_text_beyond_ascii_stays_as_it_is():
    @tool
    def buscar(estado: Literal["envío", "devolución"]):
        """Busca pedidos según su estado. Úsala cuando…"""

    assert "Úsala cuando…" in json.dumps(buscar.to_anthropic(), ensure_ascii=False)
    assert buscar.to_gemini_declaration()["parameters"]["properties"]["estado"]["enum"][0] == "envío"


def test_a_typed_dictionary_is_an_object_in_every_form():
    @tool
    def choose(choices: Choices): ...

    Draft202012Validator(choose.to_openai_parameters(strict=True)).validate(
        {"choices": {"size": 1, "note": None}}
    )
    assert choose.run({"choices": {"size": 1, "note": None}}) is None
