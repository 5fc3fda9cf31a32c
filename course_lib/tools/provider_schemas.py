"""The forms of a schema that providers ask for: strict for Anthropic and OpenAI, OpenAPI for Gemini.

Two rules are the same for both strict forms: every object is closed, and what the subset has no keyword for
is moved to the description. They differ in what is optional. Anthropic keeps `required` as it is. OpenAI
takes only objects that require every field, so what has a default becomes nullable, and a null that comes
back means "use the default".
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from practice_model.facts.keywords import (
    ANTHROPIC_LIMITS,
    GEMINI_KEYWORDS,
    HARD_PATTERN,
    MIN_ITEMS,
    OPENAI_LIMITS,
    STRICT_FORMATS,
    STRICT_REFUSED,
    anthropic_sizes,
    openai_sizes,
)

from ..errors import ToolSchemaError
from .schema import Schema, is_null, join, rebuild, type_name, walk, without

# Strict forms -------------------------------------------------------------------------------------

_WORDS = {
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
"""What a keyword says, in the words of a description."""

# Annotations, which constrain nothing. Some providers take some; the model reads them in the description.
_NOTES = "default examples deprecated contentMediaType contentSchema".split()
# What `schema.clean` and `only_lists` rewrite.
_REWRITTEN = ("oneOf", "prefixItems")
_MOVED = {
    provider: [*_NOTES, *(word for word in refused if word in _WORDS and word not in _REWRITTEN)]
    for provider, refused in STRICT_REFUSED.items()
}
_NO_STRICT_FORM = {
    provider: [word for word in refused if word not in (*_MOVED[provider], *_REWRITTEN)]
    for provider, refused in STRICT_REFUSED.items()
}


def strict(schema: Schema, provider: str, tool: str = "the schema") -> Schema:
    """Return a clean schema in the strict form of `provider`, "anthropic" or "openai".

    Raises ToolSchemaError, which names every parameter that has no strict form and what to write instead.
    """
    reasons = [reason for _, reason in reasons_against(schema, provider)]
    if reasons:
        raise ToolSchemaError("\n- ".join([f"{tool} has no strict form for {provider}:", *reasons]))
    return rebuild(schema, _anthropic if provider == "anthropic" else _openai)


def check_strict(schema: Schema, tool: str) -> None:
    """Raise ToolSchemaError if no provider has a strict form for a clean schema."""
    with contextlib.suppress(ToolSchemaError):
        strict(schema, "anthropic", tool)
        return
    strict(schema, "openai", tool)  # accepts a little more: its refusals are those that remain


def without_tuples(schema: Schema) -> Schema:
    """Return a schema that is not strict, for services that refuse a list without `items`."""
    return rebuild(schema, only_lists)


def reasons_against(schema: Schema, provider: str) -> Iterator[tuple[str, str]]:
    """Yield why a clean schema has no strict form: each place, and a sentence."""
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
    """Return whether a schema is an object whose keys are not known."""
    return part.get("type") == "object" and "properties" not in part


def only_lists(part: Schema) -> Schema:
    """Return a tuple as a list of fixed length, for services that have no `prefixItems`."""
    if "prefixItems" not in part:
        return part
    kinds: list[Schema] = []
    for item in part["prefixItems"]:
        kind = without(item, "description")
        kinds += [kind] if kind not in kinds else []
    items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return {**move_to_description(part, ["prefixItems"]), "items": items}


def _anthropic(part: Schema) -> Schema:
    part = only_lists(part)
    moved = [*_MOVED["anthropic"], *_refused_values(part, "anthropic")]
    if part.get("minItems", 0) not in MIN_ITEMS:
        moved.append("minItems")
    return _close(move_to_description(part, moved))


def _openai(part: Schema) -> Schema:
    part = _close(
        move_to_description(only_lists(part), [*_MOVED["openai"], *_refused_values(part, "openai")])
    )
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
    """Return a field that may be left out as one that may be null."""
    text = f"{part.get('description', '')} Null for the default.".strip()
    if _admits_null(part):
        return part
    rest = without(part, "description")
    choices = rest["anyOf"] if set(rest) == {"anyOf"} else [rest]
    return {"anyOf": [*choices, {"type": "null"}], "description": text}


def _admits_null(schema: Schema) -> bool:
    """Return whether null fits a schema, as far as its own keywords and its choices say."""
    kind = schema.get("type")
    if "anyOf" in schema:
        return any(_admits_null(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return None in schema["enum"]
    if kind is None:
        return "$ref" not in schema and "properties" not in schema
    return kind == "null" or (isinstance(kind, list) and "null" in kind)


def _refused_values(part: Schema, provider: str) -> list[str]:
    """Return the keywords that the provider knows but whose value here it refuses."""
    refused = ["format"] if part.get("format") not in (None, *STRICT_FORMATS[provider]) else []
    hard = provider == "anthropic" and bool(HARD_PATTERN.search(part.get("pattern", "")))
    return [*refused, "pattern"] if hard else refused


# Gemini's form: the subset of OpenAPI that `FunctionDeclaration.parameters` takes -----------------

# The keywords that are passed on. The others that Gemini takes are notes, or are written by `_convert`.
_KEPT = GEMINI_KEYWORDS - frozenset(
    "title nullable minProperties maxProperties example default propertyOrdering".split()
)
_NO_FORM = ("not", "if", "then", "else", "allOf", "dependentSchemas", "dependentRequired", "contains")
_SIMPLE = ("STRING", "NUMBER", "BOOLEAN")


def gemini_parameters(schema: Schema, tool: str) -> dict[str, Schema]:
    """Return what stands beside name and description in a declaration. Raises ToolSchemaError."""
    if reason := _reason_against_name(tool):
        raise ToolSchemaError(reason)
    # Gemini refused an object without properties until 2025; left out, they are accepted in any case.
    return {"parameters": to_gemini(schema, tool)} if schema["properties"] else {}


def to_gemini(schema: Schema, tool: str = "the schema") -> Schema:
    """Return a clean schema as Gemini writes it: upper-case types, `nullable`, no `$ref`, no closed objects.

    Only text may have an `enum`, and only date-times a `format`; what else the subset lacks is moved to the
    description. What may be anything becomes text, number, true or false. Raises ToolSchemaError for objects
    with any keys and for models that contain themselves.
    """
    reasons = [reason for _, reason in reasons_against_gemini(schema)]
    if reasons:
        raise ToolSchemaError("\n- ".join([f"{tool} cannot be declared to Gemini:", *reasons]))
    return rebuild(schema, _convert)


def reasons_against_gemini(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield why Gemini has no form for a clean schema: each place, and a sentence."""
    for path, part in walk(schema):
        if reason := _reason_against(path, part):
            yield path, reason
        for name, held in part.get("properties", {}).items():
            if is_null(held):
                yield join(path, name), f"'{join(path, name)}' is always null. Leave the parameter out."


