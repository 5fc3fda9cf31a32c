"""JSON Schema from Python: Pydantic's schema of the arguments, without its noise.

Pydantic's schema is correct, and full of what tells a model nothing: a title on everything, `default: null`,
`const`, references for models that are used once. `clean` makes of it what a careful person would write.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    PydanticUndefinedAnnotation,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
)
from pydantic.json_schema import GenerateJsonSchema
from pydantic.warnings import UnsupportedFieldAttributeWarning
from pydantic_core import (
    CoreSchema,
    PydanticSerializationError,
    SchemaError,
    core_schema,
    to_jsonable_python,
)

from practice_model.facts.schemas import FIELD_NAME, LISTS, MAPS, SINGLE, schemas_in

from ..errors import ToolSchemaError
from .signatures import MISSING, Parameter

# The schemas inside a schema ------------------------------------------------------------------------
# What looks inside a schema goes through `rebuild`, `walk` or `schemas_in`: names that people choose, such as
# a parameter called `title` or `items`, are then never read as keywords.

Schema = dict[str, Any]


def rebuild(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """Return a copy of a schema with `change` applied to every schema in it, the inner ones first."""
    if not isinstance(schema, dict):
        return schema  # true and false are schemas too
    copy = dict(schema)
    for keyword, held in schema.items():
        if keyword in MAPS and isinstance(held, dict):
            copy[keyword] = {name: rebuild(part, change) for name, part in held.items()}
        elif keyword in LISTS and isinstance(held, list):
            copy[keyword] = [rebuild(part, change) for part in held]
        elif keyword in SINGLE:
            copy[keyword] = rebuild(held, change)
    return change(copy)


def walk(schema: Any, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield every schema in a schema, each with its place as callers write it: `box.prices`, `tags[]`."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword, held in schema.items():
        item = path + "[]" if keyword in ("items", "prefixItems") else path
        for step, part in schemas_in(keyword, held):
            yield from walk(part, join(path, step) if isinstance(step, str) else item)


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def without(part: Schema, *keywords: str) -> Schema:
    return {keyword: value for keyword, value in part.items() if keyword not in keywords}


def is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


# Cleaning -----------------------------------------------------------------------------------------

# What JSON Schema 2020-12 defines. Pydantic has more ("path", "binary"), which mean nothing to others.
FORMATS = frozenset(
    "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri "
    "iri-reference uuid uri-template json-pointer relative-json-pointer regex".split()
)
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
_LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")


class Generator(GenerateJsonSchema):
    """Pydantic's generator, quiet about defaults that are not JSON and honest about types that are not."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}

    def get_title_from_name(self, name: str) -> str:
        return name  # as spelled, because `clean` makes descriptions of the titles in a named tuple

    def sort(self, value: Schema, parent_key: str | None = None) -> Schema:
        return value  # alphabetical order puts "description" before "type" and "maximum" before "minimum"

    def enum_schema(self, schema: Any) -> Schema:
        return self._choices([one.value for one in schema["members"]], schema, super().enum_schema)

    def literal_schema(self, schema: Any) -> Schema:
        # A member of an enum that is no text or number itself would be compared with what JSON gives.
        return self._choices(schema["expected"], schema, super().literal_schema)

    def _choices(self, values: list[Any], schema: Any, write: Callable[[Any], Schema]) -> Schema:
        """Return a closed list of values, each of which some JSON must be able to give."""
        if not values:
            return self.handle_invalid_for_json_schema(schema, "an enum without members")
        for value in values:
            if not isinstance(value, str | int | float | None):
                return self.handle_invalid_for_json_schema(schema, f"the choice {value!r}")
        return write(schema)

    def model_schema(self, schema: Any) -> Schema:
        # What its author lets pass on purpose stands in the schema, so that `check_arguments` does it, too.
        written = super().model_schema(schema)
        lets_pass = schema["cls"].model_config.get("extra") == "ignore" and "properties" in written
        return {**written, "additionalProperties": True} if lets_pass else written

    def dataclass_args_schema(self, schema: Any) -> Schema:
        # What the class sets by itself, with field(init=False), is not the model's to give.
        fields = [one for one in schema["fields"] if one.get("init") is not False]
        return super().dataclass_args_schema({**schema, "fields": fields})

    def is_subclass_schema(self, schema: Any) -> Schema:
        return self.handle_invalid_for_json_schema(schema, "a class")


