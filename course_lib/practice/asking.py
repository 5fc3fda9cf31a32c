"""How a part of a message asks: for something to be done, about a state, about a rule, or not at all."""

from __future__ import annotations

import re

from .actions import action_features
from .language import (
    concepts_of,
    features,
    generic_words,
    one_of,
    short_cache,
    stop_words,
    word_features,
    words,
)
from .lexicon import verb_concepts
from .phrases import request_of

ASKS_HOW = re.compile(
    r"^\W*"
    + one_of(
        r"how (?:do|can|could|should|would|to)\b", r"can (?:i|we)\b", r"may i\b", "is it possible",
        r"what (?:is|are|happens)\b",
        r"c[oó]mo (?:puedo|hago|se|podr[ií]a)\b", r"puedo\b", r"se puede\b", r"es posible\b",
        r"qu[eé] (?:es|pasa|son)\b",
    ),
    re.IGNORECASE,
)  # fmt: skip
ASKS = re.compile(
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
ASKS_WHETHER = re.compile(r"^\W*(?:is|are|was|were|did|does|has|have|est[aá]n?|ha|han|hay)\b", re.IGNORECASE)
# "Did I …?", "have you …?"; but not "is there …?".
ABOUT_ONES_OWN = re.compile(
    r"^\W*(?:(?:is|are|was|were)\b(?! there)|(?:did|does|has|have|est[aá]n?|ha|han)\b)", re.IGNORECASE
)
ASKS_US = re.compile(r"\W*(?:can|could|would|will) you\b", re.IGNORECASE)

# "I want my money back": a thing is wanted, and what follows is no verb.
WANTS_A_THING = re.compile(
    r"^\W*(?:(?:i|we) (?:want|need|would like)|(?:quiero|queremos|necesito|quisiera)) "
    r"(?:my|our|the|an?|mis?|nuestr[oa]s?|el|la|los|las|una?|que me|que nos)\b",
    re.IGNORECASE,
)
_UNWANTED = re.compile(
    r"^\W*(?:(?:no|but|pero|please|por favor|i|we)\b\W*)*"
    + one_of(
        r"(?:don't|do not|don’t|didn't|did not|won't)\s+(?:want|need|wish|mean|have)\b(?: you)?",
        r"(?:don't|do not|don’t|(?<!i )(?<!we )never)\s+(?!forget|worry|hesitate|miss)", r"no need\b",
        r"no\s+(?:quiero|quer[ií]a|necesito|hace falta|deseo|hay que)",
    ),
    re.IGNORECASE,
)  # fmt: skip
ASKS_RULES = re.compile(  # on the text without courtesy
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
        r"(?:qu[eé]|cu[aá]\w+)\b.*\b(?:\w+(?:[aá]is|[eé]is)|dec[ií]s)\b",
        r"(?:qu[eé]|cu[aá]l(?:es)? (?:es|son))\b.*\b(?:pol[ií]tica|condiciones|normas|plazo)",
    ),
    re.IGNORECASE,
)  # fmt: skip

# Whether, or how, the asker may do a thing or the asked one does it. Who asks to *see* something wants it
# now.
# The forms of "you" and "they" of Spanish verbs: "aceptan", "enviáis".
_YOU_DO = re.compile(
    r"^\W*(?:tambi[eé]n )?(?!est[aá]n|eran\b|han\b|son\b|qui[eé]n|cu[aá]n|tambi[eé]n)"
    r"[a-zñ]+[ií]?(?:[aáeé]n|[aáeé]is)\b",
    re.IGNORECASE,
)
_HOW_IT_IS_DONE = re.compile(  # on the text without courtesy
    r"^\W*"
    + one_of(
        r"(?:how )?(?:do|does|can|could|may|should|must) (?:i|we|one|you|they)\b",
        "is it (?:possible|allowed)",
        "how (?:does|do) .* works?$", r"(?:puedo|podemos|pod[eé]is|pueden|se puede[ns]?|es posible)\b",
        r"(?:tengo que|debo|hay que|es necesario|hace falta)\b",
        "(?:do|must|should) (?:i|we) (?:need|have) to",
        r"c[oó]mo (?:lo |la |los |las )?(?:se|puedo|podemos|hago|[a-zñáéíóú]+o)\b",
    )
    + r"(?!\W+(?:see|get|have|know|check|view|find|tell|show|give|ver|saber|tener|consultar|dec\w+|mostrar\w*"
    r"|dar\w*|buscar\w*)\b)",
    re.IGNORECASE,
)  # fmt: skip
_EMPTY_VERBS = frozenset(
    "work works go goes happen happens function funciona funcionan hago hacemos va".split()
)
_PRICE = frozenset({"price", "cost", "pay", "total"})
_BEGINNING = re.compile(r"(?<=[.,;:!?])\s+")


def asks_rules(part: str) -> bool:
    """Whether a part, or a clause of it, asks how things are done in general."""
    return any(ASKS_RULES.search(request_of(piece)) for piece in clauses(part))


def asks_how_it_is_done(part: str, tongue: str) -> bool:
    """Whether a part, or a clause of it, asks whether or how something can be done: "Do you paint doors?"."""
    patterns = [_HOW_IT_IS_DONE, *([_YOU_DO] if tongue == "es" else [])]
    pieces = [request_of(piece).strip("¿¡ ") for piece in clauses(part)]
    return any(pattern.search(piece) for pattern in patterns for piece in pieces)


def clauses(text: str) -> list[str]:
    """The clauses of a text, cut after its punctuation."""
    return _BEGINNING.split(text.strip())


def leans(part: str, tongue: str) -> bool:
    """Whether a question says nothing of its own and so asks about what stands before it: "what does it
    cost?", "¿cómo lo hago?"."""
    own = [word for word in words(part) if word not in stop_words(tongue) | _EMPTY_VERBS]
    if not ASKS.search(part) or re.search(r"\d", part):
        return False
    return len(own) < 3 and all(
        any(f in verb_concepts() | _PRICE and weight == 1 for f, weight in concepts_of(word, tongue).items())
        or word in generic_words(tongue)
        for word in own
    )


def without_leaning(text: str, tongue: str) -> str:
    """What a question at the end of a text asks about, where it says nothing of its own; else the text."""
    *before, last = clauses(text)
    return " ".join(before) if before and leans(last.strip("¿¡ "), tongue) else text


@short_cache
def first_word(text: str) -> frozenset[str]:
    """What the first word of a request stands for, or its first two ("turn on")."""
    parts = request_of(text).split()[:2]
    found = features(parts[0]) if parts else {}
    if len(parts) > 1 and len(both := word_features(" ".join(parts))) == 1:
        found = found | both[0]
    most = min(0.5, max(found.values(), default=1))
    return frozenset(feature for feature, weight in found.items() if weight >= most)


def says_not_to(text: str) -> bool:
    """Whether a part says what is not wanted: "I don't want to cancel it"."""
    return bool(_UNWANTED.search(text))


def begins_anew(text: str, tongue: str) -> bool:
    """Whether a part begins with a question word or a verb, as a request of its own does."""
    bare = request_of(text)
    first = first_word(text)
    return bool(ASKS.search(bare) or first & (action_features() | verb_concepts()))
