"""Lesson 10: what its text claims about its cells and LangChain, its table, and its checkers by mutation."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
import threading

import lessons
import pytest
from lessons import HOSTILE, Hostile, judge, solution

from course_lib import agents, check, practice, providers, shop
from course_lib.agents import sessions
from course_lib.classroom import setup
from course_lib.classroom.checks import NOT_YET, PASSED, TO_DO
from course_lib.execution import run_calls
from course_lib.execution.retrying import Retrying
from course_lib.tools import Tool, ToolCall, ToolResult, tool

ChatAnthropic = pytest.importorskip("langchain_anthropic").ChatAnthropic
ChatOpenAI = pytest.importorskip("langchain_openai").ChatOpenAI

import langgraph.prebuilt  # noqa: E402
from langchain import agents as their_agents  # noqa: E402
from langchain import messages as their_messages  # noqa: E402
from langchain import tools as their_tools  # noqa: E402
from langchain.agents import middleware  # noqa: E402
from langchain.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.runnables import RunnableConfig  # noqa: E402
from langchain_core.tools import StructuredTool  # noqa: E402
from langgraph.errors import GraphBubbleUp  # noqa: E402


@pytest.fixture(scope="module")
def lesson():
    yield from lessons.executed("10", until="pays-run")


def calls(exchange):
    return [(one["name"], one["input"]) for one in lessons.blocks(exchange.response, "tool_use")]


def results(exchange):
    return lessons.blocks(exchange.request["messages"][-1], "tool_result")


# ---- 1 and 2. tools, and giving them to a model ----


def test_without_parse_docstring_the_whole_docstring_is_the_description_and_the_field_has_none(lesson):
    plain = lesson[0]["plain"]
    assert "Raises:" in plain.description and "Args:" in plain.description
    assert "description" not in plain.args["city"]


def test_with_parse_docstring_both_definitions_differ_by_returns_alone(lesson):
    theirs = lesson[0]["convert_to_openai_tool"](lesson[0]["parsed"])["function"]
    ours = tool(shop.get_weather).to_openai()["function"]
    assert theirs["name"] == ours["name"] and theirs["parameters"] == ours["parameters"]
    assert ours["description"].startswith(theirs["description"] + "\n\nReturns:")


def test_bind_toolsleaves_the_model_as_it_was(lesson):
    _, made, _ = lesson
    (lost,) = made["bind-lost"]
    assert "tools" not in lost.request and not calls(lost)


def test_a_binding_sends_the_tools_and_a_second_one_replaces_them(lesson):
    names, made, printed = lesson
    (kept,) = made["bind-kept"]
    assert len(kept.request["tools"]) == 3 and calls(kept) == [("get_weather", {"city": "Madrid"})]
    assert names["with_tools"] is not names["llm"]
    assert "after a second bind_tools: ['get_weather']" in printed


# ---- 3 and 4. messages ----


def test_a_call_has_four_keys_with_both_providers(lesson):
    names, _, _ = lesson
    for model in (names["llm"], ChatOpenAI(model=names["models"].OPENAI)):
        (call,) = model.bind_tools(names["TOOLS"]).invoke(names["question"]).tool_calls
        assert set(call) == {"name", "args", "id", "type"} and call["args"] == {"city": "Madrid"}


def test_a_bare_value_is_said_by_the_user_and_refused(lesson):
    _, made, printed = lesson
    (refused,) = made["bare-run"]
    assert refused.status == 400
    assert refused.request["messages"][-1]["role"] == "user"
    assert "temperature_c" in json.dumps(refused.request["messages"][-1]) and not results(refused)
    assert "without `tool_result` blocks" in " ".join(printed.split())


def test_of_three_tool_messages_the_second_is_no_json(lesson):
    printed = lesson[2]
    contents = re.findall(r"^True (.+)$", printed, re.MULTILINE)
    assert len(contents) == 3
    assert json.loads(contents[0]) == json.loads(contents[2]) == shop.get_weather("Madrid")
    assert contents[1] == str(shop.get_weather("Madrid"))


def test_the_answered_call_is_answered_by_the_model(lesson):
    (answered,) = lesson[1]["answer-run"]
    assert answered.status == 200 and len(results(answered)) == 1 and not calls(answered)


# ---- 5. the loop by hand ----


def test_the_loop_answers_three_calls_in_two_requests(lesson):
    names, made, _ = lesson
    first, second = made["loop-run"]
    assert [name for name, _ in calls(first)] == ["get_weather", "calculate", "search_help"]
    assert len(results(second)) == 3
    assert [type(one) for one in names["by_hand"]].count(ToolMessage) == 3


def test_the_same_loop_speaks_chat_completions(lesson):
    first, second = lesson[1]["provider-run"]
    assert first.path == second.path == "/v1/chat/completions"
    roles = [one["role"] for one in second.request["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "tool"]


def test_the_loop_by_hand_stops_at_its_cap(lesson):
    names, _, _ = lesson
    with pytest.raises(RuntimeError, match="after 1 requests"):
        names["run_loop"](names["llm"], names["question"], most=1)


def test_the_loop_by_hand_raises_at_a_wrong_argument(lesson):
    _, made, printed = lesson
    assert [calls(one) for one in made["loop-sloppy"]] == [[("calculate", {})]]
    assert "the run ended: ValidationError ('expression',)" in printed


# ---- 6. create_agent ----


def test_the_agent_makes_the_same_turns(lesson):
    names, made, _ = lesson
    assert [calls(one) for one in made["agent-run"]] == [calls(one) for one in made["loop-run"]]
    assert [type(one) for one in names["by_agent"]] == [type(one) for one in names["by_hand"]]


def test_an_agent_runs_the_calls_of_a_turn_at_the_same_time(lesson):
    names, _, _ = lesson
    both = threading.Barrier(2, timeout=20)

    def meet(city: str) -> str:
        """Get the current weather of a city."""
        both.wait()
        return city

    agent = names["create_agent"](names["llm"], [meet])
    asked = {"messages": [HumanMessage("What is the weather in Madrid and in Rome?")]}
    messages = agent.invoke(asked)["messages"]
    assert [one.text for one in messages if isinstance(one, ToolMessage)] == ["Madrid", "Rome"]


def test_an_agent_tells_the_model_of_a_missing_argument(lesson):
    first, second, _ = lesson[1]["agent-sloppy"]
    assert calls(first) == [("calculate", {})] and calls(second) == [("calculate", {"expression": "12 * 7"})]
    (told,) = results(second)
    assert told["is_error"] and "expression" in told["content"]


def test_an_agent_tells_the_model_of_a_tool_that_does_not_exist(lesson):
    names, _, _ = lesson
    before = len(setup.exchanges())
    with practice.faults("unknown_tool"):
        names["agent"].invoke(names["madrid"])
    (told,) = results(setup.exchanges()[before + 1])
    assert told["is_error"] and "is not a valid tool" in told["content"]


def test_a_tool_that_raises_ends_the_run_after_one_request(lesson):
    names, made, printed = lesson
    assert len(made["raise-run"]) == 1
    assert "the run ended: There is no weather for 'Atlantis'" in printed
    with pytest.raises(shop.NotFound):
        names["agent"].invoke(names["atlantis"])


def test_with_the_middleware_the_model_is_told(lesson):
    _, second = lesson[1]["explain-run"]
    (told,) = results(second)
    assert told["is_error"] and "NotFound: There is no weather for 'Atlantis'" in told["content"]


def test_openais_request_has_no_mark_for_the_error(lesson):
    names, _, _ = lesson
    model = ChatOpenAI(model=names["models"].OPENAI)
    names["create_agent"](model, names["TOOLS"], middleware=[names["errors_told"]]).invoke(names["atlantis"])
    told = setup.exchanges()[-1].request["messages"][-1]
    assert set(told) == {"role", "tool_call_id", "content"}
    assert told["content"].startswith("get_weather failed")


def test_a_mistake_of_the_program_still_ends_the_run(lesson):
    names, _, _ = lesson

    def get_weather(city: str) -> str:
        """Get the current weather of a city."""
        raise TypeError(city)

    agent = names["create_agent"](names["llm"], [get_weather], middleware=[names["errors_told"]])
    with pytest.raises(TypeError):
        agent.invoke(names["madrid"])


def test_the_recursion_limit_counts_steps_and_the_middleware_requests(lesson):
    _, made, printed = lesson
    assert "steps unless you say otherwise: 9999" in printed
    assert len(made["cap-run"]) == 4 and "Recursion limit of 7 reached" in printed
    assert len(made["cap-better"]) == 3 and "Model call limits exceeded" in printed
    for exchange in made["cap-run"] + made["cap-better"]:
        assert exchange.request["tool_choice"] == {"type": "any"}
        assert calls(exchange) == [("get_weather", {"city": "Madrid"})]


def test_arguments_that_are_no_json_end_in_an_empty_answer(lesson):
    names, made, printed = lesson
    assert len(made["silent-run"]) == 1
    assert "text: '' tool_calls: []" in printed and "invalid: [('get_weather'" in printed
    model = ChatOpenAI(model=names["models"].OPENAI)
    with practice.faults("broken_json"):
        *_, last = names["run_loop"](model, names["question"])
    assert last.text == "" and last.invalid_tool_calls
    (told,) = run_calls([ToolCall("call_1", "get_weather", "{'city': 'Madrid'}")], [tool(shop.get_weather)])
    assert told.is_error and "not valid JSON" in told.content


# ---- 7. the table ----

THEIRS = {
    "tool": their_tools,
    "BaseTool": their_tools,
    "HumanMessage": their_messages,
    "SystemMessage": their_messages,
    "AIMessage": their_messages,
    "ToolMessage": their_messages,
    "create_agent": their_agents,
    "ToolErrorMiddleware": middleware,
    "ToolRetryMiddleware": middleware,
    "ModelCallLimitMiddleware": middleware,
    "HumanInTheLoopMiddleware": middleware,
    "ToolNode": langgraph.prebuilt,
}
"""Where the names of the table's left column are imported from."""
FIELDS = {
    "args_schema": lambda: their_tools.BaseTool.model_fields,
    "tool_calls": lambda: AIMessage.model_fields,
    "invalid_tool_calls": lambda: AIMessage.model_fields,
    "tool_call_id": lambda: ToolMessage.model_fields,
    "status": lambda: ToolMessage.model_fields,
    "bind_tools": lambda: dir(ChatAnthropic),
    "tool_choice": lambda: parameters(ChatAnthropic.bind_tools),
    "strict": lambda: parameters(ChatAnthropic.bind_tools),
    "checkpointer": lambda: parameters(their_agents.create_agent),
    "recursion_limit": lambda: RunnableConfig.__annotations__,
    "thread_id": lambda: ["thread_id"],  # a key of the caller's own: the test of the checkpointer uses it
}
OURS = {
    **dict.fromkeys(("user", "system", "content", "input_schema", "parameters", "tools"), None),
    **dict.fromkeys(("strict", "tool_choice", "tool_result", "tool_use_id"), None),
    "tool": tool,
    "Tool": Tool,
    "ToolCall": ToolCall,
    "ToolResult": ToolResult,
    "is_error": ToolResult("", "", "").is_error,
    "read_calls": providers.anthropic.read_calls,
    "write_turn": providers.anthropic.write_turn,
    "run_calls": run_calls,
    "Retrying": Retrying,
    "Agent": agents.Agent,
    "Runner": agents.Runner,
    "max_turns": agents.Runner,
    "SessionStore": sessions.SessionStore,
    "session_id": agents.Runner.run,
    "needs_approval": tool,
    "resume": agents.Runner.resume,
}


