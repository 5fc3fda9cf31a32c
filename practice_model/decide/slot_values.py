"""From a fact of the message to a JSON value of the property, and what the values of an enum mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..language.entities import Entity, language_code, place_code
from ..language.text import GENERIC, features, fold, one_of, split_identifier
from .slots import Slot

# From a fact to a JSON value of the property: units, percentages, dates as text, country codes, and ---
# guesses.


# Unit -> (what it measures, how many base units it is). Temperatures need an offset and are done by hand
# below.
_UNITS: dict[str, tuple[str, float]] = {
    "g": ("mass", 1), "gram": ("mass", 1), "gramo": ("mass", 1), "kg": ("mass", 1000), "kilo": ("mass", 1000),
    "kilogram": ("mass", 1000), "kilogramo": ("mass", 1000), "lb": ("mass", 453.592), "pound": ("mass",
    453.592),
    "libra": ("mass", 453.592), "oz": ("mass", 28.3495), "ounce": ("mass", 28.3495), "onza": ("mass",
    28.3495),
    "mm": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1), "meter": ("length", 1),
    "metre": ("length", 1),
    "metro": ("length", 1), "km": ("length", 1000), "kilometer": ("length", 1000), "kilometre": ("length",
    1000),
    "kilometro": ("length", 1000), "mile": ("length", 1609.344), "milla": ("length", 1609.344),
    "foot": ("length", 0.3048), "feet": ("length", 0.3048), "inch": ("length", 0.0254),
    "second": ("time", 1), "segundo": ("time", 1), "minute": ("time", 60), "minuto": ("time", 60),
    "hour": ("time", 3600),
    "hora": ("time", 3600), "day": ("time", 86400), "dia": ("time", 86400), "week": ("time", 604800),
    "semana": ("time", 604800), "year": ("time", 31536000), "ano": ("time", 31536000), "month": ("time",
    2628000), "mes": ("time", 2628000),
    "l": ("volume", 1), "liter": ("volume", 1), "litre": ("volume", 1), "litro": ("volume", 1),
    "ml": ("volume", 0.001), "millilitre": ("volume", 0.001), "milliliter": ("volume", 0.001),
    "mililitro": ("volume", 0.001), "min": ("time", 60), "hr": ("time", 3600), "h": ("time", 3600),
    "sec": ("time", 1),

}  # fmt: skip
_CURRENCIES = frozenset("euro dollar peso yen franc libra dolar sol bucks quid usd eur gbp".split())
_MONEY = (
    "price amount money cost payment bill salary budget fee balance dollar euro total principal "
    "deposit income fare"
)
_SHARE = "percent percentage rate discount tip interest share"
_LIMIT = "limit maximum count number top lines results quantity"
_COUNT = "quantity count number amount"
_HOW_MANY = re.compile(
    r"\b(?:last|latest|top|first|newest|recent|[uú]ltim[oa]s|primer[oa]s|mejores)\s*$", re.IGNORECASE
)
_AT_MOST = re.compile(
    r"\b(?:under|below|most|up to|less than|cheaper than|maximum|max|menos de|hasta|m[aá]ximo(?: de)?"
    r"|within|in|en)\s*[$€£]?$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:over|above|least|from|more than|minimum|min|m[aá]s de|desde|m[ií]nimo(?: de)?)\s*[$€£]?$",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"\b(?:per|a|al|por|each)\s+\w+", re.IGNORECASE
)  # "percent per year" is no number of years
_REGION = re.compile(
    r"\b(?:states?|regions?|provinces?|estados?|regi[oó]n(?:es)?|provincias?)\b", re.IGNORECASE
)
_SIGNS = {"%": "percent", "$": "usd", "€": "eur", "£": "gbp"}
_RATIO = re.compile(r"\b0?\.\d|\bfraction|\bdecimal\b|\bbetween 0 and 1\b|\bfracci[oó]n", re.IGNORECASE)


def closeness(one: Slot, entity: Entity) -> float:
    """How well the words beside a fact name the property: "2.5 kg" for weight_kg, "rate 0.21" for rate.

    Negative where the fact's unit is none that the property could mean.
    """
    unit, measure = _unit(entity), measure_of(entity)
    parts = _parts(one)
    if entity.kind == "number" and measure:
        wanted = {_UNITS[part][0] for part in parts} | ({"money"} if _wants(one, _MONEY) else set())
        wanted |= {"percent"} if _wants(one, _SHARE) else set()
        if measure in wanted:
            return 3.0 + (unit in parts)
        if wanted and measure != "time":
            return -1.0
    beside = features(_spell(entity.before)).keys() | features(_spell(entity.after)).keys()
    # "CA for Canada" in a description makes Canada no word for what stands beside it.
    plain = " ".join(word for word in f"{entity.before} {entity.after}".split() if not word[0].isupper())
    points = 2.0 * bool(one.label & beside) + 1.0 * bool(one.hint & features(_spell(plain)).keys())
    if entity.kind == "number":
        points += 1.5 * (bool(_AT_MOST.search(entity.before)) and one.direction == "to")
        points += 1.5 * (bool(_AT_LEAST.search(entity.before)) and one.direction == "from")
        points += 2.5 * (bool(_HOW_MANY.search(entity.before)) and _wants(one, _LIMIT))
        points += 0.25 * (
            fold(entity.before).split()[-1:] in (["to"], ["a"])
        )  # "from 3 to 6": 6 is what is wanted
        points += 0.5 * (_starts_with_count(entity) and _wants(one, _COUNT))
    return points


def measures_wanted(one: Slot) -> set[str]:
    """What a number of the property measures, by the unit in its name or description."""
    return {_UNITS[part][0] for part in _parts(one)}


def _wants(one: Slot, examples: str) -> bool:
    return bool(one.label & _concepts(examples))


@cache
def _concepts(examples: str) -> frozenset[str]:
    return frozenset(
        f for word in examples.split() for f, weight in features(word, "en").items() if weight >= GENERIC
    )


def _starts_with_count(entity: Entity) -> bool:
    """Whether a thing follows that can be counted: "6 eggs", "two dice"."""
    return bool(entity.after) and not measure_of(entity)


def measure_of(entity: Entity) -> str:
    """What the unit beside a number measures: mass, length, time, volume, temperature, money or percent."""
    unit = _unit(entity)
    if unit in ("percent", "per"):
        return "percent"
    if (
        unit in ("usd", "eur", "gbp")
        or set(fold(entity.before).split()[-1:]) & set("$€£")
        or unit in _CURRENCIES
    ):
        return "money"
    return _UNITS[unit][0] if unit in _UNITS else ""


def counts_nothing(entity: Entity, others: Iterable[Entity]) -> bool:
    """Whether a number may be the number of a thing ("order 7"): no measure, price, percentage or decimal,
    and no part of a calculation."""
    if entity.kind == "identifier":
        return str(entity.value).isdigit()
    if entity.kind != "number" or not isinstance(entity.value, int) or measure_of(entity):
        return False
    return not any(
        other.kind == "expression" and other.start <= entity.start and entity.end <= other.end
        for other in others
    )


def is_relative(entity: Entity) -> bool:
    """Whether a date is counted from the day of the message: "tomorrow", "last Monday", "in 3 days"."""
    months = r"january|february|march|april|june|july|august|september|october|november|december|[a-z]+bre\b"
    named = rf"\d{{4}}|\d+[/.-]\d+|\b(?:{months}|may|enero|febrero|marzo|abril|mayo|junio|julio|agosto)\b"
    return not re.search(named, fold(entity.written))


def given_to_another(one: Slot, entity: Entity, text: str) -> bool:
    """Whether a message gives a fact to another property by its name: "x=1" is no id."""
    match = re.search(r"([\w-]+)\s*=\s*[\"'“]?$", text[: entity.start])
    return bool(match) and fold(match[1]) != fold(one.name) and not features(match[1]).keys() & one.label


def convert(one: Slot, entity: Entity, clock: str = "") -> Any:
    """The fact as a value for the property, in the property's unit where its name says one.

    Args:
        one: the property.
        entity: the fact.
        clock: for a property that wants a day and a time of day, the time.
    """
    value = entity.value
    if entity.kind == "date":
        if is_relative(entity) and not one.dated:
            return entity.written
        first, last, _ = value
        day = (last if one.direction == "to" else first).isoformat()
        zone = "Z" if one.schema.get("format") == "date-time" else ""
        return f"{day}T{clock or '00:00'}:00{zone}" if zone or (one.moment and clock) else day
    if entity.kind == "time":
        return f"{value}:00" if one.schema.get("format") == "time" else value
    if one.type in ("integer", "number"):
        return _number(one, entity)
    if entity.kind in ("place", "name", "code") and _wants_code(one):
        region = bool(_REGION.search(f"{split_identifier(one.name)} {one.description}"))
        if code := place_code(str(value), region=region):
            return code
    if entity.kind == "language" and _wants_language_code(one):
        return language_code(str(value)) or value
    return re.sub(r"['’]s$", "", str(value)) if entity.kind in ("name", "place") else str(value)


def _number(one: Slot, entity: Entity) -> Any:
    value = entity.value
    if isinstance(value, str):
        value = int(value) if value.isdigit() else value
    if not isinstance(value, int | float):
        return value
    unit = _unit(entity)
    if unit == "percent" and _is_ratio(one):
        value = round(value / 100, 10)
    for part in _parts(one):
        if unit and unit != part and _samemeasure_of(unit, part):
            value = round(value * _UNITS[unit][1] / _UNITS[part][1], 6)
            value = int(value) if value == int(value) else value
            break
    if one.type == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _is_ratio(one: Slot) -> bool:
    """Whether a percentage is wanted as a part of one: by its maximum, its default, or an example in its
    description."""
    most, usual = one.schema.get("maximum"), one.schema.get("default")
    known = [
        number for number in (most, usual) if isinstance(number, int | float) and not isinstance(number, bool)
    ]
    return any(abs(number) <= 1 for number in known) or bool(_RATIO.search(one.description))


def _parts(one: Slot) -> list[str]:
    """The units that the property's name, or else its description, speaks of: weight_kg -> kg."""
    for text in (split_identifier(one.name), _RATE.sub(" ", one.description)):
        if found := [
            bare for word in re.findall(r"[^\W\d_]+", fold(text)) if (bare := _bare(word)) in _UNITS
        ]:
            return found
    return []


