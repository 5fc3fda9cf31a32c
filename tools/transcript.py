"""Fill the README's transcript with what `make run` prints, by running it.

python tools/transcript.py            rewrite the block
python tools/transcript.py --check    run it, and fail if the README shows something else
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

import course_notebooks as course
import furniture
from clean_environment import clean
from course_notebooks import ROOT, ToolError

sys.path.insert(0, str(ROOT / "tests" / "guard"))
import network_guard  # noqa: E402  (found through the line above)

COMMAND = [sys.executable, "-m", "course_lib", "run", "01"]
# The cells that tell the story: all of the lesson would be too long for a README.
SHOWN = ["setup", "ask", "ask-content", "run-take", "run-function", "return-ask", "no-history"]
WIDTH = 110


def transcript() -> str:
    """Run lesson 01 in practice mode, offline, and return the block; raise ToolError if it fails."""
    return "\n".join(["```text", "$ make run", *excerpt(output()), "```"])


def output() -> str:
    """What the command prints; raise ToolError if it fails or tries to leave this machine."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.txt")
        env = clean(os.environ) | network_guard.environment(record)
        env |= {"PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "100"}
        done = subprocess.run(COMMAND, cwd=ROOT, env=env, capture_output=True, encoding="utf-8")
        attempts = network_guard.attempts(record)
    if attempts:
        raise ToolError(f"`python -m course_lib run 01` tried to leave this machine: {attempts[0]}")
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise ToolError(f"`python -m course_lib run 01` failed with {done.returncode}: {' '.join(last)}")
    return done.stdout


def excerpt(output: str) -> list[str]:
    """The cells of SHOWN, each from its [id] to the next cell or heading; […] stands for the others."""
    parts = re.split(r"^(?=\[[a-z0-9-]+\]$|#+ )", output, flags=re.MULTILINE)
    shown = [f"[{cell_id}]" for cell_id in SHOWN]
    missing = [head for head in shown if not any(part.startswith(head + "\n") for part in parts)]
    if missing:
        raise ToolError(f"tools/transcript.py: lesson 01 has no cell {', '.join(missing)}; mend SHOWN")
    lines: list[str] = []
    for part in filter(str.strip, parts):
        if part.startswith("# ") or part.split("\n")[0] in shown:
            lines += [_cut(line.rstrip()) for line in part.rstrip("\n").split("\n")] + [""]
        elif lines[-2:] != ["[…]", ""]:
            lines += ["[…]", ""]
    return lines[:-1]


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 2] + " …"


def apply(check: bool = False) -> list[str]:
    """Fill the README, or with `check` compare. Without a lesson 01 there is nothing to show yet."""
    if not any(path.name.startswith("01_") for path in course.sources()):
        return []
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    filled = furniture.fill(text, "transcript", transcript())
    if not check:
        course.save(readme, filled)
    elif filled != text:
        return ["README.md: the transcript is not what `make run` prints; run `python tools/transcript.py`"]
    return []


if __name__ == "__main__":
    sys.exit(course.write_or_check(__doc__, apply))
