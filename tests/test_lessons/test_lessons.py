"""What holds for the exercises of every lesson."""

from __future__ import annotations

import lessons
import pytest

from course_lib import hint

LESSONS = sorted(path.name[:2] for path in lessons.SOLUTIONS.glob("[0-9][0-9]_*.ipynb"))


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_has_a_stub_a_check_and_three_hints(lesson):
    ids = [cell.id for cell in lessons.cells(lesson)]
    exercises = [cell_id.removesuffix("-check") for cell_id in ids if cell_id.endswith("-check")]
    assert 2 <= len(exercises) <= 4
    for exercise in exercises:
        assert {exercise, f"{exercise}-answer", f"{exercise}-analysis"} <= set(ids)
        number = exercise.removeprefix("ex-").replace("-", ".")
        texts = [repr(hint(number)) for _ in range(3)]
        assert len(set(texts)) == 3 and f"3 of 3 for {number}" in texts[-1]
