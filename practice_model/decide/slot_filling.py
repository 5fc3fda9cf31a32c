"""Arguments from a message, by the tool's JSON Schema.

`fill` takes each property of the schema, looks in the message for a fact of the kind that its name, format
and description ask for, and leaves out what nobody said. A required slot without a fact is reported as
missing: the default mode asks for it. Where the caller forces a call, a guess fills it instead.

What one slot took is used up: the others see a gap there. So those with unmistakable facts choose first
(an e-mail, a date, a number with its unit, a value of an enum), and free text takes what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..facts.schemas import is_number
from ..language.clauses import (
    GAP,
    Chunk,
    after_colon,
    all_known,
    because,
    called,
    chunks,
    code,
    request_of,
    residue,
    said,
    tail,
    tidy,
    topic,
    without_idle_tail,
)
from ..language.entities import Entity, read
from ..language.text import (
    GENERIC,
    Token,
    any_case,
    features_of_each,
    fold,
    full_features,
    stem,
    stop_words,
    tokens,
    verb_concepts,
    words,
)
from .choices import choose
from .questions import asked_about
from .schema_values import JSON, fits, guess, members, resolve, variants
from .slot_values import (
    closeness,
    convert,
    counts_nothing,
    given_to_another,
    measure_of,
    nearest_numbers,
    step_of,
)
from .slots import (
    MOST_SLOTS,
    TELLING,
    Scope,
    Slot,
    direction_said,
    happening,
    in_full,
    is_words,
    kin,
    leads_of,
    names_a_thing,
    overlap,
    slot_of,
    without,
)
from .wording import spoken

MISSING = object()
_TITLE = features_of_each("title") - features_of_each("subject")
_OF_IT = any_case(r"\b(?:its|their|his|her|this|that|sus?|es[ea]|est[ea])\s+([^\W\d_]+)")
LONGEST_FACT = 200  # characters of a result's field that may be a fact by itself
DEEPEST, MOST_NESTED = 8, 100  # levels of nested objects that are filled, and such objects in all


@dataclass(frozen=True)
class Filled:
    """The outcome of filling one schema."""

    arguments: JSON
    missing: tuple[Slot, ...]
    sources: dict[str, str]
    """Property -> where its value is from: "message", "whole", "earlier", "results", "schema" or "guess"."""
    alone: bool = False
    """Whether the message says nothing besides what filled it."""
    used: tuple[tuple[int, int], ...] = ()
    """The places of the text that filled it."""
    words: dict[str, str] = field(default_factory=dict)
    """Property -> the words of the message that gave its value."""


def fill(schema: JSON, scope: Scope) -> Filled:
    """Fill an object schema from a scope; what filled one slot is not used for another."""
    arguments, missing, sources = fill_object(resolve(schema, schema), schema, scope)
    idle = {*scope.topics, *scope.labels}
    alone = not chunks(scope.rest, [], idle, scope.language)
    words = {name: _written(spans, scope.text) for name, spans in scope.places.items() if name in arguments}
    return Filled(arguments, tuple(missing), sources, alone, tuple(scope.used), words)


def _written(spans: tuple[tuple[int, int], ...], text: str) -> str:
    return " … ".join(text[start:end].strip() for start, end in sorted(set(spans)))


def fill_object(
    schema: JSON, root: JSON, scope: Scope, depth: int = 0
) -> tuple[JSON, list[Slot], dict[str, str]]:
    """Return the members that can be filled, the required ones that cannot, and where each value is from."""
    properties = members(schema)
    required = {name for name in schema.get("required") or [] if isinstance(name, str)}
    names = [*properties, *sorted(required - properties.keys())]
    unread: list[str] = []
    if len(names) > MOST_SLOTS:
        names.sort(key=lambda name: name not in required)
        names, unread = names[:MOST_SLOTS], [name for name in names[MOST_SLOTS:] if name in required]
    slots = [slot_of(name, resolve(properties.get(name, {}), root)) for name in names]
    scope.labels |= {feature for slot in slots for feature in slot.label}
    scope.events |= {f for slot in slots if slot.kinds[0] == "date" for f in happening(slot.description)}
    scope.dated |= any(slot.kinds[0] in ("date", "time") for slot in slots)
    given = _labelled(slots, scope)
    for candidate in given.values():
        scope.use(candidate.spans)
    scope.numbers |= nearest_numbers(slots, required, root, scope)
    found: JSON = {}
    sources: dict[str, str] = {}
    missing = []
    order = sorted(
        slots,
        key=lambda slot: (
            _turn(slot, root, scope),
            slot.name not in required,
            "topic" not in slot.label,  # what something is about is rather no title
        ),
    )
    for slot in order:
        if slot.name in given and fits(given[slot.name].value, slot.schema, root):
            value, source = given[slot.name].value, "message"
            scope.places.setdefault(slot.name, given[slot.name].spans)
        else:
            value, source = _value(slot, root, scope, slot.name in required, depth)
        if value is not MISSING:
            found[slot.name], sources[slot.name] = value, source
        elif slot.name in required:
            missing.append(slot)
    filled = {slot.name: found[slot.name] for slot in slots if slot.name in found}
    if unread and scope.force:
        filled |= {name: guess(properties.get(name, {}), root, scope.text) for name in unread}
    elif unread:
        missing.append(slot_of(unread[0], resolve(properties.get(unread[0], {}), root)))
    return filled, missing, sources


def _turn(slot: Slot, root: JSON, scope: Scope) -> int:
    """Return the rank of a slot's choice: 0 for unmistakable facts, later for slots that take what is
    left."""
    kinds = {kind for option in variants(slot.schema, root) for kind in [option.get("type", "string")]}
    if "enum" in slot.schema or "const" in slot.schema or kinds & {"integer", "number"}:
        return 1
    if kinds & {"boolean"}:
        return 2
    if slot.kinds[:1] and slot.kinds[0] in (
        "email",
        "url",
        "date",
        "time",
        "phone",
        "expression",
        "currency",
        "language",
        "colour",
    ):
        return 0
    if "because" in slot.kinds or ("called" in slot.kinds[:2] and called(scope.text)):
        return 3
    if kinds & {"array", "object"}:
        return 5
    if "residue" in slot.kinds:
        return 6
    if slot.kinds[0] == "place":
        return 2
    return 4


def _value(slot: Slot, root: JSON, scope: Scope, required: bool, depth: int) -> tuple[Any, str]:
    """Return the value of one slot, and where it is from."""
    if "const" in slot.schema:
        return (slot.schema["const"], "schema") if required else (MISSING, "")
    options = variants(slot.schema, root)
    for option in options:
        candidate = slot.variant(option)
        for found in _candidates(candidate, root, scope, required, depth):
            if fits(found.value, slot.schema, root):
                scope.use(found.spans, soft="enum" in option)
                scope.places.setdefault(slot.name, found.spans)
                return found.value, "message"
    if slot.name in scope.carried and fits(scope.carried[slot.name], slot.schema, root):
        return scope.carried[slot.name], "earlier"
    if not required:
        return MISSING, ""
    for source, value in _from_elsewhere(slot, scope):
        if fits(value, slot.schema, root):
            return value, source
    if fits(None, slot.schema, root) and slot.schema:
        return None, "schema"  # nobody said it, and null is how the schema says "not said"
    if scope.force:
        return guess(slot.schema, root, scope.text or scope.whole), "guess"
    return MISSING, ""


def _candidates(slot: Slot, root: JSON, scope: Scope, required: bool, depth: int) -> Iterator[Candidate]:
    if slot.type == "object" and _goes_deeper(scope, depth):
        before = list(scope.used)
        members, missing, sources = fill_object(slot.schema, root, scope, depth + 1)
        said = any(source == "message" for source in sources.values())
        if not missing and (said or required):
            yield Candidate(members)
        else:
            scope.used = before
    elif slot.type == "array":
        yield from _lists(slot, root, scope, required, depth)
    else:
        yield from from_message(slot, scope, required)


def _goes_deeper(scope: Scope, depth: int) -> bool:
    """Return whether one more object inside another is filled: references may lead to any number of them."""
    scope.nested += 1
    return depth < DEEPEST and scope.nested <= MOST_NESTED


def _lists(slot: Slot, root: JSON, scope: Scope, required: bool, depth: int) -> Iterator[Candidate]:
    """Yield the lists that a message may mean; of objects a list of the one that it describes."""
    items = resolve(slot.schema.get("items", {}), root)
    if isinstance(prefix := slot.schema.get("prefixItems"), list) and prefix:
        items = resolve(prefix[0], root)
    for option in variants(items, root) or [{}]:
        each = slot.variant(option)
        if each.type == "object" and _goes_deeper(scope, depth):
            members, missing, sources = fill_object(each.schema, root, scope, depth + 1)
            if members and not missing and "message" in sources.values():
                yield Candidate([members])
        elif each.type != "array":
            scope.numbers |= nearest_numbers([each], {each.name} if required else set(), root, scope)
            values, spans = [], []
            for found in from_message(each, scope, required, several=True):
                if fits(found.value, items, root) and found.value not in values:
                    values.append(found.value)
                    spans += found.spans
            if values:
                yield Candidate(values, tuple(spans))


def _from_elsewhere(slot: Slot, scope: Scope) -> Iterator[tuple[str, Any]]:
    """For a required slot that the clause leaves open: results, the rest of the message, earlier messages."""
    yield from (("results", value) for value in _from_results(slot, scope))
    for source, texts in (("whole", (scope.whole,)), ("earlier", scope.earlier)):
        for text in texts:
            if text and text != scope.text:
                here = text.find(scope.text)
                for entity in sorted(
                    read(text, scope.today, scope.language), key=lambda one: _distance(one, here)
                ):
                    if _unmistakable(slot, entity):
                        yield source, convert(slot, entity)


def _distance(entity: Entity, here: int) -> tuple[bool, int]:
    """Return how far a fact is from a clause: what stands before it is nearer than what comes after it."""
    return entity.start > here, abs(entity.start - here) if here >= 0 else entity.start


def _unmistakable(slot: Slot, entity: Entity) -> bool:
    """Return whether a fact from elsewhere is meant: by its kind, or by the unit in the slot's name ("2.5
    kg")."""
    if entity.kind == "number":
        return bool(measure_of(entity)) and closeness(slot, entity) >= 1
    return entity.kind in slot.kinds and entity.kind in TELLING | {"date"} and suits(slot, entity)


