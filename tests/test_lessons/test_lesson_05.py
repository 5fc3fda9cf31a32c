"""Lesson 05: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import builtins
import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path

import lessons
import pytest
from lessons import judge, solution

from course_lib import check, practice, shop
from course_lib.classroom import setup
from course_lib.classroom.checks import NOT_YET, PASSED
from course_lib.tools import ToolCall, ToolResult


@pytest.fixture(scope="module")
def lesson():
    shop.reset()
    with redirect_stdout(io.StringIO()):
        found = lessons.run("05", until="cost")
    yield found
    setup.teardown()


def calls(exchanges):
    return [
        (block["name"], block["input"])
        for exchange in exchanges
        for block in lessons.blocks(exchange.response, "tool_use")
    ]


def output_of(lesson, cell_id, **more):
    """What a cell prints when it is run again with the lesson's names."""
    (source,) = (cell.source for cell in lessons.cells("05") if cell.id == cell_id)
    names = {**lesson[0], **more}
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(source, f"<{cell_id}>", "exec", dont_inherit=True), names)  # noqa: S102 - a lesson of ours
    return printed.getvalue()


# Dispatch -----------------------------------------------------------------------------------------


def test_there_are_eight_tools_of_the_shop(lesson):
    assert len(lesson[0]["TOOLS"]) == 8
    assert all(one.function is getattr(shop, name) for name, one in lesson[0]["TOOLS"].items())


def test_by_if_two_of_three_calls_end_in_null_without_an_error(lesson):
    names, made = lesson
    found = calls(made["by-if-run"])
    assert [name for name, _ in found] == ["find_order", "check_inventory", "get_weather"]
    results = [names["run_by_if"](ToolCall("1", *call)) for call in found]
    assert results[0]["number"] == 1042 and results[1:] == [None, None]


def test_the_null_goes_to_the_model_and_there_were_pieces(lesson):
    _, final = lesson[1]["by-if-answer"]
    (result,) = lessons.blocks(final.request["messages"][-1], "tool_result")
    assert result["content"] == "null" and "is_error" not in result
    (text,) = lessons.blocks(final.response, "text")
    quantity = shop.check_inventory("SKU-990")["quantity"]
    assert quantity > 0 and str(quantity) not in text["text"]


def test_the_sloppy_temperament_writes_the_name_that_the_lesson_repeats_by_hand(lesson):
    names, made = lesson
    stray = names["stray"]
    assert calls(made["sloppy"]) == [(stray.name, stray.arguments)]
    assert stray.name not in names["TOOLS"] and stray.name in names


def test_globals_find_what_was_never_offered(lesson):
    assert "ALL customers" in output_of(lesson, "by-globals-run")


def test_dispatch_answers_each_call_and_two_of_three_are_errors(lesson):
    dispatch, tools = lesson[0]["dispatch"], lesson[0]["TOOLS"]
    unknown = dispatch(lesson[0]["stray"])
    assert unknown.is_error and unknown.tool_call_id == "call_1"
    assert all(name in unknown.content for name in tools) and "Did you mean get_messages?" in unknown.content
    assert not dispatch(ToolCall("2", "calculate_vat", {"subtotal": 80})).is_error
    missing = dispatch(ToolCall("3", "find_order", {"number": 7}))
    assert missing.is_error and "list_orders" in missing.content
    shown = output_of(lesson, "dispatch-run")
    assert (shown.count("error\n"), shown.count("ok\n")) == (2, 1)


# Routing ------------------------------------------------------------------------------------------


def test_each_question_goes_to_its_tool_and_the_thanks_to_none(lesson):
    names, made = lesson
    found = [calls([exchange]) for exchange in made["route-run"]]
    assert [[name for name, _ in one] for one in found[:-1]] == [[name] for name in names["TOOLS"]]
    assert found[-1] == []
    assert not any(names["dispatch"](ToolCall("1", *one)).is_error for (one,) in found[:-1])