def clean(raw: Schema) -> Schema:
    """Return Pydantic's schema without noise, with `null` still written as a choice of `anyOf`."""
    return _in_place(rebuild(raw, _say_it_simply), lambda part: in_order(_lift_description(part)))


def short_null(schema: Schema) -> Schema:
    """Return the schema with `anyOf: [X, null]` written as `type: [X, "null"]` where that is enough."""

    def shorten(part: Schema) -> Schema:
        kept = [choice for choice in part.get("anyOf", ()) if not is_null(choice)]
        if len(kept) != 1 or len(part["anyOf"]) != 2 or not isinstance(kept[0].get("type"), str):
            return part
        only = {**kept[0], "type": [kept[0]["type"], "null"]}
        if "enum" in only:
            only["enum"] = [*only["enum"], None]
        return in_order({**only, **without(part, "anyOf")})

    return rebuild(schema, shorten)


def type_name(value: Any) -> str:
    """Return what JSON Schema calls the type of a value."""
    return _TYPES.get(type(value)) or ("object" if isinstance(value, dict) else "array")


def _say_it_simply(part: Schema) -> Schema:
    """Return a schema without keywords that some providers refuse, in words that all of them know."""
    if "discriminator" in part:
        part = without(part, "discriminator")
    if "const" in part:
        part["enum"] = [part.pop("const")]
    if "oneOf" in part:
        part["anyOf"] = [*part.get("anyOf", []), *part.pop("oneOf")]
    if len(part.get("allOf", ())) == 1:
        part = {**part["allOf"][0], **without(part, "allOf")}
    if "enum" in part:
        names = list(dict.fromkeys(type_name(value) for value in part["enum"]))
        part["type"] = names[0] if len(names) == 1 else names
    choices = part.get("anyOf", ())
    if {"type": "integer"} in choices and {"type": "number"} in choices:  # a number may be whole
        part["anyOf"] = [choice for choice in choices if choice != {"type": "integer"}]
        if len(part["anyOf"]) == 1:
            part = {**part["anyOf"][0], **without(part, "anyOf")}
    if part.get("type") == "array" and not {"items", "prefixItems"} & part.keys():
        part["items"] = {}  # OpenAI refuses a list that does not say of what: an empty tuple
    return _simple_tuple(part) if "prefixItems" in part else part


def _simple_tuple(part: Schema) -> Schema:
    """Return a tuple of one type as a list of fixed length; the names of a named tuple are descriptions."""
    items = [
        {"description": item["title"], **item} if "title" in item else item for item in part["prefixItems"]
    ]
    if items and all(item == items[0] for item in items):
        return {**without(part, "prefixItems"), "items": items[0]}
    return {**part, "prefixItems": items}


def _is_noise(keyword: str, value: Any) -> bool:
    if keyword in ("title", "readOnly", "writeOnly"):
        return True
    if keyword == "format":
        return value not in FORMATS
    if keyword == "default":
        return value is None or not _is_json(value)
    if keyword == "pattern":  # no provider's strict mode reads look-around, and Decimal is full of it
        return any(mark in value for mark in _LOOK_AROUND)
    # Field(le=math.inf) says nothing, and infinity is no JSON.
    return isinstance(value, float) and not math.isfinite(value)


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _lift_description(part: Schema) -> Schema:
    """Return a schema that has the description of `anyOf: [X, null]` outside: it belongs to the whole."""
    choices = part.get("anyOf", ())
    described = [choice for choice in choices if "description" in choice]
    if len(choices) != 2 or not any(map(is_null, choices)) or len(described) != 1 or "$ref" in described[0]:
        return part
    lifted = {"anyOf": [without(choice, "description") for choice in choices]}
    return {"description": described[0]["description"], **part, **lifted}


def in_order(part: Schema) -> Schema:
    """Return a schema with what people read first, first."""
    return {**{word: part[word] for word in ("type", "description", "enum") if word in part}, **part}


# References ---------------------------------------------------------------------------------------