def _from_results(slot: Slot, scope: Scope) -> Iterator[Any]:
    """Fields of earlier results: with the slot's name, with the words of its name, of its telling kind,
    or those that the message names ("the VAT on its total")."""
    known = scope.known
    if slot.name in known:
        yield known[slot.name]
    for name, value in known.items():
        label = slot_of(name, {}).label
        if label and slot.label and (label <= slot.label or slot.label <= label):
            yield value
    for value in (value for value in known.values() if len(str(value)) <= LONGEST_FACT):
        facts = read(str(value), scope.today, scope.language)
        if len(facts) == 1 and facts[0].kind in TELLING & set(slot.kinds[:1]) and facts[0].value == value:
            yield value
    for match in _OF_IT.finditer(scope.text):
        said = full_features(match[1], scope.language)
        for name, value in known.items():
            if slot_of(spoken(name, "en"), {}).label & said:
                yield value


# Values that the message itself labels ------------------------------------------------------------

# What stands between a label and its value, and before a label that has no colon.
_COLON = re.compile(r"\s*[:=]\s*")
_QUOTE = re.compile(r"(?:\s+(?:is|es))?\s*[\"“«`'‘]([^\"”»`'’]+)[\"”»`'’]")
_WITH = any_case(r"(?:\b(?:with|and|con|y|e)(?:\s+(?:the|a|an|as|el|la|un|una))?|,)\s+$")
_TO_END, _TO_LINE = re.compile(r"(?s:.*)"), re.compile(r"[^\n]*")
_TO_QUOTE, _TO_COMMA = re.compile(r"[^\"”»`'’]*"), re.compile(r"[^.;,!?\n]*")
_NEXT = re.compile(r"[\s,;.]*(?:\b(?:and|y|e|with|con)\b\s*(?:(?:the|a|an|el|la)\s+)?)?$", re.IGNORECASE)


