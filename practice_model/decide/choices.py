"""Pick one of a closed set: the value of an enum, or true and false, from what a message says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..language.entities import Entity, language_code, place_code
from ..language.text import (
    any_case,
    features,
    features_of_each,
    fold,
    full_features,
    phrases,
    read_rows,
    stop_words,
    word_group,
    words,
)
from .free_text import Candidate, FreeText, Span, overlap
from .slots import Slot, Value, direction_said, value_of

_EVERYTHING, _ANY_OTHER, _GOODS = (
    frozenset(word_group(name).split()) for name in ("everything", "any other", "goods")
)
_CLASSES, _BEGINNINGS = map(word_group, ("classes", "beginnings"))
_DEGREES = [row[0].split() for row in read_rows("slots.txt", "degrees")]
_DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
# What stands right before the verb of a person: "I", "she has", "que he", "hemos".
_NOT = any_case(rf"\b{phrases('negation')}\s+(?:\w+\s+){{0,2}}$")
_I_DID = any_case(rf"\b{phrases('somebody did')}$")
_PASSIVE = any_case(rf"\b{phrases('was done')}\s+$")
_PRONOUN = any_case(r"\b(?:i|we|you|he|she|they)$")
_DID = any_case(r"\b(?:has|have|had|did|does|do)\s*$")
_WORD_BEFORE, _WORD_AFTER = re.compile(r"([^\W\d_]+)[\s:]*$"), re.compile(r"\s*([^\W\d_]+)")
SURE = 0.6  # the share of a value's words that the message must say; related words alone have one half
NEAR = 60  # characters before a value that are looked at


@dataclass(frozen=True)
class Naming:
    """A value of an enum that the text names, or a fact in it stands for."""

    clear: float
    """2 and more by its own words, 1 by words that mean the same, less by words that are related."""
    value: Any
    place: Span | None

    def candidate(self, free: FreeText, why: str = "") -> Candidate:
        written = free.text[slice(*self.place)].strip() if self.place else ""
        named = f"“{written}” names this value" if written else "the facts in the message stand for it"
        return Candidate(self.value, (self.place,) if self.place else (), why or named)


def choose(slot: Slot, free: FreeText, required: bool, several: bool) -> Iterator[Candidate]:
    """Yield the values of an enum or boolean slot that the text names; nothing where it names two alike.

    A required enum that has a value for "everything" gets it where the text draws no line at all: who asks
    "how many messages did I send?" means all of them. One that classifies what is said gets its value for
    all else, as long as something is said: nobody is asked for the category of their own trouble.
    """
    if "enum" not in slot.schema:
        yield from _yes_or_no(slot, free)
        return
    rows = _named(slot, free, 0.5 if required else SURE, required)
    if several:
        yield from (row.candidate(free) for row in rows if row.clear >= min(2, rows[0].clear))
    elif rows:
        best = [row for row in rows if row.clear == rows[0].clear]
        if len(best) == 1 or required or best[0].clear >= 2:  # of several the first one that it names
            yield min(best, key=lambda row: row.place or (len(free.text), 0)).candidate(free)
    elif meant := _by_degree(slot, free) or _by_gloss(slot, free) or _by_defect(slot, free):
        yield meant
    elif required:
        whole = "the message draws no line, and this value is for everything"
        yield from (
            Candidate(one.value, (), whole) for one in slot.values if _EVERYTHING & {*words(one.spoken)}
        )
        others = [one.value for one in slot.values if one.spoken in _ANY_OTHER]
        if others:
            # Where the values are matters, one that is missed is meant, too: "I never got an invoice".
            missed = _named(slot, free, 1.0, required, denied=True)
            yield from (row.candidate(free) for row in missed[:1])
        if slot.label & features_of_each(_CLASSES) and not free.empty:
            yield from (Candidate(value, (), "no other value is named") for value in others)


def _yes_or_no(slot: Slot, free: FreeText) -> Iterator[Candidate]:
    yes, no = slot.truths
    for token in free.words:
        said = {feature for feature, weight in token.meanings.items() if weight >= SURE}
        if said & (yes | no):
            denied = bool(_NOT.search(free.text[max(0, token.start - NEAR) : token.start]))
            truth = bool(said & yes) != denied
            why = f"“{'not ' * denied}{token.written}” says that it is {'so' if truth else 'not so'}"
            yield Candidate(truth, ((token.start, token.end),), why)
            return


def _named(slot: Slot, free: FreeText, least: float, required: bool, *, denied: bool = False) -> list[Naming]:
    """Return the values that the text names, the clearest first, with their places; `denied`: also after
    "not"."""
    rows = []
    for value in slot.values_in(free.folded):
        places = [
            (clear, span)
            for clear, span in _places(value, slot, free)
            if _in_direction(slot, span, free)
            and (denied or not _NOT.search(free.text[max(0, span[0] - NEAR) : span[0]]))
            and (required or not (_is_verb(span, free) or _is_event(span, free)))
            and (clear >= 2 or not _of_another(slot, span, free))
        ]
        if places:
            clear, (start, end) = max(clear for clear, _ in places), places[0][1]
            around = free.text[max(0, start - 25) : end + 25]
            clear += bool(slot.direction) and direction_said(free.text[:start][-NEAR:]) == slot.direction
            rows.append(
                Naming(clear + 0.5 * bool(slot.label & features(around).keys()), value.value, (start, end))
            )
        else:
            clear = _by_fact(value, free.clause.entities)
            if not clear and len(value.words) > 1:
                clear = _by_concepts(value, free.meanings)
            rows.append(Naming(clear, value.value, None))
    return sorted((row for row in rows if row.clear >= least), key=lambda row: -row.clear)


MOST_PLACES = 5  # at which a text names one value, that are looked at


def _places(value: Value, slot: Slot, free: FreeText) -> list[tuple[float, Span]]:
    """Return where the text names a value, by its own words or words of the same meaning: (how clearly,
    place)."""
    if not value.spoken:
        return []
    found = [
        (2.0 + value.spoken.count(" "), match.span())  # "next day air" beats "air"
        for match in _own_words(value, free.folded)
    ]
    if not found and len(value.words) == 1:
        # What only names the tool ("block" of block_card) names no value ("lost").
        own = {f: w for f, w in value.words[0].items() if w == 1 or f not in free.context.topics}
        near = {token.start: token for f in own for token in free.by_meaning.get(f, ())}
        for _, token in sorted(near.items()):
            said = token.meanings
            if any(said.get(f, 0) == 1 for f in slot.label):
                continue  # "priority" names the slot, no value of it
            if (share := max(min(w, said.get(f, 0)) for f, w in own.items())) >= 0.5:
                found.append((share, (token.start, token.end)))
    dates: list[Span] = []
    if value.meanings.keys() & _DAYS_OF.keys():  # "the last 7 days" speak of a week, not of a day
        dates = [(entity.start, entity.end) for entity in free.clause.entities if entity.kind == "date"]
    left = ((clear, span) for clear, span in found if not overlap(span, [*free.taken, *dates]))
    return list(islice(left, MOST_PLACES))


def _own_words(value: Value, folded: str) -> Iterator[re.Match[str]]:
    for form in dict.fromkeys([value.spoken, fold(str(value.value))]):  # "next day", "next-day"
        if form in folded:
            yield from re.finditer(rf"(?<!\w){re.escape(form)}s?(?!\w)", folded)


def _of_another(slot: Slot, span: Span, free: FreeText) -> bool:
    """Return whether the word right beside a value names another slot: "priority high" is no category."""
    before = _WORD_BEFORE.search(free.text[max(0, span[0] - NEAR) : span[0]])
    after = _WORD_AFTER.match(free.text[span[1] : span[1] + NEAR])
    beside = {f for match in (before, after) if match for f in full_features(match[1])}
    return bool(beside & (free.labels - slot.label)) and not beside & slot.label


def _is_verb(span: Span, free: FreeText) -> bool:
    """Return whether a value is the verb of what somebody did: it filters nothing in "the books that I
    borrowed"."""
    ahead = free.text[: span[0]].rstrip()
    if _I_DID.search(ahead[-NEAR:]):
        return True
    people = (e for e in free.clause.entities if e.kind in ("email", "name") and e.end == len(ahead))
    who = next((entity.start for entity in people), None)
    if who is None and (pronoun := _PRONOUN.search(ahead, max(0, len(ahead) - NEAR))):
        who = pronoun.start()
    return who is not None and bool(_DID.search(ahead[:who][-NEAR:]))


