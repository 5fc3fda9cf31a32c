"""The SQLite file of a SessionStore: its tables, how it is opened, and what to do where it cannot be used."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

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

__all__ = ["PATIENCE", "OtherFile", "advice", "connect", "is_busy", "prepare", "read_key", "transaction"]


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
    # Another process may be making them right now: whose the file is can only be told while nobody writes.
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
    """Which tables are there; 0 where there are none of ours."""
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
    """All that is written inside, or nothing. One writer at a time: its turn begins before it reads."""
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
    """What is the matter with a file, and what to do."""
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
