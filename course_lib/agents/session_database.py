"""The SQLite file of a session store: its tables, the steps that the store takes in them, its errors.

`InMemory` in `sessions` takes the same steps, and says what they are.
"""

from __future__ import annotations

import itertools
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import CourseError
from ..providers.history.checking import first_kept
from .session_lock import SessionLock

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


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise CourseError for what SQLite says of the file."""
    try:
        yield
    except OtherFile as error:
        raise CourseError(f"{path} {error}") from None
    except sqlite3.Error as error:
        raise CourseError(f"{path} {_advice(error)}") from error


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _advice(error: sqlite3.Error) -> str:
    """Return what is the matter with a file, and what to do."""
    text = str(error)
    if _is_busy(error):
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


def opened(path: Path) -> tuple[sqlite3.Connection, str]:
    """Return a connection to the file of a store, which is made if it does not exist, and the store's key."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "has no folder to be in"
        raise CourseError(f"{path} {what}. Give the path of a file in a folder that exists.")
    until = time.monotonic() + PATIENCE
    while True:
        connection = connect(str(path))
        try:
            # WAL: who reads does not wait for who writes. Going over to it does not wait as a
            # transaction does, so that the processes that open a new file at once have to try again.
            prepare(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            return connection, connection.execute("SELECT key FROM store").fetchone()[0]
        except sqlite3.OperationalError as error:
            connection.close()
            if not _is_busy(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
        except BaseException:
            connection.close()
            raise


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


class InFile:
    """The operations of a store in an SQLite file: `InMemory` in `sessions` says what each of them does."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def turns(self, session: str) -> list[tuple[int, str]]:
        found = "SELECT id, turn FROM turns WHERE session = ? ORDER BY id"
        return self._connection.execute(found, (session,)).fetchall()

    def add(
        self, session: str, rows: list[tuple[str, str]], after: int | None, most: int | None
    ) -> list[int] | None:
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
