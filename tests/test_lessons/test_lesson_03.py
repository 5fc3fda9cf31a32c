"""Lesson 03: what its text claims about its cells, and its checkers by mutation."""

from __future__ import annotations

import contextlib
import io
import json
import re
from types import SimpleNamespace

import lessons
import pytest
from lessons import judge, solution

import course_lib
from course_lib import shop
from course_lib.classroom import setup
from course_lib.classroom.checks import NOT_YET, PASSED, check, lesson_03
from practice_model.decide import ranking


@pytest.fixture(scope="module")
def lesson():
    """The names of the lesson, its exchanges, and a function that runs a cell again and returns its print."""
    shop.reset()
    with contextlib.redirect_stdout(io.StringIO()):
        names, made = lessons.run("03", until="lint-good")

    def printed(cell_id: str) -> str:
        (source,) = (cell.source for cell in lessons.cells("03") if cell.id == cell_id)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(source, cell_id, "exec", dont_inherit=True), dict(names))  # noqa: S102
        return said.getvalue()

    yield names, made, printed
    setup.teardown()


def scores(text: str) -> tuple[int, int]:
    tools, calls = re.search(r"right tool: (\d+) of 20, right call: (\d+)", text).groups()
    return int(tools), int(calls)


def test_the_list_has_twenty_questions_in_two_languages_and_one_without_a_tool(lesson):
    questions = lesson[0]["QUESTIONS"]
    assert len(questions) == 20 and [tool for _, tool, _ in questions].count(None) == 1
    assert sum(question.startswith("¿") for question, *_ in questions) >= 4


def test_hasty_definitions_answer_only_the_greeting_right(lesson):
    tools, calls = scores(lesson[2]("hasty-score"))
    assert (tools, calls) == (6, 1)


def test_what_the_question_does_not_name_is_missing_and_said_to_be(lesson):
    assert lesson[2]("why").strip() == "[]"
    rows = {row[1]: row[2:] for row in course_lib.practice.explain().argument_rows()}
    assert rows["weight_kg"] == ("0.02", "“20 g” is a number with a unit that it takes")
    assert rows["to"] == ("–", "missing: the message has no place")
    assert len(course_lib.practice.explain().advice()) == 1


def test_a_call_takes_the_points_that_the_text_says():
    (text,) = (cell.source for cell in lessons.cells("03") if cell.id == "explain-read")
    assert f"{ranking.THRESHOLD:g} points, or {ranking.ALONE:g} " in " ".join(text.split())


def test_names_and_descriptions_alone_nearly_double_the_right_tools_and_leave_most_calls_wrong(lesson):
    tools, calls = scores(lesson[2]("describe-score"))
    assert 1.7 * 6 < tools < 2 * 6 and calls == 5
    assert "no call" in lesson[2]("describe-score") and "{'id': '1042'}" in lesson[2]("describe-score")


def test_with_good_fields_all_twenty_are_right(lesson):
    assert scores(lesson[2]("good")) == (20, 20)


def test_a_closed_set_as_free_text_gives_what_the_user_said_which_the_function_refuses(lesson):
    names, _, printed = lesson
    free, closed = printed("enum").splitlines()
    assert "'today'" in free and "'day'" in closed
    with pytest.raises(ValueError):
        names["shop"].get_messages(period="today")


def test_a_needless_required_field_makes_six_messages_none(lesson):
    wrong, right = lesson[2]("required").splitlines()
    assert wrong.endswith("-> 0") and right == "{'period': 'week'} -> 6"


def test_a_number_without_its_unit_costs_a_thousand_times_as_much(lesson):
    wrong, right = lesson[2]("unit").splitlines()
    assert "'cost_usd': 280.0" in wrong and "'cost_usd': 0.28" in right


def test_three_tools_for_one_task_are_chosen_by_the_wording(lesson):
    lines = [re.findall(r"\['(\w+)'\]", line) for line in lesson[2]("overlap-run").splitlines()]
    assert [good for good, _ in lines] == ["find_order"] * 4
    assert len({overlap for _, overlap in lines}) == 3


def test_the_good_set_costs_more_than_twice_as_much_and_the_overlap_more_still(lesson):
    cost = {name: int(n) for name, n in re.findall(r"(\w+) +(\d+)", lesson[2]("price"))}
    assert 2 < cost["good"] / cost["hasty"] < 3 and cost["overlap"] > cost["good"]


def test_the_result_of_the_tool_costs_about_half_of_the_whole_row(lesson):
    row, useful = (int(n) for n in re.findall(r"(\d+) tokens", lesson[2]("result")))
    assert useful < 0.6 * row


