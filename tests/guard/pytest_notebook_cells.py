"""Make pytest's reports on notebooks readable: cells have ids, and a difference says which side is which.

nbval itself only counts the code cells, and shows two outputs without a word on which of them is stored.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import pytest

_STORED, _NEW = "stored in the notebook", "new in this run"
_compares_outputs = False


def place(item: pytest.Item) -> str:
    """Where an item stands: file#cell for a notebook's cell, the node id for any other test."""
    cell_id = getattr(getattr(item, "cell", None), "id", None)
    return f"{item.nodeid.split('::')[0]}#{cell_id}" if cell_id else item.nodeid


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note each cell's place where the report of a worker can carry it."""
    for item in items:
        if place(item) != item.nodeid:
            item.user_properties.append(("cell", place(item)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Know when the outputs of a cell are compared, and not the values of a test."""
    global _compares_outputs
    _compares_outputs = place(item) != item.nodeid
    try:
        return (yield)
    finally:
        _compares_outputs = False


@pytest.hookimpl(tryfirst=True)
def pytest_assertrepr_compare(left: object, right: object) -> list[str] | None:
    """Show the difference of two outputs, line by line, with the name of each side."""
    if not _compares_outputs:
        return None
    sides = (str(side).splitlines() for side in (left, right))
    return list(difflib.unified_diff(*sides, _STORED, _NEW, lineterm=""))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the cells that failed. The first of a notebook is often the reason for the others."""
    failed = [dict(report.user_properties).get("cell") for report in terminalreporter.getreports("failed")]
    for cell in filter(None, failed):
        terminalreporter.write_line(f"failed cell: {cell}", red=True)
