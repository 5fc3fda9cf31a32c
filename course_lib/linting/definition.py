"""A tool definition in one neutral form, as plain JSON, and the schemas inside it with their places.

Nothing here trusts its input: a schema may hold anything that JSON can hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from practice_model.facts.schemas import camel_case, schemas_in
from practice_model.facts.services import SERVICES

from ..plain_json import JsonCopier
from ..show.plain import safe_repr
from .findings import Problem

PROVIDERS = {service.id: service.label for service in SERVICES}
"""Providers as they write themselves."""
CHOICES = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")


@dataclass
class Definition:
    """What a definition says, whatever its form."""

    form: str
    """ "anthropic", "chat", "responses", "gemini", or "tool" for a Tool of this library."""
    label: str = ""
    """What to call it: its name, or its place."""
    raw: dict[str, Any] = field(default_factory=dict)
    """The definition as plain JSON; changing it changes what `fix` returns."""
    inside: dict[str, Any] = field(default_factory=dict)
    """The dictionary in it that holds name, description and schema."""
    prefix: str = ""
    """What stands before the places in `inside`."""
    schema_key: str = ""
    tool: Any = None
    problems: list[Problem] = field(default_factory=list)
    """What was wrong already when it was read."""
    readable: bool = True
    """False: there is nothing in it to which the other rules apply."""

    @property
    def name(self) -> Any:
        return self.inside.get("name")

    @property
    def description(self) -> Any:
        return self.inside.get("description")

    @property
    def schema(self) -> Any:
        return self.inside.get(self.schema_key)

    @property
    def strict(self) -> bool:
        return self.inside.get("strict") is True

    @property
    def provider(self) -> str:
        """Whose rules apply: "anthropic", "openai", "gemini", or "" for a Tool."""
        return {"chat": "openai", "responses": "openai", "tool": ""}.get(self.form, self.form)

    @property
    def is_openapi(self) -> bool:
        """Whether the schema is written in Gemini's subset of OpenAPI, not in JSON Schema."""
        return self.form == "gemini" and self.schema_key == "parameters"

    @property
    def root(self) -> str:
        """The place of the schema."""
        return self.at(self.schema_key)

    def at(self, key: str) -> str:
        return f"{self.prefix}{key}"

    @cached_property
    def parts(self) -> list[SchemaPart]:
        """The schema and every schema in it, the outer ones first."""
        return list(parts_of(self.schema, self.root, self.is_openapi))


@dataclass(frozen=True)
class SchemaPart:
    """One schema in a schema."""

    where: str
    schema: dict[str, Any]
    """Its keywords, in JSON Schema's spelling also where Gemini's was given."""
    raw: dict[str, Any]
    """The same, as it was given."""
    name: str = ""
    """The name of the field, if it is one."""
    parent: SchemaPart | None = None
    """The schema that this one stands in."""
    via: str = ""
    """The keyword of the parent that holds it."""
    level: int = 1
    """How many objects stand around its fields, its own included if it is one."""

    @property
    def kinds(self) -> list[str]:
        """Its types, without null."""
        return [kind for kind in kinds_of(self.schema) if kind != "null"]

    @property
    def is_object(self) -> bool:
        return "object" in self.kinds or "properties" in self.schema

    @property
    def properties(self) -> dict[str, Any]:
        """Its fields; none where `properties` holds anything but an object."""
        held = self.schema.get("properties")
        return held if isinstance(held, dict) else {}

    @property
    def choices(self) -> list[dict[str, Any]]:
        """The choices of its `anyOf` that are objects."""
        held = self.schema.get("anyOf")
        return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []

    @property
    def text(self) -> str:
        """Its description, or that of the field whose choice or item it is."""
        described = self.schema.get("description")
        if isinstance(described, str) and described.strip():
            return described
        return self.parent.text if self.parent is not None and self.via in ("items", *CHOICES) else ""

    @property
    def field(self) -> SchemaPart | None:
        """The field that this schema describes, wholly or as one of its choices or its items."""
        part: SchemaPart | None = self
        while part is not None and not part.name:
            part = part.parent if part.via in ("items", *CHOICES) else None
        return part

    def admits_null(self) -> bool:
        nullable = self.schema.get("nullable") is True
        return nullable or any("null" in kinds_of(one) for one in (self.schema, *self.choices))


