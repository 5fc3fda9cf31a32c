"""The strict forms: what each provider's subset takes, what is told instead, what is refused, how much."""

from __future__ import annotations

import datetime as dt
import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, HttpUrl
from schema_providers import refusal
from schema_signatures import Aisle, Branch, Mixed

from course_lib.linting import lint
from course_lib.tools import Tool, ToolSchemaError, check_limits, provider_schemas, tool
from course_lib.tools.provider_schemas import limits_exceeded

PROVIDERS = ["anthropic", "openai", "openai_responses"]


def strict(annotation: Any, provider: str, default: Any = ...) -> dict[str, Any]:
    """The strict form of one parameter of this type; the provider takes it."""
    probe = probe_of(annotation, default)
    definition = getattr(probe, f"to_{provider}")(strict=True)
    assert refusal(provider, definition) is None
    schema = definition["input_schema"] if provider == "anthropic" else definition["function"]["parameters"]
    return schema["properties"]["x"]


def probe_of(annotation: Any, default: Any = ...) -> Tool:
    def probe(x):
        return x

    probe.__annotations__ = {"x": annotation}
    probe.__defaults__ = None if default is ... else (default,)
    return tool(probe)


# What is optional ---------------------------------------------------------------------------------


@tool
def book(film: str, seats: int = 1, note: str | None = None) -> str:
    """Book seats."""
    return f"{film} x{seats} {note}"


