"""What the library `jsonschema` finds that our own rules do not look for, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator

from .found import Found, error
from .parts import Definition, name_at
from .vocabulary import EXPECTED

_CHECKED = frozenset([*EXPECTED, "type", "required", "const", "default"])
"""What our own rules have looked at: most schemas hold nothing else, and the library is slow to load."""

__all__ = ["invalid"]


def invalid(one: Definition) -> Iterator[Found]:
    """Where a schema is not valid JSON Schema 2020-12; nothing without the library."""
    if one.is_openapi or not isinstance(one.schema, dict):
        return
    if all(set(part.schema) <= _CHECKED for part in one.parts):
        return
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return
    for problem in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(one.schema):
        steps = (
            f"[{step}]" if isinstance(step, int) else name_at(str(step)) for step in problem.absolute_path
        )
        yield error("schema-invalid", one.root + "".join(steps), problem=problem.message[:200])
        return
