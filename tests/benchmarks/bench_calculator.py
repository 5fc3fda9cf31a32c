"""How long the calculator takes to refuse, beside the longest expression that it works out in the same run.

    python tests/benchmarks/bench_calculator.py

A refusal should cost no more than real work does: an expression made to blow up must be told from its text.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test_course_lib"))

from test_calculator import REFUSED  # noqa: E402

from course_lib.shop import CalculatorError, calculate  # noqa: E402
from course_lib.shop.calculator import LONGEST  # noqa: E402


def seconds(expression: str) -> float:
    """The best of five, in processor time."""
    times = []
    for _ in range(5):
        start = time.process_time()
        try:
            calculate(expression)
        except CalculatorError:
            pass
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    calculate("1 + 1")  # the first call imports simpleeval
    longest = seconds("+".join(["1"] * (LONGEST // 2)))
    slow = sorted(((seconds(expression), expression) for expression in REFUSED), reverse=True)
    print(f"the longest expression allowed: {longest * 1000:.2f} ms")
    for taken, expression in slow[:5]:
        print(f"{taken * 1000:8.3f} ms, {taken / longest:5.2f} times that: {ascii(expression)[:60]}")


if __name__ == "__main__":
    main()
