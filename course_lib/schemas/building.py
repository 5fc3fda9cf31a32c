"""From parameters to Pydantic, and from Pydantic to the schema.

The arguments of a function become what a `TypedDict` is to Pydantic, not a model: its keys may have any name
(`schema`, `_x`, `model_config`), and an argument that was not given stays absent, so that the function's own
default applies.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    PydanticUndefinedAnnotation,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic.warnings import UnsupportedFieldAttributeWarning
from pydantic_core import (
    CoreSchema,
    PydanticSerializationError,
    SchemaError,
    core_schema,
    to_jsonable_python,
)

from ..errors import ToolSchemaError
from .cleaning import Generator, clean, in_order, short_null
from .signatures import MISSING, Parameter
from .walking import Schema

KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_REFUSED = (PydanticUserError, PydanticUndefinedAnnotation, SchemaError, TypeError)

__all__ = ["arguments_of", "arguments_of_model", "schema_for"]


def arguments_of(parameters: Sequence[Parameter], tool: str) -> tuple[TypeAdapter[dict[str, Any]], Schema]:
    """What checks the arguments of a tool, and the clean schema that describes them.

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
    """The same for a Pydantic model whose fields are the arguments; what is checked becomes an instance.

    `described` are texts for fields that have none of their own. Raises ToolSchemaError.
    """
    fields = {name: _alias(one) or name for name, one in model.model_fields.items()}
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


def _alias(one: FieldInfo) -> str | None:
    return one.validation_alias if isinstance(one.validation_alias, str) else None


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
    """The clean schema of what an adapter takes."""
    return clean(adapter.json_schema(schema_generator=Generator))


def _defaults(parameters: Sequence[Parameter], adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """The defaults as JSON, by wire name, without those that have no JSON form or do not fit their own type.

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
    if KEY.fullmatch(wire_name):
        return None
    return (
        f"parameter '{wire_name}': providers take names of the form ^[a-zA-Z0-9_.-]{{1,64}}$ only. "
        'Rename it, or give the model another name: Annotated[..., Field(alias="...")]. '
        "Descriptions and choices may have any letters."
    )


def _clashes(parameters: Sequence[Parameter]) -> list[str]:
    """Parameters that the model would see under one name: it could fill only one of them."""
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


def schema_of(kind: Any) -> Schema:
    """The clean JSON Schema of any type that Pydantic knows: a model, a dataclass, `list[int]`."""
    return short_null(schema_for(TypeAdapter(kind)))
