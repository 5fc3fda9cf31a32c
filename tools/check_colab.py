"""Say what installing the course would change in an environment that holds Colab's versions.

    python -m pip install -r tests/colab-constraints.txt
    python tools/check_colab.py

A package that Colab has already imported when it changes makes Colab ask for a restart. So the course may add
packages, and may only change those that are named here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from course_notebooks import ROOT

# Colab's openai is older than 3; httpx2 and httpcore2 are the HTTP client of both SDKs. Nothing in a fresh
# Colab kernel imports them.
MAY_CHANGE = {"openai", "httpx2", "httpcore2"}


def main() -> int:
    """Ask pip what it would install, and compare with the constraints."""
    lines = (ROOT / "tests" / "colab-constraints.txt").read_text(encoding="utf-8").splitlines()
    before = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    before = {_normal(name): version for name, version in before.items()}
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--report", "-", str(ROOT)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    if done.returncode:
        print(done.stderr.strip())
        return 1
    report = json.loads(done.stdout)
    after = {_normal(item["metadata"]["name"]): item["metadata"]["version"] for item in report["install"]}
    changed = {
        name: (before[name], after[name]) for name in after if before.get(name, after[name]) != after[name]
    }
    for name in sorted(after):
        old = f" (was {before[name]})" if name in changed else ""
        print(f"{'change' if name in changed else 'add'}: {name} {after[name]}{old}")
    refused = sorted(set(changed) - MAY_CHANGE)
    if refused:
        print(f"pyproject.toml: the course may not change {', '.join(refused)} in Colab; widen their ranges")
    return 1 if refused else 0


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
