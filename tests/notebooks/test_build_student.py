"""The student edition: what is removed, what stays, and what the freshness gate names."""

from __future__ import annotations

import build_student
import pytest
from course_notebooks import ToolError
from sample_course import EXERCISE, code, lesson, prose


def test_a_solution_becomes_its_stub():
    assert build_student.open_exercises(
        "a = 1\n### BEGIN SOLUTION b = ...\nb = 2\n### END SOLUTION\nc = 3"
    ) == ("a = 1\nb = ...\nc = 3")


def test_the_stub_is_an_ellipsis_if_none_is_named():
    assert build_student.open_exercises("### BEGIN SOLUTION\nx = 1\n### END SOLUTION") == "..."


def test_a_stub_inside_a_function_keeps_the_indentation():
    source = (
        "def f():\n    ### BEGIN SOLUTION return None\n    x = 1\n    return x\n    ### END SOLUTION\nf()"
    )
    assert build_student.open_exercises(source) == "def f():\n    return None\nf()"


def test_a_cell_may_hold_two_solutions():
    first = "### BEGIN SOLUTION\na = 1\n### END SOLUTION"
    second = "### BEGIN SOLUTION c = 0\nc = 3\n### END SOLUTION"
    source = f"{first}\nb = 2\n{second}"
    assert build_student.open_exercises(source) == "...\nb = 2\nc = 0"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("### BEGIN SOLUTION\nx = 1", "line 1: ### BEGIN SOLUTION is never closed"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", "line 2: ### BEGIN SOLUTION inside"),
        ("x = 1\n### END SOLUTION", "line 2: ### END SOLUTION without"),
        (
            "### BEGIN SOLUTON x = ...\nx = 1",
            "line 1: '### BEGIN SOLUTON x = ...' marks nothing; did you mean",
        ),
        (
            "x = 1\n### END SOLUTOIN",
            "line 2: '### END SOLUTOIN' marks nothing; did you mean ### END SOLUTION?",
        ),
        ("## BEGIN SOLUTION", "line 1: '## BEGIN SOLUTION' marks nothing; did you mean ### BEGIN SOLUTION?"),
        ("###begin solution", "line 1: '###begin solution' marks nothing; did you mean ### BEGIN SOLUTION?"),
        ("### BEGIN SOLUTIONS x", "line 1: '### BEGIN SOLUTIONS x' marks nothing; did you mean"),
    ],
)
def test_markers_that_do_not_match_are_refused_with_file_and_cell(source, message):
    with pytest.raises(ToolError) as error:
        build_student.student_edition(lesson(1, "Add", code("ex-b", source)), "solutions/01_add.ipynb")
    assert str(error.value).startswith(f"solutions/01_add.ipynb#ex-b: {message}")


@pytest.mark.parametrize(
    "source",
    [
        "answer = 2 * 21\nanswer",
        "### BEGIN SOLUTION answer = 42\nanswer = 42\n### END SOLUTION",
        "answer = 42\n### BEGIN SOLUTION answer\nanswer\n### END SOLUTION",
    ],
)
def test_an_answer_that_students_would_get_as_it_is_makes_no_edition(small_course, source):
    small_course.write("solutions/01_add.ipynb", lesson(1, "Add", code("ex-01-a-answer", source)))
    before = small_course.path("notebooks/01_add.ipynb").read_bytes()
    for check in (False, True):
        (problem,) = build_student.build(small_course.root, check=check)
        assert problem.startswith(
            "solutions/01_add.ipynb#ex-01-a-answer: students would get the solution; put it"
        )
    assert small_course.path("notebooks/01_add.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    "source", [EXERCISE, "### BEGIN SOLUTION x = 1\nx = 2\n### END SOLUTION", "# begin here\n" + EXERCISE]
)
def test_an_answer_with_its_marks_makes_one(source):
    edition = build_student.student_edition(lesson(1, "Add", code("ex-01-a-answer", source)), "x")
    assert "2 * 21" not in "".join(cell.source for cell in edition.cells)


@pytest.mark.parametrize("tags", [None, ["solution_only"]])
@pytest.mark.parametrize("make", [prose, code])
def test_an_analysis_without_its_tag_makes_no_edition(make, tags):
    cell = make("ex-01-b-analysis", "x", tags=tags)
    with pytest.raises(ToolError, match="^x#ex-01-b-analysis: .* tag the cell solution-only$"):
        build_student.student_edition(lesson(1, "Add", cell), "x")


def test_all_broken_cells_are_named_at_once():
    broken = lesson(1, "Add", code("ex-b", "### END SOLUTION"), code("ex-c", "### BEGIN SOLUTION"))
    with pytest.raises(ToolError, match=r"(?s)x#ex-b: .*\nx#ex-c: "):
        build_student.student_edition(broken, "x")


def test_outputs_counts_and_solution_only_cells_go_and_ids_and_tags_stay(small_course):
    small_course.change("solutions/01_add.ipynb", "ex-a", metadata={"tags": ["exercise"]})
    build_student.build(small_course.root)
    student = small_course.read("notebooks/01_add.ipynb")
    assert [cell.id for cell in student.cells] == ["title", "furniture", "setup", "ex-a", "next"]
    exercise = student.cells[3]
    assert (exercise.source, exercise.outputs, exercise.execution_count) == ("answer = ...\nanswer", [], None)
    assert exercise.metadata == {"tags": ["exercise"]}


def test_building_twice_gives_the_same_bytes_and_leaves_the_solution_alone(small_course):
    files = ["solutions/01_add.ipynb", "notebooks/01_add.ipynb"]
    before = [small_course.path(name).read_bytes() for name in files]
    build_student.build(small_course.root)
    assert [small_course.path(name).read_bytes() for name in files] == before
    assert before[1].endswith(b"}\n") and b"\r" not in before[1]


def test_a_fresh_course_passes_the_gate(small_course):
    assert build_student.build(small_course.root, check=True) == []


def test_the_gate_names_a_stale_a_missing_and_an_unknown_file(small_course):
    small_course.change("notebooks/00_start.ipynb", "ex-a", source="answer = 1")
    small_course.path("notebooks/01_add.ipynb").unlink()
    small_course.write("notebooks/02_lost.ipynb", lesson(2, "Lost"))
    assert build_student.build(small_course.root, check=True) == [
        "notebooks/00_start.ipynb: out of date (first difference: cell ex-a); run `make notebooks`",
        "notebooks/01_add.ipynb: missing; run `make notebooks`",
        "notebooks/02_lost.ipynb: has no source; remove it, or write solutions/02_lost.ipynb",
    ]


def test_the_gate_changes_nothing(small_course):
    small_course.path("notebooks/01_add.ipynb").unlink()
    build_student.build(small_course.root, check=True)
    assert not small_course.path("notebooks/01_add.ipynb").exists()


def test_a_broken_solution_is_named_and_the_others_are_built(small_course):
    small_course.change("solutions/00_start.ipynb", "ex-a", source="### BEGIN SOLUTION")
    small_course.change("solutions/01_add.ipynb", "title", source="# 01 Add more")
    problems = build_student.build(small_course.root)
    assert len(problems) == 1 and problems[0].startswith("solutions/00_start.ipynb#ex-a: ")
    assert small_course.read("notebooks/01_add.ipynb").cells[0].source == "# 01 Add more"


def test_a_translation_lies_in_a_folder_of_its_own(small_course):
    small_course.write("solutions/es/01_add.ipynb", lesson(1, "Sumar"))
    assert build_student.build(small_course.root, check=True) == [
        "notebooks/es/01_add.ipynb: missing; run `make notebooks`"
    ]
