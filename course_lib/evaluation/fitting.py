"""Whether what a model wrote is what a question expects: arguments of a call, words of an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import ToolArgumentError
from ..schemas import read_arguments
from ..tools import ToolCall
from .questions import AnyOf, Choice

__all__ = ["fit", "says"]

_NUMBER = re.compile(r"\d[\d.,]*")


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
    if wanted is ...:
        return given is not None
    if isinstance(wanted, AnyOf):
        return any(_fits(given, one) for one in wanted.ways)
    if callable(wanted):
        try:
            return bool(wanted(given))
        except Exception:  # noqa: BLE001 (a check written for numbers, say, that gets a text)
            return False
    return _same(given, wanted)


def _same(given: Any, wanted: Any) -> bool:
    """Whether two values are the same in JSON, where 4 is 4.0 and is neither true nor "4"."""
    if isinstance(wanted, dict) and isinstance(given, dict):
        return given.keys() == wanted.keys() and all(_same(given[name], wanted[name]) for name in wanted)
    if isinstance(wanted, list | tuple) and isinstance(given, list | tuple):
        return len(given) == len(wanted) and all(map(_same, given, wanted))
    if isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    return given == wanted


def says(answer: str, what: str | float) -> bool:
    """Whether an answer contains a text, in capitals or not and not as a part of a word, or a number."""
    if isinstance(what, str):
        inside = re.escape(" ".join(what.split()).casefold())
        # 12 does not stand in 112, 12.5 or 2026-12-01, but it does at the end of a sentence.
        return bool(
            re.search(
                rf"(?<![\w])(?<!\d[.,\-]){inside}(?![\w])(?![.,\-]\d)", " ".join(answer.split()).casefold()
            )
        )
    return any(abs(value - what) < 1e-9 for found in _NUMBER.findall(answer) for value in _values(found))


def _values(digits: str) -> set[float]:
    """What a number may mean, whose marks differ by language: 1,042 is 1042 or, in Spanish, 1.042."""
    digits = digits.rstrip(".,")
    readings = (digits.replace(",", ""), digits.replace(".", "").replace(",", "."))
    found = set()
    for reading in readings:
        try:
            found.add(float(reading))
        except ValueError:
            continue
    return found
