"""What a description says of when to use a tool, when not, and which tool to use instead."""

from __future__ import annotations

import re

from .language import GENERIC, features, one_of

_SENTENCE = re.compile(r"(?<=[.;!?\n])\s+|\n|\s+[-–—]\s+|(?<=,)\s+(?=(?:but )?not\b|no\b|use\b|usa\b)|[()]")
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
_PARTICULAR = re.compile(
    r"\b(?:particular|specific|single|certain|individual|concret[oa]s?|determinad[oa]s?|individuales)\b",
    re.IGNORECASE,
)


def read_description(
    description: str, name: str, names: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, float], dict[str, frozenset[str]], list[str]]:
    """The words that speak against the tool, at all or for one thing only, those that point to others, and
    the sentences that speak for it."""
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
