"""Rules about what a field says of itself: dates, amounts and identifiers, and closed sets told in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .found import Found, hint, warning
from .options import CLOSED, is_yes_or_no, options_in
from .parts import Definition, Part, kinds_of, shown
from .rules_numbers import DIGIT_TEXTS, MONEY, head, number
from .rules_values import target
from .vocabulary import MEANT_KEYWORDS
from .words import has_example, plain, tokens

_DATES = frozenset(
    """
    date datetime timestamp birthday birthdate dob deadline since until checkin checkout departure arrival
    fecha fechas desde hasta vencimiento nacimiento cumpleanos dates
    """.split()
)
_MAYBE_DATES = frozenset(
    "start end from to on after before begin due time inicio fin entrada salida hora day dia".split()
)
_MOMENTS = frozenset(
    "start end begin departure arrival pickup dropoff meeting appointment due event opening closing".split()
)
_DAYS = frozenset("date datetime timestamp fecha birthday birthdate deadline".split())
_DATE_NUMBER = re.compile(
    r"\b(unix|epoch|seconds|milliseconds|ms|segundos|milisegundos|yyyymmdd|aaaammdd)\b|\d{4}"
)
_DATE_TEXT = re.compile(r"\b(dates?|datetime|timestamp|fechas?)\b|\b(time of day|hour of)\b")
_DATE_FORMAT = re.compile(
    r"y{2,4}.?m{1,2}|a{4}.?m{2}|d{1,2}[/.-]m{1,2}|m{1,2}[/.-]d{1,2}|h{1,2}:m{2}|\biso\b|8601|\brfc\b|\bunix\b|\bepoch\b|\d"
)
_IDS = frozenset(
    "id ids uuid guid sku isbn iban identifier identificador referencia reference nif dni ssn".split()
)
_NUMBERED = frozenset(
    "order invoice ticket account tracking card booking case pedido factura cuenta reserva".split()
)
_STANDARDS = frozenset("currency moneda divisa country pais locale timezone language idioma lang".split())
_COUNTS = frozenset(
    "count limit quantity qty max min maximum minimum page offset age cantidad limite pagina edad".split()
)

__all__ = ["fields"]


def fields(one: Definition) -> Iterator[Found]:
    """What the fields of a definition leave unsaid."""
    for part in one.parts:
        if part.name:
            yield from _field(one, part)


def _field(one: Definition, part: Part) -> Iterator[Found]:
    said = tokens(part.name)
    if not part.text and not _fixed(part) and not _described_elsewhere(one, part):
        speaks = _lists_values(part.schema) or part.kinds == ["boolean"] or _holder_says_it(part)
        told = hint if speaks else warning
        yield told("field-without-description", part.where, name=part.name)
    if _fixed(part) or _lists_values(part.schema):
        return
    options = _told_options(part, said)
    if options:
        return (yield _closed_set(part, options))
    kinds = _kinds(part)
    if "string" in kinds:
        yield from _text(part, said)
    elif {"number", "integer"} & kinds and head(said) in _DAYS:
        if not _DATE_NUMBER.search(plain(part.text)):
            yield warning("date-without-format", part.where, name=part.name)
    elif {"number", "integer"} & kinds:
        about = one.description if isinstance(one.description, str) else ""
        yield from number(part, said, kinds, about)


def _described_elsewhere(one: Definition, part: Part) -> bool:
    """Whether the description stands where a reference leads to, or under a misspelt keyword."""
    if any(MEANT_KEYWORDS.get(word) == "description" for word in part.schema):
        return True
    reference = part.schema.get("$ref")
    found = target(reference, one.schema) if isinstance(reference, str) else None
    return isinstance(found, dict) and bool(found.get("description"))


def _fixed(part: Part) -> bool:
    """Whether the field has one value only, as the tag of a choice has."""
    return "const" in part.schema or (
        isinstance(part.schema.get("enum"), list) and len(part.schema["enum"]) == 1
    )


def _lists_values(schema: Any) -> bool:
    """Whether a schema, or each of its choices besides null, says which values there are."""
    if not isinstance(schema, dict):
        return False
    choices = schema.get("anyOf", schema.get("oneOf"))
    choices = choices if isinstance(choices, list) else []
    kept = [one for one in choices if not (isinstance(one, dict) and kinds_of(one) == ["null"])]
    return "enum" in schema or "const" in schema or bool(kept) and all(map(_lists_values, kept))


def _holder_says_it(part: Part) -> bool:
    """Whether the object around speaks for its fields by its own description: `address`: "Street, city"."""
    around = part.parent
    while around is not None and not around.name:
        around = around.parent
    return around is not None and part.name.casefold() in around.text.casefold()


def _kinds(part: Part) -> set[str]:
    """The types of the field, its choices and the items of a list of them included."""
    found = set(part.kinds)
    choices = part.schema.get("anyOf")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            found |= set(Part("", choice, choice).kinds)
    return found


# Closed sets --------------------------------------------------------------------------------------


def _told_options(part: Part, said: list[str]) -> list[str]:
    if not part.text or _has_values(part):
        return []
    kinds = _kinds(part)
    held = part.schema.get("items")
    if "array" in kinds and isinstance(held, dict):
        if _has_values(Part("", held, held)) or held.get("type") not in ("string", "STRING"):
            return []
    elif not kinds & {"string", "integer"} and kinds:
        return []
    options = options_in(part.text, said)
    if kinds and "string" not in kinds and "array" not in kinds:
        options = options if all(one.lstrip("-").isdigit() for one in options) else []
    return options


def _has_values(part: Part) -> bool:
    """Whether something besides the type already says which values are meant, here or in a choice."""
    if {"enum", "const", "$ref"} & set(part.schema) or part.schema.get("format"):
        return True
    choices = part.schema.get("anyOf", part.schema.get("oneOf"))
    return isinstance(choices, list) and any(
        isinstance(one, dict) and _has_values(Part("", one, one)) for one in choices
    )


def _closed_set(part: Part, options: list[str]) -> Found:
    if is_yes_or_no(options):
        return warning("boolean-as-text", part.where, name=part.name)
    numbers = [int(one) if one.lstrip("-").isdigit() else one for one in options]
    values: list[Any] = options if "string" in _kinds(part) or "array" in part.kinds else numbers
    return warning("closed-set-as-text", part.where, name=part.name, enum=shown(values, 100))


# Text ---------------------------------------------------------------------------------------------


def _text(part: Part, said: list[str]) -> Iterator[Found]:
    if part.schema.get("format") or part.schema.get("pattern") or _examples(part):
        return
    last = said[-1] if said else ""
    if _is_date(part, said):
        if not _DATE_FORMAT.search(plain(part.text)) and not _relative(part):
            yield warning("date-without-format", part.where, name=part.name)
    elif said and said[0] in ("is", "has", "should", "es", "tiene"):
        yield warning("boolean-as-text", part.where, name=part.name)
    elif (last in _COUNTS or head(said) in MONEY) and not has_example(part.text):
        yield warning("number-as-text", part.where, name=part.name)
    elif not part.text:
        return  # that it says nothing is told already
    elif _is_id(said) and not has_example(part.text):
        yield hint("id-without-example", part.where, name=part.name)
    elif (
        last in _STANDARDS
        and not has_example(part.text)
        and not re.search(r"\bn(ame|ombre)", plain(part.text))
    ):
        yield hint("code-without-standard", part.where, name=part.name)
    elif last in CLOSED - {"size", "category", "type", "kind", "order", "role", "period"} and not has_example(
        part.text
    ):
        yield hint("maybe-a-closed-set", part.where, name=part.name)


def _examples(part: Part) -> bool:
    return bool(part.schema.get("examples") or part.schema.get("example"))


def _is_date(part: Part, said: list[str]) -> bool:
    if {"zone", "timezone", "format", "range", "type", "formato", "zona", "city", "airport", "ciudad"} & set(
        said
    ):
        return False
    if set(said) & _DATES or (len(said) > 1 and said[-1] == "at"):
        return True
    if said[-1:] in (["time"], ["hora"]) and (len(said) == 1 or set(said) & _MOMENTS):
        return True  # but not the time that something takes: response_time
    return bool(set(said) & _MAYBE_DATES and _DATE_TEXT.search(plain(part.text)))


def _relative(part: Part) -> bool:
    """Whether the description shows a date in words, such as 'next Friday'."""
    return bool(re.search(r"[\"'“‘«][^\"'”’»]+[\"'”’»]", part.text))


def _is_id(said: list[str]) -> bool:
    if not said or "email" in said:
        return False
    if said[-1] in _IDS or said[-1] in DIGIT_TEXTS:
        return True
    return said[-1] in ("number", "code", "numero", "codigo") and bool(set(said) & _NUMBERED)
