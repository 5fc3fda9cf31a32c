"""Dates and times of day in words: "yesterday", "el martes", "5 May", "at 5 pm", "dentro de 3 días"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from .text import any_case, fold, fold_in_place, one_of, phrases

# Times of day -------------------------------------------------------------------------------------


def numbered(groups: list[str], first: int) -> dict[str, int]:
    """Return each name of the groups with the number of its group: "january enero" -> 1."""
    return {name: number for number, names in enumerate(groups, first) for name in names.split()}


_CLOCK = any_case(
    r"(?<![\d:.])(?:([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?\s?(am|pm|a\.\s?m\.|p\.\s?m\.)?|(1[0-2]"
    r"|0?[1-9])\s?(am|pm|a\.\s?m\.|p\.\s?m\.))"
    r"(?![\w:])"
)
_HOURS = numbered(
    "una one|dos two|tres three|cuatro four|cinco five|seis six|siete seven|ocho eight|nueve nine|diez ten"
    "|once eleven|doce twelve".split("|"),
    1,
)
_hour = "|".join(_HOURS)
_MINUTES = {"half": 30, "media": 30, "quarter": 15, "cuarto": 15, "ten": 10, "diez": 10, "twenty": 20,
            "veinte": 20, "five": 5, "cinco": 5}  # fmt: skip
_minutes = "|".join(_MINUTES)
_SPOKEN = re.compile(  # on folded text
    rf"\b(?:a )?las? (?P<hora>\d{{1,2}}|{_hour})(?: (?:horas|en punto))?"
    rf"(?: (?P<con>y|menos) (?P<minutos>{_minutes}))?(?: de la (?P<parte>manana|tarde|noche))?\b(?!:)"
    rf"|\b(?P<minutes>{_minutes}) (?P<way>past|to) (?P<hour>\d{{1,2}}|{_hour})"
    r"(?: in the (?P<part>morning|afternoon|evening))?\b(?!:)"
    rf"|\bat (?P<at>\d{{1,2}}|{_hour})(?: o'clock)?"
    r"(?: in the (?P<day_part>morning|afternoon|evening))?"
    r"(?=\s+(?:on|today|tomorrow|tonight|for|with|in the)\b|[,.!?](?:\s|$)|\s*$)"
    r"|\b(?P<name>noon|midday|midnight|mediodia|medianoche)\b"
)


def find_times(text: str, today: date, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield the times of day in a text, as 24-hour "HH:MM"."""
    for match in _CLOCK.finditer(text):
        half = re.sub(r"[.\s]", "", match[3] or match[5] or "").lower()
        yield *match.span(), _clock(int(match[1] or match[4]), int(match[2] or 0), half)
    for match in _SPOKEN.finditer(fold_in_place(text)):
        said = match.groupdict()
        if said["name"]:
            yield *match.span(), "12:00" if said["name"] in ("noon", "midday", "mediodia") else "00:00"
            continue
        if said["hora"] and not match.group().startswith("a ") and not said["minutos"] and not said["parte"]:
            continue  # "las dos" may be any two things
        written = said["hora"] or said["hour"] or said["at"]
        hour = int(written) if written.isdigit() else _HOURS[written]
        if hour < 24:
            minutes = _MINUTES.get(said["minutos"] or said["minutes"] or "", 0)
            if said["con"] == "menos" or said["way"] == "to":
                hour, minutes = (hour - 1) % 24, 60 - minutes
            part = said["parte"] or said["part"] or said["day_part"]
            half = {None: "", "manana": "am", "morning": "am"}.get(part, "pm")
            yield *match.span(), _clock(hour, minutes, half)


def _clock(hour: int, minute: int, half: str) -> str:
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}"


# Dates --------------------------------------------------------------------------------------------

MONTH_NAMES = {
    "en": "January February March April May June July August September October November December".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
}
WEEKDAY_NAMES = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "es": "lunes martes miércoles jueves viernes sábado domingo".split(),
}
_SHORT_MONTHS = "jan ene|feb|mar|apr abr||jun|jul|aug ago|setiembre sep sept|oct|nov|dec dic".split("|")
MONTH = numbered([fold(" ".join(row)) for row in zip(*MONTH_NAMES.values(), _SHORT_MONTHS, strict=True)], 1)
WEEKDAY = numbered([fold(" ".join(row)) for row in zip(*WEEKDAY_NAMES.values(), strict=True)], 0)
_UNITS = {
    "day": "day days dia dias",
    "week": "week weeks semana semanas",
    "month": "month months mes meses",
    "year": "year years ano anos",
}
UNIT = {word: unit for unit, names in _UNITS.items() for word in names.split()}
_RELATIVE = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1,
    "yesterday": -1,
    "the day after tomorrow": 2, "the day before yesterday": -2, "last night": -1,
    "hoy": 0, "esta noche": 0, "esta tarde": 0, "esta manana": 0, "ayer": -1, "anoche": -1,
    "pasado manana": 2, "anteayer": -2,
}  # fmt: skip
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
"ten": 10,
          "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8,
          "diez": 10,
          "eight": 8, "nine": 9, "nueve": 9, "fourteen": 14, "quince": 15, "thirty": 30,
          "treinta": 30}  # fmt: skip

