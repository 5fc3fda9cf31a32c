"""Requests with something wrong in them, by a number: the same number makes the same request."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from wire_tools import changed, places

# Values -------------------------------------------------------------------------------------------

WORDS = (
    "weather Oslo order 1042 one hundred and first call then 192.168.1.1 1.234.5 TR-99 a.b@c.example please "
    "not «hola» ¿cuándo? 5% $20 2026-02-30 25:61 https:// \u202e 🌧️ ½ ٣ {[( \\ \" ' \t \n \x00"
).split(" ")


def junk(chance: random.Random) -> Any:
    """A value of any type, rather an odd one."""
    return chance.choice(
        [
            None,
            True,
            False,
            0,
            -1,
            2**63,
            10**400,
            0.1,
            1e308,
            -1e-308,
            "",
            "\x00",
            " ",
            "null",
            [],
            {},
            [[]],
            {"": ""},
            [None],
            {"type": "object"},
            {"$ref": "#"},
            *(chance.choice(WORDS) for _ in range(8)),
        ]
    )


def long_text(chance: random.Random) -> str:
    """A text of up to 200,000 characters that repeats itself, or does not."""
    size = chance.choice([100, 2_000, 20_000, 200_000])
    words = chance.choices(WORDS, k=chance.choice([1, 1, 2, 3, 200]))
    piece = chance.choice(["", " ", "\n", ", "]).join(words) + chance.choice(["", " "])
    return (piece * (size // max(1, len(piece)) + 1))[:size]


def deep(chance: random.Random) -> Any:
    """Lists or objects in each other, up to more than can be read."""
    value: Any = chance.choice([None, "x", {}])
    for _ in range(chance.choice([5, 50, 150, 2_000])):
        value = chance.choice([[value], {"a": value}, {"properties": {"a": value}, "type": "object"}])
    return value


PATTERNS = [
    "(x+x+)+y",
    "^(a+)+$",
    "(.*)*=",
    r"^(\w+\s?)*!$",
    "(a{0,1000}){0,60}y",
    r"\w{500}",
    "(?=a)*b",
    r"(a)\1",
    "[z-a]",
    "(" * 500,
    "a{9999999999}",
    "[[a]",
    r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$",
    "|" * 900,
]


def doubling(levels: int, ways: int, keyword: str) -> dict[str, Any]:
    """A schema whose definitions each refer several times to the next one; the last refers to the first."""
    names = [f"D{level}" for level in range(levels)]
    definitions: dict[str, Any] = {}
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        inside = [{"$ref": f"#/$defs/{following}"} for _ in range(ways)]
        properties = {f"p{way}": one for way, one in enumerate(inside)}
        definitions[name] = (
            {"type": "object", "properties": properties, "required": list(properties)}
            if keyword == "properties"
            else {keyword: inside}
        )
    properties = {"x": {"$ref": "#/$defs/D0"}}
    return {"type": "object", "properties": properties, "required": ["x"], "$defs": definitions}


def schema_bomb(chance: random.Random) -> dict[str, Any]:
    """A schema that may be much work."""
    many = chance.choice([10, 300, 3_000, 8_000])
    field: dict[str, Any] = chance.choice(
        [
            {"type": "string", "pattern": chance.choice(PATTERNS)},
            {"type": "string", "enum": [f"v {n}" for n in range(many)]},
            {"anyOf": [{"type": "string", "enum": [f"v{n}"]} for n in range(many)]},
            {"type": "array", "minItems": many * 1_000, "uniqueItems": True, "items": {"type": "integer"}},
            {"type": "number", "minimum": 1e299, "multipleOf": 1e-300},
            {"type": "string", "description": long_text(chance)},
            {"type": "string", "minLength": 10**9, "format": chance.choice(["date", "email", "uuid", "x"])},
        ]
    )
    names = [chance.choice([f"field_{n}", f"{chance.choice(WORDS)}{n}"]) for n in range(many)]
    return chance.choice(
        [
            {"type": "object", "properties": {"x": field}, "required": ["x"]},
            {"type": "object", "properties": dict.fromkeys(names, {"type": "string"}), "required": names},
            {"type": "object", "properties": dict.fromkeys(names[:12], field)},
            doubling(chance.choice([2, 16, 40]), chance.choice([2, 6]), "properties"),
            doubling(chance.choice([2, 16, 40]), chance.choice([2, 6]), chance.choice(["anyOf", "allOf"])),
        ]
    )


# Mutations ----------------------------------------------------------------------------------------


def mutated(seed: Any, number: int) -> bytes:
    """A request made from `seed`, as bytes."""
    chance = random.Random(number)
    value = seed
    try:
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            value = chance.choice(_IN_JSON)(value, chance)
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    except RecursionError:  # what is too deep for us is written by hand
        text = json.dumps(seed)[:-1] + ', "deep": ' + "[" * 5_000 + "]" * 5_000 + "}"
    raw = text.encode("utf-8", "surrogatepass")
    return chance.choice(_IN_BYTES)(raw, chance) if chance.random() < 0.15 else raw


def _any_place(value: Any, chance: random.Random, wanted: Callable[[tuple, Any], bool]) -> tuple | None:
    found = [path for path in places(value)[:3_000] if wanted(path, _at(value, path))]
    return chance.choice(found) if found else None


def _at(value: Any, path: tuple) -> Any:
    for step in path:
        value = value[step]
    return value


def _replace(
    make: Callable[[random.Random], Any], wanted: Callable[[tuple, Any], bool]
) -> Callable[..., Any]:
    def change(value: Any, chance: random.Random) -> Any:
        path = _any_place(value, chance, wanted)
        return changed(value, path, "replace", make(chance)) if path else value

    return change


def _add_or_remove(value: Any, chance: random.Random) -> Any:
    path = _any_place(value, chance, lambda *_: True)
    return changed(value, path, chance.choice(["remove", "double", "add"]), junk(chance)) if path else value


def _swap(value: Any, chance: random.Random) -> Any:
    """Put the value of one place into another: a list where a text is, one id for another."""
    one, other = (_any_place(value, chance, lambda *_: True) for _ in range(2))
    return changed(value, one, "replace", _at(value, other)) if one and other else value


def _is_schema(path: tuple, _: Any) -> bool:
    return path[-1] in ("parameters", "input_schema", "parametersJsonSchema", "schema", "responseJsonSchema")


def _is_text(path: tuple, value: Any) -> bool:
    return isinstance(value, str)


def _is_id(path: tuple, value: Any) -> bool:
    return isinstance(value, str) and ("id" in str(path[-1]) or path[-1] == "name")


def _any(*_: Any) -> bool:
    return True


_IN_JSON = [
    _replace(junk, _any),
    _replace(junk, _any),
    _replace(deep, _any),
    _replace(long_text, _is_text),
    _replace(long_text, _is_text),
    _replace(lambda chance: chance.choice(["", "call_0", "toolu_none", "x" * 3_000]), _is_id),
    _replace(schema_bomb, _is_schema),
    _replace(schema_bomb, _is_schema),
    _replace(schema_bomb, _is_schema),
    _add_or_remove,
    _swap,
]


def _bad_utf8(raw: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(raw))
    return raw[:place] + chance.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\\ud83d"]) + raw[place:]


def _cut_off(raw: bytes, chance: random.Random) -> bytes:
    return raw[: chance.randrange(len(raw))]


def _twice(raw: bytes, chance: random.Random) -> bytes:
    """Give an object a key twice: the last one counts."""
    place = raw.find(b'{"', chance.randrange(len(raw)))
    key = raw[place + 1 : raw.find(b":", place)]
    return (
        raw[: place + 1]
        + key
        + b": "
        + chance.choice([b"1", b"null", b"[]", b'""'])
        + b", "
        + raw[place + 1 :]
    )


def _odd_number(raw: bytes, chance: random.Random) -> bytes:
    odd = chance.choice([b"NaN", b"-Infinity", b"1e999", b"9" * 5_000, b"01", b"1.", b"- 1"])
    return raw.replace(b"null", odd).replace(b": 5", b": " + odd)


_IN_BYTES = [_bad_utf8, _bad_utf8, _cut_off, _twice, _twice, _odd_number]
