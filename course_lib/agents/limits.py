"""The limits of a run: turns, tokens, seconds, and one call that fails the same way again and again."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from ..errors import CourseError, LoopLimitError
from ..tools import ToolCall, ToolResult


@dataclass(frozen=True)
class Limits:
    """What a run may use; None is no limit."""

    max_turns: int = 10
    token_budget: int | None = None
    time_budget: float | None = None
    max_repeats: int | None = 3

    def __post_init__(self) -> None:
        """Raises CourseError for a limit that is none."""
        for name, value in vars(self).items():
            whole = name != "time_budget"
            kinds: Any = int if whole else int | float
            if value is None and name != "max_turns":
                continue
            if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
                what = "a whole number from 1 on" if whole else "seconds, more than 0"
                or_none = "" if name == "max_turns" else ", or None for no limit"
                raise CourseError(f"{name} is {value!r}; write {what}{or_none}.")


class Meter:
    """What a run has used so far. Each check raises LoopLimitError, with the name of the limit as `limit`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.turns = 0
        self.usage = {"input_tokens": 0, "output_tokens": 0}
        self._started = time.monotonic()
        self._failures: Counter[tuple[str, str, str]] = Counter()

    def add(self, turn: dict[str, Any]) -> None:
        """Count a turn of the model."""
        self.turns += 1
        for name in self.usage:
            self.usage[name] += turn["usage"][name]

    def seconds_left(self) -> float | None:
        """How long the run may still take; None where it may take any time."""
        budget = self.limits.time_budget
        return None if budget is None else max(0.001, budget - (time.monotonic() - self._started))

    def check(self) -> None:
        """Raise if the model may not be asked once more."""
        limits, used = self.limits, sum(self.usage.values())
        if self.turns >= limits.max_turns:
            raise LoopLimitError(
                f"The model took {self.turns} turns and still asks for tools: max_turns={limits.max_turns} "
                "is reached. Look at what it calls and what the tools answer (error.response); if the task "
                "needs more turns, raise max_turns.",
                "max_turns",
            )
        if limits.token_budget is not None and used >= limits.token_budget:
            raise LoopLimitError(
                f"The run has used {used:,} tokens of its token_budget={limits.token_budget:,}. Each turn "
                "sends all of the history again: shorten what the tools return, or raise the budget.",
                "token_budget",
            )
        self.check_time()

    def is_late(self) -> bool:
        """Whether the time is over."""
        budget = self.limits.time_budget
        return budget is not None and time.monotonic() - self._started >= budget

    def check_time(self) -> None:
        """Raise if the time is over."""
        if self.is_late():
            budget = self.limits.time_budget
            raise LoopLimitError(
                f"The run has taken its time_budget of {budget:g} s. Look at which call took long "
                "(error.response), or raise the budget.",
                "time_budget",
            )

    def check_repeats(self, calls: list[ToolCall], results: list[ToolResult]) -> None:
        """Raise if one of these calls has failed in the same way as often as it may."""
        failed = {
            (call.name, json.dumps(call.arguments, sort_keys=True, ensure_ascii=False), result.content)
            for call, result in zip(calls, results, strict=True)
            if result.is_error
        }
        self._failures.update(failed)  # once for each turn: the model had no chance to learn within one
        for name, arguments, told in failed:
            if self._failures[name, arguments, told] == self.limits.max_repeats:
                raise LoopLimitError(
                    f"{name} was called {self.limits.max_repeats} times with {arguments[:200]} and failed "
                    f"each time in the same way: {told[:300]!r}. Mend the tool, or let its error say what "
                    "the model can do instead.",
                    "repeated_call",
                )
