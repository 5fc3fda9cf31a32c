"""The table of planted faults is current; the faults themselves are tried by planted_faults.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import planted_faults
from planted_faults import ROOT, Fault

FAULTS = planted_faults.read_table()


def test_every_fault_can_be_planted_and_what_must_go_red_is_there():
    found = [problem for fault in FAULTS for problem in problems(fault)]
    assert not found, "\n".join(found)


def problems(fault: Fault) -> Iterator[str]:
    """Yield what keeps a row from being tried."""
    if fault.is_stale():
        now = ", ".join(holding(fault.old)) or "in no file"
        yield f"{fault.name}: {fault.file} does not hold the old text {fault.count} times ({now}); mend it"
    if fault.old == fault.new or not fault.red:
        yield f"{fault.name}: it changes nothing, or nothing is to go red"
    for red in fault.red:
        path, *test = red.split()[0].split("::")
        if not (ROOT / path).is_file() or path.startswith("tests/") and not has_test(path, test):
            yield f"{fault.name}: there is no {red}; name the test that means to catch it, or the tool"


def holding(text: str) -> list[str]:
    """Return the files in which a text stands now."""
    kinds = ("py", "toml", "txt", "ipynb")
    files = [path for name in [*planted_faults.packages(), "tools"] for path in (ROOT / name).rglob("*.*")]
    files += [*ROOT.glob("solutions/*"), *ROOT.glob("notebooks/*"), *ROOT.glob("tests/guard/*")]
    names = [path.relative_to(ROOT).as_posix() for path in files if path.suffix[1:] in kinds]
    return [name for name in names if text in source(name)]


def has_test(path: str, test: list[str]) -> bool:
    """Return whether a file has the test that a node id names: classes, then the function."""
    if not test:
        return False
    *classes, name = test
    lines = [rf"class {one}\b" for one in classes] + [rf"(?:async )?def {name.partition('[')[0]}\("]
    return all(
        re.search(f"^{'    ' * level}{line}", source(path), re.MULTILINE) for level, line in enumerate(lines)
    )


@cache
def source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_no_two_faults_have_one_name():
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names)


def test_every_package_has_faults():
    files = [path for name in planted_faults.packages() for path in (ROOT / name).rglob("*.py")]
    files += [*(ROOT / "tools").glob("*.py"), *(ROOT / "tests" / "guard").glob("*.py")]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in files}
    assert folders - {fault.file.rpartition("/")[0] for fault in FAULTS} == set()


def test_every_lesson_and_the_checkers_of_each_have_faults():
    lessons = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("solutions/*.ipynb")]
    lessons += [path.relative_to(ROOT).as_posix() for path in ROOT.glob("course_lib/**/lesson_*.py")]
    assert len(lessons) > 20
    assert set(lessons) - {fault.file for fault in FAULTS} == set()


def test_a_run_is_red_where_a_test_failed_and_not_where_it_broke_off():
    test, tool = "tests/test_a.py::test_b", "tools/build_student.py --check"
    assert planted_faults.is_red(1, "1 failed", test)
    assert planted_faults.is_red(1, "notebooks/a.ipynb: out of date", tool)
    assert not planted_faults.is_red(1, "Traceback (most recent call last):", tool)
    for code in (0, 2, 4, 5, None):
        assert not any(planted_faults.is_red(code, "", red) for red in (test, tool))
