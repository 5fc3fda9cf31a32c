"""What a model sends: turned into Python objects, mended where there is no doubt, refused in one message."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator
from schema_signatures import Aisle, Batter, Bird, Branch, Closed, Fish, Grade, Roast
from typing_extensions import TypedDict

from course_lib.tools import Tool, ToolArgumentError, tool


def taking(annotation: Any, default: Any = ...) -> Tool:
    """A tool with one parameter, x, that returns what it gets."""

    def probe(x):
        return x

    probe.__annotations__ = {"x": annotation}
    probe.__defaults__ = None if default is ... else (default,)
    return tool(probe)


def refused(tool: Tool, arguments: Any) -> ToolArgumentError:
    with pytest.raises(ToolArgumentError) as error:
        tool.run(arguments)
    return error.value


def problem(annotation: Any, value: Any) -> str:
    """The one problem with a value."""
    (found,) = refused(taking(annotation), {"x": value}).problems
    return str(found)


# What is mended -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "sent", "expected"),
    [
        (int, "5", 5),
        (int, " -5 ", -5),
        (int, "5.0", 5),
        (int, 5.0, 5),
        (float, "1.5", 1.5),
        (float, "1e3", 1000.0),
        (float, 5, 5.0),
        (int | None, "5", 5),
        (int | float, "5", 5),
        (int | float, "5.5", 5.5),
        (list[int], ["1", 2], [1, 2]),
        (dict[str, int], {"a": "1"}, {"a": 1}),
        (Annotated[int, Field(ge=1)], "7", 7),
        (Literal[1, 2], "2", 2),
        (Literal["auto", 1], "1", 1),
        (Grade, "2", Grade.HIGH),
        (bool, "false", False),
        (bool, "True", True),
        (bool, "no", False),
        (list[str], '["a", "b"]', ["a", "b"]),
        (list[int], "[1, 2]", [1, 2]),
        (set[int], "[1, 2]", {1, 2}),
        (tuple[int, int], "[1, 2]", (1, 2)),
        (dict[str, int], '{"w": 3}', {"w": 3}),
        (dict[str, int] | None, '{"w": "3"}', {"w": 3}),
        (Aisle, '{"title": "a"}', Aisle(title="a")),
        (Batter, '{"flour": "500"}', Batter(500)),
        (list[Aisle], '[{"title": "a", "shelf": "2"}]', [Aisle(title="a", shelf=2)]),
        (list[Aisle], ['{"title": "a"}'], [Aisle(title="a")]),
        (Bird | Fish, '{"kind": "fish", "fins": 2}', Fish(kind="fish", fins=2)),
        (Branch, {"name": "a", "parts": '[{"name": "b"}]'}, Branch(name="a", parts=[Branch(name="b")])),
    ],
)
def test_mended_where_the_schema_says_what_was_meant(annotation, sent, expected):
    found = taking(annotation).execute(x=sent)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (str, "5"),
        (str, "true"),
        (str, "[1]"),
        (str, '{"a": 1}'),
        (str, "null"),
        (int | str, "5"),
        (list[str], ["[1]", "2"]),
        (Any, "5"),
        (Any, [True, "[1]"]),
        (dict, {"a": "1"}),
        (str | None, None),
        (list[str] | str, '["a"]'),
    ],
)
def test_what_fits_already_is_left_alone(annotation, sent):
    assert taking(annotation).execute(x=sent) == sent


def test_what_the_model_sent_is_not_changed():
    sent = {"x": ["1", {"a": None}]}
    before = copy.deepcopy(sent)
    taking(list[int | dict[str, None]]).run(sent)
    assert sent == before


def test_a_decimal_keeps_its_digits():
    assert str(taking(Decimal).execute(x="12.50") * 2) == "25.00"
    assert taking(Decimal).execute(x=0.1) == Decimal("0.1")


def test_large_whole_numbers_stay_exact():
    assert taking(int).execute(x=10**30) == 10**30
    assert taking(int).run(f'{{"x": "{10**30}"}}') == 10**30


def test_a_model_may_have_its_own_checks():
    class Even(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("n must be even")
            return n

    assert taking(Even).execute(x={"n": "4"}).n == 4
    assert problem(Even, {"n": 3}) == "x.n n must be even, not 3"


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "sent", "words"),
    [
        (int, True, "x should be a valid integer, not true"),
        (float, False, "x should be a valid number, not false"),
        (int, "5.7", 'x should be a valid integer, not "5.7"'),
        (int, 5.7, "x should be a valid integer, not 5.7"),
        (int, "five", 'x should be a valid integer, not "five"'),
        (int, None, "x should be a valid integer, not null"),
        (int, "9" * 5000, "x should be a valid integer, not"),
        (float, "nan", 'x should be a valid number, not "nan"'),
        (float, "1e999", 'x should be a valid number, not "1e999"'),
        (bool, "maybe", 'x should be a valid boolean, not "maybe"'),
        (bool, "", 'x should be a valid boolean, not ""'),
        (bool, 1, "x should be a valid boolean, not 1"),
        (str, 8001, "x should be a string, in quotes, not 8001"),
        (str, True, "x should be a string, in quotes, not true"),
        (str, ["a"], 'x should be a string, in quotes, not ["a"]'),
        (Literal[1, 2], True, "x should not be true"),
        (Grade, True, "x should not be true"),
        (list[int], [1, True], "x[1] should be a valid integer, not true"),
        (Literal["soft", "hard"], "Soft", "x should be 'soft' or 'hard', not \"Soft\""),
        (Roast, "DARK", "x should be 'light' or 'dark', not \"DARK\""),
        (list[int], "1, 2", 'x should be a valid array, not "1, 2"'),
        (list[int], '{"a": 1}', "x should be a valid array, not"),
        (list[int], {"a": 1}, 'x should be a valid array, not {"a": 1}'),
        (dict[str, int], "[1]", 'x should be an object, not "[1]"'),
        (tuple[float, float], [1, 2, 3], "x should have at most 2 items, not [1, 2, 3]"),
        (tuple[float, float], [1], "x[1] is missing"),
        (Annotated[int, Field(le=7)], 9, "x should be less than or equal to 7, not 9"),
        (Annotated[str, Field(max_length=3)], "abcd", 'x should have at most 3 characters, not "abcd"'),
        (dt.date, "tomorrow", "x should be a valid date"),
        (dt.date, "2031-02-30", "x should be a valid date"),
        (dt.date, 20310502, "x should be a valid date, not 20310502"),
        (dt.datetime, "20310502", 'x should have the format date-time, not "20310502"'),
        (dt.datetime | None, "1000", 'x should have the format date-time, not "1000"'),
        (Aisle, {}, "x.title is missing"),
        (Aisle, {"title": 3}, "x.title should be a string, in quotes, not 3"),
        (Aisle, {"title": "a", "shelf": 0}, "x.shelf should be greater than or equal to 1, not 0"),
        (Closed, {"beds": 1, "bath": True}, "x.bath is no argument there; the arguments there are: beds"),
        (Annotated[set[int], Field(max_length=1)], [1, 2], "x should have at most 1 item, not [1, 2]"),
        (dict[int, str], {"x": "a"}, 'x has the key "x", which should be a valid integer'),
        (dict[Literal["a"], int], {"5": "6"}, "x has the key \"5\", which should be 'a'"),
        (float, 10**400, "x should be a number that JSON can write"),
        (list[float], [-(10**400)], "x[0] should be a number that JSON can write"),
        (dict[str, list[Aisle]], {"a": [{"title": "t"}, {}]}, "x.a[1].title is missing"),
        (int | list[int], "a", 'x should be a valid integer or should be a valid array, not "a"'),
    ],
)
def test_refused_in_words_that_help(annotation, sent, words):
    assert problem(annotation, sent).startswith(words)


def test_text_that_decodes_to_something_wrong_is_quoted_as_it_was_sent():
    assert problem(list[int], '[1, "b"]') == (
        'x[1] should be a valid integer, in what you sent: "[1, \\"b\\"]"'
    )


def test_a_number_beyond_json_is_refused():
    assert "a number that JSON can write" in problem(float, float("nan"))
    assert "a number that JSON can write" in str(refused(taking(float), '{"x": NaN}'))


def test_a_long_value_is_cut():
    text = problem(int, "x" * 10_000)
    assert len(text) < 200
    assert "(10002 characters)" in text


def test_all_problems_are_told_at_once():
    @tool
    def book(film: str, seats: int, day: dt.date, size: Literal["S", "M"] = "S"): ...

    error = refused(book, {"film": 7, "seats": "many", "size": "XL", "units": "metric"})
    assert str(error) == (
        "book did not run, because of its arguments:\n"
        "- film should be a string, in quotes, not 7\n"
        '- seats should be a valid integer, not "many"\n'
        "- day is missing\n"
        "- size should be 'S' or 'M', not \"XL\"\n"
        "- units is no argument of this tool; the arguments are: film, seats, day, size\n"
        "Call it again with all of this corrected."
    )
    assert error.tool == "book"
    assert [one.where for one in error.problems] == ["film", "seats", "day", "size", "units"]


def test_made_up_arguments_of_a_tool_without_any():
    assert "there are no arguments" in str(refused(tool(nothing), {"x": 1}))


def nothing(): ...


def test_the_error_survives_being_copied_and_pickled():
    error = refused(taking(int), {})
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert str(again) == str(error)
        assert again.problems == error.problems


# Missing, null and default ------------------------------------------------------------------------


def test_null_is_not_the_same_as_missing():
    @tool
    def attach(note: Annotated[str | None, Field(description="Short note or null")]):
        return note

    assert attach.execute(note=None) is None
    assert [str(one) for one in refused(attach, {}).problems] == ["note is missing"]


def test_what_is_missing_has_the_functions_own_default():
    marker = object()
    assert taking(Any, marker).execute() is marker
    assert taking(list[int], [1]).execute() == [1]


def test_null_for_a_default_that_is_not_nullable_means_the_default():
    assert taking(int, 3).execute(x=None) == 3
    assert taking(list[int], (1,)).execute(x=None) == (1,)
    assert taking(int | str, 3).execute(x=None) == 3
    assert taking(Roast, Roast.DARK).execute(x=None) is Roast.DARK


# Arguments as text --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "  \n", "{}"])
def test_no_text_means_no_arguments(text):
    assert taking(int, 3).run(text) == 3
    assert [str(one) for one in refused(taking(int), text).problems] == ["x is missing"]


def test_text_is_read_as_json_also_when_encoded_twice():
    assert taking(int).run('{"x": 5}') == 5
    assert taking(int).run(json.dumps('{"x": 5}')) == 5


def test_broken_text_never_runs_the_tool_with_its_defaults():
    ran = []

    @tool
    def wipe(path: str = "/"):
        ran.append(path)

    error = refused(wipe, '{"path": "/data/x", ')
    assert not ran
    assert "wipe did not run" in str(error)
    assert "not valid JSON (Expecting property name" in str(error)
    assert "(char 19)" in str(error)
    assert '{"path": "/data/x",' in str(error)


def test_broken_text_is_cut():
    assert len(str(refused(taking(int), '{"x": "' + "a" * 10_000))) < 500


@pytest.mark.parametrize(
    ("text", "kind"), [('[{"x": 1}]', "array"), ("3", "integer"), ("2.5", "number"), ("true", "boolean")]
)
def test_arguments_must_be_an_object(text, kind):
    assert f"must be a JSON object, not {kind}" in str(refused(taking(int), text))


@pytest.mark.parametrize("sent", ["null", '"null"', None, "", "{}"])
def test_null_for_all_of_them_is_no_arguments(sent):
    assert taking(int, 3).run(sent) == 3


@pytest.mark.parametrize(
    ("sent", "where"),
    [
        ('{"x": "\\ud800"}', "x"),
        ({"x": {"deep": ["a", "\ud800"]}}, "x.deep[1]"),
        ({"x": object()}, "x"),
        ({"x": 10**5000}, "x"),
        ({"\ud800": 1}, ""),
    ],
)
def test_what_is_no_json_is_refused_with_its_place_not_a_crash(sent, where):
    (found,) = refused(taking(Any), sent).problems
    assert found.where == where and "not JSON" in found.what
    assert str(found).isascii()


# Arguments that were made up ----------------------------------------------------------------------


class Lax(BaseModel, extra="ignore"):
    beds: int


class Free(BaseModel, extra="allow"):
    beds: int


class Cat(BaseModel):
    kind: Literal["cat"]
    claws: int = 18


class Dog(BaseModel):
    kind: Literal["dog"]
    tail: int = 1


class Leash(TypedDict):
    length: int


@dataclass
class Bowl:
    size: int


@pytest.mark.parametrize(
    ("annotation", "sent", "told"),
    [
        (Aisle, {"title": "a", "made_up": 1}, "x.made_up"),
        (list[Aisle], [{"title": "a"}, {"title": "b", "made_up": 1}], "x[1].made_up"),
        (dict[str, Aisle], {"k": {"title": "a", "made_up": 1}}, "x.k.made_up"),
        (Aisle | None, {"title": "a", "made_up": 1}, "x.made_up"),
        (str | Aisle, {"title": "a", "made_up": 1}, "x.made_up"),
        (Leash, {"length": 1, "made_up": 1}, "x.made_up"),
        (Bowl, {"size": 1, "made_up": 1}, "x.made_up"),
        # A field of the other choice is none of this one.
        (Cat | Dog, {"kind": "cat", "tail": 2}, "x.tail"),
        (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog", "claws": 2}, "x.claws"),
    ],
)
def test_invented_arguments_are_refused_at_any_depth(annotation, sent, told):
    said = problem(annotation, sent)
    assert said.startswith(f"{told} is no argument there; the arguments there are: ")


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (Lax, {"beds": 1, "more": 2}),
        (Free, {"beds": 1, "more": 2}),
        (dict[str, int], {"beds": 1, "more": 2}),
        (dict, {"beds": 1, "more": 2}),
        (Any, {"beds": 1, "more": 2}),
        (Aisle | dict[str, int], {"beds": 1, "more": 2}),
        (Cat | Dog, {"kind": "dog", "tail": 2}),
    ],
)
def test_what_may_have_any_keys_takes_them(annotation, sent):
    assert taking(annotation).run({"x": sent}) is not None


def test_deep_nesting_is_refused_not_a_crash():
    assert refused(taking(int), '{"x": ' + "[" * 100_000 + "}")
    assert refused(taking(list[int]), {"x": "[" * 100_000})
