"""What a checker needs to look at an answer and to say what is wrong with it.

Messages are named by a short key: expect(ok, "no_period") in the checker of 01.a says the catalogue's text
checks.01.a.no_period, with the values that are given as {fields}.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ... import models
from ...show.plain import is_a, plain, safe_repr, safe_text, type_name
from .. import setup
from .results import NotYet, ToDo, described, text, text_for_exercise
from .running import look_for_body

_KINDS = {kind: kind.__name__ for kind in (dict, list, str, bool, int, float, tuple)} | {type(None): "none"}


def expect(condition: object, key: str, /, **values: object) -> None:
    """Go on if `condition` holds; else say the text `key`, filled from `values`."""
    if not condition:
        raise not_yet(key, **values)


def not_yet(key: str, /, **values: object) -> NotYet:
    """Return the exception that says the text `key`, filled from `values`."""
    return NotYet(text_for_exercise(key, **values))


def expect_empty(found: Collection, key: str, /, **values: object) -> None:
    """Go on if nothing is in `found`; else say the text `key`, whose {got} lists what is."""
    expect(not found, key, got=listed(found), **values)


def listed(items: Collection) -> str:
    """Return the items with commas between them, those of a set in the order of the alphabet."""
    texts = map(str, items)
    return ", ".join(sorted(texts) if isinstance(items, Set) else texts)


@contextmanager
def explained(key: str, /, *kinds: type[Exception], **values: object) -> Iterator[None]:
    """Say the text `key` if an exception of these kinds, by default any, leaves the `with` block.

    The text may have the fields {what}, the exception with its type, and {got}, its message alone. What a
    checker raises itself goes through.
    """
    caught = kinds or (Exception,)
    try:
        yield
    except (NotYet, ToDo):
        raise
    except caught as error:
        fields = {"what": described(error, 120), "got": safe_text(error, 400), **values}
        raise not_yet(key, **fields) from error


def expect_type(value: object, kind: type | tuple[type, ...], name: str) -> None:
    """Go on if `value` is a `kind`; else say what `name` should be and what it is. True is no int here."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    fits = is_a(value, kinds) and not (is_a(value, bool) and bool not in kinds)
    if not fits:
        wanted = text("checks.kind.or").join(_kind_name(one) for one in kinds)
        raise NotYet(text("checks.common.wrong_type", name=name, expected=wanted, got=_kind_of(value)))


class Problems:
    """Everything that is wrong with an answer, so that a learner reads it at once: expect() …, report()."""

    def __init__(self) -> None:
        self._messages: list[str] = []

    def expect(self, condition: object, key: str, /, **values: object) -> bool:
        """Return whether `condition` holds; if not, note the text `key`."""
        if not condition:
            self._messages.append(text_for_exercise(key, **values))
        return bool(condition)

    def expect_empty(self, found: Collection, key: str, /, **values: object) -> bool:
        """Return whether nothing is in `found`; else note the text `key`, whose {got} lists what is."""
        return self.expect(not found, key, got=listed(found), **values)

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


def expect_returned(got: object, kind: type | tuple[type, ...], name: str) -> None:
    """Go on if a function returned a `kind`; None is answered with the exercise's text `returns_none`."""
    expect(got is not None, "returns_none")
    expect_type(got, kind, name)


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

    `name` is what the learner calls the value. Without `reveal` the expected value of a field is not shown.
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
    kind = type(value)
    return _kind_name(kind) if kind in _KINDS else text("checks.kind.other", type=type_name(value))


def _kind_name(kind: type) -> str:
    known = _KINDS.get(kind)
    return text(f"checks.kind.{known}") if known else text("checks.kind.other", type=kind.__name__)


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


def blocks(message: Any, kind: str) -> list[Any]:
    """Return the blocks of one kind in a message, which may be dictionaries or objects of an SDK."""
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if field(block, "type") == kind] if isinstance(content, list) else []


def field(block: Any, name: str) -> Any:
    """Return a field of a dictionary or of an object, None if it has none of this name."""
    return block.get(name) if isinstance(block, dict) else getattr(block, name, None)


@dataclass(frozen=True)
class PracticeAnswer:
    """How the practice model answered a request: with text, or with a refusal."""

    text: str = ""
    refusal: str = ""
    """The sentence of a status 400; "" where the request was accepted."""


def ask_practice(**request: Any) -> PracticeAnswer | None:
    """Return what the practice model of the session answers to a request, or None where it cannot be asked.

    That is so in live mode, where a check must cost nothing; before setup(), when the SDK would go to the
    real service; and with a model id that only the real service has.
    """
    if setup.status() is None or setup.is_live():
        return None
    from anthropic import Anthropic, BadRequestError, NotFoundError

    client = Anthropic(max_retries=0)
    try:
        response = client.messages.create(model=models.ANTHROPIC, max_tokens=1000, **request)
    except BadRequestError as error:
        return PracticeAnswer(refusal=error.api_message or str(error))
    except NotFoundError:
        return None
    return PracticeAnswer("\n".join(block.text for block in response.content if block.type == "text"))
