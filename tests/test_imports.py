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
        "practice_model.server",
        "course_lib.classroom.setup",
        "sqlite3",
    }
    assert modules & heavy == set()


def test_keys_models_and_the_doctor_load_no_sdk():
    code = "import course_lib; course_lib.doctor(); course_lib.models.ANTHROPIC"
    code += "\nfrom course_lib.classroom import keys"
    assert loaded_after(code) & {"anthropic", "openai", "practice_model.server"} == set()


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


def imported(file: Path) -> set[str]:
    """Return the modules that a module imports by their full name, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_the_practice_model_knows_nothing_of_the_course():
    for file in (ROOT / "practice_model").rglob("*.py"):
        assert not [name for name in imported(file) if name.split(".")[0] == "course_lib"], file


def test_only_the_front_door_starts_the_practice_model_and_few_read_its_facts():
    for file in PACKAGE.rglob("*.py"):
        room = file.relative_to(PACKAGE).parts[0]
        practice = {name for name in imported(file) if name.split(".")[0] == "practice_model"}
        if room in ("tools", "linting", "providers", "models.py", "masking.py"):
            practice = {name for name in practice if not name.startswith("practice_model.facts.")}
        assert not practice or room == "classroom", file


def test_facts_import_only_each_other():
    for file in (ROOT / "practice_model" / "facts").rglob("*.py"):
        assert imported(file) <= {"__future__", "collections.abc", "dataclasses", "re", "typing"}, file
