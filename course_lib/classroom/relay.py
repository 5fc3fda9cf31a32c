"""Live mode's relay: a small server that forwards requests to the real services and logs them.

The SDKs talk to this machine, as in practice mode, so that exchanges() shows live requests too. The
relay holds no key: each request brings its own, which goes to the service and, masked, to the log.
It follows no redirect, because the key would go along.
"""

from __future__ import annotations

import contextlib
import json
import re
import ssl
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

import httpx2

from practice_model.facts.services import SERVICES
from practice_model.server.exchanges import Exchange, Log, mask_headers, mask_path, parsed, parsed_events
from practice_model.server.handle import MAX_BODY, Reply, foreign_page

from .. import models
from ..messages import localized

# provider -> the part of our own address that stands for the service's base URL
PREFIXES = {service.id: f"/{service.id}{service.path}" for service in SERVICES}

_VARIABLES = {service.id: service.base_urls[0] for service in SERVICES}

TIMEOUT = 600  # seconds, as long as the SDKs wait by default; they hang up sooner if asked to

# These describe one connection, not the message (RFC 9110, 7.6.1), or are made anew for the next connection.
HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
NOT_SENT_ON = HOP_BY_HOP | {"host", "content-length", "accept-encoding", "expect"}
NOT_SENT_BACK = HOP_BY_HOP | {"content-length", "set-cookie", "date", "server"}


class Relay:
    """Forwards what arrives under a provider's prefix to that provider's base URL, and logs it.

    `upstreams` maps a provider to its base URL. It may be replaced at any time; an empty one refuses
    everything, which is how going back to practice mode stops clients that were made in live mode.
    """

    def __init__(self, upstreams: Mapping[str, str] | None = None, log: Log | None = None):
        self.upstreams = dict(upstreams or {})
        self.log = log or Log()
        self.reported: set[str] = set()
        """The models that were reported to the learner as unknown to the service."""
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    def _connected(self) -> httpx2.Client:
        """Return the client, which is made with the first request: reading the certificates takes time."""
        with self._lock:
            self._client = self._client or _client()
            return self._client

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Forward one request; what goes wrong on the way is an answer in the provider's error shape."""
        upstreams = self.upstreams  # once: setup() may replace it meanwhile
        provider, rest = _split(path)
        base = upstreams.get(provider, "").rstrip("/")
        page = foreign_page({name.lower(): value for name, value in headers.items()})
        if page:
            return _refusal(provider, 403, page)
        refusal = _refused_at_once(provider, path, upstreams, body)
        if refusal is not None:
            return refusal
        entry = Exchange(
            0, _api(provider, rest), method, mask_path(rest), mask_headers(headers), parsed(body), 0
        )
        started = time.perf_counter()
        try:
            entry.path = mask_path(_parts(base).path + rest)
            answer = _send(self._connected(), method, base + rest, headers, body)
            reply = _to_reply(answer, provider, _parts(base).hostname)
        except _Unreachable as error:
            answer, reply = None, _refusal(provider, 502, error.text)
        entry.status, entry.response_headers = reply.status, mask_headers(reply.headers)
        if isinstance(reply.body, bytes):
            self._enter(entry, reply.body, started)
            self._report_missing_model(entry)
        else:
            reply.body = self._pass_on(answer, entry, started)
        return reply

    def _pass_on(self, answer: httpx2.Response, entry: Exchange, started: float) -> Iterator[bytes]:
        """Yield an event stream as it arrives; log it when it ends, also when the client hangs up first."""
        seen = []
        try:
            for piece in answer.iter_raw():
                seen.append(piece)
                yield piece
        finally:
            answer.close()
            self._enter(entry, b"".join(seen), started, events=True)

    def _enter(self, entry: Exchange, response: bytes, started: float, events: bool = False) -> None:
        entry.response = parsed_events(response) if events else parsed(response)
        entry.seconds = time.perf_counter() - started
        self.log.append(entry, entry.memory)

    def _report_missing_model(self, entry: Exchange) -> None:
        """Print, once for each model, what to do when the service does not know it.

        The answer stays the service's own; beside it the learner needs the name of our setting.
        """
        model = missing_model(entry)
        if model and model not in self.reported:
            self.reported.add(model)
            print(when_missing(model), file=sys.stderr, flush=True)


def when_missing(model: str) -> str:
    """Return what to do when a service answers 404 for `model`: it was retired, or the id is misspelt."""
    return localized("models.missing", model=model, variable=models.variable_for(model))


def missing_model(entry: Exchange) -> str:
    """Return the model that the service says it does not know, or ""."""
    error = entry.response.get("error") if isinstance(entry.response, dict) else None
    if not isinstance(error, dict) or (entry.status != 404 and error.get("code") != "model_not_found"):
        return ""
    named = entry.request.get("model") if isinstance(entry.request, dict) else None
    in_path = re.search(r"/models/([^/:?]+)", entry.path)
    model = named or (unquote(in_path[1]) if in_path else "")
    # Other things can be missing, too: a stored response, a file. The message says which.
    return model if isinstance(model, str) and model and model in str(error.get("message")) else ""


