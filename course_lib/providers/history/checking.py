"""Checking a history, and repairing one that was interrupted, damaged or grew too long.

A history is one if its turns have the right shape, and every call in it has exactly one result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...errors import CourseError
from ...plain_json import kind_of, to_text
from ...tools import ToolCall
from .. import module_of
from ..shared import parse_arguments
from .turns import PROVIDERS, STOP_REASONS, calls_in, plain

Turn = dict[str, Any]
Answers = dict[int, list[dict[str, Any] | None]]
"""By the index of an assistant turn: for each of its calls the result, None where there is none yet."""

_MOST_PROBLEMS = 5
_REPAIR = "history.repair(history) gives one that can go on"


def check(history: list[Turn]) -> None:
    """Raise CourseError, with all that is wrong and where, if no provider could be sent this history.

    Calls of the last assistant turn may still lack their results: they are to run next.
    """
    checked(history)


def checked(history: Any) -> tuple[list[Turn], Answers]:
    """Return a copy of a history, and the result of each call in it. Raises CourseError as `check` does."""
    if not isinstance(history, list):
        raise CourseError(
            f"A history is a list of turns, and this is a {type(history).__name__}. "
            "Write [history.user(text)] to begin one."
        )
    turns, problems = [], []
    for n, turn in enumerate(history):
        try:
            turns.append(checked_turn(turn, f"history[{n}]"))
        except CourseError as error:
            problems.append(str(error))
            if len(problems) == _MOST_PROBLEMS:
                break
    if problems:  # what belongs together can only be said of turns that can be read
        raise CourseError("\n".join(problems))
    return turns, matched(turns)


def checked_turn(turn: Any, where: str) -> Turn:
    """Return a copy of one turn. Raises CourseError if it does not have the shape of one."""
    if not isinstance(turn, dict):
        raise CourseError(
            f"{where} is a {type(turn).__name__}, not a turn. Make turns with history.user(text), "
            "history.assistant(response, provider, model) and history.results(results)."
        )
    role = turn.get("role")
    if not isinstance(role, str) or role not in _SHAPES:
        hint = " Instructions are not part of it: give them with each request." if role == "system" else ""
        shown = f"the role {str(role)[:40]!r}" if isinstance(role, str) else "no role"
        raise CourseError(f'{where} has {shown}. Roles are "user", "assistant" and "tool".{hint}')
    turn = plain(turn, where)
    _SHAPES[role](turn, where)
    return turn


def fits_its_wire(turn: Turn) -> bool:
    """Return whether the wire of a turn has its calls: the provider of the turn sees only the wire."""
    called = [call["id"] for call in turn.get("calls", ())]
    try:
        found = module_of(turn["provider"]).call_ids(turn["wire"])
    except (CourseError, AttributeError, KeyError, TypeError, ValueError):
        return False
    # An id may be missing on the wire, and is then made from the turn.
    same = [a == b or b is None for a, b in zip(called, found, strict=False)]
    return len(called) == len(found) and all(same)


# Shapes -------------------------------------------------------------------------------------------


class _Field(NamedTuple):
    kind: type | tuple[type, ...]
    words: str
    needed: bool = False


_TEXT, _NEEDED_TEXT = _Field(str, "text"), _Field(str, "text", needed=True)
_CALL = {
    "id": _NEEDED_TEXT,
    "name": _NEEDED_TEXT,
    "arguments": _Field((dict, str), "a dictionary, or the text that the model wrote", needed=True),
    "cut_off": _Field(bool, "True or False"),
}
_RESULT = {
    "tool_call_id": _NEEDED_TEXT,
    "name": _NEEDED_TEXT,
    "content": _NEEDED_TEXT,
    "is_error": _Field(bool, "True or False"),
}
_ASSISTANT = {
    "text": _NEEDED_TEXT,
    "calls": _Field(list, "a list of calls"),
    "stop_reason": _TEXT,
    "provider": _TEXT,
    "model": _TEXT,
    "wire": _Field(list, "the list that history.assistant() gave"),
    "usage": _Field(dict, "a dictionary"),
}


def _check_user(turn: Turn, where: str) -> None:
    _check_fields(turn, {"text": _NEEDED_TEXT}, where)
    if not turn["text"].strip():
        raise CourseError(f"{where}['text'] is empty, which providers refuse. Leave the turn out; {_REPAIR}.")


def _check_assistant(turn: Turn, where: str) -> None:
    _check_fields(turn, _ASSISTANT, where)
    for name, known in (("provider", PROVIDERS), ("stop_reason", STOP_REASONS)):
        if name in turn and turn[name] not in known:
            raise CourseError(
                f"{where}[{name!r}] is {turn[name][:40]!r}. Write one of {', '.join(map(repr, known))}."
            )
    turn.setdefault("calls", [])
    _check_each(turn["calls"], _CALL, f"{where}['calls']")
    if "wire" not in turn:
        return
    if "provider" not in turn:
        raise CourseError(f"{where} has a wire, but no provider. Say whose it is, or leave the wire out.")
    if not fits_its_wire(turn):
        raise CourseError(
            f"{where}['wire'] and its 'calls' do not fit each other. Keep the turn as history.assistant() "
            f"made it, or leave the wire out; {_REPAIR}."
        )


def _check_tool(turn: Turn, where: str) -> None:
    _check_fields(turn, {"results": _Field(list, "a list of results", needed=True)}, where)
    if not turn["results"]:
        raise CourseError(f"{where}['results'] is empty. Leave the turn out; {_REPAIR}.")
    _check_each(turn["results"], _RESULT, f"{where}['results']")


def _check_each(items: list[Any], fields: dict[str, _Field], where: str) -> None:
    for n, item in enumerate(items):
        if not isinstance(item, dict):
            raise CourseError(
                f"{where}[{n}] is a {type(item).__name__}. Write a dictionary with {', '.join(fields)}."
            )
        _check_fields(item, fields, f"{where}[{n}]")


def _check_fields(found: dict[str, Any], fields: dict[str, _Field], where: str) -> None:
    for name, field in fields.items():
        if name not in found:
            if field.needed:
                raise CourseError(f"{where} has no {name!r}. It must be {field.words}.")
        elif not isinstance(found[name], field.kind):
            raise CourseError(f"{where}[{name!r}] is {kind_of(found[name])}. It must be {field.words}.")


_SHAPES: dict[str, Callable[[Turn, str], None]] = {
    "user": _check_user,
    "assistant": _check_assistant,
    "tool": _check_tool,
}


# Calls and results --------------------------------------------------------------------------------


def matched(turns: list[Turn]) -> Answers:
    """Return the result of each call. Raises CourseError for what is wrong with how they follow each other.

    The results of a turn come right after it, in one turn or in several. An id may come again in a later
    turn, and some servers give it twice in one: then results belong to the calls by their order.
    """
    answers: Answers = {}
    problems: list[str] = []
    if turns and turns[0]["role"] == "assistant":
        problems.append(f"history[0] is the model's. Begin with history.user(text); {_REPAIR}.")
    last: int | None = None  # the assistant turn whose results may come
    for n, turn in enumerate(turns):
        if turn["role"] == "tool":
            for m, result in enumerate(turn["results"]):
                problem = _take(result, turns, answers, last)
                if problem:
                    problems.append(f"history[{n}]['results'][{m}] {problem}; {_REPAIR}.")
            continue
        if last is not None and None in answers[last]:
            pairs = zip(turns[last]["calls"], answers[last], strict=True)
            missing = ", ".join(repr(call["id"][:80]) for call, answer in pairs if answer is None)
            problems.append(
                f"history[{last}] has calls without a result before history[{n}]: {missing}. Put "
                f"history.results([...]) right after the calls; {_REPAIR}."
            )
        last = None
        if turn["role"] == "assistant":
            last = n
            answers[n] = [None] * len(turn.get("calls", ()))
    if problems:
        raise CourseError("\n".join(problems[:_MOST_PROBLEMS]))
    return answers


def _take(result: dict[str, Any], turns: list[Turn], answers: Answers, last: int | None) -> str:
    """Give a result to its call; return what is wrong with it, if there is none."""
    calls = turns[last].get("calls", ()) if last is not None else ()
    same = [k for k, call in enumerate(calls) if call["id"] == result["tool_call_id"]]
    for k in same:
        if answers[last][k] is None:
            answers[last][k] = result
            return ""
    shown = repr(result["tool_call_id"][:80])
    if same:
        return f"is another result of the call {shown}. Keep one for each call"
    return f"answers no call of the turn before it: {shown}. Put it right after its call, or leave it out"


# Going on with one ---------------------------------------------------------------------------------

UNKNOWN = (
    "Outcome unknown: the program stopped before it got a result. The call may have run, or not. Find out "
    "before you call it again; if you cannot, tell the user."
)
LEFT_OUT = "(The beginning of this conversation is left out.)"


def unanswered(history: list[Turn]) -> list[ToolCall]:
    """Return the calls of the last assistant turn that have no result yet."""
    return [call for _, call in unanswered_places(history)]


def unanswered_places(history: list[Turn]) -> list[tuple[int, ToolCall]]:
    """Return the same, each with its place among the calls of that turn."""
    try:  # what comes before that turn does not matter, and in a long session there is much of it
        places = range(len(history) - 1, -1, -1)
        last = next((n for n in places if history[n]["role"] == "assistant"), None)
        if last is None:
            return []
        turn, *after = [checked_turn(turn, f"history[{last + n}]") for n, turn in enumerate(history[last:])]
        answers = matched([{"role": "user"}, turn, *after])[1]
    except (CourseError, AttributeError, LookupError, TypeError):
        check(history)
        raise
    return [
        (place, call)
        for place, (call, answer) in enumerate(zip(calls_in(turn), answers, strict=True))
        if answer is None
    ]


def repair(history: list[Turn]) -> list[Turn]:
    """Return a copy of a history that can be sent, whatever was interrupted or cut away.

    A call without a result gets one that says that its outcome is unknown. Results go right behind their
    calls, in their order; those of no call, and a second one of the same call, are dropped, and so are empty
    turns. Raises CourseError for what is no turn at all.
    """
    if not isinstance(history, list):
        checked(history)
    repaired: list[Turn] = []
    open_calls: list[tuple[str, dict[str, Any], int]] = []  # id, where its result goes, and which it is
    for n, given in enumerate(history):
        turn = _normal(given, f"history[{n}]")
        if turn is None:
            continue
        if turn["role"] == "tool":
            for result in turn["results"]:
                _settle(result, open_calls)
            continue
        if not repaired and turn["role"] == "assistant":
            repaired.append({"role": "user", "text": LEFT_OUT})
        repaired.append(turn)
        if turn.get("calls"):
            unknown = {"content": UNKNOWN, "is_error": True}
            answers = [{"tool_call_id": one["id"], "name": one["name"], **unknown} for one in turn["calls"]]
            closed = {"role": "tool", "results": answers}
            repaired.append(closed)
            open_calls += [(call["id"], closed, k) for k, call in enumerate(turn["calls"])]
    return repaired


def trim(history: list[Turn], most_turns: int) -> list[Turn]:
    """Return the end of a history, in whole exchanges: at most so many turns, but always the last exchange.

    An exchange begins with what the user says and holds everything up to the next time the user speaks, so
    that no result loses its call.
    """
    check_most(most_turns)
    turns, _ = checked(history)
    return turns[first_kept([turn["role"] for turn in turns], most_turns) :]


def first_kept(roles: Sequence[str], most_turns: int) -> int:
    """Return the index of the first turn that `trim` keeps."""
    starts = [
        n
        for n, role in enumerate(roles)
        if role == "user" and (n == 0 or roles[n - 1] != "user") and _after_users(roles, n) != "tool"
    ]
    fitting = [n for n in starts if len(roles) - n <= most_turns]
    if len(roles) <= most_turns or not starts:
        return 0
    return fitting[0] if fitting else starts[-1]


def check_most(most_turns: Any) -> None:
    if isinstance(most_turns, bool) or not isinstance(most_turns, int) or most_turns < 1:
        raise CourseError(f"most_turns is {str(most_turns)[:40]!r}. Write a whole number from 1 on.")


def _after_users(roles: Sequence[str], n: int) -> str:
    """Return who comes after the user: no exchange begins before results, which belong to earlier calls."""
    return next((role for role in roles[n:] if role != "user"), "")


def _normal(given: Any, where: str) -> Turn | None:
    """Return a turn in its right shape, where it was written with nothing, or other values, for texts."""
    if not isinstance(given, dict):
        return checked_turn(given, where)
    turn = dict(given)
    if turn.get("role") == "user":
        if turn.get("text") is None or (isinstance(turn["text"], str) and not turn["text"].strip()):
            return None
    elif turn.get("role") == "assistant":
        turn["text"] = "" if turn.get("text") is None else turn["text"]
        calls = turn.get("calls")
        turn["calls"] = [_normal_call(call) for call in calls] if isinstance(calls, list) else calls or []
        wire = turn.pop("wire", None)
        if wire is not None and fits_its_wire({**checked_turn(turn, where), "wire": wire}):
            turn["wire"] = wire
    elif turn.get("role") == "tool":
        if turn.get("results") in (None, []):
            return None
        if isinstance(turn["results"], list):
            turn["results"] = [_normal_result(result) for result in turn["results"]]
    return checked_turn(turn, where)


def _normal_call(call: Any) -> Any:
    if not isinstance(call, dict):
        return call
    arguments = call.get("arguments")
    return {**call, "arguments": arguments if isinstance(arguments, dict) else parse_arguments(arguments)}


def _normal_result(result: Any) -> Any:
    if not isinstance(result, dict):
        return result
    content = result.get("content")
    text = content if isinstance(content, str) else to_text(content)
    return {**result, "content": text, "is_error": bool(result.get("is_error"))}


def _settle(result: dict[str, Any], open_calls: list[tuple[str, dict[str, Any], int]]) -> None:
    """Put a result in its place: that of the call of its id in the latest turn that has one open."""
    same = [one for one in open_calls if one[0] == result["tool_call_id"]]
    if not same:
        return
    latest = same[-1][1]
    found = next(one for one in same if one[1] is latest)
    open_calls.remove(found)
    _, closed, k = found
    closed["results"][k] = result
