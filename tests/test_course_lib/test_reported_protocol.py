"""Symptoms that users report of histories and requests: each kind with conversations of our own."""

from __future__ import annotations

import json

import pytest
from agent_tools import MODELS, ON_ALL, agent, calling, script, serving
from anthropic import Anthropic, BadRequestError
from history_tools import PROVIDERS, Clients

from course_lib import CourseError, Runner, SessionStore, ToolResult, run_calls
from course_lib.providers import history
from course_lib.tools import tool
from practice_model import PracticeModel

CLIENTS = Clients(PracticeModel())
ON_EVERY_WIRE = pytest.mark.parametrize("provider", PROVIDERS)

THINKING = {
    MODELS[0]: {"thinking": {"type": "adaptive", "display": "summarized"}, "max_tokens": 4000},
    MODELS[2]: {
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
    },
    MODELS[3]: {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 512}}},
}
BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4000}
SECRETS = ("signature", "encrypted_content", "thoughtSignature")


@tool
def open_lock(gate: str) -> str:
    """Open the gate of a lock on the canal."""
    return f"gate {gate} is open"


@pytest.fixture
def practice(monkeypatch):
    with serving(
        monkeypatch, PracticeModel(script(calling("open_lock", gate="north"), "It is open."))
    ) as model:
        yield model


def kept(value, names=SECRETS):
    """What a request or a response holds under these names, at any depth."""
    if isinstance(value, dict):
        own = [one for name, one in value.items() if name in names and one]
        return own + [found for one in value.values() for found in kept(one, names)]
    return [found for one in value for found in kept(one, names)] if isinstance(value, list) else []


@ON_ALL
def test_what_a_model_signed_comes_back_unchanged_also_from_a_file(model, practice, tmp_path):
    options = THINKING.get(model, {})
    with SessionStore(tmp_path / "canal.sqlite") as store:
        Runner(agent(model, [open_lock], options=options), store).run("ana", "Open the north gate, please")
    signed = kept(practice.log.list()[0].response)
    assert signed or not options
    with SessionStore(tmp_path / "canal.sqlite") as store:
        Runner(agent(model, [open_lock], options=options), store).run("ana", "Thank you")
    for request in practice.log.list()[1:]:
        assert [one for one in kept(request.request) if one in signed] == signed


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "open_lock"}])
def test_thinking_beside_a_forced_call_is_refused_in_words_and_never_dropped(practice, choice):
    options = BUDGET | {"tool_choice": choice}
    with pytest.raises(CourseError, match="beside a thinking budget"):
        agent("anthropic:claude-haiku-4-5", [open_lock], options=options)
    # Where the program asks by itself, the service says so.
    with pytest.raises(BadRequestError, match="Thinking may not be enabled when tool_choice forces tool use"):
        Anthropic(max_retries=0).messages.create(
            model="claude-haiku-4-5",
            messages=[{"role": "user", "content": "Open the north gate, please"}],
            tools=[open_lock.to_anthropic()],
            **options,
        )


@ON_ALL
def test_a_turn_that_only_calls_has_no_text_and_never_the_word_none(model, practice):
    response = Runner(agent(model, [open_lock])).run("ana", "Open the north gate, please")
    asked = response.messages[1]
    assert asked["text"] == "" and asked["calls"]
    assert "None" not in json.dumps([one.request for one in practice.log.list()])
    assert response.content == "It is open."


# Results and their calls ----------------------------------------------------------------------------


def asking(*gates: str) -> dict:
    """A turn that asks to open these gates; each call is named after its gate."""
    calls = [{"id": f"use_{gate}", "name": "open_lock", "arguments": {"gate": gate}} for gate in gates]
    return {"role": "assistant", "text": "", "calls": calls}


def opened(*gates: str) -> dict:
    return history.results([ToolResult(f"use_{gate}", "open_lock", f"{gate} is open") for gate in gates])


def answered(turns: list, provider: str) -> list[str]:
    """The gates whose results are sent, in their order."""
    text = json.dumps(history.to_wire(turns, provider))
    places = {gate: text.find(f"{gate} is open") for gate in ("north", "south", "mill")}
    return sorted((gate for gate, place in places.items() if place >= 0), key=places.__getitem__)


TWO, THIRD = history.user("Open the north and the south gate"), history.user("And quickly")


