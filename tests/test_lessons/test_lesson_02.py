"""Lesson 02: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import json

import lessons
import pytest
from lessons import judge, solution

from course_lib import check, shop
from course_lib.classroom import setup
from course_lib.classroom.checks import TO_DO


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    yield lessons.run("02", until="mistake-id")
    setup.teardown()


def test_chat_gives_arguments_as_text_and_content_null(lesson):
    _, made = lesson
    (choice,) = made["chat-ask"][0].response["choices"]
    assert choice["finish_reason"] == "tool_calls" and choice["message"]["content"] is None
    (call,) = choice["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"period": "week"}


def test_responses_has_two_ids_for_one_call(lesson):
    _, made = lesson
    (response,) = (exchange.response for exchange in made["responses-ask"])
    (call,) = (item for item in response["output"] if item["type"] == "function_call")
    assert response["status"] == "completed" and call["id"] != call["call_id"]


@pytest.mark.parametrize("cell", ["chat-return", "responses-return"])
def test_both_answers_carry_the_count_of_the_database(lesson, cell):
    _, made = lesson
    (exchange,) = made[cell]
    assert f" {shop.get_messages('week')['count']} " in json.dumps(exchange.response, ensure_ascii=False)


def test_exercise_a_missing_result_is_a_400_that_names_the_call(lesson):
    names, made = lesson
    (exchange,) = made["mistake-missing"]
    assert exchange.status == 400 and names["tool_call"].id in exchange.response["error"]["message"]


def test_exercise_a_wrong_id_is_a_400_that_names_that_id(lesson):
    names, made = lesson
    (exchange,) = made["mistake-id"]
    (call,) = names["calls"]
    assert exchange.status == 400 and call.id in exchange.response["error"]["message"]


def run_again(cell_ids, names):
    for source in (cell.source for one in cell_ids for cell in lessons.cells("02") if cell.id == one):
        exec(compile(source, "<again>", "exec", dont_inherit=True), names)  # noqa: S102 - a lesson of ours


def test_the_cells_that_return_results_can_be_run_again():
    names, made = lessons.run("02", until="mistake-id")
    cells = ["chat-return", "responses-return", "mistake-missing", "mistake-id"]
    before = len(setup.exchanges())
    run_again(cells, names)
    first, second = [made[cell][0] for cell in cells], setup.exchanges()[before:]
    assert [one.status for one in second] == [one.status for one in first] == [200, 200, 400, 400]
    assert [one.request for one in second] == [one.request for one in first]


def test_the_table_differs_in_kind_only_where_the_text_says_so(lesson):
    from course_lib import show

    table = repr(show.names())
    assert "content[].input  (object)" in table
    assert table.count("arguments  (text)") == 2


def test_exercise_a_definitions_translated():
    names = solution("02", "ex-02-a-answer")
    to_chat, to_responses = names["to_chat"], names["to_responses"]

    def but(**other):
        return lambda tool: {**to_responses(tool), **other}

    def spoil(tool):
        tool["parameters"] = tool.pop("input_schema")
        return {"type": "function", **tool, "strict": False}

    def without(key):
        return lambda tool: {name: value for name, value in to_responses(tool).items() if name != key}

    def chat_but(**other):
        return lambda tool: {**to_chat(tool), **other}

    assert check("02.a", ..., ...).state == TO_DO
    assert check("02.a", to_chat, to_responses).passed
    mutants = {
        "wrapped": (to_chat, to_chat),
        "schema's old name": (to_chat, lambda tool: {**tool, "type": "function", "strict": False}),
        "no parameters": (to_chat, without("parameters")),
        "no strict": (to_chat, without("strict")),
        "given changed": (to_chat, spoil),
        "no type": (to_chat, without("type")),
        "flat chat": (to_responses, to_responses),
        "strict outside": (chat_but(strict=False), to_responses),
        "type inside": (lambda tool: {"type": "function", "function": to_responses(tool)}, to_responses),
        "a field more": (to_chat, but(tool_choice="auto")),
        "text": (lambda tool: json.dumps(to_chat(tool)), to_responses),
    }
    messages = {name: repr(check("02.a", *answers)) for name, answers in mutants.items()}
    assert all("not yet" in message for message in messages.values()), messages
    assert len(set(messages.values())) == len(messages), messages


def test_exercise_b_arguments_as_text():
    right = solution("02", "ex-02-b-answer")["arguments_of"]
    judge(
        "02.b",
        right,
        {
            "only chat": lambda call: json.loads(call.function.arguments or "{}"),
            "only responses": lambda call: json.loads(call.arguments or "{}"),
            "empty text": lambda call: json.loads(
                call.function.arguments if hasattr(call, "function") else call.arguments
            ),
            "still text": lambda call: (
                call.function.arguments if hasattr(call, "function") else call.arguments
            ),
            "other quotes": lambda call: json.loads(
                str(call.function.arguments if hasattr(call, "function") else call.arguments).replace(
                    '"', "'"
                )
            ),
            "forgot return": lambda call: print(end=""),
            "empty text as it is": lambda call: right(call) or "",
            "another error for empty text": lambda call: right(call) or [][0],
        },
    )


def by_its_class(call):
    from openai.types.chat import ChatCompletionMessageFunctionToolCall

    is_chat = isinstance(call, ChatCompletionMessageFunctionToolCall)
    return json.loads((call.function if is_chat else call).arguments or "{}")


@pytest.mark.parametrize(
    "arguments_of",
    [
        by_its_class,
        lambda call: json.loads(call.model_dump().get("function", call.model_dump())["arguments"] or "{}"),
        lambda call: json.loads(
            (call.function if call.type == "function" else call).to_dict()["arguments"] or "{}"
        ),
    ],
)
def test_exercise_b_what_the_sdk_offers_can_be_used(arguments_of):
    assert check("02.b", arguments_of).passed


def test_exercise_b_an_error_of_ones_own_is_not_taken_for_one_of_json():
    def arguments_of(call):
        raise ValueError("which API is this?")

    message = check("02.b", arguments_of).message
    assert "which API is this?" in message and "JSON" not in message


def test_exercise_c_every_call_answered():
    from course_lib import shop

    names = solution("02", "ex-02-b-answer")
    right = solution("02", "ex-02-c-answer", shop=shop, arguments_of=names["arguments_of"])["answer_all"]

    def each(**other):
        return lambda response: [{**item, **other} for item in right(response)]

    def by_item_id(response):
        calls = [item for item in response.output if item.type == "function_call"]
        return [{**item, "call_id": call.id} for item, call in zip(right(response), calls, strict=True)]

    judge(
        "02.c",
        right,
        {
            "first only": lambda response: right(response)[:1],
            "one item": lambda response: right(response)[0],
            "item id": by_item_id,
            "other id": each(call_id="x"),
            "chat form": lambda response: [
                {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
                for item in right(response)
            ],
            "other type": each(type="function_call"),
            "all items": lambda response: [
                {"type": "function_call_output", "call_id": item.call_id} for item in response.output
            ],
            "dictionary": lambda response: [
                {**item, "output": json.loads(item["output"])} for item in right(response)
            ],
            "str": lambda response: [
                {**item, "output": str(json.loads(item["output"]))} for item in right(response)
            ],
            "same result twice": lambda response: [
                {**item, "output": right(response)[0]["output"]} for item in right(response)
            ],
            "wrapped": lambda response: {"input": right(response)},
            "misspelt": lambda response: [item.call_id for item in response.outputs],
        },
    )

    def by_its_class(response):
        from openai.types.responses import ResponseFunctionToolCall

        calls = [item for item in response.output if isinstance(item, ResponseFunctionToolCall)]
        answers = [shop.get_messages(**json.loads(call.to_dict()["arguments"])) for call in calls]
        return [
            {"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(answer)}
            for call, answer in zip(calls, answers, strict=True)
        ]

    assert check("02.c", by_its_class).passed
    assert "one item" not in check("02.c", lambda response: {"input": []}).message
    assert "no calls" not in check("02.c", lambda response: response.outputs).message
