"""Which tool fits a part of the message: words shared with the definitions, weighed so that good definitions
win.

A tool's name weighs most, then its description, then its parameters and enum values. A word that many of the
offered tools contain weighs less than one that a single tool contains. Words in a sentence that says when
*not* to use the tool count against it; another tool named there gains by them. Long descriptions are
thinned: what counts is to say the right words, not all words. A tool whose arguments the part gives gains,
one for which it gives none loses.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace

from .actions import LOOKING, action_features
from .asking import ASKS, ASKS_HOW, ASKS_US, ASKS_WHETHER, clauses, first_word, says_not_to
from .heard import OPERATION_NAMES, Heard, Said, hear, lacks, lacks_all
from .language import features, fold
from .lexicon import verb_concepts
from .phrases import request_of
from .profiles import Profile
from .reading import Entity
from .request import Score
from .wants import TELLING

THRESHOLD = 1.2  # below this a tool is not called: about one clear word of its description
ALONE = 0.9  # enough for a tool that nothing else comes near
AGAINST = 2.0  # a word that the description says the tool is not for
NAMED = 6.0  # the message names the tool itself
EXPRESSION, FACT = 2.0, 0.6  # the message holds arithmetic, or another fact that the tool requires
NOTHING_BUT = "nothing but "  # how the reason begins where a part says nothing but facts
LOOKS_LIKE = 1.3  # an identifier or number of the form that the definition gives as an example
ALL_SAID = 0.7  # two or more facts of different kinds, and they are all that the tool requires
LACKS = -0.3  # nothing in the message is the number or code that the tool requires: a tie is lost
NOTHING_SAID = 0.7  # what is left of a tool that looks, where the message has nothing that it requires
EXPLAINED = 1.3  # a question of rules, for a tool that searches texts about them
PERHAPS_EXPLAINED = 0.5  # a question without any fact, for such a tool

Points = list[tuple[float, str]]


def score(part: str, tongue: str, entities: tuple[Entity, ...], offered: list[Profile]) -> list[Score]:
    """How well each tool fits one part of a message; the best first, in a stable order."""
    spread = Counter(feature for profile in offered for feature in profile.weights)
    # 1 for a word of one tool only, down to 1 / log2(1 + tools) for a word that all of them contain
    most = math.log2(1 + len(offered)) or 1.0
    rarity = {feature: math.log2(1 + len(offered) / count) / most for feature, count in spread.items()}
    heard = hear(part, tongue, entities, offered)
    rows = []
    for profile in offered:
        points = _points_of_words(heard, profile, rarity) + _points_of_others(heard.said, profile, offered)
        rows.append(_row(heard, points, profile, offered))
    rows.sort(key=lambda row: -row.score)
    second = rows[1].score if len(rows) > 1 else 0
    enough = ALONE if second <= 0.4 * rows[0].score else THRESHOLD
    return [replace(row, chosen=place == 0 and row.score >= enough) for place, row in enumerate(rows)]


def _points_of_words(heard: Heard, profile: Profile, rarity: dict[str, float]) -> Points:
    """Points for the words of the message, each by the best of its concepts (rain, else weather) that no
    other word stands for already."""
    points: Points = []
    counts = profile.needs and set(profile.needs) <= {"number", "expression"}
    against = profile.against | (profile.against_one if heard.forms else {})
    words = heard.said + heard.operations if counts else heard.said
    worths = [
        {f: share * rarity.get(f, 0) * profile.weights.get(f, 0) for f, share in word.items()}
        for word in words
    ]
    used: set[str] = set()
    for worth in sorted(worths, key=lambda worth: -max(worth.values())):
        value, best = max(((value, f) for f, value in worth.items() if f not in used), default=(0.0, ""))
        if value > 0:
            used.add(best)
            points.append((value, best))
    for word in words:
        points.append(min((-AGAINST * against.get(f, 0) * (weight == 1), f) for f, weight in word.items()))
    return points


def _points_of_others(said: Said, profile: Profile, offered: list[Profile]) -> Points:
    """Points for words for which another tool's description points to this one."""
    points = []
    for other in offered:
        if profile.spec.name in other.instead:
            for word in said:
                pointed = other.instead[profile.spec.name] & word.keys()
                points += [(word[f], f"{f} (said by {other.spec.name})") for f in sorted(pointed)[:1]]
    return points


def _points_of_facts(heard: Heard, profile: Profile) -> Points:
    """Points where the message names the tool, or holds a fact of the kind that the tool needs."""
    points = []
    kinds, name = heard.kinds, fold(profile.spec.name)
    if name in fold(heard.text) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", fold(heard.text)):
        plain = not re.search(r"[_\-\d]", name) and len(heard.text.split()) > 2
        points.append((0.0 if plain else NAMED, f"named: {name}"))
    found = sorted(kinds & profile.telling)
    alike = sorted(heard.forms.keys() & profile.forms.keys())
    measured = sorted(heard.measures.keys() & profile.measures.keys())
    named = any(word.keys() & profile.name - verb_concepts() for word in heard.said)
    if "numeral" in profile.needs and "numeral" in kinds and named:
        found.append("numeral")
    if "expression" in found:
        points.append((EXPRESSION, "an expression"))  # arithmetic needs no word: "12 * 7?"
    elif heard.bare and not profile.acts and profile.needs and set(profile.needs) <= kinds:
        points.append((THRESHOLD, f"{NOTHING_BUT}{' and '.join(sorted(set(profile.needs)))}"))
    elif alike:
        points.append((LOOKS_LIKE, f"{heard.forms[alike[0]]} has the form of {profile.forms[alike[0]]}"))
    elif measured:
        points.append((FACT, f"{heard.measures[measured[0]]} is a {profile.measures[measured[0]]}"))
    elif found:
        points.append((FACT, f"{found[0]} in the message"))
    elif filters := sorted(kinds & profile.takes & (TELLING | {"date"})):
        points.append((FACT, f"{filters[0]} in the message"))
    if len(set(profile.needs) & (TELLING | {"number", "date"})) > 1 and not lacks(profile, kinds):
        points.append((ALL_SAID, "has all that it requires"))
    if {"numeral", "identifier"} & set(profile.needs) and not {"numeral", "identifier", "code"} & kinds:
        points.append((LACKS, "nothing names the one that is meant"))
    return points


