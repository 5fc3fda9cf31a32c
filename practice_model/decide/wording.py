"""Names and values in words: fields, states, dates, amounts and lists, in English and Spanish."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from ..facts.schemas import is_number
from ..language.dates import MONTH_NAMES, WEEKDAY_NAMES
from ..language.text import by_language, fold, headwords, plural, read_rows, singular, split_identifier
from .schema_values import JSON

LONGEST = 600  # characters of one text that an answer quotes
MOST_ITEMS = 10  # of a list that are named
LONG = 60  # characters of a text that stands apart from the other fields of a row
MOST_FIELDS = 40  # of an object that are told
NAMES = ("name", "title", "product", "nombre", "titulo", "producto")
_UNITS = {"c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F", "kg": "kg", "g": "g", "km": "km",
          "m": "m", "cm": "cm", "mm": "mm", "kmh": "km/h", "mph": "mph", "percent": "%", "pct": "%",
          "usd": "USD", "eur": "EUR", "gbp": "GBP", "ms": "ms",
          "ml": "ml", "mb": "MB", "gb": "GB"}  # fmt: skip
_SPANS = frozenset("seconds minutes days weeks months years".split())
_LASTING = frozenset("duration time length wait stay age".split())
_CAPITALS = frozenset("id eta vat iva sku url isbn ip".split())
_MONEY = frozenset(
    "price cost total amount balance fare fee subtotal budget precio coste importe saldo".split()
)
_UNIT_FIELDS = frozenset("currency moneda unit units unidad".split())
_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$")
_CLOCK = re.compile(r"\d\d?:\d\d(?::\d\d)?$")
_MASCULINE = frozenset("día mapa problema sistema tema idioma programa clima planeta poema iva".split())
_FEMININE = re.compile(
    r"(?:a|[cs]ión|dad|tad|tud|umbre)$|^(?:noche|tarde|clase|llave|mano|capital|foto|luz|red|serie)$"
)


@cache
def _labels() -> dict[str, tuple[str, str]]:
    """English name -> (Spanish name, kind): "state", "verb" or "field"."""
    return {english: (spanish, kind) for english, spanish, kind in read_rows("labels.txt")}


@cache
def _words(language: str) -> dict[str, str]:
    """Return the words of the other language -> those of this one: only what names a concept, because a word
    that merely belongs to it may mean something else, too ("content" is no satisfaction)."""
    other = by_language(language, "es", "en")
    found: dict[str, str] = {}
    for sides in headwords().values():
        one, said = (sides[side].replace("_", " ") for side in (other, language))
        found.setdefault(fold(one), said)
        found.setdefault(fold(plural(one, other)), plural(said, language))
    if language == "es":
        found |= {english: spanish for english, (spanish, _) in _labels().items()}
    return found


@cache
def _participles() -> dict[str, tuple[str, str]]:
    return {verb: (english, spanish) for verb, english, spanish in read_rows("verbs.txt")}


def done_verb(name: str, language: str) -> str:
    """Return the participle of the verb that a tool's name begins with: "created" for create_event; "" where
    the list has none."""
    parts = fold(split_identifier(name)).split()
    found = _participles().get(" ".join(parts[:2])) or _participles().get(parts[0] if parts else "")
    return by_language(language, *found) if found else ""


def parts_of(key: str) -> list[str]:
    """Return the words of a field's name, folded, without its unit and "is": temperature_c -> temperature."""
    parts = fold(split_identifier(key)).split() or [""]
    if len(parts) > 1 and parts[0] in ("is", "was"):
        parts = parts[1:]
    return parts[:-1] if len(parts) > 1 and parts[-1] in _UNITS else parts


def spoken(key: str, language: str) -> str:
    """Return a field's name in words of the user's language; what has none there is left as it is written."""
    parts = parts_of(key)
    if len(parts) > 1 and parts[-1] in _SPANS:  # delivery_days is a delivery time, of "3 days"
        parts = parts[:-1] if parts[-2] in _LASTING else [*parts[:-1], "time"]
    if len(parts) > 1 and parts[-1] in ("on", "at") and language == "en":
        parts = [*parts[:-1], "date"] if kind_of(" ".join(parts[:-1])) != "state" else parts
    said = _translated(parts, language)
    if not said:
        said = (" ".join(parts) if language == "en" else "") or key or "–"
    return " ".join(word.upper() if fold(word) in _CAPITALS else word for word in said.split())


