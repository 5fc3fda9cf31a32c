"""Which tool fits a clause: what the clause says, and the words it shares with the definitions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..language.entities import Entity
from ..language.message import Clause
from ..language.speech_acts import LOOKING, action_features
from ..language.text import features, fold, nearest, stem, verb_concepts
from ..request import Score
from .slot_values import counts_nothing, measure_of
from .slots import TELLING
from .tool_profiles import NAME, Met, Profile, shape_of

# What a clause says for the tools -------------------------------------------------------------------

Words = tuple[tuple[str, dict[str, float]], ...]
_OPERATIONS = {
    "+": "add plus sum",
    "-": "subtract minus",
    "*": "multiply times",
    "/": "divide",
    "**": "exponent power",
}
OPERATION_NAMES = " ".join(_OPERATIONS.values())
_FACTS = TELLING | {"number", "numeral", "date"}
# What else a fact of a kind may be written as.
_THINGS = frozenset({"identifier", "numeral", "code", "quoted"})
_ALSO = {"identifier": _THINGS, "numeral": _THINGS, "place": frozenset({"place", "name", "code"})}


@dataclass(frozen=True)
class Evidence:
    """What a clause says for one set of tools."""

    clause: Clause
    words: Words
    """Its words as they are written, with what each of them stands for."""
    operations: Words
    """The sign of a calculation, and what it stands for: "3 + 4" asks to add."""
    kinds: dict[str, str]
    """The kinds of its facts, with the first of each; a "numeral" may be the number of a thing."""
    counts: Counter[str]
    """How many facts of each kind it has."""
    forms: dict[str, str]
    """The form of each number or code of a thing ("AAA-999"), and the number or code."""
    measures: dict[str, str]
    """What each number with a unit measures ("mass"), and how it is written."""
    calculates: bool
    """Whether it holds arithmetic, and an offered tool takes that."""
    role: str
    """The role of the tools that it asks for: to reach a person, to look through what was written, or to
    explain how things are done."""

    @property
    def about_one(self) -> bool:
        """Whether it asks yes or no about one thing that it names by its number."""
        return self.clause.asks_whether and bool(self.kinds.keys() & {"numeral", "identifier"})

    def has(self, kind: str, count: int = 1) -> bool:
        """Return whether it has as many facts that may be of a kind: for a fare two places."""
        alike = _ALSO.get(kind, frozenset({kind}))
        found = sum(self.counts[one] for one in alike - {"numeral"})
        return not alike.isdisjoint(self.kinds) and (count == 1 or found >= count)


def evidence_of(clause: Clause, tools: list[Profile]) -> Evidence:
    """Return what a clause says for a set of tools."""
    kinds: dict[str, str] = {}
    forms: dict[str, str] = {}
    measures: dict[str, str] = {}
    for entity in clause.entities:
        kinds.setdefault(entity.kind, entity.written)
        identifies = counts_nothing(entity, clause.entities)
        if identifies:
            kinds.setdefault("numeral", entity.written)
        if identifies or entity.kind == "identifier":
            forms[shape_of(entity.written)] = entity.written
        if measure := measure_of(entity):
            measures[measure] = " ".join([entity.written, *entity.after.split()[:1]])
    counts = Counter(entity.kind for entity in clause.entities)
    calculates = "expression" in kinds and any("expression" in profile.needs for profile in tools)
    words, operations = _understood(clause, tools), _operations(clause.entities)
    evidence = Evidence(clause, words, operations, kinds, counts, forms, measures, calculates, "")
    return replace(evidence, role=_role(evidence, tools))


def _role(evidence: Evidence, tools: list[Profile]) -> str:
    clause, offered = evidence.clause, {profile.role for profile in tools}
    if clause.asks_to_speak or (clause.asks_for_a_person and "person" in offered):
        return "person"
    if clause.asks_what_was_written and "records" in offered:
        return "records"
    answered = any(
        len(_needed(profile)) > 1 and not profile.acts and not lacks(profile, evidence) for profile in tools
    )
    return "help" if clause.asks_in_general and "help" in offered and not answered else ""


def lacks(profile: Profile, evidence: Evidence) -> bool:
    """Return whether a clause lacks a fact that a tool requires, or the tool requires none."""
    return not profile.needs or not all(map(evidence.has, _needed(profile)))


def _needed(profile: Profile) -> Counter[str]:
    return Counter(kind for kind in profile.needs if kind in _FACTS)


def _understood(clause: Clause, tools: list[Profile]) -> Words:
    """Return the words of a clause with what they stand for.

    One that neither the lexicon nor any definition knows is taken for the nearest word of the lexicon, as who
    reads "wether" does.
    """
    said = []
    for token in clause.tokens:
        stem = next(iter(token.meanings))
        unknown = len(token.meanings) == 1 and stem.startswith("=")
        if unknown and not any(stem in profile.weights for profile in tools):
            said.append((token.written, token.meanings | nearest(token, clause.text, clause.language)))
        else:
            said.append((token.written, token.meanings))
    return tuple(said)


def _operations(entities: tuple[Entity, ...]) -> Words:
    signs = {
        sign
        for e in entities
        if e.kind == "expression"
        for sign in str(e.value).split()
        if sign in _OPERATIONS
    }
    if len(signs) != 1:
        return ()
    sign = min(signs)
    return ((sign, dict.fromkeys(features(_OPERATIONS[sign], "en"), 1.0)),)


# Reasons: the word that counted, and the word of the definition that it met -----------------------

_KINDS = {
    "email": "an e-mail address", "url": "a link", "phone": "a phone number", "path": "a path",
    "expression": "an expression", "currency": "a currency", "place": "a place",
    "identifier": "a number or code", "numeral": "a number", "number": "a number",
    "language": "a language", "unit": "a unit", "colour": "a colour", "date": "a date",
}  # fmt: skip


class Point(NamedTuple):
    """What one word or fact of a message is worth for one tool."""

    value: float
    why: str
    """As the reader sees it."""
    feature: str = ""
    """The concept or stem by which a word counted."""


def kind_in_words(kind: str) -> str:
    """Return a kind of fact as the reader says it: "a place"."""
    return _KINDS.get(kind, f"a {kind}")


def meeting(written: str, feature: str, met: Met) -> str:
    """Return the word of a message that counted, and the word of the definition that it met, if that is
    another one: "order", "arrive ~ delivery"."""
    there = met.get(feature)
    if not there:
        return written
    best = max(there, key=lambda word: (there[word], _alike(word, written)))
    return written if _alike(best, written) else f"{written} ~ {best}"


def _alike(one: str, other: str) -> bool:
    """Return whether two words are forms of one: "orders" and "order"."""
    return any(stem(fold(one), language) == stem(fold(other), language) for language in ("en", "es"))


# Scores: words shared with the definitions, weighed so that good definitions win ------------------
# A tool's name weighs most, then its description, then its slots and enum values. A word that many of
# the offered tools contain weighs less than one that a single tool contains. Words in a sentence that says
# when *not* to use the tool count against it; another tool named there gains by them. Long descriptions are
# thinned: what counts is to say the right words, not all words. A tool whose arguments the clause gives
# gains, one for which it gives none loses.

THRESHOLD = 1.2  # below this a tool is not called: about one clear word of its description
AMONG_KIN = 1.2  # enough where other tools have the same words, counted as if no other tool had them
ALONE = 0.9  # enough for a tool that nothing else comes near
AGAINST = 2.0  # a word that the description says the tool is not for
NAMED = 6.0  # the message names the tool itself
EXPRESSION, FACT = 2.0, 0.6  # the message holds arithmetic, or another fact that the tool takes
LOOKS_LIKE = 1.3  # an identifier or number of the form that the definition gives as an example
ALL_SAID = 0.7  # two or more facts of different kinds, and they are all that the tool requires
SOUGHT = 1.3  # a tool of the role that the message asks for: one with help articles, a person
MOST_REASONS = 6  # reasons that are given
NOTHING_BUT = "nothing but "  # how the reason begins where a clause says nothing but facts
LOCATING = "location coordinate map geocode locate"

Points = list[Point]


def score(clause: Clause, tools: list[Profile]) -> list[Score]:
    """Return how well each tool fits one clause of a message; the best first, in a stable order."""
    if not tools:
        return []
    spread = Counter(feature for profile in tools for feature in profile.weights)
    # 1 for a word of one tool only, down to 1 / log2(1 + tools) for a word that all of them contain
    most = math.log2(1 + len(tools)) or 1.0
    rarity = {feature: math.log2(1 + len(tools) / count) / most for feature, count in spread.items()}
    evidence = evidence_of(clause, tools)
    pointing: dict[str, list[Profile]] = {}
    for profile in tools:
        for name in profile.instead:
            pointing.setdefault(name, []).append(profile)
    rows = [_row(evidence, profile, rarity, tools, pointing) for profile in tools]
    rows.sort(key=lambda row: -row.score)
    second = rows[1].score if len(rows) > 1 else 0
    enough = ALONE if second <= 0.4 * rows[0].score else THRESHOLD
    if rows[0].score < enough:
        # Several tools of one kind share its words. Which of them is meant, their other words say; whether
        # one of them is meant, the shared words say, too: those that mean the very same.
        best = next(profile for profile in tools if profile.spec.name == rows[0].tool)
        alone = _row(evidence, best, dict.fromkeys(rarity, 1.0), tools, pointing)
        weakened = any(reason.startswith("-") for reason in alone.because)
        if alone.score >= AMONG_KIN and not weakened and clause.meanings & best.exact:
            enough = 0.0
    return [replace(row, chosen=place == 0 and row.score >= enough) for place, row in enumerate(rows)]


def _points_of_words(evidence: Evidence, profile: Profile, rarity: dict[str, float]) -> Points:
    """Points for each word, by its best concept that no other word stands for yet (rain, then weather)."""
    points: Points = []
    counts = profile.needs and set(profile.needs) <= {"number", "expression"}
    against = profile.against
    words = list(evidence.words)
    if counts:
        words += evidence.operations
    worths = [
        (written, {f: share * rarity.get(f, 0) * profile.weights.get(f, 0) for f, share in word.items()})
        for written, word in words
        if not profile.weights.keys().isdisjoint(word)
    ]
    used: set[str] = set()
    for written, worth in sorted(worths, key=lambda row: -max(row[1].values())):
        value, best = max(((value, f) for f, value in worth.items() if f not in used), default=(0.0, ""))
        if value > 0:
            used.add(best)
            points.append(Point(value, meeting(written, best, profile.met), best))
    for written, word in words if against else ():
        value, f = min((-AGAINST * against.get(f, 0) * (weight == 1), f) for f, weight in word.items())
        if value:
            points.append(Point(value, meeting(written, f, profile.met), f))
    return points


def _points_of_others(evidence: Evidence, profile: Profile, pointing: dict[str, list[Profile]]) -> Points:
    """Points for words for which another tool's description points to this one."""
    points = []
    for other in pointing.get(profile.spec.name, ()):
        for written, word in evidence.words:
            pointed = other.instead[profile.spec.name] & word.keys()
            points += [
                Point(
                    word[f],
                    f"{meeting(written, f, other.met)} (in the description of {other.spec.name})",
                    f,
                )
                for f in sorted(pointed)[:1]
            ]
    return points


