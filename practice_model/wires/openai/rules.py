"""What both OpenAI APIs refuse alike: models, schemas, and what the model in question does not take.

The two APIs nest the same things differently; `Offered` and `Choice` are what is left without the nesting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ...facts.models import GPT_RETIRED, GPT_SNAPSHOTS, gpt
from ..api import which_model
from .schemas import parameters_problem, strict_problem
from .shapes import refused


def check_model(model: str) -> None:
    """Raise Refused for an id that does not exist or no longer does."""
    if GPT_RETIRED.fullmatch(model):
        message = (
            f"The model `{model[:200]}` has been deprecated, learn more here: "
            "https://platform.openai.com/docs/deprecations (a current one is gpt-5.4-mini)"
        )
    elif gpt(model):
        return
    else:
        hint = which_model(model, GPT_SNAPSHOTS)
        message = f"The model `{model[:200]}` does not exist or you do not have access to it. ({hint})"
    raise refused(message, None, "model_not_found", 404)


def reasons(model: str, effort: str | None) -> bool:
    """Return whether the model reasons before it answers, at this effort or the default one."""
    return (effort or gpt(model).default_effort or "none") != "none"


def takes_sampling(model: str, effort: str | None) -> bool:
    """Return whether temperature, top_p and the like may be set."""
    return gpt(model).takes_sampling and not reasons(model, effort)


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
    """Return the first function whose parameters are refused, and why."""
    for function in functions:
        if function.parameters is None:
            continue
        problem = parameters_problem(function.parameters)
        if problem is None and function.strict:
            problem = strict_problem(function.parameters)
        if problem:
            return {"name": function.name, "place": function.place, "problem": problem}
    return None


def answer_schema_problem(name: str, schema: Any, strict: bool) -> dict[str, Any] | None:
    """Return what is wrong with the schema of a structured answer."""
    problem = parameters_problem(schema)
    if problem is None and strict:
        problem = strict_problem(schema)
    return {"name": name, "problem": problem} if problem else None
