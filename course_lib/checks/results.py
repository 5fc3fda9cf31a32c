"""What check() and hint() give back: small objects that print as text and show as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from ..show.json_text import Line
from ..show.page import Lines, Page, Words
from .texts import text

__all__ = [
    "NOT_YET",
    "PASSED",
    "TO_DO",
    "CheckNotPassed",
    "CheckResult",
    "Hint",
    "NotYet",
    "Shown",
    "ToDo",
]

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
    """Something with a page: text where it is printed, HTML in a notebook."""

    def __repr__(self) -> str:
        return repr(self._page())

    def _repr_html_(self) -> str:
        return self._page()._repr_html_()


@dataclass(frozen=True, repr=False)
class CheckResult(Shown):
    """How an exercise stands."""

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
            parts.append(Lines((Line(0, block),)) if is_code else Words(block))
    return tuple(parts)
