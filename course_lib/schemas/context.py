"""What the program hands to a tool beside what the model sends: the Context."""

from __future__ import annotations

import types
from contextvars import ContextVar
from typing import Any

from ..errors import CourseError

__all__ = ["RUNNING", "Context"]

RUNNING: ContextVar[tuple[str, str]] = ContextVar("RUNNING", default=("", ""))
"""Id and key of the call that runs."""


class _OfTheCall:
    """An attribute that differs from call to call, while the object is one for all of them.

    One that the program sets itself comes first.
    """

    def __init__(self, place: int) -> None:
        self.place = place

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> str:
        if instance is None:  # or a dataclass would take it for the default of its own field
            raise AttributeError(f"{owner.__name__} has a {self.name} only while a call runs")
        if found := RUNNING.get()[self.place]:
            return found
        if self.name == "call_key":  # as a key, "" would be one for all
            raise CourseError(
                f"context.{self.name} was read where no call of a model runs: outside of a tool, or in a "
                f"thread that the tool started. Read it first, key = context.{self.name}, and give the "
                f"thread the key; to try a tool without a call, write Context({self.name}='any text', ...)."
            )
        return ""


class Context(types.SimpleNamespace):
    """What the program, not the model, hands to a tool: who is asking, a connection, a clock.

    A parameter annotated `Context`, or a class made from it, never reaches the model. The program gives the
    value with the call: `tool.run(arguments, context=Context(user="u1"))`.

    A tool that must do nothing twice finds two more things in it, while it runs for a call of a model:

    call_id     the id of the call, as the provider gave it
    call_key    what stands for this call and no other, for systems that take such a key ("idempotency key").
                From a Runner it is different for each call of each session, whatever the provider does; from
                run_calls alone it is the call's id, which on Gemini may come again in another turn

    Read them in the function of the tool: in a thread that it starts itself no call runs (`asyncio.to_thread`
    and tasks do know it). There call_id is "", and call_key raises CourseError.
    """

    call_id = _OfTheCall(0)
    call_key = _OfTheCall(1)
