"""ScriptedModel: an agent, a client or a loop of one's own meets exactly the turns that a test wrote down."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap

import anthropic
import pytest

from course_lib.agents import Agent, Done, Runner, ScriptedModel, ScriptedTurn, TextPiece, scripted
from course_lib.errors import CourseError
from course_lib.providers.anthropic import read_calls
from course_lib.tools import tool


@tool
def find_order(number: int) -> str:
    """Look up an order."""
    return f"Order {number} has left the warehouse."


LOOKS, SAYS = ("find_order", {"number": 1042}), "It is on its way."


def agent(client):
    return Agent("shop", "Help the customers.", [find_order], (client, "any id"))


def ask(model, **more):
    messages = [{"role": "user", "content": "Where is order 1042?"}]
    return model.client.messages.create(model="any id", max_tokens=100, messages=messages, **more)


def test_the_example_in_its_documentation_runs():
    example = scripted.__doc__.partition("\n\n")[2].rpartition("\n\n")[0]
    exec(textwrap.dedent(example), {})


def test_an_agent_gets_the_turns_in_their_order_and_the_test_sees_each_request():
    model = ScriptedModel(["Let me look.", LOOKS, ("find_order", {"number": "x"})], SAYS)
    response = Runner(agent(model.client)).run("anna", "Where is order 1042?")
    assert response.content == SAYS and response.turns == 2
    assert [call.is_error for call in response.tool_calls_executed] == [False, True]
    first, second = model.requests
    assert first["system"] == "Help the customers." and first["tools"][0]["name"] == "find_order"
    assert first["messages"] == [{"role": "user", "content": "Where is order 1042?"}]
    assert "Order 1042 has left" in str(second["messages"][-1])


def test_an_async_agent_can_be_tested_as_well():
    model = ScriptedModel(LOOKS, SAYS)
    response = asyncio.run(Runner(agent(model.async_client)).run_async("anna", "Where is it?"))
    assert response.content == SAYS and len(model.requests) == 2


def test_a_stream_comes_in_pieces_and_adds_up_to_the_turn():
    model = ScriptedModel(["Let me look.", LOOKS], SAYS)
    events = list(Runner(agent(model.client)).run_stream("anna", "Where is it?"))
    pieces = [event.text for event in events if isinstance(event, TextPiece)]
    assert len(pieces) > 2 and "".join(pieces) == f"Let me look.{SAYS}"
    assert isinstance(events[-1], Done) and events[-1].response.content == SAYS
    (call,) = events[-1].response.tool_calls_executed
    assert call.arguments == {"number": 1042} and not call.is_error

    async def follow():
        runner = Runner(agent(ScriptedModel(LOOKS, SAYS).async_client))
        return [event async for event in runner.run_stream("anna", "Where is it?")]

    assert asyncio.run(follow())[-1].response.content == SAYS


@pytest.mark.parametrize("text", ["", " ", "one", "two words", "  spaces  and\n\nlines ", "¿Qué?  👋🏽"])
def test_the_text_of_a_stream_is_the_text_of_the_turn(text):
    with ScriptedModel(text).client.messages.stream(
        model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}]
    ) as stream:
        assert "".join(stream.text_stream) == text
        assert stream.get_final_message().content[0].text == text


def test_it_says_the_last_turn_for_good():
    model = ScriptedModel("one", "two")
    assert [ask(model).content[0].text for _ in range(4)] == ["one", "two", "two", "two"]


def test_each_call_has_an_id_of_its_own():
    model = ScriptedModel([LOOKS, LOOKS])
    ids = [call.id for _ in range(3) for call in read_calls(ask(model))]
    assert len(set(ids)) == 6


@pytest.mark.parametrize(
    ("turn", "stop_reason"),
    [
        (SAYS, "end_turn"),
        (LOOKS, "tool_use"),
        ([], "end_turn"),
        (ScriptedTurn("Order 1042 is", stop_reason="max_tokens"), "max_tokens"),
        (ScriptedTurn(LOOKS, stop_reason="max_tokens"), "max_tokens"),
        (ScriptedTurn(stop_reason="refusal"), "refusal"),
    ],
)
def test_a_turn_stops_for_its_calls_or_for_the_reason_that_it_was_given(turn, stop_reason):
    assert ask(ScriptedModel(turn)).stop_reason == stop_reason


def test_a_limit_is_met_as_with_a_real_model():
    response = Runner(agent(ScriptedModel(LOOKS).client), max_turns=4, on_limit="stop").run("anna", "Go on.")
    assert response.stop_reason == "max_turns" and response.turns == 4


def test_where_a_request_forbids_tools_it_makes_no_calls():
    model = ScriptedModel(LOOKS, "Done.", without_tools="I do not know.")
    message = ask(model, tools=[find_order.to_anthropic()], tool_choice={"type": "none"})
    assert [block.text for block in message.content] == ["I do not know."]
    assert message.stop_reason == "end_turn"
    assert ask(model, tool_choice={"type": "none"}).content[0].text == "Done."


def test_its_client_is_the_sdks_own():
    model = ScriptedModel("Hello")
    assert isinstance(model.client, anthropic.Anthropic) and model.client is model.client
    assert isinstance(model.async_client, anthropic.AsyncAnthropic)


@pytest.mark.parametrize(
    "turns", [(), (None,), (7,), (("find_order",),), (("find_order", "1042"),), ({"text": "Hello"},)]
)
def test_a_turn_that_is_none_is_refused_with_what_to_write(turns):
    with pytest.raises(CourseError, match=r"Write a text, or a call|ScriptedModel\(\"Hello\"\)"):
        ScriptedModel(*turns)


def test_importing_it_loads_no_sdk():
    program = "import sys, course_lib.agents; print({'anthropic', 'openai', 'httpx2'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert found.stdout.strip() == "set()"
