"""The JSON Schema that the practice model understands: whether a value fits, and some value that does."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from ..facts.schemas import is_number, is_of_type
from ..language.clauses import request_of

# Understood: type (also as a list), enum, const, properties, required, additionalProperties, items,
# prefixItems, anyOf, oneOf, allOf, $ref within the document, minimum and maximum (also exclusive),
# multipleOf, minLength, maxLength, pattern, minItems, maxItems, uniqueItems, and the formats date,
# date-time, time, email, uri and uuid. Gemini's upper-case types and `nullable` too. Other keywords are
# ignored when arguments are made.


JSON = dict[str, Any]


def resolve(schema: Any, root: JSON, depth: int = 0) -> JSON:
    """Return the schema with its own `$ref` followed and its `allOf` merged; `{}` for what is no schema."""
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


def members(schema: JSON) -> JSON:
    """Return the properties of an object schema by name."""
    return schema["properties"] if isinstance(schema.get("properties"), dict) else {}


def listed(schema: JSON, key: str) -> list[Any]:
    """Return the list under a keyword of a schema; empty where there is none."""
    return schema[key] if isinstance(schema.get(key), list) else []


def variants(schema: JSON, root: JSON) -> list[JSON]:
    """Return the alternatives of a schema without null: those of anyOf/oneOf, or one per type in a list of
    types."""
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
    """Return the JSON type that a schema without alternatives asks for, in lower case; "" where that is
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
    """Return whether a value satisfies a schema, as far as this module understands it."""
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
    if names and not any(is_of_type(value, name) for name in names):
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


def _same(one: Any, other: Any) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def limit(schema: JSON, *keys: str) -> float | None:
    """Return the number that the first of these keywords gives; None where none is a sensible number."""
    for key in keys:
        value = schema.get(key)
        if is_number(value) and abs(value) < 10**300:
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
    first = listed(schema, "prefixItems")
    rest = schema.get("items", {})
    return all(
        fits(item, first[i] if i < len(first) else rest, root, depth + 1) for i, item in enumerate(value)
    )


def _members_fit(value: JSON, schema: JSON, root: JSON, depth: int) -> bool:
    known = members(schema)
    required = listed(schema, "required")
    if any(name not in value for name in required if isinstance(name, str)):
        return False
    others = schema.get("additionalProperties", {})
    return all(fits(item, known.get(name, others), root, depth + 1) for name, item in value.items())


# A guess, for a call that is forced although the message gives no value --------------------------

DEEPEST = 8
LONGEST = 10_000  # characters of a guessed text, members of a guessed list
_BY_FORMAT = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00",
    "email": "user@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def guess(schema: Any, root: JSON, text: str, depth: int = 0) -> Any:
    """Return a value for a schema, drawn from `text` where it asks for text.

    It fits where the schema is within the stated subset and can be met by simple means; a pattern that needs
    more than its own literal characters and classes, `not`, `contains` and the like are outside.
    """
    best: Any = None
    for place, value in enumerate(_guesses(resolve(schema, root), root, text, depth)):
        if fits(value, schema, root):
            return value
        best = value if place == 0 else best
    return best


def _guesses(schema: JSON, root: JSON, text: str, depth: int) -> Any:
    """Values to try, the likeliest first."""
    for option in [schema, *variants(schema, root)[:50]]:
        yield from (option[key] for key in ("const", "default") if key in option)
        yield from listed(option, "enum")[:1_000]
    for option in variants(schema, root)[:50]:
        name = type_of(option)
        if any(key in option for key in ("anyOf", "oneOf")) or depth > DEEPEST:
            continue
        if name in ("integer", "number"):
            yield from _numbers(option)
        elif name == "boolean":
            yield from (False, True)
        elif name == "array":
            yield _array(option, root, text, depth)
        elif name == "object":
            yield _object(option, root, text, depth)
        elif name == "null":
            yield None
        else:
            yield from _texts(option, text)
    yield from (None, "", 0, False, [], {})


def _numbers(schema: JSON) -> Any:
    low, high = limit(schema, "minimum", "exclusiveMinimum"), limit(schema, "maximum", "exclusiveMaximum")
    step = limit(schema, "multipleOf") or (1 if type_of(schema) == "integer" else 0)
    start = low if low is not None else min(0, high) if high is not None else 0
    if step:
        first = math.ceil(start / step) if math.isfinite(start / step) else 0
        last = math.floor(high / step) if high is not None and math.isfinite(high / step) else first
        for count in (first, first + 1, last, last - 1, 0):
            yield _whole(count * step)
    yield from (_whole(start), 0, 1)
    if low is not None and high is not None:
        yield (low + high) / 2
    yield from (start + 0.5, start + 1, *(() if high is None else (high, high - 0.5, high - 1)))


