"""The calls that a message asks for, in its order, and the clauses that only state something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any

from ..language.dates import shift, shift_of
from ..language.entities import Entity
from ..language.message import Clause, joined, read_clause, read_clauses
from ..language.speech_acts import points_back
from ..language.text import Token, pattern
from ..request import Call, Score
from .conversation import Task, known_fields, parse
from .free_text import Context
from .ranking import NOTHING_BUT, THRESHOLD, score
from .schema_values import JSON, fits, listed, resolve
from .slot_filling import Filled, fill
from .slots import MOST_SLOTS, Form, is_free_text
from .tool_profiles import Profile, properties_of

# Clauses that only state something, beside one that asks for an action ----------------------------


def without_background(
    scored: list[tuple[Clause, list[Score]]], tools: list[Profile], task: Task
) -> list[tuple[Clause, list[Score]]]:
    """Return where one clause plainly asks for an action, those that only state something ask for nothing.

    "My room is cold and nobody comes. Please send a report": what is stated belongs to the report.
    """
    acting = {profile.spec.name: profile for profile in tools if profile.acts}
    asked = [
        (clause, acting[row.tool])
        for clause, rows in scored
        for row in rows
        if row.chosen
        and row.tool in acting
        and clause.begins_anew
        and not clause.tells
        and not clause.wants_a_thing
    ]
    # "Please open a ticket." says nothing of its own: what is asked besides is then what the ticket says.
    bare = any(_says_nothing_itself(clause, profile, task) for clause, profile in asked)

    def is_told(clause: Clause) -> bool:
        if any(clause is other for other, _ in asked):
            return False
        stated = clause.wants_a_thing or clause.names_a_thing or not clause.begins_anew
        return clause.tells or (bare and stated and not clause.courteous)

    return [
        (
            clause,
            [replace(row, chosen=False) for row in rows]
            if asked and not clause.question and is_told(clause)
            else rows,
        )
        for clause, rows in scored
    ]


def _says_nothing_itself(clause: Clause, profile: Profile, task: Task) -> bool:
    """Return whether a clause only asks for an action, and gives none of the free text that the action
    takes."""
    schema = resolve(profile.spec.schema, profile.spec.schema)
    properties = dict(islice(properties_of(profile.spec.schema).items(), MOST_SLOTS))
    others = {name: sub for name, sub in properties.items() if not is_free_text(name, sub)}
    required = schema.get("required") or []
    known = [name for name in required if name in others]
    if len(known) == len(required):
        return False
    rest = Form({**schema, "properties": others, "required": known}, profile.spec.schema)
    return fill(rest, clause, Context(task.today, profile.topics)).alone


# The plan: clauses, the tool of each, and its arguments -------------------------------------------

LONGEST_ASKING = 5  # messages of the user that are read together, where each answered a question of ours
MOST_SCORES, MOST_FILLED = 1_500, 3_000  # tools for all clauses, and slots of one tool, that are looked at
MOST_TOGETHER = 6  # clauses that are tried as one, where none of them asks for a tool
SURE = 1.5  # a clause that fits a tool better than this asks for it, whatever else it may mean
_DAY = re.compile(r"\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])(?:T|$)")


@dataclass(frozen=True)
class Step:
    """One planned call, or one that lacks arguments."""

    name: str
    filled: Filled
    clause: str = ""
    """The part of the message that asks for it."""

    @property
    def call(self) -> Call:
        return Call(self.name, self.filled.arguments)


@dataclass(frozen=True)
class Group:
    """A stretch of the message that asks for one tool, with the clauses that were joined to it."""

    first: Clause
    last: Clause
    profile: Profile
    rows: list[Score]
    extra: tuple[Clause, ...] = ()
    """The clauses after the one that asks for the tool."""


def plan(task: Task, tools: list[Profile]) -> tuple[list[Step], tuple[Score, ...]]:
    """Return the calls that the message asks for, in its order, whether or not they were made already."""
    text = task.text
    # How the message is read may not depend on what its own calls have returned since.
    begun = replace(task, done=())
    answers = task.asked and not task.text.rstrip().endswith("?")  # a question is no answer to ours
    if answers and task.earlier and not _asks_alone(task.text, task, tools):
        text = _with_what_was_asked(task, tools)
    clauses = read_clauses(text, task.language, task.today)
    most = _most_clauses(tools)
    if len(clauses) > most:
        clauses = [*clauses[: most - 1], joined(text, clauses[most - 1], clauses[-1], task.today)]
    scored = without_background([(clause, score(clause, tools)) for clause in clauses], tools, task)
    if 1 < len(scored) <= MOST_TOGETHER and not any(row.chosen for _, rows in scored for row in rows):
        # What belongs together was cut: "How much is the mug, MUG-7?".
        whole = joined(text, clauses[0], clauses[-1], task.today)
        scored = [(whole, score(whole, tools))]
    scores = tuple(row for _, rows in scored for row in rows)
    steps: list[Step] = []
    for group in _gather(scored, tools, begun):
        together = joined(text, group.first, group.last, task.today)
        if feeding := _feeding(together, group, tools, task):
            steps += feeding
            continue
        filled = fill_tool(group.profile, together.text, text, task)
        step = Step(group.profile.spec.name, filled, together.as_asked)
        steps.append(step)
        new = [clause for clause in group.extra if not _took(step, clause, together)]
        steps += [more for clause in new if (more := _one_more(group.profile, step, clause, begun))]
    if task.found and _changes_the_last(text, steps, task):
        steps = _same_again(text, begun, tools) or steps
    planned = {step.name for step in steps}
    for clause in clauses:
        named = any(_named_at(profile, clause) for profile in tools if profile.spec.name in planned)
        if clause.asks_for_everything and not named:
            steps = _all_about(clause, tools, task) or steps
    return _without_copies(steps), scores


def _most_clauses(tools: list[Profile]) -> int:
    """Return how many clauses are read one by one, so that tools and slots times clauses stay bounded."""
    slots = max(_work_of(profile.spec.schema) for profile in tools)
    return max(1, min(MOST_SCORES // len(tools), MOST_FILLED // max(1, slots)))


def _work_of(schema: JSON) -> int:
    """Return how many slots a tool has; a value of an enum is looked for in a tenth of the time."""
    slots = list(properties_of(schema).values())[:MOST_SLOTS]
    values = sum(min(len(listed(slot, "enum")), 200) for slot in slots if isinstance(slot, dict))
    return len(slots) + values // 10


def _changes_the_last(text: str, steps: list[Step], task: Task) -> bool:
    """Return whether a message only changes the latest call: "And Lima?", "No, 7.", "Only those about
    cats."."""
    if pattern("of those").search(text):
        return True
    more = pattern("more of the same", r"^\W*", r"\b\W*").match(text)
    also = pattern("also", r"[\s,]*\b", r"\W*$").search(text)
    if not more and not also:
        return False
    if not steps and shift_of(text):
        return True
    rest = text[more.end() if more else 0 : also.start() if also else None]
    rest = read_clause(rest, task.language, task.today)
    same = all(step.name == task.found[0].call.name for step in steps)
    return rest.bare or (same and (not rest.begins_anew or all(step.filled.missing for step in steps)))


