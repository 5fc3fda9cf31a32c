"""JSON values -> lines to read: short ones on one line, long ones folded with how much was left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..say import say

__all__ = ["Line", "compact", "count", "fold_json", "fold_text"]

LONG_TEXT = 240
LONG_LIST = 12
LINE_WIDTH = 84
# A picture of a megabyte would make the notebook as large; nobody reads beyond this.
_MOST_UNFOLDED = 6_000


@dataclass(frozen=True)
class Line:
    """One line of text; `note` says what was left out after it, and `rest` is that."""

    indent: int
    text: str
    note: str = ""
    rest: str = ""


def compact(value: Any) -> str:
    """Return `value` as JSON on one line, with the characters of every language as they are."""
    return json.dumps(value, ensure_ascii=False)


def count(key: str, number: int) -> str:
    """Return the catalogue's words for a number of things, such as "1 message" or "3 messages"."""
    return say(f"{key}.{'one' if number == 1 else 'many'}", n=number)


def fold_text(text: str, most: int = 1_200, lines: int = 24) -> list[Line]:
    """Return a text as one Line, folded after `most` characters or `lines` lines."""
    head = "\n".join(text[:most].split("\n")[:lines])
    # A fold that hides a few characters costs the reader more than it saves.
    if len(text) <= len(head) + 80:
        return [Line(0, text)]
    return [
        Line(
            0, head + "…", count("show.more_characters", len(text) - len(head)), _unfolded(text[len(head) :])
        )
    ]


def fold_json(value: Any, indent: int = 0, lead: str = "", tail: str = "") -> Iterator[Line]:
    """Yield the lines of `value`, made by plain(); `lead` and `tail` stand around it ('"name": ' and ',')."""
    if isinstance(value, str) and len(value) > LONG_TEXT + 40:
        shown = compact(value[:LONG_TEXT])[:-1] + "…"
        note = count("show.more_characters", len(value) - LONG_TEXT)
        yield Line(indent, lead + shown + '"' + tail, note, _unfolded(value[LONG_TEXT:]))
        return
    if not isinstance(value, (dict, list)) or not value or _is_short(value, indent, lead):
        yield Line(indent, lead + compact(value) + tail)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield Line(indent, lead + opening)
    children = [("", item) for item in value]
    if isinstance(value, dict):
        children = [(compact(key) + ": ", item) for key, item in value.items()]
    shown = children if len(children) <= LONG_LIST + 2 else children[:LONG_LIST]
    for number, (name, item) in enumerate(shown, start=1):
        yield from fold_json(item, indent + 1, name, "," if number < len(children) else "")
    if len(children) > len(shown):
        hidden = children[len(shown) :]
        key = "show.more_fields" if isinstance(value, dict) else "show.more_items"
        rest = ",\n".join(name + compact(item) for name, item in hidden)
        yield Line(indent + 1, "…", count(key, len(hidden)), _unfolded(rest))
    yield Line(indent, closing + tail)


def _is_short(value: Any, indent: int, lead: str) -> bool:
    return len(value) <= LONG_LIST and 2 * indent + len(lead) + len(compact(value)) <= LINE_WIDTH


def _unfolded(text: str) -> str:
    if len(text) <= _MOST_UNFOLDED:
        return text
    return f"{text[:_MOST_UNFOLDED]}… {say('show.left_out', n=len(text) - _MOST_UNFOLDED)}"
