"""What the fields of a result are called in a sentence: order_date -> "order date", "fecha de pedido"."""

from __future__ import annotations

from functools import cache

from .language import fold, split_identifier, translate
from .lexicon import read_lines

UNIT_ENDINGS = {"c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F", "kg": "kg", "g": "g", "km": "km",
"m": "m", "cm": "cm",
                 "mm": "mm", "kmh": "km/h", "mph": "mph", "percent": "%", "pct": "%", "usd": "USD",
                 "eur": "EUR", "gbp": "GBP", "ms": "ms"}  # fmt: skip
_INITIALS = frozenset({"iva"})  # words of the lexicon that are written in capitals
_MOMENTS = frozenset({"on", "at", "date", "time"})  # what follows the participle in shipped_on, created_at


def spoken(key: str, tongue: str) -> str:
    """A field's name in words of the user's language, without the unit at its end: temp_c -> temp."""
    parts = split_identifier(key).split()
    if len(parts) > 1 and fold(parts[-1]) in UNIT_ENDINGS:
        parts = parts[:-1]
    if tongue == "es" and (label := _labelled([fold(part) for part in parts])):
        return label
    if len(parts) == 1 and len(parts[0]) > 2:
        said = translate(parts[0].lower() if parts[0].istitle() else parts[0], tongue)
        return said.upper() if said in _INITIALS else said
    return " ".join(parts).lower()


def _labelled(parts: list[str]) -> str | None:
    """The Spanish label of an English name: from the list, or of two nouns "the second of the first"."""
    known = _labels()
    if label := known.get(" ".join(parts)):
        return label
    if len(parts) != 2:
        return None
    first, second = parts
    if second in _MOMENTS and first in known:
        return f"{known[first]} el" if second != "time" else f"{known[first]} a las"
    head, of = translate(second, "es"), translate(first, "es")
    return f"{head} de {of}" if head != second and of != first else None


@cache
def _labels() -> dict[str, str]:
    rows = ([part.strip() for part in line.split("|")] for line in read_lines("labels.txt"))
    return {english: spanish for english, spanish in rows}
