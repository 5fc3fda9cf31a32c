"""Reading what an SDK or a server sends, whatever it is wrapped in; shared by the modules of this package."""

from __future__ import annotations

import json
from typing import Any

from ..errors import CourseError
from ..tools import ToolResult

ENDED_EARLY = "stream_ended_early"
"""What `merge_stream` puts where the reason of the end would stand, if the stream broke off before it: the
last call may not be whole then, however it looks."""

__all__ = ["ENDED_EARLY", "as_object", "dump", "get", "parse_arguments", "result_text", "sendable_arguments"]


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


def parse_arguments(value: Any) -> dict[str, Any] | str:
    """Arguments as a dictionary; as the text they came in, where that holds no JSON object.

    Nothing at all ("" or None) is a call without arguments. Text inside text is read once more: some servers
    encode twice.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, dict):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_no_number)
        if isinstance(found, str):
            found = json.loads(found, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


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
