"""Requests about texts: to write one ("Write a poem about tea"), and questions of what somebody wrote before
("Did I complain about the parcel?")."""

from __future__ import annotations

import re

from .language import features, fold, one_of, short_cache
from .phrases import request_of

# All patterns are for folded texts.
_WRITES = re.compile(
    r"^\W*"
    + one_of(
        "write|compose|draft|rhyme|translate|rewrite|rephrase|sing|draw|paint",
        r"(?:make up|invent|come up with)",
        r"(?:escrib[ea]|redact[ae]|compon|traduce|reescribe|inventa|dibuja|canta|pinta)(?:me|nos|le|les)?",
    )
    + r"\b\s*(?:me|us|nos)?\s*(.*)",
    re.DOTALL,
)
_TELLS_A_TALE = re.compile(
    r"^\W*(?:(?:tell|give|write|sing|cuenta|dime|da|canta)\w*\s+)?(?:(?:me|us|nos)\s+)?"
    r"((?:an?|another|some|una?|otr[oa]|algun[oa]?)\s+(?:\w+\s+){0,2}?"
    r"(?:joke|story|tale|riddle|poem|rhyme|song|limerick|haiku|chiste|cuento|historia|adivinanza|poema|rima"
    r"|cancion)\b.*)",
    re.DOTALL,
)
_OBJECT_ENDS = re.compile(
    r"[,.;:!?]|\b(?:about|on|for|to|of|that|which|with|in|into|from|sobre|de|del|para|que|con|en|al)\b"
)
_SAYING_VERBS = one_of(
    "wr[io]te", "written", "sa(?:y|id)", "mention(?:ed)?", "complain(?:ed)?", "ask(?:ed)?", "t[eo]ll|told",
    "talk(?:ed)?", "sp[eo]ak|spoken?", "comment(?:ed)?", "contact(?:ed)? you", "report(?:ed)?",
)  # fmt: skip
_PARTICIPLES = one_of(
    "escrito", "dicho", "mencionado", "comentado", "preguntado", "hablado", "contado", "quejado", "reclamado"
)
_RECORDS = one_of("messages?", "notes?", "e-?mails?", "mensajes?", "notas?", "correos?")
_EVER_TO = r"(?:(?:alguna vez|ya|nunca)\s+)?(?:(?:me|nos|os|les?)\s+)?"
_WAS_WRITTEN = re.compile(
    r"^\W*(?:(?:when|where|what|how often|how many times|cuando|donde|que|cuantas veces)\s+)?"
    + one_of(
        rf"(?:did|have|had|didn't|haven't) (?:i|we)\b(?: \w+){{0,2}}? {_SAYING_VERBS}\b",
        rf"{_EVER_TO}(?:he|hemos)\b(?: \w+){{0,2}}? {_PARTICIPLES}\b",
        rf"{_EVER_TO}(?:escribi(?:mos)?|mencione|comente|pregunte|hable|queje|quejamos)\b",
        rf"(?:do|did) (?:i|we) (?:still )?have (?:\w+ ){{0,2}}?{_RECORDS}\b",
        rf"(?:tengo|tenemos|hay) (?:\w+ ){{0,2}}?{_RECORDS}\b",
    )
)
_RECORDS_ABOUT = re.compile(
    rf"\b{_RECORDS}(?: \w+){{0,4}}? "
    r"(?:about|regarding|mention\w*|contain\w*|sobre|acerca|mencion\w+|habl\w+)\b"
)
_HANDS_OVER = re.compile(
    r"^\W*(?:send|write|compose|draft|post|leave|add|create|open|forward|delete|envia|manda|escrib[ea]|redact|crea|abr"
    r"|borra|anad|elimina)"
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|we|us|our|yo|mis?|mio|mia|he|hemos|nos|nuestr\w+)\b", re.IGNORECASE
)
_FIRST_PERSON_ENDING = re.compile(r"[^\W\d_][éí]\b")


@short_cache
def text_to_write(part: str) -> frozenset[str] | None:
    """What kind of text a part asks to write, as features of the words for it; None where for none."""
    asked = fold(request_of(part))
    match = _WRITES.match(asked) or _TELLS_A_TALE.match(asked) or _TELLS_A_TALE.match(fold(part))
    if not match:
        return None
    kind = _OBJECT_ENDS.split(match[1])[0]
    return frozenset(feature for feature, weight in features(kind).items() if weight == 1)


@short_cache
def asks_what_was_written(part: str) -> bool:
    """Whether a part asks for what somebody wrote before, or whether they did: the matter is no thing to look
    up, but what the messages are about."""
    asked = fold(request_of(part))
    if _HANDS_OVER.match(asked):
        return False
    return bool(_WAS_WRITTEN.match(fold(part)) or _WAS_WRITTEN.match(asked) or _RECORDS_ABOUT.search(asked))


def speaks_of_oneself(part: str) -> bool:
    """Whether somebody speaks of themselves: "I", "my", "escribí"."""
    return bool(_FIRST_PERSON.search(fold(part)) or _FIRST_PERSON_ENDING.search(part))
