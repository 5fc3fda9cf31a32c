"""What a question asks for: how many, yes or no, or one field of a result."""

from __future__ import annotations

import html
import re
from typing import Any

from .language import features, fold, one_of, split_identifier
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
# A question word, and the plain words of the fields that answer it.
_ASKS_FOR = [
    (r"when|what time|cuando|a que hora", "date time arrival delivery eta deadline start_time"),
    (r"where|donde", "place location city address shelf"),
    (r"who|whose|quien(?:es)?|de quien", "person name author owner manager"),
    (r"how much|cuanto cuesta|cuanto vale|a cuanto", "price cost total amount"),
    (r"how many|cuant[oa]s", "count total quantity"),
    (r"why|por que", "reason cause"),
    (r"how long|cuanto (?:tarda|dura)", "duration"),
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


def key_of_answer(value: JSON, arguments: JSON, text: str, tongue: str) -> str | None:
    """The one field of a result that a question asks for; None where several may be meant, or none."""
    if len(value) < 2 or len(value) > MOST_FIELDS or not re.search(r"[?¿]", text):
        return None
    fields = {
        key: item
        for key, item in value.items()
        if isinstance(key, str)
        and not isinstance(item, dict | list)
        and item is not None
        and key not in arguments
    }
    asked = _features_asked(text, tongue)
    rows = sorted(((_score(key, asked), -place, key) for place, key in enumerate(fields)), reverse=True)
    best = [key for points, _, key in rows if points >= 1 and points == rows[0][0]]
    return best[0] if len(best) == 1 else None


def _features_asked(text: str, tongue: str) -> dict[str, float]:
    folded = fold(text)
    asked = dict(features(text, tongue))
    for pattern, words in _ASKS_FOR:
        if re.search(rf"(?:^|[¿,.]|\band |\by )\W*(?:{pattern})\b", folded):
            for word in words.split():
                found = features(word.replace("_", " "), "en")
                asked |= {feature: 2.0 for feature, weight in found.items() if weight == max(found.values())}
    return asked


def _score(key: str, asked: dict[str, float]) -> float:
    """The share of a field's name that the question says."""
    own = {
        feature: weight for feature, weight in features(split_identifier(key)).items() if weight in (0.25, 1)
    }
    return max((asked.get(feature, 0) for feature in own), default=0.0)
