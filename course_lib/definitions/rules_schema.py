"""Rules about the schema as JSON Schema: misspelt keywords, types that are none, values of the wrong kind."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from .found import Found, error, hint, warning
from .parts import CHOICES, MAPS, Definition, Part, kinds_of, name_at, shown
from .vocabulary import EXPECTED, KNOWN, MEANT_KEYWORDS, MEANT_TYPES, TYPES, is_number

DEEP = 4

__all__ = ["schema"]


def schema(one: Definition) -> Iterator[Found]:
    """What is wrong with the schema whatever the provider; Gemini's own subset is in rules_gemini."""
    if not isinstance(one.schema, dict):
        return
    yield from _root(one)
    for part in one.parts:
        yield from _types(one, part)
        yield from _values(one, part)
        yield from _ranges(part)
        yield from _structure(one, part)
        if not one.is_openapi:
            yield from _keywords(one, part)
    yield from _depth(one)


def _root(one: Definition) -> Iterator[Found]:
    kinds = kinds_of(one.schema)
    if "type" not in one.schema:
        if not _has(one.schema, "type") and not ("$ref" in one.schema and one.form == "gemini"):
            yield error("root-without-type", one.root)
    elif kinds != ["object"] and MEANT_TYPES.get((kinds or [""])[0]) != "object":
        yield error("root-not-an-object", f"{one.root}.type", given=shown(one.schema["type"]))
    if one.provider == "openai" and not _has(one.schema, "properties"):
        yield error("root-without-properties", one.root)
    for keyword in ("anyOf", "oneOf", "allOf", *(("enum", "not") if one.provider == "openai" else ())):
        if keyword in one.schema and one.provider in ("anthropic", "openai"):
            yield error("choice-at-the-root", f"{one.root}.{keyword}", keyword=keyword)


def _has(schema: dict[str, Any], keyword: str) -> bool:
    """Whether a schema has a keyword, or one that is meant to be it."""
    return keyword in schema or any(MEANT_KEYWORDS.get(word) == keyword for word in schema)


# Types --------------------------------------------------------------------------------------------


def _types(one: Definition, part: Part) -> Iterator[Found]:
    if "type" not in part.schema:
        yield from _untyped(one, part)
        return
    given, where = part.schema["type"], f"{part.where}.type"
    names = given if isinstance(given, list) else [given]
    if not names:
        yield error("type-unknown", where, given="[]", types=", ".join(TYPES), meant="string")
    for name in names:
        upper = one.is_openapi and isinstance(name, str)
        if (name.lower() if upper else name) in TYPES if isinstance(name, str) else False:
            continue
        if upper and name == "TYPE_UNSPECIFIED" and "anyOf" in part.schema:
            continue
        if isinstance(name, str) and name.lower() in TYPES:
            yield error("type-in-capitals", where, given=name, meant=name.lower())
            continue
        meant = _meant_type(name)
        values = {"given": shown(name), "types": ", ".join(TYPES), "meant": meant}
        if isinstance(name, str) and name.lower() in (
            "date",
            "datetime",
            "time",
            "email",
            "uuid",
            "uri",
            "url",
        ):
            yield error("type-is-a-format", where, given=name, format=_format(name.lower()))
        elif isinstance(name, str) and name.lower() == "enum":
            yield error("type-is-enum", where)
        else:
            yield error("type-unknown", where, **values)
    if isinstance(given, list) and len({str(name) for name in names}) < len(names):
        yield error("value-invalid", where, keyword="type", given=shown(given), expected="types, each once")


def _meant_type(name: Any) -> str:
    if name is None:
        return "null"
    low = str(name).lower()
    inner = re.match(r"(list|dict|set|tuple|optional)\W", low)
    if inner:
        return MEANT_TYPES.get(inner[1], "string")
    close = difflib.get_close_matches(low, TYPES, 1)
    return MEANT_TYPES.get(low) or (close[0] if close else "string")


def _format(name: str) -> str:
    return {"datetime": "date-time", "url": "uri"}.get(name, name)


def _untyped(one: Definition, part: Part) -> Iterator[Found]:
    """A field without any word on its type: the model may send anything."""
    enough = {"anyOf", *(() if one.is_openapi else ("oneOf", "allOf", "enum", "const", "$ref", "not", "if"))}
    if enough & set(part.schema) or _has(part.schema, "type") or (not part.name and part.via != "items"):
        return
    if one.strict and one.provider:
        return  # told by the rules about strict
    told = error if one.is_openapi else warning
    yield told("type-missing", part.where, name=part.name or "items")


