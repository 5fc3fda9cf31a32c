"""The task in a history: the message to act on, what was done for it since, and what earlier turns tell."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from ..language.dates import find_dates
from ..language.text import detect, fold, words
from ..request import Call, Request, Result

_TODAY = re.compile(
    r"\b(?:today(?:'s date)?|current date|date today|now|hoy|fecha(?: actual| de hoy)?)\b[^.\n]{0,25}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Done:
    """A tool call made for this task, with its result where one came."""

    call: Call
    result: Result | None


@dataclass(frozen=True)
class Task:
    """What the practice model acts on."""

    text: str
    """The user's last message that is more than tool results."""
    language: str
    today: date
    done: tuple[Done, ...]
    """The calls since that message, in order."""
    earlier: tuple[str, ...]
    """The user's messages before it, latest first."""
    found: tuple[Done, ...]
    """The calls of earlier tasks, latest first."""
    asked: bool
    """Whether the assistant's last words before the message were a question of its own, without a call."""


def read_task(request: Request, today: date | None = None) -> Task:
    """Find the task in a request's history; dates count from the day that the request states, else from
    `today`."""
    turns = request.turns
    at = max(
        (i for i, turn in enumerate(turns) if turn.role == "user" and turn.text.strip() and not turn.results),
        default=None,
    )
    if at is None:  # only results, or nothing: act on whatever text the user's turns have
        at = max((i for i, turn in enumerate(turns) if turn.role == "user"), default=0)
    # A follow-up that stands beside the results ("… and in Rome?") belongs to the same task.
    beside = [turn.text for turn in turns[at + 1 :] if turn.role == "user" and turn.text.strip()]
    text = "\n".join(filter(None, [turns[at].text.strip() if turns else "", *beside]))
    since = turns[at + 1 :]
    results = {result.call_id: result for turn in turns for result in turn.results}
    before = [turn for turn in turns[:at] if turn.role == "assistant"]
    return Task(
        text=text,
        language=detect(text, _language_of_history(request)),
        today=_stated_date(request, today or date.today()),
        done=tuple(Done(call, results.get(call.id)) for turn in since for call in turn.calls),
        earlier=tuple(
            turn.text for turn in reversed(turns[:at]) if turn.role == "user" and turn.text.strip()
        ),
        found=tuple(
            Done(call, results.get(call.id)) for turn in reversed(before) for call in reversed(turn.calls)
        ),
        asked=bool(before) and not before[-1].calls and before[-1].text.rstrip().endswith("?"),
    )


def parse(content: str) -> Any:
    """The value of a result's text: JSON, or a Python literal as `str(dict)` makes it; else the text
    itself."""
    text = content.strip()
    for reader in (json.loads, ast.literal_eval):
        if reader is ast.literal_eval and text[:1] not in ("{", "[", "("):
            break  # a bare word or number is what it says
        try:
            return reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


def known_fields(done: tuple[Done, ...], text: str = "") -> dict[str, Any]:
    """Name -> value of what the results said so far; a bare text goes by its tool's name: get_country ->
    country. Of the things in a list, the one that `text` names comes first."""
    found: dict[str, Any] = {}
    for one in done:
        if one.result is None or one.result.is_error:
            continue
        value = parse(one.result.content)
        if isinstance(value, dict | list):
            for name, scalar in _scalars(value, frozenset(words(text))):
                found.setdefault(name, scalar)
        elif len(str(value)) <= 80:
            found.setdefault(
                re.sub(r"^(?:get|find|fetch|lookup|look_up|obtener|buscar)[_A-Z]?", "", one.call.name)
                or one.call.name,
                value,
            )
    return found


def _scalars(value: Any, said: frozenset[str], name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and depth < 5:
        for key, item in value.items():
            yield from _scalars(item, said, str(key), depth + 1)
    elif isinstance(value, list) and depth < 5:
        for item in sorted(value[:20], key=lambda item: -len(said & _words_in(item))):
            yield from _scalars(item, said, name, depth + 1)
    elif name and isinstance(value, str | int | float):
        yield name, value


def _words_in(item: Any) -> set[str]:
    texts = item.values() if isinstance(item, dict) else ()
    return {word for text in texts if isinstance(text, str) and len(text) <= 200 for word in words(text)}


def _language_of_history(request: Request) -> str:
    spoken = " ".join(turn.text for turn in request.turns if turn.role == "user")
    return detect(spoken, detect(request.system) if request.system else "en")


def _stated_date(request: Request, today: date) -> date:
    """The day that the system prompt or a message calls today: "Today is 2026-03-01"."""
    for text in [
        request.system,
        *(turn.text for turn in reversed(request.turns) if turn.role != "assistant"),
    ]:
        for match in _TODAY.finditer(text):
            spans = [
                span
                for span in find_dates(match.group(), today)
                if _is_absolute(match.group()[span.start : span.end])
            ]
            if spans:
                return spans[0].first
    return today


def _is_absolute(text: str) -> bool:
    return bool(re.search(r"\d", text)) and not re.search(r"\b(?:ago|hace|dentro)\b", fold(text))
