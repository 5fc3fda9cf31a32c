"""What a tool definition says: its words, the facts its slots take, when to call it and when not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ..language.entities import language_code
from ..language.speech_acts import LOOKING, brings_a_person, family_of, verb_of
from ..language.text import (
    GENERIC,
    RELATED,
    WORD,
    features,
    features_of_each,
    full_features,
    pattern,
    split_identifier,
    tokens,
    verb_concepts,
    words,
)
from ..request import ToolSpec
from .schema_values import JSON, listed, members, resolve, variants
from .slot_values import measures_taken
from .slots import LONGEST, Form, Slot, is_topical, names_a_thing, slot_of

# Usage notes: when to use a tool, when not, and which to use instead ------------------------------

_SENTENCE = re.compile(r"(?<=[.;!?\n])\s+|\n|\s+[-–—]\s+|(?<=,)\s+(?=(?:but )?not\b|no\b|use\b|usa\b)|[()]")


def read_description(
    description: str, name: str, names: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, frozenset[str]], list[str]]:
    """Return what speaks against the tool, what for other tools, and the sentences for it."""
    against: dict[str, float] = {}
    instead: dict[str, frozenset[str]] = {}
    friendly: list[str] = []
    mentioned, not_for = _mentioned(description, name, names), pattern("not for", after="")
    for sentence in filter(str.strip, _SENTENCE.split(description)):
        others = [other for other in mentioned if re.search(_whole(other), sentence)]
        if not not_for.search(sentence) and not others:
            friendly.append(sentence)
            continue
        bare = not_for.sub(" ", sentence)
        for other in others:
            bare = bare.replace(other, " ")
        strong = {feature: share for feature, share in features(bare).items() if share > GENERIC}
        for other in others:
            instead[other] = frozenset(strong) | instead.get(other, frozenset())
        for feature, share in strong.items():
            against[feature] = max(share, against.get(feature, 0))
    # "Find an order. Not for orders that …": a word that the tool also claims for itself cannot speak
    # against it.
    for_it = {feature for said in [split_identifier(name), *friendly] for feature in features(said)}
    return {f: share for f, share in against.items() if f not in for_it}, instead, friendly


def _mentioned(description: str, name: str, names: tuple[str, ...]) -> list[str]:
    """Return the other tools that a description names; a plain word ("search") is no name there."""
    return [
        other
        for other in names
        if other != name
        and other in description
        and (re.search(r"[_\-A-Z\d]", other) or f"`{other}`" in description)
    ]


def _whole(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"


# What the slots of a tool take --------------------------------------------------------------------

_CODE = re.compile(r"(?<![\w.,$€£/-])(?=[\w-]*\d)[A-Za-z]{0,8}[-_]?\d[\w-]{0,30}(?![\w%€/]|[.,-]\d)")


def properties_of(schema: JSON) -> JSON:
    """Return the properties of a schema by name, as they stand there."""
    return members(resolve(schema, schema))


def _need(slot: Slot) -> str:
    """Return the kind of fact that a required slot takes first; "numeral" is the number of a thing, no
    amount."""
    if slot.type in ("integer", "number"):
        return "numeral" if names_a_thing(slot) else "number"
    return "" if "enum" in slot.schema else slot.kinds[0]


def _kind_taken(slot: Slot) -> str:
    """Return the kind of fact that an optional text slot takes first; "" for any other slot."""
    options = variants(slot.schema, slot.root)
    texts = [option for option in options if option.get("type", "string") == "string"]
    return slot_of(slot.name, slot.schema | texts[0]).kinds[0] if texts and "enum" not in slot.schema else ""


def _listed_values(slot: Slot) -> list[str]:
    """Return the words of each value of an enum."""
    options = variants(slot.schema, slot.root)
    return [split_identifier(str(value)) for one in options for value in listed(one, "enum")[:MOST_VALUES]]


def _values(slot: Slot) -> frozenset[str]:
    """Return the features that the values of an enum name fully, or those of a truth and its opposite."""
    if slot.type == "boolean":
        return frozenset().union(*slot.truths)
    return frozenset(feature for value in _listed_values(slot) for feature in full_features(value))


def _measures(required: tuple[Slot, ...]) -> dict[str, str]:
    """Return what each required number measures ("mass"), and the slot's name."""
    found: dict[str, str] = {}
    for slot in required:
        if slot.type in ("integer", "number"):
            for measure in measures_taken(slot) - {"time"}:
                found.setdefault(measure, slot.name)
    return found


def _forms(required: tuple[Slot, ...]) -> dict[str, str]:
    """Return the forms of the examples that the definition gives of a number or code: {"AAA-999": "sku"}.

    Only those that are not like any other number: at least three digits, or letters with digits.
    """
    found: dict[str, str] = {}
    for slot in required:
        if slot.kinds[0] == "identifier" and slot.type != "number" and "enum" not in slot.schema:
            examples = map(str, listed(slot.schema, "examples")[:20])
            for text in [*_CODE.findall(slot.description), *examples]:
                form = shape_of(text)
                if form.count("9") > 2 or ("A" in form and "9" in form and len(form) > 2):
                    found.setdefault(form, slot.name)
    return found


