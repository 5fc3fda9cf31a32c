"""A message, read once: its clauses, each with its facts, the meanings of its words, and how it asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from . import speech_acts
from .clauses import ClauseSpan, is_courtesy, join, request_of, split, topic
from .entities import Entity, read
from .text import GENERIC, Token, full_features, stop_words, tokens, words


@dataclass(frozen=True)
class Clause(ClauseSpan):
    """One clause of a message, and all that its words and its form say."""

    language: str
    entities: tuple[Entity, ...]
    """Its facts, at their places in the clause."""
    tokens: tuple[Token, ...]
    """Its words that say something, with what they stand for."""
    meanings: frozenset[str]
    """All that its words fully stand for."""
    verb: frozenset[str]
    """What the first word fully stands for, after politeness."""
    first: frozenset[str]
    """What the first word most likely stands for, or the first two ("turn on")."""
    action: frozenset[str]
    """Of `first` what does not come from a word that most definitions contain ("get")."""
    topic: str | None
    """What it says it is about: "messages about Python" -> "Python"."""
    bare: bool
    """Whether it says nothing but facts: "And Lima?"."""
    leans: bool
    """Whether it is a question that names nothing, about what stands before it: "what does it cost?"."""
    points_back: bool
    """Whether it speaks of something named before: "it", "there"."""
    begins_anew: bool
    """Whether it begins with a question word or a verb, as a request of its own does."""
    courteous: bool
    """Whether it greets, or asks somebody for something: "please", "can you"."""
    of_oneself: bool
    """Whether somebody speaks of themselves: "I", "my"."""
    tells: bool
    """Whether it states something: who does it comes first, and that is not "I want" and the like."""
    names_a_thing: bool
    """Whether a thing comes first: "Order 1036 came", "The door is stuck"."""
    wants_a_thing: bool
    """Whether a thing is wanted, and not that something is done: "I want my money back"."""
    declines: bool
    """Whether it says what is not to be done: "I don't want to cancel it"."""
    asks: bool
    """Whether it begins as a question does, after politeness or not."""
    asks_anywhere: bool
    """Whether a part of it begins as a question does."""
    asks_for_everything: bool
    """Whether it asks for all that there is about something."""
    asks_to_see: bool
    """Whether it asks to see or find something: "show me …"."""
    asks_us: bool
    """Whether it asks the assistant to do something: "can you …"."""
    asks_how: bool
    """Whether it asks how something is done, or whether it can be."""
    asks_whether: bool
    """Whether it asks yes or no about a state."""
    asks_where: bool
    asks_about_own: bool
    """Whether it asks what somebody did or has: "did I …?"."""
    asks_in_general: bool
    """Whether it asks for rules: how things are done, and not about one thing."""
    asks_what_was_written: bool
    forms_the_answer: bool
    """Whether it only says how to answer: "then return only its result"."""
    asks_for_a_person: bool
    asks_to_speak: bool
    writes: frozenset[str] | None
    """The kind of text that it asks to write; None where it asks for none."""

    @property
    def as_asked(self) -> str:
        """The clause with a question mark where it asks: the mark stands after the last one of a message."""
        return f"{self.text}?" if self.question or self.asks_anywhere else self.text


@lru_cache(maxsize=500)
def read_clause(text: str, language: str, today: date) -> Clause:
    """Return a text, read as one clause."""
    entities = read(text, today, language)
    request = request_of(text)
    said = tokens(text, language)
    first = speech_acts.first_word(text)
    begins = bool(speech_acts.ASKS.search(text))
    return Clause(
        text,
        0,
        len(text),
        text.rstrip().endswith("?"),
        language,
        entities,
        said,
        frozenset(feature for token in said for feature, weight in token.meanings.items() if weight == 1),
        full_features(request.split()[0]) if request else frozenset(),
        first,
        first - _weak(said),
        topic(text),
        is_bare(text, entities, language),
        speech_acts.leans(text, language),
        speech_acts.points_back(text, language),
        speech_acts.begins_anew(text, language),
        is_courtesy(text),
        speech_acts.speaks_of_oneself(text),
        bool(speech_acts.TELLS.match(text)),
        bool(speech_acts.NAMES_A_THING.match(text)),
        bool(speech_acts.ASKS_FOR_A_THING.match(text)),
        speech_acts.says_not_to(text),
        begins,
        any(speech_acts.ASKS.search(request_of(piece)) for piece in speech_acts.clauses(text)),
        bool(speech_acts.ASKS_FOR_EVERYTHING.search(text)),
        bool(speech_acts.ASKS_TO_SEE.match(text)),
        bool(speech_acts.ASKS_US.match(text)),
        bool(speech_acts.ASKS_HOW.search(text)),
        bool(speech_acts.ASKS_WHETHER.search(text)),
        bool(speech_acts.ASKS_WHERE.match(text)),
        bool(speech_acts.ABOUT_ONES_OWN.search(text)),
        speech_acts.asks_how_it_is_done(text, language) or speech_acts.asks_rules(text),
        speech_acts.asks_what_was_written(text),
        speech_acts.forms_the_answer(text),
        speech_acts.asks_for_a_person(text),
        speech_acts.asks_to_speak(text),
        speech_acts.text_to_write(text),
    )


def _weak(said: tuple[Token, ...]) -> frozenset[str]:
    """Return what only words stand for that most definitions contain."""
    strong = {f for token in said for f, weight in token.meanings.items() if weight > GENERIC}
    return frozenset(f for token in said for f in token.meanings) - strong


def read_clauses(text: str, language: str, today: date) -> list[Clause]:
    """Return the clauses of a message, in order; a question that names nothing ("how much is it?") and a fact
    about what was named ("It is 1042.") are joined to the clause before them."""
    spans: list[ClauseSpan] = []
    for span in split(text, list(read(text, today, language))):
        leaning = span.question and speech_acts.leans(span.text, language)
        told = spans and not span.question and speech_acts.tells_of_it(span.text)
        told = told and is_bare(span.text, read(span.text, today, language), language)
        if spans and (told or (leaning and not spans[-1].question)):
            spans[-1] = join(text, spans[-1], span)
        else:
            spans.append(span)
    return [_placed(span, language, today) for span in spans]


def joined(text: str, first: Clause, last: Clause, today: date) -> Clause:
    """Return one clause from the start of one to the end of another."""
    return _placed(join(text, first, last), first.language, today)


def _placed(span: ClauseSpan, language: str, today: date) -> Clause:
    clause = read_clause(span.text, language, today)
    return replace(clause, start=span.start, end=span.end, question=span.question)


def is_bare(text: str, entities: tuple[Entity, ...], language: str) -> bool:
    """Return whether a text says nothing but facts: "And Lima?", "What about notes.txt?"."""
    rest = text
    for entity in entities:
        rest = rest.replace(text[entity.start : entity.end], " ")
    return all(word in stop_words(language) for word in words(rest))
