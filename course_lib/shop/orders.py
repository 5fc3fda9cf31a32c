"""Orders: one by its number, or a list by customer, status and date."""

from __future__ import annotations

from typing import Any, Literal

from .database import reading
from .values import NotFound, day, one_of, optional_text, short

Status = Literal["placed", "paid", "shipped", "delivered", "cancelled"]

STATUSES = ("placed", "paid", "shipped", "delivered", "cancelled")
MOST_ORDERS = 20
"""A list longer than this costs tokens that nobody reads."""


def find_order(number: int) -> dict[str, Any]:
    """Get one order by its number: status, dates, total and what was ordered.

    Use it when the user gives an order number. Without a number, use list_orders.

    Args:
        number: The order number, four digits, such as 1042.

    Returns:
        Number, e-mail of the customer, status, the dates that are known (placed_on, shipped_on, expected_on,
        delivered_on), total_usd, refunded_usd if something was refunded, and the items with sku, product,
        quantity and price_usd of one piece.

    Raises:
        ValueError: number is not a whole number.
        NotFound: no order has this number.
    """
    wanted = order_number(number)
    with reading() as connection:
        order = connection.execute(
            """
            SELECT number, email, status, placed_on, shipped_on, expected_on, delivered_on,
                (SELECT sum(amount_cents) / 100.0 FROM refunds WHERE order_number = number) AS refunded_usd
            FROM orders JOIN customers ON customers.id = orders.customer_id
            WHERE number = ?
            """,
            (wanted,),
        ).fetchone()
        items = connection.execute(
            """
            SELECT sku, name AS product, quantity, order_lines.price_cents / 100.0 AS price_usd
            FROM order_lines JOIN products USING (sku)
            WHERE order_number = ? ORDER BY sku
            """,
            (wanted,),
        ).fetchall()
    if order is None:
        raise NotFound(f"There is no order {wanted}: check the number with the customer, or use list_orders.")
    items = [dict(item) for item in items]
    total = round(sum(item["quantity"] * item["price_usd"] for item in items), 2)
    known = {name: value for name, value in dict(order).items() if value is not None}
    refunded = {"refunded_usd": known.pop("refunded_usd")} if "refunded_usd" in known else {}
    return {**known, "total_usd": total, **refunded, "items": items}


def list_orders(
    email: str | None = None, status: Status | None = None, since: str | None = None
) -> dict[str, Any]:
    """List orders, newest first, at most 20. Every filter that is left out matches all orders.

    Use it when the user asks about orders without giving a number. For one order by number, use find_order.

    Args:
        email: Only orders of the customer with this e-mail address.
        status: Only orders with this status: placed, paid, shipped, delivered or cancelled.
        since: Only orders placed on this day or later, written YYYY-MM-DD.

    Returns:
        How many orders match, and the newest 20 of them with number, email, status, placed_on and total_usd.

    Raises:
        ValueError: status or since is not of the kind described.
        NotFound: no customer has this e-mail address.
    """
    filters = {
        "email": optional_text(email, "email").lower(),
        "status": optional_text(status, "status") and one_of(status, STATUSES, "status"),
        "since": optional_text(since, "since") and day(since, "since"),
    }
    with reading() as connection:
        known = connection.execute("SELECT 1 FROM customers WHERE :email IN ('', email)", filters).fetchone()
        rows = connection.execute(
            """
            SELECT number, email, status, placed_on, sum(quantity * price_cents) / 100.0 AS total_usd
            FROM orders
            JOIN customers ON customers.id = orders.customer_id
            JOIN order_lines ON order_lines.order_number = orders.number
            WHERE :email IN ('', email) AND :status IN ('', status) AND placed_on >= :since
            GROUP BY number ORDER BY placed_on DESC, number DESC
            """,
            filters,
        ).fetchall()
    if known is None:
        raise NotFound(
            f"No customer has the e-mail address {short(email)}: ask the customer which one they used."
        )
    return {"count": len(rows), "orders": [dict(row) for row in rows[:MOST_ORDERS]]}


def order_number(value: object) -> int:
    """Return the number; text such as "1042" or "#1042" is taken too, because people and models write it."""
    if isinstance(value, str):
        digits = value.strip().removeprefix("#")
        # Ten digits at most: SQLite refuses integers beyond 64 bits, and no order number is that long.
        if digits.isascii() and digits.isdigit() and len(digits) <= 10:
            return int(digits)
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**10:
        return value
    raise ValueError(f"number must be an order number such as 1042, not {short(value)}.")
