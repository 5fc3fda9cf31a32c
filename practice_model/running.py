"""The practice model of this process: started once, asked for its reasons, and made to fail."""

from __future__ import annotations

import html
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from .failures.injected import SECONDS, Fault
from .request import Decision, Score
from .server.handle import PracticeModel
from .server.http import Server


@dataclass(frozen=True)
class RunningPractice:
    """The practice model of this process, and where it listens."""

    model: PracticeModel
    server: Server
    process: int

    @property
    def url(self) -> str:
        return self.server.url


_lock = threading.Lock()
_running: RunningPractice | None = None


def start() -> RunningPractice:
    """Start the practice model, or return the one that this process has already."""
    global _running
    with _lock:
        # After a fork the child has a copy of this variable but not the server's thread.
        if _running is None or _running.process != os.getpid():
            model = PracticeModel()
            _running = RunningPractice(model, Server(model.handle), os.getpid())
        return _running


def current() -> RunningPractice | None:
    """Return the practice model of this process, or None before `start()`."""
    return _running if _running is not None and _running.process == os.getpid() else None


def explain() -> Explanation:
    """Return why the practice model did what it did last: how each tool fitted each part of the message."""
    running = current()
    return Explanation(running.model.last_decision if running else None)


def faults(
    name: str,
    *,
    times: int | None = None,
    api: str | None = None,
    skip: int = 0,
    attempts: int | None = None,
    seconds: float = SECONDS,
    retry_after: float = 0.001,
) -> Fault:
    """Make the service fail, the connection break or the model go wrong, inside a `with` block.

        with practice_model.faults("rate_limit", times=2) as fault:
            client.messages.create(...)
        print(fault.hits)

    The SDKs try again by themselves after 429, 5xx, timeouts and broken connections, twice unless set
    otherwise; `retry_after` says how long they wait before.

    Args:
        name: which fault; an unknown name raises ValueError with a list of all.
        times: how many requests it hits; without it one, or with `attempts` every one.
        api: only requests of this API ("anthropic", "openai", "openai_chat", "openai_responses", "gemini").
        skip: how many requests that it could hit go well before.
        attempts: only the first so many attempts of each request; retries after them go well.
        seconds: for how long "timeout" holds the answer back; give the client a shorter timeout.
        retry_after: seconds after which the service asks to try again.
    """
    running = current()
    if running is None:
        raise RuntimeError(
            "practice.faults() needs the practice model, which is not running: call course_lib.setup() before"
        )
    return running.model.faults(
        name,
        times=times,
        api=api,
        skip=skip,
        attempts=attempts,
        seconds=seconds,
        retry_after=retry_after,
    )


# The scores of a decision, as a table -------------------------------------------------------------


_NOTHING = "The practice model has not decided anything yet: send it a message first."


@dataclass(frozen=True)
class Explanation:
    """The scores of one decision; shows itself as a text table, and as HTML in a notebook."""

    decision: Decision | None

    def summary(self) -> str:
        """Return one sentence: what was done."""
        if self.decision is None:
            return _NOTHING
        calls = ", ".join(call.name for call in self.decision.calls)
        done = f"It called: {calls}." if calls else "It called no tool and answered in text."
        if self.decision.mistakes:
            done += f" Wrong on purpose: {'; '.join(self.decision.mistakes)}."
        return done if self.decision.scores else f"{done} No tool was scored for it."

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Clause, tool, score, whether chosen, and what counted; the best tool of each clause first."""
        if self.decision is None:
            return []
        clauses = list(dict.fromkeys(score.clause for score in self.decision.scores))
        ordered = sorted(self.decision.scores, key=lambda score: (clauses.index(score.clause), -score.score))
        return [
            (score.clause, score.tool, f"{score.score:.2f}", "yes" if score.chosen else "", _because(score))
            for score in ordered
        ]

    def argument_rows(self) -> list[tuple[str, str, str, str]]:
        """Return tool, parameter, value, and where it came from or why there is none, for the calls."""
        given = self.decision.arguments if self.decision else ()
        return [(one.tool, one.argument, _shown(one.value), one.reason) for one in given]

    def advice(self) -> list[str]:
        """Return what to change so that a call comes, or comes with all that it needs."""
        if self.decision is None:
            return []
        return [*(one.advice for one in self.decision.arguments if one.advice), *self.decision.advice]

    def __repr__(self) -> str:
        rows = [(_short(clause, 40), *rest) for clause, *rest in self.rows()]
        tables = [_as_text(HEADINGS, rows), _as_text(ARGUMENT_HEADINGS, self.argument_rows())]
        advice = "\n".join(f"To change that: {line}." for line in self.advice())
        return "\n\n".join(filter(None, [*tables, "\n".join(filter(None, [self.summary(), advice]))]))

    def _repr_html_(self) -> str:
        tables = [_as_html(HEADINGS, self.rows()), _as_html(ARGUMENT_HEADINGS, self.argument_rows())]
        said = [self.summary(), *(f"To change that: {line}." for line in self.advice())]
        return "".join([*tables, *(f"<p>{html.escape(line)}</p>" for line in said)])


HEADINGS = ("clause", "tool", "score", "chosen", "because of")
ARGUMENT_HEADINGS = ("tool", "argument", "value", "where it came from")


def _as_text(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table as text; nothing without rows. The last column may be of any width."""
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings) - 1)]
    rule = tuple("-" * width for width in [*widths, len(headings[-1])])
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in [headings, rule, *rows]
    ]
    return "\n".join(lines)


def _as_html(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    def cells(tag: str, row: tuple[str, ...]) -> str:
        # JupyterLab sets tables to the right, where words are hard to read.
        opened = f'<{tag} style="text-align:left">'
        return "<tr>" + "".join(f"{opened}{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

    body = "".join(cells("td", row) for row in rows)
    return f"<table><thead>{cells('th', headings)}</thead><tbody>{body}</tbody></table>" if rows else ""


def _shown(value: object) -> str:
    return "–" if value is None else _short(json.dumps(value, ensure_ascii=False, default=str), 40)


def _because(score: Score) -> str:
    """Return the reasons in a line; those that counted against are said to."""
    return ", ".join(f"against: {word[1:]}" if word.startswith("-") else word for word in score.because)


def _short(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
