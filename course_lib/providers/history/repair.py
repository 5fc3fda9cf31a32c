"""Going on with a history that was interrupted, damaged or grew too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import CourseError
from ...plain_json import to_text
from ...tools import ToolCall
from ..reading import parse_arguments
from .checking import Turn, check, checked, checked_turn, fits_its_wire, matched
from .turns import calls_in

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
            closed = {"role": "tool", "results": [_unknown(call) for call in turn["calls"]]}
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


def _unknown(call: dict[str, Any]) -> dict[str, Any]:
    return {"tool_call_id": call["id"], "name": call["name"], "content": UNKNOWN, "is_error": True}


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
