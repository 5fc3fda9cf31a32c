"""What check() and hint() give back, and the catalogue's texts for checkers."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from itertools import groupby

from ...messages import language, localized, texts
from ...show.page import Lines, Page, Words
from ...show.plain import TextLine, is_a, safe_repr, safe_text, type_name

# The catalogue's texts for checkers -------------------------------------------------------------------

current_exercise: ContextVar[str] = ContextVar("current_exercise", default="")
"""The id of the exercise that is being checked, so that a checker need not repeat it."""


def has_text(key: str) -> bool:
    """Return whether the catalogue has a text, in the current language or in English."""
    return key in texts(language()) or key in texts("en")


def text(key: str, /, **values: object) -> str:
    """Return a text of the catalogue; values other than text and numbers appear as their repr, shortened."""
    shown = {name: _shown(value) for name, value in values.items()}
    try:
        return localized(key, **shown)
    except LookupError:
        # A text that was forgotten must not stop a learner; the tests of each lesson look for these.
        return " ".join([f"[{key}]", *(f"{name}={value}" for name, value in shown.items())])


def text_for_exercise(key: str, /, **values: object) -> str:
    """Return checks.<exercise>.<key>, or else checks.common.<key>, or else the text `key` itself."""
    for full in (f"checks.{current_exercise.get()}.{key}", f"checks.common.{key}"):
        if has_text(full):
            return text(full, **values)
    return text(key, **values)


def _shown(value: object) -> object:
    if type(value) is int and value.bit_length() < 200:
        return value
    return safe_text(value, 400) if is_a(value, str) else safe_repr(value)


def described(error: BaseException, limit: int = 300) -> str:
    """Return an exception's type and message, in at most about `limit` characters of message."""
    return f"{type_name(error)}: {safe_text(error, limit)}".rstrip(": ")


# What check() and hint() give back --------------------------------------------------------------------

PASSED = "passed"
NOT_YET = "not yet"
TO_DO = "to do"

_TONES = {PASSED: "good", NOT_YET: "warning", TO_DO: "quiet"}


class NotYet(Exception):
    """Raised by a checker: the answer is not right yet; the message tells the learner why and where."""


class ToDo(Exception):
    """Raised by a checker: there is no answer yet; the message may say what is missing."""


class CheckNotPassed(Exception):
    """Raised by check() with COURSE_CHECKS=strict where the answer has not passed."""


class Shown:
    """An object with a page: text where it is printed, HTML in a notebook."""

    def __repr__(self) -> str:
        return repr(self._page())

    def _repr_html_(self) -> str:
        return self._page()._repr_html_()


@dataclass(frozen=True, repr=False)
class CheckResult(Shown):
    """What a check found: the state of an exercise, and why."""

    id: str
    state: str
    """PASSED, NOT_YET or TO_DO, in whatever language the message is."""
    message: str
    has_hint: bool = False

    @property
    def passed(self) -> bool:
        return self.state == PASSED

    def _page(self) -> Page:
        state = text("checks.state." + self.state.replace(" ", "_"))
        parts = [Words(self.message)] if self.message else []
        if self.has_hint and not self.passed:
            parts.append(Words(text("checks.hint_offer", id=self.id), quiet=True))
        return Page(text("checks.headline", id=self.id, state=state), tuple(parts), _TONES[self.state])


@dataclass(frozen=True, repr=False)
class Hint(Shown):
    """One level of help on an exercise; level 0 of 0 says that there is none."""

    id: str
    level: int
    levels: int
    message: str

    def _page(self) -> Page:
        title = text("checks.hint_title", id=self.id, level=self.level, levels=self.levels)
        if self.level == 0:
            title = text("checks.hint_none", id=self.id)
        return Page(title, _sentences_and_code(self.message), "quiet")


def _sentences_and_code(message: str) -> tuple[Words | Lines, ...]:
    """Split a text of several lines: those that begin with a space are code, shown as they stand."""
    kinds: list[tuple[bool, str]] = []
    for line in message.splitlines():
        # An empty line belongs to whatever it follows.
        is_code = line.startswith(" ") if line.strip() else bool(kinds) and kinds[-1][0]
        kinds.append((is_code, line))
    parts: list[Words | Lines] = []
    for is_code, run in groupby(kinds, key=lambda kind: kind[0]):
        block = "\n".join(line for _, line in run).rstrip()
        if block:
            parts.append(Lines((TextLine(0, block),)) if is_code else Words(block))
    return tuple(parts)
