"""Any value as text that is safe to show, and JSON written for reading.

What a learner hands in may be half built or hostile: an object whose `__repr__` raises, a list that contains
itself, text with terminal escapes. Nothing here raises, except for KeyboardInterrupt.
"""

from __future__ import annotations

import dataclasses
import json
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..masking import mask
from ..messages import localized
from ..plain_json import JsonCopier

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# Control characters can drive a terminal, bidirectional ones can make text read in another order than it is
# stored, and a lone surrogate cannot be printed at all.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def is_a(value: object, kind: type | tuple[type, ...]) -> bool:
    """Return whether `value` is a `kind`, without asking the value (isinstance reads its `__class__`)."""
    return issubclass(type(value), kind)


def guarded(action: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Return action(), or otherwise() if it fails in any way; only KeyboardInterrupt passes."""
    try:
        return action()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a learner's object may raise anything, SystemExit too
        return otherwise()


def clean(text: str) -> str:
    """Return `text` with characters that do not print as themselves written out, such as \\x1b."""
    text = text.replace("\r\n", "\n").expandtabs(4)
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def safe_text(value: object, limit: int = 300) -> str:
    """Return `str(value)`, clean and at most about `limit` characters; a note if it cannot be had."""
    text = guarded(
        lambda: str.__str__(value) if is_a(value, str) else str(value), lambda: f"<{type_name(value)}>"
    )
    return _shorten(mask(clean(_ADDRESS.sub("", text))), limit)


def safe_repr(value: object, limit: int = 120) -> str:
    """Return `repr(value)` in at most about `limit` characters, without memory addresses; never raises."""
    text = guarded(lambda: _Short(limit).repr(value), lambda: f"<{type_name(value)}>")
    return _shorten(mask(clean(_ADDRESS.sub("", text))), limit)


def plain(value: object) -> Any:
    """Return a copy of `value` made of dict, list, str, int, float, bool and None only.

    SDK objects become what they send; other objects become their repr. Secrets are masked.
    """
    return guarded(lambda: _Showing().copy(value), lambda: safe_repr(value))


class _Showing(JsonCopier):
    """A copy to look at, of a value that may do anything when it is touched."""

    most_values = 20_000  # each text is searched for secrets, and nobody reads beyond this
    left_out = "…"

    def text(self, value: str) -> str:
        return mask(value)

    def integer(self, value: int) -> Any:
        return value if value.bit_length() < 10_000 else f"<int of {value.bit_length()} bits>"

    def not_finite(self, value: float) -> str:
        return repr(value)

    def name(self, key: Any) -> str:
        return mask(str.__str__(key)) if is_a(key, str) else safe_repr(key)

    def pairs(self, value: dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
        return dict.items(value)  # a subclass could answer otherwise

    def array(self, values: Iterable[Any]) -> list[Any]:
        own = list if is_a(values, list) else tuple if is_a(values, tuple) else None
        return super().array(own.__iter__(values) if own else values)

    def other(self, value: Any) -> Any:
        return guarded(lambda: self._of_object(value), lambda: safe_repr(value))

    def _of_object(self, value: Any) -> Any:
        if is_a(value, (bytes, bytearray)):
            return f"<{len(value)} bytes>"
        dump = getattr(type(value), "model_dump", None)
        if dump is not None:
            return self.copy(dump(value, mode="json", exclude_none=True, warnings=False))
        if dataclasses.is_dataclass(type(value)):
            names = [field.name for field in dataclasses.fields(value)]
            return self.object([(name, getattr(value, name)) for name in names])
        return safe_repr(value)


class _Short(reprlib.Repr):
    """reprlib with room for one line of text, and dictionaries in the order they were written."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = limit
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = 8
        self.maxlevel = 4

    def repr_dict(self, x: dict, level: int) -> str:
        if level <= 0:
            return "{…}"
        shown = [
            f"{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}"
            for key, value in list(dict.items(x))[: self.maxdict]
        ]
        if len(x) > self.maxdict:
            shown.append("…")
        return "{" + ", ".join(shown) + "}"

    def repr_instance(self, x: object, level: int) -> str:
        return guarded(lambda: _shorten(repr(x), self.maxother), lambda: f"<{type_name(x)}>")


def type_name(value: object) -> str:
    """Return the name of the type of `value`."""
    # type.__getattribute__ is not asked: a metaclass could answer.
    return str(type.__dict__["__name__"].__get__(type(value)))


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


# JSON values as lines to read: short ones on one line, long ones folded, with how much was left out ---

LONG_TEXT = 240
LONG_LIST = 12
LINE_WIDTH = 84
_MOST_OF_TEXT = 1_200
_MOST_LINES = 24
# A picture of a megabyte would make the notebook as large; nobody reads beyond this.
_MOST_UNFOLDED = 6_000


@dataclass(frozen=True)
class TextLine:
    """One line of text; `note` says what was left out after it, and `rest` is that."""

    indent: int
    text: str
    note: str = ""
    rest: str = ""


def compact(value: Any) -> str:
    """Return `value` as JSON on one line, with the characters of every language as they are."""
    return json.dumps(value, ensure_ascii=False)


def count(key: str, number: int) -> str:
    """Return the catalogue's words for a number of things, such as "1 message" or "3 messages"."""
    return localized(f"{key}.{'one' if number == 1 else 'many'}", n=number)


def fold_text(text: str) -> TextLine:
    """Return a text as one TextLine, folded where it is long."""
    head = "\n".join(text[:_MOST_OF_TEXT].split("\n")[:_MOST_LINES])
    # A fold that hides a few characters costs the reader more than it saves.
    if len(text) <= len(head) + 80:
        return TextLine(0, text)
    rest = text[len(head) :]
    return TextLine(0, head + "…", count("show.more_characters", len(rest)), _unfolded(rest))


def fold_json(value: Any, indent: int = 0, lead: str = "", tail: str = "") -> Iterator[TextLine]:
    """Yield the lines of `value`, made by plain(); `lead` and `tail` stand around it ('"name": ' and ',')."""
    if isinstance(value, str) and len(value) > LONG_TEXT + 40:
        shown = compact(value[:LONG_TEXT])[:-1] + "…"
        note = count("show.more_characters", len(value) - LONG_TEXT)
        yield TextLine(indent, lead + shown + '"' + tail, note, _unfolded(value[LONG_TEXT:]))
        return
    if not isinstance(value, (dict, list)) or not value or _is_short(value, indent, lead):
        yield TextLine(indent, lead + compact(value) + tail)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield TextLine(indent, lead + opening)
    children = [("", item) for item in value]
    if isinstance(value, dict):
        children = [(compact(key) + ": ", item) for key, item in value.items()]
    shown = children if len(children) <= LONG_LIST + 2 else children[:LONG_LIST]
    for number, (name, item) in enumerate(shown, start=1):
        yield from fold_json(item, indent + 1, name, "," if number < len(children) else "")
    if len(children) > len(shown):
        hidden = children[len(shown) :]
        key = "show.more_fields" if isinstance(value, dict) else "show.more_items"
        rest = ",\n".join(name + compact(item) for name, item in hidden)
        yield TextLine(indent + 1, "…", count(key, len(hidden)), _unfolded(rest))
    yield TextLine(indent, closing + tail)


def _is_short(value: Any, indent: int, lead: str) -> bool:
    return len(value) <= LONG_LIST and 2 * indent + len(lead) + len(compact(value)) <= LINE_WIDTH


def _unfolded(text: str) -> str:
    if len(text) <= _MOST_UNFOLDED:
        return text
    return f"{text[:_MOST_UNFOLDED]}… {localized('show.left_out', n=len(text) - _MOST_UNFOLDED)}"
