"""Plain JSON values made of any value of Python, and such values as the text of a tool result."""

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

# One walk for every copy ------------------------------------------------------------------------------


class JsonCopier:
    """A walk through a value that copies what JSON has: dict, list, str, int, float, bool and None.

    Nothing is followed in circles, deeper than `deepest` or for more than `most_values` values. A subclass
    says what becomes of the rest: it may describe it, refuse it with its place, or note its place. An
    instance makes one copy.
    """

    deepest = 200
    most_values: float = 100_000
    left_out = "..."
    """In place of what holds itself, lies too deep, or is one too many."""

    def __init__(self) -> None:
        self.left = self.most_values
        self.path: list[Any] = []
        """The keys and the indexes that lead to the value at hand."""
        self._around: set[int] = set()

    def copy(self, value: Any) -> Any:
        """Return the value as JSON has it."""
        # Its type is asked, and not the value: isinstance believes what a value says of itself.
        kind = type(value)
        if value is None or kind is bool:
            return value
        if issubclass(kind, str):
            return self.text(str.__str__(value))
        if issubclass(kind, int):
            return self.integer(int.__int__(value))
        if issubclass(kind, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else self.not_finite(number)
        if id(value) in self._around or len(self._around) >= self.deepest:
            return self.endless()
        self._around.add(id(value))
        try:
            if issubclass(kind, dict):
                return self.object(self.pairs(value))
            return self.array(value) if issubclass(kind, list | tuple) else self.other(value)
        finally:
            self._around.discard(id(value))

    def array(self, values: Iterable[Any]) -> list[Any]:
        """Return copies of some values, as many as are still allowed."""
        copied = []
        for n, one in enumerate(values):
            if self.left <= 0:
                copied.append(self.endless())
                break
            self.left -= 1
            self.path.append(n)
            try:
                copied.append(self.copy(one))
            finally:
                self.path.pop()
        return copied

    def object(self, pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        """Return copies of some values by name, as many as are still allowed."""
        copied: dict[str, Any] = {}
        for key, one in pairs:
            if self.left <= 0:
                copied[_free(self.left_out, copied)] = self.endless()
                break
            self.left -= 1
            self.path.append(key)
            try:
                name = self.name(key)
                if name is not None:
                    copied[_free(name, copied)] = self.copy(one)
            finally:
                self.path.pop()
        return copied

    # What a subclass may change ---------------------------------------------------------------------

    def text(self, value: str) -> str:
        """Return a text as it is to be kept."""
        return value

    def integer(self, value: int) -> Any:
        """Return what stands for a whole number."""
        return value

    def not_finite(self, value: float) -> Any:
        """Return what stands for NaN or infinity, which JSON does not have."""
        return self.other(value)

    def name(self, key: Any) -> str | None:
        """Return the name that stands for the key of a dictionary; None leaves it out."""
        return self.text(key) if isinstance(key, str) else json.dumps(self.copy(key))

    def pairs(self, value: dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
        """Return the keys and the values of a dictionary."""
        return value.items()

    def endless(self) -> Any:
        """Return what stands for a value that holds itself, lies too deep, or is one too many."""
        return self.left_out

    def other(self, value: Any) -> Any:
        """Return what stands for a value that JSON does not have."""
        raise NotImplementedError


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """Return a name that is not taken yet: columns may share one, and 1 and "1" become the same."""
    if name not in taken:
        return name
    return next(one for n in itertools.count(2) if (one := f"{name} ({n})") not in taken)


# Any value as JSON: what has no form of its own in JSON is described ----------------------------------
# Written in Python, where pydantic_core has the same in Rust: a tool's thread that was abandoned inside a
# value's own code (a slow iterator, a slow __str__) must not stand inside Rust when the program ends, because
# that aborts the interpreter.


MOST_ITEMS = 10_000
"""Of an iterator, which may never end, and of a frame's rows."""

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def plain(value: Any, most_characters: int = 0) -> Any:
    """Return the value as JSON has it. A frame has as many rows as fit into `most_characters`."""
    return _Describing(most_characters).copy(value)


class _Describing(JsonCopier):
    """A copy in which everything has a form: its names, its members, or how it describes itself."""

    def __init__(self, most_characters: int) -> None:
        super().__init__()
        self.most_characters = most_characters
        self.left = max(self.most_values, most_characters)  # each value takes a character at least

    def copy(self, value: Any) -> Any:
        # Its value counts, also where a member is a text or a number of its own.
        return super().copy(value.value if isinstance(value, enum.Enum) else value)

    def integer(self, value: int) -> int | str:
        try:
            int.__repr__(value)
        except ValueError:  # more digits than Python writes
            return f"an integer of about {int(value.bit_length() * math.log10(2)):,} digits"
        return value

    def not_finite(self, value: float) -> str:
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"

    def name(self, key: Any) -> str:
        """Return a key as text, which all names of JSON are: (1, 2) as "1,2"."""
        copied = self.copy(key)
        if isinstance(copied, list):
            return ",".join(self.name(one) for one in copied)
        return copied if isinstance(copied, str) else json.dumps(copied)

    def pairs(self, value: dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
        return value.items() if type(value) is dict else _named_values(value) or ()

    def array(self, values: Iterable[Any]) -> Any:
        named = None if type(values) in (list, tuple) else _named_values(values)
        return super().array(values) if named is None else self.object(named)

    def other(self, value: Any) -> Any:
        if isinstance(value, bytes | bytearray | memoryview):
            return _of_bytes(bytes(value))
        if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
            return _of_time(value)
        if isinstance(value, type):
            return _described(value)
        if (frame := _frame(value)) is not None:
            return self._rows(frame)
        pydantic = sys.modules.get("pydantic")  # where it is not loaded, there is no model of it
        if pydantic is not None and isinstance(value, pydantic.BaseModel):
            found = _of_model(value)
            return self.object(found.items()) if isinstance(found, Mapping) else self.copy(found)
        if (named := _named_values(value)) is not None:
            return self.object(named)
        if isinstance(value, Set) and not isinstance(value, KeysView | ItemsView):
            return _in_order(self.array(value))
        if isinstance(value, Iterator):
            return self.array(itertools.islice(value, MOST_ITEMS))
        if isinstance(value, Sequence | KeysView | ItemsView | ValuesView) or _says_only_its_address(value):
            return self.array(value)
        if callable(getattr(type(value), "tolist", None)):  # numpy and what is like it
            listed = _to_list(value)
            return _described(value) if listed is value else self.copy(listed)
        return _described(value)

    def _rows(self, frame: Any) -> dict[str, Any]:
        """Return the rows of a pandas frame, as many as fit, and how many there are."""
        names: dict[str, None] = {}
        for column in frame.columns:
            names[_free(self.name(column), names)] = None
        columns, kept = list(names), not isinstance(frame.index, sys.modules["pandas"].RangeIndex)
        for level in frame.index.names if kept else ():
            names[_free("index" if level is None else self.name(level), names)] = None
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
        # In a frame NaN says that there is nothing.
        return None if isinstance(value, float) and math.isnan(value) else self.copy(value)


def _named_values(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the names of a value and what they stand for; None for a value that has no names."""
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


def _of_model(value: Any) -> Any:
    """Return a Pydantic model as its serializers write it; iterators in its fields are left to us."""
    endless = [name for name, one in value if isinstance(one, Iterator)]
    try:
        found = value.model_dump(exclude=set(endless)) if endless else value.model_dump()
    except ValueError as error:
        if "Circular" not in str(error):
            raise
        return dict(value)
    return found | {name: getattr(value, name) for name in endless} if endless else found


def _of_bytes(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")


def _of_time(value: Any) -> Any:
    if value != value:  # pandas has a time that is none
        return None
    if isinstance(value, datetime.timedelta):
        from pydantic_core import to_jsonable_python  # here: whoever only copies need not wait for it

        return to_jsonable_python(datetime.timedelta(value.days, value.seconds, value.microseconds))
    return re.sub(r"\+00:00\Z", "Z", value.isoformat())


def _in_order(values: list[Any]) -> list[Any]:
    """Return the members of a set, which have no order, in one that is the same each time."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


def _frame(value: Any) -> Any:
    """Return a frame of pandas, also of its Series; None for anything else."""
    pandas = sys.modules.get("pandas")
    if not isinstance(getattr(pandas, "DataFrame", None), type):
        return None
    if isinstance(value, pandas.Series):
        return value.to_frame()
    return value if isinstance(value, pandas.DataFrame) else None


def _to_list(value: Any) -> Any:
    """Return what numpy's arrays hold. Its times would come as bare numbers."""
    if getattr(getattr(value, "dtype", None), "kind", None) in ("M", "m"):
        value = value.astype(str)
    return value.tolist()


def _says_only_its_address(value: Any) -> bool:
    """Return whether something can be listed, and says nothing of itself: then its list says more."""
    kind = type(value)
    return hasattr(kind, "__iter__") and (kind.__str__, kind.__repr__) == (object.__str__, object.__repr__)


def _described(value: Any) -> str | None:
    """Return how an object describes itself, without its address."""
    if type(value).__name__ == "NAType":  # pandas: nothing is there
        return None
    return _ADDRESS.sub("", str(value)) or type(value).__name__


# What a tool returned, as text for a model ------------------------------------------------------------


MOST_CHARACTERS = 20_000
"""About 5,000 tokens. What is longer is cut: a model reads it again with every turn, and pays each time."""
NOTHING = "OK (no output)"
"""For None and for empty text: some services refuse an empty result."""

# Where JSON text must not be cut: inside "\n" or "\u00e9". A backslash after another one opens nothing.
_OPEN_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9A-Fa-f]{0,3})?\Z")


def to_text(value: Any, most_characters: int = MOST_CHARACTERS) -> str:
    """Return what a tool returned as the text of a tool result.

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
    """Return the text with ? for lone surrogates, which no request can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def kind_of(value: Any) -> str:
    """Return what a value is, for the text of an error."""
    return "None" if value is None else f"a {type(value).__name__}"


def cut(text: str, most: int) -> str:
    """Return a text of at most about `most` characters: its beginning, how much is missing, and its end."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 3 // 4], text[len(text) - most // 4 :]
    head = _OPEN_ESCAPE.sub(r"\1", head)
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} of {len(text):,} characters left out …]\n{tail}"
