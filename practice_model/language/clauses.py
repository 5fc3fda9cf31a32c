"""A message in clauses, each of which may ask for one more thing, and the phrases inside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .entities import Entity
from .text import (
    any_case,
    concepts_of,
    features,
    fold,
    full_features,
    phrases,
    short_cache,
    stop_words,
    verb_concepts,
    words,
)

# Phrases ------------------------------------------------------------------------------------------

_ABOUT = re.compile(
    r"\b"
    + phrases("about")
    + r"\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_WORDS = any_case(r"^(?:words?|keywords?|palabras?(?: clave)?)\s+")
_SAYING = re.compile(
    r"\b"
    + phrases("saying")
    + r"\b[\s:,]*(.+)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_BECAUSE = re.compile(
    r"\b"
    + phrases("because")
    + r"\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_ASKS_FOR_FACTS = any_case(r"^\W*" + phrases("asks for facts") + r"\s+")
_CALLED = re.compile(
    r"\b"
    + phrases("called")
    + r"[\s:]+(.+)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_TO_DO = re.compile(
    r"\b(?:remind (?:me|us|him|her|them)|recu[eé]rda(?:me|nos|le)?|av[ií]same)\s+(?:to |that |about |of "
    r"|de que |que |de )?(.+)"
    r"|^\W*(?:text|tell|message|let)\s+(?:\S+\s+){1,4}?(?:that|know(?: that)?)\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_HOW_TO_SAY = any_case(
    r"\b(?:how (?:do|would|can) (?:you|i|we) (?:say|write)|c[oó]mo se dice|c[oó]mo digo)\s+(.+?)\s+(?:in"
    r"|en)\s+\S+[?.!\s]*$"
)
_COURTESY = phrases("courtesy")  # fmt: skip
_ASKING_SOMEBODY = phrases("asking somebody")  # fmt: skip
_POLITE = any_case(rf"^\W*(?:{_COURTESY}\b[\s,:]*)+")
_TAIL = any_case(
    r"(?<![\s,;:.!?¿¡])[\s,;:.!?¿¡]*(?:\b(?:please|por favor|thanks|thank you|gracias|for me|now|right now"
    r"|ahora)\b[\s,;:.!?]*)*$"
)
_IN_SOMETHING = any_case(r"(.*\S)\s+(?:in|on|to|onto|from|among|en|a|de|entre)\s+(\S+(?:\s+\S+)?)$")
GAP = "\x00"  # stands for what is used up already
_TOKEN = re.compile(rf"[^\s{GAP}]+")
EMPTY = frozenset(
    "something anything someone anybody algo alguien cosa cosas one ones it them that those".split()
)
_PREPOSITIONS = {
    "en": "in on at by with from to into of for about under over per near between during until via using "
    "because without within around after before towards than called named titled regarding as".split(),
    "es": "en de del a al con por para desde hasta sobre sin entre hacia segun durante porque llamado "
    "llamada titulado titulada".split(),
}
# The verbs of what somebody tells, after which nothing is named any more: "my ficus looks dry".
_TELLING = "looks seems feels sounds smells needs keeps parece parecen necesita necesitan".split()
_CUTS = {
    language: any_case(
        rf"[,;:?!\n{GAP}]+|\.(?=\s|$)|(?<![\w'’-])(?:{'|'.join([*words, *_TELLING])})(?![\w'’-])"
    )
    for language, words in _PREPOSITIONS.items()
}
_DANGLING = frozenset(word for words in _PREPOSITIONS.values() for word in words) | {"and", "y", "due"}
MOST_CUTS = 200  # cuts in a text that are made
LONGEST_TAIL = 80  # characters at the end in which politeness is looked for
_COUNTING = frozenset("many much which what cuantos cuantas que cual".split())  # a noun follows, no verb
_ARTICLES = frozenset("a an the my our your some any all el la los las un una mi mis tu".split())


@short_cache
def request_of(text: str) -> str:
    """Return the text without greeting and politeness at its ends."""
    return _without_tail(_POLITE.sub("", text.strip())).strip()


def is_courtesy(text: str) -> bool:
    """Return whether a text holds a greeting, or asks somebody for something: "please", "can you"."""
    return bool(re.search(rf"(?<!\w){_ASKING_SOMEBODY}(?!\w)", text, re.IGNORECASE))


def _without_tail(text: str) -> str:
    return text[:-LONGEST_TAIL] + _TAIL.sub("", text[-LONGEST_TAIL:])


@dataclass(frozen=True)
class Chunk:
    """A stretch between prepositions and commas, without the words at its edges that only name the tool."""

    lead: str
    """The preposition before it, folded; "," after a comma; "" at the start."""
    text: str
    start: int
    end: int
    before: frozenset[str]
    """Features of the words that were cut before it: "player" before "Kira"."""
    after: frozenset[str]
    """Features of the words that were cut after it."""


def topic(text: str) -> str | None:
    """Return what a message says it is about: "messages about Python" -> "Python"."""
    match = _ABOUT.search(text)
    found = match and _WORDS.sub("", tidy(match[1].split(": ")[0]))
    return tidy(found) or None if found else None


def without_idle_tail(text: str, known: set[str], language: str) -> str:
    """Return a phrase without what only says where it is looked for: "invoices in my notes" -> "invoices"."""
    match = _IN_SOMETHING.match(text)
    if match and all(is_idle(word, known, language) for word in match[2].split()):
        return match[1]
    return text


def fact_asked_for(text: str) -> str:
    """Return what a question of fact is about, as one would look it up: "Who was Ada Lovelace?" -> "Ada
    Lovelace"."""
    asked = request_of(text).strip("¿¡?!. ")
    return tidy(_ASKS_FOR_FACTS.sub("", asked)) or asked


