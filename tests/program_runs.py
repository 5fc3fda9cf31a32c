"""Running a program as a learner pasted it: its text, in a namespace of its own, on the practice model."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import course_lib
from course_lib.classroom import setup


class Ran(NamedTuple):
    """What a program left behind."""

    names: dict[str, Any]
    printed: str


def run(program: str, **names: Any) -> Ran:
    """Execute a program that finds these names there, as if earlier cells had made them."""
    module = types.ModuleType("pasted_program")
    module.__dict__.update(names)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "<pasted program>", "exec", dont_inherit=True), module.__dict__)
    return Ran(module.__dict__, printed.getvalue())


@contextlib.contextmanager
def practice_mode(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`setup()` as in the first cell, without what the shell says about providers; undone at the end."""
    for name in list(os.environ):
        if name.upper().startswith(("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "LANG")):
            monkeypatch.delenv(name)
    with contextlib.redirect_stdout(io.StringIO()):
        course_lib.setup()
    yield
    setup.teardown()


def colab_secrets(monkeypatch: pytest.MonkeyPatch, **secrets: str) -> None:
    """Colab's `userdata`, which knows these secrets."""
    package, userdata = types.ModuleType("google.colab"), types.ModuleType("google.colab.userdata")
    userdata.get = secrets.__getitem__
    package.userdata = userdata
    monkeypatch.setitem(sys.modules, "google.colab", package)
    monkeypatch.setitem(sys.modules, "google.colab.userdata", userdata)