def _is_event(span: Span, free: FreeText) -> bool:
    """Return whether a value is the verb of what happened on a date that the message gives.

    In "which orders were placed since Monday?" the word filters nothing, where the description of the date
    says "placed", or where it says how the thing came to be.
    """
    dates = [entity for entity in free.clause.entities if entity.kind == "date"] if free.dated else []
    if not dates:
        return False
    said = {
        f
        for token in free.words
        if (token.start, token.end) == span
        for f, w in token.meanings.items()
        if w == 1
    }
    if not said & (free.events | features_of_each(_BEGINNINGS)):
        return False
    between = [free.text[span[1] : entity.start] for entity in dates if entity.start >= span[1]]
    attached = any(all(word in stop_words(free.language) for word in words(text)) for text in between)
    return attached or bool(_PASSIVE.search(free.text[max(0, span[0] - NEAR) : span[0]]))


def _in_direction(slot: Slot, span: Span, free: FreeText) -> bool:
    return not slot.direction or direction_said(free.text[: span[0]][-NEAR:]) in ("", slot.direction)


def mention(option: Any, text: str, language: str) -> float:
    """Return how clearly a text names one value: 2 for its own words, else the share of its concepts that
    occur."""
    value = value_of(option)
    if value.spoken and re.search(rf"(?<!\w){re.escape(value.spoken)}s?(?!\w)", fold(text)):
        return 2.0 + len(value.spoken) / 100  # "next day air" beats "air"
    return _by_concepts(value, features(text, language))


