"""Checkers of lesson 12: questions that can fail, approvals one by one, and a repaired definition."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ... import shop
from ...agents import Agent, ExecutedCall, Response
from ...errors import CourseError, ToolArgumentError
from ...evaluation import Question, Result, any_of, evaluate, fresh_shop
from ...evaluation.grading import QuestionRun, grade, shown
from ...evaluation.questions import says
from ...show.plain import is_a, safe_text, type_name
from ...tools import Context, Tool, ToolCall, tool
from .. import setup
from .helpers import (
    Problems,
    call,
    expect,
    expect_empty,
    expect_returned,
    expect_type,
    explained,
    listed,
    not_yet,
)
from .results import text_for_exercise
from .running import checker

# 12.a: what a run called and said ---------------------------------------------------------------------


def _ticket(category: str, summary: str, priority: str = "normal") -> dict[str, Any]:
    return shop.create_ticket(category, priority, summary)


_TOOLS: dict[str, Callable[..., Any]] = {
    "find_order": shop.find_order,
    "list_orders": shop.list_orders,
    "check_inventory": shop.check_inventory,
    "calculate_shipping": shop.calculate_shipping,
    "search_help": shop.search_help,
    "create_ticket": _ticket,
    "refund_order": shop.refund_order,
    "transfer_to_human": lambda reason: "A person will answer.",
}
_Made = tuple[str, dict[str, Any]]
_MESSAGES = {
    "parcel": "What does it cost to send 3 kg to Mexico?",
    "credited": "Has order 1036 been refunded?",
    "cancel": "Please cancel order 1042.",
}

_TO_MEXICO: _Made = ("calculate_shipping", {"weight_kg": 3, "destination": "MX"})
_TICKET: _Made = ("create_ticket", {"category": "other", "summary": "Cancel order 1042.", "priority": "high"})
_RIGHT: dict[str, list[tuple[list[_Made], str]]] = {
    "parcel": [
        ([_TO_MEXICO], "It costs 42 dollars and takes 6 days."),
        ([("calculate_shipping", {"weight_kg": 3.0, "destination": "MX"})], "42.00 USD, in six days."),
        ([_TO_MEXICO], "Son 42,00 dólares."),
    ],
    "credited": [
        ([("find_order", {"number": 1036})], "Yes: 12 dollars of it."),
        ([("find_order", {"number": 1036})], "12.00 of 57.80 USD went back to you."),
    ],
    "cancel": [
        ([_TICKET], "I have opened ticket 307, and somebody will look into it."),
        (
            [("create_ticket", {"category": "delivery", "summary": "Stop order 1042."})],
            "There is a ticket now.",
        ),
        ([("transfer_to_human", {"reason": "Wants to cancel order 1042."})], "A person will answer you."),
    ],
}
_WRONG: dict[str, dict[str, tuple[list[_Made], str]]] = {
    "parcel": {
        "guessed": ([], "It costs 42 dollars."),
        "grams": ([("calculate_shipping", {"weight_kg": 3000, "destination": "MX"})], "It costs 42 dollars."),
        "country": ([("calculate_shipping", {"weight_kg": 3, "destination": "CA"})], "It costs 42 dollars."),
        "misread": ([_TO_MEXICO], "It costs 25.50 dollars."),
    },
    "credited": {
        "paid": (
            [("find_order", {"number": 1036}), ("refund_order", {"number": 1036, "amount": 12})],
            "Yes: 12 dollars of it.",
        ),
        "other_order": ([("find_order", {"number": 1063})], "Yes: 12 dollars of it."),
        "denied": ([("find_order", {"number": 1036})], "No, nothing was refunded."),
    },
    "cancel": {
        "claimed": ([], "Your order is cancelled."),
        "refunded": ([("refund_order", {"number": 1042, "amount": 112})], "Your order is cancelled."),
        "looked": ([("find_order", {"number": 1042})], "Your order has been shipped."),
    },
}


@checker("12.a")
def check_12_a(MINE: Any) -> None:
    expect_type(MINE, (list, tuple), "MINE")
    for one in MINE:
        expect(is_a(one, Question), "no_question", got=type_name(one))
    mine = {one.id: one for one in MINE}
    expect_empty([name for name in _RIGHT if name not in mine], "missing")
    expect(len(MINE) == len(_RIGHT), "too_many", got=len(MINE))
    problems = Problems()
    for name, message in _MESSAGES.items():
        got = mine[name].messages
        same = len(got) == 1 and _letters(got[0]) == _letters(message)
        if problems.expect(same, "message", id=name, expected=message, got=" / ".join(got)):
            _try_question(mine[name], problems)
    problems.report()


def _letters(text: str) -> str:
    """Return a text without what may differ: capitals, blanks, punctuation."""
    return "".join(re.findall(r"\w", text.casefold()))


def _try_question(question: Question, problems: Problems) -> None:
    """Grade the runs. One problem for each question is enough: the first."""
    for made, answer in _RIGHT[question.id]:
        result = _grade(question, made, answer)
        if result.wrong:
            problems.expect(
                False,
                "right_fails",
                id=question.id,
                calls="; ".join(map(shown, result.run.calls)),
                answer=answer,
                got=_sentence(result),
                advice=text_for_exercise(f"right_{_what_differs(result)}"),
            )
            return
    for kind, (made, answer) in _WRONG[question.id].items():
        if not problems.expect(_grade(question, made, answer).wrong, f"passes_{kind}", id=question.id):
            return


def _grade(question: Question, made: list[_Made], answer: str) -> Result:
    """Make the calls of a run in a shop of its own, and grade it there: an outcome may look at it."""
    calls = [ToolCall(f"call_{n}", *one) for n, one in enumerate(made)]
    with fresh_shop(), shop.signed_in_as("alex@example.com"):
        done = [_executed(one) for one in calls]
        return grade(question, QuestionRun(Response(answer, done), calls), _TOOLS)


def _executed(made: ToolCall) -> ExecutedCall:
    try:
        content, failed = json.dumps(_TOOLS[made.name](**made.arguments), ensure_ascii=False), False
    except Exception as error:  # noqa: BLE001 - as the runner does: what goes wrong in a tool is its result
        content, failed = str(error), True
    return ExecutedCall(made.id, made.name, made.arguments, content, failed)


def _sentence(result: Result) -> str:
    return "; ".join(one.rstrip(". ") for one in result.wrong)


def _what_differs(result: Result) -> str:
    """Return which of its expectations a right run did not meet; of several, the one reported first."""
    question, answer = result.question, result.run.response.content
    if result.matched < result.expected:
        return "calls"
    if result.fitting < result.matched:
        return "arguments"
    if result.made > result.matched:
        return "extra"
    if question.ends not in (None, "end"):
        return "ends"
    if not all(any(says(answer, way) for way in ways) for ways in question.says):
        return "says"
    if any(says(answer, way) for ways in question.never for way in ways):
        return "never"
    return "outcome"


# 12.b: approvals one by one ---------------------------------------------------------------------------


class _ScriptedRunner:
    """A runner that notes how it is resumed; its steps are the calls that wait, an empty one is the end."""

    def __init__(self, *steps: list[ToolCall]) -> None:
        self.steps = list(steps)
        self.resumed: list[SimpleNamespace] = []

    def first(self) -> Response:
        return self._response(0)

    def resume(self, session_id: Any, approved: Any = (), *, context: Any = None) -> Response:
        expect(not is_a(approved, str), "one_id")
        ids = list(approved)
        waiting = {one.id for one in self.steps[min(len(self.resumed), len(self.steps) - 1)]}
        expect(waiting, "resumes_the_end")
        calls = [one for one in ids if is_a(one, ToolCall)]
        expect(not calls, "calls_not_ids")
        unknown = [safe_text(one, 40) for one in ids if one not in waiting]
        expect_empty(unknown, "unknown_ids", waiting=listed(waiting))
        self.resumed.append(SimpleNamespace(session_id=session_id, approved=set(ids), context=context))
        expect(len(self.resumed) < 12, "endless")
        return self._response(len(self.resumed))

    def run(self, *args: Any, **more: Any) -> Response:
        raise not_yet("runs")

    def _response(self, step: int) -> Response:
        waiting = self.steps[min(step, len(self.steps) - 1)]
        return Response(f"step {step}", stop_reason="approval" if waiting else "end", waiting=waiting)


def _refund(id: str, amount: float, name: str = "refund_order") -> ToolCall:
    return ToolCall(id, name, {"number": 1042, "amount": amount})


@checker("12.b")
def check_12_b(settle: Any) -> None:
    desk = Context(email="alex@example.com", conversation="alex-9")
    runner = _ScriptedRunner([])
    got = call(settle, runner, "alex-9", runner.first(), desk)
    expect(got is not None, "returns_none")
    expect(not runner.resumed and is_a(got, Response), "nothing_waits")

    runner = _settled(settle, desk, [_refund("a", 20.0)], [])
    (only,) = runner.resumed
    expect(only.session_id == "alex-9", "session", got=safe_text(only.session_id, 40))
    expect(only.context is desk, "context")
    _expect_approved(settle, desk, [_refund("a", 20.0)], {"a"}, "small")
    _expect_approved(settle, desk, [_refund("a", 25)], {"a"}, "limit")
    _expect_approved(settle, desk, [_refund("a", 25.01)], set(), "large")
    both = [_refund("a", 80), _refund("b", 10)]
    _expect_approved(settle, desk, both, {"b"}, "mixed")
    _expect_approved(settle, desk, list(reversed(both)), {"b"}, "mixed")
    _expect_approved(settle, desk, [_refund("a", 10, name="send_voucher")], set(), "other_tool")
    cancel = ToolCall("a", "delete_account", {"email": "alex@example.com"})
    _expect_approved(settle, desk, [cancel, _refund("b", 5)], {"b"}, "other_tool")

    runner = _settled(settle, desk, [_refund("a", 20)], [_refund("b", 300)], [_refund("c", 5)], [])
    expect(len(runner.resumed) == 3, "again", got=len(runner.resumed))
    expect([one.approved for one in runner.resumed] == [{"a"}, set(), {"c"}], "again_other")
    runner = _settled(settle, desk, [_refund("a", 20)])
    expect(len(runner.resumed) == 5, "cap", got=len(runner.resumed))


def _settled(settle: Any, desk: Context, *steps: list[ToolCall]) -> _ScriptedRunner:
    runner = _ScriptedRunner(*steps)
    first = runner.first()
    got = call(settle, runner, "alex-9", first, desk)
    expect(runner.resumed, "never_resumes")
    expect_returned(got, Response, "settle(runner, session_id, response, desk)")
    expect(got.content == f"step {len(runner.resumed)}", "old_response", got=safe_text(got.content, 40))
    return runner


def _expect_approved(settle: Any, desk: Context, waiting: list[ToolCall], ids: set[str], key: str) -> None:
    runner = _settled(settle, desk, waiting, [])
    got = runner.resumed[0].approved
    calls = ", ".join(f"{one.id}: {one.name} {one.arguments.get('amount', '')}".strip() for one in waiting)
    expect(got == ids, key, waiting=calls, got=_names(got), ids=_names(ids))


def _names(ids: set[str]) -> str:
    return listed(ids) or text_for_exercise("none")


# 12.c: five questions that the learner does not see ---------------------------------------------------

_VAT = "calculate_vat"
_HIDDEN = [
    Question("1", "What is the VAT on 50 dollars at 7 percent?", [(_VAT, {"subtotal": 50, "rate": 0.07})]),
    Question(
        "2", "¿Cuánto IVA lleva un importe de 50 dólares al 21 %?", [(_VAT, {"subtotal": 50, "rate": 0.21})]
    ),
    Question("3", "Add VAT to 120 dollars, please.", [(_VAT, {"subtotal": 120, "rate": any_of(None, 0.2)})]),
    Question("4", "What was the total of order 1036?", ["find_order"]),
    Question("5", "How much is a parcel of 800 g to Spain?", ["calculate_shipping"]),
]


@checker("12.c", seconds=60)
def check_12_c(better_vat: Any) -> None:
    expect(is_a(better_vat, Tool), "no_tool", got=type_name(better_vat))
    expect(better_vat.name == _VAT, "name", got=better_vat.name)
    fields = better_vat.parameters.get("properties", {})
    expect(set(fields) == {"subtotal", "rate"}, "fields", got=listed(fields) or text_for_exercise("nothing"))
    may_be_null = "null" in _kinds(fields["rate"])
    must_be_sent = "rate" in better_vat.parameters.get("required", ())
    words = len(better_vat.description.split())
    problems = Problems()
    for name, fine in (("subtotal", {"number", "integer"}), ("rate", {"number", "integer", "null"})):
        kinds = _kinds(fields[name])
        got = listed(kinds) or text_for_exercise("nothing")
        problems.expect("number" in kinds and fine.issuperset(kinds), "not_a_number", name=name, got=got)
        problems.expect(fields[name].get("description"), "no_description", name=name)
    problems.expect(may_be_null or not must_be_sent, "required")
    problems.expect(words >= 8, "short", got=words)
    problems.report()
    _expect_result(better_vat, {"subtotal": 100, "rate": 0.19}, 19.0)
    if not must_be_sent:
        _expect_result(better_vat, {"subtotal": 80}, 16.0)
    if may_be_null:
        _expect_result(better_vat, {"subtotal": 80, "rate": None}, 16.0)
    expect(_shows_a_rate(better_vat.description, fields["rate"]), "no_example")
    if not setup.is_live():  # a live model may decide otherwise without the definition being wrong
        _ask_hidden(better_vat)


def _kinds(field: dict[str, Any]) -> list[str]:
    """Return the JSON types that a schema allows, however it says so."""
    found = field.get("type", [])
    found = [found] if is_a(found, str) else list(found)
    choices = (*field.get("anyOf", ()), *field.get("oneOf", ()))
    return found + [kind for choice in choices for kind in _kinds(choice)]


# A number between 0 and 1 that is no percentage; and the two ends of that range.
_RATE = re.compile(
    r"(?<![\d.,])0?[.,]\d*[1-9]\d*(?!\d| ?%| ?per ?cent| ?por ciento)"
    r"|\b(?:0|zero|cero)\b[^.;\d]{1,12}\b(?:1|one|uno)\b(?![.,]?\d)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.,;:]\s|[()]|\b(?:but|sino)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|nunca|instead of|rather than|en vez de)\b", re.IGNORECASE)


def _shows_a_rate(description: str, rate: dict[str, Any]) -> bool:
    """Return whether a reader sees what a rate looks like: words such as "fraction" are read in two ways."""
    about = " . ".join([description, rate["description"], *map(str, rate.get("examples", ()))])
    clauses = [_NEGATION.split(one)[0] for one in _CLAUSE.split(about)]
    return rate.get("maximum") == 1 or any(map(_RATE.search, clauses))


def _expect_result(better_vat: Tool, arguments: dict[str, Any], vat: float) -> None:
    with explained("raises", CourseError, ToolArgumentError, arguments=arguments):
        got = better_vat.run(arguments)
    found = got.get("vat") if is_a(got, dict) else None
    expect(found == vat, "result", arguments=arguments, expected=vat, got=safe_text(repr(got), 80))


def _ask_hidden(better_vat: Tool) -> None:
    functions = (shop.find_order, shop.check_inventory, shop.calculate_shipping, shop.search_help)
    tools = [*map(tool, functions), better_vat]
    report = evaluate(Agent("desk", "You work at the support desk of a shop.", tools), _HIDDEN)
    for result in report.results:
        percent = any(_is_percent(one.arguments) for one in result.run.calls if one.name == _VAT)
        key = "hidden_percent" if percent and result.matched == result.expected else "hidden"
        expect(result.right, key, question=result.question.messages[0], got=_sentence(result))


def _is_percent(arguments: Any) -> bool:
    rate = arguments.get("rate") if is_a(arguments, dict) else None
    return is_a(rate, (int, float)) and rate > 1
