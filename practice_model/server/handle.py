"""The practice model without any network: `handle()` takes a request as bytes and returns the reply.

`http.py` and `inprocess.py` are two thin adapters over it.
"""

from __future__ import annotations

import json
import logging
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, unquote

from ..facts.services import SLOPPY
from ..failures import sloppy
from ..failures.injected import Faults, Visit, refused
from ..request import Decision, Request
from ..wires import load
from ..wires.api import BAD_JSON, Dropped, Incoming, Refused, Reply, Route
from .exchanges import Exchange, Log, mask_headers, mask_path, parsed, parsed_events

MAX_BODY = 10 * 1024 * 1024
"""A longer body is refused with 413."""

_OWN_ORIGIN = re.compile(r"https?://(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?", re.IGNORECASE)
MOST_PARTS = 50_000
"""Of a body that has more objects and lists in it, none is looked through."""
MOST_PAGES = 20
"""Of so many web pages that were refused, the first request is in the log."""

logger = logging.getLogger("practice_model")
logger.addHandler(logging.NullHandler())  # or Python would print our tracebacks into a learner's notebook


def foreign_page(headers: Mapping[str, str]) -> str | None:
    """Return why a request is refused that a web page of another machine lets the browser send, or None.

    Browsers name the page in `Origin` ("null" for a file, or for a page that hides where it is from), or say
    `cross-site` of an image and the like. Programs send neither. Names of headers in lower case.
    """
    origin = headers.get("origin")
    if origin is None and headers.get("sec-fetch-site") == "cross-site":
        origin = None if headers.get("sec-fetch-mode") == "navigate" else "of another site"
    if origin is None or _OWN_ORIGIN.fullmatch(origin.strip()):
        return None
    return (
        f"A web page with the origin {origin[:100]!r} may not use this server, which is for programs on this "
        "machine. Serve the page itself from http://localhost or http://127.0.0.1"
    )


class PracticeModel:
    """A rule-based stand-in for a language model, which it is not, that speaks the real wire protocols.

    `decide` replaces the package of that name, for tests. `today` is the date that relative dates count from
    where the request states none.
    """

    def __init__(
        self, decide: Callable[[Request], Decision] | None = None, today: date | None = None
    ) -> None:
        self.log = Log()
        self.last_decision: Decision | None = None
        self.faults = Faults()
        self.closed = ""
        """Not empty: every request is refused with this sentence, for instance while real models answer."""
        self.memory: dict[str, Any] = {}
        """What an API keeps between requests, by a name of its own (the Responses API keeps responses)."""
        self._decide = decide
        self._today = today
        self._apis = load()
        self._refused_pages: set[str] = set()

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Answer one request.

        `path` may carry a query. Never raises: a bug of our own becomes an answer with status 500.
        """
        started = time.perf_counter()
        headers = {name.lower(): value for name, value in headers.items()}
        place, _, query = path.partition("?")
        api = next((api for api in self._apis if api.claims(place, headers)), self._apis[0])
        request_id = api.request_id(method, path, body.decode("utf-8", "replace"))
        if page := foreign_page(headers):
            body, may_enter = b"", self._is_new_page(page)
        try:
            if page:
                raise Refused(403, "permission_error", page, headers={"x-should-retry": "false"})
            reply = self._answer(api, method, place, query, headers, body, request_id)
        except Refused as refused:
            reply = api.error(refused, request_id)
        except RecursionError:
            reply = api.error(_bad_json("it is nested too deeply"), request_id)
        except Exception as error:
            logger.exception("bug in the practice model: %s %s", method, mask_path(path))
            reply = api.error(_own_bug(error), request_id)
        if method == "HEAD":
            reply.body = b""
        if page and not may_enter:
            return reply
        exchange = Exchange(
            0, api.NAME, method, mask_path(path), mask_headers(headers), parsed(body), reply.status
        )
        return self._logged(exchange, reply, started)

    def _is_new_page(self, page: str) -> bool:
        """Return whether a refused page is to enter the log: each once, or one could empty it of all else."""
        if page in self._refused_pages or len(self._refused_pages) >= MOST_PAGES:
            return False
        self._refused_pages.add(page)
        return True

    def _answer(
        self,
        api: ModuleType,
        method: str,
        path: str,
        query: str,
        headers: Mapping[str, str],
        body: bytes,
        request_id: str,
    ) -> Reply:
        if self.closed:
            raise Refused(409, "invalid_request_error", self.closed, headers={"x-should-retry": "false"})
        known = (api,) if api.claims(path, headers) else self._apis
        route, params = _find_route(api, method, path, known)
        api.check_key(headers)
        if len(body) > MAX_BODY:
            message = f"Request exceeds the maximum size of {MAX_BODY // 2**20} MB"
            raise Refused(413, "request_too_large", message)
        data = None if route.method in ("GET", "DELETE") else _read_json(body, api.STRICT_JSON)
        if len(body) > 2 * MOST_PARTS and _has_too_many_parts(data):
            message = f"Request is too complex. (more than {MOST_PARTS} objects and lists in its body)"
            raise Refused(400, "invalid_request_error", message)
        visit = Visit(self.faults, api.NAME, path, headers, data)
        visit.before()
        decide = partial(self._ask_the_model, visit)
        incoming = Incoming(
            path, params, dict(parse_qsl(query)), headers, data, request_id, decide, self.memory
        )
        reply = route.answer(incoming)
        if not isinstance(reply.body, bytes):
            # Made whole before the first of it is sent: a bug of ours is an error then, not a broken stream.
            reply.body = iter(list(reply.body))
        overload = partial(refused, "overloaded", api.NAME, visit.model, 0.0)
        return visit.after(reply, lambda: api.error(overload(), request_id))

    def _ask_the_model(self, visit: Visit, request: Request) -> Decision:
        """Return the decision in the mode that the request's model id names, with the faults in force."""
        if request.model == SLOPPY:
            text_arguments = visit.api.startswith("openai")
            decision = sloppy.decide(request, self._decided, text_arguments=text_arguments)
        else:
            decision = self._decided(request)
        self.last_decision = visit.spoil(decision, request)
        return self.last_decision

    def _decided(self, request: Request) -> Decision:
        if self._decide is not None:
            return self._decide(request)
        from ..decide.bounds import too_much  # here, not above: tests use the core without it
        from ..decide.decide import decide

        if reason := too_much(request):
            raise Refused(400, "invalid_request_error", reason)
        return decide(request, today=self._today)

    def _logged(self, exchange: Exchange, reply: Reply, started: float) -> Reply:
        """Return the reply; its exchange enters the log, for an event stream once that has been sent."""

        def enter(sent: bytes) -> None:
            exchange.response_headers = mask_headers(reply.headers)
            is_stream = not isinstance(reply.body, bytes)
            exchange.response = parsed_events(sent) if is_stream else parsed(sent)
            exchange.seconds = time.perf_counter() - started
            self.log.append(exchange, exchange.memory)

        if isinstance(reply.body, bytes):
            enter(reply.body)
        else:
            reply.body = _Sent(reply.body, enter)
        return reply


