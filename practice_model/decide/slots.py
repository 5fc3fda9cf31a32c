"""Slots: the properties of a schema, the facts that may fill each, and the scope they are filled from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import cache, lru_cache
from typing import Any

from ..language.clauses import GAP, is_courtesy, is_idle, tidy
from ..language.entities import Entity, read
from ..language.speech_acts import ASKS_FOR_A_THING, begins_anew
from ..language.text import (
    any_case,
    features,
    fold,
    full_features,
    generic_words,
    split_identifier,
    stop_words,
    words,
)
from .schema_values import JSON, type_of

# Kinds of facts (`Entity.kind`) and of phrases ("topic", "said", "residue" …), with plain words for the slots
# that take them. The words go through the lexicon, so "ciudad", "municipio" or "town" do as well.
_KINDS: list[tuple[tuple[str, ...], str]] = [
    (("email",), "email"),
    (("url", "path"), "url link website"),
    (("phone", "number", "identifier"), "phone phone_number mobile telephone"),
    (("period", "date"), "period timeframe time_range timespan"),
    (("date",), "date day deadline since until birthday"),
    (("time", "date"), "time hour"),
    (("expression",), "expression formula calculation equation arithmetic"),
    (("currency", "code"), "currency"),
    (("language", "name", "chunk"), "language"),
    (("colour", "quoted", "chunk"), "colour color"),
    (("path", "quoted", "chunk"), "path file filename folder directory repository repo"),
    (("path", "ip", "url", "chunk"), "host hostname server domain"),
    (("unit", "chunk"), "unit"),
    (("nationality", "place", "name", "chunk"), "citizenship nationality passport"),
    (("number", "quoted"), "weight height length width depth distance temperature volume age"),
    (("quoted", "code_text", "colon", "residue"), "sql command script"),
    (("path", "place"), "timezone"),
    (("handle", "name", "chunk"), "channel"),
    (
        ("place", "code", "name", "chunk"),
        "city place location country destination origin region town address airport",
    ),
    (
        ("identifier", "number", "code", "quoted"),
        "identifier id code sku number reference invoice order ticket account coupon version",
    ),
    (("code", "identifier", "quoted"), "ticker symbol"),
    (("quoted", "because", "said", "tail"), "reason cause motive"),
    (("quoted", "topic", "residue", "chunk"), "query search keyword topic term question"),
    (("quoted", "called", "topic", "colon", "residue", "chunk"), "title subject"),
    (
        ("quoted", "said", "topic", "residue", "request"),
        "message text body content summary description comment note",
    ),
    (("email", "name", "handle", "phone", "quoted", "chunk"), "recipient addressee contact"),
    (
        ("name", "quoted", "chunk"),
        "person customer name author patient doctor guest attendee",
    ),
]
_HEADS = frozenset("number address code id name value numero direccion codigo nombre".split())
_OF_A_THING = frozenset("id ids identifier uid uuid ref reference identificador referencia".split())
_SPECIFIC = frozenset({"email", "phone", "url", "currency", "language", "date", "time"})
_BY_FORMAT = {
    "email": ("email",),
    "uri": ("url",),
    "date": ("date",),
    "date-time": ("date", "time"),
    "time": ("time",),
    "uuid": ("identifier", "quoted"),
}
_IN_ORDER = ("quoted", "name", "place", "identifier", "called", "topic", "chunk")  # for any other text
# Only these say on their own that a tool is meant; a bare number or a capital letter fits too many slots.
TELLING = frozenset(
    {"email", "url", "phone", "path", "expression", "currency", "place", "identifier", "language", "unit"}
)
_FROM = frozenset(
    "from origin source departure depart start begin since after min lower desde origen salida inicio "
    "desde_fecha".split()
)
_TO = frozenset(
    "to destination target arrival arrive end until till before max upper hasta destino llegada fin".split()
)
# Which preposition leads to a value of which slot.
_LEADS: list[tuple[str, str]] = [
    ("by por de", "artist author writer creator director seller"),
    ("with con using", "ingredient attendee participant person tool item actor"),
    ("for para", "person customer patient guest recipient player purpose product item symptom"),
    ("to a al para into", "recipient destination person channel target unit language user contact"),
    (
        "in at on en",
        "place city room language folder channel category department restaurant shop team branch",
    ),
    ("from de desde", "origin sender company source"),
    ("about on regarding sobre", "topic search subject title"),
    ("called named titled llamado llamada titulado titulada", "name title label user_account list project"),
]
_SAYS_FROM = frozenset("from since after de del desde starting between entre".split())
_SAYS_TO = frozenset("to until till into before a al hasta hacia para in en and y through".split())
_MOMENT = any_case(r"date-?time|timestamp|iso ?8601|yyyy-mm-ddt|date and time|day and time|fecha y hora")


_DATED = any_case(r"\by{2,4}[-/ ]?m{1,2}|\baaaa-mm|\biso\b|iso ?8601|\d{4}-\d\d|\bddmm|dd[/-]mm")


_DATE_FORMAT = any_case(r"\b(?:yyyy|aaaa)[-/ ]?mm|\bdd[-/ ]mm|iso ?8601")
# "Number of nights" is no number of a thing.
_COUNTED = any_case(r"\b(?:number of|how (?:many|much|long)|n[uú]mero de|cantidad de|cu[aá]nt[oa]s?)\b")
# A description that asks for the request itself, whatever the slot is called.
_REQUEST = any_case(
    r"\bwhat (?:the |this )?(?:user|customer|caller|client|guest|patient|they) (?:need|want|ask|sa[iy])"
    r"|\b(?:lo )?qu[eé] (?:el |la )?(?:usuari|client|persona|paciente)\w* (?:necesit|quier|pid|solicit|dice)"
)


@dataclass(frozen=True)
class Slot:
    """One property of a schema, with what its words say."""

    name: str
    schema: Any
    type: str
    description: str
    kinds: tuple[str, ...]
    """The kinds of facts that may fill it, best first."""
    label: frozenset[str]
    """Features of its name: what would stand beside its value in a message."""
    hint: frozenset[str]
    """Features of its description."""
    moment: bool
    """Whether it takes a day together with a time of day."""
    dated: bool
    """Whether it says how a day is to be written: by its format, its pattern or an example."""
    direction: str
    """ "from", "to" or "": which of two places, dates or currencies it takes."""

    def variant(self, option: JSON) -> Slot:
        """Return the slot with one alternative of its schema, under the same description."""
        return slot_of(self.name, {**option, "description": self.description})


LONGEST = 4_000  # characters of a description that are read
MOST_SLOTS = 200  # properties of one object that are filled, the required ones first


def slot_of(name: str, schema: dict[str, Any]) -> Slot:
    """Return the slot that a property of a schema is, by its words."""
    description = str(schema.get("description") or "")[:LONGEST]
    kinds, label, hint, moment, direction = _read_words(name, description, str(schema.get("format", "")))
    return Slot(
        name,
        schema,
        type_of(schema),
        description,
        kinds,
        label,
        hint,
        moment,
        _says_how_dated(schema, description),
        direction,
    )


@lru_cache(maxsize=5_000)  # a large schema is read several times
def _read_words(
    name: str, description: str, format_name: str
) -> tuple[tuple[str, ...], frozenset[str], frozenset[str], bool, str]:
    """Return what the words of a slot say: its kinds, label, hint, moment and direction, as in `Slot`."""
    spoken = split_identifier(name)
    parts = [fold(part) for part in spoken.split()]
    direction = "from" if set(parts) & _FROM else "to" if set(parts) & _TO else ""
    return (
        _kinds(spoken, description, format_name, direction)
        + (("request",) if _REQUEST.search(description) else ()),
        _strongest(features(spoken)),
        # Concepts only: an example in a description ("for instance Oslo") is no name for the slot.
        frozenset(f for f, weight in features(description).items() if weight == 1 and f[0] != "="),
        bool(format_name == "date-time" or _MOMENT.search(f"{spoken} {description}")),
        direction,
    )


def _says_how_dated(schema: dict[str, Any], description: str) -> bool:
    examples = f"{schema.get('examples', '')} {schema.get('pattern', '')}"
    by_format = schema.get("format") in ("date", "date-time", "time")
    return by_format or bool(_DATED.search(f"{description} {examples}")) or "\\d" in examples


def names_a_thing(slot: Slot) -> bool:
    """Return whether it takes the number or code of a thing, not an amount: "order_number", "sku"."""
    return slot.kinds[0] == "identifier" and slot.type != "number"


def happening(description: str) -> frozenset[str]:
    """Return the features of the participles in a description: "orders placed on this day" speaks of
    placing."""
    found = re.findall(r"\b\w+(?:ed|en|[ai]d[oa]s?)\b", fold(description))
    return frozenset(f for word in found for f in full_features(word))


def is_free_text(name: str, schema: Any) -> bool:
    """Return whether it takes sentences of the user's own: a summary, a reason, the text of a message."""
    slot = slot_of(name, schema if isinstance(schema, dict) else {})
    return slot.type == "string" and "enum" not in slot.schema and is_words(slot)


