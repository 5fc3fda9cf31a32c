"""Checkers of lesson 00: text of a response, what a request holds, a history that holds a fact."""

from __future__ import annotations

import re
from typing import Any

from .helpers import Problems, ask_practice, call, expect, expect_type, letters, listed, not_yet
from .results import described, text_for_exercise
from .running import checker


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


_THINKING = {"type": "thinking", "thinking": "Shall I greet?", "signature": "c2lnbmVk"}
_TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_messages", "input": {"period": "day"}}
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
            got = call(text_of, _response(content))
        except (AttributeError, IndexError, KeyError, StopIteration, TypeError) as error:
            raise not_yet(key, did=text_for_exercise("raised", got=described(error))) from error
        expect_type(got, str, "text_of(response)")
        expect(got == expected, key, did=text_for_exercise("returned", got=repr(got)))


def _response(content: list[dict[str, Any]]) -> Any:
    """Return a response as the SDK makes it, so that its types and methods can be used on it."""
    from anthropic.types import Message

    return Message.construct(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        content=content,
        stop_reason="tool_use" if _TOOL_USE in content else "end_turn",
        stop_sequence=None,
        usage={"input_tokens": 10, "output_tokens": 10},
    )


@checker("00.b")
def check_00_b(from_the_request: Any) -> None:
    chosen = letters(from_the_request, "abcde")
    problems = Problems()
    problems.expect_empty(chosen - set("abcde"), "unknown")
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
    expect(roles == ["user", "assistant", "user"], "roles", got=listed(roles))
    first, _, last = (message["content"].strip() for message in messages)
    asked = ask_practice(messages=messages)
    if asked is None:
        _look_at_the_words(first, last)
        return
    expect(not asked.refusal, "refused", got=asked.refusal)
    if not (_ASKS_WHERE.search(last) and _tells_place(first, last, asked.text)):
        _look_at_the_words(first, last)
        expect("?" in last, "last_does_not_ask")
        raise not_yet("not_understood", got=asked.text)


_AT_HOME = re.compile(
    r"\b(?:liv(?:e|es|ed|ing)|resid\w+|based|settled|moved|from|address|home|house|flat|apartment|city|town"
    r"|village|country|viv(?:o|imos|e|iendo)|casa|piso|ciudad|pueblo|pa[ií]s|direcci[oó]n|domicilio"
    r"|soy de|me mud[eé])\b",
    re.IGNORECASE,
)
_ASKS_WHERE = re.compile(
    r"\b(?:where|d[oó]nde)\b"
    r"|\b(?:what|which)\b.*\b(?:address|home|city|town|village|country|place|street)\b"
    r"|\b(?:qu[eé]|cu[aá]l)\b.*\b(?:direcci[oó]n|domicilio|ciudad|pueblo|pa[ií]s|lugar|sitio|calle)\b",
    re.IGNORECASE | re.DOTALL,
)
# What a sentence about one's home can hold without saying where it is.
_NO_PLACE = set(
    "i i'm we my our me am is are was be live lives lived living reside resided residing based in at on near "
    "by from to the a an and here there somewhere alone home house place where hi hello hey ok now "
    "yo mi nuestra vivo vivimos viviendo resido estoy soy somos en de la el un una y aquí allí ahí solo sola "
    "casa donde dónde hola".split()
)


def _look_at_the_words(first: str, last: str) -> None:
    """Say what is plainly missing in the first or the last message."""
    expect(not re.match(r"\W*(?:where|d[oó]nde)\b", first, re.IGNORECASE), "first_asks")
    expect(_AT_HOME.search(first) and _tells_place(first, last, first), "no_place")
    expect(_ASKS_WHERE.search(last), "other_question")


def _tells_place(first: str, last: str, answer: str) -> bool:
    """Return whether an answer has something of the first message that could be a place."""
    in_first, in_last, in_answer = (
        set(re.findall(r"[\w']+", text.lower())) for text in (first, last, answer)
    )
    return bool((in_first & in_answer) - in_last - _NO_PLACE)
