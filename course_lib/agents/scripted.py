"""A scripted model: it answers what a list says, for tests of agents that need no service and no network.

    from course_lib import Agent, Runner, tool
    from course_lib.agents import ScriptedModel

    @tool
    def find_order(number: int) -> str:
        '''Look up an order.'''
        return f"Order {number} has left the warehouse."

    model = ScriptedModel(("find_order", {"number": 1042}), "It is on its way.")
    agent = Agent("shop", "Help the customers.", [find_order], (model.client, "scripted"))
    response = Runner(agent).run("anna", "Where is order 1042?")

    assert response.content == "It is on its way."
    assert [call.name for call in response.tool_calls_executed] == ["find_order"]
    assert "has left the warehouse" in str(model.requests[1])       # what the model was shown

Its client is one of Anthropic's SDK, so that a test runs all of the program but the service.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ..errors import CourseError

Part = str | tuple[str, dict[str, Any]]
"""Some text of the model, or a call: the name of a tool and its arguments."""


class ScriptedTurn:
    """What a scripted model says in one turn: texts and calls, and why it stops.

    Without a `stop_reason`, one of the API, it stops for its calls, or else because it has said all.
    """

    def __init__(self, *parts: Part, stop_reason: str | None = None) -> None:
        for part in parts:
            if not (isinstance(part, str) or _is_call(part)):
                raise CourseError(
                    f"{part!r} is no part of a turn. Write a text, or a call: (name, {{arguments}})."
                )
        self.parts = parts
        calls = any(not isinstance(part, str) for part in parts)
        self.stop_reason = stop_reason or ("tool_use" if calls else "end_turn")

    def __repr__(self) -> str:
        return f"ScriptedTurn({', '.join(map(repr, self.parts))}, stop_reason={self.stop_reason!r})"


def _is_call(part: Any) -> bool:
    return (
        isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) and isinstance(part[1], dict)
    )


class ScriptedModel:
    """A model that says these turns, one for each request; the last one for good.

    Args:
        turns: A text, a call such as ("find_order", {"number": 1042}), a list of both, or a `ScriptedTurn`.
        without_tools: What it says in the place of calls where a request forbids them.
    """

    def __init__(
        self, *turns: Part | list[Part] | ScriptedTurn, without_tools: str = "I cannot tell."
    ) -> None:
        if not turns:
            raise CourseError('A scripted model needs a turn to say: ScriptedModel("Hello").')
        self.turns = [_turn(one) for one in turns]
        self.without_tools = without_tools
        self.requests: list[dict[str, Any]] = []
        """The bodies of the requests that it got."""

    @cached_property
    def client(self) -> Any:
        """A client of Anthropic's SDK whose requests this model answers."""
        import anthropic
        import httpx2

        http_client = httpx2.Client(transport=httpx2.MockTransport(self._answer))
        return anthropic.Anthropic(**_NOWHERE, http_client=http_client)

    @cached_property
    def async_client(self) -> Any:
        """The same for `run_async`, and for `async for` over `run_stream`."""
        import anthropic
        import httpx2

        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))
        return anthropic.AsyncAnthropic(**_NOWHERE, http_client=http_client)

    def _answer(self, request: Any) -> Any:
        import httpx2

        asked = json.loads(request.content)
        self.requests.append(asked)
        number = len(self.requests)
        turn = self.turns[min(number, len(self.turns)) - 1]
        choice = asked.get("tool_choice")
        forbidden = isinstance(choice, dict) and choice.get("type") == "none"
        if forbidden and any(not isinstance(part, str) for part in turn.parts):
            turn = ScriptedTurn(self.without_tools)
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": asked["model"],
            "content": [_block(part, f"toolu_{number}_{n}") for n, part in enumerate(turn.parts)],
            "stop_reason": turn.stop_reason,
            "usage": {"input_tokens": len(request.content) // 4, "output_tokens": 20},
        }
        if not asked.get("stream"):
            return httpx2.Response(200, json=message)
        lines = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _events(message)]
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text="".join(lines))

    def __repr__(self) -> str:
        return f"<scripted model, {len(self.turns)} turns, {len(self.requests)} requests>"


_NOWHERE = {"api_key": "none", "base_url": "http://script.invalid", "max_retries": 0}


def _turn(given: Any) -> ScriptedTurn:
    if isinstance(given, ScriptedTurn):
        return given
    return ScriptedTurn(*(given if isinstance(given, list) else [given]))


def _block(part: Part, call_id: str) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    name, arguments = part
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a stream that brings this message."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty = {**block, "text": ""}
            pieces = re.split(r"(?<=\s)(?=\S)", block["text"])
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
        else:
            empty = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stopped, "usage": message["usage"]}
    yield {"type": "message_stop"}
