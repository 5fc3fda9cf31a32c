"""Who is signed in, the shop's stock and orders, what shipping and VAT cost, and refunds."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Literal, get_args

from .database import changing, now, reading, today
from .values import (
    NeedsApproval,
    NotAllowed,
    NotFound,
    all_of,
    day,
    money,
    number,
    one_of,
    optional_text,
    short,
    text,
)

_signed_in = 1  # Alex Rivera
"""The customer for whom the shop's functions act. The program says who that is, never the model."""


def signed_in() -> int:
    """Return the id of the signed-in customer: alex@example.com, unless `signed_in_as` says otherwise."""
    return _signed_in


@contextmanager
def signed_in_as(email: str) -> Iterator[None]:
    """Sign another customer in for the length of a `with` block, in every thread: the session is one.

    Raises NotFound if no customer has this e-mail address.
    """
    global _signed_in
    with reading() as connection:
        found = connection.execute(
            "SELECT id FROM customers WHERE email = ?", (text(email, "email").lower(),)
        ).fetchone()
    if found is None:
        raise NotFound(f"No customer has the e-mail address {short(email)}.")
    before, _signed_in = _signed_in, found["id"]
    try:
        yield
    finally:
        _signed_in = before


def check_inventory(sku: str) -> dict[str, Any]:
    """Check whether a product is in stock, and how many pieces there are.

    Args:
        sku: The product's code, such as SKU-990. Not its name.

    Returns:
        sku, product (its name), in_stock, quantity, warehouse, price_usd and weight_kg of one piece; and
        restock_on where the product is out of stock and the day of the next supply is known.

    Raises:
        ValueError: sku is not text.
        NotFound: no product has this code.
    """
    wanted = text(sku, "sku").upper()
    query = """
        SELECT sku, name AS product, quantity > 0 AS in_stock, quantity, warehouse,
               price_cents / 100.0 AS price_usd, weight_grams / 1000.0 AS weight_kg, restock_on
        FROM stock JOIN products USING (sku) WHERE sku = ?
    """
    with reading() as connection:
        row = connection.execute(query, (wanted,)).fetchone()
        if row is None:
            known = [code for (code,) in connection.execute("SELECT sku FROM products ORDER BY sku")]
            raise NotFound(f"No product has the code {short(sku)}. The codes are {', '.join(known)}.")
    found = {name: value for name, value in dict(row).items() if value is not None}
    return {**found, "in_stock": bool(row["in_stock"])}  # SQLite has no true and false, only 1 and 0


# Shipping and VAT: plain arithmetic, no database ------------------------------------------------------

NEAR = ("CA", "US")
MOST_KG = 30


def calculate_shipping(weight_kg: float, destination: str) -> dict[str, Any]:
    """Calculate what it costs to ship a parcel, and how many days it takes.

    Args:
        weight_kg: Weight of the parcel in kilograms, more than 0 and at most 30.
        destination: Country as a two-letter code, such as CA for Canada or ES for Spain.

    Returns:
        destination, cost_usd and delivery_days.

    Raises:
        ValueError: the weight is out of range, or the destination is not a two-letter code.
    """
    weight = number(weight_kg, "weight_kg")
    if not 0 < weight <= MOST_KG:
        raise ValueError(
            f"weight_kg must be more than 0 and at most {MOST_KG}, not {short(weight_kg)}: "
            "split what is heavier into several parcels."
        )
    country = text(destination, "destination").upper()
    if not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise ValueError(
            f"destination must be a two-letter country code such as CA or ES, not {short(destination)}."
        )
    per_kg, days = (Decimal("8.50"), 3) if country in NEAR else (Decimal("14.00"), 6)
    return {"destination": country, "cost_usd": money(weight * per_kg), "delivery_days": days}


def calculate_vat(subtotal: float, rate: float = 0.20) -> dict[str, Any]:
    """Calculate the value-added tax (VAT) on an amount, and the total with it.

    Args:
        subtotal: The amount before tax, 0 or more.
        rate: The tax rate as a fraction: 0.20 means 20 percent.

    Returns:
        vat and total, in the currency of the subtotal, rounded to cents.

    Raises:
        ValueError: the subtotal is negative, or the rate is not between 0 and 1.
    """
    amount, fraction = number(subtotal, "subtotal"), number(rate, "rate")
    if not 0 <= amount < 10**12:
        raise ValueError(
            f"subtotal must be 0 or more and less than a million million, not {short(subtotal)}."
        )
    if not 0 <= fraction <= 1:
        raise ValueError(
            f"rate must be a fraction from 0 to 1, not {short(rate)}: write 0.20 for 20 percent."
        )
    vat = money(amount * fraction)
    return {"vat": vat, "total": money(amount + Decimal(str(vat)))}


# Orders -----------------------------------------------------------------------------------------------

Status = Literal["placed", "paid", "shipped", "delivered", "cancelled"]

STATUSES = get_args(Status)
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


# Refunds ----------------------------------------------------------------------------------------------

# The tool that gives money back checks everything itself: whose order it is, what may be refunded and how
# much are rules of the shop. A schema cannot say them and a model cannot be trusted with them; they are
# checked in the same transaction that writes the refund.

DAYS_AFTER_DELIVERY = 30
MOST_WITHOUT_A_PERSON = 100_00
"""Cents, of all the refunds of an order together: a large refund in small pieces needs a person as well."""


