"""Check the form of every notebook: ids, metadata, setup cell, length, outputs, links, and bad habits.

    python tools/check_notebooks.py          list all problems: file#cell: what is wrong, what to write
    python tools/check_notebooks.py --fix    only put metadata and serialisation in their canonical form

What one cell must not contain is in check_cells.py, where links lead in check_links.py; furniture and
freshness have tools of their own.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import check_cells
import check_links
import course_notebooks as course
import nbformat
from course_notebooks import METADATA, NAME, ROOT, ToolError, label
from find_keys import find_keys

MAX_BYTES = 150_000
UNNUMBERED = ("exercises", "done")
CELL_METADATA = {"tags", "i18n"}


def check_notebook(path: Path, root: Path = ROOT) -> list[str]:
    """All problems of one notebook, in the order of its cells."""
    name = label(path, root)
    try:
        notebook = course.read(path)
    except ToolError as error:
        return [str(error)]
    solved = path.is_relative_to(root / "solutions")
    address = course.repository(root)
    problems = [f"{name}: {text}" for text in _check_file(path, notebook)]
    for cell in notebook.cells:
        found = [*check_cells.check(cell, path.name, address), *_check_metadata(cell)]
        if cell.cell_type == "code":
            found += _check_run(cell) if solved else _check_stripped(cell)
        elif cell.cell_type == "markdown":
            found += check_links.dead_links(cell.source, path, root, address)
        problems += [f"{name}#{cell.get('id', 'no-id')}: {text}" for text in found]
    return problems


def _check_file(path: Path, notebook: nbformat.NotebookNode) -> Iterator[str]:
    """What concerns the file as a whole."""
    if not NAME.fullmatch(path.name):
        yield "the file name is not NN_words_of_the_title.ipynb; rename it"
    if (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        yield f"nbformat is {notebook.nbformat}.{notebook.nbformat_minor}; write 4.5, the first with cell ids"
    size = path.stat().st_size
    if size >= MAX_BYTES:
        yield f"{size:,} bytes, and the limit is {MAX_BYTES:,}; shorten outputs or split the lesson"
    for _, owner in find_keys(json.dumps(notebook.metadata)):
        yield f"its notebook metadata holds {check_cells.looks_like_a_key(owner)}"
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"kernelspec.name is {kernel!r}, which other machines lack; write 'python3' (--fix does)"
    elif notebook.metadata != METADATA:
        extra = sorted(set(notebook.metadata) - set(METADATA)) or "kernelspec or language_info"
        yield f"notebook metadata is not the agreed one (look at {extra}); run `make format`"
    if path.read_bytes() != course.text(notebook).encode("utf-8"):
        yield "not in the canonical serialisation (sorted keys, indent 1, \\n); run `make format`"
    yield from _check_ids(notebook)
    yield from _check_sections(notebook)
    yield from _validate(notebook)


def _check_ids(notebook: nbformat.NotebookNode) -> Iterator[str]:
    ids = [cell.get("id") for cell in notebook.cells]
    for cell_id in dict.fromkeys(ids):
        if cell_id is not None and ids.count(cell_id) > 1:
            yield f"the cell id {cell_id!r} stands {ids.count(cell_id)} times; give each cell its own"
    for needed, kind in (("furniture", "markdown"), ("setup", "code")):
        if not any(c.get("id") == needed and c.cell_type == kind for c in notebook.cells):
            yield f"no {kind} cell with the id {needed!r}; add an empty one and run `make furniture`"


def _check_sections(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Steps are numbered, so that a text can refer to them; an overview before the first need not be."""
    number = 0
    for cell in notebook.cells:
        if cell.cell_type != "markdown" or cell.get("id") in UNNUMBERED:
            continue
        for title in re.findall(r"^## +(.+)$", course.without_fences(cell.source), re.MULTILINE):
            found = re.match(r"(\d+)\. ", title)
            if (found or number) and (not found or int(found[1]) != number + 1):
                words = title[found.end() :] if found else title
                yield f"the section '## {title}' has not its number; write '## {number + 1}. {words}'"
            number += 1 if found or number else 0


def _validate(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """nbformat's own schema; missing and doubled ids, of which it only warns, are reported above."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            nbformat.validate(nbformat.from_dict(notebook))
        except nbformat.ValidationError as error:
            yield f"not valid nbformat 4.5: {str(error).splitlines()[0]}"


def _check_metadata(cell: nbformat.NotebookNode) -> Iterator[str]:
    extra = sorted(set(cell.metadata) - CELL_METADATA)
    if extra:
        yield f"cell metadata {', '.join(extra)}; only tags and i18n are kept: run `make format`"


def _check_run(cell: nbformat.NotebookNode) -> Iterator[str]:
    """A solution is executed, and nothing failed."""
    if cell.get("execution_count") is None:
        yield "not executed, so that nothing would be compared; run `make notebooks`"
    if cell.get("id") == "setup" and re.search(r"\blive\s*=\s*(?!False|None)", cell.source):
        yield "live=… would ask real models, in every run and of every learner; take it out of setup()"
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            yield (
                f"its output is an uncaught {output.ename}, which stops a learner's Run all; "
                "catch it where it is expected and print it, then run `make notebooks`"
            )


def _check_stripped(cell: nbformat.NotebookNode) -> Iterator[str]:
    if cell.get("outputs") or cell.get("execution_count") is not None:
        yield "has an output or a count; notebooks/ is the stripped edition: run `make notebooks`"


def fix(path: Path) -> bool:
    """Put metadata and serialisation in their canonical form; return whether the file changed."""
    notebook = course.read(path)
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in CELL_METADATA})
    return course.write(path, notebook)


def main() -> int:
    """Command line: check everything, or fix what can be fixed without a decision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="rewrite metadata and serialisation only")
    fixing = parser.parse_args().fix
    paths = [*course.sources(), *course.sources(edition="notebooks")]
    problems = []
    for path in paths:
        problems += _try_to_fix(path) if fixing else check_notebook(path)
    if not fixing:
        problems += check_links.check_pages()
    if problems or not fixing:
        print("\n".join(problems) or f"{len(paths)} notebooks in good form")
    return 1 if problems else 0


def _try_to_fix(path: Path) -> list[str]:
    try:
        if fix(path):
            print(f"rewritten: {label(path)}")
    except ToolError as error:
        return [str(error)]
    return []


if __name__ == "__main__":
    sys.exit(main())
