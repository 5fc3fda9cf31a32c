"""Every test run, of tests/ and of the notebooks, happens inside the network guard of tests/guard."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The guard also has to be importable where pytest's own `pythonpath` is not read yet.
sys.path.insert(0, str(Path(__file__).parent / "tests" / "guard"))

pytest_plugins = ["pytest_network_guard"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note the id of each notebook cell: nbval only counts the code cells."""
    for item in items:
        cell_id = getattr(getattr(item, "cell", None), "id", None)
        if cell_id:
            item.user_properties.append(("cell", f"{item.nodeid.split('::')[0]}#{cell_id}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the cells that failed. The first of a notebook is often the reason for the others."""
    failed = [dict(report.user_properties).get("cell") for report in terminalreporter.getreports("failed")]
    for cell in filter(None, failed):
        terminalreporter.write_line(f"failed cell: {cell}", red=True)