def _gather(scored: list[tuple[Clause, list[Score]]], tools: list[Profile], task: Task) -> list[Group]:
    """Join the clauses that ask for no tool, or only complete the call before them, to the one that does."""
    groups: list[Group] = []
    waiting: Clause | None = None
    for clause, rows in scored:
        if clause.forms_the_answer and len(scored) > 1:
            continue
        chosen = next((row.tool for row in rows if row.chosen), None)
        profile = next((profile for profile in tools if profile.spec.name == chosen), None)
        last = groups[-1] if groups else None
        if profile and (
            (waiting and _only_facts(rows))
            or (last and profile is not last.profile and _completes(last, clause, rows, task))
        ):
            profile = None
        if last and (
            profile is None or (profile is last.profile and not _new_request(profile, clause, task))
        ):
            groups[-1] = replace(last, last=clause, extra=(*last.extra, clause))
        elif profile is None and clause.declines:
            continue
        elif profile is None:
            waiting = waiting or clause
        else:
            groups.append(Group(waiting or clause, clause, profile, rows))
            waiting = None
    return groups


def _feeding(clause: Clause, group: Group, tools: list[Profile], task: Task) -> list[Step]:
    """Return two calls where one finds what the other needs: "the temperature of the capital of France".

    The fact that is given belongs to the tool with a slot of its name: France is a country, and no city.
    """
    known = {profile.spec.name: profile for profile in tools if not profile.acts or profile is group.profile}
    fitting = [known[row.tool] for row in group.rows if row.tool in known and row.score >= THRESHOLD]
    owning = [one for one in fitting if _owned(one, clause) and _named_at(one, clause)]
    others = [one for one in fitting if one not in owning and 0 < _named_at(one, clause)]
    outer = group.profile if group.profile not in owning else next(iter(others), None)
    if not owning or outer is None or outer in owning:
        return []
    inner = owning[0]
    if _named_at(outer, clause) > _named_at(inner, clause):
        return []
    said = [token for token in clause.tokens if inner.name & token.meanings.keys()]
    text = blanked(clause.text, [*_owned(inner, clause), *said])
    begun = replace(task, earlier=(), found=())
    found, needed = fill_tool(inner, clause.text, "", task), fill_tool(outer, text, "", begun)
    if found.missing or not fill_tool(outer, text, "", replace(begun, done=())).missing:
        return []
    first, then = (
        Step(one.spec.name, filled, clause.as_asked) for one, filled in ((inner, found), (outer, needed))
    )
    if any(made.call.name == inner.spec.name for made in task.done):
        then = fed(then, inner.spec.name, outer.spec.schema, task)
        return [first] if then.filled.missing else [then]
    return [first, then]


