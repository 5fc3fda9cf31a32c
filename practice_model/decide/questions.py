"""What a question asks for: how many, yes or no, or one field of a result."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection
from typing import Any

from ..facts.schemas import is_number
from ..language.clauses import EMPTY, GAP, request_of, tidy
from ..language.speech_acts import ASKS, clauses, without_leaning
from ..language.text import (
    any_case,
    detect,
    features,
    fold,
    fold_in_place,
    full_features,
    headword,
    phrases,
    split_identifier,
    stem,
    stop_words,
    tokens,
    words,
)
from ..request import Call
from .schema_values import JSON
from .wording import is_moment, is_state, parts_of, spoken

# What a question asks for -------------------------------------------------------------------------

_HOW_MANY = any_case(
    r"\b(?:how many|cu[aá]nt[oa]s)\s+(?:(?:unread|new|open|free|of|my|the|de|mis|los"
    r"|las)\s+){0,2}([^\W\d_]+)"
)
_YES_OR_NO = any_case(
    r"^\W*"
    + phrases("yes or no")
    + r"\b",
)  # fmt: skip
# The beginning of each question in a folded text.
_QUESTIONS = re.compile(
    r"(?:^|[¿?,.;]|\b(?:and|y|e)\b)[\s¿]*(?:(?:and|y|e|at|by|from|for|in|a|de|por|en)\s)?[\s¿]*"
    + phrases("questions")
    + r"\b"
)  # fmt: skip
_AUXILIARY = "(?:do|does|did|can|could|may|should|must|will|is|are|am|to)"
# How a question of rules begins and ends around what it is about.
_FRAME = any_case(
    r"^\W*(?:"
    + phrases("frame")
    + r"(?!\w)(?:\s+" + _AUXILIARY + r"\b)?|" + _AUXILIARY + r"\b)"
    r"(?:\s+(?:i|we|you|it|they|your|my|our|the|a|an|have|offer|provide|accept|take|su|sus|mi|tu|un|una"
    r"|el|la|los|las|de)\b)*\s*",
)  # fmt: skip
_FRAME_END = any_case(
    r"\s+" + phrases("frame end") + r"\W*$",
)  # fmt: skip
_INCLUDED = any_case(
    r"\b(?:plus|including|with|m[aá]s|incluid[oa]|incluyendo|con)\s+(?:the |el |la )?[^\W\d_]+"
)
_DATE_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d\b")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and not _DATE_OR_TIME.search(value)


def _is_no_truth(value: Any) -> bool:
    return not isinstance(value, bool)


def _anything(value: Any) -> bool:
    return True


# A question word, the plain words of the fields that answer it, the best first, and what their value must be:
# "placed_on" has a word of "place" in it, but a date is no answer to "where".
_ASKS_FOR = [
    (
        r"when .*\b(?:arrive|come|get here|be here|deliver\w*)"
        r"|cuando (?:me |nos )?(?:llega\w*|viene|vendra|recib\w+|entreg\w+)",
        "eta expected arrival delivery delivered; date time",
        _is_no_truth,
    ),
    (
        r"when (?:did|was) .*\b(?:order|place|buy|bought|made?)\w*"
        r"|cuando (?:se )?(?:hizo|hice|hicimos|realiz\w+|pedi\w*|compr\w+)",
        "placed ordered purchased created; date time",
        _is_no_truth,
    ),
    (
        r"when .*\b(?:back|again|available|in stock|restock\w*)"
        r"|cuando .*\b(?:de nuevo|otra vez|disponib\w+|existencias|stock)",
        "restock available; date time",
        _is_no_truth,
    ),
    (r"when|what time|cuando|a que hora", "date time arrival delivery eta deadline start_time", _is_no_truth),
    (r"where|donde", "place location city address shelf; status state", _is_name),
    (r"who|whose|quien(?:es)?|de quien", "person name author owner manager", _is_name),
    (
        r"how much(?= (?:is|are|was|were|do|does|did|will|would|has|have|for|to|it|the|i|we)\b|\W*$)"
        r"|cuanto (?:me |nos |os )?(?:cuest|cost|val|sal|pag|es\b|he pagado)\w*|a cuanto",
        "price cost total amount",
        is_number,
    ),
    (r"how old|que edad|cuantos anos", "age", is_number),
    (r"how many|cuant[oa]s", "count total quantity", is_number),
    (r"why|por que", "reason cause", _anything),
    (r"how long|cuanto (?:tarda|dura)", "duration", _anything),
]
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]{0,500}|!--.{0,500}?--)>", re.DOTALL)
MOST_FIELDS = 40


def plain(value: Any) -> Any:
    """Return a text that is a web page without its tags; other values as they are."""
    if isinstance(value, str) and re.search(
        r"</?(?:html|body|p|div|h[1-6]|ul|li|br|table|span|a)\b[^<>]*>", value
    ):
        bare = re.sub(r"<(script|style)\b.*?</\1>", " ", value, flags=re.DOTALL | re.IGNORECASE)
        return re.sub(r"\s+", " ", html.unescape(_TAG.sub(" ", bare))).strip()
    return value


def is_yes_or_no(text: str) -> bool:
    """Return whether a question asks for yes or no."""
    return bool(_YES_OR_NO.match(text))


def counted_noun(text: str, call: Call) -> str | None:
    """Return what a question counts: "How many notes did I write?" -> "notes".

    A word that only names an argument of the call counts nothing: "How many MUG-7 are there?".
    """
    match = _HOW_MANY.search(text)
    if not match or fold(match[1]) in stop_words(detect(text)):
        return None
    stated = _stems(
        " ".join([*map(split_identifier, call.arguments), *map(str, call.arguments.values())]), "en"
    )
    return None if stem(fold(match[1]), "en") in stated else match[1]


def asked_about(text: str, language: str) -> str | None:
    """Return what a question of rules is about: "How long do refunds take?" -> "refunds"."""
    asked = request_of(without_leaning(text, language))
    if asked != request_of(text):
        return tidy(re.sub(rf"\s*{GAP}+\s*", " ", asked)) or None
    asked = next((piece for piece in reversed(clauses(asked)) if ASKS.search(request_of(piece))), asked)
    asked = request_of(asked.strip("¿¡ "))
    bare = _FRAME_END.sub("", _FRAME.sub("", asked, count=1)).strip(f" {GAP}")
    own = [word for word in words(bare) if word not in stop_words(language) and word not in EMPTY]
    if bare == asked.strip() or not own:
        return None
    if len(own) == 1 and set(words(bare)) & EMPTY:  # "How do I return something?": as a title would say it
        return headword(own[0], language)
    return tidy(re.sub(rf"\s*{GAP}+\s*", " ", bare)) or None


def questions_of(text: str) -> list[str]:
    """Return the questions in a text, each by itself: "When does it leave, and from where?" has two."""
    starts = [match.start() for match in _QUESTIONS.finditer(fold_in_place(text))]
    if not starts or not re.search(r"[?¿]", text):
        return [text]
    return [
        text[start:end].rstrip("?") + "?"
        for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True)
    ]


def key_of_answer(value: JSON, call: Call, text: str, language: str) -> str | None:
    """Return the one field of a call's result that a question asks for; None where several may be meant, or
    none."""
    if key := named_key(value, call, text, language):
        return key
    fields = _fields(value, call, text)
    truths = [key for key, item in fields.items() if isinstance(item, bool)]
    if not is_yes_or_no(text):
        return None
    if not truths:  # "Has order 7 arrived?": its state tells
        states = [key for key in fields if parts_of(key)[-1:] == ["status"]]
        return states[0] if states and any(is_state(word) for word in words(text)) else None
    if len(truths) > 1:
        return None
    return None if _asks_something_else(truths[0], value, call, text, language) else truths[0]


def _asks_something_else(key: str, value: JSON, call: Call, text: str, language: str) -> bool:
    """Return whether a question speaks of no truth but of something that nothing tells: "is it
    expensive?"."""
    of_it = features(split_identifier(key)).keys()
    known = features(" ".join(split_identifier(str(name)) for name in (call.name, *call.arguments))).keys()
    stated = _stems(" ".join(map(str, [*value.values(), *call.arguments.values()])), language)
    asked = [(token.written, token.meanings) for token in tokens(text, language)]
    return not any(found.keys() & of_it for _, found in asked) and any(
        not written.isdigit() and stem(written, language) not in stated and not found.keys() & known
        for written, found in asked
    )


