"""Cut a message where it may ask for one more thing: at sentence ends, commas and "and".

The cuts are only possible ones. `brain` keeps a cut where the part after it asks for a tool of its own, or
names one more thing of the same kind ("Paris and Rome"); it joins the other parts again, with the text
between them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from .language import one_of
from .reading import Entity

_WORDS_BETWEEN = one_of(
    "and then", "and also", "and", "or", "then", "also", "as well as", "plus", "but",
    "y luego", "y también", "y además", "y", "e", "o", "además", "después", "luego", "también", "pero",
)  # fmt: skip
_CUT = re.compile(rf"[.!?…]+(?=\s|$)|[;\n]+|,(?=\s)|\s+-\s+|(?<!\w){_WORDS_BETWEEN}(?!\w)", re.IGNORECASE)
_ABBREVIATED = re.compile(r"\b(?:Dr|Dra|Mr|Mrs|Ms|Sr|Sra|Prof|St|vs|approx|Av)$")
_PAIR = re.compile(r"\b(?:between|entre)\b[^.;!?\n]{0,60}?\b(?:and|y)\b|\([^()]*\)", re.IGNORECASE)
MOST = 100  # cuts in a message that are tried


@dataclass(frozen=True)
class Part:
    """A stretch of the message, without white space at its ends."""

    text: str
    start: int
    end: int
    question: bool
    """Whether it ends with a question mark."""


def split(text: str, entities: list[Entity]) -> list[Part]:
    """The parts of a message, in order. No cut falls inside a fact ("1,000", quoted text) or "between A and
    B"."""
    closed = [(entity.start, entity.end) for entity in entities] + [
        match.span() for match in _PAIR.finditer(text)
    ]
    parts, start = [], 0
    for match in [*islice(_CUT.finditer(text), MOST), None]:
        if match and any(begin <= match.start() < end and match.end() <= end for begin, end in closed):
            continue
        if (
            match
            and match.group().startswith(".")
            and _ABBREVIATED.search(text[max(0, match.start() - 6) : match.start()])
        ):
            continue
        end = match.start() if match else len(text)
        if stretch := _part(text, start, end, bool(match and "?" in match.group())):
            parts.append(stretch)
        start = match.end() if match else end
    return parts


def join(text: str, first: Part, last: Part) -> Part:
    """One part from the start of one to the end of another."""
    return Part(text[first.start : last.end], first.start, last.end, first.question or last.question)


def _part(text: str, start: int, end: int, question: bool) -> Part | None:
    stretch = text[start:end]
    bare = stretch.strip(" \t\n,;:¿¡")
    if not re.search(r"\w", bare):
        return None
    begin = start + stretch.index(bare)
    return Part(bare, begin, begin + len(bare), question)
