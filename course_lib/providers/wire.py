"""Reading what an SDK or a server sends, whatever it is wrapped in; shared by the modules of this package."""

from __future__ import annotations

import json
from typing import Any

from ..errors import CourseError
from ..tools import ToolResult

ENDED_EARLY = "stream_ended_early"
"""What `merge_stream` puts where the reason of the end would stand, if the stream broke off before it: the
last call may not be whole then, however it looks."""

__all__ = [
    "ENDED_EARLY",
    "as_object",
    "dump",
    "get",
    "joined_pieces",
    "parse_arguments",
    "result_text",
    "sendable_arguments",
]


def get(value: Any, name: str, default: Any = None) -> Any:
    """A field of an SDK's object or of a dictionary; the default where it is missing or None."""
    found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
    return default if found is None else found


def dump(value: Any) -> dict[str, Any]:
    """An SDK's object as the dictionary that it came from, without fields that the service did not send."""
    if isinstance(value, dict):
        return value
    if not hasattr(value, "model_dump"):
        raise CourseError(f"{str(value)[:80]!r} is neither an object of an SDK nor a dictionary.")
    # exclude_unset: newer SDKs give an object fields that the service would refuse to read back.
    return value.model_dump(mode="json", exclude_unset=True)


def joined_pieces(before: Any, piece: Any) -> Any:
    """A field of a streamed message that came in two pieces: texts go on, lists grow, objects merge.

    Objects in a list with the same `index` are one, whose texts go on but for what names it.
    """
    if isinstance(before, str) and isinstance(piece, str):
        return before + piece
    if isinstance(before, dict) and isinstance(piece, dict):
        grown = {name: joined_pieces(before.get(name), one) for name, one in piece.items()}
        return before | grown | {name: piece[name] for name in _NAMING if name in piece}
    if isinstance(before, list) and isinstance(piece, list):
        joined = list(before)
        for one in piece:
            index = one.get("index") if isinstance(one, dict) else None
            same = [n for n, old in enumerate(joined) if index is not None and get(old, "index") == index]
            if same:
                joined[same[-1]] = joined_pieces(joined[same[-1]], one)
            else:
                joined.append(one)
        return joined
    return piece


_NAMING = ("index", "type", "id", "format")


def parse_arguments(value: Any) -> dict[str, Any] | str:
    """Arguments as a dictionary; as the text they came in, where that holds no JSON object.

    Nothing at all ("" or None) is a call without arguments. Text inside text is read once more: some servers
    encode twice. An object that cannot be kept and sent on stays text, too: one with a number longer than
    any service reads, or with more levels.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, dict):
        return value if _can_be_kept(value, DEEPEST) else _text_of(value)
    text = value if isinstance(value, str) else _text_of(value)
    if not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_no_number)
        if isinstance(found, str):
            found = json.loads(found, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) and _can_be_kept(found, DEEPEST) else text


DEEPEST = 100
"""Levels of arguments. Readers of JSON end at about 200, and a request has levels around these."""
LONGEST_NUMBER = 10**308
"""No double holds a larger one, and readers of JSON refuse it."""


def _can_be_kept(value: Any, levels: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(_can_be_kept(one, levels - 1) for one in inner)
    return not isinstance(value, int) or -LONGEST_NUMBER <= value <= LONGEST_NUMBER


def _text_of(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):  # deeper or longer than Python writes, or no JSON at all
        return "{...}"


def sendable_arguments(value: Any) -> str:
    """Arguments as the text that a history has on OpenAI's APIs: as they came, where that holds an object;
    else "{}", as the next request is refused with anything else."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if text and isinstance(parse_arguments(text), dict) else "{}"


def _no_number(name: str) -> None:
    """Python's reader takes NaN and Infinity for numbers; in JSON they are none, and no service takes them
    back."""
    raise ValueError(f"{name} is not JSON")


def as_object(value: Any) -> dict[str, Any]:
    """Arguments for a history: always an object, or the next request is refused. What was no JSON becomes
    {}."""
    found = parse_arguments(value)
    return found if isinstance(found, dict) else {}


def result_text(result: ToolResult, *, mark_error: bool) -> str:
    """A result's content as text. `mark_error` is for APIs without a flag for errors: there the text says
    it."""
    text = (
        result.content if isinstance(result.content, str) else json.dumps(result.content, ensure_ascii=False)
    )
    if mark_error and result.is_error and not text.lstrip().lower().startswith("error"):
        return f"Error: {text}"
    return text
