"""The shape of a Gemini request, as Pydantic models; gemini_reading.py reads JSON into them.

The service speaks protocol buffers, and JSON is only their coat: fields are named here as the service
names them (`function_declarations`) and may be sent in camelCase as well. What the course teaches is spelled
out and closed: an unknown field is an error, as on the real service. What it does not teach is an `Open`
object, let through as it is.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict


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
    def calling(self) -> FunctionCallingConfig | None:
        return self.tool_config.function_calling_config if self.tool_config else None


class CountTokensRequest(GeminiMessage):
    """What :countTokens takes: contents alone, or a whole request."""

    contents: list[Content] = []
    generate_content_request: GenerateContentRequest | None = None


Schema.model_rebuild()