def test_openai_has_every_field_required_and_the_optional_ones_nullable():
    assert book.to_openai_parameters(strict=True) == {
        "type": "object",
        "properties": {
            "film": {"type": "string"},
            "seats": {
                "anyOf": [{"type": "integer"}, {"type": "null"}],
                "description": "(default 1) Null for the default.",
            },
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["film", "seats", "note"],
        "additionalProperties": False,
    }


def test_a_null_that_comes_back_means_the_default():
    assert book.run('{"film": "Alba", "seats": null, "note": null}') == "Alba x1 None"


def test_null_stays_null_where_the_type_admits_it():
    @tool
    def mark(tag: str | None = "x"):
        return tag

    assert mark.execute(tag=None) is None


def test_null_for_the_default_works_inside_models_too():
    @tool
    def place(at: Aisle, more: list[Aisle]):
        return at.shelf, [one.shelf for one in more]

    found = place.execute(at={"title": "a", "shelf": None}, more=[{"title": "b", "shelf": None}])
    assert found == (1, [1])


def test_null_is_an_error_for_what_is_required_and_inside_free_objects():
    @tool
    def total(prices: dict[str, int], most: int):
        return prices

    with pytest.raises(ToolSchemaError):
        total.to_openai(strict=True)
    with pytest.raises(Exception, match=r"(?s)prices\.bun should be a valid integer, not null.*most should"):
        total.execute(prices={"bun": None}, most=None)


def test_anthropic_keeps_optional_parameters_optional():
    schema = book.to_anthropic(strict=True)["input_schema"]
    assert schema["required"] == ["film"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["seats"] == {"type": "integer", "description": "(default 1)"}


def test_objects_are_closed_at_every_depth():
    for provider in ("anthropic", "openai"):
        found = strict(list[Aisle], provider)["items"]
        assert found["additionalProperties"] is False
    assert found["required"] == ["title", "shelf"]


def test_a_tool_without_parameters_has_a_strict_form():
    @tool(strict=True)
    def ping(): ...

    assert ping.to_openai_parameters() == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    for provider in PROVIDERS:
        assert refusal(provider, getattr(ping, f"to_{provider}")()) is None


# What the subset has no keyword for ---------------------------------------------------------------


def test_the_default_is_told_but_a_parameter_called_default_stays():
    @tool
    def forecast(default: str, days: int = 3, tags: list[str] = []):  # noqa: B006
        ...

    for schema in (forecast.to_openai_parameters(True), forecast.to_anthropic(True)["input_schema"]):
        assert list(schema["properties"]) == ["default", "days", "tags"]
        assert '"default": {"type": "string"}' in json.dumps(schema)
        assert json.dumps(schema).count('"default":') == 1
        assert "(default 3)" in schema["properties"]["days"]["description"]


LIMITED = Annotated[int, Field(ge=1, le=7, description="How many days.")]


def test_anthropic_reads_limits_of_numbers_in_the_description():
    assert strict(LIMITED, "anthropic") == {
        "type": "integer",
        "description": "How many days. (at least 1; at most 7)",
    }


def test_openai_knows_limits_of_numbers():
    assert strict(LIMITED, "openai") == {
        "type": "integer",
        "description": "How many days.",
        "minimum": 1,
        "maximum": 7,
    }


@pytest.mark.parametrize(
    ("annotation", "anthropic", "openai"),
    [
        (
            Annotated[str, Field(min_length=2, max_length=9)],
            "(at least 2 characters; at most 9 characters)",
            None,
        ),
        (Annotated[str, Field(pattern="^a+$")], "", ""),
        (Annotated[str, Field(pattern=r"\bword\b")], r"(matching \bword\b)", ""),
        (Annotated[list[int], Field(min_length=1)], "", ""),
        (Annotated[list[int], Field(min_length=2, max_length=2)], "(exactly 2 items)", ""),
        (Annotated[list[int], Field(min_length=2, max_length=5)], "(at least 2 items; at most 5 items)", ""),
        (set[int], "(each item once)", None),
        (dt.datetime, "", ""),
        (HttpUrl, "(at least 1 characters; at most 2083 characters)", None),
        (Annotated[float, Field(multiple_of=0.5)], "(a multiple of 0.5)", ""),
        (Mixed, "(in this order: label, weight) (exactly 2 items)", "(in this order: label, weight)"),
        (Literal["auto", 1], "", ""),
        (Literal["a", "b"] | None, "", ""),
        (int | list[str] | None, "", ""),
    ],
)
def test_what_has_no_keyword_is_told(annotation, anthropic, openai):
    """None in the last column: as for Anthropic."""
    assert strict(annotation, "anthropic").get("description", "") == anthropic
    told = strict(annotation, "openai").get("description", "")
    assert told == (anthropic if openai is None else openai) or (
        annotation is HttpUrl and "format uri" in told
    )


class Trunk(BaseModel):
    """Only for the test below: Pydantic 2.14 keeps a description once given to a model that contains
    itself."""

    parts: list[Trunk] = []


def test_a_model_that_contains_itself_is_strict_for_openai_only():
    assert strict(Branch, "openai") == {"$ref": "#/$defs/Branch"}
    assert "anyOf" in strict(Annotated[Trunk, "the trunk"], "openai")
    with pytest.raises(ToolSchemaError, match="'x' contains itself, which Anthropic refuses"):
        strict(Branch, "anthropic")


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("annotation", [dict, dict[str, float], list[dict], dict[str, int] | None])
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_any_keys_are_refused_with_both_ways_out(annotation, provider):
    with pytest.raises(ToolSchemaError, match="'x.*key and value.*strict=False"):
        strict(annotation, provider)


@pytest.mark.parametrize("annotation", [Any, list, list[Any]])
def test_anything_at_all_is_refused(annotation):
    with pytest.raises(ToolSchemaError, match="'x.*may be anything.*strict=False"):
        strict(annotation, "openai")


def test_asking_for_strict_fails_when_the_tool_is_defined():
    with pytest.raises(ToolSchemaError, match="best has no strict form.*\n- 'scores'"):

        @tool(strict=True)
        def best(scores: dict[str, float]): ...


def test_without_asking_the_tool_stays_as_it_is():
    definition = probe_of(dict[str, float]).to_openai()["function"]
    assert definition["strict"] is False
    assert definition["parameters"]["properties"]["x"] == {
        "type": "object",
        "additionalProperties": {"type": "number"},
    }


def test_a_strict_tool_that_one_provider_takes_may_be_defined():
    @tool(strict=True)
    def prune(tree: Branch): ...

    assert refusal("openai", prune.to_openai()) is None
    with pytest.raises(ToolSchemaError, match="prune has no strict form for anthropic"):
        prune.to_anthropic()


def test_an_empty_model_is_closed_not_free():
    class Nothing(BaseModel):
        pass

    assert strict(Nothing, "openai")["additionalProperties"] is False


# Limits -------------------------------------------------------------------------------------------


def many(count: int, function) -> list[Tool]:
    return [tool(name=f"tool_{n}", strict=True)(function) for n in range(count)]


def two_optional(a: str, x: int = 0, y: int = 0): ...


def two_unions(a: int | None, b: str | None): ...


def test_too_many_strict_tools_and_optional_parameters_are_told_together():
    with pytest.raises(ToolSchemaError) as error:
        check_limits(many(21, two_optional), "anthropic")
    assert "21 strict tools (limit 20), over with tool_20" in str(error.value)
    assert "42 optional parameters (limit 24), over with tool_12" in str(error.value)
    assert refusal("anthropic", *[one.to_anthropic() for one in many(21, two_optional)])


def test_union_parameters_are_counted_with_the_tools_that_have_most():
    with pytest.raises(ToolSchemaError, match=r"18 union parameters \(limit 16\).*most in tool_0 \(2\)"):
        check_limits(many(9, two_unions), "anthropic")


@pytest.mark.parametrize(("count", "function"), [(12, two_optional), (8, two_unions)])
def test_at_the_limit_all_is_well(count, function):
    tools = many(count, function)
    check_limits(tools, "anthropic")
    assert refusal("anthropic", *[one.to_anthropic() for one in tools]) is None


def test_optional_parameters_count_at_every_depth():
    def deep(place: Aisle): ...

    check_limits(many(20, deep), "anthropic")
    found = limits_exceeded({f"t{n}": probe_of(list[Aisle])._schema for n in range(25)}, "anthropic")
    assert [(one.what, one.count) for one in found] == [("strict tools", 25), ("optional parameters", 25)]


def test_tools_that_are_not_strict_do_not_count():
    check_limits([tool(name=f"tool_{n}")(two_optional) for n in range(99)], "anthropic")


def test_openai_counts_in_each_tool():
    nested: Any = int
    for _ in range(10):
        nested = list[nested]
    wide = Literal[tuple(f"choice_{n}" for n in range(1001))]
    for annotation, words in ((nested, "12 levels of nesting"), (wide, "1001 enum values")):
        probe = probe_of(annotation)
        with pytest.raises(ToolSchemaError, match=rf"{words} \(limit"):
            check_limits([probe], "openai", strict=True)
        assert refusal("openai", probe.to_openai(strict=True))
    check_limits(many(99, two_optional), "openai")


# One value for every keyword that a strict mode refuses, on a schema that it may stand in.
WITH_KEYWORD = {
    "default": {"type": "integer", "default": 1},
    "format": {"type": "string", "format": "regex"},
    "uniqueItems": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "minProperties": {"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 1},
    "maxProperties": {"type": "object", "properties": {"a": {"type": "string"}}, "maxProperties": 1},
    "patternProperties": {
        "type": "object",
        "properties": {},
        "patternProperties": {"^x": {"type": "string"}},
    },
    "propertyNames": {"type": "object", "properties": {}, "propertyNames": {"type": "string"}},
    "minContains": {"type": "array", "items": {"type": "string"}, "minContains": 1},
    "minLength": {"type": "string", "minLength": 1},
    "minimum": {"type": "integer", "minimum": 1},
    "maxItems": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    "allOf": {"allOf": [{"type": "string"}, {"type": "string"}]},
    "not": {"type": "string", "not": {"type": "string", "enum": [""]}},
    "pattern": {"type": "string", "pattern": r"\bword\b"},
}


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("keyword", WITH_KEYWORD)
def test_a_strict_form_is_one_that_the_linter_finds_nothing_against(keyword, provider):
    schema = {"type": "object", "properties": {"x": WITH_KEYWORD[keyword]}, "required": ["x"]}
    try:
        written = provider_schemas.strict(schema, provider)
    except ToolSchemaError as problem:
        assert f"'{keyword}'" in str(problem)
        return
    form = {"name": "get_x", "description": "Get x.", "strict": True}
    definition = (
        {**form, "input_schema": written}
        if provider == "anthropic"
        else {**form, "type": "function", "parameters": written}
    )
    assert [one for one in lint(definition) if one.code.startswith("strict-")] == []