def parameters(function):
    return inspect.signature(function).parameters


def rows():
    (text,) = (cell.source for cell in lessons.cells("10") if cell.id == "table")
    found = [
        [part.strip() for part in line.strip("|").split("|")] for line in text.split("\n") if "|" in line
    ]
    return found[2:]


def words(column):
    return [word for row in rows() for word in re.findall("`(.+?)`", row[column])]


@pytest.mark.parametrize("word", dict.fromkeys(words(0)))
def test_langchain_has_each_name_of_the_left_column(word):
    if word in THEIRS:
        assert callable(getattr(THEIRS[word], word))
    else:
        assert word in FIELDS[word]()


@pytest.mark.parametrize("word", dict.fromkeys(words(1)))
def test_the_course_has_each_name_of_the_right_column(word):
    assert word in OURS
    for of in (agents.Runner, agents.Runner.run, tool):
        if OURS[word] is of and word not in ("Runner", "tool"):
            assert word in parameters(of)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_lesson_that_the_table_names_has_the_word(row):
    texts = {path.name[:2]: path.read_text(encoding="utf-8") for path in lessons.SOLUTIONS.glob("*.ipynb")}
    found = re.findall("`(.+?)`", row[1])
    for number in row[2].split(", "):
        if number in texts:
            assert any(re.search(rf"\b{word}\b", texts[number]) for word in found), number


