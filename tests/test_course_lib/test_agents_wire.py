"""What an agent sends: the bodies that the SDKs' own functions would send, to the client its model names."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest
from agent_tools import (
    EVERY_WAY,
    INSTRUCTIONS,
    MODELS,
    ON_ALL,
    QUESTION,
    SHOP,
    agent,
    calling,
    run,
    run_async,
    script,
    serving,
    stream,
    stream_async,
)

from course_lib.agents import Runner
from course_lib.agents.model_client import WireHistory
from course_lib.errors import CourseError
from course_lib.providers import history
from course_lib.providers.clients import client_for, read_model
from course_lib.tools import tool
from practice_model import PracticeModel


@pytest.fixture(autouse=True)
def practice(monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticeModel]:
    with serving(monkeypatch, PracticeModel()) as model:
        yield model


# Bodies -------------------------------------------------------------------------------------------------


def through_the_sdk(model: str, turns: list[Any], streamed: bool) -> None:
    """Send these turns as the documentation of each SDK has it, nothing past its functions."""
    provider, _, name = model.partition(":")
    sent = history.to_wire(turns, provider)
    more: dict[str, Any] = {"stream": True} if streamed else {}
    if provider == "anthropic":
        tools = [one.to_anthropic() for one in SHOP]
        reply = anthropic.Anthropic().messages.create(
            model=name, max_tokens=16_000, system=INSTRUCTIONS, messages=sent, tools=tools, timeout=60, **more
        )
    elif provider == "openai":
        tools = [one.to_openai() for one in SHOP]
        messages = [{"role": "system", "content": INSTRUCTIONS}, *sent]
        if streamed:
            more["stream_options"] = {"include_usage": True}
        reply = openai.OpenAI().chat.completions.create(model=name, messages=messages, tools=tools, **more)
    elif provider == "openai-responses":
        tools = [one.to_openai_responses() for one in SHOP]
        reply = openai.OpenAI().responses.create(
            model=name, instructions=INSTRUCTIONS, input=sent, tools=tools, **more
        )
    else:
        genai = pytest.importorskip("google.genai")
        tools = [genai.types.Tool(function_declarations=[one.to_gemini_declaration() for one in SHOP])]
        config = genai.types.GenerateContentConfig(
            system_instruction=genai.types.Content(parts=[genai.types.Part(text=INSTRUCTIONS)]), tools=tools
        )
        client = genai.Client()
        send = client.models.generate_content_stream if streamed else client.models.generate_content
        reply = send(model=name, contents=sent, config=config)
    if streamed:
        list(reply)


@ON_ALL
@pytest.mark.parametrize("way", [run, run_async, stream, stream_async])
def test_the_bodies_are_those_that_the_sdk_would_send(model, way, practice):
    response = way(Runner(agent(model)), "anna", QUESTION)
    ours = [one.request for one in practice.log.list()]
    for turns in (response.messages[:1], response.messages[:3]):
        through_the_sdk(model, turns, way in (stream, stream_async))
    theirs = [one.request for one in practice.log.list()][len(ours) :]
    assert len(ours) == 2 and [*map(normal, ours)] == [*map(normal, theirs)]


def normal(body: Any) -> Any:
    """With one of the two alphabets of base64: Gemini's SDK writes signatures in the other one."""
    text = json.dumps(body)
    return json.loads(
        re.sub(r'(?<="thoughtSignature": ")[^"]*', lambda m: m[0].translate(str.maketrans("+/", "-_")), text)
    )


@ON_ALL
def test_the_paths_and_the_key_are_the_sdks(model, practice):
    response = Runner(agent(model)).run("anna", QUESTION)
    through_the_sdk(model, response.messages[:1], False)
    ours, _, theirs = practice.log.list()
    assert (ours.method, ours.path) == (theirs.method, theirs.path)
    kept = {
        name for name in theirs.request_headers if name not in ("content-length", "x-stainless-read-timeout")
    }
    assert kept - set(ours.request_headers) <= {"x-stainless-timeout", "x-stainless-helper"}


@ON_ALL
def test_a_history_that_grows_is_sent_as_it_would_be_written_at_once(model, monkeypatch):
    brain = script(*[calling("check_inventory", sku=f"SKU-{n}") for n in range(12)], "All are in stock.")
    with serving(monkeypatch, PracticeModel(brain)) as practice:
        runner = Runner(agent(model), max_turns=20)
        messages = runner.run("anna", "Is all in stock?").messages
        last = practice.log.list()[-1].request
    provider = model.partition(":")[0]
    sent = last.get("messages") or last.get("input") or last["contents"]
    sent = sent[1:] if provider == "openai" else sent  # without the instructions
    assert sent == json.loads(json.dumps(history.to_wire(messages[:-1], provider)))


@ON_ALL
@pytest.mark.parametrize("other", MODELS)
def test_growing_holds_after_turns_of_other_providers(model, other, monkeypatch):
    brain = script(*[calling("check_inventory", sku=f"SKU-{n}") for n in range(5)], "In stock.")
    first, second = (one.partition(":")[0] for one in (model, other))
    with serving(monkeypatch, PracticeModel(brain)):
        begun = Runner(agent(model), max_turns=2, on_limit="stop").run("anna", "Stock?").messages
        runner = Runner(agent(other), max_turns=9)
        runner.store.append("anna", begun)
        turns = runner.run("anna", "Go on.").messages
    sent = WireHistory(read_model(other))
    for n in range(1, len(turns) + 1):
        if not history.unanswered(turns[:n]):
            assert sent.of(turns[:n]) == history.to_wire(turns[:n], second)
    assert first in {turn.get("provider") for turn in turns}