def _labelled(slots: list[Slot], scope: Scope) -> dict[str, Candidate]:
    """Return the texts that the message gives to a slot by its name: "subject: Lunch, body: See you at one",
    "with title 'Lunch'", a line for each. A label ends what the label before it gave."""
    starts = []
    for token in tokens(scope.text, scope.language, keep_all=True):
        slot, clear = _named(token, slots)
        if slot is None or overlap((token.start, token.end), scope.used):
            continue
        led = bool(_WITH.search(scope.text[max(0, token.start - 20) : token.start]))
        if colon := _COLON.match(scope.text, token.end):
            starts.append((token.start, colon.end(), slot, _TO_LINE if led else _TO_END))
        elif (clear == 2 or led) and (quote := _QUOTE.match(scope.text, token.end)):
            starts.append((token.start, quote.start(1), slot, _TO_QUOTE))
        elif clear and led:
            starts.append((token.start, token.end, slot, _TO_COMMA))
    lines = sum(until is not _TO_COMMA for *_, until in starts) > 1
    found: dict[str, Candidate] = {}
    ends = [*(start for start, *_ in starts[1:]), len(scope.text)][: len(starts)]
    for (start, begin, slot, until), end in zip(starts, ends, strict=True):
        stretch = (_TO_LINE if lines and until is _TO_END else until).match(scope.text, begin, end)[0]
        text = tidy(_NEXT.sub("", stretch), articles=True)
        if text and slot.type == "string" and slot.name not in found and "enum" not in slot.schema:
            found[slot.name] = Candidate(text, ((start, begin + len(stretch)),))
    return found if len(found) > 1 or any(until is not _TO_COMMA for *_, until in starts) else {}