def shape_of(text: str) -> str:
    """Return the form of a number or code: "A" for a letter, "9" for a digit: SKU-990 -> AAA-999."""
    return re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "A", text.lstrip("# ")))


# Profiles -----------------------------------------------------------------------------------------

NAME, DESCRIPTION = 3.0, 1.5
SLOT, SLOT_TEXT, VALUE = 1.2, 0.6, 0.8
KINDRED = 1.2  # a verb that asks for the same kind of action as the one in the name
ROOM = 80  # different words that a description may have before each of them weighs less
MOST_VALUES = 50  # values of an enum whose words count
_INCIDENTAL = "city country town region province language"
_RECORDS = "message note email comment post chat conversation complaint"
_ROLES = {
    "final": "gives the final answer",
    "finder": "finds tools",
    "lookup": "looks anything up",
}

Met = dict[str, dict[str, float]]
"""Feature -> the words of a definition that stand for it, with how much each of them weighs there."""


@dataclass(frozen=True, eq=False)
class Profile:
    """What one definition says about when to call the tool."""

    spec: ToolSpec
    form: Form
    """Its slots."""
    weights: dict[str, float]
    """What each feature of its words weighs."""
    met: Met
    """The words of the definition by what they stand for."""
    against: dict[str, float]
    """Features of the words that the description says the tool is not for."""
    instead: dict[str, frozenset[str]]
    """Name of another tool -> the words for which this description points to it."""
    name: frozenset[str]
    """Features of its name."""
    acts: frozenset[str]
    """Verbs that ask for a change that the tool makes ("cancel", "delete" …); empty where it only looks."""
    does: frozenset[str]
    """Features of its name and description, without its slots and their values."""
    exact: frozenset[str]
    """Features that words of its name or description stand for fully."""
    topics: frozenset[str]
    """Features that say what it is about, and so are no part of a free-text argument."""
    text: str
    """The words of its name and description."""

    @cached_property
    def about(self) -> frozenset[str]:
        """Those of `does` that do not only come from words for a place or language."""
        met = self.met
        return frozenset(f for f in self.does if f not in met or not all(map(_is_incidental, met[f])))

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Features of the words of its name, without the verb that it begins with."""
        first, *rest = tokens(split_identifier(self.spec.name)) or [None]
        verbs = verb_concepts() | LOOKING
        said = rest if first and not verbs.isdisjoint(first.meanings) else [first, *rest]
        return self.name & {feature for token in said if token for feature in token.meanings}

    @cached_property
    def required(self) -> tuple[Slot, ...]:
        return tuple(slot for slot in self.form.slots if slot.name in self.form.required)

    @cached_property
    def optional(self) -> tuple[Slot, ...]:
        return tuple(slot for slot in self.form.slots if slot.name not in self.form.required)

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The kind of fact that each required slot takes first."""
        return tuple(map(_need, self.required))

    @cached_property
    def takes(self) -> frozenset[str]:
        """The kind of fact that each optional slot takes first."""
        return frozenset(map(_kind_taken, self.optional)) - {""}

    @cached_property
    def labels(self) -> frozenset[str]:
        """Features that the names of its slots name fully."""
        named = (features(split_identifier(slot.name)).items() for slot in self.form.slots)
        return frozenset(f for found in named for f, weight in found if weight != RELATED)

    @cached_property
    def choices(self) -> tuple[frozenset[str], ...]:
        """Features that the values of each required enum name fully."""
        return tuple(filter(None, (_values(slot) for slot in self.required if slot.type != "boolean")))

    @cached_property
    def filters(self) -> tuple[frozenset[str], ...]:
        """Those of each optional enum or boolean."""
        return tuple(filter(None, map(_values, self.optional)))

    @cached_property
    def values(self) -> frozenset[str]:
        """Those of all of them."""
        return frozenset().union(*map(_values, self.form.slots))

    @cached_property
    def measures(self) -> dict[str, str]:
        """What each required number measures by its unit ("mass" of weight_kg), and the slot's name."""
        return _measures(self.required)

    @cached_property
    def forms(self) -> dict[str, str]:
        """Form of an example ("AAA-999") -> the name of the required slot that it is an example of."""
        return _forms(self.required)

    @cached_property
    def searches(self) -> bool:
        """Whether it looks for things by what they are about."""
        return not self.acts and any(map(is_topical, self.form.slots))

    @property
    def open(self) -> bool:
        """Whether it has slots, none of them required: such a tool could always be called."""
        return bool(self.form.slots) and not self.required

    @property
    def about_user(self) -> bool:
        """Whether it takes no arguments, and tells something about the user or the present moment."""
        return not self.form.slots and bool(pattern("of the user").search(self.text))

    @property
    def tells_time(self) -> bool:
        """Whether it takes no arguments, and tells the day or the time."""
        return not self.form.slots and bool(self.name & features_of_each("date time day today clock"))

    @cached_property
    def role(self) -> str:
        """What it is among tools, or "".

        "person": brings a person; "help": searches texts about how something works (rules, help articles);
        "records": looks among texts that people wrote (messages, notes); "final": gives the final answer;
        "finder": finds further tools; "lookup": answers questions of fact (a search of the web).
        """
        if brings_a_person(self.text):
            return "person"
        if (
            not self.acts
            and self.needs in (("quoted",), ("topic",))
            and pattern("explains", after="").search(self.text)
        ):
            return "help"
        if self.searches and self.name & self.exact & features_of_each(_RECORDS):
            return "records"
        return next((role for role, said in _ROLES.items() if pattern(said).search(self.text)), "")


