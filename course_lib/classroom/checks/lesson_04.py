"""Checkers of lesson 04: a definition from hints and docstring, titles dropped, a definition from a model."""

from __future__ import annotations

import copy
import datetime
import inspect
import json
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from ...errors import ToolArgumentError, ToolExecutionError, ToolSchemaError
from ...tools import Tool
from ...tools.schema import Schema, rebuild, walk
from .helpers import (
    Problems,
    call,
    expect,
    expect_empty,
    expect_equal,
    expect_type,
    explained,
    listed,
    not_yet,
)
from .results import NotYet, ToDo, described
from .running import checker

_SLOTS = ["afternoon", "evening", "morning"]


# 04.a: hints and docstring that say it all ------------------------------------------------------------


@checker("04.a")
def check_04_a(plan_delivery: Any) -> None:
    function = getattr(plan_delivery, "function", plan_delivery)  # @tool, or the lesson's own class, above it
    expect(callable(function), "no_function")
    with explained("not_a_tool", ToolSchemaError):
        made = Tool(function)
    properties = made.parameters["properties"]
    expect(list(properties) == ["day", "slot", "parcels"], "names", got=listed(properties) or "–")
    problems = Problems()
    _check_day(properties["day"], problems)
    _check_slot(properties["slot"], problems)
    _check_parcels(properties["parcels"], problems)
    required = made.parameters.get("required", [])
    for name in ("day", "slot"):
        problems.expect(name in required, "not_required", name=name)
    problems.expect("parcels" not in required, "parcels_required")
    default = inspect.signature(function).parameters["parcels"].default
    problems.expect(not isinstance(default, FieldInfo), "parcels_field")  # Pydantic alone reads it as 1
    problems.expect(made.description, "no_description")
    if made.description:
        problems.expect_empty(
            [name for name in properties if not properties[name].get("description")], "silent"
        )
    problems.report()
    _check_calls(made)


def _check_day(day: Schema, problems: Problems) -> None:
    if day.get("type") != "string":
        problems.expect(False, "day_type", got=json.dumps(day.get("type")))
    elif "format" not in day:
        problems.expect(False, "day_text")
    else:
        problems.expect(day["format"] == "date", "day_format", got=day["format"])


def _check_slot(slot: Schema, problems: Problems) -> None:
    if not problems.expect("enum" in slot, "slot_open"):
        return
    choices = slot["enum"]
    problems.expect(None not in choices, "slot_null")
    given = sorted(str(one) for one in choices if one is not None)
    problems.expect(given == _SLOTS, "slot_choices", got=listed(given))


def _check_parcels(parcels: Schema, problems: Problems) -> None:
    kind = parcels.get("type")
    if isinstance(kind, list) or "anyOf" in parcels:
        problems.expect(False, "parcels_null")
        return
    if problems.expect(kind == "integer", "parcels_type", got=json.dumps(kind)):
        least = parcels.get("minimum", parcels.get("exclusiveMinimum", -1) + 1)
        problems.expect(least == 1, "parcels_minimum")


def _check_calls(made: Tool) -> None:
    """Check the function itself: real values arrive, the default applies, the dictionary comes back."""
    day = datetime.date(2026, 11, 23)
    for slot, more in (("evening", {"parcels": 3}), ("morning", {})):
        with explained("fails", ToolExecutionError), explained("refuses", ToolArgumentError):
            got = made.run({"day": "2026-11-23", "slot": slot, **more})
        expect_type(got, dict, "plan_delivery(...)")
        expect(set(got) == {"day", "slot", "parcels"}, "result_keys", got=listed(got))
        expect(got["parcels"] == more.get("parcels", 1), "result_parcels", got=repr(got["parcels"]))
        chosen = got["slot"].value if isinstance(got["slot"], Enum) else got["slot"]
        expect(chosen == slot and str(got["day"]) == str(day), "result_other", got=repr(got))


# 04.b: titles dropped ---------------------------------------------------------------------------------

_NOTE = {
    "type": "object",
    "title": "Arguments",
    "properties": {
        "title": {"title": "Title", "type": "string", "description": "What it is about."},
        "text": {"title": "Text", "type": "string"},
    },
    "required": ["title", "text"],
}
_BOOK = {
    "type": "object",
    "title": "Book",
    "properties": {
        "title": {"title": "Title", "type": "string"},
        "year": {"title": "Year", "type": "integer"},
    },
}
_SHELF = {"type": "object", "title": "Shelf", "properties": {"book": {"$ref": "#/$defs/Book"}}}
_SHELF = {**_SHELF, "$defs": {"Book": _BOOK}}
_LIST = {"type": "object", "properties": {"all": {"type": "array", "title": "All", "items": _BOOK}}}
_CHOICE = {
    "type": "object",
    "properties": {"which": {"title": "Which", "anyOf": [_BOOK, {"type": "string", "title": "Name"}]}},
}
_DATA = {"type": "object", "properties": {"who": {"title": "Who", "type": "object"}}}
_DATA["properties"]["who"]["default"] = {"title": "Dr", "name": "Ada"}
_INNER = {"title": "Properties", "type": "object", "properties": _BOOK["properties"]}
_KEYWORD = {"type": "object", "properties": {"properties": _INNER}}