def _points_of_facts(evidence: Evidence, profile: Profile) -> Points:
    """Points where the message names the tool, or holds a fact of the kind that the tool takes."""
    points: Points = []
    clause, kinds = evidence.clause, evidence.kinds.keys()
    name, text = fold(profile.spec.name), fold(clause.text)
    if name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
        plain = not re.search(r"[_\-\d]", name) and len(text.split()) > 2
        points.append(Point(0.0 if plain else NAMED, f"named: {name}"))
    # Who asks where a place is asks nothing else of it.
    elsewhere = clause.asks_where and not profile.name & features(LOCATING, "en").keys()
    without = {"place"} if elsewhere else set()
    found = sorted(kinds & {*profile.needs} & TELLING - without) or sorted(
        kinds & profile.takes & _FACTS - without
    )
    if {"numeral", "identifier"} & set(profile.needs) and "numeral" in kinds:
        # A number says little by itself; of a thing that is named it is the number.
        found += ["numeral"] if clause.meanings & profile.nouns else []
    alike = sorted(evidence.forms.keys() & profile.forms.keys())
    measured = sorted(evidence.measures.keys() & profile.measures.keys())
    asks_who = clause.asks and "name" in profile.needs
    if "expression" in found:
        points.append(Point(EXPRESSION, _fact(evidence, "expression")))  # arithmetic needs no word: "12 * 7?"
    elif (
        clause.bare
        and not asks_who
        and not (elsewhere and "place" in profile.needs)
        and not profile.acts
        and profile.needs
        and set(profile.needs) <= kinds
    ):
        kinds_given = dict.fromkeys(kind_in_words(kind) for kind in sorted(set(profile.needs)))
        points.append(Point(THRESHOLD, f"{NOTHING_BUT}{' and '.join(kinds_given)}"))
    elif alike:
        form = f"{evidence.forms[alike[0]]} has the form of {profile.forms[alike[0]]}"
        points.append(Point(LOOKS_LIKE, form))
    elif measured:
        measure = f"{evidence.measures[measured[0]]} is a {profile.measures[measured[0]]}"
        points.append(Point(FACT, measure))
    elif found:
        share = min(1, evidence.counts.get(found[0], 1) / max(1, profile.needs.count(found[0])))
        points.append(Point(FACT * share, _fact(evidence, found[0])))
    named = [word for values in profile.choices + profile.filters if (word := _value_named(evidence, values))]
    points += [Point(FACT, f"{word} is one of the values") for word in named[:2]]
    if _is_prepared(evidence, profile):
        points.append(Point(ALL_SAID, "has all that it requires"))
    return points


