"""Rewrite what repeats an address or another file: furniture, setup cells, the index, README blocks.

    python tools/furniture.py            rewrite solutions/, two pages of notebooks/, README.md
    python tools/furniture.py --check    only say what is out of date, and fail if anything is

The repository's address comes from [project.urls] in pyproject.toml, titles and goals from the notebooks.
Three cells of a lesson are written here: `furniture` below its title, `setup`, and `next`, which is put at
its end. In the README, a block lies between <!-- name --> and <!-- /name -->; the transcript has a tool of
its own. Afterwards run tools/build_student.py, which carries the cells to notebooks/ (`make furniture` does
both).
"""

from __future__ import annotations

import sys
from pathlib import Path

import course_notebooks as course
import index_page
import nbformat
import own_tool_page
from course_notebooks import ROOT, Setup, ToolError, label
from index_page import number_and_title, student, text
from nbformat.v4 import new_markdown_cell

# In the README as long as pyproject.toml does not say whose course it is.
NO_OWNER = """\
`OWNER` in the links and commands of this page is the GitHub account under which you found the course.
(Who publishes it writes the account into `pyproject.toml`, `[project.urls]`, and runs `make furniture`;
this line then goes.)"""


def furniture_cell(path: Path, neighbours: list[Path], address: str, root: Path = ROOT) -> str:
    """The line with badge, index and the lessons beside it among `neighbours`, those of the same folder."""
    place = neighbours.index(path)
    parts = [course.colab_badge(address, student(path, root)), _page(path, "index", root)]
    if place > 0:
        parts.append(f"[← {number_and_title(neighbours[place - 1])}]({neighbours[place - 1].name})")
    if place + 1 < len(neighbours):
        parts.append(f"[{number_and_title(neighbours[place + 1])} →]({neighbours[place + 1].name})")
    return " · ".join(parts)


def next_cell(path: Path, neighbours: list[Path], address: str, root: Path = ROOT) -> str:
    """The line at the end: where to go on, also after the last lesson."""
    lang = course.language(path.parent, root)
    place = neighbours.index(path)
    if place + 1 < len(neighbours):
        following = neighbours[place + 1]
        parts = [f"[{number_and_title(following)} →]({following.name})"]
    else:
        library = f"{address}/tree/{course.BRANCH}/course_lib"
        parts = [text(lang, "last", readme=address, library=library)]
    parts += [_page(path, "index", root), _page(path, "glossary", root), text(lang, "progress")]
    return " · ".join(parts)


def _page(path: Path, name: str, root: Path) -> str:
    """A link to the index or the glossary; build_student.py makes it one inside the folder."""
    folder = path.parent.relative_to(root / "solutions")
    target = index_page.relative(root / "notebooks" / folder / f"{name}.ipynb", path.parent)
    return f"[{text(course.language(path.parent, root), name)}]({target})"


def notebook_changes(root: Path = ROOT) -> dict[Path, dict[str, str]]:
    """For each solution what its generated cells should be: path -> {cell id -> source}."""
    address = course.repository(root)
    wanted = {}
    for path in course.sources(root):
        neighbours = course.lessons(path.parent, root)
        notebook = course.read(path)
        setup = next((cell.source for cell in notebook.cells if cell.get("id") == "setup"), "")
        wanted[path] = {
            "furniture": furniture_cell(path, neighbours, address, root),
            "setup": Setup.of(setup, course.number(path.name)).source(address),
            "next": next_cell(path, neighbours, address, root),
        }
    return wanted


def readme_blocks(root: Path = ROOT) -> dict[str, str]:
    """The generated blocks of the README: name -> text."""
    address = course.repository(root)
    lessons = course.lessons(root / "solutions", root)
    badges = f"[![CI]({address}/actions/workflows/ci.yml/badge.svg)]({address}/actions/workflows/ci.yml)"
    if lessons:
        badges += " " + course.colab_badge(address, student(lessons[0], root))
    if address.split("/")[3] == "OWNER":
        badges += f"\n\n{NO_OWNER}"
    folder = address.rsplit("/", 1)[1]
    return {
        "badges": badges,
        "scope": index_page.scope(lessons, "en"),
        "clone": f"```sh\ngit clone {address} && cd {folder}\nmake run\nmake lab\n```",
        "clone-windows": (
            f"```bat\ngit clone {address}\ncd {folder}\npy -3 -m venv .venv\n"
            ".venv\\Scripts\\python -m pip install -r requirements.txt\n"
            ".venv\\Scripts\\python -m pip install --no-deps --no-build-isolation -e .\n"
            ".venv\\Scripts\\python -m course_lib run 01\n"
            ".venv\\Scripts\\python tools\\my_notebooks.py\n"
            ".venv\\Scripts\\python -m jupyterlab --LabApp.default_url=/lab/tree/my-notebooks/index.ipynb\n"
            "```"
        ),
        "lessons": index_page.table(lessons, "en", address, root, root),
    }


def _put_next_last(notebook: nbformat.NotebookNode) -> None:
    found = [cell for cell in notebook.cells if cell.get("id") == "next"]
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != "next"]
    notebook.cells.append(found[0] if found else new_markdown_cell("", id="next"))


def pages(root: Path = ROOT) -> dict[Path, str]:
    """The files that are generated as a whole: path -> content."""
    found = {root / index_page.LESSONS: index_page.lessons_toml(root)}
    for folder in course.folders(root):
        lang = course.language(folder, root)
        place = root / "notebooks" / folder.relative_to(root / "solutions") / "index.ipynb"
        found[place] = course.text(index_page.index(course.lessons(folder, root), lang, root))
        found[place.with_name(own_tool_page.NAME)] = course.text(own_tool_page.page(folder, root))
    return found


def fill(readme: str, name: str, block: str) -> str:
    """Replace what lies between the markers of `name`; raise ToolError where the markers are missing."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if readme.count(begin) != 1 or readme.count(end) != 1 or readme.index(begin) > readme.index(end):
        raise ToolError(f"README.md: the block {name!r} needs {begin} and, after it, {end}; restore both")
    head, rest = readme.split(begin)
    return f"{head}{begin}\n{block}\n{end}{rest.split(end)[1]}"


def apply(root: Path = ROOT, check: bool = False) -> list[str]:
    """Rewrite everything under `root`, or with `check` return one line per place that is out of date."""
    problems = []
    for path, cells in notebook_changes(root).items():
        notebook = course.read(path)
        if notebook.cells[-1].get("id") != "next":
            _put_next_last(notebook)
            problems.append(f"{label(path, root)}: no cell `next` at its end; run `make furniture`")
        for cell in notebook.cells:
            wanted = cells.get(cell.get("id"))
            if wanted is None or cell.source == wanted:
                continue
            problems.append(f"{label(path, root)}#{cell.id}: out of date; run `make furniture`")
            cell.source = wanted
        if not check:
            course.save(path, course.text(notebook), root)
    for path, content in pages(root).items():
        problems += course.save_or_check(path, content, check, root)
    readme = root / "README.md"
    content = readme.read_text(encoding="utf-8")
    for name, block in readme_blocks(root).items():
        filled = fill(content, name, block)
        if filled != content:
            problems.append(f"README.md: the block {name!r} is out of date; run `make furniture`")
        content = filled
    if not check:
        course.save(readme, content, root)
    return problems if check else []


if __name__ == "__main__":
    sys.exit(course.write_or_check(__doc__, apply))
