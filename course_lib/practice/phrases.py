"""Cut a phrase out of a message: what it is about, what a preposition points to, what is left without the request."""

from __future__ import annotations

import re

from . import language
from .language import fold

_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|related to|relating to|mention(?:ing|s)?|that mention|contain(?:ing|s)?"
    r"|with the words?|the words?|the keywords?|on the (?:topic|subject) of|(?:sobre|acerca de|respecto a|relacionad[oa]s? con"
    r"|que (?:mencion\w+|conten\w+|contien\w+|habl\w+ de|trat\w+ de)|mencion\w+|habl\w+ (?:de|sobre)|con las? palabras?"
    r"|las? palabras?(?: clave)?))\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_FOR = re.compile(r"\b(?:for|on|of|para|de)\s+(.+)", re.IGNORECASE | re.DOTALL)
_SAYING = re.compile(
    r"\b(?:saying(?: that)?|that says|which says|with the (?:text|message)|with (?:a )?summary|to say|dici?endo(?: que)?|que diga(?: que)?"
    r"|con el (?:texto|mensaje|resumen))\b[\s:,]*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_PREPOSITION = re.compile(
    r"\b(?:in|at|for|to|from|of|near|en|de|para|desde|hacia|a)\s+(?:the\s+|la\s+|el\s+)?([^\W\d_][\w'’ -]*?)"
    r"(?=\s+(?:in|at|for|on|from|to|and|with|using|today|tomorrow|now|right|please|en|para|y|con|hoy|ahora|por)\b|[,.;:?!]|$)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^\W*(?:(?:hi|hello|hey|hola|buenos d[ií]as|buenas(?: tardes| noches)?|please|por favor|ok(?:ay)?|and|then|also|now|y|e|luego|adem[aá]s|tambi[eé]n|"
    r"(?:can|could|would|will) you(?: please)?|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to|help me(?: to)?|let's|tell me|show me|give me|"
    r"(?:me )?(?:puedes?|podr[ií]as?|quiero|quisiera|necesito)(?: que)?|dime|d[ae]me|mu[eé]strame)\b[\s,:]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,;:.!?¿¡]*(?:\b(?:please|por favor|thanks|thank you|gracias|for me|now|right now|ahora)\b[\s,;:.!?]*)*$",
    re.IGNORECASE,
)
_ARTICLES = {
    "a",
    "an",
    "the",
    "my",
    "our",
    "your",
    "some",
    "any",
    "all",
    "el",
    "la",
    "los",
    "las",
    "un",
    "una",
    "mi",
    "mis",
    "tu",
}


def request_of(text: str) -> str:
    """The text without greeting and politeness at its ends."""
    return _TAIL.sub("", _POLITE.sub("", text.strip())).strip()


def topic(text: str, *, loose: bool = False) -> str | None:
    """What a message asks about: "messages about Python" -> "Python"; `loose` takes "for" and "of" too."""
    match = _ABOUT.search(text) or (_FOR.search(text) if loose else None)
    return tidy(match[1]) or None if match else None


def said(text: str) -> str | None:
    """The words that a message wants passed on: after "saying", after a colon."""
    if match := _SAYING.search(text):
        return tidy(match[1], articles=True) or None
    before, colon, after = text.partition(": ")
    return tidy(after, articles=True) or None if colon and len(before) < 80 else None


def objects_of_prepositions(text: str) -> list[str]:
    """What stands after in, at, for, to, from, of …: "weather in springfield today" -> ["springfield"]."""
    return [found for match in _PREPOSITION.finditer(text) if (found := tidy(match[1]))]


def labelled(text: str, label: frozenset[str], tongue: str) -> str | None:
    """What follows a word that names the property: "password: Secret1", "tags premium and new" for `tags`."""
    for match in language.WORD.finditer(text):
        if label & {
            feature for feature, weight in language.features(match.group(), tongue).items() if weight >= 0.5
        }:
            after = re.match(
                r"\s*(?::|=|is|are|of|named|called|es|son|de|llamad[oa])?\s*([^,.;:?!\n]+)",
                text[match.end() :],
                re.IGNORECASE,
            )
            if after and (found := tidy(after[1])) and language.features(found, tongue):
                return found
    return None


def residue(text: str, known: set[str], tongue: str) -> str | None:
    """What is left of a request when its edges lose function words and the words that only named the tool.

    "what is the price of a blue bun?" without the concepts of `get_price` is "blue bun".
    """
    tokens = list(re.finditer(r"\S+", request_of(text)))

    def idle(token: str) -> bool:
        bare = fold(token.strip(".,;:!?¿¡\"'()"))
        if not bare:
            return True
        found = language.features(bare, tongue)
        return (
            bare in language.stop_words(tongue)
            or (bool(found) and set(found) <= known)
            or max(found.values(), default=1) < 0.5
        )

    while tokens and idle(tokens[0].group()):
        tokens.pop(0)
    while tokens and idle(tokens[-1].group()):
        tokens.pop()
    if not tokens:
        return None
    return tidy(request_of(text)[tokens[0].start() : tokens[-1].end()]) or None


def tidy(text: str, *, articles: bool = False) -> str:
    """Without quotes and punctuation around, and without an article in front unless `articles` keeps it."""
    text = re.sub(r"\s+", " ", _TAIL.sub("", text)).strip(" \"'“”‘’«»`.,;:!?¿¡()")
    first, _, rest = text.partition(" ")
    return rest if rest and not articles and fold(first) in _ARTICLES and not first.isupper() else text