def _by_concepts(value: Value, theirs: dict[str, float]) -> float:
    shared = [max(min(weight, theirs.get(f, 0)) for f, weight in word.items()) for word in value.words]
    return sum(shared) / len(shared) if shared and min(shared) >= 0.5 else 0.0


def _by_fact(value: Value, entities: tuple[Entity, ...]) -> float:
    """Return points for a value that a fact of the message stands for: a period of that length, a code, a
    number."""
    code = str(value.value).casefold()
    for entity in entities:
        if entity.kind == "date" and (points := _by_period(value, entity)):
            return points
        if entity.kind == "number" and entity.value == value.value and not isinstance(value.value, bool):
            return 1.5
        if entity.kind == "currency" and code == str(entity.value).casefold():
            return 2.0
        if entity.kind == "place" and code == (place_code(entity.value) or "").casefold():
            return 1.5
        if entity.kind == "language" and code.split("-")[0] == language_code(entity.value):
            return 1.5
    return 0.0


def _by_period(value: Value, entity: Entity) -> float:
    """Return points for the unit of time that a date spans: "yesterday" -> day, "the last 7 days" -> week."""
    units = {_DAYS_OF[feature] for feature in value.meanings if feature in _DAYS_OF}
    if not units:
        return 0.0
    first, last, unit = entity.value
    length = (last - first).days or _DAYS_OF[unit]
    nearest = min(_DAYS_OF.values(), key=lambda days: abs(days - max(length, 1)))
    return 1.0 if (_DAYS_OF[unit] if unit != "day" else nearest) in units else 0.0


# What values mean beside their own words ----------------------------------------------------------

# On folded text; a defect is that something does not do what it should.
_NO_HURRY, _HURRY, _DEFECT = (re.compile(phrases(name)) for name in ("no hurry", "hurry", "defect"))


def _by_degree(slot: Slot, free: FreeText) -> Candidate | None:
    """Return the value for the urgency of a text: of low, normal, high "as soon as possible" is the
    highest."""
    ranks = {
        rank: one.value
        for one in slot.values
        for rank, examples in enumerate(_DEGREES)
        if one.spoken in examples
    }
    if len(ranks) < 2 or len(ranks) < len(slot.values) - 1:
        return None
    for pattern, rank in ((_NO_HURRY, min(ranks)), (_HURRY, max(ranks))):
        if match := pattern.search(free.folded):
            return Naming(1, ranks[rank], match.span()).candidate(
                free, f"“{match.group()}” says how urgent it is"
            )
    return None


def _by_gloss(slot: Slot, free: FreeText) -> Candidate | None:
    """Return the one value of which the description says what the message says."""
    rows = []
    for value, told in slot.glosses.items():
        said = [token for token in free.clause.tokens if _full(token.meanings) & (told - free.context.topics)]
        if said and not overlap((said[0].start, said[0].end), free.taken):
            rows.append((len(said), value, said[0]))
    rows.sort(key=lambda row: -row[0])
    if not rows or (len(rows) > 1 and rows[0][0] == rows[1][0]):
        return None
    _, value, token = rows[0]
    why = f"the description says “{token.written}” of this value"
    return Candidate(value, ((token.start, token.end),), why)


def _full(meanings: dict[str, float]) -> set[str]:
    return {feature for feature, weight in meanings.items() if weight == 1}


def _by_defect(slot: Slot, free: FreeText) -> Candidate | None:
    """Return the value for things where a text tells that one is broken: "the lid leaks" is about the
    product."""
    thing = next((one.value for one in slot.values if one.spoken in _GOODS), None)
    match = _DEFECT.search(free.folded) if thing is not None else None
    return Candidate(thing, (), f"“{match.group()}” is about a thing that does not work") if match else None