def test_two_tools_compete_and_the_word_tax_decides(lesson):
    first, second = lesson[1]["compete"]
    assert [name for name, _ in calls([first, second])] == ["calculate", "calculate_vat"]
    names = lesson[0]
    with redirect_stdout(io.StringIO()):
        names["ask"]("What is 20 percent of 64?")
        plain = {row[1]: float(row[2]) for row in practice.explain().rows()}
        names["ask"]("How much is 20 percent tax on 64 dollars?")
        taxed = {row[1]: float(row[2]) for row in practice.explain().rows()}
    close = abs(plain["calculate"] - plain["calculate_vat"])
    assert close < 1 < taxed["calculate_vat"] - taxed["calculate"]
    results = [names["dispatch"](ToolCall("1", *call)).content for call in calls([first, second])]
    assert json.loads(results[0]) == json.loads(results[1])["vat"] == 12.8


# tool_choice --------------------------------------------------------------------------------------


def test_auto_asks_back_and_forcing_makes_an_amount_and_a_city_up(lesson):
    names, made = lesson
    auto, anything, named, none = made["choice-run"]
    assert [one.request["tool_choice"] for one in made["choice-run"]] == names["CHOICES"]
    assert not calls([auto, none]) and lessons.blocks(auto.response, "text")
    (vat,), (weather,) = calls([anything]), calls([named])
    assert vat[0] == "calculate_vat" and weather[0] == "get_weather"
    assert not names["dispatch"](ToolCall("1", *vat)).is_error
    assert not lessons.blocks(anything.response, "text") and not lessons.blocks(named.response, "text")


def test_thinking_goes_with_auto_and_not_with_any_and_a_budget_is_refused(lesson):
    auto, forced, budget = lesson[1]["choice-thinking"]
    assert lessons.blocks(auto.response, "thinking") and calls([auto])
    assert not lessons.blocks(forced.response, "thinking") and calls([forced])
    assert budget.status == 400 and "thinking.type.enabled" in budget.response["error"]["message"]


def test_some_models_refuse_to_be_forced_and_the_usual_one_does_not(lesson):
    names, made = lesson
    refusing = names["refusing"]
    assert 0 < len(refusing) < len(names["offered"])
    assert names["models"].ANTHROPIC not in refusing
    refused = [one for one in made["refusing"] if one.status == 400]
    assert [one.request["model"] for one in refused] == refusing
    assert all("not supported for this model" in one.response["error"]["message"] for one in refused)
    assert all(one.path.startswith("/v1/m") and "count_tokens" in one.path for one in refused)


def test_a_rule_in_the_prompt_brings_the_call_on_a_model_that_refuses_forcing(lesson):
    names, made = lesson
    without, ruled = made["instead"]
    assert without.request["model"] == ruled.request["model"] == names["refusing"][0]
    assert all(one["strict"] for one in ruled.request["tools"]) and "tool_choice" not in ruled.request
    assert calls([without]) == [] and calls([ruled]) == [("get_messages", {"period": "all"})]


def test_every_question_says_which_day_it_is(lesson):
    names, made = lesson
    asked = [one for cell in ("route-run", "choice-run", "instead") for one in made[cell]]
    assert asked and all(one.request["system"].startswith(names["TODAY"]) for one in asked)
    assert str(shop.today()) in names["TODAY"]


def test_openai_has_the_same_four_in_two_spellings(lesson):
    chat, responses = lesson[1]["openai-run"][:4], lesson[1]["openai-run"][4:]
    wanted = [["find_order"], ["find_order"], ["get_weather"], []]
    in_chat = [one.response["choices"][0]["message"].get("tool_calls") or [] for one in chat]
    assert [[call["function"]["name"] for call in one] for one in in_chat] == wanted
    items = [one.response["output"] for one in responses]
    assert [[item["name"] for item in one if item["type"] == "function_call"] for one in items] == wanted


