"""Executing solutions in place: outputs are stored in canonical form, and a failure leaves the file alone."""

from __future__ import annotations

import course_notebooks as course
import pytest
import run_solutions
from course_notebooks import ToolError
from sample_course import code, notebook


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


def test_what_an_authors_shell_says_does_not_reach_the_outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_OPENAI_MODEL", "my-own")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "mine")
    path = tmp_path / "01_add.ipynb"
    seen = "import os\n[n for n in os.environ if n in ('COURSE_OPENAI_MODEL', 'ANTHROPIC_AUTH_TOKEN')]"
    course.write(path, notebook(code("look", seen)))
    assert run_solutions.run([path]) == []
    assert course.read(path).cells[0].outputs[0].data == {"text/plain": "[]"}


def test_a_swallowed_attempt_to_leave_this_machine_is_named_with_its_cell(tmp_path):
    path = tmp_path / "01_add.ipynb"
    attempt = "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError: pass"
    course.write(path, notebook(code("fine", "1"), code("swallow", attempt), code("after", "1")))
    (problem,) = run_solutions.run([path])
    assert "'192.0.2.1'" in problem and problem.endswith("01_add.ipynb#swallow")


@pytest.mark.parametrize(
    "name", ["1", "01", "01_add", "01_add.ipynb", "solutions/01_add.ipynb", "notebooks/01_add.ipynb"]
)
def test_a_lesson_is_named_by_number_name_or_path(small_course, name):
    assert [path.name for path in course.choose([name], small_course.root)] == ["01_add.ipynb"]


def test_a_path_is_also_read_from_the_current_folder(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root / "notebooks")
    assert [path.name for path in course.choose(["./01_add.ipynb"], small_course.root)] == ["01_add.ipynb"]
    absolute = str(small_course.path("solutions/00_start.ipynb"))
    assert [path.name for path in course.choose([absolute], small_course.root)] == ["00_start.ipynb"]


@pytest.mark.parametrize("name", ["07", "01_ad", "notebooks/07_lost.ipynb", "elsewhere/01_add.ipynb"])
def test_a_lesson_that_does_not_exist_is_named_with_those_that_do(small_course, name):
    with pytest.raises(ToolError, match=f"no notebook {name}; write one of: 00, 01"):
        course.choose(["1", name], small_course.root)
