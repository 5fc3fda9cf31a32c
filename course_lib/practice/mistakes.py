"""How a careful decision goes wrong: the mistakes that real models make rarely, one small function each.

`sloppy.py` makes them by a schedule, `faults.py` when asked to. A maker takes a call, the definition of its
tool and the request, and returns the spoiled call with a sentence on what is wrong, or None where this
mistake is not possible: there is no enum to leave, no argument to forget.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .request import Call, Decision, Request, ToolSpec
from .shape import fits, resolve, variants

Spoiled = tuple[Call, str] | None
Maker = Callable[[Call, ToolSpec, Request], Spoiled]

__all__ = ["CALL_MISTAKES", "TEXT_ONLY", "spoil", "unknown_name"]


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parameters(spec: ToolSpec) -> dict[str, Any]:
    properties = resolve(spec.schema, spec.schema).get("properties")
    return properties if isinstance(properties, dict) else {}


def _with(call: Call, name: str, value: Any) -> Call:
    return replace(call, arguments={**call.arguments, name: value})


# What is wrong with the arguments -----------------------------------------------------------------


def wrong_type(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """ "5" for 5, "true" for true, a list as text; 5 for "5" where the text is digits."""
    for name, value in call.arguments.items():
        other: Any = None
        if isinstance(value, bool | int | float | list | dict):
            other = _shown(value)
        elif isinstance(value, str) and re.fullmatch(r"[1-9]\d{0,14}", value):
            other = int(value)
        schema = _parameters(spec).get(name, {})
        if other is not None and not fits(other, schema, spec.schema):
            return _with(call, name, other), f"wrong type: {name} is {_shown(other)} and not {_shown(value)}"
    return None


def outside_enum(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """A value that is close to an allowed one and is none of them."""
    for name, value in call.arguments.items():
        allowed = _allowed(_parameters(spec).get(name, {}), spec)
        if value not in allowed or not isinstance(value, str):
            continue
        other = next((one for one in (value.upper(), f"{value}s") if one not in allowed), f"{value}?")
        return _with(call, name, other), f"outside the enum: {name} is {_shown(other)}"
    return None


def _allowed(schema: Any, spec: ToolSpec) -> list[Any]:
    if not isinstance(schema, dict):
        return []
    options = variants(schema, spec.schema)
    lists = [option["enum"] for option in options if isinstance(option.get("enum"), list)]
    # Where one alternative takes any text, nothing is outside.
    return [value for values in lists for value in values] if len(lists) == len(options) else []


EXTRA = {"verbose": True, "limit": 10, "language": "en", "notes": ""}


def extra_argument(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """An argument that the tool does not have."""
    known = {*_parameters(spec), *call.arguments}
    name = next((name for name in EXTRA if name not in known), None)
    return (_with(call, name, EXTRA[name]), f"extra argument: {name}") if name else None


def missing_argument(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """A required argument is left out: the last of them."""
    required = resolve(spec.schema, spec.schema).get("required")
    given = [name for name in required if name in call.arguments] if isinstance(required, list) else []
    if not given:
        return None
    arguments = {name: value for name, value in call.arguments.items() if name != given[-1]}
    return replace(call, arguments=arguments), f"missing argument: {given[-1]}"


# What is wrong with the name ----------------------------------------------------------------------

_OTHER_VERB = {
    "get": "fetch",
    "fetch": "get",
    "find": "search",
    "search": "find",
    "list": "show",
    "create": "add",
    "add": "create",
    "send": "post",
    "calculate": "compute",
    "compute": "calculate",
}


def unknown_name(name: str, offered: set[str]) -> str:
    """A name like the given one that is not offered: get_weather -> fetch_weather."""
    verb, _, rest = name.partition("_")
    names = [f"{_OTHER_VERB[verb]}_{rest}"] if rest and verb in _OTHER_VERB else []
    names += [f"{name[:58]}{end}" for end in ("_tool", "_info", "_v2", "_v3")]
    return next((other for other in names if other not in offered), f"{name[:50]}_unknown")


def unknown_tool(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """A tool that nobody offered, with the right arguments."""
    if request.tool_choice.mode == "tool":
        return None  # the service itself writes the name then
    other = unknown_name(call.name, {tool.name for tool in request.tools})
    return replace(call, name=other), f"unknown tool: {other} and not {call.name}"


# What is wrong with the text of the arguments -----------------------------------------------------


def truncated_json(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """The text of the arguments ends too early, although nothing says so."""
    text = _shown(call.arguments)
    return replace(call, raw=text[: max(1, len(text) - 2)]), "truncated JSON: the arguments end too early"


def doubled_json(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """The arguments are encoded twice: reading them once gives a text."""
    return replace(call, raw=_shown(_shown(call.arguments))), "doubled JSON: the arguments are a text of JSON"


def broken_json(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """The arguments are written as a Python dictionary: single quotes, True and None."""
    text = repr(call.arguments) if call.arguments else "{arguments: none}"
    return replace(call, raw=text), "broken JSON: the arguments are no JSON"


TEXT_ONLY = frozenset({"truncated_json", "doubled_json", "broken_json"})
"""Mistakes that only show where the wire carries the arguments as text."""

CALL_MISTAKES: dict[str, Maker] = {
    "wrong_type": wrong_type,
    "missing_argument": missing_argument,
    "outside_enum": outside_enum,
    "extra_argument": extra_argument,
    "unknown_tool": unknown_tool,
    "truncated_json": truncated_json,
    "doubled_json": doubled_json,
    "broken_json": broken_json,
}


def spoil(name: str, decision: Decision, request: Request, *, strict_holds: bool = False) -> Decision | None:
    """The decision with the named mistake in the first call that allows it.

    `strict_holds` leaves calls of strict tools alone: there the service itself sees to it that they fit.
    """
    specs = {tool.name: tool for tool in request.tools}
    for place, call in enumerate(decision.calls):
        spec = specs.get(call.name)
        if spec is None or (strict_holds and spec.strict):
            continue
        if spoiled := CALL_MISTAKES[name](call, spec, request):
            calls = (*decision.calls[:place], spoiled[0], *decision.calls[place + 1 :])
            return replace(decision, calls=calls, mistakes=(*decision.mistakes, spoiled[1]))
    return None
