"""The plain facts in a message: numbers with units, dates, identifiers, places, currencies, quoted text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from .dates import find_dates, find_times
from .numbers import DIGITS, find_expressions, find_parts, is_number_word, number, spelled, unit_forms
from .text import (
    WORD,
    any_case,
    concepts_of,
    fold,
    fold_once,
    full_features,
    one_of,
    plural,
    read_rows,
    stop_words,
    tokens,
    words_of,
)

# Names in the word lists: places, currencies and languages, and their codes -----------------------

LONGEST_NAME = 5  # words in the longest name that is looked for ("Saint Vincent and the Grenadines")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_SIGN = re.compile(r"(?<![A-Z])[$€£¥₹]")
Found = Iterator[tuple[Any, ...]]  # start, end, value; for some numbers the unit, too


def place_code(name: str, *, region: bool = False) -> str | None:
    """Return the two-letter code of a country ("Canada", "Canadá" -> "CA"), of a city or region that of its
    country.

    Two capitals are a code already, and stay ("UK" is only short for one). With `region`, a region has the
    code of its own: "Texas" -> "TX".
    """
    if len(name) == 2 and name.isupper() and (name in _country_codes() or _key(name) not in _places()):
        return name
    if found := _places().get(_key(name)):
        country, _, own = found[1].partition("-")
        if own and len(name) == 2:
            return name
        return own if region and own else country
    return name.upper() if name.upper() in _country_codes() else None


def language_code(name: str) -> str | None:
    """Return the two-letter code of a language: "French", "francés" -> "fr"."""
    return _languages().get(_key(name))


def country_of_demonym(word: str) -> tuple[str, str] | None:
    """Return the English and Spanish name of the country that an adjective or a noun of its people names:
    "española", "Spaniards" -> ("Spain", "España")."""
    return _demonyms().get(_key(word))


def _look_up(text: str, names: Mapping[str, Any], longest: int = 1) -> Found:
    """Yield the longest names of a list that a text has, and what the list says of each."""
    found, position = words_of(text), 0
    while position < len(found):
        for length in range(min(longest, len(found) - position), 0, -1):
            start, end = found[position].start, found[position + length - 1].end
            key = " ".join(word.folded for word in found[position : position + length])
            if key in names and _NAME.fullmatch(text, start, end) and not _JOINED.match(text, end):
                yield start, end, names[key]
                break
        else:
            length = 1
        position += length


# A name of several words has no more between them than this; and "Paris-based" is no place.
_NAME = re.compile(r"[^\W\d_]+(?:(?:['’.-]|\.?\s+)[^\W\d_]+)*")
_JOINED = re.compile(r"[-_]\w")


def _find_places(text: str, today: date, language: str) -> Found:
    shouted = text == text.upper()  # in a text that is all capitals, capitals tell nothing
    known = _places() | dict.fromkeys(map(str.lower, _country_codes()), ("code", ""))
    for start, end, (kind, _) in _look_up(text, known, LONGEST_NAME):
        written = text[start:end]
        if len(written) == 2 and written.isupper() and shouted:
            continue
        if written in _country_codes() or (kind != "code" and _meant_as_place(written, language)):
            yield start, end, written if written != written.lower() else written.title()


def _meant_as_place(written: str, language: str) -> bool:
    """Nice, Reading, Lima: names that are also words count only with their capital."""
    word = fold(written)
    if len(word) == 2:  # an abbreviation; "Me" and "Or" are words
        return written.isupper()
    if written[0].isupper():
        return True
    return len(word) > 3 and word not in stop_words(language) and not concepts_of(word, language)


def _find_currencies(text: str, today: date, language: str) -> Found:
    yield from ((*match.span(), _SIGNS[match.group()]) for match in _SIGN.finditer(text))
    for start, end, code in _look_up(text, _currencies(), 3):
        if text[start:end] == code or text[start:end].lower() != code.lower():  # "all" is no money of Albania
            yield start, end, code


def _find_languages(text: str, today: date, language: str) -> Found:
    for start, end, _ in _look_up(text, _languages()):
        if end - start > 2:
            yield start, end, text[start:end]


def _find_nationalities(text: str, today: date, language: str) -> Found:
    for start, end, country in _look_up(text, _demonyms()):
        yield start, end, country[language == "es"]


def _find_units(text: str, today: date, language: str) -> Found:
    for start, end, _ in _look_up(text, unit_forms()):
        word, ahead = text[start:end], text[max(0, start - 2) : start].strip()
        if len(word) > 2 or ahead[-1:].isdigit() or (len(word) == 2 and word.islower()):
            yield start, end, word


def _find_colours(text: str, today: date, language: str) -> Found:
    for token in tokens(text, language):
        written = text[token.start : token.end]
        if written.islower() and any(token.meanings.get(colour) == 1 for colour in _COLOURS):  # not Mr Brown
            yield token.start, token.end, written


_COLOURS = "black blue brown green grey orange_color pink purple red white yellow".split()  # in the lexicon


def _key(name: str) -> str:
    return " ".join(WORD.findall(fold_once(name)))


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Folded name -> (kind, code). A country wins over a city of the same name, the city over a region."""
    found: dict[str, tuple[str, str]] = {}
    order = {"country": 0, "city": 1, "region": 2}
    for kind, code, *names in sorted(read_rows("places.txt"), key=lambda row: order.get(row[0], 3)):
        for name in (part.strip() for cell in names for part in re.split(r"[,;]", cell)):
            if name:
                found.setdefault(_key(name), (kind, code))
    return found


