"""What both OpenAI APIs write alike: calls with arguments as JSON text, ids, times, token counts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from .. import tokens
from ..ids import make_id
from ..request import Decision, Request
from ..writing import CALL_OVERHEAD, write

FALLBACK_THOUGHT = "I read what is asked and see which of the tools fits it."
EPOCH = 1_767_225_600
"""The first second of 2026: answers are dated within the year after it, by what was asked."""
MEDIA_TOKENS = 1000

_DIGITS, _CHECK_DIGITS = 42, 8

__all__ = ["Answer", "Called", "arguments", "count_input", "created", "finish", "hex_id", "is_ours"]


@dataclass(frozen=True)
class Called:
    """One call as it goes over the wire."""

    id: str
    name: str
    arguments: str
    """JSON text; cut off where the token limit fell into it."""


@dataclass(frozen=True)
class Answer:
    """What the model says, within the limits of the request."""

    thinking: str
    text: str
    refusal: str
    calls: tuple[Called, ...]
    stop: str
    """As in `Written.stop`."""
    output_tokens: int
    thinking_tokens: int


def finish(decision: Decision, request: Request, seed: str) -> Answer:
    """Write a decision down. Where there are calls there is no text, as these models mostly do it."""
    if decision.calls:
        decision = replace(decision, text="")
    written = write(decision, request, FALLBACK_THOUGHT)
    calls = tuple(
        Called(
            make_id("call_", seed, n, call.name, length=24), call.name, call.raw or json_text(call.arguments)
        )
        for n, call in enumerate(written.calls)
    )
    return Answer(
        written.thinking,
        written.text,
        written.refusal,
        calls,
        written.stop,
        written.output_tokens,
        written.thinking_tokens,
    )


def hex_id(prefix: str, *parts: Any) -> str:
    """An id as the Responses API gives them; its last digits tell that it is one of ours."""
    text = "\x1f".join(str(part) for part in parts)
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return prefix + digits + _check(digits)


def is_ours(an_id: str) -> bool:
    """Whether an id was made by `hex_id`."""
    digits = an_id.rpartition("_")[2]
    return digits[_DIGITS:] == _check(digits[:_DIGITS])


def _check(digits: str) -> str:
    return hashlib.sha256(digits.encode("utf-8", "surrogatepass")).hexdigest()[:_CHECK_DIGITS]


def json_text(value: Any) -> str:
    """Compact JSON, letters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arguments(text: str) -> dict[str, Any]:
    """The arguments of an earlier call; none where the text is not a JSON object."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def created(seed: str) -> int:
    """The time of an answer: a function of the request, not of the clock."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    return EPOCH + int.from_bytes(digest[:4], "big") % (365 * 24 * 3600)


def count_input(request: Request) -> int:
    """An estimate of the tokens that the request has."""
    total = 3 + tokens.count(request.system)
    for turn in request.turns:
        total += 4 + tokens.count(turn.text) + MEDIA_TOKENS * len(turn.media)
        for call in turn.calls:
            total += CALL_OVERHEAD + tokens.count(call.name) + tokens.count_json(call.arguments)
        total += sum(CALL_OVERHEAD + tokens.count(result.content) for result in turn.results)
    for tool in request.tools:
        total += 8 + tokens.count_json([tool.name, tool.description, tool.schema])
    return total
