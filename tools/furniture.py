"""Rewrite what repeats an address or another file: furniture cells, setup cells, and blocks of the README.

    python tools/furniture.py            rewrite solutions/ and README.md
    python tools/furniture.py --check    only say what is out of date, and fail if anything is

The repository's address comes from [project.urls] in pyproject.toml, titles and goals from the notebooks.
In the README, a block lies between <!-- name --> and <!-- /name -->; the transcript has a tool of its own.
Afterwards run tools/build_student.py, which carries the cells to notebooks/ (`make furniture` does both).
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import course_notebooks as course
import nbformat
from course_notebooks import ROOT, Setup, ToolError, label


def furniture_cell(path: Path, neighbours: list[Path], address: str, root: Path = ROOT) -> str:
    """The line with badge, previous and next lesson. `neighbours` are the notebooks of the same folder."""
    place = neighbours.index(path)
    parts = [course.colab_badge(address, _student(path, root))]
    if place > 0:
        parts.append(f"[← {_number_and_title(neighbours[place - 1])}]({neighbours[place - 1].name})")
    if place + 1 < len(neighbours):
        parts.append(f"[{_number_and_title(neighbours[place + 1])} →]({neighbours[place + 1].name})")
    return " · ".join(parts)


def notebook_changes(root: Path = ROOT) -> dict[Path, dict[str, str]]:
    """For each solution what its generated cells should be: path -> {cell id -> source}."""
    address = course.repository(root)
    paths = course.sources(root)
    wanted = {}
    for path in paths:
        neighbours = [other for other in paths if other.parent == path.parent]
        notebook = course.read(path)
        setup = next((cell.source for cell in notebook.cells if cell.get("id") == "setup"), "")
        number = int(path.name[:2]) if path.name[:2].isdigit() else 0
        wanted[path] = {
            "furniture": furniture_cell(path, neighbours, address, root),
            "setup": Setup.of(setup, number).source(address),
        }
    return wanted


def readme_blocks(root: Path = ROOT) -> dict[str, str]:
    """The generated blocks of the README: name -> text."""
    address = course.repository(root)
    lessons = [path for path in course.sources(root) if path.parent == root / "solutions"]
    badges = f"[![CI]({address}/actions/workflows/ci.yml/badge.svg)]({address}/actions/workflows/ci.yml)"
    if lessons:
        badges += " " + course.colab_badge(address, _student(lessons[0], root))
    folder = address.rsplit("/", 1)[1]
    return {
        "badges": badges,
        "clone": f"```sh\ngit clone {address} && cd {folder}\nmake run\nmake lab\n```",
        "clone-windows": (
            f"```bat\ngit clone {address}\ncd {folder}\npy -3 -m venv .venv\n"
            ".venv\\Scripts\\python -m pip install -r requirements.txt\n"
            ".venv\\Scripts\\python -m pip install --no-deps --no-build-isolation -e .\n"
            ".venv\\Scripts\\python -m course_lib run 01\n"
            ".venv\\Scripts\\python -m jupyterlab\n```"
        ),
        "lessons": _lesson_table(lessons, address, root),
    }


def fill(text: str, name: str, block: str) -> str:
    """Replace what lies between the markers of `name`; raise ToolError where the markers are missing."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ToolError(f"README.md: the block {name!r} needs {begin} and, after it, {end}; restore both")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{block}\n{end}{rest.split(end)[1]}"


def apply(root: Path = ROOT, check: bool = False) -> list[str]:
    """Rewrite everything under `root`, or with `check` return one line per place that is out of date."""
    problems = []
    for path, cells in notebook_changes(root).items():
        notebook = course.read(path)
        for cell in notebook.cells:
            wanted = cells.get(cell.get("id"))
            if wanted is None or cell.source == wanted:
                continue
            problems.append(f"{label(path, root)}#{cell.id}: out of date; run `make furniture`")
            cell.source = wanted
        if not check and course.write(path, notebook):
            print(f"written: {label(path, root)}")
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, block in readme_blocks(root).items():
        filled = fill(text, name, block)
        if filled != text:
            problems.append(f"README.md: the block {name!r} is out of date; run `make furniture`")
        text = filled
    if not check and course.write_text(readme, text):
        print("written: README.md")
    return problems if check else []


def _lesson_table(lessons: list[Path], address: str, root: Path) -> str:
    rows = ["| | Lesson | You can then | Minutes | |", "|---|---|---|---|---|"]
    for path in lessons:
        student = _student(path, root)
        notebook = course.read(path)
        rows.append(
            f"| {path.name[:2]} | [{course.title(notebook)}]({student}) ([solved]({label(path, root)})) "
            f"| {_goals(notebook)} | {_minutes(notebook)} | {course.colab_badge(address, student)} |"
        )
    return "\n".join(rows)


def _goals(notebook: nbformat.NotebookNode) -> str:
    """The goals that the lesson lists first, in one line: the first list after the words "able to"."""
    for cell in notebook.cells[:4]:
        match = re.search(r"able to[^\n]*\n\s*((?:(?:[-*]|\d\.) .+\n?(?:  .+\n?)*)+)", cell.source)
        if match:
            items = re.split(r"^\s*(?:[-*]|\d\.) ", match[1], flags=re.MULTILINE)[1:]
            goals = [" ".join(item.split()).rstrip(".;,").replace("|", "\\|") for item in items]
            return "; ".join(goals)
    return ""


def _minutes(notebook: nbformat.NotebookNode) -> str:
    for cell in notebook.cells[:4]:
        if match := re.search(r"(\d+(?: ?(?:-|–|to) ?\d+)?) min", cell.source):
            return match[1]
    return ""


def _student(path: Path, root: Path) -> str:
    """Where the student edition of a solution lies, relative to the repository."""
    return label(root / "notebooks" / path.relative_to(root / "solutions"), root)


def _number_and_title(path: Path) -> str:
    return f"{path.name[:2]} {course.title(course.read(path))}".strip()


def main() -> int:
    """Command line: rewrite, or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    try:
        problems = apply(check=parser.parse_args().check)
    except ToolError as error:
        problems = [str(error)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
