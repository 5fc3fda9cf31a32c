"""Which tool fits a part of the message: word overlap with the definitions, weighed so that good definitions win.

A tool's name weighs most, then its description, then its parameters and enum values. A word that many of the offered
tools contain weighs less than one that a single tool contains. Words in a sentence that says when *not* to use the
tool count against it; another tool named there gains by them. Long descriptions are thinned: what counts is to say
the right words, not all words.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from .language import GENERIC, features, fold, split_identifier, word_features, words
from .phrases import request_of
from .reading import Entity
from .request import Score, ToolSpec
from .shape import resolve, variants
from .wants import TELLING, parameter

THRESHOLD = 1.2  # below this a tool is not called: about one clear word of its description
NAME, DESCRIPTION, PARAMETER, PARAMETER_TEXT, VALUE = 3.0, 1.5, 1.2, 0.6, 0.8
AGAINST = 2.0  # a word that the description says the tool is not for
ROOM = 80  # different words that a description may have before each of them weighs less
NAMED = 6.0  # the message names the tool itself
EXPRESSION, FACT = 2.0, 0.6  # the message holds arithmetic, or another fact that the tool requires
_BARE_FACTS = frozenset(f"{kind} in the message" for kind in TELLING)
_SENTENCE = re.compile(r"(?<=[.;!?\n])\s+|\n|\s+[-–—]\s+|(?<=,)\s+(?=(?:but )?not\b|no\b|use\b|usa\b)|[()]")
_NOT_FOR = re.compile(
    r"\b(?:(?:do not|don't|never|not to be|cannot be|should not be|not)\s+(?:be\s+)?(?:use|used|call|called|for|meant|intended|suitable)"
    r"|not\s+(?:for|about|when|if)\b|instead\b|rather than|except\b|(?:no|nunca)\s+(?:(?:la|lo|se)\s+)?(?:us\w+|llam\w+|sirve|es para|para)"
    r"|no para|en (?:vez|lugar) de|en su lugar|salvo\b|excepto\b)",
    re.IGNORECASE,
)
_ACTIONS = (
    "create cancel update change delete remove send book reserve pay refund buy add schedule transfer submit register "
    "subscribe reset approve reject assign close turn_on turn_off play stop start return write"
)
_ASKS_HOW = re.compile(
    r"^\W*(?:how (?:do|can|could|should|would|to)\b|can (?:i|we)\b|may i\b|is it possible|what (?:is|are|happens)\b|c[oó]mo (?:puedo|hago|se|podr[ií]a)\b"
    r"|puedo\b|se puede\b|es posible\b|qu[eé] (?:es|pasa|son)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:how|what|which|who|whom|whose|when|where|why|is|are|was|were|did|does|do|has|have|qu[eé]|cu[aá]l\w*|cu[aá]nt\w+|qui[eé]n\w*|cu[aá]ndo"
    r"|d[oó]nde|c[oó]mo|por qu[eé]|hay)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Profile:
    """What the words of one definition say about when to call the tool."""

    spec: ToolSpec
    weights: dict[str, float]
    against: dict[str, float]
    instead: dict[str, frozenset[str]]
    """Name of another tool -> the words for which this description points to it."""
    acts: frozenset[str]
    """Features of the verb of a tool that changes something ("cancel" of cancel_order); empty for one that only looks."""
    telling: frozenset[str]
    """Kinds of facts that its required parameters want and that say on their own what a message is about."""


def profiles(tools: tuple[ToolSpec, ...]) -> list[Profile]:
    """One profile per tool, in the order of the tools."""
    names = tuple(tool.name for tool in tools)
    return [
        _profile(tool.name, tool.description, json.dumps(tool.schema, default=str), names) for tool in tools
    ]


def score(part: str, tongue: str, entities: list[Entity], offered: list[Profile]) -> list[Score]:
    """How well each tool fits one part of a message; the best first, in a stable order."""
    spread = Counter(feature for profile in offered for feature in profile.weights)
    # 1 for a word of one tool only, down to 1 / log2(1 + tools) for a word that all of them contain
    most = math.log2(1 + len(offered))
    rarity = {feature: math.log2(1 + len(offered) / count) / most for feature, count in spread.items()}
    said = word_features(part, tongue)
    facts = {entity.kind for entity in entities}
    rows = []
    for profile in offered:
        points = _points_of_words(said, profile, rarity, offered) + _points_of_facts(part, facts, profile)
        rows.append(_row(part, said, points, profile))
    rows.sort(key=lambda row: -row.score)
    return [replace(row, chosen=place == 0 and row.score >= THRESHOLD) for place, row in enumerate(rows)]


def _points_of_words(
    said: tuple[dict[str, float], ...], profile: Profile, rarity: dict[str, float], offered: list[Profile]
) -> list[tuple[float, str]]:
    """Points for the words of the message, each counted once, by the best of its concepts: "rain" is about rain, or
    else about the weather."""
    points = []
    for word in said:
        points.append(
            max((weight * rarity.get(f, 0) * profile.weights.get(f, 0), f) for f, weight in word.items())
        )
        points.append(min((-weight * AGAINST * profile.against.get(f, 0), f) for f, weight in word.items()))
        for other in offered:
            pointed = other.instead.get(profile.spec.name, frozenset()) & word.keys()
            points += [(word[f], f"{f} (said by {other.spec.name})") for f in sorted(pointed)[:1]]
    return points


def _points_of_facts(part: str, facts: set[str], profile: Profile) -> list[tuple[float, str]]:
    """Points where the message names the tool, or holds a fact of the kind that the tool needs."""
    points = []
    if re.search(rf"(?<![\w-]){re.escape(fold(profile.spec.name))}(?![\w-])", fold(part)):
        points.append((NAMED, f"named: {profile.spec.name}"))
    found = sorted(facts & profile.telling)
    if "expression" in found:
        points.append((EXPRESSION, "an expression"))  # arithmetic needs no word: "12 * 7?"
    elif found:
        points.append((FACT, f"{found[0]} in the message"))
    return points


def _row(
    part: str, said: tuple[dict[str, float], ...], points: list[tuple[float, str]], profile: Profile
) -> Score:
    """Add the points up; a fact alone does not make a tool fit, and an unasked action weakens it."""
    named = any(why.startswith("named:") for _, why in points)
    if not any(value > 0 and why not in _BARE_FACTS for value, why in points):
        points = [(value, why) for value, why in points if value < 0]
    factor, why = _action_factor(part, {feature for word in said for feature in word}, profile)
    total = sum(value for value, _ in points)
    if factor != 1 and total > 0 and not named:
        points.append((total * (factor - 1), why))
    told = [
        f"{'-' if value < 0 else ''}{why.lstrip('=')}"
        for value, why in sorted(points, key=lambda row: -abs(row[0]))
        if abs(value) > 0.05
    ]
    return Score(part, profile.spec.name, round(sum(value for value, _ in points), 2), False, tuple(told[:6]))


def _action_factor(part: str, said: set[str], profile: Profile) -> tuple[float, str]:
    """Weaken a tool that changes something nobody asked to change, or one that only looks where a change is asked."""
    asks_how, bare = _ASKS_HOW.search(part), request_of(part)
    if profile.acts:
        if not profile.acts & said:
            return 0.35, "nobody asks for that action"
        if asks_how or (
            _ASKS.search(part) and not re.match(r"\W*(?:can|could|would|will) you\b", part, re.IGNORECASE)
        ):
            return 0.4, "a question about it, not a request"
        return 1, ""
    first = bare.split()[0] if bare.split() else ""
    wanted = {feature for feature, weight in features(first).items() if weight >= 0.5} & _action_features()
    if wanted and not asks_how and not _ASKS.search(bare) and not wanted & set(profile.weights):
        return 0.5, "asks for an action it does not do"
    return 1, ""


@lru_cache(maxsize=1_000)
def _profile(name: str, description: str, schema_text: str, names: tuple[str, ...]) -> Profile:
    schema = json.loads(schema_text)
    weights: dict[str, float] = {}

    def add(text: str, weight: float) -> None:
        for feature, share in features(text).items():
            weights[feature] = max(weights.get(feature, 0), weight * share)

    spoken = split_identifier(name)
    against, instead, friendly = _read_description(description, name, names)
    crowd = len({word for sentence in friendly for word in words(sentence)})
    for position, sentence in enumerate(friendly):
        add(sentence, (DESCRIPTION if position < 2 else DESCRIPTION * 0.8) * min(1, ROOM / max(1, crowd)))
    root = resolve(schema, schema)
    telling: set[str] = set()
    properties = root.get("properties") if isinstance(root.get("properties"), dict) else {}
    for key, sub in properties.items():
        sub = resolve(sub, schema)
        one = parameter(key, sub)
        add(split_identifier(key), PARAMETER)
        add(one.description, PARAMETER_TEXT)
        for option in variants(sub, schema):
            add(" ".join(split_identifier(str(value)) for value in (option.get("enum") or [])[:50]), VALUE)
        if key in (root.get("required") or []):
            telling |= set(one.kinds[:1]) & TELLING
    add(spoken, NAME)
    own_name = features(spoken)
    return Profile(
        ToolSpec(name, description, schema),
        weights,
        {feature: share for feature, share in against.items() if feature not in own_name},
        instead,
        frozenset(_verb(spoken) & _action_features()),
        frozenset(telling),
    )


def _read_description(
    description: str, name: str, names: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, frozenset[str]], list[str]]:
    """The words that speak against the tool, those that point to others, and the sentences that speak for it."""
    against: dict[str, float] = {}
    instead: dict[str, frozenset[str]] = {}
    friendly: list[str] = []
    for sentence in filter(str.strip, _SENTENCE.split(description)):
        others = [
            other
            for other in names
            if other != name and re.search(rf"(?<![\w-]){re.escape(other)}(?![\w-])", sentence)
        ]
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
    # "Find an order. Not for orders that …": a word that the tool also claims for itself cannot speak against it.
    return {f: s for f, s in against.items() if f not in for_it}, instead, friendly


def _verb(spoken: str) -> set[str]:
    first = spoken.split()[0] if spoken.split() else ""
    return {feature for feature, weight in features(first).items() if weight >= 0.5}


@lru_cache(maxsize=1)
def _action_features() -> frozenset[str]:
    return frozenset(
        feature
        for word in _ACTIONS.split()
        for feature, weight in features(word.replace("_", " "), "en").items()
        if weight == 1
    )
