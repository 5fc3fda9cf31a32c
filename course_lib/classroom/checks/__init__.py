"""Exercise checkers and hints: check("01.a", answer), hint("01.a"), progress().

The checkers of a lesson are in lesson_NN.py, each registered with @checker("NN.a"); their texts are in the
catalogue, under [checks.NN.a] and [hints.NN.a]. In class nothing here raises: a check is passed, not yet,
or to do. With COURSE_CHECKS=strict a check that is not passed raises CheckNotPassed.
"""

from __future__ import annotations

import os
import sys

from ...show.plain import is_a, safe_repr, safe_text
from ..setup import status
from . import record
from .progress import Progress, progress
from .results import NOT_YET, PASSED, TO_DO, CheckNotPassed, CheckResult, Hint, described, has_text, text
from .running import Checker, as_id, find, known_ids, lessons, run

__all__ = [
    "NOT_YET",
    "PASSED",
    "TO_DO",
    "CheckNotPassed",
    "CheckResult",
    "Hint",
    "Progress",
    "check",
    "hint",
    "progress",
]

_hints_given: dict[str, int] = {}
_hints_since: object = None
"""What setup() had decided when they were given."""


def check(id: str | None = None, /, *answers: object, **named: object) -> CheckResult:
    """Look at your answers to an exercise: passed, not yet (and why), or to do."""
    found, problem = _find(id, 'check("01.a", answer)')
    if found is None:
        result = CheckResult(_name(id), NOT_YET, problem)
    else:
        result = run(found, answers, named)
        if result.state != TO_DO and not _is_solved_edition():
            record.remember(found.id, result.state)
    if not result.passed and os.environ.get("COURSE_CHECKS", "").strip().lower() == "strict":
        raise CheckNotPassed(repr(result))
    return result


def hint(id: str | None = None) -> Hint:
    """Give the next hint on an exercise: where to look, then what to use, then nearly the answer.

    After setup() the first one comes again: a notebook that is run as a whole, once more, uses none up.
    """
    global _hints_since
    found, problem = _find(id, 'hint("01.a")')
    if found is None:
        return Hint(_name(id), 0, 0, problem)
    levels = 0
    while has_text(f"hints.{found.id}.{levels + 1}"):
        levels += 1
    if levels == 0:
        return Hint(found.id, 0, 0, "")
    if status() is not _hints_since:
        _hints_since = status()
        _hints_given.clear()
    level = _hints_given[found.id] = min(_hints_given.get(found.id, 0) + 1, levels)
    return Hint(found.id, level, levels, text(f"hints.{found.id}.{level}"))


def _name(id: object) -> str:
    return "?" if id is None else safe_text(id, 40)


def _find(id: object, example: str) -> tuple[Checker | None, str]:
    """Return the checker of an exercise, or a sentence on why there is none; `example` is a right call."""
    if id is None:
        return None, text("checks.no_id", example=example)
    if not is_a(id, str):
        return None, text("checks.id_is_text", got=safe_repr(id, 40))
    id = str.__str__(id)
    try:
        found = find(id)
        if found is not None:
            return found, ""
        meant = as_id(id)
        if meant != id and find(meant) is not None:
            return None, text("checks.did_you_mean", id=id, meant=meant)
    except Exception as error:  # noqa: BLE001 - a mistake in our lesson module is no reason for a trace in class
        return None, text("checks.broken", what=described(error))
    siblings = known_ids(meant[:2])
    if siblings:
        return None, text("checks.unknown_id", id=id, known=", ".join(siblings))
    return None, text("checks.unknown_lesson", id=id, known=", ".join(lessons()) or "–")


def _is_solved_edition() -> bool:
    """Return whether the cells that run here are the course's own solutions, which no learner has passed."""
    cells = getattr(sys.modules.get("__main__"), "In", ())
    return any(is_a(cell, str) and "### BEGIN SOLUTION" in cell for cell in cells)
