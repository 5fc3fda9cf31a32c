"""The notebook run as `make test` does it: a broken notebook turns it red, the same one unbroken is green."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import course_notebooks as course
import pytest
from course_notebooks import ROOT
from run_tests import COMPARE, EXECUTE, FORKED, NBVAL
from sample_course import code, notebook

ADD = "x = 40 + 2\nx"

LOOPBACK = """\
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), timeout=5).close()"""

SWALLOWED = """\
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError:
    pass"""

IN_A_CHILD = """\
import subprocess, sys
script = "import socket; socket.create_connection(('192.0.2.2', 80), 1)"
subprocess.run([sys.executable, "-c", script], stderr=subprocess.DEVNULL)"""


def run(folder: Path, mode: list[str], workers: int = 0, **notebooks) -> subprocess.CompletedProcess:
    """Write the notebooks (name -> cells) and run them with the settings and the guard of this repository."""
    for name, cells in notebooks.items():
        course.write(folder / f"{name}.ipynb", notebook(*cells))
    elsewhere = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)]
    plugins = ["-p", "pytest_notebook_cells", "-p", "pytest_network_guard", "-p", "no:cacheprovider"]
    command = [
        sys.executable,
        *NBVAL,
        *mode,
        *elsewhere,
        *plugins,
        "-rA",
        f"-n{workers}",
        str(folder),
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")


def results(done: subprocess.CompletedProcess, name: str) -> list[str]:
    """How the cells of one notebook came out, in order."""
    found = re.findall(rf"(PASSED|FAILED) \S*{name}\.ipynb::Cell (\d+)", done.stdout)
    return [result for result, number in sorted(set(found), key=lambda pair: int(pair[1]))]


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> subprocess.CompletedProcess:
    """One strict run of several notebooks, for the price of one start."""
    return run(
        tmp_path_factory.mktemp("compared"),
        COMPARE,
        good=[code("add", ADD, "42"), code("look", "object()", "<object at 0x7f0123456789>")],
        broken=[code("add", ADD, "43"), code("again", "x", "42"), code("fail", "1 / 0")],
    )


def test_an_unbroken_notebook_is_green_and_a_memory_address_is_not_compared(compared):
    assert results(compared, "good") == ["PASSED", "PASSED"]


def test_a_wrong_output_and_an_error_turn_the_run_red_and_file_and_outputs_are_named(compared):
    assert results(compared, "broken") == ["FAILED", "PASSED", "FAILED"]
    assert compared.returncode == 1
    shown = compared.stdout.partition("FAILURES")[2]
    assert "broken.ipynb" in shown and "43" in shown and "42" in shown


def test_a_difference_says_which_side_is_stored_and_which_is_new(compared):
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", compared.stdout).splitlines()]
    place = lines.index("--- stored in the notebook")
    assert lines[place : place + 5] == [
        "--- stored in the notebook",
        "+++ new in this run",
        "@@ -1 +1 @@",
        "-43",
        "+42",
    ]


def test_only_good_notebooks_make_a_green_run(tmp_path):
    done = run(tmp_path, COMPARE, good=[code("add", ADD, "42"), code("loopback", LOOPBACK)])
    assert done.returncode == 0, done.stdout
    assert "network guard" not in done.stdout


def test_a_notebook_that_leaves_this_machine_turns_the_run_red_even_if_every_cell_is_green(tmp_path):
    cells = [code("fine", "1"), code("swallow", SWALLOWED), code("child", IN_A_CHILD), code("after", "1")]
    done = run(tmp_path, [*EXECUTE, *FORKED], workers=1, quiet=cells)
    assert results(done, "quiet") == ["PASSED"] * 4
    assert done.returncode == 1
    report = done.stdout.partition("connections that left this machine were refused")[2]
    assert re.search(r"socket\.\w+ to '192\.0\.2\.1' .* in quiet\.ipynb#swallow$", report, re.MULTILINE)
    assert re.search(r"socket\.\w+ to '192\.0\.2\.2' .* in quiet\.ipynb#child$", report, re.MULTILINE)