def is_words(slot: Slot) -> bool:
    """Return whether its kinds are those of words that are passed on as they stand."""
    return bool({"said", "because"} & set(slot.kinds))


def is_topical(slot: Slot) -> bool:
    """Return whether a text slot takes what something is about: "keyword", "query"."""
    takes_text = slot.type in ("string", "") and "enum" not in slot.schema
    return takes_text and "topic" in slot.kinds and not is_words(slot)


def _strongest(label: dict[str, float]) -> frozenset[str]:
    """Return the features that the words name fully; where there are none, the clearest."""
    most = min(1.0, max(label.values(), default=0.0))
    return frozenset(f for f, weight in label.items() if weight >= most)


@lru_cache(maxsize=2_000)
def _leads(label: frozenset[str]) -> frozenset[str]:
    return frozenset(
        lead for leads, examples in _LEADS if label & _features_of(examples) for lead in leads.split()
    )


def leads_of(slot: Slot) -> frozenset[str]:
    """Return the prepositions that lead to its value: "by" to an artist, "with" to an ingredient."""
    said = {"from": _SAYS_FROM, "to": _SAYS_TO, "": frozenset()}[slot.direction]
    return _leads(slot.label) | said


def direction_said(before: str) -> str:
    """ "from" or "to" where the word right before a fact says so: "from Oslo", "hasta el 5"."""
    last = fold(before).split()[-1:] or [""]
    return "from" if last[0] in _SAYS_FROM else "to" if last[0] in _SAYS_TO else ""


