"""Pick one of a closed set: the value of an enum, or true and false, from what a message says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..language.clauses import chunks
from ..language.entities import Entity, language_code, place_code
from ..language.text import (
    WORD,
    any_case,
    features,
    features_of_each,
    fold,
    full_features,
    phrases,
    split_identifier,
    stop_words,
    tokens,
    words,
)
from .slots import Scope, Slot, direction_said, overlap

Choice = tuple[Any, tuple[tuple[int, int], ...]]  # a value, and where the message names it

_EVERYTHING = "all any every everything ever todo todos todas cualquiera siempre any_time"
_ANY_OTHER = "other others misc miscellaneous otro otra otros otras varios"
# Words for a class that whoever reads a message puts it into, and verbs that say how a thing came to be.
_CLASSES = "category kind type topic area subject class"
_BEGINNINGS = "create open place make add register"
_DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
_NOT = any_case(r"\b(?:not|no|without|\w+n['’]t|never|sin|ningun[oa]?|nunca|tampoco)\s+(?:\w+\s+){0,2}$")
# What stands right before the verb of a person: "I", "she has", "que he", "hemos".
_I_DID = any_case(
    r"\b(?:(?:i|we|he|she|they)(?: have| has| had)?|(?:i|we|they)'ve|(?<!se )(?:he|hemos|ha|hab[ií]a\w*))$"
)
_PRONOUN = any_case(r"\b(?:i|we|you|he|she|they)$")
_PASSIVE = any_case(r"\b(?:was|were|been|being|(?:ha|han|hayan?) sido|fue(?:ron)?|se ha[n]?)\s+$")
_TWO_WORDS = re.compile(r"(?<!\w)(?=([^\W\d_]+ [^\W\d_]+)(?!\w))")
SURE = 0.6  # the share of a value's words that the message must say; related words alone have one half


def choose(slot: Slot, scope: Scope, required: bool, several: bool) -> Iterator[Choice]:
    """Yield the values of an enum or boolean slot that the text names; nothing where it names two alike.

    A required enum that has a value for "everything" gets it where the text draws no line at all: who asks
    "how many messages did I send?" means all of them. One that classifies what is said gets its value for
    all else, as long as something is said: nobody is asked for the category of their own trouble.
    """
    if "enum" not in slot.schema:
        if said := _yes_or_no(slot, scope.text, scope.language):
            yield said
        return
    options = _looked_for([option for option in slot.schema["enum"] if option is not None], scope.text)
    rows = _named(slot, options, scope, 0.5 if required else SURE, required)
    if several:
        yield from ((option, spans) for clear, option, spans in rows if clear >= min(2, rows[0][0]))
    elif rows and (len(rows) == 1 or rows[0][0] > rows[1][0]):
        yield rows[0][1:]
    elif rows and (required or rows[0][0] >= 2):
        best = [row for row in rows if row[0] == rows[0][0]]
        yield min(best, key=lambda row: row[2] or ((len(scope.text), 0),))[1:]  # the first one that it names
    elif not rows and (meant := by_degree(options, scope.text)):
        yield meant[0], (meant[1],)
    elif not rows and (meant := _by_gloss(slot, options, scope)):
        yield meant
    elif not rows and (meant := by_defect(options, scope.text)):
        yield meant[0], ()
    elif not rows and required:
        yield from ((option, ()) for option in options if _means_everything(option))
        if any(fold(str(option)) in _ANY_OTHER.split() for option in options):
            # Where the values are matters, one that is missed is meant, too: "I never got an invoice".
            missed = _named(slot, options, scope, 1.0, required, denied=True)
            yield from ((option, spans) for _, option, spans in missed[:1])
        if slot.label & features_of_each(_CLASSES) and chunks(
            scope.rest, [], {*scope.topics, *scope.labels}, scope.language
        ):
            yield from ((option, ()) for option in options if fold(str(option)) in _ANY_OTHER.split())


MOST_VALUES = 100  # values that are looked for in all their meanings; more only by their own words


def _looked_for(options: list[Any], text: str) -> list[Any]:
    """Return the first of many values, and those of the others of which the text has the first word."""
    if len(options) <= MOST_VALUES:
        return options
    said = set(re.findall(r"\w+", fold(text)))
    said |= {word.removesuffix("s") for word in said}
    by_word = _by_first_word(tuple(map(str, options)))
    named = {place for word in said for place in by_word.get(word, ())} - set(range(MOST_VALUES))
    return [*options[:MOST_VALUES], *(options[place] for place in sorted(named)[:MOST_VALUES])]


@lru_cache(maxsize=20)
def _by_first_word(values: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the places of many values by the first word of each."""
    found: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        if word := re.search(r"\w+", _spoken(value)):
            found.setdefault(word.group(), []).append(place)
    return found


