"""Sentences about one result: its subject from the call, and what each field says of it.

The subject is the thing that an argument names ("order 1042", "Madrid"). A field is a predicate by its kind
(a state, a date, a price, yes or no), and otherwise goes by its name: "its carrier is DHL".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..facts.schemas import is_number
from ..language.speech_acts import action_features
from ..language.text import (
    concepts_of,
    fold,
    generic_words,
    singular,
    split_identifier,
    stop_words,
    verb_concepts,
)
from ..request import Call
from .schema_values import JSON
from .slots import slot_of
from .wording import (
    MOST_FIELDS,
    NAMES,
    Writer,
    capital,
    done_verb,
    ended,
    head_of,
    is_feminine,
    is_known,
    is_moment,
    is_money,
    is_plural,
    is_status,
    kind_of,
    listed,
    moment_of,
    parts_of,
    spoken,
    the,
    without_units,
)

_IDS = frozenset("id number code no ref reference numero codigo".split())
_PLACES = frozenset("city place location country town ciudad lugar pais".split())
_EXPECTED = frozenset("expected due scheduled planned eta arrival".split())
# States after which nothing is expected any more.
_FINAL = frozenset(
    "delivered cancelled canceled returned refunded completed done closed finished arrived rejected lost "
    "failed".split()
)
_BY_ITSELF = frozenset(
    "arrived expired failed started finished ended stopped succeeded".split()
)  # "has arrived"
_PARTICIPLE = re.compile(r"\w+ed$|(?:sent|paid|sold|lost|written|read|won|made|built)$")
# The verbs of tools that look something up, or work it out.
_LOOKING = frozenset(
    "get find list fetch lookup look check search read show calculate compute estimate evaluate solve count "
    "track convert translate describe compare obtener buscar listar consultar".split()
)
_LIMITS = frozenset("since from after until before".split())
_ACTIONS = frozenset("action operation command accion operacion".split())
_LONGEST = 80  # characters of a value in a sentence


@dataclass(frozen=True)
class Thing:
    """What a result is about, as the subject of a sentence."""

    name: str
    """With its article in Spanish: "el pedido 1042"."""
    key: str
    """The argument or field that names it."""
    feminine: bool = False
    place: bool = False


@dataclass(frozen=True)
class ReportedCall:
    """A call with the value of its result, and the question that it answers."""

    call: Call
    value: Any
    question: str
    """The part of the message that asks for the call, or all of it."""
    text: str
    """The whole message."""
    write: Writer
    several: bool
    """Whether other calls are reported, too."""

    @property
    def language(self) -> str:
        return self.write.language

    @cached_property
    def fields(self) -> JSON:
        """The fields of the result, where it is an object."""
        return {str(key): item for key, item in self.value.items()} if isinstance(self.value, dict) else {}

    @cached_property
    def noun(self) -> str:
        """The tool's name without its verb: get_weather -> weather."""
        parts = split_identifier(self.call.name).lower().split()
        if len(parts) > 1 and (_is_verb(parts[0], "en") or done_verb(parts[0], "en")):
            parts = (
                parts[2:] if done_verb(" ".join(parts[:2]), "en") != done_verb(parts[0], "en") else parts[1:]
            )
        return " ".join(parts) or self.call.name

    @property
    def looks(self) -> bool:
        """Whether the tool only looks something up or works it out, by its verb."""
        return parts_of(self.call.name)[0] in _LOOKING

    @property
    def acts(self) -> bool:
        first, *rest = parts_of(self.call.name)
        particle = bool(rest) and rest[0] in ("on", "off", "up", "down")
        unknown = bool(rest) and not concepts_of(first, "en")  # toggle_light
        return not self.looks and (_is_verb(first, "en") or particle or unknown)

    @cached_property
    def thing(self) -> Thing | None:
        """What the arguments name, or the result itself where the call made it."""
        named = {name: item for name, item in self.call.arguments.items() if _names_something(item)}
        made = {
            key: item for key, item in self.fields.items() if self.acts and head_of(key) in ("id", "number")
        }
        for name, item in [*named.items(), *made.items()]:
            if slot_of(name, {}).kinds[0] == "identifier" and _names_something(item):
                return _numbered(name, str(item), self)
        for name, item in named.items():
            if head_of(name) in _PLACES and isinstance(item, str):
                return Thing(item, name, place=True)
            if (
                len(self.call.arguments) == 1
                and isinstance(item, str)
                and not self.acts
                and not is_words(name)
            ):
                return (_numbered if item.isdigit() else _with_article)(name, item, self)
        return None

    @property
    def subject(self) -> str:
        """The thing; without one what the tool is about, where the language has a word for it."""
        if self.thing or self.acts:
            return self.thing.name if self.thing else ""
        noun = spoken(self.noun, self.language)
        whole = is_known(self.noun, self.language) and not is_plural(noun, self.language)
        return the(noun, self.language) if whole else ""


