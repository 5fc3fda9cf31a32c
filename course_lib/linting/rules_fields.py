"""Rules about fields: which are required, and what they say of their units, dates and closed sets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from practice_model.facts.schemas import target

from .definition import CHOICES, Definition, SchemaPart, kinds_of, shown
from .findings import Problem, error, hint, warning
from .rules_schema import MEANT_KEYWORDS
from .words import CLOSED, fold, has_example, is_yes_or_no, options_in, phrase, tokens, word_set

# Numbers: amounts without a currency, measures without a unit, digits that are no number --------------

_MONEY = word_set("money")
_MEASURES = word_set("measures")
_CURRENCIES = word_set("currencies")
_UNITS = word_set("units")
_SHORT_UNIT = re.compile(phrase("short_unit"))
_COUNTED = word_set("counted")
_CURRENCY = re.compile(phrase("currency"))
_QUALIFIERS = word_set("qualifiers")
_DIGIT_TEXTS = word_set("digit_texts")
_CODES = ("number", "code", "numero", "codigo")


def _check_number(part: SchemaPart, name_words: list[str], kinds: set[str], about: str) -> Iterator[Problem]:
    """Check what a number field says of its unit; `about` is the description of the tool."""
    if _head(name_words) in _DIGIT_TEXTS or (
        _head(name_words) in _CODES and set(name_words) & (_DIGIT_TEXTS | {"card", "tarjeta"})
    ):
        yield warning("digits-as-number", part.where, name=part.name)
    elif name_words and name_words[-1] in ("id", "uuid", "guid"):
        report = warning if "number" in kinds else hint
        yield report("id-as-number", part.where, name=part.name)
    elif _head(name_words) in _MONEY:
        # An amount may be one of money, or of something that is counted or weighed.
        wanted = _CURRENCIES | _UNITS | _COUNTED if _head(name_words) == "amount" else _CURRENCIES
        if not _has_unit(part, name_words, wanted) and not _CURRENCY.search(fold(about)):
            yield warning("amount-without-unit", part.where, name=part.name)
    elif _head(name_words) in _MEASURES and not _has_unit(part, name_words, _UNITS):
        yield warning("measure-without-unit", part.where, name=part.name)


def _head(name_words: list[str]) -> str:
    """Return the word that says what a number is: the cost in `max_cost`, the weight in `cost_weight`."""
    return next((word for word in reversed(name_words) if word not in _QUALIFIERS), "")


def _has_unit(part: SchemaPart, name_words: list[str], wanted: frozenset[str]) -> bool:
    """Return whether the name, the description or a field beside it says in what the number counts."""
    text = fold(part.text)
    # A share has no unit: "between 0 and 1".
    if re.search(r"[€$£¥%°]|\b0(\.0)? (and|to|y|a) 1(00|\.0)?\b", text):
        return True
    if wanted is not _CURRENCIES and _SHORT_UNIT.search(text):
        return True
    if (set(re.findall(r"[a-z]+2?", text)) | set(name_words)) & (wanted - {_head(name_words)}):
        return True
    names = {word for name in part.parent.properties for word in tokens(name)}
    return bool(names & {"currency", "currencies", "moneda", "divisa", "unit", "units", "unidad", "unidades"})


# `required`: what must be given, and what people write that means something else ----------------------

MANY_REQUIRED = 5
_OPTIONAL = re.compile(phrase("optional"))
_NOT_OPTIONAL = re.compile(phrase("not_optional"))


def required(definition: Definition) -> Iterator[Problem]:
    """Check the lists of required fields, and whether the fields say the same."""
    fields: dict[int, list[SchemaPart]] = {}
    for part in definition.parts:
        if part.name:
            fields.setdefault(id(part.parent), []).append(part)
    for part in definition.parts:
        if "required" in part.schema:
            yield from _check_form(part)
            yield from _check_names(part, fields.get(id(part), []))


def _check_form(part: SchemaPart) -> Iterator[Problem]:
    given, where = part.schema["required"], f"{part.where}.required"
    if isinstance(given, bool):
        if part.name or part.field is not None:
            yield error("required-in-field", where, name=part.name or "?", given=shown(given))
        else:
            yield error("required-not-a-list", where, given=shown(given))
    elif not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        yield error("required-not-a-list", where, given=shown(given))
    elif len(set(given)) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        yield error("required-twice", where, name=twice)


def _check_names(part: SchemaPart, fields: list[SchemaPart]) -> Iterator[Problem]:
    known, names = part.properties, part.schema.get("required")
    if not isinstance(names, list):
        return
    names = dict.fromkeys(name for name in names if isinstance(name, str))
    # A choice may require what the schema around it defines, and free keys may have any name.
    elsewhere = part.via in CHOICES
    open_keys = part.schema.get("additionalProperties") or part.schema.get("patternProperties")
    is_list = isinstance(part.schema.get("properties"), list)
    unread = is_list or "$ref" in part.schema or "allOf" in part.schema
    for name in names:
        if name not in known and not elsewhere and not isinstance(open_keys, dict) and not unread:
            yield error(
                "required-unknown", f"{part.where}.required", name=name, known=", ".join(known) or "-"
            )
    fields = [field for field in fields if field.name in names]
    for field in fields:
        if field.schema.get("default") is not None:
            yield warning(
                "required-with-default", field.where, name=field.name, default=shown(field.schema["default"])
            )
        elif _says_optional(field) and not field.admits_null():
            yield warning("required-but-optional", field.where, name=field.name)
    # Under OpenAI's strict form everything is required, and what may be null is optional.
    must = [field for field in fields if not field.admits_null()]
    if len(known) > MANY_REQUIRED and len(must) == len(known):
        yield hint("all-required", f"{part.where}.required", n=len(known))


def _says_optional(field: SchemaPart) -> bool:
    text = fold(field.text)
    return bool(_OPTIONAL.search(text)) and not _NOT_OPTIONAL.search(text)


# What a field says of itself --------------------------------------------------------------------------

_DATES = word_set("dates")
_MAYBE_DATES = word_set("maybe_dates")
_MOMENTS = word_set("moments")
_DAYS = word_set("days")
_DATE_NUMBER = re.compile(phrase("date_number"))
_DATE_TEXT = re.compile(phrase("date_text"))
_DATE_FORMAT = re.compile(phrase("date_format"))
_IDS = word_set("ids")
_NUMBERED = word_set("numbered")
_STANDARDS = word_set("standards")
_COUNTS = word_set("counts")


def fields(definition: Definition) -> Iterator[Problem]:
    """Check what each field says of itself: its description, its values, the form of its text."""
    for part in definition.parts:
        if part.name:
            yield from _field(definition, part)


def _field(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    name_words = tokens(part.name)
    if not part.text and not _fixed(part) and not _described_elsewhere(definition, part):
        speaks = _lists_values(part.schema) or part.kinds == ["boolean"] or _holder_says_it(part)
        report = hint if speaks else warning
        yield report("field-without-description", part.where, name=part.name)
    if _fixed(part) or _lists_values(part.schema):
        return
    options = _options_in_text(part, name_words)
    if options:
        return (yield _closed_set(part, options))
    kinds = _kinds(part)
    if "string" in kinds:
        yield from _text(part, name_words)
    elif {"number", "integer"} & kinds and _head(name_words) in _DAYS:
        if not _DATE_NUMBER.search(fold(part.text)):
            yield warning("date-without-format", part.where, name=part.name)
    elif {"number", "integer"} & kinds:
        about = definition.description if isinstance(definition.description, str) else ""
        yield from _check_number(part, name_words, kinds, about)


def _described_elsewhere(definition: Definition, part: SchemaPart) -> bool:
    """Return whether the description stands where a reference leads to, or under a misspelt keyword."""
    if any(MEANT_KEYWORDS.get(word) == "description" for word in part.schema):
        return True
    reference = part.schema.get("$ref")
    found = target(reference, definition.schema) if isinstance(reference, str) else None
    return isinstance(found, dict) and bool(found.get("description"))


def _fixed(part: SchemaPart) -> bool:
    """Return whether the field has one value only, as the tag of a choice has."""
    return "const" in part.schema or (
        isinstance(part.schema.get("enum"), list) and len(part.schema["enum"]) == 1
    )


def _lists_values(schema: Any) -> bool:
    """Return whether a schema, or each of its choices besides null, says which values there are."""
    if not isinstance(schema, dict):
        return False
    choices = schema.get("anyOf", schema.get("oneOf"))
    choices = choices if isinstance(choices, list) else []
    kept = [one for one in choices if not (isinstance(one, dict) and kinds_of(one) == ["null"])]
    return "enum" in schema or "const" in schema or bool(kept) and all(map(_lists_values, kept))


def _holder_says_it(part: SchemaPart) -> bool:
    """Return whether the object around describes the field: `address`, "Street, city", describes `city`."""
    around = part.parent
    while around is not None and not around.name:
        around = around.parent
    return around is not None and part.name.casefold() in around.text.casefold()


def _kinds(part: SchemaPart) -> set[str]:
    """Return the types of the field and of its choices."""
    return {kind for one in (part.schema, *part.choices) for kind in kinds_of(one) if kind != "null"}


def _options_in_text(part: SchemaPart, name_words: list[str]) -> list[str]:
    if not part.text or _has_values(part.schema):
        return []
    kinds = _kinds(part)
    held = part.schema.get("items")
    if "array" in kinds and isinstance(held, dict):
        if _has_values(held) or held.get("type") not in ("string", "STRING"):
            return []
    elif not kinds & {"string", "integer"} and kinds:
        return []
    options = options_in(part.text, name_words)
    if kinds and "string" not in kinds and "array" not in kinds:
        options = options if all(one.lstrip("-").isdigit() for one in options) else []
    return options


def _has_values(schema: Any) -> bool:
    """Return whether something besides the type already says which values are meant, here or in a choice."""
    if not isinstance(schema, dict):
        return False
    if {"enum", "const", "$ref"} & set(schema) or schema.get("format"):
        return True
    choices = schema.get("anyOf", schema.get("oneOf"))
    return isinstance(choices, list) and any(map(_has_values, choices))


def _closed_set(part: SchemaPart, options: list[str]) -> Problem:
    if is_yes_or_no(options):
        return warning("boolean-as-text", part.where, name=part.name)
    numbers = [int(one) if one.lstrip("-").isdigit() else one for one in options]
    values: list[Any] = options if "string" in _kinds(part) or "array" in part.kinds else numbers
    return warning("closed-set-as-text", part.where, name=part.name, enum=shown(values, 100))


def _text(part: SchemaPart, name_words: list[str]) -> Iterator[Problem]:
    if any(part.schema.get(keyword) for keyword in ("format", "pattern", "examples", "example")):
        return
    last = name_words[-1] if name_words else ""
    if _is_date(part, name_words):
        # A description may also show a date in words, such as 'next Friday'.
        in_words = re.search(r"[\"'“‘«][^\"'”’»]+[\"'”’»]", part.text)
        if not in_words and not _DATE_FORMAT.search(fold(part.text)):
            yield warning("date-without-format", part.where, name=part.name)
    elif name_words and name_words[0] in ("is", "has", "should", "es", "tiene"):
        yield warning("boolean-as-text", part.where, name=part.name)
    elif has_example(part.text):
        return
    elif last in _COUNTS or _head(name_words) in _MONEY:
        yield warning("number-as-text", part.where, name=part.name)
    elif not part.text:
        return  # that it says nothing is a problem of its own
    elif _is_id(name_words):
        yield hint("id-without-example", part.where, name=part.name)
    elif last in _STANDARDS and not re.search(r"\bn(ame|ombre)", fold(part.text)):
        yield hint("code-without-standard", part.where, name=part.name)
    elif last in CLOSED - {"size", "category", "type", "kind", "order", "role", "period"}:
        yield hint("maybe-a-closed-set", part.where, name=part.name)


def _is_date(part: SchemaPart, name_words: list[str]) -> bool:
    if {"zone", "timezone", "format", "range", "type", "formato", "zona", "city", "airport", "ciudad"} & set(
        name_words
    ):
        return False
    if set(name_words) & _DATES or (len(name_words) > 1 and name_words[-1] == "at"):
        return True
    if name_words[-1:] in (["time"], ["hora"]) and (len(name_words) == 1 or set(name_words) & _MOMENTS):
        return True  # but not the time that something takes: response_time
    return bool(set(name_words) & _MAYBE_DATES and _DATE_TEXT.search(fold(part.text)))


def _is_id(name_words: list[str]) -> bool:
    if not name_words or "email" in name_words:
        return False
    if name_words[-1] in _IDS or name_words[-1] in _DIGIT_TEXTS:
        return True
    return name_words[-1] in _CODES and bool(set(name_words) & _NUMBERED)
