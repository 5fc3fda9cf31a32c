"""Make the student edition: solutions/*.ipynb -> notebooks/*.ipynb.

    python tools/build_student.py            write notebooks/
    python tools/build_student.py --check    only say what is out of date, and fail if anything is

In a code cell, what lies between these two comments is replaced by the stub (`...` if none is named):

    ### BEGIN SOLUTION answer = ...
    answer = 42
    ### END SOLUTION

A cell tagged `solution-only` is left out. Outputs are dropped; ids, tags and order stay. A lesson
that would give a solution away gets no edition: `ex-…-answer` needs its marks, `ex-…-analysis` its tag.
"""

from __future__ import annotations

import copy
import difflib
import re
import sys
from pathlib import Path

import cell_ids
import course_notebooks as course
import nbformat
from course_notebooks import ROOT, ToolError, label

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
ONLY_IN_SOLUTION = "solution-only"
_ANSWER = re.compile(r"ex-.+-answer")
_ANALYSIS = re.compile(r"ex-.+-analysis")
_GIVES_AWAY = f"students would get the solution; put it between {BEGIN} answer = ... and {END}"
_MARK = re.compile(rf"(?:{BEGIN}|{END})(?=\s|$)")
# Index and glossary lie beside the student edition, also where somebody works on a copy of its folder.
_PAGE = re.compile(r"\]\((?:\.\./)+notebooks/(?:\w+/)?(?=(?:index|glossary)\.ipynb\))")


def open_exercises(source: str) -> str:
    """Replace each solution by its stub; raise ValueError for markers that do not match."""
    kept: list[str] = []
    begun = 0
    for number, line in enumerate(source.split("\n"), start=1):
        words = line.strip()
        if meant := _misspelt(words):
            raise ValueError(f"line {number}: {words[:40]!r} marks nothing; did you mean {meant}?")
        if words.startswith(BEGIN):
            if begun:
                raise ValueError(
                    f"line {number}: {BEGIN} inside the one of line {begun}; close that with {END}"
                )
            begun = number
            stub = words.removeprefix(BEGIN).strip() or "..."
            kept.append(line[: len(line) - len(line.lstrip())] + stub)
        elif words.startswith(END):
            if not begun:
                raise ValueError(f"line {number}: {END} without {BEGIN}; write both, or none")
            begun = 0
        elif not begun:
            kept.append(line)
    if begun:
        raise ValueError(f"line {begun}: {BEGIN} is never closed; write {END} on a line of its own after it")
    return "\n".join(kept)


def _without_marks(source: str) -> str:
    return "\n".join(line for line in source.split("\n") if not line.strip().startswith((BEGIN, END)))


def _misspelt(line: str) -> str | None:
    """Return the mark that a comment is nearly, or None: ### BEGIN SOLUTON, ## End solution."""
    if not line.startswith("#") or _MARK.match(line):
        return None
    start = " ".join(line.lstrip("#").upper().split()[:2])
    near = difflib.get_close_matches(start, ["BEGIN SOLUTION", "END SOLUTION"], 1, 0.85)
    return f"### {near[0]}" if near else None


def student_edition(solution: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    """The student edition of a notebook; `name` is for messages. Raises one ToolError for all problems."""
    student = copy.deepcopy(solution)
    student.cells = [c for c in student.cells if ONLY_IN_SOLUTION not in c.metadata.get("tags", [])]
    problems = []
    for cell in student.cells:
        where = f"{name}#{cell.get('id', 'no-id')}"
        if _ANALYSIS.fullmatch(cell.get("id", "")):
            problems.append(f"{where}: an analysis gives the solution away; tag the cell {ONLY_IN_SOLUTION}")
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            try:
                opened = open_exercises(cell.source)
            except ValueError as error:
                problems.append(f"{where}: {error}")
                continue
            if _ANSWER.fullmatch(cell.get("id", "")) and opened == _without_marks(cell.source):
                problems.append(f"{where}: {_GIVES_AWAY}")
            cell.source = opened
        elif cell.get("id") in course.LINES:
            cell.source = _PAGE.sub("](", cell.source)
        elif any(line.strip().startswith((BEGIN, END)) for line in cell.source.split("\n")):
            problems.append(f"{where}: markers work in code cells only; tag the cell {ONLY_IN_SOLUTION}")
    if problems:
        raise ToolError("\n".join(problems))
    return student


def build(root: Path = ROOT, check: bool = False) -> list[str]:
    """Write the student edition under `root`; with `check` only return one line per file not current."""
    problems, targets = [], set()
    for path in course.sources(root):
        target = root / "notebooks" / path.relative_to(root / "solutions")
        targets.add(target)
        try:
            edition = student_edition(course.read(path), label(path, root))
        except ToolError as error:
            problems.append(str(error))
            continue
        if not check:
            course.save(target, course.text(edition), root)
        elif problem := _stale(target, edition, cell_ids.renamed(path, root)):
            problems.append(f"{label(target, root)}: {problem}; run `make notebooks`")
    for path in course.sources(root, "notebooks"):
        if path not in targets:
            source = label(root / "solutions" / path.relative_to(root / "notebooks"), root)
            problems.append(f"{label(path, root)}: has no source; remove it, or write {source}")
    return problems


def _stale(target: Path, edition: nbformat.NotebookNode, renamed: dict[str, str]) -> str | None:
    """Why the file is not the edition, naming the first cell that differs; None if it is.

    Ids that were `renamed` by mistake (new -> old) are told by cell_ids.py, and once is enough.
    """
    edition = copy.deepcopy(edition)
    for cell in edition.cells:
        cell["id"] = renamed.get(cell.get("id"), cell.get("id"))
    if not target.exists():
        return "missing"
    if target.read_bytes() == course.text(edition).encode("utf-8"):
        return None
    try:
        have = {cell.get("id"): cell for cell in course.read(target).cells}
    except ToolError:
        return "out of date (not a readable notebook)"
    want = {cell.get("id"): cell for cell in edition.cells}
    for cell_id in [*want, *have]:
        if have.get(cell_id) != want.get(cell_id):
            return f"out of date (first difference: cell {cell_id})"
    return "out of date (order of cells, metadata or serialisation)"


if __name__ == "__main__":
    sys.exit(course.write_or_check(__doc__, build))
