"""Tables and bars, as text and as HTML."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from .plain import clean

# Bars on a common line of time, as text and as HTML; a part of a Page ---------------------------------


COLUMNS = 40
"""Of the bars in plain text; each stands for the same time."""
_BAR_CELL = "text-align:left;padding:2px 12px 2px 0;border:0;background:transparent;color:inherit;"


@dataclass(frozen=True)
class Bar:
    """A row: a name, when in words, and a remark; a bar where there are times."""

    name: str
    when: str
    remark: str = ""
    start: float | None = None
    end: float | None = None
    bad: bool = False


@dataclass(frozen=True)
class Bars:
    """Rows on one line of time that ends at `whole`."""

    head: tuple[str, str]
    rows: tuple[Bar, ...]
    whole: float


def text_bars(chart: Bars, indent: int) -> Iterator[str]:
    """The chart as lines: name, times, a bar of characters, remark."""
    cells = [chart.head, *((clean(row.name), clean(row.when)) for row in chart.rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(2)]
    lead = " " * indent
    yield lead + f"{_padded(chart.head[0], widths[0])}  {chart.head[1]}"
    for row, (name, when) in zip(chart.rows, cells[1:], strict=True):
        bar = ""
        if row.start is not None:
            first, last = (_share(at, chart) * COLUMNS for at in (row.start, row.end))
            length = round(last) - round(first)
            bar = " " * min(round(first), COLUMNS - 1) + ("█" * length or "▏")
        # The remark stands after the longest bar, so that all remarks stand below each other.
        right = f"{bar:<{COLUMNS}}  {clean(row.remark)}" if row.start is not None else clean(row.remark)
        yield lead + f"{_padded(name, widths[0])}  {_padded(when, widths[1])}  {right}".rstrip()


def html_bars(chart: Bars) -> str:
    """The chart as a table. A bar repeats the times beside it, so a screen reader skips it."""
    head = "".join(f'<th scope="col" style="{_BAR_CELL}">{_safe(name)}</th>' for name in chart.head)
    rows = "".join(_html_row(row, chart) for row in chart.rows)
    return (
        '<table style="border-collapse:collapse;margin:6px 0;color:inherit">'
        f'<thead><tr>{head}<td style="{_BAR_CELL}"></td></tr></thead><tbody>{rows}</tbody></table>'
    )


def _html_row(row: Bar, chart: Bars) -> str:
    bar = ""
    if row.start is not None:
        left, right = (100 * _share(at, chart) for at in (row.start, row.end))
        colour = "#ef4444" if row.bad else "currentColor;opacity:.45"
        bar = (
            '<span aria-hidden="true" style="display:inline-block;width:260px;margin-right:10px">'
            f'<span style="display:block;height:.7em;margin-left:{left:.1f}%;width:{right - left:.1f}%;'
            f'min-width:2px;background:{colour}"></span></span>'
        )
    remark = f'<strong style="color:inherit">{_safe(row.remark)}</strong>' if row.bad else _safe(row.remark)
    return (
        '<tr style="background:transparent">'
        f'<th scope="row" style="{_BAR_CELL}font-weight:normal">{_safe(row.name)}</th>'
        f'<td style="{_BAR_CELL}white-space:nowrap">{_safe(row.when)}</td>'
        f'<td style="{_BAR_CELL}white-space:nowrap">{bar}{remark}</td></tr>'
    )


def _share(at: float, chart: Bars) -> float:
    return at / chart.whole if chart.whole else 0.0


def _width(text: str) -> int:
    """How many columns a text takes; Asian characters and emoji take two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _safe(text: str) -> str:
    return escape(clean(text), quote=True)


# A table of short cells, and a link to go on with; parts of a Page ------------------------------------


_TABLE_CELL = (
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
    head = "".join(f'<th scope="col" style="{_TABLE_CELL}">{_safe(name)}</th>' for name in table.head)
    rows = "".join(
        '<tr style="background:transparent">'
        f'<th scope="row" style="{_TABLE_CELL}font-weight:normal">{_safe(row[0])}</th>'
        + "".join(f'<td style="{_TABLE_CELL}white-space:nowrap">{_safe(cell)}</td>' for cell in row[1:])
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
