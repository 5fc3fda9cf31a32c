"""Asking a question, matching its calls with the expected ones, and grading the run."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from textwrap import fill

from .. import shop
from ..agents import Response, Runner
from ..errors import CourseError, ServiceError
from ..masking import mask
from ..messages import localized
from ..providers.history.turns import calls_in
from ..shop.database import PACKAGED_FILE
from ..show.plain import compact, safe_text
from ..tools import Context, ToolCall
from .questions import AnyOf, Choice, Question, fit, says

# Asking one question ----------------------------------------------------------------------------------

FAILED = "failed"
"""The stop reason of a run without an answer: the request failed, or what the service sent cannot be read."""
_WRONG_SETUP = (401, 403, 404)
"""Statuses that no other question could escape: the key is wrong, or there is no such model."""
_MOST_RESUMES = 10


@dataclass(frozen=True)
class QuestionRun:
    """What the agent did with a question."""

    response: Response
    """The last response; of a run that failed, one with the error's text as its content."""
    calls: list[ToolCall] = field(default_factory=list)
    """All that the model made, in order, whatever became of them."""
    failed: list[str] = field(default_factory=list)
    """Ids of the calls whose result was an error."""
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@contextmanager
def fresh_shop() -> Iterator[None]:
    """Give the shop its first state for the length of a `with` block; then it is again as it was."""
    packaged = f"{PACKAGED_FILE.as_uri()}?mode=ro&immutable=1"
    # Page by page into the file that is in use: a connection that somebody has opened sees it, too.
    with closing(shop.connect()) as session, closing(sqlite3.connect(":memory:")) as kept:
        session.backup(kept)
        try:
            with closing(sqlite3.connect(packaged, uri=True)) as new:
                new.backup(session)
            yield
        finally:
            kept.backup(session)


def ask(runner: Runner, question: Question, context: Context | None) -> QuestionRun:
    """Ask a question, in a session named after it. Raises what would be raised for every other one, too."""
    context = question.context if question.context is not None else context
    response = Response("")
    for message in question.messages:
        response = _send(runner, question, message, context)
        if response.stop_reason not in ("end", "approval"):
            break
    turns = runner.store.get(question.id)
    answers = [turn for turn in turns if turn["role"] == "assistant"]
    calls = [call for turn in answers for call in calls_in(turn)]
    failed = [one["tool_call_id"] for turn in turns for one in turn.get("results", ()) if one.get("is_error")]
    tokens = {
        name: sum(turn["usage"][name] for turn in answers) for name in ("input_tokens", "output_tokens")
    }
    return QuestionRun(response, calls, failed, len(answers), **tokens)


def _send(runner: Runner, question: Question, message: str, context: Context | None) -> Response:
    try:
        response = runner.run(question.id, message, context=context)
        for _ in range(_MOST_RESUMES):
            if response.stop_reason != "approval" or question.approve is None:
                break
            approved = [call.id for call in response.waiting if question.approve]
            response = runner.resume(question.id, approved, context=context)
        return response
    except Exception as error:  # noqa: BLE001 (each SDK has exceptions of its own)
        of_the_program = isinstance(error, CourseError) and not isinstance(error, ServiceError)
        if of_the_program or getattr(error, "status_code", getattr(error, "code", None)) in _WRONG_SETUP:
            raise
        # One request that failed must not cost the answers to all the other questions.
        return Response(mask(f"{type(error).__name__}: {error}")[:300], stop_reason=FAILED)


# Matching the calls that were made with those that were expected --------------------------------------

Pair = tuple[int, int]
"""The index of an expected call, and of the call that was made for it."""
FitGrid = Sequence[Sequence[int]]
"""For each expected call and each that was made, what `fit` says of them."""


def best_pairs(grid: FitGrid) -> list[Pair]:
    """Return as many pairs of one tool as there can be, in the way in which most arguments fit.

    In any order. No call stands in two pairs, so a call made twice answers one expectation only.
    """
    expected, made = len(grid), len(grid[0]) if grid else 0
    if not made:
        return []
    if expected > made:
        return [(row, column) for column, row in best_pairs(list(zip(*grid, strict=True)))]
    # One more pair is worth more than all the arguments of the others.
    worth = (0, expected + 1, expected + 2)
    chosen = _assigned([[-worth[one] for one in row] for row in grid])
    return [(row, column) for row, column in chosen if grid[row][column]]


