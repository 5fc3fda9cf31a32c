"""Name the cells of notebooks in pytest's reports by their ids: nbval only counts the code cells."""

from __future__ import annotations

import pytest


def place(item: pytest.Item) -> str:
    """Where an item stands: file#cell for a notebook's cell, the node id for any other test."""
    cell_id = getattr(getattr(item, "cell", None), "id", None)
    return f"{item.nodeid.split('::')[0]}#{cell_id}" if cell_id else item.nodeid


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note each cell's place where the report of a worker can carry it."""
    for item in items:
        if place(item) != item.nodeid:
            item.user_properties.append(("cell", place(item)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the cells that failed. The first of a notebook is often the reason for the others."""
    failed = [dict(report.user_properties).get("cell") for report in terminalreporter.getreports("failed")]
    for cell in filter(None, failed):
        terminalreporter.write_line(f"failed cell: {cell}", red=True)
