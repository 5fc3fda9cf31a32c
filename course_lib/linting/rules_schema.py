"""Rules about a schema as JSON Schema: keywords, types, values, and what people write instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from practice_model.facts.keywords import ANYTHING, KEYWORDS, Kind
from practice_model.facts.schemas import FIELD_NAME, LISTS, MAPS, TYPES, is_number, is_of_type, target

from .definition import CHOICES, Definition, SchemaPart, kinds_of, name_at, shown, step_to
from .findings import Problem, error, hint, warning
from .words import meanings

MEANT_TYPES = meanings("meant_types")
MEANT_KEYWORDS = meanings("meant_keywords")
"""What people write instead of the words of JSON Schema, and what they mean."""


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict | bool) for one in value)


# What a value must be. `type` and `required` have rules of their own, `jsonschema` looks at the others.
_EXPECTED = {
    keyword: kind
    for keyword, kind in KEYWORDS.items()
    if kind is not ANYTHING and keyword not in ("type", "required", "dependentRequired")
}
# An empty enum is one, but nothing fits it.
_EXPECTED["enum"] = Kind("a list", '["a", "b"]', lambda value: isinstance(value, list) and bool(value))
_EXPECTED |= {keyword: replace(_EXPECTED[keyword], fits=_are_schemas) for keyword in LISTS}


# What the library `jsonschema` finds that our own rules do not look for -------------------------------

_CHECKED = frozenset([*_EXPECTED, "type", "required", "const", "default"])
"""What our own rules have looked at: most schemas hold nothing else, and the library is slow to load."""


def invalid(definition: Definition) -> Iterator[Problem]:
    """Check that a schema is valid JSON Schema 2020-12, where the library `jsonschema` is installed."""
    if definition.is_openapi or not isinstance(definition.schema, dict):
        return
    if all(set(part.schema) <= _CHECKED for part in definition.parts):
        return
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return
    for problem in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(definition.schema):
        where = definition.root + "".join(map(step_to, problem.absolute_path))
        yield error("schema-invalid", where, problem=problem.message[:200])
        return


# Keywords, types and structure ------------------------------------------------------------------------

DEEP = 4
"""Objects in each other, from which on a model often gets them wrong."""
_FORMATS = {
    **{name: name for name in ("date", "time", "email", "uuid", "uri")},
    "datetime": "date-time",
    "url": "uri",
}
"""What people write as a type, and the format that they mean."""


def schema(definition: Definition) -> Iterator[Problem]:
    """Check the schema for what is wrong with any provider; Gemini's own subset is in rules_providers."""
    if not isinstance(definition.schema, dict):
        return
    yield from _root(definition)
    for part in definition.parts:
        yield from _types(definition, part)
        yield from _values(definition, part)
        yield from _ranges(part)
        yield from _structure(definition, part)
        if not definition.is_openapi:
            yield from _keywords(definition, part)
    yield from _depth(definition)


def _root(definition: Definition) -> Iterator[Problem]:
    kinds = kinds_of(definition.schema)
    if "type" not in definition.schema:
        is_reference = "$ref" in definition.schema and definition.form == "gemini"
        if not _has(definition.schema, "type") and not is_reference:
            yield error("root-without-type", definition.root)
    elif kinds != ["object"] and MEANT_TYPES.get((kinds or [""])[0]) != "object":
        yield error("root-not-an-object", f"{definition.root}.type", given=shown(definition.schema["type"]))
    if definition.provider == "openai" and not _has(definition.schema, "properties"):
        yield error("root-without-properties", definition.root)
    for keyword in ("anyOf", "oneOf", "allOf", *(("enum", "not") if definition.provider == "openai" else ())):
        if keyword in definition.schema and definition.provider in ("anthropic", "openai"):
            yield error("choice-at-the-root", f"{definition.root}.{keyword}", keyword=keyword)


def _has(schema: dict[str, Any], keyword: str) -> bool:
    """Return whether a schema has a keyword, or one that is meant to be it."""
    return keyword in schema or any(MEANT_KEYWORDS.get(word) == keyword for word in schema)


