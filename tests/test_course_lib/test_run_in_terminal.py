"""What `python -m course_lib run` shows of a lesson, where the marks of authors and a closed pipe come in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import course_lib
from course_lib.classroom import run_lesson

ROOT = Path(course_lib.__file__).parent.parent


def notebook(path: Path, *cells: tuple[str, str]) -> Path:
    """Write a notebook of code cells, each given as (id, source)."""
    whole = [{"cell_type": "code", "id": name, "source": source, "metadata": {}} for name, source in cells]
    path.write_text(json.dumps({"cells": whole, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    return path


def run(path: Path, **options) -> subprocess.Popen:
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    line = [sys.executable, "-m", "course_lib", "run", str(path)]
    return subprocess.Popen(line, env=env, stderr=subprocess.PIPE, encoding="utf-8", **options)


def test_the_marks_of_a_solution_are_not_shown(tmp_path, capsys):
    source = "def f():\n    ### BEGIN SOLUTION return None\n    return 2\n    ### END SOLUTION\n# a note\nf()"
    assert run_lesson.run_notebook(notebook(tmp_path / "a.ipynb", ("answer", source))) is None
    shown = "\n[answer]\n  | def f():\n  |     return 2\n  | # a note\n  | f()\n2\n"
    assert capsys.readouterr().out == shown


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is another error there")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "many", ["for number in range(100_000): print(number)", "list(range(100_000))", "import sys\n" * 9999]
)
def test_a_reader_that_goes_away_ends_the_transcript_without_a_word(tmp_path, monkeypatch, many, unbuffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    process = run(notebook(tmp_path / "a.ipynb", ("first", "1"), ("many", many)), stdout=subprocess.PIPE)
    assert process.stdout.readline() == "\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0


def test_a_pipe_that_the_cell_broke_is_the_cells_own_error(tmp_path, capsys):
    path = notebook(tmp_path / "a.ipynb", ("mine", "raise BrokenPipeError('to a service')"))
    assert run_lesson.run_notebook(path) == "mine"
    assert "BrokenPipeError: to a service" in capsys.readouterr().err
