"""The mode `practice-sloppy`: by a schedule, the mistakes that real models make rarely.

A maker of a mistake takes a call, the definition of its tool and the request, and returns the spoiled call
with a sentence on what is wrong, or None where this mistake is not possible: there is no enum to leave, no
argument to forget. `injected.py` makes the same mistakes when asked to.

The schedule, on which a lesson can count:

1. A mistake happens on the *first* call of a task: the answer to a user's message, not to tool results.
2. Which one depends on the words of the first user message of the conversation, and on the turn: the task
   that the user's k-th message starts gets number (`start(first message)` + k) modulo `len(MISTAKES)`. So
   one conversation goes through them all in order. `scheduled(request)` names it.
3. Where that mistake is not possible, the next one in order that is possible happens. A strict tool gets
   none: there, arguments always fit.
4. A message that needs no tool gets a needless call only if that very mistake is due; a message that lacks a
   required value gets an invented one.
5. After an error result that names the problem the call is made again, and right. If the error says nothing
   of use, the same wrong call is made once more, and then given up.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..decide.conversation import failed
from ..decide.schema_values import fits, resolve, variants
from ..request import Call, CallResult, ConversationTurn, Decision, Request, ToolChoice, ToolSpec

Spoiled = tuple[Call, str] | None
Maker = Callable[[Call, ToolSpec, Request], Spoiled]


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parameters(spec: ToolSpec) -> dict[str, Any]:
    properties = resolve(spec.schema, spec.schema).get("properties")
    return properties if isinstance(properties, dict) else {}


def _with(call: Call, name: str, value: Any) -> Call:
    return replace(call, arguments={**call.arguments, name: value})


# What is wrong with the arguments -----------------------------------------------------------------


def wrong_type(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """Write "5" for 5, "true" for true, a list as text; 5 for "5" where the text is digits."""
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
    """Give a value that is close to an allowed one and is none of them."""
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
    """Add an argument that the tool does not have."""
    known = {*_parameters(spec), *call.arguments}
    name = next((name for name in EXTRA if name not in known), None)
    return (_with(call, name, EXTRA[name]), f"extra argument: {name}") if name else None


def missing_argument(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """Leave out the last of the required arguments."""
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
    """Return a name like the given one that is not offered: get_weather -> fetch_weather."""
    verb, _, rest = name.partition("_")
    names = [f"{_OTHER_VERB[verb]}_{rest}"] if rest and verb in _OTHER_VERB else []
    names += [f"{name[:58]}{end}" for end in ("_tool", "_info", "_v2", "_v3")]
    return next((other for other in names if other not in offered), f"{name[:50]}_unknown")


def unknown_tool(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """Call a tool that nobody offered, with the right arguments."""
    if request.tool_choice.mode == "tool":
        return None  # the service itself writes the name then
    other = unknown_name(call.name, {tool.name for tool in request.tools})
    return replace(call, name=other), f"unknown tool: {other} and not {call.name}"


# What is wrong with the text of the arguments -----------------------------------------------------


def truncated_json(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """End the text of the arguments too early, and let nothing say so."""
    text = _shown(call.arguments)
    return replace(call, raw=text[: max(1, len(text) - 2)]), "truncated JSON: the arguments end too early"


def doubled_json(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """Encode the arguments twice: reading them once gives a text."""
    return replace(call, raw=_shown(_shown(call.arguments))), "doubled JSON: the arguments are a text of JSON"


def broken_json(call: Call, spec: ToolSpec, request: Request) -> Spoiled:
    """Write the arguments as a Python dictionary: single quotes, True and None."""
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
    """Return the decision with the named mistake in the first call that allows it.

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


# The schedule -------------------------------------------------------------------------------------

MISTAKES = (
    "wrong_type",
    "missing_argument",
    "outside_enum",
    "extra_argument",
    "unknown_tool",
    "truncated_json",
    "doubled_json",
    "needless_call",
)
"""In the order of the schedule. `invented_value` has no turn: it happens whenever a value is missing."""

Decide = Callable[[Request], Decision]
"""The default mode: what to do without a mistake."""


def start(text: str) -> int:
    """Return the number from which a conversation that begins with this message counts."""
    words = " ".join(text.split()).casefold()
    digest = hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % len(MISTAKES)


def scheduled(request: Request) -> str:
    """Return the mistake whose turn it is, possible or not."""
    asked = [turn for turn in request.turns if _starts_a_task(turn)]
    return MISTAKES[(start(asked[0].text if asked else "") + len(asked)) % len(MISTAKES)]


