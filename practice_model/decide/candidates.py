"""What in a message may be meant for one property: sentences, amounts, facts and phrases, best first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..language import clauses as phrases
from ..language.clauses import GAP, is_courtesy, is_idle, tidy
from ..language.entities import Entity
from ..language.numbers import worth
from ..language.speech_acts import WANTS_A_THING, begins_anew
from ..language.text import features, fold, stop_words, verb_concepts, words
from .choices import choose
from .questions import asked_about
from .schema_values import JSON, variants
from .slot_values import closeness, convert, counts_nothing, given_to_another
from .slots import Scope, Slot, direction_said, is_words, leads_of, names_a_thing, slot_of

# A phrase as it stands in the message: whole sentences, with the facts that other properties took inside
# them.


def in_full(found: str, scope: Scope) -> tuple[str, tuple[int, int] | None]:
    """A phrase as it stands in the message, with the facts that other properties took inside it, and its
    place; without clauses at its ends that say nothing besides what others took ("Priority high.")."""
    pieces = re.findall(rf"[^\s{GAP}]+", found)
    match = re.search(rf"[\s{GAP}]+".join(map(re.escape, pieces)), scope.text) if pieces else None
    for text in (scope.rest, without(scope, "date", "time")):
        match = match or (re.search(rf"[\s{GAP}]+".join(map(re.escape, pieces)), text) if pieces else None)
    if match is None:
        return " ".join(pieces), None
    start, end = match.span()
    clauses = [m.span() for m in re.finditer(r"[^.,;!?]+(?:[.,](?=\S)[^.,;!?]*)*", scope.text[start:end])]
    clauses = [
        (start + first, start + last)
        for first, last in clauses
        if scope.text[start + first : start + last].strip()
    ]
    while len(clauses) > 1 and _told_elsewhere(*clauses[-1], scope):
        clauses.pop()
    while len(clauses) > 1 and _told_elsewhere(*clauses[0], scope):
        clauses.pop(0)
    start, end = (clauses[0][0], clauses[-1][1]) if clauses else (start, end)
    start, end = _whole_sentence(start, end, scope)
    text = scope.text[start:end]
    if scope.dated:  # the day has a property of its own: it is cut out, without a trace
        for entity in reversed(scope.entities):
            if (
                entity.kind in ("date", "time")
                and not scope.free(entity)
                and start <= entity.start < entity.end <= end
            ):
                text = text[: entity.start - start] + GAP + text[entity.end - start :]
        text = re.sub(rf"\s*{GAP}\s*(?:{GAP}\s*)*", " ", text)
    return tidy(text, articles=True), (start, end)


def _whole_sentence(start: int, end: int, scope: Scope) -> tuple[int, int]:
    """A phrase with the little words before it in its sentence ("My …"), and then to the sentence's end."""
    ahead = re.split(r"[.,;:!?\n]", scope.rest[:start])[-1].replace(GAP, " ")
    wanted = WANTS_A_THING.match(ahead)
    little = wanted or all(word in stop_words(scope.language) for word in words(ahead))
    begin = start - len(scope.text[start - len(ahead) : start].lstrip())
    if not little or is_courtesy(ahead) or re.search(r"\d", ahead):
        return start, end
    tail = re.match(r"[^.,;:!?\n]*", scope.text[end:])
    closed = tail and (is_courtesy(tail.group()) or GAP in scope.searchable[end : end + tail.end()])
    return begin, end if closed or not tail else end + len(tail.group().rstrip())


def _told_elsewhere(start: int, end: int, scope: Scope) -> bool:
    """Whether a clause says nothing besides what other properties took from it and their names, or only asks
    for the call: "open an urgent ticket"."""
    following = re.search(r"[.,;!?\n]", scope.text[end:])  # what stands beside it may be cut off already
    end = end + following.start() if following else len(scope.text)
    known = scope.topics if begins_anew(scope.text[start:end], scope.language) else frozenset()
    if not known and not any(begin < end and start < stop for begin, stop in scope.used):
        return False
    left = scope.rest[start:end].replace(GAP, " ")
    return all(is_idle(word, {*scope.labels, *known}, scope.language) for word in left.split())


def without(scope: Scope, *kinds: str) -> str:
    """What is left of the text, without its dates and times, which are no part of a phrase ("… Python last
    week")."""
    text = scope.rest
    for entity in scope.entities:
        if entity.kind in kinds:
            text = text[: entity.start] + GAP * (entity.end - entity.start) + text[entity.end :]
    return text


# Numbers ------------------------------------------------------------------------------------------


# A calculation in signs; two numbers with only a minus or a slash between them may be a range or a share.
_IN_SIGNS = re.compile(r"(?=.*(?:[*+×·÷^(]|\s[-−/]\s))[\d\s.,()*+/×·÷^−-]+")


