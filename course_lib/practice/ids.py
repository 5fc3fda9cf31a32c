"""Ids that look real and are functions of the request: every run of a lesson shows the same ones."""

from __future__ import annotations

import hashlib
import json
import string
from typing import Any

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase

__all__ = ["canonical", "make_id"]


def canonical(value: Any) -> str:
    """The value as JSON in one spelling: sorted keys, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def make_id(prefix: str, *parts: Any, length: int = 22) -> str:
    """An id such as `msg_01Xq…`: the prefix, then letters and digits that depend on the parts alone."""
    # surrogatepass: a request that is not valid Unicode is refused, and the refusal needs an id too.
    text = "\x1f".join(str(part) for part in parts)
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return prefix + "".join(letters)
