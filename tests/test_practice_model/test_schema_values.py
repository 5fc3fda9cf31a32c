"""The practice model's own reading of JSON Schema agrees with a real validator on the subset it states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from practice_model.decide.schema_values import fits, resolve, variants

NUMBERS = st.integers(-5, 5) | st.floats(-5, 5, allow_nan=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "ab", "abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=5,
)
LEAVES = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "number", "integer", "boolean", "null", "object", "array"])}
    ),
    st.fixed_dictionaries({"type": st.just(["string", "null"])}),
    st.fixed_dictionaries(
        {"enum": st.lists(st.sampled_from(["a", "ab", 1, 2, None, True]), min_size=1, max_size=3)}
    ),
    st.fixed_dictionaries({"const": st.sampled_from(["a", 1, None, False])}),
    st.fixed_dictionaries(
        {"type": st.just("number")},
        optional={"minimum": NUMBERS, "exclusiveMaximum": NUMBERS, "multipleOf": st.just(2)},
    ),
    st.fixed_dictionaries(
        {"type": st.just("string")}, optional={"minLength": st.integers(0, 3), "pattern": st.just("^a")}
    ),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner},
            optional={"maxItems": st.integers(0, 2), "uniqueItems": st.just(True)},
        ),
        st.fixed_dictionaries(
            {"type": st.just("array"), "prefixItems": st.lists(inner, min_size=1, max_size=2)}
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
            },
            optional={"required": st.just(["x"]), "additionalProperties": st.just(False) | inner},
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=4,
)


@given(SCHEMAS, VALUES)
def test_fits_agrees_with_jsonschema(schema, value):
    assert fits(value, schema, schema) == Draft202012Validator(schema).is_valid(value)


def test_references_are_followed():
    root = {
        "$defs": {"Size": {"type": "string", "enum": ["S", "M"]}},
        "properties": {"size": {"$ref": "#/$defs/Size"}},
    }
    assert fits({"size": "S"}, {"type": "object", **root}, root) and not fits(
        {"size": "XL"}, {"type": "object", **root}, root
    )


def test_a_reference_to_itself_ends():
    root = {"$defs": {"Node": {"$ref": "#/$defs/Node"}}}
    assert resolve({"$ref": "#/$defs/Node"}, root) == {}


def test_gemini_spelling_is_understood():
    assert fits(None, {"type": "STRING", "nullable": True}, {}) and not fits(1, {"type": "STRING"}, {})


@pytest.mark.parametrize(
    "schema", [{"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}]
)
def test_variants_leave_null_out(schema):
    (only,) = variants(schema, schema)
    assert only["type"] == "string"


def test_merged_parts_of_all_of():
    schema = {
        "allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]
    }
    merged = resolve(schema, schema)
    assert set(merged["properties"]) == {"a", "b"} and set(merged["required"]) == {"a", "b"}
