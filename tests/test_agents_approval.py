"""Calls that need an approval: the run pauses and is resumed, also in another process, and after a crash."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_tools import ON_ALL, WAITING_OR_NOT, agent, calling, script, serving

from course_lib import history
from course_lib.agents import Agent, CallStarted, Runner
from course_lib.errors import CourseError
from course_lib.practice import PracticeModel
from course_lib.practice.request import Call, Decision
from course_lib.sessions import SessionStore
from course_lib.tools import ToolCall, tool

TESTS = Path(__file__).parent
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


# Another process ----------------------------------------------------------------------------------------

PROGRAM = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from agent_tools import agent
from course_lib import tool
from course_lib.agents import Runner
from course_lib.sessions import SessionStore

where, action, path, count = sys.argv[1:5]

def die(point):
    if where == point:
        os.kill(os.getpid(), signal.SIGKILL)

class Store(SessionStore):
    def append(self, session_id, turns):
        die(f"before {{turns[-1]['role']}}")
        super().append(session_id, turns)
        die(f"after {{turns[-1]['role']}}")

@tool
def look_up(number: int) -> str:
    \"\"\"Look up an order.\"\"\"
    return "paid"

@tool(needs_approval=action == "approve")
def refund(number: int) -> str:
    \"\"\"Refund an order.\"\"\"
    die("before the refund")
    with open(count, "a", encoding="utf-8") as file:
        file.write("refund\\n")
    die("after the refund")
    return "refunded"

runner = Runner(agent(tools=[look_up, refund]), Store(path))
if action == "run":
    response = runner.run("anna", "Refund my order.")
else:
    approved = sys.argv[5:]
    response = runner.resume("anna", approved=approved)
print(response.content)
"""


def program(where: str, action: str, *rest: str) -> subprocess.CompletedProcess[str]:
    code = PROGRAM.format(tests=str(TESTS))
    return subprocess.run(
        [sys.executable, "-c", code, where, action, *rest],
        capture_output=True,
        encoding="utf-8",
        env=os.environ,
        cwd=TESTS.parent,
    )


POINTS = [
    "before user",
    "after user",
    "before assistant",
    "after assistant",
    "before the refund",
    "after the refund",
    "before tool",
    "after tool",
]


@pytest.mark.parametrize("where", POINTS)
def test_a_run_that_is_killed_anywhere_goes_on_and_refunds_at_most_once(where, tmp_path, monkeypatch):
    files = str(tmp_path / "s.sqlite"), str(tmp_path / "refunds.txt")
    with serving(monkeypatch, PracticeModel(script(two_calls(), "All is done."))):
        killed = program(where, "run", *files)
        assert killed.returncode == -signal.SIGKILL
        if where == "before user":
            with SessionStore(files[0]) as store:
                assert store.get("anna") == []
            return
        done = program("nowhere", "resume", *files)
    assert done.stdout.strip() == "All is done.", done.stderr
    with SessionStore(files[0]) as store:
        turns = store.get("anna")
    history.check(turns)
    assert history.unanswered(turns) == []
    refunds = Path(files[1]).read_text(encoding="utf-8").count("refund") if Path(files[1]).exists() else 0
    assert refunds <= 1
    told = json.dumps([turn for turn in turns if turn["role"] == "tool"])
    # What nobody knows is said; what is known is not called unknown.
    assert ("Outcome unknown" in told) == (where in POINTS[3:7])


def test_a_pause_is_resumed_by_another_process(tmp_path):
    files = str(tmp_path / "s.sqlite"), str(tmp_path / "refunds.txt")
    with SessionStore(files[0]) as store:
        waiting = Runner(refunder(), store).run("anna", "Refund my order.").waiting
    done = program("nowhere", "approve", *files, *[one.id for one in waiting])
    assert done.stdout.strip() == "All is done.", done.stderr
    assert Path(files[1]).read_text(encoding="utf-8") == "refund\n"
