"""What a checker needs to look at an answer and to say what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ... import models
from ...show.plain import is_a, plain, safe_repr, type_name
from .. import setup
from .results import NotYet, ToDo, text, text_for_exercise
from .running import look_for_body

# Ask the practice model of the session what it makes of a learner's answer ----------------------------


@dataclass(frozen=True)
class Asked:
    """How the practice model answered."""

    text: str = ""
    refusal: str = ""
    """The sentence of a status 400; "" where the request was accepted."""


def ask_practice(**request: Any) -> Asked | None:
    """Send a request to Messages; None where the practice model cannot be asked.

    That is so in live mode, where a check must cost nothing; before setup(), when the SDK would go to the
    real service; and with a model id that only the real service has.
    """
    if setup.status() is None or setup.is_live():
        return None
    from anthropic import Anthropic, BadRequestError, NotFoundError

    try:
        response = Anthropic(max_retries=0).messages.create(
            model=models.ANTHROPIC, max_tokens=1000, **request
        )
    except BadRequestError as error:
        return Asked(refusal=error.api_message or str(error))
    except NotFoundError:
        return None
    return Asked(text="\n".join(block.text for block in response.content if block.type == "text"))


# What a checker needs to look at an answer and to say what is wrong with it ---------------------------
# Messages are named by a short key: expect(ok, "no_period") in the checker of 01.a says the catalogue's text
# checks.01.a.no_period, with the values that are given as {fields}.


_KINDS = {dict: "dict", list: "list", str: "str", bool: "bool", int: "int", float: "float", tuple: "tuple"}


def expect(condition: object, key: str, /, **values: object) -> None:
    """Go on if `condition` holds; else say the text `key`, filled from `values`."""
    if not condition:
        raise NotYet(text_for_exercise(key, **values))


def expect_type(value: object, kind: type | tuple[type, ...], name: str) -> None:
    """Go on if `value` is a `kind`; else say what `name` should be and what it is. True is no int here."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    fits = is_a(value, kinds) and not (is_a(value, bool) and bool not in kinds)
    if not fits:
        wanted = text("checks.kind.or").join(_kind_name(one) for one in kinds)
        raise NotYet(text("checks.common.wrong_type", name=name, expected=wanted, got=_kind_of(value)))


class Problems:
    """Collects everything that is wrong, so that a learner hears it at once: expect() …, then report()."""

    def __init__(self) -> None:
        self._messages: list[str] = []

    def expect(self, condition: object, key: str, /, **values: object) -> bool:
        """Return whether `condition` holds; if not, note the text `key`."""
        if not condition:
            self._messages.append(text_for_exercise(key, **values))
        return bool(condition)

    def report(self) -> None:
        """Raise NotYet with one line for each problem; go on if there is none."""
        if len(self._messages) == 1:
            raise NotYet(self._messages[0])
        if self._messages:
            raise NotYet("\n".join(f"- {message}" for message in self._messages))


def call(function: Callable, /, *args: object, **kwargs: object) -> Any:
    """Return function(*args, **kwargs); a function that is not written yet is "to do".

    What it raises is explained by check(), with its line. A name that cannot be called is "not yet".
    """
    if not callable(function):
        raise NotYet(text("checks.common.not_callable", got=_kind_of(function)))
    look_for_body(function)
    result = function(*args, **kwargs)
    if result is ...:
        raise ToDo
    return result


def take(items: Iterable, limit: int = 1_000) -> list:
    """Return the items as a list; more than `limit` of them (perhaps without end) is "not yet"."""
    found = list(islice(items, limit + 1))
    if len(found) > limit:
        raise NotYet(text("checks.common.too_many", limit=limit))
    return found


@dataclass(frozen=True)
class Difference:
    """Where two JSON values first differ."""

    path: str
    """Such as messages[2].content[0].tool_use_id; "" for the whole value."""
    kind: str
    """missing, extra, length, type or value: the text checks.difference.<kind>."""
    expected: str
    got: str

    def words(self) -> str:
        """Return the difference as a sentence."""
        where = text("checks.difference.at", path=self.path) if self.path else text("checks.difference.whole")
        return text(f"checks.difference.{self.kind}", where=where, expected=self.expected, got=self.got)


def expect_equal(got: object, expected: object, name: str = "", *, reveal: bool = False) -> None:
    """Go on if both are the same as JSON; else say where they first differ.

    `name` is what the learner calls the value. Without `reveal` the expected value of a field stays untold.
    """
    found = first_difference(got, expected, name, reveal=reveal)
    if found is not None:
        raise NotYet(found.words())


def first_difference(
    got: object, expected: object, path: str = "", *, reveal: bool = False
) -> Difference | None:
    """Return where two values first differ as JSON, or None; objects of an SDK count as what they send."""
    return _difference(plain(got), plain(expected), path, reveal)


def _difference(got: Any, expected: Any, path: str, reveal: bool) -> Difference | None:
    numbers = _is_number(got) and _is_number(expected)
    if type(got) is not type(expected) and not numbers:
        return Difference(path, "type", _kind_of(expected), _kind_of(got))
    if isinstance(expected, dict):
        for key in expected:
            if key not in got:
                return Difference(path, "missing", key, "")
        for key in got:
            if key not in expected:
                return Difference(path, "extra", "", key)
        pairs = [(_step(path, key), got[key], expected[key]) for key in expected]
    elif isinstance(expected, list):
        if len(got) != len(expected):
            return Difference(path, "length", str(len(expected)), str(len(got)))
        pairs = [(f"{path}[{n}]", *both) for n, both in enumerate(zip(got, expected, strict=True))]
    elif got == expected:
        return None
    else:
        return Difference(path, "revealed" if reveal else "value", safe_repr(expected), safe_repr(got))
    found = (_difference(mine, theirs, where, reveal) for where, mine, theirs in pairs)
    return next((one for one in found if one is not None), None)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _step(path: str, key: str) -> str:
    if not key.isidentifier():
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key


def _kind_of(value: object) -> str:
    if value is None:
        return text("checks.kind.none")
    return (
        _kind_name(type(value)) if type(value) in _KINDS else text("checks.kind.other", type=type_name(value))
    )


def _kind_name(kind: type) -> str:
    if kind is type(None):
        return text("checks.kind.none")
    return (
        text(f"checks.kind.{_KINDS[kind]}")
        if kind in _KINDS
        else text("checks.kind.other", type=kind.__name__)
    )


def letters(answer: Any, known: str) -> set[str]:
    """Return the letters that an answer chooses: from a list of them, or a text such as "bd" or "b, d".

    Anything else that is no single letter is answered with the exercise's text `shape`.
    """
    expect(isinstance(answer, list | tuple | set | frozenset | str), "shape")
    if isinstance(answer, str):
        parts = re.split(r"[\s,;]+", answer.lower())
        if len(parts) == 1 and set(parts[0]) <= set(known):
            parts = list(parts[0])
    else:
        parts = [str(one).strip().lower() for one in answer]
    chosen = {part for part in parts if part}
    expect(all(len(part) == 1 for part in chosen), "shape")
    return chosen
