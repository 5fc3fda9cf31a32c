"""The word lists of `words/`, as the rest reads them: concepts with their everyday words in two languages."""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib import resources

RELATED = 0.5  # weight of a word that the lexicon marks as only related ("umbrella" -> weather)


def fold_once(text: str) -> str:
    """`fold` without remembering the result, for the many words of a list."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFKD", folded)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).replace("’", "'")


def read_lines(name: str) -> list[str]:
    """The lines of a word list without its comments; headings ("## english") stay."""
    text = (resources.files(__package__) / "words" / name).read_text(encoding="utf-8")
    lines = filter(None, map(str.strip, text.splitlines()))
    return [line for line in lines if line.startswith("##") or line[0] != "#"]


@cache
def _entries() -> list[tuple[str, dict[str, list[str]]]]:
    entries = []
    for line in read_lines("lexicon.txt"):
        if not line.startswith("##"):
            concept, english, spanish = (part.strip() for part in line.split("|"))
            entries.append((concept, {"en": english.split(), "es": spanish.split()}))
    return entries


@cache
def headwords() -> dict[str, dict[str, str]]:
    return {concept: {tongue: sides[tongue][0] for tongue in sides} for concept, sides in _entries()}


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
    """The single words of the lexicon by their first three letters."""
    found: dict[str, list[str]] = {}
    for word in exact(language):
        if "_" not in word:
            found.setdefault(word[:3], []).append(word)
    return found


def lexicon_words(language: str) -> list[str]:
    """The single words of one side of the lexicon, folded, without those that are only related."""
    return [
        word for word, concepts in exact(language).items() if "_" not in word and 1.0 in concepts.values()
    ]


@cache
def verb_concepts() -> frozenset[str]:
    """The concepts of everyday verbs: a request that begins with one says with it what to do, not with
    what."""
    section, found = "", set()
    for line in read_lines("lexicon.txt"):
        if line.startswith("##"):
            section = line.strip("# ")
        elif section == "common verbs":
            found.add(line.split("|")[0].strip())
    return frozenset(found)
