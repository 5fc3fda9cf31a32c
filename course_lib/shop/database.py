"""The shop's database: a copy for each session, which learners may break, and the shop's fixed clock.

Nothing ever opens the packaged file itself: the first use copies it to a temporary folder, which is removed
when Python ends. A copy that was deleted is replaced by a fresh one. The functions of the shop open a
connection per call, so they can run in any number of threads.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from .values import ShopBroken, fold

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

PACKAGED_FILE = Path(__file__).with_name("shop.sqlite")
PATIENCE = 5.0  # seconds to wait for another connection that is writing

_NOW = datetime.datetime(2026, 11, 20, 12, 0)
_lock = threading.Lock()
_copies: list[Path] = []


def today() -> datetime.date:
    """Return the shop's date: always 2026-11-20, a Friday, so that every run gives the same."""
    return _NOW.date()


def now() -> datetime.datetime:
    """Return the shop's date and time: always noon of `today()`."""
    return _NOW


def connect() -> sqlite3.Connection:
    """Open this session's copy of the database, to read and to write; close it when you are done.

    Each statement is saved at once (autocommit). If you break something, `reset()` restores it.
    """
    return _open("rw")


def reset() -> None:
    """Give this session a fresh copy of the database.

    A connection opened earlier stays with the old copy: call `connect()` again.
    """
    with _lock:
        _add_copy()


@contextmanager
def reading() -> Iterator[sqlite3.Connection]:
    """Open a connection that cannot write, for the length of a `with` block."""
    with _explaining_failures(), closing(_open("ro")) as connection:
        yield connection


@contextmanager
def writing() -> Iterator[sqlite3.Connection]:
    """Open a connection that can write, for the length of a `with` block."""
    with _explaining_failures(), closing(_open("rw")) as connection:
        yield connection


@contextmanager
def changing() -> Iterator[sqlite3.Connection]:
    """Open a connection that nobody else writes beside, and save all that the `with` block wrote, or nothing.

    What is read here is still so when it is written: a limit that is checked cannot be passed by two at once.
    """
    with writing() as connection:
        # IMMEDIATE: the right to write is taken before the first read, not after it.
        connection.execute("BEGIN IMMEDIATE")
        yield connection  # after an exception, closing the connection takes everything back
        connection.execute("COMMIT")


def _open(mode: str) -> sqlite3.Connection:
    # As a URI with a mode, a file that has vanished is an error and not silently a new, empty database.
    connection = sqlite3.connect(
        f"{_file().as_uri()}?mode={mode}", uri=True, timeout=PATIENCE, isolation_level=None
    )
    connection.row_factory = sqlite3.Row
    connection.create_function("fold", 1, fold, deterministic=True)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # A throw-away copy need not survive a power cut, and waiting for the disk would make each write slow.
        connection.execute("PRAGMA synchronous = OFF")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _file() -> Path:
    with _lock:
        if not _copies or not _copies[-1].exists():
            _add_copy()
        return _copies[-1]


def _add_copy() -> None:
    """Copy the packaged file under a new name: another thread may be reading the copy in use."""
    if not _copies:
        _remove_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    _hold(folder)
    atexit.register(_remove, folder, os.getpid())
    copy = folder / PACKAGED_FILE.name
    # Bytes only: a read-only packaged file must not give a read-only copy.
    copy.write_bytes(PACKAGED_FILE.read_bytes())
    _copies.append(copy)
    while len(_copies) > 2:
        _remove(_copies.pop(0).parent, os.getpid())


def _remove(folder: Path, owner: int) -> None:
    """Remove a copy when the process that made it ends; a forked child leaves its parent's alone."""
    if os.getpid() == owner:
        _release(folder)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explaining_failures() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise ShopBroken(
                "The shop's database is locked by another connection: commit or close it, "
                "or call course_lib.shop.reset()."
            ) from error
        raise ShopBroken(_how_to_restore(error)) from error
    except sqlite3.DatabaseError as error:
        raise ShopBroken(_how_to_restore(error)) from error


def _how_to_restore(error: sqlite3.Error) -> str:
    return f"The shop's database cannot be used ({error}): call course_lib.shop.reset() for a fresh copy."


# Folders that a killed process left behind ------------------------------------------------------------

# A process holds a lock on a file in its folder as long as it lives; the system gives the lock up when the
# process ends, however it ends. Without such locks (Windows), an open file keeps its folder from removal.

PREFIX = "course-shop-"
YOUNG = 60.0
"""Seconds in which a folder may not have its lock yet."""

_held: list[IO[str]] = []


def _hold(folder: Path) -> None:
    """Keep other processes from removing a folder while this one lives."""
    file = (folder / "in-use").open("w", encoding="utf-8")
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _held.append(file)  # closing it would give the lock up


def _release(folder: Path) -> None:
    """Let a folder of this process be removed."""
    for file in [file for file in _held if Path(file.name).parent == folder]:
        _held.remove(file)
        file.close()


def _remove_leftovers() -> None:
    """Remove the folders that no process holds any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > YOUNG and not _is_held(folder / "in-use"):
                shutil.rmtree(folder, ignore_errors=True)


def _is_held(file: Path) -> bool:
    if fcntl is None:
        return False  # removing it will tell
    with file.open(encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
