"""What support works with: tickets, the customer's messages, help articles; and the weather."""

from __future__ import annotations

import datetime
import re
from typing import Any, Literal, get_args

from .database import reading, today, writing
from .orders import signed_in
from .values import NotFound, all_of, fold, one_of, optional_text, short, text

# Tickets ----------------------------------------------------------------------------------------------

Category = Literal["delivery", "refund", "product", "invoice", "account", "other"]
Priority = Literal["low", "normal", "high"]

CATEGORIES = get_args(Category)
PRIORITIES = get_args(Priority)
LONGEST_SUMMARY = 500


def create_ticket(category: Category, priority: Priority, summary: str) -> dict[str, Any]:
    """Open a support ticket for the active customer. It writes to the database: call it once per problem.

    Args:
        category: What it is about: delivery, refund, product, invoice, account or other.
        priority: low, normal or high. Use high only when the customer cannot wait for the next working day.
        summary: The problem in one or two sentences, at most 500 characters.

    Returns:
        The number of the new ticket and its status.

    Raises:
        ValueError: an argument does not fit; the text names every one that does not.
    """
    values = all_of(
        lambda: one_of(category, CATEGORIES, "category"),
        lambda: one_of(priority, PRIORITIES, "priority"),
        lambda: _summary(summary),
    )
    with writing() as connection:
        cursor = connection.execute(
            """
            INSERT INTO tickets (customer_id, category, priority, summary, status, opened_on)
            VALUES (?, ?, ?, ?, 'open', ?)
            """,
            (signed_in(), *values, str(today())),
        )
        return {"number": cursor.lastrowid, "status": "open"}


def _summary(value: object) -> str:
    summary = text(value, "summary")
    if len(summary) > LONGEST_SUMMARY:
        raise ValueError(f"summary has {len(summary)} characters: write at most {LONGEST_SUMMARY}.")
    return summary


# Messages that the signed-in customer has sent to the shop --------------------------------------------

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


# Help articles, in English and Spanish ----------------------------------------------------------------

MOST_ARTICLES = 3
MOST_WORDS = 30

# Words that nearly every article contains; alone they would make any question find something.
FILLER = frozenset(
    """
    a about all am an and any are as at be been by can could did do does for from get had has have he
    her his how i if in into is it its just long many me much my of on or our please she should so some
    take takes than that the their them there they this to us was we were what when where which who why will
    with would you your
    al algo como con cual cuando cuanto cuantos de del desde donde e el ella en era es esta este esto
    estoy fue ha han hasta hay he la las le les lo los mas mi mis muy ni no nos o para pero por porque
    puede puedo que quien quiero se ser si sin sobre son soy su sus tan te tengo tiene tu un una uno
    unos usted y ya yo
    """.split()
)


def search_help(query: str) -> dict[str, Any]:
    """Search the shop's help articles: returns, refunds, shipping, invoices, payment, addresses and the like.

    Use it for questions about how the shop works, not for one particular order.

    Args:
        query: What to look for, in English or Spanish: a few words or a whole question.

    Returns:
        The number of articles found (three at most), and for each its title, language and text, best first.

    Raises:
        ValueError: query is not text, or contains no word.
    """
    words = re.findall(r"\w+", text(query, "query").replace("_", " "))[:MOST_WORDS]
    if not words:
        raise ValueError("query has no word in it: write what to look for, such as 'return a broken mug'.")
    words = [word for word in words if fold(word) not in FILLER]
    # Each word in quotes: AND, NOT, NEAR, * and : of the user's own are then words like any other.
    match = " OR ".join(f'"{word}"' for word in words)
    with reading() as connection:
        rows = match and connection.execute(
            """
            SELECT title, language, body AS text FROM help_articles
            WHERE help_articles MATCH ? ORDER BY bm25(help_articles, 4.0, 1.0), rowid LIMIT ?
            """,
            (match, MOST_ARTICLES),
        )
        articles = [dict(row) for row in rows]
    return {"count": len(articles), "articles": articles}


# The weather of some cities, as it was on the shop's one day ------------------------------------------


def get_weather(city: str) -> dict[str, Any]:
    """Get the current weather of a city.

    Args:
        city: Name of the city, in English or Spanish, such as Mexico City or Ciudad de México.

    Returns:
        city (its English name), country, temperature_c (degrees Celsius) and condition.

    Raises:
        ValueError: city is not text.
        NotFound: there is no weather for this city; the text names those that there are.
    """
    wanted = fold(text(city, "city"))
    query = """
        SELECT city, country, temperature_c, condition
        FROM weather JOIN city_names USING (city) WHERE fold(name) = ?
    """
    with reading() as connection:
        # "Paris, France" is what many models send.
        for name in (wanted, wanted.split(",")[0].strip()):
            if row := connection.execute(query, (name,)).fetchone():
                return dict(row)
        known = [name for (name,) in connection.execute("SELECT city FROM weather ORDER BY city")]
    raise NotFound(f"There is no weather for {short(city)}. The cities are {', '.join(known)}.")