def _unit(entity: Entity) -> str:
    first = (entity.after.split() or [""])[0]
    return _SIGNS.get(first, _bare(fold(first)))


def _bare(word: str) -> str:
    for bare in (word, word.removesuffix("es"), word.removesuffix("s")):
        if bare in _UNITS:
            return bare
    return word.removesuffix("s")


def _samemeasure_of(one: str, other: str) -> bool:
    return one in _UNITS and other in _UNITS and _UNITS[one][0] == _UNITS[other][0]


def _spell(text: str) -> str:
    return " ".join(
        {"%": "percent", "$": "price", "€": "price", "£": "price"}.get(word, word) for word in text.split()
    )


def _wants_language_code(one: Slot) -> bool:
    text = f"{split_identifier(one.name)} {one.description}"
    return one.schema.get("maxLength") == 2 or bool(
        re.search(r"\bcode\b|\biso\b|c[oó]digo", text, re.IGNORECASE)
    )


def _wants_code(one: Slot) -> bool:
    """Whether a place is wanted as its two-letter code."""
    if one.schema.get("maxLength") == 2 or re.search(r"\[A-Z\]\{2\}", str(one.schema.get("pattern", ""))):
        return True
    return bool(
        re.search(
            r"\b(?:two|2|dos)[- ]letter|\biso\b|\bcountry code|\bc[oó]digo de(?:l)? pa[ií]s",
            one.description,
            re.IGNORECASE,
        )
    )


