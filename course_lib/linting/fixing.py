"""`fix`: a copy of a definition in which everything that can be repaired in only one way is repaired."""

from __future__ import annotations

from typing import Any

from practice_model.facts.schemas import TYPES, camel_case

from ..errors import CourseError
from ..messages import localized
from ..tools import Tool
from .definition import Definition, SchemaPart, parts_of, to_plain
from .forms import unpack
from .rules_schema import MEANT_KEYWORDS, MEANT_TYPES

# Misspelt keywords that mean one thing only, whatever they hold.
_RENAMED = {
    word: meant
    for word, meant in MEANT_KEYWORDS.items()
    if word
    not in ("comment", "help", "doc", "kind", "parameters", "example", "fields", "arguments", "params")
}


def fix(definition: Any) -> Any:
    """Return a repaired copy of a definition, of a list of them, or of a request with `tools`.

    Only what can be repaired in one way alone is touched: `required: null` becomes [], a strict object is
    closed, doubled values go, `str` becomes "string". The given definition stays as it is.
    Raises CourseError for what is not a definition written as a dictionary.
    """
    if isinstance(definition, list | tuple):
        return [fix(one) for one in definition]
    if isinstance(definition, Tool):
        raise CourseError(localized("lint.fix.tool", name=definition.name))
    repaired, problems = to_plain(definition)
    if problems or not isinstance(repaired, dict):
        raise CourseError(localized("lint.fix.not_a_definition", given=type(definition).__name__))
    for one in unpack(repaired):
        _repair(one)
    return repaired


def _repair(definition: Definition) -> None:
    if definition.form == "chat":
        _repair_wrapper(definition.raw)
    elif definition.form == "responses":
        _set_missing(definition.raw, "type", "function")
    if definition.form == "anthropic" and definition.schema_key == "inputSchema":
        _rename(definition.inside, "inputSchema", "input_schema")
        definition.schema_key = "input_schema"
    if not definition.readable or not isinstance(definition.schema, dict):
        return
    for part in parts_of(definition.schema, ""):
        _repair_keywords(part.raw, definition.is_openapi)
    if "type" not in definition.schema and isinstance(definition.schema.get("properties"), dict):
        _set_missing(definition.schema, "type", "OBJECT" if definition.is_openapi else "object")
    if (
        definition.provider == "openai"
        and "properties" not in definition.schema
        and definition.schema.get("type") == "object"
    ):
        definition.schema["properties"] = {}
    # Read again: a renamed keyword may have opened what stands inside.
    parts = list(parts_of(definition.schema, "", definition.is_openapi))
    for part in parts:
        _repair_type(part.raw, definition.is_openapi)
        _repair_enum(part.raw)
    for part in parts:
        _repair_required(part)
    if definition.strict and definition.provider in ("anthropic", "openai"):
        for part in parts:
            _close(part, definition.provider)


def _repair_wrapper(raw: dict[str, Any]) -> None:
    _set_missing(raw, "type", "function")
    inside = raw["function"]
    for key in ("strict", "name", "description", "parameters"):
        if isinstance(inside, dict) and key in raw and key not in inside:
            inside[key] = raw.pop(key)


def _set_missing(held: dict[str, Any], key: str, value: Any) -> None:
    """Put a missing key first, as people write it."""
    if key not in held:
        rest = dict(held)
        held.clear()
        held.update({key: value, **rest})


def _rename(held: dict[str, Any], old: str, new: str) -> None:
    """Rename a key in its place."""
    renamed = {new if key == old else key: value for key, value in held.items()}
    held.clear()
    held.update(renamed)


def _repair_keywords(raw: dict[str, Any], openapi: bool) -> None:
    for word in list(raw):
        meant = _RENAMED.get(word)
        if openapi and camel_case(word) == meant:
            continue  # Gemini takes both spellings
        if meant and meant not in raw and _means_it(meant, raw[word]):
            _rename(raw, word, meant)


def _means_it(meant: str, held: Any) -> bool:
    """Return whether a misspelt keyword holds what the right one would."""
    wanted = {
        "type": (str, list),
        "required": list,
        "description": str,
        "enum": list,
        "properties": dict,
        "items": dict,
        "pattern": str,
        "minimum": (int, float),
        "maximum": (int, float),
    }
    if meant in ("minimum", "maximum") and isinstance(held, bool):
        return False
    if meant in ("type", "required") and isinstance(held, list):
        return all(isinstance(one, str) for one in held)
    return isinstance(held, wanted.get(meant, object))


def _repair_type(raw: dict[str, Any], openapi: bool) -> None:
    given = raw.get("type")
    if isinstance(given, str):
        raw["type"] = _type(given, openapi)
    elif isinstance(given, list) and all(isinstance(kind, str) for kind in given):
        raw["type"] = list(dict.fromkeys(_type(kind, openapi) for kind in given))


def _type(given: str, openapi: bool) -> str:
    low = given.lower()
    meant = low if low in TYPES else MEANT_TYPES.get(low)
    if meant is None or (openapi and low in TYPES):
        return given
    return meant.upper() if openapi else meant


def _repair_enum(raw: dict[str, Any]) -> None:
    given = raw.get("enum")
    if isinstance(given, list):
        kept: list[Any] = []
        for value in given:
            # 1 and true are equal in Python, and two values in JSON.
            if not any(type(value) is type(other) and value == other for other in kept):
                kept.append(value)
        if len(kept) < len(given):
            raw["enum"] = kept


def _repair_required(part: SchemaPart) -> None:
    raw = part.raw
    if "required" not in raw:
        return
    given, properties = raw["required"], raw.get("properties")
    if given is None:
        raw["required"] = []
    elif isinstance(given, str) and isinstance(properties, dict) and given in properties:
        raw["required"] = [given]
    elif isinstance(given, list) and all(isinstance(name, str) for name in given):
        if len(set(given)) < len(given):
            raw["required"] = list(dict.fromkeys(given))
    elif isinstance(given, bool) and part.name and part.parent is not None:
        _lift_required(part, given)


def _lift_required(part: SchemaPart, given: bool) -> None:
    """Replace `required: true` in a field by the name of the field in the list of its object."""
    around = part.parent.raw
    names = around.get("required", [])
    if not isinstance(names, list):
        return
    if given:
        around["required"] = [*names, *([part.name] if part.name not in names else [])]
        del part.raw["required"]
    elif part.name not in names:
        del part.raw["required"]


def _close(part: SchemaPart, provider: str) -> None:
    raw, properties = part.raw, part.raw.get("properties")
    # An object without fields has free keys, and closing it would leave it none; not so the whole, which then
    # takes no arguments.
    if isinstance(properties, dict) or (part.parent is None and not {"properties", "$ref"} & set(raw)):
        if raw.get("additionalProperties") in (None, True):
            raw["additionalProperties"] = False
    if provider == "openai" and isinstance(properties, dict):
        names = raw.get("required", [])
        if isinstance(names, list):
            nullable = [
                name
                for name, held in properties.items()
                if name not in names and isinstance(held, dict) and SchemaPart("", held, held).admits_null()
            ]
            if nullable:
                raw["required"] = [*names, *nullable]
