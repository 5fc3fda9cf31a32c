"""Words: their regular forms, the word lists, the language of a text, its features, and slips in typing."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from importlib import resources
from itertools import islice
from typing import NamedTuple, ParamSpec, TypeVar

import snowballstemmer

# Regular forms of nouns in English and Spanish, and of Spanish verbs ------------------------------

# The endings of Spanish verbs in the past, without accents; the stemmer knows them only with accents.
_PAST = re.compile(r"([a-z]{3,}?)(?:iste|io|i|imos|isteis|ieron|aste|e|o|amos|asteis|aron)$")


def infinitives(word: str) -> list[str]:
    """Return the Spanish infinitives of a folded past or plural imperative: "pedi" -> pedir, "abrid" ->
    abrir."""
    if re.search(r"[a-z]{2}[aei]d$", word):
        return [word[:-1] + "r"]
    match = _PAST.match(word)
    return [match[1] + ending for ending in ("ir", "er", "ar")] if match else []


def one_thing(word: str, language: str) -> str:
    """Return a Spanish participle of several things as that of one: "enviados" -> "enviado"; else the
    word."""
    return word[:-1] if language == "es" and re.search(r"[ai]d[oa]s$", word) else word


def plural(word: str, language: str) -> str:
    """Return the regular plural of a noun."""
    if word.endswith("s"):
        return word
    if language == "es":
        if word.endswith("z"):
            return word[:-1] + "ces"
        if word.endswith("ión"):
            return word[:-3] + "iones"
        return word + ("s" if word[-1] in "aeiouáéó" else "es")
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(x|z|ch|sh)$", word) else "s")


def singular(word: str, language: str) -> str:
    """Return the regular singular of a plural noun; other words are left as they are."""
    if language == "es":
        short = fold_once(word.removesuffix("es"))  # hoteles -> hotel, but clientes -> cliente
        if word.endswith("es") and short in exact("es") and fold_once(word[:-1]) not in exact("es"):
            return word[:-2]
        for ending, instead in (
            ("ciones", "ción"),
            ("ces", "z"),
            ("dades", "dad"),
            ("ores", "or"),
            ("s", ""),
        ):
            if word.endswith(ending) and len(word) > 3:
                return word.removesuffix(ending) + instead
    for ending, instead in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("ss", "ss"),
        ("us", "us"),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) > 3:
            return word.removesuffix(ending) + instead
    return word


# The word lists in `words/`: concepts with their everyday words in two languages ------------------

RELATED = 0.5  # weight of a word that the lexicon marks as only related ("umbrella" -> weather)


def fold_once(text: str) -> str:
    """`fold` without remembering the result, for the many words of a list."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFKD", folded)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).replace("’", "'")


def read_lines(name: str) -> list[str]:
    """Return the lines of a word list without its comments; headings ("## english") stay."""
    text = (resources.files(__package__) / "words" / name).read_text(encoding="utf-8")
    lines = filter(None, map(str.strip, text.splitlines()))
    return [line for line in lines if line.startswith("##") or line[0] != "#"]


