"""Arguments as a model sent them: made Python objects, or refused with every problem that they have.

Pydantic checks first without any leniency, as JSON: a date may be text, but "5" is no integer and true is
no 1. What it objects to is then repaired, where there is no doubt what was meant, and checked again:

- text that is a number, where the schema says integer or number; 5.0 where it says integer;
- text that says true or false, where it says boolean;
- text that is JSON, where it says array or object;
- null for what may be left out and may not be null: the default applies, as in strict schemas.

Nothing else is guessed. Text is never made from a number: the postcode 08001 would come back as "8001".
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from ..errors import ArgumentProblem, ToolArgumentError
from .schema import Schema, type_name

_NOT_JSON = (PydanticSerializationError, ValueError, RecursionError)
_TEXT_LIMIT = 200


def read_arguments(arguments: Mapping[str, Any] | str, tool: str) -> dict[str, Any]:
    """Return arguments as a dictionary: from text as it came over the wire, or from what was parsed already.

    No text at all means no arguments, and so does null. Text that is not JSON is never taken for "no
    arguments": the tool would run with its defaults.
    """
    if isinstance(arguments, str):
        text = arguments.strip() or "{}"
        try:
            arguments = json.loads(text)
            if isinstance(arguments, str):  # some servers encode twice
                arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            cut = text if len(text) <= _TEXT_LIMIT else f"{text[:_TEXT_LIMIT]}…"
            raise _refusal(tool, f"the arguments are not valid JSON ({error}): {cut}") from None
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        is_json = isinstance(arguments, str | int | float | list | tuple)
        kind = type_name(arguments) if is_json else type(arguments).__name__
        raise _refusal(tool, f"the arguments must be a JSON object, not {kind}")
    return dict(arguments)


def _refusal(tool: str, what: str) -> ToolArgumentError:
    return ToolArgumentError(tool, [ArgumentProblem("", what)])


def check_arguments(
    adapter: TypeAdapter[dict[str, Any]], schema: Schema, arguments: Mapping[str, Any], tool: str
) -> dict[str, Any]:
    """Return the arguments as the function takes them: models, enums, dates.

    Raises ToolArgumentError, which names all problems at once.
    """
    try:
        data = _copied(arguments)  # so that repairing changes nobody else's
    except _NOT_JSON as error:
        raise ToolArgumentError(tool, _not_json(dict(arguments), error)) from None
    repaired: dict[Steps, Any] = {}
    while True:
        try:
            found, errors = adapter.validate_json(json.dumps(data), strict=True), []
        except ValidationError as error:
            found, errors = {}, error.errors(include_url=False, include_context=False)
        if not _repair(data, errors, schema, repaired):
            break
    problems = {
        **_unnoticed(data, schema),
        **_in_words(errors, data, repaired),
        **_unknown(data, schema),
    }
    if problems:
        raise ToolArgumentError(tool, [ArgumentProblem(where, what) for where, what in problems.items()])
    return found


def _copied(value: Any) -> Any:
    copy = json.loads(to_json(value))
    json.dumps(copy)  # which refuses a whole number of thousands of digits
    return copy


def _not_json(arguments: dict[str, Any], error: Exception) -> list[ArgumentProblem]:
    """Return which values cannot be sent; the whole, where it is no single value."""
    found = []
    for steps, value in leaves(arguments):
        try:
            _copied(value)
        except _NOT_JSON as problem:
            found.append(ArgumentProblem(spell(steps), f"is not JSON: {_first_line(problem)}"))
    return found or [ArgumentProblem("", f"the arguments are not JSON: {_first_line(error)}")]


def _first_line(error: Exception) -> str:
    text = str(error).partition("\n")[0].removeprefix("Error serializing to JSON: ")
    return "half of a character (a lone surrogate) is no text" if "surrogates" in text else text


# What is surely meant otherwise -------------------------------------------------------------------

_INTEGER = re.compile(r"\s*[+-]?\d{1,100}(\.0+)?\s*")
_NUMBER = re.compile(r"\s*[+-]?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?\s*")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NO_REPAIR = object()


def _repair(data: Any, errors: list[ErrorDetails], schema: Schema, repaired: dict[Steps, Any]) -> bool:
    """Change in place what is surely meant otherwise; return whether anything was."""
    done = set()
    for error in errors:
        steps = resolve(data, error["loc"])
        if error["type"] in ("missing", "extra_forbidden") or _is_of_a_key(error):
            continue
        if not steps or steps in done:
            continue
        *before, last = steps
        holder = data
        for step in before:
            holder = holder[step]
        value = holder[last]
        if value is None and _may_be_left_out(schema, steps):
            del holder[last]
        else:
            better = _better(error["type"], value)
            if better is _NO_REPAIR:
                continue
            holder[last] = better
        repaired.setdefault(steps, value)
        done.add(steps)
    return bool(done)


def _better(kind: str, value: Any) -> Any:
    """Return a value as Pydantic expects it, or _NO_REPAIR."""
    if isinstance(value, float) and kind == "int_type" and value.is_integer():
        return int(value)
    return _FROM_TEXT[kind](value) if isinstance(value, str) and kind in _FROM_TEXT else _NO_REPAIR


def _integer(text: str) -> Any:
    return int(text.partition(".")[0]) if _INTEGER.fullmatch(text) else _NO_REPAIR


def _number(text: str) -> Any:
    return float(text) if _NUMBER.fullmatch(text) and math.isfinite(float(text)) else _NO_REPAIR


def _boolean(text: str) -> Any:
    return _BOOLEANS.get(text.strip().lower(), _NO_REPAIR)


def _decoded(kind: type) -> Callable[[str], Any]:
    def decode(text: str) -> Any:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return _NO_REPAIR
        return found if isinstance(found, kind) else _NO_REPAIR

    return decode


_FROM_TEXT: dict[str, Callable[[str], Any]] = {
    "int_type": _integer,
    "float_type": _number,
    "bool_type": _boolean,
    # A choice of numbers: Literal[1, 2], or an enum of them.
    "literal_error": _integer,
    "enum": _integer,
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), _decoded(list)),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "dataclass_type"), _decoded(dict)),
}


def _may_be_left_out(schema: Schema, steps: Steps) -> bool:
    """Return whether a place is a field of an object, and not a required one."""
    return any(
        steps[-1] in part.get("properties", ()) and steps[-1] not in part.get("required", ())
        for part in schemas_at(schema, steps[:-1])
    )


# What is wrong, in words for the model that sent it -----------------------------------------------

_SAYS_HOW_MANY = ("too_long", "too_short")
_HOW_MANY = re.compile(r"( after validation)?, not (\d+|more)$")
_SUBJECT = re.compile(r"^[A-Z]\w+ (?=should )")
_LONGEST = 80
_TIMES = ("date-time", "date", "time", "duration")


def _in_words(errors: list[ErrorDetails], data: Any, repaired: Mapping[Steps, Any]) -> dict[str, str]:
    """Return one sentence for each place that has problems; for a union, what each of its members expects."""
    expected: dict[Steps, list[str]] = {}
    in_keys: set[Steps] = set()
    for error in errors:
        steps = resolve(data, error["loc"])
        if error["type"] == "missing":
            steps = (*steps, error["loc"][-1])
        words = _describe(error)
        if _is_of_a_key(error):
            words = f"has the key {_quote(steps[-1])}, which {words}"
            steps = steps[:-1]
            in_keys.add(steps)
        if words not in expected.setdefault(steps, []):
            expected[steps].append(words)
    return {
        spell(steps): " or ".join(words) + ("" if steps in in_keys else _instead_of(data, steps, repaired))
        for steps, words in expected.items()
    }


def _describe(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "extra_forbidden":
        return "does not exist there; leave it out"
    if error["type"] == "string_type":
        return "should be a string, in quotes"
    text = error["msg"].removeprefix("Value error, ")
    if error["type"] in _SAYS_HOW_MANY:
        text = _HOW_MANY.sub("", text)  # what was sent follows
    if error["type"] != "value_error":
        text = _SUBJECT.sub("", text)
    return text[:1].lower() + text[1:]


def _instead_of(data: Any, steps: Steps, repaired: Mapping[Steps, Any]) -> str:
    """Return what stood there, in the model's own words."""
    if not steps:
        return ""  # a check of a whole model: what it says is about all of them
    for length in range(len(steps), 0, -1):
        if isinstance(repaired.get(steps[:length]), str):
            return f", in what you sent: {_quote(repaired[steps[:length]])}"
    for step in steps:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return ""  # it is missing
    return f", not {_quote(data)}"


