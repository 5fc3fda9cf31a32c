"""The shop's functions, as a lesson or a model calls them."""

from __future__ import annotations

import inspect
import json
import typing
from contextlib import closing

import pytest

from course_lib import shop

TOOLS = [
    shop.get_messages,
    shop.find_order,
    shop.list_orders,
    shop.check_inventory,
    shop.calculate_shipping,
    shop.calculate_vat,
    shop.get_weather,
    shop.calculate,
    shop.search_help,
    shop.create_ticket,
    shop.refund_order,
    shop.refund_once,
]


@pytest.fixture(autouse=True)
def fresh_shop():
    shop.reset()


def texts(*arguments):
    return [message["text"] for message in shop.get_messages(*arguments)["messages"]]


# Every tool


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.__name__)
def test_a_tool_has_hints_and_describes_every_argument(tool):
    hints = typing.get_type_hints(tool)
    parameters = inspect.signature(tool).parameters
    documentation = inspect.getdoc(tool)
    assert set(hints) == {*parameters, "return"}
    for section in ("Args:", "Returns:", "Raises:"):
        assert section in documentation
    for name in parameters:
        assert f"\n    {name}: " in documentation


@pytest.mark.parametrize(
    "result",
    [
        lambda: shop.get_messages("all"),
        lambda: shop.find_order(1042),
        lambda: shop.list_orders(),
        lambda: shop.check_inventory("SKU-500"),
        lambda: shop.calculate_shipping(2.5, "CA"),
        lambda: shop.calculate_vat(99.9),
        lambda: shop.get_weather("Paris"),
        lambda: shop.calculate("1 / 3"),
        lambda: shop.search_help("refund"),
        lambda: shop.create_ticket("other", "low", "hello"),
        lambda: shop.refund_order(1036, 12.3),
    ],
)
def test_a_result_is_plain_json(result):
    value = result()
    assert json.loads(json.dumps(value, allow_nan=False)) == value


NOT_TEXT = [5.5, True, [], {}, ["x"]]
ODD_TEXT = ["\0", "\ud800", "x" * 10_000, "'; DROP TABLE orders"]


@pytest.mark.parametrize("wrong", [None, "", "  ", *NOT_TEXT, *ODD_TEXT], ids=lambda wrong: ascii(wrong)[:12])
@pytest.mark.parametrize(
    "call",
    [
        lambda wrong: shop.get_messages(wrong),
        lambda wrong: shop.find_order(wrong),
        lambda wrong: shop.check_inventory(wrong),
        lambda wrong: shop.calculate_shipping(1, wrong),
        lambda wrong: shop.get_weather(wrong),
        lambda wrong: shop.calculate(wrong),
        lambda wrong: shop.create_ticket(wrong, "low", "hello"),
        lambda wrong: shop.create_ticket("other", wrong, "hello"),
    ],
    ids=["messages", "order", "inventory", "shipping", "weather", "calculate", "category", "priority"],
)
def test_a_wrong_argument_gives_a_short_sentence(call, wrong):
    assert_short_sentence(call, wrong)


@pytest.mark.parametrize("wrong", [*NOT_TEXT, *ODD_TEXT], ids=lambda wrong: ascii(wrong)[:12])
@pytest.mark.parametrize("name", ["email", "status", "since"])
def test_a_wrong_filter_gives_a_short_sentence(name, wrong):
    assert_short_sentence(lambda wrong: shop.list_orders(**{name: wrong}), wrong)


def assert_short_sentence(call, wrong):
    with pytest.raises((ValueError, shop.NotFound)) as caught:
        call(wrong)
    message = str(caught.value)
    assert message.endswith(".") and len(message) < 400
    message.encode("utf-8")


# get_messages


@pytest.mark.parametrize(
    ("period", "count", "oldest"),
    [
        ("day", 2, "2026-11-20"),
        ("week", 6, "2026-11-14"),
        ("month", 13, "2026-10-22"),
        ("year", 35, "2025-11-21"),
        ("all", 42, "2025-06-30"),
    ],
)
def test_a_period_counts_days_back_from_today_and_includes_today(period, count, oldest):
    found = shop.get_messages(period)
    assert found["count"] == len(found["messages"]) == count
    assert found["messages"][-1]["sent_at"] == oldest


def test_the_day_before_a_period_begins_has_a_message_that_is_left_out():
    every_day = [message["sent_at"] for message in shop.get_messages("all")["messages"]]
    assert {"2026-11-19", "2026-11-13", "2026-10-21", "2025-11-20"} <= set(every_day)


def test_messages_come_newest_first_with_day_and_text_only():
    messages = shop.get_messages("all")["messages"]
    assert messages[0] == {
        "sent_at": "2026-11-20",
        "text": "Has order 1042 left the warehouse? I would like to plan the delivery.",
    }
    assert [message["sent_at"] for message in messages] == sorted(
        (message["sent_at"] for message in messages), reverse=True
    )


