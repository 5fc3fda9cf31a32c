"""Measuring an agent: questions with the calls and the outcome that are expected, and what comes of them.

    QUESTIONS = [
        Question("where", "Where is order 1042?", [("find_order", {"number": 1042})], says="2026-11-22"),
        Question("hello", "Hello, who are you?"),                        # no call is expected
    ]
    report = evaluate(agent, QUESTIONS)
    report.precision, report.recall, report.arguments, report.outcomes
    compare(report, evaluate(better_agent, QUESTIONS))

What a figure means stands in `Report`, what a question may say in `Question`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ..agents import Agent, Runner
from ..agents.agent import AgentRequest, all_agents
from ..errors import CourseError
from ..show.plain import safe_repr
from ..tools import Context
from .grading import Result, ask, fresh_shop, grade
from .questions import Question, any_of
from .report import Comparison, Report, compare

__all__ = ["Comparison", "Question", "Report", "Result", "any_of", "compare", "evaluate", "fresh_shop"]

_SET_HERE = ("starting_agent", "session_store", "on_limit")


def evaluate(
    agent: Agent,
    questions: Iterable[Question],
    *,
    context: Context | None = None,
    world: Callable[[], AbstractContextManager[Any]] = fresh_shop,
    **limits: Any,
) -> Report:
    """Ask an agent each question, and compare its calls and their outcome with what is expected.

    No question affects another: each has a session and a world of its own, and their order does not matter.
    What goes wrong in a run is counted and not raised: a limit, a request that failed, or an answer of the
    service that cannot be read.

    Args:
        agent: The agent, as a Runner gets it.
        questions: The questions, with ids that differ.
        context: What the tools are handed, for questions that have no context of their own.
        world: Makes the context manager in which a question is asked and its outcome is looked at. Without
            it, each question finds the shop in its first state, and leaves it as it was. It gets what is
            raised in it, and cannot keep that back.
        limits: Those of the Runner, and its options for tools: max_turns=5, time_budget=30, timeout=10.

    Raises CourseError for a mistake in the program, and what the SDK raises for a wrong key or model.
    """
    questions = _checked(questions)
    if ours := [name for name in _SET_HERE if name in limits]:
        raise CourseError(
            f"evaluate() sets {', '.join(ours)} itself. Leave it out; the other options of Runner are "
            "yours: evaluate(agent, questions, max_turns=5)."
        )
    runner = Runner(agent, on_limit="stop", **limits)
    tools = {name for one in all_agents(agent).values() for name in AgentRequest(one, "").tools}
    # What @contextmanager makes can be called, too, and is used up when it was entered once.
    if _is_context_manager(world) or not callable(world):
        raise CourseError(
            f"world is {safe_repr(world)}; write what makes a context manager, without calling it: "
            "world=fresh_shop."
        )
    results = []
    for question in questions:
        with _opened(world):
            result = grade(question, ask(runner, question, context), tools)
        results.append(result)
    return Report(tuple(results))


@contextmanager
def _opened(world: Callable[[], Any]) -> Iterator[None]:
    """Open a world for one question. What is raised in it is raised, also where the world swallows it."""
    made = world()
    if not _is_context_manager(made):
        raise CourseError(
            f"world() gave {safe_repr(made)}, which is no context manager. Write a function with a yield, "
            "put @contextlib.contextmanager above it, and give its name: world=my_world."
        )
    raised: BaseException | None = None
    with made:
        try:
            yield
        except BaseException as error:
            raised = error
            raise
    if raised is not None:  # or the question would be missing in the report
        raise raised


def _is_context_manager(value: Any) -> bool:
    return all(hasattr(type(value), name) for name in ("__enter__", "__exit__"))


def _checked(questions: Any) -> list[Question]:
    if isinstance(questions, Question | str) or not isinstance(questions, Iterable):
        raise CourseError("evaluate() takes a list of questions: evaluate(agent, [Question(...), ...]).")
    found = list(questions)
    for n, one in enumerate(found):
        if not isinstance(one, Question):
            raise CourseError(
                f"questions[{n}] is of type {type(one).__name__}. Write Question(id, messages, calls), from "
                "course_lib.evaluation."
            )
    if not found:
        raise CourseError(
            "There is no question in the list. Write at least one Question(id, messages, calls)."
        )
    ids = [one.id for one in found]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise CourseError(f"More than one question is called {', '.join(twice)}. Give each an id of its own.")
    return found
