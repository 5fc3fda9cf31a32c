"""The conversation so far: the task in it, and what the calls for it gave back."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

from ..language.dates import find_dates
from ..language.text import detect, fold, pattern, words
from ..request import Call, CallResult, Request
from .schema_values import members, resolve
from .slots import MOST_SLOTS

_TODAY = pattern("today", after=r"\b[^.\n]{0,25}")


@dataclass(frozen=True)
class MadeCall:
    """A tool call made for this task, with its result where one came."""

    call: Call
    result: CallResult | None


@dataclass(frozen=True)
class Task:
    """What the practice model acts on."""

    text: str
    """The user's last message that is more than tool results, as far as it is read."""
    unread: str
    """What follows after `_longest_read` characters; an argument that reaches so far has it, too."""
    language: str
    today: date
    dated: bool
    """Whether the conversation says what day today is."""
    done: tuple[MadeCall, ...]
    """The calls since that message, in order."""
    earlier: tuple[str, ...]
    """The user's messages before it, latest first."""
    found: tuple[MadeCall, ...]
    """The calls of earlier tasks, latest first."""
    asked: bool
    """Whether the assistant's last words before the message were a question of its own, without a call."""


LONGEST_READ = 8_000  # characters of a message that are read: what a person types, and pages of text
MOST_READ = 500_000  # characters, times the tools or the slots of one tool: with hundreds, less is read
LONGEST_EARLIER, MOST_EARLIER = 4_000, 50  # characters of an earlier message, and messages
LONGEST_STATING = 50_000  # characters in which it is looked for what day today is


def read_task(request: Request, today: date | None = None) -> Task:
    """Find the task in a request's history; `today` counts where the request does not state a date."""
    turns = request.turns
    at = max(
        (i for i, turn in enumerate(turns) if turn.role == "user" and turn.text.strip() and not turn.results),
        default=-1,  # only results, or nothing: act on whatever text the user's turns have
    )
    # A follow-up that stands beside the results ("… and in Rome?") belongs to the same task.
    beside = [turn.text for turn in turns[at + 1 :] if turn.role == "user" and turn.text.strip()]
    text = "\n".join(filter(None, [turns[at].text.strip() if at >= 0 else "", *beside]))
    # Not in the middle of a word, unless a word is longer than a page.
    longest = _longest_read(request)
    end = text.rfind(" ", longest * 7 // 8, longest) if len(text) > longest else -1
    end = end if end > 0 else longest
    text, unread = text[:end], text[end:]
    since = turns[at + 1 :]
    results = {result.call_id: result for turn in turns for result in turn.results}
    before = [turn for turn in turns[: max(at, 0)] if turn.role == "assistant"]
    stated = _stated_date(request, today or date.today())
    return Task(
        text=text,
        unread=unread,
        language=detect(text, _language_of_history(request)),
        today=stated or today or date.today(),
        dated=stated is not None,
        done=tuple(MadeCall(call, results.get(call.id)) for turn in since for call in turn.calls),
        earlier=tuple(
            turn.text[: min(LONGEST_EARLIER, longest)]
            for turn in reversed(turns[: max(at, 0)])
            if turn.role == "user" and turn.text.strip()
        )[:MOST_EARLIER],
        found=tuple(
            MadeCall(call, results.get(call.id)) for turn in reversed(before) for call in reversed(turn.calls)
        ),
        asked=bool(before) and not before[-1].calls and before[-1].text.rstrip().endswith("?"),
    )


def _longest_read(request: Request) -> int:
    slots = max((len(members(resolve(tool.schema, tool.schema))) for tool in request.tools), default=0)
    return min(LONGEST_READ, MOST_READ // max(1, min(slots, MOST_SLOTS), len(request.tools)))


LONGEST_LITERAL = 100_000  # characters of a result that are read as Python: its parser takes much memory


def parse(content: str) -> Any:
    """Return the value of a result's text: JSON, or a Python literal as `str(dict)` writes it; else the
    text."""
    text = content.strip()
    for reader in (json.loads, ast.literal_eval):
        if reader is ast.literal_eval and (text[:1] not in ("{", "[", "(") or len(text) > LONGEST_LITERAL):
            break  # a bare word or number is what it says
        try:
            return reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


LONGEST_ERROR = 2_000  # characters of an error that are read


def failed(result: CallResult) -> bool:
    """Return whether a result reports a failure: by its flag, or in words where the API has no flag."""
    if result.is_error:
        return True
    value = parse(result.content[:LONGEST_ERROR])
    if isinstance(value, dict):
        return "error" in {fold(str(key)) for key in value} and bool(
            next(v for k, v in value.items() if fold(str(k)) == "error")
        )
    return isinstance(value, str) and bool(
        re.match(r"\W*(?:\w*error|tool error|invalid|failed|fall[oó])\b", value, re.IGNORECASE)
    )


MOST_KNOWN = 500  # values of one result that are known


def known_fields(done: tuple[MadeCall, ...], text: str = "") -> dict[str, Any]:
    """Name -> value of what the results said so far; a bare text goes by its tool's name: get_country ->
    country. Of the things in a list, the one that `text` names comes first."""
    found: dict[str, Any] = {}
    for made in done:
        if made.result is None or made.result.is_error:
            continue
        value = parse(made.result.content)
        if isinstance(value, dict | list):
            for name, scalar in islice(_scalars(value, frozenset(words(text))), MOST_KNOWN):
                found.setdefault(name, scalar)
        elif len(str(value)) <= 80:
            found.setdefault(
                re.sub(r"^(?:get|find|fetch|lookup|look_up|obtener|buscar)[_A-Z]?", "", made.call.name)
                or made.call.name,
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
    spoken = " ".join(turn.text[:LONGEST_EARLIER] for turn in request.turns if turn.role == "user")
    return detect(spoken, detect(request.system) if request.system else "en")


def _stated_date(request: Request, today: date) -> date | None:
    """Return the day that the system prompt or a message calls today: "Today is 2026-03-01"."""
    for text in [
        request.system,
        *(turn.text for turn in reversed(request.turns) if turn.role != "assistant"),
    ]:
        for match in _TODAY.finditer(text, 0, LONGEST_STATING):
            spans = [
                span
                for span in find_dates(match.group(), today)
                if _is_absolute(match.group()[span.start : span.end])
            ]
            if spans:
                return spans[0].first
    return None


def _is_absolute(text: str) -> bool:
    return bool(re.search(r"\d", text)) and not pattern("counted from today").search(fold(text))
