"""Arguments from a message, by the tool's JSON Schema.

`fill` takes each property of the schema, looks in the message for a fact of the kind that its name, format and
description ask for, and leaves out what nobody said. A required property without a fact is reported as missing: the
careful temperament asks for it. Where the caller forces a call, a guess fills it instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from . import phrases
from .choosing import choose, mention
from .reading import Entity, read
from .shape import JSON, fits, resolve, variants
from .values import closeness, convert, guess
from .wants import TELLING, Parameter, direction_said, parameter

MISSING = object()
Candidates = Iterator[
    tuple[Any, bool, int | None]
]  # value, whether a telling fact gave it, the fact's index in scope.entities


@dataclass
class Scope:
    """What a call may be filled from: one part of the message, and what is known besides."""

    text: str
    tongue: str
    today: date
    known: JSON = field(default_factory=dict)
    """Fields of earlier tool results, by name: what one tool found is another one's argument."""
    earlier: tuple[str, ...] = ()
    """What the user said before, latest first; only unmistakable facts are taken from there."""
    topics: frozenset[str] = frozenset()
    """Features that only name the tool; they are not part of a free-text argument."""
    force: bool = False
    """Fill every required property, with a guess where the message says nothing."""
    whole: str = ""
    """The whole message, for facts that stand in another clause ("for order 7: cancel it")."""

    def __post_init__(self) -> None:
        self.entities = read(self.text, self.today, self.tongue)
        self.used: set[int] = set()


@dataclass(frozen=True)
class Filled:
    """The outcome of filling one schema."""

    arguments: JSON
    missing: tuple[Parameter, ...]
    facts: int
    """How many properties were filled by a telling fact of the message (an e-mail, a place, an expression …)."""
    sources: dict[str, str]
    """Property -> where its value is from: "message", "whole", "earlier", "results" or "guess"."""


def fill(schema: JSON, scope: Scope) -> Filled:
    """Fill an object schema from a scope; properties that got their value once are not used twice."""
    arguments, missing, facts, sources = _fill_object(resolve(schema, schema), schema, scope)
    return Filled(arguments, tuple(missing), facts, sources)


def _fill_object(schema: JSON, root: JSON, scope: Scope) -> tuple[JSON, list[Parameter], int, dict[str, str]]:
    properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    required = set(schema.get("required") or [])
    wanted = [parameter(name, resolve(sub, root)) for name, sub in properties.items()]
    # Those whose facts cannot be mistaken choose first; a free text takes what is left.
    order = sorted(
        wanted, key=lambda p: (p.type in ("", "string") and "residue" in p.kinds, p.name not in required)
    )
    found: dict[str, Any] = {}
    sources: dict[str, str] = {}
    missing, facts = [], 0
    for one in order:
        value, source, telling = _value(one, root, scope, one.name in required)
        if value is MISSING:
            if one.name in required:
                missing.append(one)
            continue
        found[one.name], sources[one.name] = value, source
        facts += telling
    return {name: found[name] for name in properties if name in found}, missing, facts, sources


def _value(one: Parameter, root: JSON, scope: Scope, required: bool) -> tuple[Any, str, bool]:
    """The value of one property, where it is from, and whether a telling fact gave it."""
    options = variants(one.schema, root)
    if "const" in one.schema:
        return one.schema["const"], "schema", False
    for option in options:
        candidate = parameter(one.name, {**option, "description": one.description})
        for value, telling, index in _from_message(candidate, root, scope, required):
            if fits(value, one.schema, root):
                scope.used |= {index} - {None}
                return value, "message", telling
    if not required:
        return MISSING, "", False
    for source, value in _from_elsewhere(one, scope):
        if fits(value, one.schema, root):
            return value, source, False
    if not options or (fits(None, one.schema, root) and one.schema.get("type") != "string"):
        return None, "schema", False  # nobody said it, and null is how the schema says "not said"
    if scope.force:
        for option in options:
            value = guess(one, option, root, scope.text or scope.whole)
            if fits(value, one.schema, root):
                return value, "guess", False
        return guess(one, options[0], root, scope.text or scope.whole), "guess", False
    return MISSING, "", False


def _from_message(one: Parameter, root: JSON, scope: Scope, required: bool) -> Candidates:
    """Candidates for one alternative of a property, best first."""
    if "enum" in one.schema or one.type == "boolean":
        value = choose(one, scope.text, scope.entities, scope.tongue, required)
        if value is not None:
            yield value, False, None
    elif one.type in ("integer", "number"):
        for index, entity in _numbers(one, scope, required):
            yield convert(one, entity), False, index
    elif one.type == "array":
        yield from _array(one, root, scope, required)
    elif one.type == "object":
        members, missing, facts, _ = _fill_object(one.schema, root, scope)
        if not missing and (members or required):
            yield members, facts > 0, None
    else:
        yield from _texts(one, scope, required)


def _numbers(one: Parameter, scope: Scope, required: bool) -> list[tuple[int, Entity]]:
    from .values import (
        closeness,
    )  # values knows the units; imported here to keep the top of this module short

    free = [(i, e) for i, e in enumerate(scope.entities) if e.kind == "number" and i not in scope.used]
    if one.kinds[:1] == ("identifier",):
        free += [
            (i, e)
            for i, e in enumerate(scope.entities)
            if e.kind == "identifier" and str(e.value).isdigit() and i not in scope.used
        ]
    near = [(closeness(one, entity), -index, index, entity) for index, entity in free]
    # An optional number must be named in the message: "2 of them in blue" says nothing about a limit.
    near = [row for row in near if row[0] > 0 or (required and row[0] == 0)]
    return [(index, entity) for _, _, index, entity in sorted(near, key=lambda row: row[:2], reverse=True)]


