"""The README's transcript: an excerpt of what really ran, with the gaps shown."""

from __future__ import annotations

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