def _is_prepared(evidence: Evidence, profile: Profile) -> bool:
    """Return whether a clause has two or more facts of different kinds, and they are all that a tool
    requires."""
    several = len(set(profile.needs) & (TELLING | {"number", "date"})) + len(profile.choices) > 1
    return (
        several
        and all(_value_named(evidence, values) for values in profile.choices)
        and all(evidence.has(kind, count) for kind, count in _needed(profile).items())
    )


def _value_named(evidence: Evidence, values: frozenset[str]) -> str:
    """Return the word of a clause that fully names one of some values."""
    units = {entity.written.lower() for entity in evidence.clause.entities if entity.kind == "unit"}
    named = (
        written
        for written, word in evidence.words
        if written not in units and any(word.get(value) == 1 for value in values)
    )
    return next(named, "")


def _fact(evidence: Evidence, kind: str) -> str:
    return f"{evidence.kinds[kind]} is {kind_in_words(kind)}"


def _row(
    evidence: Evidence,
    profile: Profile,
    rarity: dict[str, float],
    tools: list[Profile],
    pointing: dict[str, list[Profile]],
) -> Score:
    """Add the points up; a fact alone does not make a tool fit, and an action nobody asked for weakens it.

    `pointing` gives for the name of a tool those whose descriptions point to it.
    """
    clause = evidence.clause
    points = _points_of_words(evidence, profile, rarity) + _points_of_others(evidence, profile, pointing)
    facts = _points_of_facts(evidence, profile)
    if clause.first & profile.name & profile.exact and {"quoted", "code"} & set(profile.needs):
        points.append(Point(FACT, "asks to look for something"))
    # A word that only touches a slot, or what a place is ("capital": it has a country), does not make
    # the place beside it a reason to call.
    meant = profile.about | (clause.meanings & (profile.name | profile.labels | profile.values))
    fits = any(point.value > 0 and point.feature in meant for point in points)
    if fits or any(fact.value > FACT for fact in facts):
        points += facts
    if clause.topic and profile.searches:
        points.append(Point(FACT, f"asks about {clause.topic}"))
    if evidence.role and evidence.role == profile.role and not (facts and profile.role == "help"):
        points.append(Point(SOUGHT, _ROLES[profile.role]))
    total = sum(point.value for point in points)
    if total > 0 and not any(fact.why.startswith("named:") and fact.value for fact in facts):
        factor, why = next(_weakenings(evidence, profile, tools), (1.0, ""))
        points += [Point(total * (factor - 1), why)] if why else []
    reasons = dict.fromkeys(
        f"{'-' if point.value < 0 else ''}{point.why}"
        for point in sorted(points, key=lambda point: -abs(point.value))
        if abs(point.value) > 0.05
    )
    total = round(sum(point.value for point in points), 2)
    return Score(clause.text, profile.spec.name, total, False, tuple(reasons)[:MOST_REASONS])


