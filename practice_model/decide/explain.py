"""Why the practice model decided as it did: the reasons in words, and the scores as a table."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import NamedTuple

from ..language.text import fold, stem
from ..request import Decision, Score

# The reasons of a choice in the reader's words: which word of the message counted, and where it met the
# definition.


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
    return any(stem(fold(one), language) == stem(fold(other), language) for language in ("en", "es"))


# The scores as a table ----------------------------------------------------------------------------


_NOTHING = "The practice model has not decided anything yet: send it a message first."


@dataclass(frozen=True)
class Explanation:
    """The scores of one decision; shows itself as a text table, and as HTML in a notebook."""

    decision: Decision | None

    def summary(self) -> str:
        """One sentence: what was done."""
        if self.decision is None:
            return _NOTHING
        calls = ", ".join(call.name for call in self.decision.calls)
        done = f"It called: {calls}." if calls else "It called no tool and answered in text."
        if self.decision.mistakes:
            done += f" Wrong on purpose: {'; '.join(self.decision.mistakes)}."
        return done if self.decision.scores else f"{done} No tool was scored for it."

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Clause, tool, score, whether chosen, and what counted; the best tool of each clause first."""
        if self.decision is None:
            return []
        clauses = list(dict.fromkeys(score.clause for score in self.decision.scores))
        ordered = sorted(self.decision.scores, key=lambda score: (clauses.index(score.clause), -score.score))
        return [
            (score.clause, score.tool, f"{score.score:.2f}", "yes" if score.chosen else "", _because(score))
            for score in ordered
        ]

    def __repr__(self) -> str:
        rows = self.rows()
        if not rows:
            return self.summary()
        table = [HEADINGS, *((_short(clause, 40), *rest) for clause, *rest in rows)]
        widths = [max(len(row[column]) for row in table) for column in range(4)]
        lines = []
        for row in table:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  ".join([*cells, row[4]]).rstrip())
        lines.insert(1, "  ".join("-" * width for width in [*widths, len(HEADINGS[4])]))
        return "\n".join([*lines, "", self.summary()])

    def _repr_html_(self) -> str:
        def cells(tag: str, row: tuple[str, ...]) -> str:
            # JupyterLab sets tables to the right, where words are hard to read.
            opened = f'<{tag} style="text-align:left">'
            return "<tr>" + "".join(f"{opened}{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

        summary = f"<p>{html.escape(self.summary())}</p>"
        rows = self.rows()
        if not rows:
            return summary
        body = "".join(cells("td", row) for row in rows)
        return f"<table><thead>{cells('th', HEADINGS)}</thead><tbody>{body}</tbody></table>{summary}"


HEADINGS = ("clause", "tool", "score", "chosen", "because of")


def _because(score: Score) -> str:
    """The reasons in a line; those that counted against are said to."""
    return ", ".join(f"against: {word[1:]}" if word.startswith("-") else word for word in score.because)


def _short(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