def blanked(text: str, facts: Sequence[Entity | Token]) -> str:
    """Return a text with some of its facts or words blanked out; the length stays, because facts are
    recognised by their place."""
    for one in facts:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text


def fed(step: Step, by: str, schema: JSON, task: Task) -> Step:
    """Return a step with the bare result of the tool `by` as the one argument that it lacks."""
    found = [parse(made.result.content) for made in task.done if made.call.name == by and made.result]
    if len(step.filled.missing) != 1 or not found or isinstance(found[-1], dict | list):
        return step
    slot = step.filled.missing[0]
    if not fits(found[-1], slot.schema, schema):
        return step
    return replace(step, filled=given(step.filled, {slot.name: found[-1]}, "results"))


def _owned(profile: Profile, clause: Clause) -> list[Entity]:
    """Return the facts of a clause that it calls by the name of a slot that a tool requires."""
    labels = {feature for slot in profile.required for feature in slot.label}
    return [entity for entity in clause.entities if entity.called & labels]


def _named_at(profile: Profile, clause: Clause) -> int:
    """Return the place after the first word of a clause that a tool's name has, too, and that is no verb; 0
    where there is none."""
    nouns = profile.nouns & profile.exact
    named = (token for token in clause.tokens if any(token.meanings.get(noun) == 1 for noun in nouns))
    return next((token.end for token in named), 0)


def _all_about(clause: Clause, tools: list[Profile], task: Task) -> list[Step]:
    """Return the calls of all tools that look up the thing of which everything is asked."""
    looking = [profile for profile in tools if not profile.acts and not profile.role]
    filled = [(profile, fill_tool(profile, clause.text, "", task)) for profile in looking if profile.required]
    return [
        Step(profile.spec.name, one, clause.as_asked)
        for profile, one in filled
        if not one.missing and set(one.sources.values()) == {"message"}
    ]


def _only_facts(rows: list[Score]) -> bool:
    """Return whether a tool was chosen for a clause because it is nothing but facts: "to 120"."""
    return rows[0].because[:1] != () and rows[0].because[0].startswith(NOTHING_BUT)


def _completes(last: Group, clause: Clause, rows: list[Score], task: Task) -> bool:
    """Return whether a clause says nothing but an argument of the call before it: a fact, or a value of an
    enum."""
    if (clause.question and not _only_facts(rows)) or clause.begins_anew:
        return False
    if rows[0].score > SURE and not clause.bare:
        return False
    own = fill_tool(last.profile, clause.text, "", task)
    return own.alone and "message" in own.sources.values()


def _new_request(profile: Profile, clause: Clause, task: Task) -> bool:
    """Return whether a clause asks for one more call of the same tool: it gives all that the tool requires,
    and begins anew, or gives two things or more ("… and then left 50 cm")."""
    filled = fill_tool(profile, clause.text, "", task)
    if filled.missing or "message" not in filled.sources.values():
        return False
    return clause.question or clause.begins_anew or (len(profile.needs) > 1 and filled.alone)


def fill_tool(profile: Profile, clause: str, whole: str, task: Task, *, force: bool = False) -> Filled:
    """Return the arguments of one tool from one clause of the message, and from what else is known."""
    clause, whole = (_without_name(text, profile.spec.name) for text in (clause, whole))
    context = Context(
        task.today,
        profile.topics,
        profile.role == "help",
        force,
        whole,
        task.earlier,
        known_fields(task.done + (task.found if points_back(task.text, task.language) else ()), task.text),
        dict(task.found[0].call.arguments) if task.found and points_back(clause, task.language) else {},
    )
    filled = fill(profile.form, read_clause(clause, task.language, task.today), context)
    return replace(filled, arguments=_to_the_end(filled.arguments, task)) if task.unread else filled


def given(filled: Filled, values: JSON, source: str = "message", why: dict[str, str] | None = None) -> Filled:
    """Return arguments with others besides, or in the place of what they were."""
    said = f"“{{}}” in the {source if source == 'message' else 'result of an earlier call'}"
    reasons = {name: (why or {}).get(name) or said.format(value) for name, value in values.items()}
    return replace(
        filled,
        arguments={**filled.arguments, **values},
        missing=tuple(slot for slot in filled.missing if slot.name not in values),
        sources={**filled.sources, **dict.fromkeys(values, source)},
        why={**filled.why, **reasons},
    )


