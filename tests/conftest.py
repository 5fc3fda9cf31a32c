"""No test writes into the learner's record, or obeys the instructor's strict checks; how much tests try."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings
from weekly import WEEKLY

# An example may be a whole request, and how long it takes depends on who else uses the machine.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", patient, max_examples=50)
settings.register_profile("weekly", patient, max_examples=1000)
settings.load_profile("weekly" if WEEKLY else "quick")


def pytest_collection_finish() -> None:
    """Leave tests and SDKs out of every later collection of garbage: each would look at all of them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "")
    monkeypatch.delenv("COURSE_CHECKS", raising=False)
