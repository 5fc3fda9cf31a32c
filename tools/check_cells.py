"""What a single cell must not be or contain; check_notebooks.py puts file and cell before each text.

Code is read as a syntax tree where it parses, so that comments and strings are not mistaken for code.
A cell tagged `shows-mistake` may do what the course advises against; its id, setup and length still count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import course_notebooks as course
import nbformat

MAX_LINES = 25
SHOWS_MISTAKE = "shows-mistake"

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HEX = re.compile(r"(?=[a-f0-9-]*\d)[a-f0-9]{7,}(?:-[a-f0-9]+)*")
_MODEL = re.compile(r"\b(?:claude-(?:[a-z]+-)?\d|gpt-\d|gemini-\d|o\d-(?:mini|pro)\b)[\w.-]*")
_PYTHON_FENCE = re.compile(r"^(`{3,}|~{3,})py[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)

_FIRST_OF = {
    "content": "select content blocks by their type: the first may be thinking",
    "tool_calls": "loop over all calls: a turn may hold several, or none",
    "output": "select output items by their type: the first may be reasoning",
}


def check(cell: nbformat.NotebookNode, file_name: str, address: str) -> Iterator[str]:
    """All problems of one cell; `address` is the repository's, for the setup cell."""
    yield from _check_id(cell)
    if cell.cell_type != "code":
        fenced = "\n".join(match[2] for match in _PYTHON_FENCE.finditer(cell.source))
        yield from _model_ids(fenced)
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


def _check_setup(cell: nbformat.NotebookNode, file_name: str, address: str) -> Iterator[str]:
    number = int(file_name[:2]) if file_name[:2].isdigit() else 0
    if cell.source != course.Setup.of(cell.source, number).source(address):
        yield f"not the agreed setup cell of lesson {number:02}; run `make furniture`"


def _check_habits(cell: nbformat.NotebookNode) -> Iterator[str]:
    source = course.python_source(cell)
    try:
        tree = ast.parse(source or "", type_comments=False)
    except SyntaxError as error:
        yield f"line {error.lineno} is not Python ({error.msg}); mend it"
        return
    for node in ast.walk(tree):
        yield from _habits_of(node)
    yield from _model_ids(source if source is not None else cell.source)


def _habits_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 0:
        name = _name(node.value)
        # `output` alone is any variable; as an attribute it is the Responses API's list of items.
        if name in _FIRST_OF and not (name == "output" and isinstance(node.value, ast.Name)):
            yield f"line {node.lineno}: {name}[0]; {_FIRST_OF[name]} (or tag the cell {SHOWS_MISTAKE})"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
        yield f"line {node.lineno}: {node.func.id}(); call functions from a dictionary of the tools you allow"
    elif isinstance(node, ast.ExceptHandler) and node.type is None:
        yield f"line {node.lineno}: bare except; name the exceptions that you can handle"


def _name(node: ast.AST) -> str | None:
    """The last name before the brackets: content in reply.content[0], reply["content"][0] and content[0]."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else None
    return None


def _model_ids(source: str) -> Iterator[str]:
    for model in dict.fromkeys(match[0] for match in _MODEL.finditer(source)):
        instead = "models.ANTHROPIC, models.OPENAI or models.GEMINI"
        yield f"the model id {model!r}, which will be retired one day; write {instead}"
