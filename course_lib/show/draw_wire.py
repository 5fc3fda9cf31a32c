"""show.wire(): what was sent and what came back, as JSON."""

from __future__ import annotations

import re
from typing import Any

from ..say import say
from .json_text import count, fold_json, fold_text
from .page import Box, Lines, Page, Steps, Words
from .plain import mask_keys, plain, safe_text

__all__ = ["recorded", "wire"]

# Gemini takes its key in the address as well.
_KEY_IN_PATH = re.compile(r"([?&](?:key|api_key|access_token)=)[^&\s]*", re.IGNORECASE)


def wire(n: int | None = None) -> Page:
    """Return the exchanges since setup() to look at, or the last `n`: request and response, without headers.

    Raises ValueError if `n` is not a positive whole number.
    """
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise ValueError(say("show.wire.bad_n"))
    exchanges = recorded()
    shown = exchanges if n is None else exchanges[-n:]
    if not shown:
        return Page(
            say("show.wire.title", shown=count("show.exchanges", 0)), (Words(say("show.wire.nothing")),)
        )
    title = say("show.wire.title", shown=count("show.exchanges", len(shown)))
    if len(shown) < len(exchanges):
        title = say("show.wire.title_last", shown=count("show.exchanges", len(shown)), all=len(exchanges))
    return Page(title, (Steps(tuple(_draw(exchange) for exchange in shown)),))


def recorded() -> list[Any]:
    """Return the exchanges since setup()."""
    # Imported here: a learner who only draws a conversation needs neither setup() nor its module.
    from ..start import exchanges

    return list(exchanges())


def _draw(exchange: Any) -> Box:
    status = getattr(exchange, "status", None)
    # 0: the connection broke before there was an answer
    failed = not isinstance(status, int) or not 200 <= status < 400
    line = say(
        "show.wire.exchange",
        number=getattr(exchange, "number", "?"),
        method=safe_text(getattr(exchange, "method", "?")),
        path=mask_keys(_KEY_IN_PATH.sub(r"\1***", safe_text(getattr(exchange, "path", "?")))),
        status=safe_text(status),
        meaning=say("show.wire.failed") if failed else say("show.wire.ok"),
    )
    parts = (
        Box(say("show.wire.request"), (_draw_body(getattr(exchange, "request", None)),), "user", True),
        Box(say("show.wire.response"), (_draw_body(getattr(exchange, "response", None)),), "assistant", True),
    )
    return Box(line, parts, "error" if failed else "good")


def _draw_body(body: Any):
    value = plain(body)
    if value is None or value == "":
        return Words(say("show.wire.no_body"), quiet=True)
    # A body that is no JSON was recorded as text: a stream of events, or a page from a proxy.
    return Lines(tuple(fold_text(value)) if isinstance(value, str) else tuple(fold_json(value)))
