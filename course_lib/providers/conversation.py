"""A conversation in the form of any of the APIs, to be looked at: its messages and what is in them.

The messages and blocks of an API are known by the keys that are there. What is none of them becomes a part of
kind "other" that holds the JSON as it is: to look at something must never fail. All that is read here is
plain JSON values; no SDK is needed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from practice_model.facts.schemas import snake_case

from . import all_modules

JSON = dict[str, Any]
_MEDIA = ("image", "image_url", "document", "audio", "file")
_SCHEMA_FIELDS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")
_SIGNATURE = {"thoughtSignature", "thought_signature"}


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
        inside = [tool["function"]] if "function" in tool else _either(tool, "functionDeclarations")
        found += [_read_tool(one) for one in (inside if inside and isinstance(inside, list) else [tool])]
    return found


def _read_tool(tool: Any) -> JSON:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return {"name": str(tool.get("type", "?")) if isinstance(tool, dict) else "?", "definition": tool}
    schema = next((tool[name] for name in _SCHEMA_FIELDS if name in tool), None)
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
    for read in (_anthropic_item, _chat_item, _responses_item, _gemini_item):
        if (messages := read(item)) is not None:
            return messages
    if _is_message(item):
        return [ConversationMessage(_word(item.get("role")), read_blocks(item.get("content")))]
    # A block of a learner who forgot the message around it
    return [ConversationMessage("", (read_block(item),))]


def _is_message(item: JSON) -> bool:
    """Return whether an item has the form that messages have in most APIs: a role and a content."""
    kind = item.get("type")
    return item.get("role") is not None or kind == "message" or "content" in item and "type" not in item


# What stands in a history, or is a response: its messages, or None if it is not of this API -----------


def _anthropic_item(item: JSON) -> list[ConversationMessage] | None:
    """Return a response as a message that says why it ended."""
    if not _is_message(item) or not (ended := _notes(item, "stop_reason")):
        return None
    return [ConversationMessage(_word(item.get("role")), (*read_blocks(item.get("content")), *ended))]


def _chat_item(item: JSON) -> list[ConversationMessage] | None:
    """Return the messages of a completion's choices, a result, or a message with calls or a refusal."""
    if isinstance(item.get("choices"), list):
        return read_messages([one.get("message") for one in item["choices"] if isinstance(one, dict)])
    if item.get("role") == "tool" and not isinstance(item.get("parts"), list):
        result = _result_of(item, item.get("tool_call_id"), item.get("content"))
        return [ConversationMessage("tool", (result,))]
    calls, refusal = item.get("tool_calls"), item.get("refusal")
    if not _is_message(item) or not isinstance(calls, list) and not isinstance(refusal, str):
        return None
    parts = list(read_blocks(item.get("content")))
    parts += [ConversationPart("refusal", refusal)] if isinstance(refusal, str) else []
    parts += map(_chat_call, calls) if isinstance(calls, list) else []
    return [ConversationMessage(_word(item.get("role")), tuple(parts))]


def _chat_call(call: Any) -> ConversationPart:
    inner = call.get("function", call.get("custom")) if isinstance(call, dict) else None
    if not isinstance(inner, dict):
        return ConversationPart("other", data=call)
    return _text_call(inner.get("name"), call.get("id"), inner.get("arguments", inner.get("input")))


def _responses_item(item: JSON) -> list[ConversationMessage] | None:
    """Return the messages of a response's output, or an item that has no message around it."""
    if isinstance(item.get("output"), list) and "type" not in item:
        return read_messages(item["output"])
    kind = str(item.get("type"))
    if item.get("role") is None and (kind == "reasoning" or kind.endswith(("_call", "_call_output"))):
        return [ConversationMessage(kind, (read_block(item),))]
    return None


def _gemini_item(item: JSON) -> list[ConversationMessage] | None:
    """Return each candidate's content, and why it ended; why there is none; or a content."""
    if not any(name in item for name in ("candidates", "promptFeedback", "prompt_feedback")):
        parts = item.get("parts")
        if not isinstance(parts, list):
            return None
        return [ConversationMessage(_word(item.get("role")), tuple(map(_gemini_part, parts)))]
    candidates = item.get("candidates")
    messages = []
    for one in candidates if isinstance(candidates, list) else []:
        if isinstance(one, dict):
            content = one.get("content") if isinstance(one.get("content"), dict) else {}
            parts = content.get("parts") if isinstance(content.get("parts"), list) else []
            ended = _notes(one, "finishReason", "finish_reason")
            role = _word(content.get("role")) or "model"
            messages.append(ConversationMessage(role, (*map(_gemini_part, parts), *ended)))
    feedback = _either(item, "promptFeedback")
    if isinstance(feedback, dict) and (blocked := _notes(feedback, "blockReason", "block_reason")):
        messages.append(ConversationMessage("model", blocked))
    return messages


