"""How a clause asks: for an action, about a state, about a rule, for a text, for a person, or not at all."""

from __future__ import annotations

import re
from functools import cache

from .clauses import request_of
from .text import (
    any_case,
    concepts_of,
    features,
    features_of_each,
    fold,
    full_features,
    generic_words,
    one_of,
    pattern,
    phrases,
    short_cache,
    stop_words,
    tokens,
    verb_concepts,
    words,
)

# Verbs: which ask for the same action, and which only look at something ---------------------------

# Verbs of tools that change something, in families: to "schedule" a meeting is to "create" an event.
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
    "apply", "print", "complete finish mark", "move go drive walk run turn",
]  # fmt: skip


_EMPTY_VERBS = frozenset(
    "request process perform do make handle execute trigger solicitar realizar hacer".split()
)


# Those of verbs that work something out.
_CHANGES_NOTHING = frozenset(
    "ask count count_verb calculate estimate measure translate compare convert contain decide detect do "
    "evaluate explain extract get make need remember say see "
    "solve suggest tell think understand use want give come feel live love combine separate repeat "
    "take".split()
)
# The concepts of verbs that only look ("check", "find"), by which many names and sentences begin.
LOOKING = frozenset({"check", "verify", "find", "search", "get", "show", "look", "read", "list", "calculate"})


def verb_of(spoken: str) -> set[str]:
    """Return the features of the verb that a name begins with, also where it has two words: "turn off
    light"."""
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


def family_of(verb: set[str], described: str = "") -> frozenset[str]:
    """Return all verbs that ask for the same kind of action; empty for a verb that changes nothing.

    Args:
        verb: features of the verb in a tool's name.
        described: its description; one that begins with "Get" or "Show" is of no action, whatever the name.
    """
    family = frozenset(feature for family in _families() if family & verb for feature in family)
    if family or ASKS_TO_SEE.match(described):
        return family
    return frozenset(verb) if verb & verb_concepts() - LOOKING - _CHANGES_NOTHING else family


@cache
def action_features() -> frozenset[str]:
    """Return the features of all verbs of actions."""
    return frozenset(feature for family in _families() for feature in family)


@cache
def _families() -> list[frozenset[str]]:
    return [features_of_each(family) for family in _FAMILIES]


# How a clause asks: for an action, about a state, about a rule, or not at all ---------------------

ASKS_HOW = any_case(
    r"^\W*"
    + phrases("asks how"),
)  # fmt: skip
ASKS = any_case(
    r"^\W*"
    + phrases("asks")
    + r"\b",
)  # fmt: skip
ASKS_WHETHER = any_case(r"^\W*(?:is|are|was|were|did|does|has|have|est[aá]n?|ha|han|hay)\b")
# "Did I …?", "have you …?"; but not "is there …?".
ABOUT_ONES_OWN = any_case(r"^\W*(?:(?:is|are|was|were)\b(?! there)|(?:did|does|has|have|est[aá]n?|ha|han)\b)")
ASKS_US = any_case(r"\W*(?:can|could|would|will) you\b")

# "I want my money back": a thing is asked for, and what follows is no verb.
ASKS_FOR_A_THING = any_case(
    r"^\W*(?:(?:i|we) (?:want|need|would like)|(?:quiero|queremos|necesito|quisiera)) "
    r"(?:my|our|the|an?|mis?|nuestr[oa]s?|el|la|los|las|una?|que me|que nos)\b"
)
# A clause that states something begins with who does it, and that is not "I want", "I need" and the like.
TELLS = any_case(r"^\W*" + phrases("tells speech_acts"))
# "Show me the closed ones": asks to see something, whatever verb may follow.
ASKS_TO_SEE = any_case(
    r"^\W*(?:(?:please|can you|could you|would you|i want to|i'd like to|por favor|puedes|podr[ií]as"
    r"|quiero)\W+)*"
    r"(?:show|get|list|display|see|find|search|look|give me|tell me|check|read"
    r"|mu[eé]str\w+|ens[eé][ñn]\w+|lista\w*|d[ai]me|ver|busca\w*|consulta\w*|mira\w*|lee\w*)\b"
)
# "My money", "Order 1036 came": what looks like the verb of a request is a thing.
NAMES_A_THING = any_case(r"^\W*(?:\w+ #?\d|(?:the|an?|my|our|this|el|la|los|las|una?|mis?|est[aeo]s?)\s+\w+)")
ASKS_WHERE = any_case(r"\W*(?:and |y )?(?:where|d[oó]nde)\b")
ASKS_FOR_EVERYTHING = any_case(r"\b" + phrases("everything about") + r"\b")
_UNWANTED = any_case(
    r"^\W*(?:(?:no|but|pero|please|por favor|i|we)\b\W*)*"
    + phrases("unwanted"),
)  # fmt: skip
ASKS_RULES = any_case(  # on the text without courtesy
    r"^\W*"
    + phrases("asks rules"),
)  # fmt: skip

