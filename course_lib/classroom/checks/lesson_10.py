"""Checkers of lesson 10: a binding that is kept, a ToolMessage for each call, failures that are told.

LangChain is imported when an answer is checked, never before: it is slow, and only this lesson needs it. The
answers meet a scripted chat model, so that a check needs no service and always sees the same calls.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from ...shop import CalculatorError, NotFound
from ...show.plain import safe_text, type_name
from . import NotYet, ToDo, call, checker, expect, expect_type
from .results import text, text_for_exercise

_QUESTION = "Is it warm in Lima, and what is 6 * 7?"


def _need_langchain() -> None:
    """Say what to install where LangChain cannot be imported."""
    try:
        import langchain.agents  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise NotYet(text("checks.10.no_langchain", what=str(error))) from error


@functools.cache
def _model_class() -> type:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class ScriptedModel(BaseChatModel):
        """Makes the calls of its script, one turn for each request, then says "All done."."""

        script: list[list[dict[str, Any]]]
        asked: list[Any] = []
        """For each request: the names of the tools in it, its tool_choice, and its messages."""

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self.bind(tools=[getattr(one, "name", None) for one in tools], **kwargs)

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
            offered = kwargs.get("tools") or []
            self.asked.append((offered, kwargs.get("tool_choice"), messages))
            turn = self.script[len(self.asked) - 1] if len(self.asked) <= len(self.script) else []
            calls = [one for one in turn if offered]
            said = AIMessage("" if calls else "All done.", tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=said)])

    return ScriptedModel


def _model(*script: list[dict[str, Any]]) -> Any:
    return _model_class()(script=list(script), asked=[])


def _wants(name: str, id: str, **arguments: Any) -> dict[str, Any]:
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
            StructuredTool.from_function(one, description=said)
            for one, said in (
                (get_weather, "Get the weather of a city."),
                (calculate, "Work out an expression."),
                (track_parcel, "Ask where a parcel is."),
            )
        ]


@checker("10.a")
def check_10_a(wanted: Any) -> None:
    _need_langchain()
    turns = (
        [_wants("get_weather", "call_1", city="Lima"), _wants("calculate", "call_2", expression="6 * 7")],
        [],
        [_wants("get_weather", "call_1", city="Lima"), _wants("get_weather", "call_2", city="Rome")],
    )
    for turn in turns:
        model, tools = _model(turn), _Tools()
        got = call(wanted, model, tools.all, _QUESTION)
        expect(model.asked, "not_asked")
        expect(not tools.runs, "ran", tools=", ".join(tools.runs))
        expect(len(model.asked) == 1, "asked_again", got=len(model.asked))
        offered, choice, messages = model.asked[-1]
        expect(offered, "not_kept")
        foreign = [str(one) for one in offered if one not in [each.name for each in tools.all]]
        expect(not foreign, "other_tools", got=", ".join(foreign))
        missing = [one.name for one in tools.all if one.name not in offered]
        expect(not missing, "only_some", missing=", ".join(missing))
        expect(choice is None, "forced", got=choice)
        expect([one.text for one in messages] == [_QUESTION], "other_question")
        names = [one["name"] for one in turn]
        expect(got is not None, "returns_none")
        expect_type(got, list, "wanted(model, tools, question)")
        expect(got != turn or not turn, "calls")
        expect(got or not names, "nothing", expected=len(names))
        expect(len(got) == len(names), "count", expected=len(names), got=len(got))
        expect(got == names, "names", expected=", ".join(names), got=repr(got))


@checker("10.b")
def check_10_b(answer_all: Any) -> None:
    _need_langchain()
    from langchain_core.messages import AIMessage

    expect(_answers(answer_all, AIMessage("Good morning."), _Tools()) == [], "no_calls")

    calls = [
        _wants("get_weather", "call_Qm", city="Lima"),
        _wants("calculate", "call_Zt", expression="6 * 7"),
        _wants("get_weather", "call_Bd", city="Lisbon"),
    ]
    results = ({"city": "Lima", "temperature_c": 16, "wet": False}, 42)
    results += ({"city": "Lisbon", "temperature_c": 24, "wet": False},)
    tools = _Tools()
    try:
        answers = _answers(answer_all, AIMessage("", tool_calls=calls), tools)
    except (KeyError, NotFound) as error:  # of a tool that is none of these
        expect(tools.runs, "other_tools_raise", got=f"{type_name(error)}: {safe_text(error, 80)}")
        raise
    _expect_one_for_each(answers, calls)
    expect(tools.runs, "other_tools")
    expect(len(tools.runs) == len(calls), "runs", expected=len(calls), got=len(tools.runs))
    for one, answer, value in zip(calls, answers, results, strict=True):
        expect(answer.status == "success", "marked", name=one["name"])
        expect(isinstance(value, int) or answer.content != str(value), "python_text", got=answer.content)
        expect(_from_json(answer.content) == value, "content", id=one["id"], got=safe_text(answer.content))

    calls.insert(1, _wants("ask_oracle", "call_Xw", question="When?"))
    tools = _Tools()
    try:
        answers = _answers(answer_all, AIMessage("", tool_calls=calls), tools)
    except KeyError as error:
        raise NotYet(text_for_exercise("unknown_raises", got=safe_text(error))) from error
    _expect_one_for_each(answers, calls)
    (told,) = (one for one in answers if one.tool_call_id == "call_Xw")
    expect(told.status == "error", "status", got=told.status)
    missing = [one.name for one in tools.all if one.name not in told.text]
    expect(not missing, "tool_names", missing=", ".join(missing), got=told.text)


def _answers(answer_all: Any, message: Any, tools: _Tools) -> list[Any]:
    from langchain_core.messages import ToolMessage

    got = call(answer_all, message, tools.all)
    expect(got is not None, "returns_none")
    expect_type(got, list, "answer_all(message, tools)")
    ids = [one["id"] for one in message.tool_calls]
    for one in got:
        if not isinstance(one, ToolMessage):
            key = "no_tool_message_id" if _has_one_of(one, ids) else "no_tool_message"
            raise NotYet(text_for_exercise(key, got=type_name(one)))
    return got


def _has_one_of(one: Any, ids: list[str]) -> bool:
    """Whether this, which is no ToolMessage, says which call it answers."""
    names = ("tool_call_id", "id", "tool_use_id", "call_id")
    found = [one.get(name) if isinstance(one, dict) else getattr(one, name, None) for name in names]
    return any(isinstance(each, str) and each in ids for each in found)


def _expect_one_for_each(answers: list[Any], calls: list[dict[str, Any]]) -> None:
    expect(len(answers) == len(calls), "count", expected=len(calls), got=len(answers))
    ids, wanted = [one.tool_call_id for one in answers], [one["id"] for one in calls]
    expect(len(set(ids)) == len(ids), "same_id", got=", ".join(ids))
    expect(set(ids) == set(wanted), "other_id", expected=", ".join(wanted), got=", ".join(ids))
    expect(ids == wanted, "order", expected=", ".join(wanted), got=", ".join(ids))


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
        _expect_told(careful_agent, kind)
    for kind in (TypeError, ConnectionError):
        try:
            _conversation(careful_agent, kind(_REASON))
        except (TypeError, ConnectionError) as error:
            if _REASON not in str(error):
                raise
        else:
            raise NotYet(text_for_exercise("swallowed", kind=kind.__name__))


def _expect_told(careful_agent: Any, kind: Callable[[str], Exception]) -> None:
    try:
        messages, model, tools = _conversation(careful_agent, kind(_REASON))
    except (NotYet, ToDo):
        raise
    except (ValueError, LookupError) as error:
        if _REASON not in str(error):
            raise
        raise NotYet(text_for_exercise("ended", kind=type_name(error))) from error
    runs = tools.runs.count("track_parcel")
    expect(model.asked, "other_model")
    expect(runs, "other_tools")
    expect(runs == 1, "ran_again", got=runs)
    answers = {one.tool_call_id: one for one in messages if one.type == "tool"}
    expect(set(answers) == {"call_Fk", "call_Hn"}, "ids", got=", ".join(map(str, answers)))
    told, fine = answers["call_Fk"], answers["call_Hn"]
    expect(told.status == "error", "status", got=told.status)
    expect("track_parcel" in told.text, "no_tool", got=told.text)
    expect(_REASON in told.text, "no_reason", got=told.text)
    expect(fine.status == "success" and '"Lima"' in fine.text, "sibling", got=fine.text)
    expect(len(model.asked) == 2 and messages[-1].text == "All done.", "no_end", got=messages[-1].text)


def _conversation(careful_agent: Any, failure: Exception) -> tuple[list[Any], Any, _Tools]:
    """Run an agent in a turn of two calls, of which the first fails; its messages, its model, its tools."""
    tools = _Tools(failure)
    model = _model(
        [_wants("track_parcel", "call_Fk", number=17), _wants("get_weather", "call_Hn", city="Lima")]
    )
    agent = call(careful_agent, model, tools.all)
    expect(agent is not None, "returns_none")
    expect(not model.asked, "ran_already")
    expect(callable(getattr(agent, "invoke", None)), "no_agent", got=type_name(agent))
    state = agent.invoke({"messages": [{"role": "user", "content": "Where is parcel 17?"}]})
    expect(
        isinstance(state, dict) and isinstance(state.get("messages"), list), "no_state", got=type_name(state)
    )
    return state["messages"], model, tools
