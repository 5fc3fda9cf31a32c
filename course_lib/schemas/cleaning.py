"""From the schema that Pydantic writes to the one that a careful person would have written.

Pydantic's is correct and full of noise: a title on everything, `default: null`, `const`, references for
models that are used once. None of it tells the model anything.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from .walking import Schema, is_null, rebuild, walk

# What JSON Schema 2020-12 defines. Pydantic has more ("path", "binary"), which mean nothing to others.
FORMATS = frozenset(
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri "
    "iri-reference uuid uri-template json-pointer relative-json-pointer regex".split()
)
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
_LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")

__all__ = ["FORMATS", "Generator", "clean", "in_order", "short_null", "type_name"]


class Generator(GenerateJsonSchema):
    """Pydantic's generator, quiet about defaults that are not JSON and honest about types that are not."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}

    def get_title_from_name(self, name: str) -> str:
        return name  # as spelled, because `clean` makes descriptions of the titles in a named tuple

    def sort(self, value: Schema, parent_key: str | None = None) -> Schema:
        return value  # alphabetical order puts "description" before "type" and "maximum" before "minimum"

    def enum_schema(self, schema: Any) -> Schema:
        return self._choices([one.value for one in schema["members"]], schema, super().enum_schema)

    def literal_schema(self, schema: Any) -> Schema:
        # A member of an enum that is no text or number itself would be compared with what JSON gives.
        return self._choices(schema["expected"], schema, super().literal_schema)

    def _choices(self, values: list[Any], schema: Any, write: Callable[[Any], Schema]) -> Schema:
        """A closed list of values, each of which some JSON must be able to give."""
        if not values:
            return self.handle_invalid_for_json_schema(schema, "an enum without members")
        for value in values:
            if not isinstance(value, str | int | float | None):
                return self.handle_invalid_for_json_schema(schema, f"the choice {value!r}")
        return write(schema)

    def model_schema(self, schema: Any) -> Schema:
        # What its author lets pass on purpose is told, so that `check_arguments` lets it pass as well.
        written = super().model_schema(schema)
        lets_pass = schema["cls"].model_config.get("extra") == "ignore" and "properties" in written
        return {**written, "additionalProperties": True} if lets_pass else written

    def dataclass_args_schema(self, schema: Any) -> Schema:
        # What the class sets by itself, with field(init=False), is not the model's to give.
        fields = [one for one in schema["fields"] if one.get("init") is not False]
        return super().dataclass_args_schema({**schema, "fields": fields})

    def is_subclass_schema(self, schema: Any) -> Schema:
        return self.handle_invalid_for_json_schema(schema, "a class")


def clean(raw: Schema) -> Schema:
    """Pydantic's schema without noise, with `null` still written as a choice of `anyOf`."""
    return _in_place(rebuild(raw, _say_it_simply), lambda part: in_order(_lift_description(part)))


def short_null(schema: Schema) -> Schema:
    """The same with `anyOf: [X, null]` written as `type: [X, "null"]` where that is enough."""

    def shorten(part: Schema) -> Schema:
        kept = [choice for choice in part.get("anyOf", ()) if not is_null(choice)]
        if len(kept) != 1 or len(part["anyOf"]) != 2 or not isinstance(kept[0].get("type"), str):
            return part
        only = {**kept[0], "type": [kept[0]["type"], "null"]}
        if "enum" in only:
            only["enum"] = [*only["enum"], None]
        return in_order({**only, **_without(part, "anyOf")})

    return rebuild(schema, shorten)


def type_name(value: Any) -> str:
    """What JSON Schema calls the type of a value."""
    return _TYPES.get(type(value)) or ("object" if isinstance(value, dict) else "array")


