"""The JSON Schema that the practice model understands: whether a value fits, and some value that does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import count, islice
from typing import Any
from uuid import UUID

from ..facts.schemas import is_number, is_of_type
from ..language.clauses import request_of
from .bounds import matches

# Understood: type (also as a list), enum, const, properties, required, additionalProperties, items,
# prefixItems, anyOf, oneOf, allOf, $ref within the document, minimum and maximum (also exclusive),
# multipleOf, minLength, maxLength, pattern, minItems, maxItems, uniqueItems, and the formats date,
# date-time, time, email, uri and uuid. Gemini's upper-case types and `nullable` too. Other keywords are
# ignored when arguments are made.


JSON = dict[str, Any]


def resolve(schema: Any, root: JSON, seen: set[int] | None = None, depth: int = 0) -> JSON:
    """Return the schema with its own `$ref` followed and its `allOf` merged; `{}` for what is no schema.

    `seen` are the schemas that references have led to already: merged once more, they would change nothing.
    """
    if not isinstance(schema, dict) or depth > 20:
        return {}
    seen = set() if seen is None else seen
    if isinstance(reference := schema.get("$ref"), str):
        target: Any = root
        for part in reference.lstrip("#/").split("/") if reference.startswith("#/") else []:
            target = (
                target.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, dict) else {}
            )
        known = id(target) in seen
        seen.add(id(target))
        return {
            **({} if known else resolve(target, root, seen, depth + 1)),
            **{key: value for key, value in schema.items() if key != "$ref"},
        }
    if isinstance(parts := schema.get("allOf"), list):
        merged: JSON = {key: value for key, value in schema.items() if key != "allOf"}
        properties, required = dict(members(merged)), list(listed(merged, "required"))
        for part in parts:
            one = resolve(part, root, seen, depth + 1)
            properties |= members(one)
            required += listed(one, "required")
            merged = one | merged
        merged |= {"properties": properties} if properties else {}
        return merged | ({"required": required} if required else {})
    return schema


def members(schema: JSON) -> JSON:
    """Return the properties of an object schema by name."""
    return schema["properties"] if isinstance(schema.get("properties"), dict) else {}


def listed(schema: JSON, key: str) -> list[Any]:
    """Return the list under a keyword of a schema; empty where there is none."""
    return schema[key] if isinstance(schema.get(key), list) else []


MOST_VARIANTS = 50  # alternatives of a schema that are looked at


def variants(schema: JSON, root: JSON) -> list[JSON]:
    """Return the alternatives of a schema without null: those of anyOf/oneOf, or one per type in a list of
    types; of very many, and of those that only lead to each other, the first."""
    found: list[JSON] = []
    left = [schema]
    for _ in range(10 * MOST_VARIANTS):
        if not left or len(found) >= MOST_VARIANTS:
            break
        one = resolve(left.pop(), root)
        key = next((key for key in ("anyOf", "oneOf") if isinstance(one.get(key), list)), None)
        types = one.get("type")
        if key:
            outer = {k: v for k, v in one.items() if k != key}
            left += [{**outer, **resolve(option, root)} for option in reversed(one[key][:MOST_VARIANTS])]
        elif isinstance(types, list):
            found += [{**one, "type": name} for name in types if str(name).lower() != "null"]
        elif str(types).lower() != "null" and one.get("enum") != [None]:
            found.append(one)
    return found


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


def fits(value: Any, schema: Any, root: JSON) -> bool:
    """Return whether a value satisfies a schema, as far as this module understands it."""
    return _Check(root).fits(value, schema)


_ANYTHING: JSON = {}


class _Check:
    """One check of a value: each part of it is checked once against each part of the schema.

    References lead to the same part on many ways, which double with each definition that refers twice to the
    next one.
    """

    def __init__(self, root: JSON) -> None:
        self._root = root
        self._known: dict[tuple[int, int], bool] = {}

    def fits(self, value: Any, schema: Any, depth: int = 0) -> bool:
        if _is_another(value, schema):
            return False
        key = (id(value), id(schema))  # both stay where they are for as long as the check lasts
        if key not in self._known:
            self._known[key] = True  # where it leads back to itself
            self._known[key] = self._fits(value, schema, depth)
        return self._known[key]

    def _fits(self, value: Any, schema: Any, depth: int) -> bool:
        if schema is False:
            return False
        schema = resolve(schema, self._root)
        if not schema or depth > 30:
            return True
        if value is None and schema.get("nullable") is True:
            return True
        if isinstance(options := schema.get("anyOf"), list):
            if not any(self.fits(value, option, depth + 1) for option in options):
                return False
        if isinstance(options := schema.get("oneOf"), list):
            if sum(self.fits(value, option, depth + 1) for option in options) != 1:
                return False
        if "const" in schema and not _same(schema["const"], value):
            return False
        if isinstance(values := schema.get("enum"), list) and not _one_of(value, values):
            return False
        types = schema.get("type")
        names = types if isinstance(types, list) else [types] if isinstance(types, str) else []
        if names and not any(is_of_type(value, str(name).lower()) for name in names):
            return False
        if isinstance(value, str):
            return _text_fits(value, schema)
        if isinstance(value, bool) or value is None:
            return True
        if isinstance(value, int | float):
            return _number_fits(value, schema)
        if isinstance(value, list):
            return self._items_fit(value, schema, depth)
        return self._members_fit(value, schema, depth) if isinstance(value, dict) else False

    def _items_fit(self, value: list[Any], schema: JSON, depth: int) -> bool:
        fewest, most = limit(schema, "minItems"), limit(schema, "maxItems")
        if (fewest is not None and len(value) < fewest) or (most is not None and len(value) > most):
            return False
        if schema.get("uniqueItems") is True and len({_written(item) for item in value}) < len(value):
            return False
        first, rest = listed(schema, "prefixItems"), schema.get("items", _ANYTHING)
        return all(
            self.fits(item, first[i] if i < len(first) else rest, depth + 1) for i, item in enumerate(value)
        )

    def _members_fit(self, value: JSON, schema: JSON, depth: int) -> bool:
        known, others = members(schema), schema.get("additionalProperties", _ANYTHING)
        if any(name not in value for name in listed(schema, "required") if isinstance(name, str)):
            return False
        return all(self.fits(item, known.get(name, others), depth + 1) for name, item in value.items())


def _written(value: Any) -> str:
    """Return a value as text that is the same for equal values: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else repr(value)


