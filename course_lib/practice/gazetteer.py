"""The names in the word lists: places, currencies and languages, found in a text and turned into their
codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from . import language
from .inflection import plural
from .language import fold
from .lexicon import fold_once, read_lines

LONGEST_NAME = 4  # words in the longest name that is looked for
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{2,3}(?![\w-])")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_SIGN = re.compile(r"(?<![A-Z])[$€£¥₹]")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")


def place_code(name: str, *, region: bool = False) -> str | None:
    """The two-letter code of a country ("Canada", "Canadá" -> "CA"), of a city or region that of its country.

    Two capitals are a code already, and stay ("UK" is only short for one). With `region`, a region has the
    code of its own: "Texas" -> "TX".
    """
    if len(name) == 2 and name.isupper() and (name in _country_codes() or fold(name) not in _places()):
        return name
    if found := _places().get(fold(name)):
        country, _, own = found[1].partition("-")
        if own and len(name) == 2:
            return name
        return own if region and own else country
    return name.upper() if name.upper() in _country_codes() else None


def language_code(name: str) -> str | None:
    """The two-letter code of a language: "French", "francés" -> "fr"."""
    return _languages().get(fold(name))


def find_places(text: str, tongue: str) -> Iterator[tuple[int, int, str]]:
    """Places of the list in a text, longest names first: (start, end, as written)."""
    tokens = list(_TOKEN.finditer(text))
    folded = [fold(token.group()) for token in tokens]
    shouted = text == text.upper()
    position = 0
    while position < len(tokens):
        length = _length_of_place(folded, position)
        start, end = tokens[position].start(), tokens[position + max(length, 1) - 1].end()
        written = text[start:end]
        if len(written) == 2 and written.isupper() and shouted:
            pass  # in a text that is all capitals, capitals tell nothing
        elif (
            length
            and " ".join(text[start:end].split()).count(" ") == length - 1
            and _meant_as_place(written, tongue)
        ):
            yield start, end, written if written != written.lower() else written.title()
        elif len(written) == 2 and written.isupper() and written in _country_codes():
            yield start, end, written
        position += max(length, 1)


def find_currencies(text: str) -> Iterator[tuple[int, int, str]]:
    """Currencies by name or code: (start, end, code)."""
    names = _currencies()
    for match in _SIGN.finditer(text):
        yield *match.span(), _SIGNS[match.group()]
    for match in _CAPITALS.finditer(text):
        if match.group() in names:
            yield *match.span(), names[match.group()]
    tokens = list(_TOKEN.finditer(text))
    folded = [fold(token.group()) for token in tokens]
    yield from _named(tokens, folded, names, text)


def find_languages(text: str) -> Iterator[tuple[int, int, str]]:
    """Languages by name: (start, end, as written)."""
    tokens = list(_TOKEN.finditer(text))
    for match in tokens:
        if fold(match.group()) in _languages() and len(match.group()) > 2:
            yield *match.span(), match.group()


def _named(
    tokens: list[re.Match[str]], folded: list[str], names: dict[str, str], text: str
) -> Iterator[tuple[int, int, str]]:
    position = 0
    while position < len(tokens):
        for length in range(min(3, len(tokens) - position), 0, -1):
            if found := names.get(" ".join(folded[position : position + length])):
                if not found.isupper() or not tokens[position].group().isupper():
                    yield tokens[position].start(), tokens[position + length - 1].end(), found
                break
        else:
            length = 1
        position += length


def _length_of_place(folded: list[str], position: int) -> int:
    """How many words from this one on are the longest known name; 0 for none."""
    if folded[position] not in _first_words():
        return 0
    for length in range(min(LONGEST_NAME, len(folded) - position), 0, -1):
        if " ".join(folded[position : position + length]) in _places():
            return length
    return 0


def _meant_as_place(written: str, tongue: str) -> bool:
    """Nice, Reading, Lima: names that are also words count only with their capital."""
    word = fold(written)
    if len(word) == 2:  # an abbreviation; "Me" and "Or" are words
        return written.isupper()
    if written[0].isupper():
        return True
    return (
        len(word) > 3 and word not in language.stop_words(tongue) and not language.concepts_of(word, tongue)
    )


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Folded name -> (kind, code). A country wins over a city of the same name, the city over a region."""
    found: dict[str, tuple[str, str]] = {}
    order = {"country": 0, "city": 1, "region": 2}
    rows = [[part.strip() for part in line.split("|")] for line in read_lines("places.txt") if line[0] != "#"]
    for kind, code, *names in sorted(rows, key=lambda row: order.get(row[0], 3)):
        for name in (part.strip() for cell in names for part in re.split(r"[,;]", cell)):
            if name:
                found.setdefault(fold_once(name), (kind, code))
    return found


@cache
def _first_words() -> frozenset[str]:
    return frozenset(name.split()[0] for name in _places())


@cache
def _country_codes() -> frozenset[str]:
    return frozenset(code for kind, code in _places().values() if kind == "country")


@cache
def _currencies() -> dict[str, str]:
    """Folded name, its plural, or the code in capitals -> code."""
    found: dict[str, str] = {}
    for line in read_lines("currencies.txt"):
        if line[0] != "#":
            code, _symbol, english, spanish = (part.strip() for part in line.split("|"))
            for name in filter(None, (name.strip() for name in f"{english},{spanish}".split(","))):
                found.setdefault(fold(name), code)
                found.setdefault(fold(plural(name, "en")), code)
            found[code] = code
    return found


@cache
def _languages() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in read_lines("languages.txt"):
        if line[0] != "#":
            code, english, spanish = (part.strip() for part in line.split("|"))
            for name in f"{english},{spanish}".split(","):
                found.setdefault(fold(name.strip()), code)
    return found
