"""What can be wrong with the tools, the tool choice and the limits of a request.

Each function looks for its first violation and returns what its message in anthropic_rules.py needs, or None.
"""

from __future__ import annotations

from typing import Any

from . import anthropic_models as models
from . import anthropic_strict, json_schema
from .anthropic_shapes import CountRequest, CustomTool

Found = dict[str, Any] | None


# Tools --------------------------------------------------------------------------------------------


def _custom_tools(request: CountRequest) -> list[tuple[int, CustomTool, dict[str, Any]]]:
    """Each tool with a schema of its own: its index, the tool, and the schema as plain JSON."""
    tools = enumerate(request.tools or [])
    return [(n, tool, tool.input_schema.model_dump()) for n, tool in tools if isinstance(tool, CustomTool)]


def repeated_tool(request: CountRequest) -> Found:
    seen: set[str] = set()
    for tool in request.tools or []:
        if tool.name in seen:
            return {"name": tool.name}
        seen.update([tool.name] if tool.name else [])
    return None


def bad_schema(request: CountRequest) -> Found:
    for n, _, schema in _custom_tools(request):
        problem = json_schema.problem(schema)
        if problem:
            return {"n": n, "problem": problem}
    return None


def union_at_the_top(request: CountRequest) -> Found:
    for n, _, schema in _custom_tools(request):
        if {"oneOf", "allOf", "anyOf"} & set(schema):
            return {"n": n}
    return None


def all_tools_deferred(request: CountRequest) -> Found:
    tools = request.tools or []
    return {} if tools and all(getattr(tool, "defer_loading", False) for tool in tools) else None


def _strict(request: CountRequest) -> list[tuple[int, dict[str, Any]]]:
    return [(n, schema) for n, tool, schema in _custom_tools(request) if tool.strict]


def too_many_strict_tools(request: CountRequest) -> Found:
    count = len(_strict(request))
    return {"count": count, "limit": anthropic_strict.MAX_STRICT_TOOLS} if count > 20 else None


def strict_schema(request: CountRequest) -> Found:
    for n, schema in _strict(request):
        problem = anthropic_strict.problem(schema)
        if problem:
            return {"place": f"tools.{n}.custom", "problem": problem}
    return None


def _output_schema(request: CountRequest) -> list[dict[str, Any]]:
    config = request.output_config
    return [config.format.json_schema] if config and config.format else []


def output_format(request: CountRequest) -> Found:
    for schema in _output_schema(request):
        problem = json_schema.problem(schema) or anthropic_strict.problem(schema)
        if problem:
            return {"problem": problem}
    return None


def too_complex(request: CountRequest) -> Found:
    problem = anthropic_strict.too_complex(
        [schema for _, schema in _strict(request)] + _output_schema(request)
    )
    return {"problem": problem} if problem else None


# Tool choice, thinking, limits --------------------------------------------------------------------


def _choice(request: CountRequest) -> str:
    return request.tool_choice.type if request.tool_choice else "auto"


def choice_without_tools(request: CountRequest) -> Found:
    return {} if request.tool_choice and _choice(request) != "none" and not request.tools else None


def choice_not_offered(request: CountRequest) -> Found:
    if _choice(request) != "tool":
        return None
    names = [tool.name for tool in request.tools or [] if tool.name]
    return (
        None
        if request.tool_choice.name in names
        else {"name": request.tool_choice.name, "names": ", ".join(names)}
    )


def forcing_refused(request: CountRequest) -> Found:
    return {} if _choice(request) in ("any", "tool") and models.refuses_forced_tools(request.model) else None


def forcing_with_thinking(request: CountRequest) -> Found:
    thinks = request.thinking is not None and request.thinking.type == "enabled"
    return {} if thinks and _choice(request) in ("any", "tool") else None


def budget_too_large(request: CountRequest) -> Found:
    limit = getattr(request, "max_tokens", None)
    budget = getattr(request.thinking, "budget_tokens", None)
    return {} if limit is not None and budget is not None and budget >= limit else None


def max_tokens_too_large(request: CountRequest) -> Found:
    asked, limit = getattr(request, "max_tokens", 0), models.max_output(request.model)
    return {"asked": asked, "limit": limit, "model": request.model} if asked > limit else None


def blank_stop_sequence(request: CountRequest) -> Found:
    stops = getattr(request, "stop_sequences", None) or []
    return {} if any(not stop.strip() for stop in stops) else None
