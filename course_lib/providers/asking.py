"""Asking a model: one small class for each API, with what its request looks like and how its SDK sends it.

Every class has the same functions. The two that send give what the client gives: an answer from a
client that waits, something to await from one that does not; so one loop serves both.

    definitions(tools)         the tools as the API wants them
    body(...)                  the whole request as JSON
    create(client, body, how)  send it; `answer` makes of what comes back the answer's JSON
    stream(client, body, how)  send it, and return the events of the answer
    checked(answer)            an answer, also one put together from a stream, if the service did not fail
    text_in(event)             the piece of text that an event of a stream brings

`how` may have a `timeout` in seconds and `headers`.

The body goes past the SDK's own reading of it: with `client.post`, which an SDK has for requests that it has
no function for, or as `extra_body`. Its functions walk through the whole history with every request to
convert what may be an object or a file: 200 turns cost 7 s of CPU on Chat, 14 on Gemini and 27 on Responses.
Ours is plain JSON, of which they would change nothing, and the same arrives in a thirtieth of the time. All
else is the SDK's: address, key, headers, connections, errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from ..errors import CourseError, ServiceError
from ..tools import Tool
from .history.wire import calls_without_thinking
from .openai_chat import text_of
from .reading import get

How = dict[str, Any]
MOST_TOKENS = 16_000
"""Of an answer, where Anthropic's API asks for a limit: room for thinking and for long arguments. Over 21,333
its SDK wants a stream."""


class _Wire:
    """What is the same for all, unless one says otherwise."""

    holds: str
    """The field of an answer that the model's turn is in."""

    def check(self, options: dict[str, Any]) -> None:
        """Raise CourseError for more fields of a request that its API would refuse together."""

    def fitting(self, body: dict[str, Any]) -> dict[str, Any]:
        """A body without what its API would refuse beside the messages in it."""
        return body

    def answer(self, sent: Any) -> dict[str, Any]:
        """The answer's JSON, from what the SDK gives of it. Raises ServiceError where it is none."""
        return self.checked(sent)

    def checked(self, found: Any) -> dict[str, Any]:
        """An answer, also one from a stream. Raises ServiceError where the service says that it failed.

        Some servers, and proxies before them, say so with status 200.
        """
        if isinstance(found, dict) and found.get(self.holds):
            return found
        error = found.get("error") if isinstance(found, dict) else None
        if error or not isinstance(found, dict):
            raise ServiceError(
                f"The service answered without an answer of the model: {str(found)[:500]}", error
            )
        return found


class Anthropic(_Wire):
    """`POST /v1/messages`."""

    provider = "anthropic"
    holds = "content"
    strict = "anthropic"

    def check(self, options: dict[str, Any]) -> None:
        choice = options.get("tool_choice")
        if _thinks(options) and isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
            raise CourseError(
                f"Anthropic takes no tool_choice {choice['type']!r} beside a thinking budget: who thinks "
                "chooses by itself. Leave one of the two out of options."
            )

    def fitting(self, body: dict[str, Any]) -> dict[str, Any]:
        # With a budget, it wants its thinking before the calls whose results it gets. There is none where
        # another model made them, or the same one without thinking: then they are answered without.
        if _thinks(body) and calls_without_thinking(body["messages"]):
            return {name: value for name, value in body.items() if name != "thinking"}
        return body

    def definitions(self, tools: Iterable[Tool]) -> list[dict[str, Any]]:
        return [one.to_anthropic() for one in tools]

    def body(self, model: str, instructions: str, turns: list[Any], tools: list[Any]) -> dict[str, Any]:
        head: dict[str, Any] = {"model": model, "max_tokens": MOST_TOKENS}
        return {**head, **_if_any(system=instructions), "messages": turns, **_if_any(tools=tools)}

    def create(self, client: Any, body: dict[str, Any], how: How) -> Any:
        return client.post("/v1/messages", **_written(body), cast_to=object, options=how)

    def stream(self, client: Any, body: dict[str, Any], how: How) -> Any:
        required = {"model": body["model"], "max_tokens": body["max_tokens"], "messages": []}
        return client.messages.create(**required, stream=True, **_streamed(body, how))

    def text_in(self, event: Any) -> str:
        delta = get(event, "delta", {}) if get(event, "type") == "content_block_delta" else {}
        return get(delta, "text", "") if get(delta, "type") == "text_delta" else ""


