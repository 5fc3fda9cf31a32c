"""Asking again after an error of the service or the network: when that helps, how long to wait, when to stop.

    ask = Retrying(attempts=4, most_seconds=60)
    response = ask(client.messages.create, model=..., max_tokens=..., messages=...)
    response = await ask.run_async(client.messages.create, ...)      # with an async client

    for attempt in Retrying():                                       # where it is more than one call,
        with attempt:                                                # such as reading a stream to its end
            text = read(client.messages.create(..., stream=True))

The SDKs retry by themselves, so this is for what they leave out. What they do (anthropic 2.14, openai 3.57,
google-genai 3.6, read in their sources):

    anthropic, openai   two retries, after 408, 409, 429, 5xx and broken connections; they wait as long as
                        retry-after says (anthropic without limit, openai gives up over 120 s), else 0.5 to
                        8 s. No limit for all attempts together; a stream that breaks is not asked for again.
    google-genai        none, unless HttpOptions(retry_options=...) is given; retry-after is not read.

So that not both retry, give the client `max_retries=0`. Written by hand rather than with tenacity: which
errors, how long, and within what time would have to be written in any case; the rest is a loop.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any

from ..errors import CourseError
from ..providers import all_modules

FIRST, LONGEST = 0.5, 8.0
"""Seconds to wait where the service does not say how long: doubled each time up to the longest, as the SDKs
do."""

_STATUSES = (408, 409, 429)
_NEVER = (501, 505)  # permanent: not implemented, HTTP version not supported
# Errors of the SDKs' HTTP clients, by package and class, so that none need be imported.
_TRANSPORT_ERRORS = {
    ("httpx", "TransportError"),
    ("httpx2", "TransportError"),
    ("aiohttp", "ClientConnectionError"),
    ("builtins", "ConnectionError"),
    ("builtins", "TimeoutError"),
}
# Mistakes of the program, before anything was sent: a wrong address or header.
_OUR_MISTAKES = {"UnsupportedProtocol", "LocalProtocolError", "InvalidURL"}


def worth_retrying(error: BaseException) -> bool:
    """Return whether the same request may go well a moment later.

    It may after a rate limit (429), an overload (529), a failure of the service (5xx), a timeout (408), a
    conflict (409), a connection that broke. It never will where the request (400, 413, 422), the key (401,
    403), the address (404) or the account (402, an empty one with 429) is wrong. A service that says itself
    whether to retry (x-should-retry) is believed.
    """
    advice = _headers(error).get("x-should-retry")
    if advice in ("true", "false"):
        return advice == "true"
    if "insufficient_quota" in (_text(error, "code"), _text(error, "type")):
        return False
    status = _status(error)
    if status is None or status < 300:  # an error in the middle of an answer that began well
        return _of_the_service(error) or _connection_broke(error)
    return status in _STATUSES or (status >= 500 and status not in _NEVER)


def seconds_to_wait(error: BaseException) -> float | None:
    """Return how long the service asks to wait before the next request; None where it does not say.

    Read from `retry-after-ms`, from `retry-after` (seconds or a date), or from Gemini's `retryDelay`.
    """
    headers = _headers(error)
    milliseconds = _number(headers.get("retry-after-ms"))
    found = [
        None if milliseconds is None else milliseconds / 1000,
        _number(headers.get("retry-after")),
        _until(headers.get("retry-after")),
        *(one.retry_delay(error) for one in all_modules()),
    ]
    return next((max(0.0, one) for one in found if one is not None), None)


class Retrying:
    """Asks again while it is worth it: at most `attempts` times, and never for longer than `most_seconds`.

    Waits as long as the service says, or else 0.5 s, 1 s, 2 s ... 8 s, shortened at random by up to a
    quarter. If it would have to wait beyond `most_seconds`, it gives up at once. The last error is raised
    as it is. `sleep(seconds)` replaces the waiting in tests.
    """

    def __init__(
        self,
        attempts: int = 4,
        most_seconds: float = 60,
        sleep: Callable[[float], Any] | None = None,
    ) -> None:
        if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
            raise CourseError(f"attempts is {attempts!r}; write how often to ask, the first time included.")
        if not isinstance(most_seconds, int | float) or not most_seconds >= 0:
            raise CourseError(
                f"most_seconds is {most_seconds!r}; write the seconds for all attempts together."
            )
        self.attempts, self.most_seconds, self.sleep = attempts, most_seconds, sleep

    def __call__(self, request: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Return what the request returns, asked again where that is worth it."""
        _check(request)
        for attempt in self:
            with attempt:
                found = request(*args, **kwargs)
                if inspect.isawaitable(found):
                    if inspect.iscoroutine(found):
                        found.close()
                    raise CourseError(
                        "The request is asynchronous; write await retrying.run_async(request, ...)."
                    )
                return found

    async def run_async(self, request: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Return the same of a request that is awaited, without blocking the loop."""
        _check(request)
        async for attempt in self:
            with attempt:
                found = request(*args, **kwargs)
                if not inspect.isawaitable(found):
                    raise CourseError("The request is not asynchronous; write retrying(request, ...).")
                return await found

    def __iter__(self) -> Iterator[Attempt]:
        for attempt in self._attempts():
            yield attempt
            if attempt.wait is not None:
                sleep = time.sleep if self.sleep is None else self.sleep
                sleep(attempt.wait)

    def __aiter__(self) -> AsyncIterator[Attempt]:
        return _AsyncAttempts(self._attempts(), asyncio.sleep if self.sleep is None else self.sleep)

    def _attempts(self) -> Iterator[Attempt]:
        started, waited = time.monotonic(), 0.0
        for number in range(1, self.attempts + 1):
            # The larger of the two: an injected `sleep` may return at once.
            attempt = Attempt(
                number,
                number == self.attempts,
                lambda waited=waited: self.most_seconds - max(waited, time.monotonic() - started),
            )
            yield attempt
            if attempt.wait is None:
                return
            waited += attempt.wait


class _AsyncAttempts:
    """The attempts, with what awaits between them. No generator: one that is left half read, as this is with
    every attempt that goes well, would leave its loop a task to close it."""

    def __init__(self, attempts: Iterator[Attempt], sleep: Callable[[float], Any]) -> None:
        self._attempts, self._sleep = attempts, sleep
        self._last: Attempt | None = None

    def __aiter__(self) -> AsyncIterator[Attempt]:
        return self

    async def __anext__(self) -> Attempt:
        if self._last is not None and self._last.wait is not None:
            waiting = self._sleep(self._last.wait)
            if inspect.isawaitable(waiting):
                await waiting
        self._last = next(self._attempts, None)
        if self._last is None:
            raise StopAsyncIteration
        return self._last


class Attempt:
    """One time of asking: the `with` block around it swallows an error after which to ask again."""

    def __init__(self, number: int, last: bool, seconds_left: Callable[[], float]) -> None:
        self.number = number
        self.error: Exception | None = None
        self.wait: float | None = None
        """Seconds until the next one; None where there is to be none."""
        self._last, self._seconds_left = last, seconds_left

    def __enter__(self) -> Attempt:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or self._last or not worth_retrying(error):
            return False
        growing = min(FIRST * 2 ** min(self.number - 1, 10), LONGEST)
        # Not all who were turned away come back in the same moment.
        wait = seconds_to_wait(error) or growing * random.uniform(0.75, 1)
        if wait > self._seconds_left():
            return False
        self.error, self.wait = error, wait
        return True


def _check(request: Any) -> None:
    if not callable(request):
        raise CourseError(
            f"The request is a {type(request).__name__}, and must be a function that is called again where "
            "that is worth it: write retrying(client.messages.create, model=...), without calling it."
        )


def _status(error: BaseException) -> int | None:
    """Return the HTTP status: `status_code` in anthropic and openai, `code` in google-genai."""
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _headers(error: BaseException) -> dict[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    try:
        return {str(name).lower(): str(value) for name, value in dict(headers or {}).items()}
    except (TypeError, ValueError):
        return {}


def _text(error: BaseException, name: str) -> str:
    value = getattr(error, name, None)
    return value if isinstance(value, str) else ""


def _of_the_service(error: BaseException) -> bool:
    return any(
        _text(error, "type") in one.SERVICE_ERROR_TYPES
        or _text(error, "code") in (*one.SERVICE_ERROR_TYPES, *one.SERVICE_ERROR_CODES)
        for one in all_modules()
    )


def _connection_broke(error: BaseException) -> bool:
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__
    if any(type(one).__name__ in _OUR_MISTAKES for one in causes):
        return False
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(error).__mro__}
    of_the_sdks = {(one.SDK, name) for one in all_modules() for name in one.CONNECTION_ERRORS}
    return bool(kinds & (_TRANSPORT_ERRORS | of_the_sdks))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _until(text: str | None) -> float | None:
    """Return the seconds until a date in a header."""
    try:
        when = parsedate_to_datetime(text or "")
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return (when - datetime.now(UTC)).total_seconds()
