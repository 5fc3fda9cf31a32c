"""The learner's copy of the lessons: complete at first, added to by updates, and never written over."""

from __future__ import annotations

from my_notebooks import copy_missing
from sample_course import lesson


def test_the_first_copy_has_every_lesson_and_page_with_working_links(small_course):
    new = copy_missing(small_course.root)
    names = {path.name for path in small_course.path("notebooks").glob("*.ipynb")}
    assert (
        {path.name for path in new} == names == {p.name for p in small_course.path("my-notebooks").iterdir()}
    )
    for path in new:
        assert path.read_bytes() == small_course.path(f"notebooks/{path.name}").read_bytes()
    index = next(path for path in new if path.name == "index.ipynb")
    assert "../solutions/01_add.ipynb" in index.read_text(encoding="utf-8")
    assert (index.parent / "../solutions/01_add.ipynb").is_file()


def test_a_second_time_nothing_is_copied_and_answers_stay(small_course):
    copy_missing(small_course.root)
    small_course.change("my-notebooks/01_add.ipynb", "ex-a", source="answer = 43")
    small_course.change("notebooks/01_add.ipynb", "ex-a", source="a new exercise")
    mine = small_course.path("my-notebooks/01_add.ipynb").read_bytes()
    assert copy_missing(small_course.root) == []
    assert small_course.path("my-notebooks/01_add.ipynb").read_bytes() == mine


def test_a_lesson_that_is_new_or_whose_copy_was_renamed_is_added(small_course):
    copy_missing(small_course.root)
    mine = small_course.path("my-notebooks/01_add.ipynb")
    mine.rename(mine.with_name("01_add_answered.ipynb"))
    small_course.write("notebooks/02_more.ipynb", lesson(2, "More"))
    small_course.write("notebooks/es/01_add.ipynb", lesson(1, "Sumar"))
    small_course.write("notebooks/.ipynb_checkpoints/01_add-checkpoint.ipynb", lesson(1, "Old"))
    added = [path.relative_to(mine.parent).as_posix() for path in copy_missing(small_course.root)]
    assert added == ["01_add.ipynb", "02_more.ipynb", "es/01_add.ipynb"]


def test_a_copy_that_was_interrupted_is_made_again(small_course, monkeypatch):
    import my_notebooks

    def stop(source, target):
        target.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(my_notebooks.shutil, "copyfile", stop)
        try:
            copy_missing(small_course.root)
        except KeyboardInterrupt:
            pass
    assert [path.name for path in copy_missing(small_course.root)][0] == "00_start.ipynb"
    assert small_course.read("my-notebooks/00_start.ipynb") == small_course.read("notebooks/00_start.ipynb")