def test_a_checkpointer_keeps_a_conversation_under_its_thread_id(lesson):
    from langgraph.checkpoint.memory import InMemorySaver

    names, _, _ = lesson
    agent = names["create_agent"](names["llm"], names["TOOLS"], checkpointer=InMemorySaver())
    here = {"configurable": {"thread_id": "anna"}}
    first = agent.invoke(names["madrid"], here)["messages"]
    second = agent.invoke({"messages": [HumanMessage("Thanks!")]}, here)["messages"]
    assert [one.id for one in second[: len(first)]] == [one.id for one in first]


def test_create_agent_uses_a_tool_node_and_control_flow_is_an_exception(lesson):
    assert isinstance(lesson[0]["agent"].builder.nodes["tools"].runnable, langgraph.prebuilt.ToolNode)
    assert issubclass(GraphBubbleUp, Exception)


# ---- 8. when it pays ----


def test_a_framework_takes_more_computing_time(lesson):
    (ratio,) = re.findall(r"create_agent takes (\d+\.\d) times", lesson[2])
    assert float(ratio) > 1


# ---- the exercises ----


def other_model():
    """A model that is not the one that is given, as a global of the lesson would be."""
    return FakeListChatModel(responses=["All done."])


@their_tools.tool
def lesson_tool(query: str) -> str:
    """Search the help articles."""
    return query


