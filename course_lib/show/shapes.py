"""Messages in the form of any of four APIs -> Message and Part, for drawing.

One reader per form, told apart by the keys that are there; no SDK is imported. What no reader knows becomes a
Part of kind "other" that holds the JSON as it is: to look at something must never fail.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from .plain import compact, plain

JSON = dict[str, Any]
_GEMINI_RESPONSE = ("candidates", "promptFeedback", "prompt_feedback")
_SIGNATURE = {"thoughtSignature", "thought_signature"}
_SCHEMA_KEYS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


@dataclass(frozen=True)
class Part:
    """One thing in a message."""

    kind: Literal["text", "thinking", "refusal", "call", "result", "media", "note", "other"]
    text: str = ""
    """The text; for media its kind and type; for a note, what it is about and its value."""
    name: str = ""
    """The tool's name, of a call (and of a result where the API repeats it)."""
    id: str = ""
    data: Any = None
    """Arguments of a call (a str where they are not valid JSON); the JSON of an unknown shape."""
    inside: tuple[Part, ...] = ()
    """What a result consists of."""
    is_error: bool = False


@dataclass(frozen=True)
class Message:
    """One message, or one item of a history that has no messages around its items."""

    role: str
    """As it is written in the data; "" where there is none."""
    parts: tuple[Part, ...]


def read_messages(messages: object) -> list[Message]:
    """Return the messages of a history: dicts or SDK objects, a single one, a request or a response."""
    value = plain(messages)
    items = value if isinstance(value, list) else [value]
    return [message for item in items for message in _read_item(item)]


def read_blocks(content: Any) -> tuple[Part, ...]:
    """Return the parts of a `content`: text, one block, or a list of blocks."""
    if content is None:
        return ()
    if isinstance(content, dict) and "content" in content and content.get("type") in ("message", None):
        # The learner put the whole response where its content belongs; show what they meant.
        content = content["content"]
    blocks = content if isinstance(content, list) else [content]
    return tuple(_read_block(block) for block in blocks)


def read_tools(tools: object) -> list[JSON]:
    """Return tool definitions of any API as {"name", "description", "parameters"}; others as they are."""
    value = plain(tools)
    found: list[JSON] = []
    for tool in value if isinstance(value, list) else [value]:
        if not isinstance(tool, dict):
            found.append({"name": str(tool)})
            continue
        declared = tool.get("functionDeclarations") or tool.get("function_declarations")
        inner = declared if isinstance(declared, list) else [tool.get("function", tool)]
        found += [_read_tool(one) for one in inner]
    return found


def _read_tool(tool: Any) -> JSON:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return {"name": str(tool.get("type", "?")) if isinstance(tool, dict) else "?", "definition": tool}
    schema = next((tool[key] for key in _SCHEMA_KEYS if key in tool), None)
    read: JSON = {"name": tool["name"]}
    if "description" in tool:
        read["description"] = tool["description"]
    if schema is not None:
        read["parameters"] = schema
    return read


def _read_item(item: Any) -> list[Message]:
    if isinstance(item, str):
        return [Message("user", (Part("text", item),))]
    if not isinstance(item, dict):
        return [Message("", (Part("other", data=item),))]
    for key in ("messages", "contents", "input", "output"):
        if isinstance(item.get(key), list) and "type" not in item:
            return read_messages(item[key])
    if isinstance(item.get("choices"), list):
        return [m for one in item["choices"] if isinstance(one, dict) for m in _read_item(one.get("message"))]
    if any(key in item for key in _GEMINI_RESPONSE):
        return _read_gemini_response(item)
    role = item.get("role")
    if isinstance(item.get("parts"), list):
        return [Message(_word(role), tuple(_read_gemini(part) for part in item["parts"]))]
    if role == "tool":
        return [Message("tool", (_result(item, item.get("tool_call_id"), item.get("content")),))]
    if role is not None or item.get("type") == "message" or "content" in item and "type" not in item:
        return [_read_message(item, _word(role))]
    kind = item.get("type")
    # Items of the Responses API stand in the history without a message around them, and so do blocks of a
    # learner who forgot the message.
    responses_item = kind in ("reasoning",) or str(kind).endswith(("_call", "_call_output"))
    return [Message(str(kind) if responses_item else "", (_read_block(item),))]


def _read_message(item: JSON, role: str) -> Message:
    parts = list(read_blocks(item.get("content")))
    if isinstance(item.get("refusal"), str):
        parts.append(Part("refusal", item["refusal"]))
    calls = item.get("tool_calls")
    parts += [_read_chat_call(call) for call in calls] if isinstance(calls, list) else []
    if isinstance(item.get("stop_reason"), str):
        parts.append(Part("note", f"stop_reason: {item['stop_reason']}"))
    return Message(role, tuple(parts))


