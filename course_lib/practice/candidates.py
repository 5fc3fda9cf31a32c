"""What in a message may be meant for one property: facts and phrases, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import phrases
from .choosing import choose
from .language import fold, stop_words, words
from .questions import asked_about
from .reading import Entity
from .sentences import in_full, without
from .values import closeness, convert, counts_nothing, given_to_another
from .wants import Parameter, direction_said, is_words, leads_of, names_a_thing

if TYPE_CHECKING:
    from .filling import Scope

_CARRY_ON = re.compile(r"\s*(?:,|;|&|\band\b|\bor\b|\by\b|\be\b|\bo\b|\bu\b)\s*")
_FINDERS = {
    "said": phrases.said,
    "because": phrases.because,
    "called": phrases.called,
    "colon": phrases.after_colon,
    "tail": phrases.tail,
    "code_text": phrases.code,
}
_VAGUE = frozenset({"number", "name", "code", "identifier", "path", "handle"})
MOST = 100  # members of a list


@dataclass(frozen=True)
class Candidate:
    """A value, and the places in the message that it takes up."""

    value: Any
    spans: tuple[tuple[int, int], ...] = ()


def from_message(
    one: Parameter, scope: Scope, required: bool, *, several: bool = False
) -> Iterator[Candidate]:
    """Candidates for a property that is no object and no list; with `several`, the members of a list of
    them."""
    if "enum" in one.schema or one.type == "boolean":
        for value, spans in choose(one, scope, required, several):
            yield Candidate(value, spans)
    elif one.type in ("integer", "number"):
        for entity in scope.numbers.get(one.name, []):
            if scope.free(entity):
                yield Candidate(convert(one, entity), _with_words(one, entity, scope))
    elif several:
        yield from _members(one, scope, required)
    else:
        yield from _texts(one, scope, required)


def _with_words(one: Parameter, entity: Entity, scope: Scope) -> tuple[tuple[int, int], ...]:
    """The place of a number with the words that belong to it: "under 80 euros", "for 4 people"."""
    before = re.search(
        r"(?:\b(?:for|of|at|to|in|with|under|below|over|above|than|less|more|up|most|least|about|around|by"
        r"|de|para|con|por|a|en|hasta"
        r"|menos|m[aá]s|m[aá]ximo|m[ií]nimo|last|top|first|[uú]ltim[oa]s|primer[oa]s|los|las"
        r"|the)\s+){0,4}[$€£]?$",
        scope.text[max(0, entity.start - 40) : entity.start],
        re.IGNORECASE,
    )
    start = entity.start - len(before.group()) if before else entity.start
    after = re.match(r"\s?(?:[%$€£]|°\s?[CF]?)|[\s-]?[^\W\d_]+", scope.text[entity.end :])
    if "unit" in scope.labels:
        after = None  # the unit is a property of its own
    end = entity.end
    if after and (closeness(one, entity) >= 1 or not after.group().strip(" -").isalpha()):
        word = fold(after.group().strip(" -"))
        if word not in stop_words(scope.tongue):
            end += after.end()
    return ((start, end),)


def _texts(one: Parameter, scope: Scope, required: bool) -> Iterator[Candidate]:
    """Text for a property: for each of its kinds, the facts of that kind, then the phrase of that kind."""
    for kind in one.kinds:
        for entity in _facts(kind, one, scope, required):
            yield Candidate(convert(one, entity, _clock(one, entity, scope)), _spans(one, entity, scope))
        yield from _phrases(kind, one, scope, required)


def _facts(kind: str, one: Parameter, scope: Scope, required: bool) -> list[Entity]:
    """The free facts of a kind, in order of how well the words beside them name the property."""
    looked_for = "date" if kind == "period" else kind
    free = [entity for entity in scope.entities if entity.kind == looked_for and scope.free(entity)]
    free = [entity for entity in free if not given_to_another(one, entity, scope.text)]
    if kind == "number" and names_a_thing(one):
        free = [entity for entity in free if counts_nothing(entity, scope.entities)]
    if kind == "code" and "place" in one.kinds:
        free = [entity for entity in free if len(entity.value) == 2]
    if one.direction:  # "to Paris" is no origin
        opposite = {"from": "to", "to": "from"}[one.direction]
        free = [entity for entity in free if direction_said(entity.before) != opposite]
    free = [entity for entity in free if suits(one, entity)]
    if kind == "unit":
        free = [_unit_of(entity) for entity in scope.entities if entity.kind == "number" and entity.after]
        free = [entity for entity in free if entity.value and scope.free(entity) and one.direction != "to"]
    vague = kind in _VAGUE or (kind == "quoted" and not {"topic", "said", "called"} & set(one.kinds))
    rows = [(_nearness(one, entity), -place, entity) for place, entity in enumerate(free)]
    rows.sort(key=lambda row: row[:2], reverse=True)
    least = 1 if vague and not required else 0
    if kind == "number" and one.kinds[0] != "identifier":
        least = 1
    return [entity for near, _, entity in rows if near >= least]


def suits(one: Parameter, entity: Entity) -> bool:
    """Whether a fact of the right kind can be meant: a week is no day."""
    if entity.kind != "date" or one.kinds[0] == "period" or one.direction:
        return True
    return entity.value[0] == entity.value[1]


def _unit_of(number: Entity) -> Entity:
    """The word right after a number, as a fact of its own: "cups" of "3 cups"."""
    word = number.after.split()[0]
    return Entity("unit", word, number.end + 1, number.end + 1 + len(word))


def _nearness(one: Parameter, entity: Entity) -> float:
    last = fold(entity.before).split()[-1:] or [""]
    lead = 1.0 if last[0] in leads_of(one) else 0.0
    if entity.kind == "currency" and one.direction:  # "how many euros are 50 pounds": the amount is in pounds
        lead += 1.0 if entity.amount == (one.direction == "from") else -1.0
    told = 0.5 if one.direction and direction_said(entity.before) == one.direction else 0.0
    return max(closeness(one, entity), 0) + lead + told


def _clock(one: Parameter, entity: Entity, scope: Scope) -> str:
    """The time of day that goes with a date, where the property wants both."""
    if entity.kind != "date" or not one.moment:
        return ""
    times = [other for other in scope.entities if other.kind == "time" and scope.free(other)]
    return min(times, key=lambda other: abs(other.start - entity.start)).value if times else ""


def _spans(one: Parameter, entity: Entity, scope: Scope) -> tuple[tuple[int, int], ...]:
    spans = [(entity.start, entity.end)]
    if clock := _clock(one, entity, scope):
        spans += [(e.start, e.end) for e in scope.entities if e.kind == "time" and e.value == clock]
    return tuple(spans)


def _phrases(kind: str, one: Parameter, scope: Scope, required: bool) -> Iterator[Candidate]:
    """The phrases of one kind; for an optional property only where the message clearly says one."""
    rest = scope.rest
    found: str | None = None
    if kind == "topic" and is_words(one):  # to be read by a person: nothing is cut out of it
        found = phrases.topic(scope.text)
    elif kind == "topic":
        found = phrases.topic(without(scope, "date"))
        found = found and phrases.without_idle_tail(found, {*scope.topics, *one.label}, scope.tongue)
    elif kind in _FINDERS:
        dated = kind == "said" and scope.dated  # "remind me tomorrow to …": the day has a property of its own
        found = _FINDERS[kind](
            without(scope, "date", "time") if dated else rest if kind in ("called", "tail") else scope.text
        )
    elif kind == "chunk":
        yield from _chunks(one, scope, required)
    elif required and kind == "request":
        found = phrases.request_of(scope.text)
    elif required and kind == "residue" and scope.explains and (about := asked_about(rest, scope.tongue)):
        found = about
    elif required and kind == "residue":
        # What a tool that explains is about is what people look for there: it stays in the query.
        known = set(one.label) if scope.explains else {*scope.topics, *one.label}
        found = phrases.residue(without(scope, "date"), known, scope.tongue)
        found = found or (phrases.request_of(rest) if scope.explains else None)
        # What a property took from a closed set may be all that there is to look for: "toys".
        found = found or phrases.residue(scope.searchable, known, scope.tongue)
    if not found or (kind == "topic" and all(word in stop_words(scope.tongue) for word in words(found))):
        return
    if (
        kind not in ("said", "request", "colon", "because", "tail", "residue", "topic")
        or kind in ("residue", "topic")
        and not is_words(one)
    ):
        found, span = re.sub(rf"[\s{phrases.GAP}]+", " ", found).strip(), None
    else:
        found, span = in_full(found, scope)
    if found:
        start = scope.text.find(found) if span is None else span[0]
        yield Candidate(found, (span or (start, start + len(found)),) if start >= 0 else ())


def _chunks(one: Parameter, scope: Scope, required: bool) -> Iterator[Candidate]:
    """The chunks of the message that may be meant, those first that a word or a preposition gives to the
    property."""
    rows = []
    for place, chunk in enumerate(_all_chunks(scope)):
        beside = chunk.before | chunk.after
        named = 3.0 * bool(beside & one.label)
        led = 2.0 * (chunk.lead in leads_of(one))
        wrong = one.direction and direction_said(chunk.lead) not in ("", one.direction)
        other = not named and chunk.before & (scope.labels - one.label)  # "tags beta" is no name
        known = one.kinds[0] == "place" and not named + led and phrases.all_known(chunk.text, scope.tongue)
        if not wrong and not other and not known and named + led >= (0 if required else 2):
            rows.append((-named - led, place, chunk))
    for _, _, chunk in sorted(rows, key=lambda row: row[:2]):
        yield Candidate(chunk.text.removesuffix("'s").removesuffix("’s"), ((chunk.start, chunk.end),))


def _all_chunks(scope: Scope) -> list[phrases.Chunk]:
    closed = [
        (e.start, e.end)
        for e in scope.entities
        if e.kind in ("name", "place", "path", "quoted", "identifier")
    ]
    return phrases.chunks(
        without(scope, "date", "time"), closed, {*scope.topics, *scope.labels}, scope.tongue
    )


def _members(one: Parameter, scope: Scope, required: bool) -> Iterator[Candidate]:
    """The members of a list of texts: all facts of its kind, else a phrase cut at its commas and "and"."""
    for kind in one.kinds:
        facts = _facts(kind, one, scope, required)
        if facts and kind not in ("residue", "topic", "said"):
            yield from (Candidate(convert(one, fact), ((fact.start, fact.end),)) for fact in facts[:MOST])
            return
        listed = [found for found in _phrases(kind, one, scope, required)][:1]
        if listed:
            yield from _cut(listed[0], scope)
            return


def _cut(first: Candidate, scope: Scope) -> Iterator[Candidate]:
    """ "eggs", then what follows it as a list: ", rice and tomatoes"."""
    end = first.spans[0][1] if first.spans else 0
    parts = [first.value]
    spans = list(first.spans)
    for chunk in _all_chunks(scope) if first.spans else []:
        between = scope.text[end : chunk.start]
        if chunk.start >= end and between.strip(" ") in (",", ", and", "and", "y", ", y"):
            parts.append(chunk.text)
            spans.append((chunk.start, chunk.end))
            end = chunk.end
    members = [tidy for part in parts for piece in _CARRY_ON.split(part) if (tidy := phrases.tidy(piece))]
    for place, member in enumerate(members[:MOST]):
        yield Candidate(member, tuple(spans) if place == 0 else ())
