"""The list of cell ids: new ones are added, a lost or renamed one is told and never dropped by itself."""

from __future__ import annotations

import build_student
import cell_ids
import furniture
import pytest
from sample_course import code, lesson

ADD = "solutions/01_add.ipynb"


@pytest.fixture
def listed_course(small_course):
    """The small course with its list of ids."""
    assert cell_ids.update(small_course.root) == []
    return small_course


def check(course) -> list[str]:
    return cell_ids.lost(course.root) + cell_ids.added(course.root) + cell_ids.translated(course.root)


def rename(course, old: str, new: str) -> None:
    """Rename a cell in both editions, as somebody does who thinks that this is all."""
    for edition in ("solutions", "notebooks"):
        course.change(f"{edition}/01_add.ipynb", old, id=new)


def text(course) -> str:
    return course.path(cell_ids.LIST.as_posix()).read_text(encoding="utf-8")


def test_the_list_holds_every_id_in_order(listed_course):
    assert check(listed_course) == []
    ids = ["title", "furniture", "setup", "ex-a", "ex-a-analysis", "next"]
    assert [line for line in text(listed_course).splitlines() if line.startswith("01_")] == [
        f"01_add#{i}" for i in ids
    ]


def test_a_new_cell_is_missing_from_the_list_until_it_is_updated(listed_course):
    content = listed_course.read(ADD)
    content.cells.insert(3, code("run-new", "1"))
    listed_course.write(ADD, content)
    assert check(listed_course) == [
        f"{ADD}#run-new: not in tests/notebooks/cell_ids.txt; run `make notebooks`"
    ]
    assert cell_ids.update(listed_course.root) == []
    assert check(listed_course) == [] and "01_add#setup\n01_add#run-new\n01_add#ex-a\n" in text(listed_course)


def test_a_new_lesson_is_told_in_one_line(listed_course):
    listed_course.write("solutions/02_more.ipynb", lesson(2, "More"))
    assert check(listed_course) == [
        "solutions/02_more.ipynb: not in tests/notebooks/cell_ids.txt; run `make notebooks`"
    ]


def test_an_id_renamed_in_both_editions_is_told_with_the_old_and_the_new_one(listed_course):
    rename(listed_course, "ex-a", "ex-first")
    (problem,) = check(listed_course)
    assert problem.startswith(f"{ADD}: the cell id 'ex-a' is now 'ex-first'; put it back")
    assert problem.endswith("`python tools/cell_ids.py --drop 01_add#ex-a`")


def test_an_id_renamed_in_the_source_alone_is_told_once_and_by_one_check(listed_course):
    listed_course.change(ADD, "ex-a", id="ex-first")
    assert len(check(listed_course)) == 1
    assert build_student.build(listed_course.root, check=True) == []
    cell_ids.drop(["01_add#ex-a"], listed_course.root)  # meant: now the student edition has to follow
    (problem,) = build_student.build(listed_course.root, check=True)
    assert "out of date (first difference: cell ex-first)" in problem


def test_updating_does_not_hide_a_renamed_id(listed_course):
    rename(listed_course, "ex-a", "ex-first")
    before = text(listed_course)
    assert "'ex-a' is now 'ex-first'" in cell_ids.update(listed_course.root)[0]
    assert text(listed_course) == before


def test_a_removed_cell_is_told(listed_course):
    content = listed_course.read(ADD)
    content.cells = [cell for cell in content.cells if cell.id != "ex-a"]
    listed_course.write(ADD, content)
    (problem,) = check(listed_course)
    assert "the cell id 'ex-a' is gone" in problem


def test_a_moved_cell_is_no_problem(listed_course):
    content = listed_course.read(ADD)
    content.cells[3:] = reversed(content.cells[3:])
    listed_course.write(ADD, content)
    assert check(listed_course) == []


def test_an_id_goes_when_it_is_dropped_by_name(listed_course):
    rename(listed_course, "ex-a", "ex-first")
    assert cell_ids.drop(["01_add#ex-a"], listed_course.root) == []
    assert check(listed_course) == []
    assert "01_add#ex-a\n" not in text(listed_course) and "01_add#ex-first\n" in text(listed_course)


@pytest.mark.parametrize(
    ("name", "found"), [("01_add#ex-a", "still in solutions/"), ("01_add#ex-z", "not in"), ("09_x", "not in")]
)
def test_what_is_there_or_was_never_listed_cannot_be_dropped(listed_course, name, found):
    before = text(listed_course)
    (problem,) = cell_ids.drop([name], listed_course.root)
    assert problem.startswith(f"{name}: {found}")
    assert text(listed_course) == before


def test_a_lesson_that_is_gone_is_told_once_and_can_be_dropped(listed_course):
    listed_course.path(ADD).unlink()
    (problem,) = check(listed_course)
    assert problem.startswith(f"{ADD}: gone, with its 6 cell ids")
    assert cell_ids.drop(["01_add"], listed_course.root) == []
    assert "01_add" not in text(listed_course)


def test_a_lesson_that_cannot_be_read_loses_nothing(listed_course):
    before = text(listed_course)
    listed_course.path(ADD).write_text("{", encoding="utf-8")
    assert cell_ids.update(listed_course.root) == [] and text(listed_course) == before


def test_a_translation_has_the_ids_of_its_source(listed_course):
    listed_course.write("solutions/es/01_add.ipynb", lesson(1, "Sumar", code("ej-a", "1")))
    spanish = "solutions/es/01_add.ipynb"
    assert check(listed_course) == [
        f"{spanish}: no cell 'ex-a', which its source has",
        f"{spanish}: no cell 'next', which its source has",
        f"{spanish}#ej-a: its source has no such cell; use the id of the cell that it translates",
    ]
    listed_course.write("solutions/es/01_add.ipynb", lesson(1, "Sumar"))
    furniture.apply(listed_course.root)
    assert check(listed_course) == []


def test_the_cells_of_a_lesson_are_listed(listed_course, capsys):
    cell_ids.show(["01"], listed_course.root)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == ADD
    assert [line.split()[0] for line in shown[1:]] == [
        "title",
        "furniture",
        "setup",
        "ex-a",
        "ex-a-analysis",
        "next",
    ]
    assert shown[5].split()[1] == "markdown" and shown[5].endswith("[solution-only]")
