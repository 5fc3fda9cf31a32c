"""What the shapes of both OpenAI APIs share, and Pydantic's complaints in OpenAI's words.

What the course teaches is spelled out and closed: an unknown field is an error, as on the real service.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationError
from pydantic_core import PydanticCustomError

from ..api import Refused


class OpenAIShape(BaseModel):
    """A closed object. Strict: "5" is not a number, as on the real service."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class OpenAIOpenShape(BaseModel):
    """An object of which only the named fields are looked at."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)


# Unions -------------------------------------------------------------------------------------------


def one_of(field: str, shapes: dict[str, Any], default: str | None = None) -> Any:
    """Return an object type whose `field` names its shape: complaints then speak of that one."""

    def check(value: Any) -> Any:
        if not isinstance(value, dict):
            raise PydanticCustomError("expected", "an object", {"expected": "an object"})
        kind = value.get(field, default)
        if field not in value and default is None:
            raise PydanticCustomError("missing_tag", "missing", {"field": field})
        if not isinstance(kind, str) or kind not in shapes:
            raise PydanticCustomError("unknown_tag", "unknown", {"field": field, "supported": list(shapes)})
        return value if field in value else {**value, field: default}

    # The labels begin with an underscore, and `_place` leaves them out.
    union: Any = Annotated[next(iter(shapes.values())), Tag("_only")]
    for n, (kind, shape) in enumerate(shapes.items()):
        tagged = Annotated[shape, Tag(f"_{kind}")]
        union = tagged if n == 0 else union | tagged
    if len(shapes) == 1:
        return Annotated[next(iter(shapes.values())), BeforeValidator(check)]
    return Annotated[union, Discriminator(lambda value: f"_{_read(value, field)}"), BeforeValidator(check)]


def _read(value: Any, field: str) -> Any:
    return value.get(field) if isinstance(value, dict) else getattr(value, field, None)


def text_or(items: Any, expected: str = "one of a string or array of objects") -> Any:
    """Return the type of a string, or a list of something."""
    return _string_or(list, list[items], expected)


def name_or(names: tuple[str, ...] | None, shape: Any) -> Any:
    """Return the type of one of some names (None: any), or an object."""
    return _string_or(dict, shape, "one of a string or an object", names)


def _string_or(kind: type, shape: Any, expected: str, names: tuple[str, ...] | None = None) -> Any:
    def check(value: Any) -> Any:
        if isinstance(value, str) and names is not None and value not in names:
            raise PydanticCustomError("unknown_name", "unknown", {"supported": list(names)})
        if not isinstance(value, str | kind):
            raise PydanticCustomError("expected", "{expected}", {"expected": expected})
        return value

    return Annotated[
        Annotated[str, Tag("_text")] | Annotated[shape, Tag("_other")],
        Discriminator(lambda value: "_text" if isinstance(value, str) else "_other"),
        BeforeValidator(check),
    ]


# Fields that both APIs have -------------------------------------------------------------------------

NAME_PATTERN = r"^[a-zA-Z0-9_-]+$"
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=NAME_PATTERN)]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Temperature = Annotated[float, Field(ge=0.0, le=2.0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class OpenAIRequest(OpenAIShape):
    """The fields that POST /v1/chat/completions and POST /v1/responses both take.

    What they nest differently, each has as a property of the same name: `effort`, `offered` (its functions),
    `choice` and `answer_format`.
    """

    model: str
    metadata: Annotated[dict[str, Annotated[str, Field(max_length=512)]], Field(max_length=16)] | None = None
    moderation: dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: dict[str, Any] | None = None
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    safety_identifier: str | None = None
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None = None
    store: bool | None = None
    stream: bool | None = None
    temperature: Temperature | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    top_p: Share | None = None
    user: str | None = None


class Offered(NamedTuple):
    """A function that the request offers, and where in the request it stands."""

    place: str
    name: str
    description: str
    parameters: Any
    strict: bool


class Choice(NamedTuple):
    """A tool choice: its mode, and the names that it speaks of."""

    mode: str = "auto"
    names: tuple[str, ...] = ()
    only: bool = False
    """True: the names are all that may be called (allowed_tools); False: the one that must be."""


class AnswerFormat(NamedTuple):
    """How the answer is to be written; the schema has a name and may be strict."""

    type: str = "text"
    name: str = ""
    schema: Any = None
    strict: bool = False


NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


class RefusalPart(OpenAIShape):
    type: Literal["refusal"]
    refusal: str


class TextFormat(OpenAIShape):
    type: Literal["text"]


class JSONObjectFormat(OpenAIShape):
    type: Literal["json_object"]


# Complaints -----------------------------------------------------------------------------------------


def read(shape: type[OpenAIRequest], data: Any) -> Any:
    """Return the request in the given shape; raise Refused with the first complaint."""
    if not isinstance(data, dict):
        message = "Invalid type for request body: expected an object, but got {} instead."
        raise refused(message.format(got(data)), None, "invalid_type")
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        # Of several complaints, what is missing says most: a tool in the other API's shape lacks its place.
        first = next((one for one in errors if one["type"] in ("missing", "missing_tag")), errors[0])
        raise _complaint(first) from None


def refused(message: str, param: str | None, code: str | None = None, status: int = 400) -> Refused:
    """Return an error as both APIs report it: message, type, param and code."""
    return Refused(status, "invalid_request_error", message, {"param": param, "code": code})


def got(value: Any) -> str:
    """Return what a JSON value is, in OpenAI's words."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "an integer", float: "a decimal", str: "a string", list: "an array"}
    return names.get(type(value), "an object")