def test_options_go_into_the_request_as_they_are(practice):
    options = {"max_tokens": 321, "stop_sequences": ["STOP"]}
    Runner(agent(options=options)).run("anna", "Hello")
    assert practice.log.list()[0].request.items() >= options.items()


def test_a_strict_tool_is_offered_as_strict(practice):
    @tool(strict=True)
    def check_inventory(sku: str) -> str:
        """Check the stock of a product by its SKU."""
        return "3"

    Runner(agent(tools=[check_inventory])).run("anna", "Stock of SKU-1?")
    assert practice.log.list()[0].request["tools"][0]["strict"] is True


# Clients ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [
        ("anthropic:claude-haiku-5-5", "anthropic", "claude-haiku-5-5"),
        ("openai:gpt-5.4-mini", "openai", "gpt-5.4-mini"),
        ("openai:ft:gpt-5.4-mini:me", "openai", "ft:gpt-5.4-mini:me"),
        ("openai-responses:gpt-5.4-mini", "openai-responses", "gpt-5.4-mini"),
        ("gemini:gemini-2.5-flash", "gemini", "gemini-2.5-flash"),
        ("claude-haiku-5-5", "anthropic", "claude-haiku-5-5"),
        ("gpt-5.4-mini", "openai", "gpt-5.4-mini"),
        ("o4-mini", "openai", "o4-mini"),
        ("gemini-2.5-flash", "gemini", "gemini-2.5-flash"),
    ],
)
def test_what_a_model_is_called(model, provider, name):
    found = read_model(model)
    assert (found.provider, found.id, found.client) == (provider, name, None)


def test_without_a_model_it_is_that_of_the_course(monkeypatch):
    monkeypatch.setenv("COURSE_ANTHROPIC_MODEL", "claude-sonnet-5")
    assert read_model(None).id == "claude-sonnet-5"


@pytest.mark.parametrize("responses", [False, True])
def test_a_client_of_the_program_is_used_as_it_is(responses, practice, monkeypatch):
    client = openai.OpenAI(api_key="my-own-key", default_headers={"x-mine": "1"})
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # nobody is there
    name = "openai-responses:gpt-5.4-mini" if responses else "gpt-5.4-mini"
    assert "21.25" in Runner(agent((client, name))).run("anna", QUESTION).content
    assert practice.log.list()[0].request_headers["x-mine"] == "1"
    assert practice.log.list()[0].path == ("/v1/responses" if responses else "/v1/chat/completions")


def test_an_async_client_of_the_program():
    model = (anthropic.AsyncAnthropic(), "claude-haiku-5-5")
    for way in (run_async, stream_async):
        assert "21.25" in way(Runner(agent(model)), "anna", QUESTION).content


def test_a_client_of_gemini_serves_both_kinds_of_program():
    genai = pytest.importorskip("google.genai")
    client = genai.Client()
    for way in (run, run_async):
        assert "21.25" in way(Runner(agent((client, "gemini-2.5-flash"))), "anna", QUESTION).content


@pytest.mark.parametrize(
    ("client", "way", "words"),
    [
        (openai.OpenAI, run_async, r"AsyncOpenAI\(\.\.\.\)"),
        (openai.AsyncOpenAI, run, r"model=\(OpenAI\(\.\.\.\)"),
        (anthropic.AsyncAnthropic, stream, r"model=\(Anthropic\(\.\.\.\)"),
    ],
)
def test_a_client_of_the_other_kind_is_refused_with_the_right_one(client, way, words):
    runner = Runner(agent((client(), "an-id")))
    with pytest.raises(CourseError, match=words):
        way(runner, "anna", QUESTION)
    assert runner.store.get("anna") == []  # before anything was remembered


def test_one_client_serves_all_runs_until_the_address_changes(monkeypatch):
    model = read_model("anthropic:claude-haiku-5-5")
    first = client_for(model, False)
    assert client_for(model, False) is first
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert client_for(model, False) is not first


def test_an_async_client_belongs_to_its_loop():
    model = read_model("openai:gpt-5.4-mini")

    async def two() -> list[int]:
        return [id(client_for(model, True)), id(client_for(model, True))]

    async def kept() -> Any:
        return client_for(model, True)

    first = asyncio.run(two())
    assert first[0] == first[1]
    assert asyncio.run(kept()) is not asyncio.run(kept())


@ON_ALL
def test_one_runner_serves_many_event_loops(model):
    runner = Runner(agent(model))
    for n in range(3):
        assert "21.25" in asyncio.run(runner.run_async(f"s{n}", QUESTION)).content
        gc.collect()


@EVERY_WAY
def test_an_unknown_model_is_the_services_to_refuse(way):
    runner = Runner(agent("anthropic:claude-nonsense-1"))
    with pytest.raises(anthropic.NotFoundError):
        way(runner, "anna", QUESTION)


@pytest.mark.parametrize("model", MODELS[:3])
def test_options_may_hold_what_only_the_sdk_can_read(model, monkeypatch):
    """A field that is not given is no field."""
    sdk = pytest.importorskip(model.partition(":")[0].partition("-")[0])
    with serving(monkeypatch, PracticeModel(script("Hello, café."))) as practice:
        response = Runner(agent(model, options={"temperature": sdk.NOT_GIVEN})).run("anna", "Hello, señor.")
        (asked,) = [one.request for one in practice.log.list()]
    assert response.content == "Hello, café." and "temperature" not in asked
    assert "Hello, señor." in str(asked)
