"""The temperament `practice-sloppy`: makes, by a schedule, the mistakes that real models make rarely.

The schedule, on which a lesson can count:

1. A mistake happens on the *first* call of a task: the answer to a user's message, not to tool results.
2. Which one depends on the words of the first user message of the conversation, and on the turn: the
   task that the user's k-th message starts gets number (`start(first message)` + k) modulo `len(MISTAKES)`.
   So one conversation goes through them all in order. `scheduled(request)` names it.
3. Where that mistake is not possible (no enum to leave, arguments that are not text on this wire), the next
   one in order that is possible happens. A strict tool gets none: there, arguments always fit.
4. A message that needs no tool gets a needless call only if that very mistake is due; a message that lacks
   a required value gets an invented one.
5. After an error result that names the problem the call is made again, and right. If the error says nothing
   of use, the same wrong call is made once more, and then given up.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace

from .mending import failed
from .mistakes import CALL_MISTAKES, TEXT_ONLY, spoil
from .request import Call, Decision, Request, Result, ToolChoice, Turn
from .shape import fits

MODEL = "practice-sloppy"
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

Careful = Callable[[Request], Decision]

__all__ = ["MISTAKES", "MODEL", "decide", "scheduled", "start"]


def start(text: str) -> int:
    """The number from which a conversation that begins with this message counts."""
    words = " ".join(text.split()).casefold()
    digest = hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % len(MISTAKES)


def scheduled(request: Request) -> str:
    """The mistake whose turn it is, possible or not."""
    asked = [turn for turn in request.turns if _starts_a_task(turn)]
    return MISTAKES[(start(asked[0].text if asked else "") + len(asked)) % len(MISTAKES)]


def decide(request: Request, careful: Careful, *, text_arguments: bool = False) -> Decision:
    """What the sloppy temperament does where the careful one does `careful(request)`.

    Args:
        request: what is asked.
        careful: the brain.
        text_arguments: whether the wire carries arguments as text, so that they can be wrong as JSON.
    """
    decision = careful(request)
    at = max((n for n, turn in enumerate(request.turns) if _starts_a_task(turn)), default=-1)
    since = request.turns[at + 1 :]
    if not request.tools or at < 0 or request.tool_choice.mode == "none":
        return decision
    if not any(turn.calls for turn in since):
        return _first_step(decision, request, careful, text_arguments)
    planned = careful(replace(request, turns=request.turns[: at + 1])).calls
    return _next_step(decision, request, since, planned)


def _starts_a_task(turn: Turn) -> bool:
    return turn.role == "user" and bool(turn.text.strip()) and not turn.results


# The first call of a task: wrong ------------------------------------------------------------------


def _first_step(decision: Decision, request: Request, careful: Careful, text_arguments: bool) -> Decision:
    due = scheduled(request)
    if not decision.calls:
        wanted = next((row.tool for row in decision.scores if row.chosen), None)
        if wanted:
            return _with_a_call(decision, request, careful, wanted, "invented value: the user did not say it")
        return _needless(decision, request, careful) if due == "needless_call" else decision
    if due == "needless_call" and request.tool_choice.mode != "tool" and request.tool_choice.parallel:
        return _needless(decision, request, careful)
    place = MISTAKES.index(due)
    for name in MISTAKES[place:] + MISTAKES[:place]:
        possible = name in CALL_MISTAKES and (text_arguments or name not in TEXT_ONLY)
        spoiled = spoil(name, decision, request, strict_holds=True) if possible else None
        if spoiled:
            return spoiled
    return decision


def _needless(decision: Decision, request: Request, careful: Careful) -> Decision:
    """The same decision and one more call, of the first tool that it does not call."""
    called = {call.name for call in decision.calls}
    tool = next((tool.name for tool in request.tools if tool.name not in called), None)
    return _with_a_call(decision, request, careful, tool, "needless call") if tool else decision


def _with_a_call(decision: Decision, request: Request, careful: Careful, tool: str, mistake: str) -> Decision:
    """The decision with one more call, whose arguments are filled by force."""
    spec = next(spec for spec in request.tools if spec.name == tool)
    forced = careful(replace(request, tool_choice=ToolChoice("tool", tool)))
    if not forced.calls or (spec.strict and not fits(forced.calls[0].arguments, spec.schema, spec.schema)):
        return decision
    calls = (*decision.calls, forced.calls[0])
    text = decision.text if decision.calls else ""  # it does not ask, or answer: it calls
    return replace(decision, text=text, calls=calls, mistakes=(f"{mistake} ({tool})",))


# After the results: corrected, if they tell what was wrong ----------------------------------------


def _next_step(
    decision: Decision, request: Request, since: tuple[Turn, ...], planned: tuple[Call, ...]
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


def _names_the_problem(result: Result, request: Request, left: list[Call]) -> bool:
    """Whether an error says what to change: by a name of the definitions, or by a word on the kind."""
    text = result.content
    names = {tool.name for tool in request.tools} | {name for call in left for name in call.arguments}
    return bool(_TELLING.search(text)) or any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names
    )