def said(text: str) -> str | None:
    """Return the words that a message asks to pass on: after "saying", after "remind me to", after a
    colon."""
    if match := _SAYING.search(text):
        return tidy(match[1], articles=True) or None
    if match := _HOW_TO_SAY.search(text):
        return tidy(match[1], articles=True) or match[1]  # "thank you" is what is to be said
    if match := _TO_DO.search(text):
        return _without_prepositions(re.sub(rf"\s*{GAP}+", " ", match[1] or match[2]).strip()) or None
    before, colon, after = text.partition(": ")
    return tidy(after, articles=True) or None if colon and len(before) < 80 else None


def because(text: str) -> str | None:
    """Return the reason that a message gives."""
    match = _BECAUSE.search(text)
    return tidy(match[1], articles=True) or None if match else None


def called(text: str) -> str | None:
    """Return what a message calls a thing: "a list called Summer" -> "Summer"."""
    match = _CALLED.search(text)
    return (
        _without_prepositions(re.split(rf"[{GAP},.;]|\b(?:with|con)\b", match[1])[0]) or None
        if match
        else None
    )


def after_colon(text: str) -> str | None:
    """Return what follows the first colon: "Open a ticket: the door is stuck" -> "the door is stuck"."""
    _, colon, after = text.partition(": ")
    return tidy(after, articles=True) or None if colon else None


def tail(text: str) -> str | None:
    """Return what a message adds in a clause of its own at its end: "Refund order 5, the box was empty"."""
    last = re.split(r"[,;.](?:\s|$)", text.rstrip(" .!"))[-1]
    return tidy(last, articles=True) if len(last.split()) > 2 and last != text.rstrip(" .!") else None


def code(text: str) -> str | None:
    """Return a statement of SQL in a message."""
    match = re.search(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH)\b.+", text, re.DOTALL)
    return match.group().strip() if match else None


_PAIR_OF = re.compile(r"(?<![\w.])([^\W\d]\w{0,40})\s?(?:=\s?|:\s)(?:\"([^\"]*)\"|'([^']*)'|([^\s,;]+))")


