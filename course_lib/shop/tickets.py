"""Support tickets."""

from __future__ import annotations

from typing import Any, Literal

from .customers import signed_in
from .database import today, writing
from .values import one_of, text

Category = Literal["delivery", "refund", "product", "invoice", "account", "other"]
Priority = Literal["low", "normal", "high"]

CATEGORIES = ("delivery", "refund", "product", "invoice", "account", "other")
PRIORITIES = ("low", "normal", "high")
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
    values, problems = [], []
    for check in (
        lambda: one_of(category, CATEGORIES, "category"),
        lambda: one_of(priority, PRIORITIES, "priority"),
        lambda: _summary(summary),
    ):
        try:
            values.append(check())
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueError(" ".join(problems))
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
