"""Symptoms that users report of strict definitions: each kind with functions of our own."""

from __future__ import annotations

import datetime as dt
import enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from schema_providers import refusal

from course_lib import Tool, ToolSchemaError, lint, tool
from course_lib.tools.schema import walk


class Parcel(BaseModel):
    by: Literal["parcel"]
    grams: int = Field(500, ge=1)


class Letter(BaseModel):
    by: Literal["letter"]
    stamps: set[int] = {1}


class Speed(enum.Enum):
    SLOW = "slow"
    FAST = "fast"


Post = Annotated[Parcel | Letter, Field(discriminator="by")]


@tool
def send(
    first: Post,
    others: list[Post] = [],  # noqa: B006
    speed: Speed = Speed.SLOW,
    latest: dt.date | None = None,
    insured: Annotated[float, Field(gt=0, le=900)] = 0.5,
    default: str = "none",
):
    """Send the post."""
    return type(first).__name__, [type(one).__name__ for one in others], speed, insured, default


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai_responses"])
def test_no_strict_form_holds_a_keyword_that_its_service_refuses(provider):
    definition = getattr(send, f"to_{provider}")(strict=True)
    assert refusal(provider, definition) is None
    inside = definition.get("function", definition)
    schema = inside.get("input_schema", inside.get("parameters"))
    keywords = {keyword for _, part in walk(schema) for keyword in part}
    assert not keywords & {"oneOf", "discriminator", "default", "const", "uniqueItems", "title", "$ref"}
    objects = [part for _, part in walk(schema) if part.get("type") == "object"]
    assert len(objects) == 5 and all(part["additionalProperties"] is False for part in objects)
    assert "default" in schema["properties"]


def test_null_from_a_strict_call_is_the_default_wherever_one_is():
    sent = {"first": {"by": "letter", "stamps": None}, "others": [{"by": "parcel", "grams": None}]}
    sent |= dict.fromkeys(["speed", "latest", "insured", "default"])
    assert send.run(sent) == ("Letter", ["Parcel"], Speed.SLOW, 0.5, "none")
    assert send.run({**sent, "others": None})[1] == []


@pytest.mark.parametrize(
    "annotation", [dict[str, int], list[dict[str, bool]], dict[str, list[str]] | None, dict], ids=str
)
def test_what_no_strict_form_can_say_is_told_where_strict_is_asked_for_and_nowhere_else(annotation):
    def weigh(weights, label: str): ...

    weigh.__annotations__["weights"] = annotation
    with pytest.raises(ToolSchemaError, match=r"'weights.*key and value.*strict=False"):
        tool(strict=True)(weigh)
    loose = tool(weigh)
    for definition in (loose.to_anthropic(), loose.to_openai(), loose.to_openai_responses()):
        assert definition.get("function", definition).get("strict") in (None, False)
    (found,) = (one for one in lint(loose) if "any keys" in one.why)
    assert found.where.startswith("parameters.properties.weights")


def lined_up(count: int, **annotations: str) -> list[Tool]:
    """Strict tools with the same parameters, each given as what stands behind its name."""
    names: dict[str, Any] = {}
    exec(f"def look({', '.join(f'{name}: {text}' for name, text in annotations.items())}): ...", names)
    return [Tool(names["look"], name=f"look_{number}", strict=True) for number in range(count)]


@pytest.mark.parametrize(
    ("tools", "says"),
    [
        (lined_up(21, a="int"), ["21 strict tools (limit 20)"]),
        (lined_up(5, a="int = 1", b="str = 'x'", c="bool = True", d="int = 2", e="int = 3"), ["25 optional"]),
        (lined_up(6, a="int | None", b="str | None", c="float | None"), ["18 union parameters (limit 16)"]),
    ],
    ids=["tools", "optional", "unions"],
)
def test_the_linter_counts_what_a_whole_request_may_hold_and_the_service_agrees(tools, says):
    definitions = [one.to_anthropic() for one in tools]
    (found,) = (one for one in lint(definitions) if one.code == "strict-limit")
    for words in says:
        assert words in found.why
    assert refusal("anthropic", *definitions)
    assert refusal("anthropic", *definitions[: len(definitions) // 2]) is None