def kinds_of(schema: dict[str, Any]) -> list[str]:
    """Return the names in `type`, in lower case; what is no name is left out."""
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return [kind.lower() for kind in kinds if isinstance(kind, str)]


def parts_of(schema: Any, where: str, openapi: bool = False) -> Iterator[SchemaPart]:
    """Yield the schema and every schema inside it that is an object, the outer ones first."""
    if isinstance(schema, dict):
        yield from _walk(SchemaPart(where, _spelled(schema, openapi), schema), openapi)


def _walk(part: SchemaPart, openapi: bool) -> Iterator[SchemaPart]:
    yield part
    for given, held in part.raw.items():
        keyword = camel_case(given) if openapi else given
        for step, inner in schemas_in(keyword, held):
            if isinstance(inner, dict):
                schema = _spelled(inner, openapi)
                name = step if keyword == "properties" else ""
                # The choices of one place stand beside each other, not inside.
                deeper = keyword not in CHOICES and ("object" in kinds_of(schema) or "properties" in schema)
                where, level = f"{part.where}.{given}{step_to(step)}", part.level + deeper
                yield from _walk(SchemaPart(where, schema, inner, name, part, keyword, level), openapi)


def step_to(step: str | int | None) -> str:
    """Return a step of a place: `[0]`, or what `name_at` returns."""
    return "" if step is None else f"[{step}]" if isinstance(step, int) else name_at(step)


def name_at(name: str) -> str:
    """Return the step to a name: `.city`, or `["postal code"]` where it is not one word."""
    return f".{name}" if re.fullmatch(r"[\w$-]+", name) else f"[{shown(name)}]"


def _spelled(schema: dict[str, Any], openapi: bool) -> dict[str, Any]:
    return {camel_case(keyword): value for keyword, value in schema.items()} if openapi else schema


def shown(value: Any, limit: int = 60) -> str:
    """Return a value as JSON, on one short line."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= limit else text[: limit - 1] + "…"


# Whatever was given, as plain JSON: what cannot be is noted with its place, and nothing raises --------

ENDLESS = "…"
"""What is noted of a value that holds itself, or too much."""


def to_plain(given: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Return a copy made of what JSON has, and what could not be copied, each with its place."""
    problems: list[tuple[str, str]] = []
    try:
        return _Noting(problems).copy(_sent(given)), problems
    except Exception:  # noqa: BLE001 (a mapping of somebody else's that fails when it is read)
        return None, [("", type(given).__name__)]


def _sent(given: Any) -> Any:
    """Return what an SDK's own object sends; anything else as it is."""
    for method, options in (("to_dict", {}), ("model_dump", {"mode": "json", "exclude_none": True})):
        ask = getattr(type(given), method, None)
        if ask is not None and not isinstance(given, type):
            try:
                return ask(given, **options)
            except Exception:  # noqa: BLE001 (somebody else's code: it is then not a definition)
                return given
    return given


def described(given: Any) -> str:
    if given is None or isinstance(given, str | int | float | bool):
        return shown(given)
    return f"<class {given.__name__}>" if isinstance(given, type) else f"<{type(given).__name__}>"


class _Noting(JsonCopier):
    """A copy that notes what JSON does not have, with its place, and goes on."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__()
        self.problems = problems

    def note(self, path: list[Any], what: str) -> None:
        """Note what stands at the end of a path, which is written as a reader would write it."""
        self.problems.append(("".join(map(step_to, path)).lstrip("."), what))

    def name(self, key: Any) -> str | None:
        if isinstance(key, str):
            return str.__str__(key)
        self.note(self.path[:-1], safe_repr(key))  # a name that is none is no step
        return None

    def endless(self) -> None:
        self.note(self.path, ENDLESS)

    def other(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return self.object(value.items())
        if isinstance(value, type) and self.path[-1:] == ["type"] and value.__module__ == "builtins":
            return value.__name__  # {"type": str}: the rule about types says what to write
        self.note(self.path, described(value))
        return None
