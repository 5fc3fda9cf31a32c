"""What both OpenAI APIs refuse alike: models, efforts, tools, schemas, and what is not to be had here."""

from __future__ import annotations

from collections.abc import Mapping

from ...facts.models import GPT_RETIRED, GPT_SNAPSHOTS, gpt
from ..api import model_hint
from ..rules import Finder, Found, when
from ..schemas import openai_problems
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
    return when(request.effort and not gpt(request.model).efforts)


def effort_unknown(request: OpenAIRequest) -> Found:
    taken = gpt(request.model).efforts
    return when(request.effort not in (None, *taken), value=request.effort, supported=options(taken))


def sampling_not_taken(request: OpenAIRequest) -> Found:
    for name in ("temperature", "top_p"):
        value = getattr(request, name)
        yield from when(value not in (None, 1) and not takes_sampling(request), name=name, value=value)


def choice_not_offered(request: OpenAIRequest) -> Found:
    names = [function.name for function in request.offered]
    offered = ", ".join(names)
    for name in request.choice.names:
        yield from when(name not in names, name=name, offered=offered, offered_or_none=offered or "none")


def bad_answer_schema(request: OpenAIRequest) -> Found:
    wanted = request.answer_format
    if wanted.type == "json_schema":
        found = openai_problems(wanted.schema, wanted.strict)
        yield from ({"name": wanted.name, "problem": problem} for problem in found)


def bad_schema(request: OpenAIRequest) -> Found:
    for function in request.offered:
        if function.parameters is not None:
            found = openai_problems(function.parameters, function.strict)
            yield from ({**function._asdict(), "problem": problem} for problem in found)


BAD_SCHEMA = ("Invalid schema for function '{name}': {problem}", "{place}", "invalid_function_parameters")
NOT_HERE = ("'{name}' is not in the practice model: {reason}.", "{name}", "unsupported_parameter")
"""Of fields that the real service takes and the practice model does not."""


def not_here(why: Mapping[str, str]) -> Finder:
    """Return a finder for fields that the practice model does not take; `why` says why."""
    return lambda request: (
        {"name": name, "reason": reason} for name, reason in why.items() if getattr(request, name)
    )