def _reason_against_name(tool: str) -> str | None:
    if re.match("[a-zA-Z_]", tool):
        return None
    return (
        f"Gemini wants a letter or _ at the start of a tool's name, and '{tool}' has none. "
        f'Write @tool(name="tool_{tool}").'
    )


def _reason_against(path: str, part: Schema) -> str | None:
    if free_keys(part):
        return f"'{path}' is an object with any keys. Write a list of objects with key and value instead."
    if "properties" in part and not part["properties"] and path:
        return f"'{path}' is an object without fields. Give it a field, or leave the parameter out."
    if "$ref" in part:
        return f"'{path}' contains itself. Write the levels that you need as separate models."
    found = [keyword for keyword in _NO_FORM if keyword in part]
    return f"'{path}' uses '{found[0]}'. Check that in the function instead." if found else None


def _convert(part: Schema) -> Schema:
    part = only_lists(part)
    if is_null(part):
        return part  # its parent takes it as `nullable`
    kinds = part.get("type")
    if isinstance(kinds, list):
        return _convert({**without(part, "type", "enum"), "anyOf": [_one_kind(part, kind) for kind in kinds]})
    if "anyOf" in part:
        return _choice(part)
    if kinds is None:
        return {
            **move_to_description(part, set(part) - _KEPT),
            "anyOf": [{"type": kind} for kind in _SIMPLE],
            "nullable": True,
        }
    moved = set(part) - _KEPT
    if part.get("format") != "date-time":
        moved.add("format")
    if "enum" in part and (kinds != "string" or "" in part["enum"]):
        moved.add("enum")
    return {**move_to_description(part, moved), "type": kinds.upper()}


