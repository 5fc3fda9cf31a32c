"""The nouns of tool use, for every provider: a tool, a call that a model asks for, the result of the call."""

from __future__ import annotations

from ..errors import (
    ArgumentProblem,
    CourseError,
    LoopLimitError,
    ToolArgumentError,
    ToolExecutionError,
    ToolSchemaError,
)
from .calls import (
    ToolCall,
    ToolResult,
    UnknownToolError,
    check_limits,
    find_tool,
    tools_by_name,
    unknown_tool,
)
from .definition import Tool, tool
from .signatures import Context

__all__ = [
    "ArgumentProblem",
    "CourseError",
    "LoopLimitError",
    "ToolArgumentError",
    "ToolExecutionError",
    "ToolSchemaError",
    "Context",
    "Tool",
    "ToolCall",
    "ToolResult",
    "UnknownToolError",
    "check_limits",
    "find_tool",
    "tool",
    "tools_by_name",
    "unknown_tool",
]
