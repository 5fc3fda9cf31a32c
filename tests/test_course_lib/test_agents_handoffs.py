"""An agent hands the conversation over, to another agent or to a person, and the session stays one."""

from __future__ import annotations

import asyncio

import openai
import pytest
from agent_tools import MODELS, ON_ALL, SHOP, WAITING_OR_NOT, agent, calling, script, serving

from course_lib.agents import Agent, Handover, HumanQueue, Runner, SessionStore
from course_lib.errors import CourseError
from course_lib.execution.retrying import Retrying
from course_lib.providers import history
from course_lib.tools import tool
from practice_model import PracticeModel
from practice_model.request import Call, Decision


@tool
def pay_back(number: int) -> str:
    """Pay back an order."""
    return f"order {number} is paid back"


def two(first: str = MODELS[0], second: str = MODELS[0]) -> Agent:
    billing = Agent("billing", "Answer questions about payments.", [pay_back], second)
    return agent(first, [*SHOP, billing])


HANDED = script(
    calling("transfer_to_billing"), calling("pay_back", number=7), "Order 7 is paid back.", "You are welcome."
)


@ON_ALL
@WAITING_OR_NOT
def test_the_other_agent_goes_on_with_its_own_tools_and_instructions(model, way, monkeypatch):
    with serving(monkeypatch, PracticeModel(HANDED)) as practice:
        response = way(Runner(two(model, model)), "anna", "Pay back order 7.")
        before, after = [str(one.request) for one in practice.log.list()[:2]]
    assert (response.content, response.agent) == ("Order 7 is paid back.", "billing")
    assert "calculate_shipping" in before and "pay_back" not in before
    assert "Answer questions about payments." in after and "pay_back" in after
    assert "Pay back order 7." in after  # it has read the conversation


@ON_ALL
@pytest.mark.parametrize("second", MODELS)
def test_the_other_agent_may_be_of_another_provider(model, second, monkeypatch):
    with serving(monkeypatch, PracticeModel(HANDED)):
        response = Runner(two(model, second)).run("anna", "Pay back order 7.")
    assert (response.content, response.agent) == ("Order 7 is paid back.", "billing")
    history.check(response.messages)


def test_who_has_the_conversation_is_remembered_with_the_session(monkeypatch, tmp_path):
    with serving(monkeypatch, PracticeModel(HANDED)) as practice:
        with SessionStore(tmp_path / "s.sqlite") as store:
            Runner(two(), store).run("anna", "Pay back order 7.")
        with SessionStore(tmp_path / "s.sqlite") as store:
            response = Runner(two(), store).run("anna", "Thanks!")
        assert response.agent == "billing"
        assert "Answer questions about payments." in str(practice.log.list()[-1].request)


def test_agents_may_hand_over_to_and_fro(monkeypatch):
    shop, billing = agent(tools=[]), Agent("billing", "Payments.")
    shop.tools, billing.tools = [billing], [shop]
    there_and_back = script(calling("transfer_to_billing"), calling("transfer_to_shop"), "Here I am.")
    with serving(monkeypatch, PracticeModel(there_and_back)):
        response = Runner(shop).run("anna", "Hello?")
    assert (response.content, response.agent, response.turns) == ("Here I am.", "shop", 3)


def test_going_in_circles_ends_at_the_limit_of_turns(monkeypatch):
    shop, billing = agent(tools=[]), Agent("billing", "Payments.")
    shop.tools, billing.tools = [billing], [shop]

    def on_and_on(request):
        return calling(request.tools[0].name)

    with serving(monkeypatch, PracticeModel(on_and_on)):
        response = Runner(shop, max_turns=5, on_limit="stop").run("anna", "Hello?")
    assert (response.stop_reason, response.turns) == ("max_turns", 5)


def test_a_conversation_goes_to_one_agent_only(monkeypatch):
    others = [Agent(name, f"Answer about {name}.") for name in ("billing", "returns")]
    both = Decision(calls=(Call("transfer_to_billing", {}), Call("transfer_to_returns", {})))
    store = SessionStore()
    with serving(monkeypatch, PracticeModel(script(both, "Billing speaking."))):
        response = Runner(agent(tools=others), store).run("anna", "Hello?")
        assert response.agent == "billing"
        assert [one.is_error for one in response.tool_calls_executed] == [False, True]
        assert Runner(agent(tools=others), store).run("anna", "And?").agent == "billing"


