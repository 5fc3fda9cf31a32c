"""Running the calls of a turn: at the same time, within limits, each answered exactly once, in order."""

from __future__ import annotations

from .call import left_running
from .executor import run_calls, run_calls_async

__all__ = [
    "left_running",
    "run_calls",
    "run_calls_async",
]
