"""Any value of Python as plain JSON values, or as text for a model: never too long, not Python's spelling."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import enum
import itertools
import json
import math
import re
import sys
import types
from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    Set,
    ValuesView,
)
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

# Any value of Python as plain values of JSON: dict, list, str, int, float, bool and None --------------
# Written out in Python, where pydantic_core has the same in Rust: a tool's thread that was left behind
# inside a value's own code (a slow iterator, a slow __str__) must not stand inside Rust when the program
# ends, because that aborts the interpreter.


MOST_ITEMS = 10_000
"""Of an iterator, which may never end, and of a frame's rows."""
MOST_VALUES = 100_000
"""Of all that a value holds, unless the text may have more characters than that: each takes at least one."""
DEEPEST = 100
LEFT_OUT = "..."
"""In place of what holds itself, lies too deep, or comes after MOST_VALUES."""

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def plain(value: Any, most_characters: int = 0) -> Any:
    """The value as JSON has it. A frame has as many rows as fit into `most_characters`, and says how many."""
    return _Conversion(most_characters).value(value)


class _Conversion:
    """One value on its way to JSON: what it lies in, so that nothing is followed in circles, and how much."""

    def __init__(self, most_characters: int) -> None:
        self.most_characters = most_characters
        self.left = max(MOST_VALUES, most_characters)
        self.around: set[int] = set()

    def value(self, value: Any) -> Any:
        """The value as JSON has it; strictly str, int, float, bool and None, or a dict or list of them."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, enum.Enum):
            return self.value(value.value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return _integer(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else _not_finite(value)
        if id(value) in self.around or len(self.around) >= DEEPEST:
            return LEFT_OUT
        self.around.add(id(value))
        try:
            return self._large(value)
        finally:
            self.around.discard(id(value))

    def _large(self, value: Any) -> Any:
        if isinstance(value, bytes | bytearray | memoryview):
            return _of_bytes(bytes(value))
        if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
            return _of_time(value)
        if isinstance(value, type):
            return _described(value)
        if (frame := _frame(value)) is not None:
            return self._rows(frame)
        if isinstance(value, BaseModel):
            found = _of_model(value)
            return self._object(found.items()) if isinstance(found, Mapping) else self.value(found)
        if (named := _named_values(value)) is not None:
            return self._object(named)
        if isinstance(value, Set) and not isinstance(value, KeysView | ItemsView):
            return _in_order(self._list(value))
        if isinstance(value, Iterator):
            return self._list(itertools.islice(value, MOST_ITEMS))
        if isinstance(value, Sequence | KeysView | ItemsView | ValuesView) or _says_only_its_address(value):
            return self._list(value)
        if callable(getattr(type(value), "tolist", None)):  # numpy and what is like it
            listed = _to_list(value)
            return _described(value) if listed is value else self.value(listed)
        return _described(value)

    def _list(self, values: Iterable[Any]) -> list[Any]:
        found = []
        for one in values:
            if self.left <= 0:
                found.append(LEFT_OUT)
                break
            self.left -= 1
            found.append(self.value(one))
        return found

    def _object(self, pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, one in pairs:
            if self.left <= 0:
                found[_free(LEFT_OUT, found)] = LEFT_OUT
                break
            self.left -= 1
            found[_free(self._name(key), found)] = self.value(one)
        return found

    def _name(self, key: Any) -> str:
        """A key as text, which all names of JSON are: (1, 2) as "1,2"."""
        found = self.value(key)
        if isinstance(found, list):
            return ",".join(self._name(one) for one in found)
        return found if isinstance(found, str) else json.dumps(found)

    def _rows(self, frame: Any) -> dict[str, Any]:
        """The rows of a pandas frame, as many as fit, and how many there are."""
        names: dict[str, None] = {}
        for column in frame.columns:
            names[_free(self._name(column), names)] = None
        columns, kept = list(names), not isinstance(frame.index, sys.modules["pandas"].RangeIndex)
        for level in frame.index.names if kept else ():
            names[_free("index" if level is None else self._name(level), names)] = None
        index = list(names)[len(columns) :]
        data: list[Any] = []
        size = 0
        for key, *cells in frame.head(MOST_ITEMS).itertuples(name=None):
            keys = key if isinstance(key, tuple) and len(index) > 1 else (key,)
            of_index = zip(index, keys, strict=False)
            row = {name: self._cell(cell) for name, cell in (*of_index, *zip(columns, cells, strict=True))}
            size += len(json.dumps(row, ensure_ascii=False)) + 1
            if data and size > self.most_characters > 0:
                break
            data.append(row)
        return {"rows_shown": len(data), "rows": len(frame), "data": data}

    def _cell(self, value: Any) -> Any:
        """In a frame NaN says that there is nothing."""
        return None if isinstance(value, float) and math.isnan(value) else self.value(value)


def _named_values(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """The names of a value and what they stand for; None for a value that has no names."""
    kind = type(value)
    if dataclasses.is_dataclass(value):
        return [
            (one.name, getattr(value, one.name))
            for one in dataclasses.fields(value)
            if hasattr(value, one.name)
        ]
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, tuple):
        return zip(value._fields, value, strict=False) if hasattr(kind, "_fields") else None
    if isinstance(value, types.SimpleNamespace):
        return vars(value).items()
    if callable(getattr(kind, "keys", None)) and hasattr(kind, "__getitem__"):  # a row of sqlite3
        return zip(value.keys(), value, strict=False) if hasattr(kind, "__iter__") else dict(value).items()
    return None


def _of_model(value: BaseModel) -> Any:
    """A Pydantic model as its serializers write it; iterators in its fields are left to us."""
    endless = [name for name, one in value if isinstance(one, Iterator)]
    try:
        found = value.model_dump(exclude=set(endless)) if endless else value.model_dump()
    except ValueError as error:
        if "Circular" not in str(error):
            raise
        return dict(value)
    return found | {name: getattr(value, name) for name in endless} if endless else found


def _integer(value: int) -> int | str:
    try:
        int.__repr__(value)
    except ValueError:  # more digits than Python writes
        return f"an integer of about {int(value.bit_length() * math.log10(2)):,} digits"
    return value


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _of_bytes(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")


def _of_time(value: Any) -> Any:
    if value != value:  # pandas has a time that is none
        return None
    if isinstance(value, datetime.timedelta):
        return to_jsonable_python(datetime.timedelta(value.days, value.seconds, value.microseconds))
    return re.sub(r"\+00:00\Z", "Z", value.isoformat())


def _in_order(values: list[Any]) -> list[Any]:
    """The members of a set, which have no order, in one that is the same each time."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


