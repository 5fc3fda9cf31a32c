"""What an API module is made of: routes, the requests that come in, replies and refusals."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..request import Decision, Request


@dataclass
class Reply:
    """An answer as it goes over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes | Iterator[bytes]
    """An iterator is an event stream: it is sent piece by piece. It may raise Dropped."""
    hold: float = 0.0
    """Seconds for which the answer is held back, unless the client hangs up before."""


class Dropped(Exception):
    """The connection breaks here: raised by the iterator of a Reply.

    Before its first piece nothing is sent at all.
    """


BAD_JSON = "The request body is not valid JSON: "
"""Begins what the core says of a body that it cannot read; an API may say it in other words."""


class Refused(Exception):
    """The request is answered with an error; the API module gives it its shape."""

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        """A neutral or API-specific error type, such as "invalid_request_error"."""
        self.message = message
        self.details = dict(details or {})
        self.headers = dict(headers or {})


@dataclass(frozen=True)
class Incoming:
    """A request that has been routed, authenticated and read."""

    path: str
    params: Mapping[str, str]
    """The named parts of the route's path."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case."""
    data: Any
    """The body as parsed JSON; None for GET. Shared with the log: read it, do not change it."""
    request_id: str
    decide: Callable[[Request], Decision]
    memory: dict[str, Any]
    """What this practice model keeps between requests, by a name of each API's own."""


@dataclass(frozen=True)
class Route:
    """One thing that an API does."""

    method: str
    path: str
    """With named parts in braces: /v1/models/{model_id}."""
    answer: Callable[[Incoming], Reply]
    part: str = "[^/]+"
    """What a named part may be."""
    pattern: re.Pattern[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        pattern = re.sub(r"\{(\w+)\}", lambda found: f"(?P<{found[1]}>{self.part})", self.path)
        object.__setattr__(self, "pattern", re.compile(pattern))


def memory_of(value: Any) -> int:
    """Return how many bytes a value of JSON takes: many times as many as its text."""
    held, left = 0, [value]
    while left:
        value = left.pop()
        held += sys.getsizeof(value)
        if isinstance(value, dict):
            left += value
            left += value.values()
        elif isinstance(value, list | tuple):
            left += value
    return held


def model_hint(model: str, known: Iterable[str]) -> str:
    """Return a hint for an id that does not exist: the nearest that does, or where they are listed."""
    near = difflib.get_close_matches(model, known, n=1)
    return (
        f"did you mean {near[0]}?" if near else "GET /v1/models lists the ids that the practice model knows"
    )
