"""The runner of `make test`: no setting of a shell reaches its steps, and ruff's findings name their cell."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import run_tests
from clean_environment import clean
from run_tests import RUFF_CHECK, RUFF_FORMAT, Step, name_cells
from sample_course import code, notebook, prose

FROM_A_SHELL = [
    "COURSE_OPENAI_MODEL",
    "COURSE_LIVE",
    "COURSE_CHECKS",
    "COURSE_PROGRESS_FILE",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "OPENAI_ORG_ID",
    "OPENAI_BASE_URL",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GEMINI_API_KEY",
    "LANGCHAIN_TRACING_V2",
    "LANGSMITH_API_KEY",
    "LANGSMITH_TRACING",
    "MISTRAL_API_KEY",
]


@pytest.mark.parametrize("name", FROM_A_SHELL)
def test_a_variable_of_the_course_or_a_provider_is_dropped(name):
    assert clean({name: "x", "PATH": "p", "LANG": "C"}) == {"PATH": "p", "LANG": "C"}
    assert clean({name: "x"}, keep=[name]) == {name: "x"}


def test_no_step_sees_them_but_each_sees_its_own(monkeypatch):
    for name in FROM_A_SHELL:
        monkeypatch.setenv(name, "mine")
    script = "import json, os; print(json.dumps(dict(os.environ)))"
    step = Step("tests", "look", ["-c", script], {"COURSE_CHECKS": "strict"})
    output, _ = run_tests.start(step, stdout=subprocess.PIPE, encoding="utf-8").communicate()
    seen = json.loads(output)
    assert seen["COURSE_CHECKS"] == "strict"
    assert [name for name in FROM_A_SHELL if seen.get(name) == "mine"] == []


def test_this_very_run_sees_none_of_them():
    script = "import conftest, os; print([n for n in os.environ if os.environ[n] == 'mine'])"
    env = dict.fromkeys(set(FROM_A_SHELL) - {"COURSE_CHECKS"}, "mine") | {"PATH": "", "SYSTEMROOT": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=run_tests.ROOT, env=env, capture_output=True, encoding="utf-8"
    )
    assert done.stdout == "[]\n", done.stderr


def test_ruff_names_the_cell_by_its_id(small_course):
    cells = [prose("title", "# Add"), code("first", "x = 1"), prose("between", "…")]
    bad = [code("unused", "import os"), code("ugly", "y  =  2")]
    small_course.write("solutions/01_add.ipynb", notebook(*cells, *bad))
    path = small_course.path("solutions/01_add.ipynb")
    for arguments, found in ((RUFF_CHECK, "#unused:1:8: "), (RUFF_FORMAT, "#ugly:1:3: ")):
        command = [sys.executable, *arguments, "--isolated", "--no-cache", str(path.name)]
        done = subprocess.run(command, cwd=path.parent, capture_output=True, encoding="utf-8")
        assert done.stdout.startswith("01_add.ipynb:cell "), done
        assert name_cells(done.stdout, path.parent).startswith(f"01_add.ipynb{found}")


@pytest.mark.parametrize(
    "line", ["tools/a.py:3:1: unused", "solutions/09_gone.ipynb:cell 2:1:1: x", "01_add.ipynb:cell 99:1:1: x"]
)
def test_what_has_no_cell_stays_as_it_is(small_course, line):
    assert name_cells(line, small_course.root) == line


@pytest.mark.parametrize("name", ["ruff format", "solutions"])
def test_a_step_whose_output_does_not_say_what_to_do_gets_it_said_in_the_summary(monkeypatch, capsys, name):
    monkeypatch.setattr(run_tests, "run", lambda chosen: {name: (False, 1.0), "tests": (False, 2.0)})
    monkeypatch.setattr(sys, "argv", ["run_tests.py"])
    assert run_tests.main() == 1
    lines = capsys.readouterr().out.splitlines()
    advice = {"ruff format": "`make format`", "solutions": "if the new one is right, run `make notebooks`"}
    assert lines[2].startswith(f"  FAILED  {name} (1.0 s); ") and lines[2].endswith(advice[name])
    assert lines[3] == "  FAILED  tests (2.0 s)"