def _kinds(spoken: str, description: str, format_name: str, direction: str) -> tuple[str, ...]:
    if format_name in _BY_FORMAT:
        return _BY_FORMAT[format_name]
    found = _named_kinds(spoken)
    if found is None and _COUNTED.search(description):
        return ("number",)
    if found is None:
        # A name that says nothing ("q", "x", "value"): the description's first sentence does.
        found = _named_kinds(description.split(".")[0])
    if _DATE_FORMAT.search(description) and not {"date", "time"} & set(found or ()):
        return ("date",)  # whatever its name speaks of: "when the order was placed, YYYY-MM-DD"
    return found or (("place", "date", "currency", "number", "name", "chunk") if direction else _IN_ORDER)


def _named_kinds(text: str) -> tuple[str, ...] | None:
    """Return the kinds that the *last* telling word asks for: in English the head comes last (order_date is a
    date).

    A head that says little ("number", "address", "code") leaves it to the word before it: phone_number,
    email_address.
    """
    parts = [part for part in text.split() if len(part) > 1]
    if parts and fold(parts[-1]) in _OF_A_THING:
        return _kinds_of("identifier")
    if len(parts) > 1 and fold(parts[-1]) in _HEADS:
        for part in parts[:-1]:
            if (found := _kinds_of(part)) and found[0] in _SPECIFIC:
                return found
    for part in reversed(parts):
        if found := _kinds_of(part):
            return found
    return None


@lru_cache(maxsize=2_000)
def _kinds_of(word: str) -> tuple[str, ...] | None:
    """Return the kinds that one word asks for: those whose examples it names most clearly."""
    if fold(word) in generic_words("en") and fold(word) not in _kind_words():
        return None
    said = features(word)
    most = max(said.values(), default=1.0)
    rows = [
        (
            max((said.get(f, 0.0) for f in _features_of(examples)), default=0.0) / most
            + (fold(word) in examples.split()),
            kinds,
        )
        for kinds, examples in _KINDS
    ]
    best = max(rows, key=lambda row: row[0])
    return best[1] if best[0] > 0.5 else None


def kin(slot: Slot) -> frozenset[str]:
    """Return the features of all names that such a slot may have: of "city" also location, place, country."""
    return _kin(slot.kinds)


@lru_cache(maxsize=200)
def _kin(kinds: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        feature for known, examples in _KINDS if known == kinds for feature in _features_of(examples)
    )


@cache
def _features_of(examples: str) -> frozenset[str]:
    # The exact concept of each word: related ones (weight one half) would make "umbrella" ask for a date.
    return frozenset(
        f for word in examples.split() for f, weight in features(word, "en").items() if weight in (0.25, 1)
    )


@cache
def _kind_words() -> frozenset[str]:
    return frozenset(word for _, examples in _KINDS for word in examples.split())


