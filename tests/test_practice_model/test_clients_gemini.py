"""google-genai and pydantic-ai talk to the practice model through environment variables alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from practice_model import PracticeModel, Server
from practice_model.facts.models import GEMINI_LISTED

genai = pytest.importorskip("google.genai")
errors = pytest.importorskip("google.genai.errors")
types = pytest.importorskip("google.genai.types")

MODEL = "gemini-3.5-flash-lite"
QUESTION = "What is the weather in Madrid, and what time is it in Tokyo?"
called: list[tuple[str, str]] = []


def get_weather(city: str) -> dict:
    """Get the current weather in a city.

    Args:
        city: The city, for example Lisbon.
    """
    called.append(("get_weather", city))
    return {"city": city, "sky": "sunny", "celsius": 21}


def get_time(city: str) -> str:
    """Get the current local time in a city.

    Args:
        city: The city, for example Lisbon.
    """
    called.append(("get_time", city))
    return "18:30"


FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}


def declaration(function: Any) -> Any:
    city = types.Schema(type="STRING", description="The city, for example Lisbon.")
    parameters = types.Schema(type="OBJECT", properties={"city": city}, required=["city"])
    doc = function.__doc__.splitlines()[0]
    return types.FunctionDeclaration(name=function.__name__, description=doc, parameters=parameters)


MANUAL = types.GenerateContentConfig(
    tools=[types.Tool(function_declarations=[declaration(one) for one in FUNCTIONS.values()])]
)
AUTOMATIC = types.GenerateContentConfig(tools=[get_weather, get_time])
BOTH = [("get_time", "Tokyo"), ("get_weather", "Madrid")]


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    called.clear()
    model = PracticeModel()
    with Server(model.handle) as server:
        for name in ("GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "HTTP_PROXY", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", "practice")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        yield model


def results(content: Any) -> Any:
    """The answer to each call of a content, in the same order."""
    parts = []
    for part in content.parts:
        if part.function_call:
            given = FUNCTIONS[part.function_call.name](**part.function_call.args)
            response = types.FunctionResponse(
                id=part.function_call.id, name=part.function_call.name, response={"result": given}
            )
            parts.append(types.Part(function_response=response))
    return types.Content(role="user", parts=parts)


def asked(text: str) -> Any:
    return types.Content(role="user", parts=[types.Part(text=text)])


def check_final(text: str) -> None:
    assert sorted(called) == BOTH
    assert "sunny" in text
    assert "18:30" in text


# By hand ---------------------------------------------------------------------------------------------


def test_two_functions_called_by_hand():
    client = genai.Client()
    history = [asked(QUESTION)]
    first = client.models.generate_content(model=MODEL, contents=history, config=MANUAL)
    assert [call.name for call in first.function_calls] == ["get_weather", "get_time"]
    history += [first.candidates[0].content, results(first.candidates[0].content)]
    check_final(client.models.generate_content(model=MODEL, contents=history, config=MANUAL).text)


def test_two_functions_called_by_hand_asynchronously():
    async def talk() -> str:
        client = genai.Client()
        history = [asked(QUESTION)]
        first = await client.aio.models.generate_content(model=MODEL, contents=history, config=MANUAL)
        history += [first.candidates[0].content, results(first.candidates[0].content)]
        return (await client.aio.models.generate_content(model=MODEL, contents=history, config=MANUAL)).text

    check_final(asyncio.run(talk()))


def test_two_functions_called_by_hand_in_streams():
    client = genai.Client()
    history = [asked(QUESTION)]
    chunks = list(client.models.generate_content_stream(model=MODEL, contents=history, config=MANUAL))
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    first = types.Content(role="model", parts=parts)
    history += [first, results(first)]
    chunks = list(client.models.generate_content_stream(model=MODEL, contents=history, config=MANUAL))
    assert len(chunks) > 1
    check_final("".join(chunk.text or "" for chunk in chunks))


def test_two_functions_called_by_hand_in_asynchronous_streams():
    async def stream(client: Any, history: list) -> list:
        chunks = await client.aio.models.generate_content_stream(model=MODEL, contents=history, config=MANUAL)
        return [part async for chunk in chunks for part in chunk.candidates[0].content.parts]

    async def talk() -> str:
        client = genai.Client()
        history = [asked(QUESTION)]
        first = types.Content(role="model", parts=await stream(client, history))
        history += [first, results(first)]
        return "".join(part.text or "" for part in await stream(client, history))

    check_final(asyncio.run(talk()))


# Automatically ---------------------------------------------------------------------------------------


def test_automatic_calling():
    client = genai.Client()
    answer = client.models.generate_content(model=MODEL, contents=QUESTION, config=AUTOMATIC)
    check_final(answer.text)


def test_automatic_calling_asynchronously():
    async def talk() -> str:
        client = genai.Client()
        return (
            await client.aio.models.generate_content(model=MODEL, contents=QUESTION, config=AUTOMATIC)
        ).text

    check_final(asyncio.run(talk()))


def test_automatic_calling_in_a_stream():
    client = genai.Client()
    chunks = client.models.generate_content_stream(model=MODEL, contents=QUESTION, config=AUTOMATIC)
    check_final("".join(chunk.text or "" for chunk in chunks))


def test_a_chat_keeps_its_history():
    client = genai.Client()
    chat = client.chats.create(model=MODEL, config=AUTOMATIC)
    check_final(chat.send_message(QUESTION).text)
    assert "sunny" in chat.send_message("What is the weather in Lima?").text
    assert ("get_weather", "Lima") in called


def test_a_chat_that_streams():
    client = genai.Client()
    chat = client.chats.create(model=MODEL, config=AUTOMATIC)
    check_final("".join(chunk.text or "" for chunk in chat.send_message_stream(QUESTION)))


# The rest of the client ------------------------------------------------------------------------------


def test_every_answer_fits_the_clients_own_types_without_extra_fields(practice):
    client = genai.Client()
    history = [asked(QUESTION)]
    first = client.models.generate_content(model=MODEL, contents=history, config=MANUAL)
    history += [first.candidates[0].content, results(first.candidates[0].content)]
    client.models.generate_content(model=MODEL, contents=history, config=MANUAL)
    list(client.models.generate_content_stream(model=MODEL, contents=history, config=MANUAL))
    answers = [one for exchange in practice.log.list() for one in payloads(exchange.response)]
    assert len(answers) > 3
    for answer in answers:
        types.GenerateContentResponse.model_validate(answer)


def payloads(response: Any) -> list[dict]:
    """What an exchange answered: one object, or the data of each event."""
    if isinstance(response, str):
        return [json.loads(line[5:]) for line in response.splitlines() if line.startswith("data:")]
    return response if isinstance(response, list) else [response]


def test_a_forced_function_is_called():
    config = types.FunctionCallingConfig(mode="ANY", allowed_function_names=["get_time"])
    config = MANUAL.model_copy(update={"tool_config": types.ToolConfig(function_calling_config=config)})
    client = genai.Client()
    answer = client.models.generate_content(model=MODEL, contents="Good morning in Lima!", config=config)
    assert [call.name for call in answer.function_calls] == ["get_time"]


class Order(BaseModel):
    city: str
    size: Literal["small", "large"]


def test_structured_output_is_parsed():
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Order)
    client = genai.Client()
    answer = client.models.generate_content(
        model=MODEL, contents="A large one, to be sent to Madrid, please.", config=config
    )
    assert isinstance(answer.parsed, Order)
    assert answer.parsed.city == "Madrid"


def test_a_list_is_parsed_as_well():
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=list[str])
    client = genai.Client()
    answer = client.models.generate_content(model=MODEL, contents="Cities: Madrid, Lima.", config=config)
    assert isinstance(answer.parsed, list)


def test_tokens_are_counted_and_models_are_listed():
    client = genai.Client()
    assert client.models.count_tokens(model=MODEL, contents="Hello there").total_tokens > 0
    assert [one.name for one in client.models.list()] == [f"models/{name}" for name in GEMINI_LISTED]
    assert client.models.get(model=MODEL).name == f"models/{MODEL}"


def test_a_missing_response_raises_the_clients_error():
    client = genai.Client()
    history = [asked(QUESTION)]
    content = (
        client.models.generate_content(model=MODEL, contents=history, config=MANUAL).candidates[0].content
    )
    history += [content, types.Content(role="user", parts=results(content).parts[:1])]
    with pytest.raises(errors.ClientError) as caught:
        client.models.generate_content(model=MODEL, contents=history, config=MANUAL)
    assert (caught.value.code, caught.value.status) == (400, "INVALID_ARGUMENT")
    assert "number of function response parts is equal" in caught.value.message


def test_a_lost_signature_raises_the_clients_error():
    client = genai.Client()
    history = [asked(QUESTION)]
    content = (
        client.models.generate_content(model=MODEL, contents=history, config=MANUAL).candidates[0].content
    )
    for part in content.parts:
        part.thought_signature = None
    with pytest.raises(errors.ClientError, match="missing a thought_signature"):
        client.models.generate_content(
            model=MODEL, contents=[*history, content, results(content)], config=MANUAL
        )


@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model_raises_the_clients_error(stream):
    client = genai.Client()
    with pytest.raises(errors.ClientError) as caught:
        if stream:
            list(client.models.generate_content_stream(model="gemini-9", contents="Hi"))
        else:
            client.models.generate_content(model="gemini-9", contents="Hi")
    assert caught.value.code == 404
    assert "models/gemini-9 is not found" in caught.value.message


# pydantic-ai -----------------------------------------------------------------------------------------


def test_pydantic_ai_runs_an_agent_with_two_tools():
    pydantic_ai = pytest.importorskip("pydantic_ai")
    pytest.importorskip("pydantic_ai.models.google")
    agent = pydantic_ai.Agent(f"google:{MODEL}", tools=[get_weather, get_time])
    check_final(asyncio.run(agent.run(QUESTION)).output)


def test_automatic_calling_in_an_async_stream():
    async def talk() -> str:
        client = genai.Client()
        stream = await client.aio.models.generate_content_stream(
            model=MODEL, contents=QUESTION, config=AUTOMATIC
        )
        return "".join([chunk.text or "" async for chunk in stream])

    check_final(asyncio.run(talk()))


def test_an_async_chat_in_a_stream():
    async def talk() -> str:
        client = genai.Client()
        chat = client.aio.chats.create(model=MODEL, config=AUTOMATIC)
        return "".join([chunk.text or "" async for chunk in await chat.send_message_stream(QUESTION)])

    check_final(asyncio.run(talk()))


def test_pydantic_ai_streams_the_answer_after_the_tools():
    pydantic_ai = pytest.importorskip("pydantic_ai")

    async def talk() -> str:
        agent = pydantic_ai.Agent(f"google:{MODEL}", tools=[get_weather, get_time])
        async with agent.run_stream(QUESTION) as run:
            return await run.get_output()

    check_final(asyncio.run(talk()))
