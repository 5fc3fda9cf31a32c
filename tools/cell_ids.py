"""Keep the list of all cell ids, so that none is lost by accident: translations and grading refer to them.

    python tools/cell_ids.py                 add new cells to the list; says which ids are gone
    python tools/cell_ids.py --check         only compare, and fail if anything differs
    python tools/cell_ids.py --drop 01_one_tool_call#run-loop …
                                             take ids that are meant to go off the list (a lesson: all)
    python tools/cell_ids.py --list 01       show a lesson's cells: id, kind, first line, tags

The list is tests/notebooks/cell_ids.txt, one lesson#id per line. A lesson that has lost an id is not updated:
a renamed cell would else pass for one that is new.
"""

from __future__ import annotations

import argparse
import sys
from difflib import SequenceMatcher
from pathlib import Path

import course_notebooks as course
from course_notebooks import ROOT, ToolError, label

LIST = Path("tests") / "notebooks" / "cell_ids.txt"
HEAD = "# Every cell id of solutions/, in order. Written by tools/cell_ids.py, which says how to change it.\n"

Ids = dict[str, list[str]]


def listed(root: Path = ROOT) -> Ids:
    """The ids on the list: lesson -> ids."""
    ids: Ids = {}
    path = root / LIST
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        if line and not line.startswith("# "):
            lesson, _, cell_id = line.partition("#")
            ids.setdefault(lesson, []).append(cell_id)
    return ids


def present(root: Path = ROOT) -> Ids:
    """The ids in solutions/, without translations; a lesson that cannot be read is left to the form check."""
    ids: Ids = {}
    for path in course.sources(root):
        if path.parent == root / "solutions":
            try:
                ids[path.stem] = [c["id"] for c in course.read(path).cells if c.get("id")]
            except ToolError:
                continue
    return ids


def write(ids: Ids, root: Path = ROOT) -> bool:
    """Write the list; return whether it changed."""
    lines = [f"{lesson}#{cell_id}" for lesson in sorted(ids) for cell_id in ids[lesson]]
    return course.write_text(root / LIST, HEAD + "".join(f"{line}\n" for line in lines))


def lost(root: Path = ROOT) -> list[str]:
    """One line for each listed id that is gone, with the new one in its place if there is one."""
    problems, there = [], present(root)
    for lesson, before in listed(root).items():
        if lesson not in there:
            unreadable = (root / "solutions" / f"{lesson}.ipynb").exists()
            if not unreadable:
                problems.append(
                    f"solutions/{lesson}.ipynb: gone, with its {len(before)} cell ids; restore the file, or "
                    f"write `python tools/cell_ids.py --drop {lesson}`"
                )
            continue
        now = there[lesson]
        successors = _successors(before, now)
        for cell_id in before:
            if cell_id not in now:
                new = successors.get(cell_id)
                said = f"is now {new!r}" if new else "is gone"
                problems.append(
                    f"solutions/{lesson}.ipynb: the cell id {cell_id!r} {said}; put it back (its source and "
                    "tags may change), or, if no translation or grading needs it, write "
                    f"`python tools/cell_ids.py --drop {lesson}#{cell_id}`"
                )
    return problems


def renamed(path: Path, root: Path = ROOT) -> dict[str, str]:
    """The ids of a solution that stand in the place of listed ones: new -> old."""
    before, now = listed(root).get(path.stem, []), present(root).get(path.stem, [])
    return {new: old for old, new in _successors(before, now).items()}


def added(root: Path = ROOT) -> list[str]:
    """One line for each id that is not on the list, or for a lesson of which none is."""
    before, problems = listed(root), []
    for lesson, ids in present(root).items():
        known = before.get(lesson, ())
        renamed = _successors(list(known), ids).values()  # told with the id that they replace
        new = (
            [f"#{cell_id}" for cell_id in ids if cell_id not in (*known, *renamed)]
            if known
            else [""] * bool(ids)
        )
        places = [f"solutions/{lesson}.ipynb{cell_id}" for cell_id in new]
        problems += [f"{place}: not in {LIST.as_posix()}; run `make notebooks`" for place in places]
    return problems


def translated(root: Path = ROOT) -> list[str]:
    """One line for each id by which a translation differs from its source."""
    problems, there = [], present(root)
    for path in course.sources(root):
        if path.parent == root / "solutions" or path.stem not in there:
            continue
        source = there[path.stem]
        ids = [c.get("id") for c in course.read(path).cells]
        problems += [
            f"{label(path, root)}: no cell {i!r}, which its source has" for i in source if i not in ids
        ]
        problems += [
            f"{label(path, root)}#{i}: its source has no such cell; use the id of the cell that it translates"
            for i in ids
            if i and i not in source
        ]
    return problems


def update(root: Path = ROOT) -> list[str]:
    """Add what is new to the list, except in lessons that have lost an id; return the problems."""
    ids, there = listed(root), present(root)
    for lesson, now in there.items():
        if set(ids.get(lesson, ())) <= set(now):
            ids[lesson] = now
    if write(ids, root):
        print(f"written: {LIST.as_posix()}")
    return lost(root) + translated(root)


def drop(names: list[str], root: Path = ROOT) -> list[str]:
    """Take ids that are gone (a lesson's name: all of them) off the list, update it, return the problems."""
    ids, there, problems = listed(root), present(root), []
    for name in names:
        lesson, _, cell_id = name.partition("#")
        wanted = [cell_id] if cell_id else ids.get(lesson, [])
        if not set(wanted) & set(ids.get(lesson, ())):
            problems.append(f"{name}: not in {LIST.as_posix()}; write lesson#id as it stands there")
        elif set(wanted) & set(there.get(lesson, ())):
            problems.append(f"{name}: still in solutions/; only what is gone can be dropped")
        else:
            ids[lesson] = [i for i in ids[lesson] if i not in wanted]
    write({lesson: left for lesson, left in ids.items() if left}, root)
    return problems + update(root)


def show(names: list[str], root: Path = ROOT) -> list[str]:
    """Print the cells of the lessons named; there are no problems to return."""
    for path in course.choose(names, root):
        print(label(path, root))
        for cell in course.read(path).cells:
            tags = " ".join(f"[{tag}]" for tag in cell.metadata.get("tags", []))
            first = cell.source.strip().split("\n")[0][:50]
            print(f"  {cell.get('id', '(no id)'):<28} {cell.cell_type:<9} {first} {tags}".rstrip())
    return []


def _successors(before: list[str], now: list[str]) -> dict[str, str]:
    """Which new id stands where a lost one stood."""
    found = {}
    for kind, a, b, c, d in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind == "replace":
            old = [i for i in before[a:b] if i not in now]
            new = [i for i in now[c:d] if i not in before]
            found |= dict(zip(old, new, strict=False))
    return found


def main() -> int:
    """Command line: update, check, drop or list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--check", action="store_true", help="only compare")
    choice.add_argument("--drop", nargs="+", metavar="LESSON#ID", help="take ids that are gone off the list")
    choice.add_argument("--list", nargs="*", metavar="LESSON", help="show the cells of lessons")
    options = parser.parse_args()
    if options.list is not None:
        return course.report(lambda: show(options.list))
    if options.drop:
        return course.report(lambda: drop(options.drop))
    return course.report(lambda: lost() + added() + translated() if options.check else update())


if __name__ == "__main__":
    sys.exit(main())
