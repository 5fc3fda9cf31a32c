"""What the parameters of a tool definition say: their words, and the kinds of facts that they want."""

from __future__ import annotations

import re
from typing import Any

from .language import features, split_identifier
from .shape import resolve, variants
from .values import measures_wanted
from .wants import Parameter, is_words, names_a_thing, parameter

PARAMETER, PARAMETER_TEXT, VALUE = 1.2, 0.6, 0.8
LONGEST = 4_000  # characters of a description that are read
_CODE = re.compile(r"(?<![\w.,$€£/-])(?=[\w-]*\d)[A-Za-z]{0,8}[-_]?\d[\w-]{0,30}(?![\w%€/]|[.,-]\d)")


def read_parameters(schema: dict[str, Any], add: Any) -> list[str]:
    """Add the words of the parameters; the kinds that the required ones want."""
    root = resolve(schema, schema)
    needs: list[str] = []
    required = root.get("required") if isinstance(root.get("required"), list) else []
    for key, sub in properties_of(schema).items():
        sub = resolve(sub, schema)
        one = parameter(key, sub)
        add(split_identifier(key), PARAMETER)
        add(one.description[:LONGEST], PARAMETER_TEXT)
        for option in variants(sub, schema):
            values = option.get("enum") if isinstance(option.get("enum"), list) else []
            add(" ".join(split_identifier(str(value)) for value in values[:50]), VALUE)
        if key in required:
            needs.append(_need(one, sub))
    return needs


def properties_of(schema: dict[str, Any]) -> dict[str, Any]:
    root = resolve(schema, schema)
    return root.get("properties") if isinstance(root.get("properties"), dict) else {}


def takes_of(schema: dict[str, Any]) -> frozenset[str]:
    """The kind of fact that each text parameter that is not required wants first."""
    required = resolve(schema, schema).get("required") or []
    found = set()
    for key, sub in properties_of(schema).items():
        sub = resolve(sub, schema)
        texts = [option for option in variants(sub, schema) if option.get("type", "string") == "string"]
        if key not in required and texts and "enum" not in sub:
            found.add(parameter(key, sub | texts[0]).kinds[0])
    return frozenset(found)


def topical(schema: dict[str, Any]) -> bool:
    """Whether one of its text parameters takes what something is about: "keyword", "query"."""
    return any(
        "topic" in one.kinds and one.type in ("string", "") and "enum" not in one.schema
        for key, sub in properties_of(schema).items()
        for one in [parameter(key, resolve(sub, schema))]
        if not is_words(one)
    )


def values_of(schema: dict[str, Any]) -> frozenset[str]:
    """The features that the values of enums name fully."""
    return frozenset(
        feature
        for sub in properties_of(schema).values()
        for option in variants(resolve(sub, schema), schema)
        for value in (option.get("enum") if isinstance(option.get("enum"), list) else [])[:50]
        for feature, weight in features(split_identifier(str(value))).items()
        if weight == 1
    )


def measures_of(schema: dict[str, Any]) -> dict[str, str]:
    """What each required number measures ("mass"), and the parameter's name."""
    required = resolve(schema, schema).get("required") or []
    found: dict[str, str] = {}
    for key, sub in properties_of(schema).items():
        one = parameter(key, resolve(sub, schema))
        if key in required and one.type in ("integer", "number"):
            for measure in measures_wanted(one) - {"time"}:
                found.setdefault(measure, key)
    return found


def forms_of(schema: dict[str, Any]) -> dict[str, str]:
    """The forms of the examples that the definition gives of a number or code: {"AAA-999": "sku"}.

    Only those that are not like any other number: at least three digits, or letters with digits.
    """
    required = resolve(schema, schema).get("required") or []
    found: dict[str, str] = {}
    for key, sub in properties_of(schema).items():
        one = parameter(key, resolve(sub, schema))
        names_one = one.kinds[0] == "identifier" and one.type != "number" and "enum" not in one.schema
        if key in required and names_one:
            examples = one.schema.get("examples") if isinstance(one.schema.get("examples"), list) else []
            for text in [*_CODE.findall(one.description[:LONGEST]), *map(str, examples[:20])]:
                form = shape_of(text)
                if form.count("9") > 2 or ("A" in form and "9" in form and len(form) > 2):
                    found.setdefault(form, key)
    return found


def shape_of(text: str) -> str:
    """The form of a number or code: "A" for a letter, "9" for a digit: SKU-990 -> AAA-999."""
    return re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "A", text.lstrip("# ")))


def _need(one: Parameter, schema: dict[str, Any]) -> str:
    """The kind of fact that a required parameter wants first: an amount is a "number", the number of a thing
    a "numeral"."""
    if one.type in ("integer", "number"):
        return "numeral" if names_a_thing(one) else "number"
    return "" if "enum" in schema else one.kinds[0]
