"""Live mode's small forwarding server: it passes requests on to the real services and writes them down.

The SDKs talk to this machine, as in practice mode, so that exchanges() shows live requests too. The
relay holds no key: each request brings its own, which goes to the service and, masked, to the log.
It follows no redirect, because the key would go along.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from practice_model.server.exchanges import Exchange, Log, mask, mask_path, parsed, parsed_events
from practice_model.server.handle import MAX_BODY, Reply

from ..messages import localized
from ..models import when_missing

# provider -> the part of our own address that stands for the service's base URL
PREFIXES = {"anthropic": "/anthropic", "openai": "/openai/v1", "gemini": "/gemini"}
VARIABLES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
}

TIMEOUT = 600  # seconds, as long as the SDKs wait by default; they hang up sooner if told to
PIECE = 64 * 1024

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
        self.told: set[str] = set()
        """The models of which the learner has been told that the service does not know them."""

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Forward one request; what goes wrong on the way is an answer in the provider's error shape."""
        upstreams = self.upstreams  # once: setup() may replace it meanwhile
        provider, rest = _split(path)
        base = upstreams.get(provider, "").rstrip("/")
        refusal = _refused_at_once(provider, path, upstreams, body)
        if refusal is not None:
            return refusal
        entry = Exchange(0, _api(provider, rest), method, mask_path(rest), mask(headers), parsed(body), 0)
        started = time.perf_counter()
        try:
            entry.path = mask_path(_parts(base).path + rest)
            answer = _send(method, base + rest, headers, body)
            reply = _to_reply(answer, provider, _parts(base).hostname)
        except _Unreachable as error:
            answer, reply = None, _refusal(provider, 502, error.text)
        entry.status, entry.response_headers = reply.status, mask(reply.headers)
        if isinstance(reply.body, bytes):
            self._enter(entry, reply.body, len(body), started)
            self._tell_of_a_missing_model(entry)
        else:
            reply.body = self._pass_on(answer, entry, len(body), started)
        return reply

    def _pass_on(
        self, answer: http.client.HTTPResponse, entry: Exchange, sent: int, started: float
    ) -> Iterator[bytes]:
        """Yield an event stream as it arrives; log it when it ends, also when the client hangs up first."""
        seen = []
        try:
            while piece := answer.read1(PIECE):
                seen.append(piece)
                yield piece
        finally:
            answer.close()
            self._enter(entry, b"".join(seen), sent, started, events=True)

    def _enter(
        self, entry: Exchange, response: bytes, sent: int, started: float, events: bool = False
    ) -> None:
        entry.response = parsed_events(response) if events else parsed(response)
        entry.seconds = time.perf_counter() - started
        self.log.append(entry, sent + len(response))

    def _tell_of_a_missing_model(self, entry: Exchange) -> None:
        """Print, once for each model, what to do when the service does not know it.

        The answer stays the service's own; beside it the learner needs the name of our setting.
        """
        model = missing_model(entry)
        if model and model not in self.told:
            self.told.add(model)
            print(when_missing(model), file=sys.stderr, flush=True)


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


def _send(method: str, url: str, headers: Mapping[str, str], body: bytes) -> http.client.HTTPResponse:
    """Send one request, through the environment's proxy if any; return the answer with its body unread."""
    parts = _parts(url)
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy and not urllib.request.proxy_bypass(parts.hostname or ""):
        if proxy.lower().startswith("socks"):
            raise _Unreachable(localized("relay.socks"))
        proxies[parts.scheme] = proxy
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(proxies),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=_tls()),
    ):
        opener.add_handler(handler)
    try:
        request = urllib.request.Request(url, data=body or None, method=method)
        for name, value in headers.items():
            if name.lower() not in NOT_SENT_ON:
                request.add_header(name, value)
        # The log shows what was said, so it must not arrive compressed.
        request.add_header("Accept-Encoding", "identity")
        answer = opener.open(request, timeout=TIMEOUT)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _Unreachable(_why(error, parts.hostname)) from error
    if answer is None:  # a base URL such as ftp://…
        raise _Unreachable(localized("relay.unreachable", host=parts.hostname, reason=f"{parts.scheme}://"))
    return answer


def _to_reply(answer: http.client.HTTPResponse, provider: str, host: str | None) -> Reply:
    """Return the service's answer: whole, or as a stream that is still to be read."""
    location = answer.getheader("location")
    if 300 <= answer.status < 400 and location:
        answer.close()
        host = urlsplit(location).hostname or host
        return _refusal(provider, 502, localized("relay.redirect", host=host, variable=VARIABLES[provider]))
    kept = {name: value for name, value in answer.getheaders() if name.lower() not in NOT_SENT_BACK}
    if (answer.getheader("content-type") or "").lower().startswith("text/event-stream"):
        return Reply(answer.status, kept, iter(()))
    try:
        with answer:
            return Reply(answer.status, kept, answer.read())
    except (OSError, http.client.HTTPException) as error:
        raise _Unreachable(_why(error, host)) from error


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise _Unreachable(localized("relay.unreachable", host=repr(url), reason="URL?")) from error


def _tls() -> ssl.SSLContext:
    """Trust what the SDKs trust: the system's own store, which knows a company's certificates."""
    try:
        import truststore
    except ImportError:
        return ssl.create_default_context()
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _why(error: Exception, host: str | None) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return localized("relay.certificate", host=host)
    # The class only: the text of an exception can repeat a header, and a header can be a key.
    return localized("relay.unreachable", host=host, reason=type(cause).__name__)


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
