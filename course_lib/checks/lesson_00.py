"""Checkers of lesson 00: text of a response, what stands in a request, a history that holds a fact."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from course_lib.checks import NotYet, Problems, call, checker, expect, expect_type
from course_lib.checks.texts import text_for_exercise


def _text(words: str) -> SimpleNamespace:
    return SimpleNamespace(type="text", text=words)


_THINKING = SimpleNamespace(type="thinking", thinking="Shall I greet?", signature="c2lnbmVk")
_TOOL_USE = SimpleNamespace(type="tool_use", id="toolu_1", name="get_messages", input={"period": "day"})
# What the response holds, what text_of should return, and the message for an answer that does not.
_RESPONSES = [
    ([_text("Good morning.")], "Good morning.", "plain"),
    ([_THINKING, _text("Hello!")], "Hello!", "thinking_first"),
    ([_text("First."), _TOOL_USE, _text("Second.")], "First.\nSecond.", "two_texts"),
    ([_TOOL_USE], "", "no_text"),
    ([], "", "empty"),
]


@checker("00.a")
def check_00_a(text_of: Any) -> None:
    for content, expected, key in _RESPONSES:
        try:
            got = call(text_of, SimpleNamespace(content=content, stop_reason="end_turn"))
        except (AttributeError, IndexError, StopIteration) as error:
            raise NotYet(text_for_exercise(key, got=type(error).__name__)) from error
        expect_type(got, str, "text_of(response)")
        expect(got == expected, key, got=repr(got))


@checker("00.b")
def check_00_b(from_the_request: Any) -> None:
    expect(isinstance(from_the_request, list | tuple | set | str), "shape")
    chosen = {str(letter).strip().lower() for letter in from_the_request} - {"", ","}
    problems = Problems()
    problems.expect(not chosen - set("abcde"), "unknown", got=", ".join(sorted(chosen - set("abcde"))))
    problems.expect("a" not in chosen, "orders")
    problems.expect("c" not in chosen, "weather")
    problems.expect("e" not in chosen, "last_request")
    problems.expect("b" in chosen, "repeat")
    problems.expect("d" in chosen, "letter")
    problems.report()


@checker("00.c")
def check_00_c(messages: Any) -> None:
    expect_type(messages, list, "messages")
    expect(len(messages) == 3, "length", got=len(messages))
    for number, message in enumerate(messages):
        expect_type(message, dict, f"messages[{number}]")
        expect({"role", "content"} <= message.keys(), "keys", number=number)
        expect_type(message["content"], str, f'messages[{number}]["content"]')
        expect(message["content"].strip(), "blank", number=number)
    roles = [message["role"] for message in messages]
    expect(roles == ["user", "assistant", "user"], "roles", got=", ".join(map(str, roles)))
    first, _, last = (message["content"].strip() for message in messages)
    expect(not re.match(r"\W*(?:where|d[oó]nde)\b", first, re.IGNORECASE), "first_asks")
    expect(re.search(r"\b(?:live|home|from|vivo|resido|casa|soy de)\b", first, re.IGNORECASE), "no_place")
    expect("?" in last, "last_does_not_ask")
    expect(re.search(r"\b(?:where|d[oó]nde)\b", last, re.IGNORECASE), "other_question")
