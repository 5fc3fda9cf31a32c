"""Lesson 07: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import copy
import io
import json
from contextlib import redirect_stdout

import lessons
import pytest
from lessons import judge, solution

from course_lib import check, shop
from course_lib.classroom import setup
from course_lib.classroom.checks import PASSED, lesson_07
from course_lib.tools import ToolArgumentError, ToolSchemaError, check_limits


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    with redirect_stdout(io.StringIO()):
        found = lessons.run("07", until="rules-shop")
    yield found
    setup.teardown()
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


def test_fourteen_tools_are_over_both_limits_of_what_they_hold(lesson):
    many = lesson[0]["many"]
    assert len(many) == 14
    with pytest.raises(ToolSchemaError) as caught:
        check_limits(many, "anthropic")
    assert "optional parameters (limit 24)" in str(caught.value)
    assert "union parameters (limit 16)" in str(caught.value)
    assert "strict tools (limit" not in str(caught.value)


def test_a_dictionary_of_any_keys_has_a_strict_form_for_neither(lesson):
    names, _ = lesson
    assert "OpenAI alone" in text_of("library-refuses-read")
    schema = names["SCHEMAS"]["any keys"]
    assert "taken" not in (names["anthropic_says"](schema), names["openai_says"](schema))


def test_no_capitals_stand_where_strict_is_said_to_strike_something_out():
    """They are what Anthropic does not promise, as the text says of YEAR and PAID."""
    diagram = text_of("how-md").split("```")[1]
    assert diagram == diagram.lower()
    assert "YEAR" in text_of("with-read") and "PAID" in text_of("with-read")


def text_of(cell_id):
    (source,) = (cell.source for cell in lessons.cells("07") if cell.id == cell_id)
    return source


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
        return right(order, amount, email)

    def amount_first(order, amount, email):
        """Whose it is comes last, and is never asked where the amount is too large."""
        told = right({**order, "email": email}, amount, email)
        return told if told and "at most" in told else right(order, amount, email)

    def amount_first_without_the_total(order, amount, email):
        told = amount_first(order, amount, email)
        return "That is too much." if told and "at most" in told and order["email"] != email else told

    def of_foreign(sentence):
        def refusal(order, amount, email):
            return right(order, amount, email) if order["email"] == email else sentence(order)

        return refusal

    judge(
        "07.c",
        right,
        {
            "any order": lambda order, amount, email: right({**order, "email": email}, amount, email),
            "status first": status_first,
            "amount first": amount_first,
            "amount first, without the total": amount_first_without_the_total,
            "tells the status": of_foreign(lambda order: f"Order 1040 ({order['status']}) is not yours."),
            "tells the day": of_foreign(lambda order: f"Placed on {order.get('placed_on')} by somebody."),
            "tells the address": of_foreign(lambda order: f"Sign in as {order['email']}."),
            "tells the products": of_foreign(lambda order: f"No {order['items'][0]['product']} for you."),
            "tells what was refunded": of_foreign(
                lambda order: "No more refunds." if "refunded_usd" in order else "You have no such order."
            ),
            "empty": of_foreign(lambda order: " "),
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


def refusal_with(sentence):
    """The solution with another sentence for the orders of others."""
    right = solution("07", "ex-07-c-answer")["refusal"]
    return lambda order, amount, email: (
        right(order, amount, email) if order["email"] == email else sentence.format(**order)
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Order {number} belongs to another customer.",
        "Order {number} belongs to a customer who is not you.",
        "That is another customer's order.",
        "Order {number} was placed by somebody else.",
        "Order {number} is someone else's.",
        "I cannot refund other people's orders.",
        "Order {number} is of a different customer.",
        "Order {number} is in another account.",
        "Order {number} exists, but you may not see it.",
        "There is no refund for you. Order {number} belongs to the person who placed it.",
        "El pedido {number} es de otro cliente.",
        "El pedido {number} es de otro.",
        "El pedido {number} pertenece a quien lo hizo.",
        "No se devuelven pedidos ajenos.",
    ],
)
def test_exercise_c_a_sentence_that_says_that_the_order_is_somebodys_is_refused(sentence):
    result = check("07.c", refusal_with(sentence))
    assert result.state != PASSED and "there is such an order" in result.message
    assert sentence.format(number=1040) in result.message


@pytest.mark.parametrize(
    "sentence",
    [
        "The signed-in customer has no order {number}: ask them for the number.",
        "You have no order {number}. Ask for another number.",
        "There is no order {number}; perhaps it is another one, or they use a different e-mail address.",
        "No order {number} belongs to this customer.",
        "No order {number} exists for this customer.",
        "Order {number} does not belong to you.",
        "Order {number} is not one of your orders.",
        "No such order.",
        "El cliente no tiene el pedido {number}. Pide otro número.",
        "Ningún pedido {number} pertenece a este cliente.",
        "No existe el pedido {number}.",
    ],
)
def test_exercise_c_a_sentence_that_is_true_of_a_missing_order_too_passes(sentence):
    assert check("07.c", refusal_with(sentence)).passed


def test_exercise_c_an_amount_that_is_never_right_may_be_refused_first():
    right = solution("07", "ex-07-c-answer")["refusal"]
    answers = [
        lambda order, amount, email: right(order, amount, email) if amount > 0 else "It must be more than 0.",
        lambda order, amount, email: (
            f"You have no order {order['number']}, so {amount} cannot be refunded, {email}."
            if order["email"] != email
            else right(order, amount, email)
        ),
        # What was refunded before may count as well.
        lambda order, amount, email: right(
            {**order, "total_usd": order["total_usd"] - order.get("refunded_usd", 0)}, amount, email
        ),
    ]
    for answer in answers:
        assert check("07.c", answer).passed


def test_exercise_c_the_orders_are_full_records():
    shop.reset()
    for order in (lesson_07._SHIPPED, lesson_07._DELIVERED, lesson_07._CANCELLED, lesson_07._PLACED):
        assert shop.find_order(order["number"]) == order
    right = solution("07", "ex-07-c-answer")["refusal"]

    def reads_all_that_is_always_there(order, amount, email):
        bought = [item["product"] for item in order["items"]]
        when = order["placed_on"]
        told = right(order, amount, email)
        return told and (told if order["email"] != email else f"{told} ({', '.join(bought)}, {when})")

    assert check("07.c", reads_all_that_is_always_there).passed
