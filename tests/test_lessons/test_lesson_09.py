"""Lesson 09: what its text claims about its cells, the rows of its table, and its checkers by mutation."""

from __future__ import annotations

import inspect
import io
import json
import re
import threading
from contextlib import redirect_stdout
from itertools import count

import anthropic
import httpx2
import lessons
import pytest
from lessons import HOSTILE, Hostile, calls, judge, solution

from course_lib import Agent, Runner, SessionStore, check, exchanges, shop
from course_lib.agents.run import turns as loop_of_the_library
from course_lib.classroom import setup
from course_lib.classroom.checks import PASSED
from course_lib.errors import CourseError
from course_lib.messages import texts
from course_lib.providers import anthropic as wire
from course_lib.providers.history import to_wire
from course_lib.tools import ToolCall, ToolResult, tool


@pytest.fixture(scope="module")
def lesson():
    yield from lessons.executed("09", until="cost-run")


def printed_of(names, source):
    with redirect_stdout(io.StringIO()) as printed:
        exec(source, names)  # noqa: S102 - a lesson of ours
    return printed.getvalue()


# ---- 1. and 2. the loop, and its guards ----


def test_the_second_call_needs_what_the_first_one_gave(lesson):
    _, made, _ = lesson
    assert calls(made["loop-run"]) == [
        ("find_order", {"number": 1042}),
        ("check_inventory", {"sku": "SKU-210"}),
    ]
    assert len(made["loop-run"]) == 3


def test_a_forced_model_never_ends_makes_things_up_and_costs_more_each_turn(lesson):
    _, made, printed = lesson
    assert len(made["forced-run"]) == 8
    _, (shipped, made_up), (printed_out, _), *_ = calls(made["forced-run"])
    assert (shipped, printed_out) == ("calculate_shipping", "print_invoice")
    assert not {"CA", "ES"} & set(made_up.values())  # nobody had named a country
    tokens = [one.response["usage"]["input_tokens"] for one in made["forced-run"]]
    assert tokens == sorted(tokens)
    assert "stopped by hand" in printed
    first, last = (re.search(rf"turn {turn}, +([0-9,]+) tokens", printed)[1] for turn in (1, 8))
    assert round(int(last.replace(",", "")) / int(first.replace(",", ""))) == 11


@pytest.mark.parametrize(
    ("model", "guard", "reason", "turns"),
    [
        ("BUSY", "no_repeats(3)", "repeated_call", 3),
        ("NEVER", "no_repeats(3)", "stopped by hand", 8),
        ("NEVER", "budget(tokens=4_000, seconds=60)", "token_budget", 6),
        ("NEVER", "budget(tokens=4_000, seconds=0)", "time_budget", 1),
        ("BUSY", "budget(tokens=4_000, seconds=0)", "time_budget", 1),
    ],
)
def test_each_guard_stops_its_own_kind_of_run(lesson, model, guard, reason, turns):
    names = lesson[0]
    source = f"print(simple_loop('Go on.', watch(), {guard}, client=scripted(*{model}))[0])"
    lines = printed_of(names, source).splitlines()
    assert lines[-1] == reason and len(lines) == turns + 1


