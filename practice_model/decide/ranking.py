"""Which tool fits a clause: what the clause says, and the words it shares with the definitions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
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


@dataclass(frozen=True)
class Evidence:
    """What a clause says for one set of tools."""

    clause: Clause
    words: Words
    """Its words as they are written, with what each of them stands for."""
    calculates: bool
    """Whether it holds arithmetic, and an offered tool takes that."""
    operations: tuple[tuple[str, dict[str, float]], ...]
    """The sign of a calculation, and what it stands for: "3 + 4" asks to add."""
    kinds: dict[str, str]
    """The kinds of its facts, with the first of each; a "numeral" may be the number of a thing."""
    counts: Counter[str]
    """How many facts of each kind it has."""
    forms: dict[str, str]
    """The form of each number or code of a thing ("AAA-999"), and the number or code."""
    measures: dict[str, str]
    """What each number with a unit measures ("mass"), and how it is written."""
    about_one: bool
    """Whether it asks yes or no about one thing that it names by its number."""
    in_general: bool
    """Whether it asks how things are done, and no offered tool can answer it with its own arguments."""
    about_writings: bool
    """Whether it asks what somebody wrote before, and an offered tool looks among such texts."""
    asks_for_a_person: bool
    """Whether it asks to speak with somebody, and an offered tool brings a person."""
    factless: bool
    """Whether it is a question without any fact, and not about what somebody did or has."""


def evidence_of(clause: Clause, tools: list[Profile]) -> Evidence:
    """Return what a clause says for a set of tools."""
    kinds: dict[str, str] = {}
    for entity in clause.entities:
        kinds.setdefault(entity.kind, entity.written)
        if counts_nothing(entity, clause.entities):
            kinds.setdefault("numeral", entity.written)
    named = [entity.written for entity in clause.entities if _identifies(entity, clause.entities)]
    measured = {
        measure_of(entity): " ".join([entity.written, *entity.after.split()[:1]])
        for entity in clause.entities
        if measure_of(entity)
    }
    answered = any(
        len(_needed(profile)) > 1 and not profile.acts and not lacks(profile, kinds) for profile in tools
    )
    person = clause.asks_for_a_person and any(profile.role == "person" for profile in tools)
    explained = clause.asks_in_general and any(profile.explains for profile in tools)
    return Evidence(
        clause,
        _understood(clause, tools),
        "expression" in kinds and any("expression" in profile.needs for profile in tools),
        _operations(clause.entities),
        kinds,
        Counter(entity.kind for entity in clause.entities),
        {shape_of(written): written for written in named},
        measured,
        clause.asks_whether and bool(kinds.keys() & {"numeral", "identifier"}),
        explained and not answered and not person,
        clause.asks_what_was_written and any(profile.records for profile in tools),
        person,
        not clause.entities and clause.asks and not clause.asks_about_own,
    )


def lacks(profile: Profile, kinds: Iterable[str]) -> bool:
    """Return whether a clause lacks a fact that a tool requires, or the tool requires none."""
    return not profile.needs or not _needed(profile) <= _has(kinds)


def has_all(profile: Profile, evidence: Evidence) -> bool:
    """Return whether a clause has as many facts of each kind as a tool requires: for a fare two places."""
    needed = Counter(kind for kind in profile.needs if kind in _FACTS)
    return all(
        kind in _has(evidence.kinds) and (count == 1 or _count(evidence, kind) >= count)
        for kind, count in needed.items()
    )


def _count(evidence: Evidence, kind: str) -> int:
    """Return how many facts of a clause may be of a kind."""
    return sum(evidence.counts[one] for one in _ALSO.get(kind, {kind}) - {"numeral"})


def lacks_all(profile: Profile, kinds: Iterable[str]) -> bool:
    """Return whether a message has none of the facts that a tool requires."""
    return bool(_needed(profile)) and not _needed(profile) & _has(kinds)


def _needed(profile: Profile) -> set[str]:
    return set(profile.needs) & _FACTS


# What else a fact of a kind may be written as.
_ALSO = {
    "identifier": {"identifier", "numeral", "code", "quoted"},
    "numeral": {"identifier", "numeral", "code", "quoted"},
    "place": {"place", "name", "code"},
}


def _has(kinds: Iterable[str]) -> set[str]:
    found = set(kinds)
    return found | {kind for kind, others in _ALSO.items() if found & others}


def _identifies(entity: Entity, entities: tuple[Entity, ...]) -> bool:
    return entity.kind == "identifier" or counts_nothing(entity, entities)


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


def _operations(entities: tuple[Entity, ...]) -> tuple[tuple[str, dict[str, float]], ...]:
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
EXPRESSION, FACT = 2.0, 0.6  # the message holds arithmetic, or another fact that the tool requires
MOST_REASONS = 6  # reasons that are given
NOTHING_BUT = "nothing but "  # how the reason begins where a clause says nothing but facts
LOOKS_LIKE = 1.3  # an identifier or number of the form that the definition gives as an example
ALL_SAID = 0.7  # two or more facts of different kinds, and they are all that the tool requires
LACKS = -0.3  # nothing in the message is the number or code that the tool requires: a tie is lost
NOTHING_SAID = 0.7  # what is left of a tool that looks, where the message has nothing that it requires
WRITTEN = 1.3  # a question of what somebody wrote, for a tool that looks among such texts
LOCATING = "location coordinate map geocode locate"
EXPLAINED = 1.3  # a question of rules, for a tool that searches texts about them
PERHAPS_EXPLAINED = 0.5  # a question without any fact, for such a tool

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
    pointing = [profile for profile in tools if profile.instead]
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
    against = profile.against | (profile.against_one if evidence.forms else {})
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


def _points_of_others(evidence: Evidence, profile: Profile, pointing: list[Profile]) -> Points:
    """Points for words for which another tool's description points to this one."""
    points = []
    for other in pointing:
        if profile.spec.name in other.instead:
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
    """Points where the message names the tool, or holds a fact of the kind that the tool needs."""
    points: Points = []
    kinds, name, text = evidence.kinds.keys(), fold(profile.spec.name), fold(evidence.clause.text)
    if name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
        plain = not re.search(r"[_\-\d]", name) and len(text.split()) > 2
        points.append(Point(0.0 if plain else NAMED, f"named: {name}"))
    elsewhere = {"place"} if _asks_where(evidence, profile) else set()
    found = sorted(kinds & profile.telling - elsewhere)
    alike = sorted(evidence.forms.keys() & profile.forms.keys())
    measured = sorted(evidence.measures.keys() & profile.measures.keys())
    named = any(word.keys() & profile.name - verb_concepts() for _, word in evidence.words)
    if "numeral" in profile.needs and "numeral" in kinds and named:
        found.append("numeral")
    # The numbers of a calculation are the calculator's; a share of an amount may be another tool's too.
    for_calculator = evidence.calculates and "percent" not in evidence.measures
    if "expression" in found:
        points.append(Point(EXPRESSION, _fact(evidence, "expression")))  # arithmetic needs no word: "12 * 7?"
    elif (
        evidence.clause.bare
        and not (evidence.clause.asks and "name" in profile.needs)
        and not for_calculator
        and not elsewhere
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
        share = min(1, _count(evidence, found[0]) / max(1, profile.needs.count(found[0])))
        points.append(Point(FACT * share, _fact(evidence, found[0])))
    elif profile.open and (state := _state(evidence, profile)):
        points.append(Point(FACT, f"{state} is one of the values"))
    elif filters := sorted(kinds & profile.takes & (TELLING | {"date"})):
        points.append(Point(FACT, _fact(evidence, filters[0])))
    chosen = _values_named(evidence, profile)
    also = [word for values in profile.filters if (word := _value_named(evidence, values))]
    points += [Point(FACT, f"{word} is one of the values") for word in [*chosen, *also][:2]]
    if _is_prepared(evidence, profile):
        points.append(Point(ALL_SAID, "has all that it requires"))
    lacking = {"numeral", "identifier"} & set(profile.needs) and not {"numeral", "identifier", "code"} & kinds
    if lacking and not evidence.clause.points_back:
        points.append(Point(LACKS, "nothing names the one that is meant"))
    return points


def _values_named(evidence: Evidence, profile: Profile) -> list[str]:
    """Return the words of a clause that name a value of each required enum."""
    return [word for values in profile.choices if (word := _value_named(evidence, values))]


def _is_prepared(evidence: Evidence, profile: Profile) -> bool:
    """Return whether a clause has two or more facts of different kinds, and they are all that a tool
    requires."""
    several = len(set(profile.needs) & (TELLING | {"number", "date"})) + len(profile.choices) > 1
    return (
        several
        and len(_values_named(evidence, profile)) == len(profile.choices)
        and has_all(profile, evidence)
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


def _asks_where(evidence: Evidence, profile: Profile) -> bool:
    """Return whether a clause asks where a place is, and a tool that takes a place does not tell that."""
    where = evidence.clause.asks_where and "place" in profile.needs
    return bool(where) and not profile.name & features(LOCATING, "en").keys()


def _state(evidence: Evidence, profile: Profile) -> str:
    """Return the word of a clause that names an enum value of a tool and its matter: "which bills are
    paid?"."""
    full = [(written, {f for f, weight in word.items() if weight == 1}) for written, word in evidence.words]
    if not any(said & profile.name - verb_concepts() for _, said in full):
        return ""
    return next((written for written, said in full if said & profile.values - profile.name), "")


def _fact(evidence: Evidence, kind: str) -> str:
    return f"{evidence.kinds[kind]} is {kind_in_words(kind)}"


def _row(
    evidence: Evidence,
    profile: Profile,
    rarity: dict[str, float],
    tools: list[Profile],
    pointing: list[Profile],
) -> Score:
    """Add the points up; a fact alone does not make a tool fit, and an action nobody asked for weakens it.

    `pointing` are the tools whose descriptions point to another one.
    """
    points = _points_of_words(evidence, profile, rarity) + _points_of_others(evidence, profile, pointing)
    facts = _points_of_facts(evidence, profile)
    if evidence.clause.first & profile.name & profile.exact and {"quoted", "code"} & set(profile.needs):
        points = [*points, Point(FACT, "asks to look for something")]
    # A word that only touches a slot, or what a place is ("capital": it has a country), does not make
    # the place beside it a reason to call.
    exact = {f for _, word in evidence.words for f, w in word.items() if w == 1}
    meant = profile.about | (exact & (profile.name | profile.labels | profile.values))
    fits = any(point.value > 0 and point.feature in meant for point in points)
    fits = fits or any(fact.value > FACT for fact in facts)
    if fits:
        points = points + facts
    if evidence.asks_for_a_person and profile.role == "person":
        points = [*points, Point(EXPLAINED, "asks for a person")]
    if evidence.about_one and profile.needs and set(profile.needs) <= {"numeral", "identifier"}:
        points = [*points, Point(FACT, "asks about one thing")]
    if evidence.clause.topic and profile.searches:
        points = [*points, Point(FACT, f"asks about {evidence.clause.topic}")]
    if evidence.about_writings and profile.records:
        points = [*points, Point(WRITTEN, "asks what was written")]
    factor, why = _aim_factor(evidence, profile)
    asked = (
        evidence.about_writings and profile.records or evidence.asks_for_a_person and profile.role == "person"
    )
    if factor == 1 and not asked:
        factor, why = _action_factor(evidence, profile)
    if factor == 1 and not profile.acts:
        factor, why = _fit_factor(evidence, points, profile, tools)
    if factor == 1 and not fits and not profile.acts and "place" in evidence.kinds.keys() & {*profile.needs}:
        factor, why = 0.4, "asks something else of the place"
    if profile.explains and evidence.in_general and not facts:
        factor = 1.0
        points = [*points, Point(EXPLAINED, "asks how something works")]
    elif profile.explains and evidence.factless and any(point.value > 0.3 for point in points):
        points = [*points, Point(PERHAPS_EXPLAINED, "a question in general")]
    total = sum(point.value for point in points)
    named = any(fact.why.startswith("named:") and fact.value for fact in facts)
    if factor != 1 and total > 0 and not named:
        points = [*points, Point(total * (factor - 1), why)]
    reasons = dict.fromkeys(
        f"{'-' if point.value < 0 else ''}{point.why}"
        for point in sorted(points, key=lambda point: -abs(point.value))
        if abs(point.value) > 0.05
    )
    total = round(sum(point.value for point in points), 2)
    return Score(evidence.clause.text, profile.spec.name, total, False, tuple(reasons)[:MOST_REASONS])


def _aim_factor(evidence: Evidence, profile: Profile) -> tuple[float, str]:
    """Weaken a tool that does not write, look through writings or reach a person where that is asked for."""
    if evidence.asks_for_a_person or evidence.clause.asks_to_speak:
        return (1, "") if profile.role == "person" else (0.1, "asks for a person")
    named = {f for f in profile.name if profile.weights.get(f, 0) >= NAME}  # fully, not by a related word
    if evidence.clause.writes is not None:
        if not evidence.clause.verb & (profile.acts | named) and (
            profile.records or not evidence.clause.writes & named
        ):
            return 0.2, "asks to write a text"
    if evidence.about_writings and not profile.records:
        return 0.3, "asks what was written about it"
    exact = {f for _, word in evidence.words for f, weight in word.items() if weight == 1}
    if profile.records and not exact & named and not evidence.clause.of_oneself:
        return 0.4, "says nothing of what somebody wrote"
    return 1, ""


def _fit_factor(
    evidence: Evidence, points: Points, profile: Profile, tools: list[Profile]
) -> tuple[float, str]:
    """Weaken a tool that only looks, where the clause lacks what it requires or is about something else."""
    if profile.explains:
        others = {form for tool in tools if not tool.acts for form in tool.forms}
        return (0.5, "asks about one thing, not in general") if evidence.forms.keys() & others else (1, "")
    if lacks(profile, evidence.kinds) and (evidence.about_one or evidence.in_general):
        return 0.4, "the question has not what it requires"
    if _only_looks(points, profile) and lacks(profile, evidence.kinds):
        return 0.4, "nothing but its verb fits"
    if evidence.factless and len(profile.needs) > 1 and any(tool.explains for tool in tools):
        return 0.4, "a question in general"
    if lacks_all(profile, evidence.kinds) and not evidence.clause.points_back:
        return NOTHING_SAID, "nothing that it requires is said"
    return 1, ""


def _only_looks(points: Points, profile: Profile) -> bool:
    """Return whether only a common verb ("show", "find") fits, and the tool's name says more than that."""
    fitting = {point.feature for point in points if point.value > 0.05}
    return bool(fitting) and fitting <= LOOKING and not profile.name <= LOOKING | verb_concepts()


def _action_factor(evidence: Evidence, profile: Profile) -> tuple[float, str]:
    """Weaken a tool that makes a change nobody asked for, or only looks where a change is asked for."""
    clause, said = evidence.clause, [meanings for _, meanings in evidence.words]
    if evidence.calculates and "expression" in profile.needs:
        return 1, ""  # "add 3 and 4": the verb is the sign of the calculation
    first = clause.first
    if clause.declines:
        return 0.1, "says not to do it"
    if profile.open and not any(profile.name - verb_concepts() & word.keys() for word in said):
        filtered = (
            any(profile.values & word.keys() for word in said) and evidence.kinds.keys() & profile.takes
        )
        if not profile.acts & first and not filtered:
            return 0.4, "could always be called, and nothing names it"
    operates = evidence.operations and profile.name & features(OPERATION_NAMES, "en").keys()
    if profile.acts and not operates:
        if clause.asks_to_see and not clause.first & profile.acts:
            return 0.35, "asks to see something"
        if clause.asks_whether:
            return 0.1, "a question about a state, not a request"
        if clause.asks_how or (clause.asks and not clause.asks_us):
            return 0.2, "a question about it, not a request"
        if (
            not profile.acts & {feature for word in said for feature in word}
            and not first & profile.name & profile.exact
        ):
            return (0.8 if _is_prepared(evidence, profile) else 0.35), "nobody asks for that action"
        return 1, ""
    plain = clause.verb & action_features()
    # "refund order 5" asks to refund, not to order
    asked = frozenset() if clause.asks_to_see else plain or clause.action & action_features()
    asks = clause.asks_how or clause.asks_anywhere
    if asked and not asks and not asked & profile.does:
        prepared = len(set(profile.needs)) > 1 and set(profile.needs) <= evidence.kinds.keys()
        return 0.1 if plain and profile.looks and not prepared else 0.5, "asks for an action it does not do"
    return 1, ""