def _translated(parts: list[str], language: str) -> str | None:
    known = _words(language)
    whole = " ".join(parts)
    if whole in known and (language == "es" or len(whole) > 2):
        return known[whole]
    if language == "en" or not parts:
        return None
    if all(part in _words("en") and part not in known for part in parts):  # it is Spanish already
        return whole
    if len(parts) > 1 and parts[-1] in ("on", "at", "date"):
        of = _translated(parts[:-1], language)
        state = kind_of(" ".join(parts[:-1])) == "state"
        return of and (f"{of} el" if state and parts[-1] != "date" else f"fecha de {of}")
    if len(parts) == 2 and kind_of(parts[1]) != "state":
        of, head = (_translated([part], language) for part in parts)
        head = (
            "tiempo"
            if parts[1] == "time" and parts[0] not in ("start", "end", "arrival", "departure")
            else head
        )
        return f"{head} de {of}" if of and head else None
    return None


def head_of(key: str) -> str:
    """Return the last word of a field's name, folded: order_number -> number."""
    return parts_of(key)[-1]


def moment_of(key: str) -> str:
    """Return what happens at the time that a field tells: shipped_on -> shipped, departs_at -> departs."""
    parts = parts_of(key)
    return " ".join(parts[:-1] if len(parts) > 1 and parts[-1] in ("on", "at", "date", "time") else parts)


def is_status(key: str, item: Any) -> bool:
    """Return whether a field says in a word how things stand."""
    return isinstance(item, str) and head_of(key) in ("status", "state", "estado")


def kind_of(name: str) -> str:
    """Return "state", "verb" or "field" for a name of the list, else nothing."""
    return _labels().get(name, ("", ""))[1]


def is_state(word: str) -> bool:
    """Return whether a folded word is a state of the list, in one of the languages."""
    return kind_of(word) == "state" or word in _spanish_states()


@cache
def _spanish_states() -> frozenset[str]:
    said = {fold(spanish) for spanish, kind in _labels().values() if kind == "state"}
    return frozenset(said | {fold(agreeing(word, True)) for word in said})


def is_known(key: str, language: str) -> bool:
    """Return whether a field's name can stand in a sentence of the language."""
    return language == "en" or _translated(parts_of(key), language) is not None


def is_feminine(noun: str) -> bool:
    """Return whether a Spanish noun is feminine, by its ending: "fecha de entrega"."""
    word = noun.split()[0].lower() if noun else ""
    word = re.sub(r"(?<=[aeo])s$", "", word)
    return word not in _MASCULINE and bool(_FEMININE.search(word))


def is_plural(noun: str, language: str) -> bool:
    """Return whether a noun means several things."""
    words = noun.split() or [""]
    word = words[0] if language == "es" else words[-1]
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ís", "és", "ás"))


def agreeing(state: str, feminine: bool) -> str:
    """Return a Spanish adjective or participle in the form that goes with a noun, where it has one."""
    first, _, rest = state.partition(" ")
    first = re.sub("o$", "a", first) if feminine else first
    return f"{first} {rest}".strip()


def the(noun: str, language: str) -> str:
    """Return a noun with its article."""
    if language == "en":
        return f"the {noun}"
    one, many = ("la", "las") if is_feminine(noun) else ("el", "los")
    return f"{many if is_plural(noun, 'es') else one} {noun}"


def capital(text: str) -> str:
    """Return a sentence with its capital; a code ("m-1", "db1") stays as it is."""
    return text if re.match(r"[\w-]*\d", text) else text[:1].upper() + text[1:]


def shortened(text: str) -> str:
    """Return a text that is too long for an answer cut at a word."""
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"


