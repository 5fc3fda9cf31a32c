"""Who has a session: the lock that a run takes, and that ends with the run, or with its process.

A program that is killed gives nothing back. So a lock names its process, and is over as soon as that is seen
to be gone; where that cannot be seen, on another machine or behind a process id that was given again, it is
over after a time.

A lock of the operating system would end with its process by itself. But a child that was forked keeps it,
a process that hangs holds it for good, it needs a file for each session beside the database, and another
machine need not see it.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from dataclasses import asdict, dataclass

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