def _is_another(value: Any, schema: Any) -> bool:
    """Return whether a schema takes one value only, and not this one: of thousands of choices most do."""
    if not isinstance(schema, dict) or "$ref" in schema or (value is None and "nullable" in schema):
        return False
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return isinstance(values, list) and len(values) == 1 and not _same(values[0], value)


def _one_of(value: Any, values: list[Any]) -> bool:
    if value not in values:
        return False
    return not isinstance(value, int | float) or any(_same(one, value) for one in values)  # 1 is not true


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
    try:
        return not step or abs(value / step - round(value / step)) < 1e-9
    except OverflowError:  # too large to divide: not ours to judge
        return True


def _text_fits(value: str, schema: JSON) -> bool:
    shortest, longest = limit(schema, "minLength"), limit(schema, "maxLength")
    if (shortest is not None and len(value) < shortest) or (longest is not None and len(value) > longest):
        return False
    if isinstance(pattern := schema.get("pattern"), str) and not matches(pattern, value):
        return False
    check = _FORMATS.get(str(schema.get("format")))
    try:
        return check is None or bool(check(value))
    except ValueError:
        return False


_FORMATS = {
    "date": lambda text: date.fromisoformat(text) if len(text) == 10 else False,
    "date-time": lambda text: datetime.fromisoformat(text) if len(text) > 10 else False,
    "time": time.fromisoformat,
    "email": lambda text: len(text) <= 320 and re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", text),
    "uri": lambda text: re.match(r"[a-zA-Z][\w+.-]*:\S+$", text),
    "uuid": UUID,
}


# A guess, for a call that is forced although the message gives no value --------------------------

