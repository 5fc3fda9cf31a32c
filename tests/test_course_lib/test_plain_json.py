"""What a tool's return value becomes: JSON or plain text, readable by a model, never too long."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import math
import pathlib
import random
import sqlite3
import string
import types
import uuid
from typing import Any

import numpy
import pandas
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel, SecretStr, field_serializer

from course_lib.errors import CourseError
from course_lib.linting import definition
from course_lib.plain_json import NOTHING, cut, to_text
from course_lib.providers.history import turns
from course_lib.show import plain


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Shape(BaseModel):
    name: str
    when: datetime.date
    key: SecretStr = SecretStr("hidden-secret")


class Size(enum.Enum):
    SMALL = "small"


class Country(enum.StrEnum):
    SPAIN = "Spain", "ES"

    def __new__(cls, name: str, code: str):
        member = str.__new__(cls, name)
        member._value_ = code
        return member


class Floors(enum.IntEnum):
    TWO = 2, "two floors"

    def __new__(cls, number: int, words: str):
        member = int.__new__(cls, number)
        member._value_ = words
        return member


@dataclasses.dataclass
class Found(dict):
    total: int


@dataclasses.dataclass
class Page(list):
    number: int


class Plain:
    pass


class Described:
    def __str__(self):
        return "a box of 12"


DAY = datetime.date(2026, 1, 2)
HOLDS_ITSELF: list = []
HOLDS_ITSELF.append(HOLDS_ITSELF)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("two\nlines", "two\nlines"),
        (None, NOTHING),
        ("", NOTHING),
        (" \n", NOTHING),
        (7, "7"),
        (0, "0"),
        (0.1, "0.1"),
        (True, "true"),
        (False, "false"),
        (DAY, "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
        (datetime.time(3, 4), "03:04:00"),
        (datetime.timedelta(hours=1), "PT1H"),
        (decimal.Decimal("1.10"), "1.10"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pathlib.PurePosixPath("/a/b"), "/a/b"),
        (Size.SMALL, "small"),
        (Country.SPAIN, "ES"),
        (Floors.TWO, "two floors"),
        (b"hola \xc3\xa9", "hola é"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (Described(), "a box of 12"),
        (ValueError("no such day"), "no such day"),
    ],
)
def test_one_value_is_its_text(value, expected):
    assert to_text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"k": 1, "ü": "é"}, {"k": 1, "ü": "é"}),
        ([1, "a", None], [1, "a", None]),
        ((1, 2), [1, 2]),
        ({3}, [3]),
        (collections.deque([1]), [1]),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (Point(1, 2), {"x": 1, "y": 2}),
        ([Shape(name="s", when=DAY)], [{"name": "s", "when": "2026-01-02", "key": "**********"}]),
        ({"d": DAY, "m": decimal.Decimal("1.10"), "s": {3}, "p": Point(1, 2)},
         {"d": "2026-01-02", "m": "1.10", "s": [3], "p": {"x": 1, "y": 2}}),
        ({1: "a", (2, 3): "b"}, {"1": "a", "2,3": "b"}),
        ({Country.SPAIN: Floors.TWO}, {"ES": "two floors"}),
        ([Found(3), Page(4)], [{"total": 3}, {"number": 4}]),
        ({"n": [math.nan, math.inf]}, {"n": ["NaN", "Infinity"]}),
        ({"b": b"\xff\x00"}, {"b": "/wA="}),
        ((n * n for n in range(3)), [0, 1, 4]),
        ({"g": iter("ab")}, {"g": ["a", "b"]}),
        ({}, {}),
        ([], []),
    ],
)  # fmt: skip
def test_what_holds_values_is_json(value, expected):
    assert json.loads(to_text(value)) == expected


def test_accents_stay_letters():
    assert "Logroño" in to_text({"city": "Logroño"}) and "\\u" not in to_text(["España"])


def test_bytes_that_are_no_text_are_base64():
    assert to_text(b"\xff\x00") == "/wA="


def test_an_endless_iterator_ends():
    assert len(json.loads(to_text(itertools.count(), most_characters=10**6))) == 10_000


def test_a_set_of_texts_has_the_same_order_each_time():
    words = ["pear", "apple", "fig", "plum", "date"]
    assert to_text(set(words)) == to_text(frozenset(reversed(words))) == to_text(sorted(words))


@pytest.mark.parametrize("value", [Plain(), [Plain()], {"a": Plain()}, Plain, len, HOLDS_ITSELF])
def test_an_object_without_a_form_is_described_without_its_address(value):
    text = to_text(value)
    assert text and " at 0x" not in text


def test_half_a_character_is_replaced_not_sent():
    for value in ("\ud800x", ["\ud800x"], {"\ud800": 1}):
        to_text(value).encode("utf-8")


def test_what_has_a_list_is_that_list():
    class Array:
        """As numpy's arrays and scalars have it."""

        def tolist(self):
            return [[1, 2], [3, 4]]

    assert json.loads(to_text({"matrix": Array()})) == {"matrix": [[1, 2], [3, 4]]}