# Why a tool is not meant, although its words fit ----------------------------------------------------

_ROLES = {
    "person": "asks for a person",
    "records": "asks what was written",
    "help": "asks how something works",
}


def _weakenings(evidence: Evidence, profile: Profile, tools: list[Profile]) -> Iterator[tuple[float, str]]:
    """Yield what is left of a tool's points for each reason against it, the weightiest reason first."""
    yield from _of_the_role(evidence, profile, tools)
    if evidence.role and evidence.role == profile.role:
        return
    if not (evidence.calculates and "expression" in profile.needs):
        yield from _of_the_action(evidence, profile)
    if profile.acts or profile.role == "help":
        return
    if lacks(profile, evidence) and (evidence.about_one or evidence.role == "help"):
        yield 0.4, "the question has not what it requires"
    needed = _needed(profile)
    if needed and not any(map(evidence.has, needed)) and not evidence.clause.points_back:
        yield 0.7, "nothing that it requires is said"


def _of_the_role(evidence: Evidence, profile: Profile, tools: list[Profile]) -> Iterator[tuple[float, str]]:
    """A tool that does not write, look through writings or reach a person where that is asked for."""
    clause, other = evidence.clause, evidence.role != profile.role
    named = {f for f in profile.name if profile.weights.get(f, 0) >= NAME}  # fully, not by a related word
    if evidence.role == "person" and other:
        yield 0.1, "asks for a person"
    writes = clause.writes
    if writes is not None and not clause.verb & (profile.acts | named):
        if profile.role == "records" or not writes & named:
            yield 0.2, "asks to write a text"
    if evidence.role == "records" and other:
        yield 0.3, "asks what was written about it"
    if profile.role == "records" and not clause.meanings & named and not clause.of_oneself:
        yield 0.4, "says nothing of what somebody wrote"
    if profile.role == "help" and other:
        others = {form for tool in tools if not tool.acts for form in tool.forms}
        if evidence.forms.keys() & others:
            yield 0.5, "asks about one thing, not in general"


