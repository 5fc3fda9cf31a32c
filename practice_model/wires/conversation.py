"""How the calls and results of a history belong together, for every API.

An API reads its history into `WireTurn`s, message by message, and says which neighbours are one turn to it
(`grouped`). A `Round` is what then belongs together: the calls of a turn, and the results in the turn after
it. The finders look through the rounds for their first violation and return what a rule's texts need; the
words are in each API's own table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..request import ConversationTurn
from .api import Found


class WireLink(NamedTuple):
    """A tool call or a tool result, and where it stands."""

    id: str
    n: int
    """The index of its message."""
    m: int = 0
    """Its own index in that message."""

    @property
    def place(self) -> tuple[int, int]:
        return self.n, self.m


class WireTurn(NamedTuple):
    """What one side says, as far as calls and results go."""

    of_model: bool
    n: int
    """The index of its first message."""
    calls: list[WireLink]
    results: list[WireLink]


class Round(NamedTuple):
    """The calls of one turn, and the results where they are expected."""

    calls: list[WireLink]
    results: list[WireLink]


def grouped(messages: Iterable[WireTurn], together: Callable[[WireTurn, WireTurn], bool]) -> list[WireTurn]:
    """Return the messages as turns: neighbours are one turn where `together` says so."""
    turns: list[WireTurn] = []
    for message in messages:
        if turns and together(turns[-1], message):
            turns[-1].calls.extend(message.calls)
            turns[-1].results.extend(message.results)
        else:
            turns.append(message)
    return turns


def rounds(turns: Iterable[WireTurn]) -> Iterator[Round]:
    """Yield the rounds of a history whose results have to come in the turn right after the calls."""
    calls: list[WireLink] = []
    for turn in turns:
        if calls or turn.results:
            yield Round(calls, turn.results)
        calls = turn.calls
    if calls:
        yield Round(calls, [])


def over(
    read: Callable[[Any], Iterable[Round]], find: Callable[[Iterable[Round]], Found]
) -> Callable[[Any], Found]:
    """Return a finder for requests that looks through their rounds."""
    return lambda request: find(read(request))


# Finders --------------------------------------------------------------------------------------------


def repeated_call(found: Iterable[Round]) -> Found:
    """Find a call with the id of an earlier one of its turn."""
    return _repeated(one.calls for one in found)


def repeated_result(found: Iterable[Round]) -> Found:
    """Find a second result for one call; `first` is the message of the first."""
    return _repeated(one.results for one in found)


def _repeated(groups: Iterable[list[WireLink]]) -> Found:
    for links in groups:
        seen: dict[str, WireLink] = {}
        for link in links:
            if link.id in seen:
                return {"n": link.n, "m": link.m, "id": link.id, "first": seen[link.id].n}
            seen[link.id] = link
    return None


def call_without_result(found: Iterable[Round]) -> Found:
    """Find the calls of a turn that have no result; `next` is the message where one is missing."""
    for calls, results in found:
        answered = {result.id for result in results}
        missing = [call for call in calls if call.id not in answered]
        if missing:
            ids = ", ".join(call.id for call in missing)
            last = (results or calls)[-1]
            return {"n": missing[0].n, "id": missing[0].id, "ids": ids, "next": last.n + 1}
    return None


def result_without_calls(found: Iterable[Round]) -> Found:
    """Find a result where no call comes before."""
    for calls, results in found:
        if results and not calls:
            return {"n": results[0].n, "m": results[0].m, "id": results[0].id}
    return None


def result_of_no_call(found: Iterable[Round]) -> Found:
    """Find a result whose id is that of no call before it."""
    for calls, results in found:
        first: dict[str, WireLink] = {}
        for call in calls:
            first.setdefault(call.id, call)
        for result in results:
            if result.id not in first or first[result.id].place > result.place:
                return {"n": result.n, "m": result.m, "id": result.id}
    return None


# To the neutral request -------------------------------------------------------------------------


def merged(turns: Iterable[ConversationTurn]) -> tuple[ConversationTurn, ...]:
    """Return the history with what one side says in a row as one turn."""
    found: list[ConversationTurn] = []
    for turn in turns:
        if found and found[-1].role == turn.role:
            last = found.pop()
            text = "\n\n".join(text for text in (last.text, turn.text) if text)
            turn = ConversationTurn(
                turn.role,
                text,
                last.calls + turn.calls,
                last.results + turn.results,
                last.media + turn.media,
            )
        found.append(turn)
    return tuple(found)