@ON_EVERY_WIRE
@pytest.mark.parametrize(
    "turns",
    [
        [TWO, asking("north", "south"), opened("north"), opened("south")],
        [TWO, asking("north", "south"), opened("south"), opened("north")],
        [TWO, asking("north", "south"), opened("south", "north"), THIRD],
    ],
    ids=["one by one", "in another order", "text behind them"],
)
def test_results_of_one_turn_go_back_together_in_the_order_of_the_calls(turns, provider):
    assert answered(turns, provider) == ["north", "south"]
    CLIENTS.ask(provider, turns)
    *_, last = history.to_wire(turns, provider)
    if provider == "anthropic":
        kinds = [block["type"] for block in last["content"]]
        assert kinds == ["tool_result"] * 2 + ["text"] * (turns[-1] is THIRD)
    if provider == "gemini":
        kinds = [next(iter(part)) for part in last["parts"]]
        assert kinds == ["functionResponse"] * 2 + ["text"] * (turns[-1] is THIRD)


ORPHANS = {
    "trimmed away": [opened("north"), THIRD],
    "summarised": [history.user("So far: one gate was opened."), opened("north"), THIRD],
    "text in between": [TWO, asking("north"), THIRD, opened("north")],
    "beside a good one": [TWO, asking("south"), opened("south"), opened("north"), THIRD],
}


@pytest.mark.parametrize("turns", ORPHANS.values(), ids=ORPHANS)
def test_a_result_without_its_call_is_named_and_never_sent_and_repair_goes_on_without_it(turns):
    with pytest.raises(CourseError, match=r"history\[\d\]\['results'\]\[0\].*use_north"):
        history.check(turns)
    mended = history.repair(turns)
    history.check(mended)
    assert [one for one in mended if one["role"] == "user"] == [one for one in turns if one["role"] == "user"]
    for provider in PROVIDERS:
        CLIENTS.ask(provider, [*mended, history.user("And now?")])


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_call_without_its_result_is_closed_by_repair_before_anything_is_sent(kept):
    turns = [TWO, asking("north", "south"), *([opened("north"), opened("south")][:kept]), THIRD]
    mended = history.repair(turns)
    results = [one for turn in mended if turn["role"] == "tool" for one in turn["results"]]
    assert [one["tool_call_id"] for one in results] == ["use_north", "use_south"]
    assert [one["is_error"] for one in results] == [False] * kept + [True] * (2 - kept)
    for provider in PROVIDERS:
        CLIENTS.ask(provider, mended)


@tool
def jammed(gate: str) -> str:
    """Open a gate that is stuck."""
    raise OSError("the gate is stuck")


@tool(needs_approval=True)
def drain(gate: str) -> str:
    """Drain the lock."""
    return "drained"


@ON_EVERY_WIRE
@pytest.mark.parametrize("name", ["jammed", "drain", "blow_up"], ids=["fails", "is refused", "is unknown"])
def test_every_call_has_its_result_whatever_became_of_it(name, provider):
    turn = asking("north", "south", "mill")
    turn["calls"][1]["name"] = name
    turns = [TWO, turn]
    turns.append(history.results(run_calls(history.unanswered(turns), [open_lock, jammed, drain])))
    found = [(one["tool_call_id"], one["is_error"]) for one in turns[-1]["results"]]
    assert found == [("use_north", False), ("use_south", True), ("use_mill", False)]
    CLIENTS.ask(provider, turns)


# What comes from an SDK, and what goes back ---------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "sent"),
    [
        ({"input": {"gate": "north"}, "caller": {"type": "direct"}, "toolset_name": None}, {"gate": "north"}),
        ({"input": {"gate": "north"}, "cache_control": None, "extra_of_tomorrow": None}, {"gate": "north"}),
        ({"input": '{"gate": "north"}'}, {"gate": "north"}),
        ({"input": ""}, {}),
        ({"input": None}, {}),
        ({"input": '{"gate": nor'}, {}),
        ({"input": ["north"]}, {}),
    ],
    ids=["dumped", "dumped with nothing", "text", "no text", "null", "no JSON", "a list"],
)
def test_a_call_goes_back_as_an_object_with_what_the_service_takes(block, sent):
    given = {"type": "tool_use", "id": "use_north", "name": "open_lock", **block}
    turn = history.assistant({"content": [given], "stop_reason": "tool_use"}, "anthropic", "some-model")
    turns = json.loads(json.dumps([TWO, turn, opened("north")]))
    assert history.to_wire(turns, "anthropic")[1]["content"] == [
        {"type": "tool_use", "id": "use_north", "name": "open_lock", "input": sent}
    ]
    CLIENTS.ask("anthropic", turns)


def test_a_turn_that_waits_for_the_service_goes_back_as_it_is_and_is_asked_again():
    search = {
        "type": "server_tool_use",
        "id": "srvtoolu_7",
        "name": "web_search",
        "input": {"query": "tides"},
    }
    response = {"content": [{"type": "text", "text": "One moment."}, search], "stop_reason": "pause_turn"}
    turns = [TWO, history.assistant(response, "anthropic", "some-model")]
    assert history.unanswered(turns) == []
    assert history.to_wire(turns, "anthropic")[-1] == {"role": "assistant", "content": response["content"]}
