"""From what the model wrote to a Gemini response, in one piece or in chunks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

from ..ids import make_id
from ..streaming import text_pieces
from ..writing import Written
from . import gemini_models as models
from .gemini_counting import count_input
from .gemini_output import from_the_brain
from .gemini_shapes import GenerateContentRequest
from .gemini_turns import thinks

FALLBACK_THOUGHT = "I read what is asked and see which of the functions fits it."
FINISH_REASONS = {"limit": "MAX_TOKENS", "refusal": "SAFETY", "malformed": "MALFORMED_FUNCTION_CALL"}
"""Every other way to end is STOP: a call is not told apart from a text here."""

__all__ = ["FALLBACK_THOUGHT", "chunks", "response"]


def response(written: Written, shape: GenerateContentRequest, seed: str) -> dict[str, Any]:
    """A GenerateContentResponse."""
    body: dict[str, Any] = {}
    if written.stop == "filtered":
        body["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
    else:
        body["candidates"] = [_candidate(written, shape, seed)]
    body["usageMetadata"] = _usage(written, shape)
    body["modelVersion"] = shape.model
    body["responseId"] = make_id("", "response", seed)
    return body


def _candidate(written: Written, shape: GenerateContentRequest, seed: str) -> dict[str, Any]:
    # Calls come whole or not at all: one that is cut off is not shown, and one that is no JSON is an error.
    unreadable = written.stop != "limit" and any(call.raw for call in written.calls)
    stop = "malformed" if unreadable else written.stop
    parts = [] if unreadable else _parts(written, shape, seed)
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"} if parts else {"role": "model"}}
    candidate["finishReason"] = FINISH_REASONS.get(stop, "STOP")
    if models.thinks(shape.model):  # what older models lack
        candidate["index"] = 0
        if stop == "calls":
            candidate["finishMessage"] = "Model generated function call(s)."
        elif stop == "malformed":
            candidate["finishMessage"] = "Malformed function call."
    return candidate


def _parts(written: Written, shape: GenerateContentRequest, seed: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    thinking = shape.config.thinking_config
    if written.thinking and thinking and thinking.include_thoughts:
        parts.append({"text": written.thinking, "thought": True})
    if written.text:
        parts.append({"text": from_the_brain(written.text, shape.config)})
    calls = [call for call in written.calls if not call.raw]
    for n, call in enumerate(calls):
        inner: dict[str, Any] = {"name": call.name, "args": call.arguments}
        if models.gives_call_ids(shape.model):
            inner["id"] = make_id("", "call", seed, n, call.name, length=8).lower()
        parts.append({"functionCall": inner})
    if _signs(shape):
        signed = next((part for part in parts if "functionCall" in part), parts[-1] if parts else {})
        if not signed.get("thought"):
            signed["thoughtSignature"] = _signature(seed, written)
    return parts


def _signs(shape: GenerateContentRequest) -> bool:
    """Whether the answer carries a thought signature: on one part, the first call or else the last text."""
    return models.requires_signatures(shape.model) or (thinks(shape) and bool(shape.declarations))


def _signature(seed: str, written: Written) -> str:
    """An opaque text that belongs to an answer, as the real signature does."""
    digest = hashlib.sha512(f"{seed}\x1f{written.thinking}".encode("utf-8", "surrogatepass")).digest()
    return base64.b64encode(digest).decode("ascii")


def _usage(written: Written, shape: GenerateContentRequest) -> dict[str, Any]:
    counts = count_input(shape)
    prompt = sum(counts.values())
    usage = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": written.output_tokens - written.thinking_tokens,
        "totalTokenCount": prompt + written.output_tokens,
        "promptTokensDetails": [{"modality": kind, "tokenCount": count} for kind, count in counts.items()],
    }
    if written.thinking_tokens:
        usage["thoughtsTokenCount"] = written.thinking_tokens
    return usage


# In chunks ----------------------------------------------------------------------------------------


def chunks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A finished response in chunks: text in pieces, each call whole.

    Why it ended, and the usage, are in the last. Each chunk is a response of its own, with the same id.
    """
    if not body.get("candidates"):
        yield body
        return
    whole = body["candidates"][0]
    pieces = [piece for part in whole["content"].get("parts", []) for piece in _pieces(part)]
    prompt = body["usageMetadata"]["promptTokenCount"]
    details = body["usageMetadata"]["promptTokensDetails"]
    begun = {"promptTokenCount": prompt, "totalTokenCount": prompt, "promptTokensDetails": details}
    for piece in pieces[:-1]:
        candidate: dict[str, Any] = {"content": {"parts": [piece], "role": "model"}}
        if "index" in whole:
            candidate["index"] = whole["index"]
        yield {**body, "candidates": [candidate], "usageMetadata": begun}
    yield {**body, "candidates": [{**whole, "content": {**whole["content"], **_last(pieces)}}]}


def _last(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    return {"parts": pieces[-1:]} if pieces else {}


def _pieces(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part as several parts: its text in pieces, its signature on the last of them."""
    if not part.get("text"):
        yield part
        return
    signature = {name: value for name, value in part.items() if name == "thoughtSignature"}
    others = {name: value for name, value in part.items() if name not in ("text", "thoughtSignature")}
    texts = list(text_pieces(part["text"]))
    for n, text in enumerate(texts):
        yield {"text": text, **others, **(signature if n == len(texts) - 1 else {})}