class _Sent:
    """An event stream on its way; `enter` is called once, with what was sent of it.

    That is before it gives away the last piece: a client that has the whole answer finds it in the log.
    """

    def __init__(self, pieces: Iterator[bytes], enter: Callable[[bytes], None]) -> None:
        self._pieces = pieces
        self._enter: Callable[[bytes], None] | None = enter
        self._sent: list[bytes] = []
        self._ahead: bytes | None = None
        self._broken: BaseException | None = None
        self._begun = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._begun:
            self._begun = True
            self._look_ahead()
        piece = self._ahead
        if piece is None:
            self.close()
            raise self._broken or StopIteration
        self._sent.append(piece)
        self._look_ahead()
        if self._ahead is None:
            self.close()
        return piece

    def _look_ahead(self) -> None:
        try:
            self._ahead = next(self._pieces, None)
        except Exception as error:  # it breaks, but only after the piece before it has been sent
            self._ahead, self._broken = None, error
            if not isinstance(error, Dropped):
                logger.exception("bug in the practice model: an event stream broke off")

    def close(self) -> None:
        """Enter what was sent into the log, wherever the stream stands."""
        if self._enter is not None:
            enter, self._enter = self._enter, None
            enter(b"".join(self._sent))


def _find_route(
    api: ModuleType, method: str, path: str, known: Sequence[ModuleType]
) -> tuple[Route, dict[str, str]]:
    """Return the route of a method and a path; refuse an unknown path (404) and method (405).

    `known` are the APIs whose routes a refusal lists: all of them where the path is no API's.
    """
    wanted = "GET" if method == "HEAD" else method
    allowed = []
    for route in api.ROUTES:
        match = route.pattern.fullmatch(path.rstrip("/") or "/")
        if match and route.method == wanted:
            return route, {name: unquote(value) for name, value in match.groupdict().items()}
        if match:
            allowed.append(route.method)
    if allowed:
        message = f"Method Not Allowed: {path} takes {', '.join(allowed)}, not {method[:20]}"
        raise Refused(405, "invalid_request_error", message, headers={"allow": ", ".join(allowed)})
    routes = "; ".join(dict.fromkeys(f"{route.method} {route.path}" for one in known for route in one.ROUTES))
    raise Refused(
        404, "not_found_error", f"Not Found: {method[:20]} {path[:200]}. The practice model has {routes}"
    )


def _read_json(body: bytes, strict: bool) -> Any:
    """Return the body as JSON, by the letter of the standard: Python's own reader is more generous.

    Where it is not `strict`, a string may hold control characters as they are, such as a line break.
    """

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not a JSON number")

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits[:20])

    try:
        text = body.decode("utf-8")
        data = json.loads(text, strict=strict, parse_constant=refuse, parse_float=finite)
        if "\\u" in text:  # an escape may spell a lone surrogate: "\ud83d"
            json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _bad_json("no low surrogate in string") from None
    except ValueError as error:  # not UTF-8, not JSON, or a number too long to read
        raise _bad_json(str(error)) from None
    return data


def _has_too_many_parts(data: Any) -> bool:
    found, left = 0, [data]
    while left and found <= MOST_PARTS:
        part = left.pop()
        if isinstance(part, dict | list):
            found += 1
            left += part.values() if isinstance(part, dict) else part
    return found > MOST_PARTS


def _bad_json(reason: str) -> Refused:
    return Refused(400, "invalid_request_error", BAD_JSON + reason)


def _own_bug(error: Exception) -> Refused:
    message = (
        f"This is a bug in the practice model, not in your program ({type(error).__name__}). "
        "Please report it at the address of the course's repository, with this request."
    )
    # Without this header the SDKs would silently try again, and the bug would look like slowness.
    return Refused(500, "api_error", message, headers={"x-should-retry": "false"})
