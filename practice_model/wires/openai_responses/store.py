"""What the Responses API keeps: the last responses, with all that was said before them."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from ..api import Incoming

MAX_COUNT = 500
MAX_BYTES = 32 * 1024 * 1024

Item = dict[str, Any]


@dataclass(frozen=True)
class Kept:
    """A response that was stored."""

    response: dict[str, Any]
    items: tuple[Item, ...]
    """All that came before it: the items of earlier responses, then its own input."""
    size: int = 0

    def history(self) -> tuple[Item, ...]:
        """What a response that follows this one begins with."""
        return (*self.items, *self.response["output"])


class Store:
    """The responses of one practice model; the oldest are forgotten first. May be used from many threads."""

    def __init__(self, max_count: int = MAX_COUNT, max_bytes: int = MAX_BYTES) -> None:
        self.max_count = max_count
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes = 0

    def put(self, response: dict[str, Any], items: tuple[Item, ...], before: int = 0) -> None:
        """Keep a response; of its items, the first `before` are kept with an earlier one already."""
        size = len(json.dumps([response, *items[before:]], ensure_ascii=False)) + 8 * before
        with self._lock:
            self._drop(response["id"])
            self._kept[response["id"]] = Kept(response, items, size)
            self._bytes += size
            while len(self._kept) > 1 and (len(self._kept) > self.max_count or self._bytes > self.max_bytes):
                self._drop(next(iter(self._kept)))

    def get(self, response_id: str) -> Kept | None:
        with self._lock:
            return self._kept.get(response_id)

    def delete(self, response_id: str) -> bool:
        """Forget a response; whether there was one."""
        with self._lock:
            return self._drop(response_id)

    def find_item(self, item_id: str) -> Item | None:
        """The item with this id, from any response that is kept."""
        with self._lock:
            kept = list(self._kept.values())
        for one in reversed(kept):
            for item in (*one.response["output"], *one.items):
                if item.get("id") == item_id:
                    return item
        return None

    def _drop(self, response_id: str) -> bool:
        kept = self._kept.pop(response_id, None)
        self._bytes -= kept.size if kept else 0
        return kept is not None


def store_of(incoming: Incoming) -> Store:
    """The store of the practice model that the request came to: two models know nothing of each other."""
    return incoming.memory.setdefault("openai_responses", Store())
