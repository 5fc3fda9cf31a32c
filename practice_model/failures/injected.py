"""Injected faults: a service that fails, a connection that breaks, a model that goes wrong.

    with practice_model.faults("rate_limit", times=2):      the next two requests get 429
    with practice_model.faults("server_error", attempts=1): each first attempt fails, each retry goes well
    with practice_model.faults("unknown_tool", skip=1):     the second call is of a tool that nobody offered

or, for one request, the header `x-practice-fault: rate_limit` (also `rate_limit; attempts=1`).

Nothing here is left to chance. A fault only hits requests for an answer of the model (never a list of models
or a count of tokens); where it is not possible (a wrong argument where nothing is called), it waits for the
next one that allows it. The SDKs try again by themselves after 429, 5xx, a timeout and a broken connection,
two times unless set otherwise: `times=1` is healed by that, `times=3` reaches your program. So that nobody
waits, these answers say `retry-after-ms: 1`; `x-should-retry: false` says that trying again is of no use (an
empty account). A retry is known by the header `x-stainless-retry-count`.
"""

from __future__ import annotations

import json
import re
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..request import Decision, Request
from ..wires.api import Dropped, Refused, Reply
from ..wires.writing import event
from .sloppy import CALL_MISTAKES, TEXT_ONLY, spoil

# The errors of each service -----------------------------------------------------------------------


@dataclass(frozen=True)
class ServiceFailure:
    """How one service reports one kind of failure, in its own kinds, codes, messages and headers."""

    status: int
    kind: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else the body has: a "code" for OpenAI, the list of "details" for Gemini."""
    headers: Mapping[str, str] = field(default_factory=dict)


_FILE = Path(__file__).with_name("service_errors.toml")
ERROR_TABLES = {
    service: {name: ServiceFailure(**row) for name, row in rows.items()}
    for service, rows in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
"""By family of APIs: both of OpenAI's report alike."""


def family(api: str) -> str:
    """Return "openai" for openai_chat and openai_responses; else "anthropic" or "gemini"."""
    return next((name for name in ERROR_TABLES if api.startswith(name)), "anthropic")


def refused(name: str, api: str, model: str, retry_after: float) -> Refused:
    """Return the named failure as this API reports it.

    429 and 5xx are tried again by the SDKs on their own. `retry-after-ms`, which they read first, says
    for how long to wait before: without it a lesson would stand still for seconds.
    """
    row = ERROR_TABLES[family(api)][name]
    headers = dict(row.headers)
    if row.status >= 429:
        milliseconds = max(1, round(retry_after * 1000))
        headers |= {"retry-after": str(round(retry_after)), "retry-after-ms": str(milliseconds)}
    if name == "quota" and row.status == 429:
        headers["x-should-retry"] = "false"  # waiting does not fill an empty purse
    details = json.loads(json.dumps(dict(row.details)).replace("{seconds}", f"{retry_after:g}"))
    return Refused(row.status, row.kind, row.message.replace("{model}", model), details, headers)


def stream_error(api: str, error_body: Any, place: int) -> bytes:
    """Return an error as the event that follows `place` others; `error_body` is what error() wrote."""
    name = ""
    if family(api) == "anthropic":
        name, error_body = "error", {key: error_body[key] for key in ("type", "error") if key in error_body}
    elif api == "openai_responses":
        error = error_body.get("error", {})
        fields = {key: error.get(key) for key in ("code", "message", "param")}
        name, error_body = "error", {"type": "error", "sequence_number": place, **fields}
    return event(error_body, name)


# Faults --------------------------------------------------------------------------------------------

HEADER = "x-practice-fault"
SECONDS = 10.0
"""For how long the fault "timeout" holds an answer back, unless the client hangs up before."""

LONGEST = 3600

