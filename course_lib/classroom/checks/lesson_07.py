"""Checkers of lesson 07: what strict prevents, a schema closed by hand, and rules that no schema can say."""

from __future__ import annotations

import copy
import re
from typing import Any

from ...tools.schema import Schema, rebuild
from .helpers import Problems, call, expect, expect_type, letters, not_yet
from .running import checker

_PREVENTED = set("aceg")
_NOT_PREVENTED = set("bdfh")


@checker("07.a")
def check_07_a(prevented: Any) -> None:
    chosen = letters(prevented, "abcdefgh")
    problems = Problems()
    problems.expect_empty(chosen - _PREVENTED - _NOT_PREVENTED, "unknown")
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
    ("named_properties", {"type": "object", "properties": {"properties": {"type": "string"}, "type": _TEXT}}),
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
            raise not_yet(key, schema=repr(schema))


def _closed(schema: Schema) -> Schema:
    """Return the schema with all its objects closed."""
    closed = {"additionalProperties": False}
    return rebuild(schema, lambda part: {**part, **closed} if part.get("type") == "object" else part)


def _without(schema: Any) -> Any:
    """Return what an answer made of a schema without the keyword, which may be where it does not belong."""
    if isinstance(schema, list):
        return [_without(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without(value) for key, value in schema.items() if key != "additionalProperties"}


# As shop.find_order returns them.
_SHIPPED = {
    "number": 1042,
    "email": "alex@example.com",
    "status": "shipped",
    "placed_on": "2026-11-13",
    "shipped_on": "2026-11-19",
    "expected_on": "2026-11-22",
    "total_usd": 112.0,
    "items": [
        {"sku": "SKU-210", "product": "Coffee beans, 1 kg", "quantity": 2, "price_usd": 24.0},
        {"sku": "SKU-900", "product": "Coffee grinder", "quantity": 1, "price_usd": 64.0},
    ],
}
_DELIVERED = {
    "number": 1036,
    "email": "alex@example.com",
    "status": "delivered",
    "placed_on": "2026-11-02",
    "shipped_on": "2026-11-03",
    "expected_on": "2026-11-06",
    "delivered_on": "2026-11-06",
    "total_usd": 57.8,
    "refunded_usd": 12.0,
    "items": [
        {"sku": "SKU-200", "product": "Ground coffee, 250 g", "quantity": 1, "price_usd": 9.8},
        {"sku": "SKU-300", "product": "Blue mug", "quantity": 4, "price_usd": 12.0},
    ],
}
_CANCELLED = {
    "number": 1030,
    "email": "alex@example.com",
    "status": "cancelled",
    "placed_on": "2026-10-12",
    "total_usd": 49.9,
    "items": [{"sku": "SKU-500", "product": "Electric kettle", "quantity": 1, "price_usd": 49.9}],
}
_PLACED = {
    "number": 1047,
    "email": "ines@example.org",
    "status": "placed",
    "placed_on": "2026-11-19",
    "total_usd": 14.9,
    "items": [
        {"sku": "SKU-100", "product": "Green tea, 100 g", "quantity": 1, "price_usd": 8.5},
        {"sku": "SKU-120", "product": "Chamomile tea, 20 bags", "quantity": 1, "price_usd": 6.4},
    ],
}
_ALEX, _INES = "alex@example.com", "ines@example.org"
# One number with everything else different: nothing but the number may show in what is said of them.
_FOREIGN = [
    {**order, "number": 1040, "email": email}
    for email in ("lucia@example.org", "diego@example.com")
    for order in (_SHIPPED, _PLACED, _CANCELLED, _DELIVERED)
]
_NAN = float("nan")

_SOMEBODY = "(customer|client|person|people|user|buyer|shopper|owner)"
_TELLS_OF_SOMEBODY = re.compile(
    rf"\b((an)?other|different)('s)? (\w+ )?{_SOMEBODY}|\bothers?['’]"
    r"|\b(in|on|under|to|from|of) ((an)?other|a different) (account|name|e-?mail|address)"
    r"|\b(some|any)(body|one)( else|['’]s)"
    r"|\botr[oa]s? (\w+ )?(cliente|persona|usuari[oa]|comprador|dueñ[oa])|\balguien más|\bajen[oa]s?\b"
    r"|\b(de|a) otr[oa]s?(?=[.,;!]|\s*$)",
    re.IGNORECASE,
)
# "No order 1040 belongs to you" is also true of a number that no order has.
_NEGATION = re.compile(r"\b(no|not|none|nothing|never|ning[uú]n\w*|nada|nunca)\b|n['’]t\b", re.IGNORECASE)
_TELLS_OF_AN_ORDER = re.compile(r"\b(belongs|exists|pertenece|existe)\b", re.IGNORECASE)


@checker("07.c")
def check_07_c(refusal: Any) -> None:
    for order, amount in ((_SHIPPED, 112.0), (_DELIVERED, 0.01), (_DELIVERED, 20)):
        got = _refused(refusal, order, amount, _ALEX)
        expect(got is None, "refuses", amount=amount, total=order["total_usd"], got=repr(got))
    _expect_nothing_of_foreign_orders(refusal)
    _expect_refusal(refusal, _CANCELLED, 10.0, _ALEX, "cancelled")
    _expect_refusal(refusal, _PLACED, 10.0, _INES, "placed")
    for amount, key in ((112.01, "too_much"), (0, "zero"), (-5.0, "negative"), (_NAN, "nan")):
        _expect_refusal(refusal, _SHIPPED, amount, _ALEX, key)
    sentence = _expect_refusal(refusal, _SHIPPED, 500.0, _ALEX, "too_much")
    expect("112" in sentence, "no_limit", got=sentence)


def _expect_nothing_of_foreign_orders(refusal: Any) -> None:
    """Go on if what is said of somebody's order depends on its number, and on nothing that it holds."""
    # 30.0 and 100.0 lie between the totals, where a test of the amount tells which is larger.
    for amount in (10.0, 30.0, 100.0, 5000.0, 0, -5.0, _NAN):
        first = _expect_refusal(refusal, _FOREIGN[0], amount, _ALEX, "foreign")
        for order in _FOREIGN[1:]:
            other = _expect_refusal(refusal, order, amount, _ALEX, "foreign")
            expect(first == other, "tells", amount=amount, first=first, other=other)
        expect(not _says_that_it_exists(first), "exists", got=first)


def _says_that_it_exists(sentence: str) -> bool:
    if _TELLS_OF_SOMEBODY.search(sentence):
        return True
    found = _TELLS_OF_AN_ORDER.search(sentence)
    before = re.split(r"[.;:!?]", sentence[: found.start()])[-1] if found else ""
    return bool(found) and not _NEGATION.search(before)


def _refused(refusal: Any, order: dict[str, Any], amount: float, email: str) -> Any:
    return call(refusal, copy.deepcopy(order), amount, email)


def _expect_refusal(refusal: Any, order: dict[str, Any], amount: float, email: str, key: str) -> str:
    got = _refused(refusal, order, amount, email)
    expect(got is not None and got is not True and got is not False, key, got=repr(got))
    expect_type(got, str, "refusal(order, amount, email)")
    expect(got.strip(), "empty_text")
    return got
