"""Checkers of lesson 03: a definition that is used well, names with a prefix, results without ballast."""

from __future__ import annotations

import copy
import re
from typing import Any

from ... import models, shop
from ...shop.support import CATEGORIES, PRIORITIES
from ...tools import tool
from .. import setup
from .helpers import Problems, call, expect, expect_empty, expect_equal, expect_type, listed, not_yet
from .lesson_01 import says_what_it_returns, says_when_to_use_it
from .results import text_for_exercise
from .running import checker

_TICKET = re.compile(r"\b(?:tickets?|tiques?|incidencias?|support requests?|cases?)\b", re.IGNORECASE)
_OTHERS = (
    shop.get_messages,
    shop.find_order,
    shop.list_orders,
    shop.check_inventory,
    shop.calculate_shipping,
    shop.search_help,
)
# When not to use it: a refusal, a limit, or who does it instead.
_WHEN_NOT = re.compile(
    r"\b(?:do not|don['’]t|never|not) (?:be )?(?:us|call|open|creat|mak|offer|tak|pick|need)"
    r"|\b(?:not|isn['’]t|is no tool) (?:for|when|if|meant|intended|to|the tool|just)\b"
    r"|\b(?:never|only|instead|rather than|unless|except|elsewhere|other tools?|another tool)\b"
    r"|\bno (?:la |lo |se |debe |hay que )?(?:us|utili|llam|abr|cre|es|sirve|para|cuando|si)"
    r"|\b(?:nunca|s[oó]lo|solamente|[uú]nicamente|en lugar de|en vez de|salvo|excepto|a menos que)\b"
    r"|\b(?:otras? herramientas?)\b"
    rf"|\b(?:{'|'.join(function.__name__ for function in _OTHERS)})\b",
    re.IGNORECASE,
)
# Words by which a tool is for everything, unless they go on: "any message that reports a problem".
_TOO_BROAD = re.compile(
    r"\b(?:any|every|each|all) (?:\w+ ){0,2}?(?:questions?|messages?)\b"
    r"(?! (?:that|which|who|where|in which|with a|reporting|describing))"
    r"|\b(?:says?|writes?|asks?) (?:anything|something|whatever)\b|\banything at all\b"
    r"|\b(?:use|call) (?:it|this|this tool) always\b|\balways (?:use|call)\b"
    r"|\b(?:cualquier|cada|toda) (?:\w+ )?(?:pregunta|mensaje)\b(?! (?:que|donde|en))"
    r"|\b(?:diga|escriba|pregunte) (?:cualquier cosa|algo|lo que)\b|\b[uú]s[ae]la siempre\b",
    re.IGNORECASE,
)
_FIELDS = ("summary", "category", "priority")
_CLOSED = {"category": set(CATEGORIES), "priority": set(PRIORITIES)}

# What the definition is tried with. Only category and priority are compared: a summary is free text.
_WANT_A_TICKET = (
    ("I want my money back for order 1036. Please open a ticket.", {"category": "refund"}),
    ("Open a ticket: I never got an invoice. It is urgent.", {"category": "invoice", "priority": "high"}),
    ("Abre un tique: mi pedido no ha llegado.", {"category": "delivery"}),
)
_WANT_SOMETHING_ELSE = (
    "Where is order 1042?",
    "How do I return a mug that I do not like?",
    "¿Hay existencias de SKU-410?",
    "How many messages did I send last week?",
)


@checker("03.a", seconds=60)
def check_03_a(CREATE_TICKET: Any) -> None:
    expect_type(CREATE_TICKET, dict, "CREATE_TICKET")
    problems = Problems()
    problems.expect(CREATE_TICKET.get("name") == "create_ticket", "name", got=repr(CREATE_TICKET.get("name")))
    _check_description(CREATE_TICKET.get("description"), problems)
    schema = CREATE_TICKET.get("input_schema")
    if problems.expect(isinstance(schema, dict) and isinstance(schema.get("properties"), dict), "no_schema"):
        _check_fields(schema, problems)
    problems.report()
    if not setup.is_live():  # a live model may decide otherwise without the definition being wrong
        _try_it(CREATE_TICKET)