def named_key(value: JSON, call: Call, text: str, language: str) -> str | None:
    """Return the one field that a question asks for by its name, or by the way it asks."""
    fields = _fields(value, call, text)
    text = _INCLUDED.sub(" ", text)  # "80 dollars plus VAT": the total is asked for
    asked, right = _asked(text, language)
    # A word that names the tool means a field only where it is in the field's name: "estimate the shipping"
    # is no "delivery_days", but "the fare" is "fare_usd".
    named, said = full_features(split_identifier(call.name)), _stems(text, language)
    rows = sorted(
        (
            (_score(key, asked, () if _names(key, said) else named) + _says(key, said), -place, key)
            for place, key in enumerate(fields)
            if right(fields[key])
        ),
        reverse=True,
    )
    best = [key for points, _, key in rows if points >= 1 and points == rows[0][0]]
    if not best and right is _is_no_truth:  # the only moment there is answers "when"
        best = [key for key, item in fields.items() if is_moment(item)]
    return best[0] if len(best) == 1 else None


def _fields(value: JSON, call: Call, text: str) -> JSON:
    """Return the fields that may answer a question: none where nothing is asked."""
    if len(value) > MOST_FIELDS or not re.search(r"[?¿]", text):
        return {}
    return {
        key: item
        for key, item in value.items()
        if isinstance(key, str)
        and not isinstance(item, dict | list)
        and item is not None
        and key not in call.arguments
    }


