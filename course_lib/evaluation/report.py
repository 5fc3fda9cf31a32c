"""The figures of an evaluation, as text that reads well in a notebook; and two of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import fill

from ..errors import CourseError
from ..messages import localized
from ..show.page import aligned
from .grading import WIDTH, Result


@dataclass(frozen=True, repr=False)
class Report:
    """How the questions of an evaluation went. `report["where"]` is one question's `Result`.

    The shares are of all questions together, each call counted once:

    precision   matched calls / calls made: was each call a good idea?
    recall      matched calls / calls expected: was everything done?
    arguments   fitting calls / matched calls
    outcomes    questions whose outcome came about / questions that state one (says, never, outcome, ends)

    A share of nothing is 1 where nothing was expected, else 0: who makes no call has no precision.
    """

    results: tuple[Result, ...]

    def __getitem__(self, id: str) -> Result:
        for result in self.results:
            if result.id == id:
                return result
        raise KeyError(
            f"There is no question '{id}': the ids are {', '.join(one.id for one in self.results)}."
        )

    @property
    def right(self) -> int:
        """How many questions went as they should, in all respects."""
        return sum(one.right for one in self.results)

    @property
    def made(self) -> int:
        return sum(one.made for one in self.results)

    @property
    def expected(self) -> int:
        return sum(one.expected for one in self.results)

    @property
    def matched(self) -> int:
        return sum(one.matched for one in self.results)

    @property
    def fitting(self) -> int:
        return sum(one.fitting for one in self.results)

    @property
    def precision(self) -> float:
        return _share(self.matched, self.made, self.expected)

    @property
    def recall(self) -> float:
        return _share(self.matched, self.expected, 0)

    @property
    def arguments(self) -> float:
        return _share(self.fitting, self.matched, self.expected)

    @property
    def outcomes(self) -> float:
        stated = [one.outcome for one in self.results if one.outcome is not None]
        return _share(sum(stated), len(stated), 0)

    @property
    def turns(self) -> int:
        return sum(one.run.turns for one in self.results)

    @property
    def failed_calls(self) -> int:
        """How many calls got an error as their result."""
        return sum(len(one.run.failed) for one in self.results)

    @property
    def input_tokens(self) -> int:
        return sum(one.run.input_tokens for one in self.results)

    @property
    def output_tokens(self) -> int:
        return sum(one.run.output_tokens for one in self.results)

    @property
    def summary(self) -> str:
        """The figures of all questions together."""
        return _table([(_label(name), figure(self)) for name, figure in _FIGURES.items()])

    @property
    def wrong(self) -> str:
        """What went wrong, question by question."""
        found = [line for one in self.results if one.wrong for line in _about(one.id, one.wrong)]
        return "\n".join(found) or localized("evaluation.nothing_wrong")

    def __str__(self) -> str:
        head = [localized(f"evaluation.head_{name}") for name in ("id", "right", *_COLUMNS)]
        rows = [
            (one.id, _yes(one.right), *(column(one) for column in _COLUMNS.values())) for one in self.results
        ]
        return "\n\n".join([self.summary, _table([head, *rows]), self.wrong])

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two reports on the same questions, and the questions that went differently."""

    before: Report
    after: Report

    @property
    def better(self) -> list[str]:
        """Ids of the questions that are right now, and were not."""
        return [id for id, before, after in self._pairs() if after.right and not before.right]

    @property
    def worse(self) -> list[str]:
        """Ids of the questions that were right, and are not now."""
        return [id for id, before, after in self._pairs() if before.right and not after.right]

    def __str__(self) -> str:
        head = ("", localized("evaluation.before"), localized("evaluation.after"))
        rows = [(_label(name), figure(self.before), figure(self.after)) for name, figure in _FIGURES.items()]
        parts = [_table([head, *rows])]
        for name, ids in (("better", self.better), ("worse", self.worse)):
            text = f"{localized(f'evaluation.{name}')}: {', '.join(ids) or localized('evaluation.none')}"
            parts.append(fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False))
        for id in self.worse:
            parts += _about(id, self.after[id].wrong)
        return "\n".join(parts)

    __repr__ = __str__

    def _pairs(self) -> Iterable[tuple[str, Result, Result]]:
        return ((one.id, one, self.after[one.id]) for one in self.before.results)


def compare(before: Report, after: Report) -> Comparison:
    """Set two reports on the same questions side by side. Raises CourseError if the questions differ."""
    for one in (before, after):
        if not isinstance(one, Report):
            raise CourseError(
                f"compare() takes two reports; one of these is of type {type(one).__name__}. "
                "A report is what evaluate(...) returns."
            )
    first, second = ({one.id: one.question.messages for one in report.results} for report in (before, after))
    different = sorted(id for id in first.keys() | second.keys() if first.get(id) != second.get(id))
    if different:
        raise CourseError(
            f"The two reports are not on the same questions: {', '.join(different)}. Figures of different "
            "questions cannot be compared; evaluate both agents with one list."
        )
    return Comparison(before, after)


def _share(part: int, whole: int, expected: int) -> float:
    return part / whole if whole else float(not expected)


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole}"


def _yes(value: bool | None) -> str:
    return "–" if value is None else localized("evaluation.yes" if value else "evaluation.no")


_COLUMNS: dict[str, Callable[[Result], str]] = {
    "calls": lambda one: _of(one.matched, one.made),
    "expected": lambda one: _of(one.matched, one.expected),
    "arguments": lambda one: _of(one.fitting, one.matched),
    "outcome": lambda one: _yes(one.outcome),
    "turns": lambda one: str(one.run.turns),
    "tokens_in": lambda one: f"{one.run.input_tokens:,}",
    "tokens_out": lambda one: f"{one.run.output_tokens:,}",
}
_FIGURES: dict[str, Callable[[Report], str]] = {
    "right": lambda report: localized("evaluation.right_of", n=report.right, all=len(report.results)),
    "precision": lambda report: f"{report.precision:.2f}",
    "recall": lambda report: f"{report.recall:.2f}",
    "arguments": lambda report: f"{report.arguments:.2f}",
    "outcomes": lambda report: f"{report.outcomes:.2f}",
    "failed": lambda report: str(report.failed_calls),
    "turns": lambda report: str(report.turns),
    "tokens_in": lambda report: f"{report.input_tokens:,}",
    "tokens_out": lambda report: f"{report.output_tokens:,}",
}


def _label(name: str) -> str:
    return localized(f"evaluation.figure_{name}")


def _about(id: str, wrong: Iterable[str]) -> list[str]:
    sentences = (
        fill(f"- {one}", WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        for one in wrong
    )
    return [id, *sentences]


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return columns that are as wide as they have to be: names to the left, figures to the right."""
    return "\n".join(aligned(rows, right=range(1, len(rows[0]))))
