"""Checkers of lesson 10: a binding that is kept, a ToolMessage for each call, failures the model reads.

LangChain is imported when an answer is checked, never before: it is slow, and only this lesson needs it. The
answers get a scripted chat model, so that a check needs no service and always sees the same calls.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from ...shop import CalculatorError, NotFound
from ...show.plain import safe_text, type_name
from .helpers import call, expect, expect_empty, expect_returned, explained, listed, not_yet
from .results import NotYet, ToDo, described
from .running import checker

_QUESTION = "Is it warm in Lima, and what is 6 * 7?"


def _need_langchain() -> None:
    """Say what to install where LangChain cannot be imported."""
    try:
        import langchain.agents  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise not_yet("checks.10.no_langchain", what=str(error)) from error


@functools.cache
def _model_class() -> type:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class ScriptedChatModel(BaseChatModel):
        """A model that makes the calls of its script, one turn for each request, then says "All done."."""

        script: list[list[dict[str, Any]]]
        asked: list[Any] = []
        """For each request: the names of the tools in it, its tool_choice, and its messages."""

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self.bind(tools=[getattr(one, "name", None) for one in tools], **kwargs)

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
            tools = kwargs.get("tools") or []
            self.asked.append((tools, kwargs.get("tool_choice"), messages))
            turn = self.script[len(self.asked) - 1] if len(self.asked) <= len(self.script) else []
            calls = turn if tools else []
            message = AIMessage("" if calls else "All done.", tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=message)])

    return ScriptedChatModel


def _model(*script: list[dict[str, Any]]) -> Any:
    return _model_class()(script=list(script), asked=[])


def _tool_call(name: str, id: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": id, "type": "tool_call"}


class _Tools:
    """Tools of LangChain that note each run; `failing` raises what it is given."""

    def __init__(self, failure: Exception | None = None) -> None:
        from langchain_core.tools import StructuredTool

        self.runs: list[str] = []

        def get_weather(city: str) -> dict[str, Any]:
            self.runs.append("get_weather")
            return {"city": city, "temperature_c": len(city) * 4, "wet": False}

        def calculate(expression: str) -> int:
            self.runs.append("calculate")
            return {"6 * 7": 42}.get(expression, 84)

        def track_parcel(number: int) -> str:
            self.runs.append("track_parcel")
            if failure is not None:
                raise failure
            return "on its way"

        self.all = [
            StructuredTool.from_function(get_weather, description="Get the weather of a city."),
            StructuredTool.from_function(calculate, description="Work out an expression."),
            StructuredTool.from_function(track_parcel, description="Ask where a parcel is."),
        ]
        self.names = [one.name for one in self.all]


@checker("10.a")
def check_10_a(wanted: Any) -> None:
    _need_langchain()
    turns = (
        [
            _tool_call("get_weather", "call_1", city="Lima"),
            _tool_call("calculate", "call_2", expression="6 * 7"),
        ],
        [],
        [_tool_call("get_weather", "call_1", city="Lima"), _tool_call("get_weather", "call_2", city="Rome")],
    )
    for turn in turns:
        model, tools = _model(turn), _Tools()
        got = call(wanted, model, tools.all, _QUESTION)
        expect(model.asked, "not_asked")
        expect(not tools.runs, "ran", tools=listed(tools.runs))
        expect(len(model.asked) == 1, "asked_again", got=len(model.asked))
        bound, choice, messages = model.asked[-1]
        expect(bound, "not_kept")
        expect_empty([one for one in bound if one not in tools.names], "other_tools")
        missing = [one for one in tools.names if one not in bound]
        expect(not missing, "only_some", missing=listed(missing))
        expect(choice is None, "forced", got=choice)
        expect([one.text for one in messages] == [_QUESTION], "other_question")
        names = [one["name"] for one in turn]
        expect_returned(got, list, "wanted(model, tools, question)")
        expect(got != turn or not turn, "calls")
        expect(got or not names, "nothing", expected=len(names))
        expect(len(got) == len(names), "count", expected=len(names), got=len(got))
        expect(got == names, "names", expected=listed(names), got=repr(got))


@checker("10.b")
def check_10_b(answer_all: Any) -> None:
    _need_langchain()
    from langchain_core.messages import AIMessage

    expect(_answers(answer_all, AIMessage("Good morning."), _Tools()) == [], "no_calls")

    calls = [
        _tool_call("get_weather", "call_Qm", city="Lima"),
        _tool_call("calculate", "call_Zt", expression="6 * 7"),
        _tool_call("get_weather", "call_Bd", city="Lisbon"),
    ]
    results = ({"city": "Lima", "temperature_c": 16, "wet": False}, 42)
    results += ({"city": "Lisbon", "temperature_c": 24, "wet": False},)
    tools = _Tools()
    try:
        answers = _answers(answer_all, AIMessage("", tool_calls=calls), tools)
    except (KeyError, NotFound) as error:  # of a tool that is none of these
        expect(tools.runs, "other_tools_raise", got=described(error, 80))
        raise
    _expect_one_for_each(answers, calls)
    expect(tools.runs, "other_tools")
    expect(len(tools.runs) == len(calls), "runs", expected=len(calls), got=len(tools.runs))
    for one, answer, value in zip(calls, answers, results, strict=True):
        expect(answer.status == "success", "marked", name=one["name"])
        expect(isinstance(value, int) or answer.content != str(value), "python_text", got=answer.content)
        expect(_from_json(answer.content) == value, "content", id=one["id"], got=safe_text(answer.content))

    calls.insert(1, _tool_call("ask_oracle", "call_Xw", question="When?"))
    tools = _Tools()
    with explained("unknown_raises", KeyError):
        answers = _answers(answer_all, AIMessage("", tool_calls=calls), tools)
    _expect_one_for_each(answers, calls)
    (unknown,) = (one for one in answers if one.tool_call_id == "call_Xw")
    expect(unknown.status == "error", "status", got=unknown.status)
    missing = [one for one in tools.names if one not in unknown.text]
    expect(not missing, "tool_names", missing=listed(missing), got=unknown.text)


def _answers(answer_all: Any, message: Any, tools: _Tools) -> list[Any]:
    from langchain_core.messages import ToolMessage

    got = call(answer_all, message, tools.all)
    expect_returned(got, list, "answer_all(message, tools)")
    ids = [one["id"] for one in message.tool_calls]
    for one in got:
        if not isinstance(one, ToolMessage):
            key = "no_tool_message_id" if _has_one_of(one, ids) else "no_tool_message"
            raise not_yet(key, got=type_name(one))
    return got


def _has_one_of(one: Any, ids: list[str]) -> bool:
    """Return whether something that is no ToolMessage says which call it answers."""
    names = ("tool_call_id", "id", "tool_use_id", "call_id")
    found = [one.get(name) if isinstance(one, dict) else getattr(one, name, None) for name in names]
    return any(isinstance(each, str) and each in ids for each in found)


def _expect_one_for_each(answers: list[Any], calls: list[dict[str, Any]]) -> None:
    expect(len(answers) == len(calls), "count", expected=len(calls), got=len(answers))
    ids, wanted = [one.tool_call_id for one in answers], [one["id"] for one in calls]
    expect(len(set(ids)) == len(ids), "same_id", got=listed(ids))
    expect(set(ids) == set(wanted), "other_id", expected=listed(wanted), got=listed(ids))
    expect(ids == wanted, "order", expected=listed(wanted), got=listed(ids))


def _from_json(content: Any) -> Any:
    try:
        return json.loads(content)
    except (TypeError, ValueError):
        return ...


_REASON = "parcel 17 is not in the courier's list"


@checker("10.c")
def check_10_c(careful_agent: Any) -> None:
    _need_langchain()
    for kind in (NotFound, ValueError, KeyError, CalculatorError):
        _expect_reported(careful_agent, kind)
    for kind in (TypeError, ConnectionError):
        try:
            _conversation(careful_agent, kind(_REASON))
        except (TypeError, ConnectionError) as error:
            if _REASON not in str(error):
                raise
        else:
            raise not_yet("swallowed", kind=kind.__name__)


def _expect_reported(careful_agent: Any, kind: Callable[[str], Exception]) -> None:
    try:
        messages, model, tools = _conversation(careful_agent, kind(_REASON))
    except (NotYet, ToDo):
        raise
    except (ValueError, LookupError) as error:
        if _REASON not in str(error):
            raise
        raise not_yet("ended", kind=type_name(error)) from error
    runs = tools.runs.count("track_parcel")
    expect(model.asked, "other_model")
    expect(runs, "other_tools")
    expect(runs == 1, "ran_again", got=runs)
    answers = {one.tool_call_id: one for one in messages if one.type == "tool"}
    expect(set(answers) == {"call_Fk", "call_Hn"}, "ids", got=listed(answers))
    failed, fine = answers["call_Fk"], answers["call_Hn"]
    expect(failed.status == "error", "status", got=failed.status)
    expect("track_parcel" in failed.text, "no_tool", got=failed.text)
    expect(_REASON in failed.text, "no_reason", got=failed.text)
    expect(fine.status == "success" and '"Lima"' in fine.text, "sibling", got=fine.text)
    expect(len(model.asked) == 2 and messages[-1].text == "All done.", "no_end", got=messages[-1].text)


def _conversation(careful_agent: Any, failure: Exception) -> tuple[list[Any], Any, _Tools]:
    """Run an agent in a turn of two calls, of which the first fails; return messages, model and tools."""
    tools = _Tools(failure)
    turn = [_tool_call("track_parcel", "call_Fk", number=17)]
    model = _model([*turn, _tool_call("get_weather", "call_Hn", city="Lima")])
    agent = call(careful_agent, model, tools.all)
    expect(agent is not None, "returns_none")
    expect(not model.asked, "ran_already")
    expect(callable(getattr(agent, "invoke", None)), "no_agent", got=type_name(agent))
    state = agent.invoke({"messages": [{"role": "user", "content": "Where is parcel 17?"}]})
    messages = state.get("messages") if isinstance(state, dict) else None
    expect(isinstance(messages, list), "no_state", got=type_name(state))
    return messages, model, tools