# The forms of "you" and "they" of Spanish verbs: "aceptan", "enviáis".
_YOU_DO = any_case(
    r"^\W*(?:tambi[eé]n )?(?!est[aá]n|eran\b|han\b|son\b|qui[eé]n|cu[aá]n|tambi[eé]n)"
    r"[a-zñ]+[ií]?(?:[aáeé]n|[aáeé]is)\b"
)
# On the text without courtesy. Who asks to *see* something does not ask how that is done.
_HOW_IT_IS_DONE = any_case(
    r"^\W*"
    + phrases("how it is done")
    + r"(?!\W+(?:see|get|have|know|check|view|find|tell|show|give|ver|saber|tener|consultar|dec\w+|mostrar\w*"
    r"|dar\w*|buscar\w*)\b)",
)  # fmt: skip
_STATE_VERBS = frozenset(
    "work works go goes happen happens function last lasts funciona funcionan hago hacemos va tarda tardan "
    "tardara dura duran durara".split()
)
_PRICE = frozenset({"price", "cost", "pay", "total"})
_BEGINNING = re.compile(r"(?<=[.,;:!?])\s+")


def asks_rules(text: str) -> bool:
    """Return whether a text, or a clause of it, asks how things are done in general."""
    return any(ASKS_RULES.search(request_of(piece)) for piece in clauses(text))


def asks_how_it_is_done(text: str, language: str) -> bool:
    """Return whether a text, or a clause of it, asks whether or how something can be done: "Do you paint
    doors?"."""
    patterns = [_HOW_IT_IS_DONE, *([_YOU_DO] if language == "es" else [])]
    pieces = [request_of(piece).strip("¿¡ ") for piece in clauses(text)]
    return any(pattern.search(piece) for pattern in patterns for piece in pieces)


def clauses(text: str) -> list[str]:
    """Return the clauses of a text, cut after its punctuation."""
    return _BEGINNING.split(text.strip())


def leans(text: str, language: str) -> bool:
    """Return whether a question names nothing and so asks about what stands before it: "what does it
    cost?"."""
    bare = pattern("how much of it", r"^\W*").sub("", text)  # "how long", "cuánto tiempo"
    own = [word for word in words(bare) if word not in stop_words(language) | _STATE_VERBS]
    if not ASKS.search(text) or re.search(r"\d", text):
        return False
    return len(own) < 3 and all(
        any(
            f in verb_concepts() | _PRICE and weight == 1 for f, weight in concepts_of(word, language).items()
        )
        or word in generic_words(language)
        for word in own
    )


def without_leaning(text: str, language: str) -> str:
    """Return what a question at the end of a text asks about, where it says nothing of its own; else the
    text."""
    *before, last = clauses(text)
    return " ".join(before) if before and leans(last.strip("¿¡ "), language) else text


@short_cache
def first_word(text: str) -> frozenset[str]:
    """Return what the first word of a request stands for, or its first two ("turn on")."""
    parts = request_of(text).split()[:2]
    found = features(parts[0]) if parts else {}
    if len(parts) > 1 and len(both := tokens(" ".join(parts))) == 1:
        found = found | both[0].meanings
    most = min(0.5, max(found.values(), default=1))
    return frozenset(feature for feature, weight in found.items() if weight >= most)


