"""Ask Google Colab's Secrets for a key, and tell why there is none.

Asked only in live mode: the question can open a dialog in the learner's browser, and takes ten
seconds to fail where no browser answers. That failure is remembered; a missing secret or a missing
permission is asked for again at the next setup(), because the learner can mend it meanwhile.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field

__all__ = ["Answer", "ask", "forget", "in_colab"]


@dataclass(frozen=True)
class Answer:
    """The secret, or why there is none: missing, no_access, timeout, unavailable; outside Colab neither."""

    value: str | None = field(default=None, repr=False)
    reason: str = ""


_unavailable = ""  # the reason, once nobody answered


def in_colab() -> bool:
    """Tell whether this is a Colab runtime (that `google.colab` can be imported is no proof)."""
    return sys.modules.get("google.colab") is not None or "COLAB_RELEASE_TAG" in os.environ


def ask(name: str) -> Answer:
    """Return Colab's secret `name`; never raises."""
    global _unavailable
    if not in_colab():
        return Answer()
    if _unavailable:
        return Answer(reason=_unavailable)
    try:
        from google.colab import userdata

        value = userdata.get(name)
    except Exception as error:  # noqa: BLE001 - its exceptions share no base class and have changed before
        reason = _reason(error)
        if reason not in ("missing", "no_access"):
            _unavailable = reason
        return Answer(reason=reason)
    if not value or not isinstance(value, str):
        return Answer(reason="missing")
    return Answer(value)


def forget() -> None:
    """Ask again from the start (for tests)."""
    global _unavailable
    _unavailable = ""


def _reason(error: Exception) -> str:
    """Name a failure by the exception's name: its module is Colab's alone."""
    names = {base.__name__ for base in type(error).__mro__}
    if "SecretNotFoundError" in names:
        return "missing"
    if "NotebookAccessError" in names:
        return "no_access"
    if names & {"TimeoutException", "TimeoutError"}:
        return "timeout"
    return "unavailable"
