"""What a tool definition says: its words, the facts its slots take, when to call it and when not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..language.entities import language_code
from ..language.speech_acts import LOOKING, brings_a_person, family_of, verb_of
from ..language.text import (
    GENERIC,
    RELATED,
    WORD,
    any_case,
    features,
    features_of_each,
    full_features,
    phrases,
    split_identifier,
    tokens,
    verb_concepts,
    words,
)
from ..request import ToolSpec
from .schema_values import JSON, listed, members, resolve, variants
from .slot_values import measures_taken
from .slots import LONGEST, TELLING, Form, Slot, is_topical, names_a_thing, slot_of

# Usage notes: when to use a tool, when not, and which to use instead ------------------------------

_SENTENCE = re.compile(r"(?<=[.;!?\n])\s+|\n|\s+[-–—]\s+|(?<=,)\s+(?=(?:but )?not\b|no\b|use\b|usa\b)|[()]")
_NOT_FOR = any_case(
    r"\b"
    + phrases("not for"),
)  # fmt: skip
_PARTICULAR = any_case(
    r"\b(?:particular|specific|single|certain|individual|concret[oa]s?|determinad[oa]s?|individuales)\b"
)


def read_description(
    description: str, name: str, names: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, float], dict[str, frozenset[str]], list[str]]:
    """Return what speaks against the tool, against it for one thing, for other tools, and the sentences for
    it."""
    against: dict[str, float] = {}
    against_one: dict[str, float] = {}
    instead: dict[str, frozenset[str]] = {}
    friendly: list[str] = []
    mentioned = _mentioned(description, name, names)
    for sentence in filter(str.strip, _SENTENCE.split(description)):
        others = [other for other in mentioned if re.search(_whole(other), sentence)]
        if not _NOT_FOR.search(sentence) and not others:
            friendly.append(sentence)
            continue
        bare = _NOT_FOR.sub(" ", sentence)
        for other in others:
            bare = bare.replace(other, " ")
        strong = {feature: share for feature, share in features(bare).items() if share > GENERIC}
        for other in others:
            instead[other] = frozenset(strong) | instead.get(other, frozenset())
        kept = against_one if _PARTICULAR.search(bare) and not others else against
        for feature, share in strong.items():
            kept[feature] = max(share, kept.get(feature, 0))
    for_it = {feature for sentence in friendly for feature in features(sentence)}
    # "Find an order. Not for orders that …": a word that the tool also claims for itself cannot speak
    # against it.
    against, against_one = (
        {f: s for f, s in found.items() if f not in for_it} for found in (against, against_one)
    )
    return against, against_one, instead, friendly


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


# Slots: their words, and the kinds of facts that fill them ----------------------------------------

SLOT, SLOT_TEXT, VALUE = 1.2, 0.6, 0.8
_CODE = re.compile(r"(?<![\w.,$€£/-])(?=[\w-]*\d)[A-Za-z]{0,8}[-_]?\d[\w-]{0,30}(?![\w%€/]|[.,-]\d)")


def properties_of(schema: JSON) -> JSON:
    """Return the properties of a schema by name, as they stand there."""
    return members(resolve(schema, schema))


def _add_slot(slot: Slot, schema: JSON, add: Any) -> None:
    """Add the words of a slot."""
    add(split_identifier(slot.name), SLOT)
    add(slot.description, SLOT_TEXT)
    for option in variants(slot.schema, schema):
        add(" ".join(split_identifier(str(value)) for value in listed(option, "enum")[:50]), VALUE)


def _need(slot: Slot) -> str:
    """Return the kind of fact that a required slot takes first; "numeral" is the number of a thing, no
    amount."""
    if slot.type in ("integer", "number"):
        return "numeral" if names_a_thing(slot) else "number"
    return "" if "enum" in slot.schema else slot.kinds[0]


def _takes(slots: list[tuple[Slot, bool]], schema: JSON) -> frozenset[str]:
    """Return the kind of fact that each optional text slot takes first."""
    found = set()
    for slot, required in slots:
        options = variants(slot.schema, schema)
        texts = [option for option in options if option.get("type", "string") == "string"]
        if not required and texts and "enum" not in slot.schema:
            found.add(slot_of(slot.name, slot.schema | texts[0]).kinds[0])
    return frozenset(found)


def _values(slot: Slot, schema: JSON) -> set[str]:
    """Return the features that the values of an enum name fully, or those of a truth and its opposite."""
    if slot.type == "boolean":
        return set().union(*slot.truths)
    values = [value for option in variants(slot.schema, schema) for value in listed(option, "enum")[:50]]
    return {feature for value in values for feature in full_features(split_identifier(str(value)))}


def _measures(required: list[Slot]) -> dict[str, str]:
    """Return what each required number measures ("mass"), and the slot's name."""
    found: dict[str, str] = {}
    for slot in required:
        if slot.type in ("integer", "number"):
            for measure in measures_taken(slot) - {"time"}:
                found.setdefault(measure, slot.name)
    return found


