"""Collect the course's terms into notebooks/glossary.ipynb, each with the sentence that defines it.

    python tools/glossary.py            rewrite the glossary of each edition
    python tools/glossary.py --check    only say what is wrong or out of date, and fail if anything is

In a lesson's prose, bold is for a term in the sentence that defines it: "A **tool call** is text that …".
What is bold without being a term shows that by its form: the number of an exercise, a phrase that ends like
a sentence, a whole paragraph, and the label of a remark ("**In production**"). Emphasis is in *italics*.
Each term is defined once, in a sentence that can stand alone: it begins with the term and defines no other.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import course_notebooks as course
import index_page
import nbformat
from course_notebooks import ROOT, label
from glossary_names import names_table
from index_page import text
from nbformat.v4 import new_markdown_cell, new_notebook

LABELS = ("In production", "En producción")
MOST_WORDS = 4
# Words with which no term begins: whoever starts with one wants to stress something.
_STRESSED = re.compile(
    r"(?:in|with|by|not|no|even|every|all|only|never|always|one|same|whole|what|it|you|this|that)\b",
    re.IGNORECASE,
)

_BOLD = re.compile(r"\*\*(?! )(?P<words>.+?)(?<! )\*\*")
# A sentence ends here: its stop, perhaps a closing mark, then a space and what can begin another.
_END = re.compile(r"(?<=[.!?])[)\"'*]{0,2} (?=[A-ZÁÉÍÓÚ¿¡(*`\0\"])")


@dataclass(frozen=True)
class Term:
    """A bold phrase that is no label: a term, with the sentence that it stands in."""

    name: str
    sentence: str
    """With this term bold, and nothing else."""
    lesson: Path
    cell: str
    section: str


def terms(path: Path, notebook: nbformat.NotebookNode) -> Iterator[Term]:
    """The terms of a lesson, in its order."""
    section = ""
    for cell in notebook.cells:
        if cell.cell_type != "markdown" or cell.get("id") in course.LINES:
            continue
        for block in _blocks(cell.source):
            if heading := re.match(r"#+ (.*)", block):
                section = heading[1] if block.startswith("##") else ""
                continue
            for name, sentence in _in_block(block):
                yield Term(name, sentence, path, cell.get("id", "no-id"), section)


def _blocks(source: str) -> Iterator[str]:
    """The paragraphs, headings, list items and table cells of a cell, each as one line."""
    block: list[str] = []
    for line in [*course.without_fences(source).split("\n"), ""]:
        starts = re.match(r"\s*(?:[-*+] |\d+\. |#+ |\||$)", line)
        if starts and block:
            yield " ".join(" ".join(block).split())
            block = []
        if line.lstrip().startswith("|"):
            yield from (cell.strip() for cell in line.strip().strip("|").split("|"))
        elif line.startswith("#"):
            yield line.strip()
        else:
            block.append(re.sub(r"^\s*(?:[-*+]|\d+\.) ", "", line))


def _in_block(block: str) -> Iterator[tuple[str, str]]:
    # Code may hold stars and stops: while looking, every character of it is a NUL.
    masked = course.CODE.sub(lambda found: "\0" * len(found[0]), block)
    ends = [0, *(end.end() for end in _END.finditer(masked)), len(block)]
    for bold in _BOLD.finditer(masked):
        name = block[bold.start("words") : bold.end("words")]
        if _is_label(name, bold, masked):
            continue
        start = max(end for end in ends if end <= bold.start())
        end = min(end for end in ends if end >= bold.end())
        before, after = block[start : bold.start()], block[bold.end() : end]
        sentence = f"{_plain(before)}**{name}**{_plain(after)}".strip()
        # What a sentence leads up to stays in the lesson.
        yield name, re.sub(r":$", ".", sentence)


def _is_label(name: str, bold: re.Match, masked: str) -> bool:
    whole = bold.start() == 0 and bold.end() == len(masked)
    return whole or name in LABELS or name[-1] in ".!?:" or bool(re.fullmatch(r"\d\d\.[a-z]", name))


def _plain(part: str) -> str:
    """Without the bold marks of other terms; code keeps its stars."""
    masked = course.CODE.sub(lambda found: "\0" * len(found[0]), part)
    marks = {m.start() + n for m in re.finditer(r"\*\*", masked) for n in (0, 1)}
    return "".join(character for place, character in enumerate(part) if place not in marks)


def problem(term: Term) -> str:
    """What is wrong with a term as its sentence has it, or "". Reads the English of the source."""
    if term.cell.startswith("ex-"):
        return "stands in an exercise, and terms are defined in the text"
    if "`" in term.name or len(term.name.split()) > MOST_WORDS or _STRESSED.match(term.name):
        return "is no term"
    before, _, after = term.sentence.partition(f"**{term.name}**")
    abbreviation = before.endswith("(") and after.startswith(")")
    if not abbreviation and not re.fullmatch(r"(?:(?:a|an|the) )?", before, re.IGNORECASE):
        # What stands before it leans on the lesson: in "The remedy is **middleware**", a remedy for what?
        return "does not begin its sentence"
    return ""


def problems_of(found: list[Term], root: Path = ROOT) -> list[str]:
    """One line per bold phrase that is not a term, or a term that is defined twice."""
    problems, first = [], {}
    shared = Counter(_place(term) for term in found)
    for term in found:
        what, place = problem(term), f"{label(term.lesson, root)}#{term.cell}"
        known = first.setdefault(term.name.casefold(), term)
        if not what and shared[_place(term)] > 1:
            what = "shares its sentence with another term"
        if not what and known is not term:
            what = f"was defined already, in {label(known.lesson, root)}#{known.cell}"
        if what:
            problems.append(
                f"{place}: the bold {term.name!r} {what}; bold is for a term in the sentence that "
                "defines it: write *italics*, or a definition"
            )
    return problems


def _place(term: Term) -> tuple[Path, str, str]:
    """Where the sentence of a term stands."""
    return term.lesson, term.cell, term.sentence.replace("**", "")


def glossary(found: list[Term], lang: str, place: Path, root: Path = ROOT) -> nbformat.NotebookNode:
    """The glossary of one edition, as a notebook that lies in `place`."""
    badge = course.colab_badge(course.repository(root), label(place / "glossary.ipynb", root))
    head = f"# {text(lang, 'glossary_title')}\n\n{badge} · [{text(lang, 'index')}](index.ipynb)"
    cells = [
        new_markdown_cell(head, id="title"),
        new_markdown_cell(text(lang, "glossary_how"), id="how"),
    ]
    by_letter: dict[str, list[Term]] = {}
    for term in sorted(found, key=lambda term: term.name.casefold()):
        by_letter.setdefault(term.name[0].upper(), []).append(term)
    for letter, entries in by_letter.items():
        lines = [f"## {letter}", *map(_entry, entries)]
        cells.append(new_markdown_cell("\n\n".join(lines), id=f"letter-{letter.lower()}"))
    names = f"{text(lang, 'glossary_names')}\n\n{names_table(lang)}"
    cells.append(new_markdown_cell(names, id="names"))
    return new_notebook(cells=cells, metadata=nbformat.from_dict(course.METADATA))


def _entry(term: Term) -> str:
    place = index_page.number_and_title(term.lesson)
    place += f", {term.section}" if term.section else ""
    return f"{term.sentence} ([{place}]({term.lesson.name}#cell-id={term.cell}))"


def apply(root: Path = ROOT, check: bool = False) -> list[str]:
    """Write the glossaries under `root`; return the problems, with `check` also what is out of date."""
    problems, counts = [], {}
    for folder in course.folders(root):
        lang = course.language(folder, root)
        found = [term for path in course.lessons(folder, root) for term in terms(path, course.read(path))]
        counts[lang] = Counter((term.lesson.name, term.cell) for term in found)
        if lang == "en":
            problems += problems_of(found, root)
        else:
            problems += _differences(counts["en"], counts[lang], folder, root)
        place = root / "notebooks" / folder.relative_to(root / "solutions")
        target, content = place / "glossary.ipynb", course.text(glossary(found, lang, place, root))
        problems += course.save_or_check(target, content, check, root)
    return problems


def _differences(source: Counter, translated: Counter, folder: Path, root: Path) -> list[str]:
    """A translation has as many terms in each cell as its source."""
    lessons = {path.name for path in course.lessons(folder, root)}
    return [
        f"{label(folder, root)}/{name}#{cell}: {translated[name, cell]} bold terms, and its source has "
        f"{source[name, cell]}; mark the same"
        for name, cell in sorted({*source, *translated})
        if name in lessons and source[name, cell] != translated[name, cell]
    ]


if __name__ == "__main__":
    sys.exit(course.write_or_check(__doc__, apply))
