"""progress(), and the record of checks behind it: kept over restarts, shared by kernels, never lost."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time as clock
from pathlib import Path

import pytest

from course_lib import messages
from course_lib.__main__ import main
from course_lib.classroom.checks import check, progress, record, running
from course_lib.classroom.checks.helpers import expect
from course_lib.classroom.checks.running import checker

PROGRESS = sys.modules["course_lib.classroom.checks.progress"]
LESSONS = {
    "colab": "https://colab.research.google.com/github/someone/course/blob/main/notebooks/",
    "files": {"98": "98_guess.ipynb", "99": "99_more.ipynb"},
    "titles": {"en": {"98": "Guess", "99": "More"}, "es": {"98": "Adivinar"}},
}


@pytest.fixture(autouse=True)
def two_lessons(monkeypatch, tmp_path):
    """A course of the lessons 98 (two exercises) and 99 (one), and no record."""
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "progress.json"))
    monkeypatch.delenv("COLAB_RELEASE_TAG", raising=False)
    monkeypatch.setattr(running, "_checkers", {})
    monkeypatch.setattr(running, "lessons", lambda: ["98", "99"])
    monkeypatch.setattr(record, "_this_session", {})
    monkeypatch.setattr(record, "_saved", True)
    monkeypatch.setattr(PROGRESS, "_course", lambda: LESSONS)
    yield [checker(id)(is_right) for id in ("98.a", "98.b", "99.a")]
    messages.set_language("en")


def is_right(answer):
    expect(answer == "right", "wrong")


def new_session(monkeypatch) -> None:
    """Forget what this process knows, as a new kernel does."""
    monkeypatch.setattr(record, "_this_session", {})


def flat(shown) -> str:
    """The text of something shown, as one line."""
    return " ".join(repr(shown).split())


def saved() -> dict:
    return json.loads(record.path().read_text(encoding="utf-8"))


def at(time: str, **states: str) -> None:
    """Write a record in which all were checked at one time."""
    ids = {id.replace("_", "."): state for id, state in states.items()}
    document = {"version": 1, "states": {}, "times": {}}
    if record.path().exists():
        document = saved()
    document["states"] |= ids
    document["times"] |= dict.fromkeys(ids, time)
    record.path().write_text(json.dumps(document), encoding="utf-8")


# ---- what is shown ----


def test_a_fresh_start_is_to_do_and_says_where_to_begin():
    lines = repr(progress()).splitlines()
    assert lines[0] == "Passed: 0 of 3"
    assert lines[2].split("  ")[0] == "lesson" and "98 Guess" in lines[3] and "98.a 98.b" in lines[3]
    assert "Next: 98.a, in lesson 98 Guess." in lines
    assert "After that: lesson 99 More." in lines


def test_each_lesson_has_what_is_passed_not_yet_and_to_do_and_the_day():
    at("2026-11-19T10:00:00+00:00", **{"98_a": "passed"})
    at("2026-11-20T10:00:00+00:00", **{"98_b": "not yet"})
    row = next(line for line in repr(progress()).splitlines() if line.startswith("98"))
    assert re.split(r"  +", row) == ["98 Guess", "1 of 2", "98.b", "2026-11-20"]


def test_one_lesson_is_shown_exercise_by_exercise():
    check("98.a", "right")
    shown = progress(98)
    assert shown.states == progress("98").states == {"98.a": "passed", "98.b": "to do"}
    assert repr(shown).startswith("Lesson 98 Guess: passed 1 of 2\n")
    assert "99.a" not in repr(shown)


@pytest.mark.parametrize("asked", [7, "x", "", -1, 98.5, [98]])
def test_a_lesson_that_does_not_exist_is_told_with_those_that_do(asked):
    assert "with exercises. There are: 98, 99." in repr(progress(asked))


def test_a_number_is_written_as_people_write_it(monkeypatch):
    checker("07.a")(is_right)
    monkeypatch.setattr(running, "lessons", lambda: ["07", "98"])
    assert progress(7).lesson == progress("7").lesson == progress("07").lesson == "07"


def test_html_and_text_say_the_same():
    check("98.a", "wrong")
    text, html = repr(progress()), progress()._repr_html_()
    for words in ("Passed: 0 of 3", "98 Guess", "not yet", "98.a", str(record.path())):
        assert words in text and words in html
    assert '<th scope="col"' in html and '<th scope="row"' in html and "<style" not in html


def test_the_language_is_that_of_the_course():
    messages.set_language("es")
    text = repr(progress())
    assert text.startswith("Superados: 0 de 3")
    assert "98 Adivinar" in text and "99 More" in text  # a lesson that is not translated keeps its title


# ---- what comes next ----


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({}, "98.a"),
        ({"98.a": "passed"}, "98.b"),
        ({"98.a": "not yet"}, "98.a"),
        ({"98.a": "passed", "98.b": "passed"}, "99.a"),
        ({"99.a": "passed"}, "98.a"),
        ({"99.a": "not yet"}, "99.a"),
        ({"98.a": "passed", "98.b": "passed", "99.a": "passed"}, ""),
    ],
)
def test_the_next_exercise_is_the_first_open_one_from_the_lesson_at_hand(before, expected):
    at("2026-11-20T10:00:00+00:00", **{id.replace(".", "_"): state for id, state in before.items()})
    assert progress().next == expected


def test_the_lesson_at_hand_is_the_one_of_the_last_check():
    at("2026-11-20T10:00:00+00:00", **{"99_a": "not yet"})
    at("2026-11-21T10:00:00+00:00", **{"98_a": "passed"})
    assert progress().next == "98.b"


def test_an_exercise_that_is_not_right_yet_comes_with_its_hint():
    check("98.a", "wrong")
    assert 'It is not right yet; hint("98.a") helps.' in flat(progress())


def test_a_lesson_that_is_done_leads_to_the_next_and_the_last_to_the_end():
    check("98.a", "right")
    check("98.b", "right")
    assert "After that: lesson 99 More." in flat(progress(98)) and "Next:" not in flat(progress(98))
    check("99.a", "right")
    assert "You have passed every exercise of the course." in flat(progress())


def test_the_next_lesson_is_a_link_where_its_notebook_lies_here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "<a " not in progress()._repr_html_()
    (tmp_path / "98_guess.ipynb").write_text("{}", encoding="utf-8")
    assert '<a href="98_guess.ipynb">' in progress()._repr_html_()


# ---- where the record is ----


def test_it_says_which_file_and_that_nothing_is_sent():
    assert f"The record is {record.path()} on this computer. It is sent nowhere." in flat(progress())


def test_the_learners_name_is_not_in_the_path(monkeypatch, tmp_path):
    monkeypatch.setattr(record.Path, "home", lambda: tmp_path)
    assert f"The record is {Path('~') / 'progress.json'} on" in flat(progress())


def test_in_colab_it_says_that_the_machine_goes_and_how_to_keep_the_record(monkeypatch):
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release")
    text = repr(progress()).replace("\n", " ")
    assert "on Colab's machine, and is gone with it" in text and "COURSE_PROGRESS_FILE" in text
    assert f"{LESSONS['colab']}98_guess.ipynb" in text
    assert f'<a href="{LESSONS["colab"]}98_guess.ipynb">' in progress()._repr_html_()


@pytest.mark.parametrize("kind", ["folder", "below a file", "empty", "nul"])
def test_a_record_that_cannot_be_written_breaks_no_check(kind, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    places = {"folder": str(tmp_path), "below a file": str(tmp_path / "file" / "progress.json"), "empty": ""}
    if kind == "nul":
        monkeypatch.setattr(record, "path", lambda: Path("a\0b"))
    else:
        monkeypatch.setenv("COURSE_PROGRESS_FILE", places[kind])
    assert check("98.a", "right").passed
    # Within the session it is known all the same, and that it will not be known later is said.
    assert progress(98).states["98.a"] == "passed"
    assert "cannot be saved" in flat(progress(98)) and "The record is" not in flat(progress(98))
    assert (tmp_path / "file").read_text(encoding="utf-8") == ""


def test_a_record_that_is_switched_off_is_not_blamed_on_the_computer(monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "")
    assert "because COURSE_PROGRESS_FILE is set to nothing" in flat(progress())
    assert "on this computer" not in flat(progress())


def test_a_name_with_a_tilde_means_the_home_folder(monkeypatch, tmp_path):
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "~/course/progress.json")
    check("98.a", "right")
    assert json.loads((tmp_path / "home/course/progress.json").read_text(encoding="utf-8"))["states"]
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "~nobody-of-this-name/progress.json")
    assert check("98.a", "right").passed and "cannot be saved" in flat(progress())


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs an administrator there")
@pytest.mark.parametrize("content", ['{"version": 1, "states": {"98.b": "passed"}}', "damaged", None])
def test_where_the_name_is_a_link_the_file_behind_it_is_written_and_the_link_stays(
    monkeypatch, tmp_path, content
):
    (tmp_path / "drive").mkdir()
    target, link = tmp_path / "drive/mine.json", tmp_path / "link.json"
    if content is not None:
        target.write_text(content, encoding="utf-8")
    link.symlink_to(target)
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(link))
    check("98.a", "right")
    assert link.is_symlink() and json.loads(target.read_text(encoding="utf-8"))["states"]["98.a"] == "passed"
    aside = [tmp_path / "drive/mine.json.broken"] if content == "damaged" else []
    assert record.kept_aside() == [path.resolve() for path in aside]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drive", "link.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of Unix")
@pytest.mark.parametrize("content", ['{"version": 1, "states": {}}', "damaged"])
@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_the_file_keeps_its_mode(mode, content):
    record.path().write_text(content, encoding="utf-8")
    record.path().chmod(mode)
    check("98.a", "right")
    assert saved()["states"] and record.path().stat().st_mode & 0o777 == mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_neither_waited_for_nor_replaced(tmp_path):
    os.mkfifo(record.path())
    assert check("98.a", "right").passed
    text = flat(progress(98))
    assert "cannot be saved in" in text and "which is no regular file" in text and "98.a passed" in text
    assert "The record is" not in text and record.kept_aside() == []
    assert record.path().is_fifo() and [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_that_nothing_can_be_saved_is_said_before_the_first_check(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path))
    assert "cannot be saved in" in flat(progress()) and "The record is" not in flat(progress())


def test_without_a_name_the_record_stands_in_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("COURSE_PROGRESS_FILE")
    monkeypatch.setattr(record.Path, "home", lambda: tmp_path)
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    expected = {
        "linux": ".local/share/tool-use-course/progress.json",
        "darwin": "Library/Application Support/tool-use-course/progress.json",
        "win32": "AppData/Local/tool-use-course/progress.json",
    }
    for platform, place in expected.items():
        monkeypatch.setattr(record.sys, "platform", platform)
        assert record.path() == tmp_path / place


# ---- what is recorded ----


def test_passed_and_not_yet_are_recorded_with_the_time():
    check("98.b", "right")
    check("98.a", "wrong")
    document = saved()
    assert document["states"] == {"98.a": "not yet", "98.b": "passed"}
    assert set(document["times"]) == {"98.a", "98.b"} and document["times"]["98.a"].endswith("+00:00")


def test_what_was_passed_stays_passed_and_its_time_goes_on():
    at("2026-11-20T10:00:00+00:00", **{"98_a": "passed"})
    check("98.a", "wrong")
    assert saved()["states"] == {"98.a": "passed"} and saved()["times"]["98.a"] > "2026-11-20T10"


def test_an_answer_that_is_to_do_and_an_unknown_exercise_leave_no_trace():
    check("98.a", ...)
    check("98.z", 1)
    assert not record.path().exists()


def test_what_another_session_recorded_is_kept(monkeypatch):
    check("98.a", "right")
    new_session(monkeypatch)
    check("98.b", "right")
    assert saved()["states"] == {"98.a": "passed", "98.b": "passed"}
    assert progress(98).states == {"98.a": "passed", "98.b": "passed"}


def test_the_courses_own_solutions_are_no_answers_of_the_learner(monkeypatch):
    cells = ["x = 1", "### BEGIN SOLUTION answer = ...\nanswer = 'right'\n### END SOLUTION"]
    monkeypatch.setattr(sys.modules["__main__"], "In", cells, raising=False)
    assert check("98.a", "right").passed
    assert progress(98).states["98.a"] == "to do" and not record.path().exists()


def test_the_command_that_runs_a_solved_lesson_passes_nothing(tmp_path):
    source = ["### BEGIN SOLUTION\nanswer = ['b', 'd']\n### END SOLUTION", "from course_lib import check"]
    source.append("check('00.b', answer)")
    cells = [{"cell_type": "code", "id": f"c{n}", "source": text} for n, text in enumerate(source)]
    notebook = tmp_path / "00_solved.ipynb"
    notebook.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert "00.b: passed" in fresh("run", str(notebook)) and not record.path().exists()
    cells[0]["source"] = "answer = ['b', 'd']"
    notebook.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert "00.b: passed" in fresh("run", str(notebook)) and saved()["states"] == {"00.b": "passed"}


# ---- when exercises change ----


def test_an_exercise_that_is_new_is_to_do():
    at("2026-11-20T10:00:00+00:00", **{"98_a": "passed"})
    checker("98.c")(is_right)
    assert progress(98).states == {"98.a": "passed", "98.b": "to do", "98.c": "to do"}


def test_an_exercise_that_is_gone_is_told_and_stays_in_the_file():
    at("2026-11-20T10:00:00+00:00", **{"98_y": "passed"})
    assert "Also recorded, though the course no longer has them: 98.y." in flat(progress())
    assert "98.y" in flat(progress(98)) and "98.y" not in repr(progress(99))
    check("98.a", "right")
    assert saved()["states"] == {"98.a": "passed", "98.y": "passed"}


def test_a_lesson_whose_checkers_cannot_be_loaded_still_counts(monkeypatch):
    def broken(lesson):
        raise ImportError("langchain")

    monkeypatch.setattr(running, "ids_of_lesson", broken)
    monkeypatch.setattr(running, "lessons", lambda: ["01"])
    assert list(progress().states) == ["01.a", "01.b", "01.c", "01.d"]


# ---- files that are no record, or an older one ----

NO_RECORD = [
    b"",
    b"not JSON",
    b"[]",
    b"\xff\xfe",
    b'{"version": 2, "states": {}}',
    b'{"version": 1, "states": 3}',
    b'{"version": 1}',
    b"[" * 100_000,
    b" " * 1_000_001,
]


@pytest.mark.parametrize("content", NO_RECORD, ids=lambda content: repr(content[:30]))
def test_what_is_no_record_breaks_no_check_and_is_kept_aside_as_it_is(content):
    file = record.path()
    file.write_bytes(content)
    assert progress(98).states == {"98.a": "to do", "98.b": "to do"}
    assert f"{file} cannot be read as a record. Your next check keeps it aside" in flat(progress())
    assert file.read_bytes() == content  # looking changes nothing
    assert check("98.a", "right").passed
    kept = file.with_name("progress.json.broken")
    assert kept.read_bytes() == content and saved()["states"] == {"98.a": "passed"}
    assert f"A record that could not be read is kept as {kept}." in flat(progress())


def test_a_second_damaged_file_does_not_replace_the_first():
    for content in (b"one", b"two", b"three"):
        record.path().write_bytes(content)
        check("98.a", "right")
    assert [kept.read_bytes() for kept in record.kept_aside()] == [b"one", b"two", b"three"]


def test_a_record_without_times_is_read_and_goes_on():
    record.path().write_text('{"version": 1, "states": {"98.a": "passed"}}', encoding="utf-8")
    assert progress(98).states["98.a"] == "passed" and "Lesson 98 Guess" in flat(progress(98))
    check("98.b", "right")
    assert saved()["states"] == {"98.a": "passed", "98.b": "passed"} and list(saved()["times"]) == ["98.b"]


def test_what_this_version_does_not_understand_is_left_out_and_stays_in_the_file():
    strange = {"version": 1, "states": {"98.a": "excellent", "98.b": []}, "times": {"98.a": 3}, "note": "x"}
    record.path().write_text(json.dumps(strange), encoding="utf-8")
    assert progress(98).states == {"98.a": "to do", "98.b": "to do"}
    check("99.a", "right")
    document = saved()
    assert document["note"] == "x" and document["states"] == strange["states"] | {"99.a": "passed"}
    assert record.kept_aside() == []


def test_a_byte_order_mark_of_an_editor_is_no_damage():
    record.path().write_bytes(b'\xef\xbb\xbf{"version": 1, "states": {"98.a": "passed"}}')
    assert progress(98).states["98.a"] == "passed" and "cannot be read" not in flat(progress(98))


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Etc/GMT-14"])
@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"])
def test_the_first_and_the_last_day_that_there_is_are_shown(time, zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    getattr(clock, "tzset", lambda: None)()
    try:
        at(time, **{"98_a": "passed"})
        assert time[:10] in repr(progress()) and time[:10] in progress(98)._repr_html_()
    finally:
        monkeypatch.undo()
        getattr(clock, "tzset", lambda: None)()


def test_what_is_no_id_is_shown_in_one_line_short_and_without_control_characters():
    strange = ["\x1b[31mred\x1b[0m", "a\nb", "", "x" * 500, "\ud800", "\u202eb"]
    record.path().write_text(
        json.dumps({"version": 1, "states": dict.fromkeys(strange, "passed")}), encoding="utf-8"
    )
    text = progress()._repr_html_()
    assert "\\x1b[31mred" in text and "a\\nb" in text and "\\ud800" in text and "\\u202eb" in text
    assert "x" * 20 in text and "x" * 21 not in text and "a\nb" not in repr(progress())


def test_of_many_ids_that_are_gone_some_are_shown():
    states = {f"9{n // 26 % 8}.{chr(97 + n % 26)}": "passed" for n in range(208)}
    record.path().write_text(json.dumps({"version": 1, "states": states}), encoding="utf-8")
    assert "90.k, 90.l …." in flat(progress())


# ---- processes ----


def fresh(*arguments: str) -> str:
    """What the command line prints in a new process."""
    line = [sys.executable, "-m", "course_lib", *arguments]
    env = os.environ | {"PYTHONIOENCODING": "utf-8"}
    return subprocess.run(line, env=env, capture_output=True, encoding="utf-8", check=True).stdout


def test_progress_survives_a_restart_and_has_a_command():
    script = "from course_lib import check; check('00.b', ['b', 'd'])"
    subprocess.run([sys.executable, "-c", script], check=True)
    printed = fresh("progress", "0")
    assert "passed 1 of 3" in printed.splitlines()[0]
    row = next(line for line in printed.splitlines() if line.startswith("00.b"))
    assert "passed" in row and str(record.path()) in printed
    assert "00" in fresh("progress") and "01" in fresh("progress")


def test_the_command_says_what_the_function_says(capsys):
    check("98.a", "right")
    assert main(["progress"]) == 0
    assert capsys.readouterr().out == f"{progress()!r}\n"


def test_kernels_that_write_at_once_lose_nothing_of_each_other(tmp_path):
    script = (
        "import sys\nfrom course_lib.classroom.checks import record\n"
        "for n in range(20): assert record.remember(f'{sys.argv[1]}.{chr(97 + n)}', 'passed')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, lesson]) for lesson in ("11", "12", "13")]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(saved()["states"]) == len(saved()["times"]) == 60
    assert sorted(path.name for path in tmp_path.iterdir()) == ["progress.json", "progress.json.lock"]


HOLD = """
import sys, time
from pathlib import Path
from course_lib.classroom.checks import record
with record._locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_process_that_was_killed_while_it_wrote_holds_up_nobody():
    lock = record.path().with_name("progress.json.lock")
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE)
    assert holder.stdout.readline().strip() == b"held"
    holder.kill()
    holder.wait()
    holder.stdout.close()
    check("98.a", "right")
    assert saved()["states"] == {"98.a": "passed"}


def test_a_process_that_hangs_while_it_writes_costs_the_saving_and_never_the_file(monkeypatch):
    monkeypatch.setattr(record, "_LONGEST_WAIT", 0.05)
    lock = record.path().with_name("progress.json.lock")
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE)
    assert holder.stdout.readline().strip() == b"held"
    try:
        assert check("98.a", "right").passed
        assert "cannot be saved" in flat(progress()) and not record.path().exists()
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    check("98.b", "right")  # the next check saves both
    assert saved()["states"] == {"98.a": "passed", "98.b": "passed"}
