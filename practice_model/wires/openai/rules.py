"""What both OpenAI APIs refuse alike: models, efforts, tools, schemas, and what is not to be had here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from ...facts.models import GPT_RETIRED, GPT_SNAPSHOTS, gpt
from ..api import Found, WireRule, model_hint, when
from .schemas import parameters_problem, strict_problem
from .shapes import OpenAIRequest, options, refused


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
        hint = model_hint(model, GPT_SNAPSHOTS)
        message = f"The model `{model[:200]}` does not exist or you do not have access to it. ({hint})"
    raise refused(message, None, "model_not_found", 404)


def reasons(request: OpenAIRequest) -> bool:
    """Return whether the model reasons before it answers, at this effort or the default one."""
    return (request.effort or gpt(request.model).default_effort or "none") != "none"


def takes_sampling(request: OpenAIRequest) -> bool:
    """Return whether temperature, top_p and the like may be set."""
    return gpt(request.model).takes_sampling and not reasons(request)


# Finders ------------------------------------------------------------------------------------------


def effort_not_taken(request: OpenAIRequest) -> Found:
    return {} if request.effort and not gpt(request.model).efforts else None


def effort_unknown(request: OpenAIRequest) -> Found:
    taken = gpt(request.model).efforts
    if request.effort is None or request.effort in taken:
        return None
    return {"value": request.effort, "supported": options(list(taken))}


def sampling(name: str) -> Callable[[OpenAIRequest], Found]:
    def find(request: OpenAIRequest) -> Found:
        value = getattr(request, name)
        return None if value in (None, 1) or takes_sampling(request) else {"name": name, "value": value}

    return find


def choice_not_offered(request: OpenAIRequest) -> Found:
    names = [function.name for function in request.offered]
    unknown = [name for name in request.choice.names if name not in names]
    if not unknown:
        return None
    offered = ", ".join(names)
    return {"name": unknown[0], "offered": offered, "offered_or_none": offered or "none"}


def bad_schema(request: OpenAIRequest) -> Found:
    for function in request.offered:
        if function.parameters is not None:
            problem = _schema_problem(function.parameters, function.strict)
            if problem:
                return {"name": function.name, "place": function.place, "problem": problem}
    return None


def bad_answer_schema(request: OpenAIRequest) -> Found:
    wanted = request.answer_format
    if wanted.type != "json_schema":
        return None
    problem = _schema_problem(wanted.schema, wanted.strict)
    return {"name": wanted.name, "problem": problem} if problem else None


def _schema_problem(schema: Any, strict: bool) -> str | None:
    return parameters_problem(schema) or (strict_problem(schema) if strict else None)


# Rules --------------------------------------------------------------------------------------------

BAD_SCHEMA = WireRule(
    bad_schema,
    "Invalid schema for function '{name}': {problem}",
    "{place}",
    "invalid_function_parameters",
)


def not_here(why: Mapping[str, str]) -> list[WireRule]:
    """Return a rule for each field that the real service takes and the practice model does not, and why."""
    text = "'{}' is not in the practice model: {}."
    return [
        WireRule(when(attrgetter(name)), text.format(name, reason), name, "unsupported_parameter")
        for name, reason in why.items()
    ]
