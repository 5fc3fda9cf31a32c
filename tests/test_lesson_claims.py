"""What the text of each lesson claims about its cells: which tool was called, how often, which error."""

from __future__ import annotations

import json
import re
from typing import get_args

import lessons
import pytest
from anthropic.types import StopReason
from lessons import blocks

from course_lib import shop, start


@pytest.fixture(scope="module")
def lesson_00():
    shop.reset()
    yield lessons.run("00", until="memory-keeps")
    start.teardown()


@pytest.fixture(scope="module")
def lesson_01():
    shop.reset()
    yield lessons.run("01", until="wrap-run")
    start.teardown()


@pytest.fixture(scope="module")
def lesson_02():
    shop.reset()
    yield lessons.run("02", until="mistake-id")
    start.teardown()


def test_00_the_first_message_is_one_request_and_one_answer(lesson_00):
    names, made = lesson_00
    (exchange,) = made["first-message"]
    assert (exchange.method, exchange.path, exchange.status) == ("POST", "/v1/messages", 200)
    assert sorted(exchange.request) == ["max_tokens", "messages", "model"]


def test_00_the_database_knows_what_the_request_does_not_hold(lesson_00):
    _, made = lesson_00
    (exchange,) = made["gap-ask"]
    count = str(shop.get_messages("week")["count"])
    assert not exchange.request.get("tools")
    (text,) = blocks(exchange.response, "text")
    assert count not in text["text"]


def test_00_the_name_is_known_only_where_the_history_is_sent(lesson_00):
    _, made = lesson_00
    said, asked_alone = made["memory-forgets"]
    *_, asked_with_history = made["memory-keeps"]
    assert "Alex" not in blocks(asked_alone.response, "text")[0]["text"]
    assert "Alex" in blocks(asked_with_history.response, "text")[0]["text"]
    assert len(asked_with_history.request["messages"]) == 3


def test_01_the_question_gives_one_call_for_the_week(lesson_01):
    _, made = lesson_01
    (exchange,) = made["ask"]
    assert exchange.response["stop_reason"] == "tool_use"
    (call,) = blocks(exchange.response, "tool_use")
    assert (call["name"], call["input"]) == ("get_messages", {"period": "week"})


def test_01_the_answer_carries_the_count_of_the_database(lesson_01):
    _, made = lesson_01
    (exchange,) = made["return-ask"]
    assert exchange.response["stop_reason"] == "end_turn"
    assert f" {shop.get_messages('week')['count']} " in blocks(exchange.response, "text")[0]["text"]


def test_01_the_result_carries_the_id_of_its_call_under_the_role_user(lesson_01):
    _, made = lesson_01
    _, assistant, user = made["return-ask"][0].request["messages"]
    assert (assistant["role"], user["role"]) == ("assistant", "user")
    assert blocks(user, "tool_result")[0]["tool_use_id"] == blocks(assistant, "tool_use")[0]["id"]


def test_01_a_result_without_its_history_is_a_400_that_names_place_and_id(lesson_01):
    names, made = lesson_01
    (exchange,) = made["no-history"]
    message = exchange.response["error"]["message"]
    assert exchange.status == 400
    assert message.startswith("messages.0.content.0") and names["call"].id in message


def test_01_small_talk_needs_no_tool(lesson_01):
    _, made = lesson_01
    (exchange,) = made["no-tool"]
    assert exchange.request["tools"] and not blocks(exchange.response, "tool_use")
    assert exchange.response["stop_reason"] == "end_turn"


def test_01_a_spanish_question_fills_both_arguments(lesson_01):
    _, made = lesson_01
    (call,) = blocks(made["spanish"][0].response, "tool_use")
    assert call["input"] == {"period": "month", "keyword": "factura"}


def test_01_too_few_tokens_cut_the_text(lesson_01):
    _, made = lesson_01
    (exchange,) = made["max-tokens"]
    assert exchange.response["stop_reason"] == "max_tokens"
    assert exchange.response["usage"]["output_tokens"] == 10


def test_01_the_table_has_every_stop_reason_of_the_sdk():
    (table,) = (cell.source for cell in lessons.cells("01") if cell.id == "stop-reasons-read")
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)[1:]) == sorted(get_args(StopReason))


def test_01_the_function_makes_two_requests_with_the_tool_and_one_without(lesson_01):
    _, made = lesson_01
    statuses = [exchange.response["stop_reason"] for exchange in made["wrap-run"]]
    assert statuses == ["tool_use", "end_turn", "end_turn"]


def test_01_most_of_the_request_is_the_definition(lesson_01):
    from course_lib import show

    _, made = lesson_01
    (share,) = re.findall(r"tool definitions +\d+ +(\d+) %", repr(show.prompt(made["ask"][0])))
    assert int(share) > 50


def test_02_chat_gives_arguments_as_text_and_content_null(lesson_02):
    _, made = lesson_02
    (choice,) = made["chat-ask"][0].response["choices"]
    assert choice["finish_reason"] == "tool_calls" and choice["message"]["content"] is None
    (call,) = choice["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"period": "week"}


def test_02_responses_has_two_ids_for_one_call(lesson_02):
    _, made = lesson_02
    (response,) = (exchange.response for exchange in made["responses-ask"])
    (call,) = (item for item in response["output"] if item["type"] == "function_call")
    assert response["status"] == "completed" and call["id"] != call["call_id"]


@pytest.mark.parametrize("cell", ["chat-return", "responses-return"])
def test_02_both_answers_carry_the_count_of_the_database(lesson_02, cell):
    _, made = lesson_02
    (exchange,) = made[cell]
    assert f" {shop.get_messages('week')['count']} " in json.dumps(exchange.response, ensure_ascii=False)


def test_02_a_missing_result_is_a_400_that_names_the_call(lesson_02):
    names, made = lesson_02
    (exchange,) = made["mistake-missing"]
    assert exchange.status == 400 and names["tool_call"].id in exchange.response["error"]["message"]


def test_02_a_wrong_id_is_a_400_that_names_that_id(lesson_02):
    names, made = lesson_02
    (exchange,) = made["mistake-id"]
    (call,) = names["calls"]
    assert exchange.status == 400 and call.id in exchange.response["error"]["message"]


def test_02_the_table_differs_in_kind_only_where_the_text_says_so(lesson_02):
    from course_lib import show

    table = repr(show.names())
    assert "content[].input  (object)" in table
    assert table.count("arguments  (text)") == 2