def _is_of_a_key(error: ErrorDetails) -> bool:
    """Return whether it is about the key of an object and not about what stands there: `dict[int, str]`."""
    return error["loc"][-1:] == ("[key]",)


def _quote(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _unnoticed(data: Any, schema: Schema) -> dict[str, str]:
    """Return what Pydantic lets pass and JSON Schema does not.

    That is true as a choice of 1, "1000" as a time, NaN, and a whole number that no float can hold.
    """
    found = {}
    for steps, value in leaves(data):
        parts = schemas_at(schema, steps)
        if isinstance(value, bool) and parts and not any(_admits(part, "boolean") for part in parts):
            found[spell(steps)] = f"should not be {_quote(value)}"
        elif isinstance(value, str) and _NUMBER.fullmatch(value):
            formats = [part.get("format") for part in parts if part.get("type") != "null"]
            if formats and all(one in _TIMES for one in formats):
                found[spell(steps)] = f"should have the format {formats[0]}, not {_quote(value)}"
        elif isinstance(value, float) and not math.isfinite(value) or _is_too_large(value, parts):
            found[spell(steps)] = "should be a number that JSON can write"
    return found


def _unknown(data: dict[str, Any], schema: Schema) -> dict[str, str]:
    """Return arguments that were made up, at any depth, with what there is instead.

    Objects with any keys take them, and so do models whose author wrote `extra="allow"` or "ignore".
    """
    found = {}
    for steps, held in values_in(data):
        parts = [part for part in schemas_at(schema, steps) if _admits(part, "object")]
        if not isinstance(held, dict) or not parts or any(map(_takes_any_keys, parts)):
            continue
        meant = [part for part in parts if _is_meant(part, held)] or parts
        names = list(dict.fromkeys(name for part in meant for name in part["properties"]))
        place = "there" if steps else "of this tool"
        known = f"the arguments {'there ' if steps else ''}are: {', '.join(names)}"
        known = known if names else "there are no arguments"
        found |= {
            spell((*steps, name)): f"is no argument {place}; {known}" for name in held if name not in names
        }
    return found


def _admits(part: Schema, kind: str) -> bool:
    return part.get("type", kind) == kind or kind in part["type"]


def _takes_any_keys(part: Schema) -> bool:
    return (
        "properties" not in part or part.get("additionalProperties", "patternProperties" in part) is not False
    )


def _is_meant(part: Schema, held: dict[str, Any]) -> bool:
    """Return whether an object has the fields and the tags of this choice of a union."""
    return set(part.get("required", ())) <= set(held) and all(
        held[name] in field["enum"]
        for name, field in part["properties"].items()
        if "enum" in field and name in held
    )


def _is_too_large(value: Any, parts: list[Schema]) -> bool:
    """Return whether a whole number stands for a float that cannot hold it."""
    if not isinstance(value, int) or abs(value) <= sys.float_info.max:
        return False
    return any(part.get("type") == "number" for part in parts)


# Places in a value, and the schemas that describe them ------------------------------------------------

Steps = tuple[str | int, ...]
"""How to get to a value: names of fields and numbers of items."""


def spell(steps: Steps) -> str:
    """Return a place as Python would write it: `box.prices[1]`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".")


def resolve(data: Any, location: Sequence[str | int]) -> Steps:
    """Return the steps of a location that lead somewhere.

    Pydantic's locations say also which member of a union it tried; those steps are not in the data.
    """
    steps = []
    for step in location:
        is_index = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if is_index or isinstance(data, dict) and step in data:
            data = data[step]
            steps.append(step)
    return tuple(steps)


def values_in(data: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield every value in some JSON, each with its place, the outer ones first."""
    yield steps, data
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in inside:
        yield from values_in(value, (*steps, step))


def leaves(data: Any) -> Iterator[tuple[Steps, Any]]:
    """Yield the values in some JSON that hold no others, each with its place."""
    return ((steps, value) for steps, value in values_in(data) if not isinstance(value, dict | list))


def schemas_at(schema: Schema, steps: Steps) -> list[Schema]:
    """Return the schemas that may describe a place: one, or several where there is a choice."""
    parts = _choices(schema, schema)
    for step in steps:
        parts = [
            choice for part in parts for inner in _inside(part, step) for choice in _choices(inner, schema)
        ]
    return parts


def _choices(part: Schema, root: Schema) -> list[Schema]:
    if "$ref" in part:
        part = root["$defs"][part["$ref"].removeprefix("#/$defs/")]
    if "anyOf" not in part:
        return [part]
    return [choice for one in part["anyOf"] for choice in _choices(one, root)]


def _inside(part: Schema, step: str | int) -> list[Schema]:
    if isinstance(step, int):
        first = part.get("prefixItems", [])
        found = first[step] if step < len(first) else part.get("items")
    else:
        found = part.get("properties", {}).get(step, part.get("additionalProperties"))
    return [found] if isinstance(found, dict) else []