@cache
def _country_codes() -> frozenset[str]:
    return frozenset(code for kind, code in _places().values() if kind == "country")


@cache
def _currencies() -> dict[str, str]:
    """Folded name, its plural, or the code -> code."""
    found: dict[str, str] = {}
    for code, _symbol, english, spanish in read_rows("currencies.txt"):
        for name in filter(None, (name.strip() for name in f"{english},{spanish}".split(","))):
            found.setdefault(_key(name), code)
            found.setdefault(_key(plural(name, "en")), code)
        found[code.lower()] = code
    return found


@cache
def _languages() -> dict[str, str]:
    rows = read_rows("languages.txt")
    return {_key(name): code for code, *names in reversed(rows) for name in ",".join(names).split(",")}


@cache
def _demonyms() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for _code, english_name, spanish_name, english, spanish in read_rows("demonyms.txt"):
        for word in f"{english},{spanish}".split(","):
            found.setdefault(_key(word), (english_name, spanish_name))
    return found


# All facts of a message ---------------------------------------------------------------------------
# Each is an `Entity` with its place in the text, so that `slot_values` sees what stands near it ("2.5 kg",
# "rate 0.21", "from Oslo"). Patterns and lists only: what a pattern does not catch is not found. Every
# pattern reads a text in time proportional to its length; where one could run on, it has a bound.

_NUMBER_OF = frozenset("number no nr num code id numero codigo".split())
MOST = 300  # facts of one kind in a text that are looked at
NEAR = 80  # characters before and after a fact that are looked at for the words beside it

_NUMBER = re.compile(
    rf"(?<![\w.,-])([-−])?([$€£¥₹]\s?)?({DIGITS})([kKM](?!\w))?(?:\s?(%|°\s?[CF]"
    rf"|[$€£¥₹]))?(?![\w]{{0,20}}[-_]\d)"
)
_DICE = re.compile(r"(?<![\w.,-])(\d{1,3})[dD](\d{1,3})(?!\w)")  # "3d20" is three dice of twenty sides
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_URL = any_case(r"\b(?:https?://|www\.)[^\s<>\"']*[^\s<>\"'.,;:!?)\]]")
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
_WORD = r"[A-ZÁÉÍÓÚÑ][\w'’-]{0,40}"
_ADDRESS = re.compile(  # "12 Harbour Street, Bristol", "Calle de la Luna 3, Madrid"
    rf"(?<![\w.-])(?:\d{{1,5}}[A-Za-z]? (?:{_WORD} ){{1,4}}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Square|Drive|Way|Place|Court|Boulevard)\b"
    r"|(?:Calle|Avenida|Plaza|Paseo|Camino|Ronda)(?: (?:de|del|la|las|los|el)){0,2}"
    rf" {_WORD}(?: {_WORD}){{0,3}},? \d{{1,4}}[A-Za-z]?\b)"
    rf"(?:, (?:\d{{5}} )?{_WORD}(?: {_WORD}){{0,2}})?"
)
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,5}(?![\w-])")
_TITLE = r"(?:(?:Dr|Dra|Mr|Mrs|Ms|Sr|Sra|Prof|St)\.? )?"
_CAPITAL = r"(?:[A-ZÁÉÍÓÚÑÜ]\.(?=\s?[A-ZÁÉÍÓÚÑÜ])|[A-ZÁÉÍÓÚÑÜ][\w'’&-]{0,60})"
_PROPER = re.compile(
    rf"(?<![\w'’@.-]){_TITLE}{_CAPITAL}(?:[ ]+(?:(?:de|del|la|las|los|of|the|da|do|van"
    rf"|von)[ ]+){{0,2}}{_CAPITAL}){{0,8}}"
)


@dataclass(frozen=True)
class Entity:
    """One fact found in a text."""

    kind: str
    """One of the kinds of `_FINDERS`: email, url, quoted, expression, date, time, number, place, name …"""
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
    unit: str = ""
    """Of a number whose unit is part of it: "hour" of "an hour and a half"."""

    @property
    def amount(self) -> bool:
        """Of a currency: whether an amount stands beside it."""
        return is_number_word(self.before.split(" ")[-1]) or self.after[:1].isdigit()

    @property
    def called(self) -> frozenset[str]:
        """What kind of thing the message says it is: "order 1042", "customer no. 7"; a place is of its own
        kind, a country or a city."""
        if self.kind == "place":
            return full_features(_places().get(_key(self.written), ("",))[0], "en")
        said = (full_features(word) for word in reversed(self.before.split()) if fold(word) not in _NUMBER_OF)
        return next(said, frozenset())


