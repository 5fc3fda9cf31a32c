"""Find the plain facts in a message: numbers with their units, dates, e-mails, identifiers, places, quoted
text …

Each is an `Entity` with its place in the text, so that `filling` can see what stands near it ("2.5 kg",
"rate 0.21", "from Oslo"). Patterns and lists only: what a pattern does not catch is not found. Every pattern
reads a text in time proportional to its length; where one could run on, it has a bound.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Any

from . import gazetteer, language
from .arithmetic import find_expressions
from .clock import find_times
from .dates import find_dates
from .language import fold, one_of
from .numerals import DIGITS, number, spelled

Found = Iterator[tuple[Any, int, int]]  # value, start, end
MOST = 300  # facts of one kind in a text that are looked at
NEAR = 80  # characters before and after a fact that are looked at for the words beside it

_NUMBER = re.compile(
    rf"(?<![\w.,-])([-−])?([$€£¥₹]\s?)?({DIGITS})([kKM](?!\w))?(?:\s?(%|°\s?[CF]"
    rf"|[$€£¥₹]))?(?![\w]{{0,20}}[-_]\d)"
)
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"']*[^\s<>\"'.,;:!?)\]]", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|«([^«»]+)»|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)|‘([^‘’]+)’")
_PATH = re.compile(
    r"(?<![\w@/.~-])(?:(?:~|\.{1,2})?/[\w.-]{1,100}(?:/[\w.-]{1,100}){0,20}/?"
    r"|[A-Za-z][\w-]{2,40}/[A-Za-z][\w.-]{3,60}"  # Europe/Madrid, owner/repository
    r"|[\w-]{1,80}(?:/[\w-]{1,80}){0,20}(?:\.[\w-]{1,20}){0,3}"
    r"\.(?:[a-z]{2,4}|py|md|js|ts|c|h|r|mp[34]|[A-Z]{2,4}|html|json|yaml|toml|xlsx|docx|pptx"
    r"|ipynb))(?![\w/@-])"
)
_IDENTIFIER = re.compile(
    r"(?<![\w@./-])"
    + one_of(
        r"#\s?(\d[\w-]{0,60})",
        r"([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"  # UUID
        r"|(?=[a-f]{0,12}\d)(?=\d{0,12}[a-f])[0-9a-f]{7,40}"  # commit
        r"|[A-Za-z]{1,12}[-_]\d[\w-]{0,60}"  # TR-99812
        r"|[A-Za-z]{1,12}-[A-Z0-9]{0,20}\d[\w-]{0,60}"  # INV-A7
        r"|(?:[A-Z]{2,12}-){1,3}\d[\w-]{0,60}"
        r"|[A-Z]{1,6}\d{1,}[A-Z0-9]{0,30}"  # BA117, A7
        r"|\d{1,3}[ABDEHJ]"  # 12B
        r"|v?\d{1,4}(?:\.\d{1,4}){2,3})",  # 1.4.2
    )
    + r"(?![\w@]|-\w)"
)
_PHONE = re.compile(
    r"(?<![\w.+-])(?:\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}|\(\d{2,4}\) ?\d{3,4}[ .-]?\d{3,4}"
    r"|\d{3}[ .-]\d{3}[ .-]\d{3,4}|\d{3}-\d{4})(?![\w-])"
)
_HANDLE = re.compile(r"(?<![\w@#&/])[@#][A-Za-z][\w-]{1,60}")
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,5}(?![\w-])")
_TITLE = r"(?:(?:Dr|Dra|Mr|Mrs|Ms|Sr|Sra|Prof|St)\.? )?"
_CAPITAL = r"[A-ZÁÉÍÓÚÑÜ][\w'’&-]{0,60}"
_PROPER = re.compile(
    rf"(?<![\w'’@.-]){_TITLE}{_CAPITAL}(?:[ ]+(?:(?:de|del|la|las|los|of|the|da|do|van"
    rf"|von)[ ]+){{0,2}}{_CAPITAL}){{0,8}}"
)


@dataclass(frozen=True)
class Entity:
    """One fact found in a text."""

    kind: str
    """One of the kinds that `wants` lists: email, url, quoted, expression, date, time, number, place, name
    …"""
    value: Any
    """As JSON: a number, or text; a date as (first, last, unit) of `dates.Span`."""
    start: int
    end: int
    before: str = ""
    """The three words before it."""
    after: str = ""
    """Its unit and the two words after it."""
    written: str = ""
    """How it stands in the text."""

    @property
    def amount(self) -> bool:
        """Of a currency: whether an amount stands beside it."""
        return self.before[-1:].isdigit() or self.after[:1].isdigit()


@lru_cache(maxsize=100)
def read(text: str, today: date, tongue: str) -> tuple[Entity, ...]:
    """The facts of a text (of each kind at most MOST), in order.

    One stretch of text is read once: the first kind that claims it has it. Quoted text and expressions are
    also read inside, because a tool may want the quote or what it names, the expression or its numbers.
    """
    found: list[Entity] = []
    taken: list[tuple[int, int]] = []  # sorted, without overlaps
    for kind, finder in _FINDERS:
        for value, start, end in islice(finder(text, today, tongue), MOST):
            place = bisect_left(taken, (start, end))
            if place and taken[place - 1][1] > start or place < len(taken) and taken[place][0] < end:
                continue
            around = _words_before(text, start), _words_after(text, end)
            found.append(Entity(kind, value, start, end, *around, text[start:end]))
            if kind not in ("quoted", "expression"):
                taken.insert(place, (start, end))
    return tuple(sorted(found, key=lambda entity: entity.start))


def _quoted(text: str, today: date, tongue: str) -> Found:
    for match in _QUOTED.finditer(text):
        yield next(filter(None, match.groups())), *match.span()


def _matches(pattern: re.Pattern[str]) -> Any:
    """A finder for what a pattern matches: its first group that has text, or all of it."""

    def finder(text: str, today: date, tongue: str) -> Found:
        for match in pattern.finditer(text):
            yield next(filter(None, match.groups()), match.group()).rstrip("."), *match.span()

    return finder


def _dates(text: str, today: date, tongue: str) -> Found:
    for span in find_dates(text, today):
        yield (span.first, span.last, span.unit), span.start, span.end


def _times(text: str, today: date, tongue: str) -> Found:
    for start, end, clock in find_times(text):
        yield clock, start, end


def _expressions(text: str, today: date, tongue: str) -> Found:
    for start, end, expression in find_expressions(text, tongue):
        yield expression, start, end


def _numbers(text: str, today: date, tongue: str) -> Found:
    for match in _NUMBER.finditer(text):
        after_number = text[max(0, match.start() - 5) : match.start()].rstrip()[-1:] in ("0123456789)")
        value = number(("-" if match[1] and not after_number else "") + match[3], tongue)
        if match[4] and (match[2] or match[5] or match[4] == "k"):  # $5k, 20k
            value *= 1_000 if match[4] in "kK" else 1_000_000
        # The unit beside the number is not part of it: "5 %" ends before the sign, so that it is read as the
        # unit.
        start = match.start(3) if match[2] and not match[1] else match.start()
        yield value, start, match.end(3) + bool(match[4] and value >= 1_000)
    for start, end, value in spelled(text, tongue):
        yield value, start, end


def _currencies(text: str, today: date, tongue: str) -> Found:
    yield from ((code, start, end) for start, end, code in gazetteer.find_currencies(text))


def _languages(text: str, today: date, tongue: str) -> Found:
    yield from ((name, start, end) for start, end, name in gazetteer.find_languages(text))


def _colours(text: str, today: date, tongue: str) -> Found:
    for match in language.WORD.finditer(text):
        said = language.features(match.group(), tongue) if match.group().islower() else {}  # Rosa, Mr Brown
        if any(said.get(colour) == 1 for colour in _COLOURS):
            yield match.group(), *match.span()


def _places(text: str, today: date, tongue: str) -> Found:
    yield from ((name, start, end) for start, end, name in gazetteer.find_places(text, tongue))


def _codes(text: str, today: date, tongue: str) -> Found:
    if text != text.upper() or len(text.split()) < 3:  # in a text that is all capitals, capitals tell nothing
        yield from ((match.group(), *match.span()) for match in _CODE.finditer(text))


def _names(text: str, today: date, tongue: str) -> Found:
    for match in _PROPER.finditer(text):
        start, name = match.start(), match.group()
        if _starts_sentence(text, start):  # "Find Ana Torres": the first capital is grammar, not a name
            first, _, rest = name.partition(" ")
            known = fold(first) in language.stop_words(tongue) or (
                language.concepts_of(fold(first), tongue)
                and not text[max(0, start - 5) : start].rstrip().endswith(":")
            )
            if known or not rest:
                start, name = start + len(first) + 1, rest
        if name and not (" " not in name and fold(name) in language.stop_words(tongue)):
            yield name, start, match.end()


_COLOURS = "black blue brown green grey orange_color pink purple red white yellow".split()  # in the lexicon
_FINDERS = [
    ("quoted", _quoted),
    ("url", _matches(_URL)),
    ("email", _matches(_EMAIL)),
    ("date", _dates),
    ("time", _times),
    ("phone", _matches(_PHONE)),
    ("path", _matches(_PATH)),
    ("expression", _expressions),
    ("identifier", _matches(_IDENTIFIER)),
    ("handle", _matches(_HANDLE)),
    ("number", _numbers),
    ("currency", _currencies),
    ("language", _languages),
    ("colour", _colours),
    ("place", _places),
    ("code", _codes),
    ("name", _names),
]  # fmt: skip


def _words_before(text: str, start: int) -> str:
    return " ".join(
        re.findall(r"[\w°%$€£#]+", re.split(r"[.;!?\n]", text[max(0, start - NEAR) : start])[-1])[-3:]
    )


def _words_after(text: str, end: int) -> str:
    following = re.split(r"[.;!?\n](?:\s|$)", text[end : end + NEAR])[0]
    return " ".join(re.findall(r"[^\W\d]+|[°%$€£]", following)[:2])


def _starts_sentence(text: str, start: int) -> bool:
    ahead = text[max(0, start - NEAR) : start].rstrip(" ¿¡\"'“«(*-")
    return not ahead or ahead[-1] in ".!?:;\n"
