"""The local record of what a learner has passed: one JSON file; it may be missing, damaged or not writable.

    {"version": 1, "states": {"01.a": "passed", …}, "times": {"01.a": "2026-11-20T09:30:00+00:00", …}}

Nothing leaves the computer. COURSE_PROGRESS_FILE names another file; empty, nothing is saved. What was
passed once stays passed. Several notebooks may write at the same time: each merges under a lock and replaces
the file whole, that which a link leads to, with the mode it had. What this version does not understand stays
in the file; a file that is no record at all is kept aside. A folder, device or pipe is neither read nor
replaced.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from .results import NOT_YET, PASSED

try:
    import fcntl
except ImportError:  # Windows has msvcrt instead, a browser's Python neither
    fcntl = None
try:
    import msvcrt
except ImportError:
    msvcrt = None

_FOLDER = "tool-use-course"
_MOST_BYTES = 1_000_000
_LONGEST_WAIT = 5.0
"""Seconds for the lock, which others hold for some milliseconds. Whoever holds it longer hangs."""


class Entry(NamedTuple):
    """What is known about an exercise."""

    state: str
    time: str = ""
    """Of the last check, in ISO form and UTC; empty in records of older versions."""


class _NoRecord(ValueError):
    """The file is there and can be read, but it is no record, or one of a newer version."""


_this_session: dict[str, Entry] = {}
_saved = True


def path() -> Path | None:
    """Return the file of the record, or None where there is no place for it."""
    named = os.environ.get("COURSE_PROGRESS_FILE")
    try:
        if named is not None:
            return Path(named).expanduser() if named.strip() else None
        home = Path.home()
    except RuntimeError:  # nobody knows where the home folder is
        return None
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return folder / _FOLDER / "progress.json"


def read() -> dict[str, Entry]:
    """Return the entries of this session and of the file together; a damaged file counts as empty."""
    file = path()
    document = None
    with suppress(OSError, ValueError):
        document = _load(file) if file is not None else None
    return _merged(_entries(document or {}), _this_session)


def is_off() -> bool:
    """Return whether the learner asked for no record: COURSE_PROGRESS_FILE is set to nothing."""
    return not os.environ.get("COURSE_PROGRESS_FILE", "on").strip()


def remember(id: str, state: str) -> bool:
    """Record that an exercise is in this state; return whether it is saved for the next session too."""
    global _saved
    now = datetime.now(UTC).isoformat(timespec="seconds")
    _this_session.update(_merged(_this_session, {id: Entry(state, now)}))
    _saved = _save()
    return _saved


def is_saved() -> bool:
    """Return whether the record outlives this session, as far as is known."""
    return path() is not None and _saved and not is_no_file()


def is_no_file() -> bool:
    """Return whether something else has the record's name: a folder, a device or a pipe."""
    file = path()
    try:
        return file is not None and _status(file) is None and file.exists()
    except (OSError, ValueError):
        return False


def is_damaged() -> bool:
    """Return whether the file is no record; then the next check keeps it aside and begins a new one."""
    file = path()
    try:
        if file is not None:
            _load(file)
    except _NoRecord:
        return True
    except (OSError, ValueError):
        pass
    return False


def kept_aside() -> list[Path]:
    """Return the files that could not be read as a record and were kept aside, oldest first."""
    try:
        file = _target()
        return sorted(file.parent.glob(f"{file.name}.broken*"), key=lambda one: one.name) if file else []
    except (OSError, ValueError):
        return []


def _target() -> Path | None:
    """Return the file that the record's name leads to: where it is a link, the link stays."""
    file = path()
    return Path(os.path.realpath(file)) if file is not None else None


def _status(file: Path) -> os.stat_result | None:
    """Return the status of a regular file, or None if there is none of this name."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _save() -> bool:
    if is_no_file():
        return False
    try:
        file = _target()
        if file is None:
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        with _locked(file.with_name(file.name + ".lock")):
            before = _status(file)
            try:
                document = _load(file) or {}
            except _NoRecord:
                os.replace(file, _free_name(file))
                document = {}
            entries = _merged(_entries(document), _this_session)
            _write(file, _with_entries(document, entries), before and stat.S_IMODE(before.st_mode))
    except (OSError, ValueError):
        return False
    return True


def _merged(one: Mapping[str, Entry], other: Mapping[str, Entry]) -> dict[str, Entry]:
    """Join two records: passed stays passed, and the later time counts."""
    merged = {**one}
    for id, entry in other.items():
        before = one.get(id, entry)
        state = PASSED if PASSED in (before.state, entry.state) else entry.state
        merged[id] = Entry(state, max(before.time, entry.time))
    return merged


def _entries(document: Mapping[str, Any]) -> dict[str, Entry]:
    """Return what a document says about exercises, without what this version does not understand."""
    times = document.get("times")
    times = times if isinstance(times, dict) else {}
    return {
        id: Entry(state, times[id] if _is_time(times.get(id)) else "")
        for id, state in document.get("states", {}).items()
        if state in (PASSED, NOT_YET)
    }


def _with_entries(document: Mapping[str, Any], entries: Mapping[str, Entry]) -> dict[str, Any]:
    states = {id: entry.state for id, entry in entries.items()}
    times = {id: entry.time for id, entry in entries.items() if entry.time}
    before = document.get("times")
    return {
        **document,
        "version": 1,
        "states": dict(sorted({**document.get("states", {}), **states}.items())),
        "times": dict(sorted({**(before if isinstance(before, dict) else {}), **times}.items())),
    }


def _is_time(value: object) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _load(file: Path) -> dict[str, Any] | None:
    """Return the document in a file, or None if there is no file; raise _NoRecord if it is no record."""
    status = _status(file)
    if status is None:  # to read a pipe would wait for ever
        return None
    if status.st_size > _MOST_BYTES:
        raise _NoRecord
    content = file.read_bytes()
    try:
        document = json.loads(content.decode("utf-8-sig"))  # some editors put a mark before the text
    except (ValueError, RecursionError) as error:
        raise _NoRecord from error
    if not isinstance(document, dict) or document.get("version") != 1:
        raise _NoRecord
    if not isinstance(document.get("states"), dict):
        raise _NoRecord
    return document


def _write(file: Path, document: Mapping[str, Any], mode: int | None) -> None:
    """Replace a file whole, with this mode; None: as new files have it."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        with open(beside, "w", encoding="utf-8") as stream:
            if mode is not None:
                os.chmod(beside, mode)
            stream.write(json.dumps(document, indent=1) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, file)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _free_name(file: Path) -> Path:
    """Return a name beside the file that nothing has: what was kept aside before is kept, too."""
    names = (f"{file.name}.broken{f'-{n}' if n > 1 else ''}" for n in range(1, 1000))
    return next(place for name in names if not (place := file.with_name(name)).exists())


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold a lock during the block. The system lets go of it when its process ends, however it ends."""
    with open(file, "a", encoding="utf-8") as stream:
        end = time.monotonic() + _LONGEST_WAIT
        while not _lock(stream):
            if time.monotonic() > end:
                raise TimeoutError(f"{file.name} is held by another program")
            time.sleep(0.01)
        yield


def _lock(stream: IO[str]) -> bool:
    """Try to lock an open file until it is closed; return False if somebody else holds it."""
    try:
        if fcntl is not None:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # A file system without locks: the file is still replaced whole.
        return True
    return True
