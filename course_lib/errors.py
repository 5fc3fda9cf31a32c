"""The exceptions of course_lib: each says what is wrong, where, and what to write instead.

None of them ever carries a key, not even part of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class CourseError(Exception):
    """Something that course_lib can explain."""


class SetupError(CourseError):
    """setup() cannot use an argument, or something needs setup() first."""


class KeyNotFound(CourseError):
    """Live mode was asked for, and no provider's key was found."""


class BadKey(CourseError):
    """A key was found, but it cannot be one: the message says why without showing it."""


class MissingText(CourseError, KeyError):
    """The catalogue has no text under this name, or a value for the text is missing."""

    # KeyError shows the repr of its argument; a sentence reads better as it is.
    __str__ = Exception.__str__


class ToolSchemaError(CourseError):
    """A tool cannot be defined as it is written: the message says where, why, and what to write instead."""


@dataclass(frozen=True)
class ArgumentProblem:
    """One thing that is wrong with the arguments of a call."""

    where: str
    """The argument, as Python would write it: `box.prices[1]`; empty where it is about all of them."""
    what: str

    def __str__(self) -> str:
        return f"{self.where} {self.what}".strip()


class ToolArgumentError(CourseError):
    """What a model sent as arguments does not fit. The message is for the model: it names every problem."""

    def __init__(self, tool: str, problems: Sequence[ArgumentProblem]) -> None:
        super().__init__(tool, problems)
        self.tool = tool
        self.problems = list(problems)

    def __str__(self) -> str:
        lines = "".join(f"\n- {problem}" for problem in self.problems)
        return (
            f"{self.tool} did not run, because of its arguments:{lines}\n"
            "Call it again with all of this corrected."
        )


class ToolExecutionError(CourseError):
    """A tool failed while it ran. The message is for the model: the kind of error and what it says.

    The exception itself is `cause`, for the programmer.
    """

    def __init__(self, tool: str, cause: BaseException | str) -> None:
        super().__init__(tool, cause)
        self.tool = tool
        self.cause = cause if isinstance(cause, BaseException) else None

    def __str__(self) -> str:
        return f"{self.tool} failed: {_described(self.args[1])}"


class ToolNotRunError(ToolExecutionError):
    """A tool was not started, although there is one and the arguments fit. The message is for the model."""

    def __str__(self) -> str:
        return f"{self.tool} did not run: {_described(self.args[1]).removesuffix('.')}."


def _described(cause: BaseException | str) -> str:
    """Return the kind of an error and what it says; of a group, each of its errors."""
    if isinstance(cause, str | ToolExecutionError):
        return str(cause)
    try:
        said = str(cause)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 (somebody else's __str__)
        said = ""
    if isinstance(cause, BaseExceptionGroup):
        said = "; ".join(_described(one) for one in cause.exceptions)
    return f"{type(cause).__name__}: {said}".removesuffix(": ")


class ServiceError(CourseError):
    """A service answered, and not with an answer of its model: the mistake is not the program's.

    It reported an error with status 200, sent a page or a stream that is none, or an answer that does not
    have the form of its API. `status_code`, `code` and `type` are those of the error that it reported; None
    where it did not. `worth_retrying` reads them as it does those of an SDK's error.
    """

    def __init__(self, text: str, reported: Any = None) -> None:
        super().__init__(text)
        said = reported if isinstance(reported, dict) else {}
        code = said.get("code")
        self.status_code = code if isinstance(code, int) and not isinstance(code, bool) else None
        self.code = code if isinstance(code, str) else None
        self.type = said.get("type") if isinstance(said.get("type"), str) else None


class LoopLimitError(CourseError):
    """A loop of model and tools reached a limit: of turns, of spending, or of repeated identical calls."""

    def __init__(self, text: str = "", limit: str = "", response: Any = None) -> None:
        super().__init__(text)
        self.limit = limit
        """Which one: "max_turns", "token_budget", "time_budget" or "repeated_call"."""
        self.response = response
        """What the run had come to: a Response of `course_lib.agents`."""