ERRORS = {
    "rate_limit": "too many requests: 429 with the provider's rate-limit headers",
    "quota": "the account is empty: 429, not retried (Anthropic: 400)",
    "overloaded": "the service is overloaded: 529 (Anthropic), 503 (others)",
    "server_error": "an internal error: 500",
    "unavailable": "the service is down: 503",
}
DELIVERY = {
    "timeout": "the answer is held back for `seconds`: give the client a shorter timeout",
    "connection_dropped": "the connection breaks before the answer",
    "stream_dropped": "the connection breaks in the middle of the answer",
    "stream_error": "an event stream ends in the middle with an error event",
}
ANSWERS = {
    "truncated": "max_tokens falls into the middle of the last call, or of the text",
    "refusal": "the model refuses",
    "filtered": "the service's filter stops the answer",
    "pause_turn": "a long turn pauses and wants to be sent back as it is (Anthropic)",
    "unknown_tool": "a call of a tool that nobody offered",
    "wrong_type": "an argument of the wrong type",
    "missing_argument": "a required argument is left out",
    "outside_enum": "a value that the enum does not have",
    "extra_argument": "an argument that the tool does not have",
    "truncated_json": "arguments whose text ends too early (OpenAI; Anthropic where it streams)",
    "doubled_json": "arguments that are encoded twice (OpenAI; Anthropic where it streams)",
    "broken_json": "arguments that are no JSON (OpenAI; Anthropic where it streams; Gemini reports them)",
}
NAMES = {**ERRORS, **DELIVERY, **ANSWERS}
"""Every fault, with what it does."""

APIS = ("anthropic", "openai", "openai_chat", "openai_responses", "gemini")
REFUSAL = "I can't help with that."
_ASKS_FOR_AN_ANSWER = re.compile(
    r".*(?:/messages|/chat/completions|/responses|:generateContent|:streamGenerateContent)/?"
)


