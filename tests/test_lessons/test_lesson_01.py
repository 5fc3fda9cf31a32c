"""Lesson 01: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import get_args

import lessons
import pytest
from anthropic.types import StopReason
from lessons import blocks, judge, solution

import course_lib
from course_lib import check, shop
from course_lib.classroom import setup


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    yield lessons.run("01", until="wrap-run")
    setup.teardown()


def test_the_question_gives_one_call_for_the_week(lesson):
    _, made = lesson
    (exchange,) = made["ask"]
    assert exchange.response["stop_reason"] == "tool_use"
    (call,) = blocks(exchange.response, "tool_use")
    assert (call["name"], call["input"]) == ("get_messages", {"period": "week"})


def test_the_answer_carries_the_count_of_the_database(lesson):
    _, made = lesson
    (exchange,) = made["return-ask"]
    assert exchange.response["stop_reason"] == "end_turn"
    assert f" {shop.get_messages('week')['count']} " in blocks(exchange.response, "text")[0]["text"]


def test_the_result_carries_the_id_of_its_call_under_the_role_user(lesson):
    _, made = lesson
    _, assistant, user = made["return-ask"][0].request["messages"]
    assert (assistant["role"], user["role"]) == ("assistant", "user")
    assert blocks(user, "tool_result")[0]["tool_use_id"] == blocks(assistant, "tool_use")[0]["id"]


def run_again(cell_ids, names):
    for source in (cell.source for one in cell_ids for cell in lessons.cells("01") if cell.id == one):
        exec(compile(source, "<again>", "exec", dont_inherit=True), names)  # noqa: S102 - a lesson of ours


def test_the_cells_that_return_the_result_can_be_run_again():
    names, _ = lessons.run("01", until="return-ask")
    run_again(["return-history", "return-ask"], names)
    last = setup.exchanges()[-1]
    assert last.status == 200 and len(last.request["messages"]) == 3


def test_exercise_a_result_without_its_history_is_a_400_that_names_place_and_id(lesson):
    names, made = lesson
    (exchange,) = made["no-history"]
    message = exchange.response["error"]["message"]
    assert exchange.status == 400
    assert message.startswith("messages.0.content.0") and names["call"].id in message


def test_small_talk_needs_no_tool(lesson):
    _, made = lesson
    (exchange,) = made["no-tool"]
    assert exchange.request["tools"] and not blocks(exchange.response, "tool_use")
    assert exchange.response["stop_reason"] == "end_turn"


def test_exercise_a_spanish_question_fills_both_arguments(lesson):
    _, made = lesson
    (call,) = blocks(made["spanish"][0].response, "tool_use")
    assert call["input"] == {"period": "month", "keyword": "factura"}


def test_too_few_tokens_cut_the_text(lesson):
    _, made = lesson
    (exchange,) = made["max-tokens"]
    assert exchange.response["stop_reason"] == "max_tokens"
    assert exchange.response["usage"]["output_tokens"] == 10


def test_the_table_has_every_stop_reason_of_the_sdk():
    (table,) = (cell.source for cell in lessons.cells("01") if cell.id == "stop-reasons-read")
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)[1:]) == sorted(get_args(StopReason))


def test_the_function_makes_two_requests_with_the_tool_and_one_without(lesson):
    _, made = lesson
    statuses = [exchange.response["stop_reason"] for exchange in made["wrap-run"]]
    assert statuses == ["tool_use", "end_turn", "end_turn"]


def test_most_of_the_request_is_the_definition(lesson):
    from course_lib import show

    _, made = lesson
    (share,) = re.findall(r"tool definitions +\d+ +(\d+) %", repr(show.prompt(made["ask"][0])))
    assert int(share) > 50


@pytest.fixture
def client():
    from anthropic import Anthropic

    course_lib.setup(lesson=1)
    yield Anthropic(max_retries=0)
    setup.teardown()


def definition(**changes):
    found = solution("01", "ex-01-a-answer")["FIND_ORDER"]
    for path, value in changes.items():
        found = lessons.changed(found, path, value, "__")
    return found


def test_exercise_a_a_definition(client):
    number = {"type": "string", "description": "The number, for instance 1042."}
    judge(
        "01.a",
        definition(),
        {
            "camel case": definition(name="findOrder"),
            "no description": definition(description=...),
            "one word": definition(description="Orders."),
            "no when": definition(
                description="Looks up one order by its number, returns all that is known of it."
            ),
            "no returns": definition(
                description="Look up one order by number. Use it when a user asks for it."
            ),
            "openai": {**definition(input_schema=...), "parameters": definition()["input_schema"]},
            "no schema": definition(input_schema=...),
            "no root type": definition(input_schema__type=...),
            "no properties": definition(input_schema={"type": "object", "number": number}),
            "required inside": definition(input_schema__properties__number={**number, "required": True}),
            "not required": definition(input_schema__required=...),
            "python type": definition(input_schema__properties__number__type="str"),
            "text": definition(input_schema__properties__number__type="string"),
            "no example": definition(
                input_schema__properties__number__description="The number of the order."
            ),
            "a field more": definition(input_schema__properties__email={"type": "string"}),
            "a type": definition(type="function"),
            "a return value": definition(returns={"type": "object"}),
            "a name": "find_order",
            "not about orders": definition(description="bla if bla bla bla bla bla bla bla returns bla"),
            "not as the service takes it": definition(cache_control="yes"),
        },
    )


@pytest.mark.parametrize(
    "more",
    [
        {"type": "custom"},
        {"cache_control": {"type": "ephemeral"}},
        {"input_examples": [{"number": 1042}]},
        {"strict": False},
    ],
)
def test_exercise_a_what_the_service_accepts_passes(client, more):
    assert check("01.a", definition(**more)).passed


@pytest.mark.parametrize(
    "description",
    [
        "Looks up one order. Meant for customers asking where theirs is. The output has status and dates.",
        "Looks up one order by its number. Good for customers who wait for it. Provides status and dates.",
        "Finds an order, for customers who want to know where theirs is. It shows its status and dates.",
        "Busca un pedido por su número. Sirve para quien pregunta por él. Muestra estado, fechas y total.",
    ],
)
def test_exercise_a_there_are_many_ways_to_say_when_and_what(description):
    assert check("01.a", definition(description=description)).passed


def test_exercise_a_a_sentence_that_is_not_found_may_be_there():
    message = check(
        "01.a", definition(description="An order of the shop, with all that is known of it.")
    ).message
    assert message.count("I found no sentence") == 2


def test_exercise_b_a_tool_result(client):
    def message(call, content, **block):
        block = {"type": "tool_result", "tool_use_id": call.id, "content": content, **block}
        return {"role": "user", "content": [block]}

    def right_text(value):
        return json.dumps(value, ensure_ascii=False)

    judge(
        "01.b",
        solution("01", "ex-01-b-answer")["tool_result"],
        {
            "str": lambda c, v: message(c, str(v)),
            "the dictionary": lambda c, v: message(c, v),
            "accents lost": lambda c, v: message(c, json.dumps(v)),
            "subscript": lambda c, v: message(SimpleNamespace(id=c["id"]), json.dumps(v)),
            "wrong id": lambda c, v: message(SimpleNamespace(id="msg_1"), json.dumps(v)),
            "assistant": lambda c, v: {**message(c, json.dumps(v)), "role": "assistant"},
            "only the block": lambda c, v: message(c, json.dumps(v))["content"][0],
            "not in a list": lambda c, v: {"role": "user", "content": {"type": "tool_result"}},
            "other type": lambda c, v: message(c, json.dumps(v), type="tool_use"),
            "a name": lambda c, v: message(c, json.dumps(v), name="find_order"),
            "text not as JSON": lambda c, v: message(c, v if isinstance(v, str) else right_text(v)),
            "failed": lambda c, v: message(c, right_text(v), is_error=True),
            "a key beside the content": lambda c, v: {**message(c, right_text(v)), "name": "find_order"},
            "not as the service takes it": lambda c, v: message(c, right_text(v), cache_control=1),
            "twice": lambda c, v: {"role": "user", "content": message(c, json.dumps(v))["content"] * 2},
            "forgot return": lambda c, v: print(end=""),
        },
    )
    for right in (
        lambda c, v: message(c, right_text(v), is_error=False),
        lambda c, v: message(c, right_text(v), cache_control={"type": "ephemeral"}),
        lambda c, v: message(c, [{"type": "text", "text": right_text(v)}]),
        lambda c, v: message(SimpleNamespace(id=c.model_dump()["id"]), right_text(v)),
    ):
        assert check("01.b", right).passed


def test_exercise_b_a_text_that_stays_as_it_is_is_no_str_of_it():
    def tool_result(call, value):
        content = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": call.id, "content": content}],
        }

    message = check("01.b", tool_result).message
    assert "A text becomes JSON, too" in message and "str(value)" not in message


def test_exercise_c_stop_reasons():
    right = solution("01", "ex-01-c-answer")["next_step"]

    def but(**other):
        return lambda reason: other[reason] if reason in other else right(reason)

    def lenient(reason):
        try:
            return right(reason)
        except ValueError:
            return "show"

    def raising(error):
        def next_step(reason):
            try:
                return right(reason)
            except ValueError:
                raise error from None

        return next_step

    judge(
        "01.c",
        right,
        {
            "cut shown": but(max_tokens="show"),
            "refusal retried": but(refusal="raise limit"),
            "pause ends": but(pause_turn="show"),
            "context raised": but(model_context_window_exceeded="raise limit"),
            "else show": lenient,
            "key error": raising(KeyError("new")),
            "exception": raising(Exception("new")),
            "not implemented": raising(NotImplementedError("new")),
            "a slip": raising(NameError("new")),
            "forgot return": lambda reason: print(end=""),
            "always show": lambda reason: "show",
        },
    )


def test_exercise_d_a_whole_tool_call(client):
    from course_lib import models, shop

    names = {"client": client, "models": models, "shop": shop}
    names["FIND_ORDER"] = solution("01", "ex-01-a-answer")["FIND_ORDER"]
    names["tool_result"] = solution("01", "ex-01-b-answer")["tool_result"]
    right = solution("01", "ex-01-d-answer", **names)["ask_about_order"]
    tool_result, tools = names["tool_result"], [names["FIND_ORDER"]]

    def send(messages, **more):
        return client.messages.create(model=models.ANTHROPIC, max_tokens=1000, messages=messages, **more)

    def text(response):
        return "\n".join(block.text for block in response.content if block.type == "text")

    def first_call(response):
        return next((block for block in response.content if block.type == "tool_use"), None)

    def tools_once(question):
        messages = [{"role": "user", "content": question}]
        response = send(messages, tools=tools)
        if (block := first_call(response)) is None:
            return text(response)
        messages.append({"role": "assistant", "content": response.content})
        messages.append(tool_result(block, shop.find_order(**block.input)))
        return text(send(messages))

    def with_result(
        question, *, assistant=True, order=None, swallow=False, answer=text, always=False, dumps=json.dumps
    ):
        messages = [{"role": "user", "content": question}]
        response = send(messages, tools=tools)
        call = first_call(response)
        if call is None:
            return text(send(messages, tools=tools)) if always else text(response)
        if assistant:
            messages.append({"role": "assistant", "content": response.content})
        found = shop.find_order(order or call.input["number"])
        block = {"type": "tool_result", "tool_use_id": call.id, "content": dumps(found)}
        messages.append({"role": "user", "content": [block]})
        try:
            return answer(send(messages, tools=tools))
        except Exception:
            if swallow:
                return "sorry"
            raise

    judge(
        "01.d",
        right,
        {
            "sends nothing": lambda q: "on its way",
            "no tools": lambda q: text(send([{"role": "user", "content": q}])),
            "first answer only": lambda q: text(send([{"role": "user", "content": q}], tools=tools)),
            "no assistant turn": lambda q: with_result(q, assistant=False),
            "error swallowed": lambda q: with_result(q, assistant=False, swallow=True),
            "tools in the first request only": tools_once,
            "another order": lambda q: with_result(q, order=1036),
            "returns the response": lambda q: with_result(q, answer=lambda response: response),
            "returns nothing": lambda q: with_result(q, answer=lambda response: None),
            "asks twice for small talk": lambda q: with_result(q, always=True),
            "always the first order": lambda q: with_result(q, order=1042),
            "str": lambda q: with_result(q, dumps=str),
            "str as JSON": lambda q: with_result(q, dumps=lambda order: json.dumps(str(order))),
            "a tool outside of a list": lambda q: text(
                send([{"role": "user", "content": q}], tools=names["FIND_ORDER"])
            ),
            "nothing for small talk": lambda q: right(q) if "order" in q else "Hello!",
        },
    )


def test_exercise_d_the_messages_are_asked_for_where_the_service_complains_of_them(client):
    def ask(**request):
        return lambda question: client.messages.create(
            model=course_lib.models.ANTHROPIC, max_tokens=9, **request
        )

    asked = "Which messages did you send"
    user = {"role": "user", "content": "Hello!"}
    assert asked in check("01.d", ask(messages=[])).message
    of_tools = check("01.d", ask(messages=[user], tools={"name": "find_order"})).message
    assert asked not in of_tools and of_tools.endswith(".")