@cache
def _sections(file: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in read_lines(file):
        if line.startswith("##"):
            lines = sections.setdefault(line.strip("# ").lower(), [])
        else:
            lines.append(line)
    return sections


def _section(file: str, name: str) -> list[str]:
    """Return the lines under a heading of a word list."""
    if name not in _sections(file):
        raise LookupError(f"words/{file} has no section '## {name}'")
    return _sections(file)[name]


def read_rows(name: str, section: str = "") -> list[list[str]]:
    """Return the lines of a word list, or of a section of it, cut into cells; without headings."""
    lines = _section(name, section) if section else read_lines(name)
    return [[cell.strip() for cell in line.split("|")] for line in lines if line[0] != "#"]


@cache
def _entries() -> list[tuple[str, dict[str, list[str]]]]:
    rows = read_rows("lexicon.txt")
    return [(concept, {"en": english.split(), "es": spanish.split()}) for concept, english, spanish in rows]


@cache
def headwords() -> dict[str, dict[str, str]]:
    return {concept: {language: sides[language][0] for language in sides} for concept, sides in _entries()}


@cache
def exact(language: str) -> dict[str, dict[str, float]]:
    """Folded word or underscored phrase of the lexicon -> its concepts."""
    found: dict[str, dict[str, float]] = {}
    for concept, sides in _entries():
        for entry in sides[language]:
            known = found.setdefault(fold_once(entry.lstrip("~")), {})
            known[concept] = max(RELATED if entry.startswith("~") else 1.0, known.get(concept, 0))
    return found


@cache
def by_start(language: str) -> dict[str, list[str]]:
    """Return the single words of the lexicon by their first three letters."""
    found: dict[str, list[str]] = {}
    for word in exact(language):
        if "_" not in word:
            found.setdefault(word[:3], []).append(word)
    return found


def lexicon_words(language: str) -> list[str]:
    """Return the single words of one side of the lexicon, folded, without those that are only related."""
    return [
        word for word, concepts in exact(language).items() if "_" not in word and 1.0 in concepts.values()
    ]


@cache
def verb_concepts() -> frozenset[str]:
    """Return the concepts of everyday verbs: they say what to do, not with what."""
    return frozenset(line.split("|")[0].strip() for line in _section("lexicon.txt", "common verbs"))


# Features -----------------------------------------------------------------------------------------
# A *feature* is a concept of `words/lexicon.txt` ("message" for message, messages, msg, mensaje, mensajes
# …) or, for a word that the lexicon does not know, its stem. Both languages share the concepts, so a
# Spanish question finds an English definition. This is word matching, not understanding: no grammar, no
# context.

P = ParamSpec("P")
R = TypeVar("R")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ALGORITHMS = {"en": "english", "es": "spanish"}
# A stemmer keeps the word that it works on in itself, so each thread has its own.
_own = threading.local()
REMEMBERED = 4_000  # texts whose words are kept; more would make 20,000 different questions cost memory
MOST_WORDS = 2_000
LONGEST_WORD = 60  # letters of a word that has a stem
LONGEST_PHRASE = 4  # words in the longest entry of the lexicon that is looked for ("tarjeta de crédito")
GENERIC = 0.25  # weight of a word that most definitions contain ("get", "data") and that so says little


def any_case(pattern: str) -> re.Pattern[str]:
    """Return a compiled regular expression that ignores case."""
    return re.compile(pattern, re.IGNORECASE)


def one_of(*patterns: str) -> str:
    """Return a regular expression for any of several, in a group of its own."""
    return f"(?:{'|'.join(patterns)})"


def short_cache(function: Callable[P, R]) -> Callable[P, R]:
    """Remember results for short texts: definitions and questions come again and again, long texts do not."""
    remembering = lru_cache(maxsize=REMEMBERED)(function)

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return (remembering if len(str(args[0])) <= 400 else function)(*args, **kwargs)

    return wrapper


@short_cache
def fold(text: str) -> str:
    """Return the text in lower case and without accents, so that "Pedido Nº" and "pedido nº" are one."""
    return fold_once(text)


def fold_in_place(text: str) -> str:
    """Return the text folded so that every letter keeps its place: what is found there points into the
    text."""
    # A letter that folds to two (ß) would shift the places: then the plain text is taken.
    folded = fold(text)
    return folded if len(folded) == len(text) else text.lower() if len(text.lower()) == len(text) else text


class Word(NamedTuple):
    """A word of a text, at its place there."""

    written: str
    folded: str
    start: int
    end: int


@short_cache
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text (at most MOST_WORDS) at their places; numbers and punctuation left out."""
    found = islice(WORD.finditer(text), MOST_WORDS)
    return tuple(Word(match.group(), fold(match.group()), *match.span()) for match in found)


def words(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return [word.folded for word in words_of(text)]


def split_identifier(name: str) -> str:
    """Return the words inside an identifier: getUserMessages, get_user_messages and get-user-messages
    alike."""
    return _CAMEL.sub(" ", re.sub(r"[_\-.:/]+", " ", name))


@lru_cache(maxsize=4 * REMEMBERED)
def stem(word: str, language: str) -> str:
    """Return the stem of one folded word, by Snowball's rules for the language."""
    # The rules expect accents in Spanish, which learners leave out: both sides are folded, so they agree.
    if len(word) > LONGEST_WORD:
        return word
    stemmer = getattr(_own, language, None)
    if stemmer is None:
        stemmer = snowballstemmer.stemmer(_ALGORITHMS[language])
        setattr(_own, language, stemmer)
    return stemmer.stemWord(word)


def by_language(language: str, english: str, spanish: str) -> str:
    """Return the one of two texts that is in the language."""
    return spanish if language == "es" else english


@cache
def phrases(name: str) -> str:
    """Return a regular expression, in a group of its own, for any phrase of a section of
    words/phrases.txt."""
    return one_of(*(phrase for line in _section("phrases.txt", name) for phrase in line.split(" | ")))


@cache
def word_group(name: str) -> str:
    """Return a section of words/slots.txt, for instance "people", on one line."""
    return " ".join(_section("slots.txt", name))


@cache
def pattern(name: str, before: str = r"\b", after: str = r"\b") -> re.Pattern[str]:
    """Return the compiled expression for the phrases of a section of words/phrases.txt, in any case."""
    return any_case(before + phrases(name) + after)


@cache
def wordlist(name: str) -> frozenset[str]:
    """Return a section of words/stopwords.txt, for instance "english generic", folded."""
    found = (word for line in _section("stopwords.txt", name) for word in line.split())
    return frozenset(fold(word).replace("_", " ") for word in found)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that carry no topic: articles, prepositions, question words, politeness."""
    name = {"en": "english", "es": "spanish"}[language]
    return wordlist(name) | wordlist(f"{name} question words")


@cache
def generic_words(language: str) -> frozenset[str]:
    """Words that most definitions contain and that so say little about one of them."""
    return wordlist({"en": "english generic", "es": "spanish generic"}[language])


_NAMES = re.compile(r"(?<=[^\W\d_] )[^\W\d_a-zñáéíóúü][^\W\d_]+")  # with a capital, and not the first word


@short_cache
def detect(text: str, default: str = "en") -> str:
    """ "en" or "es", by the function words and letters of the text; `default` where nothing tells."""
    found = words(text)
    # "Cádiz" is written so in English, too.
    letters = re.findall(r"[¿¡ñáíóúü]", _NAMES.sub("", text).lower())
    spanish = sum(word in stop_words("es") for word in found) + 2 * len(letters)
    english = sum(word in stop_words("en") for word in found)
    if spanish == english:  # no function words ("pedido 1042"): ask the lexicon
        spanish, english = (sum(word in exact(language) for word in found) for language in ("es", "en"))
    return default if spanish == english else ("es" if spanish > english else "en")


@dataclass(frozen=True)
class Token:
    """A word (or phrase of the lexicon) of a text that says something."""

    written: str
    """In lower case."""
    start: int
    end: int
    meanings: dict[str, float]
    """Its concepts, or its stem, with weights up to 1; read-only."""


@short_cache
def tokens(text: str, language: str | None = None, *, keep_all: bool = False) -> tuple[Token, ...]:
    """Return the words (or phrases of the lexicon) of a text that say something, without function words.

    Treat the result as read-only: it is cached, because each definition is read again in every request.

    Args:
        text: any text.
        language: "en" or "es"; default: what `detect` finds.
        keep_all: keep function words that the lexicon knows too ("off"), as in a list of values.
    """
    language = language or detect(text)
    found_words = words_of(text)
    folded = [word.folded for word in found_words]
    stop, generic = stop_words(language), generic_words(language) | generic_words("en")
    found: list[Token] = []
    position = 0
    while position < len(folded):
        length, concepts = _longest_entry(folded, position, language)
        word = folded[position]
        start, end = found_words[position].start, found_words[position + length - 1].end
        position += length
        if length == 1 and word in stop and not (keep_all and concepts):
            continue
        if length == 1 and len(word) > 1:
            # Also the word itself, whatever the lexicon takes it for: "hits" are "hit".
            concepts = concepts | {f"={stem(word.removesuffix(chr(39) + 's'), language)}": 1.0}
        weaken = GENERIC if length == 1 and word in generic and not keep_all else 1.0
        if concepts:
            meanings = {concept: weight * weaken for concept, weight in concepts.items()}
            found.append(Token(text[start:end].lower(), start, end, meanings))
    return tuple(found)


@short_cache
def features(text: str, language: str | None = None) -> dict[str, float]:
    """Return the concepts and unknown stems of a text's words, with weights up to 1; read-only, too."""
    found: dict[str, float] = {}
    for token in tokens(text, language):
        for concept, weight in token.meanings.items():
            found[concept] = max(found.get(concept, 0), weight)
    return found


def full_features(text: str, language: str | None = None) -> frozenset[str]:
    """Return the features that words of a text stand for fully, not only as related or generic words."""
    return frozenset(feature for feature, weight in features(text, language).items() if weight == 1)


@cache
def features_of_each(examples: str) -> frozenset[str]:
    """Return the full features of each of some English words, read alone."""
    return frozenset(feature for word in examples.split() for feature in full_features(word, "en"))


def concepts_of(word: str, language: str) -> dict[str, float]:
    """Return the concepts of one folded word or underscored phrase: by its exact form, else its stem."""
    for one in (language, "es" if language == "en" else "en"):
        if found := exact(one).get(word) or exact(one).get(one_thing(word, one)):
            # A plural may be in the list for something else: "correos" are also more than one mail.
            return exact(one).get(singular(word, one), {}) | found if word.endswith("s") else found
        if word in stop_words(one):
            return {}  # a function word is only what its exact form is
        if found := _by_stem(word, one):
            return found
        # "búscalo", "envíale": the verb without its pronoun
        if (
            one == "es"
            and (bare := re.sub(r"(?:se)?(?:me|te|l[aeo]s?|nos)$", "", word)) != word
            and len(bare) > 3
        ):
            if found := exact(one).get(bare) or _by_stem(bare, one):
                return found
        if one == language == "es":
            if past := next(filter(None, map(exact("es").get, infinitives(word))), None):
                return past
    return {}


def _longest_entry(folded: list[str], position: int, language: str) -> tuple[int, dict[str, float]]:
    for length in range(min(LONGEST_PHRASE, len(folded) - position), 1, -1):
        phrase = "_".join(folded[position : position + length])
        for one in (language, "es" if language == "en" else "en"):
            if found := exact(one).get(phrase):
                return length, found
    return 1, concepts_of(folded[position], language)


def headword(word: str, language: str) -> str:
    """Return the lexicon's first word for what a word fully means, else the word: "devuelvo" ->
    "devolución"."""
    concepts = concepts_of(fold(word), language)
    full = [concept for concept, weight in concepts.items() if weight == 1]
    best = max(full, key=lambda concept: _is_headword(fold(word), concept, language), default=None)
    return headwords()[best][language].replace("_", " ") if best else word


def _is_headword(folded: str, concept: str, language: str) -> tuple[bool, bool]:
    """Return whether a word names a concept: as its very headword (or the plural of it), or by its stem."""
    head = fold(headwords()[concept][language])
    return folded in (head, plural(head, language)), stem(head, language) == stem(folded, language)


def _by_stem(word: str, language: str) -> dict[str, float]:
    return _stems(language, word[:3]).get(stem(word, language), {})


@cache
def _stems(language: str, start: str) -> dict[str, dict[str, float]]:
    """Stem -> concepts, for the words of the lexicon that begin with `start`.

    By beginnings, and only when asked for: to stem the whole lexicon would delay the first answer by a
    second.
    """
    found: dict[str, dict[str, float]] = {}
    for word in by_start(language).get(start, ()):
        # The plural too: Snowball does not always bring both together (ciudad -> ciud, ciudades -> ciudad).
        for form in (word, fold_once(plural(word, language))):
            known = found.setdefault(stem(form, language), {})
            for concept, weight in exact(language)[word].items():
                known[concept] = max(weight, known.get(concept, 0))
    return found


# Slips in typing ----------------------------------------------------------------------------------

SHORTEST = 4  # letters of a word that is looked up; of shorter ones too many others are near


def nearest(token: Token, text: str, language: str) -> dict[str, float]:
    """Return the concepts of the words of the lexicon that are one slip of the fingers from a word, at less
    weight; a name is no mistake."""
    if token.start > 0 and text[token.start].isupper():
        return {}
    return _near(fold(token.written), language)


@lru_cache(maxsize=2_000)
def _near(word: str, language: str) -> dict[str, float]:
    if len(word) < SHORTEST:
        return {}
    found: dict[str, float] = {}
    for other in _by_letter(language).get(word[0], ()):
        if len(other) > SHORTEST and _one_slip(word, other):
            for concept, weight in concepts_of(other, language).items():
                if weight == 1:
                    found[concept] = RELATED
    return found


def _one_slip(word: str, other: str) -> bool:
    """Return whether two words differ by one letter that is missing, doubled, added or wrong, or by two that
    are swapped. A wrong letter makes another word of a short one, so it does not count there."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    pairs = zip(word, other, strict=False)
    first = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(word), len(other)))
    rest, others_rest = word[first:], other[first:]
    if len(word) != len(other):
        return rest == others_rest[1:] or rest[1:] == others_rest
    swapped = rest[:2] == others_rest[:2][::-1] and rest[2:] == others_rest[2:]
    return swapped or (len(word) > SHORTEST + 1 and rest[1:] == others_rest[1:])


@cache
def _by_letter(language: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in lexicon_words(language):
        found.setdefault(word[0], []).append(word)
    return {letter: tuple(listed) for letter, listed in found.items()}