def _frame(value: Any) -> Any:
    """A frame of pandas, also of its Series; None for anything else."""
    pandas = sys.modules.get("pandas")
    if not isinstance(getattr(pandas, "DataFrame", None), type):
        return None
    if isinstance(value, pandas.Series):
        return value.to_frame()
    return value if isinstance(value, pandas.DataFrame) else None


def _to_list(value: Any) -> Any:
    """What numpy's arrays hold. Its times would come as bare numbers."""
    if getattr(getattr(value, "dtype", None), "kind", None) in ("M", "m"):
        value = value.astype(str)
    return value.tolist()


def _says_only_its_address(value: Any) -> bool:
    """Whether something can be listed, and says nothing of itself: then its list says more."""
    kind = type(value)
    return hasattr(kind, "__iter__") and (kind.__str__, kind.__repr__) == (object.__str__, object.__repr__)


def _described(value: Any) -> str | None:
    """How an object describes itself, without its address."""
    if type(value).__name__ == "NAType":  # pandas: nothing is there
        return None
    return _ADDRESS.sub("", str(value)) or type(value).__name__


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """A name that is not taken yet: columns may share one, and 1 and "1" become the same."""
    if name not in taken:
        return name
    return next(one for n in itertools.count(2) if (one := f"{name} ({n})") not in taken)


# What a tool returned, as text for a model: JSON or plain text, not Python's spelling, never too long -


MOST_CHARACTERS = 20_000
"""About 5,000 tokens. What is longer is cut: a model reads it again with every turn, and pays each time."""
NOTHING = "OK (no output)"
"""For None and for empty text: some services refuse an empty result."""

# Where JSON text must not be cut: inside "\n" or "\u00e9". A backslash after another one opens nothing.
_OPEN_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9A-Fa-f]{0,3})?\Z")


def to_text(value: Any, most_characters: int = MOST_CHARACTERS) -> str:
    """What a tool returned, as the text of a tool result.

    Text stays as it is. None and empty text become "OK (no output)". All else becomes JSON: mappings, rows of
    a database, named tuples, dataclasses and Pydantic models by their names; sets, tuples and iterators as
    lists; dates and times in ISO 8601; Decimal, UUID and paths as text; bytes as text if they are UTF-8, else
    as base64; NaN and infinity as "NaN" and "Infinity" (JSON has no such numbers); pandas frames as their
    rows, as many as fit. An object that none of this fits is its own description. Letters with accents stay
    letters. Text of more than `most_characters` is cut, and says so.
    """
    value = plain(value, most_characters)
    if value is None:
        return NOTHING
    # A date, a Decimal, an enum: one text, which needs no quotes.
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    )
    return cut(sendable(text), most_characters) if text.strip() else NOTHING


def sendable(text: str) -> str:
    """The text with ? for half characters (lone surrogates), which no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, most: int) -> str:
    """A text of at most about `most` characters: its beginning, how much is missing, and its end."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 3 // 4], text[len(text) - most // 4 :]
    head = _OPEN_ESCAPE.sub(r"\1", head)
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} of {len(text):,} characters left out …]\n{tail}"
