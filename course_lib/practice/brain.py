"""decide(): what the practice model does next.

The way of one decision:
1. Find the task: the last message and what was called for it since (`task`).
2. Cut the message into parts and score every offered tool for each (`clauses`, `matching`).
3. Fill the arguments of the best tool of each part (`filling`): that is the plan.
4. Leave out of the plan what was called already; mend once what failed with a helpful error (`mending`).
5. Call what is left. Where nothing is: ask for what is missing, or answer from the results (`phrasing`).

It is a stand-in: rules and word lists, no language model, no knowledge of the world. The same request always gets the
same decision.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from . import talk
from .clauses import Part, join, split
from .filling import Filled, Scope, fill

from .matching import Profile, profiles, score
from .mending import mend
from .phrasing import answer, structured
from .reading import read
from .request import Call, Decision, Request, Score
from .task import Done, Task, known_fields, read_task


_NO_TOOLS = re.compile(
    r"\b(?:without (?:calling|using|invoking)\b|(?:do not|don't|never) (?:call|use|invoke) (?:any|a|the|it|them|tools?)\b"
    r"|sin (?:llamar|usar|utilizar)\b|no (?:llames|uses|utilices|emplees)\b)",
    re.IGNORECASE,
)
_MORE_OF_THE_SAME = re.compile(
    r"^\W*(?:and|what about|how about|and what about|same for|also|now|y|qu[eé] (?:tal|hay de|pasa con)|y (?:para|en|el|la)|lo mismo (?:para|con|en)|ahora)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Step:
    """One planned call, or one that lacks arguments."""

    name: str
    filled: Filled

    @property
    def call(self) -> Call:
        return Call(self.name, self.filled.arguments)


def decide(request: Request, today: date | None = None) -> Decision:
    """Choose the next turn of the assistant for a request.

    Args:
        request: what is asked, in the neutral form.
        today: the day from which relative dates count where the request does not state one; default: today.
    """
    task = read_task(request, today)
    choice = request.tool_choice
    if not request.tools or choice.mode == "none" or (choice.mode == "auto" and _NO_TOOLS.search(task.text)):
        return _say(request, task, (), ())
    offered = profiles(request.tools)
    if choice.mode == "tool":
        return _forced(request, task, [one for one in offered if one.spec.name == choice.name], ())
    if choice.mode == "auto" and (said := talk.about_itself(task, request.tools)):
        return Decision(text=said)
    steps, scores = _plan(task, offered)
    ready = [step for step in steps if not step.filled.missing]
    calls = _left(ready, task.done) + _mended(task, request)
    if not calls and choice.mode == "any":
        return _forced(request, task, offered, scores)
    if not calls:
        done = {one.call.name for one in task.done}
        return _say(
            request, task, scores, [step for step in steps if step.filled.missing and step.name not in done]
        )
    return _call(calls if choice.parallel else calls[:1], task, scores)


def _plan(task: Task, offered: list[Profile]) -> tuple[list[Step], tuple[Score, ...]]:
    """The calls that the message asks for, in its order, whether or not they were made already."""
    text = task.text
    if task.asked and task.earlier and not _asks_alone(task, offered):
        text = f"{task.earlier[0].rstrip('?!. ')} {task.text}"  # the answer to our own question, read with what was asked
    parts = split(text, read(text, task.today, task.tongue))
    scored = [
        (part, score(part.text, task.tongue, read(part.text, task.today, task.tongue), offered))
        for part in parts
    ]
    scores = tuple(row for _, rows in scored for row in rows)
    steps: list[Step] = []
    for part, chosen, extra in _gather(text, scored):
        profile = next(one for one in offered if one.spec.name == chosen)
        step = Step(chosen, _fill(profile, part.text, text, task))
        steps.append(step)
        steps += [more for one in extra if (more := _one_more(profile, step, one, text, task))]
    if not steps and task.previous_calls and _MORE_OF_THE_SAME.match(text):
        steps = _same_again(text, task, offered)
    return _without_copies(steps), scores


def _gather(text: str, scored: list[tuple[Part, list[Score]]]) -> list[tuple[Part, str, list[Part]]]:
    """Join the parts that chose no tool to the part that did: (part, tool, the joined parts after it)."""
    gathered: list[tuple[Part, str, list[Part]]] = []
    waiting: Part | None = None
    for part, rows in scored:
        chosen = next((row.tool for row in rows if row.chosen), None)
        if chosen is None:
            if gathered:
                before, tool, extra = gathered[-1]
                gathered[-1] = (join(text, before, part), tool, [*extra, part])
            else:
                waiting = join(text, waiting, part) if waiting else part
            continue
        gathered.append((join(text, waiting, part) if waiting else part, chosen, []))
        waiting = None
    return gathered


def _fill(profile: Profile, part: str, whole: str, task: Task, *, force: bool = False) -> Filled:
    spec = profile.spec
    topics = frozenset(feature for feature, weight in profile.weights.items() if weight >= 1.0)
    scope = Scope(part, task.tongue, task.today, known_fields(task.done), task.earlier, topics, force, whole)
    return fill(spec.schema, scope)


def _one_more(profile: Profile, step: Step, extra: Part, whole: str, task: Task) -> Step | None:
    """ "… and Rome" after "the weather in Paris": the same call with the one argument that the extra part names anew."""
    own = _fill(profile, extra.text, "", task)
    named = {
        name for name, source in own.sources.items() if source == "message" and name in step.filled.arguments
    }
    changed = {name for name in named if own.arguments[name] != step.filled.arguments[name]}
    lists = any(isinstance(value, list) for value in step.filled.arguments.values())
    if own.facts < 1 or len(changed) != 1 or lists:
        return None
    arguments = {**step.filled.arguments, **{name: own.arguments[name] for name in changed}}
    return Step(step.name, replace(step.filled, arguments=arguments))


def _same_again(text: str, task: Task, offered: list[Profile]) -> list[Step]:
    """ "And order 7?": the latest call once more, with what the message changes."""
    last = task.previous_calls[0]
    profile = next((one for one in offered if one.spec.name == last.name), None)
    if profile is None:
        return []
    own = _fill(profile, text, "", task)
    changed = {name: own.arguments[name] for name, source in own.sources.items() if source == "message"}
    return (
        [Step(last.name, Filled({**last.arguments, **changed}, (), own.facts, own.sources))]
        if changed
        else []
    )


def _asks_alone(task: Task, offered: list[Profile]) -> bool:
    rows = score(task.text, task.tongue, read(task.text, task.today, task.tongue), offered)
    return any(row.chosen for row in rows)


def _without_copies(steps: list[Step]) -> list[Step]:
    """Drop a step that says nothing new: an equal call, or a part that only completes the step before it."""
    kept: list[Step] = []
    for step in steps:
        if any(step.call == one.call and not one.filled.missing for one in kept):
            continue
        same = [index for index, one in enumerate(kept) if one.name == step.name]
        if same and (step.filled.missing or kept[same[-1]].filled.missing):
            before = kept[same[-1]].filled
            arguments = {**step.filled.arguments, **before.arguments}
            missing = tuple(one for one in before.missing if one.name not in arguments)
            kept[same[-1]] = Step(step.name, replace(before, arguments=arguments, missing=missing))
            continue
        kept.append(step)
    return kept


def _left(ready: list[Step], done: tuple[Done, ...]) -> list[Call]:
    """The planned calls that were not made yet. A tool called as often as planned counts as done, whatever its
    arguments were: the history may hold another model's idea of the same call."""
    made = [one.call for one in done]
    left = []
    for step in ready:
        equal = next(
            (call for call in made if call.name == step.name and call.arguments == step.call.arguments), None
        )
        equal = equal or next((call for call in made if call.name == step.name), None)
        if equal is not None:
            made.remove(equal)
        else:
            left.append(step.call)
    return left