def test_a_long_text_keeps_head_and_tail_and_says_what_is_missing():
    text = to_text("START" + "x" * 10_000 + "END", most_characters=1_000)
    assert text.startswith("START") and text.endswith("END")
    assert "9,008 of 10,008 characters left out" in text and len(text) < 1_100


def test_a_text_of_just_the_limit_is_whole():
    assert to_text("x" * 1_000, most_characters=1_000) == "x" * 1_000


@example("\\", 14)
@given(st.text(min_size=1), st.integers(8, 200))
def test_a_cut_never_splits_an_escape(text, most):
    whole = json.dumps([text] * 20)
    short = cut(whole, most)
    if short != whole:
        head = short.split("\n[…")[0]
        backslashes = len(head) - len(head.rstrip("\\"))
        assert whole.startswith(head) and backslashes % 2 == 0
        assert not head[-5:].startswith("\\u") or head[-6:-5] == "\\" or head[-5:].count("\\") > 1


def test_random_json_comes_back_as_it_was():
    random.seed(7)

    def value(depth):
        kind = random.randrange(6 if depth else 4)
        if kind == 0:
            return "".join(random.choices(string.printable + "ñé", k=5))
        if kind < 4:
            return (None, True, random.random(), random.randrange(10**9))[kind]
        if kind == 4:
            return [value(depth - 1) for _ in range(3)]
        return {str(n): value(depth - 1) for n in range(3)}

    for _ in range(300):
        one = {"value": value(3)}
        assert json.loads(to_text(one)) == one


class TestFrames:
    def test_a_frame_is_its_rows_with_whole_cells(self):
        frame = pandas.DataFrame({"sku": ["a", "b"], "text": ["x" * 200, "é"], "when": [DAY, None]})
        found = json.loads(to_text(frame))
        assert found["rows"] == found["rows_shown"] == 2
        assert [row["text"] for row in found["data"]] == ["x" * 200, "é"]

    def test_of_a_long_frame_as_many_rows_as_fit_and_the_total(self):
        frame = pandas.DataFrame({"n": range(100_000), "name": ["row"] * 100_000})
        text = to_text(frame, most_characters=2_000)
        found = json.loads(text)
        assert found["rows"] == 100_000 and found["rows_shown"] == len(found["data"]) > 10
        assert len(text) < 2_200

    def test_an_index_with_meaning_and_columns_of_several_levels_are_kept(self):
        frame = pandas.DataFrame({("a", "x"): [1]}, index=pandas.Index(["k"], name="key"))
        assert "k" in to_text(frame) and "x" in to_text(frame)
        assert json.loads(to_text(pandas.Series([1.5], index=["a"])))["rows"] == 1