DEEPEST = 8
LONGEST = 10_000  # characters of a guessed text
MOST_GUESSED = 6_000  # values that are guessed for one tool; what is asked for beyond them stays out
IN_VAIN = 20  # as how many of them one counts that fits after no try
_BY_FORMAT = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00",
    "email": "user@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def guess(schema: Any, root: JSON, text: str, made: Iterator[int] | None = None) -> Any:
    """Return a value for a schema, drawn from `text` where it asks for text.

    It fits where the schema is within the stated subset and can be met by simple means; a pattern that needs
    more than its own literal characters and classes, `not`, `contains` and the like are outside.
    `made` counts the values of several guesses together.
    """
    return _Guess(root, text, made or count()).value(schema)


class _Guess:
    """One guess: so many values in all, and no more."""

    def __init__(self, root: JSON, text: str, made: Iterator[int]) -> None:
        self._root = root
        self._text = text
        self._made = made
        self._enough = False

    def value(self, schema: Any, depth: int = 0) -> Any:
        self._enough = self._enough or next(self._made) >= MOST_GUESSED
        if self._enough:
            return None
        best: Any = None
        for place, value in enumerate(self._tries(resolve(schema, self._root), depth)):
            if fits(value, schema, self._root):
                return value
            best = value if place == 0 else best
        next(islice(self._made, IN_VAIN, None))
        return best

    def _tries(self, schema: JSON, depth: int) -> Iterator[Any]:
        """Values to try, the likeliest first."""
        options = variants(schema, self._root)
        for option in [schema, *options]:
            yield from (option[key] for key in ("const", "default") if key in option)
            yield from listed(option, "enum")[:1_000]
        for option in options:
            name = type_of(option)
            if any(key in option for key in ("anyOf", "oneOf")) or depth > DEEPEST:
                continue
            if name in ("integer", "number"):
                yield from _numbers(option)
            elif name == "boolean":
                yield from (False, True)
            elif name == "array":
                yield self._array(option, depth)
            elif name == "object":
                yield self._object(option, depth)
            elif name == "null":
                yield None
            else:
                yield from _texts(option, self._text)
        yield from (None, "", 0, False, [], {})

    def _array(self, schema: JSON, depth: int) -> list[Any]:
        first, rest = listed(schema, "prefixItems"), schema.get("items", _ANYTHING)
        members: list[Any] = []
        known: set[str] = set()
        for place in range(int(min(limit(schema, "minItems") or 0, MOST_GUESSED))):
            item = first[place] if place < len(first) else rest
            value = self.value(item, depth + 1)
            if self._enough:
                break
            if schema.get("uniqueItems") is True and _written(value) in known:
                others = _others(item, value, place, self._root)
                value = next((new for new in others if _written(new) not in known), value)
            known.add(_written(value))
            members.append(value)
        return members

    def _object(self, schema: JSON, depth: int) -> JSON:
        known, others = members(schema), schema.get("additionalProperties", _ANYTHING)
        found: JSON = {}
        for name in listed(schema, "required"):
            if isinstance(name, str) and not self._enough:
                found[name] = self.value(known.get(name, others), depth + 1)
        return found


def _numbers(schema: JSON) -> Iterator[int | float]:
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


def _others(item: Any, value: Any, place: int, root: JSON) -> Iterator[Any]:
    """More values like one, for the place in a list without repetitions."""
    schema = resolve(item, root)
    tries = listed(schema, "enum")[place : place + 100]
    if isinstance(value, bool):
        tries.append(not value)
    elif isinstance(value, int | float):
        step = limit(schema, "multipleOf") or 1
        tries += [value + count * step for count in (place, -place, place + 1)]
    elif isinstance(value, str):
        tries += [f"{value} {place + 1}", f"{value}{place + 1}", f"{place + 1}{value[1:]}"]
    tries += [[place], {str(place): place}, place, f"item {place}"]
    return (new for new in tries if fits(new, item, root))


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
    bare = re.match(r"(?:\([^()]*\)|\[[^\]]*\]|\\.|[^|])*+", pattern)[0]  # the first alternative
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
        one = _one(atom)
        if len(made) + len(one) * least > LONGEST:
            return None
        made += one * least
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
        return next((c for c in "a1A-_ .x0Z@#/" + atom[1:] if matches(f"^{atom}$", c)), "a")
    return atom
