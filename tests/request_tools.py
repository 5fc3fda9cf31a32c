"""One request in the form of each API, and what it is answered."""

from __future__ import annotations

import json
from typing import Any

from practice_model import PracticeModel

Tools = list[tuple[str, str, dict[str, Any]]]
"""Name, description and parameters of each."""

KEYS = {"authorization": "Bearer practice", "x-goog-api-key": "practice", "content-type": "application/json"}
PATHS = {
    "anthropic": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-flash:generateContent",
}
APIS = tuple(PATHS)


def headers_of(api: str) -> dict[str, str]:
    """The headers that a client of the API sends."""
    own = {"x-api-key": "practice", "anthropic-version": "2023-06-01"}
    return {"content-type": "application/json", **own} if api == "anthropic" else KEYS


def fields(**properties: Any) -> dict[str, Any]:
    """An object schema whose properties are all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def body_of(
    api: str, text: str, tools: Tools = (), system: str = "", *, force: bool = False
) -> dict[str, Any]:
    """A request of one message, in the form of the API; `force` makes it call a tool."""
    if api == "anthropic":
        listed = [{"name": n, "description": d, "input_schema": s} for n, d, s in tools]
        choice = {"tool_choice": {"type": "any"}}
        return {
            "model": "claude-haiku-4-5",
            "max_tokens": 500,
            "messages": [{"role": "user", "content": text}],
            **({"system": system} if system else {}),
            **({"tools": listed} if tools else {}),
            **(choice if force else {}),
        }
    if api == "gemini":
        listed = [{"name": n, "description": d, "parametersJsonSchema": s} for n, d, s in tools]
        return {
            "contents": [{"role": "user", "parts": [{"text": text}]}],
            **({"systemInstruction": {"parts": [{"text": system}]}} if system else {}),
            **({"tools": [{"functionDeclarations": listed}]} if tools else {}),
            **({"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}} if force else {}),
        }
    functions = [{"name": n, "description": d, "parameters": s} for n, d, s in tools]
    more = {"tool_choice": "required"} if force else {}
    if api == "openai_responses":
        listed = [{"type": "function", "strict": False, **one} for one in functions]
        more |= {"input": text, **({"instructions": system} if system else {})}
    else:
        listed = [{"type": "function", "function": one} for one in functions]
        first = [{"role": "system", "content": system}] if system else []
        more["messages"] = [*first, {"role": "user", "content": text}]
    return {"model": "gpt-5.4-mini", **({"tools": listed} if tools else {}), **more}


def send(api: str, body: Any, model: PracticeModel | None = None) -> tuple[int, Any]:
    """Send a body (bytes as they are), and return the status and the answer as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8", "surrogatepass")
    reply = (model or PracticeModel()).handle("POST", PATHS[api], headers_of(api), raw)
    return reply.status, json.loads(reply.body if isinstance(reply.body, bytes) else b"".join(reply.body))


def calls_of(api: str, answer: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The calls of an answer: each name with its arguments."""
    if api == "anthropic":
        return [(one["name"], one["input"]) for one in answer["content"] if one["type"] == "tool_use"]
    if api == "gemini":
        parts = answer["candidates"][0]["content"]["parts"]
        return [(p["functionCall"]["name"], p["functionCall"]["args"]) for p in parts if "functionCall" in p]
    if api == "openai_responses":
        found = [one for one in answer["output"] if one["type"] == "function_call"]
    else:
        found = [one["function"] for one in answer["choices"][0]["message"].get("tool_calls") or ()]
    return [(one["name"], json.loads(one["arguments"])) for one in found]
