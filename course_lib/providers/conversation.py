"""A conversation in the form of any of the APIs, to be looked at: its messages and what is in them.

Each module knows the messages and blocks of its own API by the keys that are there. What none knows becomes a
part of kind "other" that holds the JSON as it is: to look at something must never fail. All that is read here
is plain JSON values; no SDK is needed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from . import all_modules

JSON = dict[str, Any]
_MEDIA = ("image", "image_url", "document", "audio", "file")


@dataclass(frozen=True)
class ConversationPart:
    """One thing in a message."""

    kind: Literal["text", "thinking", "refusal", "call", "result", "media", "note", "other"]
    text: str = ""
    """The text; for media its kind and type; for a note, what it is about and its value."""
    name: str = ""
    """The tool's name, of a call (and of a result where the API repeats it)."""
    id: str = ""
    data: Any = None
    """Arguments of a call (a str where they are not valid JSON); the JSON of an unknown block."""
    inside: tuple[ConversationPart, ...] = ()
    """What a result consists of."""
    is_error: bool = False


@dataclass(frozen=True)
class ConversationMessage:
    """One message, or one item of a history that has no messages around its items."""

    role: str
    """As it is written in the data; "" where there is none."""
    parts: tuple[ConversationPart, ...]


def read_messages(value: Any) -> list[ConversationMessage]:
    """Return the messages of a history, a single message, a request or a response."""
    items = value if isinstance(value, list) else [value]
    return [message for item in items for message in _read_item(item)]


def read_blocks(content: Any) -> tuple[ConversationPart, ...]:
    """Return the parts of a `content`: text, one block, or a list of blocks."""
    if content is None:
        return ()
    if isinstance(content, dict) and "content" in content and content.get("type") in ("message", None):
        # The learner put the whole response where its content belongs; show what they meant.
        content = content["content"]
    blocks = content if isinstance(content, list) else [content]
    return tuple(read_block(block) for block in blocks)


def read_tools(value: Any) -> list[JSON]:
    """Return tool definitions of any API as {"name", "description", "parameters"}; others as they are."""
    found: list[JSON] = []
    for tool in value if isinstance(value, list) else [value]:
        if not isinstance(tool, dict):
            found.append({"name": str(tool)})
            continue
        definitions = (one.read_definitions(tool) for one in all_modules())
        found += [_read_tool(one) for one in next((one for one in definitions if one is not None), [tool])]
    return found


def _read_tool(tool: Any) -> JSON:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return {"name": str(tool.get("type", "?")) if isinstance(tool, dict) else "?", "definition": tool}
    fields = [name for one in all_modules() for name in one.SCHEMA_FIELDS]
    schema = next((tool[name] for name in fields if name in tool), None)
    read: JSON = {"name": tool["name"]}
    if "description" in tool:
        read["description"] = tool["description"]
    if schema is not None:
        read["parameters"] = schema
    return read


def _read_item(item: Any) -> list[ConversationMessage]:
    if isinstance(item, str):
        return [ConversationMessage("user", (ConversationPart("text", item),))]
    if not isinstance(item, dict):
        return [ConversationMessage("", (ConversationPart("other", data=item),))]
    for one in all_modules():
        if isinstance(item.get(one.HISTORY_FIELD), list) and "type" not in item:
            return read_messages(item[one.HISTORY_FIELD])
    for one in all_modules():
        if (messages := one.read_item(item)) is not None:
            return messages
    if is_message(item):
        return [ConversationMessage(word(item.get("role")), read_blocks(item.get("content")))]
    # A block of a learner who forgot the message around it
    return [ConversationMessage("", (read_block(item),))]


def is_message(item: JSON) -> bool:
    """Return whether an item has the form that messages have in most APIs: a role and a content."""
    kind = item.get("type")
    return item.get("role") is not None or kind == "message" or "content" in item and "type" not in item


def read_block(block: Any) -> ConversationPart:
    """Return a block of a content as a part."""
    if isinstance(block, str):
        return ConversationPart("text", block)
    if not isinstance(block, dict):
        return ConversationPart("other", data=block)
    for one in all_modules():
        if (part := one.read_part(block)) is not None:
            return part
    kind = block.get("type")
    if isinstance(kind, str) and kind.removeprefix("input_") in _MEDIA:
        return media(kind, block)
    return ConversationPart("other", data=block)


# For the modules ----------------------------------------------------------------------------------


def text_call(name: Any, call_id: Any, arguments: Any) -> ConversationPart:
    """Return a call whose arguments are JSON in a string; what does not parse stays the string it is."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            pass
    return ConversationPart("call", name=word(name), id=word(call_id), data=arguments)


def result_of(block: JSON, call_id: Any, content: Any) -> ConversationPart:
    """Return the result of a call that a block holds."""
    is_error = block.get("is_error") is True
    return ConversationPart("result", id=word(call_id), inside=read_blocks(content), is_error=is_error)


def media(kind: str, block: JSON) -> ConversationPart:
    """Return the kind and type of a picture or file; its bytes are nothing to read."""
    source = block.get("source") if isinstance(block.get("source"), dict) else block
    found = [source.get(name) for name in ("media_type", "mimeType", "mime_type", "filename")]
    text = ", ".join([kind.removeprefix("input_"), *(one for one in found if isinstance(one, str))])
    return ConversationPart("media", text)


def notes(value: JSON, *names: str) -> tuple[ConversationPart, ...]:
    """Return those of the fields that hold text, each with its name."""
    found = [name for name in names if isinstance(value.get(name), str)]
    return tuple(ConversationPart("note", f"{name}: {value[name]}") for name in found)


def word(value: Any) -> str:
    """Return a field that should be text: empty if it is missing, as JSON if it is something else."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
