"""python -m course_lib: doctor, run LESSON, practice serve, practice run SCRIPT."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import course_lib
from course_lib.classroom import run_lesson
from course_lib.classroom.run_lesson import LessonNotFound, find_notebook

ROOT = Path(course_lib.__file__).parent.parent
INHERITED = (
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "PYTHONPATH",
    "COURSE_NETWORK_RECORD",
    "HOME",
    "USERPROFILE",
)


def environment(**extra: str) -> dict[str, str]:
    env = {name: os.environ[name] for name in INHERITED if name in os.environ}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [env.get("PYTHONPATH")])])
    return {**env, "PYTHONIOENCODING": "utf-8", **extra}


def command(*arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess:
    """Run the command line as a learner would, in a fresh process."""
    line = [sys.executable, "-X", "warn_default_encoding", "-m", "course_lib", *arguments]
    return subprocess.run(
        line, cwd=cwd, env=environment(**env), capture_output=True, encoding="utf-8", timeout=120
    )


def notebook(path: Path, *cells: tuple[str, str] | dict) -> Path:
    """Write a notebook of code cells, given as (id, source), or of whole cells."""
    whole = [
        {"cell_type": "code", "id": c[0], "source": c[1].splitlines(keepends=True), "metadata": {}}
        if isinstance(c, tuple)
        else c
        for c in cells
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": whole, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    return path


def transcript_of(path: Path, capsys) -> str:
    assert run_lesson.run_notebook(path) is None
    return capsys.readouterr().out


# --- doctor and help ------------------------------------------------------------------------------


def test_the_doctor_exits_with_1_if_there_is_a_problem(tmp_path):
    bad = command("doctor", cwd=tmp_path, OPENAI_API_KEY="sk-ant-SECRETPART")
    assert bad.returncode == 1
    assert "what to do:" in bad.stdout
    assert "SECRETPART" not in bad.stdout + bad.stderr


def test_without_a_command_the_usage_is_shown(tmp_path):
    done = command(cwd=tmp_path)
    assert done.returncode == 2
    assert "doctor" in done.stderr or "COMMAND" in done.stderr


# --- which lesson ---------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path):
    notebook(tmp_path / "notebooks" / "01_one_tool_call.ipynb", ("a", "'student'"))
    notebook(tmp_path / "notebooks" / "02_more.ipynb", ("a", "'student'"))
    notebook(tmp_path / "solutions" / "01_one_tool_call.ipynb", ("a", "'solved'"))
    return tmp_path


@pytest.mark.parametrize("name", ["1", "01", "01_one_tool_call"])
def test_a_lesson_is_found_by_number_or_name_solved_edition_first(course, name):
    assert find_notebook(name, course) == course / "solutions" / "01_one_tool_call.ipynb"


def test_the_student_edition_serves_where_there_is_no_other(course):
    assert find_notebook("2", course) == course / "notebooks" / "02_more.ipynb"


def test_a_lesson_is_found_from_any_folder_inside(course):
    deep = course / "course_lib" / "shop"
    deep.mkdir(parents=True)
    assert find_notebook("2", deep).name == "02_more.ipynb"


def test_a_path_is_taken_as_it_is(course):
    assert find_notebook("notebooks/02_more.ipynb", course) == course / "notebooks" / "02_more.ipynb"


def test_an_unknown_lesson_lists_the_lessons(course):
    with pytest.raises(LessonNotFound, match="no lesson 9.*01_one_tool_call, 02_more"):
        find_notebook("9", course)


def test_a_missing_path_is_said(course):
    with pytest.raises(LessonNotFound, match="no notebook nowhere.ipynb"):
        find_notebook("nowhere.ipynb", course)


def test_a_file_that_is_no_notebook_is_said(tmp_path):
    bad = tmp_path / "bad.ipynb"
    bad.write_text("{}", encoding="utf-8")
    with pytest.raises(LessonNotFound, match="not a notebook"):
        run_lesson.run_notebook(bad)


def test_the_command_line_says_it_in_one_line(tmp_path):
    done = command("run", "nowhere.ipynb", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        == "There is no notebook nowhere.ipynb. Give the path of an .ipynb file, or a lesson's number."
    )


# --- running it -----------------------------------------------------------------------------------


def test_the_transcript_shows_headings_code_and_results(tmp_path, capsys):
    path = notebook(
        tmp_path / "a.ipynb",
        {
            "cell_type": "markdown",
            "id": "t",
            "source": ["# Title\n", "words\n", "```\n", "# no heading\n", "```"],
        },
        ("add", "x = 2\nx + 3"),
        ("say", "print('niño →')"),
    )
    assert transcript_of(path, capsys) == (
        "\n# Title\n\n[add]\n  | x = 2\n  | x + 3\n5\n\n[say]\n  | print('niño →')\nniño →\n"
    )


def test_of_the_setup_cell_only_the_call_is_shown(tmp_path, capsys):
    source = "import sys\nimport course_lib\ncourse_lib.__name__"
    out = transcript_of(notebook(tmp_path / "a.ipynb", ("setup", source)), capsys)
    assert out == "\n[setup]\n  | course_lib.__name__\n'course_lib'\n"


@pytest.mark.parametrize(
    "source", ["None", "x = 1", "1;", "%pip install nothing", "%%bash\nexit 1", "!exit 1", "# note"]
)
def test_what_shows_nothing_in_jupyter_shows_nothing_here(tmp_path, capsys, source):
    out = transcript_of(notebook(tmp_path / "a.ipynb", ("c", source)), capsys)
    assert all(line.startswith(("[c]", "  |")) for line in out.split("\n") if line)


def test_a_magic_inside_a_block_leaves_the_block_valid(tmp_path, capsys):
    source = "if False:\n    %pip install nothing\nprint('on')"
    assert transcript_of(notebook(tmp_path / "a.ipynb", ("c", source)), capsys).endswith("\non\n")


def test_percent_signs_in_code_stay(tmp_path, capsys):
    source = "x = (7\n     % 4)\ntext = '''\n%d\n''' % 5\nx, text"
    assert transcript_of(notebook(tmp_path / "a.ipynb", ("c", source)), capsys).endswith("(3, '\\n5\\n')\n")


def test_await_works_at_the_top_level_and_across_cells(tmp_path, capsys):
    cells = [
        (
            "a",
            "import asyncio as a\ntask = a.create_task(a.sleep(0, 'later'))\nawait a.sleep(0, 'now')",
        )
    ]
    out = transcript_of(notebook(tmp_path / "a.ipynb", *cells, ("b", "print(await task)")), capsys)
    assert "'now'" in out
    assert out.endswith("later\n")


def test_cells_are_a_main_module_for_types_and_source(tmp_path, capsys):
    cells = [
        ("a", "from __future__ import annotations\nclass A: pass\ndef f(x: A) -> A:\n    return x"),
        ("b", "import inspect, typing, pickle\nprint(typing.get_type_hints(f)['x'].__name__, __name__)"),
        ("c", "print(inspect.getsource(f))\nassert pickle.loads(pickle.dumps(A))\ndisplay(1)"),
    ]
    out = transcript_of(notebook(tmp_path / "a.ipynb", *cells), capsys)
    assert "\nA __main__\n" in out
    assert "\ndef f(x: A) -> A:\n    return x\n" in out
    assert out.endswith("\n1\n")


def test_the_notebooks_folder_is_the_current_one_and_things_are_put_back(tmp_path, capsys):
    before = (Path.cwd(), list(sys.path), sys.modules["__main__"])
    path = notebook(tmp_path / "deep" / "a.ipynb", ("a", "import os; print(os.getcwd())"))
    assert transcript_of(path, capsys).strip().endswith("deep")
    assert (Path.cwd(), list(sys.path), sys.modules["__main__"]) == before


def test_a_failing_cell_is_named_and_ends_the_run(tmp_path):
    path = notebook(
        tmp_path / "a.ipynb", ("fine", "x = 1"), ("breaks", "y = 2\nx / 0"), ("never", "print('reached')")
    )
    done = command("run", str(path), cwd=tmp_path)
    assert done.returncode == 1
    assert "Cell 'breaks' failed" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert "x / 0" in done.stderr
    assert "transcript.py" not in done.stderr
    assert "reached" not in done.stdout


def test_a_syntax_error_is_named_too(tmp_path):
    done = command("run", str(notebook(tmp_path / "a.ipynb", ("typo", "x = = 1"))), cwd=tmp_path)
    assert done.returncode == 1
    assert "SyntaxError" in done.stderr
    assert "'typo'" in done.stderr


def test_an_error_that_is_meant_does_not_end_the_run(tmp_path):
    cell = {"cell_type": "code", "id": "m", "source": "1 / 0", "metadata": {"tags": ["raises-exception"]}}
    done = command("run", str(notebook(tmp_path / "a.ipynb", cell, ("on", "print('reached')"))), cwd=tmp_path)
    assert done.returncode == 0
    assert "reached" in done.stdout


# --- practice run ---------------------------------------------------------------------------------


def script(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_script_runs_as_main_with_its_arguments_and_the_environment_set(tmp_path):
    text = (
        "import os, sys, helper\n"
        "print(__name__, sys.argv[1:], os.path.basename(__file__), helper.x)\n"
        "env = os.environ\n"
        "print(env['ANTHROPIC_BASE_URL'].startswith('http://127.0.0.1:'), env['OPENAI_API_KEY'])\n"
    )
    (tmp_path / "sub").mkdir()
    script(tmp_path / "sub" / "helper.py", "x = 'beside'")
    script(tmp_path / "sub" / "program.py", text)
    done = command(
        "practice", "run", "sub/program.py", "--port", "-x", "ñ", cwd=tmp_path, OPENAI_API_KEY="sk-real"
    )
    assert done.stdout == "__main__ ['--port', '-x', 'ñ'] program.py beside\nTrue practice\n"
    assert done.returncode == 0
    assert done.stderr.startswith("Practice mode")


def test_practice_run_is_practice_whatever_the_switch_says(tmp_path):
    done = command(
        "practice", "run", script(tmp_path / "p.py", "print('ran')"), cwd=tmp_path, COURSE_LIVE="1"
    )
    assert done.stdout == "ran\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import sys; sys.exit(7)", 7),
        ("import sys; sys.exit()", 0),
        ("raise SystemExit('why')", 1),
        ("1 / 0", 1),
        ("x = = 1", 1),
        ("raise KeyboardInterrupt", 130),
    ],
)
def test_the_exit_code_of_a_script_is_passed_on(tmp_path, text, code):
    done = command("practice", "run", script(tmp_path / "p.py", text), cwd=tmp_path)
    assert done.returncode == code


def test_a_scripts_error_is_shown_from_its_own_first_line(tmp_path):
    done = command("practice", "run", script(tmp_path / "p.py", "def f():\n    1 / 0\nf()\n"), cwd=tmp_path)
    assert "ZeroDivisionError" in done.stderr
    assert "line 3" in done.stderr
    assert "__main__.py" not in done.stderr


def test_threads_may_outlive_the_scripts_last_line(tmp_path):
    text = "import threading, time\nx = 'alive'\nthreading.Timer(0.2, lambda: print(x)).start()\n"
    assert command("practice", "run", script(tmp_path / "p.py", text), cwd=tmp_path).stdout == "alive\n"


def test_the_practice_model_runs_scripts_without_the_course(tmp_path):
    text = "import os, sys\nprint(sys.argv[1:], os.environ['OPENAI_API_KEY'], 'course_lib' in sys.modules)\n"
    line = [sys.executable, "-m", "practice_model", "run", script(tmp_path / "p.py", text), "--port"]
    env = environment(OPENAI_API_KEY="sk-real", OPENAI_ORG_ID="mine")
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", timeout=120)
    assert done.stdout == "['--port'] practice False\n"
    assert done.stderr.startswith("Practice mode")
    assert done.returncode == 0


def test_a_missing_script_is_said(tmp_path):
    done = command("practice", "run", "nowhere.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "no script nowhere.py" in done.stderr


# --- practice serve -------------------------------------------------------------------------------


@pytest.fixture(params=["course_lib practice", "practice_model"])
def serving(tmp_path, request):
    """The command `practice serve --port 0` in a process of its own, and the text that it prints."""
    line = [sys.executable, "-u", "-m", *request.param.split(), "serve", "--port", "0"]
    new_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {}
    process = subprocess.Popen(
        line,
        cwd=tmp_path,
        env=environment(OPENAI_ORG_ID="mine", NO_PROXY="corp.example"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        **new_group,
    )
    text = ""
    while "Ctrl-C" not in text:
        line = process.stdout.readline()
        assert line, f"it ended early: {text}"
        text += line
    yield process, text
    process.kill()
    process.wait()
    process.stdout.close()


def test_serve_says_what_to_set_and_answers_there(serving):
    _, text = serving
    url = re.search(r"export ANTHROPIC_BASE_URL=(http://127\.0\.0\.1:\d+)\n", text)[1]
    assert "not an LLM" in text
    assert f"export OPENAI_BASE_URL={url}/v1\n" in text
    assert f"$env:ANTHROPIC_BASE_URL = '{url}'\n" in text
    assert "export NO_PROXY=corp.example,127.0.0.1,localhost,::1\n" in text
    assert "unset OPENAI_ORG_ID\n" in text
    assert "Remove-Item Env:OPENAI_ORG_ID\n" in text
    request = urllib.request.Request(
        f"{url}/v1/models", headers={"x-api-key": "practice", "anthropic-version": "2026-10-21"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as answer:
        assert answer.status == 200


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal to send")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_serve_ends_cleanly(serving, name):
    process, _ = serving
    process.send_signal(getattr(signal, name))
    assert process.wait(timeout=20) == 0
    rest = process.stdout.read()
    assert rest.strip() == "Stopped."


def test_a_taken_port_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = command("practice", "serve", "--port", str(port), cwd=tmp_path)
    assert done.returncode == 2
    assert f"Port {port} cannot be used" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"), [(["--host", "0.0.0.0"], "this machine only"), (["--port", "70000"], "not a port")]
)
def test_serve_is_for_this_machine_and_a_real_port(tmp_path, arguments, said):
    done = command("practice", "serve", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