def _check_description(description: Any, problems: Problems) -> None:
    if not problems.expect(isinstance(description, str) and description.strip(), "no_description"):
        return
    words = len(description.split())
    if problems.expect(words >= 12, "short_description", got=words):
        problems.expect(words <= 120, "long_description", got=words)
        problems.expect(_TICKET.search(description), "no_ticket")
        problems.expect(says_when_to_use_it(description), "no_when")
        problems.expect(says_what_it_returns(description), "no_returns")
        sentences = re.split(r"(?<=[.!?;:])\s+", description)
        problems.expect(any(map(_WHEN_NOT.search, sentences)), "no_when_not")
        broad = [_TOO_BROAD.search(one) for one in sentences if not _WHEN_NOT.search(one)]
        found = next((one for one in broad if one), None)
        problems.expect(found is None, "too_broad", got=found.group() if found else "")


def _check_fields(schema: dict[str, Any], problems: Problems) -> None:
    problems.expect(schema.get("type") == "object", "root_type", got=repr(schema.get("type")))
    properties = schema["properties"]
    missing = [name for name in _FIELDS if not isinstance(properties.get(name), dict)]
    problems.expect_empty(missing, "missing_fields")
    problems.expect_empty(properties.keys() - set(_FIELDS), "extra_fields")
    for name in _FIELDS:
        field = properties.get(name)
        if isinstance(field, dict):
            kind, about = field.get("type"), field.get("description")
            problems.expect(kind == "string", "field_type", name=name, got=repr(kind))
            problems.expect(isinstance(about, str) and about.strip(), "no_field_description", name=name)
    for name, values in _CLOSED.items():
        if isinstance(properties.get(name), dict):
            _check_enum(name, properties[name].get("enum"), values, problems)
    required = schema.get("required")
    if problems.expect(isinstance(required, list), "no_required"):
        problems.expect("priority" not in required, "priority_required")
        problems.expect_empty(
            [name for name in ("summary", "category") if name not in required], "not_required"
        )


def _check_enum(name: str, enum: Any, values: set[str], problems: Problems) -> None:
    if problems.expect(isinstance(enum, list) and enum, f"no_enum_{name}"):
        problems.expect_empty(set(map(str, enum)) ^ values, "other_enum", name=name)


def _try_it(definition: dict[str, Any]) -> None:
    """Ask the model of this session, with the new tool among the tools of the lesson."""
    others = [tool(function).to_anthropic() for function in _OTHERS]
    for question, expected in _WANT_A_TICKET:
        made = _calls(question, [*others, definition])
        inputs = [one.input for one in made if one.name == "create_ticket"]
        expect(inputs, "not_called", question=question, got=_names(made))
        for name, value in expected.items():
            got = inputs[0].get(name)
            expect(got == value, "other_value", question=question, name=name, expected=value, got=repr(got))
    for question in _WANT_SOMETHING_ELSE:
        made = _calls(question, [*others, definition])
        expect("create_ticket" not in _names(made), "called_for", question=question)


def _calls(question: str, tools: list[dict[str, Any]]) -> list[Any]:
    from anthropic import Anthropic, BadRequestError

    messages = [{"role": "user", "content": question}]
    try:
        response = Anthropic().messages.create(
            model=models.ANTHROPIC, max_tokens=1000, tools=tools, messages=messages
        )
    except BadRequestError as error:
        raise not_yet("refused", got=error.api_message) from error
    return [block for block in response.content if block.type == "tool_use"]


def _names(made: list[Any]) -> str:
    return ", ".join(one.name for one in made) or text_for_exercise("no_call")


