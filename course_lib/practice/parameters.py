"""What the parameters of a tool definition say: their words, and the kinds of facts that they want."""

from __future__ import annotations

from typing import Any

from .language import split_identifier
from .shape import resolve, variants
from .wants import Parameter, names_a_thing, parameter

PARAMETER, PARAMETER_TEXT, VALUE = 1.2, 0.6, 0.8
LONGEST = 4_000  # characters of a description that are read


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
    optional = [
        parameter(key, resolve(sub, schema))
        for key, sub in properties_of(schema).items()
        if key not in required
    ]
    return frozenset(one.kinds[0] for one in optional if one.type == "string" and "enum" not in one.schema)


def _need(one: Parameter, schema: dict[str, Any]) -> str:
    """The kind of fact that a required parameter wants first: an amount is a "number", the number of a thing
    a "numeral"."""
    if one.type in ("integer", "number"):
        return "numeral" if names_a_thing(one) else "number"
    return "" if "enum" in schema else one.kinds[0]
