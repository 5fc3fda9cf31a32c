"""Symptoms that users report of keys, notebooks and first cells: each kind on stand-ins of our own."""

from __future__ import annotations

import ast
import builtins
import getpass
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import course_lib
from course_lib.classroom import keys, setup
from course_lib.classroom.keys import search
from course_lib.errors import KeyNotFound

ROOT = Path(course_lib.__file__).parent.parent
LESSONS = sorted(
    path for folder in ("notebooks", "solutions") for path in ROOT.glob(f"{folder}/**/[0-9][0-9]_*.ipynb")
)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch, tmp_path):
    """No key in the environment or in a file above; setup() undone afterwards."""
    setup.teardown()
    for name in list(os.environ):
        if name.upper().startswith(("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "COLAB")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    keys.forget_colab()
    yield
    setup.teardown()
    keys.forget_colab()


# Colab that is there in part ------------------------------------------------------------------------


def package(**modules: types.ModuleType | None) -> dict[str, types.ModuleType | None]:
    google = types.ModuleType("google")
    google.__path__ = []  # a namespace, as other Google libraries make it
    return {"google": google, **{f"google.{name}": one for name, one in modules.items()}}


class Shut(types.ModuleType):
    def __getattr__(self, name: str):
        raise OSError("no kernel answers")


@pytest.mark.parametrize(
    "modules",
    [
        package(),
        package(colab=None),
        package(colab=types.ModuleType("google.colab")),
        package(colab=Shut("google.colab")),
    ],
    ids=["a namespace without it", "hidden", "without secrets", "broken"],
)
@pytest.mark.parametrize("claims_to_be_colab", [False, True])
def test_a_colab_that_cannot_be_asked_leaves_the_other_places(
    modules, claims_to_be_colab, monkeypatch, tmp_path
):
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    if claims_to_be_colab:
        monkeypatch.setenv("COLAB_RELEASE_TAG", "release")
    assert search({}, tmp_path).keys == {}
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-test-9\n", encoding="utf-8")
    assert search({}, tmp_path).keys["openai"].value == "sk-test-9"
    course_lib.setup()


# No question in the way -----------------------------------------------------------------------------


class StdinNotImplementedError(RuntimeError):
    """What a kernel without a front end raises."""


@pytest.fixture
def nobody_answers(monkeypatch):
    asked = []

    def ask(*prompt, **more):
        asked.append(prompt)
        raise StdinNotImplementedError("no stdin")

    monkeypatch.setattr(builtins, "input", ask)
    monkeypatch.setattr(getpass, "getpass", ask)
    monkeypatch.setattr(sys, "stdin", None)
    return asked


def test_setup_asks_nothing_and_is_offline_where_there_is_no_key(nobody_answers, capsys):
    course_lib.setup(lesson=1)
    assert "Practice mode" in capsys.readouterr().out and nobody_answers == []


def test_live_mode_without_a_key_says_where_to_put_one_instead_of_asking_for_it(nobody_answers):
    with pytest.raises(KeyNotFound, match="ANTHROPIC_API_KEY"):
        course_lib.setup(live=True)
    assert nobody_answers == []


def code_cells(path: Path) -> dict[str, str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {one["id"]: "".join(one["source"]) for one in cells if one["cell_type"] == "code"}


def without_magics(source: str) -> str:
    return "\n".join(
        line.split("%")[0] + "pass" if line.lstrip().startswith(("%", "!")) else line
        for line in source.split("\n")
    )


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: "/".join(path.parts[-3:]))
def test_no_cell_waits_for_an_answer_of_the_learner(path):
    for cell, source in code_cells(path).items():
        called = [
            node.func for node in ast.walk(ast.parse(without_magics(source))) if isinstance(node, ast.Call)
        ]
        names = {getattr(one, "id", getattr(one, "attr", "")) for one in called}
        assert not names & {"input", "getpass"}, cell


# Files of other platforms ---------------------------------------------------------------------------

ALL_THAT_OPENS_FILES = """
import warnings
warnings.filterwarnings("error", category=EncodingWarning, module="course_lib")  # and all that is in it
import course_lib
from course_lib import SessionStore, practice, shop
from course_lib.providers import history
from course_lib.__main__ import main

course_lib.setup(lesson=1, lang="es")
course_lib.doctor()
course_lib.setup(live=True)
shop.get_messages("week")
with SessionStore("sesión.sqlite") as store:
    store.append("Íñigo", [history.user("¿Qué tal, señor Núñez?")])
course_lib.hint("01.a")
raise SystemExit(main(["lint", "tools.json"]))
"""


def test_no_file_is_read_or_written_in_the_encoding_of_the_platform(tmp_path):
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-test-9 # clave de Íñigo\n", encoding="utf-8")
    definition = {
        "name": "buscar_barco",
        "description": "Busca un barco.",
        "input_schema": {"type": "object"},
    }
    (tmp_path / "tools.json").write_text(json.dumps(definition, ensure_ascii=False), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-c", ALL_THAT_OPENS_FILES],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        encoding="utf-8",
    )
    assert "EncodingWarning" not in done.stderr and done.returncode == 0, done.stderr


# What an install cell prints ------------------------------------------------------------------------


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: "/".join(path.parts[-3:]))
def test_installing_is_quiet_pins_nothing_and_is_followed_by_the_line_that_says_all_is_well(path):
    installs = [source for source in code_cells(path).values() if "pip install" in source]
    assert installs, "the setup cell installs the course where it is not found"
    for source in installs:
        for line in source.splitlines():
            if "pip install" in line:
                assert "%pip install -q" in line and "==" not in line and "--upgrade" not in line
        assert source.partition("pip install")[2].count("course_lib.setup(") == 1
