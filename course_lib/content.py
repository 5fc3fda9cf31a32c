"""What a tool returned, as text for a model: JSON or plain text, not Python's spelling, never too long."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

MOST_CHARACTERS = 20_000
"""About 5,000 tokens. What is longer is cut: a model reads it again with every turn, and pays each time."""
MOST_ITEMS = 10_000
"""Of an iterator, which may never end."""
NOTHING = "OK (no output)"
"""For None and for empty text: some services refuse an empty result."""

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
# Where JSON text must not be cut: inside "\n" or "\u00e9".
_OPEN_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?\Z")

__all__ = ["MOST_CHARACTERS", "MOST_ITEMS", "NOTHING", "cut", "sendable", "to_text"]


def to_text(value: Any, most_characters: int = MOST_CHARACTERS) -> str:
    """What a tool returned, as the text of a tool result.

    Text stays as it is. None and empty text become "OK (no output)". All else becomes JSON: dataclasses and
    Pydantic models by their fields; sets, tuples and iterators as lists; dates and times in ISO 8601;
    Decimal, UUID and paths as text; bytes as text if they are UTF-8 and as base64 if not; NaN and infinity as
    "NaN" and "Infinity" (JSON has no such numbers); pandas frames as their rows. An object that none of this
    fits is its own description. Letters with accents stay letters. Text of more than `most_characters` is
    cut, and says so.
    """
    if value is None:
        return NOTHING
    if not isinstance(value, str) and (rows := _rows_of_frame(value, most_characters)) is not None:
        return rows
    text = value if isinstance(value, str) else _json(value)
    return cut(sendable(text), most_characters) if text.strip() else NOTHING


def sendable(text: str) -> str:
    """The text with ? for half characters (lone surrogates), which no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, most: int) -> str:
    """A text of at most about `most` characters: its beginning, how much is missing, and its end."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 3 // 4], text[len(text) - most // 4 :]
    head = _OPEN_ESCAPE.sub("", head)
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} of {len(text):,} characters left out …]\n{tail}"


def _json(value: Any) -> str:
    try:
        value = _listed(value)
    except RecursionError:
        return _described(value)  # it holds itself
    for bytes_mode in ("utf8", "base64"):
        try:
            found = to_json(value, bytes_mode=bytes_mode, inf_nan_mode="strings", fallback=_without_json)
        except PydanticSerializationError as error:
            if "surrogates" in str(error):
                return json.dumps(value, ensure_ascii=False, default=_without_json)
            if "utf-8" not in str(error):
                break  # it cannot be written
        except (ValueError, RecursionError):
            break  # it holds itself
        else:
            # A date, a Decimal, an enum: one text, which needs no quotes.
            return from_json(found) if found.startswith(b'"') else found.decode()
    return _described(value)


def _listed(value: Any) -> Any:
    """The same with lists for iterators, which may never end and can be read only once, and for sets, in an
    order that is the same each time."""
    if isinstance(value, Iterator):
        return [_listed(one) for one in itertools.islice(value, MOST_ITEMS)]
    if isinstance(value, dict):
        return {name: _listed(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(one) for one in value]
    return sorted(value, key=str) if isinstance(value, set | frozenset) else value


def _without_json(value: Any) -> Any:
    """An object without a form in JSON: its list (an iterator in a field, numpy), or its description."""
    if isinstance(value, Iterator):
        return _listed(value)
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else _described(value)


def _described(value: Any) -> str:
    """How an object describes itself, without its address."""
    return _ADDRESS.sub("", str(value))


def _rows_of_frame(value: Any, most: int) -> str | None:
    """The rows of a pandas frame as JSON, as many as fit, and how many there are; None for anything else."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(value, pandas.DataFrame | pandas.Series):
        return None
    frame = value.to_frame() if isinstance(value, pandas.Series) else value
    if not isinstance(frame.index, pandas.RangeIndex):
        frame = frame.reset_index()
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    lines: list[str] = []
    size = 0
    for line in (
        frame.head(MOST_ITEMS)
        .to_json(orient="records", lines=True, date_format="iso", force_ascii=False)
        .splitlines()
    ):
        size += len(line) + 2
        if lines and size > most:
            break
        lines.append(line)
    note = f'"rows_shown": {len(lines)}, "rows": {len(frame)}'
    return f'{{{note}, "data": [{", ".join(lines)}]}}'
