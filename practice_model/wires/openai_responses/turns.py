"""The items of a Responses conversation: as they are kept, and on their way to the neutral turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...request import Call, Result, Turn
from ..openai.answer import MEDIA, arguments, hex_id
from . import rules, shapes
from .rules import ContinuedRequest, resolved
from .store import Item


def read_item(item: Item) -> Any:
    """An item that was kept, as the shape that it had."""
    kind = {
        "message": shapes.ResponsesMessage,
        "function_call": shapes.ResponsesFunctionCall,
        "function_call_output": shapes.FunctionCallOutput,
        "reasoning": shapes.Reasoning,
    }.get(item["type"], shapes.OtherItem)
    return kind.model_validate(item)


def with_calls(asked: ContinuedRequest) -> Iterator[Any]:
    """The items of the request, references followed; outputs of calls made elsewhere get a call."""
    known = {item.get("call_id") for item in asked.before}
    offered = rules.functions(asked.request)
    for item in asked.items:
        item = resolved(asked, item)
        item = read_item(item) if isinstance(item, dict) else item
        if isinstance(item, shapes.FunctionCallOutput) and item.call_id not in known:
            name = offered[0].name if len(offered) == 1 else "unknown"
            yield shapes.ResponsesFunctionCall(
                type="function_call", call_id=item.call_id, name=name, arguments="{}"
            )
        known.add(getattr(item, "call_id", None))
        yield item


def turn(item: Any) -> Turn | None:
    if isinstance(item, shapes.ResponsesFunctionCall):
        return Turn("assistant", calls=(Call(item.name, arguments(item.arguments), item.call_id),))
    if isinstance(item, shapes.FunctionCallOutput):
        return Turn("user", results=(Result(item.call_id, text_of(item.output)),))
    if not isinstance(item, shapes.ResponsesMessage):
        return None
    role = "system" if item.role == "developer" else item.role
    parts = item.content if isinstance(item.content, list) else []
    media = tuple(MEDIA[part.type] for part in parts if part.type in MEDIA)
    said = item.content if isinstance(item.content, str) else [one for one in parts if one.type not in MEDIA]
    return Turn(role, text_of(said), media=media)


def text_of(content: str | list[Any]) -> str:
    """The text of a string or of parts; other parts leave a short note."""
    if isinstance(content, str):
        return content
    return "\n".join(
        f"[{MEDIA[part.type]}]" if part.type in MEDIA else getattr(part, "text", getattr(part, "refusal", ""))
        for part in content
    )


def kept_item(item: Any, response_id: str, n: int) -> Item:
    """An item of the input in the form in which it is kept and listed: with an id, its content in parts."""
    if isinstance(item, dict):
        return item
    plain = item.model_dump(by_alias=True, exclude_unset=True)
    prefix = {"message": "msg_", "function_call": "fc_", "reasoning": "rs_"}.get(plain["type"], "item_")
    plain["id"] = plain.get("id") or hex_id(prefix, response_id, n)
    if plain["type"] in ("message", "function_call", "function_call_output"):
        plain["status"] = plain.get("status") or "completed"
    if plain["type"] == "message" and isinstance(plain["content"], str):
        text = plain["content"]
        if plain["role"] == "assistant":
            plain["content"] = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
        else:
            plain["content"] = [{"type": "input_text", "text": text}]
    return plain
