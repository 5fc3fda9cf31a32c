"""The index of the course as a notebook, and what course_lib has to know about the lessons.

Called by tools/furniture.py. What the index says around its table stands in course_lib/catalogue.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import course_notebooks as course
import nbformat
from course_notebooks import ROOT, Setup, label
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_lib import messages

LESSONS = Path("course_lib") / "classroom" / "checks" / "lessons.toml"


def text(lang: str, key: str, **values: object) -> str:
    """A text of the catalogue in the language of an edition."""
    found = (
        messages.texts(lang).get(f"furniture.{key}") or messages.texts(messages.DEFAULT)[f"furniture.{key}"]
    )
    return found.format(**values)


def student(path: Path, root: Path = ROOT) -> str:
    """Where the student edition of a solution lies, relative to the repository."""
    return label(root / "notebooks" / path.relative_to(root / "solutions"), root)


def relative(target: Path, folder: Path) -> str:
    """The link from a file in a folder to another file."""
    return Path(os.path.relpath(target, folder)).as_posix()


def table(lessons: list[Path], lang: str, address: str, place: Path, root: Path = ROOT) -> str:
    """The lessons as a Markdown table for a file in the folder `place`."""
    head = " | ".join(text(lang, f"head_{name}") for name in ("lesson", "then", "minutes"))
    rows = [f"| | {head} | |", "|:--|:--|:--|:--|:--|"]
    for path in lessons:
        notebook = course.read(path)
        badge = course.colab_badge(address, student(path, root))
        edition, solved = (relative(file, place) for file in (root / student(path, root), path))
        rows.append(
            f"| {path.name[:2]} | [{course.title(notebook)}]({edition}) ([{text(lang, 'solved')}]({solved})) "
            f"| {goals(notebook)} | {minutes(notebook)} | {badge} |"
        )
    return "\n".join(rows)


def index(lessons: list[Path], lang: str, root: Path = ROOT) -> nbformat.NotebookNode:
    """The index of one edition, as a notebook that lies in the folder of its student edition."""
    address = course.repository(root)
    place = root / "notebooks" / lessons[0].parent.relative_to(root / "solutions")
    badge = course.colab_badge(address, label(place / "index.ipynb", root))
    first = f"[{number_and_title(lessons[0])}]({lessons[0].name})"
    own = f"[{text(lang, 'own_tool')}](your_own_tool.ipynb)"
    links = f"{badge} · [{text(lang, 'glossary')}](glossary.ipynb) · {own}"
    cells = [
        new_markdown_cell(f"# {text(lang, 'index_title')}\n\n{links}", id="title"),
        new_markdown_cell(text(lang, "index_begin", first=first, scope=scope(lessons, lang)), id="begin"),
        new_markdown_cell(
            f"## {text(lang, 'index_lessons')}\n\n{table(lessons, lang, address, place, root)}", id="lessons"
        ),
        new_markdown_cell(text(lang, "index_progress"), id="progress-md"),
        new_code_cell(Setup("", "" if lang == "en" else f'lang="{lang}"').source(address), id="setup"),
        new_code_cell("course_lib.progress()", id="progress", metadata={"tags": ["nbval-ignore-output"]}),
    ]
    return new_notebook(cells=cells, metadata=nbformat.from_dict(course.METADATA))


def lessons_toml(root: Path = ROOT) -> str:
    """What progress() says about lessons: files, titles in each language, and the address in Colab."""
    address = course.repository(root)
    paths = course.sources(root)
    files = {path.name[:2]: path.name for path in paths if path.parent == root / "solutions"}
    slug = address.removeprefix("https://github.com/")
    colab = f"https://colab.research.google.com/github/{slug}/blob/{course.BRANCH}/notebooks/"
    lines = [
        "# Written by tools/furniture.py from the notebooks of solutions/.",
        f"colab = {json.dumps(colab)}",
    ]
    lines += ["", "[files]", *(f"{number} = {json.dumps(name)}" for number, name in sorted(files.items()))]
    for folder in course.folders(root):
        lines += ["", f"[titles.{course.language(folder, root)}]"]
        lines += [
            f"{path.name[:2]} = {json.dumps(course.title(course.read(path)), ensure_ascii=False)}"
            for path in paths
            if path.parent == folder
        ]
    return "\n".join(lines) + "\n"


def goals(notebook: nbformat.NotebookNode) -> str:
    """The goals that the lesson lists first, in one line: the first list below its title."""
    for cell in notebook.cells[:4]:
        match = re.search(r":?\*{0,2}\n\s*((?:(?:[-*]|\d\.) .+\n?(?:  .+\n?)*)+)", cell.source)
        if match:
            items = re.split(r"^\s*(?:[-*]|\d\.) ", match[1], flags=re.MULTILINE)[1:]
            found = [" ".join(item.split()).rstrip(".;,").replace("|", "\\|") for item in items]
            return "; ".join(found)
    return ""


def minutes(notebook: nbformat.NotebookNode) -> str:
    """How long the lesson says that it takes."""
    for cell in notebook.cells[:4]:
        if match := re.search(r"(\d+(?: ?(?:-|–|to|a) ?\d+)?) min", cell.source):
            return match[1]
    return ""


def scope(lessons: list[Path], lang: str) -> str:
    """What a learner brings, and how long all lessons take together."""
    each = [re.findall(r"\d+", minutes(course.read(path))) for path in lessons]
    # Of "30-40" the latter: who plans an evening wants to be done by then.
    total = sum(int(numbers[-1]) for numbers in each if numbers)
    return text(lang, "scope", lessons=len(lessons), hours=max(1, round(total / 60)))


def number_and_title(path: Path) -> str:
    """A lesson as links name it."""
    return f"{path.name[:2]} {course.title(course.read(path))}".strip()
