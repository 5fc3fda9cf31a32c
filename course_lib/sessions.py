"""Keeping conversations: in memory, or in an SQLite file that threads and processes share.

    store = SessionStore("sessions.sqlite")
    store.append("anna", [history.user("Hello")])
    store.get("anna")                                # the turns so far, as copies

What one `append` is given is kept as a whole or not at all, whenever the program is stopped. The turns are
JSON text, one row for each: `sqlite3 sessions.sqlite "SELECT * FROM turns"` shows them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import CourseError
from .history.checking import Turn, checked_turn
from .history.mending import check_most, first_kept
from .history.plain import plain

PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""
_APPLICATION = 0x436F5373
"""Stands in the head of our files, so that no other program's database is taken for one."""
_VERSION = 1
_TABLES = (
    "CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, role TEXT NOT NULL, "
    "turn TEXT NOT NULL)",
    "CREATE INDEX turns_of_session ON turns (session, id)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)

__all__ = ["SessionStore"]


class SessionStore:
    """Conversations by their session id, which is any text. Safe to use from many threads and processes.

    Args:
        path: A file, which is made if it does not exist; without it the store is in memory.
        most_turns: How many turns of a session are kept. The oldest go first, in whole exchanges, and the
            last exchange always stays.

    Raises CourseError for a file that it cannot use.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, most_turns: int | None = None) -> None:
        if most_turns is not None:
            check_most(most_turns)
        if path is not None and (not isinstance(path, str | Path) or "\0" in str(path)):
            raise CourseError(
                f"SessionStore() takes the path of a file, and got a {type(path).__name__}. "
                'Write SessionStore("sessions.sqlite"), or SessionStore() to keep sessions in memory.'
            )
        self.path = None if path is None else Path(os.path.abspath(path))
        self.most_turns = most_turns
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        with self._explained():
            self._connection = self._open()
        _stores.add(self)

    def get(self, session_id: str) -> list[Turn]:
        """The turns of a session, oldest first; none of one that does not exist. They are yours to change."""
        with self._using(session_id) as connection:
            rows = connection.execute("SELECT turn FROM turns WHERE session = ? ORDER BY id", (session_id,))
            texts = [text for (text,) in rows]
        try:
            return json.loads(f"[{','.join(texts)}]")
        except (TypeError, ValueError) as error:
            raise CourseError(
                f"The session {session_id[:80]!r} in {self._name()} holds something that is no JSON "
                f"({error}). Another program changed it; clear(session_id) removes the session."
            ) from None

    def append(self, session_id: str, turns: list[Turn]) -> None:
        """Add turns to a session: all of them, or, if anything goes wrong, none."""
        if not isinstance(turns, list | tuple):
            raise CourseError(
                f"append() takes a list of turns, and got a {type(turns).__name__}. "
                "Write store.append(session_id, [turn])."
            )
        checked = [checked_turn(turn, f"turns[{n}]") for n, turn in enumerate(turns)]
        rows = [(session_id, turn["role"], json.dumps(turn, ensure_ascii=False)) for turn in checked]
        with self._using(session_id) as connection, _transaction(connection):
            connection.executemany("INSERT INTO turns (session, role, turn) VALUES (?, ?, ?)", rows)
            if self.most_turns is not None:
                self._drop_oldest(connection, session_id)

    def clear(self, session_id: str) -> None:
        """Forget a session; nothing happens if it does not exist."""
        with self._using(session_id) as connection, _transaction(connection):
            connection.execute("DELETE FROM turns WHERE session = ?", (session_id,))

    def session_ids(self) -> list[str]:
        """The ids of all sessions that have turns, in alphabetical order."""
        with self._using() as connection:
            return sorted(found for (found,) in connection.execute("SELECT DISTINCT session FROM turns"))

    def close(self) -> None:
        """Let go of the file. A store in memory forgets everything."""
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __enter__(self) -> SessionStore:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "SessionStore()" if self.path is None else f"SessionStore({str(self.path)!r})"

    # Inside -----------------------------------------------------------------------------------------

    def _drop_oldest(self, connection: sqlite3.Connection, session_id: str) -> None:
        rows = connection.execute("SELECT id, role FROM turns WHERE session = ? ORDER BY id", (session_id,))
        ids, roles = zip(*rows, strict=True) if (rows := rows.fetchall()) else ((), ())
        first = first_kept(roles, self.most_turns)
        if first:
            connection.execute("DELETE FROM turns WHERE session = ? AND id < ?", (session_id, ids[first]))

    @contextmanager
    def _using(self, session_id: Any = "") -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; what SQLite says of it, as a CourseError."""
        if not isinstance(session_id, str):
            raise CourseError(
                f"A session id is text, and this is a {type(session_id).__name__}. Write str(session_id)."
            )
        plain(session_id, "The session id")
        with self._lock, self._explained():
            if self._closed:
                raise CourseError(f"{self!r} is closed. Make a new one to go on.")
            if self._connection is None:  # in a process that was forked from the one that opened it
                self._connection = self._open()
            yield self._connection

    def _open(self) -> sqlite3.Connection:
        if self.path is None:
            connection = _connect(":memory:")
            _prepare(connection)
            return connection
        if self.path.is_dir() or not self.path.parent.is_dir():
            what = "is a folder" if self.path.is_dir() else "has no folder to be in"
            raise CourseError(f"{self.path} {what}. Give the path of a file in a folder that exists.")
        until = time.monotonic() + PATIENCE
        while True:
            connection = _connect(str(self.path))
            try:
                # WAL: who reads does not wait for who writes. Going over to it does not wait as a
                # transaction does, so that the processes that open a new file at once are told to try again.
                _prepare(connection)
                connection.execute("PRAGMA journal_mode = WAL")
                return connection
            except sqlite3.OperationalError as error:
                connection.close()
                if not _is_busy(error) or time.monotonic() > until:
                    raise
                time.sleep(0.02)
            except BaseException:
                connection.close()
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except _OtherFile as error:
            raise CourseError(f"{self._name()} {error}") from None
        except sqlite3.Error as error:
            raise CourseError(f"{self._name()} {_advice(error)}") from error

    def _name(self) -> str:
        return "The store in memory" if self.path is None else str(self.path)

    def _forget_connection(self) -> None:
        """Start anew in a forked process: neither a lock nor a connection to a file may cross a fork."""
        self._lock = threading.RLock()
        if self.path is not None and self._connection is not None:
            _left_behind.append(self._connection)  # to close it would tidy up a file that the parent uses
            self._connection = None


class _OtherFile(Exception):
    """The database is not one of ours, or not of ours yet."""


_stores: weakref.WeakSet[SessionStore] = weakref.WeakSet()
_left_behind: list[sqlite3.Connection] = []


def _after_fork() -> None:
    for store in list(_stores):
        store._forget_connection()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _connect(database: str) -> sqlite3.Connection:
    connection = sqlite3.connect(database, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    # Each append is on the disk when it returns: a call that ran must not be forgotten when the power fails.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables of a new file. Raises _OtherFile for a database that is not ours."""
    if _is_ours(connection):
        return
    # Another process may be making them right now: whose the file is can only be told while nobody writes.
    with _transaction(connection):
        if _is_ours(connection):
            return
        (things,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if things or _number(connection, "application_id") or _number(connection, "user_version"):
            raise _OtherFile("is the database of another program. Give the path of a new file.")
        for statement in _TABLES:
            connection.execute(statement)


def _is_ours(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there."""
    if _number(connection, "application_id") != _APPLICATION:
        return False
    if _number(connection, "user_version") > _VERSION:
        raise _OtherFile(
            "was written by a newer version of this course. Update course_lib, or give another file."
        )
    return True


def _number(connection: sqlite3.Connection, name: str) -> int:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside, or nothing. One writer at a time: its turn begins before it reads."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _advice(error: sqlite3.Error) -> str:
    """What is the matter with a file, and what to do."""
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