def options(values: list[Any]) -> str:
    """Return 'a', 'b', and 'c'."""
    words = [f"'{value}'" for value in values]
    if len(words) < 3:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def place(parts: tuple[Any, ...]) -> str:
    """Return a place as the service writes it: messages[0].content[1].text."""
    words = [part for part in parts if not str(part).startswith("_") or part == "_"]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in words).lstrip(".")


_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a decimal",
    "bool_type": "a boolean",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


def _complaint(error: Any) -> Refused:
    kind, value, context = error["type"], error.get("input"), error.get("ctx", {})
    param = place(error["loc"])
    if kind in ("missing_tag", "unknown_tag"):
        param = f"{param}.{context['field']}".lstrip(".")
        value = value.get(context["field"]) if isinstance(value, dict) else value
    if kind in ("missing", "missing_tag"):
        return refused(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
    if kind == "extra_forbidden":
        return refused(f"Unknown parameter: '{param}'.", param, "unknown_parameter")
    if kind in _EXPECTED or kind == "expected":
        expected = context.get("expected") or _EXPECTED[kind]
        message = f"Invalid type for '{param}': expected {expected}, but got {got(value)} instead."
        return refused(message, param, "invalid_type")
    if kind in ("unknown_tag", "unknown_name", "literal_error"):
        return _unknown_value(param, value, context)
    return _outside_limits(kind, param, value, context)


def _unknown_value(param: str, value: Any, context: dict[str, Any]) -> Refused:
    supported = context.get("supported")
    if supported is None:  # Pydantic gives it as text: 'a', 'b' or 'c'
        supported = [part.strip(" '") for part in context["expected"].replace(" or ", ",").split(",")]
    if not isinstance(value, str):
        message = (
            f"Invalid type for '{param}': expected one of {options(supported)}, but got {got(value)} instead."
        )
        return refused(message, param, "invalid_type")
    message = f"Invalid value: '{value[:100]}'. Supported values are: {options(supported)}."
    return refused(message, param, "invalid_value")


def _outside_limits(kind: str, param: str, value: Any, context: dict[str, Any]) -> Refused:
    if kind == "greater_than_equal" or kind == "less_than_equal":
        low = kind == "greater_than_equal"
        limit = context["ge" if low else "le"]
        number = "decimal" if isinstance(limit, float) else "integer"
        word, sign = ("below minimum", ">=") if low else ("above maximum", "<=")
        message = (
            f"Invalid '{param}': {number} {word} value. "
            f"Expected a value {sign} {limit:g}, but got {value} instead."
        )
        return refused(message, param, f"{number}_{'below_min' if low else 'above_max'}_value")
    if kind == "string_pattern_mismatch":
        message = (
            f"Invalid '{param}': string does not match pattern. "
            f"Expected a string that matches the pattern '{context['pattern']}'."
        )
        return refused(message, param, "invalid_value")
    if kind in ("string_too_long", "too_long", "string_too_short", "too_short"):
        return _wrong_length(kind, param, value, context)
    return refused(
        f"Invalid '{param}': {context.get('error', 'the value is not valid')}.", param, "invalid_value"
    )


def _wrong_length(kind: str, param: str, value: Any, context: dict[str, Any]) -> Refused:
    thing = "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
    article = "an" if thing[0] in "aeiou" else "a"
    if thing == "object":
        message = (
            f"Invalid '{param}': too many properties. Expected an object with at most "
            f"{context['max_length']} properties, but got an object with {len(value)} properties instead."
        )
        return refused(message, param, "object_above_max_properties")
    if kind in ("string_too_long", "too_long"):
        limit = context["max_length"]
        message = (
            f"Invalid '{param}': {thing} too long. Expected {article} {thing} with maximum length {limit}, "
            f"but got {article} {thing} with length {len(value)} instead."
        )
        return refused(message, param, f"{thing}_above_max_length")
    limit = context["min_length"]
    message = (
        f"Invalid '{param}': empty {thing}. Expected {article} {thing} with minimum length {limit}, "
        f"but got an empty {thing} instead."
    )
    return refused(message, param, f"empty_{thing}")
