"""Refunds: the tool that gives money back, so the one that checks everything itself.

Whose order it is, what may be refunded and how much are rules of the shop. A schema cannot say them and a
model cannot be trusted with them; they are checked here, in the same transaction that writes the refund.
"""

from __future__ import annotations

import datetime
import sqlite3
from typing import Any

from .database import changing, now, today
from .orders import order_number, signed_in
from .values import NeedsApproval, NotAllowed, NotFound, all_of, number, short, text

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
