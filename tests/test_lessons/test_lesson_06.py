"""Lesson 06: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import ast
import asyncio
import concurrent.futures
import contextlib
import io
import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import lessons
import pytest
from lessons import blocks, judge, solution

from course_lib import check, shop
from course_lib.classroom import setup
from course_lib.classroom.checks import NOT_YET, PASSED


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does, with `await` at the top level, and return what its last line shows."""
    tree = ast.parse(source)
    if isinstance(tree.body[-1], ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("_", ast.Store())], tree.body[-1].value)
        ast.fix_missing_locations(tree)
    names["_"] = None
    code = compile(tree, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    found = eval(code, names)  # noqa: S307 - a lesson of ours
    if asyncio.iscoroutine(found):
        asyncio.run(found)
    return names["_"]


@pytest.fixture(scope="module")
def lesson() -> Iterator[tuple[dict[str, Any], ...]]:
    """The names of the lesson; for each cell its exchanges, what it prints, and what its last line shows."""
    shop.reset()
    names: dict[str, Any] = {"__name__": "lesson"}
    made, printed, shown = {}, {}, {}
    for cell in lessons.cells("06"):
        if cell.id == "exercises":
            break
        if cell.kind == "code":
            before = len(setup.exchanges()) if made else 0
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                shown[cell.id] = run_cell(lessons.without_magics(cell.source), names)
            made[cell.id], printed[cell.id] = setup.exchanges()[before:], said.getvalue()
    yield names, made, printed, shown
    setup.teardown()


def test_one_question_gives_three_calls_with_three_ids(lesson):
    made = lesson[1]
    found = blocks(made["several"][0].response, "tool_use")
    assert [call["input"]["city"] for call in found] == ["Madrid", "Berlin", "Tokyo"]
    assert len({call["id"] for call in found}) == 3


def test_the_first_result_alone_is_a_400_that_names_the_other_two(lesson):
    made = lesson[1]
    ids = [call["id"] for call in blocks(made["several"][0].response, "tool_use")]
    (exchange,) = made["first-only"]
    message = exchange.response["error"]["message"]
    assert exchange.status == 400 and ids[1] in message and ids[2] in message and ids[0] not in message


def test_results_in_messages_of_their_own_are_a_400(lesson):
    (exchange,) = lesson[1]["separate"]
    assert exchange.status == 400
    assert [message["role"] for message in exchange.request["messages"][-3:]] == ["user"] * 3


def test_results_in_any_order_are_taken(lesson):
    _, made, printed, _ = lesson
    (exchange,) = made["order"]
    ids = [call["id"] for call in blocks(made["several"][0].response, "tool_use")]
    sent = [block["tool_use_id"] for block in exchange.request["messages"][-1]["content"]]
    assert exchange.status == 200 and sent == ids[::-1]
    assert "12" in printed["order"] and "14" in printed["order"]


def span(page) -> float:
    """How long a timeline says that its calls took, in milliseconds."""
    return float(re.search(r"in (\d+) ms", repr(page))[1])


def test_eight_at_once_take_far_less_than_eight_one_by_one_and_three_workers_lie_between(lesson):
    shown = {cell: span(lesson[3][cell]) for cell in ("sequential", "pool", "threads", "async")}
    assert shown["threads"] < shown["sequential"] / 2 and shown["async"] < shown["sequential"] / 2
    assert shown["threads"] < shown["pool"] < shown["sequential"]


def test_a_failure_in_a_pool_takes_all_results_with_it(lesson):
    assert lesson[2]["failure"].startswith("get_forecast failed") and lesson[2]["failure"].endswith("None\n")


def test_run_calls_keeps_seven_and_says_why_the_eighth_failed(lesson):
    lines = lesson[2]["run-calls"].splitlines()
    assert len(lines) == 8 and [line.split()[1] for line in lines].count("True") == 1
    assert lines[3].startswith("call_x True get_forecast failed: NotFound")


def test_a_call_over_its_limit_is_answered_and_counted(lesson):
    names, _, printed, _ = lesson
    assert "0.5 s" in printed["limit"] and printed["left"].strip() == "{'get_slow_forecast': 1}"
    assert sum(result.is_error for result in names["results"]) == 1


def test_a_shared_number_goes_wrong_in_parallel_and_right_in_sequence(lesson):
    printed = lesson[2]
    wrong, right = (ast.literal_eval(printed[cell]) for cell in ("shared", "sequential-tool"))
    assert len(set(wrong)) < 8 and right == [str(n) for n in range(301, 309)]


def test_parallel_calls_can_be_switched_off(lesson):
    _, made, printed, _ = lesson
    assert len(blocks(made["off"][0].response, "tool_use")) == 1
    assert printed["off-openai"].split() == ["3", "calls", "1", "calls"]


def test_exercise_a_every_call_answered():
    right = solution("06", "ex-06-a-answer")["answer_all"]

    def each(change):
        return lambda calls, tools: [
            {"role": "user", "content": [change(b) for b in right(calls, tools)[0]["content"]]}
        ]

    def no_try(calls, tools):
        return right(
            calls, {name: tools[name] for name in tools if tools[name](**calls[1].arguments) or True}
        )

    def only_known(calls, tools):
        return right([call for call in calls if call.name in tools], tools)

    def catches_key_errors(calls, tools):
        (message,) = right(calls, tools)
        for block, call in zip(message["content"], calls, strict=True):
            if "KeyError" in block["content"]:
                block["content"] = f"There is no tool {call.name}."
        return [message]

    def as_str(calls, tools):
        (message,) = right(calls, tools)
        for block in message["content"]:
            if not block.get("is_error"):
                block["content"] = str(json.loads(block["content"]))
        return [message]

    judge(
        "06.a",
        right,
        {
            "no try": no_try,
            "one message": lambda calls, tools: right(calls, tools)[0],
            "a message each": lambda calls, tools: [
                {"role": "user", "content": [block]} for block in right(calls, tools)[0]["content"]
            ],
            "assistant": lambda calls, tools: [{**right(calls, tools)[0], "role": "assistant"}],
            "only the known": only_known,
            "not marked": each(lambda block: {key: block[key] for key in block if key != "is_error"}),
            "all marked": each(lambda block: {**block, "is_error": True}),
            "no reason": each(lambda block: {**block, "content": "failed"} if "is_error" in block else block),
            "key errors": catches_key_errors,
            "str": as_str,
            "names for ids": each(lambda block: {**block, "tool_use_id": block["tool_use_id"][-1]}),
            "other type": each(lambda block: {**block, "type": "tool_use"}),
            "forgot return": lambda calls, tools: print(end=""),
        },
    )


def answering(
    failed, unknown=lambda name: f"there is no tool {name}", known=lambda name, tools: name in tools
):
    """An answer_all that writes its texts with these functions, of the call and of what was raised."""

    def answer_all(calls, tools):
        found = []
        for call in calls:
            block = {"type": "tool_result", "tool_use_id": call.id}
            if not known(call.name, tools):
                block |= {"content": unknown(call.name), "is_error": True}
            else:
                try:
                    block["content"] = json.dumps(tools[call.name](**call.arguments))
                except KeyError as error:
                    block |= {"content": failed(call, error), "is_error": True}
                except Exception as error:  # noqa: BLE001
                    block |= {"content": f"{call.name} failed: {error!r}", "is_error": True}
            found.append(block)
        return [{"role": "user", "content": found}]

    return answer_all


@pytest.mark.parametrize(
    "failed",
    [
        lambda call, error: f"{call.name} failed: {type(error).__name__}: {error}",
        lambda call, error: f"{call.name} failed: {error!r}",
        lambda call, error: f"The tool {call.name} raised {error!r} for {call.arguments}.",
        lambda call, error: repr(error),
        lambda call, error: f"Error in find_order: there is nothing under {error}.",
    ],
)
def test_exercise_a_takes_a_reason_that_names_the_tool(failed):
    assert check("06.a", answering(failed)).state == PASSED


def test_exercise_a_takes_one_try_for_all_if_its_text_tells_the_two_apart():
    def one_try(call, error):
        return f"{type(error).__name__}: {error} ({call.name})"

    assert check("06.a", answering(one_try, known=lambda name, tools: True)).state == PASSED


@pytest.mark.parametrize(
    ("failed", "told"),
    [
        (lambda call, error: f"There is no tool {call.name} ({error}).", "find_order exists"),
        (lambda call, error: f"Unknown tool: {call.name}", "find_order exists"),
        (lambda call, error: f"{call.name}: try get_weather ({error})", "find_order exists"),
        (lambda call, error: str(error), "is only the key"),
        (lambda call, error: f"{call.name} failed", "should say why"),
    ],
)
def test_exercise_a_tells_what_is_wrong_with_the_text_of_a_key_error(failed, told):
    found = check("06.a", answering(failed, unknown=lambda name: f"Unknown tool: {name}"))
    assert found.state == NOT_YET and told in repr(found).replace("\n", " ")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exercise", ["06.a", "06.b", "06.c"])
def test_an_async_function_is_told_to_be_one(exercise):
    async def answer(*given):
        return []

    found = check(exercise, answer)
    assert found.state == NOT_YET and "async def" in repr(found)


def test_exercise_b_calls_at_the_same_time():
    pool = concurrent.futures.ThreadPoolExecutor
    right = solution("06", "ex-06-b-answer", ThreadPoolExecutor=pool)["in_parallel"]

    def safe(run):
        def one(call):
            try:
                return run(call)
            except Exception as error:  # noqa: BLE001
                return error

        return one

    def as_completed(calls, run):
        with pool(max_workers=len(calls) or 1) as workers:
            jobs = [workers.submit(safe(run), call) for call in calls]
            return [job.result() for job in concurrent.futures.as_completed(jobs)]

    def lets_out(calls, run):
        with pool(max_workers=len(calls) or 1) as workers:
            return list(workers.map(run, calls))

    def appended(calls, run):
        results = []
        threads = [threading.Thread(target=lambda c=call: results.append(safe(run)(c))) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(results, key=str) if all(isinstance(one, str) for one in results) else results

    judge(
        "06.b",
        right,
        {
            "one by one": lambda calls, run: [safe(run)(call) for call in calls],
            "as they end": lambda calls, run: (
                right(calls, run) if calls and run.__name__ != "backwards" else as_completed(calls, run)
            ),
            "exception out": lets_out,
            "without the failed": lambda calls, run: [
                one for one in right(calls, run) if not isinstance(one, LookupError)
            ],
            "text for the failed": lambda calls, run: [
                str(one) if isinstance(one, LookupError) else one for one in right(calls, run)
            ],
            "no workers": lambda calls, run: list(pool(max_workers=len(calls)).map(safe(run), calls)),
            "a generator": lambda calls, run: iter(right(calls, run)) if calls else [],
            "backwards": lambda calls, run: right(calls, run)[::-1],
        },
    )


def test_exercise_b_tells_that_a_thread_was_joined_before_the_next_began(capsys):
    def one_after_the_other(calls, run):
        results = []
        for call in calls:
            thread = threading.Thread(target=lambda one=call: results.append(run(one)))
            thread.start()
            thread.join()
        return results

    found = check("06.b", one_after_the_other)
    assert found.state == NOT_YET and "did not run at the same time" in repr(found)
    assert capsys.readouterr().err == ""


def test_exercise_b_tells_what_a_thread_lost_without_a_traceback(capsys):
    def loses(calls, run):
        results = [None] * len(calls)

        def one(place):
            results[place] = run(calls[place])

        threads = [threading.Thread(target=one, args=(place,)) for place in range(len(calls))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    hook = threading.excepthook
    found = check("06.b", loses)
    assert found.state == NOT_YET and "the exception itself is the result" in repr(found)
    assert capsys.readouterr().err == "" and threading.excepthook is hook


def test_exercise_b_tells_that_pool_map_is_no_list():
    def mapped(calls, run):
        return concurrent.futures.ThreadPoolExecutor(max_workers=12).map(run, calls)

    assert "list(...)" in repr(check("06.b", mapped))


def test_exercise_c_a_shared_stock():
    right = solution("06", "ex-06-c-answer")["take"]
    lock = threading.Lock()

    def no_lock(stock, sku):
        left = stock[sku]
        if left > 0:
            stock[sku] = left - 1
        return left > 0

    def looks_outside(stock, sku):
        if stock[sku] <= 0:
            return False
        with lock:
            stock[sku] -= 1
        return True

    def keeps_lock(stock, sku):
        if sku == "SKU-990" and type(stock) is not dict:
            lock.acquire()
        return right(stock, sku)

    def lock_inside(stock, sku):
        with threading.Lock():
            return no_lock(stock, sku)

    never_released = threading.Lock()

    def never_gives_back(stock, sku):
        never_released.acquire()
        return no_lock(stock, sku)

    assert "release()" in repr(check("06.c", never_gives_back))

    judge(
        "06.c",
        right,
        {
            "no lock": no_lock,
            "a lock inside": lock_inside,
            "looks outside": looks_outside,
            "keeps the lock": keeps_lock,
            "below zero": lambda stock, sku: bool(stock.update({sku: stock[sku] - 1})) or True,
            "returns nothing": lambda stock, sku: print(end=""),
            "changes nothing": lambda stock, sku: stock[sku] > 0,
            "raises": lambda stock, sku: right(stock, sku) if type(stock) is dict else stock[None],
        },
    )