def _named(token: Token, slots: list[Slot]) -> tuple[Slot | None, int]:
    """Return the one slot that a word names, and how clearly: 2 by the slot's own name, 1 by a word of the
    same meaning, 0 by one for slots of its kind."""
    said = {feature for feature, weight in token.meanings.items() if weight >= GENERIC}
    own = [slot for slot in slots if {f for f in said if f[0] == "="} & slot.label]
    alike = [slot for slot in slots if said & slot.label]
    for clear, found in ((2, own), (1, alike), (0, [slot for slot in slots if said & kin(slot)])):
        if found:
            return (found[0], clear) if len(found) == 1 else (None, 0)
    return None, 0


# Facts and phrases --------------------------------------------------------------------------------

_CARRY_ON = re.compile(r"\s*(?:,|;|&|\band\b|\bor\b|\by\b|\be\b|\bo\b|\bu\b)\s*")
_FINDERS = {
    "said": said,
    "because": because,
    "called": called,
    "colon": after_colon,
    "tail": tail,
    "code_text": code,
}
_VAGUE = frozenset({"number", "name", "code", "identifier", "path", "handle"})
MOST = 100  # members of a list


@dataclass(frozen=True)
class Candidate:
    """A value, and the places in the message that it takes up."""

    value: Any
    spans: tuple[tuple[int, int], ...] = ()


def from_message(slot: Slot, scope: Scope, required: bool, *, several: bool = False) -> Iterator[Candidate]:
    """Candidates for a slot that is no object and no list; with `several`, the members of a list."""
    if "enum" in slot.schema or slot.type == "boolean":
        for value, spans in choose(slot, scope, required, several):
            yield Candidate(value, spans)
    elif slot.type in ("integer", "number"):
        for entity in scope.numbers.get(slot.name, []):
            if entity.kind == "span":  # its days are used beside it
                yield Candidate(convert(slot, entity))
            elif step := step_of(entity):
                base = _base(slot, scope)
                if base is not None:
                    yield Candidate(
                        round(base + step * convert(slot, entity), 10), _with_words(slot, entity, scope)
                    )
            elif scope.free(entity):
                yield Candidate(convert(slot, entity), _with_words(slot, entity, scope))
    elif several:
        yield from _members(slot, scope, required)
    else:
        yield from _texts(slot, scope, required)


def _base(slot: Slot, scope: Scope) -> int | float | None:
    """Return the number that a step up or down starts from: of the same name, or the only one known."""
    known = {name: value for name, value in (scope.known | scope.carried).items() if is_number(value)}
    if slot.name in known:
        return known[slot.name]
    alike = [value for name, value in known.items() if slot_of(name, {}).label & slot.label]
    found = alike or list(known.values())
    return found[0] if len(found) == 1 else None


def _with_words(slot: Slot, entity: Entity, scope: Scope) -> tuple[tuple[int, int], ...]:
    """Return the place of a number with the words that belong to it: "under 80 euros", "for 4 people"."""
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
        after = None  # the unit is a slot of its own
    end = entity.end
    if after and (closeness(slot, entity) >= 1 or not after.group().strip(" -").isalpha()):
        word = fold(after.group().strip(" -"))
        if word not in stop_words(scope.language):
            end += after.end()
    return ((start, end),)


