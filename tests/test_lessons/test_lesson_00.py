"""Lesson 00: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import lessons
import pytest
from lessons import blocks, judge, solution

import course_lib
from course_lib import check, shop
from course_lib.classroom import setup


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    yield lessons.run("00", until="memory-keeps")
    setup.teardown()


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


def by_its_class(response):
    from anthropic.types import TextBlock

    return "\n".join(block.text for block in response.content if isinstance(block, TextBlock))


@pytest.mark.parametrize(
    "text_of",
    [
        by_its_class,
        lambda r: "\n".join(b["text"] for b in r.model_dump()["content"] if b["type"] == "text"),
        lambda r: "\n".join(b["text"] for b in map(lambda b: b.to_dict(), r.content) if "text" in b),
        lambda r: "\n".join(getattr(b, "text", "") for b in r.content if hasattr(b, "text")),
    ],
)
def test_exercise_a_what_the_sdk_offers_can_be_used(text_of):
    assert check("00.a", text_of).passed


def test_exercise_a_what_was_raised_was_not_returned():
    first = check("00.a", lambda r: r.content[0].text).message
    assert "raised AttributeError: 'ThinkingBlock' object" in first and "returned" not in first
    assert "returned 'First.'" in check("00.a", lambda r: by_its_class(r).split("\n")[0]).message


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


@pytest.mark.parametrize("form", ["b and d", ["b and d"], ["bd"], "none", "b, and d"])
def test_exercise_b_words_are_no_letters(form):
    assert check("00.b", form).message.startswith("Put the letters into a list")


@pytest.mark.parametrize("form", [["d", "b"], ("B", "D"), {"b", "d"}, "bd", "b, d", " B D ", frozenset("bd")])
def test_exercise_b_any_form_of_the_right_letters_passes(form):
    assert check("00.b", form).passed


@pytest.fixture
def practice_mode():
    course_lib.setup(lesson=0)
    yield
    setup.teardown()


def history(first, last, nod="Understood."):
    texts = (("user", first), ("assistant", nod), ("user", last))
    return [{"role": role, "content": text} for role, text in texts]


def test_exercise_c_a_history_that_holds_the_fact(practice_mode):
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
            "no question": [fact, nod, user("That is where I live.")],
            "texts": ["I live in Salamanca.", "Understood.", "Where do I live?"],
            "no content": [fact, {"role": "assistant"}, question],
            "blocks": [fact, {"role": "assistant", "content": 3}, question],
            "no place": [user("Hello"), nod, question],
            "small talk": [fact, nod, user("How are you?")],
            "another key": [fact, nod, {**question, "name": "Alex"}],
            "a riddle": [user("Guess my home: the capital of Norway."), nod, question],
        },
    )


@pytest.mark.parametrize(
    "first",
    ["I live in Oslo.", "I reside in Oslo.", "I'm living in Oslo.", "Hi! I live in Oslo.", "i live in oslo"],
)
@pytest.mark.parametrize("last", ["Where do I live?", "So where do I live?", "Tell me where I live."])
def test_exercise_c_what_the_practice_model_can_answer_passes(practice_mode, first, last):
    assert check("00.c", history(first, last)).passed


def test_exercise_c_another_question_is_not_what_was_asked_for(practice_mode):
    other = history("My name is Alex and I live in Oslo.", "What is my name?")
    assert "should ask where" in check("00.c", other).message


def test_exercise_c_in_spanish(practice_mode):
    assert check("00.c", history("Vivo en Salamanca.", "¿Dónde vivo?", "Entendido.")).passed


@pytest.mark.parametrize(
    "first", ["I live here.", "I live alone.", "I live in", "I like Oslo.", "My dog is Rex."]
)
def test_exercise_c_a_sentence_without_a_place_says_nothing_of_one(practice_mode, first):
    assert check("00.c", history(first, "Where do I live?")).message.startswith("I found no sentence")


def test_exercise_c_what_the_practice_model_does_not_understand_is_not_called_wrong(practice_mode):
    message = check("00.c", history("Guess my home: the capital of Norway.", "Where do I live?")).message
    assert "I cannot know that." in message and "A real model may understand" in message


@pytest.mark.parametrize(
    ("first", "last", "passed"),
    [
        ("I'm based in Oslo", "Where do I live?", True),
        ("My address is 5 Main Street, Oslo", "Now tell me where I live.", True),
        ("Me mudé a Oslo", "¿En qué ciudad vivo?", True),
        ("I live here.", "Where do I live?", False),
        ("I like Oslo.", "Where do I live?", False),
        ("I live in Oslo.", "How are you?", False),
    ],
)
def test_exercise_c_live_the_words_decide_and_nothing_is_sent(
    monkeypatch, practice_mode, first, last, passed
):
    before = len(setup.exchanges())
    monkeypatch.setattr(setup, "is_live", lambda: True)
    assert check("00.c", history(first, last)).passed == passed
    assert len(setup.exchanges()) == before


def test_exercise_c_before_setup_the_words_decide_and_nothing_is_sent():
    assert setup.status() is None
    assert check("00.c", history("I'm based in Oslo", "Where do I live?")).passed