def test_calls_beside_a_handover_run_too(monkeypatch):
    both = Decision(calls=(Call("check_inventory", {"sku": "S"}), Call("transfer_to_billing", {})))
    with serving(monkeypatch, PracticeModel(script(both, "Billing speaking."))):
        response = Runner(two()).run("anna", "Hello?")
    assert [one.name for one in response.tool_calls_executed] == ["check_inventory", "transfer_to_billing"]
    assert response.agent == "billing"


REFUND_AND_HAND_OVER = Decision(calls=(Call("refund", {"number": 7}), Call("transfer_to_billing", {})))


@ON_ALL
@pytest.mark.parametrize("decision", ["approved", "refused", "goes on talking", "program ended"])
def test_a_call_that_waits_is_for_the_agent_who_made_it_also_after_a_handover(model, decision, monkeypatch):
    ran = []

    def refunding(who: str):
        @tool(needs_approval=True)
        def refund(number: int) -> str:
            """Refund an order."""
            ran.append(who)
            return f"{who} refunded {number}"

        return refund

    for others in ([refunding("billing")], []):
        ran.clear()
        billing = Agent("billing", "Answer questions about payments.", others, model)
        desk, store = agent(model, [refunding("desk"), billing]), SessionStore()
        brain = script(REFUND_AND_HAND_OVER, "Billing speaking.")
        with serving(monkeypatch, PracticeModel(brain)):
            paused = Runner(desk, store).run("anna", "Refund order 7.")
            assert (paused.stop_reason, paused.agent) == ("approval", "billing")
            runner = Runner(desk, store)
            assert runner.waiting("anna") == paused.waiting
            if decision == "program ended":
                paused = runner.resume("anna")
            if decision == "goes on talking":
                response = runner.run("anna", "Well?")
            else:
                response = runner.resume("anna", [] if decision == "refused" else [paused.waiting[0].id])
        assert ran == (["desk"] if decision in ("approved", "program ended") else [])
        assert (response.content, response.agent) == ("Billing speaking.", "billing")
        (told,) = response.messages[3]["results"]
        assert (
            told["content"] == "desk refunded 7"
            if ran
            else "approval, which was not given" in told["content"]
        )


@pytest.mark.parametrize("waits", [True, False])
def test_an_agents_client_of_the_other_kind_is_told_before_anything_is_asked(waits, monkeypatch):
    with serving(monkeypatch, PracticeModel(HANDED)) as practice:
        client = openai.AsyncOpenAI() if waits else openai.OpenAI()
        billing = Agent("billing", "Payments.", [pay_back], (client, "gpt-5.4-mini"))
        runner = Runner(agent(tools=[billing]))
        with pytest.raises(CourseError, match="client of the other kind"):
            runner.run("anna", "Hi") if waits else asyncio.run(runner.run_async("anna", "Hi"))
        assert practice.log.list() == [] and runner.store.get("anna") == []


def test_what_tools_gave_is_kept_where_the_next_agent_cannot_be_asked(monkeypatch):
    both = Decision(calls=(Call("check_inventory", {"sku": "S"}), Call("transfer_to_billing", {})))
    store = SessionStore()
    with serving(monkeypatch, PracticeModel(script(both, "Billing speaking."))):
        with monkeypatch.context() as without_key:
            without_key.delenv("OPENAI_API_KEY")
            with pytest.raises(Exception, match="(?i)api.?key|credentials"):
                Runner(two(second=MODELS[1]), store).run("anna", "Hello?")
        (told,) = [turn["results"] for turn in store.get("anna") if turn["role"] == "tool"]
        assert [one["is_error"] for one in told] == [False, False]
        response = Runner(two(second=MODELS[1]), store).resume("anna")
    assert (response.content, response.agent) == ("Billing speaking.", "billing")


def test_a_tool_that_is_called_like_a_handover_of_another_agent_hands_nothing_over(monkeypatch):
    @tool
    def transfer_to_billing(number: int) -> str:
        """Write down that an order is for billing."""
        return "written down"

    billing = Agent("billing", "Payments.")
    clerk = Agent("clerk", "Write down.", [transfer_to_billing])
    steps = script(calling("transfer_to_clerk"), calling("transfer_to_billing", number=7), "Done.")
    store = SessionStore()
    with serving(monkeypatch, PracticeModel(steps)):
        desk = agent(tools=[billing, clerk])
        assert Runner(desk, store, max_turns=2, on_limit="stop").run("anna", "Hi").agent == "clerk"
        assert Runner(desk, store).resume("anna").agent == "clerk"


