"""Regular forms: plurals and singulars of nouns in English and Spanish, infinitives of Spanish verbs."""

from __future__ import annotations

import re

# The endings of Spanish verbs in the past, without accents; the stemmer knows them only with accents.
_PAST = re.compile(r"([a-z]{3,})(?:iste|io|i|imos|isteis|ieron|aste|e|o|amos|asteis|aron)$")


def infinitives(word: str) -> list[str]:
    """The Spanish infinitives that a folded form of the past, or an order to several people, may belong to:
    "pedi" -> pedir, peder, pedar; "abrid" -> abrir."""
    if re.search(r"[a-z]{2}[aei]d$", word):
        return [word[:-1] + "r"]
    match = _PAST.match(word)
    return [match[1] + ending for ending in ("ir", "er", "ar")] if match else []


def one_thing(word: str, language: str) -> str:
    """A Spanish participle of several things as that of one: "enviados" -> "enviado"; else the word."""
    return word[:-1] if language == "es" and re.search(r"[ai]d[oa]s$", word) else word


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
