"""From text to features: which language a text is in, its words, and the concepts that they name.

A *feature* is a concept of `words/lexicon.txt` ("message" for message, messages, msg, mensaje, mensajes …) or, for a
word that the lexicon does not know, its stem. Both languages share the concepts, so a Spanish question finds an
English definition. This is word matching, not understanding: it knows no grammar and no context.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib import resources

import snowballstemmer

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STEMMERS = {
    language: snowballstemmer.stemmer(name) for language, name in (("en", "english"), ("es", "spanish"))
}
LONGEST_PHRASE = 4  # words in the longest entry of the lexicon that is looked for ("tarjeta de crédito")
RELATED = 0.5  # weight of a word that the lexicon marks as only related ("umbrella" -> weather)
GENERIC = 0.25  # weight of a word that most definitions contain ("get", "data") and that so says little


def fold(text: str) -> str:
    """The text in lower case and without accents, so that "Pedido Nº" and "pedido nº" are one."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).replace(
        "’", "'"
    )


def words(text: str) -> list[str]:
    """The words of a text, folded; numbers and punctuation left out."""
    return [fold(word) for word in WORD.findall(text)]


def split_identifier(name: str) -> str:
    """The words inside an identifier: getUserMessages, get_user_messages and get-user-messages alike."""
    return _CAMEL.sub(" ", re.sub(r"[_\-.:/]+", " ", name))


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """The stem of one folded word, by Snowball's rules for the language."""
    # The rules want accents in Spanish, but a learner types with and without: both sides are folded, so both agree.
    return _STEMMERS[language].stemWord(word)


@cache
def wordlist(name: str) -> frozenset[str]:
    """A section of words/stopwords.txt, for instance "english generic", folded."""
    section, found = "", []
    for line in _lines("stopwords.txt"):
        if line.startswith("##"):
            section = line.strip("# ").lower()
        elif section == name:
            found += line.split()
    if not found:
        raise LookupError(f"words/stopwords.txt has no section '## {name}'")
    return frozenset(fold(word).replace("_", " ") for word in found)


def stop_words(language: str) -> frozenset[str]:
    """Words that carry no topic: articles, prepositions, question words, politeness."""
    name = {"en": "english", "es": "spanish"}[language]
    return wordlist(name) | wordlist(f"{name} question words")


def generic_words(language: str) -> frozenset[str]:
    """Words that most definitions contain and that so say little about one of them."""
    return wordlist({"en": "english generic", "es": "spanish generic"}[language])


@lru_cache(maxsize=4_000)
def detect(text: str, default: str = "en") -> str:
    """ "en" or "es", by the function words and letters of the text; `default` where nothing tells."""
    found = words(text)
    spanish = sum(word in stop_words("es") for word in found) + 2 * len(
        re.findall(r"[¿¡ñáíóúü]", text.lower())
    )
    english = sum(word in stop_words("en") for word in found)
    if spanish == english:  # no function words ("pedido 1042"): ask the lexicon
        spanish, english = (sum(word in _exact(tongue) for word in found) for tongue in ("es", "en"))
    return default if spanish == english else ("es" if spanish > english else "en")


@lru_cache(maxsize=20_000)
def word_features(
    text: str, language: str | None = None, *, keep_all: bool = False
) -> tuple[dict[str, float], ...]:
    """What each word (or phrase of the lexicon) of a text stands for: its concepts, or its stem, with weights.

    Treat the result as read-only: it is cached, because each definition is read again in every request.

    Args:
        text: any text.
        language: "en" or "es"; default: what `detect` finds.
        keep_all: keep function words that the lexicon knows too ("off"), as in a list of values.
    """
    language = language or detect(text)
    folded = [fold(word) for word in WORD.findall(text)]
    stop, generic = stop_words(language), generic_words(language) | generic_words("en")
    found: list[dict[str, float]] = []
    position = 0
    while position < len(folded):
        length, concepts = _longest_entry(folded, position, language)
        word = folded[position]
        position += length
        if length == 1 and word in stop and not (keep_all and concepts):
            continue
        if not concepts:
            concepts = {f"={stem(word.removesuffix(chr(39) + 's'), language)}": 1.0} if len(word) > 1 else {}
        weaken = GENERIC if length == 1 and word in generic and not keep_all else 1.0
        if concepts:
            found.append({concept: weight * weaken for concept, weight in concepts.items()})
    return tuple(found)


