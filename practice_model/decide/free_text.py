"""What is still free of a clause while slots are filled from it, and the phrases that free text takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import count
from textwrap import shorten
from typing import Any

from ..language.clauses import (
    GAP,
    Chunk,
    ClauseSpan,
    after_colon,
    all_known,
    because,
    called,
    chunks,
    code,
    is_courtesy,
    is_idle,
    request_of,
    residue,
    said,
    split,
    tail,
    tidy,
    topic,
    without_idle_tail,
)
from ..language.entities import Entity
from ..language.message import Clause, read_clause
from ..language.speech_acts import ASKS_FOR_A_THING, begins_anew
from ..language.text import (
    GENERIC,
    Token,
    any_case,
    features,
    features_of_each,
    fold,
    fold_in_place,
    full_features,
    split_identifier,
    stop_words,
    tokens,
    verb_concepts,
    words,
)
from .questions import asked_about
from .schema_values import JSON
from .slots import Form, Slot, direction_said, is_words, kin

Span = tuple[int, int]
MOST = 100  # members of a list


@dataclass(frozen=True)
class Candidate:
    """A value that a slot may take."""

    value: Any
    places: tuple[Span, ...] = ()
    """The places in the clause that it takes up."""
    why: str = ""
    """Why it is meant, in words."""


@dataclass(frozen=True)
class Context:
    """What a call may be filled from besides its clause."""

    today: date
    topics: frozenset[str] = frozenset()
    """Features that only name the tool; they are not part of a free-text argument."""
    explains: bool = False
    """Whether texts about how something works are searched: by what the message asks about."""
    force: bool = False
    """Fill every required slot, with a guess where the message says nothing."""
    whole: str = ""
    """The whole message, for facts that stand in another clause ("for order 7: cancel it")."""
    earlier: tuple[str, ...] = ()
    """What the user said before, latest first; only unmistakable facts are taken from there."""
    results: JSON = field(default_factory=dict)
    """Fields of earlier tool results, by name: what one tool found is another one's argument."""
    carried: JSON = field(default_factory=dict)
    """The arguments of the latest call, where the message points back to it ("make it …", "there")."""


