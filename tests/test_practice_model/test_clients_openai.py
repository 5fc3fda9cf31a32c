"""The OpenAI SDK, LangChain, OpenAI Agents and Pydantic AI, through environment variables alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import openai
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

MODEL = "gpt-5.4-mini"


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    model = PracticeModel()
    with Server(model.handle) as server:
        absent = ("OPENAI_API_BASE", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
        set_environment(
            monkeypatch,
            absent,
            OPENAI_BASE_URL=f"{server.url}/v1",
            OPENAI_API_KEY="practice",
            OPENAI_AGENTS_DISABLE_TRACING="1",
        )
        yield model


# The SDK itself -------------------------------------------------------------------------------------------

FLAT = [
    {
        "type": "function",
        "name": name,
        "description": function.__doc__.splitlines()[0],
        "parameters": CITY,
        "strict": True,
    }
    for name, function in FUNCTIONS.items()
]
NESTED = [
    {
        "type": "function",
        "function": {key: tool[key] for key in ("name", "description", "parameters", "strict")},
    }
    for tool in FLAT
]


def run(name: str, arguments: str) -> str:
    city = CityArguments.model_validate_json(arguments).city
    return FUNCTIONS[name](city)


class CityArguments(BaseModel):
    city: str


def with_results(message: Any) -> list[Any]:
    """The conversation of Chat Completions so far: the question, the calls, their results."""
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": run(call.function.name, call.function.arguments)}
        for call in message.tool_calls
    ]
    return [{"role": "user", "content": QUESTION}, message, *results]


def outputs(response: Any) -> list[Any]:
    """The results for Responses."""
    return [
        {"type": "function_call_output", "call_id": item.call_id, "output": run(item.name, item.arguments)}
        for item in response.output
        if item.type == "function_call"
    ]


CHAT: dict[str, Any] = {"model": MODEL, "tools": NESTED}
ASKED: list[Any] = [{"role": "user", "content": QUESTION}]
RESPONSES: dict[str, Any] = {"model": MODEL, "tools": FLAT}


@pytest.mark.parametrize("method", ["create", "parse"])
def test_the_sdk_in_chat_completions(method):
    with openai.OpenAI() as client:
        send = getattr(client.chat.completions, method)
        first = send(messages=ASKED, **CHAT).choices[0].message
        answer = send(messages=with_results(first), **CHAT)
    assert_answered(answer.choices[0].message.content)


@pytest.mark.parametrize("method", ["create", "parse"])
def test_the_sdk_in_chat_completions_asynchronously(method):
    async def talk() -> str:
        async with openai.AsyncOpenAI() as client:
            send = getattr(client.chat.completions, method)
            first = (await send(messages=ASKED, **CHAT)).choices[0].message
            return (await send(messages=with_results(first), **CHAT)).choices[0].message.content

    assert_answered(asyncio.run(talk()))


def test_the_sdk_streams_chat_completions():
    with openai.OpenAI() as client:
        with client.chat.completions.stream(messages=ASKED, **CHAT) as stream:
            first = stream.get_final_completion().choices[0].message
        with client.chat.completions.stream(messages=with_results(first), **CHAT) as stream:
            pieces = [event.delta for event in stream if event.type == "content.delta"]
    assert len(pieces) > 1
    assert_answered("".join(pieces))


def test_the_sdk_streams_chat_completions_asynchronously():
    async def talk() -> list[str]:
        async with openai.AsyncOpenAI() as client:
            async with client.chat.completions.stream(messages=ASKED, **CHAT) as stream:
                first = (await stream.get_final_completion()).choices[0].message
            async with client.chat.completions.stream(messages=with_results(first), **CHAT) as stream:
                return [event.delta async for event in stream if event.type == "content.delta"]

    pieces = asyncio.run(talk())
    assert len(pieces) > 1
    assert_answered("".join(pieces))


@pytest.mark.parametrize("method", ["create", "parse"])
def test_the_sdk_in_responses(method):
    with openai.OpenAI() as client:
        send = getattr(client.responses, method)
        first = send(input=QUESTION, **RESPONSES)
        answer = send(input=outputs(first), previous_response_id=first.id, **RESPONSES)
    assert_answered(answer.output_text)


@pytest.mark.parametrize("method", ["create", "parse"])
def test_the_sdk_in_responses_asynchronously(method):
    async def talk() -> str:
        async with openai.AsyncOpenAI() as client:
            send = getattr(client.responses, method)
            first = await send(input=QUESTION, **RESPONSES)
            answer = await send(input=[*ASKED, *first.output, *outputs(first)], **RESPONSES)
            return answer.output_text

    assert_answered(asyncio.run(talk()))


def test_the_sdk_streams_responses():
    with openai.OpenAI() as client:
        with client.responses.stream(input=QUESTION, **RESPONSES) as stream:
            first = stream.get_final_response()
        more = {"input": outputs(first), "previous_response_id": first.id}
        with client.responses.stream(**more, **RESPONSES) as stream:
            pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
    assert len(pieces) > 1
    assert_answered("".join(pieces))


def test_the_sdk_streams_responses_asynchronously():
    async def talk() -> list[str]:
        async with openai.AsyncOpenAI() as client:
            async with client.responses.stream(input=QUESTION, **RESPONSES) as stream:
                first = await stream.get_final_response()
            items = [*ASKED, *first.output, *outputs(first)]
            async with client.responses.stream(input=items, **RESPONSES) as stream:
                return [event.delta async for event in stream if event.type == "response.output_text.delta"]

    pieces = asyncio.run(talk())
    assert len(pieces) > 1
    assert_answered("".join(pieces))


# LangChain ------------------------------------------------------------------------------------------------


def chat_model(**more: Any) -> Any:
    return pytest.importorskip("langchain_openai").ChatOpenAI(**{"model": MODEL, **more})


def langchain_results(first: Any) -> list[Any]:
    """The conversation so far, as LangChain has it."""
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": FUNCTIONS[call["name"]](**call["args"])}
        for call in first.tool_calls
    ]
    return [("user", QUESTION), first, *results]


APIS = pytest.mark.parametrize(("api", "path"), [(False, "/v1/chat/completions"), (True, "/v1/responses")])


@APIS
def test_langchain_binds_tools(practice, api, path):
    bound = chat_model(use_responses_api=api).bind_tools([get_weather, get_time])
    assert_answered(text_of(bound.invoke(langchain_results(bound.invoke(QUESTION)))))
    chunks = list(bound.stream(langchain_results(merged(bound.stream(QUESTION)))))
    assert len(chunks) > 2
    assert_answered(text_of(merged(chunks)))
    assert paths(practice) == [path] * 4


@APIS
def test_langchain_binds_tools_asynchronously(practice, api, path):
    async def talk() -> None:
        bound = chat_model(use_responses_api=api).bind_tools([get_weather, get_time])
        first = await bound.ainvoke(QUESTION)
        assert_answered(text_of(await bound.ainvoke(langchain_results(first))))
        first = merged(await gathered(bound.astream(QUESTION)))
        chunks = await gathered(bound.astream(langchain_results(first)))
        assert len(chunks) > 2
        assert_answered(text_of(merged(chunks)))

    asyncio.run(talk())
    assert paths(practice) == [path] * 4


def test_langchains_newest_models_go_to_responses_by_themselves(practice):
    bound = chat_model(model="gpt-6-luna").bind_tools([get_weather, get_time])
    assert_answered(text_of(bound.invoke(langchain_results(bound.invoke(QUESTION)))))
    assert paths(practice) == ["/v1/responses"] * 2


@APIS
def test_a_langchain_agent(practice, api, path):
    agents = pytest.importorskip("langchain.agents")
    agent = agents.create_agent(chat_model(use_responses_api=api), tools=[get_weather, get_time])
    asked = {"messages": [("user", QUESTION)]}
    assert_answered(text_of(agent.invoke(asked)["messages"][-1]))
    assert_answered(text_of(list(agent.stream(asked, stream_mode="values"))[-1]["messages"][-1]))
    tokens = [text_of(chunk) for chunk, _ in agent.stream(asked, stream_mode="messages")]
    assert len(tokens) > 5
    assert_answered("".join(tokens))
    assert paths(practice) == [path] * 6


@APIS
def test_a_langchain_agent_asynchronously(practice, api, path):
    async def talk() -> None:
        agents = pytest.importorskip("langchain.agents")
        agent = agents.create_agent(chat_model(use_responses_api=api), tools=[get_weather, get_time])
        asked = {"messages": [("user", QUESTION)]}
        assert_answered(text_of((await agent.ainvoke(asked))["messages"][-1]))
        states = await gathered(agent.astream(asked, stream_mode="values"))
        assert_answered(text_of(states[-1]["messages"][-1]))

    asyncio.run(talk())
    assert paths(practice) == [path] * 4


class Ticket(BaseModel):
    """A ticket that somebody writes to a shop."""

    subject: str
    priority: Literal["low", "high"]


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_reads_a_structured_answer(practice, method):
    ticket = (
        chat_model()
        .with_structured_output(Ticket, method=method)
        .invoke('Priority high, subject "broken cup".')
    )
    assert ticket == Ticket(subject="broken cup", priority="high")


# OpenAI Agents ----------------------------------------------------------------------------------------------


def agents_agent(model: Any) -> tuple[Any, Any]:
    agents = pytest.importorskip("agents")
    agents.set_tracing_disabled(True)
    tools = [agents.function_tool(get_weather), agents.function_tool(get_time)]
    # A client of its own: the default one is kept, and would go on to another test's server.
    client = openai.AsyncOpenAI()
    kind = {"responses": agents.OpenAIResponsesModel, "chat": agents.OpenAIChatCompletionsModel}[model]
    made = kind(model=MODEL, openai_client=client)
    return agents.Runner, agents.Agent(name="Helper", instructions="Be brief.", tools=tools, model=made)


@pytest.mark.parametrize(("api", "path"), [("responses", "/v1/responses"), ("chat", "/v1/chat/completions")])
def test_openai_agents(practice, api, path):
    async def talk() -> None:
        runner, agent = agents_agent(api)
        assert_answered((await runner.run(agent, QUESTION)).final_output)
        result = runner.run_streamed(agent, QUESTION)
        assert len(await gathered(result.stream_events())) > 10
        assert_answered(result.final_output)

    asyncio.run(talk())
    assert paths(practice) == [path] * 4


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_openai_agents_synchronously(api):
    runner, agent = agents_agent(api)
    assert_answered(runner.run_sync(agent, QUESTION).final_output)


# Pydantic AI ------------------------------------------------------------------------------------------------

PYDANTIC_MODELS = [f"openai:{MODEL}", f"openai-chat:{MODEL}", f"openai-responses:{MODEL}"]


@pytest.mark.parametrize("model", PYDANTIC_MODELS)
def test_pydantic_ai(model):
    agent = pytest.importorskip("pydantic_ai").Agent(model, tools=[get_weather, get_time])
    assert_answered(agent.run_sync(QUESTION).output)


@pytest.mark.parametrize("model", PYDANTIC_MODELS)
def test_pydantic_ai_asynchronously(practice, model):
    async def talk() -> None:
        agent = pytest.importorskip("pydantic_ai").Agent(model, tools=[get_weather, get_time])
        assert_answered((await agent.run(QUESTION)).output)
        async with agent.run_stream(QUESTION) as result:
            pieces = await gathered(result.stream_text(delta=True, debounce_by=None))
        assert len(pieces) > 1
        assert_answered("".join(pieces))

    asyncio.run(talk())
    assert len(paths(practice)) == 4


@pytest.mark.parametrize("model", [f"openai-chat:{MODEL}", f"openai-responses:{MODEL}"])
def test_pydantic_ai_reads_a_structured_answer(practice, model):
    pydantic_ai = pytest.importorskip("pydantic_ai")
    agent = pydantic_ai.Agent(model, output_type=Ticket)
    result = asyncio.run(agent.run('Priority high, subject "broken cup".'))
    assert result.output == Ticket(subject="broken cup", priority="high")