_FORMS_THE_ANSWER = any_case(r"^\W*" + phrases("forms the answer") + r"(?: only| please| alone)?\W*$")


def forms_the_answer(text: str) -> bool:
    """Return whether a text only says how to answer: "then return only its result"."""
    return bool(_FORMS_THE_ANSWER.match(request_of(text)))


def tells_of_it(text: str) -> bool:
    """Return whether a text says what the thing is that was named before: "It is 1042"."""
    return bool(pattern("it is", r"^\W*").match(text))


def says_not_to(text: str) -> bool:
    """Return whether a text says what is not to be done: "I don't want to cancel it"."""
    return bool(_UNWANTED.search(text))


def begins_anew(text: str, language: str) -> bool:
    """Return whether a text begins with a question word or a verb, as a request of its own does."""
    bare = request_of(text)
    first = first_word(text)
    verbs = action_features() | verb_concepts()
    return bool(ASKS.search(bare) or first & verbs) or text_to_write(text) is not None


_AND = any_case(r"^\W*(?:and|but|so|y|pero)\b\W*")
# "¿Búscalo?": not "la", "los", "las", which are articles most of the time
_ENCLITIC = any_case(r"^\W*\w{3,30}(?:[aeiáéí]|[aei]r)l[oa]s?\b")


def points_back(text: str, language: str) -> bool:
    """Return whether a text speaks of something that it does not name: "is it there?", "¿y cuándo llega?",
    "Archívalo"."""
    named = pattern(f"points back {language}").search(text) or (language == "es" and _ENCLITIC.search(text))
    return bool(named) or leans(_AND.sub("", text), language)


# Texts: requests to write one, and questions of what somebody wrote before ------------------------

# All patterns are for folded texts.
_WRITES = re.compile(
    r"^\W*" + phrases("writes") + r"\b\s*(?:me|us|nos)?\s*(.*)",
    re.DOTALL,
)
_TELLS_A_TALE = re.compile(
    r"^\W*(?:(?:tell|give|write|sing|cuenta|dime|da|canta)\w*\s+)?(?:(?:me|us|nos)\s+)?"
    r"((?:an?|another|some|una?|otr[oa]|algun[oa]?)\s+(?:\w+\s+){0,2}?"
    r"(?:joke|story|tale|riddle|poem|rhyme|song|limerick|haiku|chiste|cuento|historia|adivinanza|poema|rima"
    r"|cancion)\b.*)",
    re.DOTALL,
)
_OBJECT_ENDS = re.compile(
    r"[,.;:!?]|\b(?:about|on|for|to|of|that|which|with|in|into|from|sobre|de|del|para|que|con|en|al)\b"
)
_SAYING_VERBS = phrases("saying verbs")  # fmt: skip
_PARTICIPLES = phrases("participles")
_RECORDS = phrases("records")
_EVER_TO = r"(?:(?:alguna vez|ya|nunca)\s+)?(?:(?:me|nos|os|les?)\s+)?"
_WAS_WRITTEN = re.compile(
    r"^\W*(?:(?:when|where|what|how often|how many times|cuando|donde|que|cuantas veces)\s+)?"
    + one_of(
        rf"(?:did|have|had|didn't|haven't) (?:i|we)\b(?: \w+){{0,2}}? {_SAYING_VERBS}\b",
        rf"{_EVER_TO}(?:he|hemos)\b(?: \w+){{0,2}}? {_PARTICIPLES}\b",
        rf"{_EVER_TO}(?:(?:mencion|coment|pregunt|habl|quej|cont|charl)(?:e|amos)|(?:escrib|discut)i(?:mos)?"
        r"|dij(?:e|imos))\b",
        rf"(?:do|did) (?:i|we) (?:still )?have (?:\w+ ){{0,2}}?{_RECORDS}\b",
        rf"(?:tengo|tenemos|hay) (?:\w+ ){{0,2}}?{_RECORDS}\b",
    )
)
_RECORDS_ABOUT = re.compile(
    rf"\b{_RECORDS}(?: \w+){{0,4}}? "
    r"(?:about|regarding|mention\w*|contain\w*|sobre|acerca|mencion\w+|habl\w+)\b"
)
_LOOKS_AMONG = re.compile(
    rf"^\W*{phrases('looks among')}\W+"
    r"(?:(?:in|through|the|all|of|my|our|en|entre|de|mis|los|las|todos|todas|nuestros)\W+)*"
    rf"{_RECORDS}\b(?=\W*\w)"
)
_HANDS_OVER = re.compile(
    r"^\W*(?:send|write|compose|draft|post|leave|add|create|open|forward|delete|envia|manda|escrib[ea]|redact|crea|abr"
    r"|borra|anad|elimina)"
)
_FIRST_PERSON = any_case(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|we|us|our|yo|mis?|mio|mia|he|hemos|nos|nuestr\w+)\b"
)
_FIRST_PERSON_ENDING = any_case(
    r"\b(?!(?:qu|porqu|caf|t)é\b|(?:s|as|aqu|all|ah)í\b)[^\W\d_]+[éí]\b|[^\W\d_]{2}[aei]mos\b"
)