def test_the_rows_repeat_the_customer_and_lose_the_products(lesson):
    rows, useful = re.findall(r"tokens\n(.+?)(?=\d+ tokens|\Z)", lesson[2]("result"), re.DOTALL)
    rows, useful = (json.loads(" ".join(one.split("\n"))) for one in (rows, useful))
    assert len(rows) == 2 and all(
        row["name"] == "Alex Rivera" and row["delivered_on"] is None for row in rows
    )
    assert "price_cents" in rows[0] and "price_usd" in useful["items"][0]
    assert all(item["product"] for item in useful["items"]) and None not in useful.values()


def test_the_linter_complains_of_the_hasty_definition_and_not_of_the_good_set(lesson):
    names, _, _ = lesson
    assert course_lib.lint(names["HASTY"]["list_orders"]).warnings
    assert not course_lib.lint(list(names["GOOD"].values()))


# Exercises ----------------------------------------------------------------------------------------


@pytest.fixture
def practice():
    with contextlib.redirect_stdout(io.StringIO()):
        course_lib.setup(lesson=3)
    yield
    setup.teardown()


def definition():
    names = {"text": lambda description, **more: {"type": "string", "description": description, **more}}
    return solution("03", "ex-03-a-answer", **names)["CREATE_TICKET"]


def but(path: str, value: object):
    return lessons.changed(definition(), path, value)


FIELDS = "input_schema.properties"


def test_exercise_a_a_definition_that_is_used_well(practice):
    judge(
        "03.a",
        definition(),
        {
            "another name": but("name", "ticket"),
            "no description": but("description", ...),
            "short": but("description", "Opens a ticket when needed, returns its number."),
            "endless": but("description", definition()["description"] * 6),
            "no when": but(
                "description",
                "Opens a support ticket for the signed-in customer and writes it to the database. "
                "Returns the number of the ticket.",
            ),
            "no returns": but(
                "description",
                "Open a support ticket for the signed-in customer. Use it when they ask for a ticket.",
            ),
            "no schema": but("input_schema", ...),
            "no root type": but("input_schema.type", ...),
            "a field missing": but(f"{FIELDS}.priority", ...),
            "a field more": but(f"{FIELDS}.email", {"type": "string", "description": "E-mail."}),
            "python type": but(f"{FIELDS}.summary.type", "str"),
            "no field description": but(f"{FIELDS}.summary.description", ...),
            "no enum": but(f"{FIELDS}.category.enum", ...),
            "no enum for priority": but(f"{FIELDS}.priority.enum", ...),
            "a value missing": but(f"{FIELDS}.priority.enum", ["low", "high"]),
            "no required": but("input_schema.required", ...),
            "priority required": but("input_schema.required", ["summary", "category", "priority"]),
            "nothing required": but("input_schema.required", []),
            "no when not": but(
                "description",
                "Open a support ticket for the signed-in customer. Use it when they ask for a ticket. "
                "Returns the number of the ticket.",
            ),
            "for everything": but(
                "description",
                "Open a ticket. Use it for any question about orders, messages, products, stock, and "
                "whenever the customer says anything at all. Do not use it twice. Returns the number.",
            ),
            "not about tickets": but(
                "description",
                "Water the plants on the balcony. Use it when the soil is dry. Returns how much was given.",
            ),
            "text": json.dumps(definition()),
        },
    )


OPENS = "Open a support ticket for the signed-in customer. Returns the number of the ticket. "


@pytest.mark.parametrize(
    "more",
    [
        "Use it when something is wrong with an order; for questions use search_help.",
        "Use it when the customer reports a problem. Don't use it to answer a question.",
        "Call it only after the customer has asked for a ticket.",
        "Use it for any message that reports a problem. Not for questions: there are other tools.",
        "Use it if a person has to help. It must not be used for any question that another tool answers.",
        "Never call it for questions about orders or messages. Use it when the customer wants a refund.",
        "Use it when the customer says that anything is broken, instead of only saying sorry.",
        "Úsala cuando el cliente informe de un problema. No la uses para preguntas.",
        "Úsala cuando pida un tique, y nunca para cualquier otra pregunta.",
    ],
)
def test_exercise_a_takes_many_ways_to_say_when_not(practice, more):
    result = check("03.a", but("description", OPENS + more))
    assert result.state == PASSED, result


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("Use it when a customer writes about an order.", "when not"),
        ("Use it when a parcel has not arrived.", "when not"),
        ("Use it for every message. Do not use it twice for one problem.", "every message"),
        ("Use it always. Never use it twice for one problem.", "Use it always"),
        ("Úsala cuando el cliente hable de un pedido.", "when not"),
        ("Úsala para cualquier mensaje. Nunca la uses dos veces.", "cualquier mensaje"),
    ],
)
def test_exercise_a_wants_a_limit_and_no_tool_for_everything(practice, more, told):
    found = check("03.a", but("description", OPENS + more))
    assert found.state == NOT_YET and told in repr(found).replace("\n", " ")


