"""Rules about `required`: what must be given, and what people write that means something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .found import Found, error, hint, warning
from .parts import Definition, Part, shown
from .words import plain

MANY = 5
_OPTIONAL = re.compile(
    r"\boptional(ly)?\b|\bopcional(mente)?\b|\bdefaults? (to|is|value|:)|\bby default\b|\bpor defecto\b|"
    r"\bdefault\s*[:=]|\bleave (it |this )?(out|empty|blank)\b|\bomit\b|\bomite\w*\b|"
    r"\b(may|can) be (empty|blank|omitted|left out)\b|\bnot (required|mandatory|always given)\b|"
    r"\bif (known|any|available|applicable|needed|necessary|provided|given|specified|omitted|present)\b|"
    r"\bif (left out|not given|not provided|not specified)\b|\bno (es )?obligatori[oa]\b|"
    r"\bpuede (omitirse|quedar vaci[oa])\b|"
    r"\bsi (se conoce|procede|corresponde|se indica|no se indica|se omite|lo hay|lo da|la da|existe)\b|"
    r"\bdejal[oa] (en blanco|vaci[oa])\b"
)
_NOT_OPTIONAL = re.compile(
    r"\b(not|never|isn't|no es) (an? )?(optional|opcional)\b|\bdo not omit\b|\bno (lo |la )?omitas\b"
)

__all__ = ["required"]


def required(one: Definition) -> Iterator[Found]:
    fields: dict[int, list[Part]] = {}
    for part in one.parts:
        if part.name:
            fields.setdefault(id(part.parent), []).append(part)
    for part in one.parts:
        if "required" in part.schema:
            yield from _list(part)
            yield from _names(part, fields.get(id(part), []))


def _list(part: Part) -> Iterator[Found]:
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


def _names(part: Part, fields: list[Part]) -> Iterator[Found]:
    properties, names = part.schema.get("properties"), part.schema.get("required")
    if not isinstance(names, list):
        return
    names = list(dict.fromkeys(name for name in names if isinstance(name, str)))
    known = properties if isinstance(properties, dict) else {}
    # A choice may require what the schema around it defines, and free keys may have any name.
    elsewhere = part.via in ("anyOf", "oneOf", "allOf", "if", "then", "else", "not")
    open_keys = part.schema.get("additionalProperties") or part.schema.get("patternProperties")
    unread = isinstance(properties, list) or "$ref" in part.schema or "allOf" in part.schema
    for name in names:
        if name not in known and not elsewhere and not isinstance(open_keys, dict) and not unread:
            yield error(
                "required-unknown", f"{part.where}.required", name=name, known=", ".join(known) or "-"
            )
    wanted = set(names)
    fields = [field for field in fields if field.name in wanted]
    for field in fields:
        if field.schema.get("default") is not None:
            yield warning(
                "required-with-default", field.where, name=field.name, default=shown(field.schema["default"])
            )
        elif _says_optional(field) and not field.admits_null():
            yield warning("required-but-optional", field.where, name=field.name)
    # Under OpenAI's strict form everything is required, and what may be null is optional.
    must = [field for field in fields if not field.admits_null()]
    if len(known) > MANY and len(must) == len(known):
        yield hint("all-required", f"{part.where}.required", n=len(known))


def _says_optional(field: Part) -> bool:
    text = plain(field.text)
    return bool(_OPTIONAL.search(text)) and not _NOT_OPTIONAL.search(text)
