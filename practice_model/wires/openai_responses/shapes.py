"""The shape of a Responses request, as Pydantic models.

Items and tools that the course does not teach stay open.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ...facts.services import OPENAI_MAX_TOOLS
from ..openai.shapes import (
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
from ..schemas import openai_problems

# Input ------------------------------------------------------------------------------------------------


class InputText(OpenAIShape):
    type: Literal["input_text"]
    text: str
    prompt_cache_breakpoint: dict[str, Any] | None = None


class OutputText(OpenAIOpenShape):
    type: Literal["output_text"]
    text: str


class InputImage(OpenAIOpenShape):
    type: Literal["input_image"]
    detail: Literal["auto", "low", "high", "original"] | None = None
    file_id: str | None = None
    image_url: str | None = None


class InputFile(OpenAIOpenShape):
    type: Literal["input_file"]
    file_id: str | None = None
    file_url: str | None = None
    filename: str | None = None


_Input = {"input_text": InputText, "input_image": InputImage, "input_file": InputFile}
ResponsesContent = one_of("type", {**_Input, "output_text": OutputText, "refusal": RefusalPart})
Status = Literal["in_progress", "completed", "incomplete"]
ItemId = Annotated[str, Field(min_length=1, max_length=64)]
CallId = Annotated[str, Field(min_length=1, max_length=64)]


class ResponsesMessage(OpenAIShape):
    type: Literal["message"]
    role: Literal["user", "assistant", "system", "developer"]
    content: text_or(ResponsesContent)
    id: ItemId | None = None
    status: Status | None = None
    phase: Literal["commentary", "final_answer"] | None = None


class ResponsesFunctionCall(OpenAIShape):
    type: Literal["function_call"]
    call_id: CallId
    name: Name
    arguments: str
    id: ItemId | None = None
    status: Status | None = None
    caller: dict[str, Any] | None = None
    namespace: str | None = None
    async_: Annotated[bool | None, Field(alias="async")] = None


class CustomToolCall(OpenAIOpenShape):
    type: Literal["custom_tool_call"]
    name: Name


class FunctionCallOutput(OpenAIShape):
    type: Literal["function_call_output"]
    call_id: CallId
    output: text_or(one_of("type", _Input))
    id: ItemId | None = None
    status: Status | None = None
    caller: dict[str, Any] | None = None
    async_: Annotated[bool | None, Field(alias="async")] = None
    name: str | None = None


class Reasoning(OpenAIShape):
    type: Literal["reasoning"]
    id: ItemId | None = None
    summary: list[Any]
    content: list[Any] | None = None
    encrypted_content: str | None = None
    status: Status | None = None


class ItemReference(OpenAIShape):
    type: Literal["item_reference"]
    id: ItemId


class OtherItem(OpenAIOpenShape):
    """An item of a tool that the provider runs: accepted, and not looked at."""

    type: str


_OTHER_ITEMS = tuple(
    """
    file_search_call computer_call computer_call_output web_search_call tool_search_call tool_search_output
    additional_tools configuration_update compaction image_generation_call code_interpreter_call
    local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call
    apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call
    custom_tool_call_output compaction_trigger program program_output
    """.split()
)


def _message_by_default(item: Any) -> Any:
    if isinstance(item, dict) and item.get("type") is None and "role" in item:
        return {**item, "type": "message"}
    if isinstance(item, dict) and set(item) == {"id"}:
        return {**item, "type": "item_reference"}
    return item


Item = Annotated[
    one_of(
        "type",
        {
            "message": ResponsesMessage,
            "function_call": ResponsesFunctionCall,
            "function_call_output": FunctionCallOutput,
            "custom_tool_call": CustomToolCall,
            "reasoning": Reasoning,
            "item_reference": ItemReference,
            **dict.fromkeys(_OTHER_ITEMS, OtherItem),
        },
    ),
    BeforeValidator(_message_by_default),
]


# Tools and formats ------------------------------------------------------------------------------------


class ResponsesFunctionTool(OpenAIShape):
    type: Literal["function"]
    name: Name
    description: str | None = None
    parameters: Any = None  # its schema has rules of its own
    strict: bool | None = None
    defer_loading: bool | None = None
    allowed_callers: list[Literal["direct", "programmatic"]] | None = None
    output_schema: dict[str, Any] | None = None
    async_: Annotated[bool | None, Field(alias="async")] = None

    @property
    def is_strict(self) -> bool:
        """Whether it is held to the strict subset: where it says so or, saying nothing, fits it."""
        if self.strict is not None or not isinstance(self.parameters, dict):
            return bool(self.strict)
        return not any(openai_problems(self.parameters, strict=True))


class OtherTool(OpenAIOpenShape):
    """A tool that the provider runs, or free text: the practice model accepts it and never uses it."""

    type: str


_OTHER_TOOLS = tuple(
    """
    file_search web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11 mcp
    code_interpreter computer computer_use_preview programmatic_tool_calling image_generation local_shell
    shell custom namespace tool_search apply_patch
    """.split()
)

ResponsesTool = one_of("type", {"function": ResponsesFunctionTool, **dict.fromkeys(_OTHER_TOOLS, OtherTool)})


class ResponsesFunctionChoice(OpenAIShape):
    type: Literal["function"]
    name: str


class ResponsesAllowedChoice(OpenAIShape):
    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    tools: list[dict[str, Any]]


ResponsesToolChoice = name_or(
    ("none", "auto", "required"),
    one_of(
        "type",
        {
            "function": ResponsesFunctionChoice,
            "allowed_tools": ResponsesAllowedChoice,
            **dict.fromkeys(_OTHER_TOOLS, OtherTool),
        },
    ),
)


class ResponsesJSONSchemaFormat(OpenAIShape):
    type: Literal["json_schema"]
    name: Name
    json_schema: Annotated[Any, Field(alias="schema")]
    description: str | None = None
    strict: bool | None = None


class TextConfig(OpenAIShape):
    format: (
        one_of(
            "type",
            {"text": TextFormat, "json_schema": ResponsesJSONSchemaFormat, "json_object": JSONObjectFormat},
        )
        | None
    ) = None
    verbosity: Literal["low", "medium", "high"] | None = None


class ReasoningConfig(OpenAIShape):
    effort: Effort | None = None
    summary: Literal["auto", "concise", "detailed"] | None = None
    generate_summary: Literal["auto", "concise", "detailed"] | None = None
    context: Literal["auto", "current_turn", "all_turns"] | None = None
    mode: str | None = None


class ResponsesStreamOptions(OpenAIShape):
    include_obfuscation: bool | None = None


class Conversation(OpenAIShape):
    id: str


Includable = Literal[
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
]


# The request --------------------------------------------------------------------------------------


class ResponsesRequest(OpenAIRequest):
    input: text_or(Item, "one of a string or array of input items") | None = None
    instructions: str | None = None
    previous_response_id: str | None = None
    conversation: name_or(None, Conversation) | None = None
    tools: Annotated[list[ResponsesTool], Field(max_length=OPENAI_MAX_TOOLS)] | None = None
    tool_choice: ResponsesToolChoice | None = None
    text: TextConfig | None = None
    reasoning: ReasoningConfig | None = None
    max_output_tokens: Annotated[int, Field(ge=16)] | None = None
    max_tool_calls: Annotated[int, Field(ge=1)] | None = None
    include: list[Includable] | None = None
    stream_options: ResponsesStreamOptions | None = None
    truncation: Literal["auto", "disabled"] | None = None
    background: bool | None = None
    prompt: dict[str, Any] | None = None
    context_management: list[Any] | None = None
    access_programs: dict[str, Any] | None = None
    background_options: dict[str, Any] | None = None
    image: dict[str, Any] | None = None

    @property
    def effort(self) -> str | None:
        return self.reasoning.effort if self.reasoning else None

    @property
    def offered(self) -> list[Offered]:
        return [
            Offered(
                f"tools[{n}].parameters", tool.name, tool.description or "", tool.parameters, tool.is_strict
            )
            for n, tool in enumerate(self.tools or [])
            if isinstance(tool, ResponsesFunctionTool) and not tool.defer_loading
        ]

    @property
    def choice(self) -> Choice:
        wanted = self.tool_choice
        if wanted is None or isinstance(wanted, str):
            return Choice(wanted or "auto")
        if isinstance(wanted, ResponsesFunctionChoice):
            return Choice("named", (wanted.name,))
        if isinstance(wanted, ResponsesAllowedChoice):
            names = tuple(str(tool.get("name")) for tool in wanted.tools if tool.get("type") == "function")
            return Choice(wanted.mode, names, only=True)
        return Choice("none")  # a tool that the provider runs: it is never used here

    @property
    def answer_format(self) -> AnswerFormat:
        wanted = self.text.format if self.text else None
        if not isinstance(wanted, ResponsesJSONSchemaFormat):
            return AnswerFormat(wanted.type if wanted else "text")
        return AnswerFormat(wanted.type, wanted.name, wanted.json_schema, bool(wanted.strict))
