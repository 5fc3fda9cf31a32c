"""Execute solved notebooks in place and store their outputs.

    python tools/run_solutions.py            all of solutions/
    python tools/run_solutions.py 00 01      only these lessons (by number, name or path)

Runs as CI does: exercise checks are strict, and nothing but this machine can be reached. A notebook in which
a cell fails is left as it was. Look at the diff of the outputs before you commit: CI compares with them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_notebooks
import course_notebooks as course
import nbformat
from clean_environment import clean
from course_notebooks import ROOT, ToolError, label
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

sys.path.insert(0, str(ROOT / "tests" / "guard"))
import network_guard  # noqa: E402  (found through the line above)

CELL_TIMEOUT = 60
WORKERS = 2


def execute(path: Path, env: Mapping[str, str]) -> bool:
    """Execute one notebook in its folder and write it back; return whether the file changed.

    `env` is its kernel's environment. Raises ToolError with file, cell and the error if a cell fails.
    """
    notebook = course.read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    manager = AsyncKernelManager(kernel_name="python3")
    # This Python, whatever kernels the machine has registered.
    launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    # The kernel warns that loopback is not encrypted, and that its parent left; both are no news here.
    manager.kernel_spec.argv = [*launch, "--log-level=ERROR"]
    place = env[network_guard.PLACE_VARIABLE]

    def enter(cell: nbformat.NotebookNode, cell_index: int) -> None:
        Path(place).write_text(f"{label(path)}#{cell.get('id', 'no-id')}", encoding="utf-8")

    client = NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_TIMEOUT,
        on_cell_start=enter,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        # A manager of our own: nbclient would leave its kernel running until this process ends.
        client.execute(env=dict(env), cleanup_kc=True)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        failed = _failed_cell(notebook)
        raise ToolError(
            f"{label(path)}#{failed}: {_short(error)}; mend it, the file was left as it was"
        ) from error
    changed = course.write(path, notebook)
    return check_notebooks.fix(path) or changed


def _failed_cell(notebook) -> str:
    """The id of the cell that failed: the last one that was started."""
    started = [c for c in notebook.cells if c.cell_type == "code" and (c.execution_count or c.outputs)]
    return started[-1].get("id", "no-id") if started else "no-id"


def _short(error: Exception) -> str:
    name, value = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    return f"{name}: {' '.join(value.split())[:300]}"


def run(paths: list[Path]) -> list[str]:
    """Execute the notebooks, two at a time; return the problems."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.txt"
        env = clean(os.environ) | network_guard.environment(record) | {"COURSE_CHECKS": "strict"}
        with ThreadPoolExecutor(WORKERS) as pool:
            results = []
            for number, path in enumerate(paths):
                place = {network_guard.PLACE_VARIABLE: str(Path(folder) / f"place-{number}.txt")}
                results.append((path, pool.submit(execute, path, env | place)))
            for path, result in results:
                try:
                    print(f"{'executed' if result.result() else 'unchanged'}: {label(path)}")
                except ToolError as error:
                    problems.append(str(error))
        problems += [f"network guard: {line}" for line in network_guard.attempts(record)]
    return problems


def main() -> int:
    """Command line: execute the lessons named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="lessons by number, name or path; all if none is given"
    )
    options = parser.parse_args()
    return course.report(lambda: run(course.choose(options.lessons)))


if __name__ == "__main__":
    sys.exit(main())
