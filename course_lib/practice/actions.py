"""The verbs that ask for an action: which of them ask for the same, and which only look at something."""

from __future__ import annotations

from functools import cache

from .language import features, fold

# Verbs of tools that change something, in families: who wants to "schedule" a meeting asks to "create" an
# event.
_FAMILIES = [
    "create add schedule make register open insert post record log submit start save book reserve plan "
    "arrange note put",
    "cancel delete remove clear stop close undo",
    "update change edit set move rename adjust modify assign correct put",
    "send write share forward text message notify tell post",
    "pay buy order purchase",
    "transfer move",
    "turn_on start enable", "turn_off stop disable", "play", "refund return", "approve accept",
    "reject refuse",
    "subscribe register", "reset restart", "lock block", "unlock", "renew extend", "restart", "deploy",
    "apply", "print",
]  # fmt: skip


_EMPTY_VERBS = frozenset(
    "request process perform do make handle execute trigger solicitar realizar hacer".split()
)


# The concepts of verbs that only look ("check", "find"), by which many names and sentences begin.
LOOKING = frozenset({"check", "verify", "find", "search", "get", "show", "look", "read", "list", "calculate"})


def verb_of(spoken: str) -> set[str]:
    """The features of the verb that a name begins with, also where it has two words: "turn off light"."""
    parts = spoken.split()
    if len(parts) > 1 and fold(parts[0]) in _EMPTY_VERBS:
        parts = parts[1:]
    two = features("_".join(parts[:2]).replace("_", " ")) if len(parts) > 2 else {}
    joined = {
        feature for feature, weight in two.items() if weight == 1 and feature in ("turn_on", "turn_off")
    }
    return (
        joined or {feature for feature, weight in features(parts[0]).items() if weight > 0.5}
        if parts
        else set()
    )


def family_of(verb: set[str]) -> frozenset[str]:
    """All verbs that ask for the same kind of action; empty for a verb that changes nothing."""
    return frozenset(feature for family in _families() if family & verb for feature in family)


@cache
def action_features() -> frozenset[str]:
    """The features of all verbs of actions."""
    return frozenset(feature for family in _families() for feature in family)


@cache
def _families() -> list[frozenset[str]]:
    return [frozenset(f for word in family.split() for f in _of_verb(word)) for family in _FAMILIES]


def _of_verb(word: str) -> list[str]:
    return [feature for feature, weight in features(word.replace("_", " "), "en").items() if weight == 1]
