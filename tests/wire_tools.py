"""What the tests of all APIs share: a brain with a script, and requests with something wrong in them."""

from __future__ import annotations

import json
from typing import Any

from practice_model.request import Call, Decision, Request


class Scripted:
    """A brain that calls the first tool once and then reads the result aloud; keeps what it was asked."""

    ITEM = "bun"
    BEFORE_CALLS = "Let me see."
    HELLO = "Hello."
    THINKING = "A price is asked for."

    def __init__(self, decision: Decision | None = None) -> None:
        self.decision = decision
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Decision:
        self.asked.append(request)
        if self.decision is not None:
            return self.decision
        last = request.turns[-1]
        if last.results:
            return Decision(text="; ".join(one.content for one in last.results))
        calls = tuple(Call(tool.name, {"item": self.ITEM}) for tool in request.tools[:1])
        return Decision(text=self.BEFORE_CALLS if calls else self.HELLO, calls=calls, thinking=self.THINKING)


def places(value: Any, path: tuple = ()) -> list[tuple]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [one for name, child in inside for one in places(child, (*path, name))]
    return [path, *found] if path else found


def changed(value: Any, path: tuple, change: str, junk: Any) -> Any:
    """A copy of the value with one thing replaced, removed, doubled or added."""
    copy = json.loads(json.dumps(value))
    holder = copy
    try:
        for step in path[:-1]:
            holder = holder[step]
        if change == "remove":
            del holder[path[-1]]
        elif change == "double" and isinstance(holder, list):
            holder.insert(path[-1], holder[path[-1]])
        elif change == "add" and isinstance(holder, dict):
            holder["extra"] = junk
        else:
            holder[path[-1]] = junk
    except (KeyError, IndexError, TypeError):
        pass  # an earlier change has taken this place away
    return copy
