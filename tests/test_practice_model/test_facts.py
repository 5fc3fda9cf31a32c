"""The linter and the practice model agree on what strict modes take, keyword by keyword."""

from __future__ import annotations

from typing import Any

import pytest
from schema_providers import refusal

from course_lib.linting import lint
from practice_model.facts.keywords import GEMINI_KEYWORDS, KEYWORDS, STRICT_REFUSED
from practice_model.facts.schemas import camel_case
from practice_model.wires.gemini.shapes import Schema

A_TEXT = {"type": "string"}
AN_OBJECT = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
A_LIST = {"type": "array", "items": A_TEXT}
A_NUMBER = {"type": "integer"}
# Each keyword where it means something: a schema that is valid JSON Schema.
SAMPLES: dict[str, dict[str, Any]] = {
    "properties": AN_OBJECT,
    "patternProperties": {**AN_OBJECT, "patternProperties": {"^x": A_TEXT}},
    "$defs": {**A_TEXT, "$defs": {"Name": A_TEXT}},
    "definitions": {**A_TEXT, "definitions": {"Name": A_TEXT}},
    "dependentSchemas": {**AN_OBJECT, "dependentSchemas": {"x": AN_OBJECT}},
    "anyOf": {"anyOf": [A_TEXT, A_NUMBER]},
    "oneOf": {"oneOf": [A_TEXT, A_NUMBER]},
    "allOf": {"allOf": [A_TEXT]},
    "prefixItems": {**A_LIST, "prefixItems": [A_TEXT]},
    "items": A_LIST,
    "additionalProperties": AN_OBJECT,
    "not": {**A_TEXT, "not": {"type": "null"}},
    "if": {**A_TEXT, "if": A_TEXT},
    "then": {**A_TEXT, "then": A_TEXT},
    "else": {**A_TEXT, "else": A_TEXT},
    "contains": {**A_LIST, "contains": A_TEXT},
    "propertyNames": {**AN_OBJECT, "propertyNames": A_TEXT},
    "unevaluatedItems": {**A_LIST, "unevaluatedItems": A_TEXT},
    "unevaluatedProperties": {**AN_OBJECT, "unevaluatedProperties": A_TEXT},
    "type": A_TEXT,
    "enum": {**A_TEXT, "enum": ["a", "b"]},
    "const": {**A_TEXT, "const": "a"},
    "default": {**A_TEXT, "default": "a"},
    "examples": {**A_TEXT, "examples": ["a"]},
    "required": AN_OBJECT,
    "dependentRequired": {**AN_OBJECT, "dependentRequired": {"a": ["b"]}},
    **{word: {**A_NUMBER, word: 2} for word in ("minimum", "maximum", "multipleOf")},
    **{word: {**A_NUMBER, word: 2} for word in ("exclusiveMinimum", "exclusiveMaximum")},
    **{word: {**A_TEXT, word: 2} for word in ("minLength", "maxLength")},
    **{word: {**A_LIST, word: 2} for word in ("minItems", "maxItems", "minContains", "maxContains")},
    **{word: {**AN_OBJECT, word: 0} for word in ("minProperties", "maxProperties")},
    "uniqueItems": {**A_LIST, "uniqueItems": True},
    "pattern": {**A_TEXT, "pattern": "^a+$"},
    "format": {**A_TEXT, "format": "date"},
    "title": {**A_TEXT, "title": "A"},
    "description": {**A_TEXT, "description": "A text."},
    "$ref": {"$ref": "#/$defs/Box"},
    "$id": {**A_TEXT, "$id": "https://example.org/a"},
    "$schema": {**A_TEXT, "$schema": "https://json-schema.org/draft/2020-12/schema"},
    "$comment": {**A_TEXT, "$comment": "a"},
    "$anchor": {**A_TEXT, "$anchor": "a"},
    "$dynamicRef": {**A_TEXT, "$dynamicRef": "#a"},
    "$dynamicAnchor": {**A_TEXT, "$dynamicAnchor": "a"},
    "$vocabulary": {**A_TEXT, "$vocabulary": {}},
    "discriminator": {"anyOf": [A_TEXT, A_NUMBER], "discriminator": {"propertyName": "by"}},
    "dependencies": {**AN_OBJECT, "dependencies": {}},
    "contentEncoding": {**A_TEXT, "contentEncoding": "base64"},
    "contentMediaType": {**A_TEXT, "contentMediaType": "text/plain"},
    "contentSchema": {**A_TEXT, "contentSchema": {}},
    **{word: {**A_TEXT, word: True} for word in ("deprecated", "readOnly", "writeOnly")},
}


def definition(provider: str, field: dict[str, Any], strict: bool) -> dict[str, Any]:
    """A tool with one parameter of this schema."""
    schema = {
        "type": "object",
        "properties": {"x": field},
        "required": ["x"],
        "additionalProperties": False,
        "$defs": {"Box": AN_OBJECT},
    }
    head = {"name": "find_box", "description": "Find a box when the user names one.", "strict": strict}
    if provider == "anthropic":
        return {**head, "input_schema": schema}
    return {"type": "function", "function": {**head, "parameters": schema}}


def disagreement(provider: str, field: dict[str, Any], strict: bool) -> tuple[str, str] | None:
    """Return what the linter and the practice model say of a field, if only one of them refuses it."""
    given = definition(provider, field, strict)
    errors, refused = str(lint(given).errors or ""), refusal(provider, given) or ""
    return (errors, refused) if bool(errors) != bool(refused) else None


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_lint_and_the_service_agree_on_every_keyword(keyword, provider, strict):
    assert keyword in SAMPLES[keyword]
    assert disagreement(provider, SAMPLES[keyword], strict) is None
    refused = keyword in STRICT_REFUSED[provider] or (provider, keyword) == ("anthropic", "minItems")
    assert bool(refusal(provider, definition(provider, SAMPLES[keyword], strict))) == (strict and refused)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("keyword", sorted({word for words in STRICT_REFUSED.values() for word in words}))
def test_a_refused_keyword_is_refused_beside_any_type(keyword, provider):
    for kind in (A_TEXT, A_NUMBER, A_LIST, AN_OBJECT, {"anyOf": [A_TEXT, A_NUMBER]}):
        field = {**kind, keyword: SAMPLES[keyword][keyword]}
        assert disagreement(provider, field, strict=True) is None


@pytest.mark.parametrize(
    "field",
    [
        {"allOf": [{"$ref": "#/$defs/Box"}]},
        {"enum": [{"a": 1}, ["b"]]},
        {"$ref": "https://example.org/a"},
        {"$ref": "#/$defs/Nothing"},
        {"type": "array", "items": {**A_TEXT, "minLength": 2}},
        {"type": "object"},
        {"type": "object", "properties": {}, "additionalProperties": A_TEXT},
        {**A_TEXT, "format": "uri"},
        {**A_TEXT, "format": "byte"},
        {**A_TEXT, "pattern": r"\bx"},
        {**A_LIST, "minItems": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_lint_and_the_service_agree_on_what_keywords_hold(field, provider):
    assert disagreement(provider, field, strict=True) is None


def test_gemini_reads_the_keywords_that_the_linter_takes():
    assert {camel_case(name) for name in Schema.model_fields} == GEMINI_KEYWORDS
