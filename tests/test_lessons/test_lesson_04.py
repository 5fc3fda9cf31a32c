"""Lesson 04: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import json
import re
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal

import lessons
import pytest
from lessons import blocks, judge, solution
from pydantic import BaseModel, Field

from course_lib import check, shop
from course_lib.classroom import setup
from course_lib.tools import tool
from course_lib.tools.schema import walk

LAST = "openai-tool"


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    yield lessons.run("04", until=LAST)
    setup.teardown()


def printed(names: dict[str, Any], cell_id: str) -> str:
    """What a cell prints when it runs once more."""
    (source,) = (cell.source for cell in lessons.cells("04") if cell.id == cell_id)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(source, cell_id, "exec", dont_inherit=True), dict(names))  # noqa: S102 - a lesson of ours
    return said.getvalue()


# 1. Two sources of truth --------------------------------------------------------------------------


def test_the_old_definition_gives_the_old_argument_and_loses_the_insurance(lesson):
    _, made = lesson
    (call,) = blocks(made["drift-ask"][0].response, "tool_use")
    assert call["input"] == {"weight_kg": 2.5, "destination": "CA"}


def test_exercise_the_function_refuses_the_old_argument(lesson):
    names, _ = lesson
    assert "TypeError" in printed(names, "drift-ask")
    with pytest.raises(TypeError, match="destination"):
        names["calculate_shipping"](weight_kg=2.5, destination="CA")


def test_the_code_holds_names_types_defaults_and_texts(lesson):
    names, _ = lesson
    said = printed(names, "inspect")
    for one in ("insured_usd: float | None = None", "express: <class 'bool'>", "country: Two-letter"):
        assert one in said


# 2. Pydantic --------------------------------------------------------------------------------------


def test_presence_comes_from_the_default_and_null_from_the_type(lesson):
    names, _ = lesson
    raw = names["raw"]
    assert raw["required"] == ["weight_kg", "country"]
    assert [name for name, part in raw["properties"].items() if "null" in json.dumps(part)] == ["insured_usd"]


def test_the_noise_is_titles_a_null_default_and_a_choice_of_bare_types(lesson):
    names, _ = lesson
    raw = names["raw"]
    assert "title" in raw and all("title" in part for part in raw["properties"].values())
    insured = raw["properties"]["insured_usd"]
    assert insured["default"] is None and [list(one) for one in insured["anyOf"]] == [["type"], ["type"]]
    assert raw["properties"]["express"]["default"] is False


# 3. The small tool --------------------------------------------------------------------------------


def test_exercise_the_obvious_cleaner_loses_a_parameter_called_title(lesson):
    names, _ = lesson
    assert "'required': ['title', 'text']" in printed(names, "title-trap")
    spoiled = names["without_titles"](names["arguments_model"](names["write_note"]).model_json_schema())
    assert "title" not in spoiled["properties"]


def test_the_lessons_cleaner_keeps_it_and_finds_two_fifths_of_noise(lesson):
    names, _ = lesson
    kept = names["clean"](names["arguments_model"](names["write_note"]).model_json_schema())
    assert kept["properties"]["title"] == {"type": "string"}
    assert 0.35 < names["noise"] < 0.45


def test_the_small_tool_is_about_forty_lines():
    parts = {"fields-build", "clean-build", "texts-build", "class-build"}
    written = [cell.source.split("\n") for cell in lessons.cells("04") if cell.id in parts]
    assert len(written) == 4
    assert 35 <= sum(bool(line.strip()) for lines in written for line in lines) <= 50


def test_text_becomes_a_number_and_both_mistakes_are_named(lesson):
    names, _ = lesson
    first, *problems = printed(names, "class-run").splitlines()
    assert "'cost_usd': 21.25" in first
    assert [line[:7] for line in problems] == ["('weigh", "('count"]


def test_the_derived_definition_brings_the_new_arguments_and_the_answer(lesson):
    _, made = lesson
    first, second = made["round"]
    (call,) = blocks(first.response, "tool_use")
    assert call["input"] == {"weight_kg": 2.5, "country": "CA", "insured_usd": 200}
    assert second.response["stop_reason"] == "end_turn"
    assert "25.25" in blocks(second.response, "text")[0]["text"]


# 4. The library's ---------------------------------------------------------------------------------


def test_both_derive_the_same_definition(lesson):
    names, _ = lesson
    assert names["full"].to_anthropic() == names["shipping"].to_anthropic()


def test_the_small_one_leaves_a_reference_and_the_library_none(lesson):
    names, _ = lesson
    mine, library = names["mine"].parameters, names["pickup"].parameters
    assert "$ref" in json.dumps(mine) and mine["$defs"]["Parcel"]["title"]
    assert not {"$ref", "$defs", "title"} & {key for _, part in walk(library) for key in part}


def test_only_the_library_mends_a_list_in_text_and_a_null_for_a_default(lesson):
    names, _ = lesson
    refused, got = printed(names, "rich-objects").splitlines()
    assert refused == "[('parcels',), ('ring',)]"
    assert "datetime.date(2026, 11, 23)" in got and "Parcel(weight_kg=2.5)]" in got
    assert got.endswith("None, True)")
    assert "floor" in names["pickup"].parameters["required"]


def test_all_problems_come_in_one_message(lesson):
    names, _ = lesson
    said = printed(names, "rich-problems")
    places = [line.split()[1] for line in said.splitlines() if line.startswith("- ")]
    assert places == ["day", "slot", "parcels[0].weight_kg", "floor", "level"]


def test_the_context_is_not_the_models_business(lesson):
    names, _ = lesson
    assert list(names["my_orders"].parameters["properties"]) == ["status"]
    assert printed(names, "context").splitlines()[-1] == "[1042]"


def test_a_type_without_json_form_is_refused_at_the_definition(lesson):
    names, made = lesson
    assert "parameter 'when_shipped'" in printed(names, "refused") and not made["refused"]


# 5. Dialects --------------------------------------------------------------------------------------


def test_null_is_written_in_three_ways(lesson):
    names, _ = lesson
    said = printed(names, "dialects")
    assert "\n    input_schema.properties.insured_usd.type = ['number', 'null']" in said
    assert said.count("insured_usd.anyOf = ") == 2
    assert "insured_usd.type = NUMBER" in said and "insured_usd.nullable = True" in said


def test_chat_is_one_level_deeper_and_openai_alone_writes_strict(lesson):
    names, _ = lesson
    said = printed(names, "dialects")
    assert "    function.name = " in said and said.count("strict = False") == 2


def test_gemini_makes_the_same_call_and_answers(lesson):
    names, made = lesson
    (call,) = (part["functionCall"] for part in parts(made["gemini-ask"]) if "functionCall" in part)
    assert call["args"] == {"weight_kg": 2.5, "country": "CA", "insured_usd": 200}
    assert "25.25" in "".join(part.get("text", "") for part in parts(made["gemini-return"]))


def parts(made: list[Any]) -> list[dict[str, Any]]:
    (exchange,) = made
    (candidate,) = exchange.response["candidates"]
    return candidate["content"]["parts"]


# 6. The SDKs' helpers -----------------------------------------------------------------------------


def test_beta_tool_keeps_the_noise_and_leaves_the_result_out(lesson):
    from anthropic import beta_tool

    names, _ = lesson
    made = beta_tool(names["calculate_shipping"]).to_dict()
    assert "title" in made["input_schema"]["properties"]["country"]
    assert made["input_schema"]["additionalProperties"] is False
    assert "delivery_days" not in made["description"]
    assert "delivery_days" in names["full"].description
    said = printed(names, "beta-tool")
    assert re.search(r"^insured_usd\.default +None +-$", said, re.M)
    assert "required" not in said and ".description" not in said


def test_pydantic_function_tool_lets_no_default_stand_in_and_reads_no_docstring(lesson):
    names, _ = lesson
    function = names["made"]["function"]
    assert "description" not in function and function["strict"] is True
    express = function["parameters"]["properties"]["express"]
    assert "express" in function["parameters"]["required"] and express["type"] == "boolean"
    assert re.search(r"^express\.anyOf +- +\S", printed(names, LAST), re.M)
    ours = names["full"].to_openai_parameters(strict=True)["properties"]["express"]
    assert {"type": "null"} in ours["anyOf"] and "default false" in ours["description"]


# Exercises ----------------------------------------------------------------------------------------

DOC = """Plan when a delivery arrives. Use it when the customer asks for a day.

