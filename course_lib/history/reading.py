"""What a response says beside its calls, by provider: its text, why it ended, and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..providers import gemini as gemini_wire
from ..providers.wire import ENDED_EARLY, get

Said = tuple[str, str, tuple[Any, Any]]
"""Text, why it ended, and the tokens in and out."""

__all__ = ["READERS", "STOP_REASONS", "Reader"]

STOP_REASONS = ("tool_calls", "end", "max_tokens", "refusal", "pause", "other")


class Reader(NamedTuple):
    """How a provider's response is read."""

    fields: tuple[str, ...]
    """What tells a response of this provider: one of these it always has."""
    asked_by: str
    """The SDK's method that gives one."""
    read: Callable[[Any], Said]


_ANTHROPIC = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
}
_CHAT = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_RESPONSES = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}
_GEMINI = {"STOP": "end", "MAX_TOKENS": "max_tokens"} | dict.fromkeys(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"), "refusal"
)
_GEMINI |= dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "refusal")


def _anthropic(response: Any) -> Said:
    content = get(response, "content", [])
    if isinstance(content, str):
        text = content
    else:
        text = _joined((get(block, "text") if get(block, "type") == "text" else None) for block in content)
    usage = get(response, "usage", {})
    # What was read from a cache, or written into it, is counted apart here, and with the rest elsewhere.
    cached = [get(usage, f"cache_{kind}_input_tokens") for kind in ("creation", "read")]
    tokens_in = sum(map(_count, [get(usage, "input_tokens"), *cached]))
    reason = _ANTHROPIC.get(get(response, "stop_reason"), "other")
    return text, reason, (tokens_in, get(usage, "output_tokens"))


def _chat(response: Any) -> Said:
    choices = get(response, "choices")
    choice = choices[0] if choices else response
    message = get(choice, "message", choice)
    content, refusal = get(message, "content", ""), get(message, "refusal", "")
    if not isinstance(content, str):  # some servers answer in parts
        content = "".join(get(part, "text", "") for part in content)
    reason = _CHAT.get(get(choice, "finish_reason"), "other")
    said = content or refusal or get(message, "tool_calls")
    if said and get(choice, "finish_reason") is None and not get(choice, ENDED_EARLY, False):
        reason = "end"  # some servers do not say it
    usage = get(response, "usage", {})
    tokens = get(usage, "prompt_tokens"), get(usage, "completion_tokens")
    return content or refusal, "refusal" if refusal and reason == "end" else reason, tokens


def _responses(response: Any) -> Said:
    messages = []
    refused = False
    for item in get(response, "output", []):
        parts = get(item, "content", []) if get(item, "type") == "message" else []
        refused = refused or any(get(part, "type") == "refusal" for part in parts)
        text = "".join(get(part, "text") or get(part, "refusal", "") for part in parts)
        messages += [text, None]  # each message is a paragraph of its own
    status = get(response, "status")
    if status == "incomplete":
        reason = _RESPONSES.get(get(get(response, "incomplete_details", {}), "reason"), "other")
    else:
        reason = "refusal" if refused else "end" if status in ("completed", None) else "other"
    usage = get(response, "usage", {})
    return _joined(messages), reason, (get(usage, "input_tokens"), get(usage, "output_tokens"))


def _gemini(response: Any) -> Said:
    parts = [part for content in gemini_wire.write_turn(response) for part in content["parts"]]
    text = _joined(None if part.get("thought") else part.get("text") for part in parts)
    candidates = get(response, "candidates")
    ended = _camel(candidates[0] if candidates else {}, "finish_reason")
    reason = _GEMINI.get(getattr(ended, "value", ended), "other")
    if ended is None and _camel(_camel(response, "prompt_feedback") or {}, "block_reason"):
        reason = "refusal"
    usage = _camel(response, "usage_metadata") or {}
    counts = {name: _count(_camel(usage, f"{name}_token_count")) for name in _COUNTED}
    # Thinking is counted beside the answer here, and within it elsewhere.
    tokens_in, tokens_out = (sum(counts[name] for name in names) for names in (_COUNTED[:2], _COUNTED[2:]))
    return text, reason, (tokens_in, tokens_out)


_COUNTED = ("prompt", "tool_use_prompt", "candidates", "thoughts")


def _camel(value: Any, name: str) -> Any:
    """A field by its snake_case name, whichever of the two a dictionary has."""
    first, *rest = name.split("_")
    return get(value, name, get(value, first + "".join(word.capitalize() for word in rest)))


def _joined(texts: Iterable[str | None]) -> str:
    """Texts that follow each other as one; a None between two of them, for anything else, parts them."""
    paragraphs = [""]
    for text in texts:
        if text is None:
            paragraphs.append("")
        else:
            paragraphs[-1] += text
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


READERS = {
    "anthropic": Reader(("content",), "client.messages.create(...)", _anthropic),
    "openai": Reader(("choices", "message", "tool_calls"), "client.chat.completions.create(...)", _chat),
    "openai-responses": Reader(("output",), "client.responses.create(...)", _responses),
    "gemini": Reader(
        ("candidates", "parts", "promptFeedback", "prompt_feedback"),
        "client.models.generate_content(...)",
        _gemini,
    ),
}