def _in_place(schema: Schema, finish: Callable[[Schema], Schema]) -> Schema:
    """Return a schema with each definition where it is used; only those that contain themselves stay.

    `finish` gets every part in its place, the inner ones first.
    """
    definitions = schema.get("$defs", {})
    recursive = _recursive(definitions)
    done: dict[str, Schema] = {}

    def put(part: Schema) -> Schema:
        name = _referred(part)
        part = {keyword: value for keyword, value in part.items() if not _is_noise(keyword, value)}
        if name in definitions and name not in recursive:
            if name not in done:
                done[name] = rebuild(definitions[name], put)
            part = {**done[name], **without(part, "$ref")}
        return finish(part)

    kept = {name: rebuild(definitions[name], put) for name in definitions if name in recursive}
    schema = rebuild(without(schema, "$defs"), put)
    return {**schema, "$defs": kept} if kept else schema


def _recursive(definitions: dict[str, Schema]) -> set[str]:
    """Return the names of the definitions from which references lead back to themselves."""
    direct = {name: {_referred(part) for _, part in walk(one)} - {None} for name, one in definitions.items()}

    def reached(name: str) -> set[str]:
        found, todo = set(), [name]
        while todo:
            new = direct.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found

    return {name for name in definitions if name in reached(name)}


def _referred(part: Schema) -> str | None:
    reference = part.get("$ref")
    return reference.removeprefix("#/$defs/") if isinstance(reference, str) else None


# From parameters to Pydantic, and from Pydantic to the schema -----------------------------------------

# The arguments of a function become what a `TypedDict` is to Pydantic, not a model: its keys may have any
# name (`schema`, `_x`, `model_config`), and an argument that was not given stays absent, so that the
# function's own default applies.

_REFUSED = (PydanticUserError, PydanticUndefinedAnnotation, SchemaError, TypeError)


def arguments_of(parameters: Sequence[Parameter], tool: str) -> tuple[TypeAdapter[dict[str, Any]], Schema]:
    """Return what checks the arguments of a tool, and the clean schema that describes them.

    Raises ToolSchemaError, which names every parameter that has no JSON form.
    """
    problems = [problem for one in parameters if (problem := _bad_key(one.wire_name))] + _clashes(parameters)
    if problems:
        raise _not_a_tool(tool, problems)
    try:
        adapter = _adapter(parameters)
        schema = schema_for(adapter)
    except _REFUSED as error:
        # Pydantic stops at the first parameter and does not name it.
        bad = [_bad_type(one.name, one.annotation) for one in parameters]
        raise _not_a_tool(tool, [*filter(None, bad)] or [_why(error)]) from error
    properties = schema["properties"]
    for name, value in _defaults(parameters, adapter).items():
        properties[name] = {**properties[name], "default": value}
    for one in parameters:
        if one.description:
            properties[one.wire_name] = in_order(
                {**properties[one.wire_name], "description": one.description}
            )
    return adapter, schema


def arguments_of_model(
    model: type[BaseModel], described: Mapping[str, str], tool: str
) -> tuple[TypeAdapter[Any], Schema]:
    """Return the same for a Pydantic model whose fields are the arguments; a call makes an instance of it.

    `described` are texts for fields that have none of their own. Raises ToolSchemaError.
    """
    fields = {
        name: one.validation_alias if isinstance(one.validation_alias, str) else name
        for name, one in model.model_fields.items()
    }
    problems = [problem for wire_name in fields.values() if (problem := _bad_key(wire_name))]
    try:
        adapter = TypeAdapter(model)
        schema = schema_for(adapter)
    except _REFUSED as error:
        found = [_bad_type(name, one.annotation) for name, one in model.model_fields.items()]
        raise _not_a_tool(tool, [*problems, *filter(None, found)] or [_why(error)]) from error
    if model is BaseModel or "properties" not in schema:
        how = "contains itself" if "$ref" in schema else "has no fields"
        problems.append(f"the model {how}. Write a model with a field that holds this one.")
    if problems:
        raise _not_a_tool(tool, problems)
    schema.pop("description", None)  # the description of the tool
    properties = schema["properties"]
    for name, text in described.items():
        wire_name = fields.get(name)
        if wire_name in properties and "description" not in properties[wire_name]:
            properties[wire_name] = in_order({**properties[wire_name], "description": text})
    return adapter, schema


