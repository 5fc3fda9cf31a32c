"""Whether what a model wrote is what a question expects: arguments of a call, words of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..errors import ToolArgumentError
from ..schemas import read_arguments
from ..tools import ToolCall
from .questions import AnyOf, Choice

__all__ = ["fit", "says"]

_NAME_OR_NUMBER = re.compile(
    r"""
      [^\W\d_] \w* (?: -\w+ | (?<=\d)[.,]\d+ )*       # a word with all that hangs on it: SKU-42, v1.5
    | \d+ (?: -\d+ ){2,}                              # a date, a telephone number
    | (?P<sign> (?<![\w-]) [-\u2212] (?=[$€£]?\d) )?  # after a word or a digit, it joins: 3-5 days
      [$€£]? (?P<digits> \d[\d.,]* )
    """,
    re.VERBOSE,
)
_NEAR = Fraction(1, 10**9)


def fit(call: ToolCall, choice: Choice) -> int:
    """0 where the call is of another tool, 1 where it is the tool, 2 where its arguments fit, too."""
    wanted = [arguments for name, arguments in choice if name == call.name]
    if not wanted:
        return 0
    try:
        # Text is what OpenAI's APIs send; where it is no JSON object, no argument is there to fit.
        given = read_arguments(call.arguments, call.name)
    except ToolArgumentError:
        return 1
    return 2 if not call.cut_off and any(_fit(given, one) for one in wanted) else 1


def _fit(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_fits(given.get(name), value) for name, value in wanted.items())


def _fits(given: Any, wanted: Any) -> bool:
    """Whether a value is what is wanted, at any depth. What is left out of an object is None."""
    if wanted is ...:
        return given is not None
    if isinstance(wanted, AnyOf):
        return any(_fits(given, one) for one in wanted.ways)
    if isinstance(wanted, dict) and isinstance(given, dict):
        return all(_fits(given.get(name), wanted.get(name)) for name in given.keys() | wanted.keys())
    if isinstance(wanted, list | tuple) and isinstance(given, list | tuple):
        return len(given) == len(wanted) and all(map(_fits, given, wanted))
    try:
        return bool(wanted(given)) if callable(wanted) else _same(given, wanted)
    except Exception:  # noqa: BLE001 (a check written for numbers, say, that gets a text)
        return False


def _same(given: Any, wanted: Any) -> bool:
    """Whether two values are the same in JSON, where 4 is 4.0 and is neither true nor "4"."""
    if isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    return bool(given == wanted)


def says(answer: str, what: str | float) -> bool:
    """Whether an answer contains a text, in capitals or not and not as a part of a word, or a number.

    A number has its sign, and is none in a name or a date: 42 does not stand in -42, SKU-42 or 2026-12-42.
    """
    if isinstance(what, str):
        inside = re.escape(" ".join(what.split()).casefold())
        # 12 does not stand in 112, 12.5 or 2026-12-01, but it does at the end of a sentence.
        return bool(
            re.search(
                rf"(?<![\w])(?<!\d[.,\-]){inside}(?![\w])(?![.,\-]\d)", " ".join(answer.split()).casefold()
            )
        )
    # As fractions: they are exact, and no number is too large for one.
    wanted = Fraction(what) if isinstance(what, int) else Fraction(repr(float(what)))
    return any(abs(value - wanted) < _NEAR for value in _numbers(answer))


def _numbers(answer: str) -> Iterator[Fraction]:
    """All that the numbers of a text may mean."""
    for found in _NAME_OR_NUMBER.finditer(answer):
        for value in _values(found["digits"] or ""):
            yield -value if found["sign"] else value


def _values(digits: str) -> set[Fraction]:
    """What a number may mean, whose marks differ by language: 1,042 is 1042 or, in Spanish, 1.042."""
    digits = digits.rstrip(".,")
    readings = (digits.replace(",", ""), digits.replace(".", "").replace(",", "."))
    found = set()
    for reading in readings:
        try:
            found.add(Fraction(reading))
        except ValueError:
            continue
    return found
