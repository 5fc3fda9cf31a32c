"""fix(): what can be repaired in one way alone is repaired, and nothing else is touched."""

from __future__ import annotations

import copy
import json

import pytest
from lint_bad import ALONE, anthropic, chat, closed, field, gemini, responses
from lint_good import GOOD

from course_lib.errors import CourseError
from course_lib.linting import fix, lint
from course_lib.tools import tool

TEXT = {"type": "string", "description": "What the customer wrote."}


def schema_of(definition: dict) -> dict:
    inside = definition.get("function", definition)
    return inside.get("input_schema", inside.get("parameters"))


def test_required_null_becomes_an_empty_list_and_the_rest_stays():
    given = {
        "name": "list_trams",
        "description": "List trams.",
        "input_schema": {"type": "object", "properties": {}, "required": None},
    }
    repaired = fix(given)
    assert repaired == {**given, "input_schema": {**given["input_schema"], "required": []}}
    assert json.dumps(repaired) == json.dumps(given).replace("null", "[]")
    assert given["input_schema"]["required"] is None


def test_every_object_of_a_strict_definition_is_closed():
    who = {"type": "object", "properties": {"nif": {"type": "string"}}, "required": ["nif"]}
    given = {
        "name": "pay",
        "strict": True,
        "input_schema": {"type": "object", "properties": {"who": who}, "required": ["who"]},
    }
    schema = fix(given)["input_schema"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["who"] == {**who, "additionalProperties": False}
    assert schema["required"] == ["who"]


@pytest.mark.parametrize(
    "given, expected",
    [
        # required
        (anthropic(schema={"required": "note"}), {"required": ["note"]}),
        (anthropic(schema={"required": ["note", "note"]}), {"required": ["note"]}),
        (
            anthropic({"note": {**TEXT, "required": True}}),
            {"required": ["note"], "properties": {"note": TEXT}},
        ),
        (anthropic({"note": {**TEXT, "required": False}}), {"properties": {"note": TEXT}}),
        # types
        (anthropic({"note": {**TEXT, "type": "str"}}), {"properties": {"note": TEXT}}),
        (anthropic({"note": {**TEXT, "type": str}}), {"properties": {"note": TEXT}}),
        (chat({"note": {**TEXT, "type": "STRING"}}), {"properties": {"note": TEXT}}),
        (gemini({"n": field("How many.", "int")}), {"properties": {"n": field("How many.", "INTEGER")}}),
        # keywords
        (anthropic({"note": {"types": "string"}}), {"properties": {"note": {"type": "string"}}}),
        (anthropic(schema={"require": ["note"]}), {"required": ["note"]}),
        (
            responses({"size": field("The size.", choices=["S", "M"])}),
            {"properties": {"size": field("The size.", enum=["S", "M"])}},
        ),
        # values
        (
            anthropic({"size": field("The size.", enum=["S", "M", "S"])}),
            {"properties": {"size": field("The size.", enum=["S", "M"])}},
        ),
        ({**anthropic(), "input_schema": {"properties": {"note": TEXT}}}, {"type": "object"}),
        # strict
        (anthropic(strict=True), {"additionalProperties": False}),
        (
            responses({"note": {**TEXT, "type": ["string", "null"]}}, strict=True, schema={"required": []}),
            {"required": ["note"], "additionalProperties": False},
        ),
    ],
)
def test_one_right_repair(given, expected):
    before = copy.deepcopy(given)
    schema = schema_of(fix(given))
    assert {key: schema.get(key) for key in expected} == expected
    assert set(schema) <= set(schema_of(given)) | set(expected)
    assert given == before


@pytest.mark.parametrize(
    "given",
    [
        anthropic(schema={"required": ["notes"]}),  # another name, or a field that is missing?
        anthropic(
            {"prices": field("By name.", "object")}, strict=True, schema={"additionalProperties": False}
        ),
        anthropic({"tags": field("Words.", "array")}),  # a list of what?
        anthropic({"note": {**TEXT, "type": "sting"}}),
        anthropic({"size": field("The size.", enum=["Small", "small"])}),
        chat(strict=True, schema=closed({"note": TEXT}, required=[])),  # required, or nullable as well?
        anthropic(name="find order"),
        anthropic({"since": field("Since when.")}),
        anthropic({"note": {**TEXT, "required": True}}, schema={"required": 3}),
    ],
)
def test_what_has_several_right_repairs_is_left(given):
    assert fix(given) == given


def test_keys_around_the_schema():
    assert fix({"function": chat()["function"]}) == chat()
    assert fix(chat(outside={"strict": True})) == chat(strict=True, schema={"additionalProperties": False})
    mcp = {"name": "find_order", "description": "Find.", "inputSchema": {"type": "object"}}
    assert fix(mcp) == {"name": "find_order", "description": "Find.", "input_schema": {"type": "object"}}


def test_the_values_1_and_true_are_two_values():
    given = anthropic({"flag": {"description": "On.", "enum": [1, True, 1.0, "1"]}})
    assert fix(given)["input_schema"]["properties"]["flag"]["enum"] == [1, True, 1.0, "1"]


def test_good_definitions_are_left_as_they_are():
    for definition in GOOD:
        assert fix(definition) == definition


def test_repairing_twice_is_repairing_once_and_brings_no_new_error():
    for title, (definition, _, _) in ALONE.items():
        repaired = fix(definition)
        assert fix(repaired) == repaired, title
        # A strict that was moved to where it counts brings its own rules.
        new = {(one.code, one.where) for one in lint(repaired).errors if not one.code.startswith("strict-")}
        assert new <= {(one.code, one.where) for one in lint(definition).errors}, title


def test_lists_and_requests_are_repaired_inside():
    bad, good = anthropic(schema={"required": None}), anthropic(schema={"required": []})
    assert fix([bad, bad]) == [good, good]
    assert fix({"model": "m", "tools": [bad]}) == {"model": "m", "tools": [good]}


@tool
def find_order(number: str) -> str:
    """Find an order."""


@pytest.mark.parametrize("given", [None, "text", 3, {1: 2}, {"name": object()}, find_order])
def test_what_is_no_dictionary_cannot_be_repaired(given):
    with pytest.raises(CourseError, match="fix\\(\\)"):
        fix(given)


def test_nothing_is_put_beside_a_reference_at_the_top():
    box = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    schema = {"$ref": "#/$defs/Box", "$defs": {"Box": box}}
    definition = {"type": "function", "name": "f", "parameters": schema, "strict": True}
    assert fix(definition)["parameters"] == schema


def test_a_misspelt_keyword_whose_list_the_right_one_could_not_hold_is_left():
    given = {
        "name": "find_order",
        "input_schema": {"type": "object", "properties": {}, "require": ["number", []]},
    }
    assert fix(given) == given