def _adapter(parameters: Sequence[Parameter]) -> TypeAdapter[dict[str, Any]]:
    class Arguments:
        # The same as TypedDict("Arguments", {...}), in half the time: the annotations are read already.
        @classmethod
        def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            fields = {
                one.name: core_schema.typed_dict_field(
                    handler.generate_schema(one.annotation),
                    required=one.required,
                    validation_alias=one.wire_name,
                )
                for one in parameters
            }
            return core_schema.typed_dict_schema(fields)

    with warnings.catch_warnings():
        # Pydantic says that an alias has no effect here; it has, through validation_alias above.
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        return TypeAdapter(Arguments)


def schema_for(adapter: TypeAdapter[Any]) -> Schema:
    """Return the clean schema of what an adapter takes."""
    return clean(adapter.json_schema(schema_generator=Generator))


def _defaults(parameters: Sequence[Parameter], adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """Return the defaults as JSON, by wire name; none that has no JSON form or does not fit its own type.

    `x: int = None` has a default that its type does not admit; the schema says integer, and not required.
    """
    found = {}
    for one in parameters:
        if one.default is MISSING or one.default is None:
            continue
        try:
            value = to_jsonable_python(one.default, by_alias=True)
            json.dumps(value, allow_nan=False)
        except (PydanticSerializationError, TypeError, ValueError):
            continue
        found[one.wire_name] = value
    try:
        adapter.validate_json(json.dumps(found), strict=True)
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_context=False):
            found.pop(problem["loc"][0], None)
    return found


# What to say when it cannot be done ---------------------------------------------------------------


def _not_a_tool(tool: str, problems: list[str]) -> ToolSchemaError:
    return ToolSchemaError("\n- ".join([f"{tool} cannot be a tool:", *problems]))


def _bad_key(wire_name: str) -> str | None:
    if re.fullmatch(FIELD_NAME, wire_name):
        return None
    return (
        f"parameter '{wire_name}': providers take names of the form ^{FIELD_NAME}$ only. "
        'Rename it, or give the model another name: Annotated[..., Field(alias="...")]. '
        "Descriptions and choices may have any letters."
    )


def _clashes(parameters: Sequence[Parameter]) -> list[str]:
    """Return a problem for parameters that the model would see under one name: it could fill only one."""
    by_name: dict[str, list[str]] = {}
    for one in parameters:
        by_name.setdefault(one.wire_name, []).append(f"'{one.name}'")
    return [
        f"parameters {' and '.join(names)} would both be called '{shared}'. Give one of them another alias."
        for shared, names in by_name.items()
        if len(names) > 1
    ]


def _bad_type(name: str, annotation: Any) -> str | None:
    try:
        TypeAdapter(annotation).json_schema(schema_generator=Generator)
    except _REFUSED as error:
        return f"parameter '{name}': {_why(error)}"
    return None


def _why(error: Exception) -> str:
    text, code = str(error).partition("\n")[0], getattr(error, "code", None)
    if isinstance(error, SchemaError):  # the first line says only where Pydantic was
        last = str(error).strip().splitlines()[-1].strip()
        pattern = "the pattern is not a regular expression: " if "regex" in str(error) else ""
        return f"{pattern}{last.removeprefix('error: ')}. Correct what stands in Field(...)."
    if code == "typed-dict-version":
        return "before Python 3.12, write `from typing_extensions import TypedDict` instead of `from typing`."
    if found := re.search(r"JsonSchema for the choice (.+)$", text):
        choice = found.group(1)
        instead = "Take the whole enum as the type" if choice.startswith("<") else "Write it as text"
        return (
            f"no JSON value gives the choice {choice}. {instead}: JSON has text, numbers, true, false, null."
        )
    if "an enum without members" in text:
        return "an enum without members leaves nothing to choose. Give it members."
    if "CallableSchema" in text or "a class" in text:
        return "no JSON value is a function or a class. Take its name, as a Literal of the choices."
    if code == "schema-for-unknown-type" or "IsInstanceSchema" in text:
        found = re.search(r"<class '(?:.*\.)?(\w+)'>", text)
        if not found:
            written = re.search(r"schema for (.+?)\. Set ", text)
            what = written.group(1) if written else text
            return f"{what} is no type of a value. Write a type, such as int, str or list[str]."
        kind = found.group(1)
        return (
            f"{kind} has no JSON form. Write a dataclass or a Pydantic model with the fields that the model "
            "should fill; or, if the program hands it over, make the class from course_lib.tools.Context."
        )
    return text