def _mended(task: Task, request: Request) -> list[Call]:
    """Failed calls once more, where the error says what would be right and it was not tried yet."""
    found = []
    for one in task.done:
        spec = next((tool for tool in request.tools if tool.name == one.call.name), None)
        tries = sum(other.call.name == one.call.name for other in task.done)
        if one.result and spec and tries == 1 and (better := mend(one.call, one.result, spec, task)):
            found.append(better)
    return found


def _forced(request: Request, task: Task, offered: list[Profile], scores: tuple[Score, ...]) -> Decision:
    """The call that tool_choice demands: of the named tool, or of the one that fits best however badly."""
    rows = score(task.text, task.tongue, read(task.text, task.today, task.tongue), offered)
    made = {one.call.name for one in task.done}
    rows = [row for row in rows if row.tool not in made] or rows
    profile = next(one for one in offered if one.spec.name == rows[0].tool)
    filled = _fill(profile, task.text, task.text, task, force=True)
    return Decision(calls=(Call(profile.spec.name, filled.arguments),), scores=scores or tuple(rows))


def _call(calls: list[Call], task: Task, scores: tuple[Score, ...]) -> Decision:
    names = list(dict.fromkeys(call.name for call in calls))
    return Decision(
        text=talk.before_calls(names, task.tongue),
        calls=tuple(calls),
        thinking=_reason(scores),
        scores=scores,
    )


def _say(
    request: Request, task: Task, scores: tuple[Score, ...], incomplete: list[Step] | tuple[()]
) -> Decision:
    if request.output_schema is not None:
        return Decision(text=structured(request.output_schema, task), scores=scores, thinking=_reason(scores))
    said = [answer(task)] if task.done else []
    if incomplete:
        said.append(
            talk.ask_for([(step.name, list(step.filled.missing)) for step in incomplete], task.tongue)
        )
    if not said:
        said.append(talk.without_tools(request, task))
    return Decision(text="\n\n".join(said), scores=scores, thinking=_reason(scores))


def _reason(scores: tuple[Score, ...]) -> str:
    """One sentence for the thinking block: which tool fits which part, and why."""
    chosen = [row for row in scores if row.chosen]
    if not chosen:
        return "No offered tool fits the message well enough, so I answer in text."
    return " ".join(f"'{row.clause}' fits {row.tool} best ({', '.join(row.because[:3])})." for row in chosen)