def _texts(slot: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """Yield text for a slot: for each of its kinds, the facts of that kind, then the phrase of that kind."""
    for kind in slot.kinds:
        for entity in _facts(kind, slot, scope, required):
            yield Candidate(convert(slot, entity, _clock(slot, entity, scope)), _spans(slot, entity, scope))
        yield from _phrases(kind, slot, scope, required)


def _facts(kind: str, slot: Slot, scope: Scope, required: bool) -> list[Entity]:
    """Return the free facts of a kind, in order of how well the words beside them name the slot."""
    looked_for = "date" if kind == "period" else kind
    free = [entity for entity in scope.entities if entity.kind == looked_for and scope.free(entity)]
    free = [entity for entity in free if not given_to_another(slot, entity, scope.text)]
    if kind == "number" and names_a_thing(slot):
        free = [entity for entity in free if counts_nothing(entity, scope.entities)]
    if kind == "code" and "place" in slot.kinds:
        free = [entity for entity in free if len(entity.value) == 2]
    if slot.direction:  # "to Paris" is no origin
        opposite = {"from": "to", "to": "from"}[slot.direction]
        free = [entity for entity in free if direction_said(entity.before) != opposite]
    free = [entity for entity in free if suits(slot, entity)]
    if kind == "unit":
        free = [entity for entity in _units(scope) if scope.free(entity)]
        if slot.direction and any(unit.before[-1:].isdigit() for unit in free):  # it is converted from there
            free = [unit for unit in free if unit.before[-1:].isdigit() == (slot.direction == "from")]
    vague = kind in _VAGUE or (kind == "quoted" and not {"topic", "said", "called"} & set(slot.kinds))
    rows = [(_nearness(slot, entity), -place, entity) for place, entity in enumerate(free)]
    rows.sort(key=lambda row: row[:2], reverse=True)
    least = 1 if vague and not required else 0
    if kind == "number" and slot.kinds[0] != "identifier":
        least = 1
    return [entity for near, _, entity in rows if near >= least]


def suits(slot: Slot, entity: Entity) -> bool:
    """Return whether a fact of the right kind can be meant: a week is no day."""
    if entity.kind != "date" or slot.kinds[0] == "period" or slot.direction:
        return True
    return entity.value[0] == entity.value[1]


def _units(scope: Scope) -> list[Entity]:
    """Return the units in a message: the word right after each number ("3 cups"), and the names of units."""
    found = []
    for number in scope.entities:
        if number.kind == "number" and number.after and number.after[0].isalpha():
            word = number.after.split()[0]
            start = scope.text.index(word, number.end)
            found.append(Entity("unit", word, start, start + len(word), number.written))
    known = {unit.start for unit in found}
    found += [entity for entity in scope.entities if entity.kind == "unit" and entity.start not in known]
    return found


def _nearness(slot: Slot, entity: Entity) -> float:
    last = fold(entity.before).split()[-1:] or [""]
    lead = 1.0 if last[0] in leads_of(slot) else 0.0
    if (
        entity.kind == "currency" and slot.direction
    ):  # "how many euros are 50 pounds": the amount is in pounds
        lead += 1.0 if entity.amount == (slot.direction == "from") else -1.0
    if entity.kind == "name" and any(
        len(word) > 3 and fold(slot.name).startswith(stem(word, "en")) for word in fold(entity.after).split()
    ):
        lead += 1.0  # "did Laura send": she is the sender
    stated = 0.5 if slot.direction and direction_said(entity.before) == slot.direction else 0.0
    return max(closeness(slot, entity), 0) + lead + stated


def _clock(slot: Slot, entity: Entity, scope: Scope) -> str:
    """Return the time of day that goes with a date, where the slot takes both."""
    if entity.kind != "date" or not slot.moment:
        return ""
    times = [other for other in scope.entities if other.kind == "time" and scope.free(other)]
    return min(times, key=lambda other: abs(other.start - entity.start)).value if times else ""


def _spans(slot: Slot, entity: Entity, scope: Scope) -> tuple[tuple[int, int], ...]:
    spans = [(entity.start, entity.end)]
    if clock := _clock(slot, entity, scope):
        spans += [(e.start, e.end) for e in scope.entities if e.kind == "time" and e.value == clock]
    return tuple(spans)


def _phrases(kind: str, slot: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """Yield the phrases of one kind; for an optional slot only where the message clearly says one."""
    rest = scope.rest
    found: str | None = None
    if kind == "topic" and is_words(slot):  # to be read by a person: nothing is cut out of it
        found = topic(scope.text)
    elif kind == "topic":
        found = topic(without(scope, "date"))
        found = found and without_idle_tail(found, {*scope.topics, *slot.label}, scope.language)
    elif kind in _FINDERS:
        dated = kind == "said" and scope.dated  # "remind me tomorrow to …": the day has a slot of its own
        found = _FINDERS[kind](
            without(scope, "date", "time") if dated else rest if kind in ("called", "tail") else scope.text
        )
    elif kind == "chunk":
        yield from _chunks(slot, scope, required)
    elif required and kind == "request":
        found = request_of(scope.text)
    elif required and kind == "residue" and scope.explains and (about := asked_about(rest, scope.language)):
        found = about
    elif required and kind == "residue":
        # What a tool that explains is about is what people look for there: it stays in the query.
        known = set(slot.label) if scope.explains else {*scope.topics, *slot.label}
        found = residue(without(scope, "date"), known, scope.labels, scope.language)
        found = found or (request_of(rest) if scope.explains else None)
        # What a slot took from a closed set may be all that there is to look for: "toys".
        found = found or residue(scope.searchable, known, scope.labels, scope.language)
    if not found or (kind == "topic" and all(word in stop_words(scope.language) for word in words(found))):
        return
    if (
        kind not in ("said", "request", "colon", "because", "tail", "residue", "topic")
        or kind in ("residue", "topic")
        and not is_words(slot)
    ):
        found, span = re.sub(rf"[\s{GAP}]+", " ", found).strip(), None
    else:
        found, span = in_full(found, scope)
    if found:
        start = scope.text.find(found) if span is None else span[0]
        yield Candidate(found, (span or (start, start + len(found)),) if start >= 0 else ())


def _chunks(slot: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """Yield the chunks that may be meant, those first that a word or a preposition gives to the slot."""
    rows = []
    for place, chunk in enumerate(_all_chunks(scope)):
        beside = chunk.before | chunk.after
        # "the book Dune": the name of the thing that the tool is about
        titled = slot.label & _TITLE and chunk.before & scope.topics
        named = 3.0 * bool(beside & slot.label or (titled and chunk.text[0].isupper()))
        led = 2.0 * (chunk.lead in leads_of(slot))
        wrong = slot.direction and direction_said(chunk.lead) not in ("", slot.direction)
        other = not named and chunk.before & (scope.labels - slot.label)  # "tags beta" is no name
        # Everyday words name no place, and a bare verb names nothing: "what does it cost to send 2 kg?".
        known = not named + led and (
            (slot.kinds[0] == "place" and all_known(chunk.text, scope.language))
            or full_features(chunk.text, scope.language) & verb_concepts()
            and " " not in chunk.text
        )
        if not wrong and not other and not known and named + led >= (0 if required else 2):
            rows.append((-named - led, place, chunk))
    for _, _, chunk in sorted(rows, key=lambda row: row[:2]):
        yield Candidate(chunk.text.removesuffix("'s").removesuffix("’s"), ((chunk.start, chunk.end),))


def _all_chunks(scope: Scope) -> list[Chunk]:
    closed = [
        (e.start, e.end)
        for e in scope.entities
        if e.kind in ("name", "place", "path", "quoted", "identifier")
    ]
    return chunks(without(scope, "date", "time"), closed, {*scope.topics, *scope.labels}, scope.language)


def _members(slot: Slot, scope: Scope, required: bool) -> Iterator[Candidate]:
    """Yield the members of a list of texts: all facts of its kind, else a phrase cut at its commas and
    "and"."""
    for kind in slot.kinds:
        facts = _facts(kind, slot, scope, required)
        if facts and kind not in ("residue", "topic", "said"):
            yield from (Candidate(convert(slot, fact), ((fact.start, fact.end),)) for fact in facts[:MOST])
            return
        listed = [found for found in _phrases(kind, slot, scope, required)][:1]
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
    members = [bare for part in parts for piece in _CARRY_ON.split(part) if (bare := tidy(piece))]
    for place, member in enumerate(members[:MOST]):
        yield Candidate(member, tuple(spans) if place == 0 else ())
