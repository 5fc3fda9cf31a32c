"""Lesson 08: what its text claims about its cells, each row of its table, and its checkers by mutation."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout

import httpx2
import lessons
import pytest
from anthropic import BadRequestError
from lessons import HOSTILE, Hostile, calls, judge, solution

from course_lib import check, practice, shop
from course_lib.classroom import setup
from course_lib.classroom.checks import PASSED
from course_lib.execution.retrying import worth_retrying
from course_lib.masking import mask
from course_lib.models import SLOPPY
from practice_model.failures import injected


@pytest.fixture(scope="module")
def lesson():
    yield from lessons.executed("08", until="circle")


def results(exchanges):
    """The result that the last message of each request brings."""
    return [
        block
        for exchange in exchanges
        if len(exchange.request["messages"]) > 1
        for block in lessons.blocks(exchange.request["messages"][-1], "tool_result")
    ]


# ---- 1. a message that helps ----


def test_after_a_text_that_says_nothing_the_same_wrong_call_comes_again_and_the_model_gives_up(lesson):
    _, made, _ = lesson
    assert len(made["bad-run"]) == 3
    assert calls(made["bad-run"]) == [("list_orders", {"status": "PAID"})] * 2
    assert [one["content"] for one in results(made["bad-run"])] == ["ToolError"] * 2


def test_after_a_text_that_names_the_problem_the_call_is_corrected(lesson):
    _, made, _ = lesson
    assert len(made["good-run"]) == 3
    assert [arguments for _, arguments in calls(made["good-run"])] == [{"status": "PAID"}, {"status": "paid"}]
    wrong, right = results(made["good-run"])
    assert all(word in wrong["content"] for word in ("status", "'paid'", "PAID", "Call it again"))
    assert "is_error" not in right and "1046" in right["content"]


# ---- 7. the table: each row is produced by a cell ----


def rows():
    (text,) = (cell.source for cell in lessons.cells("08") if cell.id == "table")
    found = [
        [part.strip() for part in line.strip("|").split("|")] for line in text.split("\n") if "|" in line
    ]
    return {row[0]: row[1:] for row in found[2:]}


OF_REQUESTS = ("400", "401", "402", "408", "no connection", "the model refuses", "the same call again")
OF_CALLS = [name for name in rows() if not name.startswith(OF_REQUESTS)]


def test_the_table_has_a_row_for_each_call_of_the_cells_and_no_other(lesson):
    names, _, _ = lesson
    made = names["call_results"] + names["tool_results"]
    assert [one.tool_call_id for one in made] == OF_CALLS


@pytest.mark.parametrize("name", OF_CALLS)
def test_what_the_table_quotes_is_what_the_library_sends(lesson, name):
    names, _, _ = lesson
    (result,) = (one for one in names["call_results"] + names["tool_results"] if one.tool_call_id == name)
    who, again, helps = rows()[name]
    assert "`" in helps or not result.is_error
    for quoted in re.findall("`(.+?)`", helps):
        assert quoted in result.content
    assert result.is_error == (who == "model" and name not in ("too large", "empty"))
    if again == "corrected":
        assert (
            "Call it again with all of this corrected." in result.content or "Did you mean" in result.content
        )


def test_a_call_encoded_twice_runs(lesson):
    (result,) = (one for one in lesson[0]["call_results"] if one.tool_call_id == "encoded twice")
    assert '"number":1046' in result.content


def test_the_model_sees_no_secret_and_no_stack(lesson):
    told = " ".join(one.content for one in lesson[0]["tool_results"])
    assert "k7Qd2x91" not in told and "Traceback" not in told and 'File "' not in told


@pytest.mark.parametrize(
    ("row", "sent"),
    [
        ("400, 404, 413, 422", 1),
        ("401, 403", 1),
        ("402, an empty account", 1),
        ("408, 409, 429, 500 and above", 2),
    ],
)
def test_the_sdk_retries_as_the_table_says(lesson, row, sent):
    assert row in rows()
    names, _, printed = lesson
    for status in map(int, re.findall(r"\d+", row)):
        assert status in names["STATUSES"]
        error, requests = names["caught"](status)
        assert (error.status_code, requests) == (status, sent)
        assert worth_retrying(error) == (sent == 2)
        assert re.search(rf"^{status} +{sent} sent .*{type(error).__name__}$", printed, re.MULTILINE)


def test_an_empty_account_comes_as_the_statuses_that_the_table_names():
    assert "comes as a 400, on OpenAI as a 429" in rows()["402, an empty account"][2]
    assert [injected.ERROR_TABLES[of]["quota"].status for of in ("anthropic", "openai")] == [400, 429]


@pytest.mark.parametrize("kind", [httpx2.ConnectError, httpx2.ReadTimeout])
def test_the_sdk_retries_where_there_is_no_answer(lesson, kind):
    assert "no connection, no answer in time" in rows()
    error, requests = lesson[0]["caught"](kind)
    assert requests == 2 and not hasattr(error, "status_code")


def test_the_table_has_a_row_for_the_refusal_and_one_for_the_circle(lesson):
    _, made, printed = lesson
    assert {"the model refuses", "the same call again"} <= set(rows())
    assert made["answer-run"][-1].response["stop_reason"] == "refusal"
    assert "the user hears: I cannot help with that." in printed


# ---- 3. to 6. ----


def test_anthropic_has_a_flag_gemini_a_key_and_openai_a_word(lesson):
    names, _, _ = lesson
    failed = names["failed"]
    (anthropic,) = names["wire"].write_results([failed])
    (block,) = anthropic["content"]
    assert block["is_error"] is True and block["content"] == failed.content
    (chat,), (responses,) = (
        names[form].write_results([failed]) for form in ("openai_chat", "openai_responses")
    )
    assert chat["content"] == responses["output"] == f"Error: {failed.content}"
    assert "is_error" not in {**chat, **responses}
    (gemini,) = names["gemini"].write_results([failed])
    assert all("error" in part["functionResponse"]["response"] for part in gemini["parts"])


def test_one_failure_is_healed_by_the_sdk_and_three_arrive(lesson):
    _, made, printed = lesson
    statuses = [one.status for one in made["heal-run"]]
    failing = [[status, 200, status, status, status] for status in (429, 529, 500)]
    assert statuses == [*sum(failing, []), 400, 400]
    for name in ("RateLimitError", "OverloadedError", "InternalServerError", "BadRequestError"):
        assert name in printed


def test_the_sdk_waits_as_long_as_it_is_asked_to(lesson):
    _, made, printed = lesson
    assert [one.status for one in made["wait"]] == [429, 200]
    assert "waited as long as it was asked: True" in printed


def test_retrying_waits_within_its_limit_and_else_not_at_all(lesson):
    _, made, printed = lesson
    assert [one.status for one in made["limit-run"]] == [429, 429, 200, 429]
    assert "asked for 20 s, waited [20.0, 20.0]: end_turn" in printed
    assert "asked for 300 s, waited []: RateLimitError" in printed


def test_without_a_key_the_money_is_paid_twice_and_with_one_once_for_each_key(lesson):
    names, _, _ = lesson
    assert names["lost"]["id"] != names["again"]["id"]
    with shop.connect() as connection:
        keys = [
            row["key"]
            for row in connection.execute("SELECT key FROM refunds WHERE amount_cents = 500 ORDER BY id")
        ]
    assert keys == [None, None, "session-1/call_1", "session-1/call_2"]


@pytest.mark.parametrize(
    ("fault", "times", "said", "statuses"),
    [
        ("truncated", 1, "There are 3 paid orders", [200, 200, 200]),
        ("rate_limit", 2, "There are 3 paid orders", [429, 429, 200, 200, 200]),
        ("server_error", 3, "The service does not answer (InternalServerError)", [500, 500, 500]),
        ("refusal", 1, "I cannot help with that.", [200]),
        ("unknown_tool", 1, "", [200, 200, 200]),
    ],
)
def test_the_loop_ends_with_a_sentence_for_the_user(lesson, fault, times, said, statuses):
    names, _, _ = lesson
    before = len(setup.exchanges())
    with practice.faults(fault, times=times), redirect_stdout(io.StringIO()):
        got = names["answer"]("Show the paid orders.", SLOPPY)
    assert got and got.startswith(said)
    assert [one.status for one in setup.exchanges()[before:]] == statuses


def test_an_error_that_no_retry_heals_is_raised_by_the_loop(lesson):
    names, _, _ = lesson
    with practice.faults("quota"), pytest.raises(BadRequestError):
        names["answer"]("Show the paid orders.", SLOPPY)


def test_a_call_that_was_cut_off_is_told_so_and_not_run(lesson):
    _, made, _ = lesson
    first, second = made["answer-run"][:2]
    assert first.response["stop_reason"] == "max_tokens"
    (told,) = results([second])
    assert "did not run: the call was cut off" in told["content"]


def test_a_forced_model_makes_the_same_failing_call_until_the_cap(lesson):
    _, made, printed = lesson
    assert calls(made["circle"]) == [("find_order", {"number": 7})] * 4
    assert len(made["circle"]) == 5
    assert made["circle"][-1].request["tool_choice"] == {"type": "none"}
    assert "There is no order 7" in printed.splitlines()[-2] + printed.splitlines()[-1]


# ---- the exercises ----


def test_exercise_a_an_exception_in_words():
    right = solution("08", "ex-08-a-answer")["explain"]

    def with_stack(name, error):
        import traceback

        return f"{name} {mask(''.join(traceback.format_exception(error)))}"[:300]

    def kind(error):
        return type(error).__name__

    judge(
        "08.a",
        right,
        {
            "only the text": lambda name, error: mask(f"{name} failed: {error}")[:300],
            "no tool": lambda name, error: mask(f"{kind(error)}: {error}")[:300],
            "no text": lambda name, error: f"{name} failed: {kind(error)}",
            "stack": with_stack,
            "no mask": lambda name, error: f"{name} failed: {kind(error)}: {error}"[:300],
            "hides everything": lambda name, error: re.sub(r"https\S+", "***", right(name, error)),
            "no limit": lambda name, error: mask(f"{name} failed: {kind(error)}: {error}"),
            "cut first": lambda name, error: mask(f"{name} failed: {kind(error)}: {error}"[:300]),
            "returns nothing": lambda name, error: print(end=""),
            "the exception": lambda name, error: error,
        },
    )


def test_exercise_b_how_long_to_wait():
    right = solution("08", "ex-08-b-answer")["wait_before"]

    def asked_or(error, default, most=60):
        asked = error.response.headers.get("retry-after") if hasattr(error, "response") else None
        return default if asked is None or float(asked) > most else float(asked)

    def only(*statuses):
        def wait_before(error, attempt):
            if getattr(error, "status_code", None) in (None, *statuses):
                return right(error, attempt)
            return None

        return wait_before

    def patient_until(most):
        def wait_before(error, attempt):
            return asked_or(error, right(error, attempt), most) if is_limit(error) else right(error, attempt)

        return wait_before

    def is_limit(error):
        return getattr(error, "status_code", None) == 429

    def retries_also(*statuses):
        def wait_before(error, attempt):
            return 0.5 if getattr(error, "status_code", None) in statuses else right(error, attempt)

        return wait_before

    def retries_everything(error, attempt):
        return min(0.5 * 2**attempt, 8) if right(error, attempt) is None else right(error, attempt)

    def shorter_than_asked(error, attempt):
        if right(error, attempt) is None and getattr(error, "status_code", 0) == 429:
            return 60
        return right(error, attempt)

    def nothing_for_zero(error, attempt):
        return right(error, attempt) or (None if right(error, attempt) is None else 0.5 * 2**attempt)

    judge(
        "08.b",
        right,
        {
            "ignores the header": lambda error, attempt: (
                None if right(error, attempt) is None else min(0.5 * 2**attempt, 8)
            ),
            "header of everything": lambda error, attempt: asked_or(error, error.response and 1),
            "asks a response that is not there": lambda error, attempt: (
                right(error, attempt) if error.response else None
            ),
            "grows without end": lambda error, attempt: (
                None if right(error, attempt) is None else asked_or(error, 0.5 * 2**attempt)
            ),
            "begins with one": lambda error, attempt: right(error, attempt + 1),
            "patient for two minutes": patient_until(120),
            "every 4xx that is not listed": retries_also(402, 422),
            "only 422 as well": retries_also(422),
            "only 429": only(429),
            "only 429 and above 499": only(429, 500, 503, 529),
            "hopeless, too": retries_everything,
            "shorter than asked": shorter_than_asked,
            "zero is nothing": nothing_for_zero,
            "text": lambda error, attempt: str(right(error, attempt)),
        },
    )


def talk(
    stop, count_success=False, key=lambda call: (call.name, call.arguments), cap=5, sentence=None, zipped=zip
):
    """The loop of 08.c with its decisions as parameters."""

    def until_done(ask, run):
        results, failed = [], []
        for _ in range(cap):
            text, made = ask(results)
            if not made:
                return text
            results = run(made)
            for one, result in zipped(made, results):
                if (result.is_error or count_success) and stop(key(one), failed):
                    return sentence(one, result) if sentence else f"{one.name} failed: {result.content}"
                if result.is_error or count_success:
                    failed.append(key(one))
        return "I could not finish."

    return until_done


def seen(one, failed):
    return one in failed


def test_exercise_c_a_loop_that_notices_a_circle():
    right = solution("08", "ex-08-c-answer")["until_done"]

    def no_results(ask, run):
        return right(lambda results: ask([]), run)

    def text_first(ask, run):
        """Takes any text for the answer."""

        def asked(results):
            text, calls = ask(results)
            return text, [] if text else calls

        return right(asked, run)

    def one_by_one(ask, run):
        return right(ask, lambda calls: [run([one])[0] for one in calls])

    judge(
        "08.c",
        right,
        {
            "never stops": talk(lambda one, failed: False, cap=100),
            "no guard": talk(lambda one, failed: False, cap=4),
            "first failure": talk(lambda one, failed: True),
            "compares ids": talk(seen, key=lambda call: call, cap=8),
            "compares texts": talk(seen, key=lambda call: (call.name, str(call.arguments))),
            "compares arguments": talk(seen, key=lambda call: call.arguments),
            "text first": text_first,
            "one by one": one_by_one,
            "compares tools": talk(seen, key=lambda call: call.name),
            "counts what went well": talk(seen, count_success=True),
            "only the last turn": talk_of_the_last_turn,
            "only the first call": talk(
                seen, zipped=lambda made, results: [*zip(made, results, strict=True)][:1]
            ),
            "no cap": talk(seen, cap=11),
            "no tool": talk(seen, sentence=lambda one, result: result.content),
            "no reason": talk(seen, sentence=lambda one, result: f"{one.name} failed twice."),
            "silent": lambda ask, run: text if (text := right(ask, run)) != GAVE_UP else None,
            "sends no results": no_results,
            "returns nothing": lambda ask, run: print(end=""),
        },
    )


def test_exercise_c_what_is_wrong_with_a_right_text_is_told():
    def runs_first(ask, run):
        text, calls = ask([])
        run(calls)
        return text

    message = check("08.c", runs_first).message
    assert "you called run" in message and "you returned" not in message


GAVE_UP = "I could not finish within 5 turns."


def talk_of_the_last_turn(ask, run):
    """Forgets what failed before the last turn."""
    results, failed = [], []
    for _ in range(5):
        text, made = ask(results)
        if not made:
            return text
        results = run(made)
        now = [
            (one.name, one.arguments) for one, result in zip(made, results, strict=True) if result.is_error
        ]
        for one in now:
            if one in failed:
                return " ".join([one[0], *(result.content for result in results if result.is_error)])
        failed = now
    return GAVE_UP


@pytest.mark.parametrize("exercise", ["08.a", "08.b", "08.c"])
@pytest.mark.parametrize(
    "answer",
    [
        *HOSTILE,
        lambda *_: float("nan"),
        lambda *_: [],
        lambda *_: "\ud800" * 400,
    ],
)
def test_a_hostile_answer_gets_a_message(exercise, answer):
    result = check(exercise, answer)
    assert result.state != PASSED and result.message and "Traceback" not in result.message


@pytest.mark.parametrize("ask", [lambda ask: ask(None), lambda ask: ask("x"), lambda ask: ask([Hostile()])])
def test_a_loop_that_sends_something_else_gets_a_message(ask):
    result = check("08.c", lambda until, run: ask(until))
    assert result.state != PASSED and result.message
