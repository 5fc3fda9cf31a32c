"""What the values of an enum mean beside their own words: a degree of urgency, a thing that is broken, or
what the description says of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from .language import features, fold, one_of, split_identifier
from .wants import Parameter

# The degrees that values stand for, from the least to the most.
_DEGREES = [
    "lowest trivial minimal minima",
    "low minor small baja bajo leve",
    "normal medium moderate standard regular media medio moderada",
    "high major important severe alta alto grave importante",
    "urgent critical emergency highest immediate blocker urgente critica critico maxima",
]
_NO_HURRY = re.compile(  # on folded text
    one_of(
        r"\b(?:no|not|isn't|without|never|nothing|don't)\b(?:\W+\w+){0,2}?\W+(?:urgent|urgency|rush|hurry"
        r"|important|serious)",
        r"\bcan wait\b", r"\bwhenever\b", r"\btake your time\b",
        r"\bwhen you (?:have|find) (?:a )?(?:time|moment)\b",
        r"\b(?:no|sin|nada|tampoco)\b(?:\W+\w+){0,2}?\W+(?:urgente|urgencia|prisa|grave|importante|urge)\b",
        r"\bpuede esperar\b", r"\bcuando (?:puedas|podais|pueda|puedan)\b",
        r"\bcuando tengas? (?:un )?(?:rato|tiempo|momento)\b",
    )
)  # fmt: skip
_HURRY = re.compile(  # on folded text
    one_of(
        r"\burgent(?:ly)?\b", r"\basap\b", r"\bas soon as (?:possible|you can)\b",
        r"\bimmediate(?:ly)?\b", r"\b(?:right|straight) away\b", r"\bat once\b", r"\bemergency\b",
        r"\bcritical\b", r"\bhurry\b", r"\b(?:can't|cannot|can not|won't) wait\b",
        r"\b(?:top|maximum|highest|maxim[ao])\b",
        r"\bvery important\b", r"\burgente(?:mente)?\b", r"\bcuanto antes\b", r"\blo antes posible\b",
        r"\b(?:de )?inmediat[oa](?:mente)?\b", r"\bya mismo\b", r"\bcorre (?:mucha )?prisa\b",
        r"\bno pued[oe] esperar\b", r"\burgencia\b", r"\bme urge\b", r"\b(?:es|muy) grave\b",
        r"\bmuy importante\b", r"\bcritic[oa]\b",
    )
)  # fmt: skip
_DEFECT = re.compile(  # on folded text: something does not do what it should
    one_of(
        r"\b(?:broken?|breaks?|smashed|crack(?:s|ed)?|leak(?:s|ed|ing)?|shattered|damaged|faulty"
        r"|defective|dead)\b",
        r"\b(?:explod|melt|burn|overheat|malfunction)\w*", r"\bstopped working\b",
        r"\b(?:does not|doesn't|won't|will not|did not|didn't) "
        r"(?:work|start|close|open|fit|turn on|switch on|charge)\b",
        r"\b(?:rot[oa]s?|rajad[oa]s?|averiad[oa]s?|estropead[oa]s?|defectuos[oa]s?|danad[oa]s?|quemad[oa]s?)\b",
        r"\b(?:rompi|explot|gotea|derrit|averi|estrope)\w*",
        r"\bno (?:funciona|arranca|cierra|abre|enciende|carga|encaja)\w*",
    )
)  # fmt: skip
_THINGS = "product item article goods device equipment appliance producto articulo aparato equipo"
_SENTENCE = re.compile(r"[.;()\n]+")
_NO_GLOSS = 0.5  # features below this weight say too little of a value


def by_degree(options: list[Any], text: str) -> tuple[Any, tuple[int, int]] | None:
    """The value for the urgency that a text speaks of: "as soon as possible" is the highest of low, normal,
    high."""
    ranks = {
        rank: option
        for option in options
        for rank, examples in enumerate(_DEGREES)
        if fold(split_identifier(str(option))).strip() in examples.split()
    }
    if len(ranks) < 2 or len(ranks) < len(options) - 1:
        return None
    folded = fold(text)
    if match := _NO_HURRY.search(folded):
        return ranks[min(ranks)], match.span()
    if match := _HURRY.search(folded):
        return ranks[max(ranks)], match.span()
    return None


def by_defect(options: list[Any], text: str) -> tuple[Any, tuple[int, int]] | None:
    """The value for things where a text tells that one is broken: "the lid leaks" is about the product."""
    thing = next((option for option in options if fold(str(option)).strip() in _THINGS.split()), None)
    match = _DEFECT.search(fold(text)) if thing is not None else None
    return (thing, match.span()) if match else None


def glosses(parameter: Parameter, options: list[Any]) -> dict[Any, frozenset[str]]:
    """For each value the words that the description gives to it alone: "high: the customer cannot wait"."""
    texts = [option for option in options if isinstance(option, str)]
    names = {option: fold(split_identifier(option)).strip() for option in texts}
    found: dict[Any, set[str]] = {}
    for sentence in _SENTENCE.split(fold(parameter.description[:4_000])):
        named = sorted(
            (match.start(), option)
            for option, name in names.items()
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)
        )
        ends = [place for place, _ in named[1:]] + [len(sentence)]
        for (place, option), end in zip(named, ends, strict=False):
            gloss = sentence if len(named) == 1 else sentence[place:end]
            said = {f for f, weight in features(gloss).items() if weight > _NO_GLOSS}
            found.setdefault(option, set()).update(said)
    own = {f for name in names.values() for f in features(name)}
    shared = Counter(f for said in found.values() for f in said)
    return {
        option: frozenset(f for f in said - own - parameter.label if shared[f] == 1)
        for option, said in found.items()
    }