class Fault:
    """One fault, in force inside its `with` block. `hits` counts the requests that it has hit.

    The options are those of `practice_model.faults`.
    """

    def __init__(
        self,
        name: str,
        *,
        times: int | None = None,
        api: str | None = None,
        skip: int = 0,
        attempts: int | None = None,
        seconds: float = SECONDS,
        retry_after: float = 0.001,
        owner: Faults | None = None,
    ) -> None:
        if name not in NAMES:
            raise ValueError(f"there is no fault {name!r}. There are: {', '.join(NAMES)}")
        if api is not None and api not in APIS:
            raise ValueError(f"api is {api!r}; use one of {', '.join(APIS)}, or leave it out for all")
        for option, value, least in (("times", times, 1), ("attempts", attempts, 1), ("skip", skip, 0)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise ValueError(f"{option} is {value!r}; use a whole number from {least} on")
        if not 0 < seconds <= LONGEST or not 0 <= retry_after <= LONGEST:
            raise ValueError(f"seconds must be greater than 0, retry_after not less, both at most {LONGEST}")
        self.name, self.api, self.attempts = name, api, attempts
        self.seconds, self.retry_after = seconds, retry_after
        self.left = 1 if times is None and attempts is None else times
        self.skip = skip
        self.hits = 0
        self._owner = owner

    def concerns(self, visit: Visit) -> bool:
        """Return whether it is meant for a request of this API and this attempt, if it is not used up."""
        if self.api is not None and visit.api != self.api and not visit.api.startswith(f"{self.api}_"):
            return False
        if self.attempts is not None and visit.retries >= self.attempts:
            return False
        return self.left is None or self.left > 0

    def __enter__(self) -> Fault:
        if self._owner:
            self._owner.add(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._owner:
            self._owner.remove(self)

    def __repr__(self) -> str:
        left = "without end" if self.left is None else f"{self.left} to come"
        return f"<fault {self.name}: {NAMES[self.name]}; hits: {self.hits}, {left}>"


class Faults:
    """The faults in force on one practice model, innermost first; may be used from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: list[Fault] = []

    def __call__(self, name: str, **options: Any) -> Fault:
        """Return a fault to be used with `with`; the options are those of `practice_model.faults`."""
        return Fault(name, owner=self, **options)

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._active.insert(0, fault)

    def remove(self, fault: Fault) -> None:
        with self._lock:
            self._active = [one for one in self._active if one is not fault]

    def take(self, visit: Visit, possible: Callable[[Fault], Any]) -> tuple[Fault, Any] | None:
        """Return the first fault that is possible for this request, with what `possible` gave; count it."""
        with self._lock:
            for fault in [*visit.own, *self._active]:
                found = possible(fault) if fault.concerns(visit) else None
                if not found:
                    continue
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                fault.hits += 1
                if fault.left is not None:
                    fault.left -= 1
                return fault, found
        return None


class Visit:
    """One request on its way: what goes wrong before, in and after the model's answer.

    Raises Refused where the request's header asks for a fault that there is not.
    """

    def __init__(self, faults: Faults, api: str, path: str, headers: Mapping[str, str], data: Any) -> None:
        self.faults, self.api = faults, api
        self.own = _from_header(headers.get(HEADER, ""))
        self.asks = bool(_ASKS_FOR_AN_ANSWER.fullmatch(path))
        body = data if isinstance(data, dict) else {}
        self.model = str(body.get("model") or path.rpartition("/")[2].partition(":")[0])[:100]
        self.streams = body.get("stream") is True or "streamGenerateContent" in path
        retries = headers.get("x-stainless-retry-count", "0")
        self.retries = int(retries) if retries.isdecimal() and len(retries) < 5 else 0

    def before(self) -> None:
        """Raise Refused where the service fails instead of answering."""
        found = self.asks and self.faults.take(self, lambda fault: fault.name in ERRORS)
        if found:
            fault = found[0]
            raise refused(fault.name, self.api, self.model, fault.retry_after)

    def spoil(self, decision: Decision, request: Request) -> Decision:
        """Return the decision, or what becomes of it where the model is to go wrong."""
        found = self.faults.take(self, lambda fault: self._spoiled(fault.name, decision, request))
        return found[1] if found else decision

    def _spoiled(self, name: str, decision: Decision, request: Request) -> Decision | None:
        if name in CALL_MISTAKES:
            return self._with_mistake(name, decision, request)
        ending = {"truncated": "cut", "refusal": "refusal", "filtered": "filtered", "pause_turn": "pause"}
        if name not in ending or (name == "pause_turn" and self.api != "anthropic"):
            return None
        ended = replace(decision, ending=ending[name], mistakes=(*decision.mistakes, f"fault: {name}"))
        if name in ("refusal", "filtered"):
            return replace(ended, text=REFUSAL if name == "refusal" else "", calls=())
        return ended

    def _with_mistake(self, name: str, decision: Decision, request: Request) -> Decision | None:
        if name in TEXT_ONLY:
            if self.api == "gemini" and decision.calls:
                return replace(decision, ending="malformed", mistakes=(f"fault: {name}",))
            if not (self.api.startswith("openai") or self.streams):
                return None
        return spoil(name, decision, request)

    def after(self, reply: Reply, error: Callable[[], Reply]) -> Reply:
        """Return the reply, or what becomes of it on its way; `error` makes the API's overload error."""
        if not self.asks or reply.status != 200:
            return reply
        in_stream = reply.headers.get("content-type", "").startswith("text/event-stream")
        found = self.faults.take(
            self, lambda fault: fault.name in DELIVERY and (in_stream or fault.name != "stream_error")
        )
        if not found:
            return reply
        fault = found[0]
        if fault.name == "timeout":
            return replace(reply, hold=fault.seconds)
        if fault.name == "connection_dropped":
            return Reply(0, {}, _broken([]))
        pieces = _first_half(reply.body)
        if fault.name == "stream_error":
            last = stream_error(self.api, json.loads(error().body), len(pieces))
            return replace(reply, body=iter([*pieces, last]))
        return replace(reply, body=_broken(pieces))


def _first_half(body: bytes | Iterator[bytes]) -> list[bytes]:
    if isinstance(body, bytes):
        return [body[: len(body) // 2]]
    pieces = list(body)
    return pieces[: max(1, len(pieces) // 2)]


def _broken(pieces: list[bytes]) -> Iterator[bytes]:
    yield from pieces
    raise Dropped("as a fault asked for")


def _from_header(text: str) -> tuple[Fault, ...]:
    """Return the fault that a request asks for itself: `rate_limit`, or `rate_limit; attempts=1`."""
    if not text.strip():
        return ()
    name, *options = [part.strip() for part in text.split(";")]
    try:
        pairs = dict(option.split("=", 1) for option in options)
        if pairs.keys() - {"attempts", "seconds", "retry_after"}:
            raise ValueError("the header takes attempts=, seconds= and retry_after=")
        numbers = {key: int(value) if key == "attempts" else float(value) for key, value in pairs.items()}
        return (Fault(name, **numbers),)
    except (TypeError, ValueError) as error:
        raise Refused(400, "invalid_request_error", f"{HEADER}: {error}") from None
