"""The two tools, the question and the environment of the tests with real clients."""

from __future__ import annotations

from typing import Any

import pytest

from practice_model import PracticeModel

QUESTION = "What is the weather in Madrid, and what time is it in Tokyo?"
BOTH = [("get_time", "Tokyo"), ("get_weather", "Madrid")]
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The city, for example Lisbon."}},
    "required": ["city"],
    "additionalProperties": False,
}
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


FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}


def set_environment(monkeypatch: pytest.MonkeyPatch, absent: tuple[str, ...], **values: str) -> None:
    """Forget the calls of the test before, and say by variables alone where the clients should go."""
    called.clear()
    for name in (*absent, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setenv("LANGSMITH_TRACING", "false")


def assert_answered(text: str) -> None:
    """Both tools ran since the last check, each once, and the answer tells what they returned."""
    ran = sorted(called)
    called.clear()
    assert ran == BOTH
    assert "21" in text and "18:30" in text


def paths(model: PracticeModel) -> list[str]:
    """Where the requests went; all of them were accepted."""
    found = model.log.list()
    assert {exchange.status for exchange in found} == {200}
    return [exchange.path for exchange in found]


def text_of(message: Any) -> str:
    """The text of a LangChain message; `text` was a method, and became a property."""
    text = message.text
    return text() if callable(text) and not isinstance(text, str) else str(text)


def merged(chunks: Any) -> Any:
    """The message that LangChain's chunks add up to."""
    chunks = iter(chunks)
    whole = next(chunks)
    for chunk in chunks:
        whole += chunk
    return whole


async def gathered(chunks: Any) -> list[Any]:
    """All that an asynchronous iterator gives."""
    return [chunk async for chunk in chunks]
