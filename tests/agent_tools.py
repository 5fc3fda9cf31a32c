"""The shop's two tools, the four APIs and the practice server of the tests of agents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from course_lib.agents import Agent, Done, Response, Runner
from course_lib.tools import tool
from practice_model import PracticeModel, Server
from practice_model.request import Call, Decision

MODELS = [
    "anthropic:claude-haiku-5-5",
    "openai:gpt-5.4-mini",
    "openai-responses:gpt-5.4-mini",
    "gemini:gemini-3.5-flash-lite",
]
ON_ALL = pytest.mark.parametrize("model", MODELS)
QUESTION = "Is SKU-990 in stock, and what does a parcel of 2.5 kg to CA cost?"
INSTRUCTIONS = "You work in a shop. Answer from what the tools say."
_PER_KG = {"CA": 8.5, "US": 8.5}


@tool
def calculate_shipping(weight_kg: float, destination: str) -> dict:
    """What it costs to ship a parcel of this weight to a country, given by its code of two letters."""
    return {"destination": destination, "cost_usd": round(weight_kg * _PER_KG[destination], 2)}


@tool
async def check_inventory(sku: str) -> dict:
    """Whether a product is in stock, by its SKU, and where it lies."""
    await asyncio.sleep(0)
    return {"sku": sku, "in_stock": True, "warehouse": "east"}


SHOP = [calculate_shipping, check_inventory]


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, model: PracticeModel) -> Iterator[PracticeModel]:
    """A practice server that all SDKs find by variables alone."""
    with Server(model.handle) as server:
        for name in (
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_PROFILE",
            "GOOGLE_API_KEY",
            "HTTP_PROXY",
            "http_proxy",
        ):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
            monkeypatch.setenv(name, "practice")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, "127.0.0.1,localhost")
        yield model


def agent(model: Any = MODELS[0], tools: Any = SHOP, **more: Any) -> Agent:
    return Agent("shop", INSTRUCTIONS, tools, model, **more)


def script(*steps: Decision | str) -> Callable[[Any], Decision]:
    """A brain that says or does one thing after the other, by how often it has spoken; the last for good."""
    decisions = [Decision(text=one) if isinstance(one, str) else one for one in steps]

    def decide(request: Any) -> Decision:
        spoken = sum(1 for turn in request.turns if turn.role == "assistant")
        return decisions[min(spoken, len(decisions) - 1)]

    return decide


def calling(name: str, /, **arguments: Any) -> Decision:
    return Decision(calls=(Call(name, arguments),))


# The ways to run: each gives the response of a whole run. ------------------------------------------------


def run(runner: Runner, *args: Any, **more: Any) -> Response:
    return runner.run(*args, **more)


def run_async(runner: Runner, *args: Any, **more: Any) -> Response:
    return asyncio.run(runner.run_async(*args, **more))


def run_in_notebook(runner: Runner, *args: Any, **more: Any) -> Response:
    """`run` where an event loop is running already, as in a cell of a notebook."""

    async def cell() -> Response:
        return runner.run(*args, **more)

    return asyncio.run(cell())


def stream(runner: Runner, *args: Any, **more: Any) -> Response:
    return _done(list(runner.run_stream(*args, **more)))


def stream_async(runner: Runner, *args: Any, **more: Any) -> Response:
    async def read() -> list[Any]:
        return [event async for event in runner.run_stream(*args, **more)]

    return _done(asyncio.run(read()))


def _done(events: list[Any]) -> Response:
    *before, last = events
    assert isinstance(last, Done) and not any(isinstance(one, Done) for one in before)
    return last.response


EVERY_WAY = pytest.mark.parametrize("way", [run, run_async, run_in_notebook, stream, stream_async])
WAITING_OR_NOT = pytest.mark.parametrize("way", [run, stream_async])
