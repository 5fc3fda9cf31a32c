"""The README's transcript: an excerpt of what really ran, with the gaps shown."""

from __future__ import annotations

import sys

import pytest
import transcript
from course_notebooks import ToolError

OUTPUT = "# 01 Title\n\n[setup]\n  | a\nA\n\n## Part\n\n[other]\n  | b\n\n[ask]\n  | c\n[{'not': 'a cell'}]\n"


def test_the_chosen_cells_are_shown_and_gaps_marked(monkeypatch):
    monkeypatch.setattr(transcript, "SHOWN", ["setup", "ask"])
    shown = [
        "# 01 Title",
        "",
        "[setup]",
        "  | a",
        "A",
        "",
        "[…]",
        "",
        "[ask]",
        "  | c",
        "[{'not': 'a cell'}]",
    ]
    assert transcript.excerpt(OUTPUT) == shown


def test_a_cell_that_is_gone_is_named(monkeypatch):
    monkeypatch.setattr(transcript, "SHOWN", ["setup", "gone"])
    with pytest.raises(ToolError, match=r"no cell \[gone\]"):
        transcript.excerpt(OUTPUT)


def test_a_long_line_is_cut(monkeypatch):
    monkeypatch.setattr(transcript, "SHOWN", [])
    (line,) = transcript.excerpt("# " + "x" * 200)
    assert len(line) == transcript.WIDTH and line.endswith(" …")


def run(monkeypatch, script: str) -> str:
    monkeypatch.setattr(transcript, "COMMAND", [sys.executable, "-c", script])
    return transcript.output()


def test_what_an_authors_shell_says_does_not_reach_the_transcript(monkeypatch):
    monkeypatch.setenv("COURSE_ANTHROPIC_MODEL", "mine")
    assert run(monkeypatch, "import os; print(os.environ.get('COURSE_ANTHROPIC_MODEL'))") == "None\n"


def test_a_swallowed_attempt_to_leave_this_machine_is_told(monkeypatch):
    script = "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError: pass"
    with pytest.raises(ToolError, match=r"tried to leave this machine: .*'192\.0\.2\.1'"):
        run(monkeypatch, script)


def test_a_run_that_fails_is_told_with_its_last_line(monkeypatch):
    with pytest.raises(ToolError, match="failed with 1: ZeroDivisionError"):
        run(monkeypatch, "1 / 0")
