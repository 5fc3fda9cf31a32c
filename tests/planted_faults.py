"""Plant small faults in the course, one at a time, and see that the tests meant for them go red.

    python tests/planted_faults.py                    every fault of planted_faults.toml
    python tests/planted_faults.py gemini sessions    those whose name or file contains one of these texts
    python tests/planted_faults.py --list             only say which there are
    python tests/planted_faults.py --jobs 4           four at a time

Nothing here is changed: faults are planted in copies of the tree. First, everything that is to go red runs
on a copy without a fault. Then each fault is reported as

    caught        all that is named in its row went red
    NOT CAUGHT    some of it stayed green, or ended in another way than by a failed test
    STALE         its old text is not in its file, or not as often as the row says

Exits 1 unless all are caught, and 2 if something is red without a fault.
"""

from __future__ import annotations

import argparse
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".toml")
sys.path.insert(0, str(ROOT / "tools"))
import run_tests  # noqa: E402  (found through the line above)
from clean_environment import clean  # noqa: E402

TIMEOUT = 300
"""Seconds for the tests of one fault. A fault may make them hang, and then it is not caught."""
CLEAN_TIMEOUT = 1800
"""Seconds for each kind of check without a fault."""
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header"]
NBVAL = [*PYTEST, "--nbval-current-env", "--nbval-cell-timeout=60", *run_tests.COMPARE]
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", "node_modules", "my-notebooks", "build", "*.egg-info"
)


@dataclass(frozen=True)
class Fault:
    """A row of the table."""

    name: str
    file: str
    old: str
    new: str
    red: tuple[str, ...]
    """What must go red: node ids of pytest, tools with their options, solutions to execute and compare."""
    count: int = 1
    """How often the old text stands in the file; all of them are replaced."""

    def is_stale(self, root: Path = ROOT) -> bool:
        """Return whether the file has the old text less or more often than `count` says."""
        path = root / self.file
        return not path.is_file() or _text(path).count(self.old) != self.count


def read_table(path: Path = TABLE) -> list[Fault]:
    """Return the faults of the table, in its order."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    return [Fault(**{**row, "red": tuple(row["red"])}) for row in rows]


class Copy:
    """A copy of the tree, from which everything is imported that runs in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
        self._plantings = 0

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """Have the fault in the copy for the length of the block."""
        path = self.root / fault.file
        original, times = path.read_bytes(), path.stat()
        self._plantings += 1
        path.write_bytes(_text(path).replace(fault.old, fault.new).encode("utf-8"))
        # Python tells by size and whole seconds whether its bytecode is that of a file: no two may agree.
        moment = times.st_mtime + 10 * self._plantings
        os.utime(path, (moment, moment))
        try:
            yield
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def run(self, arguments: list[str], seconds: float, folder: str = ".") -> tuple[int | None, str]:
        """Run Python in the copy; return its exit code, None if it took too long, and what it printed."""
        # An editable install finds the tree itself, so the copy has to come before it.
        path = os.pathsep.join([str(self.root), str(self.root / "tests" / "guard")])
        more = {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "COURSE_CHECKS": "strict"}
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.root / folder,
            env=clean(os.environ) | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=seconds)
            return process.returncode, printed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the kernels and servers that it started
            return None, process.communicate()[0]

    def check_imports(self) -> None:
        """Raise RuntimeError if a package of the tree is imported from elsewhere."""
        for package in packages(self.root):
            code = f"import {package}; print({package}.__file__)"
            _, printed = self.run(["-c", code], 60, folder="solutions")
            if not printed.startswith(str(self.root)):
                raise RuntimeError(f"{package} is not imported from the copy {self.root}, but: {printed}")


def packages(root: Path = ROOT) -> list[str]:
    """Return the names of the import packages of a tree."""
    return sorted(path.parent.name for path in root.glob("*/__init__.py"))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


# What runs ----------------------------------------------------------------------------------------


