"""What keeps the work that a request makes bounded: patterns matched without backtracking, and its size.

The services have limits on the size of schemas, too, of which only those of strict ones are known
(`facts/strict.py`). Each here lies above what programs send, and so low that what is within all of them is
decided in a second or two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

from ..facts.schemas import LISTS, MAPS, SINGLE, schemas_in
from ..request import JSON, Request

# Patterns -----------------------------------------------------------------------------------------
# Python's own engine can take hours for "(x+x+)+y"; pydantic-core's tries all ways at once, in time that is
# the pattern's size times the text's length. It has no look-around and no references to groups.

LONGEST_PATTERN = 1_000  # characters of a pattern that is judged
MOST_STEPS = 1_000_000  # a pattern's size times the text's length; more are not taken
_PATTERN_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]|\{(\d+)(?:,(\d*))?\}|.", re.DOTALL)
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern of a schema is somewhere in a text; True where we cannot judge it.

    That is a pattern which refers to its own groups, or is no pattern, or would be too much work. A
    look-around is left out, so that what remains is judged.
    """
    matcher = _matcher(pattern) if len(pattern) <= LONGEST_PATTERN else None
    if matcher is None or pattern_size(pattern) * len(text) > MOST_STEPS:
        return True
    return matcher.isinstance_python(text)


@lru_cache(maxsize=100)
def _matcher(pattern: str) -> SchemaValidator | None:
    for one in (pattern, _without_look_around(pattern)):
        try:
            return SchemaValidator(core_schema.str_schema(pattern=one, regex_engine="rust-regex"))
        except SchemaError:
            continue
    return None


def _without_look_around(pattern: str) -> str:
    """Return a pattern without what it only looks at: it then matches the same texts, and others."""
    kept, depth = "", 0
    for token in _PATTERN_TOKEN.finditer(pattern):
        if depth or _LOOK_AROUND.match(pattern, token.start()):
            depth += {"(": 1, ")": -1}.get(token.group(), 0)
        else:
            kept += token.group()
    return kept


@lru_cache(maxsize=1_000)
def pattern_size(pattern: str) -> int:
    """Return how many single characters a pattern spells out: 12 for "(ab){6}"; of a long one its length."""
    if len(pattern) > LONGEST_PATTERN:
        return len(pattern)
    sizes, last = [0], 0
    for token in _PATTERN_TOKEN.finditer(pattern):
        if token.group() == "(":
            sizes.append(0)
            last = 0
        elif token.group() == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif token[1]:
            times = max(1, *(int(count[:9]) for count in token.groups() if count))
            sizes[-1] += last * (times - 1)
            last *= times
        else:
            last = 1
            sizes[-1] += 1
    return sum(sizes)


# The size of a request ----------------------------------------------------------------------------

MOST_TOOLS = 500
MOST_SCHEMAS = 5_000
"""Fields and other schemas in all definitions together: OpenAI takes as many properties in a strict one."""
LARGE_PATTERN, MOST_OF_PATTERNS = 200, 10_000
"""From what size on a pattern counts, and what all of these may come to."""


def too_much(request: Request) -> str | None:
    """Return what is refused of a request because it would be too much work, or None."""
    if len(request.tools) > MOST_TOOLS:
        return f"Too many tools: {len(request.tools)}. (the practice model reads {MOST_TOOLS})"
    schemas = [tool.schema for tool in request.tools]
    schemas += [] if request.output_schema is None else [request.output_schema]
    parts = [part for schema in schemas for part in _inside(schema)]
    if len(parts) > MOST_SCHEMAS:
        how = f"{len(parts)} fields and other schemas in all, where the practice model reads {MOST_SCHEMAS}"
        return f"Schema is too complex. ({how})"
    found = {part["pattern"] for part in parts if isinstance(part.get("pattern"), str)}
    size = sum(size for pattern in found if (size := pattern_size(pattern)) > LARGE_PATTERN)
    if size > MOST_OF_PATTERNS:
        return (
            f"Schema is too complex. (its patterns spell out {size} characters: {MOST_OF_PATTERNS} are read)"
        )
    return None


def _inside(schema: Any) -> Iterator[JSON]:
    """Yield a schema and all schemas inside it."""
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            yield part
            for word in (*MAPS, *LISTS, *SINGLE):
                if word in part:
                    left += [child for _, child in schemas_in(word, part[word])]
