"""What is right and what is wrong about what a question came to."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from textwrap import fill

from ..say import say
from ..show.plain import safe_text
from ..tools import ToolCall
from .asked import FAILED, Asked
from .fitting import fit, says
from .matching import best_pairs, best_pairs_in_order
from .questions import AnyOf, Choice, Question

WIDTH = 95
"""Columns of what is printed."""
_LONGEST = 90
"""Characters of a call or a text in a sentence on what went wrong."""
_LONGEST_ANSWER = 300

__all__ = ["WIDTH", "Result", "grade", "shown"]


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
    """Whether what was to come of it came of it; None where the question does not say what."""
    wrong: list[str]
    """What went wrong, a sentence for each; empty if the question went as it should."""
    asked: Asked = field(repr=False)

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def right(self) -> bool:
        """Whether nothing went wrong."""
        return not self.wrong

    def __str__(self) -> str:
        parts = [f"{self.id}: {' / '.join(self.question.messages)}"]
        parts += [shown(call) for call in self.asked.calls]
        parts += [say("evaluation.answer", text=safe_text(self.asked.response.content, _LONGEST_ANSWER))]
        parts += [f"- {one}" for one in self.wrong]
        return "\n".join(
            fill(one, WIDTH, initial_indent="  " * (n > 0), subsequent_indent="    ", break_on_hyphens=False)
            for n, one in enumerate(parts)
        )

    __repr__ = __str__


def grade(question: Question, asked: Asked, tools: Collection[str]) -> Result:
    """Compare what a question came to with what it expects. `tools` are the names that the agent has."""
    choices = question.calls or ()
    grid = [[fit(call, choice) for call in asked.calls] for choice in choices]
    pairs = (best_pairs_in_order if question.in_order else best_pairs)(grid)
    fitting = [(row, column) for row, column in pairs if grid[row][column] == 2]
    answered = {column for _, column in pairs}
    extra = [
        call for n, call in enumerate(asked.calls) if n not in answered and call.name not in question.also
    ]
    if question.calls is None:
        extra = []
    wrong = [
        *_wrong_calls(question, asked, pairs, fitting, extra, tools),
        *(outcome := [*_wrong_outcome(question, asked)]),
    ]
    return Result(
        question,
        len(pairs) + len(extra),
        len(choices),
        len(pairs),
        len(fitting),
        not outcome if question.states_an_outcome else None,
        wrong,
        asked,
    )


def _wrong_calls(
    question: Question,
    asked: Asked,
    pairs: list[tuple[int, int]],
    fitting: list[tuple[int, int]],
    extra: list[ToolCall],
    tools: Collection[str],
) -> Iterator[str]:
    choices = question.calls or ()
    for row, choice in enumerate(choices):
        column = dict(pairs).get(row)
        if column is None:
            unknown = all(name not in tools for name, _ in choice)
            yield say(f"evaluation.{'no_tool' if unknown else 'not_called'}", call=_expected(choice))
        elif (row, column) not in fitting:
            yield say("evaluation.arguments", made=shown(asked.calls[column]), expected=_expected(choice))
    for call in extra:
        yield say("evaluation.extra", call=shown(call))


def _wrong_outcome(question: Question, asked: Asked) -> Iterator[str]:
    response, wanted = asked.response, question.ends or "end"
    if response.stop_reason == FAILED:
        yield say("evaluation.failed", what=response.content)
        return
    if response.stop_reason != wanted:
        waiting = ", ".join(map(shown, response.waiting)) or "–"
        key = "waits" if response.stop_reason == "approval" else "ended"
        yield say(f"evaluation.{key}", got=response.stop_reason, expected=wanted, calls=waiting)
    for ways in question.says:
        if not any(says(response.content, one) for one in ways):
            yield say(
                "evaluation.does_not_say", what=_either(ways), got=safe_text(response.content, _LONGEST)
            )
    for ways in question.never:
        for one in ways:
            if says(response.content, one):
                yield say("evaluation.says", what=one, got=safe_text(response.content, _LONGEST))
    if question.outcome is not None:
        yield from _own_check(question, asked)


def _own_check(question: Question, asked: Asked) -> Iterator[str]:
    """What the question's own check finds wrong. An exception in it is a finding: it may be an `assert`."""
    try:
        found = question.outcome(asked.response)
    except Exception as error:  # noqa: BLE001
        what = safe_text(error) if isinstance(error, AssertionError) and str(error) else repr(error)
        yield say("evaluation.outcome", what=safe_text(what, _LONGEST))
        return
    if isinstance(found, str) and found:
        yield say("evaluation.outcome", what=safe_text(found, _LONGEST))
    elif found is not True:
        yield say("evaluation.no_outcome", got=safe_text(repr(found), _LONGEST))


def shown(call: ToolCall) -> str:
    """A call as it was made."""
    if isinstance(call.arguments, str):
        return safe_text(f"{call.name}({call.arguments})", _LONGEST)
    values = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items())
    return safe_text(f"{call.name}({', '.join(values)})", _LONGEST)


def _expected(choice: Choice) -> str:
    """A call as it is expected: a value that a function judges is shown as `?`."""
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
        inside = ", ".join(
            f"{json.dumps(name, ensure_ascii=False)}: {_value(one)}" for name, one in value.items()
        )
        return safe_text(f"{{{inside}}}", 40)
    if isinstance(value, list | tuple):
        return safe_text(f"[{', '.join(map(_value, value))}]", 40)
    return "?" if callable(value) else safe_text(json.dumps(value, ensure_ascii=False, default=repr), 40)


def _either(ways: object) -> str:
    return f" {say('evaluation.or')} ".join(map(str, ways))
