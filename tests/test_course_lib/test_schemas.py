"""What a function's schema is: the right one, valid, taken by every provider, and back to Python objects."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter
from schema_providers import accepted_everywhere
from schema_signatures import ROWS

from course_lib.tools import Tool
from course_lib.tools.schema import schema_for, short_null

NAMES = list(ROWS)


def tool_of(name: str) -> Tool:
    return Tool(ROWS[name][0])


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_is_the_one_that_a_careful_person_would_write(name):
    _, properties, required, _, _ = ROWS[name]
    found = tool_of(name).parameters
    assert found.pop("type") == "object"
    assert found.pop("properties") == properties
    assert found.pop("required", []) == required
    assert set(found) <= {"$defs"}


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_is_valid_json_schema_that_the_arguments_fit(name):
    schema = tool_of(name).parameters
    Draft202012Validator.check_schema(schema)
    json.dumps(schema, allow_nan=False)
    if name not in ("default_none_without_saying_so", "whole_or_list"):  # these are mended on the way
        Draft202012Validator(schema).validate(ROWS[name][3])


@pytest.mark.parametrize("name", NAMES)
def test_every_provider_takes_it(name):
    accepted_everywhere(tool_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_function_gets_python_objects(name):
    _, _, _, sent, received = ROWS[name]
    found = tool_of(name).run(sent)
    assert found == received
    for key, value in received.items():
        assert type(found[key]) is type(value), key


@pytest.mark.parametrize("name", NAMES)
def test_and_the_same_when_it_is_awaited(name):
    _, _, _, sent, received = ROWS[name]
    assert asyncio.run(tool_of(name).run_async(json.dumps(sent))) == received


# Schemas of types ---------------------------------------------------------------------------------


def schema_of(kind: Any) -> dict[str, Any]:
    return short_null(schema_for(TypeAdapter(kind)))


class OrderSearch(BaseModel):
    """Search the orders of a customer (20 at most)."""

    email: str = Field(description="As the customer wrote it.")
    state: Literal["pending", "sent"] | None = Field(default=None, description="Leave it out to see all.")
    since: str | None = None


def test_a_model_has_a_clean_schema_too():
    assert schema_of(OrderSearch) == {
        "type": "object",
        "description": "Search the orders of a customer (20 at most).",
        "properties": {
            "email": {"type": "string", "description": "As the customer wrote it."},
            "state": {
                "type": ["string", "null"],
                "description": "Leave it out to see all.",
                "enum": ["pending", "sent", None],
            },
            "since": {"type": ["string", "null"]},
        },
        "required": ["email"],
    }
    assert json.dumps(OrderSearch.model_json_schema()).count("title") == 4  # the noise that is gone


def test_any_type_has_one():
    assert schema_of(list[int]) == {"type": "array", "items": {"type": "integer"}}


def test_keywords_stand_in_the_order_in_which_people_read():
    assert list(schema_of(OrderSearch)["properties"]["state"]) == ["type", "description", "enum"]
