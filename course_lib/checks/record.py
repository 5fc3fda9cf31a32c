"""The local record of what a learner has passed: one JSON file, which may be missing, broken or not writable.

    {"version": 1, "states": {"01.a": "passed", "01.b": "not yet"}}

Nothing leaves the computer. COURSE_PROGRESS_FILE names another file; empty, nothing is saved. What was passed
once stays passed. Two notebooks may write at the same time: each merges under a lock and replaces the file
whole.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from course_lib.checks.results import NOT_YET, PASSED

__all__ = ["is_saved", "path", "read", "remember"]

_FOLDER = "tool-use-course"
_MOST_BYTES = 1_000_000
_this_session: dict[str, str] = {}
_saved = True


def path() -> Path | None:
    """Return the file of the record, or None where there is no place for it."""
    named = os.environ.get("COURSE_PROGRESS_FILE")
    if named is not None:
        return Path(named) if named.strip() else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return folder / _FOLDER / "progress.json"


def read() -> dict[str, str]:
    """Return the states of this session and of the file together; a broken file counts as empty."""
    file = path()
    saved = (_load(file) if file is not None else None) or {}
    return _merged(saved, _this_session)


def remember(id: str, state: str) -> bool:
    """Record that an exercise is in this state; return whether it is saved for the next session too."""
    global _saved
    _this_session.update(_merged(_this_session, {id: state}))
    _saved = _save()
    return _saved


def is_saved() -> bool:
    """Tell whether the record outlives this session, as far as is known."""
    return path() is not None and _saved


def _save() -> bool:
    file = path()
    if file is None:
        return False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _lock(file.with_name(file.name + ".lock")):
            saved = _load(file)
            if saved is None and file.is_file():
                # Not a record of ours, or a damaged one: keep it, it may be of use to someone.
                os.replace(file, file.with_name(file.name + ".broken"))
            _write(file, _merged(saved or {}, _this_session))
    except (OSError, ValueError):
        return False
    return True


def _merged(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    states = {**one, **other}
    return {id: PASSED if PASSED in (one.get(id), other.get(id)) else state for id, state in states.items()}


def _load(file: Path) -> dict[str, str] | None:
    """Return the states in a file; None if there is no file, or it is no record."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            return None
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["version"] != 1:
            return None
        return {id: state for id, state in data["states"].items() if state in (PASSED, NOT_YET)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _write(file: Path, states: dict[str, str]) -> None:
    text = json.dumps({"version": 1, "states": dict(sorted(states.items()))}, indent=1) + "\n"
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, file)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Hold a lock file during the block; after a second go on without: a crash may have left it there."""
    mine = False
    for _ in range(50):
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            mine = True
            break
        except FileExistsError:
            time.sleep(0.02)
    try:
        yield
    finally:
        # Without the lock, the one that is there is most likely a crash's: the next writer should not wait.
        if mine or file.exists():
            with suppress(OSError):
                file.unlink()
