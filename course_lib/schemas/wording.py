"""What Pydantic objects to in arguments, in words for the model that sent them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

from .places import Steps, resolve, spell

_SAYS_HOW_MANY = ("too_long", "too_short")
_HOW_MANY = re.compile(r"( after validation)?, not (\d+|more)$")
_SUBJECT = re.compile(r"^[A-Z]\w+ (?=should )")
_LONGEST = 80

__all__ = ["in_words", "of_a_key", "quote"]


def in_words(errors: list[ErrorDetails], data: Any, mended: Mapping[Steps, Any]) -> dict[str, str]:
    """One sentence for each place that has problems; for a union, what each of its members wanted."""
    wanted: dict[Steps, list[str]] = {}
    in_keys: set[Steps] = set()
    for error in errors:
        steps = resolve(data, error["loc"])
        if error["type"] == "missing":
            steps = (*steps, error["loc"][-1])
        words = _words(error)
        if of_a_key(error):
            words = f"has the key {quote(steps[-1])}, which {words}"
            steps = steps[:-1]
            in_keys.add(steps)
        if words not in wanted.setdefault(steps, []):
            wanted[steps].append(words)
    return {
        spell(steps): " or ".join(words) + ("" if steps in in_keys else _instead_of(data, steps, mended))
        for steps, words in wanted.items()
    }


def _words(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "extra_forbidden":
        return "does not exist there; leave it out"
    if error["type"] == "string_type":
        return "should be a string, in quotes"
    text = error["msg"].removeprefix("Value error, ")
    if error["type"] in _SAYS_HOW_MANY:
        text = _HOW_MANY.sub("", text)  # what was sent is told behind
    if error["type"] != "value_error":
        text = _SUBJECT.sub("", text)
    return text[:1].lower() + text[1:]


def _instead_of(data: Any, steps: Steps, mended: Mapping[Steps, Any]) -> str:
    """What stood there, in the model's own words."""
    if not steps:
        return ""  # a check of a whole model: what it says is about all of them
    for length in range(len(steps), 0, -1):
        if isinstance(mended.get(steps[:length]), str):
            return f", in what you sent: {quote(mended[steps[:length]])}"
    for step in steps:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return ""  # it is missing
    return f", not {quote(data)}"


def of_a_key(error: ErrorDetails) -> bool:
    """Whether it is about the key of an object and not about what stands there: `dict[int, str]`."""
    return error["loc"][-1:] == ("[key]",)


def quote(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
