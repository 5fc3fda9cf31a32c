"""What the authoring tools share: where notebooks lie, their canonical text, the cells that scripts write.

`solutions/` is the source, `notebooks/` is generated from it. A translation lies in a folder of its language
inside both (`solutions/es/`), with the same file names and cell ids.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

# jsonschema, which nbformat imports, can do without this package; with it every import costs two seconds.
sys.modules.setdefault("rfc3987_syntax", None)

import nbformat  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

# What badges and the install line point to. A learner gets notebook and library from the same state.
BRANCH = "main"

# What lies beside the lessons in notebooks/ and is written by scripts alone.
PAGES = ("index.ipynb", "glossary.ipynb", "your_own_tool.ipynb")
# The Markdown cells of a lesson that scripts write.
LINES = ("furniture", "next")

# Code in Markdown: a fenced block, and what stands between backticks.
FENCE = re.compile(
    r"^(?P<marks>`{3,}|~{3,})(?P<language>[^\n]*)\n(?P<lines>.*?)^(?P=marks)", re.MULTILINE | re.DOTALL
)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)

NAME = re.compile(r"(\d\d)_[a-z0-9_]+\.ipynb")


class ToolError(Exception):
    """A problem that the author must mend; the text says what, where and what to write instead."""


def sources(root: Path = ROOT, edition: str = "solutions") -> list[Path]:
    """The lessons of an edition ("solutions" or "notebooks"), translations included, in order."""
    found = (root / edition).rglob("*.ipynb")
    pages = PAGES if edition == "notebooks" else ()
    return sorted(p for p in found if ".ipynb_checkpoints" not in p.parts and p.name not in pages)


def lessons(folder: Path, root: Path = ROOT) -> list[Path]:
    """The lessons in one folder of solutions/: those of the source, or of one translation."""
    return [path for path in sources(root) if path.parent == folder]


def number(file_name: str) -> int:
    """The number with which the name of a lesson's file begins, or 0."""
    return int(file_name[:2]) if file_name[:2].isdigit() else 0


def folders(root: Path = ROOT) -> list[Path]:
    """The folders of solutions/ that hold lessons: that of the source, and one per translation."""
    return sorted({path.parent for path in sources(root)})


def language(folder: Path, root: Path = ROOT) -> str:
    """The language of a folder of solutions/: its name, or "en" for solutions/ itself."""
    return "en" if folder == root / "solutions" else folder.name


def choose(wanted: list[str], root: Path = ROOT) -> list[Path]:
    """The solutions that `wanted` names by number ("01", "1"), name or path; all of them without a name.

    The path of a student edition means its source.
    """
    if not wanted:
        return sources(root)
    found = {name: [path for path in sources(root) if _is_named(path, name, root)] for name in wanted}
    missing = [name for name, paths in found.items() if not paths]
    if missing:
        have = ", ".join(sorted({path.name[:2] for path in sources(root)})) or "none yet"
        raise ToolError(f"solutions/: no notebook {', '.join(missing)}; write one of: {have} (or a path)")
    chosen = {path for paths in found.values() for path in paths}
    return [path for path in sources(root) if path in chosen]


def _is_named(path: Path, name: str, root: Path) -> bool:
    """Whether a number, a name or a path means this solution."""
    if re.fullmatch(r"\d{1,2}", name):
        return path.name[:2] == name.zfill(2)
    if name == Path(name).name:
        return path.name in (name, f"{name}.ipynb")
    editions = {path.resolve(), (root / "notebooks" / path.relative_to(root / "solutions")).resolve()}
    return any((folder / name).resolve() in editions for folder in (Path.cwd(), root))


def read(path: Path) -> nbformat.NotebookNode:
    """Read a notebook as it is. (nbformat.read would invent missing ids, which are for us to report.)"""
    try:
        notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
        if not all("cell_type" in cell and "source" in cell for cell in notebook.cells):
            raise ValueError("a cell without type or source")
        return notebook
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ToolError(f"{label(path)}: not a readable notebook ({reason}); restore the file") from error


def text(notebook: nbformat.NotebookNode) -> str:
    """The one form in which a notebook lies in the repository: sorted keys, indent 1, a last newline."""
    return nbformat.v4.writes(notebook).rstrip("\n") + "\n"


def write(path: Path, notebook: nbformat.NotebookNode) -> bool:
    """Write a notebook in its canonical form; return whether the file changed."""
    return write_text(path, text(notebook))


def write_text(path: Path, content: str) -> bool:
    """Write a text file with \\n line ends on every system; return whether it changed."""
    if path.exists() and path.read_bytes() == content.encode("utf-8"):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="\n")
    return True


def save(path: Path, content: str, root: Path = ROOT) -> None:
    """Write a generated file, and say so where it changed."""
    if write_text(path, content):
        print(f"written: {label(path, root)}")


