"""Moving what a schema cannot say to a provider into the description, where the model can still read it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .walking import Schema

WORDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "format": "format {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "exactly": "exactly {} items",
    "uniqueItems": "each item once",
    "minProperties": "at least {} fields",
    "maxProperties": "at most {} fields",
    "enum": "one of {}",
    "prefixItems": "in this order: {}",
    "examples": "for example {}",
    "default": "default {}",
}
__all__ = ["WORDS", "tell"]


def tell(part: Schema, keywords: Iterable[str]) -> Schema:
    """A schema without these keywords, and with what they said at the end of its description.

    >>> tell({"type": "integer", "minimum": 1, "description": "How many."}, ["minimum"])
    {'type': 'integer', 'description': 'How many. (at least 1)'}
    """
    keywords = set(keywords)
    left = {keyword: value for keyword, value in part.items() if keyword not in keywords}
    # In the order of the table: limits stand together, and the default comes last.
    told = {word: _text(word, part[word]) for word in WORDS if word in part and word in keywords}
    if "minItems" in told and told["minItems"] == told.get("maxItems"):
        told = {"exactly": told.pop("minItems"), **told}
        del told["maxItems"]
    remarks = "; ".join(WORDS[word].format(text) for word, text in told.items())
    return {**left, "description": f"{left.get('description', '')} ({remarks})".strip()} if remarks else left


def _text(keyword: str, value: Any) -> str:
    if keyword == "prefixItems":
        kinds = [str(item.get("type", "any value")).lower() for item in value]
        return ", ".join(item.get("description", kind) for item, kind in zip(value, kinds, strict=True))
    if keyword in ("enum", "examples"):
        return ", ".join(json.dumps(one, ensure_ascii=False) for one in value)
    return value if keyword in ("pattern", "format") else json.dumps(value, ensure_ascii=False)
