"""show.timeline(): when each call of a turn started and ended."""

from __future__ import annotations

import itertools
import math
from typing import Any

from ..say import say
from .bars import Bar, Bars
from .json_text import count
from .page import Page, Words
from .plain import guarded, is_a, safe_text

__all__ = ["timeline"]

MOST = 100
STEP = 50


def timeline(results: Any, step: int = STEP) -> Page:
    """Return the results of a turn as bars, from `started` and `ended`, to look at.

    Times are rounded to `step` milliseconds, so that the same cell shows the same again: no two runs take
    exactly as long. Raises ValueError if `step` is not a positive whole number.
    """
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise ValueError(say("show.timeline.bad_step"))
    found = _listed(results)
    shown = [_read(one, step) for one in found[:MOST]]
    if not shown:
        return Page(say("show.timeline.title_empty"), (Words(say("show.timeline.nothing")),))
    ends = [one["end"] for one in shown if one["end"] is not None]
    whole = max(ends, default=0)
    rows = tuple(_row(number, one) for number, one in enumerate(shown, 1))
    parts: list[Any] = [Bars((say("show.timeline.call"), say("show.timeline.when")), rows, whole)]
    if len(found) > MOST:
        parts.append(Words(say("show.timeline.first_only", n=MOST), quiet=True))
    if ends:
        parts.append(Words(say("show.timeline.rounded", step=step), quiet=True))
    calls = count("show.calls", len(shown))
    title = say("show.timeline.title", calls=calls, whole=whole) if ends else calls
    return Page(title, tuple(parts))


def _listed(results: Any) -> list[Any]:
    """What there is to draw; one result alone is a list of one."""
    if results is None or is_a(results, (str, bytes)):
        return []
    if is_a(results, dict) or _field(results, "tool_call_id") is not None:
        return [results]
    # One more than is drawn: it tells that there are more, and an iterator may never end.
    return guarded(lambda: list(itertools.islice(iter(results), MOST + 1)), lambda: [])


def _read(result: Any, step: int) -> dict[str, Any]:
    start, end = (_milliseconds(_field(result, name), step) for name in ("started", "ended"))
    if start is None or end is None or end < start:
        start = end = None
    failed = _field(result, "is_error") is True
    name = _field(result, "name")
    return {
        "name": safe_text("?" if name is None else name, 24),
        "start": start,
        "end": end,
        "failed": failed,
    }


def _row(number: int, one: dict[str, Any]) -> Bar:
    name = f"{number} {one['name']}".replace("\n", " ")
    error = say("show.timeline.error") if one["failed"] else ""
    if one["start"] is None:
        when = say("show.timeline.not_run") if one["failed"] else say("show.timeline.no_times")
        return Bar(name, when, error, bad=one["failed"])
    when = say("show.timeline.from_to", start=one["start"], end=one["end"])
    return Bar(name, when, error, one["start"], one["end"], one["failed"])


def _field(value: Any, name: str) -> Any:
    """A field of a result, or of a dictionary with its fields."""
    if is_a(value, dict):
        return guarded(lambda: dict.get(value, name), lambda: None)
    return guarded(lambda: getattr(value, name, None), lambda: None)


def _milliseconds(seconds: Any, step: int) -> int | None:
    if not is_a(seconds, (int, float)) or is_a(seconds, bool):
        return None
    number = guarded(lambda: float(seconds), lambda: math.nan)
    if not 0 <= number < 1e7:
        return None
    return step * round(1000 * number / step)
