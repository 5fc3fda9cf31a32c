"""The rules of the Messages protocol that go beyond the shape of a request, as one table.

The messages are worded as the real service words them; what is in round brackets at their end is the practice
model's own help. The first rule that a request breaks is the one it is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import Refused
from . import anthropic_conversation as conversation
from . import anthropic_tools as tools
from .anthropic_shapes import CountRequest


class Rule(NamedTuple):
    """What is looked for, and what is said when it is found: always a 400 invalid_request_error."""

    find: Callable[[CountRequest], dict[str, Any] | None]
    message: str


RULES = (
    Rule(conversation.no_message, "messages: at least one message is required"),
    Rule(
        conversation.first_is_not_user,
        'messages: first message must use the "user" role, not "{role}" (instructions go into `system`)',
    ),
    Rule(
        conversation.system_message_not_taken, "role 'system' is not supported on this model (messages.{n})"
    ),
    Rule(conversation.system_message_misplaced, "messages.{n}: role 'system' must follow a 'user' message"),
    Rule(
        conversation.extra_of_system_message, "messages.{n}.{field}: only permitted on role 'system' messages"
    ),
    Rule(
        conversation.block_of_other_role,
        "messages.{n}.content.{m}: `{type}` blocks can only be in `{role}` messages",
    ),
    Rule(
        conversation.empty_message,
        "messages.{n}: all messages must have non-empty content except for the optional final assistant "
        "message",
    ),
    Rule(conversation.empty_text, "messages: text content blocks must be non-empty ({place})"),
    Rule(conversation.blank_text, "messages: text content blocks must contain non-whitespace text ({place})"),
    Rule(
        conversation.thinking_at_the_end,
        "messages.{n}: The final block in an assistant message cannot be `{type}`.",
    ),
    Rule(conversation.empty_system_text, "system: text content blocks must be non-empty (system.{m})"),
    Rule(
        conversation.repeated_call,
        "messages.{n}.content.{m}: `tool_use` ids must be unique (found again: {id})",
    ),
    Rule(
        conversation.call_without_result,
        "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    Rule(
        conversation.result_without_call,
        "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    Rule(
        conversation.repeated_result,
        "messages.{n}.content.{m}: each tool_use must have a single result. "
        "Found multiple `tool_result` blocks with id: {id}",
    ),
    Rule(
        conversation.result_after_other_content,
        "messages.{call}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message. "
        "(messages.{n}.content.{m} comes after other content: put the results first, text after them)",
    ),
    Rule(
        conversation.trailing_blank, "messages: final assistant content cannot end with trailing whitespace"
    ),
    Rule(
        conversation.prefill,
        "This model does not support assistant message prefill. "
        "The conversation must end with a user message.",
    ),
    Rule(
        conversation.thinking_block_lost,
        "messages.{n}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. "
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding "
        "the lastmost set of `tool_use` and `tool_result` blocks). (Send `content` back as you received it.)",
    ),
    Rule(tools.repeated_tool, "tools: Tool names must be unique. (twice: {name})"),
    Rule(
        tools.union_at_the_top,
        "tools.{n}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at "
        "the top level",
    ),
    Rule(
        tools.bad_schema,
        "tools.{n}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). ({problem})",
    ),
    Rule(tools.all_tools_deferred, "At least one tool must have defer_loading=false."),
    Rule(tools.too_many_strict_tools, "tools: Too many strict tools ({count}). The maximum is {limit}."),
    Rule(tools.strict_schema, "{place}: {problem}"),
    Rule(tools.output_format, "output_config.format.schema: {problem}"),
    Rule(tools.too_complex, "{problem}"),
    Rule(tools.choice_without_tools, "tool_choice: tool_choice may only be specified while providing tools"),
    Rule(
        tools.choice_not_offered, "tool_choice: Tool '{name}' not found in provided tools (provided: {names})"
    ),
    Rule(tools.forcing_refused, 'tool_choice: type "tool" and "any" are not supported for this model.'),
    Rule(tools.forcing_with_thinking, "Thinking may not be enabled when tool_choice forces tool use."),
    Rule(tools.budget_too_large, "`max_tokens` must be greater than `thinking.budget_tokens`."),
    Rule(
        tools.max_tokens_too_large,
        "max_tokens: {asked} > {limit}, which is the maximum allowed number of output tokens for {model}",
    ),
    Rule(tools.blank_stop_sequence, "stop_sequences: each stop sequence must contain non-whitespace"),
)


def check(request: CountRequest) -> None:
    """Raise Refused for the first rule of the table that the request breaks."""
    for rule in RULES:
        found = rule.find(request)
        if found is not None:
            raise Refused(400, "invalid_request_error", rule.message.format(**found))
