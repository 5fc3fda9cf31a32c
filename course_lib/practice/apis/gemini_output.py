"""Structured output: the schema that an answer must fit, and answers that are no objects.

Only Gemini's answers may be a bare list or a bare value. The rest of the practice model fills objects, so a
bare schema is put into one, and the answer is taken out of it again.
"""

from __future__ import annotations

import json
from typing import Any

from .gemini_schema import to_json_schema
from .gemini_shapes import GenerationConfig

KEY = "value"

__all__ = ["for_the_brain", "from_the_brain"]


def for_the_brain(config: GenerationConfig) -> dict[str, Any] | None:
    """The JSON Schema of an object that the answer must fit; None where any text will do."""
    schema = _schema(config)
    if schema is None or not _is_bare(schema):
        return schema
    definitions = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    inner = {name: part for name, part in schema.items() if name not in definitions}
    return {"type": "object", "properties": {KEY: inner}, "required": [KEY], **definitions}


def from_the_brain(text: str, config: GenerationConfig) -> str:
    """The answer in the form that was asked for; it may be cut off at the limit."""
    schema = _schema(config)
    if schema is None or not _is_bare(schema):
        return text
    try:
        value = json.loads(text)[KEY]
    except (ValueError, KeyError, TypeError):
        return text.removeprefix(f'{{"{KEY}": ')
    if config.response_mime_type == "text/x.enum":  # without the quotation marks of JSON
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _schema(config: GenerationConfig) -> dict[str, Any] | None:
    # A schema without a type of answer that can follow it is not looked at, as on the real service.
    if config.response_mime_type not in ("application/json", "text/x.enum"):
        return None
    if config.response_schema is not None:
        return to_json_schema(config.response_schema)
    schema = config.response_json_schema
    return schema if isinstance(schema, dict) else {"type": "object"}


def _is_bare(schema: dict[str, Any]) -> bool:
    """Whether a schema asks for something else than an object."""
    return schema.get("type", "object") != "object" or ("enum" in schema and "properties" not in schema)
