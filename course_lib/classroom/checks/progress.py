"""progress(): how far a learner is, from the local record of checks and the exercises that exist now."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from ...messages import language
from ...show.page import Page, PageLink, Table, Words
from ...show.plain import clean, safe_text
from ..keys import in_colab
from . import record, running
from .results import NOT_YET, PASSED, TO_DO, Shown, text

_MOST_IDS = 12
_LONGEST_ID = 20


@dataclass(frozen=True, repr=False)
class Progress(Shown):
    """Which exercises are passed, on this computer."""

    states: dict[str, str]
    """Each exercise's id and state, in the order of the course."""
    times: dict[str, str]
    """When an exercise was last checked (ISO form, UTC), for those where that is known."""
    lesson: str = ""
    """The lesson that was asked for, or "" for all."""
    gone: tuple[str, ...] = ()
    """What the record also holds, though the course has no such exercise any more."""
    saved: bool = True

    @property
    def next(self) -> str:
        """The exercise to go on with, or "" if all are passed.

        The first open one of the lesson that was worked on last, else of the lessons after it, else of all.
        """
        still_open = [id for id, state in self.states.items() if state != PASSED]
        begun = [id for id, state in self.states.items() if state != TO_DO]
        last = max(begun, key=lambda id: (self.times.get(id, ""), id), default="")
        onwards = [id for id in still_open if id[:2] >= last[:2]]
        return next(iter(onwards or still_open), "")

    def _page(self) -> Page:
        if not self.states:
            known = ", ".join(running.lessons())
            asked = text("progress.unknown_lesson", lesson=self.lesson, known=known)
            return Page(asked if self.lesson else text("progress.nothing"), (), "quiet")
        passed = sum(state == PASSED for state in self.states.values())
        counts = {"passed": passed, "all": len(self.states)}
        if self.lesson:
            title = text("progress.lesson_title", lesson=_label(self.lesson), **counts)
        else:
            title = text("progress.title", **counts)
        table = self._exercises() if self.lesson else self._lessons()
        parts = (table, *self._what_next(), *self._notes())
        return Page(title, parts, "good" if passed == len(self.states) else "quiet")

    def _lessons(self) -> Table:
        head = [text("progress.lesson"), *map(_state, (PASSED, NOT_YET, TO_DO)), text("progress.last")]
        rows = []
        for lesson, ids in _by_lesson(self.states).items():
            having = {
                state: [id for id in ids if self.states[id] == state] for state in (PASSED, NOT_YET, TO_DO)
            }
            passed = text("progress.of", passed=len(having[PASSED]), all=len(ids))
            still_open = (" ".join(having[state]) for state in (NOT_YET, TO_DO))
            last = max(self.times.get(id, "") for id in ids)
            rows.append((_label(lesson), passed, *still_open, _day(last)))
        return Table(tuple(head), tuple(rows))

    def _exercises(self) -> Table:
        head = (text("progress.exercise"), text("progress.state"), text("progress.last"))
        rows = ((id, _state(state), _day(self.times.get(id, ""))) for id, state in self.states.items())
        return Table(head, tuple(rows))

    def _what_next(self) -> list[Words | PageLink]:
        if not self.next:
            parts = [] if self.lesson else [Words(text("progress.all_passed"))]
            here = self.lesson or max(self.states)[:2]
        else:
            here = self.next[:2]
            key = "progress.next_not_yet" if self.states[self.next] == NOT_YET else "progress.next"
            sentence = text(key, id=self.next, lesson=_label(here))
            parts = [_leading(sentence, here)]
        after = next((lesson for lesson in running.lessons() if lesson > here), "")
        return parts + ([_leading(text("progress.then", lesson=_label(after)), after)] if after else [])

    def _notes(self) -> list[Words]:
        file = record.path()
        shown = _shown(file) if file is not None else ""
        notes = [text("progress.gone", ids=_listed(self.gone))] if self.gone else []
        if record.is_damaged():
            notes.append(text("progress.damaged", file=shown))
        notes += [text("progress.kept", file=_shown(kept)) for kept in record.kept_aside()]
        if not self.saved and record.is_no_file():
            notes.append(text("progress.no_file", file=shown))
        elif not self.saved:
            notes.append(text("progress.off" if record.is_off() else "progress.not_saved"))
        else:
            notes.append(text("progress.where_colab" if in_colab() else "progress.where", file=shown))
        return [Words(note, quiet=True) for note in notes]


def progress(lesson: int | str | None = None) -> Progress:
    """Show which exercises are passed on this computer, of all lessons or of one, and what comes next."""
    known = {id: number for number in running.lessons() for id in running.known_ids(number)}
    wanted = "" if lesson is None else _two_digits(lesson)
    entries = record.read()
    shown = [id for id, number in known.items() if wanted in ("", number)]
    gone = [id for id in sorted(entries) if id not in known and id[:2].startswith(wanted)]
    return Progress(
        {id: entries[id].state if id in entries else TO_DO for id in shown},
        {id: entries[id].time for id in shown if id in entries and entries[id].time},
        wanted,
        tuple(gone),
        record.is_saved(),
    )


def _two_digits(lesson: object) -> str:
    number = safe_text(lesson, 40).strip()
    return number.zfill(2) if number.isdecimal() else number or "?"


def _by_lesson(ids: dict[str, str]) -> dict[str, list[str]]:
    lessons: dict[str, list[str]] = {}
    for id in ids:
        lessons.setdefault(id[:2], []).append(id)
    return lessons


@cache
def _course() -> dict:
    """Return what the authors' tools wrote about the lessons: titles, files, and address in Colab."""
    file = Path(__file__).with_name("lessons.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _label(lesson: str) -> str:
    """Return a lesson's number with its title, in the current language if there is such an edition."""
    titles = _course()["titles"]
    title = titles.get(language(), {}).get(lesson) or titles.get("en", {}).get(lesson, "")
    return f"{lesson} {title}".rstrip()


def _leading(sentence: str, lesson: str) -> Words | PageLink:
    """Make a sentence a link to a lesson, where its notebook can be reached from here."""
    name = _course()["files"].get(lesson, "")
    if name and in_colab():
        return PageLink(sentence, _course()["colab"] + name)
    # A notebook's kernel works in the notebook's folder, from where its page resolves links, too.
    return PageLink(sentence, name) if name and Path(name).is_file() else Words(sentence)


def _state(state: str) -> str:
    return text("checks.state." + state.replace(" ", "_"))


def _day(time: str) -> str:
    """Return the day of a time in the learner's zone."""
    if not time:
        return ""
    moment = datetime.fromisoformat(time)
    try:
        return moment.astimezone().date().isoformat()
    except (OverflowError, OSError, ValueError):  # the first or last day that there is, and beyond it there
        return moment.date().isoformat()


def _listed(ids: tuple[str, ...]) -> str:
    """Return ids of a file that anybody may have written, for a reader: in one line, and not all of many."""
    shown = [clean(id[:_LONGEST_ID]).replace("\n", "\\n") for id in ids[:_MOST_IDS]]
    return ", ".join(one or '""' for one in shown) + (" …" if len(ids) > _MOST_IDS else "")


def _shown(file: Path) -> str:
    """Return a file's path without the name of the learner, who may share the notebook."""
    try:
        home = Path.home()
    except RuntimeError:
        return str(file)
    return str(Path("~") / file.relative_to(home)) if file.is_relative_to(home) else str(file)
