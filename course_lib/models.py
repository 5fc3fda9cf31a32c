"""The model ids that lessons use: the only place where they are written.

Chosen on 2026-11-29: current, inexpensive and able to use tools. Providers retire models, so an id
that works today answers 404 some day. Override one without touching a lesson, before the notebook's
kernel starts or in its first cell:

    COURSE_ANTHROPIC_MODEL    COURSE_OPENAI_MODEL    COURSE_GEMINI_MODEL

The values are read anew at each use, so `models.ANTHROPIC` follows the environment variable.
`models.SLOPPY` exists on the practice model only: it makes, on purpose, the mistakes that real
models make rarely.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from practice_model.facts.services import SERVICES, SLOPPY

__all__ = ["ANTHROPIC", "GEMINI", "OPENAI", "SLOPPY", "variable_for"]

if TYPE_CHECKING:
    ANTHROPIC: str
    OPENAI: str
    GEMINI: str

# name -> (environment variable, default)
SETTINGS = {
    "ANTHROPIC": ("COURSE_ANTHROPIC_MODEL", "claude-haiku-5-5"),
    # It takes tools in Chat Completions as it is; newer families want `reasoning_effort="none"` there.
    "OPENAI": ("COURSE_OPENAI_MODEL", "gpt-5.4-mini"),
    "GEMINI": ("COURSE_GEMINI_MODEL", "gemini-3.5-flash-lite"),
}


def __getattr__(name: str) -> str:
    if name not in SETTINGS:
        raise AttributeError(f"models has no '{name}'. It has: {', '.join([*SETTINGS, 'SLOPPY'])}.")
    variable, default = SETTINGS[name]
    return os.environ.get(variable, "").strip().strip("'\"").strip() or default


def __dir__() -> list[str]:
    return sorted({*globals(), *SETTINGS})


def overrides() -> dict[str, str]:
    """Return the settings that an environment variable decides: name, as in SETTINGS, and model id."""
    return {name: model for name, (_, default) in SETTINGS.items() if (model := __getattr__(name)) != default}


def variable_for(model: str) -> str:
    """Return the variable of the setting that is in use for this id, else of its plain family."""
    for name, (variable, _) in SETTINGS.items():
        if __getattr__(name) == model:
            return variable
    for service in SERVICES:
        if service.model_ids.match(model):
            return SETTINGS[service.id.upper()][0]
    return " / ".join(variable for variable, _ in SETTINGS.values())
