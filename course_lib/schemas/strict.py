"""The strict form of a schema: providers promise arguments that fit, if the schema keeps to their subset.

Two rules are the same for both: every object is closed, and what the subset has no keyword for is told in the
description. They differ in what is optional. Anthropic keeps `required` as it is. OpenAI wants every field
required, so what has a default becomes nullable, and a null that comes back means "use the default".

What each takes stands in `subset`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import ToolSchemaError
from .subset import FORMATS, HARD_PATTERN, REFUSED
from .telling import WORDS, tell
from .walking import Schema, admits_null, rebuild, walk

# Notes that promise nothing. Some providers take some of them; the model reads them in the description.
_NOTES = "default examples deprecated contentMediaType contentSchema".split()
# What `clean` and `only_lists` write otherwise.
_REWRITTEN = ("oneOf", "prefixItems")
_TOLD = {
    provider: [*_NOTES, *(word for word in refused if word in WORDS and word not in _REWRITTEN)]
    for provider, refused in REFUSED.items()
}
_NO_STRICT_FORM = {
    provider: [word for word in refused if word not in (*_TOLD[provider], *_REWRITTEN)]
    for provider, refused in REFUSED.items()
}

__all__ = ["free_keys", "only_lists", "reasons_against", "strict", "without_tuples"]


def strict(schema: Schema, provider: str, tool: str = "the schema") -> Schema:
    """A clean schema in the strict form of `provider`, "anthropic" or "openai".

    Raises ToolSchemaError, which names every parameter that has no strict form and what to write instead.
    """
    reasons = [reason for _, reason in reasons_against(schema, provider)]
    if reasons:
        raise ToolSchemaError("\n- ".join([f"{tool} has no strict form for {provider}:", *reasons]))
    return rebuild(schema, _anthropic if provider == "anthropic" else _openai)


def without_tuples(schema: Schema) -> Schema:
    """A schema that is not strict, for those who refuse a list without `items`."""
    return rebuild(schema, only_lists)


def reasons_against(schema: Schema, provider: str) -> Iterator[tuple[str, str]]:
    """Why a clean schema has no strict form: each place, and a sentence."""
    for path, part in walk(schema):
        place = f"'{path}'" if path else "the whole"
        if free_keys(part):
            yield (
                path,
                f"{place} is an object with any keys. Write a list of objects with the fields key and value "
                "instead, or leave the tool without strict (strict=False).",
            )
        elif not {"type", "anyOf", "enum", "$ref", "allOf"} & set(part):
            yield (
                path,
                f"{place} may be anything. Give it a type, or leave the tool without strict (strict=False).",
            )
        elif "$ref" in part and provider == "anthropic":
            yield (
                path,
                f"{place} contains itself, which Anthropic refuses. Write the levels that you need as "
                "separate models, or leave the tool without strict (strict=False).",
            )
        for keyword in () if free_keys(part) else _NO_STRICT_FORM[provider]:
            if keyword in part:
                yield path, f"{place} uses '{keyword}'. Check that in the function instead."


def free_keys(part: Schema) -> bool:
    """Whether a schema is an object whose keys are not known."""
    return part.get("type") == "object" and "properties" not in part


def only_lists(part: Schema) -> Schema:
    """A tuple as a list of fixed length, for those who have no `prefixItems`."""
    if "prefixItems" not in part:
        return part
    kinds: list[Schema] = []
    for item in part["prefixItems"]:
        kind = {keyword: value for keyword, value in item.items() if keyword != "description"}
        kinds += [kind] if kind not in kinds else []
    items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return {**tell(part, ["prefixItems"]), "items": items}


def _anthropic(part: Schema) -> Schema:
    part = only_lists(part)
    told = [*_TOLD["anthropic"], *_unread(part, "anthropic")]
    if part.get("minItems", 0) > 1:
        told.append("minItems")
    return _close(tell(part, told))


def _openai(part: Schema) -> Schema:
    part = _close(tell(only_lists(part), [*_TOLD["openai"], *_unread(part, "openai")]))
    if "$ref" in part and len(part) > 1:  # nothing may stand beside a reference
        part = {"anyOf": [{"$ref": part.pop("$ref")}], **part}
    if "properties" not in part:
        return part
    required = part.get("required", ())
    properties = {
        name: held if name in required else _or_null(held) for name, held in part["properties"].items()
    }
    return {**part, "properties": properties, "required": list(properties)}


def _close(part: Schema) -> Schema:
    return {**part, "additionalProperties": False} if "properties" in part else part


def _or_null(part: Schema) -> Schema:
    """A field that may be left out, as one that may be null."""
    text = f"{part.get('description', '')} Null for the default.".strip()
    if admits_null(part):
        return part
    rest = {keyword: value for keyword, value in part.items() if keyword != "description"}
    choices = rest["anyOf"] if set(rest) == {"anyOf"} else [rest]
    return {"anyOf": [*choices, {"type": "null"}], "description": text}


def _unread(part: Schema, provider: str) -> list[str]:
    """The keywords of a schema that the provider knows, with values that it does not take."""
    unread = ["format"] if part.get("format") not in (None, *FORMATS[provider]) else []
    hard = provider == "anthropic" and bool(HARD_PATTERN.search(part.get("pattern", "")))
    return [*unread, "pattern"] if hard else unread
