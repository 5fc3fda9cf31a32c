"""Parts of a message that only tell something, beside one that asks for an action."""

from __future__ import annotations

import re
from dataclasses import replace

from .asking import WANTS_A_THING, begins_anew
from .clauses import Part
from .filling import Scope, fill
from .language import one_of
from .parameters import properties_of
from .phrases import is_courtesy
from .profiles import Profile
from .request import Score
from .shape import resolve
from .task import Task
from .wants import is_free_text

# A part that tells something: it begins with who does it, and that is not "I want", "I need" and the like.
_TELLS = re.compile(
    r"^\W*"
    + one_of(
        r"(?:my|our|it|it's|its|this|that|he|she|they|nobody|no one|somebody|someone|everybody|we"
        r"|i've|i was)\b",
        "i (?!want|need|would|'d|am looking|must|have to|wish|wonder|like)",
        r"(?:mis?|nuestr[oa]s?|nadie|alguien|est[oae]|se|me|nos|ya)\b(?! gustar[ií]a| puedes?| d[ai])",
    ),
    re.IGNORECASE,
)
# "I want my money back", "Order 1036 came": what looks like the verb of a request is a thing.
_THING = re.compile(
    r"^\W*(?:\w+ #?\d|(?:the|an?|my|our|this|el|la|los|las|una?|mis?|est[aeo]s?)\s+\w+)", re.IGNORECASE
)


def without_background(
    scored: list[tuple[Part, list[Score]]], offered: list[Profile], task: Task
) -> list[tuple[Part, list[Score]]]:
    """Where one part plainly asks for an action, the parts that only tell something ask for nothing.

    "My room is cold and nobody comes. Please send a report": what is told belongs to the report.
    """
    acting = {one.spec.name: one for one in offered if one.acts}
    asked = [
        (part, acting[row.tool])
        for part, rows in scored
        for row in rows
        if row.chosen
        and row.tool in acting
        and begins_anew(part.text, task.tongue)
        and not _TELLS.match(part.text)
        and not WANTS_A_THING.match(part.text)
    ]
    # "Please open a ticket." says nothing of its own: what is wanted besides is then what the ticket says.
    bare = any(_says_nothing_itself(part, profile, task) for part, profile in asked)

    def is_told(part: Part) -> bool:
        if any(part is other for other, _ in asked):
            return False
        a_thing = WANTS_A_THING.match(part.text) or _THING.match(part.text)
        told = a_thing or not begins_anew(part.text, task.tongue)
        return bool(_TELLS.match(part.text) or (bare and told and not is_courtesy(part.text)))

    return [
        (
            part,
            [replace(row, chosen=False) for row in rows]
            if asked and not part.question and is_told(part)
            else rows,
        )
        for part, rows in scored
    ]


def _says_nothing_itself(part: Part, profile: Profile, task: Task) -> bool:
    """Whether a part only asks for an action, and says nothing of the words that the action passes on."""
    schema = resolve(profile.spec.schema, profile.spec.schema)
    properties = properties_of(profile.spec.schema)
    others = {name: one for name, one in properties.items() if not is_free_text(name, one)}
    required = schema.get("required") or []
    known = [name for name in required if name in others]
    if len(known) == len(required):
        return False
    scope = Scope(part.text, task.tongue, task.today, topics=profile.topics)
    return fill({**schema, "properties": others, "required": known}, scope).alone