Args:
    day: The day.
    slot: The part of the day.
    parcels: How many.
"""
NUMPY = """Plan when a delivery arrives.

Parameters
----------
day
    The day.
slot
    The part of the day.
parcels
    How many.
"""
HINTS = {
    "day": date,
    "slot": Literal["morning", "afternoon", "evening"],
    "parcels": Annotated[int, Field(ge=1)],
}


class Slot(Enum):
    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"


def planner(body: Any = None, *, doc: str | None = DOC, defaults: Any = (1,), **hints: Any) -> Any:
    """A plan_delivery with these hints, defaults and docstring; `body` gets its three arguments."""

    def plan_delivery(day, slot, parcels):
        return body(day, slot, parcels) if body else {"day": day, "slot": slot, "parcels": parcels}

    hints = {**HINTS, **hints}
    plan_delivery.__annotations__ = {name: hint for name, hint in hints.items() if hint is not ...}
    plan_delivery.__defaults__, plan_delivery.__doc__ = defaults, doc
    return plan_delivery


def plan_order(day: date, slot: str):
    return {"day": day, "slot": slot}


def test_exercise_a_hints_and_docstring_that_say_it_all():
    right = solution("04", "ex-04-a-answer", date=date, Literal=Literal, Annotated=Annotated, Field=Field)

    def raises(day, slot, parcels):
        return day.fromtimestamp("no")

    judge(
        "04.a",
        right["plan_delivery"],
        {
            "no hints": planner(day=..., slot=..., parcels=...),
            "a date as text": planner(day=str),
            "a date as number": planner(day=int),
            "with a time": planner(day=datetime),
            "slot as text": planner(slot=str),
            "one choice": planner(slot=Literal["morning, afternoon, evening"]),
            "a choice too few": planner(slot=Literal["morning", "evening"]),
            "slot or null": planner(slot=HINTS["slot"] | None),
            "parcels or null": planner(parcels=Annotated[int, Field(ge=1)] | None),
            "parcels as number": planner(parcels=Annotated[float, Field(ge=1)]),
            "no minimum": planner(parcels=int),
            "a Field as default": planner(parcels=int, defaults=(Field(default=1, ge=1),)),
            "required": planner(defaults=()),
            "all optional": planner(defaults=(date(2026, 11, 23), "morning", 1)),
            "no docstring": planner(doc=None),
            "no texts for parameters": planner(doc="Plan a delivery."),
            "a misspelt parameter": planner(doc=DOC.replace("parcels:", "parcel:")),
            "other names": plan_order,
            "no JSON form": planner(day=inspect.Signature),
            "returns nothing": planner(lambda *given: None),
            "returns a list": planner(lambda *given: list(given)),
            "a key too few": planner(lambda day, slot, parcels: {"day": day, "slot": slot}),
            "always one": planner(lambda day, slot, parcels: {"day": day, "slot": slot, "parcels": 1}),
            "always the morning": planner(lambda day, slot, n: {"day": day, "slot": "morning", "parcels": n}),
            "fails": planner(raises),
            "text": "plan_delivery",
        },
    )


@pytest.mark.parametrize(
    "answer",
    [planner(slot=Slot), planner(parcels=Annotated[int, Field(gt=0)]), tool(planner()), planner(doc=NUMPY)],
    ids=["enum", "gt", "decorated", "numpy"],
)
def test_exercise_a_takes_other_right_answers(answer):
    assert check("04.a", answer).passed


def test_exercise_b_titles_dropped():
    right = solution("04", "ex-04-b-answer")["drop_titles"]

    def everywhere(value):
        if isinstance(value, list):
            return [everywhere(one) for one in value]
        if isinstance(value, dict):
            return {key: everywhere(one) for key, one in value.items() if key != "title"}
        return value

    def where_it_is_text(value):
        if isinstance(value, list):
            return [where_it_is_text(one) for one in value]
        if not isinstance(value, dict):
            return value
        kept = {key: where_it_is_text(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if not (key == "title" and isinstance(one, str))}

    def root_only(schema):
        return {key: value for key, value in schema.items() if key != "title"}

    def one_level(schema):
        properties = {name: root_only(part) for name, part in schema["properties"].items()}
        return {**root_only(schema), "properties": properties}

    def not_into(*keywords):
        def drop(schema):
            if not isinstance(schema, dict):
                return schema
            done = right({key: value for key, value in schema.items() if key not in keywords})
            if "properties" in schema and "properties" not in keywords:
                done["properties"] = {name: drop(part) for name, part in schema["properties"].items()}
            return {**done, **{key: schema[key] for key in keywords if key in schema}}

        return drop

    def everywhere_but_top(schema):
        properties = {name: everywhere(part) for name, part in schema["properties"].items()}
        return {**everywhere(schema), "properties": properties}

    def in_place(schema):
        done = right(schema)
        schema.clear()
        schema.update(done)
        return schema

    def by_the_key_above(value, names=False):
        if isinstance(value, list):
            return [by_the_key_above(one) for one in value]
        if not isinstance(value, dict):
            return value
        return {
            key: one if key == "default" else by_the_key_above(one, key in ("properties", "$defs"))
            for key, one in value.items()
            if names or key != "title"
        }

    judge(
        "04.b",
        right,
        {
            "as it is": lambda schema: copy.deepcopy(schema),
            "everywhere": everywhere,
            "only the root": root_only,
            "one level": one_level,
            "right above, everywhere below": everywhere_but_top,
            "not into lists": not_into("items"),
            "not into choices": not_into("anyOf"),
            "where it is text": where_it_is_text,
            "in place": in_place,
            "a parameter called properties": by_the_key_above,
            "descriptions gone": lambda schema: json.loads(
                json.dumps(right(schema)).replace(', "description": "What it is about."', "")
            ),
            "only the properties": lambda schema: right(schema)["properties"],
            "text": lambda schema: json.dumps(right(schema)),
            "forgot return": lambda schema: print(end=""),
        },
    )


def test_exercise_b_tells_for_which_schema_it_raised():
    def properties_everywhere(schema):
        return {
            **schema,
            "properties": {n: properties_everywhere(p) for n, p in schema["properties"].items()},
        }

    found = repr(check("04.b", properties_everywhere)).replace("\n", " ")
    assert "KeyError: 'properties'" in found and '"What it is about."' in found


def test_exercise_c_a_definition_from_a_model():
    drop_titles = solution("04", "ex-04-b-answer")["drop_titles"]
    right = solution("04", "ex-04-c-answer", drop_titles=drop_titles)["from_model"]

    def built(description=lambda schema, model: schema.pop("description", None), clean=drop_titles):
        def from_model(name, model):
            schema = clean(model.model_json_schema())
            about = description(schema, model)
            made = {"name": name, "description": about, "input_schema": schema}
            return {key: value for key, value in made.items() if value is not None}

        return from_model

    def popped(then):
        return lambda schema, model: then(schema.pop("description", None), model)

    def but(**other):
        return lambda name, model: {**right(name, model), **other}

    def renamed(name, model):
        made = right(name, model)
        made["parameters"] = made.pop("input_schema")
        return made

    def without_field(name, model):
        made = right(name, model)
        made["input_schema"]["properties"].pop("description", None)
        return made

    def without_definitions(name, model):
        made = right(name, model)
        made["input_schema"].pop("$defs", None)
        return made

    def first_level(schema):
        properties = {
            name: {key: value for key, value in part.items() if key != "title"}
            for name, part in schema["properties"].items()
        }
        return {**{key: schema[key] for key in schema if key != "title"}, "properties": properties}

    judge(
        "04.c",
        right,
        {
            "getdoc": built(popped(lambda text, model: inspect.getdoc(model))),
            "twice": built(lambda schema, model: schema.get("description")),
            "raw docstring": built(popped(lambda text, model: text and model.__doc__)),
            "first line": built(popped(lambda text, model: text and text.split("\n")[0])),
            "none": built(popped(lambda text, model: None)),
            "empty": built(popped(lambda text, model: text or "")),
            "invented": built(popped(lambda text, model: "A tool.")),
            "titles": built(clean=lambda schema: schema),
            "titles below": built(clean=first_level),
            "the model's name": lambda name, model: right(model.__name__, model),
            "openai": renamed,
            "a type": but(type="custom", strict=False),
            "no schema": lambda name, model: {"name": name, "description": "x"},
            "the model itself": lambda name, model: {**right(name, model), "input_schema": model},
            "a field lost": without_field,
            "definitions lost": without_definitions,
            "forgot return": lambda name, model: print(end=""),
        },
    )


class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError("no")

    __call__ = None


@pytest.mark.parametrize("exercise", ["04.a", "04.b", "04.c"])
@pytest.mark.parametrize(
    "answer",
    [
        lambda: 7,
        lambda: [],
        lambda: {},
        Hostile,
        lambda: BaseModel,
        lambda: print,
        lambda: lambda *given, **more: 1 / 0,
        lambda: lambda *given: given,
    ],
    ids=["number", "list", "dict", "hostile", "class", "builtin", "raises", "gives back"],
)
def test_exercise_hostile_answers_get_a_message(exercise, answer):
    result = check(exercise, answer())
    assert not result.passed
    assert "Traceback" not in repr(result) and f"[checks.{exercise}" not in repr(result)
