"""The practice model: a rule-based stand-in that speaks the real wire protocols on the learner's own machine.

It is not a language model and knows nothing of the world: it chooses among the tools it is offered by their
definitions. This package knows the wire, and nothing of the course.

Importing it is quick: each name below loads its module when it is first used.
"""

from __future__ import annotations

# name -> the module that has it
_LAZY = {
    "Exchange": "server.exchanges",
    "Explanation": "running",
    "Fault": "failures.injected",
    "PracticeModel": "server.handle",
    "RunningPractice": "running",
    "Server": "server.http",
    "current": "running",
    "explain": "running",
    "faults": "running",
    "start": "running",
}

__all__ = list(_LAZY)


def __getattr__(name: str):
    if name not in _LAZY:
        raise AttributeError(f"practice_model has no '{name}'. It has: {', '.join(sorted(_LAZY))}.")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
