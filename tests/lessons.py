"""Run a lesson's cells in this process, say which requests each made, and judge its exercises."""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from course_lib import check, shop
from course_lib.classroom import setup
from course_lib.classroom.checks import NOT_YET, PASSED, TO_DO
from course_lib.messages import texts
from practice_model import Exchange

SOLUTIONS = Path(__file__).resolve().parents[1] / "solutions"


def cells(lesson: str) -> list[SimpleNamespace]:
    """The cells of a solution: id, kind ("code", "markdown") and source."""
    (path,) = SOLUTIONS.glob(f"{lesson}_*.ipynb")
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        SimpleNamespace(id=cell["id"], kind=cell["cell_type"], source="".join(cell["source"]))
        for cell in found
    ]


def without_magics(source: str) -> str:
    """A cell without lines such as `%pip install`, which only IPython understands."""
    return re.sub(r"^(\s*)%.*$", r"\1pass", source, flags=re.MULTILINE)


def run(lesson: str, until: str = "") -> tuple[dict[str, Any], dict[str, list[Exchange]]]:
    """Execute a lesson up to and with the cell `until`: its names, and cell id -> exchanges made there."""
    names: dict[str, Any] = {"__name__": "lesson"}
    made: dict[str, list[Exchange]] = {}
    for cell in cells(lesson):
        if cell.kind == "code":
            before = len(setup.exchanges()) if made else 0
            exec(compile(without_magics(cell.source), f"<{cell.id}>", "exec", dont_inherit=True), names)  # noqa: S102 - a lesson of ours
            made[cell.id] = setup.exchanges()[before:]
        if cell.id == until:
            break
    return names, made


def executed(lesson: str, until: str) -> Iterator[tuple[Any, ...]]:
    """For a fixture, with `yield from`: what `run` gives, and all that the cells print; in a fresh shop."""
    shop.reset()
    with redirect_stdout(io.StringIO()) as printed:
        found = run(lesson, until)
    yield *found, printed.getvalue()
    setup.teardown()
    shop.reset()


def calls(exchanges: list[Exchange]) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments of each call that Anthropic's model asked for."""
    return [
        (block["name"], block["input"])
        for exchange in exchanges
        if exchange.status == 200
        for block in blocks(exchange.response, "tool_use")
    ]


def blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The blocks of one kind in a request's message or in a response."""
    content = message["content"]
    return [] if isinstance(content, str) else [block for block in content if block["type"] == kind]


def solution(lesson: str, cell_id: str, **names: Any) -> dict[str, Any]:
    """The names that a solution's cell defines."""
    (source,) = (cell.source for cell in cells(lesson) if cell.id == cell_id)
    names = {"json": json, **names}
    exec(compile(source, f"<{cell_id}>", "exec", dont_inherit=True), names)  # noqa: S102 - a lesson of ours
    return names


def changed(original: dict[str, Any], path: str, value: Any, separator: str = ".") -> dict[str, Any]:
    """A copy with another value at a path; `...` takes the place out."""
    found = place = copy.deepcopy(original)
    *steps, last = path.split(separator)
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return found


def judge(exercise: str, answer: Any, mutants: dict[str, Any]) -> None:
    """Assert that stub, solution and mutants get what they deserve, and no two mutants the same."""
    assert check(exercise, ...).state == TO_DO
    right = check(exercise, answer)
    assert right.state == PASSED, right
    messages = {}
    for name, mutant in mutants.items():
        result = check(exercise, mutant)
        assert result.state == NOT_YET, f"{name} was not caught"
        assert "Traceback" not in repr(result) and "[" + exercise not in repr(result)
        messages[name] = repr(result)
    twice = [name for name, message in messages.items() if list(messages.values()).count(message) > 1]
    assert not twice, {name: messages[name] for name in twice}


def judge_last_hint(exercise: str, lang: str) -> None:
    """Assert that the third hint is a sentence and, below it, code that Python reads."""
    said, *code = texts(lang)[f"hints.{exercise}.3"].format().splitlines()
    assert said.endswith(":") and all(line.startswith("    ") or not line for line in code)
    compile("\n".join(["def answer():", *code]), exercise, "exec")


class Hostile:
    """An answer that can be neither shown nor compared."""

    def __repr__(self) -> str:
        raise RuntimeError("no description")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = object.__hash__


def leaves(*_: Any) -> None:
    """An answer that ends the program."""
    raise SystemExit(1)


HOSTILE = [
    3,
    "text",
    [],
    Hostile(),
    Hostile,
    lambda: 1,
    lambda *_: Hostile(),
    lambda *_: 1 / 0,
    leaves,
]
"""Answers to any exercise that must get a message, and no trace."""
