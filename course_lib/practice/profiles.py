"""What the words of a tool definition say about when to call the tool, and when not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from .language import (
    GENERIC,
    WORD,
    features,
    fold,
    one_of,
    split_identifier,
    verb_concepts,
    words,
)
from .parameters import LONGEST, properties_of, read_parameters, takes_of
from .request import ToolSpec
from .wants import TELLING

NAME, DESCRIPTION = 3.0, 1.5
KINDRED = 1.2  # a verb that asks for the same kind of action as the one in the name
ROOM = 80  # different words that a description may have before each of them weighs less
_SENTENCE = re.compile(r"(?<=[.;!?\n])\s+|\n|\s+[-–—]\s+|(?<=,)\s+(?=(?:but )?not\b|no\b|use\b|usa\b)|[()]")
_OF_THE_USER = re.compile(r"\b(?:user|current|my|own|here|usuario|actual)\b", re.IGNORECASE)
# "Use it when the user asks …" is about the request, not about what the tool tells.
_WHEN_ASKED = re.compile(
    r"\b(?:when|if|whenever|once|for|cuando|si)\s+(?:the|a|el|la|un)\s+(?:user|usuario)\b", re.IGNORECASE
)
_FINAL = re.compile(
    r"\b(?:final|last|ends?|finish\w*|conclud\w*)\b.{0,30}\b(?:answer|response|result|reply|conversation"
    r"|respuesta|resultado)\b",
    re.IGNORECASE,
)
_FINDER = re.compile(
    r"\b(?:search|find|discover|look up|load)\b.{0,30}\b(?:tools|capabilit\w+|functions|herramientas)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\b(?:for (?:example|instance)|such as|like|por ejemplo)\b", re.IGNORECASE)
_NOT_FOR = re.compile(
    r"\b"
    + one_of(
        r"(?:do not|don't|never|not to be|cannot be|should not be|not)\s+(?:be\s+)?"
        r"(?:use|used|call|called|for|meant|intended|suitable)\b",
        r"not\s+(?:for|about|when|if)\b", r"instead\b", "rather than", r"except\b",
        r"(?:no|nunca)\s+(?:(?:la|lo|se)\s+)?(?:us\w+|llam\w+|sirve|es para|para)",
        "no para", "en (?:vez|lugar) de", "en su lugar", r"salvo\b", r"excepto\b",
    ),
    re.IGNORECASE,
)  # fmt: skip
# Verbs of tools that change something, in families: who wants to "schedule" a meeting asks to "create" an
# event.
_FAMILIES = [
    "create add schedule make register open insert post record log submit start save book reserve plan "
    "arrange note put",
    "cancel delete remove clear stop close undo",
    "update change edit set move rename adjust modify assign correct put",
    "send write share forward text message notify tell post",
    "pay buy order purchase",
    "transfer move",
    "turn_on start enable", "turn_off stop disable", "play", "refund return", "approve accept",
    "reject refuse",
    "subscribe register", "reset restart", "lock block", "unlock", "renew extend", "restart", "deploy",
    "apply", "print",
]  # fmt: skip


_EMPTY_VERBS = frozenset(
    "request process perform do make handle execute trigger solicitar realizar hacer".split()
)


# The concepts of verbs that only look ("check", "find"), by which many names and sentences begin.
_LOOKING = frozenset(
    {"check", "verify", "find", "search", "get", "show", "look", "read", "list", "calculate"}
)
_EXPLAINS = re.compile(
    r"\b"
    + one_of(
        r"help (?:articles?|cent(?:er|re)|pages?|topics?)", "faqs?", "frequently asked", "knowledge base",
        r"how .{1,60} works?\b", r"rules\b", r"polic(?:y|ies)\b", r"handbook\b",
        r"art[ií]culos? de ayuda", "preguntas frecuentes", "base de conocimientos?", r"normas\b",
        r"pol[ií]ticas?\b", r"c[oó]mo funcionan?\b",
    ),
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True)
class Profile:
    """What the words of one definition say about when to call the tool."""

    spec: ToolSpec
    weights: dict[str, float]
    against: dict[str, float]
    instead: dict[str, frozenset[str]]
    """Name of another tool -> the words for which this description points to it."""
    name: frozenset[str]
    """Features of its name."""
    acts: frozenset[str]
    """Verbs that ask for what a tool does that changes something ("cancel", "delete" …); empty where it
    looks only."""
    telling: frozenset[str]
    """Kinds of facts that its required parameters want and that say on their own what a message is about."""
    needs: tuple[str, ...]
    """The kind of fact that each required parameter wants first."""
    topics: frozenset[str]
    """Features that say what it is about, and so are no part of a free-text argument."""
    about_user: bool
    """Whether it takes no arguments, and tells something about the user or the present moment."""
    role: str
    """"final" for a tool that gives the final answer, "finder" for one that finds further tools, else ""."""
    open: bool
    """Whether it has parameters, none of them required: such a tool could always be called."""
    does: frozenset[str]
    """Features of its name and description, without its parameters and their values."""
    labels: frozenset[str]
    """Features of the names of its parameters."""
    takes: frozenset[str]
    """The kind of fact that each parameter that is not required wants first."""
    looks: bool
    """Whether its name begins with a verb that only looks: "list", "find"."""
    explains: bool
    """Whether it searches texts about how something works: rules, help articles."""


def profiles(tools: tuple[ToolSpec, ...]) -> list[Profile]:
    """One profile per tool, in the order of the tools."""
    names = tuple(tool.name for tool in tools)
    return [_profile(tool.name, tool.description, _dump(tool.schema), names) for tool in tools]


def _dump(schema: Any) -> str:
    return json.dumps(schema if isinstance(schema, dict) else {}, default=str)


@lru_cache(maxsize=1_000)
def _profile(name: str, description: str, schema_text: str, names: tuple[str, ...]) -> Profile:
    schema = json.loads(schema_text)
    weights: dict[str, float] = {}

    def add(text: str, weight: float) -> None:
        for feature, share in _features_with_verb(text).items():
            weights[feature] = max(weights.get(feature, 0), weight * share)

    spoken = split_identifier(name)
    plain = re.sub(r"\b(?:e\. ?g\.|p\. ?ej\.),?", "such as", description[:LONGEST])
    against, instead, friendly = _read_description(plain, name, names)
    crowd = len({word for sentence in friendly for word in words(sentence)})
    for position, sentence in enumerate(friendly):
        add(sentence, (DESCRIPTION if position < 2 else DESCRIPTION * 0.8) * min(1, ROOM / max(1, crowd)))
    own_name = features(spoken)
    acts = _family(_verb(spoken))
    does = frozenset({*weights, *own_name, *acts})
    needs = read_parameters(schema, add)
    add(spoken, NAME)
    for feature in acts:
        weights[feature] = max(weights.get(feature, 0), KINDRED)
    return Profile(
        ToolSpec(name, description, schema),
        weights,
        {feature: share for feature, share in against.items() if feature not in own_name},
        instead,
        frozenset(feature for feature, weight in own_name.items() if weight >= 0.5),
        acts,
        frozenset(needs) & TELLING,
        tuple(needs),
        _topics(name, friendly),
        not properties_of(schema) and bool(_OF_THE_USER.search(_WHEN_ASKED.sub(" ", f"{spoken}. {plain}"))),
        _role(f"{spoken}. {plain}"),
        bool(properties_of(schema)) and not needs,
        does,
        frozenset(f for key in properties_of(schema) for f in features(split_identifier(key))),
        takes_of(schema),
        bool(features(spoken.split()[0]).keys() & _LOOKING) if spoken.split() and not acts else False,
        needs in ([kind] for kind in ("quoted", "topic")) and not acts and bool(_EXPLAINS.search(plain)),
    )


def _features_with_verb(text: str) -> dict[str, float]:
    """The features of a text that may begin with a verb: there "check" and "book" are no nouns."""
    first = WORD.match(text)
    found = features(text)
    if first is None:
        return found
    own = features(first.group())
    if not own.keys() & _LOOKING:
        return found
    rest = features(text[first.end() :])
    verbs = verb_concepts() | _LOOKING
    return {f: share for f, share in found.items() if f in rest or f not in own or f in verbs}


def _role(text: str) -> str:
    return "final" if _FINAL.search(text) else "finder" if _FINDER.search(text) else ""


def _topics(name: str, friendly: list[str]) -> frozenset[str]:
    """What the tool is about: words of its name, each alone too, and of its description, but not of the
    examples there."""
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


def _read_description(
    description: str, name: str, names: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, frozenset[str]], list[str]]:
    """The words that speak against the tool, those that point to others, and the sentences that speak for
    it."""
    against: dict[str, float] = {}
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
        for feature, share in strong.items():
            against[feature] = max(share, against.get(feature, 0))
    for_it = {feature for sentence in friendly for feature in features(sentence)}
    # "Find an order. Not for orders that …": a word that the tool also claims for itself cannot speak
    # against it.
    return {f: s for f, s in against.items() if f not in for_it}, instead, friendly


def _mentioned(description: str, name: str, names: tuple[str, ...]) -> list[str]:
    """The other tools that a description names; a plain word ("search") is no name there."""
    return [
        other
        for other in names
        if other != name
        and other in description
        and (re.search(r"[_\-A-Z\d]", other) or f"`{other}`" in description)
    ]


def _whole(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"


def _verb(spoken: str) -> set[str]:
    """The features of the verb that a name begins with, also where it has two words: "turn off light"."""
    parts = spoken.split()
    if len(parts) > 1 and fold(parts[0]) in _EMPTY_VERBS:
        parts = parts[1:]
    two = features("_".join(parts[:2]).replace("_", " ")) if len(parts) > 2 else {}
    joined = {
        feature for feature, weight in two.items() if weight == 1 and feature in ("turn_on", "turn_off")
    }
    return (
        joined or {feature for feature, weight in features(parts[0]).items() if weight > 0.5}
        if parts
        else set()
    )


def _family(verb: set[str]) -> frozenset[str]:
    """All verbs that ask for the same kind of action; empty for a verb that changes nothing."""
    return frozenset(feature for family in _families() if family & verb for feature in family)


@cache
def action_features() -> frozenset[str]:
    """The features of all verbs of actions."""
    return frozenset(feature for family in _families() for feature in family)


@cache
def _families() -> list[frozenset[str]]:
    return [frozenset(f for word in family.split() for f in _of_verb(word)) for family in _FAMILIES]


def _of_verb(word: str) -> list[str]:
    return [feature for feature, weight in features(word.replace("_", " "), "en").items() if weight == 1]
