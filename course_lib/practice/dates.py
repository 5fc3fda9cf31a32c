"""Dates in words: "yesterday", "last week", "el martes", "5 May", "dentro de 3 días" -> a day or a span of days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from .language import fold

_MONTHS = [
    "january enero jan ene", "february febrero feb", "march marzo mar", "april abril apr abr", "may mayo", "june junio jun",
    "july julio jul", "august agosto aug ago", "september septiembre setiembre sep sept", "october octubre oct",
    "november noviembre nov", "december diciembre dec dic",
]  # fmt: skip
MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_DAYS = ["monday lunes", "tuesday martes", "wednesday miercoles", "thursday jueves", "friday viernes", "saturday sabado",
         "sunday domingo"]  # fmt: skip
WEEKDAY = {name: number for number, names in enumerate(_DAYS) for name in names.split()}
_UNITS = {"day": "day days dia dias", "week": "week weeks semana semanas", "month": "month months mes meses",
          "year": "year years ano anos"}  # fmt: skip
UNIT = {word: unit for unit, names in _UNITS.items() for word in names.split()}
_RELATIVE = {"today": 0, "tonight": 0, "hoy": 0, "esta noche": 0, "yesterday": -1, "ayer": -1, "tomorrow": 1,
             "the day after tomorrow": 2, "pasado manana": 2, "the day before yesterday": -2, "anteayer": -2}  # fmt: skip
_month, _weekday, _unit = "|".join(MONTH), "|".join(WEEKDAY), "|".join(UNIT)
_PATTERNS = [
    ("iso", r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b"),
    ("slashes", r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b"),
    ("day_month", rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?({_month})\b(?:,?\s+(?:de\s+|del\s+)?(\d{{4}}))?"),
    ("month_day", rf"\b({_month})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?"),
    ("relative", r"\b(" + "|".join(sorted(_RELATIVE, key=len, reverse=True)) + r"|manana)\b"),
    ("ago", rf"\b(\d+)\s+({_unit})\s+(ago|before|from now|later)\b|\b(hace|dentro de|en|in)\s+(\d+)\s+({_unit})\b"),
    ("last_n", rf"\b(?:last|past|previous|ultim[oa]s)\s+(\d+)\s+({_unit})\b"),
    ("weekday", rf"\b(last|next|this|on|el|este|proximo|pasado)?\s*\b({_weekday})\b(?:\s+(pasado|proximo|que viene))?"),
    ("span", rf"\b(last|past|this|next|current|previous|(?:en )?(?:la |el )?(?:ultim[oa]|pasad[oa]|proxim[oa]|est[ea]))\s+({_unit})\b"
             rf"|\b(?:la|el)\s+({_unit})\s+(pasad[oa]|que viene|proxim[oa])\b"),
]  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A day (first == last) or several days, and where the text says so."""

    start: int
    end: int
    first: date
    last: date
    unit: str
    """ "day", "week", "month" or "year": how the text counts."""


def find_dates(text: str, today: date) -> list[Span]:
    """All dates in a text, in order; relative ones count from `today`. What is no date ("31 February") is left out.

    The offsets are those of the text itself: `fold` keeps the length of English and Spanish letters.
    """
    folded, found = fold(text), []
    if len(folded) != len(
        text
    ):  # a letter that folds to two (ß): offsets would be off, so match the plain text
        folded = text.lower()
    for kind, pattern in _PATTERNS:
        for match in re.finditer(pattern, folded):
            if any(match.start() < span.end and span.start < match.end() for span in found):
                continue
            try:
                found += _resolve(kind, match, folded, today)
            except (ValueError, OverflowError):
                continue
    return sorted(found, key=lambda span: span.start)


def _resolve(kind: str, match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    first = last = None
    unit = "day"
    groups = match.groups()
    if kind == "iso":
        first = date(*map(int, groups))
    elif kind == "slashes":  # day first, as in Spanish and most English; month first where only that can be
        day, month, year = map(int, groups)
        first = date(year, month, day) if month <= 12 else date(year, day, month)
    elif kind in ("day_month", "month_day"):
        day, month = (groups[0], groups[1]) if kind == "day_month" else (groups[1], groups[0])
        first = date(int(groups[2] or today.year), MONTH[month], int(day))
    elif kind == "relative":
        if groups[0] == "manana" and re.search(r"\b(por|de|en) la\s*$", text[: match.start()]):
            return  # "por la mañana" is a time of day
        first = today + timedelta(days=_RELATIVE.get(groups[0], 1))
    elif kind == "ago":
        count, unit, way = (
            (groups[0], groups[1], groups[2]) if groups[0] else (groups[4], groups[5], groups[3])
        )
        back = way in ("ago", "before", "hace")
        first = _shift(today, UNIT[unit], -int(count) if back else int(count))
        unit = "day"
    elif kind == "last_n":
        unit = UNIT[groups[1]]
        first, last = _shift(today, unit, -int(groups[0])), today
    elif kind == "weekday":
        first = _weekday_date(groups, today)
    elif kind == "span":
        word = groups[0] or groups[3]
        unit = UNIT[groups[1] or groups[2]]
        forward = re.search(r"next|proxim|que viene", word)
        if re.search(r"this|current|est[ea]", word):
            first, last = _start_of(unit, today), today
        else:
            first, last = (today, _shift(today, unit, 1)) if forward else (_shift(today, unit, -1), today)
    if first is not None:
        yield Span(match.start(), match.end(), first, last or first, unit)


def _weekday_date(groups: tuple[str | None, ...], today: date) -> date:
    before, name, after = groups
    ahead = (WEEKDAY[name or ""] - today.weekday()) % 7
    if before in ("last", "pasado") or after == "pasado":
        return today - timedelta(days=(7 - ahead) or 7)
    if before in ("next", "proximo") or after in ("proximo", "que viene"):
        return today + timedelta(days=ahead or 7)
    return today + timedelta(days=ahead)


def _start_of(unit: str, today: date) -> date:
    return {
        "day": today,
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }[unit]


def _shift(day: date, unit: str, count: int) -> date:
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    for last in (day.day, 30, 29, 28):  # 31 May minus one month is 30 April
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    raise ValueError(f"no such day: {day} shifted by {count} {unit}")
