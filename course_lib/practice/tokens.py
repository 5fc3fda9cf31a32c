"""An estimate of how many tokens a text has.

A real tokenizer has a vocabulary of its own for each family of models. This one only has to be plausible,
quick and always the same: ASCII words count one token for each six characters, other words one for each
two, punctuation one for each two signs, and blanks belong to the word after them. For English prose that
is about four characters a token.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(r"\s*(?:[A-Za-z0-9_]{1,6}|\w{1,2}|[^\w\s]{1,2})|\s+")

__all__ = ["count", "count_json", "cut"]


def count(text: str) -> int:
    """How many tokens the text has."""
    return sum(1 for _ in _TOKEN.finditer(text))


def count_json(value: Any) -> int:
    """How many tokens a value has when written as JSON."""
    return count(json.dumps(value, ensure_ascii=False))


def cut(text: str, limit: int) -> tuple[str, int]:
    """The beginning of the text that fits into `limit` tokens, and how many tokens that beginning has."""
    end = used = 0
    for match in _TOKEN.finditer(text):
        if used >= limit:
            break
        used, end = used + 1, match.end()
    return text[:end], used
