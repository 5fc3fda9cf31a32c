"""How large the strict tools of a request may be, and which tool brought them over.

Anthropic counts over all strict tools of a request; OpenAI counts in each schema. As of 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .walking import BY_NAME, Schema, walk

LARGE_ENUM = 250
ANTHROPIC = {"strict tools": 20, "optional parameters": 24, "union parameters": 16}
OPENAI = {
    "properties": 5_000,
    "levels of nesting": 10,
    "enum values": 1_000,
    "characters in names and enums": 120_000,
    f"characters in an enum of more than {LARGE_ENUM} values": 15_000,
}

__all__ = ["OverLimit", "limits_exceeded"]


@dataclass(frozen=True)
class OverLimit:
    """A limit that is exceeded."""

    what: str
    count: int
    limit: int
    brought_over_by: str
    """The tool with which the count went over the limit."""
    per_tool: Mapping[str, int]
    """The tools that count, the largest first."""

    def __str__(self) -> str:
        most = ", ".join(f"{name} ({count})" for name, count in list(self.per_tool.items())[:3])
        over = f"{self.count} {self.what} (limit {self.limit})"
        return f"{over}, over with {self.brought_over_by}; most in {most}"


def limits_exceeded(schemas: Mapping[str, Schema], provider: str) -> list[OverLimit]:
    """The limits of `provider` ("anthropic" or "openai") that these strict schemas, by tool name, exceed."""
    if provider == "anthropic":
        counts = {name: _anthropic_counts(schema) for name, schema in schemas.items()}
        return [
            found
            for what, limit in ANTHROPIC.items()
            if (found := _over(what, {name: count[what] for name, count in counts.items()}, limit))
        ]
    return [
        OverLimit(what, count, limit, name, {name: count})
        for name, schema in schemas.items()
        for (what, limit), count in zip(OPENAI.items(), _openai_counts(schema), strict=True)
        if count > limit
    ]


def _over(what: str, counts: Mapping[str, int], limit: int) -> OverLimit | None:
    total, culprit = 0, None
    for name, count in counts.items():
        total += count
        if total > limit and culprit is None:
            culprit = name
    most = dict(sorted(counts.items(), key=lambda item: -item[1]))
    return OverLimit(what, total, limit, culprit, most) if culprit is not None else None


def _anthropic_counts(schema: Schema) -> dict[str, int]:
    parts = [part for _, part in walk(schema)]
    return {
        "strict tools": 1,
        "optional parameters": sum(
            len(set(part.get("properties", ())) - set(part.get("required", ()))) for part in parts
        ),
        "union parameters": sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts),
    }


def _openai_counts(schema: Schema) -> list[int]:
    parts = [part for _, part in walk(schema)]
    enums = [[str(value) for value in part["enum"]] for part in parts if "enum" in part]
    names = [name for part in parts for keyword in BY_NAME for name in part.get(keyword, ())]
    return [
        sum(len(part.get("properties", ())) for part in parts),
        _depth(schema),
        sum(map(len, enums)),
        _letters(names) + sum(map(_letters, enums)),
        max((_letters(enum) for enum in enums if len(enum) > LARGE_ENUM), default=0),
    ]


def _letters(texts: Iterable[str]) -> int:
    return sum(map(len, texts))


def _depth(schema: object) -> int:
    """How many schemas stand inside each other; the choices of one place are one level."""
    if not isinstance(schema, dict):
        return 0
    inside = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    beside = [*schema.get("anyOf", ()), *schema.get("$defs", {}).values()]
    return max([1, *(1 + _depth(part) for part in inside), *map(_depth, beside)])
