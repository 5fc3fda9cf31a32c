"""Slots: the properties of a schema, each read once: what it takes, what it is called and in which unit."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any

from ..facts.schemas import is_number
from ..language.numbers import unit_of
from ..language.text import (
    any_case,
    features,
    features_of_each,
    fold,
    fold_once,
    full_features,
    generic_words,
    phrases,
    read_rows,
    split_identifier,
    tokens,
    word_group,
)
from .schema_values import JSON, fits, listed, members, resolve, type_of, variants

# Kinds of facts (`Entity.kind`) and of phrases ("topic", "said", "residue" …), with plain words for the slots
# that take them.
_KINDS = [(tuple(kinds.split()), names) for kinds, names in read_rows("slots.txt", "kinds")]
_LEADS = read_rows("slots.txt", "leads")
_OPPOSITES = read_rows("slots.txt", "opposites")
_HEADS, _OF_A_THING = (frozenset(word_group(name).split()) for name in ("heads", "of a thing"))
_FROM, _TO = (frozenset(word_group(name).split()) for name in ("from", "to"))
_SAYS_FROM, _SAYS_TO = (frozenset(word_group(f"says {name}").split()) for name in ("from", "to"))
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
LONGEST, LONGEST_NAME = 4_000, 200  # characters of a description, and of a name, that are read
MOST_SLOTS = 200  # properties of one object that are filled, the required ones first
_DATE_FORMAT = any_case(r"\b(?:yyyy|aaaa)[-/ ]?mm|\bdd[-/ ]mm|iso ?8601")
_MOMENT, _DATED, _RATIO = (any_case(phrases(n)) for n in ("date and time", "form of a date", "a fraction"))
# "Number of nights" is no number of a thing; and a description may ask for the request, whatever the name is.
_COUNTED, _REQUEST, _REGION, _CODE, _COUNTRY_CODE = (
    any_case(rf"\b{phrases(name)}\b")
    for name in ("a number of", "the request itself", "regions", "a code", "a country code")
)
_ARTICLES = frozenset(word_group("articles").split())
_RATE = any_case(r"\b(?:per|a|al|por|each)\s+\w+")  # "percent per year" is no number of years
_ORDINALS = frozenset("second segundo".split())


@dataclass(frozen=True)
class Slot:
    """One property of a schema, with what its words say."""

    name: str
    schema: JSON
    root: JSON
    """The schema that its references point into."""
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

    @cached_property
    def options(self) -> tuple[Slot, ...]:
        """The slot with each alternative of its schema, under the same description."""
        return tuple(self.variant(option) for option in variants(self.schema, self.root))

    def variant(self, option: JSON) -> Slot:
        """Return the slot with one alternative of its schema, under the same description."""
        return slot_of(self.name, {**option, "description": self.description}, self.root)

    def fits(self, value: Any) -> bool:
        """Return whether a value satisfies its schema."""
        return fits(value, self.schema, self.root)

    @cached_property
    def form(self) -> Form:
        """Its members, if it takes an object."""
        return Form(self.schema, self.root)

    @cached_property
    def items(self) -> tuple[Slot, ...]:
        """The alternatives of its members, if it takes a list."""
        first = listed(self.schema, "prefixItems")
        each = resolve(first[0] if first else self.schema.get("items", {}), self.root)
        return tuple(self.variant(option) for option in variants(each, self.root) or [{}])

    @cached_property
    def each(self) -> Slot | None:
        """The members of an object that has no names of its own for them; None where it has."""
        others = self.schema.get("additionalProperties", True)
        if self.form.slots or others is False:
            return None
        return slot_of("", resolve(others, self.root), self.root)

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types of its alternatives."""
        return frozenset(option.get("type", "string") for option in variants(self.schema, self.root))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The first values of its enum."""
        return tuple(map(value_of, self._listed[:MOST_VALUES]))

    @cached_property
    def _listed(self) -> list[Any]:
        return [value for value in listed(self.schema, "enum") if value is not None]

    @cached_property
    def _further(self) -> dict[str, list[int]]:
        """The places of the other values by their words."""
        found: dict[str, list[int]] = {}
        for place, value in enumerate(self._listed[MOST_VALUES:], MOST_VALUES):
            for word in set(re.findall(r"\w+", fold_once(split_identifier(str(value))))):
                found.setdefault(word, []).append(place)
        return found

    def values_in(self, folded: str) -> tuple[Value, ...]:
        """Return the values that are looked for in a folded text: of very many those of which it has the
        most words."""
        if not self._further:
            return self.values
        said = set(re.findall(r"\w+", folded))
        said |= {word.removesuffix("s") for word in said}
        named = Counter(place for word in said for place in self._further.get(word, ()))
        places = sorted(place for place, _ in named.most_common(MOST_VALUES))
        return (*self.values, *(value_of(self._listed[place]) for place in places))

    @cached_property
    def glosses(self) -> dict[Any, frozenset[str]]:
        """For each value of its enum the words that only its description gives to it."""
        return glosses(self)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The units that its name, or else its description, speaks of: weight_kg -> kg."""
        for text in (split_identifier(self.name), _RATE.sub(" ", self.description)):
            said = [word for word in re.findall(r"[^\W\d_]+", fold(text)) if word not in _ORDINALS]
            if found := tuple(unit for word in said if (unit := unit_of(word))):
                return found
        return ()

    @cached_property
    def leads(self) -> frozenset[str]:
        """The prepositions that lead to its value: "by" to an artist, "with" to an ingredient."""
        said = {"from": _SAYS_FROM, "to": _SAYS_TO, "": frozenset()}[self.direction]
        return said | {
            lead for leads, examples in _LEADS if self.is_called(examples) for lead in leads.split()
        }

    @cached_property
    def truths(self) -> tuple[frozenset[str], frozenset[str]]:
        """The features of the words by which a message says that a boolean is true, and that it is false."""
        return truths(self)

    @cached_property
    def takes_country_code(self) -> bool:
        short = self.schema.get("maxLength") == 2 or "[A-Z]{2}" in str(self.schema.get("pattern", ""))
        return short or bool(_COUNTRY_CODE.search(self.description))

    @cached_property
    def takes_language_code(self) -> bool:
        return self.schema.get("maxLength") == 2 or bool(_CODE.search(self._said))

    @cached_property
    def takes_regions(self) -> bool:
        """Whether it takes a region with a code of its own: "TX"."""
        return bool(_REGION.search(self._said))

    @cached_property
    def is_ratio(self) -> bool:
        """Whether it takes a percentage as a fraction: by its maximum, default or an example."""
        known = [number for number in map(self.schema.get, ("maximum", "default")) if is_number(number)]
        return any(abs(number) <= 1 for number in known) or bool(_RATIO.search(self.description))

    @property
    def _said(self) -> str:
        return f"{split_identifier(self.name)} {self.description}"

    def is_called(self, examples: str) -> bool:
        """Return whether its name is one of some English words, or means the same."""
        return bool(self.label & _features_of(examples))


