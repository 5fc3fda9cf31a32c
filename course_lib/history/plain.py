"""Values that JSON can hold and a request can carry: copied, or refused with the place of what is wrong."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from ..content import sendable
from ..errors import CourseError

DEEPEST = 200
"""Levels. What is deeper holds itself, or was made to hurt: readers of JSON give up on it, too."""
_MOST_BITS = 1024
"""Of a whole number; no number of a service is larger."""

_LONG_NUMBER = re.compile("[0-9]{300}")

__all__ = ["clean", "cleaned", "plain"]


def plain(value: Any, where: str) -> Any:
    """A copy of a value made of what JSON has. Raises CourseError, with the place, for anything else."""
    if (found := _quick_copy(value)) is not None:
        return found
    try:
        return _copy(value, 0)
    except _NotPlain as bad:
        # A value that holds itself has the same step two hundred times: the first ones say enough.
        path = bad.path[::-1] if len(bad.path) <= 10 else [*bad.path[:-11:-1], "…"]
        place = where + "".join(path)
        raise CourseError(f"{place} {bad.args[0]}") from None


def cleaned(value: Any, where: str) -> Any:
    """The same of a value that a service sent: what `plain` would refuse in it becomes what it takes."""
    found = _quick_copy(value)
    return plain(clean(value), where) if found is None else found


def clean(value: Any) -> Any:
    """A value that a service sent, as `plain` takes it: its half characters become ?, NaN becomes text."""
    if isinstance(value, str):
        return value if value.isascii() else sendable(value)
    if isinstance(value, dict):
        return {clean(name): clean(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _quick_copy(value: Any) -> Any:
    """A copy of a value, where a look is enough to see that JSON has all of it; else None.

    To write it, to read it and to compare the two is done in C, in a fraction of the time that `_copy` takes;
    and every turn of a run comes by here more than once.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if text.count("{") + text.count("[") >= DEEPEST or _LONG_NUMBER.search(text):
            return None
        if not text.isascii():
            text.encode("utf-8")
        copied = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return copied if copied == value else None  # there were keys that are no text, or tuples


class _NotPlain(Exception):
    """What is wrong with a value; its path is collected on the way up, innermost first."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.path: list[str] = []

    def add(self, step: Any) -> None:
        """Go one step out: the key or the index that led here."""
        shown = ascii(step) if isinstance(step, str | int) else f"<{type(step).__name__}>"
        self.path.append(f"[{shown if len(shown) <= 60 else shown[:60] + '…'}]")


def _copy(value: Any, depth: int) -> Any:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return _copied_dict(value, depth)
    if isinstance(value, list | tuple):
        return _copied_list(value, depth)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, int) and value.bit_length() <= _MOST_BITS:
        return int(value)
    if isinstance(value, int | float):
        raise _NotPlain("is a number that JSON cannot carry. Write a finite one, or text.")
    raise _NotPlain(
        f"is a {type(value).__name__}, which JSON does not have. Write text, a number, true or false, None, "
        "or a list or dictionary of them; an SDK's object goes through history.assistant()."
    )


def _copied_dict(value: dict[Any, Any], depth: int) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    name: Any = None
    try:
        _check_depth(depth)
        for name, item in value.items():
            if not isinstance(name, str):
                raise _NotPlain("is a key that is no text. Write it as text.")
            copied[_text(name)] = _copy(item, depth + 1)
    except _NotPlain as bad:
        bad.add(name)
        raise
    return copied


def _copied_list(value: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
    copied: list[Any] = []
    try:
        _check_depth(depth)
        for item in value:
            copied.append(_copy(item, depth + 1))
    except _NotPlain as bad:
        bad.add(len(copied))
        raise
    return copied


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST:
        raise _NotPlain("holds itself, or goes too deep. Write values without circles.")


def _text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _NotPlain(
                "has half a character (a lone surrogate), which no request can carry. "
                'Write text.encode("utf-8", "replace").decode("utf-8").'
            ) from None
    return str.__str__(value)
