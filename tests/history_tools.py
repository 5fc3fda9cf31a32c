"""Four SDKs on one practice model without a network, and requests without an SDK, for tests of histories."""

from __future__ import annotations

import json
from typing import Any

import anthropic as anthropic_sdk
import httpx2
import openai
from client_tools import FUNCTIONS

from course_lib import providers
from course_lib.execution import run_calls
from course_lib.providers import history
from course_lib.tools import Tool
from practice_model import PracticeModel
from practice_model.server.inprocess import PracticeTransport

PROVIDERS = history.PROVIDERS
MODELS = {
    "anthropic": "claude-haiku-5-5",
    "openai": "gpt-5.4-mini",
    "openai-responses": "gpt-5.4-mini",
    "gemini": "gemini-3.5-flash-lite",
}
MERGE = {
    "anthropic": providers.anthropic.merge_stream,
    "openai": providers.openai_chat.merge_stream,
    "openai-responses": providers.openai_responses.merge_stream,
    "gemini": providers.gemini.merge_stream,
}
TOOLS = [Tool(function) for function in FUNCTIONS.values()]


class Asking:
    """`answer` asks for a whole turn: until there are no calls."""

    def ask(self, provider: str, turns: list[dict], **options: Any) -> Any:
        raise NotImplementedError

    def answer(self, provider: str, turns: list[dict], *, tools=TOOLS, most: int = 5, **options: Any) -> str:
        """Ask, run the calls, and ask again, until there are none; the turns are added to the history."""
        for _ in range(most):
            response = self.ask(provider, turns, **options)
            turns.append(history.assistant(response, provider, MODELS[provider]))
            calls = history.unanswered(turns)
            if not calls:
                return turns[-1]["text"]
            turns.append(history.results(run_calls(calls, tools)))
        raise AssertionError("it does not end")


class Requests(Asking):
    """`ask` gives a history to the practice model as a request, which has to be accepted.

    For whether a provider takes what was converted, of very many histories: most of the time is an SDK's.
    """

    HEADERS = {
        "anthropic": {"x-api-key": "practice", "anthropic-version": "2023-06-01"},
        "openai": {"authorization": "Bearer practice"},
        "openai-responses": {"authorization": "Bearer practice"},
        "gemini": {"x-goog-api-key": "practice"},
    }
    PATHS = {
        "anthropic": "/v1/messages",
        "openai": "/v1/chat/completions",
        "openai-responses": "/v1/responses",
        "gemini": f"/v1beta/models/{MODELS['gemini']}:generateContent",
    }
    TOOLS = {
        "anthropic": [tool.to_anthropic() for tool in TOOLS],
        "openai": [tool.to_openai() for tool in TOOLS],
        "openai-responses": [tool.to_openai_responses() for tool in TOOLS],
        "gemini": [{"functionDeclarations": [tool.to_gemini_declaration() for tool in TOOLS]}],
    }

    def __init__(self, practice: PracticeModel) -> None:
        self.practice = practice

    def ask(self, provider: str, turns: list[dict], **options: Any) -> dict[str, Any]:
        """The response to a history, as JSON."""
        field = {"openai-responses": "input", "gemini": "contents"}.get(provider, "messages")
        body = {field: history.to_wire(turns, provider), "tools": self.TOOLS[provider], **options}
        if provider != "gemini":
            body["model"] = MODELS[provider]
        if provider == "anthropic":
            body["max_tokens"] = 1000
        path, headers = self.PATHS[provider], self.HEADERS[provider]
        reply = self.practice.handle("POST", path, headers, json.dumps(body).encode())
        assert reply.status == 200, (reply.body, body)
        return json.loads(reply.body)


class Clients(Asking):
    """`ask` sends a history through the SDK of a provider, and raises what the SDK raises."""

    def __init__(self, practice: PracticeModel) -> None:
        self.practice = practice
        transport = PracticeTransport(practice.handle)
        common = {"api_key": "practice", "http_client": httpx2.Client(transport=transport)}
        self.anthropic = anthropic_sdk.Anthropic(base_url="http://practice", max_retries=0, **common)
        self.openai = openai.OpenAI(base_url="http://practice/v1", max_retries=0, **common)
        self.transport = transport
        self._gemini: Any = None

    @property
    def gemini(self) -> Any:
        if self._gemini is None:
            from google import genai

            options = {"base_url": "http://practice", "httpx_client": httpx2.Client(transport=self.transport)}
            self._gemini = genai.Client(api_key="practice", http_options=options)
        return self._gemini

    def ask(
        self, provider: str, turns: list[dict], *, stream: bool = False, tokens: int = 1000, **more: Any
    ) -> Any:
        """The response to a history, as an SDK's object; merged where it was streamed."""
        wire = json.loads(json.dumps(history.to_wire(turns, provider)))
        found = getattr(self, f"_{provider.replace('-', '_')}_ask")(wire, stream, tokens, more)
        return MERGE[provider](found) if stream else found

    def _anthropic_ask(self, wire, stream, tokens, more):
        return self.anthropic.messages.create(
            messages=wire,
            stream=stream,
            max_tokens=tokens,
            tools=[tool.to_anthropic() for tool in TOOLS],
            **{"model": MODELS["anthropic"], **more},
        )

    def _openai_ask(self, wire, stream, tokens, more):
        return self.openai.chat.completions.create(
            messages=wire,
            stream=stream,
            max_completion_tokens=tokens,
            tools=[tool.to_openai() for tool in TOOLS],
            **{"model": MODELS["openai"], **more},
        )

    def _openai_responses_ask(self, wire, stream, tokens, more):
        return self.openai.responses.create(
            input=wire,
            stream=stream,
            max_output_tokens=tokens,
            tools=[tool.to_openai_responses() for tool in TOOLS],
            **{"model": MODELS["openai-responses"], **more},
        )

    def _gemini_ask(self, wire, stream, tokens, more):
        ask = self.gemini.models.generate_content_stream if stream else self.gemini.models.generate_content
        config = {
            "max_output_tokens": tokens,
            "automatic_function_calling": {"disable": True},
            "tools": [{"function_declarations": [tool.to_gemini_declaration() for tool in TOOLS]}],
            **more.pop("config", {}),
        }
        found = ask(contents=wire, config=config, **{"model": MODELS["gemini"], **more})
        return list(found) if stream else found
