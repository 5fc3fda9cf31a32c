"""What a rule is; openai_chat_rules.py and openai_responses_rules.py have the rules of the two APIs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .openai_shapes import refused

Found = dict[str, Any] | None
"""What a finder has found: the values that the rule's message and param need; None where all is well."""


class Rule(NamedTuple):
    """What is looked for, and what is said when it is found."""

    find: Callable[[Any], Found]
    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400


def check(rules: Iterable[Rule], asked: Any) -> None:
    """Raise Refused for the first of the rules that what is asked breaks."""
    for rule in rules:
        found = rule.find(asked)
        if found is not None:
            param = rule.param.format(**found) if rule.param else None
            raise refused(rule.message.format(**found), param, rule.code, rule.status)
