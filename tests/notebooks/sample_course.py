"""Cells, notebooks and a tiny course in a temporary folder, on which the authoring tools are tried."""

from __future__ import annotations

from pathlib import Path

import course_notebooks as course
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ADDRESS = "https://github.com/someone/tool-use-course"

EXERCISE = "### BEGIN SOLUTION answer = ...\nanswer = 2 * 21\n### END SOLUTION\nanswer"


def code(cell_id: str, source: str, text: str | None = None, tags: list[str] | None = None):
    """A code cell as a solution has it: executed, and with `text` as its result if one is given."""
    outputs = [new_output("execute_result", {"text/plain": text}, execution_count=1)] if text else []
    metadata = {"tags": tags} if tags else {}
    return new_code_cell(source, id=cell_id, execution_count=1, outputs=outputs, metadata=metadata)


def prose(cell_id: str, source: str, tags: list[str] | None = None):
    """A Markdown cell."""
    return new_markdown_cell(source, id=cell_id, metadata={"tags": tags} if tags else {})


def notebook(*cells) -> nbformat.NotebookNode:
    """A notebook with the agreed metadata."""
    return new_notebook(cells=list(cells), metadata=nbformat.from_dict(course.METADATA))


def lesson(number: int, title: str, *cells) -> nbformat.NotebookNode:
    """A solved lesson in good form, up to its generated cells."""
    return notebook(
        prose("title", f"# {number:02} {title}\n\nYou will be able to:\n\n- add,\n- count.\n\n20 minutes."),
        prose("furniture", ""),
        code("setup", ""),
        *(cells or [code("ex-a", EXERCISE, "42")]),
        prose("ex-a-analysis", "It doubles.", tags=["solution-only"]),
    )


class Course:
    """The temporary course: write(name, notebook), read(name), and the folder `root`."""

    def __init__(self, root: Path):
        self.root = root
        (root / "pyproject.toml").write_text(
            f'[project]\nname = "x"\n[project.urls]\nRepository = "{ADDRESS}"\n', encoding="utf-8"
        )
        names = ("badges", "scope", "clone", "clone-windows", "lessons")
        blocks = "\n\n".join(f"<!-- {n} -->\n<!-- /{n} -->" for n in names)
        (root / "README.md").write_text(
            f"# Course\n\n{blocks}\n\n## With a real model\n", encoding="utf-8", newline="\n"
        )

    def path(self, name: str) -> Path:
        """`name` is relative to the course, like solutions/01_add.ipynb."""
        return self.root / name

    def read(self, name: str) -> nbformat.NotebookNode:
        return course.read(self.path(name))

    def write(self, name: str, content: nbformat.NotebookNode) -> None:
        course.write(self.path(name), content)

    def change(self, name: str, cell_id: str, **fields) -> None:
        """Change fields of one cell, as a careless hand would."""
        content = self.read(name)
        cell = next(cell for cell in content.cells if cell.id == cell_id)
        cell.update(nbformat.from_dict(fields))
        self.write(name, content)