def _whole(value: float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _array(schema: JSON, root: JSON, text: str, depth: int) -> list[Any]:
    first = listed(schema, "prefixItems")
    count = min(int(limit(schema, "minItems") or 0), LONGEST)
    members: list[Any] = []
    for place in range(count):
        item = first[place] if place < len(first) else schema.get("items", {})
        value = guess(item, root, text, depth + 1)
        if schema.get("uniqueItems") is True and value in members:
            value = next((new for new in _others(item, value, place, root) if new not in members), value)
        members.append(value)
    return members


def _others(item: Any, value: Any, place: int, root: JSON) -> Any:
    """More values like one, for a list without repetitions."""
    schema = resolve(item, root)
    tries = list(schema.get("enum") or [])
    if isinstance(value, bool):
        tries.append(not value)
    elif isinstance(value, int | float):
        step = schema.get("multipleOf") or 1
        tries += [value + count * step for count in (place, -place, place + 1)]
    elif isinstance(value, str):
        tries += [f"{value} {place + 1}", f"{value}{place + 1}", f"{place + 1}{value[1:]}"]
    tries += [[place], {str(place): place}, place, f"item {place}"]
    return [new for new in tries if fits(new, item, root)]


def _object(schema: JSON, root: JSON, text: str, depth: int) -> JSON:
    known = members(schema)
    required = [name for name in schema.get("required") or [] if isinstance(name, str)]
    others = schema.get("additionalProperties", {})
    return {name: guess(known.get(name, others), root, text, depth + 1) for name in required}


def _texts(schema: JSON, text: str) -> Any:
    shortest = min(int(limit(schema, "minLength") or 0), LONGEST)
    longest = limit(schema, "maxLength")
    asked = request_of(text[:2_000])
    for base in (
        _BY_FORMAT.get(str(schema.get("format"))),
        _by_pattern(schema.get("pattern")),
        asked,
        "unknown",
        "a",
        "1",
        "",
    ):
        if base is not None:
            padded = (
                base.ljust(shortest, ".") if not base or base == asked else base.ljust(shortest, base[-1])
            )
            yield padded[: int(longest)] if longest is not None and longest >= 0 else padded


_CLASSES = {r"\d": "1", r"\w": "a", r"\s": " ", r"\S": "a", r"\D": "a", r"\W": "-", ".": "a"}
_ATOM = re.compile(
    r"(?P<atom>\\[dwsSDW]|\\.|\[\^?\]?[^\]]*\]|\((?:\?:)?[^()]*\)|[^\\\[\]()*+?{}|^$])"
    r"(?P<times>[*+?]|\{\d+(?:,\d*)?\})?"
)


def _by_pattern(pattern: Any) -> str | None:
    """Return a text for a simple regular expression of letters, classes, sets, groups and counts."""
    if not isinstance(pattern, str) or len(pattern) > 500:
        return None
    bare = re.match(r"(?:\([^()]*\)|\[[^\]]*\]|\\.|[^|])*", pattern)[0]  # the first alternative
    bare = bare.removeprefix("^").removesuffix("$")
    made, position = "", 0
    while position < len(bare):
        match = _ATOM.match(bare, position)
        if not match:
            return None
        atom, times = match["atom"], match["times"] or ""
        least = (
            0 if times in ("*", "?") else int(re.findall(r"\d+", times)[0]) if times.startswith("{") else 1
        )
        made += _one(atom) * min(least, LONGEST)
        position = match.end()
    return made


def _one(atom: str) -> str:
    """Return one text for one atom of a pattern."""
    if atom in _CLASSES:
        return _CLASSES[atom]
    if atom.startswith("\\"):
        return atom[1:]
    if atom.startswith("("):
        return _by_pattern(atom.removeprefix("(").removeprefix("?:").removesuffix(")")) or ""
    if atom.startswith("["):
        return next((c for c in "a1A-_ .x0Z@#/" + atom[1:] if re.fullmatch(atom, c)), "a")
    return atom
