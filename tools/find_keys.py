"""Find what looks like an API key in the text of a cell and its outputs, without ever showing it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from practice_model.facts.services import KEY_FAMILIES

_TAIL = r"(?P<tail>[A-Za-z0-9_\-.+/=]{16,})"
# A name that holds a key, and what it is given: X_API_KEY=…, os.environ["X_API_KEY"] = "…", api_key="…",
# setdefault("X_API_KEY", "…"), {"x-api-key": "…"}, Authorization: Bearer ….
_NAMED = rf"(?:(?:api|secret|access|auth)[-_]?(?:key|token)[\"'\])]*\s*[=:,]|bearer\s)[\"'(\s]*{_TAIL}"

# A key that is written out counts however it looks, unless it says itself that it is none.
_WRITTEN_OUT = re.compile(
    r"(?:api|secret|access|auth)[-_]?(?:key|token)[\"'\])]*\s*[=:]\s*(?P<quote>[\"'])"
    r"(?P<tail>[^\s\"']{8,})(?P=quote)",
    re.IGNORECASE,
)
_NO_KEY = re.compile(
    r"\.\.\.|…|\*\*|[<>{}$]|xxx|^[A-Z_]+_(?:KEY|TOKEN)$"
    r"|(?i:(?<![a-z])(?:your|practice|example|placeholder|dummy|fake|test|none|unused|ignored|needed)(?![a-z]))"
)

# What follows the beginning of a key has to look random, so that a placeholder passes.
_PATTERNS = [
    *((one.owner, re.compile(rf"(?<![A-Za-z0-9_-]){one.start}(?P<tail>{one.rest})")) for one in KEY_FAMILIES),
    ("", re.compile(_NAMED, re.IGNORECASE)),
]
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def find_keys(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and owner of all that looks like a key; the owner of an unknown form is ""."""
    text = _COLOURS.sub("", text)
    seen: list[tuple[int, int]] = []
    for owner, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("tail")
            if _is_random(match["tail"]) and not any(a < end and start < b for a, b in seen):
                seen.append((start, end))
                yield text.count("\n", 0, start) + 1, owner
    for match in _WRITTEN_OUT.finditer(text):
        start, end = match.span("tail")
        if not (_NO_KEY.search(match["tail"]) or any(a < end and start < b for a, b in seen)):
            yield text.count("\n", 0, start) + 1, ""


def texts(value: object) -> Iterator[str]:
    """Yield every text inside an output or other JSON value, except pictures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            yield "".join(value)  # a text that nbformat keeps as its lines
        else:
            for item in value:
                yield from texts(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if not name.startswith("image/"):
                yield from texts(item)


def _is_random(tail: str) -> bool:
    """Whether a text looks drawn by chance: letters and digits or both cases mixed, no words, no xxxx."""
    longest = max(re.split(r"[-_.+/=]", tail), key=len)
    if len(longest) < 12 or len(set(longest)) < 8:
        return False
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in longest]
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes >= (3 if "0" in kinds else 0.3 * len(longest))
