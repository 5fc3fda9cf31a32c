"""Between a provider's wire format and ToolCall / ToolResult: one module per API, four functions in each.

    read_calls(response)      what the model asks for: a list of ToolCall
    write_turn(response)      the model's own turn, as it goes back into the history
    write_results(results)    the results, as they go into the history after it
    merge_stream(events)      one response from the events of a stream, for the three above

The two that write return a list, so that every loop reads alike: `history += write_turn(response)`. They take
what an SDK gives (its objects), the same as dictionaries, and what `merge_stream` made.
"""

from __future__ import annotations

import importlib
from types import ModuleType

MODULES = ("anthropic", "openai_chat", "openai_responses", "gemini")


def __getattr__(name: str) -> ModuleType:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"course_lib.providers has no module {name!r}; there are: {', '.join(MODULES)}")
