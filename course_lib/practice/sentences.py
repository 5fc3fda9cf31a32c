"""A phrase as it stands in the message: whole sentences, with the facts that other properties took inside
them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import phrases
from .asking import WANTS_A_THING, begins_anew
from .language import stop_words, words

if TYPE_CHECKING:
    from .filling import Scope


def in_full(found: str, scope: Scope) -> tuple[str, tuple[int, int] | None]:
    """A phrase as it stands in the message, with the facts that other properties took inside it, and its
    place; without clauses at its ends that say nothing besides what others took ("Priority high.")."""
    pieces = re.findall(rf"[^\s{phrases.GAP}]+", found)
    match = re.search(rf"[\s{phrases.GAP}]+".join(map(re.escape, pieces)), scope.text) if pieces else None
    for text in (scope.rest, without(scope, "date", "time")):
        match = match or (
            re.search(rf"[\s{phrases.GAP}]+".join(map(re.escape, pieces)), text) if pieces else None
        )
    if match is None:
        return " ".join(pieces), None
    start, end = match.span()
    clauses = [m.span() for m in re.finditer(r"[^.,;!?]+(?:[.,](?=\S)[^.,;!?]*)*", scope.text[start:end])]
    clauses = [
        (start + first, start + last)
        for first, last in clauses
        if scope.text[start + first : start + last].strip()
    ]
    while len(clauses) > 1 and _told_elsewhere(*clauses[-1], scope):
        clauses.pop()
    while len(clauses) > 1 and _told_elsewhere(*clauses[0], scope):
        clauses.pop(0)
    start, end = (clauses[0][0], clauses[-1][1]) if clauses else (start, end)
    start, end = _whole_sentence(start, end, scope)
    text = scope.text[start:end]
    if scope.dated:  # the day has a property of its own: it is cut out, without a trace
        for entity in reversed(scope.entities):
            if (
                entity.kind in ("date", "time")
                and not scope.free(entity)
                and start <= entity.start < entity.end <= end
            ):
                text = text[: entity.start - start] + phrases.GAP + text[entity.end - start :]
        text = re.sub(rf"\s*{phrases.GAP}\s*(?:{phrases.GAP}\s*)*", " ", text)
    return phrases.tidy(text, articles=True), (start, end)


def _whole_sentence(start: int, end: int, scope: Scope) -> tuple[int, int]:
    """A phrase with the little words before it in its sentence ("My …"), and then to the sentence's end."""
    ahead = re.split(r"[.,;:!?\n]", scope.rest[:start])[-1].replace(phrases.GAP, " ")
    wanted = WANTS_A_THING.match(ahead)
    little = wanted or all(word in stop_words(scope.tongue) for word in words(ahead))
    begin = start - len(scope.text[start - len(ahead) : start].lstrip())
    if not little or phrases.is_courtesy(ahead) or re.search(r"\d", ahead):
        return start, end
    tail = re.match(r"[^.,;:!?\n]*", scope.text[end:])
    closed = tail and (
        phrases.is_courtesy(tail.group()) or phrases.GAP in scope.searchable[end : end + tail.end()]
    )
    return begin, end if closed or not tail else end + len(tail.group().rstrip())


def _told_elsewhere(start: int, end: int, scope: Scope) -> bool:
    """Whether a clause says nothing besides what other properties took from it and their names, or only asks
    for the call: "open an urgent ticket"."""
    following = re.search(r"[.,;!?\n]", scope.text[end:])  # what stands beside it may be cut off already
    end = end + following.start() if following else len(scope.text)
    known = scope.topics if begins_anew(scope.text[start:end], scope.tongue) else frozenset()
    if not known and not any(begin < end and start < stop for begin, stop in scope.used):
        return False
    left = scope.rest[start:end].replace(phrases.GAP, " ")
    return all(phrases.is_idle(word, {*scope.labels, *known}, scope.tongue) for word in left.split())


def without(scope: Scope, *kinds: str) -> str:
    """What is left of the text, without its dates and times, which are no part of a phrase ("… Python last
    week")."""
    text = scope.rest
    for entity in scope.entities:
        if entity.kind in kinds:
            text = text[: entity.start] + phrases.GAP * (entity.end - entity.start) + text[entity.end :]
    return text
