"""Checkers of lesson 08: an exception in words, how long to wait, and a loop that notices repetition."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...tools import ToolCall, ToolResult
from .helpers import call, expect, expect_returned, expect_type, explained
from .running import checker

_MOST = 300
_PASSWORD = "tr0ub4dor-and-a-battery-staple-of-shop-77"


@checker("08.a")
def check_08_a(explain: Any) -> None:
    for kind, message in (
        (ValueError, "destination must be a country code"),
        (KeyError, "sku"),
        (TimeoutError, ""),
    ):
        got = _explanation(explain, "find_order", kind(message) if message else kind())
        expect("find_order" in got, "no_tool", got=got)
        expect(kind.__name__ in got, "no_kind", kind=kind.__name__, got=got)
        expect(message in got, "no_message", said=message, got=got)
    got = _explanation(explain, "track_parcel", _raised())
    expect("Traceback" not in got and 'File "' not in got, "stack")
    url = "https://courier.example/track?number=1042&api_key=k7Qd2x91Lm"
    got = _explanation(explain, "track_parcel", ConnectionError(f"no answer from {url}"))
    expect("k7Qd2x91Lm" not in got, "secret", got=got)
    expect("number=1042" in got, "hides_all", got=got)
    got = _explanation(explain, "read_log", ValueError("line too long: " + "x" * 5000))
    expect(len(got) <= _MOST, "too_long", got=len(got))
    # Wherever the text is cut, the cut falls into the password once.
    for before in range(150, _MOST, 10):
        error = ConnectionError("x" * before + f" postgresql://shop:{_PASSWORD}@db.example/shop")
        got = _explanation(explain, "find_order", error)
        expect(_PASSWORD[:8] not in got, "half_secret", got=got[-40:])


def _explanation(explain: Any, name: str, error: Exception) -> str:
    got = call(explain, name, error)
    expect_returned(got, str, "explain(name, error)")
    return got


def _raised() -> Exception:
    """Return an exception that has a stack."""
    try:
        raise ConnectionError("no answer")
    except ConnectionError as error:
        return error


@checker("08.b")
def check_08_b(wait_before: Any) -> None:
    for attempt, seconds in enumerate((0.5, 1, 2, 4)):
        _expect_wait(wait_before, _status(429), attempt, seconds, "backoff")
    _expect_wait(wait_before, _status(503), 5, 8, "no_cap")
    _expect_wait(wait_before, _status(503), 40, 8, "no_cap")
    with explained("no_response", AttributeError):
        for timed_out in (False, True):
            _expect_wait(wait_before, _no_connection(timed_out), 1, 1, "no_connection")
    for status in (408, 409, 500, 529):
        _expect_wait(wait_before, _status(status), 0, 0.5, "worth", status=status)
    for status in (400, 401, 402, 403, 404, 413, 422):
        for headers in ({}, {"retry-after": "2"}):
            got = call(wait_before, _status(status, **headers), 0)
            expect(got is None, "hopeless", status=status, got=repr(got))
    for asked, attempt in (("3", 0), ("20", 3), ("60", 1), ("2.5", 1)):
        error = _status(429, **{"retry-after": asked})
        _expect_wait(wait_before, error, attempt, float(asked), "asked", asked=asked)
    _expect_wait(wait_before, _status(529, **{"retry-after": "0"}), 2, 0, "asked_zero")
    for asked in ("300", "61"):
        got = call(wait_before, _status(429, **{"retry-after": asked}), 0)
        expect(got is None, "impatient", asked=asked, got=repr(got))


def _expect_wait(
    wait_before: Any, error: Exception, attempt: int, seconds: float, key: str, **values: Any
) -> None:
    got = call(wait_before, error, attempt)
    expect(got is not None, "gives_up", error=type(error).__name__, status=getattr(error, "status_code", "-"))
    expect(not isinstance(got, str), "text", got=repr(got))
    expect_type(got, (int, float), "wait_before(error, attempt)")
    expect(abs(got - seconds) < 1e-9, key, attempt=attempt, expected=seconds, got=got, **values)


_CLASSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    402: "PaymentRequiredError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    408: "RequestTimeoutError",
    409: "ConflictError",
    413: "ContentTooLargeError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
    529: "OverloadedError",
}


def _status(status: int, **headers: str) -> Exception:
    """Return the SDK's own exception for an answer with this status."""
    import anthropic
    import httpx2

    response = httpx2.Response(status, headers=headers, request=_request())
    return getattr(anthropic, _CLASSES[status])(f"Error code: {status}", response=response, body=None)


