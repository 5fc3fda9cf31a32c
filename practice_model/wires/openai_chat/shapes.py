"""The shape of a Chat Completions request, as Pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...facts.services import OPENAI_MAX_TOOLS
from ..openai.shapes import Common, Effort, Name, OpenShape, Shape, name_or, one_of, text_or

# Messages -------------------------------------------------------------------------------------------


class TextPart(Shape):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: dict[str, Any] | None = None


class RefusalPart(Shape):
    type: Literal["refusal"]
    refusal: str


class ImageURL(Shape):
    url: str
    detail: Literal["auto", "low", "high", "original"] | None = None


class ImagePart(OpenShape):
    type: Literal["image_url"]
    image_url: ImageURL


class AudioPart(OpenShape):
    type: Literal["input_audio"]
    input_audio: dict[str, Any]


class FilePart(OpenShape):
    type: Literal["file"]
    file: dict[str, Any]


_Text = one_of("type", {"text": TextPart})
_UserPart = one_of(
    "type", {"text": TextPart, "image_url": ImagePart, "input_audio": AudioPart, "file": FilePart}
)
_AssistantPart = one_of("type", {"text": TextPart, "refusal": RefusalPart})


class CalledFunction(Shape):
    name: Name
    arguments: str
    parsed_arguments: Any = None


class CalledCustom(Shape):
    name: str
    input: str


class FunctionCall(Shape):
    id: str
    type: Literal["function"]
    function: CalledFunction
    index: int | None = None


class CustomCall(Shape):
    id: str
    type: Literal["custom"]
    custom: CalledCustom


class Instructions(Shape):
    role: Literal["system", "developer"]
    content: text_or(_Text)
    name: str | None = None


class UserMessage(Shape):
    role: Literal["user"]
    content: text_or(_UserPart)
    name: str | None = None


class AssistantMessage(Shape):
    role: Literal["assistant"]
    content: text_or(_AssistantPart) | None = None
    refusal: str | None = None
    name: str | None = None
    tool_calls: (
        Annotated[list[one_of("type", {"function": FunctionCall, "custom": CustomCall})], Field(min_length=1)]
        | None
    ) = None
    # What the SDK's answers have beside these, also from `parse` and `stream`, so that they can be sent back.
    parsed: Any = None
    annotations: list[Any] | None = None
    audio: dict[str, Any] | None = None
    function_call: dict[str, Any] | None = None


class ToolMessage(Shape):
    role: Literal["tool"]
    content: text_or(_Text)
    tool_call_id: Annotated[str, Field(max_length=64)]
    name: str | None = None


class FunctionMessage(Shape):
    role: Literal["function"]
    name: str
    content: str | None


Message = one_of(
    "role",
    {
        "system": Instructions,
        "assistant": AssistantMessage,
        "user": UserMessage,
        "function": FunctionMessage,
        "tool": ToolMessage,
        "developer": Instructions,
    },
)


# Tools and formats ------------------------------------------------------------------------------------


class Function(Shape):
    name: Name
    description: str | None = None
    parameters: Any = None  # its schema has rules of its own
    strict: bool | None = None


class FunctionTool(Shape):
    type: Literal["function"]
    function: Function


class CustomTool(Shape):
    type: Literal["custom"]
    custom: dict[str, Any]


class Named(Shape):
    name: str


class FunctionChoice(Shape):
    type: Literal["function"]
    function: Named


class CustomChoice(Shape):
    type: Literal["custom"]
    custom: Named


class AllowedTools(Shape):
    mode: Literal["auto", "required"]
    tools: list[dict[str, Any]]


class AllowedChoice(Shape):
    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


ToolChoice = name_or(
    ("none", "auto", "required"),
    one_of("type", {"function": FunctionChoice, "allowed_tools": AllowedChoice, "custom": CustomChoice}),
)


class TextFormat(Shape):
    type: Literal["text"]


class JSONObjectFormat(Shape):
    type: Literal["json_object"]


class JSONSchema(Shape):
    name: Name
    json_schema: Annotated[Any, Field(alias="schema")] = None
    description: str | None = None
    strict: bool | None = None


class JSONSchemaFormat(Shape):
    type: Literal["json_schema"]
    json_schema: JSONSchema


class StreamOptions(Shape):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


# The request --------------------------------------------------------------------------------------


class ChatRequest(Common):
    messages: Annotated[list[Message], Field(min_length=1)]
    tools: (
        Annotated[
            list[one_of("type", {"function": FunctionTool, "custom": CustomTool})],
            Field(min_length=1, max_length=OPENAI_MAX_TOOLS),
        ]
        | None
    ) = None
    tool_choice: ToolChoice | None = None
    response_format: (
        one_of("type", {"json_object": JSONObjectFormat, "json_schema": JSONSchemaFormat, "text": TextFormat})
        | None
    ) = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Annotated[int, Field(ge=1, le=128)] | None = None
    stop: text_or(str, "one of a string or array of strings") | None = None
    stream_options: StreamOptions | None = None
    reasoning_effort: Effort | None = None
    verbosity: Literal["low", "medium", "high"] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2.0, le=2.0)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2.0, le=2.0)] | None = None
    logit_bias: dict[str, int] | None = None
    logprobs: bool | None = None
    seed: int | None = None
    prediction: dict[str, Any] | None = None
    modalities: list[Literal["text", "audio"]] | None = None
    audio: dict[str, Any] | None = None
    functions: list[Any] | None = None
    function_call: Any = None
    web_search_options: dict[str, Any] | None = None