class Form:
    """An object schema, read: its slots, and what their names and descriptions say together."""

    def __init__(self, schema: JSON, root: JSON | None = None) -> None:
        self.root = schema if root is None else root
        self.schema = resolve(schema, self.root)
        self.required = frozenset(name for name in listed(self.schema, "required") if isinstance(name, str))
        known = members(self.schema)
        names = [*known, *sorted(self.required - known.keys())]
        if len(names) > MOST_SLOTS:
            names.sort(key=lambda name: name not in self.required)
        schemas = {name: resolve(known.get(name, {}), self.root) for name in names}
        self.slots = tuple(slot_of(name, schemas[name], self.root) for name in names[:MOST_SLOTS])
        """The slots that are filled."""
        wordless = slot_of("", {}, self.root)
        self.unread = tuple(
            replace(wordless, name=name, schema=schemas[name])
            for name in names[MOST_SLOTS:]
            if name in self.required
        )
        """The required ones that are too many: their words are not read."""
        self.labels = frozenset(feature for slot in self.slots for feature in slot.label)
        """Features of the names of all slots."""
        dates = [slot for slot in self.slots if slot.kinds[0] == "date"]
        self.events = frozenset(feature for slot in dates for feature in _happening(slot.description))
        """Features of the words by which the descriptions of dates say what happened then: "placed on …"."""
        self.dated = any(slot.kinds[0] in ("date", "time") for slot in self.slots)
        """Whether a slot takes a date or a time."""


