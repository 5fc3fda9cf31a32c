"""The shape of a Gemini request, as Pydantic models, and the reading of JSON into them.

The service speaks protocol buffers, and JSON is only their coat: fields are named here as the service
names them (`function_declarations`) and may be sent in camelCase as well. What the course teaches is spelled
out and closed: an unknown field is an error, as on the real service. What it does not teach is an `Open`
object, let through as it is.

A field may be named in camelCase or in snake_case; null is the same as leaving it out; one value may stand
for a list of one; numbers may be written as strings; base64 may be of either alphabet. All complaints are
collected and reported at once, each with its place, in the service's words.
"""

from __future__ import annotations

import json
import re
import types
import typing
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from ...facts.schemas import snake_case
from ..api import Refused


class Enum(NamedTuple):
    """Marks a Literal as an enumeration, with the name that the service has for it."""

    name: str


class GeminiMessage(BaseModel):
    """A closed object. `ONEOF` names the fields of which only one may be set, and their group."""

    model_config = ConfigDict(extra="forbid", defer_build=True)
    ONEOF: ClassVar[tuple[str, frozenset[str]]] = ("", frozenset())


Struct = dict[str, Any]
"""An object whose content is the program's own: arguments, results."""
Open = dict[str, Any]
"""An object of which nothing is looked at."""


# Contents -----------------------------------------------------------------------------------------


class Blob(GeminiMessage):
    mime_type: str = ""
    data: bytes | None = None
    display_name: str | None = None


class FileData(GeminiMessage):
    mime_type: str = ""
    file_uri: str = ""
    display_name: str | None = None


class GeminiFunctionCall(GeminiMessage):
    id: str = ""
    name: str = ""
    args: Struct | None = None


class FunctionResponsePart(GeminiMessage):
    inline_data: Blob | None = None
    file_data: FileData | None = None


class FunctionResponse(GeminiMessage):
    id: str = ""
    name: str = ""
    response: Struct | None = None
    parts: list[FunctionResponsePart] = []
    will_continue: bool | None = None
    scheduling: str | None = None


class GeminiPart(GeminiMessage):
    ONEOF = (
        "data",
        frozenset(
            "text inline_data file_data function_call function_response executable_code "
            "code_execution_result tool_call tool_response".split()
        ),
    )

    text: str | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    function_call: GeminiFunctionCall | None = None
    function_response: FunctionResponse | None = None
    executable_code: Open | None = None
    code_execution_result: Open | None = None
    tool_call: Open | None = None
    tool_response: Open | None = None
    thought: bool = False
    thought_signature: bytes | None = None
    video_metadata: Open | None = None
    media_resolution: Open | None = None
    part_metadata: Struct | None = None

    @property
    def data(self) -> str | None:
        """The name of the data field that is set."""
        return next((name for name in GeminiPart.ONEOF[1] if getattr(self, name) is not None), None)


class Content(GeminiMessage):
    role: str = ""
    parts: list[GeminiPart] = []


# Tools --------------------------------------------------------------------------------------------

Type = Annotated[
    Literal["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"],
    Enum("Type"),
]


class Schema(GeminiMessage):
    """The subset of OpenAPI that `parameters` and `responseSchema` take."""

    type: Type = "TYPE_UNSPECIFIED"
    format: str = ""
    title: str = ""
    description: str = ""
    nullable: bool = False
    enum: list[str] = []
    items: Schema | None = None
    min_items: int | None = None
    max_items: int | None = None
    properties: dict[str, Schema] = {}
    required: list[str] = []
    min_properties: int | None = None
    max_properties: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    example: Any = None
    default: Any = None
    any_of: list[Schema] = []
    property_ordering: list[str] = []


class FunctionDeclaration(GeminiMessage):
    name: str = ""
    description: str = ""
    parameters: Schema | None = None
    parameters_json_schema: Any = None
    response: Schema | None = None
    response_json_schema: Any = None
    behavior: str | None = None


class GeminiTool(GeminiMessage):
    function_declarations: list[FunctionDeclaration] = []
    google_search: Open | None = None
    google_search_retrieval: Open | None = None
    google_maps: Open | None = None
    code_execution: Open | None = None
    url_context: Open | None = None
    computer_use: Open | None = None
    file_search: Open | None = None
    mcp_servers: list[Open] = []

    @property
    def built_in(self) -> list[str]:
        """The names of the tools that the provider runs itself: accepted here, and never used."""
        return [
            name for name in type(self).model_fields if name != "function_declarations" and self.has(name)
        ]

    def has(self, name: str) -> bool:
        return getattr(self, name) not in (None, [])


Mode = Annotated[
    Literal["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"], Enum("FunctionCallingConfig.Mode")
]


