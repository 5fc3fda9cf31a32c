"""Lesson 07: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import copy
import io
import json
from contextlib import redirect_stdout

import lessons
import pytest
from lessons import judge, solution

from course_lib import shop, start
from course_lib.tools import ToolArgumentError


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    with redirect_stdout(io.StringIO()):
        found = lessons.run("07", until="rules-shop")
    yield found
    start.teardown()
    shop.reset()


def calls(exchanges):
    return [
        (block["name"], block["input"])
        for exchange in exchanges
        for block in lessons.blocks(exchange.response, "tool_use")
    ]


def test_without_strict_each_of_six_calls_has_a_mistake_of_form(lesson):
    names, made = lesson
    found = calls(made["without-run"])
    assert len(found) == 6
    (_, extra), (_, year), (unknown, _), (_, paid), (_, text), (_, missing) = found
    assert "verbose" in extra and year["period"] == "YEAR" and paid["status"] == "PAID"
    assert unknown not in names["TOOLS"] and text["weight_kg"] == "4" and "destination" not in missing


def test_run_mends_only_the_number_and_names_the_other_problems(lesson):
    names, made = lesson
    runs = []
    for name, arguments in calls(made["without-problems"]):
        try:
            names["TOOLS"][name].run(arguments)
            runs.append(arguments)
        except (KeyError, ToolArgumentError):
            pass
    assert runs == [{"weight_kg": "4", "destination": "ES"}]


def test_with_strict_the_same_six_questions_give_six_calls_that_fit(lesson):
    names, made = lesson
    assert all(tool["strict"] for one in made["with-run"] for tool in one.request["tools"])
    found = calls(made["with-run"])
    assert len(found) == 6
    for name, arguments in found:
        names["TOOLS"][name].run(arguments)


def test_openai_wants_every_argument_and_anthropic_only_the_required(lesson):
    vat = lesson[0]["vat"]
    anthropic, openai = vat.to_anthropic(strict=True)["input_schema"], vat.to_openai_parameters(strict=True)
    assert anthropic["required"] == ["subtotal"] and openai["required"] == ["subtotal", "rate"]
    assert vat.run({"subtotal": 100, "rate": None}) == {"vat": 20.0, "total": 120.0}


def test_each_provider_refuses_its_own_part_of_the_six_schemas(lesson):
    names, _ = lesson
    taken = {
        provider: {name for name, schema in names["SCHEMAS"].items() if says(schema) == "taken"}
        for provider, says in (("anthropic", names["anthropic_says"]), ("openai", names["openai_says"]))
    }
    assert taken == {"anthropic": {"optional"}, "openai": {"minimum", "recursion"}}


def test_a_limit_becomes_words_for_anthropic_and_is_checked_in_any_case(lesson):
    reserve = lesson[0]["reserve"]
    pieces = reserve.to_anthropic()["input_schema"]["properties"]["pieces"]
    assert "minimum" not in pieces and "at least 1" in pieces["description"]
    with pytest.raises(ToolArgumentError):
        reserve.run({"sku": "SKU-990", "pieces": 0})


def test_max_tokens_cuts_a_strict_call(lesson):
    (exchange,) = lesson[1]["cut"]
    assert exchange.response["stop_reason"] == "max_tokens"
    assert [list(arguments) for _, arguments in calls([exchange])] == [["weight_kg"]]


def test_a_refusal_has_no_call(lesson):
    (exchange,) = lesson[1]["refusal"]
    assert exchange.response["stop_reason"] == "refusal" and not calls([exchange])


def test_the_trusting_tool_would_refund_the_order_of_somebody_else(lesson):
    names, made = lesson
    assert calls(made["rules-function"]) == [("naive_refund", {"number": 1040, "amount": 5000})]
    assert shop.find_order(1040)["email"] != "alex@example.com"


def test_the_shop_allows_one_of_the_three_refunds(lesson):
    _, made = lesson
    demanded = [arguments for _, arguments in calls(made["rules-shop"])]
    assert demanded == [
        {"number": 1040, "amount": 5000},
        {"number": 1036, "amount": 5000},
        {"number": 1036, "amount": 12},
    ]
    with shop.connect() as connection:
        rows = connection.execute(
            "SELECT order_number, amount_cents FROM refunds ORDER BY id DESC LIMIT 1"
        ).fetchall()
    assert [tuple(row) for row in rows] == [(1036, 1200)]


def test_exercise_a_what_strict_prevents():
    right = solution("07", "ex-07-a-answer")["prevented"]
    judge(
        "07.a",
        right,
        {
            "a number": 4,
            "other letters": [*right, "z"],
            "all": list("abcdefgh"),
            "none": [],
            "the opposite": list("bdfh"),
            "an amount too": [*right, "d"],
            "without closed objects": ["a", "c", "g"],
        },
    )


@pytest.mark.parametrize("form", [("G", "e", "C", "a"), {"a", "c", "e", "g"}, "aceg", "a, c, e, g"])
def test_exercise_a_any_form_of_the_right_letters_passes(form):
    from course_lib import check

    assert check("07.a", form).passed


def test_exercise_b_objects_closed():
    right = solution("07", "ex-07-b-answer")["close"]

    def only_root(schema):
        return {**schema, "additionalProperties": False}

    def in_place(schema):
        schema["additionalProperties"] = False
        return schema

    def blind(schema):
        """Closes whatever has a key that looks right, as a search through all dictionaries does."""
        if isinstance(schema, list):
            return [blind(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        made = {key: blind(value) for key, value in schema.items()}
        return {**made, "additionalProperties": False} if "properties" in made or "type" in made else made

    def without(keyword):
        def close(schema):
            made = right(schema)

            def restore(new, old):
                if isinstance(new, dict):
                    if keyword in new and keyword in old:
                        new[keyword] = copy.deepcopy(old[keyword])
                    for key in new.keys() & old.keys():
                        restore(new[key], old[key])
                return new

            return restore(made, schema)

        return close

    def by_key(schema):
        """Recursive, but takes every value under "properties" for names."""
        made = {
            key: {name: by_key(part) for name, part in value.items()} if key == "properties" else value
            for key, value in schema.items()
        }
        for key in ("items",):
            if key in made:
                made[key] = by_key(made[key])
        for key in ("anyOf",):
            if key in made:
                made[key] = [by_key(part) for part in made[key]]
        return {**made, "additionalProperties": False} if made.get("type") == "object" else made

    judge(
        "07.b",
        right,
        {
            "root only": only_root,
            "in place": in_place,
            "forgets items": without("items"),
            "forgets choices": without("anyOf"),
            "forgets $defs": by_key,
            "every dictionary": blind,
            "text": lambda schema: json.dumps(right(schema)),
            "true": lambda schema: {**right(schema), "additionalProperties": True},
            "drops the required": lambda schema: {
                key: value for key, value in right(schema).items() if key != "required"
            },
            "forgot return": lambda schema: print(end=""),
        },
    )


def test_exercise_c_rules_that_no_schema_can_say():
    right = solution("07", "ex-07-c-answer")["refusal"]

    def without(text):
        """The solution with one of its rules never firing."""

        def refusal(order, amount, email):
            told = right(order, amount, email)
            return None if told and text in told else told

        return refusal

    def amount_by(forbidden):
        def refusal(order, amount, email):
            if order["email"] != email or order["status"] in ("placed", "cancelled"):
                return right(order, amount, email)
            return f"At most {order['total_usd']:.2f}." if forbidden(order, amount) else None

        return refusal

    def status_first(order, amount, email):
        if order["status"] in ("placed", "cancelled"):
            return right({**order, "email": email}, amount, email)
        told = right(order, amount, email)
        return (
            f"Order {order['number']} ({order['status']}) is not yours." if "no order" in str(told) else told
        )

    judge(
        "07.c",
        right,
        {
            "any order": lambda order, amount, email: right({**order, "email": email}, amount, email),
            "tells the status": status_first,
            "cancelled": without("cancelled"),
            "placed": without("placed"),
            "no upper limit": amount_by(lambda order, amount: not amount > 0),
            "zero": amount_by(lambda order, amount: not 0 <= amount <= order["total_usd"]),
            "only what is forbidden": amount_by(
                lambda order, amount: amount <= 0 or amount > order["total_usd"]
            ),
            "not the whole": lambda order, amount, email: (
                right(order, amount, email) or (None if amount < order["total_usd"] else "Less.")
            ),
            "no limit told": lambda order, amount, email: right(order, amount, email) and "Not possible.",
            "booleans": lambda order, amount, email: right(order, amount, email) is not None,
            "raises": lambda order, amount, email: 1 / 0 if right(order, amount, email) else None,
        },
    )
