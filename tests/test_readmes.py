"""The programs that the READMEs show: they run as they stand, on the practice model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from program_runs import practice_mode, run

ROOT = Path(__file__).parents[1]
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