def _one_kind(part: Schema, kind: str) -> Schema:
    """Return the part of a mixed enum that has one type."""
    if kind == "null":
        return {"type": "null"}
    return _convert({"type": kind, "enum": [value for value in part["enum"] if type_name(value) == kind]})


def _choice(part: Schema) -> Schema:
    choices = [choice for choice in part["anyOf"] if not is_null(choice)]
    rest = move_to_description({**part, "anyOf": choices}, set(part) - _KEPT)
    if len(choices) == 1:
        del rest["anyOf"]
        rest = {**choices[0], **rest}
    return {**rest, "nullable": True} if len(choices) < len(part["anyOf"]) else rest


# Why a tool has no form ---------------------------------------------------------------------------


def refusals(schema: Schema, tool: str) -> dict[str, list[tuple[str | None, str]]]:
    """Return why a tool has no form for Gemini, or no strict form: each place, None for its name, and why."""
    name = _reason_against_name(tool)
    return {
        "Gemini": [(None, name)] if name else list(reasons_against_gemini(schema)),
        "Anthropic strict": list(reasons_against(schema, "anthropic")),
        "OpenAI strict": list(reasons_against(schema, "openai")),
    }


# What has no keyword in a form goes to the description, where the model can still read it ---------


def move_to_description(part: Schema, keywords: Iterable[str]) -> Schema:
    """Return a schema without these keywords, and with what they say at the end of its description.

    >>> move_to_description({"type": "integer", "minimum": 1, "description": "How many."}, ["minimum"])
    {'type': 'integer', 'description': 'How many. (at least 1)'}
    """
    keywords = set(keywords)
    left = without(part, *keywords)
    # In the order of the table: limits stand together, and the default comes last.
    moved = {word: _text(word, part[word]) for word in _WORDS if word in part and word in keywords}
    if "minItems" in moved and moved["minItems"] == moved.get("maxItems"):
        moved = {"exactly": moved.pop("minItems"), **moved}
        del moved["maxItems"]
    remarks = "; ".join(_WORDS[word].format(text) for word, text in moved.items())
    return {**left, "description": f"{left.get('description', '')} ({remarks})".strip()} if remarks else left


def _text(keyword: str, value: Any) -> str:
    if keyword == "prefixItems":
        kinds = [str(item.get("type", "any value")).lower() for item in value]
        return ", ".join(item.get("description", kind) for item, kind in zip(value, kinds, strict=True))
    if keyword in ("enum", "examples"):
        return ", ".join(json.dumps(one, ensure_ascii=False) for one in value)
    return value if keyword in ("pattern", "format") else json.dumps(value, ensure_ascii=False)


# How large the strict tools of a request are together ---------------------------------------------


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
    """Return the limits of "anthropic" or "openai" that these strict schemas, by tool name, exceed."""
    if provider == "anthropic":
        counts = {name: anthropic_sizes(schema) for name, schema in schemas.items()}
        return [
            found
            for what, limit in ANTHROPIC_LIMITS.items()
            if (found := _over(what, {name: count[what] for name, count in counts.items()}, limit))
        ]
    return [
        OverLimit(what, count, limit, name, {name: count})
        for name, schema in schemas.items()
        for what, count in openai_sizes(schema).items()
        if count > (limit := OPENAI_LIMITS[what])
    ]


def _over(what: str, counts: Mapping[str, int], limit: int) -> OverLimit | None:
    total, culprit = 0, None
    for name, count in counts.items():
        total += count
        if total > limit and culprit is None:
            culprit = name
    most = dict(sorted(counts.items(), key=lambda item: -item[1]))
    return OverLimit(what, total, limit, culprit, most) if culprit is not None else None
