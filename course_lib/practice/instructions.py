"""Orders of calls that nobody asks for in the message: the system prompt, or a description, lays them down.

"Before you refund an order, look it up", "First call get_profile, then answer", "Después de abrir una
incidencia, busca en la ayuda". Each side of such a sentence is matched with the tools like a message is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from .language import detect, one_of
from .matching import score
from .planning import Step, fill_tool
from .profiles import Profile
from .reading import read
from .task import Task

MOST = 50  # sentences that are read
LEAST = 0.9  # the score from which words of a rule speak of a tool
LONGEST = 4_000  # characters of a text that are read
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_BEFORE, _AFTER = (
    one_of(r"before", "antes de(?: que)?"),
    one_of("after", "once", "despu[eé]s de(?: que)?", "tras"),
)
_THEN = one_of(
    "and then", "then", "and after that", "afterwards", "y luego", "luego", "y despu[eé]s", "despu[eé]s"
)
_FIRST = one_of("first(?: of all)?", "primero", "en primer lugar")
# Ways to say it: the part "first" comes before the part "then"; with "also", "then" follows although nobody
# asks for it.
_WAYS = [
    (re.compile(pattern, re.IGNORECASE), also)
    for pattern, also in (
        (rf"^(?:\W*always\W+)?{_BEFORE}\s+(?P<then>[^,]+),\s*(?P<first>.+)$", False),
        (rf"^(?P<first>.+?),?\s+{_BEFORE}\s+(?P<then>.+)$", False),
        (rf"^{_AFTER}\s+(?P<first>[^,]+),\s*(?P<then>.+)$", True),
        (rf"^(?P<then>.+?)\s+(?:only|s[oó]lo)\s+{_AFTER}\s+(?P<first>.+)$", False),
        (rf"\b{_FIRST},?\s+(?P<first>.+?)[,;.]?\s+{_THEN},?\s+(?P<then>.+)$", False),
        (rf"^(?P<first>.+?)\s+{_FIRST}\b[,;]?\s*(?:{_THEN}|and|y)\s+(?P<then>.+)$", False),
        (
            r"\b(?:start|begin)\b.{0,40}?\s(?:by|with)\s+(?P<first>.+)$"
            r"|\b(?:empieza|comienza)\b.{0,40}?\s(?:por|con)\s+(?P<first_es>.+)$",
            False,
        ),
    )
]
_THIS = re.compile(
    r"\b(?:(?:calling|using|you (?:call|use))\s+)?(?:this(?: tool| function)?|it)\b"
    r"|\besta(?: herramienta)?\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|them|one|l[ao]s?)\b|\w{3,}(?:[aá]rl|[eé]rl|[ií]rl|[aeé]l)[ao]s?\b", re.IGNORECASE
)
_CALL_FIRST = re.compile(rf"\b{_FIRST}\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Rule:
    """One tool that has to be called before another one."""

    first: str
    then: str
    """Empty where `first` comes before everything else."""
    also: bool
    """Whether `then` follows `first` although the message does not ask for it."""
    said: str
    """The words for `first`: they may hold its arguments."""


def rules(system: str, task: Task, offered: list[Profile]) -> list[Rule]:
    """What the system prompt and the descriptions say about the order of calls."""
    found = []
    for sentence in islice(filter(str.strip, _SENTENCE.split(system[:LONGEST])), MOST):
        found += [rule for rule in [_rule(sentence, "", task, offered)] if rule]
    names = [one.spec.name for one in offered]
    for one in offered:
        for sentence in islice(filter(str.strip, _SENTENCE.split(one.spec.description[:LONGEST])), MOST):
            if any(name in sentence for name in names if name != one.spec.name):
                found += [rule for rule in [_rule(sentence, one.spec.name, task, offered)] if rule]
    return found


def _rule(sentence: str, own: str, task: Task, offered: list[Profile]) -> Rule | None:
    """The rule that a sentence of the system prompt, or of the description of the tool `own`, lays down."""
    text = sentence.strip().rstrip(".!; ")
    if own:
        text = _THIS.sub(own, text)
        if _CALL_FIRST.search(text):
            text = f"{text}, then {own}"
    for pattern, also in _WAYS:
        if match := pattern.search(text):
            groups = match.groupdict()
            said = groups["first"] or groups.get("first_es") or ""
            other = groups.get("then") or ""
            then = _tool(other, task, offered)
            if _PRONOUN.search(said):  # "look it up": what the other side of the sentence is about
                said = f"{said} {' '.join(other.split()[1:])}"
            first = _tool(said, task, [one for one in offered if one.spec.name != then], wanted=True)
            alone = "then" not in groups or (bool(re.search(_FIRST, text, re.IGNORECASE)) and not then)
            if first and first != then and (then or (alone and not own)):
                return Rule(first, then, also, said)
    return None


def _tool(words: str, task: Task, offered: list[Profile], *, wanted: bool = False) -> str:
    """The tool that some words of a rule speak of; of several that are near, with `wanted` the one that the
    message can fill."""
    words = re.sub(r"^\W*(?:you\s+)?(?:must\s+|should\s+|always\s+)*", "", words.strip(), flags=re.IGNORECASE)
    if not words:
        return ""
    tongue = detect(words)
    if wanted:  # "look up the order" speaks of the one that the message names
        facts = read(task.text, task.today, task.tongue)
        words = " ".join([words, *(task.text[fact.start : fact.end] for fact in facts)])
    rows = score(words, tongue, read(words, task.today, tongue), offered)
    if not rows or rows[0].score < LEAST:
        return ""
    near = [row.tool for row in rows if row.score >= rows[0].score / 2] if wanted else []
    known = {one.spec.name: one for one in offered}
    for name in near:
        filled = fill_tool(known[name], task.text, task.text, task)
        if not filled.missing and "message" in filled.sources.values() and not known[name].explains:
            return name
    return rows[0].tool


def in_order(steps: list[Step], laid_down: list[Rule], task: Task, offered: list[Profile]) -> list[Step]:
    """The steps of the message and those that the rules add, without those that wait for a result."""
    known = {one.spec.name: one for one in offered}
    done = {one.call.name for one in task.done if one.result}
    ever = done | {one.call.name for one in task.found}
    waiting: set[str] = set()
    for rule in laid_down:
        planned = {step.name for step in steps}
        if not rule.then and steps and rule.first not in ever:
            steps = [*_new(rule, planned, known, task), *steps]
            waiting |= {step.name for step in steps} - {rule.first}
        elif rule.then in planned and rule.first not in done:
            steps = [*_new(rule, planned, known, task), *steps]
            waiting.add(rule.then)
        elif rule.also and rule.first in planned and rule.first in done and rule.then not in planned:
            steps = [*steps, Step(rule.then, fill_tool(known[rule.then], task.text, task.text, task))]
    return [step for step in steps if step.name not in waiting]


def _new(rule: Rule, planned: set[str], known: dict[str, Profile], task: Task) -> list[Step]:
    """The step that a rule demands, where the message does not ask for it already."""
    if rule.first in planned:
        return []
    told = fill_tool(known[rule.first], rule.said, "", task)
    if told.missing or "message" not in told.sources.values() or _is_free(known[rule.first]):
        told = fill_tool(known[rule.first], task.text, task.text, task)
    return [Step(rule.first, told)]


def _is_free(profile: Profile) -> bool:
    """Whether a tool wants words of the user's own, which no rule can know: something to search for."""
    return bool({"quoted", "topic"} & set(profile.needs[:1]))
