"""Who is signed in: the customer for whom the shop's functions act. The program says it, never the model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .database import reading
from .values import NotFound, short, text

_signed_in = 1  # Alex Rivera


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
