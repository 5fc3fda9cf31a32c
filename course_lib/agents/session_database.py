"""What a session store keeps and where: the tables of its SQLite file, their twins in memory, its locks."""

from __future__ import annotations

import itertools
import json
import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Protocol

from ..providers.history.checking import first_kept

# The SQLite file -----------------------------------------------------------------------------------------


PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
_APPLICATION = 0x436F5373
"""Stands in the head of our files, so that no other program's database is taken for one."""
_STEPS = (
    (
        # AUTOINCREMENT: the number of a turn is never given again, not even after clear().
        "CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, "
        "role TEXT NOT NULL, turn TEXT NOT NULL)",
        "CREATE INDEX turns_of_session ON turns (session, id)",
        f"PRAGMA application_id = {_APPLICATION}",
    ),
    (
        "CREATE TABLE claims (session TEXT NOT NULL, call TEXT NOT NULL, PRIMARY KEY (session, call)) "
        "WITHOUT ROWID",
        "CREATE TABLE store (key TEXT NOT NULL)",
        "INSERT INTO store VALUES (lower(hex(randomblob(8))))",
    ),
    (
        "CREATE TABLE leases (session TEXT PRIMARY KEY, lease TEXT NOT NULL) WITHOUT ROWID",
        "ALTER TABLE turns ADD COLUMN key TEXT NOT NULL DEFAULT ''",
    ),
)
"""What to do to a file for each version of its tables, from the first one on."""
_VERSION = len(_STEPS)


class OtherFile(Exception):
    """The database is not one of ours, or not of ours yet."""


