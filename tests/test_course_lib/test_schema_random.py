"""For random signatures: the schema is valid, providers take it, and what fits it arrives as it was sent."""

from __future__ import annotations

import datetime as dt
import inspect
import json
from typing import Annotated, Any, Literal, Optional

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import Field
from schema_providers import accepted_everywhere, definitions
from schema_signatures import Aisle, Batter, Grade, Roast

from course_lib.tools import Tool

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = ["city", "title", "type", "items", "properties", "schema", "model_config", "_x", "self", "default"]

# A type, what a model may send for it, and what the function then gets.
SIMPLE = st.sampled_from(
    [
        (int, st.integers(-99, 99), int),
        (float, st.floats(-99, 99), float),
        (str, TEXTS, str),
        (bool, st.booleans(), bool),
        (dt.date, st.dates().map(str), dt.date.fromisoformat),
        (Roast, st.sampled_from(["light", "dark"]), Roast),
        (Grade, st.sampled_from([1, 2]), Grade),
        (
            Aisle,
            st.fixed_dictionaries({"title": TEXTS, "shelf": st.integers(1, 9)}),
            lambda one: Aisle(**one),
        ),
        (
            Batter,
            st.fixed_dictionaries({"flour": st.just(5), "salt": st.integers(0, 9), "mix": st.lists(TEXTS)}),
            lambda one: Batter(**one),
        ),
        (Literal["a", "b"], st.sampled_from(["a", "b"]), str),
        (Annotated[int, Field(ge=0, le=9)], st.integers(0, 9), int),
        (Annotated[str, "a text"], TEXTS, str),
    ]
)


def wider(inner: st.SearchStrategy) -> st.SearchStrategy:
    """Types made of others."""
    return st.one_of(
        inner.map(lambda one: (list[one[0]], st.lists(one[1], max_size=2), lambda v: [one[2](x) for x in v])),
        inner.map(
            lambda one: (
                tuple[one[0], one[0]],
                st.lists(one[1], min_size=2, max_size=2),
                lambda v: tuple(one[2](x) for x in v),
            )
        ),
        inner.map(
            lambda one: (
                dict[str, one[0]],
                st.dictionaries(TEXTS, one[1], max_size=2),
                lambda v: {key: one[2](x) for key, x in v.items()},
            )
        ),
        inner.map(
            lambda one: (
                Optional[one[0]],  # noqa: UP045
                st.none() | one[1],
                lambda v: None if v is None else one[2](v),
            )
        ),
    )


@st.composite
def calls(draw) -> tuple[Tool, dict[str, Any], dict[str, Any]]:
    """A tool, arguments for it, and what its function should get."""
    parameters, sent, received = [], {}, {}
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True)):
        annotation, values, convert = draw(st.recursive(SIMPLE, wider, max_leaves=3))
        default = draw(st.just(inspect.Parameter.empty) | values.map(convert))
        parameter = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
        )
        parameters.append(parameter)
        if default is inspect.Parameter.empty or draw(st.booleans()):
            sent[name] = draw(values)
            received[name] = convert(sent[name])

    def probe(**arguments):
        return arguments

    probe.__signature__ = inspect.Signature(parameters)
    return Tool(probe), sent, received


@given(calls())
def test_what_fits_the_schema_arrives_as_it_was_sent(call):
    tool, sent, received = call
    assert tool.run(sent) == received
    assert tool.run(json.dumps(sent)) == received


@given(calls())
def test_every_form_of_the_schema_is_valid_and_accepted(call):
    tool, sent, _ = call
    accepted_everywhere(tool)
    for (provider, strict), form in definitions(tool).items():
        if provider == "anthropic":
            Draft202012Validator.check_schema(form["input_schema"])
            Draft202012Validator(form["input_schema"]).validate(sent)
        elif provider == "openai":
            schema = form["function"]["parameters"]
            Draft202012Validator.check_schema(schema)
            nulls = {name: None for name in schema.get("required", ())} if strict else {}
            Draft202012Validator(schema).validate({**nulls, **sent})


@given(calls())
def test_null_for_whatever_was_left_out_means_the_default(call):
    tool, sent, received = call
    optional = set(tool.parameters["properties"]) - set(sent)
    found = tool.run({**{name: None for name in optional}, **sent})
    assert {name: value for name, value in found.items() if value is not None} == {
        name: value for name, value in received.items() if value is not None
    }
