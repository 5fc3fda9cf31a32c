"""Arguments from a clause, by the tool's JSON Schema.

Each slot of the schema claims what the clause may hold for it: a labelled text, a fact of a kind that its
name, format and description ask for, a value of its enum, a phrase. The claims are served once, the surest
first, and no letter twice; free text takes what is left. What nobody said is left out. A required slot that
gets nothing is reported as missing: the default mode asks for it. Where the caller forces a call, a guess
fills it instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any

from ..language.clauses import ClauseSpan, called, pairs
from ..language.entities import Entity, read
from ..language.message import Clause
from ..language.numbers import number_in
from ..language.text import any_case, full_features, phrases
from .choices import choose
from .free_text import (
    MOST,
    Candidate,
    Context,
    FreeText,
    Span,
    is_made_of_parts,
    labelled,
    listed_phrase,
    phrase,
)
from .schema_values import JSON, guess
from .slot_values import closeness, convert, fact, facts_for, measure_of, number, numbers_for, suits
from .slots import TELLING, Form, Slot, slot_of
from .wording import spoken

DEEPEST, MOST_NESTED = 8, 100  # levels of nested objects that are filled, and such objects in all
LONGEST_FACT = 200  # characters of a result's field that may be a fact by itself
_OF_IT = any_case(rf"\b{phrases('of it')}\s+([^\W\d_]+)")


@dataclass(frozen=True)
class Filled:
    """The outcome of filling one schema."""

    arguments: JSON
    missing: tuple[Slot, ...]
    sources: dict[str, str]
    """Property -> where its value is from: "message", "whole", "earlier", "results", "schema" or "guess"."""
    alone: bool = False
    """Whether the message says nothing besides what filled it."""
    used: tuple[Span, ...] = ()
    """The places of the text that filled it."""
    why: dict[str, str] = field(default_factory=dict)
    """Property -> why it has its value, with the words that gave it."""


def fill(form: Form, clause: Clause, context: Context) -> Filled:
    """Fill an object schema from a clause and what is known besides; no letter fills two slots."""
    return _fill(form, FreeText(clause, context), 0)[0]


def _fill(form: Form, free: FreeText, depth: int) -> tuple[Filled, FreeText]:
    """Return what fills an object schema, and what is left of the text."""
    free = free.entering(form)
    found: dict[str, Candidate] = {}
    labels = labelled(form.slots, free)
    for slot in form.slots:
        if slot.name in labels:
            given = _from_label(slot, labels[slot.name], free, depth)
            if slot.fits(given.value):
                found[slot.name] = given
                free = free.without(given.places)
    claims = sorted(_claims(form, free, depth), key=attrgetter("rank"), reverse=True)
    for claim in claims:
        name = claim.slot.name
        if name in found:
            continue
        for candidate, rest in claim.read(free):
            if claim.slot.fits(candidate.value):
                found[name], free = candidate, rest
                break
    sources = dict.fromkeys(found, "message")
    missing = []
    for slot in form.slots:
        if slot.name not in found:
            source, candidate = _from_elsewhere(slot, free, slot.name in form.required)
            if source:
                found[slot.name], sources[slot.name] = candidate, source
            elif slot.name in form.required:
                missing.append(slot)
    for slot in form.unread:  # too many to look for
        if free.context.force:
            found[slot.name], sources[slot.name] = _guess(slot, free), "guess"
        elif not missing:
            missing.append(slot)
    ordered = [slot.name for slot in (*form.slots, *form.unread) if slot.name in found]
    why = {name: found[name].why for name in ordered}
    arguments = {name: found[name].value for name in ordered}
    return Filled(arguments, tuple(missing), sources, free.empty, free.taken, why), free


# What a slot claims -------------------------------------------------------------------------------

Read = Callable[[FreeText], Iterator[tuple[Candidate, FreeText]]]


@dataclass(frozen=True)
class Claim:
    """A way in which a slot may be filled from the clause."""

    rank: tuple[float, ...]
    """What is served first: facts of telling kinds before others, then what is named, required, near …"""
    slot: Slot
    read: Read
    """Yields from what is left the values that are meant, and what is left after each."""


_FACTS = frozenset("email url date time phone expression currency language colour".split())
UNMISTAKABLE, CLOSED, LIKELY, INTRODUCED, OTHER, SEVERAL, LEFT = range(7, 0, -1)


def _turn(slot: Slot, free: FreeText) -> int:
    """Return when a slot is served: unmistakable facts first, last what takes what is left."""
    if (
        slot.kinds[0] in _FACTS
        and not slot.types & {"integer", "number", "boolean"}
        and "enum" not in slot.schema
    ):
        return UNMISTAKABLE
    if "enum" in slot.schema or slot.types & {"integer", "number"}:
        return CLOSED
    if "boolean" in slot.types:
        return LIKELY
    if "because" in slot.kinds or ("called" in slot.kinds[:2] and called(free.text)):
        return INTRODUCED
    if slot.types & {"array", "object"}:
        return SEVERAL
    if "residue" in slot.kinds:
        return LEFT
    return LIKELY if slot.kinds[0] == "place" else OTHER


def _claims(form: Form, free: FreeText, depth: int) -> Iterator[Claim]:
    numeric = [
        option
        for slot in form.slots
        for option in slot.options
        if option.type in ("integer", "number") and "enum" not in option.schema
    ]
    for index, (near, option, entity) in enumerate(numbers_for(numeric, form.required, free)):
        required = option.name in form.required
        if near > 0 or (required and near == 0):
            # A word of its description that stands near gives no number to an optional slot before those
            # that are required have one: "the VAT on 250" is no rate.
            rank = (CLOSED, near >= 1.5, required, near, -index)
            slot = next(slot for slot in form.slots if slot.name == option.name)
            yield Claim(rank, slot, partial(_take, partial(number, option, near, entity)))
    for place, slot in enumerate(form.slots):
        required = slot.name in form.required
        if "const" in slot.schema:
            continue
        turn = _turn(slot, free)
        for order, option in enumerate(slot.options):
            if option.type in ("integer", "number") and "enum" not in option.schema:
                continue
            for kind, near, reading in _readings(option, free, required, depth):
                yield Claim((turn, kind, required, near, -order, -place), slot, reading)


def _readings(slot: Slot, free: FreeText, required: bool, depth: int) -> Iterator[tuple[float, float, Read]]:
    """Yield the ways to fill a slot that takes no number: how good the kind is, how near, and the reading."""
    if "enum" in slot.schema or slot.type == "boolean":
        yield 2, 0, partial(_take, partial(_choose, slot, required), soft="enum" in slot.schema)
    elif slot.type == "object" and slot.each:
        yield 0, 1, partial(_take, partial(_pairs, slot))
        if required:
            yield 0, 0, partial(_take, _empty)
    elif slot.type == "object":
        yield 0, 0, partial(_object, slot, required, depth)
    elif slot.type == "array":
        yield 0, 0, partial(_list, slot, required, depth)
    else:
        for place, kind in enumerate(slot.kinds):
            for near, entity in facts_for(kind, slot, free, required):
                yield -place, near, partial(_take, partial(fact, slot, entity))
            yield -place - 0.5, kind in slot.label, partial(_take, partial(_phrase, kind, slot, required))


def _choose(slot: Slot, required: bool, free: FreeText) -> Iterator[Candidate]:
    return choose(slot, free, required, several=False)


def _phrase(kind: str, slot: Slot, required: bool, free: FreeText) -> Iterator[Candidate]:
    return phrase(kind, slot, free, required)


def _take(
    candidates: Callable[[FreeText], Iterator[Candidate]], free: FreeText, *, soft: bool = False
) -> Iterator[tuple[Candidate, FreeText]]:
    for candidate in candidates(free):
        if not candidate.places or free.has_some_of(candidate.places):
            yield candidate, free.without(candidate.places, soft=soft)


def _empty(free: FreeText) -> Iterator[Candidate]:
    yield Candidate({}, (), "an object that may be empty")


def _goes_deeper(free: FreeText, depth: int) -> bool:
    """Return whether one more object inside another is filled: references may lead to any number of them."""
    return depth < DEEPEST and next(free.opened) < MOST_NESTED


def _pairs(slot: Slot, free: FreeText) -> Iterator[Candidate]:
    """Yield the members that the message names and gives, of an object of any: "with city=NYC, floor=3"."""
    found, places = {}, []
    for start, end, name, written in pairs(free.rest):
        value = next((one for one in (written, number_in(written)) if slot.each.fits(one)), None)
        if value is not None and not full_features(name) & free.labels:
            found[name] = value
            places.append((start, end))
    if found:
        yield Candidate(found, tuple(places), "the message names its members")


def _object(slot: Slot, required: bool, depth: int, free: FreeText) -> Iterator[tuple[Candidate, FreeText]]:
    if _goes_deeper(free, depth):
        filled, rest = _fill(slot.form, free, depth + 1)
        if not filled.missing and (required or "message" in filled.sources.values()):
            yield Candidate(filled.arguments, (), "its members are in the message"), rest


def _list(slot: Slot, required: bool, depth: int, free: FreeText) -> Iterator[tuple[Candidate, FreeText]]:
    """Yield the lists that a message may mean; of objects a list of the one that it describes."""
    for each in slot.items:
        if each.type == "object" and _goes_deeper(free, depth):
            several = [(one, span) for span in free.pieces[:MOST] if (one := _piece(each, span, free, depth))]
            if len(several) > 1:
                places = tuple(
                    (start + span.start, end + span.start) for one, span in several for start, end in one.used
                )
                values = [one.arguments for one, _ in several]
                yield Candidate(values, places, "the message lists them"), free.without(places)
            filled, rest = _fill(each.form, free, depth + 1)
            if filled.arguments and not filled.missing and "message" in filled.sources.values():
                yield Candidate([filled.arguments], (), "its members are in the message"), rest
        elif each.type != "array":
            values, places, why = [], [], ""
            for one in _several(each, free, required):
                if each.fits(one.value) and one.value not in values:
                    values.append(one.value)
                    places += one.places
                    why = why or one.why
            if values:
                taken = tuple(places)
                yield Candidate(values, taken, why), free.without(taken, soft="enum" in each.schema)


def _piece(slot: Slot, span: ClauseSpan, free: FreeText, depth: int) -> Filled | None:
    """Return what fills one object from a piece of the text; None where it says too little."""
    filled = _fill(slot.form, free.part(span.start, span.end), depth + 1)[0]
    return filled if not filled.missing and "message" in filled.sources.values() else None


def _from_label(slot: Slot, given: Candidate, free: FreeText, depth: int) -> Candidate:
    """Return the value that a label gives to a slot: the fact that it takes, if there is one. Lists and
    objects are read from what follows the label."""
    start, end = given.places[0]
    begin = free.text.index(given.value, start) if given.value in free.text[start:end] else start
    part = free.part(begin, end)
    if slot.type == "string":
        for _, entity in facts_for(slot.kinds[0], slot, part, True):
            return replace(given, value=convert(slot, entity), places=((start, begin + entity.end),))
        return given
    for option in slot.options:
        if (
            option.type == "array"
            and option.items[0].type == "string"
            and "enum" not in option.items[0].schema
        ):
            members = [member.value for member in listed_phrase(replace(given, places=()), part)]
            if slot.fits(members):
                return replace(given, value=members)
        readings = _readings(option, part, True, depth) if is_made_of_parts(option) else ()
        for _, _, reading in readings:
            for candidate, _ in reading(part):
                if slot.fits(candidate.value):
                    return replace(given, value=candidate.value)
    return given


def _several(slot: Slot, free: FreeText, required: bool) -> Iterator[Candidate]:
    """Yield the members of a list: all facts of its kind, else a phrase cut at its commas and "and"."""
    if "enum" in slot.schema or slot.type == "boolean":
        yield from choose(slot, free, required, several=True)
        return
    if slot.type in ("integer", "number"):
        rows = numbers_for([slot], frozenset({slot.name} if required else ()), free)
        rows.sort(key=lambda row: -row[0])
        if rows and rows[0][0] >= (0 if required else 0.1):
            for near, _, entity in rows:
                yield from number(slot, near, entity, free) if near >= 0 else ()
        return
    for kind in slot.kinds:
        facts = [entity for _, entity in facts_for(kind, slot, free, required)]
        found = [one for entity in facts for one in fact(slot, entity, free)]
        if found and kind not in ("residue", "topic", "said"):
            yield from found[:MOST]
            return
        if first := next(phrase(kind, slot, free, required), None):
            yield from listed_phrase(first, free)
            return


# What the clause does not say ---------------------------------------------------------------------


def _from_elsewhere(slot: Slot, free: FreeText, required: bool) -> tuple[str, Candidate]:
    """Return for a slot that the clause leaves open where a value is found instead, and the value; "" where
    there is none."""
    nothing = Candidate(None)
    if "const" in slot.schema:
        return ("schema" if required else ""), Candidate(
            slot.schema["const"], (), "all that the schema allows"
        )
    context = free.context
    if slot.name in context.carried and slot.fits(context.carried[slot.name]):
        return "earlier", Candidate(context.carried[slot.name], (), "from the call before")
    if not required:
        return "", nothing
    for source, candidate in _known(slot, free):
        if slot.fits(candidate.value):
            return source, candidate
    if slot.fits(None) and slot.schema:
        return "schema", Candidate(None, (), "nobody said it, and null is how the schema says “not said”")
    if context.force:
        return "guess", _guess(slot, free)
    return "", nothing


def _guess(slot: Slot, free: FreeText) -> Candidate:
    value = guess(slot.schema, slot.root, free.text or free.context.whole, free.guessed)
    return Candidate(value, (), "a guess: the call was forced, and nothing says it")


def _known(slot: Slot, free: FreeText) -> Iterator[tuple[str, Candidate]]:
    """Yield what results, the rest of the message and earlier messages say of a required slot."""
    context = free.context
    for value, field_name in _from_results(slot, free):
        yield "results", Candidate(value, (), f"`{field_name}` of an earlier result")
    for source, texts in (("whole", (context.whole,)), ("earlier", context.earlier)):
        where = "another part of the message" if source == "whole" else "an earlier message"
        for text in texts:
            if text and text != free.text:
                here = text.find(free.text)
                entities = read(text, context.today, free.language)
                for entity in sorted(entities, key=lambda one: _distance(one, here)):
                    if _unmistakable(slot, entity):
                        yield source, Candidate(convert(slot, entity), (), f"“{entity.written}” in {where}")


def _distance(entity: Entity, here: int) -> tuple[bool, int]:
    """Return how far a fact is from a clause: what stands before it is nearer than what comes after it."""
    return entity.start > here, abs(entity.start - here) if here >= 0 else entity.start


def _unmistakable(slot: Slot, entity: Entity) -> bool:
    """Return whether a fact from elsewhere is meant: by its kind, or by the unit in the slot's name ("2.5
    kg")."""
    if entity.kind == "number":
        return bool(measure_of(entity)) and closeness(slot, entity) >= 1
    return entity.kind in slot.kinds and entity.kind in TELLING | {"date"} and suits(slot, entity)


def _from_results(slot: Slot, free: FreeText) -> Iterator[tuple[Any, str]]:
    """Yield fields of earlier results: with the slot's name, with the words of its name, of its telling kind,
    or those that the message names ("the VAT on its total")."""
    known = free.context.results
    if slot.name in known:
        yield known[slot.name], slot.name
    for name, value in known.items():
        label = slot_of(name, {}).label
        if label and slot.label and (label <= slot.label or slot.label <= label):
            yield value, name
    for name, value in known.items():
        if len(str(value)) <= LONGEST_FACT:
            facts = read(str(value), free.context.today, free.language)
            if len(facts) == 1 and facts[0].kind in TELLING & set(slot.kinds[:1]) and facts[0].value == value:
                yield value, name
    for match in _OF_IT.finditer(free.text):
        said = full_features(match[1], free.language)
        for name, value in known.items():
            if slot_of(spoken(name, "en"), {}).label & said:
                yield value, name
