"""Rules about `strict: true`: the subset of JSON Schema in which a provider can promise arguments that fit.

The subset itself stands in `schemas.subset`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..schemas.subset import FORMATS, HARD_PATTERN, REFUSED
from .found import Found, error, hint, warning
from .parts import Definition, Part, shown
from .rules_values import target

_TOLD = {"anthropic": "Anthropic", "openai": "OpenAI"}

__all__ = ["portable", "strict"]


def strict(one: Definition) -> Iterator[Found]:
    """What a provider's strict mode refuses."""
    if one.form == "responses" and "strict" not in one.inside and isinstance(one.schema, dict):
        yield hint("strict-unsaid", "strict")
    if "strict" in one.inside and not isinstance(one.inside["strict"], bool | None):
        yield error("strict-not-true-or-false", one.at("strict"), given=shown(one.inside["strict"]))
    if not one.strict or one.provider not in _TOLD or not isinstance(one.schema, dict):
        return
    for part in one.parts:
        yield from _part(one, part)
    yield from _recursion(one)


def _part(one: Definition, part: Part) -> Iterator[Found]:
    provider, schema = one.provider, part.schema
    if provider == "openai" and "$ref" in schema:
        beside = sorted(set(schema) - {"$ref", "$defs", "definitions"})
        if beside:
            yield error("strict-beside-reference", part.where, keywords=", ".join(beside))
        return
    for keyword in REFUSED[provider]:
        if keyword in schema:
            yield error(
                "strict-keyword", f"{part.where}.{keyword}", keyword=keyword, provider=_TOLD[provider]
            )
    is_object = "object" in part.kinds or "properties" in schema
    if is_object:
        yield from _object(one, part)
    typed = {"type", "anyOf", "enum", "const", "$ref", "allOf"} & set(schema)
    if not typed and (part.name or part.via) and not (is_object and provider == "anthropic"):
        yield error("strict-without-type", part.where, provider=_TOLD[provider])
    if schema.get("minItems", 0) not in (0, 1) and provider == "anthropic":
        yield error("strict-min-items", f"{part.where}.minItems", given=shown(schema["minItems"]))
    given = schema.get("format")
    if isinstance(given, str) and given not in FORMATS[provider]:
        values = {"given": given, "known": ", ".join(FORMATS[provider]), "provider": _TOLD[provider]}
        yield error("strict-format", f"{part.where}.format", **values)
    pattern = schema.get("pattern")
    if provider == "anthropic" and isinstance(pattern, str) and HARD_PATTERN.search(pattern):
        yield error("strict-pattern", f"{part.where}.pattern", pattern=pattern)


def _object(one: Definition, part: Part) -> Iterator[Found]:
    closed = part.schema.get("additionalProperties")
    properties = part.schema.get("properties")
    provider = _TOLD[one.provider]
    if closed is not False and not isinstance(properties, dict) and (part.name or part.via):
        yield error("strict-free-keys", part.where, provider=provider)
    elif closed is not False:
        yield error("strict-open-object", part.where, provider=provider)
    if one.provider == "openai" and isinstance(properties, dict):
        names = part.schema.get("required")
        for name in properties:
            if not isinstance(names, list) or name not in names:
                yield error("strict-not-required", f"{part.where}.required", name=name)


def _recursion(one: Definition) -> Iterator[Found]:
    """References that lead back to themselves: OpenAI takes them, Anthropic does not."""
    if one.provider != "anthropic":
        return
    parts = [part for part in one.parts if isinstance(part.schema.get("$ref"), str)]
    for part in parts:
        if _leads_back(part, one, parts):
            yield error("strict-recursive", f"{part.where}.$ref", ref=part.schema["$ref"])
            return


def _leads_back(start: Part, one: Definition, parts: list[Part]) -> bool:
    """Whether following a reference comes back to a schema that is being followed."""
    places = {id(part.raw): part.where for part in one.parts}
    todo, seen = [start], set()
    while todo:
        found = target(todo.pop().schema["$ref"], one.schema)
        place = places.get(id(found))
        if place is None or place in seen:
            continue
        seen.add(place)
        if start.where == place or start.where.startswith(f"{place}."):
            return True
        todo += [part for part in parts if part.where == place or part.where.startswith(f"{place}.")]
    return False


def portable(one: Definition) -> Iterator[Found]:
    """Which dialects a Tool cannot be written in, and why; a warning where it then has no way to a provider.

    Without strict the tool still works for Anthropic and OpenAI; Gemini has no other form.
    """
    if one.tool is None:
        return
    refusals = one.tool.refusals()
    wanted = ["Gemini", *(["Anthropic strict", "OpenAI strict"] if one.tool.strict else [])]
    dialects: dict[str | None, list[str]] = {}
    reasons: dict[str | None, str] = {}
    for dialect, found in refusals.items():
        for path, reason in found:
            if dialect not in dialects.setdefault(path, []):
                dialects[path].append(dialect)
            reasons.setdefault(path, reason)  # the first will do: the dialects say nearly the same
    for path, refusing in dialects.items():
        told = warning if any(dialect in wanted for dialect in refusing) else hint
        where = one.at("name") if path is None else _place(one, path) if path else one.root
        yield told("dialect-refuses", where, dialect=", ".join(refusing), reason=reasons[path])


def _place(one: Definition, path: str) -> str:
    """A path as callers write it, `box.prices[]`, as a place in the schema."""
    first, *more = path.split(".")
    start = "properties" if first.removesuffix("[]") in one.schema.get("properties", ()) else "$defs"
    place = "".join(f".properties.{name}" for name in more)
    return f"{one.root}.{start}.{first}{place}".replace("[]", ".items")
