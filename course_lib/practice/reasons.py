"""The reasons of a choice in the reader's words: which word of the message counted, and where it met the
definition."""

from __future__ import annotations

from typing import NamedTuple

from .language import fold, stem

Met = dict[str, dict[str, float]]
"""Feature -> the words of a definition that stand for it, with how much each of them weighs there."""

_KINDS = {
    "email": "an e-mail address",
    "url": "a link",
    "phone": "a phone number",
    "path": "a path",
    "expression": "an expression",
    "currency": "a currency",
    "place": "a place",
    "identifier": "a number or code",
    "numeral": "a number",
    "number": "a number",
    "language": "a language",
    "colour": "a colour",
    "date": "a date",
}


class Point(NamedTuple):
    """What one word or fact of a message is worth for one tool."""

    value: float
    why: str
    """As the reader sees it."""
    feature: str = ""
    """The concept or stem by which a word counted."""


def kind_in_words(kind: str) -> str:
    """A kind of fact as the reader says it: "a place"."""
    return _KINDS.get(kind, f"a {kind}")


def meeting(written: str, feature: str, met: Met) -> str:
    """The word of a message that counted, and the word of the definition that it met, if that is another
    one: "order", "arrive ~ delivery"."""
    there = met.get(feature)
    if not there:
        return written
    best = max(there, key=lambda word: (there[word], _alike(word, written)))
    return written if _alike(best, written) else f"{written} ~ {best}"


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: "orders" and "order"."""
    return any(stem(fold(one), tongue) == stem(fold(other), tongue) for tongue in ("en", "es"))
