"""Some value that fits a schema, for a call that is forced although the message does not say one."""

from __future__ import annotations

import math
import re
from typing import Any

from . import phrases
from .shape import JSON, fits, limit, resolve, type_of, variants

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
    """A value for a schema, drawn from `text` where it wants text.

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
        yield from option["enum"][:1_000] if isinstance(option.get("enum"), list) else ()
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
    first = schema.get("prefixItems") if isinstance(schema.get("prefixItems"), list) else []
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
    known = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
    required = [name for name in schema.get("required") or [] if isinstance(name, str)]
    others = schema.get("additionalProperties", {})
    return {name: guess(known.get(name, others), root, text, depth + 1) for name in required}


def _texts(schema: JSON, text: str) -> Any:
    shortest = min(int(limit(schema, "minLength") or 0), LONGEST)
    longest = limit(schema, "maxLength")
    asked = phrases.request_of(text[:2_000])
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
    """A text for a simple regular expression: letters, classes, sets, groups and counts, one after the
    other."""
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
    """One text for one atom of a pattern."""
    if atom in _CLASSES:
        return _CLASSES[atom]
    if atom.startswith("\\"):
        return atom[1:]
    if atom.startswith("("):
        return _by_pattern(atom.removeprefix("(").removeprefix("?:").removesuffix(")")) or ""
    if atom.startswith("["):
        return next((c for c in "a1A-_ .x0Z@#/" + atom[1:] if re.fullmatch(atom, c)), "a")
    return atom
