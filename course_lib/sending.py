"""Sending a conversation to a model: the history as its API wants it, asked again where that helps."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from typing import Any

from . import history
from .clients import client_for
from .history.turns import module_of
from .offers import Offer
from .retrying import Retrying

__all__ = ["Line", "Sent"]

_BEFORE = history.user("(what came before)")


class Sent:
    """A history as one API gets it. It grows with each turn, and only what is new is read and checked.

    `to_wire` reads the whole history, and a run of 200 turns would do so 200 times.
    """

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self._wire: list[Any] = []
        self._written = 0

    def of(self, turns: list[dict[str, Any]]) -> list[Any]:
        """The messages for these turns, of which those of the last time are a part."""
        new = turns[self._written :]
        if self._written and self._stands_alone(new):
            self._wire += history.to_wire([_BEFORE, *new], self.provider)[1:]
        else:
            self._wire = history.to_wire(turns, self.provider)
        self._written = len(turns)
        return self._wire

    def _stands_alone(self, new: list[dict[str, Any]]) -> bool:
        """Whether turns leave what was written before as it is: the model's own calls and their results."""
        return (
            len(new) > 1
            and bool(new[0].get("calls"))
            and new[0].get("provider") == self.provider
            and all(turn["role"] == "tool" for turn in new[1:])
        )


class Line:
    """The way to a model: its client, and how often to ask where the service or the network fails."""

    def __init__(self, offer: Offer, asynchronous: bool, retrying: Retrying) -> None:
        self.model, self.wire = offer.model, offer.wire
        self.asynchronous = asynchronous
        self.client = client_for(self.model, asynchronous)
        # The program's own client asks again as often as it was made to.
        self.retrying = retrying if self.model.client is None else Retrying(attempts=1)

    async def ask(self, body: dict[str, Any], seconds: float | None) -> dict[str, Any]:
        """The model's answer, as the service sent it."""
        async for attempt in self._attempts(seconds):
            with attempt:
                sent = await _ended(self.wire.create(self.client, body, _how(attempt.number, seconds)))
                return self.wire.answer(sent)

    async def stream(
        self, body: dict[str, Any], seconds: float | None, keep: Callable[[dict[str, Any]], Any]
    ) -> AsyncIterator[str]:
        """The pieces of text of the answer as they arrive; the whole of it is given to `keep` at the end.

        A stream that breaks is asked for again only before its first piece: what was shown, was shown.
        """
        events: list[Any] = []
        async for attempt in self._attempts(seconds):
            with attempt:
                events.clear()
                how = _how(attempt.number, seconds)
                stream = _each(await _ended(self.wire.stream(self.client, body, how)))
                async for event in stream:
                    events.append(event)
                    if self.wire.text_in(event):
                        break
        if events and (piece := self.wire.text_in(events[-1])):
            yield piece
        async for event in stream:
            events.append(event)
            if piece := self.wire.text_in(event):
                yield piece
        keep(module_of(self.model.provider).merge_stream(events))

    def _attempts(self, seconds: float | None) -> AsyncIterator[Any]:
        most = self.retrying.most_seconds if seconds is None else min(self.retrying.most_seconds, seconds)
        retrying = Retrying(self.retrying.attempts, most, self.retrying.sleep)
        return _each(retrying if self.asynchronous else iter(retrying))


def _how(number: int, seconds: float | None) -> dict[str, Any]:
    """What a request is sent with: how long it may take, and which attempt it is, as the SDKs tell it."""
    how: dict[str, Any] = {} if seconds is None else {"timeout": seconds}
    if number > 1:
        how["headers"] = {"x-stainless-retry-count": str(number - 1)}
    return how


async def _ended(value: Any) -> Any:
    """What a client gave: from an async one, when it is there."""
    return await value if inspect.isawaitable(value) else value


async def _each(values: Any) -> AsyncIterator[Any]:
    """The values of an iterator of either kind. What it holds open is closed at the end."""
    try:
        if hasattr(values, "__aiter__"):
            async for value in values:
                yield value
        else:
            for value in values:
                yield value
    finally:
        close = getattr(values, "aclose", None) or getattr(values, "close", None)
        if close is not None:
            await _ended(close())
