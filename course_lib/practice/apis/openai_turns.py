"""On the way to the neutral request: what the turns of both OpenAI APIs have in common."""

from __future__ import annotations

from collections.abc import Iterable

from ..request import Turn

MEDIA = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "file": "document",
    "input_file": "document",
}
"""Kinds of content that the practice model cannot look at."""


def merged(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The history; what one side says in a row is one turn."""
    found: list[Turn] = []
    for turn in turns:
        if found and found[-1].role == turn.role:
            last = found.pop()
            text = "\n\n".join(text for text in (last.text, turn.text) if text)
            turn = Turn(
                turn.role,
                text,
                last.calls + turn.calls,
                last.results + turn.results,
                last.media + turn.media,
            )
        found.append(turn)
    return tuple(found)
