"""The network guard in pytest: arm it here and in all children, and fail a session that tried to leave."""

from __future__ import annotations

import os
import tempfile

import network_guard
import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Arm the guard; each session keeps its own record, which its xdist workers share."""
    network_guard.arm()
    if hasattr(config, "workerinput"):
        return
    handle, record = tempfile.mkstemp(prefix="network-", suffix=".txt")
    os.close(handle)
    os.environ.update(network_guard.environment(record))


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
    """Remove the record."""
    record = os.environ.get(network_guard.RECORD_VARIABLE)
    if record and not hasattr(config, "workerinput") and os.path.exists(record):
        os.remove(record)


def _attempts() -> list[str]:
    return network_guard.attempts(os.environ[network_guard.RECORD_VARIABLE])