def nearest_numbers(
    wanted: list[Slot], required: set[str], root: JSON, scope: Scope
) -> dict[str, list[Entity]]:
    """Which number of the message is meant for which property: the closest pairs first, then as they stand.

    An optional number must be named in the message: "2 of them in blue" says nothing about a limit.
    """
    numeric = [
        slot_of(one.name, {**option, "description": one.description})
        for one in wanted
        for option in variants(one.schema, root)
        if option.get("type") in ("integer", "number") and "enum" not in option
    ]
    operands = sum(one.name in required for one in numeric) > 1
    facts = scope.entities if operands else _worked_out(scope.entities)
    digits = [e for e in map(_year, facts) if _is_number(e) and scope.free(e)]
    if operands:
        digits = _in_order_of_calculation(digits, scope)
    pairs = [
        (closeness(one, entity), one.name in required, -place, -index, one, entity)
        for place, one in enumerate(numeric)
        for index, entity in enumerate(digits)
        if not names_a_thing(one) or counts_nothing(entity, scope.entities)
        if not given_to_another(one, entity, scope.text) and not _numbers_a_thing(one, entity, scope)
    ]
    found: dict[str, list[Entity]] = {}
    taken: list[Entity] = []
    # A word of its description that stands near gives no number to an optional property before those that are
    # required have one: "the VAT on 250" is no rate.
    sure = sorted(pairs, key=lambda pair: (pair[0] >= 1.5, pair[1], *pair[:4]), reverse=True)
    for near, needed, _, _, one, entity in sure:
        if (near > 0 or (needed and near == 0)) and one.name not in found and entity not in taken:
            found[one.name] = [entity]
            taken.append(entity)
    for near, _, _, _, one, entity in sorted(pairs, key=lambda pair: pair[:4], reverse=True):
        if near >= 0 and entity not in taken and one.name in found:
            found[one.name].append(entity)  # for a list, or where the first one is outside the limits
    return found


@cache
def _things() -> frozenset[str]:
    words_for_them = "order invoice ticket parcel package shipment booking reservation flight room product"
    return frozenset(
        f for word in words_for_them.split() for f, weight in features(word, "en").items() if weight == 1
    )


def _is_verb(word: str) -> bool:
    return bool({f for f, weight in features(word).items() if weight == 1} & verb_concepts())


def _numbers_a_thing(one: Slot, entity: Entity, scope: Scope) -> bool:
    """Whether a number tells which order or room it is, and so is no amount: "ship order 7 to Peru"."""
    before, after = entity.before.split()[-1:], fold(entity.after).split()[:1]
    thing = {f for word in before for f, weight in features(word).items() if weight == 1}
    if names_a_thing(one) or not thing & _things() - one.label:
        return False
    counted = any(word not in stop_words(scope.language) and not _is_verb(word) for word in after)  # "3 mugs"
    return not counted and counts_nothing(entity, scope.entities)  # which looks at all others, so it is last


def _worked_out(entities: tuple[Entity, ...]) -> list[Entity]:
    """The facts, with each calculation that is written in signs as the one number that it comes to: no tool
    wants 12 and 7.5 of "12 * 7.5"."""
    found = list(entities)
    for one in entities:
        if one.kind != "expression" or not _IN_SIGNS.fullmatch(one.written):
            continue
        if (value := worth(one.value)) is not None:
            inside = [e for e in found if e.kind == "number" and one.start <= e.start and e.end <= one.end]
            found = [e for e in found if e not in inside]
            found.append(replace(one, kind="number", value=value))
    return sorted(found, key=lambda entity: entity.start)


def _year(entity: Entity) -> Entity:
    """A year ("from 1999") as the number that it also is."""
    if entity.kind == "date" and entity.value[2] == "year" and entity.end - entity.start == 4:
        return replace(entity, kind="number", value=entity.value[0].year, after="year")
    return entity


def _is_number(entity: Entity) -> bool:
    return entity.kind == "number" or (entity.kind == "identifier" and str(entity.value).isdigit())


def _in_order_of_calculation(digits: list[Entity], scope: Scope) -> list[Entity]:
    """ "subtract 5 from 20" is 20 - 5: there the order is that of the expression."""
    for entity in scope.entities:
        if entity.kind == "expression":
            order = [float(part) for part in re.findall(r"\d+(?:\.\d+)?", str(entity.value))]
            inside = [
                e
                for e in digits
                if entity.start <= e.start and e.end <= entity.end and float(e.value) in order
            ]
            return sorted(inside, key=lambda e: order.index(float(e.value))) + [
                e for e in digits if e not in inside
            ]
    return digits


# Facts and phrases --------------------------------------------------------------------------------


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


