"""What a question asks for: how many, yes or no, or one field of a result."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection
from typing import Any

from .language import features, fold, one_of, split_identifier, stem, words
from .request import Call
from .shape import JSON

_HOW_MANY = re.compile(
    r"\b(?:how many|cu[aá]nt[oa]s)\s+(?:(?:unread|new|open|free|of|my|the|de|mis|los"
    r"|las)\s+){0,2}([^\W\d_]+)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"^\W*"
    + one_of("is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "will", "est[aá]n?", "es",
    "son",
             "hay", "tiene[ns]?", "puedo", "puede", "ha", "han")
    + r"\b",
    re.IGNORECASE,
)  # fmt: skip
_DATE_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d\b")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and not _DATE_OR_TIME.search(value)


def _anything(value: Any) -> bool:
    return True


# A question word, the plain words of the fields that answer it, the best first, and what their value must be:
# "placed_on" has a word of "place" in it, but a date is no answer to "where".
_ASKS_FOR = [
    (r"when|what time|cuando|a que hora", "date time arrival delivery eta deadline start_time", _anything),
    (r"where|donde", "place location city address shelf; status state", _is_name),
    (r"who|whose|quien(?:es)?|de quien", "person name author owner manager", _is_name),
    (r"how much|cuanto cuesta|cuanto vale|a cuanto", "price cost total amount", _is_number),
    (r"how many|cuant[oa]s", "count total quantity", _is_number),
    (r"why|por que", "reason cause", _anything),
    (r"how long|cuanto (?:tarda|dura)", "duration", _anything),
]
_TAG = re.compile(r"<(?:/?[a-zA-Z][^<>]{0,500}|!--.{0,500}?--)>", re.DOTALL)
MOST_FIELDS = 40


def plain(value: Any) -> Any:
    """A text that is a web page without its tags; other values as they are."""
    if isinstance(value, str) and re.search(
        r"</?(?:html|body|p|div|h[1-6]|ul|li|br|table|span|a)\b[^<>]*>", value
    ):
        bare = re.sub(r"<(script|style)\b.*?</\1>", " ", value, flags=re.DOTALL | re.IGNORECASE)
        return re.sub(r"\s+", " ", html.unescape(_TAG.sub(" ", bare))).strip()
    return value


def is_yes_or_no(text: str) -> bool:
    """Whether a question wants yes or no."""
    return bool(_YES_OR_NO.match(text))


def counted_noun(text: str) -> str | None:
    """What a question counts: "How many notes did I write?" -> "notes"."""
    match = _HOW_MANY.search(text)
    return match[1] if match else None


def key_of_answer(value: JSON, call: Call, text: str, tongue: str) -> str | None:
    """The one field of a call's result that a question asks for; None where several may be meant, or none."""
    if len(value) < 2 or len(value) > MOST_FIELDS or not re.search(r"[?¿]", text):
        return None
    fields = {
        key: item
        for key, item in value.items()
        if isinstance(key, str)
        and not isinstance(item, dict | list)
        and item is not None
        and key not in call.arguments
    }
    asked, right = _asked(text, tongue)
    # A word that names the tool means a field only where it is in the field's name: "estimate the shipping"
    # is no "delivery_days", but "the fare" is "fare_usd".
    named, said = features(split_identifier(call.name)), _stems(text, tongue)
    rows = sorted(
        (
            (_score(key, asked, named if not said & _stems(split_identifier(key), "en") else {}), -place, key)
            for place, key in enumerate(fields)
            if right(fields[key])
        ),
        reverse=True,
    )
    best = [key for points, _, key in rows if points >= 1 and points == rows[0][0]]
    return best[0] if len(best) == 1 else None


def _stems(text: str, tongue: str) -> set[str]:
    return {stem(word, tongue) for word in words(text)}


def _asked(text: str, tongue: str) -> tuple[dict[str, float], Callable[[Any], bool]]:
    """The features of the fields that a question may mean, with weights, and what the value must be."""
    asked, right = dict(features(text, tongue)), _anything
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
    """How clearly a question asks for a field: the weight of its best feature that is not set apart."""
    own = {feature for feature, weight in features(split_identifier(key)).items() if weight in (0.25, 1)}
    return max((asked.get(feature, 0) for feature in own if feature not in apart), default=0.0)