def slot_of(name: str, schema: JSON, root: JSON | None = None) -> Slot:
    """Return the slot that a property of a schema is, by its words."""
    description = str(schema.get("description") or "")[:LONGEST]
    form = str(schema.get("format", ""))[:LONGEST_NAME]
    kinds, label, hint, moment, direction = _read_words(name[:LONGEST_NAME], description, form)
    return Slot(
        name,
        schema,
        schema if root is None else root,
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


def direction_said(before: str) -> str:
    """ "from" or "to" where the word right before a fact says so: "from Oslo", "hasta el 5"."""
    last = next((word for word in reversed(fold(before).split()) if word not in _ARTICLES), "")
    return "from" if last in _SAYS_FROM else "to" if last in _SAYS_TO else ""


def _happening(description: str) -> frozenset[str]:
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


# Closed sets: what the values of an enum are called, and when a boolean is true ---------------------

MOST_VALUES = 100  # values that are looked for in all their meanings; more only by their own words


@dataclass(frozen=True)
class Value:
    """One value of an enum, with what its words stand for."""

    value: Any
    spoken: str
    """Its words, folded."""
    words: tuple[dict[str, float], ...]
    """What each of its words stands for."""
    meanings: dict[str, float]
    """What its words stand for together."""


def value_of(value: Any) -> Value:
    """Return a value of an enum with what its words stand for."""
    spoken = fold(split_identifier(str(value))).strip()
    words = tuple(token.meanings for token in tokens(spoken, keep_all=True))
    return Value(value, spoken, words, features(spoken))


_UN = re.compile(r"^un_?(?=[a-z]{2,}(?:ed|en|d|able|ible)$)")


def truths(slot: Slot) -> tuple[frozenset[str], frozenset[str]]:
    """Return the features of the words by which a message says that a boolean is true, and that it is
    false."""
    # "Done" is a function word elsewhere; as a name it says all.
    named = tokens(split_identifier(slot.name), "en", keep_all=True)
    label = slot.label or {f for token in named for f, weight in token.meanings.items() if weight == 1}
    yes, no = set(label), set()
    word = fold(split_identifier(slot.name)).split()[-1] if slot.name else ""
    if prefix := _UN.match(word):
        no |= full_features(word[prefix.end() :])
    for so, not_so in _OPPOSITES:
        these, others = features_of_each(so), features_of_each(not_so)
        if label & these:
            no |= others - these
        elif label & others:
            no |= these - others
    return frozenset(yes - no), frozenset(no)


_SENTENCE = re.compile(r"[.;()\n]+")
_NO_GLOSS = 0.5  # features below this weight say too little of a value


def glosses(slot: Slot) -> dict[Any, frozenset[str]]:
    """Return for each value the words that the description gives to it alone: "high: the customer cannot
    wait"."""
    texts = [
        one for one in slot.values if isinstance(one.value, str | int) and not isinstance(one.value, bool)
    ]
    found: dict[Any, set[str]] = {}
    for sentence in _SENTENCE.split(fold(slot.description)):
        named = sorted(
            (match.start(), one.value)
            for one in texts
            for match in re.finditer(rf"(?<!\w){re.escape(one.spoken)}(?!\w)", sentence)
        )
        ends = [place for place, _ in named[1:]] + [len(sentence)]
        for (place, value), end in zip(named, ends, strict=False):
            gloss = sentence if len(named) == 1 else sentence[place:end]
            said = {f for f, weight in features(gloss).items() if weight > _NO_GLOSS}
            found.setdefault(value, set()).update(said)
    own = {f for one in texts for f in one.meanings}
    shared = Counter(f for said in found.values() for f in said)
    return {
        value: frozenset(f for f in said - own - slot.label if shared[f] == 1)
        for value, said in found.items()
    }
