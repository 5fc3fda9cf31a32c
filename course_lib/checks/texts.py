"""The catalogue's texts for checkers, which must have something to say even where a text is missing."""

from __future__ import annotations

from contextvars import ContextVar

from ..say import language, say, texts
from ..show.plain import is_a, safe_repr, safe_text

__all__ = ["current_exercise", "has_text", "text", "text_for_exercise"]

current_exercise: ContextVar[str] = ContextVar("current_exercise", default="")
"""The id of the exercise that is being checked, so that a checker need not repeat it."""


def has_text(key: str) -> bool:
    """Tell whether the catalogue has a text, in the current language or in English."""
    return key in texts(language()) or key in texts("en")


def text(key: str, /, **values: object) -> str:
    """Return a text of the catalogue; values other than text and numbers appear as their repr, shortened."""
    shown = {name: _shown(value) for name, value in values.items()}
    try:
        return say(key, **shown)
    except LookupError:
        # A text that was forgotten must not stop a learner; the tests of each lesson look for these.
        return " ".join([f"[{key}]", *(f"{name}={value}" for name, value in shown.items())])


def text_for_exercise(key: str, /, **values: object) -> str:
    """Return checks.<exercise>.<key>, or else checks.common.<key>, or else the text `key` itself."""
    for full in (f"checks.{current_exercise.get()}.{key}", f"checks.common.{key}"):
        if has_text(full):
            return text(full, **values)
    return text(key, **values)


def _shown(value: object) -> object:
    if type(value) is int and value.bit_length() < 200:
        return value
    return safe_text(value, 400) if is_a(value, str) else safe_repr(value)
