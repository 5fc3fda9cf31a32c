"""The helper package of the course: `import course_lib`, then `course_lib.setup()`.

Importing it is quick and loads no SDK: each name below loads its module when it is first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

# name -> (module, attribute); None means the module itself. The practice model is a package beside this one.
_LAZY = {
    "setup": ("classroom.setup", "setup"),
    "exchanges": ("classroom.setup", "exchanges"),
    "doctor": ("classroom.doctor", "doctor"),
    "check": ("classroom.checks", "check"),
    "hint": ("classroom.checks", "hint"),
    "progress": ("classroom.checks", "progress"),
    "models": ("models", None),
    "show": ("show", None),
    "shop": ("shop", None),
    "practice": ("practice_model", None),
    "tool": ("tools", "tool"),
    "Tool": ("tools", "Tool"),
    "ToolCall": ("tools", "ToolCall"),
    "ToolResult": ("tools", "ToolResult"),
    "Context": ("tools", "Context"),
    "SessionStore": ("agents", "SessionStore"),
    "lint": ("linting", "lint"),
    "run_calls": ("execution", "run_calls"),
    "run_calls_async": ("execution", "run_calls_async"),
    "Agent": ("agents", "Agent"),
    "Runner": ("agents", "Runner"),
    "Response": ("agents", "Response"),
    "evaluate": ("evaluation", "evaluate"),
    "CourseError": ("errors", "CourseError"),
    "ToolSchemaError": ("errors", "ToolSchemaError"),
    "ToolArgumentError": ("errors", "ToolArgumentError"),
    "ToolExecutionError": ("errors", "ToolExecutionError"),
    "LoopLimitError": ("errors", "LoopLimitError"),
}

__all__ = [*_LAZY, "__version__"]


def __getattr__(name: str):
    if name not in _LAZY:
        known = ", ".join(sorted(_LAZY))
        raise AttributeError(f"course_lib has no '{name}'. It has: {known}.")
    from importlib import import_module

    module, attribute = _LAZY[name]
    value = import_module(module if module == "practice_model" else f"{__name__}.{module}")
    if attribute is not None:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
