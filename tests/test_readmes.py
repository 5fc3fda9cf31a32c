"""The programs that the READMEs show: they run as they stand, on the practice model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from program_runs import practice_mode, run

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT / "course_lib", ROOT / "practice_model"]
READMES = ("README.md", "CONTRIBUTING.md", "course_lib/README.md", "practice_model/README.md")


@pytest.fixture(autouse=True)
def practice(monkeypatch):
    with practice_mode(monkeypatch):
        yield


def programs(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", READMES)
def test_every_program_of_a_readme_runs(name):
    for program in programs(name):
        run(program)


def test_the_agent_of_the_library_s_readme_answers_from_its_tool():
    (program,) = programs("course_lib/README.md")
    ran = run(program)
    assert "21" in ran.names["response"].content and ran.names["response"].stop_reason == "end"


def test_the_programs_of_the_practice_model_s_readme_get_their_answers():
    over_http, in_process = programs("practice_model/README.md")
    assert "Hello!" in run(over_http).printed
    client, request = run(in_process).names["client"], run(over_http).names["request"]
    assert client.messages.create(**request).stop_reason == "end_turn"


def test_the_map_of_the_practice_model_has_every_module():
    text = (ROOT / "practice_model/README.md").read_text(encoding="utf-8")
    rooms = text.partition("## Rooms")[2].partition("Arrows point down")[0]
    named = set(re.findall(r"`(\w+)/?`", rooms))
    modules = {path.stem for path in (ROOT / "practice_model").glob("*/*.py")} - {"__init__"}
    assert modules <= named, modules - named


@pytest.mark.parametrize("name", READMES[2:])
def test_every_file_that_a_map_names_is_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    where = text.partition("## Where")[2].replace("lesson_NN", "lesson_01")
    paths = re.findall(r"`((?:\w+/)*\w+\.(?:py|toml))`", where)
    there = [f"/{path.as_posix()}" for package in PACKAGES for path in package.rglob("*.*")]
    missing = [path for path in paths if not any(one.endswith(f"/{path}") for one in there)]
    assert paths and not missing
