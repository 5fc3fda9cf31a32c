"""An agent answers with its tools: on four APIs, from code of every kind, with sessions that remember."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_tools import (
    EVERY_WAY,
    MODELS,
    ON_ALL,
    QUESTION,
    SHOP,
    agent,
    calling,
    run,
    script,
    serving,
    stream,
    stream_async,
)

from course_lib.agents import (
    Agent,
    CallEnded,
    CallStarted,
    Done,
    Response,
    Runner,
    SessionStore,
    TextPiece,
    TurnEnded,
)
from course_lib.agents.run import Limits
from course_lib.errors import CourseError
from course_lib.providers import history
from course_lib.tools import Context, tool
from practice_model import PracticeModel
from practice_model.request import Decision

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    with serving(monkeypatch, PracticeModel()) as model:
        yield model


def plain(turns: list[dict]) -> list[dict]:
    """A history without what belongs to one provider alone, and without its ids."""
    found = []
    for turn in turns:
        if turn["role"] == "tool":
            found.append([(one["name"], one["content"], one["is_error"]) for one in turn["results"]])
        elif turn["role"] == "user":
            found.append(turn["text"])
        else:
            found.append((turn["text"], [(one["name"], one["arguments"]) for one in turn["calls"]]))
    return found


# The whole run ------------------------------------------------------------------------------------------


@ON_ALL
@EVERY_WAY
def test_it_answers_with_what_its_tools_gave(model, way):
    response = way(Runner(agent(model)), "anna", QUESTION)
    assert "21.25" in response.content and "SKU-990" not in response.stop_reason
    assert {(one.name, one.is_error) for one in response.tool_calls_executed} == {
        ("check_inventory", False),
        ("calculate_shipping", False),
    }
    shipping = next(one for one in response.tool_calls_executed if one.name == "calculate_shipping")
    assert shipping.arguments == {"weight_kg": 2.5, "destination": "CA"}
    assert json.loads(shipping.content) == {"destination": "CA", "cost_usd": 21.25}
    assert (response.turns, response.stop_reason, response.agent) == (2, "end", "shop")


@ON_ALL
def test_all_ways_to_run_give_the_same_history(model):
    first, *others = [
        way(Runner(agent(model)), "anna", QUESTION).messages for way in (run, stream, stream_async)
    ]
    for other in others:
        assert plain(other) == plain(first)
        if not model.startswith("gemini"):  # there a signed part of a stream may not be joined with others
            assert other == first


def test_the_history_is_that_of_the_session_and_can_be_sent_again():
    runner = Runner(agent())
    response = runner.run("anna", QUESTION)
    assert response.messages == runner.store.get("anna")
    history.check(response.messages)
    assert [turn["role"] for turn in response.messages] == ["user", "assistant", "tool", "assistant"]


@ON_ALL
def test_the_usage_of_all_turns_is_added_up(model):
    response = Runner(agent(model)).run("anna", QUESTION)
    spoken = [turn["usage"] for turn in response.messages if turn["role"] == "assistant"]
    assert len(spoken) == 2 and all(one["input_tokens"] and one["output_tokens"] for one in spoken)
    assert response.usage == {name: sum(one[name] for one in spoken) for name in spoken[0]}


def test_a_question_that_takes_no_tool_takes_one_turn():
    response = Runner(agent()).run("anna", "Hello!")
    assert (response.turns, response.tool_calls_executed, response.stop_reason) == (1, [], "end")
    assert response.content


@ON_ALL
def test_a_failing_tool_is_explained_to_the_user(model):
    @tool
    def query_db(customer: str) -> str:
        """Look up a customer in the database."""
        raise TimeoutError("database connection timeout")

    response = Runner(agent(model, [query_db])).run("anna", 'Look up the customer "Ana Ruiz" in the database')
    assert [one.is_error for one in response.tool_calls_executed] == [True]
    assert "database connection timeout" in response.content
    result = response.messages[2]["results"][0]
    assert result["is_error"] and "database connection timeout" in result["content"]


def test_the_context_reaches_the_tools_and_not_the_model(practice):
    @tool
    def my_orders(context: Context) -> str:
        """List the orders of the customer."""
        return f"orders of {context.user}: 1042"

    response = Runner(agent(tools=[my_orders])).run("anna", "List my orders", context=Context(user="u-77"))
    assert "1042" in response.content
    assert "context" not in json.dumps(practice.log.list()[0].request["tools"])


# Events -------------------------------------------------------------------------------------------------


@ON_ALL
def test_a_stream_tells_what_happens_in_order(model):
    events = list(Runner(agent(model)).run_stream("anna", QUESTION))
    kinds = [type(one) for one in events if not isinstance(one, TextPiece)]
    assert kinds == [TurnEnded, CallStarted, CallStarted, CallEnded, CallEnded, TurnEnded, Done]
    assert [one.number for one in events if isinstance(one, TurnEnded)] == [1, 2]
    ended = [one for one in events if isinstance(one, CallEnded)]
    assert all(one.call.id == one.result.tool_call_id for one in ended)


@ON_ALL
def test_the_pieces_of_text_are_those_of_the_turns(model):
    events = list(Runner(agent(model)).run_stream("anna", QUESTION))
    pieces = [one.text for one in events if isinstance(one, TextPiece)]
    turns = [one.turn["text"] for one in events if isinstance(one, TurnEnded)]
    assert len(pieces) > 2 and "".join(pieces) == "".join(turns)


def test_a_stream_that_is_left_lets_its_session_go():
    runner = Runner(agent())
    for _ in runner.run_stream("anna", QUESTION):
        break
    assert "21.25" in runner.run("anna", QUESTION).content


def test_an_async_stream_that_is_left_lets_its_session_go():
    runner = Runner(agent())

    async def leave() -> None:
        events = aiter(runner.run_stream("anna", QUESTION))
        await anext(events)
        await events.aclose()
        assert "21.25" in (await runner.run_async("anna", QUESTION)).content

    asyncio.run(leave())


# Sessions -----------------------------------------------------------------------------------------------


def test_a_session_remembers_and_others_know_nothing_of_it(practice):
    runner = Runner(agent())
    runner.run("anna", "Hello, I am Anna.")
    runner.run("ben", "Hello, I am Ben.")
    runner.run("anna", "What did I say?")
    sent = json.dumps(practice.log.list()[-1].request)
    assert "I am Anna" in sent and "I am Ben" not in sent


@ON_ALL
def test_a_session_goes_on_in_another_runner_from_its_file(model, tmp_path):
    with SessionStore(tmp_path / "sessions.sqlite") as store:
        before = Runner(agent(model), store).run("anna", QUESTION).messages
    with SessionStore(tmp_path / "sessions.sqlite") as store:
        after = Runner(agent(model), store).run("anna", "And shipping 4 kg to US?")
    assert after.messages[: len(before)] == before
    assert "34" in after.content


@ON_ALL
@pytest.mark.parametrize("second", MODELS)
def test_a_session_begun_with_one_provider_goes_on_with_another(model, second):
    store = SessionStore()
    Runner(agent(model), store).run("anna", QUESTION)
    response = Runner(agent(second), store).run("anna", "And shipping 4 kg to US?")
    assert "34" in response.content and response.stop_reason == "end"


def test_what_a_program_changes_of_its_runner_counts_from_the_next_run_on():
    runner, store = Runner(agent()), SessionStore()
    runner.run("anna", QUESTION)
    runner.starting_agent = agent(tools=[])
    assert runner.run("ben", QUESTION).tool_calls_executed == []
    runner.starting_agent, runner.store = agent(), store
    runner.limits, runner.on_limit = Limits(max_turns=1), "stop"
    runner.tool_options["max_characters"] = 10
    response = runner.run("anna", QUESTION)
    assert response.stop_reason == "max_turns"
    assert all("left out" in one.content for one in response.tool_calls_executed)
    assert response.messages == store.get("anna") and store.session_ids() == ["anna"]


def test_two_runs_of_one_session_at_once_are_refused():
    runner = Runner(agent())
    events = iter(runner.run_stream("anna", QUESTION))
    next(events)
    with pytest.raises(CourseError, match="'anna' is still going on"):
        runner.run("anna", "Hello?")
    assert runner.run("ben", "Hello!").stop_reason == "end"
    events.close()


def test_many_sessions_at_once_on_one_runner():
    runner = Runner(agent())

    async def all_of_them() -> list[Response]:
        return await asyncio.gather(*(runner.run_async(f"s{n}", QUESTION) for n in range(20)))

    assert all("21.25" in one.content for one in asyncio.run(all_of_them()))
    assert len(runner.store.session_ids()) == 20


# Thinking -----------------------------------------------------------------------------------------------


@ON_ALL
def test_a_turn_goes_back_to_its_provider_as_it_came(model, practice):
    options = {"thinking": {"type": "adaptive"}} if model.startswith("anthropic") else {}
    response = Runner(agent(model, options=options)).run("anna", QUESTION)
    first, second = practice.log.list()
    sent = json.dumps(second.request, sort_keys=True)
    for part in response.messages[1]["wire"]:
        assert json.dumps(part, sort_keys=True) in sent
    if options:
        assert "signature" in sent


# What is wrong with an agent ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Agent("", "Help."), "name of an agent"),
        (lambda: Agent("a", None), "instructions of a"),
        (lambda: Agent("a", tools=SHOP[0]), "one tool.*list"),
        (lambda: Agent("a", tools=None), "tools of a is None.*list"),
        (lambda: Agent("a", tools=(one for one in SHOP)), "tools of a is <generator.*list"),
        (lambda: Agent("a", options=None), "options of a is None.*dictionary"),
        (lambda: Runner(agent()).run(["anna"], "Hello"), "session id is text.*list"),
        (lambda: Agent("a", tools=[print]), "no tool.*@tool"),
        (lambda: Agent("a", tools=[SHOP[0], SHOP[0]]), "Two tools are called 'calculate_shipping'"),
        (lambda: Agent("a", model="llama3.2"), "anthropic:llama3.2.*OpenAI\\(base_url"),
        (lambda: Agent("a", model="mistral:large"), "openai:large"),
        (lambda: Agent("a", model=("client", "id")), "str is no client"),
        (lambda: Agent("a", model=7), "7 is no model"),
        (lambda: Runner("agent"), "no agent"),
        (lambda: Runner(agent(), on_limit="ask"), "'raise' or 'stop'"),
        (lambda: Runner(agent(), max_workrs=3), "no option max_workrs.*max_workers"),
        (lambda: Runner(agent(), max_turns=0), "max_turns is 0"),
        (lambda: Runner(agent(), token_budget=1.5), "token_budget is 1.5.*whole"),
        (lambda: Runner(agent(), time_budget=True), "time_budget is True"),
        (lambda: Runner(agent()).run("anna", "  "), "empty text"),
        (lambda: Runner(agent()).resume("nobody"), "no session 'nobody'"),
        (lambda: Runner(agent()).resume("anna", approved="c1"), r"approved=\['c1'\]"),
    ],
)
def test_a_mistake_of_the_program_is_explained(make, words):
    with pytest.raises(CourseError, match=words):
        make()


def test_a_message_that_is_refused_leaves_no_trace():
    runner = Runner(agent())
    with pytest.raises(CourseError):
        runner.run("anna", "")
    assert runner.store.get("anna") == []
    assert runner.run("anna", "Hello!").stop_reason == "end"


def test_names_of_the_package_load_no_sdk():
    code = (
        "import sys, course_lib; course_lib.Runner(course_lib.Agent('a', 'Help.'));"
        "print(sorted({'anthropic', 'openai', 'google.genai'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_empty_answer_of_a_model_is_an_answer(monkeypatch):
    brain = script(calling("check_inventory", sku="SKU-1"), Decision(text=""))
    with serving(monkeypatch, PracticeModel(brain)):
        response = Runner(agent()).run("anna", "Stock?")
    assert (response.content, response.stop_reason, response.turns) == ("", "end", 2)


def test_of_runners_that_share_a_session_one_runs_and_the_others_leave_no_trace(practice):
    store, together, said = SessionStore(), threading.Barrier(8), []

    def talk(n: int) -> None:
        runner = Runner(agent(), store)
        together.wait()
        try:
            runner.run("anna", f"Hello, I am number {n}.")
            said.append(n)
        except CourseError as error:
            assert "'anna' is still going on" in str(error)

    threads = [threading.Thread(target=talk, args=(n,)) for n in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    turns = store.get("anna")
    history.check(turns)
    assert [turn["text"] for turn in turns if turn["role"] == "user"] == [
        f"Hello, I am number {n}." for n in said
    ]
    assert len(practice.log.list()) == len(said) >= 1


def test_the_key_of_a_call_does_not_come_again_in_a_copy_of_the_file(monkeypatch, tmp_path):
    keys = []

    @tool
    def pay(number: int, context: Context) -> str:
        """Pay an order."""
        keys.append(context.call_key)
        return "paid"

    brain = script(calling("pay", number=1), "Paid.")
    SessionStore(tmp_path / "a.sqlite").close()
    shutil.copy(tmp_path / "a.sqlite", tmp_path / "b.sqlite")
    with serving(monkeypatch, PracticeModel(brain)):
        for name in "ab":
            with SessionStore(tmp_path / f"{name}.sqlite") as store:
                Runner(agent(tools=[pay]), store).run("anna", "Pay.", context=Context())
    assert len(set(keys)) == 2 and all(keys)