# Keywords -----------------------------------------------------------------------------------------


def _keywords(one: Definition, part: Part) -> Iterator[Found]:
    for word, held in part.schema.items():
        if word in KNOWN or word.startswith("x-"):
            continue
        where = f"{part.where}{name_at(word)}"
        if word == "nullable":
            yield warning("nullable-in-json-schema", where)
        elif word == "optional":
            yield warning("optional-in-field", where, given=shown(held))
        elif word == "strict":
            yield error("strict-in-the-schema", where, right=one.at("strict"))
        elif word == "name" and isinstance(held, str):
            yield hint("keyword-without-effect", where, keyword=word)
        elif word == "example":
            yield hint("keyword-misspelt", where, keyword=word, meant="examples")
        elif meant := _meant_keyword(word, part):
            yield error("keyword-misspelt", where, keyword=word, meant=meant)
        else:
            yield warning("keyword-without-effect", where, keyword=word)


def _meant_keyword(word: str, part: Part) -> str | None:
    meant = MEANT_KEYWORDS.get(word)
    if meant is None:
        close = difflib.get_close_matches(word, KNOWN, 1, 0.8)
        meant = close[0] if close else None
    return meant if meant not in part.schema else None


def _values(one: Definition, part: Part) -> Iterator[Found]:
    """Keywords that hold something of the wrong kind."""
    for keyword, (expected, fits) in EXPECTED.items():
        if one.is_openapi and str(part.schema.get(keyword)).isdigit():
            continue  # Google's services write whole numbers as text too
        if keyword in part.schema and not fits(part.schema[keyword]):
            given = shown(part.schema[keyword])
            where = f"{part.where}.{keyword}"
            yield error("value-invalid", where, keyword=keyword, given=given, expected=expected)
    for keyword in MAPS:
        for name, held in _items(part.schema.get(keyword)):
            if not isinstance(held, dict | bool):
                where = f"{part.where}.{keyword}{name_at(name)}"
                yield error("field-not-a-schema", where, name=name, given=shown(held))


def _items(held: Any) -> list[tuple[str, Any]]:
    return list(held.items()) if isinstance(held, dict) else []


def _ranges(part: Part) -> Iterator[Found]:
    """Limits that nothing can fit."""
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        least, most = part.schema.get(low), part.schema.get(high)
        if is_number(least) and is_number(most) and least > most:
            yield error("range-empty", f"{part.where}.{low}", low=f"{low}: {least}", high=f"{high}: {most}")
    pattern = part.schema.get("pattern")
    if isinstance(pattern, str):
        try:
            re.compile(pattern)
        except re.error as problem:
            # Python's expressions differ a little from ECMAScript's, so this is no proof.
            if not re.search(r"\\[pPu]|\(\?<[^=!]", pattern):
                yield error("pattern-broken", f"{part.where}.pattern", pattern=pattern, reason=str(problem))


# Structure ----------------------------------------------------------------------------------------


def _structure(one: Definition, part: Part) -> Iterator[Found]:
    kinds = part.kinds
    if "array" in kinds and not {"items", "prefixItems"} & set(part.schema) and "item" not in part.schema:
        told = warning if one.provider in ("anthropic", "") else error
        yield told("items-missing", part.where)
    if "items" in part.schema and kinds and "array" not in kinds:
        yield error("items-without-array", f"{part.where}.items", kind=kinds[0])
    if "properties" in part.schema and kinds and "object" not in kinds:
        yield error("properties-without-object", f"{part.where}.properties", kind=kinds[0])
    if part.name or part.via in ("items", "anyOf"):
        yield from _open_object(one, part)


def _open_object(one: Definition, part: Part) -> Iterator[Found]:
    """An object of which nothing is said but that it is one."""
    says = {
        "properties",
        "additionalProperties",
        "patternProperties",
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "propertyNames",
    }
    if part.kinds != ["object"] or ("properties" not in part.schema and _has(part.schema, "properties")):
        return
    if part.schema.get("additionalProperties") is True and "properties" not in part.schema:
        yield warning("object-without-fields", part.where)
    elif not says & set(part.schema) and not one.is_openapi:
        yield warning("object-without-fields", part.where)


def _depth(one: Definition) -> Iterator[Found]:
    """An object in an object in an object: once, at the first that is too deep."""
    for part in one.parts:
        if (
            part.level >= DEEP
            and part.via not in CHOICES
            and ("object" in part.kinds or "properties" in part.schema)
        ):
            yield warning("nested-deeply", part.where, levels=part.level)
            return
