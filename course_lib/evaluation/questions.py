"""A question of an evaluation: what is asked, which calls are expected, and whether what came fits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

from ..agents import Response
from ..errors import CourseError, ToolArgumentError
from ..show.plain import safe_repr
from ..tools import Context, ToolCall
from ..tools.arguments import read_arguments

ENDS = tuple(
    """
    end approval refusal max_tokens context_window other max_turns token_budget time_budget repeated_call
    """.split()
)
"""What a run may end with: the values of `Response.stop_reason`."""

Arguments = dict[str, Any]
Choice = list[tuple[str, Arguments]]
"""Calls of which one is expected, any of them."""


@dataclass(frozen=True)
class AnyOf:
    """Several ways to be right."""

    ways: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"any_of({', '.join(map(repr, self.ways))})"


def any_of(*ways: Any) -> AnyOf:
    """Return an expectation that any of these meets: calls, values of an argument, texts of an answer."""
    if not ways:
        raise CourseError("any_of() was given nothing that would be right. Write any_of('week', 'month').")
    return AnyOf(ways)


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked, and what a good agent does about it. Several ways to be right are `any_of(...)`.

    Args:
        id: A short name of your own; reports are compared by it.
        messages: What the user says; several messages are said one after the other in one session.
        calls: The calls that are expected, in any order; none by default, None for any. Each is a tool with
            arguments, ("find_order", {"number": 1042}), or a tool's name, where any arguments will do. An
            argument that is not named here may be anything. A value may be `...` (there must be one), None
            (left out, or null), any_of(...), or a function that says whether the value fits; so may a value
            in a list or an object, which must be the same otherwise.
        in_order: Whether the calls must come one after the other as they stand.
        also: Names of tools that may be called besides, or not: such calls count neither way.
        says: What the last answer must contain: texts, and numbers with their sign (57.8 is found in
            "57.80", too, and 42 is not in "SKU-42").
        never: What it must not contain.
        outcome: A check of your own, which gets the last response and can look at the state that the run has
            left. True is well; False, a text that says what is wrong, or an exception is not.
        ends: The stop reason that the last run must have; "approval" for a run that waits for one. Without
            it, that is "end".
        approve: What to do with calls that wait for an approval: True approves them, False refuses them, None
            leaves them waiting.
        context: What the tools are handed for this question.

    Raises CourseError for a question that cannot be asked, or that expects nothing.
    """

    id: str
    messages: str | Sequence[str]
    calls: Sequence[Any] | None = ()
    _: KW_ONLY
    in_order: bool = False
    also: Collection[str] = ()
    says: Any = ()
    never: Any = ()
    outcome: Callable[[Response], Any] | None = None
    ends: str | None = None
    approve: bool | None = None
    context: Context | None = None

    def __post_init__(self) -> None:
        if not _is_text(self.id):
            raise CourseError(f"The id of a question is {self.id!r}; write a short text, such as 'late'.")
        messages, also = _listed(self.messages), _listed(self.also)
        # A set has no order, and what the user says has one.
        if isinstance(self.messages, set | frozenset) or not messages or not all(map(_is_text, messages)):
            self._refuse("messages", "what the user says: a text, or a list of texts")
        if isinstance(self.also, str) or also is None or not all(map(_is_text, also)):
            self._refuse("also", "a list of names of tools: also=['find_order']")
        options = {
            "outcome": (self.outcome is None or callable(self.outcome), "a function that takes the response"),
            "ends": (self.ends is None or self.ends in ENDS, f"one of {', '.join(ENDS)}"),
            "in_order": (isinstance(self.in_order, bool), "True or False"),
            "approve": (isinstance(self.approve, bool | None), "True, False or None"),
            "context": (isinstance(self.context, Context | None), "Context(...)"),
        }
        for field, (fits, instead) in options.items():
            if not fits:
                self._refuse(field, instead)
        made = {
            "messages": tuple(messages),
            "also": frozenset(also),
            "calls": None if self.calls is None else self._choices(),
            "says": self._texts("says"),
            "never": self._texts("never"),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        if self.calls is None and not self.states_an_outcome:
            raise CourseError(
                f"Question '{self.id}' could not go wrong: with calls=None any calls will do, and it "
                "states no outcome. Write the calls that you expect, or what must come of it: says, never or "
                "outcome."
            )

    @property
    def states_an_outcome(self) -> bool:
        """Whether it says what must come of it, besides an answer."""
        return bool(self.says or self.never or self.outcome is not None or self.ends is not None)

    def _choices(self) -> tuple[Choice, ...]:
        """Return the expected calls in one form."""
        if isinstance(self.calls, AnyOf) or _is_call(self.calls):
            self._refuse("calls", f"a list, also of one: calls=[{self.calls!r}]")
        if not isinstance(self.calls, list | tuple):
            self._refuse("calls", "a list: calls=[('find_order', {'number': 1042})]")
        choices = []
        for n, one in enumerate(self.calls):
            ways = one.ways if isinstance(one, AnyOf) else (one,)
            if not all(map(_is_call, ways)):
                self._refuse(f"calls[{n}]", "('find_order', {'number': 1042}), or a tool's name", one)
            choices.append([_call(way) for way in ways])
        return tuple(choices)

    def _texts(self, field: str) -> tuple[tuple[Any, ...], ...]:
        """Return what the answer must or must not say, in one form: for each, the ways to say it."""
        given = getattr(self, field)
        each = [one.ways if isinstance(one, AnyOf) else (one,) for one in _listed(given) or ()]
        if _listed(given) is None or not all(
            _is_text(way) or _is_number(way) for ways in each for way in ways
        ):
            self._refuse(field, f"texts or finite numbers: {field}=['2026-11-22', 57.8]")
        return tuple(each)

    def _refuse(self, field: str, instead: str, *value: Any) -> None:
        (given,) = value or (getattr(self, field),)
        raise CourseError(f"Question '{self.id}': {field} is {safe_repr(given)}; write {instead}.")


def _is_call(value: Any) -> bool:
    if isinstance(value, tuple):
        if len(value) != 2 or not _is_text(value[0]) or not isinstance(value[1], dict):
            return False
        return all(isinstance(name, str) for name in value[1])
    return _is_text(value)


def _call(value: Any) -> tuple[str, Arguments]:
    return (value[0], dict(value[1])) if isinstance(value, tuple) else (value, {})


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: Any) -> bool:
    """Return whether it is a number that an answer can hold; a float cannot hold every whole one."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _listed(value: Any) -> list[Any] | None:
    """Return a list as it is, one text, number or choice as a list of it; None for anything else."""
    if isinstance(value, str | AnyOf) or _is_number(value):
        return [value]
    return list(value) if isinstance(value, list | tuple | set | frozenset) else None


# Whether a call or an answer is what a question expects -----------------------------------------------

_NAME_OR_NUMBER = re.compile(
    r"""
      [^\W\d_] \w* (?: -\w+ | (?<=\d)[.,]\d+ )*       # a word with all that hangs on it: SKU-42, v1.5
    | \d+ (?: -\d+ ){2,}                              # a date, a telephone number
    | (?P<sign> (?<![\w-]) [-\u2212] (?=[$€£]?\d) )?  # after a word or a digit, it joins: 3-5 days
      [$€£]? (?P<digits> \d[\d.,]* )
    """,
    re.VERBOSE,
)
_NEAR = Fraction(1, 10**9)


def fit(call: ToolCall, choice: Choice) -> int:
    """Return 0 if the call is of another tool, 1 if it is of this one, 2 if its arguments fit, too."""
    wanted = [arguments for name, arguments in choice if name == call.name]
    if not wanted:
        return 0
    try:
        # Text is what OpenAI's APIs send; where it is no JSON object, no argument is there to fit.
        given = read_arguments(call.arguments, call.name)
    except ToolArgumentError:
        return 1
    fits = any(all(_fits(given.get(name), value) for name, value in one.items()) for one in wanted)
    return 2 if fits and not call.cut_off else 1


def _fits(given: Any, wanted: Any) -> bool:
    """Return whether a value is what is wanted, at any depth. What is left out of an object is None."""
    if wanted is ...:
        return given is not None
    if isinstance(wanted, AnyOf):
        return any(_fits(given, one) for one in wanted.ways)
    if isinstance(wanted, dict) and isinstance(given, dict):
        return all(_fits(given.get(name), wanted.get(name)) for name in given.keys() | wanted.keys())
    if isinstance(wanted, list | tuple) and isinstance(given, list | tuple):
        return len(given) == len(wanted) and all(map(_fits, given, wanted))
    try:
        return bool(wanted(given)) if callable(wanted) else _same(given, wanted)
    except Exception:  # noqa: BLE001 (a check written for numbers, say, that gets a text)
        return False


def _same(given: Any, wanted: Any) -> bool:
    """Return whether two values are the same in JSON, where 4 is 4.0 and is neither true nor "4"."""
    if isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    return bool(given == wanted)


def says(answer: str, what: str | float) -> bool:
    """Return whether an answer contains a text, in capitals or not and not as a part of a word, or a number.

    A number has its sign, and is none in a name or a date: 42 does not stand in -42, SKU-42 or 2026-12-42.
    """
    if isinstance(what, str):
        inside = re.escape(" ".join(what.split()).casefold())
        # 12 does not stand in 112, 12.5 or 2026-12-01, but it does at the end of a sentence.
        return bool(
            re.search(
                rf"(?<![\w])(?<!\d[.,\-]){inside}(?![\w])(?![.,\-]\d)", " ".join(answer.split()).casefold()
            )
        )
    # As fractions: they are exact, and no number is too large for one.
    wanted = Fraction(what) if isinstance(what, int) else Fraction(repr(float(what)))
    return any(abs(value - wanted) < _NEAR for value in _numbers(answer))


def _numbers(answer: str) -> Iterator[Fraction]:
    """Yield all that the numbers of a text may mean."""
    for found in _NAME_OR_NUMBER.finditer(answer):
        for value in _values(found["digits"] or ""):
            yield -value if found["sign"] else value


def _values(digits: str) -> set[Fraction]:
    """Return what a number may mean: 1,042 is 1042 or, in Spanish, 1.042."""
    digits = digits.rstrip(".,")
    readings = (digits.replace(",", ""), digits.replace(".", "").replace(",", "."))
    found = set()
    for reading in readings:
        try:
            found.add(Fraction(reading))
        except ValueError:
            continue
    return found
