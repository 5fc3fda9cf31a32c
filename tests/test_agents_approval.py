"""Calls that need an approval: the run pauses and is resumed, and nothing runs twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from agent_tools import ON_ALL, WAITING_OR_NOT, agent, calling, script, serving

from course_lib import history
from course_lib.agents import Agent, CallStarted, Runner
from course_lib.errors import CourseError
from course_lib.practice import PracticeModel
from course_lib.practice.request import Call, Decision
from course_lib.sessions import SessionStore
from course_lib.tools import ToolCall, tool

ran: list[int] = []


@tool
def look_up(number: int) -> str:
    """Look up an order."""
    ran.append(-number)
    return f"order {number} is paid"


@tool(needs_approval=True)
def refund(number: int) -> str:
    """Refund an order."""
    ran.append(number)
    return f"order {number} is refunded"


def two_calls(first: int = 1, second: int = 2) -> Decision:
    return Decision(calls=(Call("look_up", {"number": first}), Call("refund", {"number": second})))


def refunder(model: str = "claude-haiku-5-5") -> Agent:
    return agent(model, [look_up, refund])


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    ran.clear()
    brain = script(two_calls(), "All is done.")
    with serving(monkeypatch, PracticeModel(brain)) as model:
        yield model


@ON_ALL
@WAITING_OR_NOT
def test_a_run_pauses_before_a_call_that_needs_an_approval_and_goes_on_with_it(model, way):
    runner = Runner(refunder(model))
    paused = way(runner, "anna", "Refund my order.")
    assert (paused.stop_reason, paused.turns, ran) == ("approval", 1, [-1])  # the other call has run
    assert [(one.name, one.arguments) for one in paused.waiting] == [("refund", {"number": 2})]
    response = runner.resume("anna", approved=[one.id for one in paused.waiting])
    assert (response.content, response.stop_reason, ran) == ("All is done.", "end", [-1, 2])
    assert [one.name for one in response.tool_calls_executed] == ["refund"]
    assert response.waiting == [] and history.unanswered(response.messages) == []


@ON_ALL
def test_a_call_that_is_not_approved_does_not_run_and_the_model_is_told(model, practice):
    runner = Runner(refunder(model))
    runner.run("anna", "Refund my order.")
    response = runner.resume("anna")
    assert (response.stop_reason, ran) == ("end", [-1])
    assert "approval, which was not given" in json.dumps(practice.log.list()[-1].request)


def test_of_several_calls_only_the_approved_ones_run(monkeypatch):
    three = Decision(calls=tuple(Call("refund", {"number": n}) for n in (1, 2, 3)))
    with serving(monkeypatch, PracticeModel(script(three, "Done."))):
        runner = Runner(refunder())
        waiting = runner.run("anna", "Refund them.").waiting
        events = list(runner.resume_stream("anna", approved=[waiting[1].id]))
    assert ran == [2]
    assert [one.call for one in events if isinstance(one, CallStarted)] == [waiting[1]]


def test_who_goes_on_talking_has_not_approved(practice):
    runner = Runner(refunder())
    runner.run("anna", "Refund my order.")
    response = runner.run("anna", "Forget it.")
    assert (response.stop_reason, ran) == ("end", [-1])
    with pytest.raises(CourseError, match="waits for an approval.*none"):
        runner.resume("anna", approved=["c1"])


def test_resuming_twice_runs_a_call_once():
    runner = Runner(refunder())
    ids = [one.id for one in runner.run("anna", "Refund my order.").waiting]
    runner.resume("anna", approved=ids)
    with pytest.raises(CourseError, match="No call"):
        runner.resume("anna", approved=ids)
    assert ran == [-1, 2]


def test_resuming_what_has_ended_asks_nobody(practice):
    runner = Runner(refunder())
    runner.run("anna", "Refund my order.")
    runner.resume("anna")
    asked = len(practice.log.list())
    response = runner.resume("anna")
    assert (response.content, response.turns, len(practice.log.list())) == ("All is done.", 0, asked)


def test_it_resumes_without_blocking():
    runner = Runner(refunder())

    async def both() -> str:
        paused = await runner.run_async("anna", "Refund my order.")
        return (await runner.resume_async("anna", approved=[one.id for one in paused.waiting])).content

    assert (asyncio.run(both()), ran) == ("All is done.", [-1, 2])


def test_a_function_may_approve_while_the_run_waits():
    asked: list[ToolCall] = []

    def approve(call: ToolCall) -> bool:
        asked.append(call)
        return True

    response = Runner(refunder(), approve=approve).run("anna", "Refund my order.")
    assert (response.stop_reason, sorted(ran)) == ("end", [-1, 2])
    assert [one.name for one in asked] == ["refund"]


def test_a_call_that_could_not_run_anyway_waits_for_nobody(monkeypatch):
    wrong = calling("refund", number="many")
    with serving(monkeypatch, PracticeModel(script(wrong, "Which number?"))):
        response = Runner(refunder()).run("anna", "Refund my order.")
    assert (response.content, response.stop_reason, ran) == ("Which number?", "end", [])


def test_a_call_that_a_function_approved_is_not_called_refused_after_a_crash(monkeypatch):
    """It may have run: whoever talks on, or resumes, is told that nobody knows."""

    class Stopped(BaseException):
        """The program ends, for the run."""

    class Store(SessionStore):
        def append(self, session_id, turns, **more):
            if stops and turns[-1]["role"] == "tool":
                raise Stopped
            return super().append(session_id, turns, **more)

    for go_on in (lambda runner: runner.run("anna", "Well?"), lambda runner: runner.resume("anna")):
        ran.clear()
        stops, store = [True], Store()
        with pytest.raises(Stopped):
            Runner(refunder(), store, approve=lambda call: True).run("anna", "Refund my order.")
        assert sorted(ran) == [-1, 2]
        stops.clear()
        response = go_on(Runner(refunder(), store))
        (told,) = [turn for turn in response.messages if turn["role"] == "tool"]
        assert ["Outcome unknown" in one["content"] for one in told["results"]] == [True, True]
        assert sorted(ran) == [-1, 2]


def test_an_approval_is_for_its_calls_alone(monkeypatch):
    """Also where a function approves the later ones."""
    asked = []
    with serving(
        monkeypatch, PracticeModel(script(calling("refund", number=1), calling("refund", number=2)))
    ):
        store = SessionStore()
        waiting = Runner(refunder(), store).run("anna", "Refund my orders.").waiting
        runner = Runner(refunder(), store, max_turns=2, on_limit="stop", approve=asked.append)
        runner.resume("anna", approved=[one.id for one in waiting])
    assert ran == [1] and [call.arguments for call in asked] == [{"number": 2}] * 2


def test_two_programs_that_resume_at_once_run_a_call_once():
    """Here the second one comes while the tool of the first one runs."""
    store, results = SessionStore(), []

    @tool(needs_approval=True)
    def refund(number: int) -> str:
        """Refund an order."""
        ran.append(number)
        if len(ran) == 1:
            results.append(Runner(desk, store).resume("anna", approved=ids))
        return "refunded"

    desk = agent(tools=[look_up, refund])
    ids = [one.id for one in Runner(desk, store).run("anna", "Refund my order.").waiting]
    ran.clear()
    with pytest.raises(CourseError, match="Another program went on with session 'anna'"):
        Runner(desk, store).resume("anna", approved=ids)
    assert ran == [2]
    (response,) = results
    assert response.content == "All is done." and store.get("anna") == response.messages
    history.check(response.messages)
    assert "Outcome unknown" in json.dumps(response.messages)
