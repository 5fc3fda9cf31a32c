"""How long it takes to make a tool of a function with six parameters, beside two other libraries.

    python tests/benchmarks/bench_schemas.py

Prints the median of each and the ratios to ours, which are what to compare between machines. Each library
reads a new function every time, with the same annotations and docstring: nothing is remembered from before.
"""

from __future__ import annotations

import datetime as dt
import statistics
import time
from collections.abc import Callable
from typing import Annotated, Literal

from agents import function_tool
from pydantic import BaseModel, Field
from pydantic_ai import Tool as PydanticAITool

from course_lib.tools import Tool

ROUNDS, EACH = 15, 20


class Address(BaseModel):
    street: str
    zip_code: str


def new_function() -> Callable:
    def book_delivery(
        order: str,
        address: Address,
        day: dt.date,
        window: Literal["morning", "evening"] = "morning",
        boxes: Annotated[int, Field(ge=1, le=9)] = 1,
        note: str | None = None,
    ) -> str:
        """Book the delivery of an order.

        Use it when the customer has chosen a day.

        Args:
            order: Number of the order.
            address: Where to deliver.
            day: Day of the delivery.
            window: Part of the day.
            boxes: How many boxes.
            note: For the driver.

        Returns:
            The number of the booking.
        """
        return order

    return book_delivery


BUILDERS = {
    "course_lib": lambda function: Tool(function).parameters,
    "pydantic-ai": lambda function: PydanticAITool(function).function_schema.json_schema,
    "openai-agents": lambda function: function_tool(function).params_json_schema,
    "openai-agents, not strict": lambda function: (
        function_tool(function, strict_mode=False).params_json_schema
    ),
}


def milliseconds(build: Callable) -> float:
    """Processor time for one tool."""
    functions = [new_function() for _ in range(EACH)]
    start = time.process_time()
    for function in functions:
        build(function)
    return (time.process_time() - start) / EACH * 1000


def main() -> None:
    for build in BUILDERS.values():  # imports and caches
        build(new_function())
    times: dict[str, list[float]] = {name: [] for name in BUILDERS}
    for _ in range(ROUNDS):  # in turns, so that a busy moment meets all of them
        for name, build in BUILDERS.items():
            times[name].append(milliseconds(build))
    ours = statistics.median(times["course_lib"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name:26} {median:6.2f} ms a tool; ours takes {ours / median:4.2f} times as long")

    tool = Tool(new_function())
    sent = {"order": "1024", "address": {"street": "Mayor 1", "zip_code": "42001"}, "day": "2031-05-02"}
    start = time.process_time()
    for _ in range(1000):
        tool.run(sent)
    print(f"a call, with its arguments checked: {(time.process_time() - start) * 1000:.0f} microseconds")


if __name__ == "__main__":
    main()