MOST = 200  # dates in a text that are looked at
_month, _weekday, _unit = one_of(*MONTH), one_of(*WEEKDAY), one_of(*UNIT)
FULL_MONTH = one_of(*(name for name in MONTH if len(name) > 3 or name == "may"))
_count = rf"(?:\d{{1,9}}|{'|'.join(_COUNT)})"
_nth = r"(\d{1,2})(?:st|nd|rd|th|º)?"
_until = phrases("until")
_near = phrases("near")
_which = phrases("which")
_year = r"(?:,?\s+(?:de\s+|del\s+)?(\d{4}))?"
_within = phrases("within")
_counted_in = (  # "a parcel of 2000 g" is of no year
    r"(?:gr?|gram(?:me)?s?|gramos?|kgs?|kilos?|k?m|[cm]m|lbs?|pounds|libras|euros?|eur|usd|gbp|dollars?"
    r"|dolares|units?|unidades|pieces|piezas|people|personas|items|words|palabras|points|puntos)"
)
_after = r"(?:\s+(pasado|proximo|que viene))?"
_PATTERNS: list[tuple[str, str]] = [
    ("iso", r"\b(\d{4})-(\d{1,2})-(\d{1,2})(?:\b|(?=T\d))"),
    ("slashes", r"(?<![\d/])(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b"),
    ("day_range", rf"\b{_nth}\s?{_until}\s?(?:the\s+|el\s+)?{_nth}\s+(?:of\s+|de\s+)?({_month})\b{_year}"),
    ("month_range", rf"\b({_month})\s+{_nth}\s?{_until}\s?{_nth}\b{_year}"),
    ("day_month", rf"\b{_nth}\s+(?:of\s+|de\s+)?({_month})\b{_year}"),
    ("month_day", rf"\b({_month})\s+{_nth}\b(?![:.]\d){_year}"),
    ("month_year", rf"\b({FULL_MONTH})\s+(?:of\s+|de\s+|del\s+)?(\d{{4}})\b"),
    ("relative", rf"\b({one_of(*sorted(_RELATIVE, key=len, reverse=True))}|manana)\b"),
    ("ago", rf"\b({_count})\s+({_unit})\s+(ago|before|from now|from today|later|earlier)\b"),
    ("in", rf"\b(hace|dentro de|en|in)\s+({_count})\s+({_unit})\b"),
    ("last_n", rf"\b(?:last|past|previous|ultim[oa]s)\s+({_count})\s+({_unit})\b"),
    ("weekend", rf"\b(?:({_near})\s+)?(?:weekend|fin de semana)\b{_after}"),
    ("weekday", rf"\b(?:({_near})\s+)?({_weekday})\b{_after}"), ("span", rf"\b({_which})\s+({_unit})\b"),
    ("span_after", rf"\b(?:la|el)\s+({_unit})\s+(pasad[oa]|que viene|proxim[oa]|anterior|siguiente)\b"),
    ("in_month", rf"\b{_within}\s+({FULL_MONTH})\b(?!\s+(?:i|we|you|be)\b)"),
    ("in_year", rf"\b{_within}\s+((?:19|20)\d{{2}})\b(?!\s*(?:[$€£%]|{_counted_in}\b))"),
    ("the_nth", r"\b(?:on the (\d{1,2})(?:st|nd|rd|th)|(?:el )?dia (\d{1,2}))\b"),
]  # fmt: skip
_COMPILED = [(kind, re.compile(pattern)) for kind, pattern in _PATTERNS]


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
    """Return the dates in a text (at most MOST), in order; relative ones count from `today`. What is no date
    ("31 February") is left out.

    The offsets are those of the text itself: `fold` keeps the length of English and Spanish letters.
    """
    folded = fold_in_place(text)
    found: list[Span] = []
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(folded):
            if len(found) >= MOST or any(
                match.start() < one.end and one.start < match.end() for one in found
            ):
                continue
            try:
                found += _RESOLVERS[kind](match, folded, today)
            except (ValueError, OverflowError):
                continue
    return sorted(found, key=lambda span: span.start)


_FOLLOWING = re.compile(
    rf"\b(?:the )?(?P<one>{_unit}) (?P<way>after|before|earlier|later)\b(?! (?:tomorrow|yesterday))"
    rf"|\b(?:the )?(?P<which>next|following|previous) (?P<next>day)\b"
    rf"|\b(?P<count>{_count}) (?P<many>{_unit}) "
    r"(?P<many_way>later|earlier|after|before|despues|antes|mas tarde)\b"
    rf"|\b(?:el|al) (?P<dia>dia) (?P<siguiente>siguiente|despues|anterior|antes)\b"
)


