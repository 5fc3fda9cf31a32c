"""What everything that is shown is made of: a page of parts, drawn as plain text and as HTML.

Each part draws itself both ways from the same words, so that neither can say more than the other; HTML only
adds what a fold holds. HTML uses inline styles (a notebook that is not trusted loses its <style>), no ids
(two outputs may show the same thing), and colours that are translucent or inherited, for light and dark
themes. Other rooms that draw tables of their own use `aligned`, `html_table` and the like.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Protocol

from .plain import TextLine, clean

WIDTH = 100
"""Columns of a page in plain text."""
BAR_COLUMNS = 40
"""Columns of the bars on a line of time in plain text; each column stands for the same time."""
TONES = {
    "user": "#3b82f6",
    "assistant": "#a855f7",
    "tool": "#10a37f",
    "good": "#22a355",
    "warning": "#d97706",
    "error": "#ef4444",
    "quiet": "rgba(127,127,127,.6)",
}
MONO = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.92em;"
_WRAP = "white-space:pre-wrap;overflow-wrap:anywhere;"

# Text and tables, as lines and as HTML ----------------------------------------------------------------


def safe_html(text: str) -> str:
    """Return a text as HTML that shows it and does nothing else."""
    return escape(clean(text), quote=True)


def aligned(rows: Iterable[Iterable[str]], right: Collection[int] = (), indent: int = 0) -> Iterator[str]:
    """Yield the rows as lines, each column as wide as its widest cell; columns in `right` end flush."""
    rows = [tuple(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        gaps = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = (
            gap + cell if n in right else cell + gap
            for n, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        )
        yield " " * indent + "  ".join(cells).rstrip()


def wrapped(text: str, indent: int, hang: int = 0) -> Iterator[str]:
    """Yield the lines of `text` within WIDTH columns; continued lines stand `hang` columns further in."""
    indent = min(indent, WIDTH // 2)
    for line in clean(text).split("\n"):
        # Asian characters and emoji take two columns: leave room for as many as the line has.
        wide = _width(line) - len(line)
        width = WIDTH if wide == 0 else max(indent + 12, indent + (WIDTH - indent) // 2)
        yield from textwrap.wrap(
            line,
            width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            replace_whitespace=False,
            drop_whitespace=True,
            break_on_hyphens=False,
        ) or [""]


def _width(text: str) -> int:
    """Return how many columns a text takes; Asian characters and emoji take two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def html_table(head: str, *bodies: str, foot: str = "") -> str:
    """Return a table as HTML, from the cells of its head and the rows of its bodies and its foot."""
    return (
        '<table style="border-collapse:collapse;margin:6px 0;color:inherit">'
        f"<thead><tr>{head}</tr></thead>{''.join(f'<tbody>{body}</tbody>' for body in bodies)}"
        f"{foot and f'<tfoot>{foot}</tfoot>'}</table>"
    )


def html_head(names: Iterable[str], style: str) -> str:
    """Return the head cells of the columns."""
    return "".join(f'<th scope="col" style="{style}">{safe_html(name)}</th>' for name in names)


def html_row(name: str, cells: str, style: str) -> str:
    """Return a row: its name, as a head that a screen reader can tell, and its cells, which are HTML."""
    return (
        '<tr style="background:transparent">'
        f'<th scope="row" style="{style}font-weight:normal">{safe_html(name)}</th>{cells}</tr>'
    )


def html_figure(title: str, inside: str, style: str) -> str:
    """Return what is shown, under its title."""
    return (
        f'<figure style="margin:4px 0;{style}">'
        f'<figcaption style="font-weight:600;color:inherit">{safe_html(title)}</figcaption>{inside}</figure>'
    )


def cell_style(padding: str, align: str = "") -> str:
    """Return the style of a cell, which a notebook would set to the right and stripe."""
    return f"text-align:left;{align}padding:{padding};border:0;background:transparent;color:inherit;"


_CELL = cell_style("2px 12px 2px 0")
_TOP = "vertical-align:top;"


# The parts of a page ----------------------------------------------------------------------------------


class PagePart(Protocol):
    """Something that can stand on a page."""

    def as_lines(self, indent: int) -> Iterator[str]:
        """Yield its lines in plain text."""

    def as_html(self) -> str:
        """Return it as HTML."""


@dataclass(frozen=True)
class Words:
    """A sentence of ours; quiet ones are remarks."""

    text: str
    quiet: bool = False

    def as_lines(self, indent: int) -> Iterator[str]:
        return wrapped(self.text, indent)

    def as_html(self) -> str:
        quiet = "opacity:.8;" if self.quiet else ""
        return f'<div style="margin:3px 0;white-space:pre-wrap;{quiet}">{safe_html(self.text)}</div>'