def test_agents_whose_names_make_the_same_tool_are_told_apart_by_who_hands_over(monkeypatch):
    left = Agent("left", "Left.", [Agent("a b", "The left one.")])
    right = Agent("right", "Right.", [Agent("a_b", "The right one.")])
    steps = script(calling("transfer_to_left"), calling("transfer_to_a_b"), "Here.")
    store = SessionStore()
    with serving(monkeypatch, PracticeModel(steps)):
        for tools in ([left, right], [right, left]):
            store.clear("anna")
            Runner(agent(tools=tools), store, max_turns=2, on_limit="stop").run("anna", "Hi")
            assert Runner(agent(tools=tools), store).resume("anna").agent == "a b"


def test_a_handover_outlives_the_turns_that_a_store_forgets(monkeypatch):
    store = SessionStore(most_turns=1)
    with serving(monkeypatch, PracticeModel(HANDED)) as practice:
        runner = Runner(two(), store, retrying=Retrying(attempts=1))
        assert runner.run("anna", "Pay back order 7.").agent == "billing"
        with practice.faults("server_error"), pytest.raises(Exception):  # noqa: B017
            runner.run("anna", "Thanks!")
        assert len(store.get("anna")) == 1
        assert runner.resume("anna").agent == "billing"


def test_agents_that_hand_over_to_each_other_can_be_compared():
    shop, billing = agent(tools=[]), Agent("billing", "Payments.")
    shop.tools, billing.tools = [billing], [shop]
    again, other = agent(tools=[]), Agent("billing", "Payments.")
    again.tools, other.tools = [other], [again]
    assert shop == shop and shop != again


def test_two_agents_of_one_name_are_refused():
    with pytest.raises(CourseError, match="Two agents are called 'shop'"):
        Runner(agent(tools=[Agent("billing", tools=[Agent("shop")])]))


@pytest.mark.parametrize("name", ["Rückfragen & Zahlungen", "a b", "x" * 90])
def test_any_name_makes_a_tool(name, monkeypatch):
    other = Agent(name, "Answer.")
    with serving(monkeypatch, PracticeModel(lambda request: calling(request.tools[0].name))):
        response = Runner(agent(tools=[other]), max_turns=1, on_limit="stop").run("anna", "Hello?")
    assert response.agent == name


# People -------------------------------------------------------------------------------------------------


@ON_ALL
@WAITING_OR_NOT
def test_a_person_gets_the_session_and_the_reason_and_the_user_is_told(model, way, monkeypatch):
    people = HumanQueue("support")
    asks = calling("transfer_to_support", reason="wants a refund of 500 dollars")
    with serving(monkeypatch, PracticeModel(script(asks, "A person will answer you."))):
        response = way(Runner(agent(model, [*SHOP, people])), "anna", "I want a human.")
    assert (response.content, response.stop_reason, response.agent) == (
        "A person will answer you.",
        "end",
        "shop",
    )
    assert people.take() == Handover("anna", "wants a refund of 500 dollars")
    assert people.take() is None


def test_the_practice_model_finds_the_person(monkeypatch):
    people = HumanQueue()
    with serving(monkeypatch, PracticeModel()):
        Runner(agent(tools=[*SHOP, people])).run("anna", "I want to talk to a human, my parcel is broken")
    assert [one.session_id for one in people.waiting] == ["anna"]


def test_sessions_do_not_mix_in_the_queue(monkeypatch):
    people = HumanQueue("support")
    asks = calling("transfer_to_support", reason="help")
    with serving(monkeypatch, PracticeModel(script(asks, "Wait."))):
        runner = Runner(agent(tools=[people]))
        for name in ("anna", "ben"):
            runner.run(name, "A human, please.")
    assert [one.session_id for one in people.waiting] == ["anna", "ben"]


@WAITING_OR_NOT
def test_what_puts_a_conversation_away_may_be_async(way, monkeypatch):
    kept = []

    async def put(handover: Handover) -> None:
        await asyncio.sleep(0)
        kept.append(handover.reason)

    asks = calling("transfer_to_human", reason="help")
    with serving(monkeypatch, PracticeModel(script(asks, "Wait."))):
        response = way(Runner(agent(tools=[HumanQueue(put=put)])), "anna", "A human, please.")
    assert kept == ["help"] and "A person will read" in response.tool_calls_executed[0].content


