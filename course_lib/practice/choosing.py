"""Pick one of a closed set: the value of an enum, or true and false, from what a message says."""

from __future__ import annotations

import re
from typing import Any

from .language import features, fold, split_identifier, word_features, words
from .reading import Entity
from .wants import Parameter

_EVERYTHING = "all any every everything ever todo todos todas cualquiera siempre any_time"
_DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
_NOT = re.compile(
    r"\b(?:not|no|without|don't|do not|never|sin|ningun[oa]?|nunca)\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)


def choose(one: Parameter, text: str, entities: list[Entity], tongue: str, required: bool) -> Any:
    """The value of an enum or boolean property that the text names; None where it names none or two alike.

    A required enum that has a value for "everything" gets it where the text draws no line at all: who asks
    "how many messages did I send?" means all of them.
    """
    if one.type == "boolean" and "enum" not in one.schema:
        return _yes_or_no(one, text, tongue)
    options = [option for option in one.schema["enum"] if option is not None]
    rows = sorted(
        ((mention(option, text, tongue) + _by_period(option, entities), option) for option in options),
        key=lambda row: -row[0],
    )
    if rows and rows[0][0] > 0 and (len(rows) == 1 or rows[0][0] > rows[1][0]):
        return rows[0][1]
    if numbers := [e.value for e in entities if e.kind == "number" and e.value in options]:
        return numbers[0]
    if rows and required and rows[0][0] == 0:
        return next((option for option in options if _means_everything(option)), None)
    return None


def mention(option: Any, text: str, tongue: str) -> float:
    """How clearly a text names one value: 2 for its own words, else the share of its concepts that occur."""
    spoken = fold(split_identifier(str(option))).strip()
    if not spoken:
        return 0.0
    if re.search(rf"(?<!\w){re.escape(spoken)}(?!\w)", fold(text)):
        return 2.0 + len(spoken) / 100  # "next day air" beats "air"
    mine, theirs = word_features(spoken, keep_all=True), features(text, tongue)
    shared = [max(min(weight, theirs.get(concept, 0)) for concept, weight in word.items()) for word in mine]
    return sum(shared) / len(shared) if shared and min(shared) >= 0.5 else 0.0


def _by_period(option: Any, entities: list[Entity]) -> float:
    """Points for a unit of time whose length the message names: "yesterday" -> day, "the last 7 days" -> week."""
    units = {_DAYS_OF[feature] for feature in features(split_identifier(str(option))) if feature in _DAYS_OF}
    for entity in entities:
        if entity.kind == "date" and units:
            first, last, unit = entity.value
            length = (last - first).days or _DAYS_OF[unit]
            nearest = min(_DAYS_OF.values(), key=lambda days: abs(days - max(length, 1)))
            nearest = _DAYS_OF[unit] if unit != "day" else nearest
            return 1.0 if nearest in units else 0.0
    return 0.0


def _means_everything(option: Any) -> bool:
    return any(word in _EVERYTHING.split() for word in words(split_identifier(str(option))))


def _yes_or_no(one: Parameter, text: str, tongue: str) -> bool | None:
    for match in re.finditer(r"[^\W\d_]+", text):
        said = {feature for feature, weight in features(match.group(), tongue).items() if weight >= 0.5}
        if said & one.label:
            return not _NOT.search(text[: match.start()])
    return None
