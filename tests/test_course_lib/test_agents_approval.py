"""Calls that need an approval: the run pauses and is resumed, and nothing runs twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import httpx2
import openai
import pytest
from agent_tools import ON_ALL, WAITING_OR_NOT, agent, calling, script, serving

from course_lib.agents import Agent, CallStarted, Runner, SessionStore
from course_lib.errors import CourseError
from course_lib.providers import history
from course_lib.tools import Context, ToolCall, tool
from practice_model import PracticeModel
from practice_model.request import Call, Decision

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
    response = runner.resume("anna", [])
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
    runner.resume("anna", [])
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
    store, told = SessionStore(), []

    @tool(needs_approval=True)
    def refund(number: int) -> str:
        """Refund an order."""
        ran.append(number)
        with pytest.raises(CourseError) as refused:
            Runner(desk, store).resume("anna", approved=ids)
        told.append(str(refused.value))
        return "refunded"

    desk = agent(tools=[look_up, refund])
    ids = [one.id for one in Runner(desk, store).run("anna", "Refund my order.").waiting]
    ran.clear()
    response = Runner(desk, store).resume("anna", approved=ids)
    assert ran == [2] and response.content == "All is done."
    assert "'anna' is still going on" in told[0]
    history.check(response.messages)


# Who was asked, and for what ----------------------------------------------------------------------------


class Stopped(BaseException):
    """The program ends, for the run."""


class StopsBeforeCalls(SessionStore):
    """A store whose program ends when the model's turn is stored, the first time."""

    stops = True

    def append(self, session_id, turns, **more):
        numbers = super().append(session_id, turns, **more)
        if self.stops and turns[-1]["role"] == "assistant":
            self.stops = False
            raise Stopped
        return numbers


def test_resuming_without_a_decision_refuses_nothing():
    runner = Runner(refunder())
    paused = runner.run("anna", "Refund my order.")
    again = runner.resume("anna")
    assert (again.stop_reason, again.waiting, ran) == ("approval", paused.waiting, [-1])
    assert again.content == paused.content and runner.waiting("anna") == paused.waiting
    assert runner.resume("anna", [one.id for one in again.waiting]).content == "All is done." and ran == [
        -1,
        2,
    ]
    assert runner.waiting("anna") == []


def test_what_a_program_that_ended_had_shown_nobody_is_asked_for():
    store = StopsBeforeCalls()
    with pytest.raises(Stopped):
        Runner(refunder(), store).run("anna", "Refund my order.")
    runner = Runner(refunder(), store)
    (waiting,) = runner.waiting("anna")
    paused = runner.resume("anna")
    assert (paused.stop_reason, paused.waiting) == ("approval", [waiting])
    response = runner.resume("anna", [waiting.id])
    assert (response.content, ran) == ("All is done.", [2])
    assert "Outcome unknown" in json.dumps(response.messages)  # of the look-up, which may have run


def test_a_function_is_asked_for_what_a_program_that_ended_did_not_ask():
    store, asked = StopsBeforeCalls(), []
    with pytest.raises(Stopped):
        Runner(refunder(), store).run("anna", "Refund my order.")

    def approve(call: ToolCall) -> bool:
        asked.append(call.arguments)
        return True

    response = Runner(refunder(), store, approve=approve).resume("anna")
    assert (response.stop_reason, ran, asked) == ("end", [2], [{"number": 2}])


def test_what_waits_is_listed_without_a_context(monkeypatch):
    @tool(needs_approval=True)
    def pay(number: int, context: Context) -> str:
        """Pay an order."""
        return f"{context.user} paid {number}"

    with serving(monkeypatch, PracticeModel(script(calling("pay", number=3), "Paid."))):
        runner = Runner(agent(tools=[pay]))
        paused = runner.run("anna", "Pay.", context=Context(user="anna"))
        assert runner.waiting("anna") == paused.waiting != []
        response = runner.resume("anna", [paused.waiting[0].id], context=Context(user="anna"))
    assert response.tool_calls_executed[0].content == "anna paid 3"


def test_without_an_approving_function_may_be_said_by_none():
    assert Runner(refunder(), approve=None).run("anna", "Refund my order.").stop_reason == "approval"


@pytest.mark.parametrize(
    ("approved", "words"),
    [
        (7, "approved is a int.*response.waiting"),
        ([7], "approved holds a int"),
        (["c9"], "No call 'c9'"),
        (
            [ToolCall("c9", "refund", {})],
            r"approved holds a ToolCall.*\[call.id for call in response.waiting",
        ),
        (ToolCall("c9", "refund", {}), r"approved is one call.*approved=\[call.id\]"),
    ],
)
def test_what_is_no_list_of_calls_approves_nothing(approved, words):
    runner = Runner(refunder())
    runner.run("anna", "Refund my order.")
    with pytest.raises(CourseError, match=words):
        runner.resume("anna", approved=approved)
    assert len(runner.waiting("anna")) == 1 and ran == [-1]


def own_server(*messages: dict) -> openai.OpenAI:
    """A client of a server that imitates Chat Completions, and says one thing after the other."""
    left = list(messages)

    def answer(request: httpx2.Request) -> httpx2.Response:
        message = {"role": "assistant", "content": None, **left.pop(0)}
        return httpx2.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]})

    transport = httpx2.Client(transport=httpx2.MockTransport(answer))
    return openai.OpenAI(api_key="x", base_url="http://own/v1", http_client=transport, max_retries=0)


def chat_call(name: str, number: int, **more: str) -> dict:
    function = {"name": name, "arguments": json.dumps({"number": number})}
    return {"type": "function", "function": function, **more}


@pytest.mark.parametrize("given", [{}, {"id": ""}, {"id": "call_0"}])
@pytest.mark.parametrize("by", ["id", "key"])
def test_an_approval_is_for_one_call_also_where_a_server_gives_no_ids_or_one_for_all(given, by):
    calls = [chat_call(name, n, **given) for n, name in enumerate(["refund", "look_up", "refund"], 1)]
    client = own_server({"tool_calls": calls}, {"content": "Done."})
    runner = Runner(agent((client, "m"), [look_up, refund]))
    paused = runner.run("anna", "Refund my orders.")
    assert [call.arguments["number"] for call in paused.waiting] == [1, 3] and ran == [-2]
    response = runner.resume("anna", [getattr(paused.waiting[1], by)])
    assert (ran, response.content) == ([-2, 3], "Done.")
    history.check(response.messages)
    told = {
        one["tool_call_id"]: one["content"] for turn in response.messages for one in turn.get("results", ())
    }
    said = [told[call["id"]] for call in response.messages[1]["calls"]]
    assert "not given" in said[0] and said[1:] == ["order 2 is paid", "order 3 is refunded"]


def test_an_id_of_several_calls_in_a_session_of_another_program_approves_none():
    same = [{"id": "c", "name": "refund", "arguments": {"number": n}} for n in (1, 2)]
    store = SessionStore()
    store.append("anna", [history.user("Refund."), {"role": "assistant", "text": "", "calls": same}])
    runner = Runner(refunder(), store)
    with pytest.raises(CourseError, match="2 calls that wait have the id 'c'.*runner.waiting"):
        runner.resume("anna", ["c"])
    runner.resume("anna", [call.key for call in runner.waiting("anna") if call.arguments["number"] == 2])
    assert ran == [2]
