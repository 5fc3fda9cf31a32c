"""Whether a JSON Schema is one at all (draft 2020-12), checked by the table of what each keyword may hold.

Not a validator of data, and not complete: it names the mistakes that people make. What each provider's
strict mode allows beyond that is in the provider's own rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts.keywords import KEYWORDS
from ..facts.schemas import LISTS, MAPS, SINGLE, TYPES, schemas_in


def problem(schema: Any, place: str = "") -> str | None:
    """Return the first thing that is wrong with a schema, with its place, or None."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return f"{place or 'the schema'} should be an object"
    for keyword, value in schema.items():
        wrong = _type_problem(value) if keyword == "type" else _value_problem(keyword, value)
        if wrong:
            return f"{place}.{keyword} {wrong}" if place else f"{keyword} {wrong}"
    for name, child in children(schema):
        wrong = problem(child, f"{place}.{name}" if place else name)
        if wrong:
            return wrong
    return None


def children(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas directly inside a schema, each with its place in it, such as `properties.city`."""
    for keyword in (*MAPS, *LISTS, *SINGLE):
        for step, child in schemas_in(keyword, schema[keyword]) if keyword in schema else ():
            yield (keyword if step is None else f"{keyword}.{step}"), child


def walk(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the schema and every schema inside it, each with its place."""
    if isinstance(schema, dict):
        yield path, schema
        for place, child in children(schema):
            keyword, _, name = place.partition(".")
            yield from walk(child, (*path, keyword, name) if name else (*path, keyword))


def _type_problem(value: Any) -> str | None:
    names = value if isinstance(value, list) and value else [value]
    unknown = [name for name in names if name not in TYPES]
    if unknown:
        return f"{unknown[0]!r} is not a type; the types are {', '.join(TYPES)}"
    return None if len({str(name) for name in names}) == len(names) else "names a type twice"


def _value_problem(keyword: str, value: Any) -> str | None:
    kind = KEYWORDS.get(keyword)
    return None if kind is None or kind.fits(value) else f"should be {kind.text}"
