"""python -m course_lib lint FILE."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lint_bad import anthropic, gemini
from lint_good import GOOD

import course_lib
from course_lib.__main__ import main

ROOT = Path(course_lib.__file__).parent.parent
BAD = anthropic(schema={"required": None})


def write(path: Path, content: object) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "content",
    [BAD, [BAD], {"model": "m", "tools": [BAD]}, {"function_declarations": [gemini(schema={"required": 1})]}],
    ids=["one", "a list", "a request", "declarations"],
)
def test_an_error_gives_the_exit_code_1(content, tmp_path, capsys):
    assert main(["lint", write(tmp_path / "tools.json", content)]) == 1
    assert "[required-not-a-list]" in capsys.readouterr().out


def test_without_an_error_it_is_0(tmp_path, capsys):
    assert main(["lint", write(tmp_path / "tools.json", GOOD[1])]) == 0
    assert capsys.readouterr().out == "Nothing to mend was found.\n"
    assert main(["lint", write(tmp_path / "hint.json", GOOD[0])]) == 0
    assert "[description-without-when]" in capsys.readouterr().out


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(BAD).encode("utf-8")), encoding="utf-8")
    )
    assert main(["lint", "-"]) == 1


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path, capsys):
    (tmp_path / "tools.json").write_text(json.dumps(GOOD[1]), encoding="utf-8-sig")
    assert main(["lint", str(tmp_path / "tools.json")]) == 0


@pytest.mark.parametrize(
    "content, expected",
    [
        ('{"name": "x",\n  "description" "y"}', "line 2, column 17"),
        ("", "line 1, column 1"),
        ("[" * 100_000, "nested too deeply"),
        ("\ud800".encode("utf-16", "surrogatepass"), "UTF-8"),
        (None, "There is no file"),
    ],
    ids=["broken", "empty", "deep", "not utf-8", "missing"],
)
def test_a_file_that_cannot_be_read_gets_a_sentence(content, expected, tmp_path, capsys):
    path = tmp_path / "tools.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    assert main(["lint", str(path)]) == 2
    said = capsys.readouterr()
    assert expected in said.err and "Traceback" not in said.err and not said.out


@pytest.mark.parametrize(("path", "expected"), [("", "No file was named"), ("lesson.ipynb", "is a notebook")])
def test_what_is_no_definition_file_gets_a_sentence(path, expected, capsys):
    assert main(["lint", path]) == 2
    said = capsys.readouterr().err
    assert expected in said and "Traceback" not in said


@pytest.mark.parametrize(
    "program",
    [
        "TOOLS = {{'first': {0}}}",
        "TOOLS = [{0}]",
        "TOOL = {0}",
        "REQUEST = {{'model': 'm', 'tools': [{0}]}}",
        "from course_lib import tool\ndef process_data(x): ...\nTOOLS = {{'a': tool(process_data)}}",
    ],
)
def test_definitions_are_found_wherever_a_program_keeps_them(program, tmp_path, capsys):
    definition = {"name": "process_data", "input_schema": {"type": "object", "properties": {}}}
    main(["lint", write(tmp_path / "tools.py", program.format(definition))])
    assert "[name-says-nothing]" in capsys.readouterr().out


def test_a_schema_is_not_searched_for_definitions(tmp_path, capsys):
    schema = "SCHEMA = {'type': 'object', 'properties': {'function': {'parameters': {}}}}"
    assert main(["lint", write(tmp_path / "tools.py", schema)]) == 2
    assert "No tools were found" in capsys.readouterr().err


def test_a_folder_gets_a_sentence_too(tmp_path, capsys):
    assert main(["lint", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err


# Python files -------------------------------------------------------------------------------------

PROGRAM = '''
from course_lib import tool
from neighbour import ABOUT

print("loading")

@tool
def find_order(number):
    """Find an order by its number. Use it when the user gives one."""

DEFINITIONS = [{"name": "tool_1", "description": ABOUT, "input_schema": {"type": "object", "properties": {}}}]

if __name__ == "__main__":
    raise SystemExit("this is not the main program")
'''


def test_the_tools_of_a_python_file(tmp_path, capsys):
    write(tmp_path / "neighbour.py", "ABOUT = 'Says hello. Use it when the user does. Returns a greeting.'")
    path = write(tmp_path / "tools.py", PROGRAM)
    before = list(sys.path)
    assert main(["lint", path]) == 0
    said = capsys.readouterr()
    assert "[untyped-parameter]" in said.out and "[name-says-nothing]" in said.out
    assert "loading" in said.err and "loading" not in said.out
    assert sys.path == before


@pytest.mark.parametrize(
    "program, expected",
    [
        ("1 / 0", "ZeroDivisionError"),
        ("def broken(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("x = 1", "No tools were found"),
    ],
)
def test_a_python_file_that_fails_or_has_no_tools(program, expected, tmp_path, capsys):
    assert main(["lint", write(tmp_path / "tools.py", program)]) == 2
    said = capsys.readouterr().err
    assert expected in said and "Traceback" not in said


def test_the_help_says_that_a_python_file_is_executed(capsys):
    with pytest.raises(SystemExit):
        main(["lint", "--help"])
    assert "EXECUTED" in capsys.readouterr().out


def test_from_a_shell(tmp_path):
    path = write(tmp_path / "tools.json", BAD)
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-m", "course_lib", "lint", path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        encoding="ascii",
    )
    assert done.returncode == 1
    assert "input_schema.required" in done.stdout and done.stderr == ""
