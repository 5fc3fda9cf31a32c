"""The wire formats that the practice model speaks, one module each, and what the core asks of them.

An API module has three parts in this order: *validate* the wire format, translate it *to the neutral
request*, and write the wire format *from the decision*. For the core it offers

    NAME                                    as the log shows it
    ROUTES                                  a tuple of Route
    claims(path, headers) -> bool           whether a request is meant for this API (two share GET /v1/models)
    check_key(headers)                      raises Refused when there is no key
    error(refused, request_id) -> Reply     the error in this API's own shape
    request_id(*parts) -> str               in this API's own form
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ..request import Decision, Request

__all__ = ["Incoming", "Refused", "Reply", "Route", "load"]


@dataclass
class Reply:
    """An answer as it goes over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes | Iterator[bytes]
    """An iterator is an event stream: it is sent piece by piece."""


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


@dataclass(frozen=True)
class Route:
    """One thing that an API does."""

    method: str
    path: str
    """With named parts in braces: /v1/models/{model_id}."""
    answer: Callable[[Incoming], Reply]
    pattern: re.Pattern[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path)
        object.__setattr__(self, "pattern", re.compile(pattern))


def load() -> tuple[ModuleType, ...]:
    """The API modules, in the order in which they are asked `claims()`; the first is the default."""
    from . import anthropic_messages

    return (anthropic_messages,)
