"""The conversation of a Responses request: what is kept of earlier ones, and its items as neutral turns."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...request import Call, CallResult, ConversationTurn
from ..api import Incoming, memory_of
from ..openai.answer import MEDIA, arguments, hex_id
from . import shapes

MAX_COUNT = 500
MAX_BYTES = 32 * 1024 * 1024

Item = dict[str, Any]


# What is kept -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """A response that was stored."""

    response: dict[str, Any]
    items: tuple[Item, ...]
    """All that came before it: the items of earlier responses, then its own input."""
    size: int = 0

    def history(self) -> tuple[Item, ...]:
        """Return what a response that follows this one begins with."""
        return (*self.items, *self.response["output"])


class Store:
    """The responses of one practice model; the oldest are forgotten first. May be used from many threads."""

    def __init__(self, max_count: int = MAX_COUNT, max_bytes: int = MAX_BYTES) -> None:
        self.max_count = max_count
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes = 0

    def put(self, response: dict[str, Any], items: tuple[Item, ...], before: int = 0) -> None:
        """Keep a response; of its items, the first `before` are kept with an earlier one already."""
        size = memory_of([response, *items[before:]]) + 8 * before
        with self._lock:
            self._drop(response["id"])
            self._kept[response["id"]] = Kept(response, items, size)
            self._bytes += size
            while len(self._kept) > 1 and (len(self._kept) > self.max_count or self._bytes > self.max_bytes):
                self._drop(next(iter(self._kept)))

    def get(self, response_id: str) -> Kept | None:
        with self._lock:
            return self._kept.get(response_id)

    def delete(self, response_id: str) -> bool:
        """Forget a response; return whether there was one."""
        with self._lock:
            return self._drop(response_id)

    def find_item(self, item_id: str) -> Item | None:
        """Return the item with this id, from any response that is kept."""
        with self._lock:
            kept = list(self._kept.values())
        for one in reversed(kept):
            for item in (*one.response["output"], *one.items):
                if item.get("id") == item_id:
                    return item
        return None

    def _drop(self, response_id: str) -> bool:
        kept = self._kept.pop(response_id, None)
        self._bytes -= kept.size if kept else 0
        return kept is not None


def store_of(incoming: Incoming) -> Store:
    """Return the store of the practice model that the request came to; no two models share one."""
    return incoming.memory.setdefault("openai_responses", Store())


def kept_item(item: Any, response_id: str, n: int) -> Item:
    """Return an item of the input as it is kept and listed: with an id, its content in parts."""
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


# A request with what came before ----------------------------------------------------------------


@dataclass
class ContinuedRequest:
    """A request, and the conversation that it goes on with."""

    request: shapes.ResponsesRequest
    store: Store
    before: tuple[Item, ...] = ()
    """The items of the responses before it, as plain JSON."""
    elsewhere: bool = False
    """Whether the conversation before it is kept somewhere else, so that its calls are not known here."""
    items: list[Any] = field(default_factory=list)
    """The input of this request as items; references are still references."""


def resolved(asked: ContinuedRequest, item: Any) -> Any:
    """Return what a reference refers to; any other item as it is."""
    if isinstance(item, shapes.ItemReference):
        return asked.store.find_item(item.id) or item
    return item


# To the neutral turns ---------------------------------------------------------------------------


def with_calls(asked: ContinuedRequest) -> Iterator[Any]:
    """Yield the items of the request, references followed; outputs of calls made elsewhere get a call."""
    offered = asked.request.offered
    known = {item.get("call_id") for item in asked.before}
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


def read_item(item: Item) -> Any:
    """Return an item that was kept, as the shape that it had."""
    kind = {
        "message": shapes.ResponsesMessage,
        "function_call": shapes.ResponsesFunctionCall,
        "function_call_output": shapes.FunctionCallOutput,
        "reasoning": shapes.Reasoning,
    }.get(item["type"], shapes.OtherItem)
    return kind.model_validate(item)


def turn(item: Any) -> ConversationTurn | None:
    if isinstance(item, shapes.ResponsesFunctionCall):
        return ConversationTurn(
            "assistant", calls=(Call(item.name, arguments(item.arguments), item.call_id),)
        )
    if isinstance(item, shapes.FunctionCallOutput):
        return ConversationTurn("user", results=(CallResult(item.call_id, text_of(item.output)),))
    if not isinstance(item, shapes.ResponsesMessage):
        return None
    role = "system" if item.role == "developer" else item.role
    parts = item.content if isinstance(item.content, list) else []
    media = tuple(MEDIA[part.type] for part in parts if part.type in MEDIA)
    said = item.content if isinstance(item.content, str) else [one for one in parts if one.type not in MEDIA]
    return ConversationTurn(role, text_of(said), media=media)


def text_of(content: str | list[Any]) -> str:
    """Return the text of a string or of parts; other parts leave a short note."""
    if isinstance(content, str):
        return content
    return "\n".join(
        f"[{MEDIA[part.type]}]" if part.type in MEDIA else getattr(part, "text", getattr(part, "refusal", ""))
        for part in content
    )
