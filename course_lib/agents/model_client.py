"""Asking a model: with the history as its API wants it, in the time of the run, again where that helps."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

from ..errors import CourseError, ServiceError
from ..execution.retrying import Retrying
from ..providers import history, module_of
from ..providers.clients import Model, client_for
from ..providers.shared import checked
from .agent import AgentRequest

_BEFORE = history.user("(what came before)")


class WireHistory:
    """A history as one API gets it. It grows with each turn, and only what is new is read and checked.

    `to_wire` reads the whole history, and a run of 200 turns would do so 200 times.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._wire: list[Any] = []
        self._written = 0

    def of(self, turns: list[dict[str, Any]]) -> list[Any]:
        """Return the messages for these turns: those of the last time, and new ones behind them."""
        provider = self.model.provider
        new = [self._sendable(turn) for turn in turns[self._written :]]
        if self._written and self._stands_alone(new):
            self._wire += history.to_wire([_BEFORE, *new], provider)[1:]
        else:
            self._wire = history.to_wire([self._sendable(turn) for turn in turns], provider)
        self._written = len(turns)
        return self._wire

    def _stands_alone(self, new: list[dict[str, Any]]) -> bool:
        """Return whether turns leave what was written before as it is: calls of the model, then results."""
        return (
            len(new) > 1
            and bool(new[0].get("calls"))
            and new[0].get("provider") == self.model.provider
            and all(turn["role"] == "tool" for turn in new[1:])
        )

    def _sendable(self, turn: dict[str, Any]) -> dict[str, Any]:
        """Return a turn without what only the server that sent it knows: many speak Chat Completions."""
        provider, wire = turn.get("provider"), turn.get("wire")
        mine = turn.get("model") == self.model.id
        if mine or provider not in history.PROVIDERS or not isinstance(wire, list):
            return turn
        return {**turn, "wire": module_of(provider).known_fields(wire)}


