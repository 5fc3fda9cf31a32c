"""shop.refund_order: what a shop checks before it gives money back, whoever asks for it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from course_lib import shop
from course_lib.shop import database, orders
from course_lib.tools import Tool


@pytest.fixture(autouse=True)
def fresh_shop():
    shop.reset()


def change(sql, *values):
    with closing(shop.connect()) as connection:
        connection.execute(sql, values)


def stored(number):
    """The refunds of an order: cents, in the order they were made."""
    with closing(shop.connect()) as connection:
        rows = connection.execute(
            "SELECT amount_cents FROM refunds WHERE order_number = ? ORDER BY id", (number,)
        )
        return [cents for (cents,) in rows]


# What it does -------------------------------------------------------------------------------------


def test_a_refund_is_stored_with_what_is_left():
    assert shop.refund_order(1042, 40.5) == {
        "id": 502,
        "number": 1042,
        "amount_usd": 40.5,
        "remaining_usd": 71.5,
    }
    with closing(shop.connect()) as connection:
        row = connection.execute("SELECT * FROM refunds WHERE id = 502").fetchone()
    assert tuple(row) == (502, 1042, 4050, "2026-11-20 12:00", None)


def test_an_order_shows_what_was_refunded_and_says_nothing_where_nothing_was():
    assert shop.find_order(1036)["refunded_usd"] == 12.0  # one blue mug arrived broken
    assert "refunded_usd" not in shop.find_order(1042)
    shop.refund_order(1042, 0.1)
    shop.refund_order(1042, 0.2)
    assert shop.find_order(1042)["refunded_usd"] == 0.3
    assert shop.find_order(1042)["total_usd"] == 112.0


def test_cents_add_up_to_the_total_exactly():
    for _ in range(6):
        shop.refund_order(1039, 7.29)  # of 51.00, and seven of them would be 51.03
    with pytest.raises(ValueError, match=r"is 7\.26\."):
        shop.refund_order(1039, 7.27)
    assert shop.refund_order(1039, 7.26)["remaining_usd"] == 0.0
    assert sum(stored(1039)) == 5100


def test_the_model_gives_a_number_and_an_amount_and_nothing_else():
    schema = Tool(shop.refund_order).parameters
    types = {name: field["type"] for name, field in schema["properties"].items()}
    assert types == {"number": "integer", "amount": "number"}
    assert schema["required"] == ["number", "amount"]
    assert all(field["description"] for field in schema["properties"].values())


# Whose order --------------------------------------------------------------------------------------


def refusal(number):
    with pytest.raises(shop.NotFound) as caught:
        shop.refund_order(number, 5)
    return str(caught.value).replace(str(number), "N")


def test_an_order_of_somebody_else_and_one_that_is_none_are_refused_in_the_same_words():
    with closing(shop.connect()) as connection:
        others = [n for (n,) in connection.execute("SELECT number FROM orders WHERE customer_id <> 1")]
    assert len(others) == 28
    assert {refusal(number) for number in (*others, 9999, 0)} == {
        "The signed-in customer has no order N: ask them for the number."
    }


def test_a_wrong_amount_does_not_tell_that_somebody_has_an_order():
    for amount in (10**9, 0.5):
        with pytest.raises(shop.NotFound):
            shop.refund_order(1041, amount)


def test_the_program_says_who_is_signed_in():
    with shop.signed_in_as("Lucia@example.org"):
        assert shop.refund_order(1040, 5)["number"] == 1040
        assert refusal(1042)
        assert shop.get_messages("all")["count"] != 42
        with shop.signed_in_as("alex@example.com"):
            assert shop.refund_order(1042, 5)["number"] == 1042
        assert refusal(1042)
    assert shop.get_messages("all")["count"] == 42
    assert refusal(1040)


def test_signing_in_holds_in_other_threads_and_ends_after_a_failure():
    with pytest.raises(KeyError), shop.signed_in_as("lucia@example.org"):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(shop.refund_order, 1040, 5).result()["number"] == 1040
        raise KeyError
    assert shop.refund_order(1042, 5)["number"] == 1042


def test_nobody_can_sign_in_who_is_no_customer():
    with pytest.raises(shop.NotFound, match=r"No customer has the e-mail address 'eve@example\.com'"):
        with shop.signed_in_as("eve@example.com"):
            pass


# Which orders -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (1030, "Order 1030 is cancelled: there is nothing to refund."),
        (1021, "Order 1021 was delivered on 2026-09-05: refunds ended on 2026-10-05, 30 days later."),
    ],
)
def test_an_order_that_cannot_be_refunded_says_why(number, reason):
    with pytest.raises(shop.NotAllowed) as caught:
        shop.refund_order(number, 5)
    assert str(caught.value) == reason and stored(number) == []


def test_an_order_that_is_not_paid_cannot_be_refunded_and_one_that_is_can():
    with shop.signed_in_as("lucia@example.org"), pytest.raises(shop.NotAllowed, match="1048 is not paid"):
        shop.refund_order(1048, 5)
    with shop.signed_in_as("priya@example.com"):
        assert shop.refund_order(1046, 5)["remaining_usd"] == 184.0


@pytest.mark.parametrize(("delivered", "allowed"), [("2026-10-21", True), ("2026-10-20", False)])
def test_the_thirtieth_day_after_delivery_is_the_last(delivered, allowed):
    change("UPDATE orders SET placed_on = '2026-10-01', shipped_on = '2026-10-02' WHERE number = 1039")
    change("UPDATE orders SET delivered_on = ? WHERE number = 1039", delivered)
    if allowed:
        assert shop.refund_order(1039, 5)
    else:
        with pytest.raises(shop.NotAllowed, match="refunds ended on 2026-11-19"):
            shop.refund_order(1039, 5)


# How much -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "amount", [0, -5, 0.001, 12.345, 0.1 + 0.2, "5", True, None, float("nan"), float("inf")]
)
def test_an_amount_that_is_none_is_refused(amount):
    with pytest.raises(ValueError, match="amount must be"):
        shop.refund_order(1042, amount)


@pytest.mark.parametrize("amount", [45.81, 1e300, 10**400])
def test_the_most_is_the_total_less_what_was_refunded_before(amount):
    with pytest.raises(ValueError) as caught:
        shop.refund_order(1036, amount)
    assert str(caught.value) == "The most that can be refunded on order 1036 is 45.80."
    assert shop.refund_order(1036, 45.8)["remaining_usd"] == 0.0


def test_nothing_is_left_of_an_order_that_was_refunded_in_full():
    shop.refund_order(1036, 45.8)
    with pytest.raises(shop.NotAllowed, match="1036 is refunded in full"):
        shop.refund_order(1036, 0.01)


def test_a_hundred_dollars_of_an_order_need_no_person_and_a_cent_more_does():
    with pytest.raises(shop.NeedsApproval, match=r"More than 100\.00 of order 1042 .* a person must decide"):
        shop.refund_order(1042, 100.01)
    assert stored(1042) == []
    assert shop.refund_order(1042, 100)["remaining_usd"] == 12.0


def test_a_large_refund_in_small_pieces_needs_a_person_as_well():
    shop.refund_order(1042, 60)
    with pytest.raises(shop.NeedsApproval):
        shop.refund_order(1042, 40.01)
    shop.refund_order(1042, 40)
    with pytest.raises(shop.NotAllowed):  # whoever handles NotAllowed handles this too
        shop.refund_order(1042, 0.01)


def test_several_mistakes_are_told_at_once():
    with pytest.raises(ValueError, match="number must be .*amount must be more than 0"):
        shop.refund_order("ten", -1)


def test_the_help_article_says_what_the_function_does():
    for question in ("When does a refund arrive?", "¿Cuándo llega un reembolso?"):
        text = shop.search_help(question)["articles"][0]["text"]
        assert f"{orders.DAYS_AFTER_DELIVERY} d" in text
        assert f"{orders.MOST_WITHOUT_A_PERSON // 100} d" in text
    assert f"{orders.DAYS_AFTER_DELIVERY} days" in " ".join(shop.refund_order.__doc__.split())
    assert f"{orders.MOST_WITHOUT_A_PERSON // 100} dollars" in shop.refund_order.__doc__


# Once ---------------------------------------------------------------------------------------------


def test_the_same_key_never_pays_twice():
    first = shop.refund_once("toolu_1", 1042, 10)
    assert shop.refund_once("toolu_1", 1042, 10.0) == first
    assert stored(1042) == [1000]
    assert shop.refund_once("toolu_2", 1042, 10)["id"] == first["id"] + 1
    assert stored(1042) == [1000, 1000]


def test_without_a_key_two_refunds_are_two():
    shop.refund_order(1042, 10)
    shop.refund_order(1042, 10)
    assert stored(1042) == [1000, 1000]


def test_a_repeated_key_answers_also_when_the_refund_would_no_longer_be_allowed():
    first = shop.refund_once("toolu_1", 1036, 45.8)
    assert shop.refund_once("toolu_1", 1036, 45.8) == first


def test_a_failed_refund_leaves_its_key_free():
    with pytest.raises(ValueError, match="The most"):
        shop.refund_once("toolu_1", 1036, 50)
    assert shop.refund_once("toolu_1", 1036, 5)["amount_usd"] == 5.0


@pytest.mark.parametrize(("number", "amount"), [(1042, 11), (1036, 10)])
def test_a_key_cannot_stand_for_two_refunds(number, amount):
    shop.refund_once("toolu_1", 1042, 10)
    with pytest.raises(ValueError, match="This key was used for another refund"):
        shop.refund_once("toolu_1", number, amount)


def test_a_key_does_not_open_the_orders_of_others():
    shop.refund_once("toolu_1", 1042, 10)
    with shop.signed_in_as("lucia@example.org"), pytest.raises(shop.NotFound):
        shop.refund_once("toolu_1", 1042, 10)


@pytest.mark.parametrize("key", ["", "  ", None, 7])
def test_a_key_that_is_none_is_refused(key):
    with pytest.raises(ValueError, match="key"):
        shop.refund_once(key, 1042, 10)


# At the same time ---------------------------------------------------------------------------------


def at_once(work):
    """Run work(n) in sixteen threads that begin together; return results and exceptions."""
    together = threading.Barrier(16)

    def run(n):
        together.wait()
        try:
            return work(n)
        except Exception as error:  # noqa: BLE001 (the test looks at them)
            return error

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(run, range(16)))


def test_sixteen_refunds_at_once_never_pay_more_than_the_order_cost():
    outcomes = at_once(lambda _: shop.refund_order(1039, 4))
    paid = [outcome for outcome in outcomes if isinstance(outcome, dict)]
    assert len(paid) == 12 and stored(1039) == [400] * 12  # of 51 dollars
    assert {str(outcome) for outcome in outcomes if outcome not in paid} == {
        "The most that can be refunded on order 1039 is 3.00."
    }
    assert sorted(one["remaining_usd"] for one in paid) == [51 - 4 * n for n in range(12, 0, -1)]


def test_sixteen_tries_with_one_key_pay_once():
    outcomes = at_once(lambda _: shop.refund_once("toolu_1", 1042, 10))
    assert outcomes == [outcomes[0]] * 16 and stored(1042) == [1000]


def test_a_database_that_somebody_else_holds_is_explained_and_nothing_is_paid(monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with closing(shop.connect()) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(shop.ShopBroken, match="locked by another connection"):
            shop.refund_order(1042, 10)
        connection.execute("ROLLBACK")
    assert stored(1042) == []
