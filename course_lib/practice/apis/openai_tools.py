"""Tools, tool choice and structured answers, in what Chat Completions and Responses have in common.

The two APIs nest the same things differently; `Offered` and `Choice` are what is left without the nesting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..request import ToolChoice, ToolSpec
from . import openai_strict

NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


class Offered(NamedTuple):
    """A function that the request offers, and where in the request it stands."""

    place: str
    name: str
    description: str
    parameters: Any
    strict: bool


class Choice(NamedTuple):
    """A tool choice: its mode, and the names that it speaks of."""

    mode: str = "auto"
    names: tuple[str, ...] = ()
    only: bool = False
    """True: the names are all that may be called (allowed_tools); False: the one that must be."""


def schema_problem(functions: Iterable[Offered]) -> dict[str, Any] | None:
    """The first function whose parameters are refused, and why."""
    for function in functions:
        if function.parameters is None:
            continue
        problem = openai_strict.problem(function.parameters)
        if problem is None and function.strict:
            problem = openai_strict.strict_problem(function.parameters)
        if problem:
            return {"name": function.name, "place": function.place, "problem": problem}
    return None


def answer_schema_problem(name: str, schema: Any, strict: bool) -> dict[str, Any] | None:
    """What is wrong with the schema of a structured answer."""
    problem = openai_strict.problem(schema)
    if problem is None and strict:
        problem = openai_strict.strict_problem(schema)
    return {"name": name, "problem": problem} if problem else None


def specs(functions: list[Offered], choice: Choice) -> tuple[ToolSpec, ...]:
    """The functions as the neutral request has them, without those that the choice does not allow."""
    return tuple(
        ToolSpec(one.name, one.description, one.parameters or NO_PARAMETERS, one.strict)
        for one in functions
        if not choice.only or one.name in choice.names
    )


def neutral(choice: Choice, parallel: bool | None) -> ToolChoice:
    """The tool choice as the neutral request has it."""
    mode = {"required": "any", "named": "tool"}.get(choice.mode, choice.mode)
    name = choice.names[0] if choice.mode == "named" else ""
    return ToolChoice(mode, name, parallel is not False)