def test_a_repeated_failure_is_the_same_whatever_the_order_of_its_arguments(lesson):
    told = ToolResult("1", "find_order", "It failed.", is_error=True)
    one, other = (
        lesson[0]["what_failed"](ToolCall(str(number), "find_order", arguments), told)
        for number, arguments in enumerate(({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    )
    assert one == other


def test_two_equal_failures_in_one_turn_count_once(lesson):
    names = lesson[0]
    twice = ("tool_use", *2 * [names["wants"]("print_invoice", number=1042)])
    guard = names["no_repeats"](2)
    reason, messages = names["simple_loop"]("Go on.", guard, client=names["scripted"](twice))
    assert reason == "repeated_call" and len(messages) == 5


def test_the_simple_loop_takes_every_ending_for_an_answer(lesson):
    names, _, _ = lesson
    reasons = {
        names["simple_loop"]("Go on.", client=names["scripted"](*turns))[0]
        for turns in names["ENDINGS"].values()
    }
    assert reasons == {"end"} and len(names["ENDINGS"]) == 6


# ---- 3. and 4. one function, and the library's ----

REASONS = {
    "an answer": "end",
    "cut off": "max_tokens",
    "a refusal": "refusal",
    "no more room": "context_window",
    "a pause": "end",
    "a call cut off": "end",
    "busy printer": "repeated_call",
    "never content": "max_turns",
}


@pytest.mark.parametrize("name", REASONS)
def test_loop_and_runner_give_the_same_reason_and_transcript(lesson, name):
    names, _, printed = lesson
    assert set(names["SCRIPTS"]) == set(REASONS)
    turns = names["SCRIPTS"][name]
    reason, messages = names["run_agent"](names["ORDER"], names["scripted"](*turns))
    model = (names["scripted"](*turns), "script")
    response = Runner(Agent("shop", names["SYSTEM"], names["TOOLS"], model), on_limit="stop").run(
        "x", names["ORDER"]
    )
    assert reason == response.stop_reason == REASONS[name]
    if name != "a pause":  # what comes after it is a part of the same message there
        assert to_wire(response.messages, "anthropic") == messages
    assert f"{name:15} {reason:15} {response.stop_reason:15} turns: {response.turns}\n" in printed


def test_loop_and_runner_send_the_same_requests(lesson):
    names, _, printed = lesson
    assert [one.request for one in names["by_hand"]] == [one.request for one in names["by_runner"]]
    assert len(names["by_hand"]) == 3
    assert "the same body: False" not in printed and "the same transcript: True" in printed


def test_a_limit_is_raised_with_its_name(lesson):
    assert "repeated_call after 3 turns" in lesson[2]


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("store", "session_store"), ("turns", "max_turns"), ("budget", "token_budget or time_budget")],
)
def test_an_option_that_the_runner_does_not_have_is_answered_with_those_that_it_has(lesson, wrong, meant):
    with pytest.raises(CourseError, match=f"no option {wrong}. Did you mean {meant}[?]") as caught:
        Runner(lesson[0]["shop_agent"], **{wrong: 5})
    taken = [name for name in inspect.signature(Runner).parameters if name != "tool_options"]
    assert all(name in str(caught.value) for name in [*taken, "timeout", "approve"])


def test_an_option_that_is_like_no_other_gets_no_guess(lesson):
    with pytest.raises(CourseError) as caught:
        Runner(lesson[0]["shop_agent"], colour="red")
    assert "Did you mean" not in str(caught.value)


def test_the_loop_of_the_library_is_shown_and_short(lesson):
    source = inspect.getsource(loop_of_the_library)
    assert source in lesson[2]
    assert (
        all(name in source for name in ("meter.check", "add_turn", "reason_to_stop"))
        and source.count("\n") < 20
    )


# ---- 5. the SDK's runner ----


def test_the_sdk_asks_for_a_thread_first_and_then_sends_what_the_loop_sends(lesson):
    _, made, printed = lesson
    assert [one.status for one in made["sdk-run"]] == [400, 200, 200, 200]
    assert made["sdk-run"][0].request["thread"] == {"type": "create"}
    assert [len(one.request["messages"]) for one in made["sdk-run"]] == [1, 1, 3, 5]
    assert calls(made["sdk-run"]) == calls(made["loop-run"])
    assert "'tool_use' ['tool_use']" in printed


def sdk_loop(names, client, function, **more):
    """Anthropic's own loop, with this function as its only tool."""
    one = names["beta_tool"](
        lambda **arguments: function(), name="meet", description="Meet.", input_schema={"type": "object"}
    )
    asking = {"model": "script", "max_tokens": 9, "messages": [names["user"]], "thread": False}
    return client.beta.messages.tool_runner(**asking, tools=[one], **more).until_done()


def test_the_sdk_has_no_guard_against_repeated_failures(lesson):
    names, _, _ = lesson
    asked = []

    def fail():
        asked.append(1)
        raise ConnectionError("busy")

    client = names["scripted"](("tool_use", names["wants"]("meet")))
    sdk_loop(names, client, fail, max_iterations=6)
    assert len(asked) == 6


def test_the_sdk_runs_the_calls_of_a_turn_one_after_the_other_and_the_runner_at_the_same_time(lesson):
    names, _, _ = lesson

    def meeting():
        """A function of which two calls notice each other, if they run at the same time."""
        barrier, met = threading.Barrier(2, timeout=0.3), []

        def meet() -> str:
            try:
                barrier.wait()
                met.append(True)
            except threading.BrokenBarrierError:
                met.append(False)
            return "done"

        return meet, met

    meet, met = meeting()
    agent = Agent("x", "", [tool(meet, description="Meet.")], (two_calls(names), "script"))
    Runner(agent).run("x", "Go on.")
    assert met == [True, True]
    meet, met = meeting()
    sdk_loop(names, two_calls(names), meet)
    assert met == [False, False]


def two_calls(names):
    """A client whose model makes two calls in one turn, and then answers."""
    one = names["wants"]("meet")
    return names["scripted"](("tool_use", one, one), names["ON_ITS_WAY"])


# ---- 6. to 8. sessions, providers, cost ----


def test_only_in_the_session_with_the_order_there_is_a_date_and_no_tool_is_needed(lesson):
    _, made, printed = lesson
    assert calls(made["session-run"]) == [("find_order", {"number": 1042})]
    *_, anna, ben = made["session-run"]
    assert "2026-11-22" in json.dumps(anna.request["messages"])  # the result of the first question
    assert len(ben.request["messages"]) == 1
    assert "22 November 2026" in printed.split("\nanna: ")[-1].split("ben: ")[0]
    assert "ben: I cannot know" in printed and printed.count("tools run: 0") == 2


def test_the_refund_waits_and_is_made_once_by_another_runner(lesson):
    names, made, printed = lesson
    assert calls(made["approval-run"]) == [("refund_order", {"number": 1036, "amount": 5})]
    assert "approval [('refund_order', {'number': 1036, 'amount': 5})]" in printed
    assert len(made["resume-run"]) == 1
    with SessionStore(names["file"]) as store:
        assert [turn["role"] for turn in store.get("anna")] == ["user", "assistant", "tool", "assistant"]
    with shop.connect() as connection:
        (count,) = connection.execute("SELECT count(*) FROM refunds WHERE amount_cents = 500").fetchone()
    assert count == 1


@pytest.mark.parametrize(("approval", "times"), [(False, 0), (True, 1)])
def test_a_call_that_was_under_way_is_not_repeated_and_one_that_waited_runs_once(lesson, approval, times):
    names, _, _ = lesson
    ran = []
    refund = tool(
        lambda number: ran.append(number), name="refund", description="Refund.", needs_approval=approval
    )
    agent = Agent("x", "", [refund], (names["scripted"](names["ON_ITS_WAY"]), "script"))
    store = SessionStore()
    under_way = {"id": "toolu_1", "name": "refund", "arguments": {"number": "1042"}}
    store.append(
        "x",
        [
            {"role": "user", "text": "Refund order 1042."},
            {"role": "assistant", "text": "", "calls": [under_way], "stop_reason": "tool_calls"},
        ],
    )
    response = Runner(agent, store).resume("x", ["toolu_1"] if approval else [])
    assert response.stop_reason == "end" and len(ran) == times
    (result,) = response.messages[2]["results"]
    assert result["is_error"] == (not approval)


def test_three_other_models_go_on_with_the_session(lesson):
    names, made, _ = lesson
    paths = {one.path.rsplit("/", 1)[-1] for one in made["providers-run"]}
    assert {"messages", "completions", "responses"} <= paths and any(
        "generateContent" in path for path in paths
    )
    spoken = [turn for turn in names["response"].messages if turn["role"] == "assistant" and turn["calls"]]
    assert [turn["provider"] for turn in spoken] == ["anthropic", "openai", "openai-responses", "gemini"]
    assert [turn["calls"][0]["arguments"]["weight_kg"] for turn in spoken] == [2.5, 2.5, 4, 4]
    assert [turn["calls"][0]["arguments"]["destination"] for turn in spoken] == ["CA", "ES", "ES", "JP"]


def test_the_thinking_goes_back_to_its_provider_and_to_no_other(lesson):
    begun = lesson[0]["begun"]
    thought = {
        one: 'signature":' in json.dumps(to_wire(begun, one)) for one in ("anthropic", "openai", "gemini")
    }
    assert thought == {"anthropic": True, "openai": False, "gemini": False}
    assert begun[1]["wire"] == to_wire(begun, "anthropic")[1:2]


def test_past_the_walk_the_same_is_sent_in_less_time(lesson):
    names, _, printed = lesson
    assert "the same request: True" in printed
    assert names["walked"] > 3 * names["past"]


# ---- the exercises ----

NONE = {"tool_choice": {"type": "none"}}


def reason_to_end(response, calls):
    return solution("09", "reason-build")["reason_to_end"](response, calls)


def loop(
    *,
    most=lambda n: n,
    forbids=lambda turn, n: turn == n - 1,
    reason=reason_to_end,
    answers=lambda calls: calls,
    keeps=True,
    pause=True,
    early=False,
    results_first=False,
    cut=True,
    word="max_turns",
    choice=None,
):
    """The loop of 09.a with its decisions as parameters."""

    def polite_loop(ask, run, question, max_turns):
        messages = [{"role": "user", "content": question}]
        for turn in range(most(max_turns)):
            response = ask(messages, **(NONE if forbids(turn, max_turns) else choice or {}))
            calls = wire.read_calls(response)
            if not cut:
                calls = [type(one)(one.id, one.name, one.arguments) for one in calls]
            ended = reason(response, calls)
            if ended and not keeps:
                return ended, messages
            if pause or response.stop_reason != "pause_turn":
                messages += wire.write_turn(response)
            if early and turn == max_turns - 1:
                return word, messages
            if calls and results_first:
                messages[-1:] = [*wire.write_results(run(calls)), messages[-1]]
            elif calls:
                messages += wire.write_results(run(answers(calls)))
            if ended:
                return ended, messages
        return word, messages

    return polite_loop


def test_exercise_a_a_loop_with_a_last_word():
    right = solution("09", "ex-09-a-answer", wire=wire, reason_to_end=reason_to_end)["polite_loop"]

    def only(**reasons):
        def reason(response, calls):
            found = reason_to_end(response, calls)
            return reasons.get(found, found)

        return reason

    def after_the_loop(ask, run, question, max_turns):
        found, messages = loop(forbids=lambda turn, n: False)(ask, run, question, max_turns)
        if found == "max_turns":
            response = ask(messages, **NONE)
            return reason_to_end(response, []), messages + wire.write_turn(response)
        return found, messages

    def pause_ends(response, calls):
        return reason_to_end(response, calls) or ("" if calls else "end")

    def cut_call_ends(response, calls):
        return "max_tokens" if response.stop_reason == "max_tokens" else reason_to_end(response, calls)

    judge(
        "09.a",
        right,
        {
            "never ends": loop(most=lambda n: 1000, forbids=lambda turn, n: False),
            "no last word": loop(forbids=lambda turn, n: False),
            "one more after the loop": after_the_loop,
            "one too few": loop(most=lambda n: n - 1 if n > 1 else n),
            "forbids from the start": loop(forbids=lambda turn, n: True),
            "forces before the last": loop(choice={"tool_choice": {"type": "any"}}),
            "forces one tool": loop(choice={"tool_choice": {"type": "tool", "name": "find_order"}}),
            "another ask": lambda ask, run, *more: right(_Unasked(), run, *more),
            "another run": lambda ask, run, *more: right(
                ask, lambda calls: [ToolResult(one.id, one.name, "ok") for one in calls], *more
            ),
            "last answer thrown away": loop(early=True),
            "answer not kept": loop(keeps=False),
            "first call only": loop(answers=lambda calls: calls[:1]),
            "results before the turn": loop(results_first=True),
            "a pause ends": loop(reason=pause_ends),
            "pause not sent back": loop(pause=False),
            "a cut call ends": loop(reason=cut_call_ends),
            "a cut call runs": loop(cut=False),
            "refusal is an end": loop(reason=only(refusal="end")),
            "a cut text is an end": loop(reason=only(max_tokens="end")),
            "no more room is an end": loop(reason=only(context_window="end")),
            "the unknown is an end": loop(reason=only(other="end")),
            "no reason for the cap": loop(word=""),
            "only the reason": lambda *args: right(*args)[0],
            "only the messages": lambda *args: (None, right(*args)[1]),
            "returns nothing": lambda *args: print(end=""),
            "asks nobody": lambda ask, run, question, max_turns: ("end", []),
            "no question": lambda ask, run, question, max_turns: right(ask, run, "Hello", max_turns),
        },
    )


class _Unasked:
    """An `ask` of one's own, as that of the lesson's client."""

    def __call__(self, messages, **more):
        return {"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}


@pytest.mark.parametrize("choice", [{"type": "auto"}, {"type": "auto", "disable_parallel_tool_use": True}])
def test_a_loop_may_say_in_its_other_turns_that_the_model_is_free(choice):
    assert check("09.a", loop(choice={"tool_choice": choice})).passed


def test_a_loop_may_say_in_its_other_turns_that_itleaves_the_choice_out():
    assert check("09.a", loop(choice={"tool_choice": anthropic.omit})).passed


def test_only_what_forbids_tools_is_told_as_forbidding_them():
    forced = check("09.a", loop(choice={"tool_choice": {"type": "any"}}))
    assert "must call" in forced.message and "forbidden" not in forced.message
    assert "forbidden" in check("09.a", loop(forbids=lambda turn, n: True)).message


def test_a_choice_that_is_no_dictionary_gets_a_message():
    for choice in ("none", ["none"], 1):
        result = check("09.a", loop(forbids=lambda *_: False, choice={"tool_choice": choice}))
        assert result.state != PASSED and "tool_choice" in result.message


def test_exercise_b_a_session_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    right = solution("09", "ex-09-b-answer", SessionStore=SessionStore, Runner=Runner)["reply"]

    def with_id(name):
        return lambda agent, file, customer, text: right(agent, file, name(customer, text), text)

    def in_memory():
        kept = SessionStore()
        return lambda agent, file, customer, text: Runner(agent, kept).run(customer, text).content

    def one_file():
        places = []

        def reply(agent, file, customer, text):
            places.append(file)
            return right(agent, places[0], customer, text)

        return reply

    def pasted(agent, file, customer, text):
        with SessionStore(file) as store:
            said = [turn["text"] for turn in store.get(customer) if turn["role"] == "user"]
        return right(agent, file, customer, "\n".join([*said, text]))

    def stored_twice(agent, file, customer, text):
        with SessionStore(file) as store:
            store.append(customer, [{"role": "user", "text": text}])
            return Runner(agent, store).run(customer, text).content

    def in_another_file(path, times=1):
        """A global file in the place of the one that is given; this is the nth check with it."""

        def reply(agent, file, customer, text):
            return right(agent, path, customer, text)

        for _ in range(times - 1):
            assert "reply was given" in check("09.b", reply).message
        return reply

    script = solution("09", "script-build", count=count, httpx2=httpx2, Anthropic=anthropic.Anthropic)
    answer = ("end_turn", {"type": "text", "text": "This is answer 1."})
    others = Agent("shop", "Help.", [], (script["scripted"](answer), "script"))
    numbers = iter(range(1000))
    judge(
        "09.b",
        right,
        {
            "a new store in memory": lambda agent, file, *said: Runner(agent).run(*said).content,
            "one store in memory": in_memory(),
            "a new id each time": with_id(lambda customer, text: f"session {next(numbers) % 3}"),
            "one id for all": with_id(lambda customer, text: "session"),
            "an id of its own making": with_id(lambda customer, text: customer.split("@")[0]),
            "always the first file": one_file(),
            "another file, again": in_another_file(tmp_path / "again.sqlite", times=2),
            "history in the text": pasted,
            "stored twice": stored_twice,
            "asks twice": lambda *args: right(*args) and right(*args),
            "the response": lambda agent, file, *said: Runner(agent, SessionStore(file)).run(*said),
            "nothing": lambda *args: print(end=""),
            "asks nobody": lambda *args: "Hello.",
        },
    )
    assert "reply was given" in check("09.b", lambda agent, *more: right(others, *more)).message


def test_exercise_c_a_run_that_waits_may_wait_again():
    right = solution("09", "ex-09-c-answer")["run_with_approvals"]

    def approving(choose, again=True, empty=True, session=lambda one: one):
        def found(runner, session_id, message, allows):
            response = runner.run(session(session_id), message)
            while response.stop_reason == "approval":
                approved = choose(response.waiting, allows)
                if not approved and not empty:
                    break
                response = runner.resume(session(session_id), approved)
                if not again:
                    break
            return response

        return found

    def allowed(waiting, allows):
        return [one.id for one in waiting if allows(one)]

    def says_again(runner, session_id, message, allows):
        response = runner.run(session_id, message)
        return runner.run(session_id, message) if response.stop_reason == "approval" else response

    def first_response(runner, session_id, message, allows):
        first = runner.run(session_id, message)
        response = first
        while response.stop_reason == "approval":
            response = runner.resume(session_id, allowed(response.waiting, allows))
        first.__dict__.update(stop_reason=response.stop_reason, waiting=[])
        return first

    judge(
        "09.c",
        right,
        {
            "once": approving(allowed, again=False),
            "everything": approving(lambda waiting, allows: [one.id for one in waiting]),
            "all or nothing": approving(
                lambda waiting, allows: [one.id for one in waiting] if all(map(allows, waiting)) else []
            ),
            "nothing": approving(lambda waiting, allows: []),
            "nothing goes on after a refusal": approving(allowed, empty=False),
            "calls in the place of ids": approving(lambda waiting, allows: list(filter(allows, waiting))),
            "asks about ids": approving(
                lambda waiting, allows: [one.id for one in waiting if allows(one.id)]
            ),
            "does not go on": lambda runner, session_id, message, allows: runner.run(session_id, message),
            "says it again": says_again,
            "another session": approving(allowed, session=lambda one: "mine"),
            "the text": lambda *args: right(*args).content,
            "the first response": first_response,
            "returns nothing": lambda *args: print(end=""),
            "asks nobody": lambda runner, *args: Runner(runner.starting_agent).run("x", "Hello"),
        },
    )


@pytest.mark.parametrize(
    ("exercise", "parameters"),
    [
        ("09.a", "ask, run, question, max_turns"),
        ("09.b", "agent, file, customer, text"),
        ("09.c", "runner, session_id, message, allows"),
    ],
)
def test_the_last_hint_is_nearly_the_answer(exercise, parameters):
    _, *code = texts("en")[f"hints.{exercise}.3"].format().splitlines()
    first = ['    messages = [{"role": "user", "content": question}]'] if exercise == "09.a" else []
    names = {"wire": wire, "reason_to_end": reason_to_end, "SessionStore": SessionStore, "Runner": Runner}
    exec("\n".join([f"def answer({parameters}):", *first, *code]), names)  # noqa: S102 - a hint of ours
    assert check(exercise, names["answer"]).passed


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("exercise", ["09.a", "09.b", "09.c"])
def test_the_last_hint_is_a_sentence_and_code_that_python_reads(exercise, lang):
    lessons.judge_last_hint(exercise, lang)


@pytest.mark.parametrize("exercise", ["09.a", "09.b", "09.c"])
@pytest.mark.parametrize(
    "answer",
    [
        *HOSTILE,
        lambda *_: float("nan"),
        lambda *_: ("end", [Hostile()]),
        lambda *_: (Hostile(), []),
        lambda *_: "\ud800" * 400,
    ],
)
def test_a_hostile_answer_gets_a_message(exercise, answer):
    result = check(exercise, answer)
    assert result.state != PASSED and result.message and "Traceback" not in result.message


@pytest.mark.parametrize("messages", [None, "x", [Hostile()], [{"role": "user", "content": Hostile()}], [{}]])
def test_a_loop_that_sends_something_else_gets_a_message(messages):
    result = check("09.a", lambda ask, run, question, most: ask(messages))
    assert result.state != PASSED and result.message and "Traceback" not in result.message


@pytest.mark.parametrize("calls", [None, "x", [Hostile()]])
def test_a_loop_that_runs_something_else_gets_a_message(calls):
    result = check("09.a", lambda ask, run, question, most: run(calls))
    assert result.state != PASSED and result.message


def test_no_checker_needs_the_practice_model():
    """They follow scripts, so with real models they check the same and cost nothing."""
    before = len(exchanges()) if setup._status else 0
    assert check(
        "09.b", solution("09", "ex-09-b-answer", SessionStore=SessionStore, Runner=Runner)["reply"]
    ).passed
    assert (len(exchanges()) if setup._status else 0) == before
