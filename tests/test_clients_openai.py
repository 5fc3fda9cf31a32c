"""The OpenAI SDK, LangChain, OpenAI Agents and Pydantic AI, through environment variables alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from course_lib.practice import PracticeModel, Server

MODEL = "gpt-5.4-mini"
QUESTION = "What is the weather in Madrid, and what time is it in Tokyo?"
BOTH = [("get_time", "Tokyo"), ("get_weather", "Madrid")]
called: list[tuple[str, str]] = []


def get_weather(city: str) -> str:
    """Get the current weather in a city.

    Args:
        city: The city, for example Lisbon.
    """
    called.append(("get_weather", city))
    return "sunny, 21 degrees"


def get_time(city: str) -> str:
    """Get the current local time in a city.

    Args:
        city: The city, for example Lisbon.
    """
    called.append(("get_time", city))
    return "18:30"


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    called.clear()
    model = PracticeModel()
    with Server(model.handle) as server:
        for name in (
            "OPENAI_API_BASE",
            "OPENAI_ORG_ID",
            "HTTP_PROXY",
            "http_proxy",
            "ALL_PROXY",
            "all_proxy",
        ):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "practice")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        monkeypatch.setenv("LANGSMITH_TRACING", "false")
        yield model


def assert_answered(text: str) -> None:
    assert sorted(called) == BOTH
    assert "21" in text and "18:30" in text


def paths(model: PracticeModel) -> list[str]:
    found = model.log.list()
    assert {exchange.status for exchange in found} == {200}
    return [exchange.path for exchange in found]


# The SDK itself -------------------------------------------------------------------------------------------

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The city, for example Lisbon."}},
    "required": ["city"],
    "additionalProperties": False,
}
FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}
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


def test_the_sdk_in_chat_completions(practice):
    client = openai.OpenAI()
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    message = client.chat.completions.create(model=MODEL, messages=messages, tools=NESTED).choices[0].message
    messages.append(message)
    for call in message.tool_calls:
        content = run(call.function.name, call.function.arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    answer = client.chat.completions.create(model=MODEL, messages=messages, tools=NESTED)
    assert_answered(answer.choices[0].message.content)


def test_the_sdk_in_responses(practice):
    client = openai.OpenAI()
    first = client.responses.create(model=MODEL, input=QUESTION, tools=FLAT)
    outputs = [
        {"type": "function_call_output", "call_id": item.call_id, "output": run(item.name, item.arguments)}
        for item in first.output
        if item.type == "function_call"
    ]
    answer = client.responses.create(model=MODEL, input=outputs, previous_response_id=first.id, tools=FLAT)
    assert_answered(answer.output_text)


# LangChain ------------------------------------------------------------------------------------------------


def chat_model(**more: Any) -> Any:
    return pytest.importorskip("langchain_openai").ChatOpenAI(model=MODEL, **more)


def langchain_messages(model: Any) -> Any:
    messages: list[Any] = [("user", QUESTION)]
    bound = model.bind_tools([get_weather, get_time])
    first = bound.invoke(messages)
    messages.append(first)
    for call in first.tool_calls:
        content = FUNCTIONS[call["name"]](**call["args"])
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return bound, messages


def text_of(message: Any) -> str:
    text = message.text
    return text() if callable(text) and not isinstance(text, str) else str(text)


@pytest.mark.parametrize(("api", "path"), [(False, "/v1/chat/completions"), (True, "/v1/responses")])
def test_langchain_binds_tools(practice, api, path):
    bound, messages = langchain_messages(chat_model(use_responses_api=api))
    assert_answered(text_of(bound.invoke(messages)))
    streamed = None
    for chunk in bound.stream(messages):
        streamed = chunk if streamed is None else streamed + chunk
    assert_answered(text_of(streamed))
    assert_answered(text_of(asyncio.run(bound.ainvoke(messages))))
    assert paths(practice) == [path] * 4


@pytest.mark.parametrize("api", [False, True])
def test_langchain_streams_calls(practice, api):
    bound = chat_model(use_responses_api=api).bind_tools([get_weather, get_time])
    streamed = None
    for chunk in bound.stream(QUESTION):
        streamed = chunk if streamed is None else streamed + chunk
    assert sorted((call["name"], call["args"]["city"]) for call in streamed.tool_calls) == BOTH


def test_langchains_newest_models_go_to_responses_by_themselves(practice):
    model = pytest.importorskip("langchain_openai").ChatOpenAI(model="gpt-6-luna")
    bound, messages = langchain_messages(model)
    assert_answered(text_of(bound.invoke(messages)))
    assert paths(practice) == ["/v1/responses"] * 2


@pytest.mark.parametrize("api", [False, True])
def test_a_langchain_agent(practice, api):
    agents = pytest.importorskip("langchain.agents")
    agent = agents.create_agent(chat_model(use_responses_api=api), tools=[get_weather, get_time])
    asked = {"messages": [("user", QUESTION)]}
    assert_answered(text_of(agent.invoke(asked)["messages"][-1]))
    called.clear()
    assert_answered(text_of(asyncio.run(agent.ainvoke(asked))["messages"][-1]))
    called.clear()
    last = list(agent.stream(asked, stream_mode="values"))[-1]
    assert_answered(text_of(last["messages"][-1]))
    assert len(paths(practice)) == 6


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


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_openai_agents(practice, api):
    async def talk(stream: bool) -> str:
        runner, agent = agents_agent(api)
        called.clear()
        if not stream:
            return (await runner.run(agent, QUESTION)).final_output
        result = runner.run_streamed(agent, QUESTION)
        async for _ in result.stream_events():
            pass
        return result.final_output

    for stream in (False, True):
        assert_answered(asyncio.run(talk(stream)))
    assert {path.rpartition("/")[2] for path in paths(practice)} == {
        "responses" if api == "responses" else "completions"
    }


# Pydantic AI ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [f"openai:{MODEL}", f"openai-chat:{MODEL}", f"openai-responses:{MODEL}"])
def test_pydantic_ai(practice, model):
    pydantic_ai = pytest.importorskip("pydantic_ai")

    async def talk() -> tuple[str, str]:
        agent = pydantic_ai.Agent(model, tools=[get_weather, get_time])
        plain = (await agent.run(QUESTION)).output
        async with agent.run_stream(QUESTION) as result:
            return plain, await result.get_output()

    plain, streamed = asyncio.run(talk())
    assert sorted(called) == sorted(BOTH * 2)
    assert all("21" in text and "18:30" in text for text in (plain, streamed))
    assert len(paths(practice)) == 4


@pytest.mark.parametrize("model", [f"openai-chat:{MODEL}", f"openai-responses:{MODEL}"])
def test_pydantic_ai_reads_a_structured_answer(practice, model):
    pydantic_ai = pytest.importorskip("pydantic_ai")
    agent = pydantic_ai.Agent(model, output_type=Ticket)
    result = asyncio.run(agent.run('Priority high, subject "broken cup".'))
    assert result.output == Ticket(subject="broken cup", priority="high")
