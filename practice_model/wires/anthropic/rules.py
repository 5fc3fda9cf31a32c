"""What the Messages API refuses beyond the shape of a request: models, and one table of rules.

Each finder looks for its first violation and returns what the texts of its rule need, or None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...facts.keywords import ANTHROPIC_LIMITS
from ...facts.models import CLAUDE_LISTED, CLAUDE_RETIRED, claude
from ...facts.schemas import FIELD_NAME
from .. import json_schema
from ..api import Found, Refused, WireRule, model_hint, when
from ..conversation import (
    Round,
    WireLink,
    WireTurn,
    call_without_result,
    grouped,
    over,
    repeated_call,
    repeated_result,
    result_of_no_call,
    rounds,
)
from .schemas import strict_problem, strict_too_complex
from .shapes import AnthropicTool, CountRequest, ToolUseBlock


def check_model(model: str) -> None:
    """Raise Refused for an id that does not exist or no longer does."""
    if claude(model):
        return
    if CLAUDE_RETIRED.fullmatch(model):
        hint = "it is retired; use a current one, such as claude-haiku-5-5"
    else:
        hint = model_hint(model, CLAUDE_LISTED)
    raise Refused(404, "not_found_error", f"model: {model[:200]} ({hint})")


# Roles ------------------------------------------------------------------------------------------


def first_is_not_user(request: CountRequest) -> Found:
    role = request.messages[0].role
    return None if role == "user" else {"role": role}


def system_message_not_taken(request: CountRequest) -> Found:
    if claude(request.model).takes_system_messages:
        return None
    return next(({"n": n} for n, message in enumerate(request.messages) if message.role == "system"), None)


def system_message_misplaced(request: CountRequest) -> Found:
    pairs = zip(request.messages, request.messages[1:], strict=False)
    for n, (before, message) in enumerate(pairs, start=1):
        if message.role == "system" and before.role == "assistant":
            return {"n": n}
    return None


def extra_of_system_message(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        for field in ("clear_at", "output_config"):
            if message.role != "system" and field in message.model_fields_set:
                return {"n": n, "field": field}
    return None


_ROLE_OF_BLOCK = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "server_tool_use": "assistant",
    "tool_result": "user",
    "tool_addition": "system",
    "tool_removal": "system",
}


def block_of_other_role(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        for m, block in enumerate(message.blocks()):
            role = _ROLE_OF_BLOCK.get(block.type, message.role)
            if role != message.role:
                return {"n": n, "m": m, "type": block.type, "role": role}
    return None


# Content ----------------------------------------------------------------------------------------


def empty_message(request: CountRequest) -> Found:
    last = len(request.messages) - 1
    for n, message in enumerate(request.messages):
        if (
            not message.content
            and not message.output_config
            and not (n == last and message.role == "assistant")
        ):
            return {"n": n}
    return None


def _texts(request: CountRequest) -> Iterator[tuple[str, str]]:
    """Yield every text block of the messages, with its place. Empty messages have a rule of their own."""
    for n, message in enumerate(request.messages):
        if message.content:
            for m, block in enumerate(message.blocks()):
                if block.type == "text":
                    yield f"messages.{n}.content.{m}", block.text


def empty_text(request: CountRequest) -> Found:
    return next(({"place": place} for place, text in _texts(request) if not text), None)


def blank_text(request: CountRequest) -> Found:
    return next(({"place": place} for place, text in _texts(request) if not text.strip()), None)


def thinking_at_the_end(request: CountRequest) -> Found:
    """Find a turn of thoughts alone, or cut off after them: it cannot be sent back as it came."""
    for n, message in enumerate(request.messages):
        if message.role == "assistant" and message.content:
            last = message.blocks()[-1].type
            if last in ("thinking", "redacted_thinking"):
                return {"n": n, "type": last}
    return None


def empty_system_text(request: CountRequest) -> Found:
    blocks = request.system if isinstance(request.system, list) else []
    return next(({"m": m} for m, block in enumerate(blocks) if not block.text), None)


# Calls and results ------------------------------------------------------------------------------


def _turns(request: CountRequest) -> list[WireTurn]:
    """Return the turns of the history: of the messages in a row only those of the assistant are one."""
    messages = (
        WireTurn(
            message.role == "assistant", n, _links(message, n, "tool_use"), _links(message, n, "tool_result")
        )
        for n, message in enumerate(request.messages)
    )
    return grouped(messages, lambda last, message: last.of_model and message.of_model)


def _links(message: Any, n: int, kind: str) -> list[WireLink]:
    field = "id" if kind == "tool_use" else "tool_use_id"
    return [
        WireLink(getattr(block, field), n, m)
        for m, block in enumerate(message.blocks())
        if block.type == kind
    ]


def _rounds(request: CountRequest) -> Iterator[Round]:
    return rounds(_turns(request))


def result_after_other_content(request: CountRequest) -> Found:
    # The vendor's page names this as a cause of 400; some report that the service lets it pass. The safe
    # order is taught: results first, text after.
    for turn in _turns(request):
        for place, result in enumerate(turn.results):
            if result.m != place:
                return {"n": result.n, "m": result.m, "call": result.n - 1, "id": result.id}
    return None


# The end of the conversation --------------------------------------------------------------------


def trailing_blank(request: CountRequest) -> Found:
    last = request.messages[-1]
    block = last.blocks()[-1] if last.role == "assistant" and last.content else None
    return {} if block and block.type == "text" and block.text != block.text.rstrip() else None


def prefill(request: CountRequest) -> Found:
    last = request.messages[-1]
    if last.role != "assistant" or claude(request.model).takes_prefill:
        return None
    # A paused turn is sent back as it came, and goes on.
    return None if any(block.type in ("server_tool_use", "mcp_tool_use") for block in last.blocks()) else {}


def thinking_block_lost(request: CountRequest) -> Found:
    if not _has_budget(request) or len(request.messages) < 2:
        return None
    n = len(request.messages) - 2
    blocks = request.messages[n].blocks()
    in_tool_turn = any(isinstance(block, ToolUseBlock) for block in blocks)
    if in_tool_turn and blocks[0].type not in ("thinking", "redacted_thinking"):
        return {"n": n, "type": blocks[0].type}
    return None


# Tools ------------------------------------------------------------------------------------------


def _custom_tools(request: CountRequest) -> list[tuple[int, AnthropicTool, dict[str, Any]]]:
    """Return each tool with a schema of its own: its index, the tool, and the schema as plain JSON."""
    tools = enumerate(request.tools or [])
    return [(n, tool, tool.input_schema.model_dump()) for n, tool in tools if isinstance(tool, AnthropicTool)]


def repeated_tool(request: CountRequest) -> Found:
    seen: set[str] = set()
    for tool in request.tools or []:
        if tool.name in seen:
            return {"name": tool.name}
        seen.update([tool.name] if tool.name else [])
    return None


def union_at_the_top(request: CountRequest) -> Found:
    for n, _, schema in _custom_tools(request):
        if {"oneOf", "allOf", "anyOf"} & set(schema):
            return {"n": n}
    return None


def bad_schema(request: CountRequest) -> Found:
    for n, _, schema in _custom_tools(request):
        problem = json_schema.problem(schema)
        if problem:
            return {"n": n, "problem": problem}
    return None


def bad_field_name(request: CountRequest) -> Found:
    """Look at the outermost properties only: those inside are not reported to be refused."""
    for n, _, schema in _custom_tools(request):
        for name in schema.get("properties") or ():
            if not re.fullmatch(FIELD_NAME, name):
                return {"n": n, "pattern": f"^{FIELD_NAME}$", "name": name[:100]}
    return None


def all_tools_deferred(request: CountRequest) -> Found:
    tools = request.tools or []
    return {} if tools and all(getattr(tool, "defer_loading", False) for tool in tools) else None


def _strict(request: CountRequest) -> list[tuple[int, dict[str, Any]]]:
    return [(n, schema) for n, tool, schema in _custom_tools(request) if tool.strict]


def too_many_strict_tools(request: CountRequest) -> Found:
    count, limit = len(_strict(request)), ANTHROPIC_LIMITS["strict tools"]
    return {"count": count, "limit": limit} if count > limit else None


def strict_schema(request: CountRequest) -> Found:
    for n, schema in _strict(request):
        problem = strict_problem(schema)
        if problem:
            return {"place": f"tools.{n}.custom", "problem": problem}
    return None


def _output_schema(request: CountRequest) -> list[dict[str, Any]]:
    config = request.output_config
    return [config.format.json_schema] if config and config.format else []


def output_format(request: CountRequest) -> Found:
    for schema in _output_schema(request):
        problem = json_schema.problem(schema) or strict_problem(schema)
        if problem:
            return {"problem": problem}
    return None


def too_complex(request: CountRequest) -> Found:
    problem = strict_too_complex([schema for _, schema in _strict(request)] + _output_schema(request))
    return {"problem": problem} if problem else None


# Tool choice, thinking, limits ------------------------------------------------------------------


def _choice(request: CountRequest) -> str:
    return request.tool_choice.type if request.tool_choice else ""


def _forces(request: CountRequest) -> bool:
    return _choice(request) in ("any", "tool")


def _has_budget(request: CountRequest) -> bool:
    return request.thinking is not None and request.thinking.type == "enabled"


THINKING_REFUSED = {
    "enabled": '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
    '"output_config.effort" to control thinking behavior.',
    "adaptive": "adaptive thinking is not supported on this model "
    '(it thinks with a budget: {"type": "enabled", "budget_tokens": 1024})',
    "disabled": '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
    '"output_config.effort" to control thinking behavior.',
    "between_tools": '"thinking.type.between_tools" is not supported for this model.',
}
"""What the service says of a thinking.type that a model does not take.