def decide(request: Request, default_mode: Decide, *, text_arguments: bool = False) -> Decision:
    """Return what the sloppy mode does where the default mode does `default_mode(request)`.

    Args:
        request: what is asked.
        default_mode: what decides without mistakes.
        text_arguments: whether the wire carries arguments as text, so that they can be wrong as JSON.
    """
    decision = default_mode(request)
    at = max((n for n, turn in enumerate(request.turns) if _starts_a_task(turn)), default=-1)
    since = request.turns[at + 1 :]
    if not request.tools or at < 0 or request.tool_choice.mode == "none":
        return decision
    if not any(turn.calls for turn in since):
        return _first_step(decision, request, default_mode, text_arguments)
    planned = default_mode(replace(request, turns=request.turns[: at + 1])).calls
    return _next_step(decision, request, since, planned)


def _starts_a_task(turn: ConversationTurn) -> bool:
    return turn.role == "user" and bool(turn.text.strip()) and not turn.results


# The first call of a task: wrong ------------------------------------------------------------------


def _first_step(decision: Decision, request: Request, default_mode: Decide, text_arguments: bool) -> Decision:
    due = scheduled(request)
    if not decision.calls:
        wanted = next((row.tool for row in decision.scores if row.chosen), None)
        if wanted:
            return _with_a_call(
                decision, request, default_mode, wanted, "invented value: the user did not say it"
            )
        return _needless(decision, request, default_mode) if due == "needless_call" else decision
    if due == "needless_call" and request.tool_choice.mode != "tool" and request.tool_choice.parallel:
        return _needless(decision, request, default_mode)
    place = MISTAKES.index(due)
    for name in MISTAKES[place:] + MISTAKES[:place]:
        possible = name in CALL_MISTAKES and (text_arguments or name not in TEXT_ONLY)
        spoiled = spoil(name, decision, request, strict_holds=True) if possible else None
        if spoiled:
            return spoiled
    return decision


def _needless(decision: Decision, request: Request, default_mode: Decide) -> Decision:
    """Return the same decision and one more call, of the first tool that it does not call."""
    called = {call.name for call in decision.calls}
    tool = next((tool.name for tool in request.tools if tool.name not in called), None)
    return _with_a_call(decision, request, default_mode, tool, "needless call") if tool else decision


def _with_a_call(
    decision: Decision, request: Request, default_mode: Decide, tool: str, mistake: str
) -> Decision:
    """Return the decision with one more call, whose arguments are filled by force."""
    spec = next(spec for spec in request.tools if spec.name == tool)
    forced = default_mode(replace(request, tool_choice=ToolChoice("tool", tool)))
    if not forced.calls or (spec.strict and not fits(forced.calls[0].arguments, spec.schema, spec.schema)):
        return decision
    calls = (*decision.calls, forced.calls[0])
    text = decision.text if decision.calls else ""  # it does not ask, or answer: it calls
    return replace(decision, text=text, calls=calls, mistakes=(f"{mistake} ({tool})",))


# After the results: corrected, if they say what was wrong -----------------------------------------


def _next_step(
    decision: Decision, request: Request, since: tuple[ConversationTurn, ...], planned: tuple[Call, ...]
) -> Decision:
    made = [call for turn in since for call in turn.calls]
    wrong = [call for call in made if not any(_same(call, one) for one in planned)]
    left = [one for one in planned if not any(_same(call, one) for call in made)]
    errors = {result.call_id: result for result in request.turns[-1].results if failed(result)}
    bad = [call for call in wrong if call.id in errors]
    if not bad or not left:
        return decision
    if any(_names_the_problem(errors[call.id], request, left) for call in bad):
        thought = "The error says what was wrong, so I call again with that put right."
        return Decision(calls=tuple(left), thinking=thought, scores=decision.scores)
    if all(sum(_same(call, other) for other in made) == 1 for call in bad):
        again = tuple(Call(call.name, call.arguments) for call in bad)
        return Decision(
            calls=again, scores=decision.scores, mistakes=("repeated call: the error did not say what to do",)
        )
    return decision


def _same(call: Call, other: Call) -> bool:
    return call.name == other.name and call.arguments == other.arguments


_TELLING = re.compile(
    r"json|pars|decod|type|integer|number|string|boolean|array|object|required|missing|unexpected|"
    r"not allowed|unknown|no such|does not exist|not found|available|one of|enum|"
    r"n[uú]mero|entero|texto|falta|obligatori|desconocid|no existe|permitid",
    re.IGNORECASE,
)


def _names_the_problem(result: CallResult, request: Request, left: list[Call]) -> bool:
    """Return whether an error says what to change: by a name of the definitions, or by a word on the kind."""
    text = result.content
    names = {tool.name for tool in request.tools} | {name for call in left for name in call.arguments}
    return bool(_TELLING.search(text)) or any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names
    )