class TestEveryKindOfValue:
    def test_what_has_names_is_an_object_by_them(self):
        row = sqlite3.connect(":memory:")
        row.row_factory = sqlite3.Row
        pair = collections.namedtuple("Pair", "x y")(1, 2)
        for value in (
            row.execute("select 1 x, 2 y").fetchone(),
            pair,
            types.MappingProxyType({"x": 1, "y": 2}),
            types.SimpleNamespace(x=1, y=2),
            collections.UserDict(x=1, y=2),
            collections.ChainMap({"x": 1}, {"y": 2}),
            Point(1, 2),
        ):
            assert json.loads(to_text(value)) == {"x": 1, "y": 2}
            assert json.loads(to_text([value])) == [{"x": 1, "y": 2}]

    def test_what_has_an_order_is_a_list(self):
        for value in (
            {1: 0, 2: 0}.keys(),
            {"a": 1, "b": 2}.values(),
            range(1, 3),
            collections.UserList([1, 2]),
        ):
            assert to_text(value) == "[1,2]"
        assert to_text({10, 9, 2}) == "[2,9,10]"

    def test_values_without_json_deep_inside_a_dataclass_are_converted_too(self):
        value = Point(x={3, 1}, y=[b"\xff", b"ok", math.nan, iter("ab"), DAY])
        assert json.loads(to_text(value)) == {
            "x": [1, 3],
            "y": ["/w==", "ok", "NaN", ["a", "b"], "2026-01-02"],
        }

    def test_what_holds_itself_ends(self):
        around: dict = {"name": "a"}
        around["self"] = [around]
        assert json.loads(to_text(around)) == {"name": "a", "self": ["..."]}
        assert to_text([HOLDS_ITSELF, 1]) == '[["..."],1]'

    def test_what_is_too_deep_or_too_long_ends(self):
        deep: list = []
        for _ in range(100_000):
            deep = [deep]
        assert "..." in to_text(deep)
        assert "characters left out" in to_text(range(10**9))
        assert "5,000 digits" in to_text([10**5000])

    def test_names_that_become_the_same_are_kept_apart(self):
        assert json.loads(to_text({1: "a", "1": "b"})) == {"1": "a", "1 (2)": "b"}

    def test_a_model_is_written_by_its_serializers(self):
        class Priced(BaseModel):
            cents: int
            lines: Any = None

            @field_serializer("cents")
            def euros(self, cents: int) -> str:
                return f"{cents / 100:.2f} EUR"

        class Numbers(RootModel[list[int]]):
            pass

        assert json.loads(to_text(Priced(cents=150, lines=iter("ab")))) == {
            "cents": "1.50 EUR",
            "lines": ["a", "b"],
        }
        assert to_text({"n": Numbers([1, 2])}) == '{"n":[1,2]}'

    def test_a_time_of_numpy_is_a_date(self):
        assert to_text(numpy.array(["2026-01-02"], dtype="datetime64[D]")) == '["2026-01-02"]'
        assert to_text({"n": numpy.int64(5), "m": numpy.array([[1.5]])}) == '{"n":5,"m":[[1.5]]}'

    def test_nothing_in_pandas_is_null(self):
        assert to_text([pandas.NaT, pandas.NA]) == "[null,null]"


class TestOddFrames:
    def test_columns_of_one_name_and_an_index_named_like_a_column_are_kept_apart(self):
        frame = pandas.DataFrame([[1, 2]], columns=["a", "a"], index=pandas.Index(["k"], name="a"))
        (row,) = json.loads(to_text(frame))["data"]
        assert row == {"a": 1, "a (2)": 2, "a (3)": "k"}

    def test_a_cell_with_other_ends_of_line_stays_one_cell(self):
        cell = "one\u2028two\x85three"
        assert json.loads(to_text(pandas.DataFrame({"a": [cell, "b"]})))["data"] == [{"a": cell}, {"a": "b"}]

    def test_one_row_that_is_too_long_is_cut(self):
        text = to_text(pandas.DataFrame({"a": ["x" * 50_000] * 3}), most_characters=1_000)
        assert len(text) < 1_100 and "characters left out" in text and '"rows":3' in text

    def test_an_empty_frame_and_frames_inside_of_others(self):
        assert json.loads(to_text(pandas.DataFrame()))["rows"] == 0
        inside = json.loads(to_text({"table": pandas.DataFrame({"a": [1, None]})}))
        assert inside["table"]["data"] == [{"a": 1.0}, {"a": None}]


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        value = {"inner": value}
    return value


class TestOneWalkForEveryCopy:
    """Tool results, histories, definitions and pictures differ in what they do with what is no JSON only."""

    def test_they_go_equally_deep(self):
        deep = nested(150)
        assert json.loads(to_text(deep)) == turns.plain(deep, "x") == plain.plain(deep) == deep
        assert definition.to_plain(deep) == (deep, [])

    def test_each_says_in_its_own_way_that_a_value_goes_too_deep(self):
        deep = nested(250)
        assert '{"inner":"..."}' in to_text(deep)
        assert '{"inner": "…"}' in json.dumps(plain.plain(deep), ensure_ascii=False)
        with pytest.raises(CourseError, match=r"^x(\['inner'\]){10}… holds itself, or goes too deep"):
            turns.plain(deep, "x")
        with pytest.raises(CourseError, match="response goes too deep"):
            turns.cleaned(deep, "x")
        (problem,) = definition.to_plain(deep)[1]
        assert problem == (".".join(["inner"] * 200), "…")

    def test_a_value_inside_of_itself_is_found_where_it_begins_again(self):
        around: dict[str, Any] = {"tags": [1]}
        around["tags"].append(around)
        assert plain.plain(around) == {"tags": [1, "…"]}
        with pytest.raises(CourseError, match=r"^x\['tags'\]\[1\] holds itself"):
            turns.plain(around, "x")
        assert definition.to_plain(around)[1] == [("tags[1]", "…")]

    def test_the_same_value_twice_is_no_circle(self):
        twice = {"a": (shared := [1]), "b": shared}
        assert (
            turns.plain((twice,), "x") == plain.plain((twice,)) == definition.to_plain((twice,))[0] == [twice]
        )
