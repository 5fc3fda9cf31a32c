"""practice-sloppy: which mistake it makes when, what it never does, and how it corrects itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import anthropic
import httpx2
import jsonschema
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib import practice
from practice_model import PracticeModel
from practice_model.decide.decide import decide as careful_brain
from practice_model.failures import sloppy
from practice_model.failures.sloppy import MISTAKES, scheduled, start
from practice_model.request import (
    Call,
    CallResult,
    ConversationTurn,
    Decision,
    Request,
    Score,
    ToolChoice,
    ToolSpec,
)
from practice_model.server.inprocess import PracticeTransport

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "The city."},
        "days": {"type": "integer", "description": "How many days."},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city", "days"],
}
WEATHER = ToolSpec("get_weather", "The weather in a city for some days.", SCHEMA)
STRICT = replace(WEATHER, strict=True)
TIME = ToolSpec("get_time", "The time in a city.", {"type": "object", "properties": {}})
RIGHT = Call("get_weather", {"city": "Paris", "days": 3, "unit": "celsius"})


def careful(request: Request) -> Decision:
    """Calls the weather once, then reads the results aloud; fills another tool's call where forced to."""
    if request.tool_choice.mode == "tool" and request.tool_choice.name != "get_weather":
        return Decision(calls=(Call(request.tool_choice.name, {}),))
    if request.turns[-1].results:
        return Decision(text=request.turns[-1].results[-1].content)
    return Decision(text="I look.", calls=(RIGHT,))


def asked(*texts: str, tools: tuple[ToolSpec, ...] = (WEATHER, TIME), **more: Any) -> Request:
    """A conversation in which the user said each of the texts, and was answered in between."""
    turns = [
        turn
        for text in texts
        for turn in (ConversationTurn("user", text), ConversationTurn("assistant", "Well."))
    ]
    return Request(model="practice-sloppy", turns=tuple(turns[:-1]), tools=tools, **more)


def text_that_starts(mistake: str) -> str:
    """A message at whose first task this mistake is due."""
    return next(
        text for n in range(200) if scheduled(asked(text := f"The weather in Paris, {n} days?")) == mistake
    )


# The schedule -------------------------------------------------------------------------------------


def test_the_first_message_and_the_turn_decide_which_mistake_is_due():
    first = "The weather in Paris?"
    for turn in range(1, 12):
        due = scheduled(asked(first, *["And then?"] * (turn - 1)))
        assert due == MISTAKES[(start(first) + turn) % len(MISTAKES)]


def test_one_conversation_goes_through_all_mistakes_in_order():
    due = [scheduled(asked(*["The weather?"] * turn)) for turn in range(1, len(MISTAKES) + 1)]
    first = MISTAKES.index(due[0])
    assert tuple(due) == MISTAKES[first:] + MISTAKES[:first]


def test_blanks_and_capitals_change_nothing():
    assert start("The  weather in PARIS?\n") == start("the weather in paris?")


def test_every_mistake_is_due_for_some_message():
    assert {text_that_starts(mistake) for mistake in MISTAKES}


@pytest.mark.parametrize(
    ("due", "name", "arguments"),
    [
        ("wrong_type", "get_weather", {"city": "Paris", "days": "3", "unit": "celsius"}),
        ("missing_argument", "get_weather", {"city": "Paris", "unit": "celsius"}),
        ("outside_enum", "get_weather", {"city": "Paris", "days": 3, "unit": "CELSIUS"}),
        ("extra_argument", "get_weather", {**RIGHT.arguments, "verbose": True}),
        ("unknown_tool", "fetch_weather", RIGHT.arguments),
    ],
)
def test_the_mistake_that_is_due_happens(due, name, arguments):
    decision = sloppy.decide(asked(text_that_starts(due)), careful)
    assert [(call.name, call.arguments) for call in decision.calls] == [(name, arguments)]
    assert decision.mistakes[0].startswith(due.replace("_", " ").split()[0])


def test_a_needless_call_comes_on_top():
    decision = sloppy.decide(asked(text_that_starts("needless_call")), careful)
    assert [call.name for call in decision.calls] == ["get_weather", "get_time"]


@pytest.mark.parametrize("due", ["truncated_json", "doubled_json"])
def test_the_text_of_arguments_is_broken_where_the_wire_carries_text(due):
    request = asked(text_that_starts(due))
    call = sloppy.decide(request, careful, text_arguments=True).calls[0]
    assert call.arguments == RIGHT.arguments
    if due == "doubled_json":
        assert json.loads(json.loads(call.raw)) == RIGHT.arguments
    else:
        with pytest.raises(ValueError):
            json.loads(call.raw)


@pytest.mark.parametrize("due", ["truncated_json", "doubled_json"])
def test_elsewhere_the_next_possible_mistake_happens(due):
    call = sloppy.decide(asked(text_that_starts(due)), careful).calls[0]
    assert (call.raw, call.arguments["days"]) == ("", "3")