def test_messages_of_one_minute_come_in_a_fixed_order():
    with closing(shop.connect()) as connection:
        connection.executemany(
            "INSERT INTO messages (customer_id, sent_at, text) VALUES (1, '2026-11-20 11:59', ?)",
            [("a",), ("b",)],
        )
    assert texts("day")[:2] == ["b", "a"]


def test_messages_of_other_customers_stay_theirs():
    assert not any("quiet" in text for text in texts("all"))
    with closing(shop.connect()) as connection:
        assert (
            connection.execute("SELECT count(*) FROM messages WHERE text LIKE '%quiet%'").fetchone()[0] == 1
        )


def test_a_keyword_matches_whatever_its_case_and_accents():
    assert (
        texts("week", "DIRECCION")
        == texts("week", "dirección")
        == ["¿Puedo cambiar la dirección de entrega del pedido 1042?"]
    )


def test_a_keyword_matches_inside_words():
    assert shop.get_messages("all", "invoice")["count"] == 4
    assert any("invoices" in text for text in texts("all", "invoice"))


@pytest.mark.parametrize("wildcard", ["%", "_", "*", "?mug", "1042%", "deliver_"])
def test_a_wildcard_is_a_character_like_any_other(wildcard):
    assert shop.get_messages("all", wildcard)["count"] == 0


def test_a_percent_sign_finds_a_percent_sign():
    with closing(shop.connect()) as connection:
        connection.execute(
            "INSERT INTO messages (customer_id, sent_at, text) VALUES (1, '2026-11-20 11:00', '100% happy')"
        )
    assert texts("all", "%") == texts("all", "100% H") == ["100% happy"]


@pytest.mark.parametrize("nothing", [None, "", "   "])
def test_no_keyword_means_every_message(nothing):
    assert shop.get_messages("week", nothing)["count"] == 6


def test_a_keyword_that_nothing_contains_gives_an_empty_list():
    assert shop.get_messages("all", "bicycle") == {"count": 0, "messages": []}


def test_quotes_in_a_keyword_are_text():
    assert shop.get_messages("all", "' OR 1=1 --")["count"] == 0


def test_a_keyword_that_is_not_text_is_refused():
    with pytest.raises(ValueError, match="keyword must be text, not int"):
        shop.get_messages("week", 1042)


@pytest.mark.parametrize("period", ["last week", "Week", "semana", "", None, 7, ["week"]])
def test_another_period_is_refused_with_those_that_there_are(period):
    with pytest.raises(ValueError, match="period must be one of day, week, month, year, all, not"):
        shop.get_messages(period)


def test_delivery_is_what_the_active_user_writes_about_most():
    topics = {"delivery", "invoice", "refund", "discount", "kettle", "gift", "address", "coffee"}
    counts = {topic: shop.get_messages("year", topic)["count"] for topic in topics}
    assert max(counts, key=counts.get) == "delivery"
    assert counts["delivery"] == 7


# Orders


