"""The messages that the signed-in customer has sent to the shop."""

from __future__ import annotations

import datetime
from typing import Any, Literal

from .customers import signed_in
from .database import reading, today
from .values import fold, one_of, optional_text

Period = Literal["day", "week", "month", "year", "all"]

DAYS_BACK = {"day": 1, "week": 7, "month": 30, "year": 365, "all": None}
"""How many days a period has, with today as the last of them."""


def get_messages(period: Period, keyword: str = "") -> dict[str, Any]:
    """Get the messages that the active user has sent, newest first.

    Use it for any question about the user's own messages: how many there are in a period, what they are
    about, which ones mention something. It cannot see messages of other users.

    Args:
        period: How far to look back, counted in days that end with today: day is today only, week the last
            7 days, month the last 30 days, year the last 365 days, all has no limit.
        keyword: Keep only the messages that contain this text. Case and accents do not matter. Leave it out
            to get every message of the period.

    Returns:
        The number of messages, and for each the day it was sent and its text.

    Raises:
        ValueError: period is not one of the five words, or keyword is not text.
    """
    days = DAYS_BACK[one_of(period, DAYS_BACK, "period")]
    since = "" if days is None else str(today() - datetime.timedelta(days=days - 1))
    # instr() and not LIKE: in a pattern, a "%" or "_" of the user's own would match anything.
    query = """
        SELECT date(sent_at) AS sent_at, text FROM messages
        WHERE customer_id = ? AND sent_at >= ? AND instr(fold(text), ?) > 0
        ORDER BY messages.sent_at DESC, id DESC
    """
    with reading() as connection:
        rows = connection.execute(
            query, (signed_in(), since, fold(optional_text(keyword, "keyword")))
        ).fetchall()
    return {"count": len(rows), "messages": [dict(row) for row in rows]}
