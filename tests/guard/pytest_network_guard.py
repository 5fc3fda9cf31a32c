"""The network guard in pytest: arm it here and in all children, and fail a session that tried to leave."""

from __future__ import annotations

import os
import tempfile

import network_guard
import pytest
from pytest_notebook_cells import place


def pytest_configure(config: pytest.Config) -> None:
    """Arm the guard; each session keeps its own record, which its xdist workers share."""
    network_guard.arm()
    if not hasattr(config, "workerinput"):
        os.environ.update(network_guard.environment(_temporary_file()))
    # Each worker runs something else at the same time.
    os.environ[network_guard.PLACE_VARIABLE] = _temporary_file()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Write down what runs now: a kernel, started with the first cell, cannot know it otherwise."""
    network_guard.enter(place(item))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Turn the session red, however green its tests are."""
    if not hasattr(session.config, "workerinput") and _attempts():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the attempts."""
    lines = _attempts()
    if lines:
        terminalreporter.section("network guard: connections that left this machine were refused", red=True)
        for line in lines:
            terminalreporter.write_line(line)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the files."""
    names = [network_guard.PLACE_VARIABLE]
    if not hasattr(config, "workerinput"):
        names.append(network_guard.RECORD_VARIABLE)
    for file in filter(None, map(os.environ.get, names)):
        if os.path.exists(file):
            os.remove(file)


def _temporary_file() -> str:
    handle, path = tempfile.mkstemp(prefix="network-", suffix=".txt")
    os.close(handle)
    return path


def _attempts() -> list[str]:
    return network_guard.attempts(os.environ[network_guard.RECORD_VARIABLE])
