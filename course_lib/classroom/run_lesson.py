"""A runner of notebooks in the terminal: cell by cell, with a readable transcript of what happens.

No Jupyter is needed. Cells share one namespace, the value of a cell's last expression is shown, and
`await` works at the top level. Lines for IPython (%pip, !ls) are left out. Not meant: widgets,
pictures, cell magics.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import linecache
import os
import re
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from practice_model.__main__ import main_module, print_error

from ..errors import CourseError
from ..messages import localized

_VALUE = "_value_of_the_last_line"


class LessonNotFound(CourseError):
    """There is no such lesson, or its file cannot be read."""


# Find the notebook ------------------------------------------------------------------------------------


def find_notebook(lesson: str, folder: Path | None = None) -> Path:
    """Return the notebook of a lesson: "1", "01", "01_one_tool_call", or a path.

    The solved edition comes first: it is the one that runs from start to end.
    """
    folder = folder or Path.cwd()
    given = Path(lesson)
    if given.suffix == ".ipynb" or given.is_file():
        path = folder / given
        if not path.is_file():
            raise LessonNotFound(localized("cli.no_notebook", path=lesson))
        return path
    notebooks = _lessons(folder)
    if not notebooks:
        raise LessonNotFound(localized("cli.no_lessons"))
    wanted = f"{int(lesson):02d}" if re.fullmatch("[0-9]{1,2}", lesson) else lesson
    for name, path in notebooks.items():
        if wanted in (name, name.partition("_")[0]):
            return path
    raise LessonNotFound(localized("cli.unknown_lesson", lesson=lesson, known=", ".join(notebooks)))


def _lessons(folder: Path) -> dict[str, Path]:
    """Return the lessons of the course around `folder`, else of the one that this package is in."""
    beside_package = Path(__file__).resolve().parents[2]
    for root in (folder, *folder.parents, beside_package):
        found = {}
        for edition in ("notebooks", "solutions"):
            for path in (root / edition).glob("[0-9][0-9]_*.ipynb"):
                found[path.stem] = path
        if found:
            return dict(sorted(found.items()))
    return {}


def read_notebook(path: Path) -> list[dict]:
    """Return the cells of a notebook, with their source as one text each."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            cell["source"] = "".join(cell["source"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = type(error).__name__
        raise LessonNotFound(localized("cli.not_a_notebook", path=path, reason=reason)) from error
    return cells


# Run it -----------------------------------------------------------------------------------------------


def run_notebook(path: Path) -> str | None:
    """Execute a notebook and print its transcript; return the id of the cell that failed, or None.

    It runs in the notebook's own folder, as in Jupyter. Where nobody reads the transcript any more, as after
    `… | head`, it stops without a word.
    """
    try:
        return _run_cells(read_notebook(path), path.parent)
    except BrokenPipeError:
        discard_output()
        return None


def _run_cells(cells: list[dict], folder: Path) -> str | None:
    with main_module() as module, _inside(folder), asyncio.Runner() as runner:
        module.__dict__["display"] = _display
        # As in IPython: what runs. By it a check tells the solved edition from a learner's answers.
        module.__dict__["In"] = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        for number, cell in enumerate(cells):
            cell_id = cell.get("id") or str(number)
            if cell["cell_type"] == "markdown":
                for heading in re.findall(r"^#+ .*$", _without_fences(cell["source"]), flags=re.M):
                    print(f"\n{heading}")
            elif cell["cell_type"] == "code" and cell["source"].strip():
                print(f"\n[{cell_id}]")
                print(_shown(cell_id, cell["source"]), flush=True)
                if not _run_cell(cell, cell_id, module, runner):
                    return cell_id
    return None


def _run_cell(cell: dict, cell_id: str, module: types.ModuleType, runner: asyncio.Runner) -> bool:
    """Execute one code cell; return False if it failed and should not have."""
    filename = f"<{cell_id}>"
    source = _without_magics(cell["source"])
    # For tracebacks, and for inspect.getsource on what the cell defines.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        value = _execute(source, filename, module, runner)
        if value is not None:
            _display(value)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a cell raises is shown, as in Jupyter
        if isinstance(error, SystemExit) and not error.code:
            return True
        if isinstance(error, BrokenPipeError):
            print(flush=True)  # raises again if the broken pipe is ours, and not one that the cell has opened
        expected = "raises-exception" in cell.get("metadata", {}).get("tags", ())
        print_error(error, filename)
        if expected:
            print(localized("cli.cell_expected"))
        return expected
    finally:
        sys.stdout.flush()
    return True


def _execute(source: str, filename: str, module: types.ModuleType, runner: asyncio.Runner) -> object:
    """Execute a cell's code in the module and return the value of its last expression."""
    tree = ast.parse(source, filename)
    last = tree.body[-1] if tree.body else None
    silent = source.rstrip().endswith(";")
    if isinstance(last, ast.Expr) and not silent:
        keep = ast.Assign([ast.Name(_VALUE, ast.Store())], last.value)
        tree.body[-1] = ast.fix_missing_locations(ast.copy_location(keep, last))
    # In one piece, so that a cell with `await` in it runs inside the event loop as a whole.
    code = compile(tree, filename, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    done = eval(code, module.__dict__)  # noqa: S307 - it runs the cells of a notebook: that is its purpose
    if inspect.iscoroutine(done):
        runner.run(done)
    return module.__dict__.pop(_VALUE, None)


def discard_output() -> None:
    """Send what is still to be written nowhere: Python flushes at its end, and would complain then."""
    with suppress(OSError, ValueError):  # a stream without a file, as in a test, has nothing to redirect
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _display(*values: object) -> None:
    for value in values:
        print(repr(value))


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before, path = Path.cwd(), list(sys.path)
    os.chdir(folder)
    sys.path.insert(0, str(Path.cwd()))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path


# Show a cell ------------------------------------------------------------------------------------------


def _shown(cell_id: str, source: str) -> str:
    """Return a cell's code for the transcript, without the marks of a solution.

    Of the setup cell only the call is shown that this lesson makes.
    """
    lines = [line for line in source.splitlines() if not re.match(r"\s*### (?:BEGIN|END) SOLUTION", line)]
    if cell_id == "setup":
        lines = [line for line in lines if line.startswith("course_lib.")] or lines
    return "\n".join(f"  | {line}".rstrip() for line in lines)


def _without_magics(source: str) -> str:
    """Return a cell without what only IPython understands; line numbers stay the same."""
    try:
        ast.parse(source)
        return source  # it is Python: a line that starts with % belongs to a text or a sum
    except SyntaxError:
        pass
    if source.lstrip().startswith("%%"):
        return ""
    return re.sub(r"^([ \t]*)[%!](?=[A-Za-z]).*$", r"\1pass", source, flags=re.M)


def _without_fences(markdown: str) -> str:
    """Return Markdown without its code blocks, where # starts a comment and no heading."""
    return re.sub(r"^(```|~~~).*?^\1", "", markdown, flags=re.M | re.S)
