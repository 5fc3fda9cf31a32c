"""The shape of a Messages request, as Pydantic models, and Pydantic's complaints in the real service's words.

What the course teaches is spelled out and closed: an unknown field is an error, as on the real service. Kinds
of content that the course does not teach are let through as they are (`Other…`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationError

from ...facts.schemas import CALL_NAME_LENGTHS, TOOL_NAMES
from ..api import Refused


class AnthropicShape(BaseModel):
    """A closed object. Strict: "5" is not a number, as on the real service."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class AnthropicOpenShape(BaseModel):
    """An object of which only the type is looked at."""

    model_config = ConfigDict(extra="allow", defer_build=True)


class CacheControl(AnthropicShape):
    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] | None = None


# Content blocks -----------------------------------------------------------------------------------


class TextBlock(AnthropicShape):
    type: Literal["text"]
    text: str
    cache_control: CacheControl | None = None
    citations: list[Any] | None = None


class ThinkingBlock(AnthropicShape):
    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedThinkingBlock(AnthropicShape):
    type: Literal["redacted_thinking"]
    data: str


_LEAST, _MOST = CALL_NAME_LENGTHS["anthropic"]


class ToolUseBlock(AnthropicShape):
    type: Literal["tool_use"]
    id: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]+$")]
    name: Annotated[str, Field(min_length=_LEAST, max_length=_MOST)]
    input: dict[str, Any]
    cache_control: CacheControl | None = None
    caller: dict[str, Any] | None = None
    toolset_name: str | None = None


class MediaBlock(AnthropicOpenShape):
    type: Literal["image", "document"]
    source: dict[str, Any]


class ToolReference(AnthropicOpenShape):
    type: Literal["tool_reference"]
    tool_name: str


class OtherResultContent(AnthropicOpenShape):
    type: Literal["search_result", "browser_state"]


def _text_or_list(value: Any) -> str:
    return "_text" if isinstance(value, str) else "_list"


def _text_or(items: Any) -> Any:
    """Return the type of a string or a list: complaints then speak of the one that was meant."""
    return Annotated[
        Annotated[str, Tag("_text")] | Annotated[list[items], Tag("_list")], Discriminator(_text_or_list)
    ]


ResultContent = Annotated[
    TextBlock | MediaBlock | ToolReference | OtherResultContent, Field(discriminator="type")
]


class ToolResultBlock(AnthropicShape):
    type: Literal["tool_result"]
    tool_use_id: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]+$")]
    content: _text_or(ResultContent) | None = None
    is_error: bool | None = None
    cache_control: CacheControl | None = None
    toolset_name: str | None = None


_OTHER_BLOCKS = tuple(
    """
    advisor_tool_result bash_code_execution_tool_result code_execution_tool_result compaction
    container_upload fallback mcp_tool_listing mcp_tool_result mcp_tool_use search_result
    server_tool_use text_editor_code_execution_tool_result tool_addition tool_removal
    tool_search_tool_result web_fetch_tool_result web_search_tool_result
    """.split()
)


class OtherBlock(AnthropicOpenShape):
    type: Literal[_OTHER_BLOCKS]


Block = Annotated[
    TextBlock
    | MediaBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | OtherBlock,
    Field(discriminator="type"),
]


class AnthropicMessage(AnthropicShape):
    role: Literal["user", "assistant", "system"]
    content: _text_or(Block)
    clear_at: Literal["next_user_message", "never"] | None = None
    output_config: dict[str, Any] | None = None

    def blocks(self) -> list[Any]:
        """Return the content as blocks: a string is short for one block of text."""
        if isinstance(self.content, str):
            return [TextBlock(type="text", text=self.content)]
        return self.content


# Tools --------------------------------------------------------------------------------------------


class InputSchema(AnthropicOpenShape):
    type: Literal["object"]


class AnthropicTool(AnthropicShape):
    type: Literal["custom"] = "custom"
    name: Annotated[str, Field(pattern=f"^{TOOL_NAMES['anthropic']}$", max_length=128)]
    input_schema: InputSchema
    description: str | None = None
    strict: bool | None = None
    input_examples: list[dict[str, Any]] | None = None
    cache_control: CacheControl | None = None
    defer_loading: bool | None = None
    eager_input_streaming: bool | None = None
    allowed_callers: list[str] | None = None


