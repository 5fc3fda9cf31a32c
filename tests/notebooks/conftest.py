"""The tiny course of sample_course.py as a fixture."""

from __future__ import annotations

import shutil
from pathlib import Path

import build_student
import furniture
import glossary
import pytest
from sample_course import Course, lesson


@pytest.fixture(scope="session")
def built_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny course, for tests to copy: to build it takes longer than most of them."""
    folder = tmp_path_factory.mktemp("course")
    small = Course(folder)
    small.write("solutions/00_start.ipynb", lesson(0, "Start"))
    small.write("solutions/01_add.ipynb", lesson(1, "Add"))
    furniture.apply(folder)
    glossary.apply(folder)
    build_student.build(folder)
    return folder


@pytest.fixture
def small_course(built_course: Path, tmp_path: Path) -> Course:
    """Two lessons with current furniture and student edition: every check passes on it."""
    small = Course(tmp_path)
    shutil.copytree(built_course, tmp_path, dirs_exist_ok=True)
    return small
