"""Lesson 00: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import lessons
import pytest
from lessons import blocks, judge, solution

from course_lib import check, shop, start


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    yield lessons.run("00", until="memory-keeps")
    start.teardown()


def test_the_first_message_is_one_request_and_one_answer(lesson):
    names, made = lesson
    (exchange,) = made["first-message"]
    assert (exchange.method, exchange.path, exchange.status) == ("POST", "/v1/messages", 200)
    assert sorted(exchange.request) == ["max_tokens", "messages", "model"]


def test_the_database_knows_what_the_request_does_not_hold(lesson):
    _, made = lesson
    (exchange,) = made["gap-ask"]
    count = str(shop.get_messages("week")["count"])
    assert not exchange.request.get("tools")
    (text,) = blocks(exchange.response, "text")
    assert count not in text["text"]


def test_the_name_is_known_only_where_the_history_is_sent(lesson):
    _, made = lesson
    said, asked_alone = made["memory-forgets"]
    *_, asked_with_history = made["memory-keeps"]
    assert "Alex" not in blocks(asked_alone.response, "text")[0]["text"]
    assert "Alex" in blocks(asked_with_history.response, "text")[0]["text"]
    assert len(asked_with_history.request["messages"]) == 3


def test_exercise_a_text_of_a_response():
    judge(
        "00.a",
        solution("00", "ex-00-a-answer")["text_of"],
        {
            "first block": lambda r: r.content[0].text,
            "first text only": lambda r: next((b.text for b in r.content if b.type == "text"), ""),
            "joined by a blank": lambda r: " ".join(b.text for b in r.content if b.type == "text"),
            "a list": lambda r: [b.text for b in r.content if b.type == "text"],
            "None when empty": lambda r: "\n".join(b.text for b in r.content if b.type == "text") or None,
            "the block itself": lambda r: str(r.content),
        },
    )


def test_exercise_b_what_a_request_holds():
    judge(
        "00.b",
        solution("00", "ex-00-b-answer")["from_the_request"],
        {
            "all": list("abcde"),
            "the last request": ["b", "d", "e"],
            "the weather": ["b", "c", "d"],
            "only one": ["b"],
            "none": [],
            "another letter": ["b", "d", "f"],
            "a dictionary": {"b": True, "d": True},
        },
    )


@pytest.mark.parametrize("form", [["d", "b"], ("B", "D"), {"b", "d"}, "bd", "b, d"])
def test_exercise_b_any_form_of_the_right_letters_passes(form):
    assert check("00.b", form).passed


def test_exercise_c_a_history_that_holds_the_fact():
    user, assistant = (
        (lambda text, role=role: {"role": role, "content": text}) for role in ("user", "assistant")
    )
    fact, nod, question = user("I live in Salamanca."), assistant("Understood."), user("Where do I live?")
    judge(
        "00.c",
        solution("00", "ex-00-c-answer")["messages"],
        {
            "only the question": [question],
            "two users": [fact, user("ok"), question],
            "an empty answer": [fact, assistant(" "), question],
            "question first": [question, nod, fact],
            "no question": [fact, nod, user("Tell me where I live")],
            "texts": ["I live in Salamanca.", "Understood.", "Where do I live?"],
            "no content": [fact, {"role": "assistant"}, question],
            "blocks": [fact, {"role": "assistant", "content": 3}, question],
            "no place": [user("Hello"), nod, question],
            "small talk": [fact, nod, user("How are you?")],
        },
    )