def save_or_check(path: Path, content: str, check: bool, root: Path = ROOT) -> list[str]:
    """Write a generated file, or with `check` only return what is wrong with it."""
    if not check:
        save(path, content, root)
    elif not path.exists() or path.read_bytes() != content.encode("utf-8"):
        return [f"{label(path, root)}: out of date; run `make furniture`"]
    return []


def label(path: Path, root: Path = ROOT) -> str:
    """The path as messages name it: relative to the repository where it lies inside."""
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def without_fences(source: str) -> str:
    """A Markdown text without its fenced blocks."""
    return FENCE.sub("", source)


def title(notebook: nbformat.NotebookNode) -> str:
    """The first heading, without its number."""
    for cell in notebook.cells:
        match = re.search(r"^# +(.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
        if match:
            return re.sub(r"^\d\d\s*[.:·—–-]?\s*", "", match[1]).strip()
    return ""


# The ways in which people write, and GitHub itself offers, the address of the same repository.
_ADDRESS = re.compile(
    r"(?:(?:https?|ssh|git)://(?:git@)?(?:www\.)?github\.com/|git@github\.com:)"
    r"(?P<owner>[\w-]+)/(?P<name>[\w.-]+?)(?:\.git)?/*",
    re.IGNORECASE,
)


def repository(root: Path = ROOT) -> str:
    """The repository's address: [project.urls] of pyproject.toml is the only place that states it.

    However it is written there, it is returned as https://github.com/OWNER/NAME; else raises ToolError.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    address = project.get("urls", {}).get("Repository", "")
    match = _ADDRESS.fullmatch(address.strip())
    if not match or match["name"] in (".", "..", ".git"):
        raise ToolError(
            f"pyproject.toml: [project.urls] Repository is {address!r}; "
            "write https://github.com/OWNER/NAME, the form that Colab's links need"
        )
    return f"https://github.com/{match['owner']}/{match['name']}"


def colab_badge(address: str, notebook_path: str) -> str:
    """The "Open in Colab" badge of a notebook, as Markdown."""
    slug = address.removeprefix("https://github.com/")
    link = f"https://colab.research.google.com/github/{slug}/blob/{BRANCH}/{quote(notebook_path)}"
    return f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({link})"


@dataclass(frozen=True)
class Setup:
    """What may differ between setup cells: the extras that a lesson needs, and the arguments of setup()."""

    extras: str
    arguments: str

    @classmethod
    def of(cls, source: str, number: int) -> Setup:
        """Read both from a setup cell as it is; what cannot be read gets the default of lesson `number`."""
        extras = re.search(r'%pip install -q "tool-use-course(\[[a-z, -]+\])?', source)
        call = re.search(r"^course_lib\.setup\((.*)\)\s*$", source, re.MULTILINE)
        arguments = call[1] if call and _has_lesson(call[0], number) else f"lesson={number}"
        return cls(extras[1] or "" if extras else "", arguments)

    def source(self, address: str) -> str:
        """The setup cell: the same everywhere, and no install where the course already lies."""
        archive = f"{address}/archive/refs/heads/{BRANCH}.zip"
        return _SETUP.format(extras=self.extras, archive=archive, arguments=self.arguments)


_SETUP = """\
# Setup: run this cell first, here and in Colab.
import importlib.util
import sys
from pathlib import Path

for folder in (Path.cwd(), *Path.cwd().parents):
    if (folder / "course_lib" / "__init__.py").exists():
        sys.path.insert(0, str(folder))
        break
if importlib.util.find_spec("course_lib") is None:
    %pip install -q "tool-use-course{extras} @ {archive}"

import course_lib

course_lib.setup({arguments})"""


def _has_lesson(call: str, number: int) -> bool:
    """Whether a setup() call parses and names lesson `number`."""
    try:
        keywords = ast.parse(call.strip(), mode="eval").body.keywords
    except SyntaxError:
        return False
    return any(k.arg == "lesson" and ast.unparse(k.value) == str(number) for k in keywords)


def python_source(cell: nbformat.NotebookNode) -> str | None:
    """A code cell's source as Python: magic lines become `pass`, a cell of another language gives None."""
    if re.match(r"\s*%%(?!capture|time)", cell.source):
        return None
    return re.sub(r"^(\s*)(?:%|!).*$", r"\1pass", cell.source, flags=re.MULTILINE)


def report(find_problems: Callable[[], list[str]]) -> int:
    """Print the problems that a tool finds, or the ToolError that ends it; return its exit code."""
    try:
        problems = find_problems()
    except ToolError as error:
        problems = [str(error)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def write_or_check(description: str, apply: Callable[..., list[str]]) -> int:
    """Run the command line of a tool that writes files, or with --check only says what is out of date."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say what is wrong or out of date")
    options = parser.parse_args()
    return report(lambda: apply(check=options.check))
