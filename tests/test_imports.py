"""`import course_lib` is light, its names load when used, and the walls between its parts stand."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import course_lib

ROOT = Path(course_lib.__file__).parent.parent
PACKAGE = ROOT / "course_lib"


def loaded_after(code: str) -> set[str]:
    """Return the modules that a fresh Python has after running `code`."""
    program = (
        f"import sys, json; sys.path.insert(0, {str(ROOT)!r})\n{code}\nprint(json.dumps(list(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_loads_nothing_heavy():
    modules = loaded_after("import course_lib")
    heavy = {
        "anthropic",
        "openai",
        "pydantic",
        "httpx2",
        "practice_model",
        "course_lib.classroom.setup",
        "sqlite3",
    }
    assert modules & heavy == set()


def test_keys_models_and_the_doctor_load_no_sdk():
    code = "import course_lib; course_lib.doctor(); course_lib.models.ANTHROPIC"
    code += "\nfrom course_lib.classroom import keys"
    assert loaded_after(code) & {"anthropic", "openai", "practice_model"} == set()


def test_setup_loads_no_sdk():
    assert loaded_after("import course_lib; course_lib.setup()") & {"anthropic", "openai"} == set()


def test_the_doctor_is_a_function_however_it_was_loaded():
    code = "import course_lib.classroom.doctor, course_lib; assert callable(course_lib.doctor)"
    code += "\ncourse_lib.doctor()"
    assert "course_lib.classroom.doctor" in loaded_after(code)


def test_dir_lists_what_a_learner_can_use():
    assert {
        "setup",
        "doctor",
        "exchanges",
        "check",
        "hint",
        "progress",
        "models",
        "show",
        "shop",
        "practice",
    } <= set(dir(course_lib))


def test_an_unknown_name_is_an_attribute_error_that_lists_the_known_ones():
    with pytest.raises(AttributeError, match="no 'setpu'.*setup"):
        course_lib.setpu  # noqa: B018


def test_the_version_is_a_plain_literal_that_packaging_can_read():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("version", course_lib.__version__) == course_lib.__version__


def packages_imported(file: Path) -> set[str]:
    """Return the packages that a module imports by name, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
    return found


def test_the_practice_model_knows_nothing_of_the_course():
    for file in (ROOT / "practice_model").rglob("*.py"):
        assert "course_lib" not in packages_imported(file), file


def test_only_the_front_door_imports_the_practice_model():
    allowed = {"setup.py", "command_line.py", "relay.py"}
    for file in PACKAGE.rglob("*.py"):
        if file.name not in allowed:
            assert "practice_model" not in packages_imported(file), file
