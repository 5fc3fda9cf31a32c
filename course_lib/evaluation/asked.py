"""Asking one question: a session of its own, a world of its own, and what the run left in its history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from .. import shop
from ..agents import Runner
from ..errors import CourseError, ServiceError
from ..events import Response
from ..history.turns import calls_in
from ..masking import mask
from ..schemas import Context
from ..shop.database import PACKAGED_FILE
from ..tools import ToolCall
from .questions import Question

FAILED = "failed"
"""The stop reason of a run whose service gave no answer: it could not be asked, or what it sent is none."""
_SET_UP = (401, 403, 404)
"""Statuses that say nothing of a question: the key is wrong, or there is no such model."""
_MOST_RESUMES = 10

__all__ = ["FAILED", "Asked", "ask", "fresh_shop"]


@dataclass(frozen=True)
class Asked:
    """What a question came to."""

    response: Response
    """Of the last run; of one that failed, with the error's text as its content."""
    calls: list[ToolCall] = field(default_factory=list)
    """All that the model made, in order, whatever became of them."""
    failed: list[str] = field(default_factory=list)
    """Ids of the calls whose result was an error."""
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@contextmanager
def fresh_shop() -> Iterator[None]:
    """The shop as it comes, for the length of a `with` block; then it is again as it was."""
    packaged = f"{PACKAGED_FILE.as_uri()}?mode=ro&immutable=1"
    # Page by page into the file that is in use: a connection that somebody has opened sees it, too.
    with closing(shop.connect()) as session, closing(sqlite3.connect(":memory:")) as kept:
        session.backup(kept)
        try:
            with closing(sqlite3.connect(packaged, uri=True)) as new:
                new.backup(session)
            yield
        finally:
            kept.backup(session)


def ask(runner: Runner, question: Question, context: Context | None) -> Asked:
    """Ask what the question says, in a session named after it. Raises what no other question could mend."""
    context = question.context if question.context is not None else context
    response = Response("")
    for message in question.messages:
        response = _run(runner, question, message, context)
        if response.stop_reason not in ("end", "approval"):
            break
    turns = runner.store.get(question.id)
    said = [turn for turn in turns if turn["role"] == "assistant"]
    calls = [call for turn in said for call in calls_in(turn)]
    failed = [one["tool_call_id"] for turn in turns for one in turn.get("results", ()) if one.get("is_error")]
    tokens = {name: sum(turn["usage"][name] for turn in said) for name in ("input_tokens", "output_tokens")}
    return Asked(response, calls, failed, len(said), **tokens)


def _run(runner: Runner, question: Question, message: str, context: Context | None) -> Response:
    try:
        response = runner.run(question.id, message, context=context)
        for _ in range(_MOST_RESUMES):
            if response.stop_reason != "approval" or question.approve is None:
                break
            approved = [call.id for call in response.waiting if question.approve]
            response = runner.resume(question.id, approved, context=context)
        return response
    except Exception as error:  # noqa: BLE001 (each SDK has exceptions of its own)
        of_the_program = isinstance(error, CourseError) and not isinstance(error, ServiceError)
        if of_the_program or getattr(error, "status_code", getattr(error, "code", None)) in _SET_UP:
            raise
        # One request that failed must not cost the answers to all the other questions.
        return Response(mask(f"{type(error).__name__}: {error}")[:300], stop_reason=FAILED)