def _types(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    if "type" not in part.schema:
        yield from _untyped(definition, part)
        return
    given, where = part.schema["type"], f"{part.where}.type"
    names = given if isinstance(given, list) else [given]
    if not names:
        yield error("type-unknown", where, given="[]", types=", ".join(TYPES), meant="string")
    for name in names:
        if not _is_type(name, definition, part):
            yield _wrong_type(name, where)
    if isinstance(given, list) and len({str(name) for name in names}) < len(names):
        yield error("value-invalid", where, keyword="type", given=shown(given), expected="types, each once")


def _is_type(name: Any, definition: Definition, part: SchemaPart) -> bool:
    if not isinstance(name, str):
        return False
    if definition.is_openapi:
        return name.lower() in TYPES or (name == "TYPE_UNSPECIFIED" and "anyOf" in part.schema)
    return name in TYPES


def _wrong_type(name: Any, where: str) -> Problem:
    low = name.lower() if isinstance(name, str) else None
    if low in TYPES:
        return error("type-in-capitals", where, given=name, meant=low)
    if low in _FORMATS:
        return error("type-is-a-format", where, given=name, format=_FORMATS[low])
    if low == "enum":
        return error("type-is-enum", where)
    return error("type-unknown", where, given=shown(name), types=", ".join(TYPES), meant=_meant_type(name))


def _meant_type(name: Any) -> str:
    if name is None:
        return "null"
    low = str(name).lower()
    inner = re.match(r"(list|dict|set|tuple|optional)\W", low)
    if inner:
        return MEANT_TYPES.get(inner[1], "string")
    return MEANT_TYPES.get(low) or next(iter(difflib.get_close_matches(low, TYPES, 1)), "string")


def _untyped(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    """Check for a field that says nothing of its type: the model may send anything."""
    enough = {"anyOf"}
    if not definition.is_openapi:
        enough |= {"oneOf", "allOf", "enum", "const", "$ref", "not", "if"}
    if enough & set(part.schema) or _has(part.schema, "type") or (not part.name and part.via != "items"):
        return
    if definition.strict and definition.provider:
        return  # the rules about strict report it
    report = error if definition.is_openapi else warning
    yield report("type-missing", part.where, name=part.name or "items")


def _keywords(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    for word, held in part.schema.items():
        if word in KEYWORDS or word.startswith("x-"):
            continue
        where = f"{part.where}{name_at(word)}"
        if word == "nullable":
            yield warning("nullable-in-json-schema", where)
        elif word == "optional":
            yield warning("optional-in-field", where, given=shown(held))
        elif word == "strict":
            yield error("strict-in-the-schema", where, right=definition.at("strict"))
        elif word == "name" and isinstance(held, str):
            yield hint("keyword-without-effect", where, keyword=word)
        elif word == "example":
            yield hint("keyword-misspelt", where, keyword=word, meant="examples")
        elif meant := _meant_keyword(word, part):
            yield error("keyword-misspelt", where, keyword=word, meant=meant)
        else:
            yield warning("keyword-without-effect", where, keyword=word)


def _meant_keyword(word: str, part: SchemaPart) -> str | None:
    meant = MEANT_KEYWORDS.get(word) or next(iter(difflib.get_close_matches(word, KEYWORDS, 1, 0.8)), None)
    return meant if meant not in part.schema else None


def _values(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    """Check that keywords hold what they may hold."""
    for keyword, kind in _EXPECTED.items():
        if definition.is_openapi and str(part.schema.get(keyword)).isdigit():
            continue  # Google's services write whole numbers as text too
        if keyword in part.schema and not kind.fits(part.schema[keyword]):
            given = shown(part.schema[keyword])
            where = f"{part.where}.{keyword}"
            yield error("value-invalid", where, keyword=keyword, given=given, expected=kind.example)
    for keyword in MAPS:
        held_by_name = part.schema.get(keyword)
        for name, held in held_by_name.items() if isinstance(held_by_name, dict) else ():
            if not isinstance(held, dict | bool):
                where = f"{part.where}.{keyword}{name_at(name)}"
                yield error("field-not-a-schema", where, name=name, given=shown(held))


def _ranges(part: SchemaPart) -> Iterator[Problem]:
    """Check for limits that nothing can fit."""
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


def _structure(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    kinds = part.kinds
    if "array" in kinds and not {"items", "prefixItems"} & set(part.schema) and "item" not in part.schema:
        report = warning if definition.provider in ("anthropic", "") else error
        yield report("items-missing", part.where)
    if "items" in part.schema and kinds and "array" not in kinds:
        yield error("items-without-array", f"{part.where}.items", kind=kinds[0])
    if "properties" in part.schema and kinds and "object" not in kinds:
        yield error("properties-without-object", f"{part.where}.properties", kind=kinds[0])
    if part.name or part.via in ("items", "anyOf"):
        yield from _open_object(definition, part)


_SAY_WHAT_IS_IN_IT = frozenset(
    "properties additionalProperties patternProperties propertyNames $ref anyOf oneOf allOf".split()
)


def _open_object(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    """Check for an object of which the schema says nothing but that it is one."""
    if part.kinds != ["object"] or ("properties" not in part.schema and _has(part.schema, "properties")):
        return
    if part.schema.get("additionalProperties") is True and "properties" not in part.schema:
        yield warning("object-without-fields", part.where)
    elif not _SAY_WHAT_IS_IN_IT & set(part.schema) and not definition.is_openapi:
        yield warning("object-without-fields", part.where)


def _depth(definition: Definition) -> Iterator[Problem]:
    """Check for objects in objects in objects: once, at the first that is too deep."""
    for part in definition.parts:
        if part.is_object and part.level >= DEEP and part.via not in CHOICES:
            yield warning("nested-deeply", part.where, levels=part.level)
            return


# What a schema names: values, references and fields ---------------------------------------------------

MANY_FIELDS = 15


def values(definition: Definition) -> Iterator[Problem]:
    """Check what a schema names: the values of `enum` and `default`, references, the names of fields."""
    for part in definition.parts:
        yield from _enum(definition, part)
        yield from _default(part)
        yield from _reference(definition, part)
        yield from _field_names(definition, part)


def _enum(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    given, where = part.schema.get("enum"), f"{part.where}.enum"
    if not isinstance(given, list) or not given:
        return
    if len({shown(value, 10**6) for value in given}) < len(given):
        twice = next(value for value in given if [shown(v) for v in given].count(shown(value)) > 1)
        yield warning("enum-twice", where, value=shown(twice))
    alike = _alike(given)
    if alike:
        yield warning("enum-alike", where, values=", ".join(map(shown, alike)))
    kinds = kinds_of(part.schema)
    if kinds and set(kinds) <= set(TYPES):
        wrong = [value for value in given if not any(is_of_type(value, kind) for kind in kinds)]
        wrong = [] if part.schema.get("nullable") is True and wrong == [None] else wrong
        if wrong:
            yield error("enum-of-another-type", where, value=shown(wrong[0]), kind=" / ".join(kinds))
    elif not kinds and len({_kind(value) for value in given if value is not None}) > 1:
        yield warning("enum-mixed", where)
    if len({shown(value) for value in given}) == 1 and part.name and not _is_tag(part):
        yield warning("enum-of-one", where, name=part.name, value=shown(given[0]))


def _alike(given: list[Any]) -> list[str]:
    """Return two values that differ only in case or in separators."""
    seen: dict[str, str] = {}
    for value in given:
        if isinstance(value, str):
            key = re.sub(r"[\W_]+", "", value.casefold())
            if key and seen.setdefault(key, value) != value and value.casefold() != value.upper():
                return [seen[key], value]
    return []


def _is_tag(part: SchemaPart) -> bool:
    """Return whether a field tells the choices of a union apart."""
    around = part.parent
    while around is not None:
        if around.via in CHOICES or around.via in ("$defs", "definitions"):
            return True
        around = around.parent
    return False


def _kind(value: Any) -> str:
    kinds = ("boolean", "number", "string", "array", "object", "null")
    return next(kind for kind in kinds if is_of_type(value, kind))


def _default(part: SchemaPart) -> Iterator[Problem]:
    if "default" not in part.schema or part.schema["default"] is None:
        return
    given, where = part.schema["default"], f"{part.where}.default"
    kinds, enum = kinds_of(part.schema), part.schema.get("enum")
    if isinstance(enum, list) and enum and given not in enum:
        yield warning(
            "default-not-allowed", where, default=shown(given), allowed=", ".join(map(shown, enum[:5]))
        )
    elif kinds and set(kinds) <= set(TYPES) and not any(is_of_type(given, kind) for kind in kinds):
        yield warning("default-not-allowed", where, default=shown(given), allowed=" / ".join(kinds))


def _reference(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    given = part.schema.get("$ref")
    if isinstance(given, str) and not definition.is_openapi and target(given, definition.schema) is None:
        yield error("reference-broken", f"{part.where}.$ref", ref=given)


def _field_names(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    for name in part.properties:
        if not re.fullmatch(FIELD_NAME, name):
            report = error if definition.provider in ("anthropic", "") else warning
            where = f"{part.where}.properties{name_at(name)}"
            yield report("field-name-refused", where, name=shown(name), pattern=f"^{FIELD_NAME}$")
    if len(part.properties) > MANY_FIELDS:
        yield warning("many-fields", f"{part.where}.properties", n=len(part.properties))