@dataclass(frozen=True)
class PageLink:
    """A sentence that leads somewhere; in plain text only a whole address is of use."""

    text: str
    address: str

    def as_lines(self, indent: int) -> Iterator[str]:
        yield from wrapped(self.text, indent)
        if self.address.startswith("https://"):
            yield from wrapped(self.address, indent)

    def as_html(self) -> str:
        address, words = safe_html(self.address), safe_html(self.text)
        return f'<div style="margin:3px 0"><a href="{address}">{words}</a></div>'


@dataclass(frozen=True)
class Lines:
    """Text or JSON that a learner, a tool or a model wrote."""

    lines: tuple[TextLine, ...]
    mono: bool = True

    def as_lines(self, indent: int) -> Iterator[str]:
        for line in self.lines:
            for piece in clean(line.text).split("\n"):
                yield from wrapped(piece, indent + 2 * line.indent, 2 if self.mono else 0)
            if line.note:
                yield from wrapped(f"[{line.note}]", indent + 2 * line.indent)

    def as_html(self) -> str:
        style = _WRAP + (MONO if self.mono else "")
        pieces: list[str] = []
        run: list[str] = []
        for line in self.lines:
            if not line.note:
                run.append("  " * line.indent + line.text)
                continue
            pieces += _html_run(run, style)
            run = []
            lead = f"margin-left:{2 * line.indent}ch;" if line.indent else ""
            pieces.append(
                f'<details style="{style}{lead}"><summary style="cursor:pointer">{safe_html(line.text)} '
                f'<span style="opacity:.8">[{safe_html(line.note)}]</span></summary>'
                f"{safe_html(line.rest)}</details>"
            )
        return "".join([*pieces, *_html_run(run, style)])


def _html_run(lines: list[str], style: str) -> list[str]:
    """Return lines without a fold between them as one block, or nothing."""
    text = "\n".join(lines)
    return [f'<div style="{style}">{safe_html(text)}</div>'] if text else []


@dataclass(frozen=True)
class Box:
    """A titled part with parts in it; `tone` colours its edge, and its title says the same in words."""

    title: str
    parts: tuple[PagePart, ...] = ()
    tone: str = "quiet"
    closable: bool = False
    """True: a reader of the HTML can close it."""

    def as_lines(self, indent: int) -> Iterator[str]:
        yield from wrapped(self.title, indent)
        for part in self.parts:
            yield from part.as_lines(indent + 2)

    def as_html(self) -> str:
        colour = TONES.get(self.tone, TONES["quiet"])
        edge = f"margin:6px 0;padding:1px 0 1px 10px;border-left:3px solid {colour}"
        inside = "".join(part.as_html() for part in self.parts)
        title = f"<strong>{safe_html(self.title)}</strong>"
        if self.closable:
            summary = f'<summary style="cursor:pointer">{title}</summary>'
            return f'<details open style="{edge}">{summary}{inside}</details>'
        return f'<div style="{edge}"><div>{title}</div>{inside}</div>'


@dataclass(frozen=True)
class Steps:
    """Boxes in an order that matters."""

    boxes: tuple[Box, ...]

    def as_lines(self, indent: int) -> Iterator[str]:
        for number, box in enumerate(self.boxes):
            if number:
                yield ""
            yield from box.as_lines(indent)

    def as_html(self) -> str:
        items = "".join(
            f'<li style="list-style:none;margin:0;padding:0">{box.as_html()}</li>' for box in self.boxes
        )
        # role: some browsers take a list without markers for no list.
        return f'<ol role="list" style="margin:0;padding:0">{items}</ol>'