_PROVIDER_TOOLS = tuple(
    """
    advisor_20260301 bash_20241022 bash_20250124 browser_toolset_20260801 code_execution_20250522
    code_execution_20250825 code_execution_20260120 code_execution_20260521 computer_20241022
    computer_20250124 computer_20251124 computer_toolset_20260801 mcp_toolset memory_20250818
    text_editor_20241022 text_editor_20250124 text_editor_20250429 text_editor_20250728
    tool_search_tool_bm25 tool_search_tool_bm25_20251119 tool_search_tool_regex
    tool_search_tool_regex_20251119 web_fetch_20250910 web_fetch_20260209 web_fetch_20260309
    web_fetch_20260318 web_search_20250305 web_search_20260209 web_search_20260318
    """.split()
)


class ProviderTool(AnthropicOpenShape):
    """A tool whose definition the provider has: the practice model accepts it and never uses it."""

    name: str | None = None
    type: Literal[_PROVIDER_TOOLS]


def _custom_by_default(tool: Any) -> Any:
    if isinstance(tool, dict) and tool.get("type") is None:
        return {**tool, "type": "custom"}
    return tool


Tool = Annotated[
    AnthropicTool | ProviderTool, Field(discriminator="type"), BeforeValidator(_custom_by_default)
]


class UnnamedToolChoice(AnthropicShape):
    type: Literal["auto", "any"]
    disable_parallel_tool_use: bool | None = None


class NamedToolChoice(AnthropicShape):
    type: Literal["tool"]
    name: str
    disable_parallel_tool_use: bool | None = None


class NoneChoice(AnthropicShape):
    type: Literal["none"]


# The request --------------------------------------------------------------------------------------


class EnabledThinking(AnthropicShape):
    type: Literal["enabled"]
    budget_tokens: Annotated[int, Field(ge=1024)]
    display: Literal["summarized", "omitted"] | None = None


class AdaptiveThinking(AnthropicShape):
    type: Literal["adaptive"]
    display: Literal["summarized", "omitted"] | None = None


class OtherThinking(AnthropicShape):
    type: Literal["disabled", "between_tools"]


class JSONFormat(AnthropicShape):
    type: Literal["json_schema"]
    json_schema: Annotated[dict[str, Any], Field(alias="schema")]


class OutputConfig(AnthropicShape):
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: JSONFormat | None = None
    task_budget: dict[str, Any] | None = None


class Metadata(AnthropicShape):
    user_id: Annotated[str, Field(max_length=512)] | None = None


class CountRequest(AnthropicShape):
    """What POST /v1/messages/count_tokens takes, and the beginning of what POST /v1/messages takes."""

    model: Annotated[str, Field(min_length=1, max_length=256)]
    messages: list[AnthropicMessage]
    system: _text_or(TextBlock) | None = None
    tools: list[Tool] | None = None
    tool_choice: (
        Annotated[UnnamedToolChoice | NamedToolChoice | NoneChoice, Field(discriminator="type")] | None
    ) = None
    thinking: (
        Annotated[EnabledThinking | AdaptiveThinking | OtherThinking, Field(discriminator="type")] | None
    ) = None
    output_config: OutputConfig | None = None
    cache_control: CacheControl | None = None
    speed: Literal["standard", "fast"] | None = None


class MessagesRequest(CountRequest):
    # 0 is allowed: it fills the prompt cache and generates nothing.
    max_tokens: Annotated[int, Field(ge=0)]
    stop_sequences: list[str] | None = None
    stream: bool | None = None
    metadata: Metadata | None = None
    service_tier: Literal["auto", "standard_only"] | None = None
    inference_geo: str | None = None
    container: str | dict[str, Any] | None = None
    diagnostics: dict[str, Any] | None = None


class SamplingRequest(MessagesRequest):
    """API versions before 2026-10-21 still took the sampling parameters."""

    model_config = ConfigDict(strict=False)
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None


# Accepted with ?beta=true or an anthropic-beta header, and not looked at.
BETA_FIELDS = frozenset(
    """
    billing_policy compaction container context_management fallback_credit_token fallbacks mcp_servers
    output_format
    """.split()
)


def read(shape: type[CountRequest], data: Any) -> Any:
    """Return the request in the given shape; raise Refused with the first complaint."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        raise Refused(400, "invalid_request_error", _complaint(error.errors(include_url=False)[0])) from None


_WORDS = {
    "missing": "Field required",
    "union_tag_not_found": "Field required",
    "model_type": "Input should be a valid dictionary",
    "model_attributes_type": "Input should be a valid dictionary",
}


def _complaint(error: Any) -> str:
    """Return `messages.0.content.1.tool_result.tool_use_id: Field required`, for instance."""
    # Our own labels for "a string" and "a list" begin with an underscore; the real service shows no such.
    place = [str(part) for part in error["loc"] if not str(part).startswith("_")]
    if error["type"] == "union_tag_not_found":
        place.append("type")
    message = _WORDS.get(error["type"], error["msg"])
    return f"{'.'.join(place)}: {message}" if place else message
