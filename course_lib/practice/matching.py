"""Which tool fits a part of the message: words shared with the definitions, weighed so that good definitions
win.

A tool's name weighs most, then its description, then its parameters and enum values. A word that many of the
offered tools contain weighs less than one that a single tool contains. Words in a sentence that says when
*not* to use the tool count against it; another tool named there gains by them. Long descriptions are
thinned: what counts is to say the right words, not all words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace

from .language import features, fold, one_of, short_cache, stop_words, verb_concepts, word_features, words
from .phrases import request_of
from .profiles import Profile, action_features
from .reading import Entity
from .request import Score
from .values import counts_nothing
from .wants import TELLING

THRESHOLD = 1.2  # below this a tool is not called: about one clear word of its description
ALONE = 0.9  # enough for a tool that nothing else comes near
AGAINST = 2.0  # a word that the description says the tool is not for
NAMED = 6.0  # the message names the tool itself
EXPRESSION, FACT = 2.0, 0.6  # the message holds arithmetic, or another fact that the tool requires
NOTHING_BUT = "nothing but "  # how the reason begins where a part says nothing but facts
LACKS = -0.3  # nothing in the message is the number or code that the tool requires: a tie is lost
EXPLAINED = 1.3  # a question of rules, for a tool that searches texts about them
_OPERATIONS = {
    "+": "add plus sum",
    "-": "subtract minus",
    "*": "multiply times",
    "/": "divide",
    "**": "exponent power",
}
_ASKS_HOW = re.compile(
    r"^\W*"
    + one_of(
        r"how (?:do|can|could|should|would|to)\b", r"can (?:i|we)\b", r"may i\b", "is it possible",
        r"what (?:is|are|happens)\b",
        r"c[oó]mo (?:puedo|hago|se|podr[ií]a)\b", r"puedo\b", r"se puede\b", r"es posible\b",
        r"qu[eé] (?:es|pasa|son)\b",
    ),
    re.IGNORECASE,
)  # fmt: skip
_ASKS = re.compile(
    r"^\W*"
    + one_of(
        "how", "what", "which", "who", "whom", "whose", "when", "where", "why",
        "is", "are", "was", "were", "did", "does", "do", "has", "have",
        "qu[eé]", r"cu[aá]l\w*", r"cu[aá]nt\w+", r"qui[eé]n\w*", "cu[aá]ndo", "d[oó]nde", "c[oó]mo",
        "por qu[eé]", "hay",
        "est[aá]n?", "ha", "han",
    )
    + r"\b",
    re.IGNORECASE,
)  # fmt: skip
_ASKS_WHETHER = re.compile(r"^\W*(?:is|are|was|were|did|does|has|have|est[aá]n?|ha|han|hay)\b", re.IGNORECASE)
_ASKS_US = re.compile(r"\W*(?:can|could|would|will) you\b", re.IGNORECASE)

_UNWANTED = re.compile(
    r"^\W*(?:(?:no|but|pero|please|por favor|i|we)\b\W*)*"
    + one_of(
        r"(?:don't|do not|don’t|didn't|did not|won't)\s+(?:want|need|wish|mean|have)\b(?: you)?",
        r"(?:don't|do not|don’t|never)\s+(?!forget|worry|hesitate|miss)", r"no need\b",
        r"no\s+(?:quiero|quer[ií]a|necesito|hace falta|deseo|hay que)",
    ),
    re.IGNORECASE,
)  # fmt: skip
_ASKS_RULES = re.compile(  # on the text without courtesy
    r"^\W*"
    + one_of(
        r"how (?:do|can|could|should|would|long (?:do|does|will|is|are))\b(?! you\b)",
        "how to", "how .* works?$",
        r"(?:can|may|could|must|should|do|am) (?:i|we)\b", "is it (?:possible|allowed|free)",
        r"what (?:is|are|'s) (?:your|the) .*(?:polic|rule|terms|condition|fee|hours)",
        r"(?:what|which)\b.* (?:do|can) (?:you|i|we)\b",
        r"do(?:es)? (?:you|the \w+) (?!have\b)", "what (?:if|happens)",
        r"c[oó]mo (?:se|puedo|hago|podemos|funciona\w*)\b", "c[oó]mo [a-záéíóú]+o",
        "se puede", "(?:puedo|podemos)",
        "es posible", "qu[eé] pasa", r"cu[aá]nto tardan?\b", r"cu[aá]l es (?:la|su|vuestra|tu) pol[ií]tica",
        r"(?:qu[eé] .*)?(?:acept|ofrec|admit)\w+",
    ),
    re.IGNORECASE,
)  # fmt: skip

Said = tuple[dict[str, float], ...]


def score(part: str, tongue: str, entities: tuple[Entity, ...], offered: list[Profile]) -> list[Score]:
    """How well each tool fits one part of a message; the best first, in a stable order."""
    spread = Counter(feature for profile in offered for feature in profile.weights)
    # 1 for a word of one tool only, down to 1 / log2(1 + tools) for a word that all of them contain
    most = math.log2(1 + len(offered)) or 1.0
    rarity = {feature: math.log2(1 + len(offered) / count) / most for feature, count in spread.items()}
    operates = bool(operations := _operations(entities))
    said = word_features(part, tongue)
    facts = {entity.kind for entity in entities} | {
        "numeral" for entity in entities if counts_nothing(entity, entities)
    }
    bare = is_bare(part, entities, tongue)
    rows = []
    for profile in offered:
        counts = profile.needs and set(profile.needs) <= {"number", "expression"}
        heard = said + operations if counts else said
        named = any(word.keys() & profile.name - verb_concepts() for word in said)
        points = _points_of_words(heard, profile, rarity) + _points_of_others(said, profile, offered)
        rows.append(
            _row(
                part,
                said,
                points,
                _points_of_facts(part, facts, profile, bare, named),
                profile,
                operates,
                facts,
            )
        )
    rows.sort(key=lambda row: -row.score)
    second = rows[1].score if len(rows) > 1 else 0
    enough = ALONE if second <= 0.4 * rows[0].score else THRESHOLD
    return [replace(row, chosen=place == 0 and row.score >= enough) for place, row in enumerate(rows)]


def _operations(entities: tuple[Entity, ...]) -> Said:
    """Words for the sign of a calculation: "3 + 4" asks to add."""
    signs = {
        sign
        for e in entities
        if e.kind == "expression"
        for sign in str(e.value).split()
        if sign in _OPERATIONS
    }
    return (dict.fromkeys(features(_OPERATIONS[min(signs)], "en"), 1.0),) if len(signs) == 1 else ()


def is_bare(part: str, entities: tuple[Entity, ...], tongue: str) -> bool:
    """Whether a part says nothing but facts: "And Lima?", "What about notes.txt?"."""
    text = part
    for entity in entities:
        text = text.replace(part[entity.start : entity.end], " ")
    return all(word in stop_words(tongue) for word in words(text))


def _points_of_words(said: Said, profile: Profile, rarity: dict[str, float]) -> list[tuple[float, str]]:
    """Points for the words of the message, each counted once by the best of its concepts (rain, else
    weather)."""
    points: list[tuple[float, str]] = []
    for word in said:
        points.append(
            max((weight * rarity.get(f, 0) * profile.weights.get(f, 0), f) for f, weight in word.items())
        )
        points.append(min((-weight * AGAINST * profile.against.get(f, 0), f) for f, weight in word.items()))
    return points


def _points_of_others(said: Said, profile: Profile, offered: list[Profile]) -> list[tuple[float, str]]:
    """Points for words for which another tool's description points to this one."""
    points = []
    for other in offered:
        if profile.spec.name in other.instead:
            for word in said:
                pointed = other.instead[profile.spec.name] & word.keys()
                points += [(word[f], f"{f} (said by {other.spec.name})") for f in sorted(pointed)[:1]]
    return points