# The calculator -----------------------------------------------------------------------------------


def test_eval_reads_a_variable_and_the_environment_also_with_nothing_allowed(lesson):
    printed = output_of(lesson, "eval-run")
    assert "supplier_discount -> 0.35" in printed and "> 0 -> True" in printed
    assert output_of(lesson, "eval-empty") == "True True\n"


def test_the_first_two_expressions_are_what_the_model_wrote(lesson):
    written = [
        call[1]["expression"]
        for cell in ("route-run", "compete")
        for call in calls(lesson[1][cell])
        if call[0] == "calculate"
    ]
    assert written == lesson[0]["EXPRESSIONS"][:2]


def test_the_calculator_works_out_two_and_refuses_four_with_a_sentence(lesson):
    names, _ = lesson
    asked = [*names["EXPRESSIONS"], "9 ** 9 ** 9", "1" + " + 1" * 100]
    results = [names["dispatch"](ToolCall("4", "calculate", {"expression": one})) for one in asked]
    assert [one.is_error for one in results] == [False, False, True, True, True, True]
    assert [json.loads(one.content) for one in results[:2]] == [29.75, 12.8]
    assert all("CalculatorError" in one.content and len(one.content) > 60 for one in results[2:])


def test_eight_definitions_cost_more_than_one_and_the_first_costs_most(lesson):
    none, one, eight = (exchange.response["input_tokens"] for exchange in lesson[1]["cost"])
    assert none < one < eight and one - none > (eight - one) / 7


# Exercises ----------------------------------------------------------------------------------------