def _by_gloss(slot: Slot, options: list[Any], scope: Scope) -> Choice | None:
    """Return the one value of which the description says what the message says."""
    said = [
        (match.span(), full_features(match.group(), scope.language)) for match in WORD.finditer(scope.text)
    ]
    rows = []
    for option, words_of in glosses(slot, options).items():
        spans = [span for span, found in said if found & (words_of - scope.topics)]
        if spans and not overlap(spans[0], scope.used):
            rows.append((len(spans), option, (spans[0],)))
    rows.sort(key=lambda row: -row[0])
    return rows[0][1:] if rows and (len(rows) == 1 or rows[0][0] > rows[1][0]) else None


def _named(
    slot: Slot, options: list[Any], scope: Scope, least: float, required: bool, *, denied: bool = False
) -> list[tuple[float, Any, tuple[tuple[int, int], ...]]]:
    """Return the values that the text names, the clearest first, with their places; `denied`: also after
    "not"."""
    rows = []
    for option in options:
        places = [
            (clear, span)
            for clear, span in _places(option, slot, scope)
            if _in_direction(slot, span, scope) and (denied or not _NOT.search(scope.text[: span[0]][-60:]))
        ]
        places = [
            (clear, span)
            for clear, span in places
            if (required or not (_is_verb(span, scope) or _is_event(span, scope)))
            and (clear >= 2 or not _of_another(slot, span, scope))
        ]
        clear, spans = (
            max(places, key=lambda place: place[0])[0] if places else 0.0,
            [span for _, span in places],
        )
        if not places:
            clear = _by_fact(option, scope.entities)
            if not clear and len(tokens(_spoken(option), keep_all=True)) > 1:
                clear = _by_concepts(option, scope.text, scope.language)
        if clear >= least:
            around = scope.text[max(0, spans[0][0] - 25) : spans[0][1] + 25] if spans else ""
            ahead = scope.text[: spans[0][0]][-40:] if spans else ""
            toward = bool(slot.direction) and direction_said(ahead) == slot.direction
            named = bool(slot.label & features(around).keys())
            rows.append((clear + toward + 0.5 * named, option, tuple(spans[:1])))
    return sorted(rows, key=lambda row: -row[0])


def _places(option: Any, slot: Slot, scope: Scope) -> list[tuple[float, tuple[int, int]]]:
    """Return where the text names a value, by its own words or words of the same meaning: (how clearly,
    place)."""
    spoken, folded = _spoken(option), fold(scope.text)
    if not spoken or len(folded) != len(scope.text):
        return []
    found = [
        (2.0 + spoken.count(" "), match.span())  # "next day air" beats "air"
        for match in (re.finditer(rf"(?<!\w){re.escape(spoken)}s?(?!\w)", folded) if spoken in folded else ())
    ]
    mine = [token.meanings for token in tokens(spoken, keep_all=True)]
    if not found and len(mine) == 1:
        # What only names the tool ("block" of block_card) names no value ("lost").
        meant = {f: w for f, w in mine[0].items() if w == 1 or f not in scope.topics}
        by_meaning = _said_by_meaning(scope.text, scope.language)
        places = {place: row for f in meant for place, row in by_meaning.get(f, {}).items()}
        for _, (said, span) in sorted(places.items(), key=lambda row: row[0]):
            if any(said.get(f, 0) == 1 for f in slot.label):
                continue  # "priority" names the slot, no value of it
            if (share := max(min(w, said.get(f, 0)) for f, w in meant.items())) >= 0.5:
                found.append((share, span))
    dates: list[tuple[int, int]] = []
    if features(spoken).keys() & _DAYS_OF.keys():  # "the last 7 days" speak of a week, not of a day
        dates = [(entity.start, entity.end) for entity in scope.entities if entity.kind == "date"]
    return [(clear, span) for clear, span in found if not overlap(span, scope.used + dates)]


