"""The checkers by mutation: stubs are to do, solutions pass, wrong answers get messages of their own."""

from __future__ import annotations

import json
from types import SimpleNamespace

import lessons
import pytest

import course_lib
from course_lib import check, hint, start
from course_lib.checks import NOT_YET, PASSED, TO_DO


@pytest.fixture(autouse=True)
def _no_record(monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "")
    monkeypatch.delenv("COURSE_CHECKS", raising=False)


def solution(lesson: str, cell_id: str, **names):
    """The names that a solution's cell defines."""
    (source,) = (cell.source for cell in lessons.cells(lesson) if cell.id == cell_id)
    names = {"json": json, **names}
    exec(source, names)  # noqa: S102 - a lesson of ours
    return names


def judge(exercise: str, answer, mutants: dict[str, object]) -> None:
    """Assert that stub, solution and mutants get what they deserve, and no two mutants the same."""
    assert check(exercise, ...).state == TO_DO
    right = check(exercise, answer)
    assert right.state == PASSED, right
    messages = {}
    for name, mutant in mutants.items():
        result = check(exercise, mutant)
        assert result.state == NOT_YET, f"{name} was not caught"
        assert "Traceback" not in repr(result) and "[" + exercise not in repr(result)
        messages[name] = repr(result)
    twice = [name for name, message in messages.items() if list(messages.values()).count(message) > 1]
    assert not twice, {name: messages[name] for name in twice}


def test_00_a_text_of_a_response():
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


def test_00_b_what_a_request_holds():
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
def test_00_b_any_form_of_the_right_letters_passes(form):
    assert check("00.b", form).state == PASSED


def test_00_c_a_history_that_holds_the_fact():
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


def definition(**changes):
    found = json.loads(json.dumps(solution("01", "ex-01-a-answer")["FIND_ORDER"]))
    for path, value in changes.items():
        place, *steps, last = found, *path.split("__")
        for step in steps:
            place = place[step]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return found


def test_01_a_a_definition():
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
            "no example": definition(
                input_schema__properties__number__description="The number of the order."
            ),
            "a field more": definition(input_schema__properties__email={"type": "string"}),
            "a type": definition(type="function"),
            "a return value": definition(returns={"type": "object"}),
            "text": "find_order",
        },
    )


def test_01_b_a_tool_result():
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
            "text not as JSON": lambda c, v: message(c, v if v == "shipped" else right_text(v)),
            "twice": lambda c, v: {"role": "user", "content": message(c, json.dumps(v))["content"] * 2},
            "forgot return": lambda c, v: print(end=""),
        },
    )


def test_01_c_stop_reasons():
    right = solution("01", "ex-01-c-answer")["next_step"]

    def but(**other):
        return lambda reason: other[reason] if reason in other else right(reason)

    def lenient(reason):
        try:
            return right(reason)
        except ValueError:
            return "show"

    def key_error(reason):
        try:
            return right(reason)
        except ValueError:
            raise KeyError(reason) from None

    judge(
        "01.c",
        right,
        {
            "cut shown": but(max_tokens="show"),
            "refusal retried": but(refusal="raise limit"),
            "pause ends": but(pause_turn="show"),
            "context raised": but(model_context_window_exceeded="raise limit"),
            "else show": lenient,
            "key error": key_error,
            "forgot return": lambda reason: print(end=""),
            "always show": lambda reason: "show",
        },
    )


@pytest.fixture
def client():
    from anthropic import Anthropic

    course_lib.setup(lesson=1)
    yield Anthropic(max_retries=0)
    start.teardown()


def test_01_d_a_whole_tool_call(client):
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
        messages.append(tool_result(block, shop.find_order("1042")))
        return text(send(messages))

    def with_result(question, *, assistant=True, order="1042", swallow=False, answer=text, always=False):
        messages = [{"role": "user", "content": question}]
        response = send(messages, tools=tools)
        call = first_call(response)
        if call is None:
            return text(send(messages, tools=tools)) if always else text(response)
        if assistant:
            messages.append({"role": "assistant", "content": response.content})
        messages.append(tool_result(call, shop.find_order(order)))
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
            "another order": lambda q: with_result(q, order="1039"),
            "returns the response": lambda q: with_result(q, answer=lambda response: response),
            "returns nothing": lambda q: with_result(q, answer=lambda response: None),
            "asks twice for small talk": lambda q: with_result(q, always=True),
        },
    )


def test_02_a_definitions_translated():
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


def test_02_b_arguments_as_text():
    judge(
        "02.b",
        solution("02", "ex-02-b-answer")["arguments_of"],
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
        },
    )


def test_02_c_every_call_answered():
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
        },
    )


@pytest.mark.parametrize("lesson", ["00", "01", "02"])
def test_every_exercise_has_a_stub_a_check_and_three_hints(lesson):
    ids = [cell.id for cell in lessons.cells(lesson)]
    exercises = [cell_id.removesuffix("-check") for cell_id in ids if cell_id.endswith("-check")]
    assert 2 <= len(exercises) <= 4
    for exercise in exercises:
        assert {exercise, f"{exercise}-answer", f"{exercise}-analysis"} <= set(ids)
        number = exercise.removeprefix("ex-").replace("-", ".")
        texts = [repr(hint(number)) for _ in range(3)]
        assert len(set(texts)) == 3 and f"3 of 3 for {number}" in texts[-1]