_TOOLS = [
    {
        "name": "find_order",
        "description": "Find one order by its number. Without a number, use list_orders.",
        "input_schema": {
            "type": "object",
            "properties": {"list_orders": {"type": "string", "description": "As find_order says."}},
        },
    },
    {
        "name": "find_order_items",
        "description": "The items of an order that find_order (not list_orders) found.",
        "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}},
    },
    {
        "name": "list_orders",
        "description": "List orders. For what is in one of them, use find_order_items.",
        "input_schema": {"type": "object"},
    },
]


@checker("03.b")
def check_03_b(with_prefix: Any) -> None:
    given = copy.deepcopy(_TOOLS)
    got = call(with_prefix, "shop", given)
    expect(got is not None, "returns_none")
    expect(given == _TOOLS, "changed")
    expect_type(got, list, "with_prefix(prefix, tools)")
    expect(len(got) == len(_TOOLS), "number", expected=len(_TOOLS), got=len(got))
    for found, tool_ in zip(got, _TOOLS, strict=True):
        expect_type(found, dict, "each definition")
        _check_prefixed(found, tool_)
    again = call(with_prefix, "warehouse", given)
    expect_type(again, list, "with_prefix(prefix, tools)")
    names = [one.get("name") for one in again if isinstance(one, dict)]
    wanted = [f"warehouse_{tool_['name']}" for tool_ in _TOOLS]
    expect(names == wanted, "other_prefix", expected=listed(wanted), got=listed(names))


def _check_prefixed(found: dict[str, Any], given: dict[str, Any]) -> None:
    name = f"shop_{given['name']}"
    expect(found.get("name") == name, "name", expected=name, got=repr(found.get("name")))
    description = found.get("description")
    expect_type(description, str, f'the description of "{name}"')
    expect("shop_shop_" not in description, "twice", got=description)
    pattern = r"\b(find_order_items|find_order|list_orders)\b"
    expect(not re.search(pattern, description), "mention", name=name, got=description)
    expect_equal(description, re.sub(pattern, r"shop_\1", given["description"]), "description")
    expect("shop_" not in str(found.get("input_schema")), "schema_changed")
    expect_equal(found, {**given, "name": name, "description": description}, name)


_RECORDS = [
    {
        "product_id": 31,
        "sku": "SKU-990",
        "name": "Espresso machine",
        "quantity": 12,
        "in_stock": True,
        "price_cents": 18999,
        "restock_on": None,
        "warehouse_bin": "E-17-3",
        "updated_at": "2026-11-20T11:58:03Z",
        "image_url": "https://shop.example/img/31.png",
    },
    {
        "product_id": 40,
        "sku": "SKU-700",
        "name": None,
        "quantity": 0,
        "in_stock": False,
        "price_cents": 0,
        "restock_on": "2026-12-01",
        "warehouse_bin": "E-02-1",
        "updated_at": "2026-11-19T08:00:00Z",
        "image_url": None,
    },
]


@checker("03.c")
def check_03_c(for_model: Any) -> None:
    for record in _RECORDS:
        given = dict(record)
        got = call(for_model, given)
        expect(given == record, "changed")
        expect_type(got, dict, "for_model(record)")
        expect_empty([name for name, value in got.items() if value is None], "none")
        expected = {
            name: record[name]
            for name in ("sku", "name", "quantity", "in_stock", "restock_on")
            if record[name] is not None
        }
        lost = [name for name in expected if name not in got]
        expect_empty([name for name in lost if not expected[name]], "zero")
        expect_empty(lost, "lost")
        price, dollars = got.get("price_usd"), record["price_cents"] / 100
        expect("price_usd" in got, "zero_price" if record["price_cents"] == 0 else "no_price")
        expect(price == dollars, "price", expected=dollars, got=repr(price))
        expect_empty(got.keys() - {*expected, "price_usd"}, "extra")
        expect_equal(got, {**expected, "price_usd": price}, "for_model(record)", reveal=True)