@pytest.mark.parametrize(
    ("called", "told"),
    [
        ([], "no tool"),
        ([("find_order", {})], "find_order"),
        ([("create_ticket", {"category": "other"})], "category"),
        ([("create_ticket", {"category": "refund"})], "category"),  # right for the first question only
    ],
)
def test_exercise_a_tells_for_which_question_the_model_did_something_else(
    monkeypatch, practice, called, told
):
    made = [SimpleNamespace(name=name, input=given) for name, given in called]
    monkeypatch.setattr(lesson_03, "_calls", lambda question, tools: made)
    found = check("03.a", definition())
    assert found.state == NOT_YET and told in repr(found)


def test_exercise_a_tells_when_the_tool_is_called_for_something_else(monkeypatch, practice):
    real = lesson_03._calls
    wants = [question for question, _ in lesson_03._WANT_A_TICKET]
    greedy = [SimpleNamespace(name="create_ticket", input={})]
    monkeypatch.setattr(
        lesson_03, "_calls", lambda question, tools: real(question, tools) if question in wants else greedy
    )
    found = check("03.a", definition())
    assert found.state == NOT_YET and lesson_03._WANT_SOMETHING_ELSE[0] in repr(found)


def test_exercise_a_tells_what_the_service_refuses(practice):
    found = check("03.a", but("input_schema.required", ["summary", "category", "category"]))
    assert found.state == NOT_YET and "refuse" in repr(found)


def test_exercise_a_in_live_mode_only_reads_the_definition(monkeypatch):
    monkeypatch.setattr(setup, "is_live", lambda: True)
    assert check("03.a", definition()).state == PASSED


def test_exercise_b_names_with_a_prefix():
    right = solution("03", "ex-03-b-answer")["with_prefix"]

    def names_only(prefix, tools):
        return [{**tool, "name": f"{prefix}_{tool['name']}"} for tool in tools]

    def by_replace(prefix, tools):
        made = names_only(prefix, tools)
        for one in made:
            for tool in tools:
                one["description"] = one["description"].replace(tool["name"], f"{prefix}_{tool['name']}")
        return made

    def in_place(prefix, tools):
        for made, tool in zip(right(prefix, tools), tools, strict=True):
            tool |= made
        return tools

    def everywhere(prefix, tools):
        text = json.dumps(tools)
        names = "|".join(tool["name"] for tool in tools)
        return json.loads(re.sub(rf"\b({names})\b", rf"{prefix}_\1", text))

    judge(
        "03.b",
        right,
        {
            "names only": names_only,
            "str.replace": by_replace,
            "in place": in_place,
            "in the schema too": everywhere,
            "a fixed prefix": lambda prefix, tools: right("shop", tools),
            "a dash": lambda prefix, tools: [
                {**one, "name": one["name"].replace("_", "-", 1)} for one in right(prefix, tools)
            ],
            "a dictionary": lambda prefix, tools: {one["name"]: one for one in right(prefix, tools)},
            "first only": lambda prefix, tools: right(prefix, tools)[:1],
            "forgot return": lambda prefix, tools: print(end=""),
        },
    )


def test_exercise_c_shows_a_price_as_text_as_text():
    right = solution("03", "ex-03-c-answer")["for_model"]
    found = check("03.c", lambda record: {**right(record), "price_usd": f"{record['price_cents'] / 100}"})
    assert "should be 189.99, a number of dollars; yours is '189.99'." in repr(found)


def test_exercise_c_results_without_ballast():
    right = solution("03", "ex-03-c-answer")["for_model"]
    wanted = ("sku", "name", "quantity", "in_stock", "restock_on")

    def truthy(record):
        return {name: record[name] for name in wanted if record[name]} | {
            "price_usd": record["price_cents"] / 100
        }

    def changes(record):
        for name in set(record) - set(wanted):
            record.pop(name)
        return record

    judge(
        "03.c",
        right,
        {
            "if value": truthy,
            "None kept": lambda record: (
                {name: record[name] for name in wanted} | {"price_usd": record["price_cents"] / 100}
            ),
            "everything": lambda record: (
                {key: value for key, value in record.items() if value is not None}
                | {"price_usd": record["price_cents"] / 100}
            ),
            "cents": lambda record: {**right(record), "price_usd": record["price_cents"]},
            "no price": lambda record: {
                key: value for key, value in right(record).items() if key != "price_usd"
            },
            "no name": lambda record: {key: value for key, value in right(record).items() if key != "sku"},
            "changes the record": changes,
            "text": lambda record: json.dumps(right(record)),
            "price as text": lambda record: {**right(record), "price_usd": str(right(record)["price_usd"])},
            "text of numbers": lambda record: {**right(record), "quantity": str(record["quantity"])},
        },
    )
