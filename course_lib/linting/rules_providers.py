"""Rules of the providers: what strict modes take, and Gemini's subset of OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from practice_model.facts.keywords import (
    BESIDE_REFERENCE,
    GEMINI_FORMATS,
    GEMINI_KEYWORDS,
    HARD_PATTERN,
    MIN_ITEMS,
    STRICT_FORMATS,
    STRICT_REFUSED,
)
from practice_model.facts.schemas import camel_case, target

from .definition import PROVIDERS, Definition, SchemaPart, kinds_of, name_at, shown
from .findings import Problem, error, hint, warning
from .rules_schema import MEANT_KEYWORDS

# Gemini's `parameters`: a subset of OpenAPI, where `parameters_json_schema` takes JSON Schema ---------


def gemini(definition: Definition) -> Iterator[Problem]:
    """Check what Gemini takes in `parameters`, where an unknown keyword is an error."""
    if not definition.is_openapi or not isinstance(definition.schema, dict):
        return
    for part in definition.parts:
        yield from _keywords(definition, part)
        yield from _type(part)
        yield from _enum(part)
        yield from _gemini_object(definition, part)
        yield from _values(part)
        formats = [GEMINI_FORMATS[kind] for kind in part.kinds if kind in GEMINI_FORMATS]
        given = part.schema.get("format")
        if given and formats and given not in formats[0]:
            values = {"given": shown(given), "kind": part.kinds[0].upper(), "known": ", ".join(formats[0])}
            yield error("gemini-format", f"{part.where}.format", **values)


def _keywords(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    for given in part.raw:
        word = camel_case(given)
        if word in GEMINI_KEYWORDS:
            continue
        where = f"{part.where}{name_at(given)}"
        meant = MEANT_KEYWORDS.get(given)
        if meant in GEMINI_KEYWORDS and meant not in part.schema:
            yield error("keyword-misspelt", where, keyword=given, meant=meant)
        elif given == "const":
            yield error("gemini-const", where, value=shown(part.schema["const"]))
        else:
            yield error("gemini-keyword", where, keyword=given)


def _type(part: SchemaPart) -> Iterator[Problem]:
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


def _values(part: SchemaPart) -> Iterator[Problem]:
    """Check values that have a form of their own in OpenAPI; `true` for "anything" has none."""
    ordering, nullable = part.schema.get("propertyOrdering", []), part.schema.get("nullable", False)
    if not isinstance(ordering, list) or not all(isinstance(name, str) for name in ordering):
        values = {"keyword": "propertyOrdering", "given": shown(ordering), "expected": '["first", "second"]'}
        yield error("value-invalid", f"{part.where}.propertyOrdering", **values)
    if not isinstance(nullable, bool):
        values = {"keyword": "nullable", "given": shown(nullable), "expected": "true"}
        yield error("value-invalid", f"{part.where}.nullable", **values)
    for name, held in part.properties.items():
        if isinstance(held, bool):
            where = f"{part.where}.properties{name_at(name)}"
            yield error("field-not-a-schema", where, name=name, given=shown(held))
    if isinstance(part.schema.get("items"), bool):
        given = shown(part.schema["items"])
        yield error("field-not-a-schema", f"{part.where}.items", name="items", given=given)


def _enum(part: SchemaPart) -> Iterator[Problem]:
    given = part.schema.get("enum")
    if not isinstance(given, list) or not given:
        return
    if part.kinds and "string" not in part.kinds:
        yield error("gemini-enum-not-text", f"{part.where}.enum", kind=part.kinds[0].upper())
    elif any(value == "" for value in given):
        yield error("gemini-enum-empty-text", f"{part.where}.enum")


def _gemini_object(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    if "object" not in part.kinds or part.schema.get("properties") or "anyOf" in part.schema:
        return
    if any(MEANT_KEYWORDS.get(word) == "properties" for word in part.schema):
        return
    if part.where == definition.root:
        yield error("gemini-no-parameters", part.where)
    else:
        yield error("gemini-object-without-fields", part.where)


# `strict: true`: the subset of JSON Schema in which a provider can promise arguments that fit ---------


def strict(definition: Definition) -> Iterator[Problem]:
    """Check what a provider's strict mode refuses."""
    if (
        definition.form == "responses"
        and "strict" not in definition.inside
        and isinstance(definition.schema, dict)
    ):
        yield hint("strict-unsaid", "strict")
    if "strict" in definition.inside and not isinstance(definition.inside["strict"], bool | None):
        yield error(
            "strict-not-true-or-false", definition.at("strict"), given=shown(definition.inside["strict"])
        )
    applies = definition.strict and definition.provider in STRICT_REFUSED
    if not applies or not isinstance(definition.schema, dict):
        return
    for part in definition.parts:
        yield from _part(definition, part)
    yield from _recursion(definition)


