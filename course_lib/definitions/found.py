"""What a rule yields: severity, code, place, and the values that its two sentences need."""

from __future__ import annotations

from typing import Any

Found = tuple[str, str, str, dict[str, Any]]

__all__ = ["Found", "error", "hint", "warning"]


def error(code: str, where: str, **values: Any) -> Found:
    """A provider refuses it, or it cannot work."""
    return "error", code, where, values


def warning(code: str, where: str, **values: Any) -> Found:
    """A model will use it badly."""
    return "warning", code, where, values


def hint(code: str, where: str, **values: Any) -> Found:
    """It could be better."""
    return "hint", code, where, values