class FunctionCallingConfig(GeminiMessage):
    mode: Mode = "MODE_UNSPECIFIED"
    allowed_function_names: list[str] = []
    stream_function_call_arguments: bool | None = None


class ToolConfig(GeminiMessage):
    function_calling_config: FunctionCallingConfig | None = None
    retrieval_config: Open | None = None
    include_server_side_tool_invocations: bool | None = None


# The request --------------------------------------------------------------------------------------


class ThinkingConfig(GeminiMessage):
    include_thoughts: bool = False
    thinking_budget: int | None = None
    thinking_level: (
        Annotated[
            Literal["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"],
            Enum("ThinkingConfig.ThinkingLevel"),
        ]
        | None
    ) = None


class GenerationConfig(GeminiMessage):
    candidate_count: int | None = None
    stop_sequences: list[str] = []
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: float | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    response_mime_type: str = ""
    response_schema: Schema | None = None
    response_json_schema: Any = None
    response_format: Open | None = None
    response_modalities: list[str] = []
    response_logprobs: bool | None = None
    logprobs: int | None = None
    enable_enhanced_civic_answers: bool | None = None
    speech_config: Open | None = None
    image_config: Open | None = None
    media_resolution: str | None = None
    thinking_config: ThinkingConfig | None = None


class GenerateContentRequest(GeminiMessage):
    """What :generateContent and :streamGenerateContent take. The model's name is in the path."""

    model: str = ""
    contents: list[Content] = []
    system_instruction: Content | None = None
    tools: list[GeminiTool] = []
    tool_config: ToolConfig | None = None
    safety_settings: list[Open] = []
    generation_config: GenerationConfig | None = None
    cached_content: str | None = None
    service_tier: str | None = None
    store: bool | None = None
    labels: dict[str, str] = {}

    @property
    def declarations(self) -> list[FunctionDeclaration]:
        """The functions of all tools."""
        return [function for tool in self.tools for function in tool.function_declarations]

    @property
    def config(self) -> GenerationConfig:
        return self.generation_config or GenerationConfig()

    @property
    def thinking(self) -> ThinkingConfig:
        return self.config.thinking_config or ThinkingConfig()

    @property
    def calling(self) -> FunctionCallingConfig:
        given = self.tool_config.function_calling_config if self.tool_config else None
        return given or FunctionCallingConfig()


class CountTokensRequest(GeminiMessage):
    """What :countTokens takes: contents alone, or a whole request."""

    contents: list[Content] = []
    generate_content_request: GenerateContentRequest | None = None


Schema.model_rebuild()


# Reading JSON by the rules that Google's services have for it -----------------------------------

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")


_SCALARS = {
    str: "TYPE_STRING",
    bytes: "TYPE_BYTES",
    bool: "TYPE_BOOL",
    int: "TYPE_INT32",
    float: "TYPE_DOUBLE",
}

_NOTHING = object()


def read(shape: type[GeminiMessage], data: Any, version: str = "v1beta") -> Any:
    """Return the request in the given shape; raise Refused with every complaint."""
    reader = _Reader(version)
    if not isinstance(data, dict):
        reader.complain("", 'Invalid JSON payload received. Unknown name "": Root element must be a message.')
        request = None
    else:
        request = reader.message(shape, data, "")
    if reader.complaints:
        raise reader.refused()
    return request