def _points_of_facts(
    part: str, facts: set[str], profile: Profile, bare: bool, named: bool
) -> list[tuple[float, str]]:
    """Points where the message names the tool, or holds a fact of the kind that the tool needs."""
    points = []
    name = fold(profile.spec.name)
    if name in fold(part) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", fold(part)):
        points.append(
            (NAMED if re.search(r"[_\-\d]", name) or len(part.split()) < 3 else 0.0, f"named: {name}")
        )
    found = sorted(facts & profile.telling)
    if "numeral" in profile.needs and "numeral" in facts and named:
        found.append("numeral")
    if "expression" in found:
        points.append((EXPRESSION, "an expression"))  # arithmetic needs no word: "12 * 7?"
    elif bare and not profile.acts and profile.needs and set(profile.needs) <= facts:
        points.append((THRESHOLD, f"{NOTHING_BUT}{' and '.join(sorted(set(profile.needs)))}"))
    elif found:
        points.append((FACT, f"{found[0]} in the message"))
    elif filters := sorted(facts & profile.takes & (TELLING | {"date"})):
        points.append((FACT, f"{filters[0]} in the message"))
    if {"numeral", "identifier"} & set(profile.needs) and not {"numeral", "identifier", "code"} & facts:
        points.append((LACKS, "nothing names the one that is meant"))
    return points


