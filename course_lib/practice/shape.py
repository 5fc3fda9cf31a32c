"""The subset of JSON Schema that the practice model understands: what a schema asks for, and whether a value
fits it.

Understood: type (also as a list), enum, const, properties, required, additionalProperties, items,
prefixItems, anyOf, oneOf, allOf, $ref within the document, minimum and maximum (also exclusive), multipleOf,
minLength, maxLength, pattern, minItems, maxItems, uniqueItems, and the formats date, date-time, time, email,
uri and uuid. Gemini's upper-case types and `nullable` too. Other keywords are ignored when arguments are
made.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

JSON = dict[str, Any]
_PYTHON_TYPES = {"string": str, "boolean": bool, "object": dict, "array": list, "null": type(None)}


def resolve(schema: Any, root: JSON, depth: int = 0) -> JSON:
    """The schema with its own `$ref` followed and its `allOf` merged; `{}` for what is no schema."""
    if not isinstance(schema, dict) or depth > 20:
        return {}
    if isinstance(reference := schema.get("$ref"), str):
        target: Any = root
        for part in reference.lstrip("#/").split("/") if reference.startswith("#/") else []:
            target = (
                target.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, dict) else {}
            )
        return {
            **resolve(target, root, depth + 1),
            **{key: value for key, value in schema.items() if key != "$ref"},
        }
    if isinstance(parts := schema.get("allOf"), list):
        merged: JSON = {key: value for key, value in schema.items() if key != "allOf"}
        for part in (resolve(part, root, depth + 1) for part in parts):
            properties = {**merged.get("properties", {}), **part.get("properties", {})}
            required = [*merged.get("required", []), *part.get("required", [])]
            merged = {**part, **merged} | ({"properties": properties} if properties else {})
            merged |= {"required": required} if required else {}
        return merged
    return schema


def variants(schema: JSON, root: JSON) -> list[JSON]:
    """The alternatives of a schema without null: those of anyOf/oneOf, or one per type in a list of types."""
    schema = resolve(schema, root)
    for key in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(key), list):
            outer = {k: v for k, v in schema.items() if k != key}
            return [
                found for option in options for found in variants({**outer, **resolve(option, root)}, root)
            ]
    types = schema.get("type")
    if isinstance(types, list):
        return [{**schema, "type": name} for name in types if str(name).lower() != "null"]
    return [] if str(types).lower() == "null" or schema.get("enum") == [None] else [schema]


def type_of(schema: JSON) -> str:
    """The JSON type that a schema without alternatives asks for, in lower case; "" where it leaves that
    open."""
    if isinstance(name := schema.get("type"), str):
        return name.lower()
    if "properties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return "string" if values and all(isinstance(value, str) for value in values) else ""


def fits(value: Any, schema: Any, root: JSON, depth: int = 0) -> bool:
    """Whether a value satisfies a schema, as far as this module understands it."""
    if schema is False:
        return False
    schema = resolve(schema, root)
    if not schema or depth > 30:
        return True
    if value is None and schema.get("nullable") is True:
        return True
    for key, enough in (("anyOf", any), ("oneOf", lambda found: sum(found) == 1)):
        if isinstance(options := schema.get(key), list):
            if not enough([fits(value, option, root, depth + 1) for option in options]):
                return False
    if "const" in schema and not _same(schema["const"], value):
        return False
    if isinstance(values := schema.get("enum"), list) and not any(_same(one, value) for one in values):
        return False
    types = schema.get("type")
    names = (
        [str(name).lower() for name in types]
        if isinstance(types, list)
        else [types.lower()]
        if isinstance(types, str)
        else []
    )
    if names and not any(_is(value, name) for name in names):
        return False
    if isinstance(value, str):
        return _text_fits(value, schema)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return _number_fits(value, schema)
    if isinstance(value, list):
        return _items_fit(value, schema, root, depth)
    return _members_fit(value, schema, root, depth) if isinstance(value, dict) else False


def _is(value: Any, name: str) -> bool:
    if name in ("number", "integer"):
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return isinstance(value, int | float) and not isinstance(value, bool) and (name == "number" or whole)
    return isinstance(value, _PYTHON_TYPES.get(name, object))


def _same(one: Any, other: Any) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def limit(schema: JSON, *keys: str) -> float | None:
    """The number that the first of these keywords gives; None where none is a sensible number."""
    for key in keys:
        value = schema.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**300:
            return value
    return None


def _number_fits(value: float, schema: JSON) -> bool:
    low, high = limit(schema, "minimum"), limit(schema, "maximum")
    above, below, step = (
        limit(schema, "exclusiveMinimum"),
        limit(schema, "exclusiveMaximum"),
        limit(schema, "multipleOf"),
    )
    if (low is not None and value < low) or (high is not None and value > high):
        return False
    if (above is not None and value <= above) or (below is not None and value >= below):
        return False
    return not step or abs(value / step - round(value / step)) < 1e-9


def _text_fits(value: str, schema: JSON) -> bool:
    shortest, longest = limit(schema, "minLength"), limit(schema, "maxLength")
    if (shortest is not None and len(value) < shortest) or (longest is not None and len(value) > longest):
        return False
    if isinstance(pattern := schema.get("pattern"), str):
        try:
            if not re.search(pattern, value):
                return False
        except re.error:  # a pattern of another dialect: not ours to judge
            pass
    check = _FORMATS.get(str(schema.get("format")))
    try:
        return check is None or bool(check(value))
    except ValueError:
        return False


_FORMATS = {
    "date": lambda text: date.fromisoformat(text) if len(text) == 10 else False,
    "date-time": lambda text: datetime.fromisoformat(text) if len(text) > 10 else False,
    "time": time.fromisoformat,
    "email": lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", text),
    "uri": lambda text: re.match(r"[a-zA-Z][\w+.-]*:\S+$", text),
    "uuid": UUID,
}


def _items_fit(value: list[Any], schema: JSON, root: JSON, depth: int) -> bool:
    fewest, most = limit(schema, "minItems"), limit(schema, "maxItems")
    if (fewest is not None and len(value) < fewest) or (most is not None and len(value) > most):
        return False
    if schema.get("uniqueItems") is True and any(_same(a, b) for i, a in enumerate(value) for b in value[:i]):
        return False
    first = schema.get("prefixItems") if isinstance(schema.get("prefixItems"), list) else []
    rest = schema.get("items", {})
    return all(
        fits(item, first[i] if i < len(first) else rest, root, depth + 1) for i, item in enumerate(value)
    )


def _members_fit(value: JSON, schema: JSON, root: JSON, depth: int) -> bool:
    known = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    required = schema.get("required") if isinstance(schema.get("required"), list) else []
    if any(name not in value for name in required if isinstance(name, str)):
        return False
    others = schema.get("additionalProperties", {})
    return all(fits(item, known.get(name, others), root, depth + 1) for name, item in value.items())
