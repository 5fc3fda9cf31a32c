"""Folders of copies that a killed process left behind: a kernel that is killed runs nothing at its end.

A process holds a lock on a file in its folder as long as it lives; the system gives the lock up when the
process ends, however it ends. Without such locks (Windows), an open file keeps its folder from being removed.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

PREFIX = "course-shop-"
YOUNG = 60.0
"""Seconds in which a folder may not have its lock yet."""

_held: list[IO[str]] = []

__all__ = ["PREFIX", "hold", "release", "remove_leftovers"]


def hold(folder: Path) -> None:
    """Keep other processes from removing a folder while this one lives."""
    file = (folder / "in-use").open("w", encoding="utf-8")
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _held.append(file)  # closing it would give the lock up


def release(folder: Path) -> None:
    """Let a folder of this process be removed."""
    for file in [file for file in _held if Path(file.name).parent == folder]:
        _held.remove(file)
        file.close()


def remove_leftovers() -> None:
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