def _row(
    part: str,
    said: Said,
    points: list[tuple[float, str]],
    facts: list[tuple[float, str]],
    profile: Profile,
    operates: bool,
    kinds: set[str],
) -> Score:
    """Add the points up; a fact alone does not make a tool fit, and an unasked action weakens it."""
    if first_word(part) & profile.name and {"quoted", "code"} & set(profile.needs):
        points = [*points, (FACT, "asks to look for something")]
    # A word that only touches a parameter ("capital" a country) does not make the place beside it a reason
    # to call.
    meant = profile.does | {f for word in said for f, w in word.items() if w == 1 and f in profile.labels}
    if any(value > 0 and why.split(" (")[0] in meant for value, why in points) or any(
        value > FACT for value, _ in facts
    ):
        points = points + facts
    factor, why = _action_factor(part, said, profile, operates, kinds)
    if profile.explains and _ASKS_RULES.search(request_of(part)) and not facts:
        points = [*points, (EXPLAINED, "asks how something works")]
    total = sum(value for value, _ in points)
    if factor != 1 and total > 0 and not any(why.startswith("named:") and value for value, why in facts):
        points.append((total * (factor - 1), why))
    told = [
        f"{'-' if value < 0 else ''}{why.lstrip('=')}"
        for value, why in sorted(points, key=lambda row: -abs(row[0]))
        if abs(value) > 0.05
    ]
    return Score(part, profile.spec.name, round(sum(value for value, _ in points), 2), False, tuple(told[:6]))


def _action_factor(
    part: str, said: Said, profile: Profile, operates: bool, kinds: set[str]
) -> tuple[float, str]:
    """Weaken a tool that changes something nobody asked to change, or one that only looks where a change is
    asked."""
    asks_how, bare = _ASKS_HOW.search(part), request_of(part)
    first = first_word(part)
    if says_not_to(part):
        return 0.1, "says not to do it"
    if profile.open and not any(profile.name - verb_concepts() & word.keys() for word in said):
        if not profile.acts & first:
            return 0.4, "could always be called, and nothing names it"
    if profile.acts and not (
        operates and profile.name & features(" ".join(_OPERATIONS.values()), "en").keys()
    ):
        if _ASKS_WHETHER.search(part):
            return 0.1, "a question about a state, not a request"
        if asks_how or (_ASKS.search(part) and not _ASKS_US.match(part)):
            return 0.2, "a question about it, not a request"
        if not profile.acts & {feature for word in said for feature in word} and not first & profile.name:
            return 0.35, "nobody asks for that action"
        return 1, ""
    verb = bare.split()[:1]
    plain = {f for word in verb for f, weight in features(word).items() if weight == 1} & action_features()
    wanted = plain or first & action_features()  # "refund order 5" asks to refund, not to order
    if wanted and not asks_how and not _ASKS.search(bare) and not wanted & profile.does:
        prepared = len(set(profile.needs)) > 1 and set(profile.needs) <= kinds
        return 0.1 if plain and profile.looks and not prepared else 0.5, "asks for an action it does not do"
    return 1, ""


@short_cache
def first_word(text: str) -> frozenset[str]:
    """What the first word of a request stands for, or its first two ("turn on")."""
    parts = request_of(text).split()[:2]
    found = features(parts[0]) | (features(" ".join(parts)) if len(parts) > 1 else {}) if parts else {}
    most = min(0.5, max(found.values(), default=1))
    return frozenset(feature for feature, weight in found.items() if weight >= most)


def says_not_to(text: str) -> bool:
    """Whether a part says what is not wanted: "I don't want to cancel it"."""
    return bool(_UNWANTED.search(text))


def begins_anew(text: str, tongue: str) -> bool:
    """Whether a part begins with a question word or a verb, as a request of its own does."""
    bare = request_of(text)
    first = first_word(text)
    return bool(_ASKS.search(bare) or first & (action_features() | verb_concepts()))