def ended(text: str) -> str:
    """Return a sentence with its full stop."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def listed(items: list[str], language: str) -> str:
    """Return several things as they are listed in a sentence: "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    word = by_language(language, "and", "e" if re.match(r"h?i(?!e)", fold(items[-1])) else "y")
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def unit_of(key: str, value: Any, fields: JSON) -> str:
    """Return the unit of a number: by the end of its name (price_usd), or from the field beside it that names
    a currency or a unit: {"value": 6.21, "unit": "mi"}."""
    parts = fold(split_identifier(key)).split() or [""]
    if not is_number(value):
        return ""
    if len(parts) > 1 and parts[-1] in _UNITS:
        return _UNITS[parts[-1]]
    beside = _unit_beside(fields)
    alone = beside and sum(map(is_number, fields.values())) == 1
    money = fold(beside) in ("currency", "moneda") and parts[-1] in _MONEY
    return str(fields[beside]) if alone or money else ""


def _unit_beside(fields: JSON) -> str:
    names = (key for key, item in fields.items() if isinstance(item, str) and fold(key) in _UNIT_FIELDS)
    return next(names, "") if len(fields) <= MOST_FIELDS else ""


def without_units(fields: JSON) -> JSON:
    """Return an object without the field that only says the unit of a number in it."""
    beside = _unit_beside(fields)
    is_unit = beside and any(unit_of(key, item, fields) == fields[beside] for key, item in fields.items())
    return {key: item for key, item in fields.items() if key != beside} if is_unit else fields


def is_money(key: str, value: Any, fields: JSON) -> bool:
    """Return whether a field is an amount of money, by its unit."""
    return bool(re.fullmatch("[A-Z]{3}", unit_of(key, value, fields)))


def is_moment(value: Any) -> bool:
    """Return whether a value is a day or a time as JSON has it."""
    return isinstance(value, str) and bool(_MOMENT.match(value) or _CLOCK.match(value))


