"""Functions as people write them, each with the schema that a careful person would write for it.

A row: the function (it returns what it received), the properties, what is required, what a model sends, and
what the function then has in hand.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import functools
import ipaddress
import math
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, Optional, TypeVar, Union

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, PositiveInt
from typing_extensions import Doc, TypedDict


class Roast(enum.Enum):
    LIGHT = "light"
    DARK = "dark"


class Grade(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Aisle(BaseModel):
    """Where something stands."""

    title: str
    shelf: int = Field(1, ge=1, description="Counted from the floor.")


class Bird(BaseModel):
    kind: Literal["bird"]
    wings: int


class Fish(BaseModel):
    kind: Literal["fish"]
    fins: int


class Branch(BaseModel):
    name: str
    parts: list[Branch] = []


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    beds: int


class Aliased(BaseModel):
    full_name: str = Field(alias="fullName")


@dataclass
class Batter:
    flour: int
    salt: int = 2
    mix: list[str] = field(default_factory=list)


class Spot(NamedTuple):
    x: int
    y: int


class Mixed(NamedTuple):
    label: str
    weight: float


class Choices(TypedDict):
    size: int
    note: NotRequired[str]


ShelfId = NewType("ShelfId", int)
Either = TypeVar("Either", int, str)

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
AISLE = {
    "type": "object",
    "description": "Where something stands.",
    "properties": {
        "title": STRING,
        "shelf": {"type": "integer", "description": "Counted from the floor.", "minimum": 1, "default": 1},
    },
    "required": ["title"],
}
BIRD = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["bird"]}, "wings": INTEGER},
    "required": ["kind", "wings"],
}
FISH = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["fish"]}, "fins": INTEGER},
    "required": ["kind", "fins"],
}
BATTER = {
    "type": "object",
    "properties": {
        "flour": INTEGER,
        "salt": {"type": "integer", "default": 2},
        "mix": {"type": "array", "items": STRING},
    },
    "required": ["flour"],
}
CHOICES = {"type": "object", "properties": {"size": INTEGER, "note": STRING}, "required": ["size"]}
DAY = dt.date(2031, 5, 2)
MOMENT = dt.datetime(2031, 5, 2, 9, 30, tzinfo=dt.UTC)
KEY = uuid.UUID("8c0f5c3e-9c4d-4a4e-8f0e-3a1f5f1f3b11")

ROWS: dict[str, tuple] = {}


def row(properties: dict, required: list[str], sent: dict, received: dict | None = None, name: str = ""):
    """Add a function to the table."""

    def add(function):
        ROWS[name or function.__name__] = (function, properties, required, sent, received or sent)
        return function

    return add


# The forms of optional ----------------------------------------------------------------------------


@row({"count": {"type": ["integer", "null"]}}, [], {"count": None})
def optional_with_none(count: Optional[int] = None):  # noqa: UP045
    return locals()


@row({"count": {"type": ["integer", "null"]}}, [], {}, {"count": None})
def optional_with_a_bar(count: int | None = None):
    return locals()


@row({"count": {"type": ["integer", "null"]}}, ["count"], {"count": None})
def nullable_but_required(count: int | None):
    return locals()


@row({"count": INTEGER}, [], {"count": None})
def default_none_without_saying_so(count: int = None):  # noqa: RUF013
    return locals()


@row({"marks": {"type": ["array", "null"], "items": INTEGER}}, [], {"marks": [1]})
def list_or_none(marks: list[int] | None = None):
    return locals()


@row({"size": {"type": ["string", "null"], "enum": ["S", "M", None]}}, ["size"], {"size": None})
def choice_or_none(size: Literal["S", "M"] | None):
    return locals()


@row({"place": {**AISLE, "type": ["object", "null"]}}, [], {"place": None})
def model_or_none(place: Aisle | None = None):
    return locals()


@row({"tag": {"type": ["string", "null"], "default": "x"}}, [], {"tag": None})
def nullable_with_another_default(tag: str | None = "x"):
    return locals()


@row({"key": {"anyOf": [INTEGER, STRING, {"type": "null"}]}}, [], {"key": "a"})
def union_or_none(key: int | str | None = None):
    return locals()


# Choices and unions -------------------------------------------------------------------------------


@row(
    {"animal": {"anyOf": [BIRD, FISH]}},
    ["animal"],
    {"animal": {"kind": "fish", "fins": 2}},
    {"animal": Fish(kind="fish", fins=2)},
)
def union_of_models(animal: Union[Bird, Fish]):  # noqa: UP007
    return locals()


@row(
    {"animal": {"anyOf": [BIRD, FISH]}},
    ["animal"],
    {"animal": {"kind": "bird", "wings": 2}},
    {"animal": Bird(kind="bird", wings=2)},
)
def tagged_union(animal: Annotated[Bird | Fish, Field(discriminator="kind")]):
    return locals()


@row({"pick": {"type": ["string", "integer"], "enum": ["auto", 1, 2]}}, ["pick"], {"pick": 2})
def choices_of_two_types(pick: Literal["auto", 1, 2]):
    return locals()


@row({"unit": {"type": "string", "enum": ["metric"]}}, ["unit"], {"unit": "metric"})
def one_choice(unit: Literal["metric"]):
    return locals()


@row({"deep": {"type": "integer", "enum": [1, 2]}}, ["deep"], {"deep": 2}, {"deep": Grade.HIGH})
def enum_of_numbers(deep: Grade):
    return locals()


@row(
    {"roast": {"type": "string", "enum": ["light", "dark"], "default": "dark"}}, [], {}, {"roast": Roast.DARK}
)
def enum_with_default(roast: Roast = Roast.DARK):
    return locals()


@row(
    {"roast": {"type": ["string", "null"], "enum": ["light", "dark", None]}},
    [],
    {"roast": "light"},
    {"roast": Roast.LIGHT},
)
def enum_or_none(roast: Roast | None = None):
    return locals()


@row(
    {"days": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue"]}}},
    ["days"],
    {"days": ["tue"]},
)
def list_of_choices(days: list[Literal["mon", "tue"]]):
    return locals()


@row({"amount": NUMBER}, ["amount"], {"amount": 2.5})
def whole_or_not(amount: int | float):
    return locals()


@row({"amount": NUMBER}, ["amount"], {"amount": 2})
def not_whole_or_whole(amount: float | int):
    return locals()


@row({"amount": {"type": ["number", "null"]}}, [], {})
def whole_or_not_or_none(amount: int | float | None = None):
    return locals()


ROWS["whole_or_not_or_none"] = (*ROWS["whole_or_not_or_none"][:3], {"amount": 3}, {"amount": 3})


@row({"key": {"anyOf": [INTEGER, STRING]}}, ["key"], {"key": "5"})
def whole_or_text(key: int | str):
    return locals()


@row(
    {"key": {"anyOf": [INTEGER, {"type": "array", "items": INTEGER}]}}, ["key"], {"key": "[5]"}, {"key": [5]}
)
def whole_or_list(key: int | list[int]):
    return locals()


@row({"key": {"anyOf": [INTEGER, STRING]}}, ["key"], {"key": 5})
def type_variable(key: Either):
    return locals()


@row({"on": {"type": "boolean", "enum": [True]}}, ["on"], {"on": True})
def only_true(on: Literal[True]):
    return locals()


# Objects ------------------------------------------------------------------------------------------


@row(
    {"places": {"type": "array", "items": AISLE}},
    ["places"],
    {"places": [{"title": "a"}]},
    {"places": [Aisle(title="a")]},
)
def list_of_models(places: list[Aisle]):
    return locals()


@row(
    {"title": STRING, "place": AISLE},
    ["title", "place"],
    {"title": "t", "place": {"title": "a", "shelf": 3}},
    {"title": "t", "place": Aisle(title="a", shelf=3)},
)
def a_field_called_title(title: str, place: Aisle):
    return locals()


@row({"choices": CHOICES}, ["choices"], {"choices": {"size": 1}})
def typed_dictionary(choices: Choices):
    return locals()


@row({"batter": BATTER}, ["batter"], {"batter": {"flour": 500}}, {"batter": Batter(500)})
def a_dataclass(batter: Batter):
    return locals()


@row(
    {
        "room": {
            "type": "object",
            "properties": {"beds": INTEGER},
            "required": ["beds"],
            "additionalProperties": False,
        }
    },
    ["room"],
    {"room": {"beds": 2}},
    {"room": Closed(beds=2)},
)
def closed_model(room: Closed):
    return locals()


@row(
    {"who": {"type": "object", "properties": {"fullName": STRING}, "required": ["fullName"]}},
    ["who"],
    {"who": {"fullName": "Ada"}},
    {"who": Aliased(fullName="Ada")},
)
def model_with_alias(who: Aliased):
    return locals()


@row(
    {"plan": {"type": "object", "additionalProperties": AISLE}},
    ["plan"],
    {"plan": {"a": {"title": "t"}}},
    {"plan": {"a": Aisle(title="t")}},
)
def dictionary_of_models(plan: dict[str, Aisle]):
    return locals()


@row({"place": {**AISLE, "default": {"title": "t", "shelf": 1}}}, [], {}, {"place": Aisle(title="t")})
def model_as_default(place: Aisle = Aisle(title="t")):  # noqa: B008
    return locals()


@row({"anything": {"type": "object", "additionalProperties": True}}, ["anything"], {"anything": {"a": [1]}})
def bare_dictionary(anything: dict):
    return locals()


@row({"prices": {"type": "object", "additionalProperties": INTEGER}}, ["prices"], {"prices": {"bun": 2}})
def dictionary_of_numbers(prices: dict[str, int]):
    return locals()


@row(
    {"names": {"type": "object", "additionalProperties": STRING}},
    ["names"],
    {"names": {"1": "a"}},
    {"names": {1: "a"}},
)
def dictionary_with_whole_keys(names: dict[int, str]):
    return locals()


@row({"prices": {"type": "object", "additionalProperties": NUMBER}}, ["prices"], {"prices": {"bun": 2.5}})
def a_mapping(prices: Mapping[str, float]):
    return locals()


# Lists --------------------------------------------------------------------------------------------


@row({"xs": {"type": "array", "items": {}}}, ["xs"], {"xs": [1, "a"]})
def bare_list(xs: list):
    return locals()


@row({"xs": {"type": "array", "items": {"type": "array", "items": NUMBER}}}, ["xs"], {"xs": [[1.5], []]})
def list_of_lists(xs: list[list[float]]):
    return locals()


@row({"xs": {"type": "array", "items": INTEGER}}, ["xs"], {"xs": [1, 2]}, {"xs": (1, 2)})
def tuple_of_any_length(xs: tuple[int, ...]):
    return locals()


@row(
    {"xs": {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}},
    ["xs"],
    {"xs": [41.5, -4.5]},
    {"xs": (41.5, -4.5)},
)
def pair_of_one_type(xs: tuple[float, float]):
    return locals()


@row(
    {"xs": {"type": "array", "prefixItems": [INTEGER, STRING], "minItems": 2, "maxItems": 2}},
    ["xs"],
    {"xs": [1, "a"]},
    {"xs": (1, "a")},
)
def pair_of_two_types(xs: tuple[int, str]):
    return locals()


@row(
    {
        "at": {
            "type": "array",
            "prefixItems": [{"type": "integer", "description": "x"}, {"type": "integer", "description": "y"}],
            "minItems": 2,
            "maxItems": 2,
        }
    },
    ["at"],
    {"at": [1, 2]},
    {"at": Spot(1, 2)},
)
def a_named_tuple(at: Spot):
    return locals()


@row({"xs": {"type": "array", "items": INTEGER, "uniqueItems": True}}, ["xs"], {"xs": [1, 2]}, {"xs": {1, 2}})
def a_set(xs: set[int]):
    return locals()


@row(
    {"xs": {"type": "array", "items": STRING, "uniqueItems": True}},
    ["xs"],
    {"xs": ["a"]},
    {"xs": frozenset("a")},
)
def a_frozen_set(xs: frozenset[str]):
    return locals()


@row({"xs": {"type": "array", "items": STRING}}, ["xs"], {"xs": ["a"]})
def a_sequence(xs: Sequence[str]):
    return locals()


@row({"xs": {"type": "array", "items": INTEGER}}, ["xs"], {"xs": [1]})
def an_iterable(xs: Iterable[int]):
    return locals()


@row({"xs": {"type": "array", "items": INTEGER}}, ["xs"], {"xs": [1]}, {"xs": collections.deque([1])})
def a_deque(xs: collections.deque[int]):
    return locals()


@row({"xs": {"type": "array", "items": STRING, "default": []}}, [], {}, {"xs": []})
def empty_list_as_default(xs: list[str] = []):  # noqa: B006
    return locals()


@row({"xs": {"type": "array", "items": STRING, "minItems": 1, "maxItems": 3}}, ["xs"], {"xs": ["a"]})
def list_with_limits(xs: Annotated[list[str], Field(min_length=1, max_length=3)]):
    return locals()


@row({"xs": {"type": "array", "items": {"type": "string", "description": "a tag"}}}, ["xs"], {"xs": ["a"]})
def described_items(xs: list[Annotated[str, "a tag"]]):
    return locals()


# Values with a form -------------------------------------------------------------------------------


@row(
    {"at": {"type": "string", "format": "date-time"}}, ["at"], {"at": "2031-05-02T09:30:00Z"}, {"at": MOMENT}
)
def a_moment(at: dt.datetime):
    return locals()


@row({"day": {"type": "string", "format": "date"}}, ["day"], {"day": "2031-05-02"}, {"day": DAY})
def a_day(day: dt.date):
    return locals()


@row({"at": {"type": "string", "format": "time"}}, ["at"], {"at": "09:30:00"}, {"at": dt.time(9, 30)})
def a_time(at: dt.time):
    return locals()


@row(
    {"wait": {"type": "string", "format": "duration"}},
    ["wait"],
    {"wait": "PT90S"},
    {"wait": dt.timedelta(seconds=90)},
)
def a_duration(wait: dt.timedelta):
    return locals()


@row({"key": {"type": "string", "format": "uuid"}}, ["key"], {"key": str(KEY)}, {"key": KEY})
def a_uuid(key: uuid.UUID):
    return locals()


@row({"file": STRING}, ["file"], {"file": "notes/a.txt"}, {"file": pathlib.Path("notes/a.txt")})
def a_path(file: pathlib.Path):
    return locals()


@row(
    {"price": {"anyOf": [NUMBER, STRING]}}, ["price"], {"price": "12.50"}, {"price": decimal.Decimal("12.50")}
)
def a_decimal(price: decimal.Decimal):
    return locals()


@row(
    {"host": {"type": "string", "format": "ipv4"}},
    ["host"],
    {"host": "10.0.0.1"},
    {"host": ipaddress.IPv4Address("10.0.0.1")},
)
def an_address(host: ipaddress.IPv4Address):
    return locals()


@row(
    {"page": {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2083}},
    ["page"],
    {"page": "http://a.example/"},
    {"page": HttpUrl("http://a.example/")},
)
def a_link(page: HttpUrl):
    return locals()


@row({"raw": STRING}, ["raw"], {"raw": "abc"}, {"raw": b"abc"})
def some_bytes(raw: bytes):
    return locals()


@row({"shelf": INTEGER}, ["shelf"], {"shelf": 7})
def a_new_type(shelf: ShelfId):
    return locals()


@row({"x": {}}, ["x"], {"x": [1, {"a": None}]})
def anything_at_all(x: Any):
    return locals()


@row({"flag": BOOLEAN, "n": INTEGER}, ["flag", "n"], {"flag": True, "n": 1})
def boolean_beside_integer(flag: bool, n: int):
    return locals()


# Defaults and limits ------------------------------------------------------------------------------


@row(
    {
        "a": {"type": "integer", "default": 3},
        "b": {"type": "string", "default": "x"},
        "c": {"type": "number", "default": 0.5},
        "d": {"type": "boolean", "default": False},
    },
    [],
    {},
    {"a": 3, "b": "x", "c": 0.5, "d": False},
)
def several_defaults(a: int = 3, b: str = "x", c: float = 0.5, d: bool = False):
    return locals()


@row(
    {"at": {"type": "string", "format": "date-time", "default": "2031-05-02T09:30:00Z"}},
    [],
    {},
    {"at": MOMENT},
)
def moment_as_default(at: dt.datetime = MOMENT):
    return locals()


@row({"most": NUMBER}, [], {}, {"most": math.inf})
def infinity_as_default(most: float = math.inf):
    return locals()


@row({"x": {}}, [], {}, {"x": Ellipsis})
def default_without_json(x: Any = ...):
    return locals()


@row({"n": {"type": "integer", "minimum": 1, "maximum": 10, "description": "one to ten"}}, ["n"], {"n": 10})
def described_by_field(n: Annotated[int, Field(ge=1, le=10, description="one to ten")]):
    return locals()


@row({"n": {"type": "integer", "minimum": 1, "description": "how many", "default": 3}}, [], {}, {"n": 3})
def field_as_default(n: int = Field(3, ge=1, description="how many")):
    return locals()


@row({"n": {"type": "integer", "default": 3}}, [], {}, {"n": 3})
def default_inside_annotated(n: Annotated[int, Field(default=3)]):
    return locals()


@row({"tags": {"type": "array", "items": STRING}}, [], {}, {"tags": ["new"]})
def default_factory(tags: list[str] = Field(default_factory=lambda: ["new"])):  # noqa: B008
    return locals()


@row({"n": {"type": "integer", "exclusiveMinimum": 0}}, ["n"], {"n": 1})
def a_positive_number(n: PositiveInt):
    return locals()


@row({"code": {"type": "string", "pattern": "^[A-Z]{2}$"}}, ["code"], {"code": "ES"})
def text_with_a_pattern(code: Annotated[str, Field(pattern="^[A-Z]{2}$")]):
    return locals()


@row({"city": {"type": "string", "description": "the city"}}, ["city"], {"city": "Soria"})
def described_by_text(city: Annotated[str, "the city"]):
    return locals()


@row({"city": {"type": "string", "description": "the city"}}, ["city"], {"city": "Soria"})
def described_by_doc(city: Annotated[str, Doc("the city")]):
    return locals()


@row({"hint": {"type": ["string", "null"], "description": "free text"}}, [], {"hint": "a"})
def described_inside_optional(hint: Optional[Annotated[str, "free text"]] = None):  # noqa: UP045
    return locals()


# Names and shapes of functions --------------------------------------------------------------------


@row({"a": INTEGER, "b": {"type": "integer", "default": 2}}, ["a"], {"a": 1}, {"a": 1, "b": 2})
def keyword_only(*, a: int, b: int = 2):
    return locals()


@row(
    {"a": INTEGER, "b": {"type": "integer", "default": 2}, "c": {"type": "integer", "default": 3}},
    ["a"],
    {"a": 1, "c": 5},
    {"a": 1, "b": 2, "c": 5},
)
def position_only(a: int, b: int = 2, /, c: int = 3):
    return locals()


@row({"first": INTEGER}, ["first"], {"first": 1}, {"first": 1, "more": (), "rest": {}})
def variable_arguments(first: int, *more: int, **rest: str):
    return locals()


@row({"phrase": STRING, "count": STRING}, ["phrase", "count"], {"phrase": "a", "count": "3"})
def without_annotations(phrase, count):
    return locals()


@row({"phrase": {"type": "string", "default": "hi"}, "count": STRING}, [], {}, {"phrase": "hi", "count": 3})
def without_annotations_but_defaults(phrase="hi", count=3):
    return locals()


@row({}, [], {})
def without_parameters():
    return locals()


@row(
    {
        "class_": STRING,
        "json": STRING,
        "schema": STRING,
        "copy": BOOLEAN,
        "model_config": STRING,
        "model_fields": STRING,
    },
    ["class_", "json", "schema", "copy", "model_config", "model_fields"],
    {"class_": "a", "json": "b", "schema": "c", "copy": True, "model_config": "d", "model_fields": "e"},
)
def names_that_pydantic_uses(
    class_: str, json: str, schema: str, copy: bool, model_config: str, model_fields: str
):
    return locals()


@row(
    {
        "properties": STRING,
        "type": STRING,
        "items": {"type": "array", "items": STRING},
        "anyOf": STRING,
        "const": STRING,
        "enum": STRING,
        "default": {"type": "integer", "default": 0},
        "required": {"type": "boolean", "default": True},
    },
    ["properties", "type", "items", "anyOf", "const", "enum"],
    {"properties": "a", "type": "b", "items": ["c"], "anyOf": "d", "const": "e", "enum": "f"},
    {
        "properties": "a",
        "type": "b",
        "items": ["c"],
        "anyOf": "d",
        "const": "e",
        "enum": "f",
        "default": 0,
        "required": True,
    },
)
def names_that_schemas_use(
    properties: str,
    type: str,
    items: list[str],
    anyOf: str,
    const: str,
    enum: str,
    default: int = 0,
    required: bool = True,
):  # noqa: E501
    return locals()


@row({"_secret": INTEGER, "__dunder": INTEGER}, ["_secret", "__dunder"], {"_secret": 1, "__dunder": 2})
def names_with_underscores(_secret: int, __dunder: int):
    return locals()


@row({"self": STRING, "cls": STRING}, ["self", "cls"], {"self": "a", "cls": "b"})
def arguments_called_self(self: str, cls: str):
    return locals()


@row({"year": INTEGER}, ["year"], {"year": 2031}, {"año": 2031})
def another_name_for_the_model(año: Annotated[int, Field(alias="year")]):
    return locals()


@row(
    {"tree": {"$ref": "#/$defs/Branch"}},
    ["tree"],
    {"tree": {"name": "a", "parts": [{"name": "b"}]}},
    {"tree": Branch(name="a", parts=[Branch(name="b")])},
)
def a_model_that_contains_itself(tree: Branch):
    return locals()


@row(
    {"item": {"type": "object", "properties": {"size": INTEGER}, "required": ["size"]}},
    ["item"],
    {"item": {"size": 1}},
)
def a_model_that_comes_later(item: Later):
    return {"item": item.model_dump()}


class Later(BaseModel):
    size: int


@row({"a": INTEGER}, ["a"], {"a": 1})
async def asynchronous(a: int):
    return locals()


class Desk:
    def method(self, a: int):
        return {"a": a}

    @classmethod
    def of_the_class(cls, a: int):
        return {"a": a}

    @staticmethod
    def without_self(a: int):
        return {"a": a}

    def __call__(self, a: int):
        """Write on the desk."""
        return {"a": a}


for thing, called in (
    (Desk().method, "bound_method"),
    (Desk.of_the_class, "class_method"),
    (Desk.without_self, "static_method"),
    (Desk(), "object_to_call"),
):
    row({"a": INTEGER}, ["a"], {"a": 1}, name=called)(thing)


def _base(a: int, *, b: int = 2, c: int = 3):
    return locals()


row(
    {"a": INTEGER, "c": {"type": "integer", "default": 3}},
    ["a"],
    {"a": 1},
    {"a": 1, "b": 5, "c": 3},
    "partial_by_name",
)(functools.partial(_base, b=5))
row(
    {"b": {"type": "integer", "default": 2}, "c": {"type": "integer", "default": 3}},
    [],
    {"b": 1},
    {"a": 9, "b": 1, "c": 3},
    "partial_by_position",
)(functools.partial(_base, 9))


def _logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@row({"a": INTEGER, "b": INTEGER}, ["a", "b"], {"a": 1, "b": 2})
@_logged
def decorated(a: int, b: int):
    return locals()