def _no_connection(timed_out: bool) -> Exception:
    import anthropic

    kind = anthropic.APITimeoutError if timed_out else anthropic.APIConnectionError
    return kind(request=_request())


def _request() -> Any:
    import httpx2

    return httpx2.Request("POST", "https://service.example/v1/messages")


_REASON = "There is no order {n}: check the number."


class _ScriptedCall(NamedTuple):
    """A call that the script makes, and whether it fails."""

    arguments: dict[str, Any]
    fails: bool
    name: str = "find_order"


class _Script:
    """A model that makes these calls, one list for each request, and tools that fail as they say."""

    def __init__(self, *steps: list[_ScriptedCall], beside: str = "") -> None:
        self.steps, self.beside = steps, beside
        self.asked, self.ran, self.results = 0, 0, [[]]

    def ask(self, results: Any) -> tuple[str, list[ToolCall]]:
        expect_type(results, list, "results")
        expect(self.asked < 12, "endless")
        expect(results == self.results[-1], "not_sent", got=len(results), expected=len(self.results[-1]))
        step = self.steps[min(self.asked, len(self.steps) - 1)]
        self.asked += 1
        calls = [
            ToolCall(f"call_{self.asked}_{n}", one.name, dict(one.arguments)) for n, one in enumerate(step)
        ]
        return (self.beside if calls else "All is well."), calls

    def run(self, calls: list[ToolCall]) -> list[ToolResult]:
        self.ran += 1
        expect_type(calls, list, "calls")
        step = self.steps[min(self.asked, len(self.steps)) - 1]
        expect(len(calls) == len(step), "run_in_parts", got=len(calls), expected=len(step))
        made = [
            ToolResult(one.id, one.name, _REASON.format(n=one.arguments.get("number")), is_error=of.fails)
            for one, of in zip(calls, step, strict=True)
        ]
        self.results.append(made)
        return made


@checker("08.c")
def check_08_c(until_done: Any) -> None:
    script = _Script([])
    got = call(until_done, script.ask, script.run)
    expect(got is not None, "returns_none")
    expect(got == "All is well.", "no_calls", got=repr(got))
    expect(not script.ran, "runs_nothing")
    found = _ScriptedCall({"number": 1042}, False)
    _expect_done(until_done, "works", [found], [])
    _expect_done(until_done, "text_beside", [found], [], beside="I will look that up.")
    _expect_done(until_done, "too_early", [_ScriptedCall({"number": 7}, True)], [found], [])
    once = [_ScriptedCall({"number": 7}, False)]
    _expect_done(until_done, "successes", once, once, once, [])
    others = [[_ScriptedCall({"number": n}, True)] for n in range(7, 11)]
    _expect_done(until_done, "other_arguments", *others, [])
    one, another = (_ScriptedCall({"number": 7}, True, name) for name in ("find_order", "track_parcel"))
    _expect_done(until_done, "other_tool", [one], [another], [])
    _expect_done(until_done, "other_tool", [one, another], [])

    failing = [_ScriptedCall({"number": 7, "full": True}, True)]
    _expect_stop(until_done, "same", 2, failing, failing)
    _expect_stop(until_done, "order_of_keys", 2, failing, [_ScriptedCall({"full": True, "number": 7}, True)])
    _expect_stop(until_done, "in_between", 3, failing, [found], failing)
    _expect_stop(until_done, "second_call", 2, [found, *failing], [found, *failing])

    script = _Script(*[[_ScriptedCall({"number": n}, True)] for n in range(20, 40)])
    got = call(until_done, script.ask, script.run)
    expect(script.asked == 5, "cap", got=script.asked)
    expect(got is not None, "silent")
    expect_type(got, str, "until_done(ask, run)")
    expect(got.strip(), "silent")


def _expect_done(until_done: Any, key: str, *steps: list[_ScriptedCall], beside: str = "") -> None:
    script = _Script(*steps, beside=beside)
    got = call(until_done, script.ask, script.run)
    expect(got == "All is well.", key, got=repr(got), asked=script.asked)


def _expect_stop(until_done: Any, key: str, asks: int, *steps: list[_ScriptedCall]) -> None:
    script = _Script(*steps)
    got = call(until_done, script.ask, script.run)
    expect(script.asked == asks, key, got=script.asked, expected=asks)
    expect_type(got, str, "until_done(ask, run)")
    expect("find_order" in got, "no_tool", got=got)
    expect(_REASON.format(n=7) in got, "no_reason", got=got)