For "disabled" it had another sentence until August 2026; its page on errors has this one now.
"""
_BETWEEN_TOOLS_INSTEAD = (
    'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of '
    '{"type": "disabled"}. The model does not think before responding. The short updates it writes between '
    "tool calls come back as thinking blocks."
)


def thinking_not_taken(request: CountRequest) -> Found:
    # That counting tokens refuses it as well is not documented; it does so with a forced tool_choice.
    taken = claude(request.model).thinking
    if request.thinking is None or request.thinking.type in taken:
        return None
    asked = request.thinking.type
    instead = asked == "disabled" and "between_tools" in taken
    return {"problem": _BETWEEN_TOOLS_INSTEAD if instead else THINKING_REFUSED[asked]}


def effort_without_thinking(request: CountRequest) -> Found:
    effort = request.output_config and request.output_config.effort
    off = request.thinking is not None and request.thinking.type in ("disabled", "between_tools")
    if off and effort in ("xhigh", "max") and claude(request.model).effort_needs_thinking:
        return {"effort": effort}
    return None


def choice_not_offered(request: CountRequest) -> Found:
    if _choice(request) != "tool":
        return None
    names = [tool.name for tool in request.tools or [] if tool.name]
    wanted = request.tool_choice.name
    return None if wanted in names else {"name": wanted, "names": ", ".join(names)}


def budget_too_large(request: CountRequest) -> Found:
    limit = getattr(request, "max_tokens", None)
    budget = getattr(request.thinking, "budget_tokens", None)
    return {} if limit is not None and budget is not None and budget >= limit else None


def max_tokens_too_large(request: CountRequest) -> Found:
    asked, limit = getattr(request, "max_tokens", 0), claude(request.model).max_output
    return {"asked": asked, "limit": limit, "model": request.model} if asked > limit else None


def blank_stop_sequence(request: CountRequest) -> Found:
    stops = getattr(request, "stop_sequences", None) or []
    return {} if any(not stop.strip() for stop in stops) else None


# The table --------------------------------------------------------------------------------------

RULES = (
    WireRule(when(lambda request: not request.messages), "messages: at least one message is required"),
    WireRule(
        first_is_not_user,
        'messages: first message must use the "user" role, not "{role}" (instructions go into `system`)',
    ),
    WireRule(system_message_not_taken, "role 'system' is not supported on this model (messages.{n})"),
    WireRule(system_message_misplaced, "messages.{n}: role 'system' must follow a 'user' message"),
    WireRule(extra_of_system_message, "messages.{n}.{field}: only permitted on role 'system' messages"),
    WireRule(
        block_of_other_role,
        "messages.{n}.content.{m}: `{type}` blocks can only be in `{role}` messages",
    ),
    WireRule(
        empty_message,
        "messages.{n}: all messages must have non-empty content except for the optional final assistant "
        "message",
    ),
    WireRule(empty_text, "messages: text content blocks must be non-empty ({place})"),
    WireRule(blank_text, "messages: text content blocks must contain non-whitespace text ({place})"),
    WireRule(
        thinking_at_the_end,
        "messages.{n}: The final block in an assistant message cannot be `{type}`.",
    ),
    WireRule(empty_system_text, "system: text content blocks must be non-empty (system.{m})"),
    WireRule(
        over(_rounds, repeated_call),
        "messages.{n}.content.{m}: `tool_use` ids must be unique (found again: {id})",
    ),
    WireRule(
        over(_rounds, call_without_result),
        "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    WireRule(
        over(_rounds, result_of_no_call),
        "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    WireRule(
        over(_rounds, repeated_result),
        "messages.{n}.content.{m}: each tool_use must have a single result. "
        "Found multiple `tool_result` blocks with id: {id}",
    ),
    WireRule(
        result_after_other_content,
        "messages.{call}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message. "
        "(messages.{n}.content.{m} comes after other content: put the results first, text after them)",
    ),
    WireRule(trailing_blank, "messages: final assistant content cannot end with trailing whitespace"),
    WireRule(
        prefill,
        "This model does not support assistant message prefill. "
        "The conversation must end with a user message.",
    ),
    WireRule(
        thinking_block_lost,
        "messages.{n}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. "
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding "
        "the lastmost set of `tool_use` and `tool_result` blocks). (Send `content` back as you received it.)",
    ),
    WireRule(repeated_tool, "tools: Tool names must be unique. (twice: {name})"),
    WireRule(
        union_at_the_top,
        "tools.{n}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at "
        "the top level",
    ),
    WireRule(
        bad_schema,
        "tools.{n}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). ({problem})",
    ),
    WireRule(
        bad_field_name,
        "tools.{n}.custom.input_schema.properties: Property keys should match pattern '{pattern}' "
        "(this one does not: {name})",
    ),
    WireRule(all_tools_deferred, "At least one tool must have defer_loading=false."),
    WireRule(too_many_strict_tools, "tools: Too many strict tools ({count}). The maximum is {limit}."),
    WireRule(strict_schema, "{place}: {problem}"),
    WireRule(output_format, "output_config.format.schema: {problem}"),
    WireRule(too_complex, "{problem}"),
    WireRule(
        when(lambda request: _choice(request) not in ("", "none") and not request.tools),
        "tool_choice: tool_choice may only be specified while providing tools",
    ),
    WireRule(
        choice_not_offered, "tool_choice: Tool '{name}' not found in provided tools (provided: {names})"
    ),
    WireRule(thinking_not_taken, "{problem}"),
    WireRule(
        effort_without_thinking,
        "output_config.effort '{effort}' is not supported when thinking is disabled on this model. "
        "Use effort 'high' or below, or enable thinking.",
    ),
    WireRule(
        when(lambda request: _forces(request) and not claude(request.model).takes_forced_tools),
        'tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    WireRule(
        when(lambda request: _forces(request) and _has_budget(request)),
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    WireRule(budget_too_large, "`max_tokens` must be greater than `thinking.budget_tokens`."),
    WireRule(
        max_tokens_too_large,
        "max_tokens: {asked} > {limit}, which is the maximum allowed number of output tokens for {model}",
    ),
    WireRule(blank_stop_sequence, "stop_sequences: each stop sequence must contain non-whitespace"),
)
