"""Run the parts of `make test`, report all of them, and fail if one of them failed.

    python tools/run_tests.py                            everything
    python tools/run_tests.py form                       only what needs no execution
    python tools/run_tests.py solutions notebooks --no-compare
                                                         execute only: outputs differ between Pythons

Parts: form (style, notebook form, cell ids, furniture, glossary, student edition), tests (pytest), solutions
(executed, outputs compared), notebooks (executed as a student finds them), readme (the transcript).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import course_notebooks as course
from clean_environment import clean
from course_notebooks import ROOT, ToolError

RUFF_CHECK = ["-m", "ruff", "check", "--quiet", "--output-format", "concise"]
RUFF_FORMAT = ["-m", "ruff", "format", "--check", "--quiet", "--output-format", "concise"]
PYTEST = ["-m", "pytest", "-q", "--no-header"]
# Three workers keep two processors busy: tests wait for servers, programs and threads.
TESTS = [*PYTEST, "-n", "3", "--dist", "worksteal", "-p", "no:nbval", "-p", "no:anyio"]
# A cell has a minute, where nbval's default is half an hour.
NBVAL = [*PYTEST, "--nbval-current-env", "--nbval-cell-timeout=60"]
COMPARE = ["--nbval", "--nbval-sanitize-with=tests/nbval_sanitize.cfg"]
FORKED = ["-p", "pytest_forked_kernels"]
EXECUTE = ["--nbval-lax"]
OUTPUTS = "an output that differs, is missing or is new: if the new one is right, run `make notebooks`"


@dataclass(frozen=True)
class Step:
    """One command of a part."""

    part: str
    name: str
    arguments: list[str]
    env: dict[str, str] = field(default_factory=dict)
    advice: str = ""
    """What to do where it fails and its output does not say so."""


def steps(compare: bool) -> list[Step]:
    """All commands, in order. A folder without notebooks gets none: pytest would call that a failure."""
    mode = COMPARE if compare else EXECUTE
    # Where outputs are not compared, other systems are tried: with kernels as Jupyter starts them.
    nbval = [*NBVAL, *FORKED] if compare else NBVAL
    found = [
        Step("form", "ruff check", [*RUFF_CHECK, "."], advice="`make format` mends some of it"),
        Step("form", "ruff format", [*RUFF_FORMAT, "."], advice="run `make format`"),
        Step("form", "notebook form", ["tools/check_notebooks.py"]),
        Step("form", "cell ids", ["tools/cell_ids.py", "--check"]),
        Step("form", "furniture", ["tools/furniture.py", "--check"]),
        Step("form", "glossary", ["tools/glossary.py", "--check"]),
        Step("form", "student edition", ["tools/build_student.py", "--check"]),
        Step("readme", "transcript", ["tools/transcript.py", "--check"]),
        Step("tests", "tests", [*TESTS, "tests"]),
    ]
    if course.sources():
        strict = {"COURSE_CHECKS": "strict"}
        advice = OUTPUTS if compare else ""
        found.append(Step("solutions", "solutions", [*nbval, *mode, "solutions"], strict, advice))
    if course.sources(edition="notebooks"):
        found.append(Step("notebooks", "notebooks", [*nbval, *EXECUTE, "notebooks"]))
    return found


def start(step: Step, **options) -> subprocess.Popen:
    """Start a step, free of what this shell may say about the course."""
    env = clean(os.environ, keep=("COURSE_TESTS",))
    # With bytecode files, each worker need not compile tests and plugins again.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env |= {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT / "tests" / "guard")} | step.env
    return subprocess.Popen([sys.executable, *step.arguments], cwd=ROOT, env=env, **options)


def name_cells(output: str, root: Path = ROOT) -> str:
    """Name notebook cells by their ids where ruff counts them: a.ipynb:cell 5:1:8 is a.ipynb#run-loop:1:8."""

    def named(match: re.Match) -> str:
        try:
            cell = course.read(root / match["file"]).cells[int(match["number"]) - 1]
        except (OSError, ToolError, IndexError):
            return match[0]
        return f"{match['file']}#{cell.get('id', 'no-id')}:"

    return re.sub(r"^(?P<file>.+\.ipynb):cell (?P<number>\d+):", named, output, flags=re.MULTILINE)


def run(chosen: list[Step]) -> dict[str, tuple[bool, float]]:
    """Run the steps side by side, so that no processor waits; each is reported when it has ended.

    The tests, which take longest, write what they write at once.
    """
    results, began = {}, time.perf_counter()

    def result(step: Step) -> tuple[Step, bool, float, str]:
        pipe = subprocess.PIPE if step.part != "tests" else None
        process = start(step, stdout=pipe, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        output, _ = process.communicate()
        return step, process.returncode == 0, time.perf_counter() - began, (output or "").strip()

    with ThreadPoolExecutor(len(chosen)) as pool:
        for done in as_completed([pool.submit(result, step) for step in chosen]):
            step, passed, seconds, output = done.result()
            results[step.name] = (passed, seconds)
            if output:
                print(f"== {step.name}\n{name_cells(output)}", flush=True)
    return {step.name: results[step.name] for step in chosen}


def main() -> int:
    """Command line: run the parts named, or all, and print one line for each step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ["form", "readme", "tests", "solutions", "notebooks"]
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}; all if none is given"
    )
    parser.add_argument(
        "--no-compare", action="store_true", help="execute solutions/ without comparing outputs"
    )
    options = parser.parse_args()
    if unknown := set(options.parts) - set(parts):
        parser.error(f"no part {', '.join(sorted(unknown))}; the parts are {', '.join(parts)}")
    wanted = options.parts or parts
    results = run([step for step in steps(not options.no_compare) if step.part in wanted])
    print("\nSummary")
    advice = {step.name: f"; {step.advice}" for step in steps(not options.no_compare) if step.advice}
    for name, (passed, seconds) in results.items():
        more = "" if passed else advice.get(name, "")
        print(f"  {'ok    ' if passed else 'FAILED'}  {name} ({seconds:.1f} s){more}")
    failed = [name for name, (passed, _) in results.items() if not passed]
    print(f"Failed: {', '.join(failed)}" if failed else "Everything passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