class OpenAIChat(_Wire):
    """`POST /v1/chat/completions`, which many other servers speak too."""

    provider = "openai"
    holds = "choices"
    strict = "openai"

    def definitions(self, tools: Iterable[Tool]) -> list[dict[str, Any]]:
        return [one.to_openai() for one in tools]

    def body(self, model: str, instructions: str, turns: list[Any], tools: list[Any]) -> dict[str, Any]:
        first = [{"role": "system", "content": instructions}] if instructions else []
        return {"model": model, "messages": [*first, *turns], **_if_any(tools=tools)}

    def create(self, client: Any, body: dict[str, Any], how: How) -> Any:
        return client.post("/chat/completions", **_written(body), cast_to=object, options=how)

    def stream(self, client: Any, body: dict[str, Any], how: How) -> Any:
        body = {"stream_options": {"include_usage": True}, **body}
        create = client.chat.completions.create
        return create(model=body["model"], messages=[], stream=True, **_streamed(body, how))

    def text_in(self, event: Any) -> str:
        choices = get(event, "choices", [])
        delta = get(choices[0], "delta", {}) if choices else {}
        return text_of(get(delta, "content", "")) or text_of(get(delta, "refusal", ""))


class OpenAIResponses(_Wire):
    """`POST /v1/responses`."""

    provider = "openai-responses"
    holds = "output"
    strict = "openai"

    def definitions(self, tools: Iterable[Tool]) -> list[dict[str, Any]]:
        return [one.to_openai_responses() for one in tools]

    def body(self, model: str, instructions: str, turns: list[Any], tools: list[Any]) -> dict[str, Any]:
        head = {"model": model, **_if_any(instructions=instructions)}
        return {**head, "input": turns, **_if_any(tools=tools)}

    def create(self, client: Any, body: dict[str, Any], how: How) -> Any:
        return client.post("/responses", **_written(body), cast_to=object, options=how)

    def stream(self, client: Any, body: dict[str, Any], how: How) -> Any:
        create = client.responses.create
        return create(model=body["model"], input=[], stream=True, **_streamed(body, how))

    def text_in(self, event: Any) -> str:
        kinds = ("response.output_text.delta", "response.refusal.delta")
        return get(event, "delta", "") if get(event, "type") in kinds else ""


class Gemini(_Wire):
    """`POST /v1beta/models/<model>:generateContent`. The model's id stands in the address."""

    provider = "gemini"
    holds = "candidates"
    strict = None

    def definitions(self, tools: Iterable[Tool]) -> list[dict[str, Any]]:
        declared = [one.to_gemini_declaration() for one in tools]
        return [{"functionDeclarations": declared}] if declared else []

    def body(self, model: str, instructions: str, turns: list[Any], tools: list[Any]) -> dict[str, Any]:
        system = {"parts": [{"text": instructions}]} if instructions else None
        return {
            "model": model,
            **_if_any(systemInstruction=system),
            "contents": turns,
            **_if_any(tools=tools),
        }

    def create(self, client: Any, body: dict[str, Any], how: How) -> Any:
        config = self._config(body, how)
        config.should_return_http_response = True
        return client.models.generate_content(model=body["model"], contents="", config=config)

    def stream(self, client: Any, body: dict[str, Any], how: How) -> Any:
        config = self._config(body, how)
        return client.models.generate_content_stream(model=body["model"], contents="", config=config)

    def answer(self, sent: Any) -> dict[str, Any]:
        return self.checked(json.loads(get(get(sent, "sdk_http_response"), "body", "{}")))

    def text_in(self, event: Any) -> str:
        candidates = get(event, "candidates", [])
        parts = get(get(candidates[0], "content", {}), "parts", []) if candidates else []
        return "".join(get(part, "text", "") for part in parts if not get(part, "thought"))

    def _config(self, body: dict[str, Any], how: How) -> Any:
        from google.genai import types

        sent = {name: value for name, value in body.items() if name != "model"}
        milliseconds = {"timeout": max(1, int(how["timeout"] * 1000))} if "timeout" in how else {}
        http = types.HttpOptions(**{**how, **milliseconds, "extra_body": sent})
        # For functions that the SDK would call itself, of which there are none, it copies all of it first.
        by_itself = types.AutomaticFunctionCallingConfig(disable=True)
        return types.GenerateContentConfig(http_options=http, automatic_function_calling=by_itself)


WIRES = {one.provider: one for one in (Anthropic(), OpenAIChat(), OpenAIResponses(), Gemini())}
"""By the name of the provider, as it stands before the colon of a model and in a history."""


def _thinks(fields: dict[str, Any]) -> bool:
    """Whether Anthropic's model gets a budget for thinking; where it may choose to think, it takes all."""
    thinking = fields.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _streamed(body: dict[str, Any], how: How) -> dict[str, Any]:
    """For the function of an SDK, beside what it requires."""
    return {"extra_body": body, **{{"headers": "extra_headers"}.get(k, k): v for k, v in how.items()}}


def _written(body: dict[str, Any]) -> dict[str, Any]:
    """A body for `client.post`: as the text that is sent, so that the SDK does not copy all of it first."""
    try:
        return {"content": to_json(body, inf_nan_mode="constants")}
    except PydanticSerializationError:  # an agent's options may hold what only the SDK can read
        return {"body": body}


def _if_any(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}
