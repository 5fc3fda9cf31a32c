"""A run whose process is killed: it goes on in another process, and gives no money twice.

The agent has the shop's refund as its tool, with the key of the call; the practice model decides by itself.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from agent_tools import serving

from course_lib import shop
from course_lib.agents import Agent, Runner, SessionStore
from course_lib.errors import CourseError
from course_lib.providers import history
from course_lib.providers.clients import client_for, read_model
from course_lib.shop import database
from course_lib.tools import Context, tool
from practice_model import PracticeModel

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
TESTS = Path(__file__).parent
QUESTION = "Please refund 12.50 dollars of order 1042."


class Program:
    """What each process does. It is killed at a point, or there for the second time: "after tool 2"."""

    def __init__(self, folder: Path, killed_at: str = "", *, approval: bool = False) -> None:
        self.killed_at, self.happened = killed_at, Counter()
        database._copies[:] = [folder / "shop.sqlite"]

        @tool(name="refund_order", needs_approval=approval)
        def refund(number: int, amount: float, context: Context) -> dict:
            """Refund an order of the customer, in whole or in part.

            Args:
                number: The order number, four digits.
                amount: How much to give back, in dollars.
            """
            self.point("before the refund")
            receipt = shop.refund_once(context.call_key, number, amount)
            self.point("after the refund")
            return receipt

        agent = Agent("desk", "Help customers of the shop.", [refund], "claude-haiku-5-5")
        self.runner = Runner(agent, Store(folder / "sessions.sqlite", self))

    def point(self, name: str) -> None:
        self.happened[name] += 1
        if self.killed_at in (name, f"{name} {self.happened[name]}"):
            os.kill(os.getpid(), signal.SIGKILL)

    def run(self) -> list[str]:
        response = self.runner.run("anna", QUESTION, context=Context())
        return [response.content, *[call.id for call in response.waiting]]

    def resume(self, *approved: str) -> list[str]:
        return [self.runner.resume("anna", approved=approved, context=Context()).content]


class Store(SessionStore):
    """With the points before and after each of its steps."""

    def __init__(self, path: Path, program: Program) -> None:
        super().__init__(path)
        self.program = program

    def append(self, session_id, turns, **more):
        self.program.point(f"before {turns[-1]['role']}")
        numbers = super().append(session_id, turns, **more)
        self.program.point(f"after {turns[-1]['role']}")
        return numbers

    def claim(self, session_id, key):
        claimed = super().claim(session_id, key)
        self.program.point("after the claim")
        return claimed


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A shop that outlives the programs, and a practice model that they ask."""
    shutil.copyfile(database.PACKAGED_FILE, tmp_path / "shop.sqlite")
    with serving(monkeypatch, PracticeModel()):
        client_for(read_model("claude-haiku-5-5"), asynchronous=False)  # once, not in each process anew
        yield tmp_path


def in_a_process(folder, action, *approved, killed_at="", approval=False):
    """What a program gives that runs in a process of its own; nothing where it was killed."""
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def work():
        program = Program(folder, killed_at, approval=approval)
        theirs.send(getattr(program, action)(*approved))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    theirs.close()
    process.join()
    assert process.exitcode == (-signal.SIGKILL if killed_at else 0)
    return None if killed_at else ours.recv()


def refunds(folder):
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        return connection.execute("SELECT count(*) FROM refunds WHERE order_number = 1042").fetchone()[0]


def turns_of(folder):
    with SessionStore(folder / "sessions.sqlite") as store:
        return store.get("anna")


def assert_ended_well(folder, answer, made, known):
    """The history can go on, the refund was made so often, and what is said of it is true."""
    turns = turns_of(folder)
    history.check(turns)
    assert history.unanswered(turns) == [] and turns[-1]["text"] == answer
    assert [turn["role"] for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert refunds(folder) == made
    assert ("Outcome unknown" in json.dumps(turns[2])) == (not known)
    assert ("could not complete refund_order: Outcome unknown" in answer) == (not known)
    assert ("remaining 99.50 USD" in answer) == known


@pytest.mark.parametrize(
    ("killed_at", "made", "known"),
    [
        ("after user", 1, True),  # before the request
        ("before assistant", 1, True),  # the model has answered, and nobody wrote it down
        ("after assistant", 0, False),
        ("before the refund", 0, False),
        ("after the refund", 1, False),
        ("before tool", 1, False),  # the tool has returned, and nobody wrote it down
        ("after tool", 1, True),
        ("before assistant 2", 1, True),
        ("after assistant 2", 1, True),
    ],
)
def test_a_run_that_is_killed_goes_on_and_refunds_at_most_once(world, killed_at, made, known):
    in_a_process(world, "run", killed_at=killed_at)
    (answer,) = in_a_process(world, "resume")
    assert_ended_well(world, answer, made, known)
    assert in_a_process(world, "resume") == [answer]  # it asks and runs nothing more
    assert_ended_well(world, answer, made, known)


@pytest.mark.parametrize(
    ("killed_at", "made", "known"),
    [
        ("after the claim", 0, False),
        ("before the refund", 0, False),
        ("after the refund", 1, False),
        ("before tool", 1, False),
        ("after tool", 1, True),
        ("before assistant", 1, True),
    ],
)
def test_an_approved_call_runs_at_most_once_however_often_it_is_resumed(world, killed_at, made, known):
    _, call_id = in_a_process(world, "run", approval=True)
    in_a_process(world, "resume", call_id, killed_at=killed_at, approval=True)
    (answer,) = in_a_process(world, "resume", call_id, approval=True)
    assert_ended_well(world, answer, made, known)


def test_a_run_that_is_killed_before_it_begins_leaves_nothing(world):
    in_a_process(world, "run", killed_at="before user")
    assert turns_of(world) == []


@pytest.mark.parametrize("approval", [True, False])
def test_programs_that_resume_at_once_do_nothing_twice(world, approval):
    """All but one of the three may be told that the run of another one is going on."""
    approved = []
    if approval:
        _, *approved = in_a_process(world, "run", approval=True)
    else:
        in_a_process(world, "run", killed_at="after tool")
    forked = multiprocessing.get_context("fork")
    together, said = forked.Barrier(3), forked.SimpleQueue()

    def work():
        program = Program(world, approval=approval)
        together.wait()
        try:
            said.put(program.resume(*approved)[0])
        except CourseError as error:
            said.put(str(error))

    programs = [forked.Process(target=work) for _ in range(3)]
    for one in programs:
        one.start()
    answer, *others = sorted((said.get() for _ in programs), key=lambda one: "is still going on" in one)
    for one in programs:
        one.join()
    assert all(
        one == answer or "A run of session 'anna' is still going on in process" in one for one in others
    )
    known = "Outcome unknown" not in json.dumps(turns_of(world))
    assert known or approval
    assert_ended_well(world, answer, 1, known)


def test_a_program_of_its_own_resumes_what_waits_for_an_approval(world):
    _, call_id = in_a_process(world, "run", approval=True)
    code = f"""if True:
        import sys
        sys.path[:0] = [{str(TESTS)!r}, {str(TESTS.parent)!r}, {str(TESTS.parents[1])!r}]
        from test_agents_killed import Path, Program
        print(*Program(Path(sys.argv[1]), approval=True).resume(sys.argv[2]))
    """
    started = [sys.executable, "-c", code, str(world), call_id]
    done = subprocess.run(started, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert_ended_well(world, done.stdout.strip(), 1, True)