def test_exercise_a_a_dispatch_over_plain_functions():
    right = solution("05", "ex-05-a-answer", ToolResult=ToolResult)["dispatch_plain"]

    def ended(call, text, is_error=False):
        return ToolResult(call.id, call.name, text, is_error)

    def unknown(call, functions):
        return ended(call, f"The tools are: {', '.join(functions)}.", True)

    def run(call, functions, write=lambda value: json.dumps(value, ensure_ascii=False), find=None):
        """As the solution, with another way to write or to find."""
        function = find(call.name) if find else functions.get(call.name)
        if function is None:
            return unknown(call, functions)
        try:
            return ended(call, write(function(**call.arguments)))
        except Exception as error:  # noqa: BLE001
            return ended(call, f"{type(error).__name__}: {error}", True)

    def looked_up(call, functions):
        return ended(call, json.dumps(functions[call.name](**call.arguments), ensure_ascii=False))

    def got(call, functions):
        return ended(call, json.dumps(functions.get(call.name)(**call.arguments), ensure_ascii=False))

    def one_try(call, functions):
        try:
            return looked_up(call, functions)
        except KeyError:
            return unknown(call, functions)
        except Exception as error:  # noqa: BLE001
            return ended(call, f"{type(error).__name__}: {error}", True)

    def only_value_error(call, functions):
        if call.name not in functions:
            return unknown(call, functions)
        try:
            return looked_up(call, functions)
        except ValueError as error:
            return ended(call, f"{type(error).__name__}: {error}", True)

    def only_runtime_error(call, functions):
        if call.name not in functions:
            return unknown(call, functions)
        try:
            return looked_up(call, functions)
        except RuntimeError as error:
            return ended(call, f"{type(error).__name__}: {error}", True)

    def only_tools_errors(call, functions):
        if call.name not in functions:
            return unknown(call, functions)
        try:
            return looked_up(call, functions)
        except (RuntimeError, KeyError) as error:
            return ended(call, f"{type(error).__name__}: {error}", True)

    def dumps_outside(call, functions):
        if call.name not in functions:
            return unknown(call, functions)
        try:
            value = functions[call.name](**call.arguments)
        except Exception as error:  # noqa: BLE001
            return ended(call, f"{type(error).__name__}: {error}", True)
        return ended(call, json.dumps(value, ensure_ascii=False))

    def truthy(call, functions):
        done = right(call, functions)
        return unknown(call, functions) if done.content in ("0", "null") else done

    def changed(**fields):
        def dispatch_plain(call, functions):
            done = right(call, functions)
            return ToolResult(
                fields.get("id", done.tool_call_id),
                done.name,
                fields.get("content", lambda text: text)(done.content),
                fields.get("is_error", done.is_error),
            )

        return dispatch_plain

    def twice(call, functions):
        if call.name == "find_price" and isinstance(call.arguments, dict) and len(call.arguments) == 1:
            functions[call.name](**call.arguments)
        return right(call, functions)

    def everywhere(find):
        return lambda call, functions: run(
            call, functions, find=lambda name: functions.get(name) or find(name)
        )

    (source,) = (cell.source for cell in lessons.cells("05") if cell.id == "ex-05-a-answer")
    in_globals = {"json": json, "ToolResult": ToolResult}
    exec(source.replace("not in functions", "not in {**globals(), **functions}"), in_globals)  # noqa: S102 - ours

    judge(
        "05.a",
        right,
        {
            "no check of the name": looked_up,
            "get without a check": got,
            "one try for all": one_try,
            "catches ValueError only": only_value_error,
            "catches RuntimeError only": only_runtime_error,
            "catches no TypeError": only_tools_errors,
            "json outside the try": dumps_outside,
            "asks whether the result is true": truthy,
            "the text alone": lambda call, functions: right(call, functions).content,
            "nothing for an unknown name": lambda call, functions: (
                right(call, functions) if call.name in functions else None
            ),
            "never marked": changed(is_error=False),
            "always marked": changed(is_error=True),
            "the wrong id": changed(id="call_0"),
            "python's spelling": lambda call, functions: run(call, functions, write=str),
            "codes for accents": lambda call, functions: run(call, functions, write=json.dumps),
            "runs twice": twice,
            "methods of the dictionary": lambda call, functions: run(
                call, functions, find=lambda name: functions.get(name, getattr(functions, name, None))
            ),
            "builtins": everywhere(vars(builtins).get),
            "its own globals": in_globals["dispatch_plain"],
            "no names": lambda call, functions: (
                right(call, functions)
                if call.name in functions
                else ended(call, "There is no such tool.", True)
            ),
            "no type": lambda call, functions: (
                ended(call, str(right(call, functions).content).split(": ")[-1], True)
                if call.name == "close_till"
                else right(call, functions)
            ),
            "no message": lambda call, functions: (
                ended(call, "RuntimeError", True) if call.name == "close_till" else right(call, functions)
            ),
        },
    )


def test_exercise_a_other_good_ways_pass():
    from course_lib.plain_json import to_text

    def with_to_text(call, functions):
        try:
            function = functions[call.name]
        except KeyError:
            return ToolResult(call.id, call.name, str(list(functions)), True)
        try:
            value = function(**call.arguments)
            text = "null" if value is None else to_text(value)
            return ToolResult(tool_call_id=call.id, name=call.name, content=text)
        except Exception as error:  # noqa: BLE001
            return ToolResult(call.id, call.name, repr(error), is_error=True)

    assert check("05.a", with_to_text).state == PASSED