# What the values of an enum mean beside their own words: a degree of urgency, a thing that is broken, or
# what the description says of them.


# The degrees that values stand for, from the least to the most.
_DEGREES = [
    "lowest trivial minimal minima",
    "low minor small baja bajo leve",
    "normal medium moderate standard regular media medio moderada",
    "high major important severe alta alto grave importante",
    "urgent critical emergency highest immediate blocker urgente critica critico maxima",
]
_NO_HURRY = re.compile(  # on folded text
    one_of(
        r"\b(?:no|not|isn't|without|never|nothing|don't)\b(?:\W+\w+){0,2}?\W+(?:urgent|urgency|rush|hurry"
        r"|important|serious)",
        r"\bcan wait\b", r"\bwhenever\b", r"\btake your time\b",
        r"\bwhen you (?:have|find) (?:a )?(?:time|moment)\b",
        r"\b(?:no|sin|nada|tampoco)\b(?:\W+\w+){0,2}?\W+(?:urgente|urgencia|prisa|grave|importante|urge)\b",
        r"\bpuede esperar\b", r"\bcuando (?:puedas|podais|pueda|puedan)\b",
        r"\bcuando tengas? (?:un )?(?:rato|tiempo|momento)\b",
    )
)  # fmt: skip
_HURRY = re.compile(  # on folded text
    one_of(
        r"\burgent(?:ly)?\b", r"\basap\b", r"\bas soon as (?:possible|you can)\b",
        r"\bimmediate(?:ly)?\b", r"\b(?:right|straight) away\b", r"\bat once\b", r"\bemergency\b",
        r"\bcritical\b", r"\bhurry\b", r"\b(?:can't|cannot|can not|won't) wait\b",
        r"\b(?:top|maximum|highest|maxim[ao])\b",
        r"\bvery important\b", r"\burgente(?:mente)?\b", r"\bcuanto antes\b", r"\blo antes posible\b",
        r"\b(?:de )?inmediat[oa](?:mente)?\b", r"\bya mismo\b", r"\bcorre (?:mucha )?prisa\b",
        r"\bno pued[oe] esperar\b", r"\burgencia\b", r"\bme urge\b", r"\b(?:es|muy) grave\b",
        r"\bmuy importante\b", r"\bcritic[oa]\b",
    )
)  # fmt: skip
_DEFECT = re.compile(  # on folded text: something does not do what it should
    one_of(
        r"\b(?:broken?|breaks?|smashed|crack(?:s|ed)?|leak(?:s|ed|ing)?|shattered|damaged|faulty"
        r"|defective|dead)\b",
        r"\b(?:explod|melt|burn|overheat|malfunction)\w*", r"\bstopped working\b",
        r"\b(?:does not|doesn't|won't|will not|did not|didn't) "
        r"(?:work|start|close|open|fit|turn on|switch on|charge)\b",
        r"\b(?:rot[oa]s?|rajad[oa]s?|averiad[oa]s?|estropead[oa]s?|defectuos[oa]s?|danad[oa]s?|quemad[oa]s?)\b",
        r"\b(?:rompi|explot|gotea|derrit|averi|estrope)\w*",
        r"\bno (?:funciona|arranca|cierra|abre|enciende|carga|encaja)\w*",
    )
)  # fmt: skip
_THINGS = "product item article goods device equipment appliance producto articulo aparato equipo"
_SENTENCE = re.compile(r"[.;()\n]+")
_NO_GLOSS = 0.5  # features below this weight say too little of a value


