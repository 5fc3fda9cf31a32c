"""Find the plain facts in a message: numbers with their units, dates, e-mails, identifiers, places, quoted text …

Each is an `Entity` with its place in the text, so that `filling` can see what stands near it ("2.5 kg", "rate 0.21",
"from Oslo"). Patterns and lists only: what a pattern does not catch is not found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

from . import language
from .dates import find_dates
from .language import _lines, fold

_DIGITS = r"\d{1,3}(?:[,.]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_NUMBER = re.compile(
    rf"(?<![\w.,-])([-−]?)([$€£¥₹]\s?)?({_DIGITS})(?:\s?(%|°\s?[CF]|[$€£¥₹]))?(?![\w]*[-_]\d)"
)
_OPERATORS = [
    (r"\*\*|\^|to the power of|raised to|elevado a(?: la)?", "**"),
    (r"\*|×|·|x|times|multiplied by|multiplicado por|por|veces", "*"),
    (r"/|÷|divided by|over|dividido (?:por|entre)|entre", "/"),
    (r"\+|plus|added to|mas|más|sumado a", "+"),
    (r"\s[-−]\s|(?<=\))[-−]|minus|menos", "-"),
]
_OPERATOR = "|".join(pattern for pattern, _ in _OPERATORS)
_OPERAND = rf"[(\s]*-?(?:{_DIGITS})[)\s]*"
_EXPRESSION = re.compile(rf"(?<![\w.])\(*{_OPERAND}(?:(?:{_OPERATOR}){_OPERAND})+", re.IGNORECASE)
_TIGHT_MINUS = re.compile(rf"(?<![\w.])\(*(?:{_DIGITS})(?:[-+*/]\(?(?:{_DIGITS})\)*)+")
_PERCENT_OF = re.compile(
    rf"\b({_DIGITS})\s?(?:%|percent|per cent|por ciento)\s+(?:of|de|del)\s+({_DIGITS})", re.IGNORECASE
)
_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"\bhttps?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]|\bwww\.[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|`([^`]+)`|(?<![\w])'([^']+)'(?!\w)|‘([^’]+)’")
_IDENTIFIER = re.compile(
    r"(?<![\w@./-])(?:#\s?(\d[\w-]*)|([A-Za-z]{1,12}[-_]\d[\w-]*|[A-Z]{1,6}\d{2,}[A-Z0-9]*|[A-Za-z]{1,12}-[A-Z0-9]*\d[\w-]*))(?![\w@])"
)
_TIME = re.compile(
    r"\b([01]?\d|2[0-3]):([0-5]\d)\b\s?(am|pm|a\.m\.|p\.m\.)?|\b(1[0-2]|0?[1-9])\s?(am|pm)\b", re.IGNORECASE
)
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,5}(?![\w-])")
_PROPER = re.compile(
    r"(?<![\w'’@.-])[A-ZÁÉÍÓÚÑÜ][\w'’-]*(?:\s+(?:(?:de|del|la|las|los|of|the|y|da|do|van|von)\s+){0,2}[A-ZÁÉÍÓÚÑÜ][\w'’-]*)*"
)
_NUMBER_WORDS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte",
}
_WORD_VALUE = {
    tongue: {word: value for value, word in enumerate(names.split())}
    for tongue, names in _NUMBER_WORDS.items()
}
_WORD_VALUE["en"] |= {"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12}
_WORD_VALUE["es"] |= {"treinta": 30, "cuarenta": 40, "cincuenta": 50, "cien": 100, "docena": 12}


@dataclass(frozen=True)
class Entity:
    """One fact found in a text."""

    kind: str
    """email, url, quoted, expression, date, time, identifier, number, currency, code, place or name."""
    value: Any
    """As JSON: a number, or text; a date as (first, last, unit) of `dates.Span`."""
    start: int
    end: int
    before: str = ""
    """The three words before it."""
    after: str = ""
    """Its unit and the two words after it."""


def read(text: str, today: date, tongue: str) -> list[Entity]:
    """All facts of a text, in order. One stretch of text is read once: the first kind that claims it has it,
    except that quoted text is also read inside."""
    found: list[Entity] = []

    def free(start: int, end: int) -> bool:
        return not any(
            start < entity.end and entity.start < end for entity in found if entity.kind != "quoted"
        )

    def claim(kind: str, value: Any, start: int, end: int) -> None:
        if free(start, end):
            found.append(Entity(kind, value, start, end, _words_before(text, start), _words_after(text, end)))

    for match in _QUOTED.finditer(text):
        found.append(
            Entity(
                "quoted",
                next(filter(None, match.groups())),
                *match.span(),
                _words_before(text, match.start()),
            )
        )
    for match in _URL.finditer(text):
        claim("url", match.group(), *match.span())
    for match in _EMAIL.finditer(text):
        claim("email", match.group().rstrip("."), *match.span())
    for span in find_dates(text, today):
        claim("date", (span.first, span.last, span.unit), span.start, span.end)
    for match in _TIME.finditer(text):
        claim("time", _clock(match), *match.span())
    for match in _PERCENT_OF.finditer(text):
        claim("expression", f"{number(match[1], tongue)} / 100 * {number(match[2], tongue)}", *match.span())
    for pattern in (_EXPRESSION, _TIGHT_MINUS):
        for match in pattern.finditer(text):
            if expression := _expression(match.group(), tongue):
                claim("expression", expression, match.start(), match.start() + len(match.group().rstrip()))
    for match in _IDENTIFIER.finditer(text):
        claim("identifier", match[1] or match[2], *match.span())
    for match in _NUMBER.finditer(text):
        sign = "-" if match[1] and not text[: match.start()].rstrip().endswith(tuple("0123456789)")) else ""
        claim("number", number(sign + match[3], tongue), *match.span())
    for match in language.WORD.finditer(text):
        if (value := _WORD_VALUE[tongue].get(fold(match.group()))) is not None:
            claim("number", value, *match.span())
    for start, end, currency in _currencies(text):
        claim("currency", currency, start, end)
    for start, end, name in _places(text, tongue):
        claim("place", name, start, end)
    for match in _CODE.finditer(text):
        if text != text.upper():  # in a text that is all capitals, capitals tell nothing
            claim("code", match.group(), *match.span())
    for match in _PROPER.finditer(text):
        start, name = match.start(), match.group()
        if _starts_sentence(text, start):  # "Find Ana Torres": the first capital is grammar, not a name
            first, _, rest = name.partition(" ")
            known = fold(first) in language.stop_words(tongue) or language.concepts_of(fold(first), tongue)
            if known or not rest:
                start, name = start + len(first) + 1, rest
        if name and not (" " not in name and fold(name) in language.stop_words(tongue)):
            claim("name", name, start, match.end())
    return sorted(found, key=lambda entity: entity.start)


def number(text: str, tongue: str) -> int | float:
    """A number as written in the language: "1,234.5", "1.234,5", "2.5", "-3" -> int or float."""
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
    return float(text) if "." in text else int(text)


def place_code(name: str) -> str | None:
    """The two-letter code of a country or region ("Canada", "Canadá", "CA" -> "CA"); None if it is not known."""
    kind_code = _gazetteer().get(fold(name))
    if kind_code:
        return kind_code[1]
    return name.upper() if name.upper() in _country_codes() else None


def is_country(name: str) -> bool:
    """Whether the list of places has it as a country, by name or code."""
    return _gazetteer().get(fold(name), ("",))[0] == "country" or (
        name.isupper() and name in _country_codes()
    )


def shift(entity: Entity, by: int) -> Entity:
    """The same entity in a text that begins `by` characters later."""
    return replace(entity, start=entity.start - by, end=entity.end - by)


def _words_before(text: str, start: int) -> str:
    return " ".join(re.findall(r"[\w°%$€£#]+", re.split(r"[.;!?\n]", text[:start])[-1])[-3:])


def _words_after(text: str, end: int) -> str:
    following = re.split(r"[.;!?\n](?:\s|$)", text[max(0, end - 1) :])[0]
    return " ".join(re.findall(r"[^\W\d]+|[°%$€£]", following)[:2])


def _starts_sentence(text: str, start: int) -> bool:
    return not (ahead := text[:start].rstrip(" ¿¡\"'“«(*-")) or ahead[-1] in ".!?:;\n"


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    half = (match[3] or match[5] or "").replace(".", "").lower()
    hour = hour % 12 + 12 if half == "pm" and hour <= 12 else (0 if half == "am" and hour == 12 else hour)
    return f"{hour:02d}:{minute:02d}"


def _expression(text: str, tongue: str) -> str | None:
    """ "123 multiplied by 4" -> "123 * 4"; None where the parentheses do not match."""
    for pattern, sign in _OPERATORS:
        loose = rf"\s*(?:{pattern})\s*" if sign != "-" else rf"(?:{pattern}|(?<=[\d)])[-−](?=[\d(]))"
        text = re.sub(loose, f" {sign.replace('**', '@')} ", text, flags=re.IGNORECASE)
    text = re.sub(_DIGITS, lambda match: str(number(match.group(), tongue)), text)
    text = re.sub(r"\s+", " ", text.replace("@", "**")).strip()
    text = re.sub(r"\(\s+", "(", re.sub(r"\s+\)", ")", text))
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip()
    while text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:].lstrip()
    return text if text.count("(") == text.count(")") and re.search(r"\d\D+\d", text) else None


@cache
def _gazetteer() -> dict[str, tuple[str, str]]:
    """Folded name -> (kind, code). A country wins over a city of the same name, the city over a region."""
    found: dict[str, tuple[str, str]] = {}
    order = {"country": 0, "city": 1, "region": 2}
    rows = [
        [part.strip() for part in line.split("|")]
        for line in _lines("places.txt")
        if not line.startswith("##")
    ]
    for kind, code, *names in sorted(rows, key=lambda row: order.get(row[0], 3)):
        for name in (part.strip() for cell in names for part in re.split(r"[,;]", cell)):
            if name:
                found.setdefault(fold(name), (kind, code))
    return found


@cache
def _country_codes() -> frozenset[str]:
    return frozenset(code for kind, code in _gazetteer().values() if kind == "country")


def _places(text: str, tongue: str) -> list[tuple[int, int, str]]:
    tokens = [match for match in re.finditer(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*", text)]
    found, position = [], 0
    while position < len(tokens):
        for length in (4, 3, 2, 1):
            chunk = tokens[position : position + length]
            if len(chunk) < length:
                continue
            start, end = chunk[0].start(), chunk[-1].end()
            written = text[start:end]
            if fold(written) in _gazetteer() and _meant_as_place(written, tongue):
                found.append((start, end, written if written != written.lower() else written.title()))
                position += length
                break
            if (
                length == 1
                and written.isupper()
                and len(written) == 2
                and written in _country_codes()
                and text != text.upper()
            ):
                found.append((start, end, written))
        else:
            position += 1
    return found


def _meant_as_place(written: str, tongue: str) -> bool:
    """Nice, Reading, Lima: names that are also words count only with their capital."""
    word = fold(written)
    if written[0].isupper():
        return True
    return (
        len(word) > 3 and word not in language.stop_words(tongue) and not language.concepts_of(word, tongue)
    )


@cache
def _currency_names() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _lines("currencies.txt"):
        if not line.startswith("##"):
            code, _symbol, english, spanish = (part.strip() for part in line.split("|"))
            for name in re.split(r"[,;]", f"{english},{spanish}"):
                for form in filter(
                    None, (name.strip(), language.plural(name.strip(), "en") if name.strip() else "")
                ):
                    found.setdefault(fold(form).replace("_", " "), code)
            found[code] = code
    return found


def _currencies(text: str) -> list[tuple[int, int, str]]:
    names = _currency_names()
    pattern = "|".join(
        sorted(map(re.escape, (name for name in names if not name.isupper())), key=len, reverse=True)
    )
    found = [
        (match.start(), match.end(), names[match.group()])
        for match in _CODE.finditer(text)
        if match.group() in names
    ]
    folded = fold(text)
    if len(folded) == len(text):
        found += [(m.start(), m.end(), names[m.group()]) for m in re.finditer(rf"\b(?:{pattern})\b", folded)]
    return found