def test_exercise_b_the_fitting_choice():
    right = solution("05", "ex-05-b-answer")["choices"]
    auto, anything, none = {"type": "auto"}, {"type": "any"}, {"type": "none"}
    ticket = {"type": "tool", "name": "create_ticket"}
    judge(
        "05.b",
        right,
        {
            "not a dictionary": list(right.values()),
            "words": {**right, "a": "auto"},
            "OpenAI's word": {**right, "c": {"type": "required"}},
            "OpenAI's form": {**right, "b": {"type": "function", "name": "create_ticket"}},
            "an invented type": {**right, "d": {"type": "stop"}},
            "any tool for the complaint": {**right, "b": anything},
            "another tool": {**right, "b": {"type": "tool", "name": "get_weather"}},
            "auto for the complaint": {**right, "b": auto},
            "auto for the router": {**right, "c": auto},
            "one department": {**right, "c": ticket},
            "auto for the summary": {**right, "d": auto},
            "forced chat": {**right, "a": anything},
            "forced thinking": {**right, "e": ticket},
            "no thinker's call": {**right, "e": none},
            "one missing": {letter: one for letter, one in right.items() if letter != "c"},
            "one too many": {**right, "f": auto},
            "auto with a name": {**right, "a": {"type": "auto", "name": "x"}},
            "none with more": {**right, "d": {"type": "none", "disable_parallel_tool_use": True}},
            "tool with a function": {**right, "b": {**ticket, "function": "create_ticket"}},
        },
    )


def test_exercise_b_every_form_in_every_place_is_judged_and_switching_parallel_off_is_no_mistake():
    right = solution("05", "ex-05-b-answer")["choices"]
    for letter, wanted in right.items():
        for kind in ("auto", "any", "tool", "none"):
            one = {"type": kind, **({"name": "create_ticket"} if kind == "tool" else {})}
            state = PASSED if kind == wanted["type"] else NOT_YET
            result = check("05.b", {**right, letter: one})
            assert result.state == state and "checks.05" not in repr(result), result
    assert check("05.b", {**right, "c": {"type": "any", "disable_parallel_tool_use": True}}).passed


def _read(path):
    return Path(path).read_text(encoding="utf-8")


def test_exercise_c_a_path_from_outside():
    right = solution("05", "ex-05-c-answer")["open_note"]

    def by_text(folder, name):
        path = (folder.resolve() / name).resolve()
        if not str(path).startswith(str(folder.resolve())):
            raise ValueError("Outside.")
        return _read(path)

    def without_links(folder, name):
        path = Path(os.path.normpath(folder.resolve() / name))
        if not path.is_relative_to(folder.resolve()):
            raise ValueError("Outside.")
        return _read(path)

    def folder_as_given(folder, name):
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise ValueError("Outside.")
        return _read(path)

    def first_letters(folder, name):
        if name.startswith(".."):
            raise ValueError("Outside.")
        return _read(folder / name)

    def two_dots(folder, name):
        if ".." in name:
            raise ValueError("Outside.")
        return _read(folder / name)

    def parts(folder, name):
        if ".." in Path(name).parts:
            raise ValueError("Outside.")
        return _read(folder / name)

    def other_end(raising):
        def open_note(folder, name):
            try:
                return right(folder, name)
            except ValueError:
                return raising()

        return open_note

    def permission():
        raise PermissionError("no")

    def silent():
        raise ValueError

    judge(
        "05.c",
        right,
        {
            "no check": lambda folder, name: _read(folder / name),
            "only the beginning": first_letters,
            "two dots anywhere": two_dots,
            "parts only": parts,
            "compared as text": by_text,
            "links not followed": without_links,
            "the folder as it was given": folder_as_given,
            "only the last part": lambda folder, name: _read(folder / Path(name).name),
            "a sentence instead": other_end(lambda: "That is outside."),
            "another error": other_end(permission),
            "without a sentence": other_end(silent),
            "bytes": lambda folder, name: right(folder, name).encode(),
            "forgot return": lambda folder, name: print(right(folder, name), end=""),
        },
    )


@pytest.mark.parametrize("exercise", ["05.a", "05.b", "05.c"])
@pytest.mark.parametrize(
    "answer",
    [7, "text", [], {}, object(), lambda: 1, lambda *_: 1 / 0, {"a": 1, 2: None}, {"a": {"type": []}}],
)
def test_whatever_is_handed_in_gets_a_sentence(exercise, answer):
    result = check(exercise, answer)
    assert result.state == NOT_YET and "Traceback" not in repr(result) and "checks.05" not in repr(result)
