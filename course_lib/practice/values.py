"""From a fact to a JSON value of the property: units, percentages, dates as text, country codes, and guesses."""

from __future__ import annotations

import re
from typing import Any

from . import phrases
from .language import features, fold, split_identifier
from .reading import Entity, place_code
from .shape import JSON, resolve, type_of, variants
from .wants import Parameter

# Unit -> (what it measures, how many base units it is). Temperatures need an offset and are done by hand below.
_UNITS: dict[str, tuple[str, float]] = {
    "g": ("mass", 1), "gram": ("mass", 1), "gramo": ("mass", 1), "kg": ("mass", 1000), "kilo": ("mass", 1000),
    "kilogram": ("mass", 1000), "kilogramo": ("mass", 1000), "lb": ("mass", 453.592), "pound": ("mass", 453.592),
    "libra": ("mass", 453.592), "oz": ("mass", 28.3495), "ounce": ("mass", 28.3495), "onza": ("mass", 28.3495),
    "mm": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1), "meter": ("length", 1), "metre": ("length", 1),
    "metro": ("length", 1), "km": ("length", 1000), "kilometer": ("length", 1000), "kilometre": ("length", 1000),
    "kilometro": ("length", 1000), "mile": ("length", 1609.344), "milla": ("length", 1609.344),
    "foot": ("length", 0.3048), "feet": ("length", 0.3048), "inch": ("length", 0.0254),
    "second": ("time", 1), "segundo": ("time", 1), "minute": ("time", 60), "minuto": ("time", 60), "hour": ("time", 3600),
    "hora": ("time", 3600), "day": ("time", 86400), "dia": ("time", 86400), "week": ("time", 604800), "semana": ("time", 604800),
}  # fmt: skip
_SIGNS = {"%": "percent", "$": "usd", "€": "eur", "£": "gbp"}
_RATIO = re.compile(r"\b0?\.\d|\bfraction|\bdecimal\b|\bbetween 0 and 1\b|\bfracci[oó]n", re.IGNORECASE)


def closeness(one: Parameter, entity: Entity) -> float:
    """How well the words beside a fact name the property: "2.5 kg" for weight_kg, "rate 0.21" for rate."""
    beside = dict.fromkeys(features(_spell(entity.before)), 1.0) | dict.fromkeys(
        features(_spell(entity.after)), 1.0
    )
    if _unit(entity) and any(_same_measure(_unit(entity), part) for part in _parts(one)):
        return 3.0
    return 2.0 * bool(one.label & set(beside)) + 1.0 * bool(one.hint & set(beside))


def convert(one: Parameter, entity: Entity) -> Any:
    """The fact as a value for the property, in the property's unit where its name says one."""
    value = entity.value
    if entity.kind == "date":
        first, last, _ = value
        day = last if one.direction == "to" else first
        return f"{day.isoformat()}T00:00:00Z" if one.schema.get("format") == "date-time" else day.isoformat()
    if one.type in ("integer", "number"):
        return _number(one, entity)
    if entity.kind in ("place", "name", "code") and _wants_code(one) and (code := place_code(str(value))):
        return code
    return str(value)


def guess(one: Parameter, schema: JSON, root: JSON, text: str, depth: int = 0) -> Any:
    """Some value of the right shape, for a call that is forced although the message does not give it."""
    schema = resolve(schema, root)
    if "const" in schema:
        return schema["const"]
    if "default" in schema:
        return schema["default"]
    if isinstance(options := schema.get("enum"), list) and options:
        return options[0]
    if any(key in schema for key in ("anyOf", "oneOf")) and depth < 8:
        return guess(one, (variants(schema, root) or [{}])[0], root, text, depth + 1)
    name = type_of(schema)
    if name in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        step = schema.get("multipleOf", 1)
        value = low + (step if "exclusiveMinimum" in schema else 0)
        return min(value, schema.get("maximum", value))
    if name == "array":
        count = min(int(schema.get("minItems", 0)), 100)
        return (
            [guess(one, schema.get("items", {}), root, text, depth + 1) for _ in range(count)]
            if depth < 8
            else []
        )
    if name == "object":
        known, required = schema.get("properties", {}), schema.get("required", [])
        return (
            {key: guess(one, known.get(key, {}), root, text, depth + 1) for key in required}
            if depth < 8
            else {}
        )
    if name in ("boolean", "null"):
        return False if name == "boolean" else None
    return _guess_text(schema, text)


def _guess_text(schema: JSON, text: str) -> str:
    by_format = {"date": "2026-01-01", "date-time": "2026-01-01T00:00:00Z", "time": "00:00:00", "email": "user@example.com",
                 "uri": "https://example.com", "uuid": "00000000-0000-4000-8000-000000000000"}  # fmt: skip
    found = by_format.get(str(schema.get("format"))) or phrases.request_of(text) or "unknown"
    shortest, longest = int(schema.get("minLength", 0)), schema.get("maxLength")
    return found.ljust(min(shortest, 10_000), ".")[: int(longest) if longest is not None else None]


def _number(one: Parameter, entity: Entity) -> Any:
    value = entity.value
    if isinstance(value, str):
        value = int(value) if value.isdigit() else value
    if not isinstance(value, int | float):
        return value
    unit = _unit(entity)
    if unit == "percent" and _is_ratio(one):
        value = round(value / 100, 10)
    for part in _parts(one):
        if unit and unit != part and _same_measure(unit, part):
            value = round(value * _UNITS[unit][1] / _UNITS[part][1], 6)
            break
    if one.type == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _is_ratio(one: Parameter) -> bool:
    """Whether a percentage is wanted as a part of one: by its maximum, its default, or an example in its description."""
    most, usual = one.schema.get("maximum"), one.schema.get("default")
    known = [
        number for number in (most, usual) if isinstance(number, int | float) and not isinstance(number, bool)
    ]
    return any(abs(number) <= 1 for number in known) or bool(_RATIO.search(one.description))


def _parts(one: Parameter) -> list[str]:
    """The units that the property's name, or else its description, speaks of: weight_kg -> kg."""
    for text in (split_identifier(one.name), one.description):
        if found := [
            bare for word in re.findall(r"[^\W\d_]+", fold(text)) if (bare := _bare(word)) in _UNITS
        ]:
            return found
    return []


def _unit(entity: Entity) -> str:
    first = (entity.after.split() or [""])[0]
    return _SIGNS.get(first, _bare(fold(first)))


def _bare(word: str) -> str:
    return (
        word
        if word in _UNITS
        else word.removesuffix("es")
        if word.removesuffix("es") in _UNITS
        else word.removesuffix("s")
    )


def _same_measure(one: str, other: str) -> bool:
    return one in _UNITS and other in _UNITS and _UNITS[one][0] == _UNITS[other][0]


def _spell(text: str) -> str:
    return " ".join(
        {"%": "percent", "$": "price", "€": "price", "£": "price"}.get(word, word) for word in text.split()
    )


def _wants_code(one: Parameter) -> bool:
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