Said = tuple[dict[str, float], tuple[int, int]]  # what a word stands for, and its place


@lru_cache(maxsize=20)  # once for all the values that are looked for
def _said_by_meaning(text: str, language: str) -> dict[str, dict[int, Said]]:
    """Return the words and phrases of a text by each feature that they stand for, numbered in order."""
    found: dict[str, dict[int, Said]] = {}
    for place, (word, span) in enumerate(_words_and_phrases(text, language)):
        said = _fully(word, language)
        for feature in said:
            found.setdefault(feature, {})[place] = said, span
    return found


def _words_and_phrases(text: str, language: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the words of a text, and before them its phrases of two words that mean one thing ("money
    back")."""
    for match in _TWO_WORDS.finditer(text):
        both = tokens(match[1], language)
        if len(both) == 1 and " " in both[0].written:
            yield match[1], match.span(1)
    yield from ((match.group(), match.span()) for match in WORD.finditer(text))


def _fully(word: str, language: str) -> dict[str, float]:
    """Return what one word stands for, also a word that says little elsewhere ("returned")."""
    if fold(word) in stop_words(language):
        return {}
    return next((token.meanings for token in tokens(word, language, keep_all=True)), {})


def _of_another(slot: Slot, span: tuple[int, int], scope: Scope) -> bool:
    """Return whether the word right beside a value names another slot: "priority high" is no category."""
    before = re.search(r"([^\W\d_]+)[\s:]*$", scope.text[max(0, span[0] - 60) : span[0]])
    after = re.match(r"\s*([^\W\d_]+)", scope.text[span[1] : span[1] + 60])
    beside = {f for match in (before, after) if match for f in full_features(match[1])}
    return bool(beside & (scope.labels - slot.label)) and not beside & slot.label


def _is_verb(span: tuple[int, int], scope: Scope) -> bool:
    """Return whether a value is the verb of what somebody did: it filters nothing in "the books that I
    borrowed"."""
    ahead = scope.text[: span[0]].rstrip()
    near = max(0, len(ahead) - 60)
    if _I_DID.search(ahead, near):
        return True
    who = next((e.start for e in scope.entities if e.kind in ("email", "name") and e.end == len(ahead)), None)
    if who is None and (pronoun := _PRONOUN.search(ahead, near)):
        who = pronoun.start()
    return who is not None and bool(
        re.search(r"\b(?:has|have|had|did|does|do)\s*$", ahead[max(0, who - 60) : who], re.IGNORECASE)
    )


def _is_event(span: tuple[int, int], scope: Scope) -> bool:
    """Return whether a value is the verb of what happened on a date that the message gives.

    In "which orders were placed since Monday?" the word filters nothing, where the description of the date
    says "placed", or where it says how the thing came to be.
    """
    dates = [entity for entity in scope.entities if entity.kind == "date"]
    said = {f for f, weight in _fully(scope.text[slice(*span)], scope.language).items() if weight == 1}
    if not dates or not scope.dated or not said & (scope.events | features_of_each(_BEGINNINGS)):
        return False
    between = [scope.text[span[1] : entity.start] for entity in dates if entity.start >= span[1]]
    attached = any(all(word in stop_words(scope.language) for word in words(text)) for text in between)
    return attached or bool(_PASSIVE.search(scope.text, max(0, span[0] - 60), span[0]))


def _in_direction(slot: Slot, span: tuple[int, int], scope: Scope) -> bool:
    said = direction_said(scope.text[: span[0]][-40:])
    return not slot.direction or said in ("", slot.direction)


def mention(option: Any, text: str, language: str) -> float:
    """Return how clearly a text names one value: 2 for its own words, else the share of its concepts that
    occur."""
    spoken = _spoken(option)
    if spoken and re.search(rf"(?<!\w){re.escape(spoken)}s?(?!\w)", fold(text)):
        return 2.0 + len(spoken) / 100  # "next day air" beats "air"
    return _by_concepts(option, text, language)


def _spoken(option: Any) -> str:
    return fold(split_identifier(str(option))).strip()


def _by_concepts(option: Any, text: str, language: str) -> float:
    mine, theirs = tokens(_spoken(option), keep_all=True), _features_of_message(text, language)
    shared = [max(min(weight, theirs.get(f, 0)) for f, weight in word.meanings.items()) for word in mine]
    return sum(shared) / len(shared) if shared and min(shared) >= 0.5 else 0.0


@lru_cache(maxsize=20)  # once for all the values of a long message
def _features_of_message(text: str, language: str) -> dict[str, float]:
    return features(text, language)


def _by_fact(option: Any, entities: tuple[Entity, ...]) -> float:
    """Points for a value that a fact of the message stands for: a period of that length, a code, a number."""
    code = str(option).casefold()
    for entity in entities:
        if entity.kind == "date" and (points := _by_period(option, entity)):
            return points
        if entity.kind == "number" and entity.value == option and not isinstance(option, bool):
            return 1.5
        if entity.kind == "currency" and code == str(entity.value).casefold():
            return 2.0
        if entity.kind == "place" and code == (place_code(entity.value) or "").casefold():
            return 1.5
        if entity.kind == "language" and code.split("-")[0] == language_code(entity.value):
            return 1.5
    return 0.0


def _by_period(option: Any, entity: Entity) -> float:
    """Points for the unit of time that a date spans: "yesterday" -> day, "the last 7 days" -> week."""
    units = {_DAYS_OF[feature] for feature in features(split_identifier(str(option))) if feature in _DAYS_OF}
    if not units:
        return 0.0
    first, last, unit = entity.value
    length = (last - first).days or _DAYS_OF[unit]
    nearest = min(_DAYS_OF.values(), key=lambda days: abs(days - max(length, 1)))
    return 1.0 if (_DAYS_OF[unit] if unit != "day" else nearest) in units else 0.0


def _means_everything(option: Any) -> bool:
    return any(word in _EVERYTHING.split() for word in words(split_identifier(str(option))))


# What a truth is called where it is so, and where it is not.
_OPPOSITES = [
    ("done complete completed finished", "open pending unfinished outstanding incomplete unresolved"),
    ("paid", "unpaid due owed"), ("active enabled", "inactive disabled"), ("public", "private"),
    ("available", "unavailable sold_out"), ("read", "unread"), ("visible", "invisible hidden"),
    ("valid", "invalid"), ("enabled on", "disabled off"), ("connected online", "disconnected offline"),
]  # fmt: skip
_PREFIX = re.compile(r"^un_?(?=[a-z]{2,}(?:ed|en|d|able|ible)$)")


def truths(slot: Slot) -> tuple[frozenset[str], frozenset[str]]:
    """Return the features of the words by which a message says that a boolean is true, and that it is
    false."""
    # "Done" is a function word elsewhere; as a name it says all.
    named = tokens(split_identifier(slot.name), "en", keep_all=True)
    label = slot.label or {f for token in named for f, weight in token.meanings.items() if weight == 1}
    yes, no = set(label), set()
    word = fold(split_identifier(slot.name)).split()[-1] if slot.name else ""
    if prefix := _PREFIX.match(word):
        no |= full_features(word[prefix.end() :])
    for so, not_so in _OPPOSITES:
        these, others = features_of_each(so), features_of_each(not_so)
        if label & these:
            no |= others - these
        elif label & others:
            no |= these - others
    return frozenset(yes - no), frozenset(no)


def _yes_or_no(slot: Slot, text: str, language: str) -> Choice | None:
    yes, no = truths(slot)
    for match in re.finditer(r"[^\W\d_]+", text):
        meant = tokens(match.group(), language, keep_all=True)
        said = {f for token in meant for f, weight in token.meanings.items() if weight >= SURE}
        if said & (yes | no):
            denied = bool(_NOT.search(text[max(0, match.start() - 60) : match.start()]))
            return bool(said & yes) != denied, (match.span(),)
    return None


# What values mean beside their own words ----------------------------------------------------------

# The degrees that values stand for, from the least to the most.
_DEGREES = [
    "lowest trivial minimal minima",
    "low minor small baja bajo leve",
    "normal medium moderate standard regular media medio moderada",
    "high major important severe alta alto grave importante",
    "urgent critical emergency highest immediate blocker urgente critica critico maxima",
]
_NO_HURRY = re.compile(  # on folded text
    phrases("no hurry")
)  # fmt: skip
_HURRY = re.compile(  # on folded text
    phrases("hurry")
)  # fmt: skip
_DEFECT = re.compile(  # on folded text: something does not do what it should
    phrases("defect")
)  # fmt: skip
_THINGS = "product item article goods device equipment appliance producto articulo aparato equipo"
_SENTENCE = re.compile(r"[.;()\n]+")
_NO_GLOSS = 0.5  # features below this weight say too little of a value


def by_degree(options: list[Any], text: str) -> tuple[Any, tuple[int, int]] | None:
    """Return the value for the urgency of a text: of low, normal, high "as soon as possible" is the
    highest."""
    ranks = {
        rank: option
        for option in options
        for rank, examples in enumerate(_DEGREES)
        if fold(split_identifier(str(option))).strip() in examples.split()
    }
    if len(ranks) < 2 or len(ranks) < len(options) - 1:
        return None
    folded = fold(text)
    if match := _NO_HURRY.search(folded):
        return ranks[min(ranks)], match.span()
    if match := _HURRY.search(folded):
        return ranks[max(ranks)], match.span()
    return None


def by_defect(options: list[Any], text: str) -> tuple[Any, tuple[int, int]] | None:
    """Return the value for things where a text tells that one is broken: "the lid leaks" is about the
    product."""
    thing = next((option for option in options if fold(str(option)).strip() in _THINGS.split()), None)
    match = _DEFECT.search(fold(text)) if thing is not None else None
    return (thing, match.span()) if match else None


def glosses(slot: Slot, options: list[Any]) -> dict[Any, frozenset[str]]:
    """For each value the words that the description gives to it alone: "high: the customer cannot wait"."""
    texts = [option for option in options if isinstance(option, str | int) and not isinstance(option, bool)]
    names = {option: _spoken(option) for option in texts}
    found: dict[Any, set[str]] = {}
    for sentence in _SENTENCE.split(fold(slot.description[:4_000])):
        named = sorted(
            (match.start(), option)
            for option, name in names.items()
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)
        )
        ends = [place for place, _ in named[1:]] + [len(sentence)]
        for (place, option), end in zip(named, ends, strict=False):
            gloss = sentence if len(named) == 1 else sentence[place:end]
            said = {f for f, weight in features(gloss).items() if weight > _NO_GLOSS}
            found.setdefault(option, set()).update(said)
    own = {f for name in names.values() for f in features(name)}
    shared = Counter(f for said in found.values() for f in said)
    return {
        option: frozenset(f for f in said - own - slot.label if shared[f] == 1)
        for option, said in found.items()
    }
