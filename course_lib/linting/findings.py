"""What the linter finds: problems, as the rules report them, and findings, as the reader sees them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from ..messages import localized
from ..show.page import MONO, TONES, WIDTH, cell_style, html_figure, html_head, html_table, safe_html
from ..show.plain import clean

SEVERITIES = ("error", "warning", "hint")


class Problem(NamedTuple):
    """What a rule has found: the code of the rule, and the values that its two sentences need."""

    severity: str
    code: str
    where: str
    values: dict[str, Any]

    def __hash__(self) -> int:
        return hash(self[:3])  # two rules may find the same, and no dictionary has a hash


def error(code: str, where: str, **values: Any) -> Problem:
    """Return a problem for which a provider refuses the definition, or because of which it cannot work."""
    return Problem("error", code, where, values)


def warning(code: str, where: str, **values: Any) -> Problem:
    """Return a problem because of which a model will use the tool badly."""
    return Problem("warning", code, where, values)


def hint(code: str, where: str, **values: Any) -> Problem:
    """Return a problem without which the definition would be better."""
    return Problem("hint", code, where, values)


def counted(what: str, n: int) -> str:
    """Return a number of things in words: "1 error", "3 words"."""
    return localized(f"lint.count.{what}.{'one' if n == 1 else 'many'}", n=n)


_EDGES = {"error": TONES["error"], "warning": TONES["warning"], "hint": TONES["quiet"]}
_CELL = cell_style("4px 12px 4px 0", "vertical-align:top;")
_WIDE = "max-width:72em;color:inherit"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a tool definition, or could be better."""

    code: str
    """A short name of the rule, such as "date-without-format"."""
    severity: str
    """ "error": a provider refuses it, or it cannot work. "warning": a model will use it badly. "hint": could
    be better."""
    where: str
    """The place in the form that was given: `input_schema.properties.city`."""
    why: str
    fix: str
    """What to write instead."""
    tool: str = ""
    """The name of the tool, or its place in the list if it has none."""

    def __str__(self) -> str:
        place = " ".join(filter(None, [self.tool, self.where]))
        return f"{localized(f'lint.severity.{self.severity}')} {place}: {self.why} {self.fix}"


class Findings(list[Finding]):
    """A list of findings: a table where a notebook shows it, text where it is printed."""

    @property
    def errors(self) -> Findings:
        return self._only("error")

    @property
    def warnings(self) -> Findings:
        return self._only("warning")

    @property
    def hints(self) -> Findings:
        return self._only("hint")

    def _only(self, severity: str) -> Findings:
        return Findings(one for one in self if one.severity == severity)

    def _title(self) -> str:
        if not self:
            return localized("lint.nothing")
        counts = Counter(one.severity for one in self)
        each = (counted(name, counts[name]) for name in SEVERITIES if counts[name])
        return localized("lint.title", counts=", ".join(each))

    def __repr__(self) -> str:
        lines = [self._title()]
        for tool, found in groupby(self, key=lambda one: one.tool):
            lines += ["", clean(tool)]
            for one in found:
                lines += _text(one)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not self:
            return html_figure(self._title(), "", _WIDE)
        severity, *others = (localized(f"lint.column.{name}") for name in ("severity", "where", "why", "fix"))
        head = html_head([severity], f"{_CELL}padding-left:8px") + html_head(others, _CELL)
        groups = (_html_group(tool, found) for tool, found in groupby(self, key=lambda one: one.tool))
        return html_figure(self._title(), html_table(head, *groups), _WIDE)


def _text(one: Finding) -> list[str]:
    head = f"  {localized(f'lint.severity.{one.severity}'):<12}{clean(one.where)}"
    lines = [f"{head}  [{one.code}]"]
    for mark, text in (("", one.why), ("→ ", one.fix)):
        lines += textwrap.wrap(
            clean(text),
            WIDTH,
            initial_indent=" " * 14 + mark,
            subsequent_indent=" " * (14 + len(mark)),
            break_on_hyphens=False,
        )
    return lines


def _html_group(tool: str, found: Iterable[Finding]) -> str:
    title = (
        f'<tr style="background:transparent"><th scope="rowgroup" colspan="4" '
        f'style="{_CELL}{MONO}padding-top:10px">{safe_html(tool)}</th></tr>'
    )
    return title + "".join(map(_html_row, found))


def _html_row(one: Finding) -> str:
    edge = f"{_CELL}padding-left:8px;border-left:3px solid {_EDGES[one.severity]};white-space:nowrap;"
    code = f'<div style="{MONO}opacity:.8;white-space:normal">{_breakable(one.code, "-")}</div>'
    return (
        '<tr style="background:transparent">'
        f'<td style="{edge}">{safe_html(localized(f"lint.severity.{one.severity}"))}</td>'
        f'<td style="{_CELL}{MONO}min-width:12em">{_breakable(one.where, ".")}{code}</td>'
        f'<td style="{_CELL}">{safe_html(one.why)}</td><td style="{_CELL}">{safe_html(one.fix)}</td></tr>'
    )


def _breakable(text: str, at: str) -> str:
    return safe_html(text).replace(at, f"{at}<wbr>")
