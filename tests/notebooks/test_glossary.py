"""The glossary: which bold phrases are terms, the sentence of each, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import furniture
import glossary
import nbformat
import pytest
from sample_course import lesson, prose

PATH = Path("solutions/01_add.ipynb")


def terms(*cells) -> list[glossary.Term]:
    return list(glossary.terms(PATH, lesson(1, "Add", *cells)))


def sentences(source: str) -> list[str]:
    return [term.sentence for term in terms(prose("read", source))]


def problems(source: str, cell_id: str = "read") -> list[str]:
    return glossary.problems_of(terms(prose(cell_id, source)))


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("First. A **sum** is a number.\nIt is one.", "A **sum** is a number."),
        ("Look! An **API**, an agreed form. And more.", "An **API**, an agreed form."),
        ("- one\n- A **sum** is a\n  number.\n- three", "A **sum** is a number."),
        ("1. A **sum** is a number.\n2. two", "A **sum** is a number."),
        ("| a | A **sum** is a number |\n|---|---|", "A **sum** is a number"),
        ("A **sum** is what `a.b(*c, **d)` gives. `x` too.", "A **sum** is what `a.b(*c, **d)` gives."),
        (
            "The model (say, X 1.5) stops. A **sum** (like 2.5) is one. `E` ends.",
            "A **sum** (like 2.5) is one.",
        ),
        ("A **sum** is what follows:\n\n```text\n**no** term\n```", "A **sum** is what follows."),
        ('He said "no." A **sum** is a number.', "A **sum** is a number."),
    ],
)
def test_a_term_has_its_sentence_and_no_more(source, sentence):
    assert sentences(source) == [sentence]


def test_of_two_terms_in_a_sentence_each_entry_marks_its_own():
    assert sentences("A **mode** means that a **model** answers.") == [
        "A **mode** means that a model answers.",
        "A mode means that a **model** answers.",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "**01.a** Write it.",
        "**In production** it differs.",
        "**One trap.** It is here.",
        "- **Why?** Because.",
        "**You will be able to**\n\n- add",
        "# **Title**",
        "`**request`, and `**input`",
    ],
)
def test_what_is_bold_by_its_form_is_no_term(source):
    assert sentences(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "A **sum** is a number.",
        "**Adding** means: take both.",
        "**Tools**, functions of yours, run on your machine.",
        "A large language model (**LLM**) goes on with text.",
        "The **key** of an action is a text that stands for it.",
        "A **provider** (A, B …) runs models.",
    ],
)
def test_a_term_that_its_sentence_defines_is_fine(source):
    assert problems(source) == []


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("It must be **in the request**.", "is no term"),
        ("The result has **the `call_id`**.", "is no term"),
        ("**It pays** for many tools.", "is no term"),
        ("A **rule that nobody can ever keep** is here.", "is no term"),
        ("`period` is **required** here.", "does not begin its sentence"),
        ("Two things: the **ids** say which.", "does not begin its sentence"),
        ("It has one: **tools**, functions of yours.", "does not begin its sentence"),
        ("The cure is a **key**: a text for one action.", "does not begin its sentence"),
        ("This is called an **item** here.", "does not begin its sentence"),
        (
            "A **sum** is a number. A **sum** is a result.",
            "was defined already, in solutions/01_add.ipynb#read",
        ),
    ],
)
def test_emphasis_and_a_second_definition_are_told_with_what_to_write(source, what):
    (problem,) = problems(source)
    assert problem.startswith("solutions/01_add.ipynb#read: the bold ") and what in problem
    assert problem.endswith("write *italics*, or a definition")


def test_of_two_terms_in_a_sentence_both_are_told():
    found = problems("A **mode** (the **state** of a model) is one.")
    assert len(found) == 2
    assert "'mode' shares its sentence with another term" in found[0]
    assert "'state' does not begin its sentence" in found[1]


def test_an_exercise_defines_no_term():
    (problem,) = problems("A **sum** is a number.", "ex-01-a")
    assert "stands in an exercise" in problem


def define(small_course, source: str, name: str = "solutions/01_add.ipynb") -> None:
    content = small_course.read(name)
    content.cells.insert(3, prose("read", source))
    small_course.write(name, content)


def test_the_glossary_is_in_order_with_links_to_lesson_section_and_cell(small_course):
    define(
        small_course, "A **sum** is a number.\n\n## 1. Adding\n\n**Adding** takes two.\n\nA **state** is one."
    )
    assert glossary.apply(small_course.root) == []
    content = small_course.read("notebooks/glossary.ipynb")
    nbformat.validate(content)
    cells = {cell.id: cell.source for cell in content.cells}
    assert [cell_id for cell_id in cells if cell_id.startswith("letter-")] == ["letter-a", "letter-s"]
    assert (
        cells["letter-a"] == "## A\n\n**Adding** takes two. ([01 Add, 1. Adding](01_add.ipynb#cell-id=read))"
    )
    assert cells["letter-s"].index("**state**") < cells["letter-s"].index("**sum**")
    assert "A **sum** is a number. ([01 Add](01_add.ipynb#cell-id=read))" in cells["letter-s"]


def test_the_providers_names_are_looked_up_in_real_calls(small_course):
    names = next(
        cell.source for cell in small_course.read("notebooks/glossary.ipynb").cells if cell.id == "names"
    )
    for place in (
        'Anthropic: `content[].type: "tool_use"`',
        'OpenAI Responses: `output[].type: "function_call"`',
        'OpenAI Chat: `choices[].finish_reason: "tool_calls"`',
        "Gemini: `candidates[].content.parts[].functionCall.args` (object)",
        'OpenAI Responses: `input[].type: "function_call_output"`',
    ):
        assert f"- {place}\n" in names + "\n"


def test_a_glossary_that_is_not_current_is_named(small_course):
    assert glossary.apply(small_course.root, check=True) == []
    define(small_course, "A **sum** is a number.")
    assert glossary.apply(small_course.root, check=True) == [
        "notebooks/glossary.ipynb: out of date; run `make furniture`"
    ]


def test_a_translation_defines_the_same_terms_in_its_own_glossary(small_course):
    define(small_course, "A **sum** is a number.")
    small_course.write(
        "solutions/es/01_add.ipynb", lesson(1, "Sumar", prose("read", "Una suma es un número."))
    )
    furniture.apply(small_course.root)
    assert glossary.apply(small_course.root) == [
        "solutions/es/01_add.ipynb#read: 0 bold terms, and its source has 1; mark the same"
    ]
    small_course.change("solutions/es/01_add.ipynb", "read", source="Una **suma** es un número.")
    assert glossary.apply(small_course.root) == []
    cells = {cell.id: cell.source for cell in small_course.read("notebooks/es/glossary.ipynb").cells}
    assert "Una **suma** es un número. ([01 Sumar](01_add.ipynb#cell-id=read))" in cells["letter-s"]
    assert "*Lo que señala una llamada*" in cells["names"]
