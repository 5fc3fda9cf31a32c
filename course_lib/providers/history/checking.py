"""Whether a history is one: its turns have the right shape, and every call in it has exactly one result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import CourseError
from .. import module_of
from .turns import PROVIDERS, STOP_REASONS, plain

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
            kind = "None" if found[name] is None else f"a {type(found[name]).__name__}"
            raise CourseError(f"{where}[{name!r}] is {kind}. It must be {field.words}.")


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
            missing = ", ".join(repr(one) for one in _open_ids(turns[last], answers[last]))
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


def _open_ids(turn: Turn, answers: list[dict[str, Any] | None]) -> list[str]:
    return [call["id"][:80] for call, answer in zip(turn["calls"], answers, strict=True) if answer is None]