def test_a_value_that_the_user_did_not_say_is_invented_and_not_asked_for():
    score = Score("the weather", "get_weather", 3.0, True, ("weather",))

    def brain(request: Request) -> Decision:
        if request.tool_choice.mode == "tool":
            return Decision(calls=(RIGHT,))
        return Decision(text="For which city?", scores=(score,))

    decision = sloppy.decide(asked("The weather?"), brain)
    assert (decision.calls, decision.text) == ((RIGHT,), "")
    assert decision.mistakes == ("invented value: the user did not say it (get_weather)",)


def test_a_message_that_needs_no_tool_gets_a_call_only_when_that_is_due():
    def talks(request: Request) -> Decision:
        return careful(request) if request.tool_choice.mode == "tool" else Decision(text="Hello.")

    for mistake in MISTAKES:
        calls = sloppy.decide(asked(text_that_starts(mistake)), talks).calls
        assert bool(calls) == (mistake == "needless_call")


def test_without_tools_it_is_as_careful_as_the_other():
    request = asked("Hello", tools=())
    assert sloppy.decide(request, careful) == careful(request)


@pytest.mark.parametrize("choice", [ToolChoice("tool", "get_weather"), ToolChoice("any", parallel=False)])
def test_it_never_breaks_what_tool_choice_demands(choice):
    for mistake in MISTAKES:
        decision = sloppy.decide(asked(text_that_starts(mistake), tool_choice=choice), careful)
        assert len(decision.calls) == 1
        if choice.mode == "tool":
            assert decision.calls[0].name == "get_weather"


# After the results --------------------------------------------------------------------------------


def after(due: str, error: str, *, is_error: bool = True, rounds: int = 1) -> tuple[Decision, Call]:
    """What it does once its mistake has been answered by an error, and the call with the mistake."""
    request = asked(text_that_starts(due))
    for round in range(rounds):
        decision = sloppy.decide(request, careful)
        call = replace(decision.calls[0], id=f"call_{round}")
        turns = (
            ConversationTurn("assistant", calls=(call,)),
            ConversationTurn("user", results=(CallResult(call.id, error, is_error),)),
        )
        request = replace(request, turns=request.turns + turns)
    return sloppy.decide(request, careful), call


@pytest.mark.parametrize(
    ("due", "error"),
    [
        ("wrong_type", "days: Input should be a valid integer"),
        ("missing_argument", "days: Field required"),
        ("outside_enum", "unit must be one of celsius, fahrenheit"),
        ("extra_argument", "Unexpected keyword argument 'verbose'"),
        ("unknown_tool", "Error: Tool 'fetch_weather' not found. There is get_weather."),
        ("missing_argument", "Faltan los días: days"),
    ],
)
@pytest.mark.parametrize("is_error", [True, False])
def test_an_error_that_names_the_problem_is_put_right(due, error, is_error):
    if not is_error:
        error = f"Error: {error}"  # an API without a flag says it in words
    decision, call = after(due, error, is_error=is_error)
    assert (call.name, call.arguments) != (RIGHT.name, RIGHT.arguments)
    assert decision.calls == (RIGHT,) and decision.mistakes == ()


@pytest.mark.parametrize("error", ["Error", "failed", "Something went wrong."])
def test_an_error_that_says_nothing_gets_the_same_call_once_more_and_no_more(error):
    decision, call = after("wrong_type", error)
    assert decision.calls == (replace(call, id=""),)
    assert decision.mistakes == ("repeated call: the error did not say what to do",)
    decision, _ = after("wrong_type", error, rounds=2)
    assert (decision.calls, decision.text) == ((), error)


def test_a_mistake_that_nobody_noticed_is_not_corrected():
    decision, _ = after("wrong_type", "22 degrees", is_error=False)
    assert (decision.calls, decision.text) == ((), "22 degrees")


def test_the_next_task_brings_the_next_mistake():
    first = text_that_starts("wrong_type")
    call = replace(RIGHT, id="a")
    turns = (
        ConversationTurn("user", first),
        ConversationTurn("assistant", calls=(call,)),
        ConversationTurn("user", results=(CallResult("a", "22"),)),
        ConversationTurn("assistant", "22 degrees."),
        ConversationTurn("user", "And in Paris again?"),
    )
    decision = sloppy.decide(replace(asked(first), turns=turns), careful)
    assert decision.mistakes == ("missing argument: days",)


# Strict tools -------------------------------------------------------------------------------------

LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "string", "enum": ["week", "month"]},
        {"type": "integer", "enum": [1, 2]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "format": "date"},
    ]
)
NAMES = st.sampled_from(["city", "days", "unit", "order_number", "period", "query", "flag", "items"])


@st.composite
def strict_tools(draw: st.DrawFn) -> tuple[ToolSpec, ...]:
    tools = []
    for name in ("get_weather", "find_order", "search_messages"):
        properties = draw(st.dictionaries(NAMES, LEAVES, max_size=4))
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        tools.append(ToolSpec(name, f"{name.replace('_', ' ')} of the shop.", schema, strict=True))
    return tuple(tools)