@dataclass(frozen=True)
class Table:
    """Rows of short texts under a head; the first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def as_lines(self, indent: int) -> Iterator[str]:
        return aligned([map(clean, row) for row in (self.head, *self.rows)], indent=indent)

    def as_html(self) -> str:
        style = cell_style("2px 16px 2px 0", _TOP)
        rows = (
            html_row(
                name,
                "".join(f'<td style="{style}white-space:nowrap">{safe_html(cell)}</td>' for cell in cells),
                style,
            )
            for name, *cells in self.rows
        )
        return html_table(html_head(self.head, style), "".join(rows))


@dataclass(frozen=True)
class Grid:
    """A table of code-like words; as text, where its columns would not fit, each row is a small list."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    """Each with its name, and one cell per column."""

    def as_lines(self, indent: int) -> Iterator[str]:
        width = max(map(len, self.head))
        for name, cells in self.rows:
            yield from wrapped(name, indent)
            for column, cell in zip(self.head, cells, strict=True):
                yield from wrapped(f"{column:<{width}}  {cell}", indent + 2, width + 2)

    def as_html(self) -> str:
        style = _CELL + _TOP
        rows = (html_row(name, "".join(map(self._html_cell, cells)), style) for name, cells in self.rows)
        return html_table(html_head(("", *self.head), style), "".join(rows))

    def _html_cell(self, cell: str) -> str:
        # A path may break after its points, not inside a word.
        return f'<td style="{_CELL}{_TOP}{MONO}">{safe_html(cell).replace(".", ".<wbr>")}</td>'


@dataclass(frozen=True)
class Shares:
    """A table of parts of a whole, with bars."""

    head: tuple[str, str, str]
    rows: tuple[tuple[str, int], ...]
    total: str

    def as_lines(self, indent: int) -> Iterator[str]:
        whole = self._whole
        rows = [
            (name, str(size), f"{self._percent(size)} %", "█" * round(30 * size / whole) if whole else "")
            for name, size in self.rows
        ]
        return aligned([(*self.head, ""), *rows, (self.total, str(whole), "", "")], {1, 2}, indent)

    def as_html(self) -> str:
        number = _CELL + "text-align:right;"
        rows = (
            html_row(name, f'<td style="{number}">{size}</td>{self._html_bar(size)}', _CELL)
            for name, size in self.rows
        )
        total = f'<th scope="row" style="{_CELL}">{safe_html(self.total)}</th>'
        foot = f'<tr>{total}<td style="{number}">{self._whole}</td></tr>'
        return html_table(html_head(self.head, _CELL), "".join(rows), foot=foot)

    def _html_bar(self, size: int) -> str:
        percent = self._percent(size)
        # The bar repeats the number beside it, so a screen reader skips it.
        return (
            f'<td style="{_CELL}white-space:nowrap">'
            f'<span style="display:inline-block;min-width:3.2em;text-align:right">{percent} %</span>'
            f'<span aria-hidden="true" style="display:inline-block;height:.7em;width:{percent * 2}px;'
            'margin-left:10px;background:currentColor;opacity:.45"></span></td>'
        )

    @property
    def _whole(self) -> int:
        return sum(size for _, size in self.rows)

    def _percent(self, size: int) -> int:
        return round(100 * size / self._whole) if self._whole else 0


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

    def as_lines(self, indent: int) -> Iterator[str]:
        rows = [(clean(row.name), clean(row.when), self._text_bar(row)) for row in self.rows]
        return aligned([(*self.head, ""), *rows], indent=indent)

    def _text_bar(self, row: Bar) -> str:
        if row.start is None:
            return clean(row.remark)
        first, last = (round(BAR_COLUMNS * self._share(at)) for at in (row.start, row.end))
        bar = " " * min(first, BAR_COLUMNS - 1) + ("█" * (last - first) or "▏")
        # The remark stands after the longest bar, so that all remarks stand below each other.
        return f"{bar:<{BAR_COLUMNS}}  {clean(row.remark)}"

    def as_html(self) -> str:
        nowrap = _CELL + "white-space:nowrap"
        rows = (
            html_row(
                row.name,
                f'<td style="{nowrap}">{safe_html(row.when)}</td>'
                f'<td style="{nowrap}">{self._html_bar(row)}</td>',
                _CELL,
            )
            for row in self.rows
        )
        head = html_head(self.head, _CELL) + f'<td style="{_CELL}"></td>'
        return html_table(head, "".join(rows))

    def _html_bar(self, row: Bar) -> str:
        remark = safe_html(row.remark)
        remark = f'<strong style="color:inherit">{remark}</strong>' if row.bad else remark
        if row.start is None:
            return remark
        left, right = (100 * self._share(at) for at in (row.start, row.end))
        colour = "#ef4444" if row.bad else "currentColor;opacity:.45"
        # The bar repeats the times beside it, so a screen reader skips it.
        return (
            '<span aria-hidden="true" style="display:inline-block;width:260px;margin-right:10px">'
            f'<span style="display:block;height:.7em;margin-left:{left:.1f}%;width:{right - left:.1f}%;'
            f'min-width:2px;background:{colour}"></span></span>{remark}'
        )

    def _share(self, at: float) -> float:
        return at / self.whole if self.whole else 0.0


@dataclass(frozen=True, repr=False)
class Page:
    """Something to look at: text where it is printed, HTML where a notebook shows it."""

    title: str
    parts: tuple[PagePart, ...]
    tone: str = ""

    def __repr__(self) -> str:
        lines = list(wrapped(self.title, 0))
        for part in self.parts:
            if not isinstance(part, Words | PageLink):
                lines.append("")
            lines += part.as_lines(0)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        edge = f"border-left:4px solid {TONES[self.tone]};padding-left:10px;" if self.tone else ""
        inside = "".join(part.as_html() for part in self.parts)
        return html_figure(self.title, inside, f"max-width:60em;color:inherit;{edge}")