@short_cache
def text_to_write(text: str) -> frozenset[str] | None:
    """Return what kind of text a message asks to write, as features of the words for it; None where for
    none."""
    asked = fold(request_of(text))
    match = _WRITES.match(asked) or _TELLS_A_TALE.match(asked) or _TELLS_A_TALE.match(fold(text))
    if not match:
        return None
    kind = _OBJECT_ENDS.split(match[1])[0]
    return full_features(kind)


@short_cache
def asks_what_was_written(text: str) -> bool:
    """Return whether a text asks what somebody wrote before: the matter is then what the messages are
    about."""
    asked = fold(request_of(text))
    if _HANDS_OVER.match(asked):
        return False
    patterns = (_WAS_WRITTEN, _LOOKS_AMONG)
    matched = any(pattern.match(one) for pattern in patterns for one in (fold(text), asked))
    return matched or bool(_RECORDS_ABOUT.search(asked))


def speaks_of_oneself(text: str) -> bool:
    """Return whether somebody speaks of themselves: "I", "my", "escribí"."""
    return bool(_FIRST_PERSON.search(fold(text)) or _FIRST_PERSON_ENDING.search(text))


# Asking for a person ------------------------------------------------------------------------------

_SOMEBODY = phrases("somebody")  # fmt: skip
_REACH = phrases("reach")  # fmt: skip
_ASKS_FOR_A_PERSON = any_case(
    rf"\b{_REACH}\b(?:\W+\w+){{0,4}}?\W+{_SOMEBODY}\b(?!'s)"
    r"|^\W*(?:an? |una? )?(?:human|agent|operator|humano|agente|operador)\b\W*(?:please|por favor|$)"
)
_ASKS_TO_SPEAK = any_case(
    rf"\b(?:talk|speak|chat|hablar|hable|conversar)\s+(?:to|with|con)\W+(?:\w+\W+){{0,2}}?{_SOMEBODY}\b(?!'s)"
)
_BRINGS = any_case(
    r"\b"
    + phrases("brings speech_acts")
    + r"\b[^.\n]{0,80}\b"
    + phrases("brings")
    + r"\b|\b(?:human|person|persona|humano)\b[^.\n]{0,20}\bto (?:take over|answer)",
)  # fmt: skip


def asks_for_a_person(text: str) -> bool:
    """Return whether a message asks for somebody to speak with: "connect me with a human"."""
    return bool(_ASKS_FOR_A_PERSON.search(text))


def asks_to_speak(text: str) -> bool:
    """Return whether a message asks to speak with somebody, and for nothing else."""
    return bool(_ASKS_TO_SPEAK.search(text))


def brings_a_person(described: str) -> bool:
    """Return whether a tool, by its name and description, hands the conversation to a person."""
    return bool(_BRINGS.search(described))
