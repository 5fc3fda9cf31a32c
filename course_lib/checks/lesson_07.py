"""Checkers of lesson 07: what strict prevents, a schema closed by hand, and rules that no schema can say."""

from __future__ import annotations

import copy
from typing import Any

from course_lib.checks import NotYet, Problems, call, checker, expect, expect_type
from course_lib.checks.texts import text_for_exercise

_PREVENTED = set("aceg")
_NOT_PREVENTED = set("bdfh")


@checker("07.a")
def check_07_a(prevented: Any) -> None:
    expect(isinstance(prevented, list | tuple | set | str), "shape")
    chosen = {str(letter).strip().lower() for letter in prevented} - {"", ","}
    problems = Problems()
    unknown = chosen - _PREVENTED - _NOT_PREVENTED
    problems.expect(not unknown, "unknown", got=", ".join(sorted(unknown)))
    for letter in sorted(_NOT_PREVENTED & chosen):
        problems.expect(False, f"too_much_{letter}")
    for letter in sorted(_PREVENTED - chosen):
        problems.expect(False, f"missing_{letter}")
    problems.report()


_TEXT = {"type": "string"}
# What to close, and the places of its objects.
_SCHEMAS: list[tuple[str, dict[str, Any]]] = [
    ("flat", {"type": "object", "properties": {"sku": _TEXT}, "required": ["sku"]}),
    (
        "nested",
        {
            "type": "object",
            "properties": {"box": {"type": "object", "properties": {"side": {"type": "number"}}}},
        },
    ),
    (
        "in_list",
        {
            "type": "object",
            "properties": {
                "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": _TEXT}}}
            },
        },
    ),
    (
        "in_choice",
        {
            "type": "object",
            "properties": {
                "to": {"anyOf": [{"type": "object", "properties": {"city": _TEXT}}, {"type": "null"}]}
            },
        },
    ),
    (
        "in_defs",
        {
            "type": "object",
            "properties": {"to": {"$ref": "#/$defs/Place"}},
            "$defs": {"Place": {"type": "object", "properties": {"city": _TEXT}}},
        },
    ),
    (
        "named_properties",
        {"type": "object", "properties": {"properties": {"type": "string"}, "type": _TEXT}},
    ),
    (
        "data",
        {
            "type": "object",
            "properties": {"filter": {"type": "object", "default": {"type": "object"}, "properties": {}}},
        },
    ),
]


@checker("07.b")
def check_07_b(close: Any) -> None:
    for key, schema in _SCHEMAS:
        given = copy.deepcopy(schema)
        got = call(close, given)
        expect(got is not None, "returns_none")
        expect(given == schema, "changed")
        expect_type(got, dict, "close(schema)")
        expect(got.get("additionalProperties") is False, "root", got=repr(got.get("additionalProperties")))
        wanted = _closed(schema)
        if got != wanted:
            # The first schema that fails names the kind of place that was forgotten.
            expect(_without(got) == schema, "other_changes", schema=repr(schema), got=repr(got))
            raise NotYet(text_for_exercise(key, schema=repr(schema)))


def _closed(schema: Any, *, is_schema: bool = True) -> Any:
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    names = {"properties", "$defs"} if is_schema else set()
    made = {
        key: value if is_schema and key == "default" else _closed(value, is_schema=key not in names)
        for key, value in schema.items()
    }
    return {**made, "additionalProperties": False} if is_schema and schema.get("type") == "object" else made


def _without(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without(value) for key, value in schema.items() if key != "additionalProperties"}


_ORDERS = [
    {"number": 1042, "email": "alex@example.com", "status": "shipped", "total_usd": 112.0},
    {"number": 1036, "email": "alex@example.com", "status": "delivered", "total_usd": 57.8},
    {"number": 1030, "email": "alex@example.com", "status": "cancelled", "total_usd": 49.9},
    {"number": 1047, "email": "ines@example.org", "status": "placed", "total_usd": 14.9},
    {"number": 1040, "email": "lucia@example.org", "status": "shipped", "total_usd": 208.6},
]
_ALEX = "alex@example.com"


@checker("07.c")
def check_07_c(refusal: Any) -> None:
    shipped, delivered, cancelled, placed, of_lucia = _ORDERS
    for order, amount in ((shipped, 112.0), (delivered, 0.01), (delivered, 20)):
        got = call(refusal, dict(order), amount, _ALEX)
        expect(got is None, "refuses", amount=amount, total=order["total_usd"], got=repr(got))
    _expect_refusal(refusal, of_lucia, 10.0, _ALEX, "foreign")
    told = call(refusal, dict(of_lucia), 10.0, _ALEX)
    secrets = [word for word in ("lucia", "208.6", "shipped") if word in told.lower()]
    expect(not secrets, "tells", got=told)
    _expect_refusal(refusal, cancelled, 10.0, _ALEX, "cancelled")
    _expect_refusal(refusal, placed, 10.0, "ines@example.org", "placed")
    for amount, key in ((112.01, "too_much"), (0, "zero"), (-5.0, "negative"), (float("nan"), "nan")):
        _expect_refusal(refusal, shipped, amount, _ALEX, key)
    told = call(refusal, dict(shipped), 500.0, _ALEX)
    expect("112" in told, "no_limit", got=told)


def _expect_refusal(refusal: Any, order: dict[str, Any], amount: float, email: str, key: str) -> None:
    got = call(refusal, dict(order), amount, email)
    expect(got is not None and got is not True and got is not False, key, got=repr(got))
    expect_type(got, str, "refusal(order, amount, email)")
    expect(got.strip(), "empty_text")