def by_degree(options: list[Any], text: str) -> tuple[Any, tuple[int, int]] | None:
    """The value for the urgency that a text speaks of: "as soon as possible" is the highest of low, normal,
    high."""
    ranks = {
        rank: option
        for option in options
        for rank, examples in enumerate(_DEGREES)
        if fold(split_identifier(str(option))).strip() in examples.split()
    }
    if len(ranks) < 2 or len(ranks) < len(options) - 1:
        return None
    folded = fold(text)
    if match := _NO_HURRY.search(folded):
        return ranks[min(ranks)], match.span()
    if match := _HURRY.search(folded):
        return ranks[max(ranks)], match.span()
    return None


def by_defect(options: list[Any], text: str) -> tuple[Any, tuple[int, int]] | None:
    """The value for things where a text tells that one is broken: "the lid leaks" is about the product."""
    thing = next((option for option in options if fold(str(option)).strip() in _THINGS.split()), None)
    match = _DEFECT.search(fold(text)) if thing is not None else None
    return (thing, match.span()) if match else None


def glosses(parameter: Slot, options: list[Any]) -> dict[Any, frozenset[str]]:
    """For each value the words that the description gives to it alone: "high: the customer cannot wait"."""
    texts = [option for option in options if isinstance(option, str)]
    names = {option: fold(split_identifier(option)).strip() for option in texts}
    found: dict[Any, set[str]] = {}
    for sentence in _SENTENCE.split(fold(parameter.description[:4_000])):
        named = sorted(
            (match.start(), option)
            for option, name in names.items()
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)
        )
        ends = [place for place, _ in named[1:]] + [len(sentence)]
        for (place, option), end in zip(named, ends, strict=False):
            gloss = sentence if len(named) == 1 else sentence[place:end]
            said = {f for f, weight in features(gloss).items() if weight > _NO_GLOSS}
            found.setdefault(option, set()).update(said)
    own = {f for name in names.values() for f in features(name)}
    shared = Counter(f for said in found.values() for f in said)
    return {
        option: frozenset(f for f in said - own - parameter.label if shared[f] == 1)
        for option, said in found.items()
    }
