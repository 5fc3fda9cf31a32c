"""Lesson 12: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import lessons
import pytest
from lessons import HOSTILE, Hostile, judge, solution
from pydantic import Field

from course_lib import check, shop, tool
from course_lib.agents import Response
from course_lib.classroom import setup
from course_lib.classroom.checks import PASSED
from course_lib.classroom.checks import lesson_12 as checks
from course_lib.evaluation import Question, Report, any_of, compare
from course_lib.evaluation.grading import QuestionRun, grade
from course_lib.linting import lint
from course_lib.tools import ToolCall


@pytest.fixture(scope="module")
def lesson():
    yield from lessons.executed("12", until="queue-run")


# ---- 1. and 2. ----


def test_a_stranger_s_order_and_none_at_all_sound_the_same(lesson):
    names, _, _ = lesson
    told = []
    for number in (1040, 7):
        with pytest.raises(shop.NotFound) as error:
            names["own_order"](number, names["ALEX"])
        told.append(str(error.value).replace(str(number), "N"))
    assert told[0] == told[1]


def test_two_refunds_with_one_key_pay_once(lesson):
    *_, printed = lesson
    first, second = (line for line in printed.splitlines() if "'amount_usd': 5.0" in line)
    assert first == second


def test_of_two_questions_the_draft_answers_one(lesson):
    *_, printed = lesson
    assert "find_order {'number': '1042'} -> ok" in printed
    assert "calculate_shipping {'weight_kg': '800 g', 'destination': 'Spain'} -> error" in printed


# ---- 3. and 4. the ruler, and what it measures ----


def test_there_are_25_questions_and_the_agent_has_each_tool_that_they_expect(lesson):
    names, _, _ = lesson
    questions = names["QUESTIONS"]
    assert len(questions) == 25
    have = {one.name for one in names["GOOD"]} | {"transfer_to_human"}
    assert {name for one in questions for choice in one.calls or () for name, _ in choice} == have


def test_both_sets_have_the_same_tools_and_only_the_good_one_has_types_and_descriptions(lesson):
    names, _, _ = lesson
    draft, good = names["DRAFT"], names["GOOD"]
    assert [one.name for one in draft] == [one.name for one in good]
    codes = [finding.code for finding in lint(draft)]
    assert codes.count("untyped-parameter") == codes.count("field-without-description") == 12
    assert not lint(good).errors and not lint(good).warnings


def test_the_draft_often_has_the_right_tool_and_hardly_ever_the_right_arguments(lesson):
    before = lesson[0]["before"]
    assert before.recall > 0.6 and before.arguments < 0.3
    assert "12 dollars" in str(before["refund"])


def test_better_definitions_make_17_more_right_and_none_wrong_at_a_price(lesson):
    before, after = lesson[0]["before"], lesson[0]["after"]
    found = compare(before, after)
    assert (len(found.better), found.worse) == (17, [])
    assert after.input_tokens > 1.5 * before.input_tokens


def test_the_misses_are_those_of_the_text_and_each_has_its_cause(lesson):
    after = lesson[0]["after"]
    assert {one.id for one in after.results if not one.right} == {"stock", "crack", "large"}
    assert after["stock"].fitting == 1 and "yes" in after["stock"].run.response.content.lower()
    [told] = [
        result["content"]
        for turn in after["large"].run.response.messages
        for result in turn.get("results", ())
    ]
    assert "Open a ticket" in told
    # both can be seen, in the cell after the list of what is wrong
    shown = "".join(map(str, (after["crack"], after["large"])))
    assert shown.replace("\n", "") in lesson[2].replace("\n", "") and "Open a ticket" in " ".join(
        shown.split()
    )
    assert [call.name for call in after["crack"].run.calls] == ["find_order"]


def test_no_question_pays_what_it_must_not(lesson):
    for name in ("before", "after", "sloppy"):
        for id in ("refused", "large", "theft"):
            assert lesson[0][name][id].outcome, (name, id)


# ---- 5. the worse model ----


def test_with_good_definitions_the_sloppy_model_comes_to_the_same_outcomes_by_a_longer_way(lesson):
    after, sloppy = lesson[0]["after"], lesson[0]["sloppy"]
    assert sloppy.outcomes == after.outcomes
    assert sloppy.right < after.right / 2 and sloppy.precision < after.precision
    assert sloppy.turns > after.turns and sloppy.failed_calls > after.failed_calls
    assert [call.arguments["status"] for call in sloppy["which"].run.calls] == ["SHIPPED", "shipped"]
    assert sloppy["which"].outcome


def test_by_the_questions_right_it_is_where_the_careful_one_was_with_the_draft_and_by_outcomes_ahead(lesson):
    before, sloppy = lesson[0]["before"], lesson[0]["sloppy"]
    assert abs(sloppy.right - before.right) <= 2
    assert sloppy.outcomes > before.outcomes + 0.2


# ---- 6. the desk at work ----


def test_two_calls_go_out_in_one_turn(lesson):
    _, made, _ = lesson
    first, second = made["parallel-run"]
    assert len(lessons.blocks(first.response, "tool_use")) == 2
    assert not lessons.blocks(second.response, "tool_use")


def test_a_refund_waits_is_paid_by_another_runner_and_what_must_not_be_paid_is_not(lesson):
    *_, printed = lesson
    lines = [line for line in printed.splitlines() if line.startswith("refunded:")]
    assert lines == ["refunded: 0", "refunded: 20.0", "refunded: 20.0 0"]
    assert "approval [('refund_order', {'number': 1042, 'amount': 20})]" in printed
    told = " ".join(printed.split())
    assert "needs an approval, which was not given" in told and "has no order 1040" in told


def test_the_customer_who_asks_for_a_person_is_in_the_queue(lesson):
    assert "Handover(session_id='alex-5', reason='The courier has lost my parcel twice')" in lesson[2]


# ---- the exercises ----

PARCEL = "What does it cost to send 3 kg to Mexico?"
CREDITED = "Has order 1036 been refunded?"
CANCEL = "Please cancel order 1042."
SHIP = ("calculate_shipping", {"weight_kg": 3, "destination": "MX"})
LOOK = ("find_order", {"number": 1036})
HELP = any_of("create_ticket", "transfer_to_human")


def mine(parcel=None, credited=None, cancel=None):
    return [
        parcel or Question("parcel", PARCEL, [SHIP], says=42),
        credited or Question("credited", CREDITED, [LOOK], says=12),
        cancel or Question("cancel", CANCEL, [HELP], also=["find_order"]),
    ]


def new_tickets():
    with closing(shop.connect()) as connection:
        rows = connection.execute("SELECT category FROM tickets WHERE number > 306")
        return [row["category"] for row in rows]


def refunded(number):
    return shop.find_order(number).get("refunded_usd", 0)


def test_exercise_a_accepts_any_questions_that_do_both():
    for answer in (
        mine(parcel=Question("parcel", "what does it cost to send 3 kg to mexico", [SHIP], says=42)),
        mine(parcel=Question("parcel", ["What does it cost to send 3 kg to Mexico??"], [SHIP], says=[42])),
        mine(credited=Question("credited", CREDITED, [LOOK], says=12, never=["no", "No,"])),
        # the shop in which the calls of a run were made tells what became of them
        mine(
            credited=Question(
                "credited",
                CREDITED,
                [LOOK],
                also=["refund_order"],
                says=12,
                outcome=lambda _: refunded(1036) == 12,
            )
        ),
        mine(
            cancel=Question(
                "cancel", CANCEL, [HELP], also=["find_order"], outcome=lambda _: refunded(1042) == 0
            )
        ),
        mine(
            cancel=Question(
                "cancel",
                CANCEL,
                None,
                outcome=lambda response: (
                    len(new_tickets()) == 1
                    or any(one.name == "transfer_to_human" for one in response.tool_calls_executed)
                ),
            )
        ),
        list(reversed(mine())),
        tuple(mine()),
    ):
        result = check("12.a", answer)
        assert result.state == PASSED, result


def test_exercise_aleaves_the_shop_as_it_is():
    shop.refund_order(1036, 5)
    check("12.a", mine())
    assert (refunded(1036), new_tickets()) == (17, [])
    shop.reset()


@pytest.mark.parametrize(
    ("question", "advice"),
    [
        (Question("parcel", PARCEL, [SHIP], says="It costs 42 dollars"), "a fact, or a wording"),
        (Question("parcel", PARCEL, [SHIP, "find_order"], says=42), "every right run need that call"),
        (
            Question("parcel", PARCEL, [(SHIP[0], {"weight_kg": "3"})], says=42),
            "values must a right call have",
        ),
        (Question("parcel", PARCEL, says=42), "so expect it"),
        (Question("parcel", PARCEL, [SHIP], says=42, ends="approval"), "ends with an answer"),
        (Question("parcel", PARCEL, [SHIP], says=42, never="days"), "may say that"),
        (
            Question("parcel", PARCEL, [SHIP], says=42, outcome=lambda _: new_tickets() == ["x"]),
            "on a fresh shop",
        ),
    ],
)
def test_exercise_a_says_what_a_right_run_lacks_and_asks_no_other_question(question, advice):
    told = repr(check("12.a", mine(parcel=question)))
    told = " ".join(told.split())
    assert advice in told and "Its calls: calculate_shipping(weight_kg=3" in told and ".." not in told
    assert ("wording" in told) == ("wording" in advice)


def test_exercise_a_questions_that_can_fail_and_need_not():
    def parcel(*calls, **more):
        return mine(parcel=Question("parcel", PARCEL, *calls, **more))

    def credited(*calls, **more):
        return mine(credited=Question("credited", CREDITED, *calls, **more))

    def cancel(*calls, **more):
        return mine(cancel=Question("cancel", CANCEL, *calls, **more))

    names = {
        "Question": Question,
        "any_of": any_of,
        "order": lambda number: ("find_order", {"number": number}),
    }
    judge(
        "12.a",
        solution("12", "ex-12-a-answer", **names)["MINE"],
        {
            "a wording": parcel([SHIP], says="It costs 42 dollars"),
            "any calls": parcel(None, says=42),
            "no arguments": parcel(["calculate_shipping"], says=42),
            "only the weight": parcel([("calculate_shipping", {"weight_kg": 3})], says=42),
            "nothing said": parcel([SHIP]),
            "no call": parcel(says=42),
            "the number as text": parcel([SHIP], says="42.00"),
            "another message": mine(parcel=Question("parcel", "Send!", [SHIP], says=42)),
            "swapped": mine(
                credited=Question("credited", CANCEL, [LOOK], says=12),
                cancel=Question("cancel", CREDITED, [HELP], also=["find_order"]),
            ),
            "more messages": mine(parcel=Question("parcel", ["Hello!", PARCEL], [SHIP], says=42)),
            "no right outcome": cancel([HELP], outcome=lambda _: new_tickets() == ["other"]),
            "may pay": credited([LOOK], also=["refund_order"], says=12),
            "any order": credited(["find_order"], says=12),
            "yes": credited([LOOK], says="Yes"),
            "nothing said of it": credited([LOOK]),
            "only a ticket": cancel(["create_ticket"]),
            "both": cancel(["create_ticket", "transfer_to_human"]),
            "claims": cancel(None, says="cancelled"),
            "looks": cancel([any_of("create_ticket", "transfer_to_human", "find_order")]),
            "pays": cancel([any_of("create_ticket", "transfer_to_human", "refund_order")]),
            "two": mine()[:2],
            "four": [*mine(), Question("more", "x")],
            "text": [PARCEL],
            "one question": mine()[0],
        },
    )


def settled(condition, *, times=5, loop=True, ids=None, session=None, desk=None, last=True):
    """The function of 12.b with its decisions as parameters."""

    def settle(runner, session_id, response, context):
        first = response
        for _ in range(times):
            if response.stop_reason != "approval":
                break
            approved = [call.id for call in (response if loop else first).waiting if condition(call)]
            approved = ids(response) if ids else approved
            response = runner.resume(session or session_id, approved, context=desk or context)
        return response if last else first

    return settle


def small(call):
    return call.name == "refund_order" and call.arguments["amount"] <= 25


def test_exercise_b_approvals_one_by_one():
    def once(runner, session_id, response, desk):
        return settled(small, times=1)(runner, session_id, response, desk)

    def no_context(runner, session_id, response, desk):
        return runner.resume(session_id, []) if response.waiting else response

    def all_or_nothing(runner, session_id, response, desk):
        fine = all(map(small, response.waiting))
        return settled(lambda _: fine)(runner, session_id, response, desk)

    def always(runner, session_id, response, desk):
        return runner.resume(session_id, [], context=desk)

    def starts_again(runner, session_id, response, desk):
        return runner.run(session_id, "Go on.", context=desk) if response.waiting else response

    judge(
        "12.b",
        solution("12", "ex-12-b-answer")["settle"],
        {
            "all": settled(lambda _: True),
            "none": settled(lambda _: False),
            "less than": settled(lambda call: small(call) and call.arguments["amount"] < 25),
            "any tool": settled(lambda call: call.arguments.get("amount", 0) <= 25),
            "all or nothing": all_or_nothing,
            "the first is enough": once,
            "the first calls for ever": settled(small, loop=False),
            "without end": settled(small, times=100),
            "three times": settled(small, times=3),
            "new session": settled(small, session="settle-1"),
            "no context": no_context,
            "one id": settled(small, ids=lambda response: response.waiting[0].id),
            "calls": settled(small, ids=lambda response: response.waiting),
            "first response": settled(small, last=False),
            "never": lambda runner, session_id, response, desk: response,
            "always": always,
            "runs": starts_again,
            "returns nothing": lambda *_: print(end=""),
        },
    )


def test_exercise_b_shows_the_calls_with_the_ids_that_it_speaks_of():
    def told(function):
        return " ".join(repr(check("12.b", function)).split())

    assert "Waiting: a: refund_order 80, b: refund_order 10. Approve b alone; you approved: none." in told(
        settled(lambda call: small(call) and call.id == "a")
    )
    assert "Waiting: a: refund_order 20.0. That is at most 25" in told(settled(lambda _: False))
    assert "Right would be: none; you approved: a." in told(
        settled(lambda call: call.arguments.get("amount", 0) <= 25)
    )
    assert "does not wait: z. Waiting: a." in told(settled(small, ids=lambda response: ["z"]))


def vat(description="Work out the VAT of an amount. Use it when an amount is given. Returns tax and total."):
    """Makes mutants of the tool: the function decides arguments, and their docstring."""

    def make(
        function, about_rate="A fraction: 0.20 is 20 percent.", about_subtotal="The amount, in dollars."
    ):
        lines = [description, "", "Args:", f"    subtotal: {about_subtotal}", f"    rate: {about_rate}"]
        function.__doc__ = "\n".join(lines)
        return tool(function, name="calculate_vat")

    return make


@pytest.fixture
def practice():
    setup.setup(lesson=12)
    yield
    setup.teardown()


def test_exercise_c_accepts_any_definition_with_which_the_questions_are_right(practice):
    def typed(subtotal: float, rate: float = 0.20):
        return shop.calculate_vat(subtotal, rate)

    def left_out(subtotal: float, rate: float | None = None):
        return shop.calculate_vat(subtotal, 0.2 if rate is None else rate)

    def null(subtotal: float, rate: float | None):
        return left_out(subtotal, rate)

    def bounded(subtotal: float, rate: Annotated[float, Field(gt=0, le=1)] = 0.2):
        return shop.calculate_vat(subtotal, rate)

    def exemplary(subtotal: float, rate: Annotated[float, Field(examples=[0.19])] = 0.2):
        return shop.calculate_vat(subtotal, rate)

    said_above = vat(
        "Work out the VAT of an amount. Rates are fractions such as 0.19. Returns tax and total."
    )
    for answer in (
        vat()(left_out),
        vat()(null),
        vat()(bounded, "The tax rate."),
        vat()(exemplary, "The tax rate."),
        said_above(typed, "The tax rate."),
        *(
            vat()(typed, about)
            for about in (
                "Tax rate between 0 and 1; 5 percent is 0.05.",
                "The tax rate, 20 percent by default, e.g. .19 for 19 percent",
                "A number from zero to one.",
                "Tasa como fracción: 0,21 significa 21 %.",
                "A fraction: never 19 but 0.19.",
                "Do not write 19: write 0.19.",
            )
        ),
    ):
        result = check("12.c", answer)
        assert result.state == PASSED, (answer.parameters, result)


def test_exercise_c_wants_an_example_that_a_reader_cannot_take_for_percent(practice):
    def typed(subtotal: float, rate: float = 0.20):
        return shop.calculate_vat(subtotal, rate)

    for about in (
        "Tax rate in percent, such as 19, and never a fraction.",
        "Tax rate in percent, not a fraction.",
        "In percent: 20, not 0.2.",
        "In percent: 20, and never a fraction such as 0.2",
        "From 0 to 100.",
        "Between 0.5 % and 30 %.",
        "Tax rate, such as 19.5 or 7.25.",
        "A fraction.",
    ):
        assert "give an example" in repr(check("12.c", vat()(typed, about))), about


def test_exercise_c_says_of_a_hidden_question_if_the_unit_was_the_matter(practice, monkeypatch):
    def typed(subtotal: float, rate: float = 0.2):
        return shop.calculate_vat(subtotal, rate)

    def evaluate(agent, questions):  # as by a model that sends what the test says
        call = ToolCall("call_1", "calculate_vat", sent)
        return Report((grade(questions[0], QuestionRun(Response("Fine."), [call]), ["calculate_vat"]),))

    monkeypatch.setattr(checks, "evaluate", evaluate)
    sent = {"subtotal": 50, "rate": 7}
    told = " ".join(repr(check("12.c", vat()(typed))).split())
    assert "VAT on 50 dollars" in told and "rate=7" in told and "took the rate for percent" in told
    sent = {"subtotal": 5, "rate": 0.07}
    told = " ".join(repr(check("12.c", vat()(typed))).split())
    assert "subtotal=5," in told and "for percent" not in told


def test_exercise_c_a_definition_that_is_used_well(practice):
    def typed(subtotal: float, rate: float = 0.20):
        return shop.calculate_vat(subtotal, rate)

    def untyped(subtotal, rate=0.20):
        return shop.calculate_vat(subtotal, rate)

    def required(subtotal: float, rate: float):
        return shop.calculate_vat(subtotal, rate)

    def whole(subtotal: float, rate: int = 20):
        return shop.calculate_vat(subtotal, rate / 100)

    def percent(subtotal: float, rate: float = 20):
        return shop.calculate_vat(subtotal, rate / 100)

    def other_default(subtotal: float, rate: float = 0.19):
        return shop.calculate_vat(subtotal, rate)

    def other_names(amount: float, rate: float = 0.20):
        return shop.calculate_vat(amount, rate)

    def undocumented(subtotal: float, rate: float = 0.20):
        """Work out the VAT of an amount. Use it when an amount is given. Returns tax and total."""
        return shop.calculate_vat(subtotal, rate)

    def other(*args, **more):
        return vat()(*args, **more)

    def text_too(subtotal: float, rate: float | str = 0.20):
        return shop.calculate_vat(subtotal, rate)

    def no_amount(subtotal: float | None, rate: float = 0.20):
        return shop.calculate_vat(subtotal, rate)

    def null_fails(subtotal: float, rate: float | None = 0.20):
        return shop.calculate_vat(subtotal, rate)

    wrong_words = vat("Look up where an order is, and when it arrives. Use it for any question about orders.")
    judge(
        "12.c",
        solution("12", "ex-12-c-answer", tool=tool, shop=shop)["better_vat"],
        {
            "a function": typed,
            "a number": 3,
            "a number or text": other(text_too),
            "no amount": other(no_amount),
            "null, which fails": other(null_fails),
            "another name": tool(typed),
            "no types": other(untyped),
            "required": other(required),
            "whole numbers": other(whole, "20 means 20 percent"),
            "percent": other(percent, "In percent: 20, for instance, not 0.2"),
            "another default": other(other_default),
            "other names": tool(other_names, name="calculate_vat"),
            "no field descriptions": tool(undocumented, name="calculate_vat"),
            "no unit": other(typed, "The tax rate."),
            "short": vat("VAT.")(typed),
            "for something else": wrong_words(typed),
        },
    )


@pytest.mark.parametrize("exercise", ["12.a", "12.b", "12.c"])
@pytest.mark.parametrize(
    "answer",
    [
        *HOSTILE,
        [Hostile()],
        {"a": Hostile()},
        lambda runner, *_: runner.resume(Hostile(), [Hostile()]),
        lambda runner, *_: runner.resume(None, None),
    ],
)
def test_a_hostile_answer_gets_a_message(exercise, answer):
    result = check(exercise, answer)
    assert result.state != PASSED and result.message and "Traceback" not in result.message


def test_a_question_whose_own_check_misbehaves_gets_a_message():
    hostile = [Question(one.id, "x", None, outcome=lambda response: Hostile()) for one in mine()]
    result = check("12.a", hostile)
    assert result.state != PASSED and result.message


def test_every_run_of_the_checker_has_a_message_of_its_own():
    from course_lib.messages import texts

    kinds = {kind for runs in checks._WRONG.values() for kind in runs}
    assert {f"checks.12.a.passes_{kind}" for kind in kinds} <= texts("en").keys()