def _forms(required: list[Slot]) -> dict[str, str]:
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
KINDRED = 1.2  # a verb that asks for the same kind of action as the one in the name
ROOM = 80  # different words that a description may have before each of them weighs less
_OF_THE_USER = any_case(r"\b(?:user|current|my|own|here|usuario|actual)\b")
# "Use it when the user asks …" is about the request, not about what the tool returns.
_WHEN_ASKED = any_case(r"\b(?:when|if|whenever|once|for|cuando|si)\s+(?:the|a|el|la|un)\s+(?:user|usuario)\b")
# "Use it when the player says go, walk or run": what is said there asks for the tool.
_USED_WHEN = any_case(
    r"\b(?:use|call|choose|pick|[uú]s[ae]\w*|ll[aá]m[ae]\w*|elige\w*)\b[^.;\n]{0,40}?\b(?:when(?:ever)?|if|to|for|cuando|si|para)\b"
    r"([^.;\n]{1,300})"
)
_FINAL = any_case(
    r"\b(?:final|last|ends?|finish\w*|conclud\w*)\b.{0,30}\b(?:answer|response|result|reply|conversation"
    r"|respuesta|resultado)\b"
)
_FINDER = any_case(
    r"\b(?:search|find|discover|look up|load)\b.{0,30}\b(?:tools|capabilit\w+|functions|herramientas)\b"
)
_LOOKUP = any_case(r"\b" + phrases("looks anything up") + r"\b")
# What a section or a sentence of a description begins with, and says nothing about what the tool is for.
_HEADING = any_case(
    r"(?:^|(?<=[\n.])\s*)(?:returns?|args|arguments|parameters|raises|output|examples?|notes?|devuelve|retorna"
    r"|par[aá]metros|argumentos|ejemplos?|nota)\s*:|(?:^|(?<=[\n.]))\s*returns\s+(?=(?:the|an?|all|one|its|their|how|whether|true|every|each|only|what|which|some"
    r"|information|details|data|json|list|number|current|up)\b)"
)
_EXAMPLE = any_case(r"\b(?:for (?:example|instance)|such as|like|por ejemplo)\b")
_INCIDENTAL = "city country town region province language"
_RECORDS = "message note email comment post chat conversation complaint"
_EXPLAINS = any_case(
    r"\b"
    + phrases("explains"),
)  # fmt: skip

Met = dict[str, dict[str, float]]
"""Feature -> the words of a definition that stand for it, with how much each of them weighs there."""


