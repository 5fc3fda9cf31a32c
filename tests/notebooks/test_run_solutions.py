"""Executing solutions in place: outputs are stored in canonical form, and a failure leaves the file alone."""

from __future__ import annotations

import os

import course_notebooks as course
import pytest
import run_solutions
from course_notebooks import ToolError
from sample_course import code, notebook


@pytest.fixture(autouse=True)
def own_environment(monkeypatch):
    """run() sets variables for its kernels; put them back for the tests that follow in this process."""
    for name in ("COURSE_NETWORK_RECORD", "PYTHONPATH", "COURSE_CHECKS"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


def test_outputs_are_stored_in_canonical_form_and_a_second_run_changes_nothing(tmp_path):
    path = tmp_path / "01_add.ipynb"
    cells = [
        code(
            "where", "import os, pathlib\nprint(pathlib.Path.cwd().name)\nprint(os.environ['COURSE_CHECKS'])"
        ),
        code("add", "40 + 2", "wrong"),
    ]
    course.write(path, notebook(*cells))
    assert run_solutions.run([path]) == []
    first = path.read_bytes()
    stored = course.read(path)
    assert stored.cells[0].outputs[0].text == f"{tmp_path.name}\nstrict\n"
    assert stored.cells[1].outputs[0].data == {"text/plain": "42"}
    assert [cell.execution_count for cell in stored.cells] == [1, 2]
    assert all(cell.metadata == {} for cell in stored.cells)
    assert run_solutions.run([path]) == []
    assert path.read_bytes() == first


def test_a_failing_cell_is_named_and_the_file_left_as_it_was(tmp_path):
    path = tmp_path / "01_add.ipynb"
    course.write(path, notebook(code("fine", "1"), code("divide", "1 / 0"), code("after", "2")))
    before = path.read_bytes()
    (problem,) = run_solutions.run([path])
    assert "01_add.ipynb#divide: ZeroDivisionError: division by zero" in problem
    assert path.read_bytes() == before


def test_a_lesson_that_does_not_exist_is_named_with_those_that_do(small_course):
    assert [path.name for path in course.choose(["1"], small_course.root)] == ["01_add.ipynb"]
    with pytest.raises(ToolError, match="no notebook 07; write one of: 00, 01"):
        course.choose(["07"], small_course.root)
