"""How many tokens a Messages request has, and what of it the model sees. An estimate, the same every time."""

from __future__ import annotations

from typing import Any

from .. import tokens
from ..writing import CALL_OVERHEAD
from . import anthropic_shapes as shapes

TOOLS_OVERHEAD = 480  # what the service itself says to the model about tools, as soon as there are any
MEDIA_TOKENS = 1500


def count_input(shape: shapes.CountRequest) -> int:
    """An estimate of the tokens that the request has."""
    total = 3 + tokens.count(text_of(shape.system or ""))
    for message in shape.messages:
        total += 4 + sum(_count_block(block) for block in message.blocks())
    visible = offered(shape)
    for tool in visible:
        total += 8 + tokens.count_json([tool.name, tool.description or "", tool.input_schema.model_dump()])
    return total + (TOOLS_OVERHEAD if visible else 0)


def _count_block(block: Any) -> int:
    if block.type == "text":
        return tokens.count(block.text)
    if block.type == "tool_use":
        return CALL_OVERHEAD + tokens.count(block.name) + tokens.count_json(block.input)
    if block.type == "tool_result":
        parts = block.content if isinstance(block.content, list) else []
        media = sum(MEDIA_TOKENS for part in parts if part.type in ("image", "document"))
        return CALL_OVERHEAD + media + tokens.count(text_of(block.content or ""))
    if block.type == "thinking":
        return tokens.count(block.thinking)
    return MEDIA_TOKENS if block.type in ("image", "document") else 10


def text_of(content: str | list[Any]) -> str:
    """The text of a string or of blocks; other blocks leave a short note."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text if block.type == "text" else f"[{block.type}]" for block in content)


def offered(shape: shapes.CountRequest) -> list[shapes.CustomTool]:
    """The tools that the model sees: one with defer_loading only once the history refers to it."""
    loaded = {tool.name for tool in shape.tools or [] if not getattr(tool, "defer_loading", False)}
    for message in shape.messages:
        for block in message.blocks():
            if block.type == "tool_result" and isinstance(block.content, list):
                loaded.update(part.tool_name for part in block.content if part.type == "tool_reference")
            elif block.type in ("tool_addition", "tool_removal"):
                reference = getattr(block, "tool", None)
                name = reference.get("name") if isinstance(reference, dict) else None
                (loaded.add if block.type == "tool_addition" else loaded.discard)(name)
    return [tool for tool in shape.tools or [] if isinstance(tool, shapes.CustomTool) and tool.name in loaded]
