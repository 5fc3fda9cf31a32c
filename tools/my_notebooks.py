"""Give a learner a copy of the lessons to work in, where no update meets an answer.

    python tools/my_notebooks.py    copy what notebooks/ has and my-notebooks/ lacks

Nothing that lies in my-notebooks/ is ever written over: a lesson that the course has changed since comes
again once its copy is renamed or gone. Called by `make lab`; git ignores the folder.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from course_notebooks import ROOT, label

FOLDER = "my-notebooks"


def copy_missing(root: Path = ROOT) -> list[Path]:
    """Copy each notebook that the copy lacks, and return the new files."""
    new = []
    for path in sorted((root / "notebooks").rglob("*.ipynb")):
        target = root / FOLDER / path.relative_to(root / "notebooks")
        if ".ipynb_checkpoints" in path.parts or target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # In two steps: a copy that is interrupted must not count as the learner's own.
        part = target.with_name(f"{target.name}.part")
        shutil.copyfile(path, part)
        part.replace(target)
        new.append(target)
    return new


def main() -> int:
    """Command line: copy, and say what is new."""
    began = not (ROOT / FOLDER).exists()
    new = copy_missing()
    if began:
        print(f"{FOLDER}/ is your own copy of the lessons: answer there")
    elif new:
        print(f"new in your copy: {', '.join(label(path) for path in new)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