def profiles(tools: tuple[ToolSpec, ...]) -> list[Profile]:
    """Return one profile per tool, in the order of the tools."""
    names = tuple(tool.name for tool in tools)
    return [_profile(tool.name, tool.description, _dump(tool.schema), names) for tool in tools]


def _dump(schema: Any) -> str:
    return json.dumps(schema if isinstance(schema, dict) else {}, default=str)


@lru_cache(maxsize=1_000)
def _profile(name: str, description: str, schema_text: str, names: tuple[str, ...]) -> Profile:
    schema = json.loads(schema_text)
    weights: dict[str, float] = {}
    met: Met = {}

    def note(text: str, weight: float) -> None:
        for token in tokens(text):
            for feature, share in token.meanings.items():
                there = met.setdefault(feature, {})
                there[token.written] = max(weight * share, there.get(token.written, 0))

    def add(text: str, weight: float) -> None:
        note(text, weight)
        for feature, share in _features_with_verb(text).items():
            weights[feature] = max(weights.get(feature, 0), weight * share)

    spoken = split_identifier(name)
    plain = re.sub(r"\b(?:e\. ?g\.|p\. ?ej\.),?", "such as", description[:LONGEST])
    plain = pattern("heading", "", "").sub(" ", plain)
    against, instead, friendly = read_description(plain, name, names)
    crowd = len({word for sentence in friendly for word in words(sentence)})
    for position, sentence in enumerate(friendly):
        add(sentence, (DESCRIPTION if position < 2 else DESCRIPTION * 0.8) * min(1, ROOM / max(1, crowd)))
    acts = family_of(verb_of(spoken), plain.strip())
    if acts:  # "Use it when the player says go, walk or run": what is said there asks for the tool
        when = " . ".join(pattern("used when", after="").findall(" ".join(friendly)))
        acts |= {feature for feature, share in features(when).items() if share in (GENERIC, 1)}
    own_name = features(spoken)
    does = frozenset({*weights, *own_name, *acts})
    form = Form(schema)
    for slot in form.slots:
        add(split_identifier(slot.name), SLOT)
        add(slot.description, SLOT_TEXT)
        add(" . ".join(_listed_values(slot)), VALUE)
    add(spoken, NAME)
    note(plain, 0.0)  # the words that speak against it, or point to another tool
    for feature in acts:
        weights[feature] = max(weights.get(feature, 0), KINDRED)
        met.setdefault(feature, {spoken.split()[0].lower(): KINDRED})
    return Profile(
        ToolSpec(name, description, schema),
        form,
        weights,
        met,
        against,
        instead,
        frozenset(feature for feature, weight in own_name.items() if weight >= 0.5),
        acts,
        does,
        full_features(" . ".join([spoken, *friendly])),
        _topics(name, friendly),
        f"{spoken}. {plain}",
    )


def _is_incidental(word: str) -> bool:
    """Return whether a word is one for a place or a language, by which definitions say how something is
    named."""
    own = features(_INCIDENTAL, "en")
    return bool(language_code(word)) or any(w == 1 == own.get(f) for f, w in features(word).items())


def _features_with_verb(text: str) -> dict[str, float]:
    """Return the features of a text that may begin with a verb: there "check" and "book" are no nouns."""
    first = WORD.match(text)
    found = features(text)
    if first is None:
        return found
    own = features(first.group())
    if not own.keys() & LOOKING:
        return found
    rest = features(text[first.end() :])
    verbs = verb_concepts() | LOOKING
    return {f: share for f, share in found.items() if f in rest or f not in own or f in verbs}


def _topics(name: str, friendly: list[str]) -> frozenset[str]:
    """Return what the tool is about: the words of its name and, without the examples, of its description."""
    spoken = split_identifier(name)
    found = {
        feature
        for word in [spoken, *spoken.split()]
        for feature, share in features(word).items()
        if share >= 0.5
    }
    for sentence in friendly[:4]:
        plain = pattern("example").split(sentence)[0]
        for word in [plain, *words(plain)]:
            found |= {feature for feature, share in features(word).items() if share == 1}
    return frozenset(found)