def best_pairs_in_order(grid: FitGrid) -> list[Pair]:
    """Return the best pairs that follow each other: what is expected later was called later."""
    expected, made = len(grid), len(grid[0]) if grid else 0
    # best[row][column]: of the expected calls from `row` on and the made ones from `column` on.
    best: list[list[tuple[int, int, list[Pair]]]] = [[(0, 0, [])] * (made + 1) for _ in range(expected + 1)]
    for row in reversed(range(expected)):
        for column in reversed(range(made)):
            choices = [best[row + 1][column], best[row][column + 1]]
            if grid[row][column]:
                pairs, fitting, found = best[row + 1][column + 1]
                fits = grid[row][column] == 2
                choices.append((pairs + 1, fitting + fits, [(row, column), *found]))
            best[row][column] = max(choices, key=lambda one: one[:2])
    return best[0][0][2]


def _assigned(cost: Sequence[Sequence[int]]) -> list[Pair]:
    """Return each row with a column of its own, at the least cost together (the Hungarian method).

    There are at least as many columns as rows.
    """
    rows, columns = len(cost), len(cost[0])
    # Rows and columns count from 1; column 0 is where a row waits that has no column yet.
    of_row, of_column = [0] * (rows + 1), [0] * (columns + 1)
    row_of = [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        least, before = [math.inf] * (columns + 1), [0] * (columns + 1)
        seen = [False] * (columns + 1)
        while row_of[column]:  # until a column is reached that nobody has
            seen[column] = True
            here, step, following = row_of[column], math.inf, 0
            for other in range(1, columns + 1):
                if not seen[other]:
                    reduced = cost[here - 1][other - 1] - of_row[here] - of_column[other]
                    if reduced < least[other]:
                        least[other], before[other] = reduced, column
                    if least[other] < step:
                        step, following = least[other], other
            for other in range(columns + 1):
                if seen[other]:
                    of_row[row_of[other]] += step
                    of_column[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:  # everyone on the way moves on by one
            row_of[column] = row_of[before[column]]
            column = before[column]
    return sorted((row_of[column] - 1, column - 1) for column in range(1, columns + 1) if row_of[column])


# What is right and what is wrong ----------------------------------------------------------------------

WIDTH = 95
"""Columns of what is printed."""
_LONGEST = 90
"""Characters of a call or a text in a sentence on what went wrong."""
_LONGEST_ANSWER = 300


@dataclass(frozen=True)
class Result:
    """How a question went."""

    question: Question
    made: int
    """How many calls the model made; those of `question.also` that answer no expectation are left out."""
    expected: int
    matched: int
    """How many expected calls were made: each with a call of its own, of the same tool."""
    fitting: int
    """Of those, how many have arguments that fit."""
    outcome: bool | None
    """Whether the outcome is the expected one; None where the question states none."""
    wrong: list[str]
    """What went wrong, a sentence for each; empty if the question went as it should."""
    run: QuestionRun = field(repr=False)

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def right(self) -> bool:
        """Whether nothing went wrong."""
        return not self.wrong

    def __str__(self) -> str:
        parts = [f"{self.id}: {' / '.join(self.question.messages)}"]
        parts += [shown(call) for call in self.run.calls]
        parts += [localized("evaluation.answer", text=safe_text(self.run.response.content, _LONGEST_ANSWER))]
        parts += [f"- {one}" for one in self.wrong]
        return "\n".join(
            fill(one, WIDTH, initial_indent="  " * (n > 0), subsequent_indent="    ", break_on_hyphens=False)
            for n, one in enumerate(parts)
        )

    __repr__ = __str__


def grade(question: Question, run: QuestionRun, tools: Collection[str]) -> Result:
    """Return how a question went, by what it expects. `tools` are the names that the agent has."""
    choices = question.calls or ()
    grid = [[fit(call, choice) for call in run.calls] for choice in choices]
    pairs = (best_pairs_in_order if question.in_order else best_pairs)(grid)
    fitting = [(row, column) for row, column in pairs if grid[row][column] == 2]
    answered = {column for _, column in pairs}
    extra = [call for n, call in enumerate(run.calls) if n not in answered and call.name not in question.also]
    if question.calls is None:
        extra = []
    wrong_outcome = list(_wrong_outcome(question, run))
    return Result(
        question,
        made=len(pairs) + len(extra),
        expected=len(choices),
        matched=len(pairs),
        fitting=len(fitting),
        outcome=not wrong_outcome if question.states_an_outcome else None,
        wrong=[*_wrong_calls(question, run, pairs, fitting, extra, tools), *wrong_outcome],
        run=run,
    )


def _wrong_calls(
    question: Question,
    run: QuestionRun,
    pairs: list[Pair],
    fitting: list[Pair],
    extra: list[ToolCall],
    tools: Collection[str],
) -> Iterator[str]:
    choices = question.calls or ()
    for row, choice in enumerate(choices):
        column = dict(pairs).get(row)
        if column is None:
            unknown = all(name not in tools for name, _ in choice)
            yield localized(f"evaluation.{'no_tool' if unknown else 'not_called'}", call=_expected(choice))
        elif (row, column) not in fitting:
            yield localized("evaluation.arguments", made=shown(run.calls[column]), expected=_expected(choice))
    for call in extra:
        yield localized("evaluation.extra", call=shown(call))


def _wrong_outcome(question: Question, run: QuestionRun) -> Iterator[str]:
    response, wanted = run.response, question.ends or "end"
    if response.stop_reason == FAILED:
        yield localized("evaluation.failed", what=response.content)
        return
    if response.stop_reason != wanted:
        waiting = ", ".join(map(shown, response.waiting)) or "–"
        key = "waits" if response.stop_reason == "approval" else "ended"
        yield localized(f"evaluation.{key}", got=response.stop_reason, expected=wanted, calls=waiting)
    for ways in question.says:
        if not any(says(response.content, one) for one in ways):
            yield localized(
                "evaluation.does_not_say", what=_either(ways), got=safe_text(response.content, _LONGEST)
            )
    for ways in question.never:
        for one in ways:
            if says(response.content, one):
                yield localized("evaluation.says", what=one, got=safe_text(response.content, _LONGEST))
    if question.outcome is not None:
        yield from _own_check(question, run)


def _own_check(question: Question, run: QuestionRun) -> Iterator[str]:
    """Yield what the question's own check finds wrong; an exception counts, since it may be an `assert`."""
    try:
        found = question.outcome(run.response)
    except Exception as error:  # noqa: BLE001
        what = safe_text(error) if isinstance(error, AssertionError) and str(error) else repr(error)
        yield localized("evaluation.outcome", what=safe_text(what, _LONGEST))
        return
    if isinstance(found, str) and found:
        yield localized("evaluation.outcome", what=safe_text(found, _LONGEST))
    elif found is not True:
        yield localized("evaluation.no_outcome", got=safe_text(repr(found), _LONGEST))


def shown(call: ToolCall) -> str:
    """Return a call as it was made, as text."""
    if isinstance(call.arguments, str):
        return safe_text(f"{call.name}({call.arguments})", _LONGEST)
    values = (f"{name}={compact(value)}" for name, value in call.arguments.items())
    return safe_text(f"{call.name}({', '.join(values)})", _LONGEST)


def _expected(choice: Choice) -> str:
    """Return an expected call as text; a value that a function judges is shown as `?`."""
    ways = (
        f"{name}({', '.join(f'{argument}={_value(value)}' for argument, value in arguments.items())})"
        for name, arguments in choice
    )
    return safe_text(_either(ways), 2 * _LONGEST)


def _value(value: object) -> str:
    if value is ...:
        return "..."
    if isinstance(value, AnyOf):
        return _either(map(_value, value.ways))
    if isinstance(value, dict):
        inside = ", ".join(f"{compact(name)}: {_value(one)}" for name, one in value.items())
        return safe_text(f"{{{inside}}}", 40)
    if isinstance(value, list | tuple):
        return safe_text(f"[{', '.join(map(_value, value))}]", 40)
    return "?" if callable(value) else safe_text(json.dumps(value, ensure_ascii=False, default=repr), 40)


def _either(ways: object) -> str:
    return f" {localized('evaluation.or')} ".join(map(str, ways))
