"""What the linter finds: a rule's finding, and a list of findings drawn as text and as HTML."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from ..messages import localized
from ..show.plain import clean

# What a rule yields: severity, code, place, and the values that its two sentences need ----------------


Found = tuple[str, str, str, dict[str, Any]]


def error(code: str, where: str, **values: Any) -> Found:
    """A provider refuses it, or it cannot work."""
    return "error", code, where, values


def warning(code: str, where: str, **values: Any) -> Found:
    """A model will use it badly."""
    return "warning", code, where, values


def hint(code: str, where: str, **values: Any) -> Found:
    """It could be better."""
    return "hint", code, where, values


# What the linter says: findings, and how a list of them is drawn as text and as HTML ------------------


SEVERITIES = ("error", "warning", "hint")
WIDTH = 100

# Translucent or inherited colours only, so that light and dark themes both work; the words say the same.
_EDGES = {"error": "#ef4444", "warning": "#d97706", "hint": "rgba(127,127,127,.6)"}
_CELL = (
    "text-align:left;vertical-align:top;padding:4px 12px 4px 0;border:0;background:transparent;color:inherit;"
)
_MONO = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.92em;"


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
    mend: str
    """What to write instead."""
    tool: str = ""
    """The name of the tool, or its place in the list if it has none."""

    def __str__(self) -> str:
        place = " ".join(filter(None, [self.tool, self.where]))
        return f"{localized(f'lint.severity.{self.severity}')} {place}: {self.why} {self.mend}"


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
        told = [
            localized(f"lint.count.{name}.{'one' if counts[name] == 1 else 'many'}", n=counts[name])
            for name in SEVERITIES
            if counts[name]
        ]
        return localized("lint.title", counts=", ".join(told))

    def __repr__(self) -> str:
        lines = [self._title()]
        for tool, found in groupby(self, key=lambda one: one.tool):
            lines += ["", clean(tool)]
            for one in found:
                lines += _text(one)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f'<figcaption style="font-weight:600;color:inherit">{_safe(self._title())}</figcaption>'
        figure = '<figure style="margin:4px 0;max-width:72em;color:inherit">'
        if not self:
            return f"{figure}{title}</figure>"
        names = ("severity", "where", "why", "mend")
        heads = [
            localized("lint.column.severity"),
            localized("lint.column.where"),
            localized("lint.column.why"),
        ]
        heads.append(localized("lint.column.mend"))
        head = "".join(
            f'<th scope="col" style="{_CELL}padding-left:8px">{_safe(text)}</th>'
            if name == "severity"
            else f'<th scope="col" style="{_CELL}">{_safe(text)}</th>'
            for name, text in zip(names, heads, strict=True)
        )
        bodies = "".join(
            _html_group(tool, list(found)) for tool, found in groupby(self, key=lambda one: one.tool)
        )
        table = '<table style="border-collapse:collapse;margin:6px 0;color:inherit">'
        return f"{figure}{title}{table}<thead><tr>{head}</tr></thead>{bodies}</table></figure>"


def _text(one: Finding) -> list[str]:
    head = f"  {localized(f'lint.severity.{one.severity}'):<12}{clean(one.where)}"
    lines = [f"{head}  [{one.code}]"]
    for mark, text in (("", one.why), ("→ ", one.mend)):
        lines += textwrap.wrap(
            clean(text),
            WIDTH,
            initial_indent=" " * 14 + mark,
            subsequent_indent=" " * (14 + len(mark)),
            break_on_hyphens=False,
        )
    return lines


def _html_group(tool: str, found: list[Finding]) -> str:
    title = (
        f'<tr style="background:transparent"><th scope="rowgroup" colspan="4" '
        f'style="{_CELL}{_MONO}padding-top:10px">{_safe(tool)}</th></tr>'
    )
    return f"<tbody>{title}{''.join(map(_html_row, found))}</tbody>"


def _html_row(one: Finding) -> str:
    edge = f"{_CELL}padding-left:8px;border-left:3px solid {_EDGES[one.severity]};white-space:nowrap;"
    code = f'<div style="{_MONO}opacity:.8;white-space:normal">{_breakable(one.code, "-")}</div>'
    return (
        '<tr style="background:transparent">'
        f'<td style="{edge}">{_safe(localized(f"lint.severity.{one.severity}"))}</td>'
        f'<td style="{_CELL}{_MONO}min-width:12em">{_breakable(one.where, ".")}{code}</td>'
        f'<td style="{_CELL}">{_safe(one.why)}</td><td style="{_CELL}">{_safe(one.mend)}</td></tr>'
    )


def _breakable(text: str, at: str) -> str:
    return _safe(text).replace(at, f"{at}<wbr>")


def _safe(text: str) -> str:
    return escape(clean(text), quote=True)