def test_a_queue_that_fails_is_told_to_the_model_as_any_tool(monkeypatch):
    def put(handover: Handover) -> None:
        raise OSError("nobody is at work")

    asks = calling("transfer_to_human", reason="help")
    with serving(monkeypatch, PracticeModel(script(asks, "Try tomorrow."))):
        response = Runner(agent(tools=[HumanQueue(put=put)])).run("anna", "A human, please.")
    assert response.content == "Try tomorrow."
    assert "nobody is at work" in response.tool_calls_executed[0].content


# With thinking ------------------------------------------------------------------------------------------

WITH_BUDGET = "anthropic:claude-haiku-4-5"  # later models take no budget
BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


@ON_ALL
def test_an_agent_that_thinks_takes_over_from_one_that_does_not(model, monkeypatch):
    """Anthropic refuses calls without thinking before them: that exchange ends without, the next has it."""
    billing = Agent("billing", "Answer questions about payments.", [pay_back], WITH_BUDGET, options=BUDGET)
    runner = Runner(agent(model, [*SHOP, billing]))
    with serving(monkeypatch, PracticeModel(HANDED)) as practice:
        assert runner.run("anna", "Pay back order 7.").content == "Order 7 is paid back."
        response = runner.run("anna", "Thank you.")
        asked = [one.request for one in practice.log.list()]
    assert response.content == "You are welcome."
    assert ["thinking" in one for one in asked] == [False, False, False, True]
    assert [one["model"] for one in asked[1:]] == [WITH_BUDGET.partition(":")[2]] * 3


def test_an_agent_that_thinks_goes_on_with_its_own_calls(monkeypatch):
    steps = script(calling("pay_back", number=7), "Order 7 is paid back.")
    thinking = Agent("billing", "Answer questions about payments.", [pay_back], WITH_BUDGET, options=BUDGET)
    with serving(monkeypatch, PracticeModel(steps)) as practice:
        response = Runner(thinking).run("anna", "Pay back order 7.")
        asked = [one.request for one in practice.log.list()]
    assert response.content == "Order 7 is paid back." and all("thinking" in one for one in asked)
    assert asked[1]["messages"][1]["content"][0]["type"] == "thinking"


@ON_ALL
@pytest.mark.parametrize("go_on", [lambda one: one.resume("anna"), lambda one: one.run("anna", "Go on.")])
def test_an_agent_that_thinks_goes_on_after_a_limit(model, go_on, monkeypatch):
    """What the user says is joined with the results, so that it begins no exchange for Anthropic."""
    steps = script(calling("pay_back", number=7), "Order 7 is paid back.")
    with serving(monkeypatch, PracticeModel(steps)):
        before = Runner(agent(model, [pay_back]), max_turns=1, on_limit="stop")
        before.run("anna", "Pay back order 7.")
        after = Runner(agent(WITH_BUDGET, [pay_back], options=BUDGET), before.store)
        assert go_on(after).content == "Order 7 is paid back."


@ON_ALL
def test_an_agent_that_thinks_takes_over_again_in_one_exchange(model, monkeypatch):
    to_other, back = calling("transfer_to_other"), calling("transfer_to_thinking")
    other = Agent("other", "", [pay_back], model)
    thinking = Agent("thinking", "", [pay_back, other], WITH_BUDGET, options=BUDGET)
    other.tools = [pay_back, thinking]
    steps = script(
        calling("pay_back", number=7), to_other, calling("pay_back", number=7), back, "Done.", "Yes."
    )
    with serving(monkeypatch, PracticeModel(steps)) as practice:
        runner = Runner(thinking)
        assert runner.run("anna", "Pay back order 7.").content == "Done."
        assert runner.run("anna", "Sure?").content == "Yes."
        asked = [one.request for one in practice.log.list()]
    with_budget = ["thinking" in one for one in asked if one.get("model") == WITH_BUDGET.partition(":")[2]]
    assert with_budget[:2] == [True, True] and with_budget[-2:] == [False, True]


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "pay_back"}])
def test_a_forced_tool_beside_a_thinking_budget_is_refused_at_once(choice):
    with pytest.raises(CourseError, match="no tool_choice '(any|tool)' beside a thinking budget"):
        Agent("billing", tools=[pay_back], model=WITH_BUDGET, options={**BUDGET, "tool_choice": choice})
    for options in ({"tool_choice": choice}, {**BUDGET, "tool_choice": {"type": "auto"}}):
        Agent("billing", tools=[pay_back], model=WITH_BUDGET, options=options)