def _of_the_action(evidence: Evidence, profile: Profile) -> Iterator[tuple[float, str]]:
    """A tool that makes a change nobody asked for, or only looks where a change is asked for."""
    clause, first = evidence.clause, evidence.clause.first
    said = {feature for _, meanings in evidence.words for feature in meanings}
    if clause.declines:
        yield 0.1, "says not to do it"
    named = {f for values in profile.filters for f in values if f[0] == "="}  # by the very word
    filtered = said & named or (said & profile.values and evidence.kinds.keys() & profile.takes)
    if profile.open and not (said & profile.name - verb_concepts() or profile.acts & first or filtered):
        yield 0.4, "could always be called, and nothing names it"
    operates = evidence.operations and profile.name & features(OPERATION_NAMES, "en").keys()
    asks = clause.asks_how or (clause.asks and not clause.asks_us)
    if profile.acts and not operates:
        if clause.asks_whether:
            yield 0.1, "a question about a state, not a request"
        if asks or (clause.asks_to_see and not first & profile.acts):
            yield 0.2, "a question about it, not a request"
        if not profile.acts & said and not first & profile.name & profile.exact:
            yield (0.8 if _is_prepared(evidence, profile) else 0.35), "nobody asks for that action"
    elif not profile.acts and not (clause.asks_to_see or clause.asks_how or clause.asks_anywhere):
        # "refund order 5" asks to refund, not to order
        asked = clause.verb & action_features() or clause.action & action_features()
        if asked and not asked & profile.does:
            yield (0.1 if LOOKING & profile.does else 0.5), "asks for an action it does not do"
