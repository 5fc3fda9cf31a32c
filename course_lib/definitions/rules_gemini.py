"""Rules about Gemini's `parameters`: a subset of OpenAPI in which unknown keywords are errors.

As of 2026-11, from the reference of the Gemini API. `parameters_json_schema` takes JSON Schema instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from .found import Found, error
from .parts import Definition, Part, camel_case, kinds_of, name_at, shown
from .vocabulary import MEANT_KEYWORDS

_KNOWN = frozenset(
    "type format title description nullable enum items minItems maxItems properties required minProperties "
    "maxProperties minimum maximum minLength maxLength pattern example default anyOf propertyOrdering".split()
)
_FORMATS = {
    "string": ("enum", "date-time"),
    "number": ("float", "double"),
    "integer": ("int32", "int64"),
}

__all__ = ["gemini"]


def gemini(one: Definition) -> Iterator[Found]:
    if not one.is_openapi or not isinstance(one.schema, dict):
        return
    for part in one.parts:
        yield from _keywords(one, part)
        yield from _type(part)
        yield from _enum(part)
        yield from _object(one, part)
        yield from _values(part)
        formats = [_FORMATS[kind] for kind in part.kinds if kind in _FORMATS]
        given = part.schema.get("format")
        if given and formats and given not in formats[0]:
            values = {"given": shown(given), "kind": part.kinds[0].upper(), "known": ", ".join(formats[0])}
            yield error("gemini-format", f"{part.where}.format", **values)


def _keywords(one: Definition, part: Part) -> Iterator[Found]:
    for given in part.raw:
        word = camel_case(given)
        if word in _KNOWN:
            continue
        where = f"{part.where}{name_at(given)}"
        meant = MEANT_KEYWORDS.get(given)
        if meant in _KNOWN and meant not in part.schema:
            yield error("keyword-misspelt", where, keyword=given, meant=meant)
        elif given == "const":
            yield error("gemini-const", where, value=shown(part.schema["const"]))
        else:
            yield error("gemini-keyword", where, keyword=given)


def _type(part: Part) -> Iterator[Found]:
    given = part.schema.get("type")
    if isinstance(given, list):
        kinds = [kind for kind in kinds_of(part.schema) if kind != "null"]
        meant = (
            f'"type": "{kinds[0].upper()}", "nullable": true'
            if len(kinds) == 1
            else '"anyOf": [{...}, {...}]'
        )
        yield error("gemini-type-list", f"{part.where}.type", given=shown(given), meant=meant)
    elif kinds_of(part.schema) == ["null"] and part.via == "anyOf":
        yield error("gemini-null-choice", part.where)


def _values(part: Part) -> Iterator[Found]:
    """What has a form of its own in OpenAPI; `true` for "anything" has none."""
    ordering, nullable = part.schema.get("propertyOrdering", []), part.schema.get("nullable", False)
    if not isinstance(ordering, list) or not all(isinstance(name, str) for name in ordering):
        values = {"keyword": "propertyOrdering", "given": shown(ordering), "expected": '["first", "second"]'}
        yield error("value-invalid", f"{part.where}.propertyOrdering", **values)
    if not isinstance(nullable, bool):
        values = {"keyword": "nullable", "given": shown(nullable), "expected": "true"}
        yield error("value-invalid", f"{part.where}.nullable", **values)
    properties = part.schema.get("properties")
    for name, held in properties.items() if isinstance(properties, dict) else ():
        if isinstance(held, bool):
            where = f"{part.where}.properties{name_at(name)}"
            yield error("field-not-a-schema", where, name=name, given=shown(held))
    if isinstance(part.schema.get("items"), bool):
        given = shown(part.schema["items"])
        yield error("field-not-a-schema", f"{part.where}.items", name="items", given=given)


def _enum(part: Part) -> Iterator[Found]:
    given = part.schema.get("enum")
    if not isinstance(given, list) or not given:
        return
    if part.kinds and "string" not in part.kinds:
        yield error("gemini-enum-not-text", f"{part.where}.enum", kind=part.kinds[0].upper())
    elif any(value == "" for value in given):
        yield error("gemini-enum-empty-text", f"{part.where}.enum")


def _object(one: Definition, part: Part) -> Iterator[Found]:
    if "object" not in part.kinds or part.schema.get("properties") or "anyOf" in part.schema:
        return
    if any(MEANT_KEYWORDS.get(word) == "properties" for word in part.schema):
        return
    if part.where == one.root:
        yield error("gemini-no-parameters", part.where)
    else:
        yield error("gemini-object-without-fields", part.where)
