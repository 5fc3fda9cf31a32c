"""OpenAI Responses: calls are `function_call` items of the output, results are `function_call_output` items
of the next input. A call and its result share the `call_id`; the item's own `id` is another thing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..tools import ToolCall, ToolResult
from .reading import (
    check_response,
    dump,
    explained,
    get,
    parse_arguments,
    result_text,
    results_of,
    sendable_arguments,
)

_LAST = ("response.completed", "response.incomplete", "response.failed")


@explained
def read_calls(response: Any) -> list[ToolCall]:
    """The tool calls of a response, in order."""
    check_response(response, "openai_responses")
    calls = []
    output = get(response, "output", [])
    for item in output:
        if get(item, "type") == "function_call":
            arguments = parse_arguments(get(item, "arguments"))
            # An item has its own status. Where it comes without, the last one has that of the response.
            status = get(item, "status") or (item is output[-1] and get(response, "status"))
            name, cut_off = get(item, "name", ""), status in ("incomplete", "in_progress")
            calls.append(ToolCall(str(get(item, "call_id", "")), name, arguments, cut_off))
    return calls


@explained
def write_turn(response: Any) -> list[dict[str, Any]]:
    """The output items for the next input, reasoning items included and in their order."""
    check_response(response, "openai_responses")
    return [_item(_sent(dump(item))) for item in get(response, "output", [])]


def _item(item: dict[str, Any]) -> dict[str, Any]:
    """An item as the service takes it back. Arguments that were no JSON object, as those of a call that was
    cut off, become "{}": nothing ran with them."""
    if item.get("type") != "function_call":
        return item
    sent = {"call_id": str(item.get("call_id", "")), "arguments": sendable_arguments(item.get("arguments"))}
    return {**item, **sent}


def _sent(value: Any) -> Any:
    """An item without what the SDK's parse() added to it, which the service does not know."""
    if isinstance(value, dict):
        return {
            name: _sent(item) for name, item in value.items() if name not in ("parsed", "parsed_arguments")
        }
    return [_sent(item) for item in value] if isinstance(value, list) else value


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One `function_call_output` item for each result. There is no flag for errors, so the text says it."""
    return [
        {
            "type": "function_call_output",
            "call_id": result.tool_call_id,
            "output": result_text(result, mark_error=True),
        }
        for result in results_of(results)
    ]


@explained
def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The response at the end of a stream; where the stream broke off, what was complete by then."""
    found: dict[str, Any] = {}
    items: dict[int, dict[str, Any]] = {}
    for event in events:
        kind = get(event, "type")
        if kind in _LAST:
            return dump(get(event, "response", {}))
        if kind == "response.created":
            found = dict(dump(get(event, "response", {})))
        if kind == "error":  # the last event, in place of one of those
            found["error"] = {name: get(event, name) for name in ("code", "message")}
        if kind == "response.output_item.done":
            items[get(event, "output_index", len(items))] = dump(get(event, "item", {}))
    return {**found, "status": "incomplete", "output": [items[index] for index in sorted(items)]}
