"""Keeping conversations: in memory, or in an SQLite file that threads and processes share.

    store = SessionStore("sessions.sqlite")
    store.append("anna", [history.user("Hello")])
    store.get("anna")                                # the turns so far, as copies

What one `append` is given is kept as a whole or not at all, whenever the program is stopped. The turns are
JSON text, one row for each: `sqlite3 sessions.sqlite "SELECT * FROM turns"` shows them.

Three more things are for programs that must do nothing twice, even where several go on with one session or
one is stopped in the middle: `alone` lets one of them have a session, `append(..., after=number)` adds only
to a session that nobody else went on with, and `claim` lets one of them, once and for all, run a call.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CourseError
from ..providers.history.checking import Turn, check_most, checked_turn, first_kept
from ..providers.history.turns import plain
from .session_lock import SessionLock

if TYPE_CHECKING:
    import sqlite3

    from .session_database import InFile


class SessionStore:
    """Conversations by their session id, which is any text. Safe to use from many threads and processes.

    Args:
        path: A file, which is made if it does not exist, "~" for your own folder; without it the store is
            in memory.
        most_turns: How many turns of a session are kept. The oldest go first, in whole exchanges, and the
            last exchange always stays.

    Raises CourseError for a file that it cannot use.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, most_turns: int | None = None) -> None:
        if most_turns is not None:
            check_most(most_turns)
        if path is not None and not _is_path(path):
            raise CourseError(
                f"SessionStore() takes the path of a file, and got a {type(path).__name__}. "
                'Write SessionStore("sessions.sqlite"), or SessionStore() to keep sessions in memory.'
            )
        self.path = None if path is None else Path(os.path.abspath(os.path.expanduser(path)))
        self.most_turns = most_turns
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._memory = InMemory() if path is None else None
        self.key = secrets.token_hex(8)
        """Identifies this store: with the number of a turn it makes a key that no other turn has."""
        self._closed = False
        if path is not None:
            with self._file():
                pass
        _stores.add(self)

    def get(self, session_id: str) -> list[Turn]:
        """Return the turns of a session, oldest first; none of one that does not exist. They are copies."""
        return self.get_numbered(session_id)[0]

    def get_numbered(self, session_id: str) -> tuple[list[Turn], list[int]]:
        """As `get`, and the number of each turn; numbers grow and are never used twice in a store.

        A copy of the file, or one that is put back from a backup, is another store: see `turn_key`.
        """
        with self._using(session_id) as tables:
            rows = tables.turns(session_id)
        try:
            return json.loads(f"[{','.join(text for _, text in rows)}]"), [number for number, _ in rows]
        except (TypeError, ValueError) as error:
            raise CourseError(
                f"The session {session_id[:80]!r} in {self.path} holds something that is no JSON "
                f"({error}). Another program changed it; clear(session_id) removes the session."
            ) from None

    def turn_key(self, session_id: str, number: int) -> str:
        """Return a key that no other turn has, in this store, in any other or in a copy of it."""
        with self._using(session_id) as tables:
            return tables.key(number) or f"{self.key}-{number}"

    def append(self, session_id: str, turns: list[Turn], *, after: int | None = None) -> list[int]:
        """Add turns to a session: all of them, or, if anything goes wrong, none. Return their numbers.

        `after` is the number of the last turn that the caller knows, 0 for none: if there are others behind
        it, somebody else went on with the session, and CourseError is raised.
        """
        if not isinstance(turns, list | tuple):
            raise CourseError(
                f"append() takes a list of turns, and got a {type(turns).__name__}. "
                "Write store.append(session_id, [turn])."
            )
        checked = [checked_turn(turn, f"turns[{n}]") for n, turn in enumerate(turns)]
        rows = [(turn["role"], json.dumps(turn, ensure_ascii=False)) for turn in checked]
        with self._using(session_id) as tables:
            numbers = tables.add(session_id, rows, after, self.most_turns)
        if numbers is None:
            raise CourseError(
                f"Another program went on with session '{session_id}' in the meantime, so nothing was added "
                "to it. Read it again, and go on from there."
            )
        return numbers

    def claim(self, session_id: str, call_key: str) -> bool:
        """Claim a call that is about to run: return True to the first who does, and False to all others.

        Holds over threads, processes and restarts. Whoever gets False must not run the call: it has run, it
        runs now, or it was stopped on the way.
        """
        with self._using(session_id) as tables:
            return tables.claim(session_id, call_key)

    def claimed(self, session_id: str) -> set[str]:
        """Return the keys of the calls of a session that were claimed."""
        with self._using(session_id) as tables:
            return tables.claimed(session_id)

    @contextmanager
    def alone(self, session_id: str) -> Iterator[SessionLock]:
        """Have a session for oneself, until the end of the block. Raises CourseError if another one has it.

        Holds over threads and processes. Of a process that was killed, nothing stays behind: its sessions are
        free at once, or after ten minutes where this machine cannot see that it is gone. After ten minutes
        another process may also take the session of one that lives; then `append` refuses the slower one.
        """
        mine = SessionLock.new()
        try:
            with self._using(session_id) as tables:
                other = tables.take(session_id, mine)
            if other is not None:
                where = "" if other.is_ours else f" in process {other.pid} of {other.host}"
                raise CourseError(
                    f"A run of session '{session_id}' is still going on{where}. Wait for its end, or use "
                    "another session id: one for each conversation."
                )
            try:
                yield mine
            finally:
                with suppress(CourseError), self._using(session_id) as tables:
                    tables.give_back(session_id, mine)
        finally:
            mine.end()  # also if the file cannot be written any more, and still lists this lock

    def clear(self, session_id: str) -> None:
        """Forget a session; nothing happens if it does not exist."""
        with self._using(session_id) as tables:
            tables.clear(session_id)

    def session_ids(self) -> list[str]:
        """Return the ids of all sessions that have turns, in alphabetical order."""
        with self._using() as tables:
            return sorted(tables.sessions())

    def close(self) -> None:
        """Let go of the file. A store in memory forgets everything."""
        with self._lock:
            self._closed = True
            connection, self._connection, self._memory = self._connection, None, None
            if connection is not None:
                connection.close()

    def __enter__(self) -> SessionStore:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "SessionStore()" if self.path is None else f"SessionStore({str(self.path)!r})"

    # Inside -----------------------------------------------------------------------------------------

    @contextmanager
    def _using(self, session_id: Any = "") -> Iterator[InMemory | InFile]:
        """Yield what is stored, to one thread at a time. Raise CourseError for what SQLite says of it."""
        if not isinstance(session_id, str):
            raise CourseError(
                f"A session id is text, and this is a {type(session_id).__name__}. Write str(session_id)."
            )
        if not session_id.isascii():
            plain(session_id, "The session id")
        with self._lock:
            if self._closed:
                raise CourseError(f"{self!r} is closed. Make a new one to go on.")
            if self._memory is not None:
                yield self._memory
                return
            with self._file() as tables:
                yield tables

    @contextmanager
    def _file(self) -> Iterator[InFile]:
        from . import session_database  # here: a store in memory does not wait for SQLite to be imported

        with session_database.explained(self.path):
            if self._connection is None:  # also in a process that was forked from the one that opened it
                self._connection, self.key = session_database.opened(self.path)
            yield session_database.InFile(self._connection)

    def _forget_connection(self) -> None:
        """Start anew in a forked process: neither a lock nor a connection to a file may cross a fork."""
        self._lock = threading.RLock()
        if self.path is None:
            self.key = secrets.token_hex(8)  # from here on the two copies are two stores
            if self._memory is not None:
                self._memory.locks.clear()  # those of the parent's runs, which go on with the other one
        elif self._connection is not None:
            _left_behind.append(self._connection)  # to close it would tidy up a file that the parent uses
            self._connection = None


