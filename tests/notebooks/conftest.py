"""The tiny course of sample_course.py as a fixture."""

from __future__ import annotations

from pathlib import Path

import build_student
import furniture
import glossary
import pytest
from sample_course import Course, lesson


@pytest.fixture
def small_course(tmp_path: Path) -> Course:
    """Two lessons with current furniture and student edition: every check passes on it."""
    small = Course(tmp_path)
    small.write("solutions/00_start.ipynb", lesson(0, "Start"))
    small.write("solutions/01_add.ipynb", lesson(1, "Add"))
    furniture.apply(tmp_path)
    glossary.apply(tmp_path)
    build_student.build(tmp_path)
    return small