def _is_verb(word: str, language: str) -> bool:
    if word in generic_words(language) | _LOOKING:
        return True
    concepts = [concept for concept, weight in concepts_of(fold(word), language).items() if weight == 1]
    return not word.endswith("ing") and any(one in verb_concepts() | action_features() for one in concepts)


def _names_something(item: Any) -> bool:
    """Return whether a value may name a thing: a number, or a few words."""
    if isinstance(item, str):
        return 0 < len(item) <= 60 and len(item.split()) <= 6 and not is_moment(item)
    return isinstance(item, int) and not isinstance(item, bool)


def is_words(name: str) -> bool:
    """Return whether an argument takes words to look for, or to pass on: they name nothing."""
    return bool({"topic", "said", "because", "expression"} & set(slot_of(name, {}).kinds[:2]))


def _numbered(name: str, item: str, report: ReportedCall) -> Thing:
    """Return the thing with a number: "order 1042", "flight IB123"; a code with letters names it alone."""
    own = " ".join(part for part in parts_of(name) if part not in _IDS and part not in ("sku", "isbn"))
    noun = own or (report.noun if item.isdigit() or name not in report.call.arguments else "")
    said = spoken(noun, report.language) if noun else ""
    before = re.search(rf"\b([^\W\d_]{{3,40}})\s+(?:n[º°o.]*\s+|#\s?)?{re.escape(item)}(?!\w)", report.text)
    if before and item.isdigit():  # the user's own word for it: "my parcel 7"
        word = fold(before[1])
        if word not in stop_words(report.language) | _IDS and not _is_verb(word, report.language):
            noun = said = before[1].lower()
    said = singular(said, report.language)
    if report.language == "es" and said and (said == noun or is_known(noun, "es")):
        return Thing(f"{the(said, 'es')} {item}", name, is_feminine(said))
    return Thing(f"{said} {item}".strip(), name)


def _with_article(name: str, item: str, report: ReportedCall) -> Thing:
    """Return a thing with the article that it has in the message: "the lamp"; but "the central library" is no
    "the central"."""
    articles = r"\b(the|my|our|your|el|la|los|las|mis?|tus?)\s+"
    match = re.search(rf"{articles}{re.escape(item)}(?!\w)(\W+\w+)?", report.text, re.IGNORECASE)
    article = match[1].lower() if match else ""
    after = fold((match and match[2]) or "").strip()
    if (
        fold(name) not in NAMES
        and after.isalpha()
        and after not in stop_words(report.language)
        and not _is_verb(after, report.language)
    ):
        label = spoken(name, report.language)
        return Thing(f"{the(label, report.language)} {item}", name, is_feminine(label))
    article = {"my": "your", "our": "your", "mi": "tu", "mis": "tus"}.get(article, article)
    return Thing(f"{article} {item}".strip(), name, article in ("la", "las"))


# What one field says ------------------------------------------------------------------------------