def test_an_order_is_found_with_what_a_customer_asks_about():
    assert shop.find_order(1042) == {
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


def test_dates_that_are_not_known_are_left_out():
    assert {"shipped_on", "expected_on", "delivered_on"}.isdisjoint(shop.find_order(1048))


@pytest.mark.parametrize("written", ["1042", "#1042", " 1042 "])
def test_an_order_number_may_come_as_text(written):
    assert shop.find_order(written)["number"] == 1042


@pytest.mark.parametrize("number", ["ten", "-1042", "1042.0", 1042.5, True, 10**30, "9" * 30, "١٠٤٢", None])
def test_what_is_not_an_order_number_is_refused(number):
    with pytest.raises(ValueError, match="number must be an order number such as 1042, not"):
        shop.find_order(number)


@pytest.mark.parametrize("number", [0, -1, 9999])
def test_an_unknown_order_says_what_to_do(number):
    with pytest.raises(shop.NotFound, match=f"There is no order {number}: .*list_orders"):
        shop.find_order(number)


def test_every_order_can_be_found_and_its_total_agrees_with_the_list():
    with closing(shop.connect()) as connection:
        numbers = [number for (number,) in connection.execute("SELECT number FROM orders")]
    listed = {order["number"]: order["total_usd"] for order in shop.list_orders()["orders"]}
    found = {number: shop.find_order(number)["total_usd"] for number in numbers}
    assert len(found) == 34 and listed.items() <= found.items()


def test_a_list_tells_how_many_match_and_shows_the_newest_twenty():
    found = shop.list_orders()
    assert found["count"] == 34
    assert [order["number"] for order in found["orders"]] == list(range(1048, 1028, -1))


@pytest.mark.parametrize(
    ("status", "count"), [("placed", 2), ("paid", 3), ("shipped", 3), ("delivered", 22), ("cancelled", 4)]
)
def test_orders_are_filtered_by_status(status, count):
    found = shop.list_orders(status=status)
    assert found["count"] == count
    assert {order["status"] for order in found["orders"]} == {status}


def test_orders_are_filtered_by_customer_whatever_the_case_of_the_address():
    found = shop.list_orders(email=" Alex@Example.com ")
    assert [order["number"] for order in found["orders"]] == [1042, 1039, 1036, 1030, 1021, 1017]


def test_since_includes_its_own_day():
    assert [order["number"] for order in shop.list_orders(since="2026-11-19")["orders"]] == [1048, 1047]


def test_filters_work_together():
    found = shop.list_orders("alex@example.com", "delivered", "2026-11-01")
    assert [order["number"] for order in found["orders"]] == [1039, 1036]


def test_filters_that_say_nothing_are_left_out():
    assert shop.list_orders("", None, " ") == shop.list_orders()


def test_no_matching_order_is_an_empty_list_but_an_unknown_customer_an_error():
    assert shop.list_orders("grace@example.org", "paid") == {"count": 0, "orders": []}
    with pytest.raises(shop.NotFound, match="No customer has the e-mail address 'nobody@example.com'"):
        shop.list_orders("nobody@example.com")


@pytest.mark.parametrize("since", ["yesterday", "2026-13-01", "20261101", "2026-W47-5", "01/11/2026"])
def test_a_date_in_another_form_is_refused(since):
    with pytest.raises(ValueError, match="since must be a date written YYYY-MM-DD"):
        shop.list_orders(since=since)


# Stock, shipping, VAT


def test_sku_990_is_in_stock():
    assert shop.check_inventory(" sku-990 ") == {
        "sku": "SKU-990",
        "product": "Espresso machine",
        "in_stock": True,
        "quantity": 12,
        "warehouse": "east",
        "price_usd": 189.0,
        "weight_kg": 2.5,
    }


def test_a_product_out_of_stock_says_when_it_comes_back_if_that_is_known():
    kettle, press = shop.check_inventory("SKU-500"), shop.check_inventory("SKU-410")
    assert kettle["in_stock"] is press["in_stock"] is False
    assert kettle["restock_on"] == "2026-12-01" and "restock_on" not in press


def test_an_unknown_code_gets_the_codes_that_there_are():
    with pytest.raises(shop.NotFound, match="No product has the code 'teapot'.*SKU-400"):
        shop.check_inventory("teapot")


def test_shipping_costs_less_to_canada_and_the_united_states():
    assert shop.calculate_shipping(2.5, "CA") == {"destination": "CA", "cost_usd": 21.25, "delivery_days": 3}
    assert shop.calculate_shipping(2.5, "us")["cost_usd"] == 21.25
    assert shop.calculate_shipping(2.5, "ES") == {"destination": "ES", "cost_usd": 35.0, "delivery_days": 6}


def test_half_a_cent_is_rounded_upwards():
    assert shop.calculate_shipping(0.13, "CA")["cost_usd"] == 1.11  # 1.105
    assert shop.calculate_vat(1.005, 1.0)["vat"] == 1.01


@pytest.mark.parametrize("weight", [0, -1, 30.01, 1e300, float("nan"), float("inf"), "2.5", True, 10**400])
def test_a_weight_that_cannot_be_shipped_is_refused(weight):
    with pytest.raises(ValueError, match="weight_kg must be"):
        shop.calculate_shipping(weight, "CA")


@pytest.mark.parametrize("destination", ["Canada", "C", "C4", "ÑÑ", ""])
def test_a_destination_that_is_not_a_country_code_is_refused(destination):
    with pytest.raises(ValueError, match="destination"):
        shop.calculate_shipping(1, destination)


def test_vat_is_twenty_percent_unless_said_otherwise():
    assert shop.calculate_vat(100) == {"vat": 20.0, "total": 120.0}
    assert shop.calculate_vat(19.99, 0.21) == {"vat": 4.2, "total": 24.19}
    assert shop.calculate_vat(0, 0) == {"vat": 0.0, "total": 0.0}


def test_a_rate_in_percent_is_refused_with_the_right_form():
    with pytest.raises(ValueError, match=r"not 20: write 0\.20 for 20 percent"):
        shop.calculate_vat(100, 20)


# Weather


@pytest.mark.parametrize(
    "city", ["Mexico City", "ciudad de mexico", "CIUDAD DE MÉXICO", "CDMX", "Mexico City, Mexico"]
)
def test_a_city_is_known_by_its_english_and_spanish_name(city):
    assert shop.get_weather(city) == {
        "city": "Mexico City",
        "country": "Mexico",
        "temperature_c": 18,
        "condition": "cloudy",
    }


@pytest.mark.parametrize(
    "city", ["Tokyo", "Tokio", "Paris", "París", "Londres", "Nueva York", "Sevilla", "Bogota"]
)
def test_names_that_lessons_use_are_known(city):
    assert shop.get_weather(city)["temperature_c"] is not None


def test_an_unknown_city_gets_the_cities_that_there_are():
    with pytest.raises(shop.NotFound, match="There is no weather for 'Atlantis'.*Madrid.*Tokyo"):
        shop.get_weather("Atlantis")


# Help articles


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How long does a refund take?", "When a refund arrives"),
        ("¿Cuánto tarda un reembolso?", "Cuándo llega un reembolso"),
        ("¿Cuánto cuesta el envío a España?", "Costes y plazos de envío"),
        ("ENVIO", "Costes y plazos de envío"),
        ("My mug arrived broken!", "Something arrived broken"),
        ("Can I return a product?", "Return a product"),
        ("¿Cómo cancelo un pedido?", "Cancelar un pedido"),
        ("cancelling orders", "Cancel an order"),
        ("invoice", "Invoices and VAT"),
        ("pago con tarjeta", "Formas de pago"),
        ("gift boxes", "Discounts and gift boxes"),
    ],
)
def test_a_question_finds_its_article_first(question, first):
    assert shop.search_help(question)["articles"][0]["title"] == first


