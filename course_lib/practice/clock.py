"""Times of day in words: "at 5 pm", "noon", "17:30", "a las 5 y media"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .language import fold_in_place


def numbered(groups: list[str], first: int) -> dict[str, int]:
    """Each name of the groups with the number of its group: "january enero" -> 1."""
    return {name: number for number, names in enumerate(groups, first) for name in names.split()}


_CLOCK = re.compile(
    r"(?<![\d:.])(?:([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?\s?(am|pm|a\.\s?m\.|p\.\s?m\.)?|(1[0-2]"
    r"|0?[1-9])\s?(am|pm|a\.\s?m\.|p\.\s?m\.))"
    r"(?![\w:])",
    re.IGNORECASE,
)
_HOURS = numbered("una dos tres cuatro cinco seis siete ocho nueve diez once doce".split(), 1)
_SPOKEN = re.compile(
    rf"\ba las? (\d{{1,2}}|{'|'.join(_HOURS)})(?: (?:horas|en punto))?"
    r"(?: y (media|cuarto))?(?: de la (manana|tarde|noche))?\b(?!:)"
    r"|\bat (\d{1,2})(?: o'clock)?(?: in the (morning|afternoon|evening))?"
    r"(?=\s+(?:on|today|tomorrow|tonight|for|with|in the)\b|[,.!?](?:\s|$)|\s*$)"
    r"|\b(noon|midday|midnight|mediodia|medianoche)\b"
)


def find_times(text: str) -> Iterator[tuple[int, int, str]]:
    """The times of day in a text, as 24-hour "HH:MM"."""
    for match in _CLOCK.finditer(text):
        half = re.sub(r"[.\s]", "", match[3] or match[5] or "").lower()
        yield *match.span(), _clock(int(match[1] or match[4]), int(match[2] or 0), half)
    for match in _SPOKEN.finditer(fold_in_place(text)):
        if match[6]:
            yield *match.span(), "12:00" if match[6] in ("noon", "midday", "mediodia") else "00:00"
            continue
        written = match[1] or match[4]
        hour = int(written) if written.isdigit() else _HOURS[written]
        if hour < 24:
            half = {None: "", "manana": "am", "morning": "am"}.get(match[3] or match[5], "pm")
            yield *match.span(), _clock(hour, {None: 0, "media": 30, "cuarto": 15}[match[2]], half)


def _clock(hour: int, minute: int, half: str) -> str:
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}"