@lru_cache(maxsize=100)
def read(text: str, today: date, language: str) -> tuple[Entity, ...]:
    """Return the facts of a text (of each kind at most MOST), in order.

    One stretch of text is read once: the first kind that claims it has it. Quoted text and expressions are
    also read inside, because a tool may take the quote or what it names, the expression or its numbers; and
    a unit or a nationality may be something else, too ("pounds", "second", "Spanish").
    """
    found: list[Entity] = []
    taken: list[tuple[int, int]] = []  # sorted, without overlaps
    for kind, finder in _FINDERS:
        for start, end, value, *unit in islice(finder(text, today, language), MOST):
            place = bisect_left(taken, (start, end))
            if place and taken[place - 1][1] > start or place < len(taken) and taken[place][0] < end:
                continue
            around = words_before(text, start), _words_after(text, end)
            found.append(Entity(kind, value, start, end, *around, text[start:end], *unit))
            if kind not in ("quoted", "expression", "unit", "nationality"):
                taken.insert(place, (start, end))
    return tuple(sorted(found, key=lambda entity: entity.start))


def _matches(pattern: re.Pattern[str], trimmed: str = ".") -> Any:
    """Return a finder for what a pattern matches: its first group that has text, or all of it."""

    def finder(text: str, today: date, language: str) -> Found:
        for match in pattern.finditer(text):
            yield *match.span(), next(filter(None, match.groups()), match.group()).rstrip(trimmed)

    return finder


def _find_dates(text: str, today: date, language: str) -> Found:
    yield from (
        (span.start, span.end, (span.first, span.last, span.unit)) for span in find_dates(text, today)
    )


def _find_numbers(text: str, today: date, language: str) -> Found:
    for match in _NUMBER.finditer(text):
        after_number = text[max(0, match.start() - 5) : match.start()].rstrip()[-1:] in ("0123456789)")
        value = number(("-" if match[1] and not after_number else "") + match[3], language)
        if match[4] and (match[2] or match[5] or match[4] == "k"):  # $5k, 20k
            value *= 1_000 if match[4] in "kK" else 1_000_000
        # The unit beside the number is not part of it: "5 %" ends before the sign, so that it is read as the
        # unit.
        start = match.start(3) if match[2] and not match[1] else match.start()
        yield start, match.end(3) + bool(match[4] and value >= 1_000), value
    yield from find_parts(text)
    for match in _DICE.finditer(text):
        yield *match.span(1), int(match[1]), "dice"
        yield *match.span(2), int(match[2]), "side"
    yield from spelled(text, language)


def _find_codes(text: str, today: date, language: str) -> Found:
    if text != text.upper() or len(text.split()) < 3:  # in a text that is all capitals, capitals tell nothing
        yield from ((*match.span(), match.group()) for match in _CODE.finditer(text))


_ONE_MORE = re.compile(r"(?:,|\s+(?:and|y|e))\s+[A-ZÁÉÍÓÚÑ]")  # after "Ada" in "Ada, Grace and Joan"


def _find_names(text: str, today: date, language: str) -> Found:
    for match in _PROPER.finditer(text):
        start, name = match.start(), match.group()
        if _starts_sentence(text, start):  # "Find Ana Torres": the first capital is grammar, not a name
            first, _, rest = name.partition(" ")
            known = fold(first) in stop_words(language) or (
                concepts_of(fold(first), language)
                and not text[max(0, start - 5) : start].rstrip().endswith(":")
            )
            listed = (
                not rest and fold(first) not in stop_words(language) and _ONE_MORE.match(text, match.end())
            )
            if not listed and (known or not rest):
                start, name = start + len(first) + 1, rest
        bare = re.sub(r"['’]s$", "", name)
        if bare and not (" " not in bare and fold(bare) in stop_words(language)):
            yield start, start + len(bare), bare


_FINDERS = [
    ("quoted", _matches(_QUOTED, "")), ("unit", _find_units), ("nationality", _find_nationalities),
    ("url", _matches(_URL)), ("email", _matches(_EMAIL)), ("address", _matches(_ADDRESS)),
    ("date", _find_dates), ("time", find_times),
    ("phone", _matches(_PHONE)), ("path", _matches(_PATH)), ("expression", find_expressions),
    ("identifier", _matches(_IDENTIFIER)), ("handle", _matches(_HANDLE)), ("number", _find_numbers),
    ("currency", _find_currencies), ("language", _find_languages), ("colour", _find_colours),
    ("place", _find_places), ("code", _find_codes), ("name", _find_names),
]  # fmt: skip


def words_before(text: str, start: int) -> str:
    """Return the three words before a place in a text, in the same sentence."""
    return " ".join(
        re.findall(r"[\w°%$€£#]+", re.split(r"[.;!?\n]", text[max(0, start - NEAR) : start])[-1])[-3:]
    )


def _words_after(text: str, end: int) -> str:
    following = re.split(r"[.;!?\n](?:\s|$)", text[end : end + NEAR])[0]
    return " ".join(re.findall(r"[^\W\d]+|[°%$€£]", following)[:2])


def _starts_sentence(text: str, start: int) -> bool:
    ahead = text[max(0, start - NEAR) : start].rstrip(" ¿¡\"'“«(*-")
    return not ahead or ahead[-1] in ".!?:;\n"