def _is_path(path: Any) -> bool:
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    return isinstance(name, str) and "\0" not in name


# A store in memory --------------------------------------------------------------------------------


class InMemory:
    """The operations of a store in memory, each of which happens fully or not at all, one thread at a time.

    `InFile` in `session_database` does the same in a file. Lists, because a database in memory would cost a
    third of the time of a short run, its requests aside.
    """

    def __init__(self) -> None:
        self._last = 0
        self._turns: dict[str, list[tuple[int, str, str]]] = {}
        self._claims: dict[str, set[str]] = {}
        self.locks: dict[str, SessionLock] = {}

    def turns(self, session: str) -> list[tuple[int, str]]:
        """Return the numbers and texts of the turns of a session, in their order."""
        return [(number, text) for number, _, text in self._turns.get(session, ())]

    def add(
        self, session: str, rows: list[tuple[str, str]], after: int | None, most: int | None
    ) -> list[int] | None:
        """Add turns, by role and JSON text, and return their numbers.

        Add none and return None if `after` is not the number of the last one.
        """
        kept = self._turns.get(session, [])
        if after is not None and after != (kept[-1][0] if kept else 0):
            return None
        numbers = list(range(self._last + 1, self._last + 1 + len(rows)))
        added = [(number, *row) for number, row in zip(numbers, rows, strict=True)]
        first = 0 if most is None else first_kept([role for _, role, _ in [*kept, *added]], most)
        self._last += len(rows)
        # In one statement: Ctrl-C must not leave half of it.
        if kept and not first:
            kept.extend(added)
        elif added:
            self._turns[session] = [*kept, *added][first:]
        return numbers

    def key(self, number: int) -> str:
        """Return what was made up for the turn when it was added; empty where its number is enough."""
        return ""  # there is no copy of it in which the number could be given once more

    def claim(self, session: str, call: str) -> bool:
        """Claim a call, and return whether nobody had."""
        claims = self._claims.setdefault(session, set())
        return not (call in claims or claims.add(call))

    def claimed(self, session: str) -> set[str]:
        return set(self._claims.get(session, ()))

    def take(self, session: str, lock: SessionLock) -> SessionLock | None:
        """Take the lock of a session, and return None; or return the one that somebody else holds."""
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


# Forks ----------------------------------------------------------------------------------------------

_stores: weakref.WeakSet[SessionStore] = weakref.WeakSet()
_left_behind: list[sqlite3.Connection] = []


def _after_fork() -> None:
    for store in list(_stores):
        store._forget_connection()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
