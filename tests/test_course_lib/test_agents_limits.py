"""A run ends: at a limit of turns, tokens, time or repetition, and for every reason that a service gives."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from agent_tools import (
    MODELS,
    ON_ALL,
    QUESTION,
    SHOP,
    WAITING_OR_NOT,
    agent,
    calling,
    run,
    script,
    serving,
    stream,
)

from course_lib.agents import Runner, TextPiece
from course_lib.errors import CourseError, LoopLimitError
from course_lib.execution.retrying import Retrying
from course_lib.providers import history
from course_lib.tools import tool
from practice_model import PracticeModel
from practice_model.request import Call, Decision

FOREVER = script(calling("check_inventory", sku="SKU-1"))


@pytest.fixture
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    with serving(monkeypatch, PracticeModel()) as model:
        yield model


@pytest.fixture
def forever(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    """A model that asks for a tool in every turn."""
    with serving(monkeypatch, PracticeModel(FOREVER)) as model:
        yield model


# Limits -------------------------------------------------------------------------------------------------


@ON_ALL
@WAITING_OR_NOT
def test_too_many_turns(model, way, forever):
    with pytest.raises(LoopLimitError, match="max_turns=3 is reached") as raised:
        way(Runner(agent(model), max_turns=3), "anna", "Stock?")
    response = raised.value.response
    assert (response.turns, response.stop_reason, len(forever.log.list())) == (3, "max_turns", 3)
    assert len(response.tool_calls_executed) == 3  # the last turn's calls ran, and have their results
    assert history.unanswered(response.messages) == []


@WAITING_OR_NOT
def test_a_polite_stop_gives_what_there_is(way, forever):
    response = way(Runner(agent(), max_turns=2, on_limit="stop"), "anna", "Stock?")
    assert (response.turns, response.stop_reason) == (2, "max_turns")


def test_a_session_goes_on_after_a_limit(monkeypatch):
    runner = Runner(agent(), max_turns=1, on_limit="stop")
    with serving(monkeypatch, PracticeModel(FOREVER)):
        assert runner.run("anna", "Stock of SKU-1?").stop_reason == "max_turns"
    with serving(monkeypatch, PracticeModel(script("It is in stock."))):
        response = runner.run("anna", "Well?")
    assert (response.content, response.stop_reason) == ("It is in stock.", "end")


def test_the_token_budget_counts_all_turns_and_is_looked_at_before_each(forever):
    one = Runner(agent(), max_turns=1, on_limit="stop").run("anna", "Stock?")
    budget = sum(one.usage.values()) + 1
    with pytest.raises(LoopLimitError, match="token_budget") as raised:
        Runner(agent(), token_budget=budget).run("ben", "Stock?")
    assert raised.value.response.turns == 2
    assert sum(raised.value.response.usage.values()) > budget


def test_the_time_budget_cuts_tools_short_and_ends_the_run(forever):
    @tool
    async def check_inventory(sku: str) -> str:
        """Check the stock."""
        await asyncio.sleep(60)
        return "never"

    started = time.monotonic()
    with pytest.raises(LoopLimitError, match="time_budget of 0.3 s") as raised:
        Runner(agent(tools=[check_inventory]), time_budget=0.3).run("anna", "Stock?")
    assert time.monotonic() - started < 30
    assert raised.value.response.tool_calls_executed[0].is_error
    assert history.unanswered(raised.value.response.messages) == []


@ON_ALL
@WAITING_OR_NOT
def test_a_call_of_an_answer_that_comes_too_late_does_not_begin(model, way, monkeypatch):
    from course_lib.agents import run

    now, ran = [0.0], []
    monkeypatch.setattr(run, "time", SimpleNamespace(monotonic=lambda: now[0]))

    @tool
    def check_inventory(sku: str) -> str:
        """Check the stock."""
        ran.append(sku)
        return "12"

    def late(request):
        now[0] += 10
        return FOREVER(request)

    with serving(monkeypatch, PracticeModel(late)):
        with pytest.raises(LoopLimitError, match="time_budget of 5 s") as raised:
            way(Runner(agent(model, [check_inventory]), time_budget=5), "anna", "Stock?")
    response = raised.value.response
    assert ran == [] and response.stop_reason == "time_budget"
    assert "did not run: the time" in response.tool_calls_executed[0].content
    history.check(response.messages)
    assert history.unanswered(response.messages) == []


@ON_ALL
@pytest.mark.parametrize("way", [run, stream])
def test_the_time_budget_cuts_a_request_short(model, way, practice):
    with practice.faults("timeout", times=9, seconds=30):
        started = time.monotonic()
        with pytest.raises(LoopLimitError, match="time_budget"):
            way(Runner(agent(model), time_budget=0.3), "anna", QUESTION)
    assert time.monotonic() - started < 15


def failing(*replies: str):
    """A tool that fails, saying one thing after the other; the last for good."""
    said = iter([*replies[:-1], *[replies[-1]] * 20])

    @tool
    def check_inventory(sku: str) -> str:
        """Check the stock."""
        raise ValueError(next(said))

    return check_inventory


def test_a_call_that_fails_the_same_way_again_and_again(forever):
    with pytest.raises(LoopLimitError, match="check_inventory was called 3 times.*SKU-1.*disk is full"):
        Runner(agent(tools=[failing("disk is full")])).run("anna", "Stock?")
    assert len(forever.log.list()) == 3


def test_a_call_may_fail_in_other_ways_or_succeed_as_often_as_it_likes(forever):
    flaky = failing("a", "b", "a", "b", "c")
    for tools in ([flaky], SHOP):
        response = Runner(agent(tools=tools), max_turns=5, on_limit="stop").run("anna", "Stock?")
        assert response.stop_reason == "max_turns"


def test_a_failure_is_the_same_whatever_the_order_of_its_arguments(monkeypatch):
    @tool
    def reserve(sku: str, pieces: int) -> str:
        """Reserve pieces of a product."""
        raise ValueError("disk is full")

    one, other = calling("reserve", sku="SKU-1", pieces=2), calling("reserve", pieces=2, sku="SKU-1")
    with serving(monkeypatch, PracticeModel(script(one, other, one, "Sorry."))):
        with pytest.raises(LoopLimitError, match="reserve was called 3 times"):
            Runner(agent(tools=[reserve])).run("anna", "Reserve two.")


def test_calls_of_one_turn_count_once(monkeypatch):
    three = Decision(calls=tuple(Call("check_inventory", {"sku": "SKU-1"}) for _ in range(3)))
    with serving(monkeypatch, PracticeModel(script(three, "Sorry."))):
        response = Runner(agent(tools=[failing("disk is full")])).run("anna", "Stock?")
    assert (response.content, len(response.tool_calls_executed)) == ("Sorry.", 3)


def test_without_a_limit_of_repeats(forever):
    runner = Runner(agent(tools=[failing("x")]), max_turns=6, max_repeats=None, on_limit="stop")
    assert runner.run("anna", "Stock?").stop_reason == "max_turns"


# Why a service ends a turn ------------------------------------------------------------------------------


@ON_ALL
@WAITING_OR_NOT
def test_a_call_that_is_cut_off_is_answered_so_and_made_again(model, way, monkeypatch):
    shipping = calling("calculate_shipping", weight_kg=2.5, destination="CA")
    with serving(monkeypatch, PracticeModel(script(shipping, shipping, "It costs 21.25."))) as practice:
        with practice.faults("truncated") as fault:
            response = way(Runner(agent(model)), "anna", "What does shipping 2.5 kg to CA cost?")
    assert (fault.hits, response.stop_reason, response.content) == (1, "end", "It costs 21.25.")
    first = response.messages[1]
    if first["provider"] == "gemini":  # it shows nothing of an unfinished call
        assert (first["calls"], first["text"], first["stop_reason"]) == ([], "", "max_tokens")
    else:
        assert "cut off" in response.tool_calls_executed[0].content
    assert not response.tool_calls_executed[-1].is_error


@ON_ALL
def test_an_answer_that_is_cut_off_ends_the_run_and_says_so(model, practice):
    with practice.faults("truncated", skip=1):
        response = Runner(agent(model)).run("anna", QUESTION)
    assert (response.stop_reason, response.turns) == ("max_tokens", 2)
    assert response.content


@WAITING_OR_NOT
def test_a_pause_is_sent_back_as_it_is(way, practice):
    with practice.faults("pause_turn", skip=1) as fault:
        response = way(Runner(agent()), "anna", QUESTION)
    assert fault.hits == 1 and response.stop_reason == "end" and "21.25" in response.content
    assert response.messages[-2]["stop_reason"] == "pause"
    paused, after = practice.log.list()[-2:]
    assert after.request["messages"][:-1] == paused.request["messages"]
    assert after.request["messages"][-1:] == response.messages[-2]["wire"]


@ON_ALL
@WAITING_OR_NOT
@pytest.mark.parametrize("fault", ["refusal", "filtered"])
def test_a_refusal_ends_the_run_and_the_session_goes_on(model, way, fault, practice):
    runner = Runner(agent(model))
    with practice.faults(fault):
        response = way(runner, "anna", QUESTION)
    assert (response.stop_reason, response.turns, response.tool_calls_executed) == ("refusal", 1, [])
    assert "21.25" in way(runner, "anna", QUESTION).content


def test_a_full_context_window_ends_the_run_even_beside_a_call(monkeypatch):
    from course_lib.agents import model_client

    answered = model_client.ModelClient.ask

    async def full(self, body, seconds):
        answer = await answered(self, body, seconds)
        return {**answer, "stop_reason": "model_context_window_exceeded"}

    monkeypatch.setattr(model_client.ModelClient, "ask", full)
    with serving(monkeypatch, PracticeModel(FOREVER)):
        response = Runner(agent()).run("anna", "Stock?")
    assert (response.stop_reason, response.turns) == ("context_window", 1)
    assert history.unanswered(response.messages) == []


def test_a_call_that_gemini_cannot_read_is_asked_for_again_once(practice):
    with practice.faults("broken_json", times=1) as fault:
        response = Runner(agent(MODELS[3])).run("anna", QUESTION)
    assert fault.hits == 1 and "21.25" in response.content and response.turns == 3
    with practice.faults("broken_json", times=9) as fault:
        response = Runner(agent(MODELS[3])).run("ben", QUESTION)
    assert (fault.hits, response.stop_reason) == (2, "other")


# Mistakes of the model, failures of the service ---------------------------------------------------------


def _no_pause(seconds: float) -> None:
    """Instead of waiting."""


@ON_ALL
@WAITING_OR_NOT
@pytest.mark.parametrize(
    "fault", ["unknown_tool", "wrong_type", "missing_argument", "extra_argument", "truncated_json"]
)
def test_a_wrong_call_is_told_to_the_model_which_corrects_it(model, way, fault, practice):
    if fault == "truncated_json" and not model.startswith("openai"):
        pytest.skip("arguments are text on OpenAI's APIs only")
    with practice.faults(fault) as found:
        response = way(Runner(agent(model)), "anna", QUESTION)
    assert found.hits == 1 and response.stop_reason == "end"
    told = any(one.is_error for one in response.tool_calls_executed)
    assert told or fault == "wrong_type"  # a number that came as text is taken
    assert "21.25" in response.content


@ON_ALL
def test_the_sloppy_model_comes_to_an_end(model, practice):
    sloppy = f"{model.partition(':')[0]}:practice-sloppy"
    runner = Runner(agent(sloppy), max_turns=8, on_limit="stop")
    questions = [
        f"Can you check stock for SKU-{n} and estimate shipping {n}.5 kg to CA?" for n in range(1, 9)
    ]
    found = [runner.run(f"s{n}", question) for n, question in enumerate(questions)]
    assert any(call.is_error for one in found for call in one.tool_calls_executed)  # it did go wrong
    assert {one.stop_reason for one in found} == {"end"}
    right = sum(f"{(n + 0.5) * 8.5:g}" in one.content for n, one in enumerate(found, 1))
    assert right == len(found)


@ON_ALL
@WAITING_OR_NOT
@pytest.mark.parametrize("fault", ["rate_limit", "overloaded", "server_error", "connection_dropped"])
def test_a_service_that_fails_is_asked_again(model, way, fault, practice):
    with practice.faults(fault, times=3) as found:
        response = way(Runner(agent(model), retrying=Retrying(sleep=_no_pause)), "anna", QUESTION)
    assert found.hits == 3 and "21.25" in response.content


@ON_ALL
@pytest.mark.parametrize("way", [run, stream])
def test_a_service_that_fails_for_good_raises_and_the_run_can_be_resumed(model, way, practice):
    runner = Runner(agent(model), retrying=Retrying(attempts=2, sleep=_no_pause))
    with practice.faults("server_error", skip=1, times=2), pytest.raises(Exception) as raised:  # noqa: B017
        way(runner, "anna", QUESTION)
    assert not isinstance(raised.value, CourseError)
    response = runner.resume("anna")  # the tools had run: only the answer is missing
    assert (response.turns, response.tool_calls_executed) == (1, [])
    assert "21.25" in response.content


@pytest.mark.parametrize("model", MODELS)
def test_a_stream_that_breaks_after_its_first_words_is_not_asked_for_again(model, practice):
    runner = Runner(agent(model), retrying=Retrying(sleep=_no_pause))
    shown = []
    with practice.faults("stream_dropped", skip=1, times=1), pytest.raises(Exception):  # noqa: B017
        for event in runner.run_stream("anna", QUESTION):
            shown.append(event)
    assert any(isinstance(one, TextPiece) for one in shown)
    assert "21.25" in runner.resume("anna").content


def test_a_server_that_answers_with_an_error_and_status_200(monkeypatch, practice):
    import openai

    class Answer:
        def post(self, *args, **kwargs):
            return {"error": {"message": "upstream is down", "code": 502}}

    client = openai.OpenAI()
    monkeypatch.setattr(client, "post", Answer().post)
    with pytest.raises(CourseError, match="upstream is down"):
        Runner(agent((client, "llama3.2"))).run("anna", "Hello")


def test_a_limit_error_says_which_limit_and_what_the_run_had_come_to():
    error = LoopLimitError("Too many.", "max_turns")
    assert (str(error), error.limit, error.response) == ("Too many.", "max_turns", None)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.limit) == ("Too many.", "max_turns")
    assert LoopLimitError().limit == ""
