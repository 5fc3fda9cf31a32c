"""A table of short cells, and a link to go on with; parts of a Page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from .plain import clean

__all__ = ["Link", "Table", "html_link", "html_table", "text_link", "text_table"]

_CELL = (
    "text-align:left;vertical-align:top;padding:2px 16px 2px 0;border:0;background:transparent;color:inherit;"
)


@dataclass(frozen=True)
class Table:
    """Rows of short texts under a head; the first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Link:
    """A sentence that leads somewhere; in plain text only a whole address is of use."""

    text: str
    address: str


def text_table(table: Table, indent: int) -> Iterator[str]:
    """The table as lines, each column as wide as its widest cell."""
    rows = [tuple(clean(cell) for cell in row) for row in (table.head, *table.rows)]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text + " " * (width - _width(text)) for text, width in zip(row, widths, strict=True))
        yield " " * indent + "  ".join(cells).rstrip()


def html_table(table: Table) -> str:
    """The table as HTML, with heads that a screen reader can tell."""
    head = "".join(f'<th scope="col" style="{_CELL}">{_safe(name)}</th>' for name in table.head)
    rows = "".join(
        '<tr style="background:transparent">'
        f'<th scope="row" style="{_CELL}font-weight:normal">{_safe(row[0])}</th>'
        + "".join(f'<td style="{_CELL}white-space:nowrap">{_safe(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    return (
        '<table style="border-collapse:collapse;margin:6px 0;color:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def text_link(link: Link) -> str:
    """The sentence, and its address if that is a whole one."""
    return f"{link.text}\n{link.address}" if link.address.startswith("https://") else link.text


def html_link(link: Link) -> str:
    """The sentence as a link."""
    return f'<div style="margin:3px 0"><a href="{_safe(link.address)}">{_safe(link.text)}</a></div>'


def _width(text: str) -> int:
    """How many columns a text takes; Asian characters and emoji take two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def _safe(text: str) -> str:
    return escape(clean(text), quote=True)