def connect(database: str) -> sqlite3.Connection:
    connection = sqlite3.connect(database, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    # Each append is on the disk when it returns: a call that ran must not be forgotten when the power fails.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables of a new file, or those that an older one lacks. Raises OtherFile for one not ours."""
    if _version(connection) == _VERSION:
        return
    # Another process may be making them right now: whose the file is can only be seen while nobody writes.
    with transaction(connection):
        version = _version(connection)
        (things,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        foreign = things or _number(connection, "application_id") or _number(connection, "user_version")
        if not version and foreign:
            raise OtherFile("is the database of another program. Give the path of a new file.")
        for statement in itertools.chain(*_STEPS[version:]):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    """Return which version of our tables is there; 0 where there are none."""
    if _number(connection, "application_id") != _APPLICATION:
        return 0
    if (found := _number(connection, "user_version")) > _VERSION:
        raise OtherFile(
            "was written by a newer version of this course. Update course_lib, or give another file."
        )
    return found


def _number(connection: sqlite3.Connection, name: str) -> int:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def read_key(connection: sqlite3.Connection) -> str:
    return connection.execute("SELECT key FROM store").fetchone()[0]


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Write all of the block, or nothing. One writer at a time: its turn begins before it reads."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def advice(error: sqlite3.Error) -> str:
    """Return what is the matter with a file, and what to do."""
    text = str(error)
    if is_busy(error):
        return f"is locked: another program has been writing for {PATIENCE:g} s. End it, and try again."
    if "readonly" in text or "read-only" in text:
        return "cannot be written. Allow it for the file and its folder, or give another path."
    if "unable to open" in text:
        return "cannot be opened. See that you may read and write it and its folder, or give another path."
    if "not a database" in text:
        return "is a file of another kind. Give the path of a new file."
    if "full" in text:
        return "has no room left on its disk. Make some, and try again; nothing was added."
    return f"cannot be used ({text}). Put back a copy of it, or move it away to begin a new one."


# The steps of a store, each all or nothing: in memory, or in the file ----------------------------------


Row = tuple[str, str]
"""The role of a turn, and its JSON text."""


class Tables(Protocol):
    """The steps. The store sees to it that one thread at a time takes one."""

    def turns(self, session: str) -> list[tuple[int, str]]:
        """Return the numbers and texts of the turns of a session, in their order."""

    def add(self, session: str, rows: list[Row], after: int | None, most: int | None) -> list[int] | None:
        """Add turns, and return their numbers; add none and return None if `after` is not the last one's."""

    def key(self, number: int) -> str:
        """Return what was made up for the turn when it was added; empty where its number is enough."""

    def claim(self, session: str, call: str) -> bool:
        """Claim a call, and return whether nobody had."""

    def claimed(self, session: str) -> set[str]: ...

    def take(self, session: str, lock: SessionLock) -> SessionLock | None:
        """Take the lock of a session, and return None; or return the one that somebody else holds."""

    def give_back(self, session: str, lock: SessionLock) -> None: ...

    def clear(self, session: str) -> None: ...

    def sessions(self) -> list[str]: ...


class InMemory:
    """The steps in lists, as a database in memory would take a third of a short run, its requests aside."""

    def __init__(self) -> None:
        self._last = 0
        self._turns: dict[str, list[tuple[int, str, str]]] = {}
        self._claims: dict[str, set[str]] = {}
        self.locks: dict[str, SessionLock] = {}

    def turns(self, session: str) -> list[tuple[int, str]]:
        return [(number, text) for number, _, text in self._turns.get(session, ())]

    def add(self, session: str, rows: list[Row], after: int | None, most: int | None) -> list[int] | None:
        kept = self._turns.get(session, [])
        if after is not None and after != (kept[-1][0] if kept else 0):
            return None
        numbers = list(range(self._last + 1, self._last + 1 + len(rows)))
        added = [(number, *row) for number, row in zip(numbers, rows, strict=True)]
        first = 0 if most is None else first_kept([role for _, role, _ in [*kept, *added]], most)
        self._last += len(rows)
        # At once, as Ctrl-C may come at any moment.
        if kept and not first:
            kept.extend(added)
        elif added:
            self._turns[session] = [*kept, *added][first:]
        return numbers

    def key(self, number: int) -> str:
        return ""  # there is no copy of it in which the number could be given once more

    def claim(self, session: str, call: str) -> bool:
        claims = self._claims.setdefault(session, set())
        return not (call in claims or claims.add(call))

    def claimed(self, session: str) -> set[str]:
        return set(self._claims.get(session, ()))

    def take(self, session: str, lock: SessionLock) -> SessionLock | None:
        other = self.locks.get(session)
        if other is not None and other.holds():
            return other
        self.locks[session] = lock
        return None

    def give_back(self, session: str, lock: SessionLock) -> None:
        if self.locks.get(session) == lock:
            del self.locks[session]

    def clear(self, session: str) -> None:
        self._turns.pop(session, None)
        self._claims.pop(session, None)

    def sessions(self) -> list[str]:
        return list(self._turns)


class InFile:
    """The steps in the tables of an SQLite file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def turns(self, session: str) -> list[tuple[int, str]]:
        found = "SELECT id, turn FROM turns WHERE session = ? ORDER BY id"
        return self._connection.execute(found, (session,)).fetchall()

    def add(self, session: str, rows: list[Row], after: int | None, most: int | None) -> list[int] | None:
        # One writer at a time, from here on: what is the last turn now stays it.
        with transaction(self._connection) as connection:
            if after is not None:
                last = connection.execute("SELECT max(id) FROM turns WHERE session = ?", (session,))
                if (last.fetchone()[0] or 0) != after:
                    return None
            adding = "INSERT INTO turns (session, role, turn, key) VALUES (?, ?, ?, ?)"
            keyed = [(session, *row, secrets.token_hex(12)) for row in rows]
            numbers = [connection.execute(adding, values).lastrowid for values in keyed]
            if most is not None:
                self._drop_oldest(session, most)
        return numbers

    def _drop_oldest(self, session: str, most: int) -> None:
        found = "SELECT id, role FROM turns WHERE session = ? ORDER BY id"
        rows = self._connection.execute(found, (session,)).fetchall()
        if first := first_kept([role for _, role in rows], most):
            dropping = "DELETE FROM turns WHERE session = ? AND id < ?"
            self._connection.execute(dropping, (session, rows[first][0]))

    def key(self, number: int) -> str:
        found = self._connection.execute("SELECT key FROM turns WHERE id = ?", (number,)).fetchone()
        return found[0] if found else ""

    def claim(self, session: str, call: str) -> bool:
        claiming = "INSERT OR IGNORE INTO claims VALUES (?, ?)"
        return self._connection.execute(claiming, (session, call)).rowcount == 1

    def claimed(self, session: str) -> set[str]:
        found = self._connection.execute("SELECT call FROM claims WHERE session = ?", (session,))
        return {key for (key,) in found}

    def take(self, session: str, lock: SessionLock) -> SessionLock | None:
        with transaction(self._connection) as connection:
            found = connection.execute("SELECT lease FROM leases WHERE session = ?", (session,)).fetchone()
            other = SessionLock.from_text(found[0]) if found else None
            if other is not None and other.holds():
                return other
            taking = "INSERT OR REPLACE INTO leases VALUES (?, ?)"
            connection.execute(taking, (session, lock.to_text()))
        return None

    def give_back(self, session: str, lock: SessionLock) -> None:
        giving = "DELETE FROM leases WHERE session = ? AND lease = ?"
        self._connection.execute(giving, (session, lock.to_text()))

    def clear(self, session: str) -> None:
        with transaction(self._connection) as connection:
            connection.execute("DELETE FROM turns WHERE session = ?", (session,))
            connection.execute("DELETE FROM claims WHERE session = ?", (session,))

    def sessions(self) -> list[str]:
        return [found for (found,) in self._connection.execute("SELECT DISTINCT session FROM turns")]


# Who has a session -------------------------------------------------------------------------------------
# A run takes the lock of its session, which ends with the run, or with its process. A program that is killed
# gives nothing back. So a lock names its process, and is over as soon as that is seen to be gone; where that
# cannot be seen, on another machine or behind a process id that was given again, it is over after a time.
#
# A lock of the operating system would end with its process by itself. But a child that was forked keeps it,
# a process that hangs holds it for good, it needs a file for each session beside the database, and another
# machine need not see it.


LONGEST_LOCK = 600.0
"""As long as the SDKs wait for one answer. A run that takes longer may lose its lock to another process."""
_PROCESS = secrets.token_hex(8)
_under_way: set[str] = set()
"""The locks of this process: what is not among them was given back, even where the file kept it."""


@dataclass(frozen=True)
class SessionLock:
    """What stands in the store for a run that has a session."""

    run: str
    process: str
    pid: int
    host: str
    until: float

    @classmethod
    def new(cls) -> SessionLock:
        one = cls(
            secrets.token_hex(8), _PROCESS, os.getpid(), socket.gethostname(), time.time() + LONGEST_LOCK
        )
        _under_way.add(one.run)
        return one

    def end(self) -> None:
        _under_way.discard(self.run)

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> SessionLock:
        return cls(**json.loads(text))

    @property
    def is_ours(self) -> bool:
        """Whether it is of this process; a process that was forked from it has another number."""
        return self.process == _PROCESS and self.pid == os.getpid()

    def holds(self) -> bool:
        """Return whether the run may still be going on."""
        if self.is_ours:
            return self.run in _under_way
        if time.time() >= self.until:
            return False
        return self.host != socket.gethostname() or (self.pid != os.getpid() and _lives(self.pid))


def _lives(pid: int) -> bool:
    if os.name == "nt":  # there, os.kill(pid, 0) would end it
        return _lives_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Return whether a process is over, and only waits for its parent to ask how. Linux says so."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return False


def _lives_on_windows(pid: int) -> bool:
    import ctypes

    synchronize, access_denied, timed_out = 0x00100000, 5, 0x102
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return ctypes.get_last_error() == access_denied
    handle = ctypes.c_void_p(handle)
    try:
        return kernel.WaitForSingleObject(handle, 0) == timed_out
    finally:
        kernel.CloseHandle(handle)