class _Reader:
    """One reading; keeps the complaints."""

    def __init__(self, version: str) -> None:
        self.types = f"type.googleapis.com/google.ai.generativelanguage.{version}."
        self.complaints: list[tuple[str, str]] = []

    def complain(self, place: str, text: str) -> Any:
        self.complaints.append((place, text))
        return _NOTHING

    def unknown(self, name: str, place: str, why: str) -> Any:
        at = f" at '{place}'" if place else ""
        return self.complain(place, f'Invalid JSON payload received. Unknown name "{name[:200]}"{at}: {why}')

    def wrong(self, place: str, kind: str, value: Any) -> Any:
        shown = json.dumps(value, ensure_ascii=False)
        shown = shown if len(shown) <= 200 else shown[:200] + "…"
        return self.complain(place, f"Invalid value at '{place}' ({kind}), {shown}")

    def refused(self) -> Refused:
        violations = [
            {"field": place, "description": text} if place else {"description": text}
            for place, text in self.complaints
        ]
        details = [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}]
        message = "\n".join(text for _, text in self.complaints)
        return Refused(400, "INVALID_ARGUMENT", message, {"details": details})

    # A message, field by field ----------------------------------------------------------------------

    def message(self, shape: type[GeminiMessage], data: dict[str, Any], place: str) -> Any:
        values: dict[str, Any] = {}
        for name, value in data.items():
            field = self._field(shape, name)
            if field is None:
                self.unknown(name, place, "Cannot find field.")
            elif value is not None or shape.model_fields[field].annotation is Any:
                self._check_oneof(shape, field, name, values, place)
                kind, meta = _unwrapped(shape.model_fields[field])
                found = self.value(kind, meta, value, f"{place}.{field}" if place else field, name, place)
                if found is not _NOTHING:
                    values[field] = found
        return shape.model_construct(**values)

    @staticmethod
    def _field(shape: type[GeminiMessage], name: str) -> str | None:
        snake = snake_case(name)
        # "function_Declarations" is neither spelling.
        exact = name == snake or "_" not in name
        return snake if exact and snake in shape.model_fields else None

    def _check_oneof(
        self, shape: type[GeminiMessage], field: str, name: str, values: dict[str, Any], place: str
    ) -> None:
        group, members = shape.ONEOF
        if field in members and any(other in members for other in values):
            text = f"oneof field '{group}' is already set. Cannot set '{name}'"
            self.complain(place, f"Invalid value at '{place}' (oneof), {text}")

    def value(self, kind: Any, meta: tuple[Any, ...], value: Any, place: str, name: str, parent: str) -> Any:
        """Return one value of a field, read by the kind that the shape names for it."""
        origin = typing.get_origin(kind)
        if kind is Any:
            return value
        if origin is list:
            return self._list(typing.get_args(kind)[0], value, place, name, parent)
        if isinstance(value, list):
            return self.unknown(name, parent, "Proto field is not repeating, cannot start list.")
        if origin is dict:
            return self._map(typing.get_args(kind)[1], value, place)
        if isinstance(kind, type) and issubclass(kind, GeminiMessage):
            if not isinstance(value, dict):
                return self.wrong(place, self.types + kind.__name__.removeprefix("Gemini"), value)
            return self.message(kind, value, place)
        if isinstance(value, dict):
            return self.unknown(name, parent, "Starting an object on a scalar field.")
        if origin is typing.Literal:
            return self._enum(typing.get_args(kind), meta, value, place)
        return self._scalar(kind, value, place)

    def _list(self, kind: Any, value: Any, place: str, name: str, parent: str) -> Any:
        kind, meta = _plain(kind)
        if not isinstance(value, list):
            items = [self.value(kind, meta, value, place, name, parent)]
        else:
            items = [
                self.value(kind, meta, item, f"{place}[{n}]", name, parent) for n, item in enumerate(value)
            ]
        return [item for item in items if item is not _NOTHING]

    def _map(self, kind: Any, value: Any, place: str) -> Any:
        if kind is Any:
            return value if isinstance(value, dict) else self.wrong(place, _STRUCT, value)
        if not isinstance(value, dict):
            return self.wrong(place, self.types + "MapEntry", value)
        found = {}
        for n, (name, item) in enumerate(value.items()):
            entry = f"{place}[{n}]"
            one = self.value(kind, (), item, f"{entry}.value", "value", entry)
            if one is not _NOTHING:
                found[name] = one
        return found

    def _enum(self, allowed: tuple[str, ...], meta: tuple[Any, ...], value: Any, place: str) -> Any:
        if isinstance(value, str) and value.upper() in allowed:
            return value.upper()
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(allowed):
            return allowed[value]
        name = next((one.name for one in meta if isinstance(one, Enum)), "")
        return self.wrong(place, self.types + name, value)

    def _scalar(self, kind: type, value: Any, place: str) -> Any:
        wrong = _SCALARS[kind]
        if kind is str:
            return value if isinstance(value, str) else self.wrong(place, wrong, value)
        if kind is bytes:
            if isinstance(value, str) and _BASE64.fullmatch(value):
                return value
            if isinstance(value, str):
                text = f'Base64 decoding failed for "{value[:100]}"'
                return self.complain(place, f"Invalid value at '{place}' ({wrong}), {text}")
            return self.wrong(place, wrong, value)
        if kind is bool:
            return value if isinstance(value, bool) else self.wrong(place, wrong, value)
        number = _number(value)
        if number is None or (kind is int and (number != int(number) or abs(number) >= 2**31)):
            return self.wrong(place, wrong, value)
        return int(number) if kind is int else number


_STRUCT = "type.googleapis.com/google.protobuf.Struct"


def _number(value: Any) -> int | float | None:
    """Return a number, also one that is written as a string, as protocol buffers allow."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}(\.\d{1,18})?", value):
        return float(value) if "." in value else int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unwrapped(field: Any) -> tuple[Any, tuple[Any, ...]]:
    kind, meta = _plain(field.annotation)
    return kind, (*field.metadata, *meta)


def _plain(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return X and what is annotated for `Annotated[X, …] | None`."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        kind = next(one for one in typing.get_args(kind) if one is not types.NoneType)
    if typing.get_origin(kind) is typing.Annotated:
        inner, *meta = typing.get_args(kind)
        return inner, tuple(meta)
    return kind, ()
