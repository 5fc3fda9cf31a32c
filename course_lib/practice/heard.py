"""What is heard in one part of a message before any tool is looked at: its words, its facts, how it asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .asking import ABOUT_ONES_OWN, ASKS, ASKS_WHETHER, asks_how_it_is_done, asks_rules
from .composing import asks_what_was_written, text_to_write
from .language import features, stop_words, words, written_features
from .parameters import shape_of
from .people import wants_a_person
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
    written: tuple[str, ...]
    """Each of these words as it is written."""
    calculates: bool
    """Whether it holds arithmetic, and an offered tool wants that."""
    operations: tuple[tuple[str, dict[str, float]], ...]
    """The sign of a calculation, and what it stands for: "3 + 4" asks to add."""
    kinds: dict[str, str]
    """The kinds of its facts, and how the first of each is written; "numeral" for a number that may be the
    number of a thing."""
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
    about_writings: bool
    """Whether it asks what somebody wrote before, and an offered tool looks among such texts."""
    to_write: frozenset[str] | None
    """The kind of text that it asks to write; None where it asks for none."""
    wants_a_person: bool
    """Whether it asks to speak with somebody, and an offered tool brings a person."""
    factless: bool
    """Whether it is a question without any fact, and not about what somebody did or has."""


def hear(text: str, tongue: str, entities: tuple[Entity, ...], offered: list[Profile]) -> Heard:
    """Listen to a part once, for all tools."""
    kinds: dict[str, str] = {}
    for entity in entities:
        kinds.setdefault(entity.kind, entity.written)
        if counts_nothing(entity, entities):
            kinds.setdefault("numeral", entity.written)
    spoken = written_features(text, tongue)
    named = [text[e.start : e.end] for e in entities if _identifies(e, entities)]
    measured = {
        measure_of(entity): " ".join([entity.written, *entity.after.split()[:1]])
        for entity in entities
        if measure_of(entity)
    }
    answered = any(len(_needed(one)) > 1 and not one.acts and not lacks(one, kinds) for one in offered)
    person = any(one.role == "person" for one in offered) and wants_a_person(text)
    asks_in_general = asks_how_it_is_done(text, tongue) or asks_rules(text)
    return Heard(
        text,
        _understood(tuple(found for _, found in spoken), text, tongue, offered),
        tuple(written for written, _ in spoken),
        "expression" in kinds and any("expression" in one.needs for one in offered),
        _operations(entities),
        kinds,
        is_bare(text, entities, tongue),
        {shape_of(written): written for written in named},
        measured,
        bool(ASKS_WHETHER.search(text)) and bool(kinds.keys() & {"numeral", "identifier"}),
        any(one.explains for one in offered) and asks_in_general and not answered and not person,
        any(one.records for one in offered) and asks_what_was_written(text),
        text_to_write(text),
        person,
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
    unknown = {
        stem: near
        for stem in {
            next(iter(word)) for word in said if len(word) == 1
        }  # each once: texts repeat themselves
        if stem.startswith("=")
        and not any(stem in one.weights for one in offered)
        and (near := nearest(stem.removeprefix("="), text, tongue))
    }
    return tuple(word | unknown.get(next(iter(word), ""), {}) if len(word) == 1 else word for word in said)


def _operations(entities: tuple[Entity, ...]) -> tuple[tuple[str, dict[str, float]], ...]:
    signs = {
        sign
        for e in entities
        if e.kind == "expression"
        for sign in str(e.value).split()
        if sign in _OPERATIONS
    }
    if len(signs) != 1:
        return ()
    sign = min(signs)
    return ((sign, dict.fromkeys(features(_OPERATIONS[sign], "en"), 1.0)),)


def is_bare(part: str, entities: tuple[Entity, ...], tongue: str) -> bool:
    """Whether a part says nothing but facts: "And Lima?", "What about notes.txt?"."""
    text = part
    for entity in entities:
        text = text.replace(part[entity.start : entity.end], " ")
    return all(word in stop_words(tongue) for word in words(text))