def predicate(key: str, item: Any, report: ReportedCall) -> str | None:
    """Return what follows the subject in a sentence: "is in stock", "was placed on 13 November"; None for a
    field that only has a name."""
    write, parts = report.write, parts_of(key)
    feminine = bool(report.thing and report.thing.feminine)
    if isinstance(item, bool):
        state = write.state(" ".join(parts), feminine)
        no = "" if item else write.pick("not ", "no")
        be = "has" if state in _BY_ITSELF else "is"
        return state and write.pick(f"{be} {no}{state}", f"{no} está {state}".strip())
    if is_status(key, item):
        return _of_state(item, write, feminine)
    if is_moment(item):
        return _at(moment_of(key), item, report, feminine)
    if is_money(key, item, report.fields) and " ".join(parts) in ("price", "cost", "fare", "precio", "coste"):
        return f"{write.pick('costs', 'cuesta')} {write.value(item, key, report.fields)}"
    return None


def _of_state(item: str, write: Writer, feminine: bool) -> str:
    word = re.sub(r"[_-]", " ", item).lower()
    state = write.state(word, feminine)
    if write.language == "es":
        known = state or (re.match(r"(?:en|de|a|sin|fuera)\s", word) and item)
        return f"está {known}" if known else f"tiene el estado «{item}»"
    if _PARTICIPLE.match(word):
        return f"has {word}" if word in _BY_ITSELF else f"has been {word}"
    known = state or re.match(r"(?:in|on|at|out|under|off|not)\s|[a-z]+ing$", word)
    return f"is {word}" if known else f"has the status “{item}”"


def _at(name: str, item: str, report: ReportedCall, feminine: bool) -> str | None:
    """Return what happened, or is expected, at a time: "was placed on 13 November", "departs at 09:30"."""
    write, when = report.write, report.write.when(item)
    if kind_of(name) == "verb":
        return f"{spoken(name, report.language)} {when}"
    if name.rpartition(" ")[2] in _EXPECTED:
        over = any(is_status(key, state) and state in _FINAL for key, state in report.fields.items())
        state = name if kind_of(name) == "state" else "expected"
        english = f"{'was' if over else 'is'} {state} {when}"
        return write.pick(english, f"se {'esperaba' if over else 'espera'} para {when}")
    state = write.state(name, feminine)
    return state and f"{write.pick('was', 'fue')} {state} {when}"


def statement(key: str, item: Any, report: ReportedCall, *, own: bool = False) -> str:
    """Return one field as a sentence without its full stop; `own` after one that names the subject."""
    thing, language, pick = report.thing, report.language, report.write.pick
    place = bool(thing and thing.place)
    if place and is_money(key, item, report.fields):
        thing = None  # what something costs is in no place
    said = None if place else predicate(key, item, report)
    if said and (own or report.subject or isinstance(item, bool)):
        return f"{pick('it ', '') if own or not report.subject else f'{report.subject} '}{said}"
    label, shown = spoken(key, language), report.write.value(item, key, report.fields)
    if thing and isinstance(item, int) and not isinstance(item, bool) and is_plural(label, language):
        has = pick("it has" if own else f"{thing.name} has", "tiene" if own else f"{thing.name} tiene")
        return f"{has} {shown} {label}"
    participle = kind_of(" ".join(parts_of(key))) == "state" or re.match(r"\w+ed$", label)
    whole = is_known(key, language) and not participle and not isinstance(item, bool | dict | list)
    if not whole or len(shown) > _LONGEST or shown.endswith((".", "!", "?")):
        return f"{label}: {shown}"
    is_ = pick("are", "son") if is_plural(label, language) else pick("is", "es")
    if is_moment(item) and shown[:1].isdigit() and ":" not in shown[:3]:
        shown = pick(shown, f"el {shown}")
    if own and thing:
        return f"{pick('its', 'sus' if is_plural(label, 'es') else 'su')} {label} {is_} {shown}"
    of = f"{pick('of', 'de')} {thing.name}" if thing else ""
    of = pick("in ", "en ") + thing.name if thing and place else re.sub("^de el ", "del ", of)
    return f"{the(label, language)}{f' {of}' if of else ''} {is_} {shown}"