def _read_block(block: Any) -> Part:
    if isinstance(block, str):
        return Part("text", block)
    if not isinstance(block, dict):
        return Part("other", data=block)
    kind = block.get("type")
    if not isinstance(kind, str):
        return _read_gemini(block)
    if kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
        return Part("text", block["text"])
    if kind == "refusal":
        return Part("refusal", _word(block.get("refusal")))
    if kind in ("thinking", "redacted_thinking"):
        return Part("thinking", _word(block.get("thinking")))
    if kind == "reasoning":
        return Part("thinking", _joined_text(block.get("summary")))
    if kind in ("tool_use", "server_tool_use"):
        return Part("call", name=_word(block.get("name")), id=_word(block.get("id")), data=block.get("input"))
    if kind in ("function_call", "custom_tool_call"):
        arguments = block.get("arguments", block.get("input"))
        return _call(block.get("name"), block.get("call_id"), arguments)
    if kind in ("function_call_output", "custom_tool_call_output"):
        return _result(block, block.get("call_id"), block.get("output"))
    if kind.endswith("tool_result"):
        return _result(block, block.get("tool_use_id"), block.get("content"))
    if kind.removeprefix("input_") in ("image", "image_url", "document", "audio", "file"):
        return _media(kind, block)
    return Part("other", data=block)


def _read_chat_call(call: Any) -> Part:
    inner = call.get("function", call.get("custom")) if isinstance(call, dict) else None
    if not isinstance(inner, dict):
        return Part("other", data=call)
    return _call(inner.get("name"), call.get("id"), inner.get("arguments", inner.get("input")))


def _read_gemini_response(response: JSON) -> list[Message]:
    """Return each candidate's content, and why it ended; or why there is none."""
    candidates = response.get("candidates")
    found = [one for one in candidates if isinstance(one, dict)] if isinstance(candidates, list) else []
    messages = []
    for one in found:
        content = one.get("content") if isinstance(one.get("content"), dict) else {}
        parts = content.get("parts") if isinstance(content.get("parts"), list) else []
        notes = _notes(one, "finishReason", "finish_reason")
        messages.append(Message(_word(content.get("role")) or "model", (*map(_read_gemini, parts), *notes)))
    feedback = response.get("promptFeedback", response.get("prompt_feedback"))
    if isinstance(feedback, dict) and (notes := _notes(feedback, "blockReason", "block_reason")):
        messages.append(Message("model", notes))
    return messages


def _notes(value: JSON, *keys: str) -> tuple[Part, ...]:
    return tuple(Part("note", f"{key}: {value[key]}") for key in keys if isinstance(value.get(key), str))


def _read_gemini(part: Any) -> Part:
    if not isinstance(part, dict):
        return Part("other", data=part)
    call = part.get("functionCall", part.get("function_call"))
    if isinstance(call, dict):
        return Part("call", name=_word(call.get("name")), id=_word(call.get("id")), data=call.get("args", {}))
    response = part.get("functionResponse", part.get("function_response"))
    if isinstance(response, dict):
        inside = (Part("other", data=response.get("response")),)
        return Part("result", name=_word(response.get("name")), id=_word(response.get("id")), inside=inside)
    if set(part) & _SIGNATURE and set(part) <= _SIGNATURE | {"text"} and not part.get("text"):
        return Part("thinking")  # nothing but a signature: thought that only the provider can read
    if isinstance(part.get("text"), str):
        return Part("thinking" if part.get("thought") is True else "text", part["text"])
    for key in ("inlineData", "inline_data", "fileData", "file_data"):
        if isinstance(part.get(key), dict):
            return _media("file", part[key])
    return Part("other", data=part)


def _call(name: Any, call_id: Any, arguments: Any) -> Part:
    """Read a call whose arguments are JSON in a string; what does not parse stays the string it is."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            pass
    return Part("call", name=_word(name), id=_word(call_id), data=arguments)


def _result(block: JSON, call_id: Any, content: Any) -> Part:
    return Part(
        "result", id=_word(call_id), inside=read_blocks(content), is_error=block.get("is_error") is True
    )


def _media(kind: str, block: JSON) -> Part:
    """Name the kind and type of a picture or file; its bytes are nothing to read."""
    source = block.get("source") if isinstance(block.get("source"), dict) else block
    found = [source.get(key) for key in ("media_type", "mimeType", "mime_type", "filename")]
    return Part(
        "media", ", ".join([kind.removeprefix("input_"), *(one for one in found if isinstance(one, str))])
    )


def _joined_text(blocks: Any) -> str:
    if not isinstance(blocks, list):
        return _word(blocks)
    return "\n".join(_word(block.get("text")) for block in blocks if isinstance(block, dict))


def _word(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact(value)
