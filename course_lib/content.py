"""What a tool returned, as text for a model: JSON or plain text, not Python's spelling, never too long."""

from __future__ import annotations

import json
import re
from typing import Any

from .plain_json import MOST_ITEMS, plain

MOST_CHARACTERS = 20_000
"""About 5,000 tokens. What is longer is cut: a model reads it again with every turn, and pays each time."""
NOTHING = "OK (no output)"
"""For None and for empty text: some services refuse an empty result."""

# Where JSON text must not be cut: inside "\n" or "\u00e9". A backslash after another one opens nothing.
_OPEN_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9A-Fa-f]{0,3})?\Z")

__all__ = ["MOST_CHARACTERS", "MOST_ITEMS", "NOTHING", "cut", "sendable", "to_text"]


def to_text(value: Any, most_characters: int = MOST_CHARACTERS) -> str:
    """What a tool returned, as the text of a tool result.

    Text stays as it is. None and empty text become "OK (no output)". All else becomes JSON: mappings, rows of
    a database, named tuples, dataclasses and Pydantic models by their names; sets, tuples and iterators as
    lists; dates and times in ISO 8601; Decimal, UUID and paths as text; bytes as text if they are UTF-8, else
    as base64; NaN and infinity as "NaN" and "Infinity" (JSON has no such numbers); pandas frames as their
    rows, as many as fit. An object that none of this fits is its own description. Letters with accents stay
    letters. Text of more than `most_characters` is cut, and says so.
    """
    value = plain(value, most_characters)
    if value is None:
        return NOTHING
    # A date, a Decimal, an enum: one text, which needs no quotes.
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    )
    return cut(sendable(text), most_characters) if text.strip() else NOTHING


def sendable(text: str) -> str:
    """The text with ? for half characters (lone surrogates), which no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, most: int) -> str:
    """A text of at most about `most` characters: its beginning, how much is missing, and its end."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 3 // 4], text[len(text) - most // 4 :]
    head = _OPEN_ESCAPE.sub(r"\1", head)
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} of {len(text):,} characters left out …]\n{tail}"
