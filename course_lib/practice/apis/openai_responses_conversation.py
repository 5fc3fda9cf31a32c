"""What can be wrong with the items of a Responses request: calls and outputs that do not match, roles, ids.

Each function looks for its first violation and returns what its message in openai_responses_rules.py needs,
or None. `Asked` is the request together with what came before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from .openai_responses_shapes import (
    FunctionCall,
    FunctionCallOutput,
    ItemReference,
    Message,
    OtherItem,
    Reasoning,
    ResponsesRequest,
)
from .openai_rules import Found
from .openai_shapes import options
from .openai_store import Item, Store


@dataclass
class Asked:
    """A request, and the conversation that it goes on with."""

    request: ResponsesRequest
    store: Store
    before: tuple[Item, ...] = ()
    """The items of the responses before it, as plain JSON."""
    elsewhere: bool = False
    """Whether the conversation before it is kept somewhere else, so that its calls are not known here."""
    items: list[Any] = field(default_factory=list)
    """The input of this request as items; references are still references."""


# Calls and outputs --------------------------------------------------------------------------------


def _links(asked: Asked) -> Iterator[tuple[str, str]]:
    """("call" or "output", call id) for each item that has one, in order."""
    for item in (*asked.before, *(resolved(asked, one) for one in asked.items)):
        kind = item.get("type") if isinstance(item, dict) else item.type
        call_id = item.get("call_id") if isinstance(item, dict) else getattr(item, "call_id", None)
        if kind in ("function_call", "function_call_output"):
            yield "call" if kind == "function_call" else "output", call_id


def resolved(asked: Asked, item: Any) -> Any:
    """What a reference refers to; any other item as it is."""
    if isinstance(item, ItemReference):
        return asked.store.find_item(item.id) or item
    return item


def output_without_call(asked: Asked) -> Found:
    calls: set[str] = set()
    for kind, call_id in _links(asked):
        if kind == "call":
            calls.add(call_id)
        elif call_id not in calls and not asked.elsewhere:
            return {"id": call_id}
    return None


def repeated_output(asked: Asked) -> Found:
    seen: set[str] = set()
    for kind, call_id in _links(asked):
        if kind == "output" and call_id in seen:
            return {"id": call_id}
        seen.update([call_id] if kind == "output" else [])
    return None


def call_without_output(asked: Asked) -> Found:
    links = list(_links(asked))
    answered = {call_id for kind, call_id in links if kind == "output"}
    for kind, call_id in links:
        if kind == "call" and call_id not in answered:
            return {"id": call_id}
    return None


# Items -----------------------------------------------------------------------------------------------


def nothing_asked(asked: Asked) -> Found:
    request = asked.request
    return {} if not (request.input or request.previous_response_id or request.conversation) else None


def two_histories(asked: Asked) -> Found:
    return {} if asked.request.previous_response_id and asked.request.conversation else None


_PREFIXES = {Message: "msg", FunctionCall: "fc", Reasoning: "rs"}


def id_of_other_kind(asked: Asked) -> Found:
    for n, item in enumerate(asked.items):
        prefix = _PREFIXES.get(type(item))
        if prefix and item.id and not item.id.startswith(prefix):
            return {"n": n, "id": item.id, "prefix": prefix}
    return None


def repeated_id(asked: Asked) -> Found:
    seen: set[str] = set()
    for item in asked.items:
        if getattr(item, "id", None) and not isinstance(item, OtherItem):
            if item.id in seen:
                return {"id": item.id}
            seen.add(item.id)
    return None


def unknown_reference(asked: Asked) -> Found:
    """A reference, or reasoning without its content, to something that is not kept."""
    for item in asked.items:
        bare = isinstance(item, Reasoning) and item.id and not item.encrypted_content
        if (bare or isinstance(item, ItemReference)) and asked.store.find_item(item.id) is None:
            return {"id": item.id}
    return None


def reasoning_alone(asked: Asked) -> Found:
    for n, item in enumerate(asked.items):
        if isinstance(item, Reasoning) and item.id:
            after = asked.items[n + 1] if n + 1 < len(asked.items) else None
            alone = after is None or isinstance(after, FunctionCallOutput)
            if alone or (isinstance(after, Message) and after.role != "assistant"):
                return {"id": item.id}
    return None


_OUTPUT_CONTENT = ("output_text", "refusal")


def content_of_other_role(asked: Asked) -> Found:
    for n, item in enumerate(asked.items):
        if not isinstance(item, Message) or isinstance(item.content, str):
            continue
        for m, part in enumerate(item.content):
            if (part.type in _OUTPUT_CONTENT) != (item.role == "assistant"):
                mine = ["input_text", "input_image", "input_file"]
                supported = list(_OUTPUT_CONTENT) if item.role == "assistant" else mine
                return {"n": n, "m": m, "type": part.type, "supported": options(supported)}
    return None


_NOT_DOCUMENTS = frozenset(
    """
    .mp3 .wav .ogg .flac .m4a .aac .mp4 .mov .avi .mkv .webm .png .jpg .jpeg .gif .webp .bmp .tiff .zip .gz
    .tar .7z .rar .exe .dll .bin .iso
    """.split()
)


def not_a_document(asked: Asked) -> Found:
    """A file that is sound, video, image or archive by its name."""
    for item in asked.items:
        content = getattr(item, "content", None) or getattr(item, "output", None)
        for part in content if isinstance(content, list) else []:
            if getattr(part, "type", "") == "input_file":
                name = part.filename or _path(part.file_url or "")
                if PurePosixPath(name).suffix.lower() in _NOT_DOCUMENTS:
                    return {}
    return None


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
