"""What the shop's functions share: their errors, and the checks on what a model sends.

Every check returns the cleaned value or raises an error whose text says what to send instead, because a model
reads it.
"""

from __future__ import annotations

import datetime
import math
import unicodedata
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any


class NotFound(LookupError):
    """The shop has no such order, product, customer or city."""


class NotAllowed(RuntimeError):
    """The shop's rules do not allow it, whatever the arguments; the text says which rule."""


class NeedsApproval(NotAllowed):
    """The shop's rules leave it to a person."""


class ShopBroken(RuntimeError):
    """The session's database cannot be read or written; `shop.reset()` restores it."""


def fold(text: str) -> str:
    """Return the text without case and accents, so that "Dirección" and "direccion" compare equal."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def text(value: object, name: str) -> str:
    """Return the value without blanks around it; refuse what is not text, or is nothing but blanks."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text, not {type(value).__name__}.")
    if not value.strip():
        raise ValueError(f"{name} is empty: leave it out if it is optional, else fill it in.")
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(
            f"{name} contains a character that is not text (NUL or half a character): leave it out."
        )
    return value.strip()


def optional_text(value: object, name: str) -> str:
    """Return the value as `text` does; None and blanks, which models send for "not said", are ""."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return ""
    return text(value, name)


def all_of(*checks: Callable[[], Any]) -> list[Any]:
    """Return what each check returns; raise one ValueError that says all that does not fit."""
    values, problems = [], []
    for check in checks:
        try:
            values.append(check())
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueError(" ".join(problems))
    return values


def one_of(value: object, allowed: Iterable[str], name: str) -> str:
    """Return the value if it is one of the allowed words."""
    allowed = tuple(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {short(value)}.")


def number(value: object, name: str) -> Decimal:
    """Return the value as a Decimal; refuse text, true and false, infinity and NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number such as 2.5, not {short(value)}.")
    if isinstance(value, int):
        return Decimal(value)
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value}.")
    # By way of the text: Decimal(0.1) would carry the binary rounding error along, Decimal("0.1") does not.
    return Decimal(str(value))


def day(value: str, name: str) -> str:
    """Return the value if it is a date written YYYY-MM-DD."""
    try:
        # fromisoformat alone also takes "20261120" and "2026-W47-5", which do not sort as text in a query.
        if datetime.date.fromisoformat(value).isoformat() == value:
            return value
    except ValueError:
        pass
    raise ValueError(f"{name} must be a date written YYYY-MM-DD, such as 2026-11-01, not {short(value)}.")


def money(amount: Decimal) -> float:
    """Return the amount rounded to cents, half a cent upwards."""
    return float(amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


def short(value: object) -> str:
    """Return the value as an error text shows it: on one line, quoted, cut after 40 characters."""
    shown = repr(value[:41] if isinstance(value, str) else value)
    return shown if len(shown) <= 43 else shown[:40] + "…" + shown[0] * isinstance(value, str)
