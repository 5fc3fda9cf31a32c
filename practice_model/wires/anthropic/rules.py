"""What the Messages API refuses beyond the shape of a request: models, then the rules in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ...facts.keywords import ANTHROPIC_LIMITS
from ...facts.models import CLAUDE_LISTED, CLAUDE_RETIRED, claude
from ...facts.schemas import FIELD_NAME
from ..api import Refused, model_hint
from ..rules import (
    Found,
    Round,
    Rules,
    WireLink,
    WireTurn,
    call_without_result,
    grouped,
    over,
    repeated,
    repeated_call,
    repeated_result,
    result_of_no_call,
    rounds,
    when,
)
from ..schemas import anthropic_limits, anthropic_problems, problems
from .shapes import AnthropicTool, CountRequest, ToolUseBlock

RULES = Rules()


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


@RULES.refuse("messages: at least one message is required")
def no_messages(request: CountRequest) -> Found:
    return when(not request.messages)


@RULES.refuse(
    'messages: first message must use the "user" role, not "{role}" (instructions go into `system`)'
)
def first_is_not_user(request: CountRequest) -> Found:
    role = request.messages[0].role
    return when(role != "user", role=role)


@RULES.refuse("role 'system' is not supported on this model (messages.{n})")
def system_message_not_taken(request: CountRequest) -> Found:
    if not claude(request.model).takes_system_messages:
        for n, message in enumerate(request.messages):
            yield from when(message.role == "system", n=n)


@RULES.refuse("messages.{n}: role 'system' must follow a 'user' message")
def system_message_misplaced(request: CountRequest) -> Found:
    pairs = zip(request.messages, request.messages[1:], strict=False)
    for n, (before, message) in enumerate(pairs, start=1):
        yield from when(message.role == "system" and before.role == "assistant", n=n)


@RULES.refuse("messages.{n}.{field}: only permitted on role 'system' messages")
def extra_of_system_message(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        for field in ("clear_at", "output_config"):
            yield from when(message.role != "system" and field in message.model_fields_set, n=n, field=field)


_ROLE_OF_BLOCK = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "server_tool_use": "assistant",
    "tool_result": "user",
    "tool_addition": "system",
    "tool_removal": "system",
}


@RULES.refuse("messages.{n}.content.{m}: `{type}` blocks can only be in `{role}` messages")
def block_of_other_role(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        for m, block in enumerate(message.blocks()):
            role = _ROLE_OF_BLOCK.get(block.type, message.role)
            yield from when(role != message.role, n=n, m=m, type=block.type, role=role)


# Content ----------------------------------------------------------------------------------------


@RULES.refuse(
    "messages.{n}: all messages must have non-empty content except for the optional final assistant message"
)
def empty_message(request: CountRequest) -> Found:
    last = len(request.messages) - 1
    for n, message in enumerate(request.messages):
        may_be_empty = message.output_config or (n == last and message.role == "assistant")
        yield from when(not message.content and not may_be_empty, n=n)


def _texts(request: CountRequest) -> Iterator[tuple[str, str]]:
    """Yield every text block of the messages, with its place. Empty messages have a rule of their own."""
    for n, message in enumerate(request.messages):
        if message.content:
            for m, block in enumerate(message.blocks()):
                if block.type == "text":
                    yield f"messages.{n}.content.{m}", block.text


@RULES.refuse("messages: text content blocks must be non-empty ({place})")
def empty_text(request: CountRequest) -> Found:
    return ({"place": place} for place, text in _texts(request) if not text)


@RULES.refuse("messages: text content blocks must contain non-whitespace text ({place})")
def blank_text(request: CountRequest) -> Found:
    return ({"place": place} for place, text in _texts(request) if not text.strip())


@RULES.refuse("messages.{n}: The final block in an assistant message cannot be `{type}`.")
def thinking_at_the_end(request: CountRequest) -> Found:
    """Find a turn of thoughts alone, or cut off after them: it cannot be sent back as it came."""
    for n, message in enumerate(request.messages):
        if message.role == "assistant" and message.content:
            last = message.blocks()[-1].type
            yield from when(last in ("thinking", "redacted_thinking"), n=n, type=last)


@RULES.refuse("system: text content blocks must be non-empty (system.{m})")
def empty_system_text(request: CountRequest) -> Found:
    blocks = request.system if isinstance(request.system, list) else []
    return ({"m": m} for m, block in enumerate(blocks) if not block.text)


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


RULES.add(
    over(_rounds, repeated_call),
    "messages.{n}.content.{m}: `tool_use` ids must be unique (found again: {id})",
)
RULES.add(
    over(_rounds, call_without_result),
    "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
)
RULES.add(
    over(_rounds, result_of_no_call),
    "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
)
RULES.add(
    over(_rounds, repeated_result),
    "messages.{n}.content.{m}: each tool_use must have a single result. "
    "Found multiple `tool_result` blocks with id: {id}",
)


@RULES.refuse(
    "messages.{call}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message. "
    "(messages.{n}.content.{m} comes after other content: put the results first, text after them)"
)
def result_after_other_content(request: CountRequest) -> Found:
    # The vendor's page names this as a cause of 400; some report that the service lets it pass. The safe
    # order is taught: results first, text after.
    for turn in _turns(request):
        for place, result in enumerate(turn.results):
            yield from when(result.m != place, n=result.n, m=result.m, call=result.n - 1, id=result.id)


# The end of the conversation --------------------------------------------------------------------


@RULES.refuse("messages: final assistant content cannot end with trailing whitespace")
def trailing_blank(request: CountRequest) -> Found:
    last = request.messages[-1]
    block = last.blocks()[-1] if last.role == "assistant" and last.content else None
    return when(block and block.type == "text" and block.text != block.text.rstrip())


@RULES.refuse(
    "This model does not support assistant message prefill. The conversation must end with a user message."
)
def prefill(request: CountRequest) -> Found:
    last = request.messages[-1]
    # A paused turn is sent back as it came, and goes on.
    paused = any(block.type in ("server_tool_use", "mcp_tool_use") for block in last.blocks())
    return when(last.role == "assistant" and not claude(request.model).takes_prefill and not paused)


@RULES.refuse(
    "messages.{n}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. "
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceding "
    "the lastmost set of `tool_use` and `tool_result` blocks). (Send `content` back as you received it.)"
)
def thinking_block_lost(request: CountRequest) -> Found:
    if _has_budget(request) and len(request.messages) >= 2:
        n = len(request.messages) - 2
        blocks = request.messages[n].blocks()
        in_tool_turn = any(isinstance(block, ToolUseBlock) for block in blocks)
        if in_tool_turn and blocks[0].type not in ("thinking", "redacted_thinking"):
            yield {"n": n, "type": blocks[0].type}


# Tools ------------------------------------------------------------------------------------------


def _custom_tools(request: CountRequest) -> list[tuple[int, AnthropicTool, dict[str, Any]]]:
    """Return each tool with a schema of its own: its index, the tool, and the schema as plain JSON."""
    tools = enumerate(request.tools or [])
    return [(n, tool, tool.input_schema.model_dump()) for n, tool in tools if isinstance(tool, AnthropicTool)]


@RULES.refuse("tools: Tool names must be unique. (twice: {name})")
def repeated_tool(request: CountRequest) -> Found:
    names = (tool.name for tool in request.tools or [] if tool.name)
    return ({"name": name} for name in repeated(names))


@RULES.refuse(
    "tools.{n}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
)
def union_at_the_top(request: CountRequest) -> Found:
    for n, _, schema in _custom_tools(request):
        yield from when({"oneOf", "allOf", "anyOf"} & set(schema), n=n)


@RULES.refuse(
    "tools.{n}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
    "(https://json-schema.org/draft/2020-12). ({problem})"
)
def bad_schema(request: CountRequest) -> Found:
    for n, _, schema in _custom_tools(request):
        yield from ({"n": n, "problem": problem} for problem in problems(schema))


@RULES.refuse(
    "tools.{n}.custom.input_schema.properties: Property keys should match pattern '{pattern}' "
    "(this one does not: {name})"
)
def bad_field_name(request: CountRequest) -> Found:
    """Look at the outermost properties only: those inside are not reported to be refused."""
    for n, _, schema in _custom_tools(request):
        for name in schema.get("properties") or ():
            if not re.fullmatch(FIELD_NAME, name):
                yield {"n": n, "pattern": f"^{FIELD_NAME}$", "name": name[:100]}


@RULES.refuse("At least one tool must have defer_loading=false.")
def all_tools_deferred(request: CountRequest) -> Found:
    return when(request.tools and all(getattr(tool, "defer_loading", False) for tool in request.tools))


def _strict(request: CountRequest) -> list[tuple[int, dict[str, Any]]]:
    return [(n, schema) for n, tool, schema in _custom_tools(request) if tool.strict]


@RULES.refuse("tools: Too many strict tools ({count}). The maximum is {limit}.")
def too_many_strict_tools(request: CountRequest) -> Found:
    count, limit = len(_strict(request)), ANTHROPIC_LIMITS["strict tools"]
    return when(count > limit, count=count, limit=limit)


@RULES.refuse("tools.{n}.custom: {problem}")
def strict_schema(request: CountRequest) -> Found:
    for n, schema in _strict(request):
        yield from ({"n": n, "problem": problem} for problem in anthropic_problems(schema))


def _output_schema(request: CountRequest) -> list[dict[str, Any]]:
    config = request.output_config
    return [config.format.json_schema] if config and config.format else []


@RULES.refuse("output_config.format.schema: {problem}")
def output_format(request: CountRequest) -> Found:
    for schema in _output_schema(request):
        yield from ({"problem": one} for one in chain(problems(schema), anthropic_problems(schema)))


@RULES.refuse("{problem}")
def too_complex(request: CountRequest) -> Found:
    schemas = [schema for _, schema in _strict(request)] + _output_schema(request)
    return ({"problem": problem} for problem in anthropic_limits(schemas))


# Tool choice, thinking, limits ------------------------------------------------------------------


def _choice(request: CountRequest) -> str:
    return request.tool_choice.type if request.tool_choice else ""


def _forces(request: CountRequest) -> bool:
    return _choice(request) in ("any", "tool")


def _has_budget(request: CountRequest) -> bool:
    return request.thinking is not None and request.thinking.type == "enabled"


@RULES.refuse("tool_choice: tool_choice may only be specified while providing tools")
def choice_without_tools(request: CountRequest) -> Found:
    return when(_choice(request) not in ("", "none") and not request.tools)


@RULES.refuse("tool_choice: Tool '{name}' not found in provided tools (provided: {names})")
def choice_not_offered(request: CountRequest) -> Found:
    if _choice(request) == "tool":
        names = [tool.name for tool in request.tools or [] if tool.name]
        wanted = request.tool_choice.name
        yield from when(wanted not in names, name=wanted, names=", ".join(names))


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


@RULES.refuse("{problem}")
def thinking_not_taken(request: CountRequest) -> Found:
    # That counting tokens refuses it as well is not documented; it does so with a forced tool_choice.
    taken = claude(request.model).thinking
    asked = request.thinking.type if request.thinking else taken[0]
    instead = asked == "disabled" and "between_tools" in taken
    return when(asked not in taken, problem=_BETWEEN_TOOLS_INSTEAD if instead else THINKING_REFUSED[asked])


@RULES.refuse(
    "output_config.effort '{effort}' is not supported when thinking is disabled on this model. "
    "Use effort 'high' or below, or enable thinking."
)
def effort_without_thinking(request: CountRequest) -> Found:
    effort = request.output_config and request.output_config.effort
    off = request.thinking is not None and request.thinking.type in ("disabled", "between_tools")
    needs_thinking = effort in ("xhigh", "max") and claude(request.model).effort_needs_thinking
    return when(off and needs_thinking, effort=effort)


@RULES.refuse('tool_choice: type "tool" and "any" are not supported for this model.')
def forced_tools_not_taken(request: CountRequest) -> Found:
    return when(_forces(request) and not claude(request.model).takes_forced_tools)


@RULES.refuse("Thinking may not be enabled when tool_choice forces tool use.")
def thinking_when_forced(request: CountRequest) -> Found:
    return when(_forces(request) and _has_budget(request))


@RULES.refuse("`max_tokens` must be greater than `thinking.budget_tokens`.")
def budget_too_large(request: CountRequest) -> Found:
    limit = getattr(request, "max_tokens", None)
    budget = getattr(request.thinking, "budget_tokens", None)
    return when(limit is not None and budget is not None and budget >= limit)


@RULES.refuse(
    "max_tokens: {asked} > {limit}, which is the maximum allowed number of output tokens for {model}"
)
def max_tokens_too_large(request: CountRequest) -> Found:
    asked, limit = getattr(request, "max_tokens", 0), claude(request.model).max_output
    return when(asked > limit, asked=asked, limit=limit, model=request.model)


@RULES.refuse("stop_sequences: each stop sequence must contain non-whitespace")
def blank_stop_sequence(request: CountRequest) -> Found:
    return when(any(not stop.strip() for stop in getattr(request, "stop_sequences", None) or []))