def overlap(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    """Return whether one place in a text has letters of any of the others."""
    return any(start < span[1] and span[0] < end for start, end in others)


@dataclass
class Scope:
    """What a call may be filled from: one clause of the message, and what is known besides."""

    text: str
    language: str
    today: date
    known: JSON = field(default_factory=dict)
    """Fields of earlier tool results, by name: what one tool found is another one's argument."""
    earlier: tuple[str, ...] = ()
    """What the user said before, latest first; only unmistakable facts are taken from there."""
    topics: frozenset[str] = frozenset()
    """Features that only name the tool; they are not part of a free-text argument."""
    force: bool = False
    """Fill every required slot, with a guess where the message says nothing."""
    explains: bool = False
    """Whether texts about how something works are searched: by what the message asks about."""
    whole: str = ""
    """The whole message, for facts that stand in another clause ("for order 7: cancel it")."""

    carried: JSON = field(default_factory=dict)
    """The arguments of the latest call, where the message points back to it ("make it …", "there")."""

    def __post_init__(self) -> None:
        self.entities = read(self.text, self.today, self.language)
        self.used: list[tuple[int, int]] = []
        self.nested = 0  # objects inside others that were filled
        self.soft: list[tuple[int, int]] = []
        self.places: dict[str, tuple[tuple[int, int], ...]] = {}
        """Slot -> where the text says its value."""
        self.labels: set[str] = set()
        """Features of the names of all slots."""
        self.events: set[str] = set()
        """Features of the words by which the descriptions of dates say what happened then: "placed on …"."""
        self.dated = False
        """Whether a slot takes a date or a time."""
        self.numbers: dict[str, list[Entity]] = {}
        """Slot -> the numbers that are meant for it, best first."""

    def free(self, entity: Entity) -> bool:
        """Return whether no slot took this fact, or a part of it."""
        return not overlap((entity.start, entity.end), self.used)

    def use(self, spans: tuple[tuple[int, int], ...], *, soft: bool = False) -> None:
        """Note what a slot took; `soft` where the same words may still be searched for ("toys in blue")."""
        self.used += spans
        self.soft += spans if soft else ()

    @property
    def rest(self) -> str:
        """The text, with gaps where slots took something."""
        return self._without(self.used)

    @property
    def searchable(self) -> str:
        """The text, with gaps where slots took what no search needs."""
        return self._without([span for span in self.used if span not in self.soft])

    def _without(self, spans: list[tuple[int, int]]) -> str:
        letters = list(self.text)
        for start, end in spans:
            letters[start:end] = GAP * (end - start)
        return "".join(letters)


# A phrase as it stands in the message -------------------------------------------------------------


def in_full(found: str, scope: Scope) -> tuple[str, tuple[int, int] | None]:
    """Return a phrase as it stands in the message, with the facts that other slots took inside it, and its
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
    if scope.dated:  # the day has a slot of its own: it is cut out, without a trace
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
    """Return a phrase with the little words before it in its sentence ("My …"), and then to the sentence's
    end."""
    ahead = re.split(r"[.,;:!?\n]", scope.rest[:start])[-1].replace(GAP, " ")
    asked = ASKS_FOR_A_THING.match(ahead)
    little = asked or all(word in stop_words(scope.language) for word in words(ahead))
    begin = start - len(scope.text[start - len(ahead) : start].lstrip())
    if not little or is_courtesy(ahead) or re.search(r"\d", ahead):
        return start, end
    tail = re.match(r"[^.,;:!?\n]*", scope.text[end:])
    closed = tail and (is_courtesy(tail.group()) or GAP in scope.searchable[end : end + tail.end()])
    return begin, end if closed or not tail else end + len(tail.group().rstrip())


def _told_elsewhere(start: int, end: int, scope: Scope) -> bool:
    """Return whether a clause only repeats what other slots took, or only asks for the call ("open a
    ticket")."""
    following = re.search(r"[.,;!?\n]", scope.text[end:])  # what stands beside it may be cut off already
    end = end + following.start() if following else len(scope.text)
    known = scope.topics if begins_anew(scope.text[start:end], scope.language) else frozenset()
    if not known and not overlap((start, end), scope.used):
        return False
    left = scope.rest[start:end].replace(GAP, " ")
    return all(is_idle(word, {*scope.labels, *known}, scope.language) for word in left.split())


def without(scope: Scope, *kinds: str) -> str:
    """Return what is left of the text, without the facts of these kinds, which no phrase includes."""
    text = scope.rest
    for entity in scope.entities:
        if entity.kind in kinds:
            text = text[: entity.start] + GAP * (entity.end - entity.start) + text[entity.end :]
    return text
