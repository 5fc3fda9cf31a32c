"""Symptoms that users of tool libraries report of schemas: each kind with functions of our own."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import functools
import json
import types
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field
from schema_providers import accepted_everywhere, definitions

from course_lib import Agent, Context, Tool, ToolArgumentError, ToolCall, ToolSchemaError, run_calls, tool
from course_lib.linting import fix, lint
from course_lib.tools import tools_by_name


class Berth(BaseModel):
    metres: int


class Locked(BaseModel, extra="forbid"):
    title: str


class Boat(BaseModel):
    berth: Berth
    flag: str = "ES"


@dataclasses.dataclass
class Crew:
    names: list[str]
    paid: bool = True
    count: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        self.count = len(self.names)


def taking(annotation: Any) -> Tool:
    """A tool with one parameter, x, that returns what it gets."""

    def probe(x):
        return x

    probe.__annotations__ = {"x": annotation}
    return Tool(probe)


class Sail(enum.Enum):
    MAIN = "main-sail"
    JIB = "jib-sail"


# Symptom -> annotation, its schema, Gemini's (None: it has none), what is sent, what arrives.
TEXT = {"type": "string"}
FORMS = {
    "a nullable text is a bare text": (
        str | None,
        {"type": ["string", "null"]},
        {"type": "STRING", "nullable": True},
        None,
        None,
    ),
    "the long spelling of a nullable differs": (
        Optional[bool],  # noqa: UP045
        {"type": ["boolean", "null"]},
        {"type": "BOOLEAN", "nullable": True},
        None,
        None,
    ),
    "a nullable list loses its items": (
        list[float] | None,
        {"type": ["array", "null"], "items": {"type": "number"}},
        {"type": "ARRAY", "items": {"type": "NUMBER"}, "nullable": True},
        [1.5],
        [1.5],
    ),
    "a described nullable refuses null": (
        Annotated[int | None, Field(description="Metres, or null")],
        {"type": ["integer", "null"], "description": "Metres, or null"},
        {"type": "INTEGER", "description": "Metres, or null", "nullable": True},
        None,
        None,
    ),
    "a description inside Optional is lost": (
        Optional[Annotated[str, "a buoy"]],  # noqa: UP045
        {"type": ["string", "null"], "description": "a buoy"},
        {"type": "STRING", "description": "a buoy", "nullable": True},
        "b7",
        "b7",
    ),
    "any keys shrink to a bare object": (
        dict[str, bool],
        {"type": "object", "additionalProperties": {"type": "boolean"}},
        None,
        {"lights": True},
        {"lights": True},
    ),
    "a tuple is a list without items": (
        tuple[int, int, int],
        {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
        {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": 3, "maxItems": 3},
        [1, 2, 3],
        (1, 2, 3),
    ),
    "one choice is a const": (
        Literal["knots"],
        {"type": "string", "enum": ["knots"]},
        {"type": "STRING", "enum": ["knots"]},
        "knots",
        "knots",
    ),
    "the choices of a list have no type": (
        list[Literal["port", "starboard"]],
        {"type": "array", "items": {"type": "string", "enum": ["port", "starboard"]}},
        {"type": "ARRAY", "items": {"type": "STRING", "enum": ["port", "starboard"]}},
        ["port"],
        ["port"],
    ),
    "a nullable choice does not list null": (
        Literal["ebb", "flood"] | None,
        {"type": ["string", "null"], "enum": ["ebb", "flood", None]},
        {"type": "STRING", "enum": ["ebb", "flood"], "nullable": True},
        None,
        None,
    ),
    "an enum arrives as text, or offers its names": (
        Sail,
        {"type": "string", "enum": ["main-sail", "jib-sail"]},
        {"type": "STRING", "enum": ["main-sail", "jib-sail"]},
        "jib-sail",
        Sail.JIB,
    ),
    "a nullable enum is a bare text": (
        Sail | None,
        {"type": ["string", "null"], "enum": ["main-sail", "jib-sail", None]},
        {"type": "STRING", "enum": ["main-sail", "jib-sail"], "nullable": True},
        "main-sail",
        Sail.MAIN,
    ),
    "limits inside Annotated are lost": (
        Annotated[int, Field(ge=2, le=8, description="2 to 8")],
        {"type": "integer", "description": "2 to 8", "maximum": 8, "minimum": 2},
        {"type": "INTEGER", "description": "2 to 8", "maximum": 8, "minimum": 2},
        8,
        8,
    ),
    "a closed model keeps a keyword that Gemini refuses": (
        Locked,
        {
            "type": "object",
            "properties": {"title": TEXT},
            "required": ["title"],
            "additionalProperties": False,
        },
        {"type": "OBJECT", "properties": {"title": {"type": "STRING"}}, "required": ["title"]},
        {"title": "a"},
        Locked(title="a"),
    ),
}


@pytest.mark.parametrize(("annotation", "plain", "gemini", "sent", "received"), FORMS.values(), ids=FORMS)
def test_an_annotation_has_the_schema_that_says_the_same(annotation, plain, gemini, sent, received):
    probe = taking(annotation)
    schema = probe.parameters
    assert schema == {"type": "object", "properties": {"x": plain}, "required": ["x"]}
    Draft202012Validator(schema).validate({"x": sent})
    if gemini is None:
        with pytest.raises(ToolSchemaError, match="'x'.*key and value"):
            probe.to_gemini_declaration()
    else:
        assert probe.to_gemini_declaration()["parameters"]["properties"] == {"x": gemini}
    found = probe.run({"x": sent})
    assert found == received and type(found) is type(received)
    with pytest.raises(ToolArgumentError, match="x is missing"):
        probe.run({})


def test_what_may_be_left_out_is_told_by_the_default_and_not_by_the_type():
    @tool
    def anchor(bay: str | None, depth: int, chain: float = 30.0, buoy: bool | None = None, *more, **rest):
        return bay, depth, chain, buoy

    assert anchor.parameters["required"] == ["bay", "depth"]
    assert list(anchor.parameters["properties"]) == ["bay", "depth", "chain", "buoy"]
    assert anchor.parameters["properties"]["chain"] == {"type": "number", "default": 30.0}
    assert anchor.run({"bay": None, "depth": 4}) == (None, 4, 30.0, None)
    hidden = [one.why for one in lint(anchor) if "any number of arguments" in one.why]
    assert len(hidden) == 2 and "'*more'" in hidden[0] and "'**rest'" in hidden[1]


# Descriptions in docstrings -------------------------------------------------------------------------

DOCSTRINGS = {
    "a line with a colon goes on": """Rent a mooring.

        Args:
            pier: The pier.
                Note: letters only
            nights (int): How many nights.
        """,
    "a section of its own for keywords": """Rent a mooring.

        Args:
            pier: The pier. Note: letters only

        Keyword Arguments:
            nights: How many nights.
        """,
    "other parameters": """Rent a mooring.

        Parameters
        ----------
        pier : str
            The pier.
            Note: letters only

        Other Parameters
        ----------------
        nights : int, default 1
            How many nights.
        """,
    "field lists": """Rent a mooring.

        :param str pier: The pier.
            Note: letters only
        :param nights: How many nights.
        """,
}


@pytest.mark.parametrize("docstring", DOCSTRINGS.values(), ids=DOCSTRINGS)
def test_every_parameter_gets_its_part_of_the_docstring(docstring):
    def rent(pier: str, *, nights: int = 1): ...

    rent.__doc__ = docstring
    made = Tool(rent)
    assert {name: one["description"] for name, one in made.parameters["properties"].items()} == {
        "pier": "The pier. Note: letters only",
        "nights": "How many nights.",
    }
    assert made.description == "Rent a mooring."


# Names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["port.list boats", "boats/list", "listar-añejos", "x" * 80, "boats\n"])
def test_a_name_that_a_service_would_refuse_is_refused_with_the_pattern(name):
    with pytest.raises(ToolSchemaError, match=r"\^\[a-zA-Z0-9_-\]\{1,64\}\$.*name=\"[a-zA-Z0-9_-]{1,64}\""):
        tool(name=name)(len)


def test_a_parameter_that_a_service_would_refuse_is_refused_and_can_have_another_name_for_the_model():
    def moor(señal: str, tamaño: int): ...

    with pytest.raises(ToolSchemaError, match=r"(?s)'señal'.*'tamaño'.*Field\(alias="):
        Tool(moor)

    def moor_too(señal: Annotated[Literal["rápida", "ñ"], Field(alias="signal", description="La señal")]):
        return señal

    assert Tool(moor_too).run({"signal": "ñ"}) == "ñ"
    by_hand = {"type": "object", "properties": {"señal": TEXT}}
    (error,) = lint({"name": "moor_boat", "description": "Moor.", "input_schema": by_hand}).errors
    assert "señal" in error.where and "^[a-zA-Z0-9_.-]{1,64}$" in error.why


def test_two_tools_of_one_name_are_refused_wherever_they_meet():
    made = [tool(name="find_boat")(lambda code, answer=answer: answer) for answer in ("sail", "motor")]
    for meet in (lambda: Agent("port", "", made), lambda: run_calls([], made), lambda: tools_by_name(made)):
        with pytest.raises(ToolSchemaError, match="Two tools are called 'find_boat'"):
            meet()
    assert any(one.severity == "error" and "find_boat" in one.why for one in lint(made))


# Functions of every make ----------------------------------------------------------------------------


def radio(channel: int, words: str, *, power: str = "low"):
    """Say something on the radio.

    Args:
        words: What to say.
    """
    return f"{channel} {words} {power}"


class Horn:
    """Sound the horn."""

    async def __call__(self, words: str):
        return f"{words}!"


class Port:
    def __init__(self, name: str):
        self.name = name

    def call(self, words: str):
        """Call the port."""
        return f"{self.name}: {words}"


@pytest.mark.parametrize(
    ("function", "name", "description", "said"),
    [
        (functools.partial(radio, 16), "radio", "Say something on the radio.", "16 ahoy low"),
        (functools.partial(radio, channel=9), "radio", "Say something on the radio.", "9 ahoy low"),
        (Horn(), "horn", "Sound the horn.", "ahoy!"),
        (Port("Getaria").call, "call", "Call the port.", "Getaria: ahoy"),
    ],
    ids=["partial", "partial by name", "object", "method"],
)
def test_what_can_be_called_is_a_tool_that_asks_only_for_what_is_open(function, name, description, said):
    made = Tool(function)
    assert (made.name, made.description) == (name, description)
    assert made.parameters["required"] == ["words"] and "channel" not in made.parameters["properties"]
    assert made.run({"words": "ahoy"}) == said
    with pytest.raises(ToolArgumentError, match="channel is no argument"):
        made.run({"words": "ahoy", "channel": 1})


class Watch(Context):
    officer: str


def test_what_the_program_hands_over_is_not_the_models_to_give():
    @tool
    def log_entry(text: str, watch: Watch):
        return f"{watch.officer}: {text}"

    assert list(log_entry.parameters["properties"]) == ["text"]
    given = Watch(officer="Maite")
    assert log_entry.run({"text": "calm"}, context=given) == "Maite: calm"
    call = ToolCall("k", "log_entry", {"text": "calm", "watch": {"officer": "nobody"}})
    (result,) = run_calls([call], [log_entry], context=given)
    assert result.is_error and "watch is no argument" in result.content


# Schemas by hand ------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, "code", {"code": True}, True])
def test_required_that_is_no_list_is_an_error_and_null_is_mended(wrong):
    schema = {"type": "object", "properties": {"code": {"type": "string", "description": "As painted."}}}
    by_hand = {"name": "find_boat", "description": "Find.", "input_schema": {**schema, "required": wrong}}
    errors = [one for one in lint(by_hand).errors if one.where == "input_schema.required"]
    assert errors and "list" in errors[0].why + errors[0].fix
    if wrong is None:
        assert fix(by_hand) == {**by_hand, "input_schema": {**schema, "required": []}}


# References -----------------------------------------------------------------------------------------

BERTH, BOAT = {"metres": 12}, {"berth": {"metres": 12}}


@pytest.mark.parametrize(
    ("annotation", "sent", "received"),
    [
        (dict[str, Boat], {"a": BOAT}, {"a": Boat(berth=Berth(metres=12))}),
        (tuple[Berth, Boat], [BERTH, BOAT], (Berth(metres=12), Boat(berth=Berth(metres=12)))),
        (tuple[Berth, ...], [BERTH], (Berth(metres=12),)),
        (dict[str, list[tuple[Berth, str]]], {"a": [[BERTH, "b"]]}, {"a": [(Berth(metres=12), "b")]}),
        (list[dict[str, Boat] | None], [None, {"a": BOAT}], [None, {"a": Boat(berth=Berth(metres=12))}]),
        (Sequence[Boat | Berth], [BERTH], [Berth(metres=12)]),
    ],
    ids=str,
)
def test_a_reference_to_a_model_is_left_nowhere_and_the_models_arrive(annotation, sent, received):
    probe = taking(annotation)
    written = json.dumps([probe.parameters, *definitions(probe).values()])
    assert "$ref" not in written and "$defs" not in written
    assert probe.run({"x": sent}) == received
    accepted_everywhere(probe)


def test_what_a_dataclass_sets_by_itself_is_not_asked_for():
    probe = taking(Crew)
    assert list(probe.parameters["properties"]["x"]["properties"]) == ["names", "paid"]
    assert probe.run({"x": {"names": ["Ana", "Leo"]}}).count == 2
    with pytest.raises(ToolArgumentError, match=r"x\.count is no argument there.*names, paid"):
        probe.run({"x": {"names": [], "count": 5}})


def test_an_empty_tuple_is_a_list_that_every_provider_takes():
    probe = taking(tuple[()])
    accepted_everywhere(probe)
    assert probe.run({"x": []}) == ()


# Parameters that are called like the keywords of JSON Schema ----------------------------------------


class Form(BaseModel):
    title: str
    description: str
    type: str = "blank"
    properties: str = ""


def file_form(
    title: str,
    items: list[str],
    enum: str,
    form: list[Form],
    additionalProperties: int = 0,
    nullable: bool = True,
): ...


NAMES = ["title", "items", "enum", "form", "additionalProperties", "nullable"]


def spelled(schema: dict[str, Any]) -> list[str]:
    return list(schema["properties"])


def schemas_of(probe: Tool) -> dict[Any, dict[str, Any]]:
    """The schema of the arguments in every form that the tool has."""
    found = {}
    for form, definition in definitions(probe).items():
        inside = definition.get("function", definition)
        found[form] = inside.get("input_schema", inside.get("parameters"))
    return found


def test_names_that_are_keywords_too_survive_in_every_form_and_at_every_depth():
    for form, schema in schemas_of(Tool(file_form)).items():
        assert spelled(schema) == NAMES, form
        assert set(schema["required"]) >= set(NAMES[:4]), form
        inner = schema["properties"]["form"]["items"]
        assert spelled(inner) == ["title", "description", "type", "properties"], form
        assert set(inner["required"]) >= {"title", "description"}, form
    assert len(schemas_of(Tool(file_form))) == 7  # three services, strict and not, and Gemini


# Annotations as text --------------------------------------------------------------------------------

REPAIR = '''
from datetime import date
from typing import Annotated, Literal, Optional
from pydantic import BaseModel, ConfigDict, Field

class Part(BaseModel):
    code: str

def repair(when: date, parts: list[Part], kind: Literal["hull", "sail"] = "hull",
           hours: Annotated[int, Field(ge=1)] = 1, note: Optional[str] = None, **more) -> "Part":
    """Plan a repair."""
    return type(when).__name__, type(parts[0]).__name__
'''


def test_annotations_as_text_give_the_same_tool_as_real_ones():
    made = []
    for first_line in ("", "from __future__ import annotations"):
        module = types.ModuleType("repairs")
        exec(compile(first_line + REPAIR, "repairs", "exec", dont_inherit=True), module.__dict__)
        made.append(Tool(module.repair))
    plain, as_text = made
    assert isinstance(as_text.function.__annotations__["when"], str)
    assert as_text.parameters == plain.parameters
    assert plain.parameters["properties"]["when"] == {"type": "string", "format": "date"}
    sent = {"when": "2031-05-02", "parts": [{"code": "k"}]}
    assert as_text.run(sent) == plain.run(sent) == ("date", "Part")


# Numbers with exact digits --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation",
    [
        Decimal,
        Decimal | None,
        list[Decimal],
        Annotated[Decimal, Field(max_digits=6, decimal_places=2)],
        Annotated[Decimal, Field(gt=0, le=100)],
    ],
    ids=str,
)
def test_a_decimal_brings_no_pattern_that_a_strict_grammar_refuses(annotation):
    probe = taking(annotation)
    assert "(?" not in json.dumps([probe.parameters, *definitions(probe).values()])
    accepted_everywhere(probe)
    sent = ["7.10"] if annotation == list[Decimal] else "7.10"
    assert "7.10" in str(probe.run({"x": sent}))


class Mast(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")
    number: str = Field(pattern=r"^(?!0)\d+$")


def test_a_pattern_that_looks_ahead_is_checked_here_and_not_sent():
    probe = taking(Mast)
    assert "(?" not in json.dumps([probe.parameters, *definitions(probe).values()])
    assert probe.run({"x": {"number": "12"}}) == Mast(number="12")
    with pytest.raises(ToolArgumentError, match=r"x\.number"):
        probe.run({"x": {"number": "07"}})


# Defaults -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (dt.timedelta, dt.timedelta(hours=1)),
        (Decimal, Decimal("0.10")),
        (Berth, Berth(metres=9)),
        (list[Berth], [Berth(metres=9)]),
        (set[int], {3}),
        (float, float("nan")),
        (list[float], [float("inf")]),
        (dict[str, Any], {"x": object()}),
        (Any, object()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_default_of_any_kind_leaves_the_parameter_optional_and_the_schema_json(annotation, default):
    def moor(name: str, x=default):
        return x

    moor.__annotations__["x"] = annotation
    tool = Tool(moor)
    assert tool.parameters["required"] == ["name"]
    for definition in definitions(tool).values():
        json.dumps(definition, allow_nan=False)
    accepted_everywhere(tool)
    assert tool.run({"name": "Alba"}) is default or tool.run({"name": "Alba"}) == default