@dataclass(frozen=True)
class Writer:
    """How values are written in one language."""

    language: str
    year: int | None = None
    """The year of today, where the conversation states the day: it need not be said again."""

    def pick(self, english: str, spanish: str) -> str:
        return by_language(self.language, english, spanish)

    def day(self, day: date) -> str:
        month = MONTH_NAMES[self.language][day.month - 1]
        year = "" if day.year == self.year else self.pick(f" {day.year}", f" de {day.year}")
        return self.pick(f"{day.day} {month}{year}", f"{day.day} de {month}{year}")

    def weekday(self, day: date) -> str:
        return WEEKDAY_NAMES[self.language][day.weekday()]

    def moment(self, value: str) -> str:
        """Return a day or a time of JSON as people write it; other text as it is."""
        match = _MOMENT.match(value)
        if not match:
            return value
        try:
            day = date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            return value
        zone = {None: "", "Z": " UTC"}.get(match[5], f" ({match[5]})")
        return self.day(day) + (self.pick(" at ", " a las ") + match[4] + zone if match[4] else "")

    def when(self, value: str) -> str:
        """Return a day or a time with its preposition: "on 3 May", "at 09:30"; "el 3 de mayo"."""
        if _CLOCK.match(value):
            return self.pick(f"at {value}", f"a las {value}")
        return self.pick("on ", "el ") + self.moment(value)

    def value(self, value: Any, key: str = "", fields: JSON | None = None, depth: int = 0) -> str:
        """Return a value as it is written in a sentence, with the unit that its field's name ends in."""
        if isinstance(value, bool):
            return self.pick("yes", "sí") if value else "no"
        if value is None:
            return "–"
        if is_number(value):
            return self._amount(value, key, fields or {})
        if isinstance(value, list):
            if depth > 2:
                return "…"
            items = [self.value(item, "", None, depth + 1) for item in value[:MOST_ITEMS]]
            nested = any(isinstance(item, dict | list) for item in value)
            if len(value) > MOST_ITEMS:
                items.append("…")
            return ("; ".join(items) if nested else listed(items, self.language)) or "–"
        if isinstance(value, dict):
            return f"({self.fields(value, depth + 1)})" if depth < 3 else "…"
        return self.moment(shortened(str(value)))

    def fields(self, value: JSON, depth: int = 0) -> str:
        """Return "label value" for each field that has one."""
        value = {str(key): item for key, item in value.items() if item is not None}
        said = list(without_units(value).items())
        more = ["…"] if len(said) > MOST_FIELDS else []
        return ", ".join([*(self.field(key, item, value, depth) for key, item in said[:MOST_FIELDS]), *more])

    def field(self, key: str, item: Any, fields: JSON, depth: int = 0) -> str:
        """Return "label value"; a state that is true or false by its name alone."""
        if isinstance(item, bool) and (state := self.state(" ".join(parts_of(key)))):
            return state if item else self.pick("not ", "no ") + state
        if is_status(key, item):
            return self.state(item) or f"{spoken(key, self.language)} {item}"
        label, shown = spoken(key, self.language), self.value(item, key, fields, depth)
        if is_moment(item) and kind_of(moment_of(key)) == "verb":
            return f"{spoken(moment_of(key), self.language)} {self.when(item)}"
        return shown if fold(shown).startswith(f"{fold(label)}-") else f"{label} {shown}"

    def state(self, word: str, feminine: bool = False) -> str | None:
        """Return a state of the list, or an English participle, in words of the language; else None."""
        word = re.sub(r"[_-]", " ", word).lower()
        if kind_of(word) == "state":
            return self.pick(word, agreeing(_labels()[word][0], feminine))
        return word if self.language == "en" and re.fullmatch(r"[a-z]{2,}[^e]ed", word) else None

    def _amount(self, value: float, key: str, fields: JSON) -> str:
        parts, unit = fold(split_identifier(key)).split() or [""], unit_of(key, value, fields)
        shown = str(value) if isinstance(value, int) else format(value, ".12g")
        if is_money(key, value, fields) and re.search(r"\.\d$", shown):
            shown += "0"
        if self.language == "es" and re.fullmatch(r"-?\d+\.\d+", shown):
            shown = shown.replace(".", ",")
        if len(parts) > 1 and parts[-1] in _SPANS:
            unit = self.pick(parts[-1], _words("es")[parts[-1]])
            unit = singular(unit, self.language) if value == 1 else unit
        return f"{shown} {unit}".strip()

    def rows(self, items: list[Any], noun: str) -> list[str]:
        """Return the things of a list, a line each."""
        rows = [f"- {self.row(item, singular(noun, self.language))}" for item in items[:MOST_ITEMS]]
        left = len(items) - MOST_ITEMS
        return [*rows, self.pick(f"- … and {left} more", f"- … y {left} más")] if left > 0 else rows

    def row(self, item: Any, noun: str) -> str:
        """Return one thing of a list: its name, or its noun and number, then the rest."""
        if not isinstance(item, dict):
            return self.value(item)
        item = {str(key): each for key, each in item.items()}
        keys = list(item)
        if len(keys) == 2 and all(isinstance(item[key], str) for key in keys) and is_moment(item[keys[0]]):
            return f"{self.moment(item[keys[0]])}: {item[keys[1]]}"
        named = [key for key in keys if isinstance(item[key], str) and (fold(key) in NAMES or key == noun)]
        numbered = [key for key in keys if head_of(key) in ("id", "number", "code")]
        days = [key for key in keys if head_of(key) in ("date", "day", "fecha") and is_moment(item[key])]
        lead = next(iter([*named, *numbered, *days]), None)
        long = next((key for key in keys if isinstance(item[key], str) and len(item[key]) > LONG), None)
        # "Placed" is not said beside "placed on 20 November".
        dated = {parts_of(key)[0] for key in keys if is_moment(item[key]) and len(parts_of(key)) > 1}
        again = [key for key in keys if is_status(key, item[key]) and item[key] in dated]
        rest = self.fields({key: each for key, each in item.items() if key not in (lead, long, *again)})
        first = "" if lead is None else self.value(item[lead])
        first = f"{capital(noun)} {first}" if first.isdigit() else first
        if long and long != lead:
            return f"{first}{f' ({rest})' if rest else ''}: {shortened(item[long])}".lstrip(" :")
        return f"{first}: {rest}" if first and rest else first or rest