def _array(one: Parameter, root: JSON, scope: Scope, required: bool) -> Candidates:
    items = resolve(one.schema.get("items", {}), root)
    if isinstance(prefix := one.schema.get("prefixItems"), list) and prefix:
        items = resolve(prefix[0], root)
    each = parameter(one.name, {**(variants(items, root) or [{}])[0], "description": one.description})
    if each.type == "object":
        members, missing, facts, _ = _fill_object(each.schema, root, scope)
        if members and not missing:
            yield [members], facts > 0, None
    elif isinstance(options := each.schema.get("enum"), list):
        if named := [option for option in options if mention(option, scope.text, scope.tongue) > 0]:
            yield named, False, None
    else:
        values: list[Any] = []
        for value, _, index in _from_message(each, root, scope, required):
            if index is None and values:
                break  # a phrase after facts would only repeat them
            parts = _members(value) if index is None and isinstance(value, str) else [value]
            values += [part for part in parts if fits(part, items, root) and part not in values]
            scope.used |= {index} - {None}
            if index is None:
                break
        if values:
            yield values, False, None


def _members(text: str) -> list[str]:
    """The members of a list in words: "red, green and blue" -> red, green, blue."""
    return [part for chunk in re.split(r",|;|\band\b|\by\b|\be\b", text) if (part := phrases.tidy(chunk))]


def _texts(one: Parameter, scope: Scope, required: bool) -> Candidates:
    """Text for a property: for each of its kinds, the facts of that kind, then the phrase of that kind."""
    for kind in one.kinds:
        for index, entity in _facts(kind, one, scope, required):
            yield convert(one, entity), kind in TELLING, index
        for value in _phrases(kind, one, scope, required):
            yield value, False, None


def _numbers(one: Parameter, scope: Scope, required: bool) -> list[tuple[int, Entity]]:
    free = [(index, entity) for index, entity in enumerate(scope.entities) if index not in scope.used]
    digits = [
        (i, e) for i, e in free if e.kind == "number" or (e.kind == "identifier" and str(e.value).isdigit())
    ]
    # An optional number must be named in the message: "2 of them in blue" says nothing about a limit.
    return _nearest(one, digits, at_least=0 if required else 1)


def _facts(kind: str, one: Parameter, scope: Scope, required: bool) -> list[tuple[int, Entity]]:
    free = [(i, e) for i, e in enumerate(scope.entities) if e.kind == kind and i not in scope.used]
    if kind == "code" and "place" in one.kinds:
        free = [(i, e) for i, e in free if len(e.value) == 2]
    if one.direction:  # "to Paris" is no origin
        free = [(i, e) for i, e in free if direction_said(e.before) in ("", one.direction)]
    vague = kind in ("number", "name", "code") or (
        kind == "quoted" and not {"topic", "said"} & set(one.kinds)
    )
    return _nearest(one, free, at_least=1 if vague and not required else 0)


def _nearest(one: Parameter, entities: list[tuple[int, Entity]], at_least: float) -> list[tuple[int, Entity]]:
    """The facts in order of how well the words beside them name the property, then as they stand in the message."""
    rows = [(closeness(one, entity), -index, entity) for index, entity in entities]
    rows.sort(key=lambda row: row[:2], reverse=True)
    return [(-index, entity) for near, index, entity in rows if near >= at_least]


def _phrases(kind: str, one: Parameter, scope: Scope, required: bool) -> list[str]:
    """The phrases of one kind; for an optional property only where the message clearly says one."""
    found: str | None = None
    if kind == "topic":
        found = phrases.topic(_without_dates(scope), loose=required)
    elif kind == "said":
        found = phrases.said(scope.text)
    elif kind == "labelled":
        found = phrases.labelled(scope.text, one.label, scope.tongue)
    elif required and kind == "object":
        return phrases.objects_of_prepositions(_without_dates(scope))
    elif required and kind == "request":
        found = phrases.request_of(scope.text)
    elif required and kind == "residue":
        found = phrases.residue(_without_dates(scope), set(scope.topics | one.label), scope.tongue)
    return [found] if found else []


def _without_dates(scope: Scope) -> str:
    """The text without its dates, which are no part of a topic ("messages about Python last week")."""
    text = scope.text
    for entity in reversed(scope.entities):
        if entity.kind == "date":
            text = f"{text[: entity.start].rstrip()} {text[entity.end :].lstrip()}"
    return text


def _from_elsewhere(one: Parameter, scope: Scope) -> Iterator[tuple[str, Any]]:
    """For a required property that the clause does not give: results, the rest of the message, earlier messages."""
    yield from (("results", value) for value in _from_results(one, scope))
    for source, texts in (("whole", (scope.whole,)), ("earlier", scope.earlier)):
        for text in texts:
            if not text or text == scope.text:
                continue
            for entity in read(text, scope.today, scope.tongue):
                if entity.kind in one.kinds and entity.kind in TELLING | {"date"}:
                    yield source, convert(one, entity)


def _from_results(one: Parameter, scope: Scope) -> Iterator[Any]:
    """Fields of earlier results: with the property's name, with the words of its name, or of its telling kind."""
    known = scope.known
    if one.name in known:
        yield known[one.name]
    for name, value in known.items():
        label = parameter(name, {}).label
        if label and one.label and (label <= one.label or one.label <= label):
            yield value
    for value in known.values():
        facts = read(str(value), scope.today, scope.tongue)
        if (
            len(facts) == 1
            and facts[0].kind in TELLING
            and facts[0].kind in one.kinds[:1]
            and facts[0].value == value
        ):
            yield value
