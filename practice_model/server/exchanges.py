"""What went over the wire: one Exchange per request, in a Log that cannot grow without end."""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..facts.services import ANY_KEY, KEY_IN_QUERY, may_hold_a_key
from ..wires.api import memory_of

MASK = "***"
LARGE = 1024 * 1024
"""Of a longer body the log has the beginning, as text: as JSON it may take a hundred times its length."""
KEPT = 2_000
"""How many characters that is."""
# By what their names say, not by a list: gateways bring keys in headers of their own.
SECRET_HEADER = re.compile(r"key|token|auth|secret|cookie|password|credential", re.IGNORECASE)


@dataclass
class Exchange:
    """One request and its answer."""

    number: int
    """Counts from 1 since the log was made or cleared."""
    api: str
    method: str
    path: str
    request_headers: dict[str, str]
    """Keys and cookies are masked."""
    request: Any
    """The body as parsed JSON; as text where it is not JSON, its beginning where it is LARGE; None without
    one."""
    status: int
    """0 where the connection broke before the answer."""
    response_headers: dict[str, str] = field(default_factory=dict)
    response: Any = None
    """As `request`; of an event stream, the list of its events' data, as far as it was sent."""
    seconds: float = 0.0

    @property
    def memory(self) -> int:
        """How many bytes it takes."""
        return memory_of(vars(self))


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with every key and cookie replaced by "***": not even its end is kept."""
    return {
        name: MASK if SECRET_HEADER.search(name) else ANY_KEY.sub(MASK, value)
        for name, value in headers.items()
    }


def mask_path(path: str) -> str:
    """Return a path whose query shows no key."""
    return ANY_KEY.sub(MASK, KEY_IN_QUERY.sub(rf"\1{MASK}", path))


def parsed(body: bytes) -> Any:
    """Return the body as JSON if it is JSON, else as text, and None if it is empty; keys in it are masked.

    Of a LARGE body only the beginning is returned, as text.
    """
    if not body:
        return None
    if len(body) > LARGE:
        # Cut only after the keys are masked: the beginning of a key is no key to a pattern.
        begun = ANY_KEY.sub(MASK, body[: 2 * KEPT].decode("utf-8", "replace"))
        return f"{begun[:KEPT]}… ({len(body)} bytes, of which the log keeps the beginning)"
    text = body.decode("utf-8", "replace")
    # Searched for in the parsed texts: in the text of JSON a line break before a key ends in the letter n.
    holds_keys = may_hold_a_key(text)
    try:
        found = json.loads(text, strict=False)  # Gemini takes raw line breaks in strings
        return _without_keys(found) if holds_keys else found
    except (ValueError, RecursionError):
        return ANY_KEY.sub(MASK, text) if holds_keys else text


def _without_keys(value: Any) -> Any:
    if isinstance(value, str):
        return ANY_KEY.sub(MASK, value)
    if isinstance(value, dict):
        return {_without_keys(name): _without_keys(item) for name, item in value.items()}
    return [_without_keys(item) for item in value] if isinstance(value, list) else value


def parsed_events(body: bytes) -> Any:
    """Return the data of each event of an event stream, as `parsed` does; of what has no event, all of it.

    An event that was cut off is kept as text.
    """
    if len(body) > LARGE:
        return parsed(body)
    found = []
    for block in body.decode("utf-8", "replace").replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if lines:
            found.append(parsed("\n".join(lines).encode("utf-8")))
    return found or parsed(body)


class Log:
    """The last exchanges, oldest first, bounded by count and by bytes; may be used from many threads."""

    def __init__(self, max_count: int = 1000, max_bytes: int = 64 * 1024 * 1024) -> None:
        self.max_count = max_count
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._items: deque[tuple[Exchange, int]] = deque()
        self._bytes = 0
        self._last_number = 0

    def append(self, exchange: Exchange, size: int = 0) -> None:
        """Add an exchange that takes `size` bytes; it gets its number, and the oldest are dropped."""
        with self._lock:
            self._last_number += 1
            exchange.number = self._last_number
            self._items.append((exchange, size))
            self._bytes += size
            while len(self._items) > self.max_count or (
                self._bytes > self.max_bytes and len(self._items) > 1
            ):
                self._bytes -= self._items.popleft()[1]

    def clear(self) -> None:
        """Forget everything; the next exchange is number 1."""
        with self._lock:
            self._items.clear()
            self._bytes = self._last_number = 0

    def list(self, since: int = 0) -> list[Exchange]:
        """Return the exchanges with a number greater than `since`."""
        with self._lock:
            return [exchange for exchange, _ in self._items if exchange.number > since]

    def __len__(self) -> int:
        return len(self._items)