@checker("04.b")
def check_04_b(drop_titles: Any) -> None:
    got = _dropped(drop_titles, _NOTE)
    expect("properties" in got, "not_whole")
    expect("title" not in got, "root")
    parts = got.get("properties")
    expect_type(parts, dict, 'drop_titles(schema)["properties"]')
    expect("title" in parts, "lost")
    expect("title" not in parts.get("text", {}), "one_level")
    expect_equal(got, _without(_NOTE), "drop_titles(schema)", reveal=True)
    for schema, place in ((_SHELF, "$defs"), (_LIST, "items"), (_CHOICE, "anyOf")):
        got = _dropped(drop_titles, schema)
        expect(_books(got), "lost_inside", place=place)
        expect(not _titled(got), "left_inside", place=place, at=_titled(got))
        expect_equal(got, _without(schema), "drop_titles(schema)", reveal=True)
    got = _dropped(drop_titles, _DATA)
    expect(got["properties"]["who"].get("default") == {"title": "Dr", "name": "Ada"}, "data")
    expect_equal(got, _without(_DATA), "drop_titles(schema)", reveal=True)
    got = _dropped(drop_titles, _KEYWORD)
    expect(got == _without(_KEYWORD), "keyword_as_name")


def _dropped(drop_titles: Any, schema: Schema) -> Schema:
    given = copy.deepcopy(schema)
    try:
        got = call(drop_titles, given)
    except (NotYet, ToDo, RecursionError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever the answer raises, the schema helps to find out why)
        raise not_yet("raises", what=described(error, 120), schema=json.dumps(schema)) from error
    expect_type(got, dict, "drop_titles(schema)")
    expect(given == schema, "changed")
    return got


def _without(schema: Schema) -> Schema:
    return rebuild(schema, lambda part: {word: value for word, value in part.items() if word != "title"})


def _titled(schema: Schema) -> str:
    """Return the first place that still has the keyword, or nothing."""
    return next((path or "/" for path, part in walk(schema) if "title" in part), "")


def _books(schema: Schema) -> bool:
    """Return whether the parameter `title` of the book is still there."""
    return any({"title", "year"} <= set(part.get("properties", ())) for _, part in walk(schema))


# 04.c: a definition from a model ----------------------------------------------------------------------


class _Line(BaseModel):
    """One product of an order."""

    sku: str = Field(description="The product's number, such as SKU-210.")
    title: str | None = None


class _Order(BaseModel):
    """Place an order.

    Use it when the customer has confirmed what to buy.
    """

    description: str = Field(description="A remark for the warehouse.")
    lines: list[_Line]
    speed: Literal["normal", "express"] = "normal"


class _Silent(BaseModel):
    number: int


@checker("04.c")
def check_04_c(from_model: Any) -> None:
    got = _definition(from_model, "place_order", _Order)
    expect("description" in got, "no_description")
    _check_description(got["description"])
    schema = got["input_schema"]
    expect("description" not in schema, "twice")
    parts = schema.get("properties")
    expect_type(parts, dict, 'the schema\'s "properties"')
    expect("description" in parts, "lost_parameter")
    expect(not _titled(schema), "titles", at=_titled(schema))
    wanted = _without(_Order.model_json_schema())
    del wanted["description"]
    expect_equal(schema, wanted, "input_schema", reveal=True)

    got = _definition(from_model, "find_order", _Silent)
    about = str(got.get("description") or "")
    expect("Pydantic" not in about and "BaseModel" not in about, "inherited", got=about[:60])
    expect("description" not in got, "empty_description", got=repr(got.get("description")))
    expect_equal(got["input_schema"], _without(_Silent.model_json_schema()), "input_schema", reveal=True)


def _definition(from_model: Any, name: str, model: type[BaseModel]) -> dict[str, Any]:
    got = call(from_model, name, model)
    expect_type(got, dict, "from_model(name, model)")
    expect(not got.keys() & {"parameters", "function"}, "openai")
    expect(got.get("name") == name, "name", expected=name, got=repr(got.get("name")))
    expect("input_schema" in got, "no_schema")
    expect_type(got["input_schema"], dict, 'from_model(name, model)["input_schema"]')
    expect_empty(got.keys() - {"name", "description", "input_schema"}, "extra")
    return got


def _check_description(description: Any) -> None:
    expect_type(description, str, 'from_model(name, model)["description"]')
    first, _, rest = description.strip().partition("\n")
    expect(first == "Place an order.", "other_description", got=first[:60])
    expect("confirmed" in rest, "first_line")
    expect("\n    " not in description and description == description.strip(), "indented")
