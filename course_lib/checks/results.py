"""What check(), hint() and progress() give back: small objects that print as text and show as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.checks.texts import text
from course_lib.show.page import Page, Words

__all__ = [
    "NOT_YET",
    "PASSED",
    "TO_DO",
    "CheckNotPassed",
    "CheckResult",
    "Hint",
    "NotYet",
    "Progress",
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


class _Shown:
    """Something with a page: text where it is printed, HTML in a notebook."""

    def __repr__(self) -> str:
        return repr(self._page())

    def _repr_html_(self) -> str:
        return self._page()._repr_html_()


@dataclass(frozen=True, repr=False)
class CheckResult(_Shown):
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
class Hint(_Shown):
    """One level of help on an exercise; level 0 of 0 says that there is none."""

    id: str
    level: int
    levels: int
    message: str

    def _page(self) -> Page:
        title = text("checks.hint_title", id=self.id, level=self.level, levels=self.levels)
        if self.level == 0:
            title = text("checks.hint_none", id=self.id)
        return Page(title, (Words(self.message),) if self.message else (), "quiet")


@dataclass(frozen=True, repr=False)
class Progress(_Shown):
    """Which exercises are passed, on this computer."""

    states: dict[str, str]
    """Every exercise's id and state, in the order of the course."""
    saved: bool = True

    def _page(self) -> Page:
        passed = sum(state == PASSED for state in self.states.values())
        lessons: dict[str, list[str]] = {}
        for exercise, state in self.states.items():
            mark = text("checks.state." + state.replace(" ", "_"))
            lessons.setdefault(exercise.split(".")[0], []).append(f"{exercise} {mark}")
        parts = [
            Words(text("checks.progress_lesson", lesson=lesson, exercises=", ".join(marks)))
            for lesson, marks in lessons.items()
        ]
        if not self.saved:
            parts.append(Words(text("checks.progress_not_saved"), quiet=True))
        title = text("checks.progress_title", passed=passed, all=len(self.states))
        return Page(title, tuple(parts), "good" if passed and passed == len(self.states) else "quiet")