def shift_of(text: str) -> tuple[str, int] | None:
    """Return how far a text is from a day that it does not name, as a unit and its count: "the day after" ->
    ("day", 1)."""
    match = _FOLLOWING.search(fold(text))
    if match is None:
        return None
    found = match.groupdict()
    unit = UNIT[found["one"] or found["next"] or found["many"] or found["dia"]]
    way = found["way"] or found["which"] or found["many_way"] or found["siguiente"]
    count = _counted(found["count"]) if found["count"] else 1
    return unit, -count if way in ("before", "earlier", "previous", "antes", "anterior") else count


def _iso(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    yield _day(match, date(*map(int, match.groups())))


def _slashes(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    # Day first, as in Spanish and most English; month first where only that can be.
    day, month, year = map(int, match.groups())
    yield _day(match, date(year, month, day) if month <= 12 else date(year, day, month))


def _day_month(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    yield _day(match, date(int(match[3] or today.year), MONTH[match[2]], int(match[1])))


def _month_day(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    yield _day(match, date(int(match[3] or today.year), MONTH[match[1]], int(match[2])))


def _day_range(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    year, month = int(match[4] or today.year), MONTH[match[3]]
    first, last = date(year, month, int(match[1])), date(year, month, int(match[2]))
    yield Span(match.start(1), match.end(1), first, first, "day")
    yield Span(match.start(2), match.end(), last, last, "day")


def _month_range(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    year, month = int(match[4] or today.year), MONTH[match[1]]
    first, last = date(year, month, int(match[2])), date(year, month, int(match[3]))
    yield Span(match.start(), match.end(2), first, first, "day")
    yield Span(match.start(3), match.end(), last, last, "day")


def _whole_month(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    year = int(match[2]) if match.re.groups > 1 else today.year
    first = date(year, MONTH[match[1]], 1)
    yield Span(match.start(1), match.end(), first, shift(first, "month", 1) - timedelta(days=1), "month")


def _whole_year(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    yield Span(match.start(1), match.end(), date(int(match[1]), 1, 1), date(int(match[1]), 12, 31), "year")


def _relative(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    # "por la mañana" is a time of day
    if match[1] != "manana" or not re.search(
        r"\b(por|de|en) la\s*$", text[max(0, match.start() - 20) : match.start()]
    ):
        yield _day(match, today + timedelta(days=_RELATIVE.get(match[1], 1)))


def _ago(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    back = match[3] in ("ago", "before", "earlier")
    yield _day(match, shift(today, UNIT[match[2]], -_counted(match[1]) if back else _counted(match[1])))


def _in(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    count = _counted(match[2])
    yield _day(match, shift(today, UNIT[match[3]], -count if match[1] == "hace" else count))


def _last_n(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    unit = UNIT[match[2]]
    yield Span(*match.span(), shift(today, unit, -_counted(match[1])), today, unit)


def _weekend(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    saturday = today + timedelta(days=5 - today.weekday())
    if match[1] in ("last", "past") or match[2] == "pasado":
        saturday -= timedelta(days=7)
    elif match[1] in ("next", "proximo") or match[2]:
        saturday += timedelta(days=7 if match[1] == "next" else 0)
    yield Span(*match.span(), saturday, saturday + timedelta(days=1), "day")


def _weekday_date(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    before, name, after = match.groups()
    ahead = (WEEKDAY[name] - today.weekday()) % 7
    since = re.search(r"\b(?:since|desde)\s+(?:el\s+)?$", text[: match.start()])
    if before in ("last", "past", "pasado") or after == "pasado":
        ahead = ahead - 7
    elif since and ahead:
        ahead = ahead - 7  # "since Monday" is the one that was
    elif before in ("next", "proximo", "coming") or after:
        ahead = ahead or 7
    yield _day(match, today + timedelta(days=ahead))


def _span(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    unit, word = (UNIT[match[2]], match[1]) if match[2] in UNIT else (UNIT[match[1]], match[2])
    first, last = shift(today, unit, -1), today
    if re.search(r"this|current|est[ea]", word):
        first = _start_of(unit, today)
    elif re.search(r"next|proxim|que viene|siguiente", word):
        first, last = today, shift(today, unit, 1)
    yield Span(*match.span(), first, last, unit)


def _the_nth(match: re.Match[str], text: str, today: date) -> Iterator[Span]:
    yield _day(match, today.replace(day=int(match[1] or match[2])))


_RESOLVERS = {
    "iso": _iso, "slashes": _slashes, "day_range": _day_range, "month_range": _month_range,
    "day_month": _day_month, "month_day": _month_day, "month_year": _whole_month, "relative": _relative,
    "ago": _ago, "in": _in, "last_n": _last_n, "weekend": _weekend, "weekday": _weekday_date, "span": _span,
    "span_after": _span, "in_month": _whole_month, "in_year": _whole_year, "the_nth": _the_nth,
}  # fmt: skip


def _day(match: re.Match[str], day: date) -> Span:
    return Span(*match.span(), day, day, "day")


def _counted(word: str) -> int:
    return _COUNT[word] if word in _COUNT else int(word)


def _start_of(unit: str, today: date) -> date:
    return {
        "day": today,
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }[unit]


def shift(day: date, unit: str, count: int) -> date:
    """Return the day that is some units after another one; of a month that has no such day its last."""
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
