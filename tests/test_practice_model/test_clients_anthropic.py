"""The Anthropic SDK, LangChain and Pydantic AI, through environment variables alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import anthropic
import pytest
from client_tools import (
    CITY,
    FUNCTIONS,
    QUESTION,
    assert_answered,
    gathered,
    get_time,
    get_weather,
    merged,
    paths,
    set_environment,
    text_of,
)
from pydantic import BaseModel

from practice_model import PracticeModel, Server

MODEL = "claude-haiku-5-5"
ASKED = [{"role": "user", "content": QUESTION}]


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    model = PracticeModel()
    with Server(model.handle) as server:
        absent = (
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_API_URL",
            "ANTHROPIC_CUSTOM_HEADERS",
            "ANTHROPIC_PROFILE",
        )
        set_environment(monkeypatch, absent, ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="practice")
        yield model


# The SDK itself -------------------------------------------------------------------------------------------

TOOLS = [
    {"name": name, "description": function.__doc__.splitlines()[0], "input_schema": CITY}
    for name, function in FUNCTIONS.items()
]
REQUEST: dict[str, Any] = {"model": MODEL, "max_tokens": 1000, "tools": TOOLS}


def with_results(first: Any) -> list[Any]:
    """The conversation so far: the question, the calls, their results."""
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": FUNCTIONS[block.name](**block.input)}
        for block in first.content
        if block.type == "tool_use"
    ]
    return [*ASKED, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]


def test_create():
    with anthropic.Anthropic() as client:
        first = client.messages.create(messages=ASKED, **REQUEST)
        answer = client.messages.create(messages=with_results(first), **REQUEST)
    assert_answered(answer.content[-1].text)


def test_create_asynchronously():
    async def talk() -> str:
        async with anthropic.AsyncAnthropic() as client:
            first = await client.messages.create(messages=ASKED, **REQUEST)
            answer = await client.messages.create(messages=with_results(first), **REQUEST)
            return answer.content[-1].text

    assert_answered(asyncio.run(talk()))


def test_stream():
    with anthropic.Anthropic() as client:
        with client.messages.stream(messages=ASKED, **REQUEST) as stream:
            first = stream.get_final_message()
        with client.messages.stream(messages=with_results(first), **REQUEST) as stream:
            pieces = list(stream.text_stream)
    assert len(pieces) > 1
    assert_answered("".join(pieces))


def test_stream_asynchronously():
    async def talk() -> list[str]:
        async with anthropic.AsyncAnthropic() as client:
            async with client.messages.stream(messages=ASKED, **REQUEST) as stream:
                first = await stream.get_final_message()
            async with client.messages.stream(messages=with_results(first), **REQUEST) as stream:
                return await gathered(stream.text_stream)

    pieces = asyncio.run(talk())
    assert len(pieces) > 1
    assert_answered("".join(pieces))


@pytest.fixture(params=[{}, {"thread": False}], ids=["with a thread", "without a thread"])
def runner_request(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 1000, "messages": ASKED, **request.param}


def test_the_tool_runner(runner_request):
    tools = [anthropic.beta_tool(get_weather), anthropic.beta_tool(get_time)]
    with anthropic.Anthropic() as client:
        runner = client.beta.messages.tool_runner(tools=tools, **runner_request)
        assert_answered(runner.until_done().content[-1].text)
        streams = client.beta.messages.tool_runner(tools=tools, stream=True, **runner_request)
        messages = [stream.get_final_message() for stream in streams]
    assert [message.stop_reason for message in messages] == ["tool_use", "end_turn"]
    assert_answered(messages[-1].content[-1].text)


def asynchronous_tools() -> list[Any]:
    @anthropic.beta_async_tool(name="get_weather")
    async def weather(city: str) -> str:
        """Get the current weather in a city."""
        return get_weather(city)

    @anthropic.beta_async_tool(name="get_time")
    async def time(city: str) -> str:
        """Get the current local time in a city."""
        return get_time(city)

    return [weather, time]


def test_the_tool_runner_asynchronously(runner_request):
    async def talk() -> None:
        async with anthropic.AsyncAnthropic() as client:
            options = {"tools": asynchronous_tools(), **runner_request}
            runner = client.beta.messages.tool_runner(**options)
            assert_answered((await runner.until_done()).content[-1].text)
            streams = client.beta.messages.tool_runner(stream=True, **options)
            messages = [await stream.get_final_message() async for stream in streams]
            assert [message.stop_reason for message in messages] == ["tool_use", "end_turn"]
            assert_answered(messages[-1].content[-1].text)

    asyncio.run(talk())


# LangChain ------------------------------------------------------------------------------------------------


def chat_model() -> Any:
    return pytest.importorskip("langchain_anthropic").ChatAnthropic(model=MODEL)


def langchain_results(first: Any) -> list[Any]:
    """The conversation so far, as LangChain has it."""
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": FUNCTIONS[call["name"]](**call["args"])}
        for call in first.tool_calls
    ]
    return [("user", QUESTION), first, *results]


def test_langchain_binds_tools(practice):
    bound = chat_model().bind_tools([get_weather, get_time])
    assert_answered(text_of(bound.invoke(langchain_results(bound.invoke(QUESTION)))))
    assert_answered(text_of(merged(bound.stream(langchain_results(merged(bound.stream(QUESTION)))))))
    assert paths(practice) == ["/v1/messages"] * 4


def test_langchain_binds_tools_asynchronously(practice):
    async def talk() -> None:
        bound = chat_model().bind_tools([get_weather, get_time])
        first = await bound.ainvoke(QUESTION)
        assert_answered(text_of(await bound.ainvoke(langchain_results(first))))
        first = merged(await gathered(bound.astream(QUESTION)))
        chunks = await gathered(bound.astream(langchain_results(first)))
        assert len(chunks) > 2
        assert_answered(text_of(merged(chunks)))

    asyncio.run(talk())
    assert paths(practice) == ["/v1/messages"] * 4


def langchain_agent() -> Any:
    agents = pytest.importorskip("langchain.agents")
    return agents.create_agent(chat_model(), tools=[get_weather, get_time])


def test_a_langchain_agent(practice):
    agent, asked = langchain_agent(), {"messages": [("user", QUESTION)]}
    assert_answered(text_of(agent.invoke(asked)["messages"][-1]))
    assert_answered(text_of(list(agent.stream(asked, stream_mode="values"))[-1]["messages"][-1]))
    tokens = [text_of(chunk) for chunk, _ in agent.stream(asked, stream_mode="messages")]
    assert len(tokens) > 5
    assert_answered("".join(tokens))
    assert paths(practice) == ["/v1/messages"] * 6


def test_a_langchain_agent_asynchronously(practice):
    async def talk() -> None:
        agent, asked = langchain_agent(), {"messages": [("user", QUESTION)]}
        assert_answered(text_of((await agent.ainvoke(asked))["messages"][-1]))
        states = await gathered(agent.astream(asked, stream_mode="values"))
        assert_answered(text_of(states[-1]["messages"][-1]))

    asyncio.run(talk())
    assert paths(practice) == ["/v1/messages"] * 4


class Ticket(BaseModel):
    """A ticket that somebody writes to a shop."""

    subject: str
    priority: Literal["low", "high"]


TICKET = 'Priority high, subject "broken cup".'


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_reads_a_structured_answer(method):
    model = chat_model().with_structured_output(Ticket, method=method)
    assert model.invoke(TICKET) == Ticket(subject="broken cup", priority="high")


# Pydantic AI ----------------------------------------------------------------------------------------------


def pydantic_agent(**more: Any) -> Any:
    return pytest.importorskip("pydantic_ai").Agent(f"anthropic:{MODEL}", **more)


def test_pydantic_ai(practice):
    agent = pydantic_agent(tools=[get_weather, get_time])
    assert_answered(agent.run_sync(QUESTION).output)
    assert paths(practice) == ["/v1/messages"] * 2


def test_pydantic_ai_asynchronously(practice):
    async def talk() -> None:
        agent = pydantic_agent(tools=[get_weather, get_time])
        assert_answered((await agent.run(QUESTION)).output)
        async with agent.run_stream_events(QUESTION) as events:
            last = (await gathered(events))[-1]
        assert_answered(last.result.output)

    asyncio.run(talk())
    assert paths(practice) == ["/v1/messages"] * 4


def test_pydantic_ais_run_stream_takes_the_first_words_for_the_answer(practice):
    """As its documentation says: this API puts words before the calls, and they are a text."""

    async def talk() -> str:
        agent = pydantic_agent(tools=[get_weather, get_time])
        async with agent.run_stream(QUESTION) as result:
            return "".join(await gathered(result.stream_text(delta=True, debounce_by=None)))

    assert asyncio.run(talk()) == practice.last_decision.text
    assert paths(practice) == ["/v1/messages"]


def test_pydantic_ais_run_stream_streams_what_comes_after_the_tools():
    async def talk() -> list[str]:
        agent = pydantic_agent(tools=[get_weather, get_time])
        done = (await agent.run(QUESTION)).all_messages()
        # What was said after the results is left out, so that it is said again.
        async with agent.run_stream(message_history=done[:-1]) as result:
            return await gathered(result.stream_text(delta=True, debounce_by=None))

    pieces = asyncio.run(talk())
    assert len(pieces) > 1
    assert_answered("".join(pieces))


def test_pydantic_ai_reads_a_structured_answer():
    assert pydantic_agent(output_type=Ticket).run_sync(TICKET).output == Ticket(
        subject="broken cup", priority="high"
    )
