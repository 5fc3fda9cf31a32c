"""A finished response as the stream of events in which the real service sends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..streaming import cut, event, text_pieces

Event = tuple[str, dict[str, Any]]

__all__ = ["stream"]


def stream(response: dict[str, Any]) -> Iterator[bytes]:
    """Created, in progress, each item of the output from added to done, and how it ended."""
    begun = {
        **response,
        "status": "in_progress",
        "completed_at": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
    }
    for number, (kind, data) in enumerate(_all(response, begun)):
        yield event({"type": kind, "sequence_number": number, **data}, kind)


def _all(response: dict[str, Any], begun: dict[str, Any]) -> Iterator[Event]:
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for index, item in enumerate(response["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        yield "response.output_item.added", {"output_index": index, "item": _empty(item)}
        yield from _PARTS[item["type"]](item, at)
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield f"response.{response['status']}", {"response": response}


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    """The item before anything of it has been written."""
    if item["type"] == "message":
        return {**item, "status": "in_progress", "content": []}
    if item["type"] == "function_call":
        return {**item, "status": "in_progress", "arguments": ""}
    return {**item, "summary": []}


def _message(item: dict[str, Any], at: dict[str, Any]) -> Iterator[Event]:
    for index, part in enumerate(item["content"]):
        here = {**at, "content_index": index}
        field = "text" if part["type"] == "output_text" else "refusal"
        name = f"response.{part['type']}"
        more = {"logprobs": []} if field == "text" else {}
        yield "response.content_part.added", {**here, "part": {**part, field: ""}}
        for piece in text_pieces(part[field]):
            yield f"{name}.delta", {**here, "delta": piece, **more}
        yield f"{name}.done", {**here, field: part[field], **more}
        yield "response.content_part.done", {**here, "part": part}


def _function_call(item: dict[str, Any], at: dict[str, Any]) -> Iterator[Event]:
    for piece in cut(item["arguments"], item["id"]):
        yield "response.function_call_arguments.delta", {**at, "delta": piece}
    done = {**at, "name": item["name"], "arguments": item["arguments"]}
    yield "response.function_call_arguments.done", done


def _reasoning(item: dict[str, Any], at: dict[str, Any]) -> Iterator[Event]:
    for index, part in enumerate(item["summary"]):
        here = {**at, "summary_index": index}
        yield "response.reasoning_summary_part.added", {**here, "part": {**part, "text": ""}}
        for piece in text_pieces(part["text"]):
            yield "response.reasoning_summary_text.delta", {**here, "delta": piece}
        yield "response.reasoning_summary_text.done", {**here, "text": part["text"]}
        yield "response.reasoning_summary_part.done", {**here, "part": part}


_PARTS = {"message": _message, "function_call": _function_call, "reasoning": _reasoning}