def _row(heard: Heard, points: Points, profile: Profile, offered: list[Profile]) -> Score:
    """Add the points up; a fact alone does not make a tool fit, and an unasked action weakens it."""
    facts = _points_of_facts(heard, profile)
    if first_word(heard.text) & profile.name and {"quoted", "code"} & set(profile.needs):
        points = [*points, (FACT, "asks to look for something")]
    # A word that only touches a parameter ("capital" a country) does not make the place beside it a reason
    # to call.
    exact = {f for word in heard.said for f, w in word.items() if w == 1}
    meant = profile.does | (exact & (profile.labels | profile.values))
    if any(value > 0 and why.split(" (")[0] in meant for value, why in points) or any(
        value > FACT for value, _ in facts
    ):
        points = points + facts
    if heard.about_one and profile.needs and set(profile.needs) <= {"numeral", "identifier"}:
        points = [*points, (FACT, "asks about one thing")]
    factor, why = _action_factor(heard, profile)
    if factor == 1 and not profile.acts:
        factor, why = _fit_factor(heard, points, profile, offered)
    if profile.explains and heard.in_general and not facts:
        factor = 1.0
        points = [*points, (EXPLAINED, "asks how something works")]
    elif profile.explains and heard.factless and any(value > 0.3 for value, _ in points):
        points = [*points, (PERHAPS_EXPLAINED, "a question in general")]
    total = sum(value for value, _ in points)
    if factor != 1 and total > 0 and not any(why.startswith("named:") and value for value, why in facts):
        points.append((total * (factor - 1), why))
    told = [
        f"{'-' if value < 0 else ''}{why.lstrip('=')}"
        for value, why in sorted(points, key=lambda row: -abs(row[0]))
        if abs(value) > 0.05
    ]
    total = round(sum(value for value, _ in points), 2)
    return Score(heard.text, profile.spec.name, total, False, tuple(told[:6]))


def _fit_factor(heard: Heard, points: Points, profile: Profile, offered: list[Profile]) -> tuple[float, str]:
    """Weaken a tool that only looks, where the message has not what it requires, or is no matter for it."""
    if profile.explains:
        others = {form for one in offered if not one.acts for form in one.forms}
        return (0.5, "asks about one thing, not in general") if heard.forms.keys() & others else (1, "")
    if lacks(profile, heard.kinds) and (heard.about_one or heard.in_general):
        return 0.4, "the question has not what it requires"
    if _only_looks(points, profile):
        return 0.4, "nothing but its verb fits"
    if heard.factless and len(profile.needs) > 1 and any(one.explains for one in offered):
        return 0.4, "a question in general"
    if lacks_all(profile, heard.kinds):
        return NOTHING_SAID, "nothing that it requires is said"
    return 1, ""


def _only_looks(points: Points, profile: Profile) -> bool:
    """Whether all that speaks for a tool is a verb that most tools share ("show", "find"), and its name says
    more than that."""
    fitting = {why for value, why in points if value > 0.05}
    return bool(fitting) and fitting <= LOOKING and not profile.name <= LOOKING | verb_concepts()


def _action_factor(heard: Heard, profile: Profile) -> tuple[float, str]:
    """Weaken a tool that changes something nobody asked to change, or one that only looks where a change is
    asked."""
    part, said = heard.text, heard.said
    asks_how, bare = ASKS_HOW.search(part), request_of(part)
    first = first_word(part)
    if says_not_to(part):
        return 0.1, "says not to do it"
    if profile.open and not any(profile.name - verb_concepts() & word.keys() for word in said):
        filtered = any(profile.values & word.keys() for word in said) and heard.kinds & profile.takes
        if not profile.acts & first and not filtered:
            return 0.4, "could always be called, and nothing names it"
    operates = heard.operations and profile.name & features(OPERATION_NAMES, "en").keys()
    if profile.acts and not operates:
        if ASKS_WHETHER.search(part):
            return 0.1, "a question about a state, not a request"
        if asks_how or (ASKS.search(part) and not ASKS_US.match(part)):
            return 0.2, "a question about it, not a request"
        if not profile.acts & {feature for word in said for feature in word} and not first & profile.name:
            return 0.35, "nobody asks for that action"
        return 1, ""
    verb = bare.split()[:1]
    plain = {f for word in verb for f, weight in features(word).items() if weight == 1} & action_features()
    wanted = plain or first & action_features()  # "refund order 5" asks to refund, not to order
    asks = asks_how or any(ASKS.search(request_of(clause)) for clause in clauses(part))
    if wanted and not asks and not wanted & profile.does:
        prepared = len(set(profile.needs)) > 1 and set(profile.needs) <= heard.kinds
        return 0.1 if plain and profile.looks and not prepared else 0.5, "asks for an action it does not do"
    return 1, ""