def yes_or_no(key: str, item: bool, report: ReportedCall) -> str:
    """Return the answer to a question for yes or no, as a sentence without its full stop."""
    write, parts = report.write, parts_of(key)
    said = statement(key, item, report)
    subject, state = " ".join(parts[:-1]), write.state(parts[-1])
    if ": " in said and subject and state and is_known(subject, report.language):  # visa_required
        noun = spoken(subject, report.language)
        state = write.state(parts[-1], is_feminine(noun))
        no = write.pick("is " if item else "is not ", "es " if item else "no es ")
        said = f"{the(noun, report.language)} {no}{state}"
    if ": " in said:
        return f"{write.value(item)} ({spoken(key, report.language)}: {write.value(item)})"
    return f"{write.value(item)}, {said}"


def with_dates(key: str, report: ReportedCall) -> list[str]:
    """Return a field that is asked for; a state with its day, or with what is expected next, and when."""
    state = report.fields[key]
    said = [statement(key, state, report)]
    for other, day in report.fields.items() if is_status(key, state) else ():
        first = parts_of(other)[0]
        if is_moment(day) and state in _FINAL and first == state:
            return [statement(other, day, report)]
        if is_moment(day) and state not in _FINAL and first in _EXPECTED:
            return [*said, statement(other, day, report, own=True)]
    return said


# All fields of a result ---------------------------------------------------------------------------


def description(report: ReportedCall) -> str:
    """Return all fields of a result: what can be said of the thing in a sentence, then the others."""
    fields, subject, place = *_named(report), bool(report.thing and report.thing.place)
    verbs = {key: predicate(key, item, report) for key, item in fields.items() if subject and not place}
    rest = {key: item for key, item in fields.items() if not verbs.get(key)}
    # "Has been shipped" is not said beside "was shipped on 19 November".
    dated = {parts_of(key)[0] for key, item in fields.items() if is_moment(item)}
    states = {key: item if is_status(key, item) else parts_of(key)[0] for key, item in fields.items()}
    again = {key for key in verbs if states[key] in dated and fields[key] is not False}
    said = [verb for key, verb in verbs.items() if verb and (is_moment(fields[key]) or key not in again)]
    sentences = [f"{capital(subject)} {listed(said, report.language)}."] if said else []
    nested = any(isinstance(item, dict | list) for item in rest.values())
    truths = any(isinstance(item, bool) for item in rest.values())
    if len(rest) <= 3 and (said or not report.acts) and not nested and not truths:
        return " ".join([*sentences, *_in_a_sentence(rest, subject if place else "", bool(said), report)])
    if not said:
        noun = spoken(report.noun, report.language)
        head = done(report) if report.acts else subject if report.thing else noun
        if len(rest) <= 4 and not nested:
            return capital(f"{head}: {report.write.fields(rest)}.")
        sentences = [f"{capital(head)}:"]
    lines = [line for key in list(rest)[:MOST_FIELDS] for line in _lines(key, report)]
    left = len(rest) - MOST_FIELDS
    more = [report.write.pick(f"- … and {left} more", f"- … y {left} más")] if left > 0 else []
    return "\n".join([*sentences, *lines, *more])


def _named(report: ReportedCall) -> tuple[JSON, str]:
    """Return the fields that say something new, and the subject with the name that the result gives it."""
    thing, subject = report.thing, report.subject
    fields = {key: item for key, item in without_units(report.fields).items() if item is not None}
    if thing:
        given = report.call.arguments.get(thing.key)
        new = {key: item for key, item in fields.items() if key != thing.key and item != given}
        fields = new or fields
        naming = ("country", "region", "pais") if thing.place else NAMES
        name = next((key for key in naming if isinstance(fields.get(key), str)), None)
        if name and len(fields) > 1 and fold(said := fields.pop(name)) not in fold(subject):
            subject = f"{subject}, {said}" if thing.place else f"{subject} ({said})"
    return fields, subject


