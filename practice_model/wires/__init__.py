"""The wire formats that the practice model speaks, one module each, and what the core asks of them.

An API module has three parts in this order: *validate* the wire format, translate it *to the neutral
request*, and write the wire format *from the decision*. For the core it offers

    NAME                                    as the log shows it
    ROUTES                                  a tuple of Route
    claims(path, headers) -> bool           whether a request is meant for this API (two share GET /v1/models)
    check_key(headers)                      raises Refused when there is no key
    error(refused, request_id) -> Reply     the error in this API's own shape
    request_id(*parts) -> str               in this API's own form

How a turn may end (`Written.stop`, see writing.py), each API says in its own words:

               Anthropic      Chat Completions       Responses                      Gemini
    end        end_turn       stop                   completed                      STOP
    calls      tool_use       tool_calls             completed                      STOP
    limit      max_tokens     length                 incomplete: max_output_tokens  MAX_TOKENS
    sequence   stop_sequence  stop                   -                              STOP
    refusal    refusal        stop, message.refusal  completed, a refusal part      SAFETY
    filtered   refusal        content_filter         incomplete: content_filter     blockReason
    pause      pause_turn     -                      -                              -
    malformed  -              -                      -                              MALFORMED_…

Gemini reports a call that it could not read itself as MALFORMED_FUNCTION_CALL, without content.
`Written.refusal` is the text of a refusal. Where the wire carries arguments as text,
`writing.arguments_text(call)` gives that text, which is not always JSON. Errors come as `Refused`: faults.py
says for each API which status, type and details. A Reply with an iterator is an event stream.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ..request import Decision, Request

__all__ = ["Dropped", "Incoming", "Refused", "Reply", "Route", "load", "which_model"]


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
    pattern: re.Pattern[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path)
        object.__setattr__(self, "pattern", re.compile(pattern))


def which_model(model: str, known: Iterable[str]) -> str:
    """A hint for an id that does not exist: the nearest one that does, or where they are listed."""
    near = difflib.get_close_matches(model, known, n=1)
    return (
        f"did you mean {near[0]}?" if near else "GET /v1/models lists the ids that the practice model knows"
    )


def load() -> tuple[ModuleType, ...]:
    """The API modules, in the order in which they are asked `claims()`; the first is the default."""
    from .anthropic import answer as anthropic_messages
    from .gemini import answer as gemini
    from .openai_chat import answer as openai_chat
    from .openai_responses import answer as openai_responses

    # Gemini before OpenAI: its paths are its own, while any bearer token may be meant for OpenAI.
    return (anthropic_messages, gemini, openai_chat, openai_responses)
