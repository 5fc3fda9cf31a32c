"""What an order costs beyond its goods: shipping and VAT. Plain arithmetic, no database."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from .values import money, number, short, text

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
