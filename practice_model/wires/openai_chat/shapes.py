"""The shape of a Chat Completions request, as Pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...facts.services import OPENAI_MAX_TOOLS
from ..openai.shapes import (
    NO_PARAMETERS,
    AnswerFormat,
    Choice,
    Effort,
    JSONObjectFormat,
    Name,
    Offered,
    OpenAIOpenShape,
    OpenAIRequest,
    OpenAIShape,
    RefusalPart,
    TextFormat,
    name_or,
    one_of,
    text_or,
)

# Messages -------------------------------------------------------------------------------------------


class TextPart(OpenAIShape):
    type: Literal["text"]
    text: str
    prompt_cache_breakpoint: dict[str, Any] | None = None


class ImageURL(OpenAIShape):
    url: str
    detail: Literal["auto", "low", "high", "original"] | None = None


class ImagePart(OpenAIOpenShape):
    type: Literal["image_url"]
    image_url: ImageURL


class AudioPart(OpenAIOpenShape):
    type: Literal["input_audio"]
    input_audio: dict[str, Any]


class FilePart(OpenAIOpenShape):
    type: Literal["file"]
    file: dict[str, Any]


_Text = one_of("type", {"text": TextPart})
_UserPart = one_of(
    "type", {"text": TextPart, "image_url": ImagePart, "input_audio": AudioPart, "file": FilePart}
)
_AssistantPart = one_of("type", {"text": TextPart, "refusal": RefusalPart})


class CalledFunction(OpenAIShape):
    name: Name
    arguments: str
    parsed_arguments: Any = None


class CalledCustom(OpenAIShape):
    name: Name
    input: str


class ChatFunctionCall(OpenAIShape):
    id: str
    type: Literal["function"]
    function: CalledFunction
    index: int | None = None


class CustomCall(OpenAIShape):
    id: str
    type: Literal["custom"]
    custom: CalledCustom


class Instructions(OpenAIShape):
    role: Literal["system", "developer"]
    content: text_or(_Text)
    name: str | None = None


class UserMessage(OpenAIShape):
    role: Literal["user"]
    content: text_or(_UserPart)
    name: str | None = None


class AssistantMessage(OpenAIShape):
    role: Literal["assistant"]
    content: text_or(_AssistantPart) | None = None
    refusal: str | None = None
    name: str | None = None
    tool_calls: (
        Annotated[
            list[one_of("type", {"function": ChatFunctionCall, "custom": CustomCall})], Field(min_length=1)
        ]
        | None
    ) = None
    # What the SDK's answers have beside these, also from `parse` and `stream`, so that they can be sent back.
    parsed: Any = None
    annotations: list[Any] | None = None
    audio: dict[str, Any] | None = None
    function_call: CalledFunction | None = None


class ToolMessage(OpenAIShape):
    role: Literal["tool"]
    content: text_or(_Text)
    tool_call_id: Annotated[str, Field(max_length=64)]
    name: Name | None = None


class FunctionMessage(OpenAIShape):
    role: Literal["function"]
    name: Name
    content: str | None


ChatMessage = one_of(
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


class Function(OpenAIShape):
    name: Name
    description: str | None = None
    parameters: Any = None  # its schema has rules of its own
    strict: bool | None = None


class ChatFunctionTool(OpenAIShape):
    type: Literal["function"]
    function: Function


class ChatCustomTool(OpenAIShape):
    type: Literal["custom"]
    custom: dict[str, Any]


class Named(OpenAIShape):
    name: str


class ChatFunctionChoice(OpenAIShape):
    type: Literal["function"]
    function: Named


class CustomChoice(OpenAIShape):
    type: Literal["custom"]
    custom: Named


class AllowedTools(OpenAIShape):
    mode: Literal["auto", "required"]
    tools: list[dict[str, Any]]


class ChatAllowedChoice(OpenAIShape):
    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


ChatToolChoice = name_or(
    ("none", "auto", "required"),
    one_of(
        "type", {"function": ChatFunctionChoice, "allowed_tools": ChatAllowedChoice, "custom": CustomChoice}
    ),
)


class JSONSchema(OpenAIShape):
    name: Name
    json_schema: Annotated[Any, Field(alias="schema")] = None
    description: str | None = None
    strict: bool | None = None


class ChatJSONSchemaFormat(OpenAIShape):
    type: Literal["json_schema"]
    json_schema: JSONSchema


class ChatStreamOptions(OpenAIShape):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


# The request --------------------------------------------------------------------------------------


class ChatRequest(OpenAIRequest):
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    tools: (
        Annotated[
            list[one_of("type", {"function": ChatFunctionTool, "custom": ChatCustomTool})],
            Field(min_length=1, max_length=OPENAI_MAX_TOOLS),
        ]
        | None
    ) = None
    tool_choice: ChatToolChoice | None = None
    response_format: (
        one_of(
            "type", {"json_object": JSONObjectFormat, "json_schema": ChatJSONSchemaFormat, "text": TextFormat}
        )
        | None
    ) = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Annotated[int, Field(ge=1, le=128)] | None = None
    stop: text_or(str, "one of a string or array of strings") | None = None
    stream_options: ChatStreamOptions | None = None
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

    @property
    def effort(self) -> str | None:
        return self.reasoning_effort

    @property
    def offered(self) -> list[Offered]:
        return [
            Offered(
                f"tools[{n}].function.parameters",
                tool.function.name,
                tool.function.description or "",
                tool.function.parameters,
                bool(tool.function.strict),
            )
            for n, tool in enumerate(self.tools or [])
            if isinstance(tool, ChatFunctionTool)
        ]

    @property
    def choice(self) -> Choice:
        wanted = self.tool_choice
        if wanted is None or isinstance(wanted, str):
            return Choice(wanted or "auto")
        if isinstance(wanted, ChatFunctionChoice):
            return Choice("named", (wanted.function.name,))
        if isinstance(wanted, ChatAllowedChoice):
            allowed = wanted.allowed_tools
            names = (tool.get("function", tool) for tool in allowed.tools if tool.get("type") == "function")
            found = tuple(str(one.get("name")) for one in names if isinstance(one, dict))
            return Choice(allowed.mode, found, only=True)
        return Choice("none")  # a custom tool: it is never used here

    @property
    def answer_format(self) -> AnswerFormat:
        wanted = self.response_format
        if not isinstance(wanted, ChatJSONSchemaFormat):
            return AnswerFormat(wanted.type if wanted else "text")
        form = wanted.json_schema
        if form.json_schema is None:  # any object will do, also where strict
            return AnswerFormat(wanted.type, form.name, NO_PARAMETERS)
        return AnswerFormat(wanted.type, form.name, form.json_schema, bool(form.strict))
