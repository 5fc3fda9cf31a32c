"""Numbers as people write them: "1,234.5", "1.234,5", "twenty-five", "doscientos cincuenta" -> int or
float."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .language import WORD, fold

# Possessive (++): a long run of digits is read once, never again in shorter pieces.
DIGITS = r"(?:\d{1,3}(?:[,.]\d{3})++(?:[.,]\d++)?(?![\d])|\d++(?:[.,]\d++)?)"

_ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen "
    "seventeen eighteen nineteen",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco "
    "veintiseis "
    "veintisiete veintiocho veintinueve",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_HUNDREDS = (
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
_SMALL = {
    tongue: {word: value for value, word in enumerate(_ONES[tongue].split())}
    | {word: 10 * tens for tens, word in enumerate(_TENS[tongue].split(), 2)}
    for tongue in ("en", "es")
}
_SMALL["en"] |= {"dozen": 12}
_SMALL["es"] |= {word: 100 * count for count, word in enumerate(_HUNDREDS.split(), 1)}
_SMALL["es"] |= {"docena": 12, "cien": 100, "veintiun": 21}
_TIMES = {
    "en": {"hundred": 100, "thousand": 1_000, "million": 1_000_000},
    "es": {"mil": 1_000, "millon": 1_000_000, "millones": 1_000_000},
}
_LINK = {"en": "and", "es": "y"}
# "which one", "the one": there it is a pronoun.
_NOT_A_COUNT = re.compile(
    r"\b(?:which|this|that|the|each|any|no|every|another|only|other|cada|el|la)\s+$", re.IGNORECASE
)


def number(text: str, tongue: str) -> int | float:
    """A number in digits, as the language writes it: in English 1,234.5, in Spanish 1.234,5."""
    text = text.replace("−", "-").strip()
    dot, comma = text.rfind("."), text.rfind(",")
    if dot >= 0 and comma >= 0:  # both: the later one is the decimal mark
        thousands = "," if dot > comma else "."
        text = text.replace(thousands, "").replace(",", ".")
    elif comma >= 0:
        grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+", text) and (tongue == "en" or text.count(",") > 1)
        text = text.replace(",", "" if grouped else ".")
    elif dot >= 0 and re.fullmatch(r"-?\d{1,3}(\.\d{3})+", text) and (tongue == "es" or text.count(".") > 1):
        text = text.replace(".", "")
    return float(text) if "." in text or len(text) > 300 else int(text)


def spelled(text: str, tongue: str) -> Iterator[tuple[int, int, int]]:
    """The numbers in words of a text: (start, end, value), "two hundred and fifty" as one."""
    run: list[re.Match[str]] = []
    for match in [*WORD.finditer(text), None]:
        word = fold(match.group()) if match else ""
        close = bool(run and match) and not text[run[-1].end() : match.start()].strip(" -")
        if match and (not run or close) and (word in _SMALL[tongue] or word in _TIMES[tongue]):
            run.append(match)
        elif run and close and word == _LINK[tongue]:
            run.append(match)
        else:
            yield from _numbers_of(text, run, tongue)
            run = [match] if match and (word in _SMALL[tongue] or word in _TIMES[tongue]) else []


def _numbers_of(text: str, run: list[re.Match[str]], tongue: str) -> Iterator[tuple[int, int, int]]:
    """Cut a run of number words where one cannot continue the number before it: "two and three" are two
    numbers."""
    total, current, used = 0, 0, []
    for position, match in enumerate(run):
        word = fold(match.group())
        if word == _LINK[tongue]:
            following = fold(run[position + 1].group()) if position + 1 < len(run) else ""
            if not _joins(used, following, current, tongue) and used:
                yield used[0].start(), used[-1].end(), total + current
                total, current, used = 0, 0, []
            continue
        if word in _TIMES[tongue]:
            times = _TIMES[tongue][word]
            current = max(current, 1) * times
            if times >= 1_000:
                total, current = total + current, 0
        else:
            value = _SMALL[tongue][word]
            if used and not (
                current % 100 == 0 or (current % 10 == 0 and current % 100 >= 20 and value < 10)
            ):
                yield used[0].start(), used[-1].end(), total + current
                total, current, used = 0, 0, []
            current += value
        used.append(match)
    if used and not (
        len(used) == 1
        and total + current == 1
        and _NOT_A_COUNT.search(text[max(0, used[0].start() - 12) : used[0].start()])
    ):
        yield used[0].start(), used[-1].end(), total + current


def _joins(used: list[re.Match[str]], following: str, current: int, tongue: str) -> bool:
    """Whether "and" lies inside one number: "two hundred and six", "treinta y dos"."""
    if not used or following not in _SMALL[tongue]:
        return False
    last = fold(used[-1].group())
    if tongue == "en":
        return last in _TIMES["en"]
    return last in _TENS["es"].split() and _SMALL["es"][following] < 10