def command(red: str) -> list[str]:
    """Return the arguments of Python for one thing that must go red."""
    if red.startswith("tests/"):
        return [*PYTEST, "-x", red]
    if red.startswith("solutions/"):
        return [*NBVAL, "-x", red]
    return shlex.split(red)


def is_red(code: int | None, printed: str, red: str) -> bool:
    """Return whether a run failed as a check fails: not by breaking off, and not for want of tests."""
    return code == 1 and (red.startswith(("tests/", "solutions/")) or "Traceback (most" not in printed)


def without_faults(copy: Copy, faults: Iterable[Fault]) -> str:
    """Run all that is to go red, on a tree without a fault; return what was printed if any of it is red."""
    wanted = list(dict.fromkeys(red for fault in faults for red in fault.red))
    tests = [red for red in wanted if red.startswith("tests/")]
    notebooks = [red for red in wanted if red.startswith("solutions/")]
    tools = [red for red in wanted if red not in (*tests, *notebooks)]
    commands = [[*PYTEST, *tests]] if tests else []
    commands += [[*NBVAL, *notebooks]] if notebooks else []
    for arguments in (*commands, *map(command, tools)):
        code, printed = copy.run(arguments, CLEAN_TIMEOUT)
        if code != 0:
            return f"{printed.rstrip()}\nEnded with {code} without a fault: {shlex.join(arguments)[:200]} …"
    return ""


def try_fault(copy: Copy, fault: Fault) -> tuple[str, str]:
    """Plant one fault; return the verdict and, where it is not caught, why."""
    if fault.is_stale(copy.root):
        return "STALE", f"{fault.file}: the old text does not stand there {fault.count} times"
    with copy.planted(fault):
        for red in fault.red:
            code, printed = copy.run(command(red), TIMEOUT)
            if not is_red(code, printed, red):
                how = {0: "stayed green", None: f"took more than {TIMEOUT} s"}.get(code, f"ended with {code}")
                last = "" if code == 0 else "\n".join(["", *printed.strip().splitlines()[-8:]])
                return "NOT CAUGHT", f"{red} {how}{last}"
    return "caught", ""


def try_all(faults: list[Fault], jobs: int) -> int:
    """Try faults, `jobs` at a time, and print what becomes of each; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="planted-faults-") as place:
        copies = [Copy(Path(place).resolve() / f"copy-{n}") for n in range(jobs)]
        copies[0].check_imports()
        if problem := without_faults(copies[0], faults):
            print(problem)
            return 2
        free: queue.Queue[Copy] = queue.Queue()
        for copy in copies:
            free.put(copy)

        def attempt(fault: Fault) -> tuple[str, str, float]:
            copy, began = free.get(), time.perf_counter()
            try:
                return *try_fault(copy, fault), time.perf_counter() - began
            finally:
                free.put(copy)

        caught = 0
        with ThreadPoolExecutor(jobs) as pool:
            for fault, (verdict, why, seconds) in zip(faults, pool.map(attempt, faults), strict=True):
                caught += verdict == "caught"
                print(f"{verdict:<10}  {fault.name} ({fault.file}, {seconds:.1f} s)", flush=True)
                if why:
                    print("    " + why.replace("\n", "\n    "), flush=True)
    print(f"{caught} of {len(faults)} faults caught")
    return 0 if caught == len(faults) else 1


def main() -> int:
    """Command line: choose the faults, and list or try them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="only faults whose name or file contains it")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many at a time (default: 2)")
    options = parser.parse_args()
    chosen = [
        fault
        for fault in read_table()
        if not options.texts or any(text in fault.name or text in fault.file for text in options.texts)
    ]
    if not chosen:
        parser.error("no fault has one of these texts in its name or file; see --list")
    if options.list:
        for fault in chosen:
            print(f"{fault.name}\n    {fault.file}: {', '.join(fault.red)}")
        return 0
    return try_all(chosen, max(1, options.jobs))


if __name__ == "__main__":
    sys.exit(main())