@lru_cache(maxsize=20_000)
def features(text: str, language: str | None = None) -> dict[str, float]:
    """What a text is about: all concepts and unknown stems of its words, with weights up to 1. Read-only, as above."""
    found: dict[str, float] = {}
    for concepts in word_features(text, language):
        for concept, weight in concepts.items():
            found[concept] = max(found.get(concept, 0), weight)
    return found


def concepts_of(word: str, language: str) -> dict[str, float]:
    """The concepts of one folded word or underscored phrase: by its exact form, else by its stem; else in the other
    language."""
    for tongue in (language, "es" if language == "en" else "en"):
        if found := _exact(tongue).get(word):
            return found
        if word in stop_words(tongue):
            return {}  # a function word is only what its exact form is
        if found := _by_stem(word, tongue):
            return found
        # "búscalo", "envíale": the verb without its pronoun
        if (
            tongue == "es"
            and (bare := re.sub(r"(?:se)?(?:me|te|l[aeo]s?|nos)$", "", word)) != word
            and len(bare) > 3
        ):
            if found := _exact(tongue).get(bare) or _by_stem(bare, tongue):
                return found
    return {}


def translate(word: str, language: str) -> str:
    """The lexicon's plain word for the same concept in the language ("messages" -> "mensajes"), else the word itself."""
    folded = fold(word)
    for tongue in ("en", "es"):
        if folded in _exact(tongue) or _by_stem(folded, tongue):
            if tongue == language:
                return word
            concepts = concepts_of(folded, tongue)
            best = max(
                concepts, key=lambda concept: (concepts[concept], _is_headword(folded, concept, tongue))
            )
            if concepts[best] < 1:
                return word
            plain = _headwords()[best][language].replace("_", " ")
            return plural(plain, language) if folded.endswith("s") and len(folded) > 3 else plain
    return word


def plural(word: str, language: str) -> str:
    """The regular plural of a noun."""
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
    """The regular singular of a plural noun; other words are left as they are."""
    if language == "es":
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


def _longest_entry(folded: list[str], position: int, language: str) -> tuple[int, dict[str, float]]:
    for length in range(min(LONGEST_PHRASE, len(folded) - position), 1, -1):
        phrase = "_".join(folded[position : position + length])
        for tongue in (language, "es" if language == "en" else "en"):
            if found := _exact(tongue).get(phrase):
                return length, found
    return 1, concepts_of(folded[position], language)


def _lines(name: str) -> list[str]:
    text = (resources.files(__package__) / "words" / name).read_text(encoding="utf-8")
    return [
        line
        for raw in text.splitlines()
        if (line := raw.strip()) and (line.startswith("##") or line[0] != "#")
    ]


@cache
def _entries() -> list[tuple[str, dict[str, list[str]]]]:
    entries = []
    for line in _lines("lexicon.txt"):
        if not line.startswith("##"):
            concept, english, spanish = (part.strip() for part in line.split("|"))
            entries.append((concept, {"en": english.split(), "es": spanish.split()}))
    return entries


@cache
def _headwords() -> dict[str, dict[str, str]]:
    return {concept: {tongue: sides[tongue][0] for tongue in sides} for concept, sides in _entries()}


def _is_headword(folded: str, concept: str, language: str) -> bool:
    return stem(fold(_headwords()[concept][language]), language) == stem(folded, language)


@cache
def _exact(language: str) -> dict[str, dict[str, float]]:
    """Folded word or underscored phrase of the lexicon -> its concepts."""
    found: dict[str, dict[str, float]] = {}
    for concept, sides in _entries():
        for entry in sides[language]:
            known = found.setdefault(fold(entry.lstrip("~")), {})
            known[concept] = max(RELATED if entry.startswith("~") else 1.0, known.get(concept, 0))
    return found


def _by_stem(word: str, language: str) -> dict[str, float]:
    return _stems(language, word[:3]).get(stem(word, language), {})


@cache
def _stems(language: str, start: str) -> dict[str, dict[str, float]]:
    """Stem -> concepts, for the words of the lexicon that begin with `start`.

    By beginnings, and only when one is asked for: to stem the whole lexicon would delay the first answer by a second.
    """
    found: dict[str, dict[str, float]] = {}
    for word, concepts in _exact(language).items():
        if word.startswith(start) and "_" not in word:
            # The plural too: Snowball does not always bring both together (ciudad -> ciud, ciudades -> ciudad).
            for form in (word, fold(plural(word, language))):
                known = found.setdefault(stem(form, language), {})
                for concept, weight in concepts.items():
                    known[concept] = max(weight, known.get(concept, 0))
    return found
