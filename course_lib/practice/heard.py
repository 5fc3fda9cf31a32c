"""What is heard in one part of a message before any tool is looked at: its words, its facts, how it asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .asking import ABOUT_ONES_OWN, ASKS, ASKS_WHETHER, asks_how_it_is_done, asks_rules
from .language import features, stop_words, word_features, words
from .parameters import shape_of
from .profiles import Profile
from .reading import Entity
from .typos import nearest
from .values import counts_nothing, measure_of
from .wants import TELLING

Said = tuple[dict[str, float], ...]
_OPERATIONS = {
    "+": "add plus sum",
    "-": "subtract minus",
    "*": "multiply times",
    "/": "divide",
    "**": "exponent power",
}
OPERATION_NAMES = " ".join(_OPERATIONS.values())
_FACTS = TELLING | {"number", "numeral", "date"}


@dataclass(frozen=True)
class Heard:
    """One part of a message, as the matcher weighs it."""

    text: str
    said: Said
    """What each of its words stands for."""
    operations: Said
    """Words for the sign of a calculation: "3 + 4" asks to add."""
    kinds: frozenset[str]
    """The kinds of its facts; "numeral" for a number that may be the number of a thing."""
    bare: bool
    """Whether it says nothing but facts: "And Lima?"."""
    forms: dict[str, str]
    """The form of each number or code of a thing ("AAA-999"), and the number or code."""
    measures: dict[str, str]
    """What each number with a unit measures ("mass"), and how it is written."""
    about_one: bool
    """Whether it asks yes or no about one thing that it names by its number."""
    in_general: bool
    """Whether it asks how things are done, and no offered tool has all that it needs for an answer of its
    own."""
    factless: bool
    """Whether it is a question without any fact, and not about what somebody did or has."""


def hear(text: str, tongue: str, entities: tuple[Entity, ...], offered: list[Profile]) -> Heard:
    """Listen to a part once, for all tools."""
    kinds = frozenset(
        {entity.kind for entity in entities} | {"numeral" for e in entities if counts_nothing(e, entities)}
    )
    named = [text[e.start : e.end] for e in entities if _identifies(e, entities)]
    measured = {
        measure_of(entity): " ".join([entity.written, *entity.after.split()[:1]])
        for entity in entities
        if measure_of(entity)
    }
    answered = any(len(_needed(one)) > 1 and not one.acts and not lacks(one, kinds) for one in offered)
    asks_in_general = asks_how_it_is_done(text, tongue) or asks_rules(text)
    return Heard(
        text,
        _understood(word_features(text, tongue), text, tongue, offered),
        _operations(entities),
        kinds,
        is_bare(text, entities, tongue),
        {shape_of(written): written for written in named},
        measured,
        bool(ASKS_WHETHER.search(text)) and bool(kinds & {"numeral", "identifier"}),
        any(one.explains for one in offered) and asks_in_general and not answered,
        not entities and bool(ASKS.search(text)) and not ABOUT_ONES_OWN.search(text),
    )


def lacks(profile: Profile, kinds: Iterable[str]) -> bool:
    """Whether a message cannot be all that a tool needs: a fact is not there, or the tool needs none."""
    return not profile.needs or not _needed(profile) <= _has(kinds)


def lacks_all(profile: Profile, kinds: Iterable[str]) -> bool:
    """Whether a message has none of the facts that a tool requires."""
    return bool(_needed(profile)) and not _needed(profile) & _has(kinds)


def _needed(profile: Profile) -> set[str]:
    return set(profile.needs) & _FACTS


def _has(kinds: Iterable[str]) -> set[str]:
    found = set(kinds)
    if found & {"identifier", "numeral", "code", "quoted"}:
        found |= {"identifier", "numeral"}
    if found & {"name", "code"}:
        found |= {"place"}
    return found


def _identifies(entity: Entity, entities: tuple[Entity, ...]) -> bool:
    return entity.kind == "identifier" or counts_nothing(entity, entities)


def _understood(said: Said, text: str, tongue: str, offered: list[Profile]) -> Said:
    """The words of a part; one that neither the lexicon nor any definition knows is taken for the nearest
    word of the lexicon, as who reads "wether" does."""
    return tuple(
        word | near
        if len(word) == 1
        and (stem := next(iter(word))).startswith("=")
        and not any(stem in one.weights for one in offered)
        and (near := nearest(stem.removeprefix("="), text, tongue))
        else word
        for word in said
    )


def _operations(entities: tuple[Entity, ...]) -> Said:
    signs = {
        sign
        for e in entities
        if e.kind == "expression"
        for sign in str(e.value).split()
        if sign in _OPERATIONS
    }
    return (dict.fromkeys(features(_OPERATIONS[min(signs)], "en"), 1.0),) if len(signs) == 1 else ()


def is_bare(part: str, entities: tuple[Entity, ...], tongue: str) -> bool:
    """Whether a part says nothing but facts: "And Lima?", "What about notes.txt?"."""
    text = part
    for entity in entities:
        text = text.replace(part[entity.start : entity.end], " ")
    return all(word in stop_words(tongue) for word in words(text))