def _refused_at_once(provider: str, path: str, upstreams: Mapping[str, str], body: bytes) -> Reply | None:
    """Return the answer to a request that must not be sent on, or None."""
    if not upstreams:
        return _refusal(provider, 409, localized("relay.practice_now"))
    if not upstreams.get(provider):
        known = ", ".join(sorted(upstreams))
        return _refusal(provider, 409, localized("relay.no_route", path=mask_path(path), known=known))
    if len(body) > MAX_BODY:  # the server read no further: what is here is only a part of it
        return _refusal(provider, 413, localized("relay.too_long", limit=MAX_BODY // 2**20))
    return None


@dataclass
class _Unreachable(Exception):
    text: str


def _client() -> httpx2.Client:
    """Return a client that sends what it is given and adds no headers; it uses the environment's proxy."""
    try:
        client = httpx2.Client(timeout=TIMEOUT)
    except ImportError as error:  # SOCKS needs a package that need not be there
        raise _Unreachable(localized("relay.socks")) from error
    client.headers.clear()
    return client


def _send(
    client: httpx2.Client, method: str, url: str, headers: Mapping[str, str], body: bytes
) -> httpx2.Response:
    """Send one request and return the answer with its body unread. Raise _Unreachable if none comes."""
    sent = {name: value for name, value in headers.items() if name.lower() not in NOT_SENT_ON}
    # The log shows what was said, so it must not arrive compressed.
    sent |= {"Accept-Encoding": "identity", "Connection": "close"}
    host = _parts(url).hostname
    try:
        request = client.build_request(method, url, headers=sent, content=body or None)
        return client.send(request, stream=True)
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:  # a base URL such as ftp://…
        reason = f"{_parts(url).scheme}://"
        raise _Unreachable(localized("relay.unreachable", host=host, reason=reason)) from error
    except (httpx2.TransportError, ValueError) as error:
        raise _Unreachable(_why(error, host)) from error


def _to_reply(answer: httpx2.Response, provider: str, host: str | None) -> Reply:
    """Return the service's answer: whole, or as a stream that is still to be read."""
    location = answer.headers.get("location")
    if 300 <= answer.status_code < 400 and location:
        answer.close()
        host = urlsplit(location).hostname or host
        return _refusal(provider, 502, localized("relay.redirect", host=host, variable=_VARIABLES[provider]))
    kept = {name: value for name, value in answer.headers.items() if name not in NOT_SENT_BACK}
    if answer.headers.get("content-type", "").lower().startswith("text/event-stream"):
        return Reply(answer.status_code, kept, iter(()))
    try:
        # As it came: a body that is compressed all the same keeps the header that says so.
        with contextlib.closing(answer):
            return Reply(answer.status_code, kept, b"".join(answer.iter_raw()))
    except httpx2.TransportError as error:
        raise _Unreachable(_why(error, host)) from error


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise _Unreachable(localized("relay.unreachable", host=repr(url), reason="URL?")) from error


def _why(error: BaseException, host: str | None) -> str:
    """Return why a service was not reached, by the operating system's own error where there is one."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return localized("relay.certificate", host=host)
    # The class only: the text of an exception can repeat a header, and a header can be a key.
    return localized("relay.unreachable", host=host, reason=type(cause or error).__name__)


def _split(path: str) -> tuple[str, str]:
    """Return the provider that a path of ours is for, and the rest; ("", path) if there is none."""
    for provider, prefix in PREFIXES.items():
        if path == prefix or path.startswith((prefix + "/", prefix + "?")):
            return provider, path[len(prefix) :]
    return "", path


def _api(provider: str, rest: str) -> str:
    """Return the name that the practice model's log uses for the same kind of request."""
    if provider == "openai":
        return "openai_responses" if rest.startswith("/responses") else "openai_chat"
    return provider


def _refusal(provider: str, status: int, text: str) -> Reply:
    """Return an error of our own in the shape that the provider's SDK reads."""
    if provider == "openai":
        error: dict = {"error": {"message": text, "type": "api_error", "param": None, "code": None}}
    elif provider == "gemini":
        error = {"error": {"code": status, "message": text, "status": "UNAVAILABLE"}}
    else:
        error = {"type": "error", "error": {"type": "api_error", "message": text}}
    body = json.dumps(error, ensure_ascii=False).encode("utf-8")
    # A second try would fare no better, and the SDKs' silent ones would only delay the message.
    return Reply(status, {"content-type": "application/json", "x-should-retry": "false"}, body)
