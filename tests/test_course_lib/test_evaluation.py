"""course_lib.evaluate: the figures that a hand count gives, whatever the model and the order."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from typing import Any

import httpx2
import pytest
from agent_tools import ON_ALL, serving
from anthropic import Anthropic, AuthenticationError

import course_lib
from course_lib import Agent, Context, evaluate, shop, tool
from course_lib.agents import Response
from course_lib.errors import CourseError, ServiceError
from course_lib.evaluation import Question, any_of, compare, fresh_shop
from course_lib.evaluation.grading import QuestionRun, Result, best_pairs, best_pairs_in_order, grade
from course_lib.evaluation.questions import fit, says
from course_lib.evaluation.report import Report
from course_lib.messages import set_language
from course_lib.tools import ToolCall
from practice_model import PracticeModel
from practice_model.request import Call, Decision

CAREFUL = "claude-haiku-5-5"
TOOLS = ["look_up", "count_stock", "refund"]


@tool
def look_up(number: int) -> str:
    """Look up an order."""
    if number > 9000:
        raise LookupError(f"there is no order {number}")
    return f"order {number} is paid"


@tool
def count_stock(sku: str) -> int:
    """Count the pieces."""
    return 3


@tool(needs_approval=True)
def refund(number: int, amount: float) -> dict:
    """Refund an order."""
    return shop.refund_order(number, amount)


@tool
def whose(who: Context) -> str:
    """Say who is signed in."""
    return who.name


def agent(model: Any = CAREFUL) -> Agent:
    return Agent("desk", "", [look_up, count_stock, refund], model)


def step(*calls: tuple[str, dict[str, Any]]) -> Decision:
    return Decision(calls=tuple(Call(name, arguments) for name, arguments in calls))


def replying(script: dict[str, list[Any]]) -> Any:
    """A brain that does what stands under the user's last message, step by step; the last step for good."""

    def decide(request: Any) -> Decision:
        at = max(n for n, turn in enumerate(request.turns) if turn.role == "user" and turn.text)
        spoken = sum(turn.role == "assistant" for turn in request.turns[at:])
        steps = script[request.turns[at].text]
        one = steps[min(spoken, len(steps) - 1)]
        return Decision(text=one) if isinstance(one, str) else one

    return decide


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes a practice model that follows a script, and returns it."""
    entered = []

    def make(script: dict[str, list[Any]]) -> PracticeModel:
        server = serving(monkeypatch, PracticeModel(replying(script)))
        entered.append(server)
        return server.__enter__()

    yield make
    for server in entered:
        server.__exit__(None, None, None)


# ---- counted by hand ------------------------------------------------------------------------------------

FIVE = [
    Question("good", "one", [("look_up", {"number": 1})], says="paid"),
    Question("other number", "two", [("look_up", {"number": 2})], says="two"),
    Question("too much", "three", [("look_up", {"number": 3}), ("look_up", {"number": 4})]),
    Question("greeting", "four", says="hello"),
    Question("nothing done", "five", [("refund", {"number": 5})], says="done"),
]
SCRIPT = {
    "one": [step(("look_up", {"number": 1})), "It is paid."],
    "two": [step(("look_up", {"number": 7})), "Number seven."],
    # Three calls in one turn and one in the next; of the first two, one answers an expectation by its
    # arguments and the other by its name.
    "three": [
        step(("look_up", {"number": 3}), ("look_up", {"number": 3}), ("count_stock", {"sku": "a"})),
        step(("count_stock", {"sku": "b"})),
        "All looked up.",
    ],
    "four": ["Hello there."],
    "five": ["I cannot."],
}


@ON_ALL
def test_the_figures_are_those_of_a_count_by_hand(model, monkeypatch):
    with serving(monkeypatch, PracticeModel(replying(SCRIPT))) as practice:
        report = evaluate(agent(model), FIVE)
        used = [exchange.response for exchange in practice.log.list()]
    assert [one.made for one in report.results] == [1, 1, 4, 0, 0]
    assert [one.expected for one in report.results] == [1, 1, 2, 0, 1]
    assert [one.matched for one in report.results] == [1, 1, 2, 0, 0]
    assert [one.fitting for one in report.results] == [1, 0, 1, 0, 0]
    assert [one.outcome for one in report.results] == [True, False, None, True, False]
    assert [one.right for one in report.results] == [True, False, False, True, False]
    assert report.precision == 4 / 6
    assert report.recall == 4 / 5
    assert report.arguments == 2 / 4
    assert report.outcomes == 2 / 4
    assert report.right == 2
    assert [one.run.turns for one in report.results] == [2, 2, 3, 1, 1]
    assert report.turns == 9 == len(used)
    assert report.input_tokens == sum(tokens(one)[0] for one in used)
    assert report.output_tokens == sum(tokens(one)[1] for one in used)


def tokens(response: dict[str, Any]) -> tuple[int, int]:
    usage = response.get("usage") or response["usageMetadata"]
    names = [
        ("input_tokens", "output_tokens"),
        ("prompt_tokens", "completion_tokens"),
        ("promptTokenCount", "candidatesTokenCount"),
    ]
    return next((usage[a], usage[b]) for a, b in names if a in usage)


def test_it_says_what_went_wrong_in_sentences(model):
    model(SCRIPT)
    report = evaluate(agent(), FIVE)
    assert report["good"].wrong == []
    assert report["other number"].wrong == [
        "other arguments: look_up(number=7); expected: look_up(number=2)",
        "the answer does not say two: Number seven.",
    ]
    assert report["too much"].wrong == [
        "other arguments: look_up(number=3); expected: look_up(number=4)",
        'called, not expected: count_stock(sku="a")',
        'called, not expected: count_stock(sku="b")',
    ]
    assert report["nothing done"].wrong[0] == "expected, not called: refund(number=5)"


def test_the_order_of_the_questions_changes_no_figure(model):
    model(SCRIPT)
    first = evaluate(agent(), FIVE)
    for seed in range(4):
        shuffled = random.Random(seed).sample(FIVE, len(FIVE))
        other = evaluate(agent(), shuffled)
        assert other.summary == first.summary
        assert sorted(map(str, other.results)) == sorted(map(str, first.results))


@ON_ALL
def test_an_agent_that_does_everything_has_ones_everywhere(model, monkeypatch):
    perfect = {
        "one": [step(("look_up", {"number": 1})), "It is paid."],
        "two": [step(("look_up", {"number": 2})), "That is two."],
        "three": [step(("look_up", {"number": 4}), ("look_up", {"number": 3})), "Done."],
        "four": ["Hello."],
        "five": [step(("refund", {"number": 5, "amount": 1})), "It is done."],
    }
    questions = [*FIVE[:4], Question("asks", "five", [("refund", {"number": 5})], ends="approval")]
    with serving(monkeypatch, PracticeModel(replying(perfect))):
        report = evaluate(agent(model), questions)
    assert report.right == 5, report.wrong
    assert (report.precision, report.recall, report.arguments, report.outcomes) == (1, 1, 1, 1)


# ---- one run at a time ----------------------------------------------------------------------------------


def graded(question: Question, *calls: Any, answer: str = "Fine.", **more: Any) -> Result:
    made = [ToolCall(f"c{n}", *one) for n, one in enumerate(calls)]
    return grade(question, QuestionRun(Response(answer, **more), made), TOOLS)


def counts(result: Result) -> tuple[int, int, int, int]:
    return result.made, result.expected, result.matched, result.fitting


LOOK_1, LOOK_2 = ("look_up", {"number": 1}), ("look_up", {"number": 2})


@pytest.mark.parametrize(
    ("expected", "made", "figures"),
    [
        ([LOOK_1], [LOOK_1], (1, 1, 1, 1)),
        ([LOOK_1], [LOOK_1, LOOK_1], (2, 1, 1, 1)),  # called twice: one answers, one is too much
        ([LOOK_1, LOOK_1], [LOOK_1], (1, 2, 1, 1)),  # expected twice: one call cannot answer both
        ([LOOK_1, LOOK_1], [LOOK_1, LOOK_1], (2, 2, 2, 2)),
        ([LOOK_1, LOOK_2], [LOOK_2, LOOK_1], (2, 2, 2, 2)),
        ([LOOK_1, "look_up"], [LOOK_2, LOOK_1], (2, 2, 2, 2)),  # the one that is picky gets the one that fits
        (["look_up", LOOK_1], [LOOK_1, LOOK_2], (2, 2, 2, 2)),
        ([any_of(LOOK_1, "count_stock"), LOOK_1], [LOOK_1, ("count_stock", {"sku": "a"})], (2, 2, 2, 2)),
        ([any_of("look_up", "count_stock")], [], (0, 1, 0, 0)),
        ([], [LOOK_1], (1, 0, 0, 0)),
        ([], [], (0, 0, 0, 0)),
        (None, [LOOK_1, LOOK_2], (0, 0, 0, 0)),  # whatever it calls
        ([LOOK_1], [("lookup", {"number": 1})], (1, 1, 0, 0)),  # a tool that there is not
    ],
)
def test_calls_are_paired_so_that_most_of_them_fit(expected, made, figures):
    for order in itertools.permutations(made):
        assert counts(graded(Question("q", "x", expected, never="nothing"), *order)) == figures


def test_in_order_a_call_that_came_too_early_does_not_count():
    question = Question("q", "x", [LOOK_1, "count_stock"], in_order=True)
    stock = ("count_stock", {"sku": "a"})
    assert counts(graded(question, LOOK_1, stock)) == (2, 2, 2, 2)
    assert counts(graded(question, stock, LOOK_1)) == (2, 2, 1, 1)
    assert counts(graded(question, stock, LOOK_1, stock)) == (3, 2, 2, 2)


def test_a_tool_that_may_be_called_besides_counts_neither_way():
    question = Question("q", "x", [LOOK_1], also=["count_stock", "look_up"])
    assert counts(graded(question, ("count_stock", {}), LOOK_1)) == (1, 1, 1, 1)
    assert counts(graded(question, LOOK_2, LOOK_1)) == (1, 1, 1, 1)
    assert counts(graded(question, ("refund", {}), LOOK_1)) == (2, 1, 1, 1)


def test_a_tool_that_the_agent_does_not_have_is_told_as_such():
    assert graded(Question("q", "x", ["look_upp"])).wrong == [
        "expected, but the agent has no such tool: look_upp()"
    ]


@pytest.mark.parametrize("grid_of", [best_pairs, best_pairs_in_order])
def test_no_other_pairs_are_better(grid_of):
    chance = random.Random(7)
    for _ in range(400):
        rows, columns = chance.randint(0, 4), chance.randint(0, 5)
        grid = [[chance.choice((0, 1, 2)) for _ in range(columns)] for _ in range(rows)]
        found = grid_of(grid)
        assert all(grid[row][column] for row, column in found)
        assert len({row for row, _ in found}) == len(found) == len({column for _, column in found})
        best = max(value(grid, pairs) for pairs in all_pairs(grid, rows, columns, grid_of))
        assert value(grid, found) == best


def value(grid: Any, pairs: Any) -> tuple[int, int]:
    return len(pairs), sum(grid[row][column] == 2 for row, column in pairs)


def all_pairs(grid: Any, rows: int, columns: int, grid_of: Any) -> Iterator[Any]:
    chosen = itertools.combinations if grid_of is best_pairs_in_order else itertools.permutations
    for size in range(min(rows, columns) + 1):
        for some_rows in itertools.combinations(range(rows), size):
            for some_columns in chosen(range(columns), size):
                pairs = list(zip(some_rows, some_columns, strict=True))
                if all(grid[row][column] for row, column in pairs):
                    yield pairs


def test_shares_lie_between_zero_and_one_whatever_was_called():
    chance = random.Random(3)
    names = [*TOOLS, "unknown"]
    for _ in range(200):
        calls = [
            [(chance.choice(names), {"number": chance.randint(1, 2)}) for _ in range(chance.randint(0, 4))]
            for _ in range(2)
        ]
        question = Question("q", "x", calls[0], says="Fine" if chance.random() < 0.5 else ())
        report = Report((graded(question, *calls[1]),))
        shares = (report.precision, report.recall, report.arguments, report.outcomes)
        assert all(0 <= one <= 1 for one in shares)
        assert (shares[:3] == (1, 1, 1)) == (report["q"].wrong == [])


def test_a_share_of_nothing_is_one_only_where_nothing_was_expected():
    silent = Report((graded(Question("q", "x", [LOOK_1])),))
    assert (silent.precision, silent.recall, silent.arguments) == (0, 0, 0)
    nothing = Report((graded(Question("q", "x")),))
    assert (nothing.precision, nothing.recall, nothing.arguments, nothing.outcomes) == (1, 1, 1, 1)


# ---- what fits ------------------------------------------------------------------------------------------


class Unequal:
    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")

    __hash__ = None


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        ({"n": 4}, {"n": 4}, True),
        ({"n": 4.0}, {"n": 4}, True),
        ({"n": "4"}, {"n": 4}, False),
        ({"n": True}, {"n": 1}, False),
        ({"n": 1}, {"n": True}, False),
        ({"n": 4, "more": "x"}, {"n": 4}, True),  # given partly
        ({}, {"n": 4}, False),
        ({"n": 4}, {}, True),
        ({}, {"n": None}, True),
        ({"n": None}, {"n": None}, True),
        ({"n": 0}, {"n": None}, False),
        ({"n": 0}, {"n": ...}, True),
        ({}, {"n": ...}, False),
        ({"n": 2}, {"n": any_of(1, 2)}, True),
        ({}, {"n": any_of(None, 2)}, True),
        ({"n": 3}, {"n": any_of(None, 2)}, False),
        ({"n": "SKU-990"}, {"n": lambda value: value.startswith("SKU")}, True),
        ({"n": 990}, {"n": lambda value: value.startswith("SKU")}, False),  # the check itself fails
        ({"n": [1, {"a": 2}]}, {"n": [1, {"a": 2.0}]}, True),
        ({"n": [1, {"a": 2}]}, {"n": [1, {"a": 2, "b": 3}]}, False),
        ({"n": [1, {"a": 2, "b": 3}]}, {"n": [1, {"a": 2}]}, False),  # inside, nothing is given partly
        ({"n": [2, "x"]}, {"n": [any_of(1, 2), ...]}, True),
        ({"n": [3, "x"]}, {"n": [any_of(1, 2), ...]}, False),
        ({"n": [2, None]}, {"n": [2, ...]}, False),
        ({"n": {"a": 2}}, {"n": {"a": any_of(1, 2)}}, True),
        ({"n": {"a": 2}}, {"n": {"a": lambda value: value > 1, "b": None}}, True),
        ({"n": {"a": 1}}, {"n": {"a": lambda value: value > 1}}, False),
        ({"n": {"a": "x"}}, {"n": {"a": lambda value: value > 1}}, False),
        ({"n": {"a": 2}}, {"n": {"a": 2, "b": ...}}, False),
        ({"n": [{"a": [5]}]}, {"n": any_of("x", [{"a": [any_of(4, 5)]}])}, True),
        ({"n": [True]}, {"n": [any_of(1, 2)]}, False),
        ({"n": 1}, {"n": Unequal()}, False),  # the comparison itself fails
        ('{"n": 4}', {"n": 4}, True),
        ('"{\\"n\\": 4}"', {"n": 4}, True),  # encoded twice, as the tools read it
        ('{"n": 4', {"n": 4}, False),
        ('{"n": 4', {}, False),  # no arguments are not any arguments
    ],
)
def test_arguments_fit_or_not(given, wanted, fits):
    assert fit(ToolCall("c", "t", given), [("t", wanted)]) == (2 if fits else 1)
    assert fit(ToolCall("c", "other", given), [("t", wanted)]) == 0


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"n": [any_of(1, 2), ...]}, "look_up(n=[1 or 2, ...])"),
        ({"n": {"a": lambda value: True, "b": any_of("x", None)}}, 'look_up(n={"a": ?, "b": "x" or null})'),
        ({"n": {(1, 2): 3}}, "look_up(n={[1, 2]: 3})"),
    ],
)
def test_what_is_expected_inside_a_value_is_told_as_it_was_written(wanted, told):
    assert graded(Question("q", "x", [("look_up", wanted)])).wrong == [f"expected, not called: {told}"]


def test_a_call_that_was_cut_off_does_not_fit_though_it_looks_complete():
    assert fit(ToolCall("c", "t", {"n": 4}, cut_off=True), [("t", {"n": 4})]) == 1


@pytest.mark.parametrize(
    ("answer", "what", "found"),
    [
        ("It is Shipped.", "shipped", True),
        ("It is on\n its way", "on its way", True),
        ("unshipped", "shipped", False),
        ("It arrives on 2026-11-22.", "2026-11-22", True),
        ("Order 11042", "1042", False),
        ("Order 1042, and more", "1042", True),
        ("2026-12-01", "12", False),
        ("12.5 dollars", "12", False),
        ("There are 12.", "12", True),
        ("¿Dónde está?", "está", True),
        ("57.80 USD", 57.8, True),
        ("57,80 €", 57.8, True),
        ("$1,042.50", 1042.5, True),
        ("1.042,50 €", 1042.5, True),
        ("order #1042", 1042, True),
        ("157.8", 57.8, False),
        ("12 pieces", 1, False),
        ("nothing", 0, False),
        ("The balance is -5 USD.", -5, True),
        ("The balance is -5 USD.", 5, False),
        ("The balance is 5 USD.", -5, False),
        ("-$1,042.50 or $-7", -1042.5, True),
        ("-$1,042.50 or $-7", -7, True),
        ("\u22125 °C", -5, True),  # the minus sign of typesetting
        ("3-5 days", 5, True),
        ("3-5 days", -5, False),
        ("a 30-day return", 30, True),
        ("the total--5 dollars", 5, True),
        ("SKU-42", 42, False),
        ("SKU-42", -42, False),
        ("SKU-42: 42 are left", 42, True),
        ("A42 and v1.5.2", 42, False),
        ("A42 and v1.5.2", 5.2, False),
        ("2026-12-01", 12, False),
        ("**42**", 42, True),
        ("It is 5", 10**400, False),
        ("9" * 5000, 5, False),
        ("10" + "0" * 29, 1e30, True),
        ("12345678901234567891", 12345678901234567890, False),
        ("0.3", 0.1 + 0.2, True),
    ],
)
def test_an_answer_says_a_text_as_words_and_a_number_as_a_number(answer, what, found):
    assert says(answer, what) is found


# ---- outcomes -------------------------------------------------------------------------------------------


def broken(response: Response) -> bool:
    raise KeyError("no such row")


def asserting(response: Response) -> bool:
    raise AssertionError("the answer is not x")  # as an assert does, without what pytest adds to it


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ({"says": "fine"}, []),
        ({"says": ["fine", any_of("bad", "good")]}, ["the answer does not say bad or good: Fine."]),
        ({"never": ["fine", "bad"]}, ["the answer says fine: Fine."]),
        ({"outcome": lambda _: True}, []),
        ({"outcome": lambda _: False}, ["the check of the outcome gave False, not True"]),
        ({"outcome": lambda _: None}, ["the check of the outcome gave None, not True"]),
        ({"outcome": lambda _: "no row"}, ["the check of the outcome: no row"]),
        ({"outcome": broken}, ["the check of the outcome: KeyError('no such row')"]),
        ({"outcome": asserting}, ["the check of the outcome: the answer is not x"]),
        ({"ends": "approval"}, ["ended with end, not with approval"]),
    ],
)
def test_an_outcome_is_good_or_said_to_be_bad(question, wrong):
    result = graded(Question("q", "x", **question))
    assert result.wrong == wrong and result.outcome is (not wrong)


def test_who_states_no_outcome_has_none_but_a_run_without_an_answer_is_wrong_all_the_same():
    result = graded(Question("q", "x"), stop_reason="refusal")
    assert result.outcome is None and result.wrong == ["ended with refusal, not with end"]


# ---- runs that go wrong ---------------------------------------------------------------------------------


def test_a_run_that_reaches_a_limit_is_counted_and_not_raised(model):
    model({"again": [step(LOOK_1)], "fine": ["Fine."]})
    questions = [Question("endless", "again", [LOOK_1], says="paid"), Question("next", "fine")]
    report = evaluate(agent(), questions, max_turns=3)
    assert counts(report["endless"]) == (3, 1, 1, 1) and report["endless"].run.turns == 3
    assert report["endless"].outcome is False
    assert "ended with max_turns, not with end" in report["endless"].wrong
    assert report["next"].right
    expecting = [Question("endless", "again", None, ends="max_turns")]
    assert evaluate(agent(), expecting, max_turns=3).right == 1


def test_a_call_that_failed_and_was_corrected_costs_precision_only(model):
    model({"x": [step(("look_up", {"number": 9001})), step(LOOK_1), "It is paid."]})
    report = evaluate(agent(), [Question("q", "x", [LOOK_1], says="paid")])
    assert (report.precision, report.recall, report.arguments, report.outcomes) == (0.5, 1, 1, 1)
    assert report.failed_calls == 1
    assert report["q"].wrong == ["called, not expected: look_up(number=9001)"]


def test_the_same_call_failing_again_and_again_ends_the_run(model):
    model({"x": [step(("look_up", {"number": 9001}))]})
    report = evaluate(agent(), [Question("q", "x", ["look_up"])], max_repeats=2)
    assert counts(report["q"]) == (2, 1, 1, 1)
    assert "ended with repeated_call, not with end" in report["q"].wrong


def failing(status: int, kind: str) -> Agent:
    answer = httpx2.Response(status, json={"type": "error", "error": {"type": kind, "message": "No."}})
    return answered(lambda _: answer)


def answered(handle: Callable[[httpx2.Request], httpx2.Response]) -> Agent:
    transport = httpx2.Client(transport=httpx2.MockTransport(handle))
    return agent((Anthropic(api_key="practice", max_retries=0, http_client=transport), CAREFUL))


def test_a_service_that_cannot_be_asked_costs_the_question_and_not_the_evaluation():
    report = evaluate(failing(529, "overloaded_error"), FIVE)
    assert report.right == 0 and (report.precision, report.outcomes, report.turns) == (0, 0, 0)
    assert "the service gave no answer: OverloadedError" in report["good"].wrong[1]


MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": CAREFUL,
    "content": [{"type": "text", "text": "Fine."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


@pytest.mark.parametrize(
    "odd",
    [
        httpx2.Response(200, json={"type": "error", "error": {"type": "overloaded_error", "message": "No."}}),
        httpx2.Response(200, json={**MESSAGE, "content": 5}),
        httpx2.Response(200, json={}),
        httpx2.Response(200, html="<p>Down for repairs</p>"),
        httpx2.Response(200, text="{", headers={"content-type": "application/json"}),
    ],
    ids=["error with status 200", "content of another type", "nothing", "a page", "no JSON"],
)
def test_one_answer_that_is_none_costs_its_question_and_no_other(odd):
    def handle(request: httpx2.Request) -> httpx2.Response:
        return odd if b"second" in request.content else httpx2.Response(200, json=MESSAGE)

    report = evaluate(
        answered(handle), [Question(one, one, says="fine") for one in ("first", "second", "third")]
    )
    assert [one.right for one in report.results] == [True, False, True]
    assert report["second"].outcome is False
    assert report["second"].wrong[0].startswith("the service gave no answer: ServiceError: ")


def test_a_wrong_key_is_raised_also_where_the_status_says_that_all_is_well():
    answer = {"error": {"code": 401, "message": "No."}}
    with pytest.raises(ServiceError):
        evaluate(answered(lambda _: httpx2.Response(200, json=answer)), FIVE)


def test_a_wrong_key_is_raised():
    with pytest.raises(AuthenticationError):
        evaluate(failing(401, "authentication_error"), FIVE)


# ---- approvals ------------------------------------------------------------------------------------------

REFUND = ("refund", {"number": 1042, "amount": 20})
ASKS = {"x": [step(REFUND), "It is done."]}


def paid() -> float:
    return shop.find_order(1042).get("refunded_usd", 0)


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"ends": "approval", "outcome": lambda _: paid() == 0}, []),
        ({"approve": True, "says": "done", "outcome": lambda _: paid() == 20}, []),
        ({"approve": False, "says": "done", "outcome": lambda _: paid() == 0}, []),
        ({}, ["waits for an approval of refund(number=1042, amount=20); expected: end"]),
    ],
)
def test_a_call_that_waits_is_a_call_and_what_becomes_of_it_is_the_question_s_to_say(model, more, wrong):
    model(ASKS)
    result = evaluate(agent(), [Question("q", "x", [REFUND], **more)])["q"]
    assert counts(result) == (1, 1, 1, 1) and result.wrong == wrong


def test_who_goes_on_talking_has_not_approved(model):
    model({**ASKS, "forget it": ["As you like."]})
    question = Question("q", ["x", "forget it"], [REFUND], says="as you like", outcome=lambda _: paid() == 0)
    assert evaluate(agent(), [question]).right == 1


# ---- a session and a world of its own -------------------------------------------------------------------


def test_no_question_sees_what_another_one_changed(model):
    shop.reset()
    model(ASKS)
    one = {"calls": [REFUND], "approve": True, "outcome": lambda _: paid() == 20}
    report = evaluate(agent(), [Question("first", "x", **one), Question("second", "x", **one)])
    assert report.right == 2, report.wrong
    assert paid() == 0


def test_the_session_s_own_shop_is_left_as_it_was():
    shop.reset()
    shop.refund_order(1036, 5)
    with closing(shop.connect()) as opened:
        count = "SELECT count(*) FROM refunds"
        mine = opened.execute(count).fetchone()[0]
        with pytest.raises(RuntimeError), fresh_shop():
            assert opened.execute(count).fetchone()[0] == mine - 1
            shop.refund_order(1042, 7)
            raise RuntimeError
        assert opened.execute(count).fetchone()[0] == mine
    assert shop.find_order(1036)["refunded_usd"] == 17 and paid() == 0
    shop.reset()


def test_a_world_of_one_s_own_is_entered_for_each_question(model):
    model(SCRIPT)
    seen = []

    @contextmanager
    def world() -> Iterator[None]:
        seen.append("in")
        yield
        seen.append("out")

    question = Question("q", "four", outcome=lambda _: seen == ["in"])
    assert evaluate(agent(), [question], world=world).right == 1 and seen == ["in", "out"]


def swallowing() -> AbstractContextManager[None]:
    return suppress(Exception)


def test_no_question_vanishes_in_a_world_that_swallows_what_is_raised(model):
    with pytest.raises(AuthenticationError):
        evaluate(failing(401, "authentication_error"), FIVE, world=swallowing)
    model({**SCRIPT, "x": [step(("whose", {})), "Fine."]})
    with pytest.raises(CourseError, match="takes a Context"):
        questions = [Question("q", "x", ["whose"]), *FIVE]
        evaluate(Agent("desk", "", [look_up, whose], CAREFUL), questions, world=swallowing)
    assert len(evaluate(agent(), FIVE, world=swallowing).results) == 5


def unfinished() -> Iterator[None]:  # without @contextmanager
    yield


@pytest.mark.parametrize(
    ("world", "told"),
    [
        (lambda: None, r"world\(\) gave None, which is no context manager"),
        (unfinished, r"world\(\) gave <generator.*@contextlib.contextmanager above it"),
        (nullcontext(), "without calling it: world=fresh_shop"),
        (fresh_shop(), "without calling it: world=fresh_shop"),
        (None, "world is None; write what makes a context manager"),
    ],
)
def test_a_world_that_cannot_be_entered_for_each_question_says_so(world, told):
    with pytest.raises(CourseError, match=told):
        evaluate(agent(), FIVE, world=world)


def test_several_messages_are_one_session_and_several_questions_are_not(model):
    practice = model({"first": ["Which?"], "second": [step(LOOK_1), "Paid."]})
    questions = [Question("a", ["first", "second"], [LOOK_1]), Question("b", "first")]
    report = evaluate(agent(), questions)
    assert report.right == 2 and report["a"].run.turns == 3
    assert [len(one.request["messages"]) for one in practice.log.list()] == [1, 3, 5, 1]


def test_each_question_may_have_a_context_of_its_own(model):
    @tool
    def whoami(who: Context) -> str:
        """Say who is signed in."""
        names.append(who.name)
        return who.name

    names: list[str] = []
    model({"x": [step(("whoami", {})), "Fine."]})
    questions = [
        Question("a", "x", ["whoami"]),
        Question("b", "x", ["whoami"], context=Context(name="Lucía")),
    ]
    evaluate(Agent("desk", "", [whoami], CAREFUL), questions, context=Context(name="Alex"))
    assert names == ["Alex", "Lucía"]
    with pytest.raises(CourseError, match="takes a Context"):
        evaluate(Agent("desk", "", [whoami], CAREFUL), questions)


# ---- what a question may say ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("", "x"), "id of a question is ''"),
        (("q", ""), "messages is ''; write what the user says"),
        (("q", []), "messages is"),
        (("q", ["x", 3]), "messages is"),
        (("q", None), "messages is None"),
        (("q", {"x", "y"}), "messages is {.*a list of texts"),  # a set has no order
        (("q", "x", "look_up"), "calls is 'look_up'; write a list"),
        (("q", "x", ("look_up", {"number": 1})), r"calls is \('look_up'.*write a list"),
        (("q", "x", [("look_up",)]), r"calls\[0\] is \('look_up',\)"),
        (("q", "x", [("look_up", [1])]), r"calls\[0\]"),
        (("q", "x", ["a", any_of("b", 3)]), r"calls\[1\]"),
        (("q", "x", {"look_up": {}}), "calls is"),
        (("q", "x", None), "could not go wrong: with calls=None"),
        (
            ("q", "x", any_of("look_up", LOOK_1)),
            r"calls is any_of\('look_up', .*write a list.*calls=\[any_of\('look_up'",
        ),
        (("q", "x", LOOK_1), r"write a list, also of one: calls=\[\('look_up', {'number': 1}\)\]"),
    ],
)
def test_a_question_that_cannot_be_asked_says_so(arguments, told):
    with pytest.raises(CourseError, match=told):
        Question(*arguments)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("also", "look_up", "also is 'look_up'; write a list"),
        ("also", [3], "also is"),
        ("says", [None], r"says is \[None\]; write texts or finite numbers"),
        ("says", math.nan, "says is nan; write texts or finite numbers"),
        ("never", [any_of(5, -math.inf)], "never is .*write texts or finite numbers"),
        ("says", 10**400, "says is 1000.*write texts or finite numbers"),
        ("says", [10**5000], "says is .*write texts or finite numbers"),  # Python does not write it out
        ("says", True, "says is True"),
        ("never", [""], "never is"),
        ("outcome", "paid", "outcome is 'paid'; write a function"),
        ("ends", "done", "ends is 'done'; write one of end, approval"),
        ("approve", "yes", "approve is 'yes'; write True, False or None"),
        ("in_order", None, "in_order is None"),
        ("context", {"email": "x"}, "context is"),
    ],
)
def test_a_field_of_the_wrong_kind_says_what_to_write(field, value, told):
    with pytest.raises(CourseError, match=f"Question 'q': {told}"):
        Question("q", "x", **{field: value})


def test_any_of_nothing_is_refused():
    with pytest.raises(CourseError, match="nothing that would be right"):
        any_of()


@pytest.mark.parametrize(
    ("questions", "limits", "told"),
    [
        ([], {}, "no question"),
        ("where?", {}, "takes a list of questions"),
        (FIVE[0], {}, "takes a list of questions"),
        ([FIVE[0], ("q", "x")], {}, r"questions\[1\] is of type tuple"),
        ([FIVE[0], FIVE[0]], {}, "More than one question is called good"),
        (FIVE, {"on_limit": "raise"}, "sets on_limit itself"),
        (FIVE, {"session_store": None}, "sets session_store itself"),
        (FIVE, {"max_turn": 3}, "no option max_turn"),
        (FIVE, {"max_turns": 0}, "max_turns is 0"),
    ],
)
def test_evaluate_says_what_it_cannot_use(questions, limits, told):
    with pytest.raises(CourseError, match=told):
        evaluate(agent(), questions, **limits)


# ---- as text --------------------------------------------------------------------------------------------


@pytest.fixture
def reports(model):
    model(SCRIPT)
    before = evaluate(agent(), FIVE)
    model({**SCRIPT, "two": [step(LOOK_2), "That is two."], "four": ["Go away."]})
    return before, evaluate(agent(), FIVE)


def test_a_report_reads_as_a_table(reports):
    before, _ = reports
    text = repr(before)
    lines = [line.split() for line in text.splitlines()]
    assert ["questions", "right", "2", "of", "5"] in lines
    assert ["tool", "precision", "0.67"] in lines
    figures = next(line for line in lines if line[:2] == ["too", "much"])
    assert figures[2:8] == ["no", "2/4", "2/2", "1/2", "–", "3"]
    assert max(map(len, text.splitlines())) <= 95
    assert "  - expected, not called: refund(number=5)" in text
    assert Report((before["good"],)).wrong == "Nothing went wrong."
    with pytest.raises(KeyError, match="the ids are good, other number"):
        before["bad"]


def test_one_result_shows_what_was_asked_called_and_answered(reports):
    assert str(reports[0]["other number"]).splitlines() == [
        "other number: two",
        "  look_up(number=7)",
        "  answer: Number seven.",
        "  - other arguments: look_up(number=7); expected: look_up(number=2)",
        "  - the answer does not say two: Number seven.",
    ]


def test_two_reports_side_by_side_name_what_became_better_and_worse(reports):
    found = compare(*reports)
    assert (found.better, found.worse) == (["other number"], ["greeting"])
    text = repr(found)
    assert "right now, wrong before: other number" in text and "wrong now, right before: greeting" in text
    assert ["argument", "match", "0.50", "0.75"] in [line.split() for line in text.splitlines()]
    assert "the answer does not say hello: Go away." in text


def test_reports_on_different_questions_are_not_compared(reports):
    other = Report(reports[1].results[:4])
    with pytest.raises(CourseError, match="not on the same questions: nothing done"):
        compare(reports[0], other)
    with pytest.raises(CourseError, match="takes two reports; one of these is of type list"):
        compare(reports[0], FIVE)


def test_a_report_is_in_the_learner_s_language(reports):
    set_language("es")
    try:
        assert "precisión de herramientas" in repr(reports[0])
    finally:
        set_language("en")


def test_it_is_a_name_of_course_lib():
    assert course_lib.evaluate is evaluate and "evaluate" in course_lib.__all__