class FakeListChatModel(GenericFakeChatModel):
    """A chat model that can bind tools and never calls one."""

    def __init__(self, responses):
        super().__init__(messages=iter([AIMessage(one) for one in responses] * 9))

    def bind_tools(self, tools, **kwargs):
        return self


def test_exercise_a_the_names_that_a_model_asks_for():
    right = solution("10", "ex-10-a-answer")["wanted"]

    def asked(model, tools, question):
        return model.bind_tools(tools).invoke(question).tool_calls

    def lost(model, tools, question):
        model.bind_tools(tools)
        return [call["name"] for call in model.invoke(question).tool_calls]

    def last_only(model, tools, question):
        for each in tools:
            bound = model.bind_tools([each])
        return [call["name"] for call in bound.invoke(question).tool_calls]

    def with_agent(model, tools, question):
        state = their_agents.create_agent(model, tools).invoke({"messages": [("user", question)]})
        return [one.name for one in state["messages"] if isinstance(one, ToolMessage)]

    def twice(model, tools, question):
        right(model, tools, question)
        return right(model, tools, question)

    def none_without(model, tools, question):
        return right(model, tools, question) or None

    def forced(model, tools, question):
        bound = model.bind_tools(tools, tool_choice="any")
        return [call["name"] for call in bound.invoke(question).tool_calls]

    judge(
        "10.a",
        right,
        {
            "the binding is lost": lost,
            "only the last tool": last_only,
            "only the first call": lambda *args: right(*args)[:1],
            "the calls": asked,
            "from the content": lambda model, tools, question: [
                block["name"]
                for block in (model.bind_tools(tools).invoke(question).content or [])
                if isinstance(block, dict)
            ],
            "runs them": with_agent,
            "asks twice": twice,
            "nothing where there is no call": none_without,
            "forced": forced,
            "never asks": lambda model, tools, question: [one.name for one in tools],
            "another order": lambda *args: right(*args)[::-1],
            "other tools": lambda model, tools, question: right(model, [*tools, lesson_tool], question),
            "another question": lambda model, tools, question: right(model, tools, question + " Use tools."),
            "a set": lambda *args: set(right(*args)),
        },
    )
    assert "wanted was given" in check("10.a", lambda model, *more: right(other_model(), *more)).message


