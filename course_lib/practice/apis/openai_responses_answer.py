"""The answer of the Responses API: a decision as a response, and what it repeats of its request."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from ..ids import canonical
from ..request import Decision, Request
from . import openai_models as models
from . import openai_responses_rules as rules
from . import openai_responses_shapes as shapes
from . import openai_writing as writing

__all__ = ["conversation_id", "from_decision", "queued"]


def from_decision(
    decision: Decision, request: Request, shape: shapes.ResponsesRequest, data: Mapping[str, Any]
) -> dict[str, Any]:
    """The decision as a response: reasoning, then a message or calls, as far as the limits allow."""
    seed = canonical(
        {name: value for name, value in data.items() if name not in ("stream", "stream_options")}
    )
    answer = writing.finish(decision, request, seed)
    reason = {"limit": "max_output_tokens", "filtered": "content_filter"}.get(answer.stop)
    time = writing.created(seed)
    input_tokens = writing.count_input(request)
    response = {
        "id": writing.hex_id("resp_", seed),
        "object": "response",
        "created_at": time,
        "status": "incomplete" if reason else "completed",
        "background": bool(shape.background),
        "completed_at": None if reason else time + 1,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        **_echo(shape),
        "output": _output(answer, shape, seed, "incomplete" if reason else "completed"),
        "usage": {
            "input_tokens": input_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": answer.thinking_tokens},
            "total_tokens": input_tokens + answer.output_tokens,
        },
    }
    if shape.conversation:
        response["conversation"] = {"id": conversation_id(shape)}
    return response


def _output(
    answer: writing.Answer, shape: shapes.ResponsesRequest, seed: str, status: str
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.thinking:
        items.append(_reasoning(answer, shape, seed))
    if answer.text or answer.refusal or not (answer.calls or answer.stop in ("limit", "filtered")):
        text = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        part = {"type": "refusal", "refusal": answer.refusal} if answer.refusal else text
        message = {"id": writing.hex_id("msg_", seed), "type": "message", "role": "assistant"}
        items.append({**message, "status": status, "content": [part]})
    last = len(answer.calls) - 1
    for n, call in enumerate(answer.calls):
        item = {"id": writing.hex_id("fc_", seed, n), "type": "function_call", "call_id": call.id}
        one = {"name": call.name, "arguments": call.arguments}
        items.append({**item, **one, "status": status if n == last else "completed"})
    return items


def _reasoning(answer: writing.Answer, shape: shapes.ResponsesRequest, seed: str) -> dict[str, Any]:
    config = shape.reasoning
    summarised = config and (config.summary or config.generate_summary)
    summary = [{"type": "summary_text", "text": answer.thinking}] if summarised else []
    item = {"id": writing.hex_id("rs_", seed), "type": "reasoning", "summary": summary, "content": []}
    if "reasoning.encrypted_content" in (shape.include or []):
        digest = hashlib.sha512(f"{seed}\x1f{answer.thinking}".encode("utf-8", "surrogatepass")).digest()
        item["encrypted_content"] = "gAAAAA" + base64.urlsafe_b64encode(digest).decode("ascii")
    return item


def _echo(shape: shapes.ResponsesRequest) -> dict[str, Any]:
    """What a response repeats of its request, with what holds where the request is silent."""
    text = shape.text
    form = text.format.model_dump(by_alias=True) if text and text.format else {"type": "text"}
    if form["type"] == "json_schema":
        form["strict"] = bool(form["strict"])
    effort = rules.effort(shape) or models.default_effort(shape.model)
    summary = shape.reasoning and (shape.reasoning.summary or shape.reasoning.generate_summary)
    return {
        "instructions": shape.instructions,
        "max_output_tokens": shape.max_output_tokens,
        "max_tool_calls": shape.max_tool_calls,
        "metadata": shape.metadata or {},
        "model": models.resolved(shape.model),
        "moderation": None,
        "parallel_tool_calls": shape.parallel_tool_calls is not False,
        "previous_response_id": shape.previous_response_id,
        "prompt_cache_key": shape.prompt_cache_key,
        "prompt_cache_retention": shape.prompt_cache_retention,
        "reasoning": {
            "effort": effort,
            "summary": summary or None,
            "generate_summary": None,
            "context": "current_turn",
            "mode": "standard",
        },
        "safety_identifier": shape.safety_identifier,
        "service_tier": "default",
        "store": shape.store is not False,
        "temperature": 1.0 if shape.temperature is None else shape.temperature,
        "text": {"format": form, "verbosity": (text and text.verbosity) or "medium"},
        "tool_choice": _plain(shape.tool_choice) or "auto",
        "tools": [_echo_tool(tool) for tool in shape.tools or []],
        "top_logprobs": 0,
        "top_p": 1.0 if shape.top_p is None else shape.top_p,
        "truncation": shape.truncation or "disabled",
        "user": shape.user,
    }


def _echo_tool(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, shapes.FunctionTool):
        return tool.model_dump()
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": rules.is_strict(tool),
        "output_schema": tool.output_schema,
    }


def _plain(value: Any) -> Any:
    return value.model_dump(by_alias=True) if hasattr(value, "model_dump") else value


def queued(response: dict[str, Any]) -> dict[str, Any]:
    """What a request with `background` is answered at once: it is done when it is asked for again."""
    return {
        **response,
        "status": "queued",
        "completed_at": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
    }


def conversation_id(shape: shapes.ResponsesRequest) -> str | None:
    given = shape.conversation
    return given.id if isinstance(given, shapes.Conversation) else given