@given(
    tools=strict_tools(),
    text=st.sampled_from(
        ["What is the weather in Paris for 3 days?", "Find order 17, please", "Search hello", "Hi"]
    ),
    number=st.integers(0, 50),
    text_arguments=st.booleans(),
    choice=st.sampled_from([ToolChoice(), ToolChoice("any"), ToolChoice("tool", "find_order")]),
)
def test_arguments_of_strict_tools_always_fit(tools, text, number, text_arguments, choice):
    request = asked(f"{text} ({number})", tools=tools, tool_choice=choice)
    decision = sloppy.decide(request, careful_brain, text_arguments=text_arguments)
    for call in decision.calls:
        spec = next(tool for tool in tools if tool.name == call.name)
        jsonschema.validate(call.arguments, spec.schema)
        assert call.raw == ""


@given(tools=strict_tools(), number=st.integers(0, 500), text_arguments=st.booleans())
def test_it_is_a_function_of_the_request(tools, number, text_arguments):
    loose = tuple(replace(tool, strict=False) for tool in tools)
    request = asked(f"What is the weather in Paris for {number} days?", tools=loose)
    decisions = [sloppy.decide(request, careful_brain, text_arguments=text_arguments) for _ in range(2)]
    assert decisions[0] == decisions[1]


# Through the API ----------------------------------------------------------------------------------


def test_a_conversation_with_the_real_sdk_is_put_right_by_a_good_error():
    model = PracticeModel(careful)
    client = anthropic.Anthropic(
        api_key="k", http_client=httpx2.Client(transport=PracticeTransport(model.handle)), max_retries=0
    )
    tool = {"name": "get_weather", "description": WEATHER.description, "input_schema": SCHEMA}
    messages: list[Any] = [{"role": "user", "content": text_that_starts("wrong_type")}]
    options: dict[str, Any] = {"model": "practice-sloppy", "max_tokens": 500, "tools": [tool]}
    first = client.messages.create(messages=messages, **options)
    call = next(block for block in first.content if block.type == "tool_use")
    assert call.input["days"] == "3"
    assert "wrong type: days" in practice.Explanation(model.last_decision).summary()
    error = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": "days is not an integer",
        "is_error": True,
    }
    messages += [first.to_param(), {"role": "user", "content": [error]}]
    second = client.messages.create(messages=messages, **options)
    assert next(block for block in second.content if block.type == "tool_use").input == RIGHT.arguments


@pytest.mark.parametrize("due", ["truncated_json", "doubled_json"])
def test_a_chat_that_gets_broken_json_is_put_right_too(due):
    http_client = httpx2.Client(transport=PracticeTransport(PracticeModel(careful).handle))
    client = openai.OpenAI(api_key="k", base_url="http://practice/v1", http_client=http_client, max_retries=0)
    function = {"name": "get_weather", "description": WEATHER.description, "parameters": SCHEMA}
    options: dict[str, Any] = {
        "model": "practice-sloppy",
        "tools": [{"type": "function", "function": function}],
    }
    messages: list[Any] = [{"role": "user", "content": text_that_starts(due)}]
    first = client.chat.completions.create(messages=messages, **options).choices[0].message
    with pytest.raises((ValueError, TypeError)):
        dict(json.loads(first.tool_calls[0].function.arguments))
    error = "Error: the arguments are not a JSON object"
    messages += [first, {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": error}]
    second = client.chat.completions.create(messages=messages, **options).choices[0].message
    assert json.loads(second.tool_calls[0].function.arguments) == RIGHT.arguments


def test_responses_and_gemini_know_it_as_well():
    model = PracticeModel(careful)
    text = text_that_starts("wrong_type")
    tool = {"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": False}
    bodies = {
        "/v1/responses": {"model": "practice-sloppy", "input": text, "tools": [tool]},
        "/v1beta/models/practice-sloppy:generateContent": {
            "contents": [{"role": "user", "parts": [{"text": text}]}],
            "tools": [{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": SCHEMA}]}],
        },
    }
    for path, body in bodies.items():
        headers = {"authorization": "Bearer k"} if "responses" in path else {"x-goog-api-key": "k"}
        reply = model.handle("POST", path, headers, json.dumps(body).encode())
        assert reply.status == 200, reply.body
        assert model.last_decision.mistakes == ('wrong type: days is "3" and not 3',)


def test_the_careful_model_makes_none_of_this():
    model = PracticeModel(careful)
    client = anthropic.Anthropic(
        api_key="k", http_client=httpx2.Client(transport=PracticeTransport(model.handle)), max_retries=0
    )
    tool = {"name": "get_weather", "description": WEATHER.description, "input_schema": SCHEMA}
    for mistake in MISTAKES:
        messages = [{"role": "user", "content": text_that_starts(mistake)}]
        answer = client.messages.create(
            model="claude-haiku-5-5", max_tokens=500, tools=[tool], messages=messages
        )
        assert answer.content[-1].input == RIGHT.arguments