class ModelClient:
    """A model to be asked: its client, and how often to ask where the service or the network fails."""

    def __init__(self, request: AgentRequest, asynchronous: bool, retrying: Retrying) -> None:
        self.model, self.provider = request.model, request.provider
        self.asynchronous = asynchronous
        self.client = client_for(self.model, asynchronous)
        # The program's own client asks again as often as it was made to.
        self.retrying = retrying if self.model.client is None else Retrying(attempts=1)

    async def ask(self, body: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        """Return the model's answer, as the service sent it, within so many seconds.

        With a client that waits, they hold for what the SDK's timeout covers: the connection, and each time
        that nothing arrives. An answer that comes in small pieces, and slowly, may take longer.
        """
        deadline = _Deadline(seconds)
        async for attempt in self._attempts(seconds):
            with attempt:
                try:
                    sent = self.provider.send(self.client, body, _send_options(attempt.number, deadline))
                    answer = self.provider.read_answer(await deadline.ended(sent))
                    return checked(answer, self.provider.RESPONSE_FIELDS)
                except Exception as error:
                    if not _is_no_json(error):
                        raise
                    raise ServiceError(f"The service sent what is no JSON: {str(error)[:500]}") from error

    async def stream(
        self, body: dict[str, Any], seconds: float | None, keep: Callable[[dict[str, Any]], Any]
    ) -> AsyncIterator[str]:
        """Yield the text of the answer in pieces, as they arrive; `keep` gets the whole answer at the end.

        A stream that breaks is asked for again only before its first piece: what was shown, was shown.
        """
        events: list[Any] = []
        answer, deadline = None, _Deadline(seconds)
        async with AsyncExitStack() as opened:
            async for attempt in self._attempts(seconds):
                with attempt:
                    events.clear()
                    sent = self.provider.stream(self.client, body, _send_options(attempt.number, deadline))
                    stream = _Values(await deadline.ended(sent), deadline)
                    opened.push_async_callback(stream.aclose)
                    async for event in stream:
                        events.append(event)
                        if self._text_in(event):
                            break
                    else:
                        answer = self._merged(events)
            if answer is None:
                yield self._text_in(events[-1])
                async for event in stream:
                    events.append(event)
                    if piece := self._text_in(event):
                        yield piece
                answer = self._merged(events)
        keep(answer)

    def turn(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the turn of a history that an answer is. Raise ServiceError where it can be none."""
        try:
            return history.assistant(answer, self.model.provider, self.model.id)
        except CourseError as error:
            raise ServiceError(
                f"{self.model.id} answered with what cannot be read as the answer of a model ({error}): "
                f"{str(answer)[:500]}"
            ) from error

    def _text_in(self, event: Any) -> str:
        try:
            text = self.provider.text_in(event)
        except (AttributeError, LookupError, TypeError) as error:
            raise ServiceError(f"The service sent an event that is none: {str(event)[:500]}") from error
        return text if isinstance(text, str) else ""

    def _merged(self, events: list[Any]) -> dict[str, Any]:
        """Return the answer that came in these events. Raise ServiceError where it can be none."""
        if not events:
            raise ServiceError(
                f"{self.model.id} was asked for a stream, and what came holds no event of one. Look at the "
                "address of the service: a web page, or an answer in one piece, is read like this."
            )
        try:
            answer = self.provider.merge_stream(events)
        except CourseError as error:
            raise ServiceError(f"The service sent a stream that cannot be read: {error}") from error
        return checked(answer, self.provider.RESPONSE_FIELDS)

    def _attempts(self, seconds: float | None) -> AsyncIterator[Any]:
        most = self.retrying.most_seconds if seconds is None else min(self.retrying.most_seconds, seconds)
        retrying = Retrying(self.retrying.attempts, most, self.retrying.sleep)
        return aiter(retrying) if self.asynchronous else _Values(iter(retrying), _Deadline(None))


class _Deadline:
    """The end of the time that an answer may take; None for any time."""

    def __init__(self, seconds: float | None) -> None:
        self._ends = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        return None if self._ends is None else max(0.001, self._ends - time.monotonic())

    def check(self) -> None:
        """Raise TimeoutError if it is over."""
        if self._ends is not None and time.monotonic() > self._ends:
            raise TimeoutError("the answer took longer than it may")

    async def ended(self, value: Any) -> Any:
        """Return what a client gave, from an async one when it is there. Raise TimeoutError if it is late."""
        if not inspect.isawaitable(value):
            return value
        async with asyncio.timeout(self.left()):
            return await value


def _send_options(number: int, deadline: _Deadline) -> dict[str, Any]:
    """Return what a request is sent with: its time limit, and the number of the attempt, as SDKs send it."""
    left = deadline.left()
    options: dict[str, Any] = {} if left is None else {"timeout": left}
    if number > 1:
        options["headers"] = {"x-stainless-retry-count": str(number - 1)}
    return options


def _is_no_json(error: Exception) -> bool:
    # The last by its name, as Gemini's SDK need not be installed.
    kinds = json.JSONDecodeError | UnicodeDecodeError
    return isinstance(error, kinds) or type(error).__name__ == "UnknownApiResponseError"


class _Values:
    """The values of an iterator, async or not. Raises TimeoutError for one that comes after the deadline."""

    def __init__(self, values: Any, deadline: _Deadline) -> None:
        self._source, self._deadline = values, deadline
        self._waits = not hasattr(values, "__aiter__")
        self._values = iter(values) if self._waits else aiter(values)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            if not self._waits:
                return await self._deadline.ended(anext(self._values))
            found = next(self._values, self)  # itself for the end
        except (CourseError, StopAsyncIteration):
            raise
        except ValueError as error:  # an SDK read what should have been an event
            raise ServiceError(
                f"The service sent an event that cannot be read: {str(error)[:500]}"
            ) from error
        if found is self:
            raise StopAsyncIteration
        self._deadline.check()
        return found

    async def aclose(self) -> None:
        """Close what it holds open."""
        for one in dict.fromkeys((self._values, self._source)):
            close = getattr(one, "aclose", None) or getattr(one, "close", None)
            closed = None if close is None else close()
            if inspect.isawaitable(closed):
                await closed