def refund_order(number: int, amount: float) -> dict[str, Any]:
    """Refund an order of the signed-in customer, in whole or in part. It moves money: call it once.

    Use it only when the customer asks for money back. An order can be refunded once it is paid, until 30 days
    after its delivery. If more than 100 dollars of an order would be refunded, a person decides: then open a
    ticket with create_ticket.

    Args:
        number: The order number, four digits, such as 1042.
        amount: How much to give back, in dollars, such as 12.50: more than 0, at most the order's total less
            what was refunded before.

    Returns:
        id of the refund, number of the order, amount_usd, and remaining_usd: what is not refunded yet.

    Raises:
        ValueError: number or amount does not fit; the text says what would.
        NotFound: the customer has no such order. The same is said of an order of somebody else: whether it
            exists is not the customer's to know.
        NotAllowed: the order is not paid, is cancelled, or was delivered too long ago.
        NeedsApproval: the refund is for a person to decide.
    """
    return _refund(number, amount, None)


def refund_once(key: str, number: int, amount: float) -> dict[str, Any]:
    """Do the same as refund_order for a program that may try again: with the same key, nothing is paid twice.

    The key belongs to one call of the model, for instance the call's id with the session's. It is no argument
    of refund_order, because a model would fill it in.

    Args:
        key: A text that stands for this refund and no other.
        number: The order number.
        amount: How much to give back, in dollars.

    Returns:
        The same as refund_order; for a key that was used before, the refund of that time.

    Raises:
        ValueError: as refund_order; or the key was used for a refund of another order or amount.
        NotFound: as refund_order.
        NotAllowed: as refund_order.
        NeedsApproval: as refund_order.
    """
    return _refund(number, amount, text(key, "key"))


def _refund(order: object, amount: object, key: str | None) -> dict[str, Any]:
    wanted, cents = all_of(lambda: order_number(order), lambda: _cents(amount))
    with changing() as connection:
        found = _find(connection, wanted)
        left = found["total_cents"] - found["refunded_cents"]
        before = _with_key(connection, key, wanted, cents)
        if before is not None:
            return _receipt(before, wanted, cents, left)
        _check(found, wanted, cents, left)
        cursor = connection.execute(
            "INSERT INTO refunds (order_number, amount_cents, created_at, key) VALUES (?, ?, ?, ?)",
            (wanted, cents, f"{now():%Y-%m-%d %H:%M}", key),
        )
        return _receipt(cursor.lastrowid, wanted, cents, left - cents)


def _cents(value: object) -> int:
    cents = number(value, "amount") * 100
    if cents <= 0:
        raise ValueError(f"amount must be more than 0, such as 12.50, not {short(value)}.")
    if cents != cents.to_integral_value():
        raise ValueError(f"amount must be in whole cents, such as 12.50, not {short(value)}.")
    return int(cents)


def _find(connection: sqlite3.Connection, wanted: int) -> sqlite3.Row:
    found = connection.execute(
        """
        SELECT status, delivered_on,
            (SELECT sum(quantity * price_cents) FROM order_lines WHERE order_number = number) AS total_cents,
            (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_number = number) AS refunded_cents
        FROM orders WHERE number = ? AND customer_id = ?
        """,
        (wanted, signed_in()),
    ).fetchone()
    if found is None:
        raise NotFound(f"The signed-in customer has no order {wanted}: ask them for the number.")
    return found


def _with_key(connection: sqlite3.Connection, key: str | None, wanted: int, cents: int) -> int | None:
    """Return the id of the refund that was made with this key."""
    made = connection.execute(
        "SELECT id, order_number, amount_cents FROM refunds WHERE key = ?", (key,)
    ).fetchone()
    if made is None:
        return None
    if (made["order_number"], made["amount_cents"]) != (wanted, cents):
        raise ValueError("This key was used for another refund: use a new key for each refund.")
    return made["id"]


def _check(order: sqlite3.Row, wanted: int, cents: int, left: int) -> None:
    """Raise if the shop's rules forbid the refund."""
    if order["status"] == "placed":
        raise NotAllowed(f"Order {wanted} is not paid: there is nothing to refund.")
    if order["status"] == "cancelled":
        raise NotAllowed(f"Order {wanted} is cancelled: there is nothing to refund.")
    if order["delivered_on"]:
        last = datetime.date.fromisoformat(order["delivered_on"]) + datetime.timedelta(DAYS_AFTER_DELIVERY)
        if today() > last:
            raise NotAllowed(
                f"Order {wanted} was delivered on {order['delivered_on']}: refunds ended on {last}, "
                f"{DAYS_AFTER_DELIVERY} days later."
            )
    if left == 0:
        raise NotAllowed(f"Order {wanted} is refunded in full: nothing is left to refund.")
    if cents > left:
        raise ValueError(f"The most that can be refunded on order {wanted} is {_dollars(left)}.")
    if order["refunded_cents"] + cents > MOST_WITHOUT_A_PERSON:
        raise NeedsApproval(
            f"More than {_dollars(MOST_WITHOUT_A_PERSON)} of order {wanted} would be refunded: a person must "
            "decide. Open a ticket of the category refund."
        )


def _dollars(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _receipt(refund: int, order: int, cents: int, left: int) -> dict[str, Any]:
    # Whole cents divided once: the nearest number to two decimals, nothing to add up.
    return {"id": refund, "number": order, "amount_usd": cents / 100, "remaining_usd": left / 100}