def _part(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    provider, schema = definition.provider, part.schema
    if provider == "openai" and "$ref" in schema:
        beside = sorted(set(schema) - BESIDE_REFERENCE)
        if beside:
            yield error("strict-beside-reference", part.where, keywords=", ".join(beside))
        return
    for keyword in STRICT_REFUSED[provider]:
        if keyword in schema:
            yield error(
                "strict-keyword", f"{part.where}.{keyword}", keyword=keyword, provider=PROVIDERS[provider]
            )
    if part.is_object:
        yield from _object(definition, part)
    typed = {"type", "anyOf", "enum", "const", "$ref", "allOf"} & set(schema)
    if not typed and (part.name or part.via) and not (part.is_object and provider == "anthropic"):
        yield error("strict-without-type", part.where, provider=PROVIDERS[provider])
    if schema.get("minItems", 0) not in MIN_ITEMS and provider == "anthropic":
        yield error("strict-min-items", f"{part.where}.minItems", given=shown(schema["minItems"]))
    given, formats = schema.get("format"), STRICT_FORMATS[provider]
    if isinstance(given, str) and given not in formats:
        values = {"given": given, "known": ", ".join(formats), "provider": PROVIDERS[provider]}
        yield error("strict-format", f"{part.where}.format", **values)
    pattern = schema.get("pattern")
    if provider == "anthropic" and isinstance(pattern, str) and HARD_PATTERN.search(pattern):
        yield error("strict-pattern", f"{part.where}.pattern", pattern=pattern)
    if provider == "anthropic":
        yield from _plain_choices(part)


def _plain_choices(part: SchemaPart) -> Iterator[Problem]:
    """Check that `allOf` refers to nothing, and `enum` holds neither lists nor objects."""
    for held in _list(part.schema.get("allOf")):
        if isinstance(held, dict) and "$ref" in held:
            yield error("strict-reference-in-all-of", f"{part.where}.allOf", ref=shown(held["$ref"]))
    for value in _list(part.schema.get("enum")):
        if isinstance(value, dict | list):
            yield error("strict-enum-value", f"{part.where}.enum", value=shown(value))
            return


def _list(held: Any) -> list[Any]:
    return held if isinstance(held, list) else []


def _object(definition: Definition, part: SchemaPart) -> Iterator[Problem]:
    closed = part.schema.get("additionalProperties")
    properties = part.schema.get("properties")
    provider = PROVIDERS[definition.provider]
    if closed is not False and not isinstance(properties, dict) and (part.name or part.via):
        yield error("strict-free-keys", part.where, provider=provider)
    elif closed is not False:
        yield error("strict-open-object", part.where, provider=provider)
    if definition.provider == "openai" and isinstance(properties, dict):
        names = part.schema.get("required")
        for name in properties:
            if not isinstance(names, list) or name not in names:
                yield error("strict-not-required", f"{part.where}.required", name=name)


def _recursion(definition: Definition) -> Iterator[Problem]:
    """Check for references that lead back to themselves: OpenAI takes them, Anthropic does not."""
    if definition.provider != "anthropic":
        return
    parts = [part for part in definition.parts if isinstance(part.schema.get("$ref"), str)]
    for part in parts:
        if _leads_back(part, definition, parts):
            yield error("strict-recursive", f"{part.where}.$ref", ref=part.schema["$ref"])
            return


def _leads_back(start: SchemaPart, definition: Definition, parts: list[SchemaPart]) -> bool:
    """Return whether following a reference comes back to a schema that is being followed."""
    places = {id(part.raw): part.where for part in definition.parts}
    todo, seen = [start], set()
    while todo:
        found = target(todo.pop().schema["$ref"], definition.schema)
        place = places.get(id(found))
        if place is None or place in seen:
            continue
        seen.add(place)
        if start.where == place or start.where.startswith(f"{place}."):
            return True
        todo += [part for part in parts if part.where == place or part.where.startswith(f"{place}.")]
    return False


def portable(definition: Definition) -> Iterator[Problem]:
    """Check which provider formats a Tool has; a warning where it then cannot be offered to a provider.

    Without strict the tool still works for Anthropic and OpenAI; Gemini has no other form.
    """
    if definition.tool is None:
        return
    refusals = definition.tool.refusals()
    wanted = ["Gemini", *(["Anthropic strict", "OpenAI strict"] if definition.tool.strict else [])]
    refused: dict[str | None, list[str]] = {}
    reasons: dict[str | None, str] = {}
    for provider_format, found in refusals.items():
        for path, reason in found:
            if provider_format not in refused.setdefault(path, []):
                refused[path].append(provider_format)
            reasons.setdefault(path, reason)  # the first will do: nearly the same holds for all
    for path, refusing in refused.items():
        report = warning if set(refusing) & set(wanted) else hint
        where = (
            definition.at("name") if path is None else _place(definition, path) if path else definition.root
        )
        yield report("dialect-refuses", where, dialect=", ".join(refusing), reason=reasons[path])


def _place(definition: Definition, path: str) -> str:
    """Return the place in the schema of a path as callers write it, `box.prices[]`."""
    first, *more = path.split(".")
    start = "properties" if first.removesuffix("[]") in definition.schema.get("properties", ()) else "$defs"
    place = "".join(f".properties.{name}" for name in more)
    return f"{definition.root}.{start}.{first}{place}".replace("[]", ".items")