def test_exercise_b_a_message_for_each_call():
    right = solution("10", "ex-10-b-answer", ToolMessage=ToolMessage)["answer_all"]

    def changing(**change):
        return lambda message, tools: [
            one.model_copy(update={name: new(one) for name, new in change.items()})
            for one in right(message, tools)
        ]

    def by_tool(message, tools):
        ids = {call["name"]: call["id"] for call in message.tool_calls}
        answers = right(message, tools)
        return [
            one.model_copy(update={"tool_call_id": ids[call["name"]]})
            for one, call in zip(answers, message.tool_calls, strict=True)
        ]

    def by_hand(message, tools, write=str):
        by_name = {one.name: one for one in tools}
        answers = []
        for call in message.tool_calls:
            one = by_name.get(call["name"])
            text = write(one.invoke(call["args"])) if one else f"The tools are: {', '.join(by_name)}."
            status = "success" if one else "error"
            answers.append(ToolMessage(text, tool_call_id=call["id"], status=status))
        return answers

    def no_map(message, tools):
        by_name = {one.name: one for one in tools}
        return [by_name[call["name"]].invoke(call) for call in message.tool_calls]

    def values(message, tools):
        by_name = {one.name: one for one in tools}
        return [by_name[call["name"]].invoke(call["args"]) for call in message.tool_calls]

    def known(message, tools):
        names = [one.name for one in tools]
        return [
            one
            for one, call in zip(right(message, tools), message.tool_calls, strict=True)
            if call["name"] in names
        ]

    def runs_twice(message, tools):
        right(message, tools)
        return right(message, tools)

    def other(function):
        return [
            StructuredTool.from_function(function, name=name, description=name)
            for name in ("get_weather", "calculate", "track_parcel")
        ]

    def raises(city: str = "", expression: str = ""):
        raise shop.NotFound(f"There is no weather for {city!r}.")

    other_tools = other(lambda city="", expression="": "ok")
    raising_tools = other(raises)
    judge(
        "10.b",
        right,
        {
            "only the first": lambda *args: right(*args)[:1],
            "bare values": values,
            "dictionaries with the id": lambda *args: [
                {"role": "tool", "content": one.content, "tool_call_id": one.tool_call_id}
                for one in right(*args)
            ],
            "results of the course": lambda *args: [
                ToolResult(one.tool_call_id, "", one.content) for one in right(*args)
            ],
            "what the user says": lambda *args: [HumanMessage(one.content) for one in right(*args)],
            "tools of the lesson": lambda message, tools: right(message, other_tools),
            "a tool of the lesson that raises": lambda message, tools: right(message, raising_tools),
            "one id for each tool": by_tool,
            "ids of its own": changing(tool_call_id=lambda one: one.tool_call_id + "x"),
            "another order": lambda *args: right(*args)[::-1],
            "str of the value": by_hand,
            "another result": changing(content=lambda one: "OK"),
            "unknown raises": no_map,
            "unknown left out": known,
            "no status": changing(status=lambda one: "success"),
            "everything is an error": changing(status=lambda one: "error"),
            "no names": changing(
                content=lambda one: "There is no such tool." if one.status == "error" else one.content
            ),
            "runs twice": runs_twice,
            "a message for no call": lambda message, tools: (
                right(message, tools) or [ToolMessage("", tool_call_id="")]
            ),
            "returns nothing": lambda *args: print(end=""),
            "a generator": lambda *args: iter(right(*args)),
        },
    )
    assert check("10.b", lambda *args: by_hand(*args, write=json.dumps)).state == PASSED


def agent_with(tell):
    """An agent that tells the model what `tell(error, request)` returns."""
    return lambda model, tools: their_agents.create_agent(
        model, tools, middleware=[middleware.ToolErrorMiddleware(tell)]
    )


def explained(error, request):
    return f"{request.tool_call['name']} failed: {error}"


def known(*kinds, text=explained):
    return agent_with(lambda error, request: text(error, request) if isinstance(error, kinds) else None)


def wrapping(answer, kinds=(ValueError, LookupError)):
    def around(request, handler):
        try:
            return handler(request)
        except kinds as error:
            return answer(error, request)

    return lambda model, tools: their_agents.create_agent(
        model, tools, middleware=[middleware.wrap_tool_call(around)]
    )


def message(error, request, **change):
    return ToolMessage(
        **{
            "content": explained(error, request),
            "tool_call_id": request.tool_call["id"],
            "status": "error",
            **change,
        }
    )


