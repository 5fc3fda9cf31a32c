"""Every test run, of tests/ and of the notebooks, happens inside the network guard of tests/guard."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent

# Both also have to be importable where pytest's own `pythonpath` is not read yet.
sys.path[:0] = [str(HERE / "tests" / "guard"), str(HERE / "tools")]

from clean_environment import clean  # noqa: E402  (found through the line above)

pytest_plugins = ["pytest_notebook_cells", "pytest_network_guard"]

# What an author's shell says about the course must not decide whether its tests pass. How strict the
# exercises are and how much the tests try are choices of this run, though, and the guard's files are known to
# its workers.
_KEPT = ("COURSE_CHECKS", "COURSE_TESTS", "COURSE_NETWORK_RECORD", "COURSE_NETWORK_PLACE")
_cleaned = clean(os.environ, keep=_KEPT)
for _name in set(os.environ) - set(_cleaned):
    del os.environ[_name]
