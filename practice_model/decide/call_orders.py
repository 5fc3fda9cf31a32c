"""Orders of calls that the system prompt or a description demands.

"Before you refund an order, look it up", "First call get_profile, then answer", "Después de abrir una
incidencia, busca en la ayuda". Each side of such a sentence is matched with the tools like a message is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..language.entities import read
from ..language.message import read_clause
from ..language.text import any_case, detect, pattern, phrases
from .conversation import Task
from .planning import Step, fed, fill_tool
from .ranking import score
from .tool_profiles import Profile

MOST = 50  # sentences that are read
LEAST = 0.9  # the score from which words of a rule speak of a tool
LONGEST = 4_000  # characters of a text that are read
MOST_SCORES = 1_000  # sentences times tools
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_BEFORE, _AFTER, _THEN, _FIRST = map(phrases, ("before", "after", "then", "first"))
# How a sentence orders two calls, and whether the second one follows although nobody asks for it.
_WAYS = [
    (any_case(order), also)
    for order, also in (
        (rf"\b{_FIRST},?\s+(?P<first>.+?)[,;.]?\s+{_THEN},?\s+(?P<then>.+)$", False),
        (rf"^(?P<first>.+?)\s+{_FIRST}\b[,;]?\s*(?:{_THEN}|and|y)\s+(?P<then>.+)$", False),
        (rf"^(?:\W*always\W+)?{_BEFORE}\s+(?P<then>[^,]+),\s*(?P<first>.+)$", False),
        (rf"^(?P<first>.+?),?\s+{_BEFORE}\s+(?P<then>.+)$", False),
        (rf"^{_AFTER}\s+(?P<first>[^,]+),\s*(?P<then>.+)$", True),
        (rf"^(?P<then>.+?)\s+(?:only|s[oó]lo)\s+{_AFTER}\s+(?P<first>.+)$", False),
        (rf"\b{phrases('starts with')}(?P<first>.+)$", False),
    )
]


@dataclass(frozen=True)
class CallOrder:
    """One tool that has to be called before another one."""

    first: str
    then: str
    """Empty where `first` comes before everything else."""
    also: bool
    """Whether `then` follows `first` although the message does not ask for it."""
    always: bool
    """Whether `first` is called for any request, also one that no tool fits."""
    said: str
    """The words for `first`: they may hold its arguments."""


def rules(system: str, task: Task, tools: list[Profile]) -> list[CallOrder]:
    """Return the orders of calls that the system prompt and the descriptions demand."""
    most = max(2, MOST_SCORES // len(tools))  # each sentence is matched with every tool
    stated = (("", sentence) for sentence in _sentences(system) if _orders(sentence))
    names = [profile.spec.name for profile in tools]
    described = (
        (profile.spec.name, sentence)
        for profile in tools
        for sentence in _sentences(profile.spec.description)
        if any(name in sentence for name in names if name != profile.spec.name)
    )
    sentences = [*islice(stated, most), *islice(described, most)]
    return [rule for own, sentence in sentences if (rule := _rule(sentence, own, task, tools))]


def _sentences(text: str) -> Iterator[str]:
    return islice(filter(str.strip, _SENTENCE.split(text[:LONGEST])), MOST)


def _orders(sentence: str) -> bool:
    """Return whether a sentence has the form of an order of calls."""
    return any(pattern.search(sentence) for pattern, _ in _WAYS)


def _rule(sentence: str, own: str, task: Task, tools: list[Profile]) -> CallOrder | None:
    """Return the rule in a sentence of the system prompt, or of the description of the tool `own`."""
    text = sentence.strip().rstrip(".!; ")
    if own:
        text = pattern("this tool").sub(own, text)
        if pattern("first", after=r"\W*$").search(text):
            text = f"{text}, then {own}"
    for order, also in _WAYS:
        if match := order.search(text):
            groups = match.groupdict()
            said = groups["first"]
            other = groups.get("then") or ""
            then = _tool(other, task, tools)
            if pattern("a pronoun", after="").search(
                said
            ):  # "look it up": what the other side of the sentence is about
                said = f"{said} {' '.join(other.split()[1:])}"
            first = _tool(
                said, task, [profile for profile in tools if profile.spec.name != then], fillable=True
            )
            alone = "then" not in groups or (bool(pattern("first", "", "").search(text)) and not then)
            if first and first != then and (then or (alone and not own)):
                return CallOrder(
                    first, then, also, bool(pattern("first", "", "").search(text)) and not own, said
                )
    return None


def _tool(words: str, task: Task, tools: list[Profile], *, fillable: bool = False) -> str:
    """Return the tool that some words of a rule name; `fillable`: of several near ones, one that is
    filled."""
    words = pattern("you must", r"^\W*", "").sub("", words.strip())
    if not words:
        return ""
    language = detect(words)
    if fillable:  # "look up the order" speaks of the one that the message names
        facts = read(task.text, task.today, task.language)
        words = " ".join([words, *(task.text[fact.start : fact.end] for fact in facts)])
    rows = score(read_clause(words, language, task.today), tools)
    if not rows or rows[0].score < LEAST:
        return ""
    near = [row.tool for row in rows[:MOST] if row.score >= rows[0].score / 2] if fillable else []
    known = {profile.spec.name: profile for profile in tools}
    for name in near:
        filled = fill_tool(known[name], task.text, task.text, task)
        if not filled.missing and "message" in filled.sources.values() and known[name].role != "help":
            return name
    return rows[0].tool


def in_order(steps: list[Step], laid_down: list[CallOrder], task: Task, tools: list[Profile]) -> list[Step]:
    """Return the steps of the message and those that the rules add, without those that wait for a result."""
    known = {profile.spec.name: profile for profile in tools}
    done = {made.call.name for made in task.done if made.result}
    ever = done | {made.call.name for made in task.found}
    waiting: set[str] = set()
    if not steps and read_clause(task.text, task.language, task.today).begins_anew:
        rule = next((rule for rule in laid_down if rule.always), None)
        steps = _new(rule, set(), known, task) if rule else []
        if rule and rule.then:
            then = Step(rule.then, fill_tool(known[rule.then], "", "", task))
            steps.append(fed(then, rule.first, known[rule.then].spec.schema, task))
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


def _new(rule: CallOrder, planned: set[str], known: dict[str, Profile], task: Task) -> list[Step]:
    """Return the step that a rule demands, where the message does not ask for it already."""
    if rule.first in planned:
        return []
    filled = fill_tool(known[rule.first], rule.said, "", task)
    if filled.missing or "message" not in filled.sources.values() or _is_free(known[rule.first]):
        filled = fill_tool(known[rule.first], task.text, task.text, task)
    return [Step(rule.first, filled)]


def _is_free(profile: Profile) -> bool:
    """Return whether a tool takes words of the user's own, which no rule can know: something to search
    for."""
    return bool({"quoted", "topic"} & set(profile.needs[:1]))
