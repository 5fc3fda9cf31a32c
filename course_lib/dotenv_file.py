"""Read the .env file of a learner, as editors on every system write it.

Reading the bytes is done here and not left to python-dotenv: its older versions keep Notepad's byte
order mark, which hides the first key, and none of them reads the UTF-16 that PowerShell's `>` writes.
"""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

from .say import say

__all__ = ["DotEnv", "decode", "read_dotenv"]


@dataclass
class DotEnv:
    """The values of a .env file, where it is, what was wrong with it, and the lines that were not read."""

    path: Path | None = None
    values: dict[str, str | None] = field(default_factory=dict, repr=False)
    problem: str = ""
    unread: dict[int, str] = field(default_factory=dict, repr=False)


def read_dotenv(folder: Path) -> DotEnv:
    """Read the first .env file found in `folder` or above it; without one, an empty DotEnv."""
    path = _find(folder, (".env",))
    if path is None:
        # Notepad and Explorer like to add an ending that they then hide.
        twin = _find(folder, (".env.txt", "env.txt"))
        return DotEnv(problem=say("keys.dotenv_txt", name=twin.name) if twin else "")
    try:
        from dotenv.parser import parse_stream

        text = decode(path.read_bytes())
    except ImportError:
        return DotEnv(path, problem=say("keys.dotenv_missing_package"))
    except UnicodeDecodeError:
        return DotEnv(path, problem=say("keys.dotenv_encoding"))
    except OSError as error:
        return DotEnv(path, problem=say("keys.dotenv_unreadable", reason=type(error).__name__))
    # Parsed here and not by dotenv_values(), which tells the terminal of a line it cannot read, and not us;
    # and nothing is interpolated: a key may hold a dollar sign.
    found = DotEnv(path)
    for binding in parse_stream(io.StringIO(text)):
        if binding.key is not None:
            found.values[binding.key] = binding.value
        if binding.error or (binding.key and not re.fullmatch(r"[A-Za-z_][\w.-]*", binding.key)):
            line = binding.original.string
            blank = line[: len(line) - len(line.lstrip())]
            found.unread[binding.original.line + blank.count("\n")] = line.strip()
    return found


def decode(raw: bytes) -> str:
    """Return the text of a file written as UTF-8 or UTF-16, with or without a byte order mark."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    if b"\x00" in raw[:200]:
        return raw.decode("utf-16-le" if raw[1:2] == b"\x00" else "utf-16-be")
    return raw.decode("utf-8-sig")


def _find(folder: Path, names: tuple[str, ...]) -> Path | None:
    for up in (folder, *folder.parents):
        for name in names:
            try:
                # A folder called .env is somebody's virtual environment.
                if (up / name).is_file():
                    return up / name
            except OSError:
                continue
    return None
