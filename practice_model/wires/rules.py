"""Rules: what is looked for in a request, and the service's words where it is found.

An API has `Rules`, and a finder for each: a function that yields, for each violation, the values that the
message needs. What calls and results of a history have to do with each other is the same for all APIs. An API
reads its history into `WireTurn`s, message by message, and says which neighbours are one turn to it
(`grouped`). A `Round` is what then belongs together: the calls of a turn, and the results in the turn after
it. The finders below look through the rounds; the words are each API's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .api import Refused

Found = Iterable[dict[str, Any]]
"""What a finder has found."""
Finder = Callable[[Any], Found]


def when(condition: object, **values: Any) -> Found:
    """Return what has been found where there is one condition: the values, or nothing."""
    return [values] if condition else []


def repeated(names: Iterable[str]) -> Iterator[str]:
    """Yield the names that have come before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)


class WireRule(NamedTuple):
    """What is looked for in a request, and what the service says and answers where it is found."""

    find: Finder
    message: str
    param: str | None
    code: str | None
    status: int


class Rules:
    """What an API refuses, in the order in which it is looked for."""

    def __init__(self, kind: str = "invalid_request_error") -> None:
        self._kind = kind
        self._rules: list[WireRule] = []

    def add(
        self, find: Finder, message: str, param: str | None = None, code: str | None = None, status: int = 400
    ) -> None:
        """Add a rule: what the finder finds is refused with this message.

        The words are those of the real service; what stands in round brackets at their end is the practice
        model's own help. `param` is OpenAI's name for the place: its errors have a field for it.
        """
        self._rules.append(WireRule(find, message, param, code, status))

    def refuse(self, message: str, *more: Any, **named: Any) -> Callable[[Finder], Finder]:
        """Return a decorator that adds a rule for the finder below it; the arguments are those of `add`."""

        def decorate(find: Finder) -> Finder:
            self.add(find, message, *more, **named)
            return find

        return decorate

    def violations(self, request: Any) -> Iterator[Refused]:
        """Yield a refusal for each violation."""
        for rule in self._rules:
            for found in rule.find(request):
                param = rule.param.format(**found) if rule.param else None
                details = {"param": param, "code": rule.code} if param or rule.code else {}
                yield Refused(rule.status, self._kind, rule.message.format(**found), details)

    def check(self, request: Any) -> None:
        """Raise Refused for the first of the rules that the request breaks."""
        for refused in self.violations(request):
            raise refused


# The calls and results of a history ---------------------------------------------------------------


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


def over(read: Callable[[Any], Iterable[Round]], find: Callable[[Iterable[Round]], Found]) -> Finder:
    """Return a finder for requests that looks through their rounds."""
    return lambda request: find(read(request))


def repeated_call(found: Iterable[Round]) -> Found:
    """Find the calls with the id of an earlier one of their turn."""
    return _repeated(one.calls for one in found)


def repeated_result(found: Iterable[Round]) -> Found:
    """Find further results for one call; `first` is the message of the first."""
    return _repeated(one.results for one in found)


def _repeated(groups: Iterable[list[WireLink]]) -> Found:
    for links in groups:
        seen: dict[str, WireLink] = {}
        for link in links:
            first = seen.setdefault(link.id, link)
            if first is not link:
                yield {"n": link.n, "m": link.m, "id": link.id, "first": first.n}


def call_without_result(found: Iterable[Round]) -> Found:
    """Find the calls of a turn that have no result; `next` is the message where one is missing."""
    for calls, results in found:
        answered = {result.id for result in results}
        missing = [call for call in calls if call.id not in answered]
        if missing:
            ids = ", ".join(call.id for call in missing)
            last = (results or calls)[-1]
            yield {"n": missing[0].n, "id": missing[0].id, "ids": ids, "next": last.n + 1}


def result_without_calls(found: Iterable[Round]) -> Found:
    """Find results where no call comes before."""
    for calls, results in found:
        if results and not calls:
            yield {"n": results[0].n, "m": results[0].m, "id": results[0].id}


def result_of_no_call(found: Iterable[Round]) -> Found:
    """Find results whose id is that of no call before them."""
    for calls, results in found:
        first: dict[str, WireLink] = {}
        for call in calls:
            first.setdefault(call.id, call)
        for result in results:
            if result.id not in first or first[result.id].place > result.place:
                yield {"n": result.n, "m": result.m, "id": result.id}