@dataclass(frozen=True)
class FreeText:
    """A clause, and what the slots filled so far took of it."""

    clause: Clause
    context: Context
    taken: tuple[Span, ...] = ()
    soft: tuple[Span, ...] = ()
    """Of `taken` what may still be searched for ("toys in blue")."""
    labels: frozenset[str] = frozenset()
    """Features of the names of all slots."""
    events: frozenset[str] = frozenset()
    """Features of the words by which the descriptions of dates say what happened then."""
    dated: bool = False
    """Whether a slot takes a date or a time."""
    opened: Iterator[int] = field(default_factory=count)
    """Counts the objects inside others that were tried."""
    guessed: Iterator[int] = field(default_factory=count)
    """Counts the values that were guessed."""

    def entering(self, form: Form) -> FreeText:
        """Return the same text, to be read for one more object schema."""
        return replace(
            self,
            labels=self.labels | form.labels,
            events=self.events | form.events,
            dated=self.dated or form.dated,
        )

    def without(self, places: tuple[Span, ...], *, soft: bool = False) -> FreeText:
        """Return what is left after a slot took these places."""
        return replace(self, taken=self.taken + places, soft=self.soft + (places if soft else ()))

    @property
    def text(self) -> str:
        return self.clause.text

    @property
    def language(self) -> str:
        return self.clause.language

    def has(self, entity: Entity) -> bool:
        """Return whether no slot took this fact, or a part of it."""
        return not overlap((entity.start, entity.end), self.taken)

    def has_some_of(self, places: tuple[Span, ...]) -> bool:
        """Return whether some letter of these places may still be said: no phrase is given twice."""
        return any(self.searchable[start:end].strip(f" {GAP}") for start, end in places)

    @cached_property
    def rest(self) -> str:
        """The text, with gaps where slots took something."""
        return _with_gaps(self.text, self.taken)

    @cached_property
    def searchable(self) -> str:
        """The text, with gaps where slots took what no search needs."""
        return _with_gaps(self.text, [span for span in self.taken if span not in self.soft])

    def beside(self, *kinds: str) -> str:
        """Return what is left of the text, without the facts of these kinds, which no phrase includes."""
        facts = [(fact.start, fact.end) for fact in self.clause.entities if fact.kind in kinds]
        return _with_gaps(self.rest, facts)

    @cached_property
    def folded(self) -> str:
        """The text, folded, with every letter at its place."""
        return fold_in_place(self.text)

    @cached_property
    def words(self) -> tuple[Token, ...]:
        """The words of the text, with those that say little elsewhere."""
        return tokens(self.text, self.language, keep_all=True)

    @cached_property
    def by_meaning(self) -> dict[str, list[Token]]:
        """The words of the text that are no function words, by each feature that they stand for."""
        found: dict[str, list[Token]] = {}
        for token in self.words:
            for feature in token.meanings if token.written not in stop_words(self.language) else ():
                found.setdefault(feature, []).append(token)
        return found

    @cached_property
    def meanings(self) -> dict[str, float]:
        """What the words of the text stand for together."""
        return features(self.text, self.language)

    @cached_property
    def idle(self) -> set[str]:
        """Features that only name the tool or its slots."""
        return {*self.context.topics, *self.labels}

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The stretches that are left, without dates and times."""
        kinds = ("name", "place", "path", "quoted", "identifier")
        closed = [(fact.start, fact.end) for fact in self.clause.entities if fact.kind in kinds]
        return chunks(self.beside("date", "time"), closed, self.idle, self.language)

    def part(self, start: int, end: int) -> FreeText:
        """Return what is left of a part of the text, to be read alone."""
        context = replace(self.context, whole="", earlier=(), results={}, carried={}, force=False)
        clause = read_clause(self.rest[start:end].replace(GAP, " "), self.language, context.today)
        return FreeText(clause, context, labels=self.labels, opened=self.opened)

    @cached_property
    def pieces(self) -> list[ClauseSpan]:
        """The pieces of the text between commas, "and" and the like."""
        return split(self.text, list(self.clause.entities))

    @cached_property
    def empty(self) -> bool:
        """Whether nothing is left that says anything."""
        return not chunks(self.rest, [], self.idle, self.language)


def overlap(span: Span, others: tuple[Span, ...] | list[Span]) -> bool:
    """Return whether one place in a text has letters of any of the others."""
    return any(start < span[1] and span[0] < end for start, end in others)


def _with_gaps(text: str, places: tuple[Span, ...] | list[Span]) -> str:
    letters = list(text)
    for start, end in places:
        letters[start:end] = GAP * (end - start)
    return "".join(letters)


# Phrases of each kind -----------------------------------------------------------------------------

_FINDERS = {
    "said": said,
    "because": because,
    "called": called,
    "colon": after_colon,
    "tail": tail,
    "code_text": code,
}
_PHRASES = {
    "said": "what the message asks to pass on",
    "because": "the reason that the message gives",
    "called": "what the message calls it",
    "colon": "what follows the colon",
    "tail": "what the message adds at its end",
    "code_text": "a statement of SQL",
    "topic": "what the message is about",
    "request": "the request itself",
    "residue": "what is left of the message",
}
_IN_FULL = ("said", "request", "colon", "because", "tail")  # to be read by a person: nothing is cut out of it
_TITLE = features_of_each("title") - features_of_each("subject")


_ITS_ARTICLE = re.compile(
    r"(?<=\w )((?:The|A|An|El|La|Los|Las|Un|Una) )$"
)  # of a name: "Give The Matrix five"


def phrase(kind: str, slot: Slot, free: FreeText, required: bool) -> Iterator[Candidate]:
    """Yield the phrases of one kind; for an optional slot only where the message clearly says one."""
    if kind == "chunk":
        yield from _chunks(slot, free, required)
        return
    found = _phrase(kind, slot, free, required)
    if not found or (kind == "topic" and all(word in stop_words(free.language) for word in words(found))):
        return
    if kind in _IN_FULL or (kind in ("residue", "topic") and is_words(slot)):
        found, span = in_full(found, free, introduced=kind in _FINDERS)
    else:
        found = re.sub(rf"[\s{GAP}]+", " ", found).strip()
        start = free.text.find(found)
        if start > 0 and found[:1].isupper() and (article := _ITS_ARTICLE.search(free.text[:start])):
            start, found = article.start(1), free.text[article.start(1) : start] + found
        span = (start, start + len(found)) if start >= 0 else None
    if found:
        yield Candidate(found, (span,) if span else (), f"“{shorten(found, 60)}” is {_PHRASES[kind]}")


def _phrase(kind: str, slot: Slot, free: FreeText, required: bool) -> str | None:
    explains, topics = free.context.explains, free.context.topics
    if kind == "topic" and is_words(slot):
        return topic(free.text)
    if kind == "topic":
        found = topic(free.beside("date"))
        return found and without_idle_tail(found, {*topics, *slot.label}, free.language)
    if kind in _FINDERS:
        # "Remind me tomorrow to …": the day has a slot of its own.
        dated = kind == "said" and free.dated
        rest = free.rest if kind in ("called", "tail") else free.text
        return _FINDERS[kind](free.beside("date", "time") if dated else rest)
    if not required:
        return None
    if kind == "request":
        return request_of(free.text)
    if kind != "residue":
        return None
    if explains and (about := asked_about(free.rest, free.language)):
        return about
    # What a tool that explains is about is what people look for there: it stays in the query.
    known = set(slot.label) if explains else {*topics, *slot.label}
    found = residue(free.beside("date"), known, set(free.labels), free.language)
    found = found or (request_of(free.rest) if explains else None)
    # What a slot took from a closed set may be all that there is to look for: "toys".
    return found or residue(free.searchable, known, set(free.labels), free.language)


def _chunks(slot: Slot, free: FreeText, required: bool) -> Iterator[Candidate]:
    """Yield the chunks that may be meant, those first that a word or a preposition gives to the slot."""
    rows = []
    for place, chunk in enumerate(free.chunks):
        beside = chunk.before | chunk.after
        # "the book Dune": the name of the thing that the tool is about
        titled = slot.label & _TITLE and chunk.before & free.context.topics
        named = 3.0 * bool(beside & slot.label or (titled and chunk.text[0].isupper()))
        led = 2.0 * (chunk.lead in slot.leads)
        wrong = slot.direction and direction_said(chunk.lead) not in ("", slot.direction)
        other = not named and chunk.before & (free.labels - slot.label)  # "tags beta" is no name
        # Everyday words name no place, and a bare verb names nothing: "what does it cost to send 2 kg?".
        known = not named + led and (
            (slot.kinds[0] == "place" and all_known(chunk.text, free.language))
            or full_features(chunk.text, free.language) & verb_concepts()
            and " " not in chunk.text
        )
        if not wrong and not other and not known and named + led >= (0 if required else 2):
            why = "stands beside its name" if named else f"follows “{chunk.lead}”" if led else "is left over"
            rows.append((-named - led, place, chunk, why))
    for _, _, chunk, why in sorted(rows, key=lambda row: row[:2]):
        text = chunk.text.removesuffix("'s").removesuffix("’s")
        yield Candidate(text, ((chunk.start, chunk.end),), f"“{chunk.text}” {why}")


def listed_phrase(first: Candidate, free: FreeText) -> Iterator[Candidate]:
    """Yield the members of a phrase that is a list: "eggs", then what follows it, ", rice and tomatoes"."""
    end = first.places[0][1] if first.places else 0
    parts, places = [first.value], list(first.places)
    for chunk in free.chunks if first.places else []:
        if chunk.start >= end and _AND.fullmatch(free.text[end : chunk.start]):
            parts.append(chunk.text)
            places.append((chunk.start, chunk.end))
            end = chunk.end
    members = [bare for part in parts for piece in _CARRY_ON.split(part) if (bare := tidy(piece))]
    for place, member in enumerate(members[:MOST]):
        yield Candidate(member, tuple(places) if place == 0 else (), first.why)


_AND = re.compile(r" *(?:,|,? ?(?:and|y)) *")
_CARRY_ON = re.compile(r"\s*(?:,|;|&|\band\b|\bor\b|\by\b|\be\b|\bo\b|\bu\b)\s*")


# A phrase as it stands in the message -------------------------------------------------------------


def in_full(found: str, free: FreeText, *, introduced: bool) -> tuple[str, Span | None]:
    """Return a phrase as it stands in the message, with the facts that other slots took inside it, and its
    place; without clauses at its ends that say nothing besides what others took ("Priority high."). One that
    nothing introduces begins with the little words before it."""
    pieces = re.findall(rf"[^\s{GAP}]+", found)
    pattern = re.compile(rf"[\s{GAP}]+".join(map(re.escape, pieces)))
    texts = (free.text, free.rest, free.beside("date", "time")) if pieces else ()
    match = next(filter(None, map(pattern.search, texts)), None)
    if match is None:
        return " ".join(pieces), None
    start, end = match.span()
    pieces = re.finditer(r"[^.,;!?]+(?:[.,](?=\S)[^.,;!?]*)*", free.text[start:end])
    clauses = [(start + piece.start(), start + piece.end()) for piece in pieces if piece.group().strip()]
    while len(clauses) > 1 and _said_elsewhere(*clauses[-1], free):
        clauses.pop()
    while len(clauses) > 1 and _said_elsewhere(*clauses[0], free):
        clauses.pop(0)
    start, end = (clauses[0][0], clauses[-1][1]) if clauses else (start, end)
    start, end = (start, end) if introduced else _whole_sentence(start, end, free)
    text = free.text[start:end]
    if free.dated:  # the day has a slot of its own: it is cut out, without a trace
        days = [
            (fact.start - start, fact.end - start)
            for fact in free.clause.entities
            if fact.kind in ("date", "time") and not free.has(fact) and start <= fact.start < fact.end <= end
        ]
        text = re.sub(rf"\s*{GAP}\s*(?:{GAP}\s*)*", " ", _with_gaps(text, days))
    return tidy(text, articles=True) or text.strip(" .,;:!?"), (start, end)


def _whole_sentence(start: int, end: int, free: FreeText) -> Span:
    """Return a phrase with the little words before it in its sentence ("My …"), and then to the sentence's
    end."""
    ahead = re.split(r"[.,;:!?\n]", free.rest[:start])[-1].replace(GAP, " ")
    asked = ASKS_FOR_A_THING.match(ahead)
    little = asked or all(word in stop_words(free.language) for word in words(ahead))
    begin = start - len(free.text[start - len(ahead) : start].lstrip())
    if not little or is_courtesy(ahead) or re.search(r"\d", ahead):
        return start, end
    after = re.match(r"[^.,;:!?\n]*", free.text[end:])
    closed = after and (is_courtesy(after.group()) or GAP in free.searchable[end : end + after.end()])
    return begin, end if closed or not after else end + len(after.group().rstrip())


def _said_elsewhere(start: int, end: int, free: FreeText) -> bool:
    """Return whether a clause only repeats what other slots took, or only asks for the call ("open a
    ticket")."""
    following = re.search(r"[.,;!?\n]", free.text[end:])  # what stands beside it may be cut off already
    end = end + following.start() if following else len(free.text)
    known = free.context.topics if begins_anew(free.text[start:end], free.language) else frozenset()
    if not known and not overlap((start, end), free.taken):
        return False
    left = free.rest[start:end].replace(GAP, " ")
    return all(is_idle(word, {*free.labels, *known}, free.language) for word in left.split())


# Values that the message itself labels ------------------------------------------------------------

# What stands between a label and its value, and before a label that has no colon.
_COLON = re.compile(r"\s*[:=]\s*")
_QUOTE = re.compile(r"(?:\s+(?:is|es))?\s*[\"“«`'‘]([^\"”»`'’]+)[\"”»`'’]")
_WITH = any_case(r"(?:\b(?:with|and|con|y|e)(?:\s+(?:the|a|an|as|el|la|un|una))?|[,:])\s+$")
_TO_END, _TO_LINE = re.compile(r"(?s:.*)"), re.compile(r"[^\n]*")
_TO_QUOTE = re.compile(r"[^\"”»`'’]*")
_TO_COMMA, _TO_STOP = re.compile(r"(?:[^.;,!?\n]|[.,?!](?=\S))*"), re.compile(r"(?:[^.;!?\n]|[.?!](?=\S))*")
_NEXT = re.compile(r"[\s,;.]*(?:\b(?:and|y|e|with|con)\b\s*(?:(?:the|a|an|el|la)\s+)?)?$", re.IGNORECASE)


def labelled(slots: tuple[Slot, ...], free: FreeText) -> dict[str, Candidate]:
    """Return the texts that the message gives to a slot by its name: "subject: Lunch, body: See you at one",
    "with title 'Lunch'", a line for each. A label ends what the label before it gave.

    What a list or an object is to be read from is given as the text, too.
    """
    starts = []
    for token in free.words:
        slot, clear = _named(token, slots)
        if slot is None or overlap((token.start, token.end), free.taken):
            continue
        led = bool(_WITH.search(free.text[max(0, token.start - 20) : token.start]))
        spoken = fold(split_identifier(slot.name))
        end = token.start + len(spoken) if free.folded.startswith(spoken, token.start) else token.end
        if colon := _COLON.match(free.text, end):
            starts.append((token.start, colon.end(), slot, _TO_LINE if led else _TO_END))
        elif (clear == 2 or led) and (quote := _QUOTE.match(free.text, end)):
            starts.append((token.start, quote.start(1), slot, _TO_QUOTE))
        elif clear and led:
            starts.append((token.start, end, slot, _TO_STOP if is_made_of_parts(slot) else _TO_COMMA))
    lines = sum(until is not _TO_COMMA for *_, until in starts) > 1
    found: dict[str, Candidate] = {}
    ends = [*(start for start, *_ in starts[1:]), len(free.text)][: len(starts)]
    for (start, begin, slot, until), end in zip(starts, ends, strict=True):
        stretch = (_TO_LINE if lines and until is _TO_END else until).match(free.text, begin, end)[0]
        text = tidy(_NEXT.sub("", stretch), articles=True)
        takes_it = (slot.type == "string" and "enum" not in slot.schema) or is_made_of_parts(slot)
        if text and takes_it and slot.name not in found:
            why = f"the message labels it “{free.text[start:begin].strip()}”"
            found[slot.name] = Candidate(text, ((start, begin + len(stretch)),), why)
    return found if len(found) > 1 or any(until is not _TO_COMMA for *_, until in starts) else {}


def is_made_of_parts(slot: Slot) -> bool:
    return bool(slot.types & {"array", "object"})


def _named(token: Token, slots: tuple[Slot, ...]) -> tuple[Slot | None, int]:
    """Return the one slot that a word names, and how clearly: 2 by the slot's own name, 1 by a word of the
    same meaning, 0 by one for slots of its kind."""
    said = {feature for feature, weight in token.meanings.items() if weight >= GENERIC}
    own = {feature for feature in said if feature[0] == "="}
    for clear, shared in (
        (2, [len(own & slot.label) for slot in slots]),
        (1, [len(said & slot.label) for slot in slots]),
        (0, [len(said & kin(slot)) for slot in slots]),
    ):
        if most := max(shared, default=0):
            return (slots[shared.index(most)], clear) if shared.count(most) == 1 else (None, 0)
    return None, 0
