"""Arguments as a model sent them: checked against the schema, and what is wrong with them in words."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from ..errors import ArgumentProblem, ToolArgumentError
from .schema import type_name
from .walking import Schema, Steps, leaves, objects, resolve, schemas_at, spell

# What Pydantic objects to in arguments, in words for the model that sent them -------------------------


_SAYS_HOW_MANY = ("too_long", "too_short")
_HOW_MANY = re.compile(r"( after validation)?, not (\d+|more)$")
_SUBJECT = re.compile(r"^[A-Z]\w+ (?=should )")
_LONGEST = 80


def in_words(errors: list[ErrorDetails], data: Any, mended: Mapping[Steps, Any]) -> dict[str, str]:
    """One sentence for each place that has problems; for a union, what each of its members wanted."""
    wanted: dict[Steps, list[str]] = {}
    in_keys: set[Steps] = set()
    for error in errors:
        steps = resolve(data, error["loc"])
        if error["type"] == "missing":
            steps = (*steps, error["loc"][-1])
        words = _words(error)
        if of_a_key(error):
            words = f"has the key {quote(steps[-1])}, which {words}"
            steps = steps[:-1]
            in_keys.add(steps)
        if words not in wanted.setdefault(steps, []):
            wanted[steps].append(words)
    return {
        spell(steps): " or ".join(words) + ("" if steps in in_keys else _instead_of(data, steps, mended))
        for steps, words in wanted.items()
    }


def _words(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "extra_forbidden":
        return "does not exist there; leave it out"
    if error["type"] == "string_type":
        return "should be a string, in quotes"
    text = error["msg"].removeprefix("Value error, ")
    if error["type"] in _SAYS_HOW_MANY:
        text = _HOW_MANY.sub("", text)  # what was sent is told behind
    if error["type"] != "value_error":
        text = _SUBJECT.sub("", text)
    return text[:1].lower() + text[1:]


def _instead_of(data: Any, steps: Steps, mended: Mapping[Steps, Any]) -> str:
    """What stood there, in the model's own words."""
    if not steps:
        return ""  # a check of a whole model: what it says is about all of them
    for length in range(len(steps), 0, -1):
        if isinstance(mended.get(steps[:length]), str):
            return f", in what you sent: {quote(mended[steps[:length]])}"
    for step in steps:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return ""  # it is missing
    return f", not {quote(data)}"


def of_a_key(error: ErrorDetails) -> bool:
    """Whether it is about the key of an object and not about what stands there: `dict[int, str]`."""
    return error["loc"][-1:] == ("[key]",)


