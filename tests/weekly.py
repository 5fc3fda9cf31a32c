"""How much a test tries: enough for `make test` to find a mistake, ten times as much in the weekly run.

COURSE_TESTS=weekly python tools/run_tests.py tests
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

WEEKLY = os.environ.get("COURSE_TESTS") == "weekly"


def tenth(count: int) -> int:
    """Return `count` in the weekly run, and a tenth of it otherwise: for repetitions and for lengths."""
    return count if WEEKLY else count // 10


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail a body that computes for longer; where others use the processor, waiting for it does not count.

    The weekly run has ten times the time for its ten times longer texts, which is plenty unless the time
    grows with the square of the length.
    """
    began = time.thread_time()
    yield
    took, limit = time.thread_time() - began, seconds * (10 if WEEKLY else 1)
    assert took < limit, f"computed for {took:.1f} s, where {limit:g} s are plenty"