def test_exercise_c_a_failure_that_is_told():
    names = {"create_agent": their_agents.create_agent, "ToolErrorMiddleware": middleware.ToolErrorMiddleware}
    right = solution("10", "ex-10-c-answer", **names)["careful_agent"]

    def middleware_lost(model, tools):
        middleware.ToolErrorMiddleware(explained)
        return their_agents.create_agent(model, tools)

    def handled_by_the_tool(model, tools):
        for one in tools:
            one.handle_tool_error = True
        return their_agents.create_agent(model, tools)

    def retried(model, tools):
        kinds = (ValueError, LookupError)
        again = middleware.ToolRetryMiddleware(retry_on=kinds, initial_delay=0, jitter=False)
        return their_agents.create_agent(model, tools, middleware=[again])

    def run_at_once(model, tools):
        return right(model, tools).invoke({"messages": [("user", "Where is parcel 17?")]})

    judge(
        "10.c",
        right,
        {
            "no middleware": middleware_lost,
            "only LookupError": known(LookupError),
            "everything": agent_with(explained),
            "no error": wrapping(lambda error, request: message(error, request, status="success")),
            "another id": wrapping(lambda error, request: message(error, request, tool_call_id="call_1")),
            "no tool": known(ValueError, LookupError, text=lambda error, request: str(error)),
            "no reason": known(ValueError, LookupError, text=lambda error, request: "track_parcel failed"),
            "tries again": retried,
            "runs at once": run_at_once,
            "another model": lambda model, tools: right(other_model(), tools),
            "other tools": lambda model, tools: right(model, [lesson_tool]),
            "the binding": lambda model, tools: model.bind_tools(tools),
            "something else": lambda model, tools: [model, tools],
            "returns nothing": lambda model, tools: print(end=""),
        },
    )
    assert check("10.c", handled_by_the_tool).state == NOT_YET
    assert check("10.c", known(ConnectionError, ValueError, LookupError)).state == NOT_YET
    assert check("10.c", wrapping(message)).state == PASSED


def test_a_dictionary_with_the_id_is_not_told_that_it_lost_it():
    def as_dictionaries(message, tools):
        return [{"role": "tool", "content": "{}", "tool_call_id": call["id"]} for call in message.tool_calls]

    result = check("10.b", as_dictionaries)
    assert "has the id of its call" in result.message and "ToolMessage(" in result.message
    bare = check("10.b", lambda message, tools: ["sunny" for _ in message.tool_calls])
    assert "does not say which call" in bare.message


def test_a_function_that_uses_what_the_lesson_has_is_told_of_its_parameters(lesson):
    names, _, _ = lesson
    globals_of_the_lesson = {
        "10.a": lambda model, tools, question: [
            call["name"] for call in names["with_tools"].invoke(question).tool_calls
        ],
        "10.b": lambda message, tools: [
            names["BY_NAME"][call["name"]].invoke(call) for call in message.tool_calls
        ],
        "10.c": lambda model, tools: names["guarded"],
    }
    for exercise, answer in globals_of_the_lesson.items():
        result = check(exercise, answer)
        assert result.state == NOT_YET and "was given" in result.message, result
    wrong_tools = check("10.a", lambda model, *more: model.bind_tools(names["TOOLS"]).invoke("?") and [])
    assert "was not given" in wrong_tools.message


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("exercise", ["10.a", "10.b", "10.c"])
def test_the_last_hint_is_a_sentence_and_code_that_python_reads(exercise, lang):
    lessons.judge_last_hint(exercise, lang)


@pytest.mark.parametrize("exercise", ["10.a", "10.b", "10.c"])
@pytest.mark.parametrize(
    "answer",
    [
        *HOSTILE,
        lambda *_: [Hostile()],
        lambda *_: "\ud800",
        lambda *_: {},
        lambda model, tools: tools,
    ],
)
def test_a_hostile_answer_gets_a_message(exercise, answer):
    result = check(exercise, answer)
    assert result.state != PASSED and result.message and "Traceback" not in result.message


@pytest.mark.parametrize("exercise", ["10.a", "10.b", "10.c"])
def test_without_langchain_the_check_says_what_to_install(exercise, monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain.agents", None)
    result = check(exercise, lambda *args: [])
    assert result.state == NOT_YET and "pip install" in result.message and "[langchain]" in result.message


def test_the_checkers_do_not_import_langchain_before_there_is_an_answer():
    code = """
import sys, course_lib
print(course_lib.check("10.c", ...).state, course_lib.hint("10.c").level)
print([name for name in sys.modules if name.startswith("lang")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout.splitlines() == [f"{TO_DO} 1", "[]"], done
