"""The definitions in a file: JSON as it is sent, or a Python file that is run to find its tools."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from ..errors import CourseError
from ..messages import localized
from ..show.plain import safe_text
from ..tools import Tool

_DEFINITION_KEYS = ("input_schema", "parameters", "function", "function_declarations", "functionDeclarations")


def definitions_in(path: str) -> Any:
    """Return the definitions in a file, as `lint` takes them; "-" is standard input.

    A .py file is executed, as `python FILE` would, but not as the main program.
    Raises CourseError, with line and column where JSON is broken.
    """
    if not path:
        raise CourseError(localized("lint.file.no_path"))
    if path.endswith(".ipynb"):
        raise CourseError(localized("lint.file.notebook", path=path))
    if path.endswith(".py"):
        return _from_python(path)
    text = _read(path)
    shown = "-" if path == "-" else path
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        values = {"line": error.lineno, "column": error.colno, "reason": error.msg}
        raise CourseError(localized("lint.file.not_json", path=shown, **values)) from error
    except (RecursionError, ValueError) as error:  # ValueError: a number with too many digits
        key = "too_deep" if isinstance(error, RecursionError) else "unreadable"
        raise CourseError(localized(f"lint.file.{key}", path=shown, reason=error)) from error


def _read(path: str) -> str:
    try:
        if path == "-":
            data = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode()
        elif not Path(path).exists():
            raise CourseError(localized("lint.file.missing", path=path))
        else:
            data = Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(localized("lint.file.unreadable", path=path, reason=error.reason)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CourseError(localized("lint.file.unreadable", path=path, reason=reason)) from error


def _from_python(path: str) -> list[Any]:
    if not Path(path).is_file():
        raise CourseError(localized("lint.file.missing", path=path))
    # As Python does, so that the file can import its neighbours.
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        # What the file prints is not part of the report.
        with redirect_stdout(sys.stderr):
            names = runpy.run_path(path, run_name="linted")
    except (Exception, SystemExit) as error:  # noqa: BLE001 (somebody else's program)
        reason = f"{type(error).__name__}: {safe_text(error)}".removesuffix(": ")
        raise CourseError(localized("lint.file.python_failed", path=path, reason=reason)) from error
    finally:
        sys.path.pop(0)
    found = _tools_among(names)
    if not found:
        raise CourseError(localized("lint.file.no_tools", path=path))
    return found


def _tools_among(names: dict[str, Any]) -> list[Any]:
    """Return every tool and definition at the top level and in lists and dictionaries there, each once."""
    held = [value for name, value in names.items() if not name.startswith("__")]
    several = [one for value in held for one in _inside(value)]
    # A dictionary may be a request, whose `tools` are a list.
    several += [one for value in several if isinstance(value, list | tuple) for one in value]
    return list({id(one): one for one in [*held, *several] if _is_definition(one)}.values())


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        return value
    if not isinstance(value, dict) or _is_definition(value):
        return ()
    is_schema = "properties" in value or "$defs" in value  # whose fields may have any name
    return () if is_schema else value.values()


def _is_definition(one: Any) -> bool:
    return isinstance(one, Tool) or (isinstance(one, dict) and any(key in one for key in _DEFINITION_KEYS))