def quote(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


# What a model sends as arguments, as real Python objects; or every problem with it, in words ----------
# Pydantic checks first without any leniency, as JSON: a date may be text, but "5" is no integer and true is
# no 1. What it objects to is then mended, where there is no doubt what was meant, and checked again:
#
# - text that is a number, where the schema says integer or number; 5.0 where it says integer;
# - text that says true or false, where it says boolean;
# - text that is JSON, where it says array or object;
# - null for what may be left out and may not be null: the default applies, as in strict schemas.
#
# Nothing else is guessed. Text is never made from a number: the postcode 08001 would come back as "8001".


_INTEGER = re.compile(r"\s*[+-]?\d{1,100}(\.0+)?\s*")
_NUMBER = re.compile(r"\s*[+-]?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?\s*")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_TIMES = ("date-time", "date", "time", "duration")
_NOT_JSON = (PydanticSerializationError, ValueError, RecursionError)
_TEXT_LIMIT = 200
NO = object()
"""What stands for "cannot be mended"."""


def read_arguments(arguments: Mapping[str, Any] | str, tool: str) -> dict[str, Any]:
    """Arguments as a dictionary: from text as it came over the wire, or from what was parsed already.

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
            raise _refusal(tool, "", f"the arguments are not valid JSON ({error}): {cut}") from None
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise _refusal(tool, "", f"the arguments must be a JSON object, not {_kind(arguments)}")
    return dict(arguments)


def check_arguments(
    adapter: TypeAdapter[dict[str, Any]], schema: Schema, arguments: Mapping[str, Any], tool: str
) -> dict[str, Any]:
    """The arguments as the function wants them: models, enums, dates.

    Raises ToolArgumentError, which names all problems at once.
    """
    data, mended = _as_json(arguments, tool), {}
    while True:
        try:
            found, errors = adapter.validate_json(json.dumps(data), strict=True), []
        except ValidationError as error:
            found, errors = {}, error.errors(include_url=False, include_context=False)
        if not _mend(data, errors, schema, mended):
            break
    problems = {
        **_unnoticed(data, schema),
        **in_words(errors, data, mended),
        **_unknown(data, schema),
    }
    if problems:
        raise ToolArgumentError(tool, [ArgumentProblem(where, what) for where, what in problems.items()])
    return found


def _as_json(arguments: Mapping[str, Any], tool: str) -> dict[str, Any]:
    """A copy of the arguments as plain JSON values, so that mending changes nobody else's."""
    try:
        return _copied(arguments)
    except _NOT_JSON as error:
        raise ToolArgumentError(tool, _not_json(dict(arguments), error)) from None


def _copied(value: Any) -> Any:
    copy = json.loads(to_json(value))
    json.dumps(copy)  # which refuses a whole number of thousands of digits
    return copy


def _not_json(arguments: dict[str, Any], error: Exception) -> list[ArgumentProblem]:
    """Which values cannot be sent; the whole, where it is no single value."""
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


# Mending ------------------------------------------------------------------------------------------


def _mend(data: Any, errors: list[ErrorDetails], schema: Schema, mended: dict[Steps, Any]) -> bool:
    """Change in place what is surely meant otherwise; returns whether anything was."""
    done = set()
    for error in errors:
        steps = resolve(data, error["loc"])
        if not steps or steps in done or error["type"] in ("missing", "extra_forbidden") or of_a_key(error):
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
            if better is NO:
                continue
            holder[last] = better
        mended.setdefault(steps, value)
        done.add(steps)
    return bool(done)


def _better(kind: str, value: Any) -> Any:
    """A value as Pydantic wanted it, or NO."""
    if isinstance(value, float) and kind == "int_type" and value.is_integer():
        return int(value)
    return _FROM_TEXT.get(kind, _never)(value) if isinstance(value, str) else NO


def _never(text: str) -> Any:
    return NO


def _integer(text: str) -> Any:
    return int(text.partition(".")[0]) if _INTEGER.fullmatch(text) else NO


def _number(text: str) -> Any:
    return float(text) if _NUMBER.fullmatch(text) and math.isfinite(float(text)) else NO


def _boolean(text: str) -> Any:
    return _BOOLEANS.get(text.strip().lower(), NO)


def _decoded(wanted: type) -> Callable[[str], Any]:
    def decode(text: str) -> Any:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return NO
        return found if isinstance(found, wanted) else NO

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
    """Whether a place is a field of an object, and not a required one."""
    return any(
        steps[-1] in part.get("properties", ()) and steps[-1] not in part.get("required", ())
        for part in schemas_at(schema, steps[:-1])
    )


# Words --------------------------------------------------------------------------------------------


def _unnoticed(data: Any, schema: Schema) -> dict[str, str]:
    """What Pydantic lets pass as JSON Schema does not: true as a choice of 1, "1000" as a time, NaN, and a
    whole number that would be infinite as the float that is wanted."""
    found = {}
    for steps, value in leaves(data):
        parts = schemas_at(schema, steps)
        if isinstance(value, bool) and parts and not any(_admits_boolean(part) for part in parts):
            found[spell(steps)] = f"should not be {quote(value)}"
        elif isinstance(value, str) and _NUMBER.fullmatch(value):
            formats = [part.get("format") for part in parts if part.get("type") != "null"]
            if formats and all(one in _TIMES for one in formats):
                found[spell(steps)] = f"should have the format {formats[0]}, not {quote(value)}"
        elif isinstance(value, float) and not math.isfinite(value) or _is_too_large(value, parts):
            found[spell(steps)] = "should be a number that JSON can write"
    return found


def _unknown(data: dict[str, Any], schema: Schema) -> dict[str, str]:
    """Arguments that were made up, at any depth. They are refused, so that the model learns what there is.

    Objects with any keys take them, and so do models whose author wrote `extra="allow"` or "ignore".
    """
    found = {}
    for steps, held in objects(data):
        parts = [part for part in schemas_at(schema, steps) if _is_object(part)]
        if not parts or any(map(_takes_any_keys, parts)):
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


def _is_object(part: Schema) -> bool:
    return part.get("type", "object") == "object" or "object" in part["type"]


def _takes_any_keys(part: Schema) -> bool:
    return (
        "properties" not in part
        or bool({"additionalProperties", "patternProperties"} & set(part))
        and (part.get("additionalProperties") is not False)
    )


def _is_meant(part: Schema, held: dict[str, Any]) -> bool:
    """Whether an object has the fields and the tags of this choice of a union."""
    return set(part.get("required", ())) <= set(held) and all(
        held[name] in field["enum"]
        for name, field in part["properties"].items()
        if "enum" in field and name in held
    )


def _admits_boolean(part: Schema) -> bool:
    return part.get("type", "boolean") == "boolean" or "boolean" in part["type"]


def _is_too_large(value: Any, parts: list[Schema]) -> bool:
    """Whether a whole number stands for a float that cannot hold it."""
    if not isinstance(value, int) or abs(value) <= sys.float_info.max:
        return False
    return any(part.get("type") == "number" for part in parts)


def _kind(value: Any) -> str:
    """The type of a value in the words of JSON, which the model writes."""
    known = isinstance(value, str | int | float | list | tuple | dict | None)
    return type_name(value) if known else type(value).__name__


def _refusal(tool: str, where: str, what: str) -> ToolArgumentError:
    return ToolArgumentError(tool, [ArgumentProblem(where, what)])