def pairs(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield what a text gives by name, "city=NYC" or "city: NYC": start, end, name and value."""
    for match in _PAIR_OF.finditer(text):
        value = next(part for part in match.groups()[1:] if part is not None)
        yield *match.span(), match[1], value.rstrip(".!?")


def _without_prepositions(text: str) -> str:
    """Return a phrase without what dangles at its end: "Budget review on" -> "Budget review"."""
    parts = tidy(text).split()
    while parts and any(fold(parts[-1]) in words for words in _PREPOSITIONS.values()):
        parts.pop()
    return " ".join(parts)


def chunks(text: str, closed: list[tuple[int, int]], idle: set[str], language: str) -> list[Chunk]:
    """Return the stretches of a text that say something besides the words in `idle`, in order.

    Args:
        text: the message; what is already used up is overwritten by GAP.
        closed: facts inside which no preposition cuts ("Tower of London").
        idle: features that only name the tool or its slots.
        language: the language of the text.
    """
    found, start, lead = [], 0, ""
    for match in [*islice(_CUTS[language].finditer(text), MOST_CUTS), None]:
        if match and any(begin <= match.start() and match.end() <= end for begin, end in closed):
            continue
        end = match.start() if match else len(text)
        if chunk := _chunk(text, start, end, lead, idle, language):
            found.append(chunk)
        if match:
            start = match.end()
            lead = fold(match.group()).strip(" \n") or lead
    return found


def _chunk(text: str, start: int, end: int, lead: str, idle: set[str], language: str) -> Chunk | None:
    tokens = list(_TOKEN.finditer(text, start, end))
    before: set[str] = set()
    after: set[str] = set()
    first = not text[:start].strip(f" {GAP}¿¡\n")
    while tokens and is_idle(tokens[0].group(), idle, language, verb=first):
        first = first and fold(tokens[0].group()) not in _COUNTING
        before |= full_features(tokens.pop(0).group(), language)
    while tokens and is_idle(tokens[-1].group(), idle, language):
        after |= full_features(tokens.pop().group(), language)
    if not tokens or not (bare := tidy(text[tokens[0].start() : tokens[-1].end()])):
        return None
    if lead == "to" and full_features(tokens[0].group(), language) & verb_concepts():
        lead = ""  # "it costs to send": no direction
    return Chunk(lead, bare, tokens[0].start(), tokens[-1].end(), frozenset(before), frozenset(after))


def is_idle(token: str, known: set[str], language: str, *, verb: bool = False) -> bool:
    """Return whether a word says nothing of its own: a function word, a name of the tool, the verb of a
    request."""
    bare = fold(token.strip(".,;:!?¿¡\"'()"))
    if bare == "te" and "é" in token.lower():
        return False  # tea, no pronoun
    if not bare or bare in stop_words(language) or bare in EMPTY:
        return True
    if token[:1].isdigit():
        return False
    found = features(bare, language)
    strong = {feature for feature, weight in found.items() if weight >= 0.5}
    if verb and strong & verb_concepts() and not re.search(r"[^su]s$", bare):  # "3 drinks" are things
        return True
    return (bool(strong) and bool(strong & known)) or max(found.values(), default=1) < 0.5


def all_known(text: str, language: str) -> bool:
    """Return whether every word of a chunk is an everyday word ("cuesta enviar"), as no place's name is."""
    return all(
        word in stop_words(language) or max(concepts_of(word, language).values(), default=0) == 1
        for word in words(text)
    )


def residue(text: str, known: set[str], labels: set[str], language: str) -> str | None:
    """Return what is left of a request when its edges lose function words and the words that only named the
    tool.

    "what is the price of a blue bun?" without the concepts of `get_price` is "blue bun". Between two gaps
    the words in `labels` say nothing either: ", priority" before a number that is used up.
    """
    asked = request_of(text.strip(f" {GAP}"))
    tokens = list(_TOKEN.finditer(asked))
    verb = True  # one verb of the request: "add a task to renew the passport" is about renewing
    while tokens and is_idle(tokens[0].group(), known, language, verb=verb):
        token = tokens.pop(0).group().lower()
        verb = verb and token in stop_words(language)
    while tokens and is_idle(tokens[-1].group(), known, language):
        tokens.pop()
    if not tokens:
        return None
    pieces = asked[tokens[0].start() : tokens[-1].end()].split(GAP)
    kept = [piece for piece in (_without_edges(piece, known | labels, language) for piece in pieces) if piece]
    return tidy(without_idle_tail(" ".join(kept), known, language)) or None


def _without_edges(piece: str, known: set[str], language: str) -> str:
    """Return what stands between two gaps without what leads to them: "milk for", ", priority" -> "milk"."""
    parts = piece.strip(" ,;:").split()
    if all(is_idle(part, known, language) for part in parts):
        return ""
    while parts and fold(parts[-1].strip(",;:")) in _DANGLING:
        parts.pop()
    return " ".join(parts).strip(" ,;:")


def tidy(text: str, *, articles: bool = False) -> str:
    """Without quotes and punctuation around, and without an article in front unless `articles` keeps it."""
    text = re.sub(r"\s+", " ", _without_tail(text)).strip(" \"'“”‘’«»`.,;:!?¿¡()")
    first, _, rest = text.partition(" ")
    return rest if rest and not articles and fold(first) in _ARTICLES and not first.isupper() else text


# Clauses ------------------------------------------------------------------------------------------
# The cuts are only possible ones: `decide.planning` keeps a cut where the clause after it asks for a tool
# of its own, or names one more thing of the same kind ("Paris and Rome"); it joins the others again.

_WORDS_BETWEEN = phrases("words between")  # fmt: skip
_CUT = any_case(rf"[.!?…]+(?=\s|$)|[;\n]+|,(?=\s)|\s+-\s+|(?<!\w){_WORDS_BETWEEN}(?!\w)")
_ABBREVIATED = re.compile(r"\b(?:Dr|Dra|Mr|Mrs|Ms|Sr|Sra|Prof|St|vs|approx|Av)$")
_PAIR = any_case(r"\b(?:between|entre)\b[^.;!?\n]{0,60}?\b(?:and|y)\b|\([^()]*\)")
MOST_CLAUSES = 100  # cuts in a message that are tried


@dataclass(frozen=True)
class ClauseSpan:
    """A stretch of the message, without white space at its ends."""

    text: str
    start: int
    end: int
    question: bool
    """Whether it ends with a question mark."""


def split(text: str, entities: list[Entity]) -> list[ClauseSpan]:
    """Return the clauses of a message, in order; never cut inside a fact ("1,000") or "between A and B"."""
    closed = [(entity.start, entity.end) for entity in entities] + [
        match.span() for match in _PAIR.finditer(text)
    ]
    clauses, start = [], 0
    for match in [*islice(_CUT.finditer(text), MOST_CLAUSES), None]:
        if match and any(begin <= match.start() < end and match.end() <= end for begin, end in closed):
            continue
        if (
            match
            and match.group().startswith(".")
            and _ABBREVIATED.search(text[max(0, match.start() - 6) : match.start()])
        ):
            continue
        end = match.start() if match else len(text)
        if stretch := _span(text, start, end, bool(match and "?" in match.group())):
            clauses.append(stretch)
        start = match.end() if match else end
    return clauses


def join(text: str, first: ClauseSpan, last: ClauseSpan) -> ClauseSpan:
    """Return one clause from the start of one to the end of another."""
    return ClauseSpan(text[first.start : last.end], first.start, last.end, first.question or last.question)


def _span(text: str, start: int, end: int, question: bool) -> ClauseSpan | None:
    stretch = text[start:end]
    bare = stretch.strip(" \t\n,;:¿¡")
    if not re.search(r"\w", bare):
        return None
    begin = start + stretch.index(bare)
    return ClauseSpan(bare, begin, begin + len(bare), question)
