"""Links that lead nowhere: to a file that is not there, or to a heading or cell that its file has not.

Looked at are links inside the course: relative ones, and those to a page of the repository's own address. The
network is never asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import course_notebooks as course
from course_notebooks import BRANCH, ROOT, ToolError, label

PAGES = ("README.md", "CONTRIBUTING.md")

# [words](target), ![words](target "title"), [words](<target>); a definition, [name]: target; and HTML.
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+[\"'(][^)]*)?\s*\)")
_DEFINED = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)
_HTML = re.compile(r"""<(?:a|img)\b[^>]*?\b(?:href|src)=["']([^"']+)["']""", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_HEADING = re.compile(r"^ {0,3}#{1,6} +(.+?)(?: +#+)? *$", re.MULTILINE)


def dead_links(source: str, path: Path, root: Path, address: str) -> Iterator[str]:
    """The links of a Markdown text that lead nowhere; the text stands in the file at `path`."""
    prose = course.CODE.sub("", course.without_fences(source))
    for pattern in (_LINK, _DEFINED, _HTML):
        for link in pattern.findall(prose):
            target, fragment = _inside(link, path, root, address)
            if target is None:
                continue
            where = label(target, root.resolve())
            if not target.exists():
                yield f"the link {link} leads to {where}, which is not there; write its path from this folder"
            elif fragment and (known := anchors(target)) is not None and fragment not in known:
                what = "itself" if target == path.resolve() else where
                yield f"the link {link} leads to a heading or cell that {what} has not; write one that it has"


def _inside(link: str, path: Path, root: Path, address: str) -> tuple[Path | None, str]:
    """The file of the course and the fragment that a link means; None for one that leads out of it."""
    place, _, fragment = link.partition("#")
    place, fragment = unquote(place), unquote(fragment)
    if place in (address, f"{address}/"):
        return (root / "README.md").resolve(), fragment
    for page in (f"{address}/blob/{BRANCH}/", f"{address}/tree/{BRANCH}/"):
        if place.startswith(page):
            return (root / place.removeprefix(page)).resolve(), fragment
    if _SCHEME.match(place):
        return None, ""
    target = (path.parent / place.partition("?")[0]).resolve() if place else path.resolve()
    return target, fragment


def anchors(file: Path) -> set[str] | None:
    """What a fragment can name in a file: headings of Markdown, and ids of cells; None: not known."""
    return _anchors(file, file.stat().st_mtime_ns) if file.suffix in (".md", ".ipynb") else None


@cache
def _anchors(file: Path, changed: int) -> set[str] | None:
    if file.suffix == ".md":
        return _headings(file.read_text(encoding="utf-8"))
    try:
        cells = course.read(file).cells
    except ToolError:
        return None
    found = {f"cell-id={cell.get('id')}" for cell in cells}
    return found.union(*(_headings(cell.source) for cell in cells if cell.cell_type == "markdown"))


def _headings(source: str) -> set[str]:
    """The anchors of a text's headings, as JupyterLab and Colab write them and as GitHub does."""
    found: set[str] = set(re.findall(r"""<a\b[^>]*\b(?:id|name)=["']([^"']+)["']""", source))
    for title in _HEADING.findall(course.without_fences(source)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        found.add(re.sub(r"[*`]", "", words).replace(" ", "-"))
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        again = sum(one == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", one) is not None for one in found)
        found |= {slug, f"{slug}-{again}"} if slug in found else {slug}
    return found


def check_pages(root: Path = ROOT) -> list[str]:
    """The dead links of README, CONTRIBUTING, and the notebooks that scripts write."""
    address = course.repository(root)
    problems = []
    for path in (root / name for name in PAGES):
        if path.exists():
            found = dead_links(path.read_text(encoding="utf-8"), path, root, address)
            problems += [f"{label(path, root)}: {text}" for text in found]
    for path in sorted(path for name in course.PAGES for path in (root / "notebooks").rglob(name)):
        if ".ipynb_checkpoints" in path.parts:
            continue
        try:
            cells = course.read(path).cells
        except ToolError as error:
            problems.append(str(error))
            continue
        for cell in cells:
            if cell.cell_type == "markdown":
                found = dead_links(cell.source, path, root, address)
                problems += [f"{label(path, root)}#{cell.get('id')}: {text}" for text in found]
    return problems
