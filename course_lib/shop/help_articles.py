"""Full-text search in the shop's help articles, which are in English and Spanish."""

from __future__ import annotations

import re
from typing import Any

from .database import reading
from .values import fold, text

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