# What stands in a message -------------------------------------------------------------------------


def read_block(block: Any) -> ConversationPart:
    """Return a block of a content as a part."""
    if isinstance(block, str):
        return ConversationPart("text", block)
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return _gemini_part(block)
    kind, text = block["type"], block.get("text")
    if kind in ("text", "input_text", "output_text") and isinstance(text, str):
        return ConversationPart("text", text)
    if kind == "refusal":
        return ConversationPart("refusal", _word(block.get("refusal")))
    if kind in ("thinking", "redacted_thinking"):
        return ConversationPart("thinking", _word(block.get("thinking")))
    if kind == "reasoning":
        summary = block.get("summary")
        if not isinstance(summary, list):
            return ConversationPart("thinking", _word(summary))
        texts = [_word(one.get("text")) for one in summary if isinstance(one, dict)]
        return ConversationPart("thinking", "\n".join(texts))
    if kind in ("tool_use", "server_tool_use"):
        name, call_id = _word(block.get("name")), _word(block.get("id"))
        return ConversationPart("call", name=name, id=call_id, data=block.get("input"))
    if kind in ("function_call", "custom_tool_call"):
        arguments = block.get("arguments", block.get("input"))
        return _text_call(block.get("name"), block.get("call_id"), arguments)
    if kind.endswith("tool_result"):
        return _result_of(block, block.get("tool_use_id"), block.get("content"))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return _result_of(block, block.get("call_id"), block.get("output"))
    if kind.removeprefix("input_") in _MEDIA:
        return _media(kind, block)
    return ConversationPart("other", data=block)


def _gemini_part(part: Any) -> ConversationPart:
    """Return a part of Gemini, which has no `type` as the blocks of other APIs have."""
    if not isinstance(part, dict):
        return ConversationPart("other", data=part)
    call, response = _either(part, "functionCall"), _either(part, "functionResponse")
    if isinstance(call, dict):
        name, call_id = _word(call.get("name")), _word(call.get("id"))
        return ConversationPart("call", name=name, id=call_id, data=call.get("args", {}))
    if isinstance(response, dict):
        name, call_id = _word(response.get("name")), _word(response.get("id"))
        inside = (ConversationPart("other", data=response.get("response")),)
        return ConversationPart("result", name=name, id=call_id, inside=inside)
    if set(part) & _SIGNATURE and set(part) <= _SIGNATURE | {"text"} and not part.get("text"):
        return ConversationPart("thinking")  # only a signature: thought that the provider alone can read
    if isinstance(part.get("text"), str):
        return ConversationPart("thinking" if part.get("thought") is True else "text", part["text"])
    for held in (_either(part, "inlineData"), _either(part, "fileData")):
        if isinstance(held, dict):
            return _media("file", held)
    return ConversationPart("other", data=part)


def _either(value: JSON, name: str) -> Any:
    """Return a field of Gemini, in whichever of its two spellings it is there."""
    return value.get(name, value.get(snake_case(name)))


def _text_call(name: Any, call_id: Any, arguments: Any) -> ConversationPart:
    """Return a call whose arguments are JSON in a string; what does not parse stays the string it is."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            pass
    return ConversationPart("call", name=_word(name), id=_word(call_id), data=arguments)


def _result_of(block: JSON, call_id: Any, content: Any) -> ConversationPart:
    """Return the result of a call that a block holds."""
    is_error = block.get("is_error") is True
    return ConversationPart("result", id=_word(call_id), inside=read_blocks(content), is_error=is_error)


def _media(kind: str, block: JSON) -> ConversationPart:
    """Return the kind and type of a picture or file; its bytes are nothing to read."""
    source = block.get("source") if isinstance(block.get("source"), dict) else block
    found = [source.get(name) for name in ("media_type", "mimeType", "mime_type", "filename")]
    text = ", ".join([kind.removeprefix("input_"), *(one for one in found if isinstance(one, str))])
    return ConversationPart("media", text)


def _notes(value: JSON, *names: str) -> tuple[ConversationPart, ...]:
    """Return those of the fields that hold text, each with its name."""
    found = [name for name in names if isinstance(value.get(name), str)]
    return tuple(ConversationPart("note", f"{name}: {value[name]}") for name in found)


def _word(value: Any) -> str:
    """Return a field that should be text: empty if it is missing, as JSON if it is something else."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