def from_message(one: Slot, scope: Scope, required: bool, *, several: bool = False) -> Iterator[Candidate]:
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


def _with_words(one: Slot, entity: Entity, scope: Scope) -> tuple[tuple[int, int], ...]:
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
        if word not in stop_words(scope.language):
            end += after.end()
    return ((start, end),)


def _texts(one: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """Text for a property: for each of its kinds, the facts of that kind, then the phrase of that kind."""
    for kind in one.kinds:
        for entity in _facts(kind, one, scope, required):
            yield Candidate(convert(one, entity, _clock(one, entity, scope)), _spans(one, entity, scope))
        yield from _phrases(kind, one, scope, required)


def _facts(kind: str, one: Slot, scope: Scope, required: bool) -> list[Entity]:
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


def suits(one: Slot, entity: Entity) -> bool:
    """Whether a fact of the right kind can be meant: a week is no day."""
    if entity.kind != "date" or one.kinds[0] == "period" or one.direction:
        return True
    return entity.value[0] == entity.value[1]


def _unit_of(number: Entity) -> Entity:
    """The word right after a number, as a fact of its own: "cups" of "3 cups"."""
    word = number.after.split()[0]
    return Entity("unit", word, number.end + 1, number.end + 1 + len(word))


def _nearness(one: Slot, entity: Entity) -> float:
    last = fold(entity.before).split()[-1:] or [""]
    lead = 1.0 if last[0] in leads_of(one) else 0.0
    if entity.kind == "currency" and one.direction:  # "how many euros are 50 pounds": the amount is in pounds
        lead += 1.0 if entity.amount == (one.direction == "from") else -1.0
    stated = 0.5 if one.direction and direction_said(entity.before) == one.direction else 0.0
    return max(closeness(one, entity), 0) + lead + stated


def _clock(one: Slot, entity: Entity, scope: Scope) -> str:
    """The time of day that goes with a date, where the property wants both."""
    if entity.kind != "date" or not one.moment:
        return ""
    times = [other for other in scope.entities if other.kind == "time" and scope.free(other)]
    return min(times, key=lambda other: abs(other.start - entity.start)).value if times else ""


def _spans(one: Slot, entity: Entity, scope: Scope) -> tuple[tuple[int, int], ...]:
    spans = [(entity.start, entity.end)]
    if clock := _clock(one, entity, scope):
        spans += [(e.start, e.end) for e in scope.entities if e.kind == "time" and e.value == clock]
    return tuple(spans)


def _phrases(kind: str, one: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """The phrases of one kind; for an optional property only where the message clearly says one."""
    rest = scope.rest
    found: str | None = None
    if kind == "topic" and is_words(one):  # to be read by a person: nothing is cut out of it
        found = phrases.topic(scope.text)
    elif kind == "topic":
        found = phrases.topic(without(scope, "date"))
        found = found and phrases.without_idle_tail(found, {*scope.topics, *one.label}, scope.language)
    elif kind in _FINDERS:
        dated = kind == "said" and scope.dated  # "remind me tomorrow to …": the day has a property of its own
        found = _FINDERS[kind](
            without(scope, "date", "time") if dated else rest if kind in ("called", "tail") else scope.text
        )
    elif kind == "chunk":
        yield from _chunks(one, scope, required)
    elif required and kind == "request":
        found = phrases.request_of(scope.text)
    elif required and kind == "residue" and scope.explains and (about := asked_about(rest, scope.language)):
        found = about
    elif required and kind == "residue":
        # What a tool that explains is about is what people look for there: it stays in the query.
        known = set(one.label) if scope.explains else {*scope.topics, *one.label}
        found = phrases.residue(without(scope, "date"), known, scope.language)
        found = found or (phrases.request_of(rest) if scope.explains else None)
        # What a property took from a closed set may be all that there is to look for: "toys".
        found = found or phrases.residue(scope.searchable, known, scope.language)
    if not found or (kind == "topic" and all(word in stop_words(scope.language) for word in words(found))):
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


def _chunks(one: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """The chunks of the message that may be meant, those first that a word or a preposition gives to the
    property."""
    rows = []
    for place, chunk in enumerate(_all_chunks(scope)):
        beside = chunk.before | chunk.after
        named = 3.0 * bool(beside & one.label)
        led = 2.0 * (chunk.lead in leads_of(one))
        wrong = one.direction and direction_said(chunk.lead) not in ("", one.direction)
        other = not named and chunk.before & (scope.labels - one.label)  # "tags beta" is no name
        known = one.kinds[0] == "place" and not named + led and phrases.all_known(chunk.text, scope.language)
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
        without(scope, "date", "time"), closed, {*scope.topics, *scope.labels}, scope.language
    )


def _members(one: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
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