def _to_the_end(value: Any, task: Task) -> Any:
    """Return arguments of which those that reach the end of what was read of a message go on to its end."""
    if isinstance(value, dict):
        return {name: _to_the_end(item, task) for name, item in value.items()}
    if isinstance(value, str) and value.endswith(task.text.rstrip(" .,;:!?\"'")[-40:]):
        return value + task.text[len(task.text.rstrip(" .,;:!?\"'")) :] + task.unread.rstrip()
    return value


def _without_name(text: str, name: str) -> str:
    """Return the text with the tool's own name blanked out ("use `find_order` for 7"): it is no argument. The
    length stays, because facts are recognised by their place in the text."""
    if name.isalpha() and name.islower():  # "search" is a word of the message like any other
        return text.replace(f"`{name}`", " " * (len(name) + 2))
    return re.sub(rf"(?<![\w-])`?{re.escape(name)}`?(?![\w-])", lambda match: " " * len(match.group()), text)


def _took(step: Step, extra: Clause, clause: Clause) -> bool:
    """Return whether a call took an argument from a clause that was joined to its own."""
    return any(
        start + clause.start < extra.end and extra.start < end + clause.start
        for start, end in step.filled.used
    )


def _one_more(profile: Profile, step: Step, extra: Clause, task: Task) -> Step | None:
    """ "… and Rome" after "the weather in Paris": the same call with the argument that is named."""
    own = fill_tool(profile, extra.text, "", task)
    before = step.filled.arguments
    named = {name for name, source in own.sources.items() if source == "message" and name in before}
    if any(isinstance(before[name], list) for name in named):
        return None  # one more member of a list
    changed = {name: own.arguments[name] for name in named if own.arguments[name] != before[name]}
    if not own.alone or len(changed) != 1:
        return None
    return replace(step, filled=given(step.filled, changed, why=own.why))


def _same_again(text: str, task: Task, tools: list[Profile]) -> list[Step]:
    """ "And order 7?": the latest call once more, with what the message changes."""
    last = task.found[0].call
    profile = next((profile for profile in tools if profile.spec.name == last.name), None)
    if profile is None:
        return []
    own, unsaid = fill_tool(profile, text, "", task), fill_tool(profile, "", "", task).arguments
    changed = {
        name: own.arguments[name]
        for name, source in own.sources.items()
        if source == "message" and own.arguments[name] != unsaid.get(name)  # "all", where nobody said which
    }
    changed = changed or _shifted(text, last.arguments)
    again = Filled(last.arguments, (), dict.fromkeys(last.arguments, "earlier"))
    return [Step(last.name, given(again, changed, why=own.why))] if changed else []


def _shifted(text: str, arguments: JSON) -> JSON:
    """Return the days of a call, moved by what a message says: "What about the day after?"."""
    days = {
        name: value[:10] for name, value in arguments.items() if isinstance(value, str) and _DAY.match(value)
    }
    if not days or not (by := shift_of(text)):
        return {}
    try:
        moved = {name: shift(date.fromisoformat(day), *by).isoformat() for name, day in days.items()}
    except (ValueError, OverflowError):  # 30 February, and the day after the last one
        return {}
    return {name: day + arguments[name][10:] for name, day in moved.items()}


def _with_what_was_asked(task: Task, tools: list[Profile]) -> str:
    """Return the answer to our own question, read together with what was asked first, and with the answers
    between ("How much is a taxi?" – "From Ronda." – "To Nerja.")."""
    text = task.text
    for before in task.earlier[:LONGEST_ASKING]:
        text = f"{before.rstrip('?!. ')} {text}"
        if _asks_alone(before, task, tools):
            break
    return text


def _asks_alone(text: str, task: Task, tools: list[Profile]) -> bool:
    """Return whether a message asks for something without what was said before it: a bare fact does not."""
    clause = read_clause(text, task.language, task.today)
    return not clause.bare and any(row.chosen for row in score(clause, tools))


def _without_copies(steps: list[Step]) -> list[Step]:
    """Join a step to the one before it of the same tool where one lacks an argument, or it says no more: "My
    e-mail is …" after the question."""
    kept: list[Step] = []
    for step in steps:
        place = next((at for at, one in reversed([*enumerate(kept)]) if one.name == step.name), None)
        before = None if place is None else kept[place].filled
        said = step.filled.arguments
        if before and (
            before.missing or step.filled.missing or {**before.arguments, **said} == before.arguments
        ):
            more = {name: value for name, value in said.items() if name not in before.arguments}
            kept[place] = replace(kept[place], filled=given(before, more))
        else:
            kept.append(step)
    return kept