def _say_it_simply(part: Schema) -> Schema:
    """Keywords that some providers refuse, in the words that all of them know."""
    if "discriminator" in part:
        part = _without(part, "discriminator")
    if "const" in part:
        part["enum"] = [part.pop("const")]
    if "oneOf" in part:
        part["anyOf"] = [*part.get("anyOf", []), *part.pop("oneOf")]
    if len(part.get("allOf", ())) == 1:
        part = {**part["allOf"][0], **_without(part, "allOf")}
    if "enum" in part:
        names = list(dict.fromkeys(type_name(value) for value in part["enum"]))
        part["type"] = names[0] if len(names) == 1 else names
    if _has_both_numbers(part.get("anyOf", ())):  # a number may be whole
        part["anyOf"] = [choice for choice in part["anyOf"] if choice != {"type": "integer"}]
        if len(part["anyOf"]) == 1:
            part = {**part["anyOf"][0], **_without(part, "anyOf")}
    if part.get("type") == "array" and not {"items", "prefixItems"} & part.keys():
        part["items"] = {}  # OpenAI refuses a list that does not say of what: an empty tuple
    return _simple_tuple(part) if "prefixItems" in part else part


def _has_both_numbers(choices: Iterable[Schema]) -> bool:
    return all({"type": kind} in choices for kind in ("integer", "number"))


def _simple_tuple(part: Schema) -> Schema:
    """A tuple of one type as a list of fixed length; in a named tuple, the names as descriptions."""
    items = [
        {"description": item["title"], **item} if "title" in item else item for item in part["prefixItems"]
    ]
    if items and all(item == items[0] for item in items):
        return {**_without(part, "prefixItems"), "items": items[0]}
    return {**part, "prefixItems": items}


def _drop_noise(part: Schema) -> Schema:
    return {keyword: value for keyword, value in part.items() if not _is_noise(keyword, value)}


def _is_noise(keyword: str, value: Any) -> bool:
    if keyword in ("title", "readOnly", "writeOnly"):
        return True
    if keyword == "format":
        return value not in FORMATS
    if keyword == "default":
        return value is None or not _is_json(value)
    if keyword == "pattern":  # no provider's strict mode reads look-around, and Decimal is full of it
        return any(mark in value for mark in _LOOK_AROUND)
    # Field(le=math.inf) says nothing, and infinity is no JSON.
    return isinstance(value, float) and not math.isfinite(value)


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _lift_description(part: Schema) -> Schema:
    """The description inside `anyOf: [X, null]` belongs to the whole."""
    choices = part.get("anyOf", ())
    described = [choice for choice in choices if "description" in choice]
    if len(choices) != 2 or not any(map(is_null, choices)) or len(described) != 1 or "$ref" in described[0]:
        return part
    lifted = {"anyOf": [_without(choice, "description") for choice in choices]}
    return {"description": described[0]["description"], **part, **lifted}


def in_order(part: Schema) -> Schema:
    """What people read first, first."""
    return {**{word: part[word] for word in ("type", "description", "enum") if word in part}, **part}


def _without(part: Schema, *keywords: str) -> Schema:
    return {keyword: value for keyword, value in part.items() if keyword not in keywords}


# References ---------------------------------------------------------------------------------------


def _in_place(schema: Schema, finish: Callable[[Schema], Schema]) -> Schema:
    """A schema with each definition written where it is used; only those that contain themselves stay.

    `finish` gets every part in its place, the inner ones first.
    """
    definitions = schema.get("$defs", {})
    recursive = _recursive(definitions)
    done: dict[str, Schema] = {}

    def put(part: Schema) -> Schema:
        name, part = _referred(part), _drop_noise(part)
        if name in definitions and name not in recursive:
            if name not in done:
                done[name] = rebuild(definitions[name], put)
            part = {**done[name], **_without(part, "$ref")}
        return finish(part)

    kept = {name: rebuild(definitions[name], put) for name in definitions if name in recursive}
    schema = rebuild(_without(schema, "$defs"), put)
    return {**schema, "$defs": kept} if kept else schema


def _recursive(definitions: dict[str, Schema]) -> set[str]:
    """The names of the definitions from which references lead back to themselves."""
    direct = {name: {_referred(part) for _, part in walk(one)} - {None} for name, one in definitions.items()}

    def reached(name: str) -> set[str]:
        found, todo = set(), [name]
        while todo:
            new = direct.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found

    return {name for name in definitions if name in reached(name)}


def _referred(part: Schema) -> str | None:
    reference = part.get("$ref")
    return reference.removeprefix("#/$defs/") if isinstance(reference, str) else None
