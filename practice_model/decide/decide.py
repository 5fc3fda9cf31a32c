"""decide(): what the practice model does next.

1. Find the task: the last message, and what was called for it since (`conversation`).
2. Cut the message into clauses and score every tool for each (`language.clauses`, `ranking`).
3. Fill the slots of the best tool of each clause (`planning`, `slot_filling`): that is the plan.
4. Leave out what was called already; call once more what failed with an error that says what would be right.
5. Call what is left. Where nothing is left: ask for what is missing, or answer from the results (`answers`).

It is a stand-in: rules and word lists, no language model, no knowledge of the world. The same request always
gets the same decision.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from typing import Any

from ..language.clauses import fact_asked_for
from ..language.entities import read
from ..language.message import Clause, read_clause, read_clauses
from ..language.text import features_of_each, fold, pattern, split_identifier
from ..request import Call, CallResult, Decision, Request, Score, ToolSpec
from .answers import answer, as_json, recall, structured
from .call_orders import in_order, rules
from .choices import mention
from .conversation import LONGEST_ERROR, MadeCall, Task, failed, read_task
from .planning import Step, blanked, fill_tool, given, plan
from .ranking import score
from .reasons import advice_on_tools, argument_reasons
from .schema_values import fits, members, resolve, variants
from .slots import Slot, kin
from .small_talk import (
    about_itself,
    announced,
    ask_for,
    before_calls,
    remembered,
    small_talk,
    the_day,
    without_tools,
)
from .tool_profiles import Profile, profiles


def decide(request: Request, today: date | None = None) -> Decision:
    """Choose the next turn of the assistant for a request.

    Args:
        request: what is asked, in the neutral form.
        today: the day from which relative dates count where the request does not state one; default: today.
    """
    task = read_task(request, today)
    choice = request.tool_choice
    unwanted = choice.mode == "auto" and pattern("no tools").search(task.text)
    if not request.tools or choice.mode == "none" or unwanted:
        return _say(request, task, (), (), as_asked=bool(request.tools and unwanted))
    tools = profiles(request.tools)
    if choice.mode == "tool":
        return _forced(request, task, [profile for profile in tools if profile.spec.name == choice.name], ())
    if choice.mode == "auto" and (said := about_itself(task, request.tools) or announced(task)):
        return Decision(text=said)
    if choice.mode == "auto" and not any(profile.tells_time for profile in tools) and (said := the_day(task)):
        return Decision(text=said)
    steps, scores = plan(task, tools)
    if not steps and choice.mode == "auto":
        steps = _looked_up(task, tools)
    steps = in_order(steps, rules(request.system, task, tools), task, tools)
    ready = [step for step in steps if not step.filled.missing]
    calls = _left(ready, task.done) + _calls_again(task, request, ready)
    final = {profile.spec.name for profile in tools if profile.role == "final"}
    calls = [
        call for call in calls if call.name not in final
    ] or calls  # the final answer comes after the others
    calls = calls or _provided(steps, task, tools)
    if not calls and choice.mode == "any":
        return _forced(request, task, tools, scores)
    if not calls:
        done = {made.call.name for made in task.done}
        incomplete = [step for step in steps if step.filled.missing and step.name not in done]
        decision = _say(request, task, scores, incomplete, steps)
        advice = () if steps or task.done else advice_on_tools(scores)
        return replace(decision, arguments=argument_reasons(incomplete, tools), advice=advice)
    acting = {profile.spec.name for profile in tools if profile.acts}
    decision = _call(calls if choice.parallel else calls[:1], task, scores, acting)
    made = [step for step in steps if step.call in decision.calls]
    decision = replace(decision, arguments=argument_reasons(made, tools))
    # The services write nothing before a call that they are made to make.
    return replace(decision, text="") if choice.mode == "any" else decision


def _left(ready: list[Step], done: tuple[MadeCall, ...]) -> list[Call]:
    """Return the planned calls that were not made yet.

    A tool called as often as planned counts as done, whatever its arguments were: the history may hold
    another model's idea of the same call.
    """
    made = [each.call for each in done]
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


def _calls_again(task: Task, request: Request, ready: list[Step]) -> list[Call]:
    """Failed calls once more, where the error asks for it or says what would be right, and once only."""
    found = []
    for made in task.done:
        spec = next((tool for tool in request.tools if tool.name == made.call.name), None)
        tries = sum(other.call.name == made.call.name for other in task.done)
        if made.result is None or spec is None or tries > 1:
            continue
        better = told_arguments(made.call, made.result, spec) or repaired(made.call, made.result, spec, task)
        if better:
            found.append(better)
        elif asks_for_it_again(made.result):  # as it should have been: it was cut off, or another model's
            planned = [step.call for step in ready if step.name == spec.name]
            found += [call for call in planned[:1] if call.arguments != made.call.arguments]
    return found


def _looked_up(task: Task, tools: list[Profile]) -> list[Step]:
    """Return the calls for what no tool fits: of one that looks anything up, where a question of fact is
    asked, or of one that finds further tools."""
    lookup = next((profile for profile in tools if profile.role == "lookup" and not profile.acts), None)
    finder = next((profile for profile in tools if profile.role == "finder"), None)
    if not (lookup or finder) or small_talk(task) or remembered(task) or recall(task):
        return []
    clauses = read_clauses(task.text, task.language, task.today)
    clause = next((one for one in reversed(clauses) if not one.forms_the_answer), clauses[-1])
    asks = (clause.asks_anywhere and not clause.of_oneself) or clause.asks_to_see or clause.topic
    if lookup and lookup.required and asks and clause.writes is None:
        slot = lookup.required[0]
        matter = _matter(clause, slot, task)
        filled = [given(fill_tool(lookup, text, "", task), {slot.name: text}) for text in matter]
        return [Step(lookup.spec.name, one, clause.as_asked) for one in filled if not one.missing]
    if finder and (clause.begins_anew or clause.asks_anywhere):
        # What is to be done counts, not with what.
        text = blanked(clause.text, [fact for fact in clause.entities if fact.kind == "quoted"])
        filled = fill_tool(finder, text, text, task)
        return [] if filled.missing else [Step(finder.spec.name, filled)]
    return []


def _matter(clause: Clause, slot: Slot, task: Task) -> list[str]:
    """Return what a question of fact is about: for a slot that takes a name the things that the message
    names, else what the question asks."""
    facts = read(task.text, task.today, task.language)
    named = [fact.written for fact in facts if fact.kind in ("name", "place", "quoted")]
    if named and not slot.label & features_of_each("query search question text"):
        return list(dict.fromkeys(named))
    return [fact_asked_for(clause.text)]


def _provided(steps: list[Step], task: Task, tools: list[Profile]) -> list[Call]:
    """Return the call of a tool without arguments that returns what is missing about the user."""
    missing = {
        feature for step in steps for slot in step.filled.missing for feature in (*slot.label, *kin(slot))
    }
    known = {made.call.name for made in task.done}
    return [
        Call(profile.spec.name, {})
        for profile in tools
        if profile.about_user
        and not profile.acts
        and profile.spec.name not in known
        and profile.topics & missing
    ][:1]


def _forced(request: Request, task: Task, tools: list[Profile], scores: tuple[Score, ...]) -> Decision:
    """Return the call that tool_choice demands: of the named tool, or of the one that fits best however
    badly."""
    rows = score(read_clause(task.text, task.language, task.today), tools)
    called = {made.call.name for made in task.done}
    final = {profile.spec.name for profile in tools if profile.role == "final"}
    rows = [row for row in rows if row.tool not in called] or rows
    rows = [row for row in rows if (row.tool in final) == bool(called)] or rows
    profile = next(profile for profile in tools if profile.spec.name == rows[0].tool)
    filled = fill_tool(profile, task.text, task.text, task, force=True)
    return Decision(calls=(Call(profile.spec.name, filled.arguments),), scores=scores or tuple(rows))


def _call(calls: list[Call], task: Task, scores: tuple[Score, ...], acting: set[str]) -> Decision:
    names = list(dict.fromkeys(call.name for call in calls))
    acts = not acting.isdisjoint(names)
    return Decision(
        text=before_calls(names, task.language, acts=acts),
        calls=tuple(calls),
        thinking=_reason(scores),
        scores=scores,
    )


def _say(
    request: Request,
    task: Task,
    scores: tuple[Score, ...],
    incomplete: list[Step] | tuple[()],
    steps: list[Step] | tuple[()] = (),
    *,
    as_asked: bool = False,
) -> Decision:
    if request.output_schema is not None:
        return Decision(text=structured(request.output_schema, task), scores=scores, thinking=_reason(scores))
    if not incomplete and (text := as_json(task, request.system)):
        return Decision(text=text, scores=scores, thinking=_reason(scores))
    clauses = [(step.call, step.clause) for step in steps]
    said = [answer(task, frozenset(tool.name for tool in request.tools), clauses)] if task.done else []
    if not said and not any("message" in step.filled.sources.values() for step in incomplete):
        said += filter(None, [recall(task)])
        incomplete = () if said else incomplete
    if incomplete:
        said.append(ask_for([(step.name, list(step.filled.missing)) for step in incomplete], task.language))
    if not said:
        said.append(without_tools(request, task, as_asked=as_asked))
    return Decision(text="\n\n".join(said), scores=scores, thinking=_reason(scores))


def _reason(scores: tuple[Score, ...]) -> str:
    """Return one sentence for the thinking block: which tool fits which clause, and why."""
    chosen = [row for row in scores if row.chosen]
    if not chosen:
        return "No offered tool fits the message well enough, so I answer in text."
    return " ".join(f"'{row.clause}' fits {row.tool} best ({', '.join(row.because[:3])})." for row in chosen)


# A failed call once more --------------------------------------------------------------------------

_ALLOWED = pattern("allowed", after=r"\b\s*:?\s*((?s:.+))")
_MEANT = pattern("was meant", after=r"\s*:?\s*[\"'`“‘]?([\w .@/-]{1,80}?)[\"'`”’]?\s*[?.]")
_SIGNS = pattern("signs", after="")
# An argument that a result says to call with.
_ASSIGNED = re.compile(
    r"\b(\w+)\s*(?:=|:| (?:to|as|a|como) )\s*(?:[\"'`“]([^\"'`”]+)[\"'`”]|(\w[\w.-]*\w|\w))"
)
# What an error says of an argument that the tool does not have.
_EXTRA = pattern("extra", "", "")
# What an error asks for, as a sentence of its own: "before you call it again" asks for something else.
_ONCE_MORE = pattern("once more", r"(?:^|[.;:!\n]|\bplease\b|\bpor favor\b,?)\s*")


def told_arguments(call: Call, result: CallResult, spec: ToolSpec) -> Call | None:
    """Return the call with the arguments that a result says to use: 'Call again with city="NYC"'."""
    properties = members(resolve(spec.schema, spec.schema))
    found = {
        match[1]: value
        for sentence in re.split(r"(?<=[.!?])\s|\n", result.content[:LONGEST_ERROR])
        if pattern("call again with").search(sentence)
        for match in _ASSIGNED.finditer(sentence)
        if match[1] in properties
        and (value := _typed(match[2] or match[3], properties[match[1]], spec.schema)) is not None
    }
    better = replace(call, arguments={**call.arguments, **found}, id="")
    return better if found and better.arguments != call.arguments else None


def asks_for_it_again(result: CallResult) -> bool:
    """Return whether a failure asks for the call once more."""
    return failed(result) and bool(_ONCE_MORE.search(result.content[:LONGEST_ERROR]))


def repaired(call: Call, result: CallResult, spec: ToolSpec, task: Task) -> Call | None:
    """Return the call with the argument corrected that the error names; None where the error does not say
    how."""
    text = result.content[:LONGEST_ERROR]
    if not failed(result) or not (_SIGNS.search(text) or _EXTRA.search(text)):
        return None
    options = _options(text)
    schema = resolve(spec.schema, spec.schema)
    properties = members(schema)
    known = {name: value for name, value in call.arguments.items() if name in properties}
    if _EXTRA.search(text) and known != call.arguments:
        return Call(call.name, known)
    for name in _blamed(text, call, list(properties)):
        old = call.arguments.get(name)
        choices = [
            value
            for option in options
            if (value := _typed(option, properties.get(name, {}), schema)) not in (None, old)
        ]
        if old in choices or not choices:
            continue
        # What the user's words name, else what the wrong value names (temp -> temperature), else the only
        # one.
        ranked = sorted(
            choices, key=lambda value: -max(mention(value, task.text, task.language), _likeness(old, value))
        )
        best = ranked[0]
        if len(choices) == 1 or max(mention(best, task.text, task.language), _likeness(old, best)) > 0:
            return Call(call.name, {**call.arguments, name: best})
    return None


def _options(text: str) -> list[str]:
    if match := _MEANT.search(text):
        return [match[1].strip()]
    match = _ALLOWED.search(text)
    if not match:
        return []
    listed = re.split(r"\.\s|\n|;", match[1])[0]
    if quoted := re.findall(r"[\"'`“‘]([^\"'`”’]+)[\"'`”’]", listed):
        return quoted
    return [
        part.strip(" .()[]{}:")
        for part in re.split(r",|\bor\b|\band\b|\bo\b|\by\b|\|", listed)
        if part.strip(" .()[]{}:")
    ]


def _blamed(text: str, call: Call, names: list[str]) -> list[str]:
    """Return the arguments that the error may mean: named in it, quoted by value, or the only one there
    is."""
    by_name = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    by_value = [
        name for name, value in call.arguments.items() if isinstance(value, str) and value and value in text
    ]
    return list(dict.fromkeys([*by_name, *by_value])) or (
        list(call.arguments) if len(call.arguments) == 1 else []
    )


def _typed(option: str, schema: Any, root: dict[str, Any]) -> Any:
    """Return the text as a value that fits the slot's schema; None if it cannot be one."""
    candidates: list[Any] = [option]
    try:
        candidates.append(json.loads(option))
    except ValueError:
        pass
    return next(
        (
            value
            for value in candidates
            if any(fits(value, one, root) for one in variants(schema, root) or [{}])
        ),
        None,
    )


def _likeness(old: Any, new: Any) -> float:
    """Return how like a wrong value is to an allowed one: the same but for case and separators, or its
    beginning."""
    one, other = fold(split_identifier(str(old))).strip(), fold(split_identifier(str(new))).strip()
    if not one or not other:
        return 0.0
    if one == other:
        return 2.0
    return 1.0 if one.startswith(other[:3]) and (one in other or other in one) else 0.0
