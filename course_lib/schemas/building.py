"""From parameters to Pydantic, and from Pydantic to the schema.

The arguments of a function become what a `TypedDict` is to Pydantic, not a model: its keys may have any name
(`schema`, `_x`, `model_config`), and an argument that was not given stays absent, so that the function's own
default applies.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from typing import Any

from pydantic import (
    GetCoreSchemaHandler,
    PydanticUndefinedAnnotation,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
)
from pydantic.warnings import UnsupportedFieldAttributeWarning
from pydantic_core import (
    CoreSchema,
    PydanticSerializationError,
    SchemaError,
    core_schema,
    to_jsonable_python,
)

from ..errors import ToolSchemaError
from .cleaning import Generator, clean, in_order
from .signatures import NOTHING, Parameter
from .walking import Schema

KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_REFUSED = (PydanticUserError, PydanticUndefinedAnnotation, SchemaError, TypeError)

__all__ = ["arguments_of", "schema_for"]


def arguments_of(parameters: Sequence[Parameter], tool: str) -> tuple[TypeAdapter[dict[str, Any]], Schema]:
    """What checks the arguments of a tool, and the clean schema that describes them.

    Raises ToolSchemaError, which names every parameter that has no JSON form.
    """
    problems = [problem for one in parameters if (problem := _bad_key(one))]
    if problems:
        raise _not_a_tool(tool, problems)
    try:
        adapter = _adapter(parameters)
        schema = schema_for(adapter)
    except _REFUSED as error:
        # Pydantic stops at the first parameter and does not name it.
        raise _not_a_tool(tool, [*filter(None, map(_bad_type, parameters))] or [_why(error)]) from error
    properties = schema["properties"]
    for name, value in _defaults(parameters, adapter).items():
        properties[name] = {**properties[name], "default": value}
    for one in parameters:
        if one.description:
            properties[one.wire_name] = in_order(
                {**properties[one.wire_name], "description": one.description}
            )
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
    """The clean schema of what an adapter takes."""
    return clean(adapter.json_schema(schema_generator=Generator))


def _defaults(parameters: Sequence[Parameter], adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """The defaults as JSON, by wire name, without those that have no JSON form or do not fit their own type.

    `x: int = None` has a default that its type does not admit; the schema says integer, and not required.
    """
    found = {}
    for one in parameters:
        if one.default is NOTHING or one.default is None:
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


def _bad_key(one: Parameter) -> str | None:
    if KEY.fullmatch(one.wire_name):
        return None
    return (
        f"parameter '{one.wire_name}': providers take names of the form ^[a-zA-Z0-9_.-]{{1,64}}$ only. "
        'Rename it, or give the model another name: Annotated[..., Field(alias="...")]. '
        "Descriptions and choices may have any letters."
    )


def _bad_type(one: Parameter) -> str | None:
    try:
        TypeAdapter(one.annotation).json_schema(schema_generator=Generator)
    except _REFUSED as error:
        return f"parameter '{one.name}': {_why(error)}"
    return None


def _why(error: Exception) -> str:
    text, code = str(error).partition("\n")[0], getattr(error, "code", None)
    if code == "typed-dict-version":
        return "before Python 3.12, write `from typing_extensions import TypedDict` instead of `from typing`."
    if "CallableSchema" in text or "a class" in text:
        return "no JSON value is a function or a class. Take its name, as a Literal of the choices."
    if code == "schema-for-unknown-type" or "IsInstanceSchema" in text:
        found = re.search(r"<class '(?:.*\.)?(\w+)'>", text)
        kind = found.group(1) if found else text
        return (
            f"{kind} has no JSON form. Write a dataclass or a Pydantic model with the fields that the model "
            "should fill; or, if the program hands it over, make the class from course_lib.tools.Context."
        )
    return text
