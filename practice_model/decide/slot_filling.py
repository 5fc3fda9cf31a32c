"""Arguments from a message, by the tool's JSON Schema.

`fill` takes each property of the schema, looks in the message for a fact of the kind that its name, format
and description ask for, and leaves out what nobody said. A required property without a fact is reported as
missing: the default mode asks for it. Where the caller forces a call, a guess fills it instead.

What one property took is used up: the others see a gap there. So those with unmistakable facts choose first
(an e-mail, a date, a number with its unit, a value of an enum), and free text takes what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..language.clauses import called, chunks
from ..language.entities import Entity, read
from ..language.text import features
from .candidates import Candidate, from_message, nearest_numbers, suits
from .questions import spoken
from .schema_values import JSON, fits, guess, resolve, variants
from .slot_values import closeness, convert, measure_of
from .slots import TELLING, Scope, Slot, happening, slot_of

MISSING = object()
_OF_IT = re.compile(r"\b(?:its|their|his|her|this|that|sus?|es[ea]|est[ea])\s+([^\W\d_]+)", re.IGNORECASE)
DEEPEST = 8  # levels of nested objects that are filled


@dataclass(frozen=True)
class Filled:
    """The outcome of filling one schema."""

    arguments: JSON
    missing: tuple[Slot, ...]
    sources: dict[str, str]
    """Property -> where its value is from: "message", "whole", "earlier", "results", "schema" or "guess"."""
    alone: bool = False
    """Whether the message says nothing besides what filled it."""
    used: tuple[tuple[int, int], ...] = ()
    """The places of the text that filled it."""


def fill(schema: JSON, scope: Scope) -> Filled:
    """Fill an object schema from a scope; what filled one property is not used for another."""
    arguments, missing, sources = fill_object(resolve(schema, schema), schema, scope)
    idle = {*scope.topics, *scope.labels}
    alone = not chunks(scope.rest, [], idle, scope.language)
    return Filled(arguments, tuple(missing), sources, alone, tuple(scope.used))


def fill_object(
    schema: JSON, root: JSON, scope: Scope, depth: int = 0
) -> tuple[JSON, list[Slot], dict[str, str]]:
    """The members that can be filled, the required ones that cannot, and where each value is from."""
    properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    required = {name for name in schema.get("required") or [] if isinstance(name, str)}
    wanted = [slot_of(name, resolve(sub, root)) for name, sub in properties.items()]
    wanted += [slot_of(name, {}) for name in sorted(required - properties.keys())]
    scope.labels |= {feature for one in wanted for feature in one.label}
    scope.events |= {f for one in wanted if one.kinds[0] == "date" for f in happening(one.description)}
    scope.dated |= any(one.kinds[0] in ("date", "time") for one in wanted)
    scope.numbers |= nearest_numbers(wanted, required, root, scope)
    found: JSON = {}
    sources: dict[str, str] = {}
    missing = []
    for one in sorted(wanted, key=lambda one: (_turn(one, root, scope), one.name not in required)):
        value, source = _value(one, root, scope, one.name in required, depth)
        if value is not MISSING:
            found[one.name], sources[one.name] = value, source
        elif one.name in required:
            missing.append(one)
    order = [one.name for one in wanted]
    return {name: found[name] for name in order if name in found}, missing, sources


def _turn(one: Slot, root: JSON, scope: Scope) -> int:
    """When a property chooses: 0 for facts that cannot be mistaken, later for those that take what is
    left."""
    kinds = {kind for option in variants(one.schema, root) for kind in [option.get("type", "string")]}
    if "enum" in one.schema or "const" in one.schema or kinds & {"integer", "number"}:
        return 1
    if kinds & {"boolean"}:
        return 2
    if one.kinds[:1] and one.kinds[0] in (
        "email",
        "url",
        "date",
        "time",
        "phone",
        "expression",
        "currency",
        "language",
        "colour",
    ):
        return 0
    if "because" in one.kinds or ("called" in one.kinds[:2] and called(scope.text)):
        return 3
    if kinds & {"array", "object"}:
        return 5
    if "residue" in one.kinds:
        return 6
    if one.kinds[0] == "place":
        return 2
    return 4


def _value(one: Slot, root: JSON, scope: Scope, required: bool, depth: int) -> tuple[Any, str]:
    """The value of one property, and where it is from."""
    if "const" in one.schema:
        return (one.schema["const"], "schema") if required else (MISSING, "")
    options = variants(one.schema, root)
    for option in options:
        candidate = slot_of(one.name, {**option, "description": one.description})
        for found in _candidates(candidate, root, scope, required, depth):
            if fits(found.value, one.schema, root):
                scope.use(found.spans, soft="enum" in option)
                return found.value, "message"
    if not required:
        return MISSING, ""
    for source, value in _from_elsewhere(one, scope):
        if fits(value, one.schema, root):
            return value, source
    if fits(None, one.schema, root) and one.schema:
        return None, "schema"  # nobody said it, and null is how the schema says "not said"
    if scope.force:
        return guess(one.schema, root, scope.text or scope.whole), "guess"
    return MISSING, ""


def _candidates(one: Slot, root: JSON, scope: Scope, required: bool, depth: int) -> Iterator[Candidate]:
    if one.type == "object" and depth < DEEPEST:
        before = list(scope.used)
        members, missing, sources = fill_object(one.schema, root, scope, depth + 1)
        said = any(source == "message" for source in sources.values())
        if not missing and (said or required):
            yield Candidate(members)
        else:
            scope.used = before
    elif one.type == "array":
        yield from _lists(one, root, scope, required, depth)
    else:
        yield from from_message(one, scope, required)


def _lists(one: Slot, root: JSON, scope: Scope, required: bool, depth: int) -> Iterator[Candidate]:
    """The lists that a message may mean; of objects a list of the one that it describes."""
    items = resolve(one.schema.get("items", {}), root)
    if isinstance(prefix := one.schema.get("prefixItems"), list) and prefix:
        items = resolve(prefix[0], root)
    for option in variants(items, root) or [{}]:
        each = slot_of(one.name, {**option, "description": one.description})
        if each.type == "object" and depth < DEEPEST:
            members, missing, sources = fill_object(each.schema, root, scope, depth + 1)
            if members and not missing and "message" in sources.values():
                yield Candidate([members])
        elif each.type != "array":
            scope.numbers |= nearest_numbers([each], {each.name} if required else set(), root, scope)
            values, spans = [], []
            for found in from_message(each, scope, required, several=True):
                if fits(found.value, items, root) and found.value not in values:
                    values.append(found.value)
                    spans += found.spans
            if values:
                yield Candidate(values, tuple(spans))


def _from_elsewhere(one: Slot, scope: Scope) -> Iterator[tuple[str, Any]]:
    """For a required property that the clause does not give: results, the rest of the message, earlier
    messages."""
    yield from (("results", value) for value in _from_results(one, scope))
    for source, texts in (("whole", (scope.whole,)), ("earlier", scope.earlier)):
        for text in texts:
            if text and text != scope.text:
                for entity in read(text, scope.today, scope.language):
                    if _unmistakable(one, entity):
                        yield source, convert(one, entity)


def _unmistakable(one: Slot, entity: Entity) -> bool:
    """Whether a fact that was said elsewhere is meant: by its kind, or by the unit that the property names
    ("my parcel has 2.5 kg")."""
    if entity.kind == "number":
        return bool(measure_of(entity)) and closeness(one, entity) >= 1
    return entity.kind in one.kinds and entity.kind in TELLING | {"date"} and suits(one, entity)


def _from_results(one: Slot, scope: Scope) -> Iterator[Any]:
    """Fields of earlier results: with the property's name, with the words of its name, of its telling kind,
    or those that the message names ("the VAT on its total")."""
    known = scope.known
    if one.name in known:
        yield known[one.name]
    for name, value in known.items():
        label = slot_of(name, {}).label
        if label and one.label and (label <= one.label or one.label <= label):
            yield value
    for value in known.values():
        facts = read(str(value), scope.today, scope.language)
        if len(facts) == 1 and facts[0].kind in TELLING & set(one.kinds[:1]) and facts[0].value == value:
            yield value
    for match in _OF_IT.finditer(scope.text):
        said = {feature for feature, weight in features(match[1], scope.language).items() if weight == 1}
        for name, value in known.items():
            if slot_of(spoken(name, "en"), {}).label & said:
                yield value