def _stems(text: str, language: str) -> set[str]:
    return {stem(word, language) for word in words(text)}


def _asked(text: str, language: str) -> tuple[dict[str, float], Callable[[Any], bool]]:
    """Return the features of the fields that a question may mean, with weights, and what the value must
    be."""
    asked, right = dict(features(text, language)), _anything
    for pattern, groups, check in _ASKS_FOR:
        if not re.search(rf"(?:^|[¿,.]|\band |\by )\W*(?:{pattern})\b", fold(text)):
            continue
        right = check
        for points, group in zip((2.0, 1.5), groups.split(";"), strict=False):
            for word in group.split():
                found = features(word.replace("_", " "), "en")
                exact = [feature for feature, weight in found.items() if weight == max(found.values())]
                asked |= {feature: max(points, asked.get(feature, 0)) for feature in exact}
    return asked, right


def _score(key: str, asked: dict[str, float], apart: Collection[str]) -> float:
    """Return how clearly a question asks for a field: the weight of its best feature that is not set
    apart."""
    own = {feature for feature, weight in features(split_identifier(key)).items() if weight in (0.25, 1)}
    return max((asked.get(feature, 0) for feature in own if feature not in apart), default=0.0)


def _names(key: str, said: set[str]) -> bool:
    """Return whether a question says a word of a field's name."""
    return bool(said & _stems(split_identifier(key), "en")) or _says(key, said) > 0


def _says(key: str, said: set[str]) -> float:
    """More for a field whose whole name is said: "how much is the VAT" asks for "vat", not for "total"."""
    return (
        1.5 if any((name := _stems(spoken(key, one), one)) and name <= said for one in ("en", "es")) else 0.0
    )
