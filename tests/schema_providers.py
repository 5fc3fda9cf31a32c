"""Asking the practice model whether a provider takes a definition."""

from __future__ import annotations

import json
from typing import Any

from course_lib.tools import Tool, ToolSchemaError
from practice_model import PracticeModel
from practice_model.request import Decision

HELLO = [{"role": "user", "content": "Hello."}]
_MODEL = PracticeModel(lambda request: Decision(text="Hi."))
_WIRES = {
    "anthropic": (
        "/v1/messages",
        {"x-api-key": "practice", "anthropic-version": "2026-10-21"},
        {"model": "claude-haiku-5-5", "max_tokens": 99, "messages": HELLO},
    ),
    "openai": (
        "/v1/chat/completions",
        {"authorization": "Bearer practice"},
        {"model": "gpt-5.4-mini", "messages": HELLO},
    ),
    "openai_responses": (
        "/v1/responses",
        {"authorization": "Bearer practice"},
        {"model": "gpt-5.4-mini", "input": HELLO},
    ),
    "gemini": (
        "/v1beta/models/gemini-3.5-flash-lite:generateContent",
        {"x-goog-api-key": "practice"},
        {"contents": [{"role": "user", "parts": [{"text": "Hello."}]}]},
    ),
}


def refusal(provider: str, *definitions: dict[str, Any]) -> str | None:
    """What a provider says against a request with these definitions, or None."""
    path, headers, body = _WIRES[provider]
    tools = [{"functionDeclarations": list(definitions)}] if provider == "gemini" else list(definitions)
    data = json.dumps({**body, "tools": tools}, allow_nan=False).encode("utf-8")
    reply = _MODEL.handle("POST", path, {**headers, "content-type": "application/json"}, data)
    return None if reply.status == 200 else reply.body.decode("utf-8")


def definitions(tool: Tool) -> dict[tuple[str, bool], dict[str, Any]]:
    """Every form of a tool that exists, by provider and strictness."""
    found = {}
    for provider in ("anthropic", "openai", "openai_responses"):
        write = getattr(tool, f"to_{provider}")
        found[provider, False] = write(strict=False)
        try:
            found[provider, True] = write(strict=True)
        except ToolSchemaError:
            continue
    try:
        found["gemini", False] = tool.to_gemini_declaration()
    except ToolSchemaError:
        pass
    return found


def accepted_everywhere(tool: Tool) -> None:
    """Fail with the provider's own words if one refuses what we wrote for it."""
    for (provider, strict), definition in definitions(tool).items():
        assert refusal(provider, definition) is None, (provider, strict, definition)
