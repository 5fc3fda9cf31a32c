"""What everything that is shown is made of, and how it is drawn: the same words as plain text and as HTML.

A Page is a title and a few parts. Both drawings walk over the same parts, so neither can say more than the
other; HTML only adds what a fold holds. HTML uses inline styles (a notebook that is not trusted loses its
<style>), no ids (two outputs may show the same thing), and colours that are translucent or inherited, for
light and dark themes.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from .plain import Line, clean
from .tables import Bars, Link, Table, html_bars, html_link, html_table, text_bars, text_link, text_table

WIDTH = 100

_TONES = {
    "user": "#3b82f6",
    "assistant": "#a855f7",
    "tool": "#10a37f",
    "good": "#22a355",
    "warning": "#d97706",
    "error": "#ef4444",
    "quiet": "rgba(127,127,127,.6)",
}
_MONO = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.92em;"
_WRAP = "white-space:pre-wrap;overflow-wrap:anywhere;"
_CELL = "text-align:left;padding:2px 12px 2px 0;border:0;background:transparent;color:inherit;"
_NUMBER = _CELL + "text-align:right;"


@dataclass(frozen=True)
class Words:
    """A sentence of ours; quiet ones are remarks."""

    text: str
    quiet: bool = False


@dataclass(frozen=True)
class Lines:
    """Text or JSON that a learner, a tool or a model wrote."""

    lines: tuple[Line, ...]
    mono: bool = True


@dataclass(frozen=True)
class Box:
    """A titled part with parts in it; `tone` colours its edge, and its title says the same in words."""

    title: str
    parts: tuple[Part, ...] = ()
    tone: str = "quiet"
    closable: bool = False
    """True: a reader of the HTML can close it."""


@dataclass(frozen=True)
class Steps:
    """Boxes in an order that matters."""

    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Shares:
    """A table of parts of a whole, with bars."""

    head: tuple[str, str, str]
    rows: tuple[tuple[str, int], ...]
    total: str


@dataclass(frozen=True)
class Grid:
    """A table of code-like words: as text each row becomes a small list, since three columns would not
    fit."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    """Each with its name, and one cell per column."""


Part = Words | Lines | Box | Steps | Shares | Grid | Bars | Table | Link


@dataclass(frozen=True, repr=False)
class Page:
    """Something to look at: text where it is printed, HTML where a notebook shows it."""

    title: str
    parts: tuple[Part, ...]
    tone: str = ""

    def __repr__(self) -> str:
        lines = list(_wrap(self.title, 0))
        for part in self.parts:
            if not isinstance(part, Words | Link):
                lines.append("")
            lines += _text(part, 0)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        edge = f"border-left:4px solid {_TONES[self.tone]};padding-left:10px;" if self.tone else ""
        inside = "".join(_html(part) for part in self.parts)
        return (
            f'<figure style="margin:4px 0;max-width:60em;color:inherit;{edge}">'
            f'<figcaption style="font-weight:600;color:inherit">{_safe(self.title)}</figcaption>'
            f"{inside}</figure>"
        )


# ---- plain text ----


def _text(part: Part, indent: int) -> Iterator[str]:
    if isinstance(part, Words):
        yield from _wrap(part.text, indent)
    elif isinstance(part, Lines):
        for line in part.lines:
            for piece in clean(line.text).split("\n"):
                yield from _wrap(piece, indent + 2 * line.indent, 2 if part.mono else 0)
            if line.note:
                yield from _wrap(f"[{line.note}]", indent + 2 * line.indent)
    elif isinstance(part, Box):
        yield from _wrap(part.title, indent)
        for inner in part.parts:
            yield from _text(inner, indent + 2)
    elif isinstance(part, Steps):
        for number, box in enumerate(part.boxes):
            if number:
                yield ""
            yield from _text(box, indent)
    elif isinstance(part, Grid):
        yield from _text_grid(part, indent)
    elif isinstance(part, Bars):
        yield from text_bars(part, indent)
    elif isinstance(part, Table):
        yield from text_table(part, indent)
    elif isinstance(part, Link):
        yield from _wrap(text_link(part), indent)
    else:
        yield from _text_shares(part, indent)


def _text_grid(grid: Grid, indent: int) -> Iterator[str]:
    width = max(map(len, grid.head))
    for name, cells in grid.rows:
        yield from _wrap(name, indent)
        for column, cell in zip(grid.head, cells, strict=True):
            yield from _wrap(f"{column:<{width}}  {cell}", indent + 2, width + 2)


def _text_shares(table: Shares, indent: int) -> Iterator[str]:
    whole = sum(size for _, size in table.rows)
    rows = [(name, str(size), f"{_percent(size, whole)} %") for name, size in table.rows]
    widths = [max(len(row[column]) for row in [table.head, *rows]) for column in range(3)]
    lead = " " * indent
    yield lead + f"{table.head[0]:<{widths[0]}}  {table.head[1]:>{widths[1]}}  {table.head[2]:>{widths[2]}}"
    for (name, size, share), (_, number) in zip(rows, table.rows, strict=True):
        bar = "█" * round(30 * number / whole) if whole else ""
        yield lead + f"{name:<{widths[0]}}  {size:>{widths[1]}}  {share:>{widths[2]}}  {bar}"
    yield lead + f"{table.total:<{widths[0]}}  {whole:>{widths[1]}}"


def _wrap(text: str, indent: int, hang: int = 0) -> Iterator[str]:
    """Yield the lines of `text` within WIDTH columns; continued lines stand `hang` columns further in."""
    indent = min(indent, WIDTH // 2)
    for line in clean(text).split("\n"):
        wide = sum(map(_columns, line)) - len(line)
        # Asian characters and emoji take two columns: leave room for as many as the line has.
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


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


# ---- HTML ----


def _html(part: Part) -> str:
    if isinstance(part, Words):
        quiet = "opacity:.8;" if part.quiet else ""
        return f'<div style="margin:3px 0;white-space:pre-wrap;{quiet}">{_safe(part.text)}</div>'
    if isinstance(part, Lines):
        return _html_lines(part)
    if isinstance(part, Box):
        return _html_box(part)
    if isinstance(part, Steps):
        items = "".join(
            f'<li style="list-style:none;margin:0;padding:0">{_html_box(box)}</li>' for box in part.boxes
        )
        # role: some browsers take a list without markers for no list.
        return f'<ol role="list" style="margin:0;padding:0">{items}</ol>'
    if isinstance(part, Bars):
        return html_bars(part)
    if isinstance(part, Table):
        return html_table(part)
    if isinstance(part, Link):
        return html_link(part)
    return _html_grid(part) if isinstance(part, Grid) else _html_shares(part)


def _html_grid(grid: Grid) -> str:
    top = _CELL + "vertical-align:top;"
    head = "".join(f'<th scope="col" style="{top}">{_safe(name)}</th>' for name in ("", *grid.head))
    rows = "".join(
        '<tr style="background:transparent">'
        f'<th scope="row" style="{top}font-weight:normal">{_safe(name)}</th>'
        # A path may break after its points, not inside a word.
        + "".join(f'<td style="{top}{_MONO}">{_safe(cell).replace(".", ".<wbr>")}</td>' for cell in cells)
        + "</tr>"
        for name, cells in grid.rows
    )
    return (
        '<table style="border-collapse:collapse;margin:6px 0;color:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _html_box(box: Box) -> str:
    edge = (
        f"margin:6px 0;padding:1px 0 1px 10px;border-left:3px solid {_TONES.get(box.tone, _TONES['quiet'])}"
    )
    inside = "".join(map(_html, box.parts))
    title = f"<strong>{_safe(box.title)}</strong>"
    if box.closable:
        summary = f'<summary style="cursor:pointer">{title}</summary>'
        return f'<details open style="{edge}">{summary}{inside}</details>'
    return f'<div style="{edge}"><div>{title}</div>{inside}</div>'


def _html_lines(part: Lines) -> str:
    style = _WRAP + (_MONO if part.mono else "")
    pieces: list[str] = []
    plain_lines: list[str] = []
    for line in part.lines:
        if not line.note:
            plain_lines.append("  " * line.indent + line.text)
            continue
        pieces += _html_run(plain_lines, style)
        plain_lines = []
        lead = f"margin-left:{2 * line.indent}ch;" if line.indent else ""
        pieces.append(
            f'<details style="{style}{lead}"><summary style="cursor:pointer">{_safe(line.text)} '
            f'<span style="opacity:.8">[{_safe(line.note)}]</span></summary>{_safe(line.rest)}</details>'
        )
    return "".join([*pieces, *_html_run(plain_lines, style)])


def _html_run(lines: Iterable[str], style: str) -> list[str]:
    text = "\n".join(lines)
    return [f'<div style="{style}">{_safe(text)}</div>'] if text else []


def _html_shares(table: Shares) -> str:
    whole = sum(size for _, size in table.rows)
    head = "".join(f'<th scope="col" style="{_CELL}">{_safe(name)}</th>' for name in table.head)
    rows = "".join(_html_share(name, size, whole) for name, size in table.rows)
    total = f'<th scope="row" style="{_CELL}">{_safe(table.total)}</th><td style="{_NUMBER}">{whole}</td>'
    return (
        '<table style="border-collapse:collapse;margin:6px 0;color:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody><tfoot><tr>{total}</tr></tfoot></table>"
    )


def _html_share(name: str, size: int, whole: int) -> str:
    percent = _percent(size, whole)
    # The bar repeats the number beside it, so a screen reader skips it.
    bar = (
        f'<span aria-hidden="true" style="display:inline-block;height:.7em;width:{percent * 2}px;'
        'margin-left:10px;background:currentColor;opacity:.45"></span>'
    )
    return (
        '<tr style="background:transparent">'
        f'<th scope="row" style="{_CELL}font-weight:normal">{_safe(name)}</th>'
        f'<td style="{_NUMBER}">{size}</td><td style="{_CELL}white-space:nowrap">'
        f'<span style="display:inline-block;min-width:3.2em;text-align:right">{percent} %</span>'
        f"{bar}</td></tr>"
    )


def _percent(size: int, whole: int) -> int:
    return round(100 * size / whole) if whole else 0


def _safe(text: str) -> str:
    return escape(clean(text), quote=True)
