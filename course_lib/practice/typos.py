"""The word that was probably meant by a mistyped one."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from .language import concepts_of, fold
from .lexicon import RELATED, lexicon_words

SHORTEST = 4  # letters of a word that is looked up; of shorter ones too many others are near


def nearest(stem: str, text: str, tongue: str) -> dict[str, float]:
    """The concepts of the words of the lexicon that are one slip of the fingers from a word, at less weight.

    Args:
        stem: the stem of an unknown word.
        text: what the word stands in; a name is no mistake.
        tongue: the language of the text.
    """
    place = next((m for m in re.finditer(r"[^\W\d_]+", text) if fold(m.group()).startswith(stem)), None)
    if place is None or (place.group()[0].isupper() and place.start() > 0):
        return {}
    return _near(fold(place.group()), tongue)


@lru_cache(maxsize=2_000)
def _near(word: str, tongue: str) -> dict[str, float]:
    if len(word) < SHORTEST:
        return {}
    found: dict[str, float] = {}
    for other in _by_letter(tongue).get(word[0], ()):
        if len(other) > SHORTEST and _one_slip(word, other):
            for concept, weight in concepts_of(other, tongue).items():
                if weight == 1:
                    found[concept] = RELATED
    return found


def _one_slip(word: str, other: str) -> bool:
    """Whether two words differ by one letter that is missing, doubled, added or wrong, or by two that are
    swapped. A wrong letter makes another word of a short one, so it does not count there."""
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
def _by_letter(tongue: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in lexicon_words(tongue):
        found.setdefault(word[0], []).append(word)
    return {letter: tuple(listed) for letter, listed in found.items()}
