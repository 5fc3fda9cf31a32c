"""What a single cell must not be or contain; check_notebooks.py puts file and cell before each text.

What code must not do is in check_habits.py, what an API key looks like in find_keys.py.
A cell tagged `shows-mistake` may do what the course advises against; its id, setup and length still count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import course_notebooks as course
import nbformat
from check_habits import habits, model_ids
from find_keys import find_keys, texts

MAX_LINES = 25
# What JupyterLab shows beside its file browser on a screen 1280 pixels wide; a longer line wraps.
MAX_COLUMNS = 70
SHOWS_MISTAKE = "shows-mistake"

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HEX = re.compile(r"(?=[a-f0-9-]*\d)[a-f0-9]{7,}(?:-[a-f0-9]+)*")


# One exercise has one number: in its cells' ids, in its text, and in every check() and hint() of it.
_EXERCISE = re.compile(r"ex-(\d\d)-([a-z])(-.+)?")
_EXERCISE_NUMBER = re.compile(r"\s*\*\*(\d+\s?\.\s?\w+)[.:]?\*\*")
# In code and in prose; what is looked up by a variable is nobody's business here.
_CALL = re.compile(r"\b(check|hint)\(\s*([\"'])(.*?)\2")


def check(cell: nbformat.NotebookNode, file_name: str, address: str) -> Iterator[str]:
    """All problems of one cell; `address` is the repository's, for the setup cell."""
    yield from _check_id(cell)
    yield from _check_keys(cell)
    yield from _check_exercise(cell, file_name)
    if cell.cell_type != "code":
        yield from _check_markdown(cell.source)
        return
    lines = [line for line in cell.source.split("\n") if line.strip() and not line.strip().startswith("#")]
    if not lines:
        yield "a code cell without code; remove it, or make it Markdown"
    if cell.get("id") == "setup":
        yield from _check_setup(cell, file_name, address)
        return
    if len(lines) > MAX_LINES:
        yield f"{len(lines)} lines of code; the limit is {MAX_LINES}: split it, or move code to course_lib"
    if SHOWS_MISTAKE not in cell.metadata.get("tags", []):
        yield from _check_habits(cell)


def _check_id(cell: nbformat.NotebookNode) -> Iterator[str]:
    cell_id = cell.get("id")
    if cell_id is None:
        yield f"no cell id ({cell.source[:30]!r} …); give it one that says what the cell does, like run-loop"
    elif not _WORD.fullmatch(cell_id) or len(cell_id) > 64:
        yield "the id is not lower-case words and digits joined by hyphens, 64 characters at most; rename it"
    elif _HEX.fullmatch(cell_id) or cell_id.isdigit():
        yield "the id says nothing; rename it for what the cell does, like run-loop or ex-01-a-check"


def _check_exercise(cell: nbformat.NotebookNode, file_name: str) -> Iterator[str]:
    """The places that name another exercise than the cell's id does.

    The text of exercise 01.b is the cell ex-01-b, which begins with **01.b**; its other cells are
    ex-01-b-answer, ex-01-b-check and so on. That a solution is marked, and an analysis tagged, is looked at
    by build_student.py.
    """
    found = _EXERCISE.fullmatch(cell.get("id") or "")
    if not found:
        return
    id, rest = f"{found[1]}.{found[2]}", found[3]
    if file_name[:2] != found[1]:
        yield f"an exercise of lesson {found[1]} in another; write {file_name[:2]} in its id, text and check"
    if cell.cell_type == "markdown" and not rest:
        number = _EXERCISE_NUMBER.match(cell.source)
        if not number:
            yield f"the text of an exercise begins with its number; write **{id}**"
        elif number[1] != id:
            yield f"its text says **{number[1]}** and its cell id {id}; write the same in id, text and check"
    for function, _, named in _CALL.findall(cell.source):
        if named != id:
            yield f'{function}("{named}" …) in a cell of exercise {id}; write the same in id, text and check'


def _check_setup(cell: nbformat.NotebookNode, file_name: str, address: str) -> Iterator[str]:
    number = course.number(file_name)
    if cell.source != course.Setup.of(cell.source, number).source(address):
        yield f"not the agreed setup cell of lesson {number:02}; run `make furniture`"


def _check_habits(cell: nbformat.NotebookNode) -> Iterator[str]:
    source = course.python_source(cell)
    if source is None:  # another language: there is no tree to read
        yield from model_ids(cell.source)
        return
    try:
        yield from habits(source)
    except SyntaxError as error:
        yield f"line {error.lineno} is not Python ({error.msg}); mend it"


def _check_markdown(source: str) -> Iterator[str]:
    for fence in course.FENCE.finditer(source):
        language, lines = fence["language"].strip(), fence["lines"]
        if language.startswith("py"):
            yield from model_ids(lines, _tree(lines))
        widest = max(map(len, lines.split("\n")))
        if widest > MAX_COLUMNS:
            yield (
                f"a fenced block of {widest} columns ({lines.strip().splitlines()[0].strip()[:30]!r} …); "
                f"a small window shows {MAX_COLUMNS}: make it narrower"
            )


def _tree(source: str) -> ast.AST | None:
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def _check_keys(cell: nbformat.NotebookNode) -> Iterator[str]:
    parts = [("", [cell.source]), ("its output, ", texts(cell.get("outputs", [])))]
    parts.append(("its metadata or attachments, ", texts([cell.metadata, cell.get("attachments", {})])))
    for where, found in parts:
        for line, owner in (key for text in found for key in find_keys(text)):
            yield f"{where}line {line} holds {looks_like_a_key(owner)}"


def looks_like_a_key(owner: str) -> str:
    """What is said of something that looks like a key; `owner` may be unknown, ""."""
    what = f"an API key ({owner})" if owner else "an API key or another secret"
    return (
        f"what looks like {what}; take it out, and revoke it: what was in a file once may be known to others"
    )