@dataclass(frozen=True)
class Profile:
    """What the words of one definition say about when to call the tool."""

    spec: ToolSpec
    weights: dict[str, float]
    against: dict[str, float]
    against_one: dict[str, float]
    """Words that speak against it where the message names one thing: "not for one particular loan"."""
    instead: dict[str, frozenset[str]]
    """Name of another tool -> the words for which this description points to it."""
    name: frozenset[str]
    """Features of its name."""
    acts: frozenset[str]
    """Verbs that ask for a change that the tool makes ("cancel", "delete" …); empty where it only looks."""
    telling: frozenset[str]
    """Kinds of facts that its required slots take and that say on their own what a message is about."""
    needs: tuple[str, ...]
    """The kind of fact that each required slot takes first."""
    topics: frozenset[str]
    """Features that say what it is about, and so are no part of a free-text argument."""
    about_user: bool
    """Whether it takes no arguments, and tells something about the user or the present moment."""
    tells_time: bool
    """Whether it takes no arguments, and tells the day or the time."""
    role: str
    """ "final" for a tool that gives the final answer, "finder" for one that finds further tools, "lookup"
    for one that answers questions of fact (a search of the web), "person" for one that brings a person,
    "help" for one that searches texts about how something works (rules, help articles), "records" for one
    that looks among texts that people wrote (messages, notes)."""
    open: bool
    """Whether it has slots, none of them required: such a tool could always be called."""
    does: frozenset[str]
    """Features of its name and description, without its slots and their values."""
    exact: frozenset[str]
    """Features that words of its name or description stand for fully."""
    about: frozenset[str]
    """Those of `does` that do not only come from words for a place or language."""
    labels: frozenset[str]
    """Features that the names of its slots name fully."""
    takes: frozenset[str]
    """The kind of fact that each optional slot takes first."""
    searches: bool
    """Whether it looks for things by what they are about."""
    required: tuple[Slot, ...]
    values: frozenset[str]
    """Features that the values of its enums name fully."""
    choices: tuple[frozenset[str], ...]
    """Those of each required enum."""
    filters: tuple[frozenset[str], ...]
    """Those of each optional enum or boolean."""
    measures: dict[str, str]
    """What each required number measures by its unit ("mass" of weight_kg), and the slot's name."""
    forms: dict[str, str]
    """Form of an example ("AAA-999") -> the name of the required slot that it is an example of."""
    met: Met
    """The words of the definition by what they stand for."""
    form: Form
    """Its slots."""


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
    plain = _HEADING.sub(" ", plain)
    against, against_one, instead, friendly = read_description(plain, name, names)
    crowd = len({word for sentence in friendly for word in words(sentence)})
    for position, sentence in enumerate(friendly):
        add(sentence, (DESCRIPTION if position < 2 else DESCRIPTION * 0.8) * min(1, ROOM / max(1, crowd)))
    own_name = features(spoken)
    acts = family_of(verb_of(spoken), plain.strip())
    if acts:
        acts |= {
            f
            for used in _USED_WHEN.findall(" ".join(friendly))
            for f, share in features(used).items()
            if share in (GENERIC, 1)
        }
    does = frozenset({*weights, *own_name, *acts})
    form = Form(schema)
    slots = [(slot, slot.name in form.required) for slot in form.slots]
    for slot, _ in slots:
        _add_slot(slot, schema, add)
    required = [slot for slot, is_required in slots if is_required]
    needs = [_need(slot) for slot in required]
    searches = not acts and any(is_topical(slot) for slot, _ in slots)
    add(spoken, NAME)
    note(plain, 0.0)  # the words that speak against it, or point to another tool
    for feature in acts:
        weights[feature] = max(weights.get(feature, 0), KINDRED)
        met.setdefault(feature, {spoken.split()[0].lower(): KINDRED})
    return Profile(
        ToolSpec(name, description, schema),
        weights,
        {feature: share for feature, share in against.items() if feature not in own_name},
        {feature: share for feature, share in against_one.items() if feature not in own_name},
        instead,
        frozenset(feature for feature, weight in own_name.items() if weight >= 0.5),
        acts,
        frozenset(needs) & TELLING,
        tuple(needs),
        _topics(name, friendly),
        not slots and bool(_OF_THE_USER.search(_WHEN_ASKED.sub(" ", f"{spoken}. {plain}"))),
        not slots and bool(own_name.keys() & features_of_each("date time day today clock")),
        _role(f"{spoken}. {plain}", acts, needs, own_name, searches),
        bool(slots) and not needs,
        does,
        full_features(" . ".join([spoken, *friendly])),
        frozenset(f for f in does if f not in met or not all(map(_is_incidental, met[f]))),
        frozenset(
            f for slot, _ in slots for f, w in features(split_identifier(slot.name)).items() if w != RELATED
        ),
        _takes(slots, schema),
        searches,
        tuple(required),
        frozenset(f for slot, _ in slots for f in _values(slot, schema)),
        tuple(
            frozenset(found)
            for slot in required
            if slot.type != "boolean" and (found := _values(slot, schema))
        ),
        tuple(frozenset(found) for slot, needed in slots if not needed and (found := _values(slot, schema))),
        _measures(required),
        _forms(required),
        met,
        form,
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


def _role(text: str, acts: frozenset[str], needs: list[str], name: dict[str, float], searches: bool) -> str:
    if brings_a_person(text):
        return "person"
    if not acts and needs in (["quoted"], ["topic"]) and _EXPLAINS.search(text):
        return "help"
    if searches and any(name.get(f) == 1 == w for f, w in features(_RECORDS, "en").items()):
        return "records"
    by_words = (("final", _FINAL), ("finder", _FINDER), ("lookup", _LOOKUP))
    return next((role for role, pattern in by_words if pattern.search(text)), "")


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
        plain = _EXAMPLE.split(sentence)[0]
        for word in [plain, *words(plain)]:
            found |= {feature for feature, share in features(word).items() if share == 1}
    return frozenset(found)
