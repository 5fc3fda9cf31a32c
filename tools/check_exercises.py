"""One exercise has one number: in its cells' ids, in its text, and in every check() and hint() of it.

The text of exercise 01.b is the cell ex-01-b, which begins with **01.b**; its other cells are ex-01-b-answer,
ex-01-b-check and so on. That a solution is marked, and an analysis tagged, is looked at by build_student.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import nbformat

_ID = re.compile(r"ex-(\d\d)-([a-z])(-.+)?")
_NUMBER = re.compile(r"\s*\*\*(\d+\s?\.\s?\w+)[.:]?\*\*")
# In code and in prose; what is looked up by a variable is nobody's business here.
_CALL = re.compile(r"\b(check|hint)\(\s*([\"'])(.*?)\2")


def check(cell: nbformat.NotebookNode, file_name: str) -> Iterator[str]:
    """All places of one cell that name another exercise than its id does."""
    found = _ID.fullmatch(cell.get("id") or "")
    if not found:
        return
    id, rest = f"{found[1]}.{found[2]}", found[3]
    if file_name[:2] != found[1]:
        yield f"an exercise of lesson {found[1]} in another; write {file_name[:2]} in its id, text and check"
    if cell.cell_type == "markdown" and not rest:
        number = _NUMBER.match(cell.source)
        if not number:
            yield f"the text of an exercise begins with its number; write **{id}**"
        elif number[1] != id:
            yield f"its text says **{number[1]}** and its cell id {id}; write the same in id, text and check"
    for function, _, named in _CALL.findall(cell.source):
        if named != id:
            yield f'{function}("{named}" …) in a cell of exercise {id}; write the same in id, text and check'
