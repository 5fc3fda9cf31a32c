"""Whatever was given, as plain JSON: what cannot be is noted with its place, and nothing raises."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..show.plain import safe_repr
from .parts import name_at, shown

ENDLESS = "…"
_DEEPEST = 80
_MOST_VALUES = 200_000

__all__ = ["ENDLESS", "described", "to_plain"]


def to_plain(given: Any) -> tuple[Any, list[tuple[str, str]]]:
    """A copy made of what JSON has, and what stood in the way: each with its place."""
    problems: list[tuple[str, str]] = []
    try:
        return _Plain(problems).copy(_sent(given), "", 0), problems
    except Exception:  # noqa: BLE001 (a mapping of somebody else's that fails when it is read)
        return None, [("", type(given).__name__)]


def _sent(given: Any) -> Any:
    """What an SDK's own object sends; anything else as it is."""
    for method, options in (("to_dict", {}), ("model_dump", {"mode": "json", "exclude_none": True})):
        ask = getattr(type(given), method, None)
        if ask is not None and not isinstance(given, type):
            try:
                return ask(given, **options)
            except Exception:  # noqa: BLE001 (somebody else's code: it is then not a definition)
                return given
    return given


def described(given: Any) -> str:
    if given is None or isinstance(given, str | int | float | bool):
        return shown(given)
    return f"<class {given.__name__}>" if isinstance(given, type) else f"<{type(given).__name__}>"


class _Plain:
    """A copy made of what JSON has; whatever else is met is noted with its place, and copying stops there."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        self.problems = problems
        self.around: set[int] = set()
        self.left = _MOST_VALUES

    def copy(self, value: Any, where: str, depth: int) -> Any:
        self.left -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float) and math.isfinite(value):
            return float(value)
        if isinstance(value, Mapping | list | tuple):
            return self._inside(value, where, depth)
        if isinstance(value, type) and where.endswith((".type", "type")) and value.__module__ == "builtins":
            return value.__name__  # {"type": str}: the rule about types says what to write
        self.problems.append((where, described(value)))
        return None

    def _inside(self, value: Any, where: str, depth: int) -> Any:
        if id(value) in self.around or depth > _DEEPEST or self.left < 0:
            self.problems.append((where, ENDLESS))
            return None
        self.around.add(id(value))
        try:
            if isinstance(value, Mapping):
                return dict(self._items(value, where, depth))
            return [self.copy(one, f"{where}[{n}]", depth + 1) for n, one in enumerate(value)]
        finally:
            self.around.discard(id(value))

    def _items(self, value: Mapping[Any, Any], where: str, depth: int) -> Iterator[tuple[str, Any]]:
        for key, held in value.items():
            if not isinstance(key, str):
                self.problems.append((where, safe_repr(key)))
                continue
            step = name_at(key)
            yield (
                str.__str__(key),
                self.copy(held, f"{where}{step}" if where else step.lstrip("."), depth + 1),
            )
