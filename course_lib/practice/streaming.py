"""What every API needs to send an answer as an event stream: events as bytes, and text in pieces.

A real service cuts text and tool input wherever its tokens end: in a number, a word, or an escaped letter. So
do we, so that a program that parses each piece by itself is found out here and not in production.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

SHORTEST, LONGEST = 1, 9
"""Characters in a piece of tool input."""


def event(data: Any, name: str = "") -> bytes:
    """One server-sent event: a name where the API has one, and data as JSON (or the text "[DONE]")."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"{f'event: {name}' + chr(10) if name else ''}data: {text}\n\n".encode("utf-8", "replace")


def text_pieces(text: str) -> Iterator[str]:
    """A text in pieces of a few words, blanks kept; joined they are the text again."""
    words = text.split(" ")
    piece = ""
    for place, word in enumerate(words):
        piece += word if place == 0 else f" {word}"
        if len(piece) >= 12:
            yield piece
            piece = ""
    if piece:
        yield piece


def json_pieces(value: Any, seed: str = "") -> Iterator[str]:
    """A value as JSON text in short pieces, at least two; letters beyond ASCII are escaped and may be cut."""
    yield from cut(json.dumps(value, ensure_ascii=True), seed)


def cut(text: str, seed: str) -> Iterator[str]:
    """A text in pieces that end anywhere, also inside a number or an escape.

    Where the cuts fall depends on the text and `seed` alone, so the same request streams alike each time.
    """
    digest = hashlib.sha256(f"{seed}\x1f{text}".encode("utf-8", "surrogatepass")).digest()
    start = turn = 0
    while start < len(text):
        size = SHORTEST + digest[turn % len(digest)] % (LONGEST - SHORTEST + 1)
        size = min(size, max(1, len(text) // 2)) if start == 0 else size
        yield text[start : start + size]
        start, turn = start + size, turn + 1