def test_articles_come_with_title_language_and_text_three_at_most():
    found = shop.search_help("order")
    assert found["count"] == len(found["articles"]) == 3
    assert {tuple(article) for article in found["articles"]} == {("title", "language", "text")}


@pytest.mark.parametrize(
    "query",
    [
        '"refund',
        "refund OR",
        "NOT refund",
        "refund AND (",
        "NEAR(refund invoice, 2)",
        "title:refund",
        "refund*",
        "^refund",
        "-refund",
        "{title body}: refund",
        "refund; DROP TABLE orders",
        "'refund'",
        "re_fund refund\\",
    ],
)
def test_search_operators_are_words_like_any_other(query):
    assert "When a refund arrives" in [article["title"] for article in shop.search_help(query)["articles"]]


def test_a_question_about_something_else_finds_nothing():
    assert shop.search_help("Where can I get a pizza?") == {"count": 0, "articles": []}
    assert shop.search_help("how can I do that?") == {"count": 0, "articles": []}


@pytest.mark.parametrize("query", ["", "  ", "?!", '"', "___", None, 5])
def test_a_search_without_words_is_refused(query):
    with pytest.raises(ValueError, match="query"):
        shop.search_help(query)


def test_a_very_long_question_is_still_answered():
    assert shop.search_help("refund " * 5_000)["articles"][0]["title"] == "When a refund arrives"


def test_what_the_articles_say_about_shipping_is_what_the_function_charges():
    text = shop.search_help("shipping costs")["articles"][0]["text"]
    assert "8.50 dollars" in text and "14.00 dollars" in text and "30 kg" in text
    assert shop.calculate_shipping(1, "CA") == {"destination": "CA", "cost_usd": 8.5, "delivery_days": 3}
    assert shop.calculate_shipping(1, "ES") == {"destination": "ES", "cost_usd": 14.0, "delivery_days": 6}


# Tickets


def test_a_ticket_gets_the_next_number_and_is_stored_for_the_active_customer():
    assert shop.create_ticket("refund", "high", "  Taza rota ") == {"number": 307, "status": "open"}
    assert shop.create_ticket("other", "low", "hello")["number"] == 308
    with closing(shop.connect()) as connection:
        row = connection.execute("SELECT * FROM tickets WHERE number = 307").fetchone()
    assert tuple(row) == (307, 1, "refund", "high", "Taza rota", "open", "2026-11-20")


def test_a_ticket_with_several_mistakes_is_told_all_of_them_and_not_stored():
    with pytest.raises(ValueError, match="category must be one of.*priority must be one of.*summary"):
        shop.create_ticket("complaint", "urgent", "")
    with closing(shop.connect()) as connection:
        assert connection.execute("SELECT count(*) FROM tickets").fetchone()[0] == 6


def test_a_summary_may_have_500_characters_and_no_more():
    assert shop.create_ticket("other", "low", "x" * 500)["status"] == "open"
    with pytest.raises(ValueError, match="summary has 501 characters: write at most 500"):
        shop.create_ticket("other", "low", "x" * 501)


def test_sql_in_a_summary_is_text():
    shop.create_ticket("other", "low", "'); DROP TABLE tickets; --")
    assert shop.create_ticket("other", "low", "still here")["number"] == 308