def _in_a_sentence(fields: JSON, place: str, own: bool, report: ReportedCall) -> list[str]:
    """Return the fields that only have a name as a sentence: "Its carrier is DHL and its total is 5 EUR."."""
    plain = replace(report, call=Call(report.call.name, {})) if place else report
    said = []
    for key, item in fields.items():
        said.append(statement(key, item, plain, own=own or (bool(said) and not place)))
    joined = "; ".join(said) if any(": " in one for one in said) else listed(said, report.language)
    where = f"{report.write.pick('in', 'en')} {place}, " if place else ""
    return [capital(ended(where + joined))] if said else []


def _lines(key: str, report: ReportedCall) -> list[str]:
    label, item = spoken(key, report.language), report.fields[key]
    if isinstance(item, list) and any(isinstance(each, dict) for each in item):
        return [f"- {label}:", *(f"  {row}" for row in report.write.rows(item, label))]
    shown = (
        report.write.fields(item) if isinstance(item, dict) else report.write.value(item, key, report.fields)
    )
    return [f"- {label}: {shown}"]


def done(report: ReportedCall) -> str:
    """Return that a call is done: "I have refunded order 1042", "I have created the event “Lunch” (date:
    4 May)"; "Done: toggle lamp (room: hall)" where the list has no participle for the tool's verb."""
    write, name, said = report.write, report.call.name, dict(report.call.arguments)
    verb = done_verb(name, report.language)
    for key, item in report.call.arguments.items():  # lock_door(door="back", action="unlock")
        if fold(key) in _ACTIONS and isinstance(item, str):
            verb = done_verb(item, report.language)
            said.pop(key)
    begun = f"{write.pick('I have', 'He')} {verb}"
    if verb and (thing := report.thing) and thing.key in said:
        return f"{begun} {thing.name}{_given(said, report, thing.key)}"
    if verb and report.noun != name and is_known(report.noun, report.language):
        key, title = next(_titles(report), ("", ""))
        named = write.pick(f" “{title}”", f" «{title}»") if title else ""
        noun = the(spoken(report.noun, report.language), report.language)
        return f"{begun} {noun}{named}{_given(said, report, key)}"
    if verb and report.noun == name and report.language == "en":
        return f"{begun}{_given(said, report)}"
    name = split_identifier(name).lower() if report.language == "en" else name
    return f"{write.pick('Done', 'Hecho')}: {name}{_given(report.call.arguments, report)}"


def _titles(report: ReportedCall) -> Iterator[tuple[str, str]]:
    """Yield the arguments by which people call what the tool makes: its name or title, or all of it
    (add_note(note=…))."""
    for key, item in report.call.arguments.items():
        own = fold(key) in NAMES or (key == report.noun and " " in str(item))
        if isinstance(item, str) and len(item) <= _LONGEST and own:
            yield key, item


def _given(arguments: JSON, report: ReportedCall, *apart: str) -> str:
    """Return some arguments of a call in brackets, without those that the result repeats."""
    repeated = ["", None, *(item for item in report.fields.values() if not isinstance(item, bool))]
    said = [
        f"{spoken(key, report.language)}: {report.write.value(item, key, arguments)}"
        for key, item in arguments.items()
        if item not in repeated and key not in apart
    ]
    return f" ({', '.join(said)})" if said else ""


def scope(report: ReportedCall) -> str:
    """Return what a call was restricted to, in brackets: "(week, “invoice”)"; not the states, which go with
    the noun ("paid orders")."""
    said = []
    for name, item in report.call.arguments.items():
        shown = report.write.value(item)
        if item not in ("", None) and not report.write.state(shown):
            word = spoken(shown, report.language) if re.fullmatch("[a-z]+", shown) else shown
            word = f"{spoken(name, report.language)}: {shown}" if is_number(item) else word
            if is_moment(item) and parts_of(name)[0] in _LIMITS:
                word = f"{spoken(parts_of(name)[0], report.language)} {shown}"
            said.append(f"“{shown}”" if is_words(name) else word)
    return f" ({', '.join(said)})" if said else ""
