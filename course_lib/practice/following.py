"""What a message leaves unsaid because it was found before: "When will it arrive?"."""

from __future__ import annotations

import re

from .asking import leans
from .phrasing import about, asked_for
from .questions import named_key
from .reading import read
from .task import Task, parse

_BACK = {
    "en": re.compile(
        r"\b(?:it|its|they|them|their|this|that|these|those|he|him|his|she|her)\b", re.IGNORECASE
    ),
    "es": re.compile(  # not "la", "los", "las": they are articles most of the time
        r"\b(?:eso|esto|[eé]s[ae]|[eé]st[ae]|lo|sus?|suy[oa]s?|[eé]l|ell[oa]s?)\b", re.IGNORECASE
    ),
}
_TO_US = re.compile(
    r"\b(?:you|your|t[uú]s?|usted\w*|vuestr\w+|puedes|podr[ií]as?|pod[eé]is)\b", re.IGNORECASE
)
_AND = re.compile(r"^\W*(?:and|but|so|y|pero)\b\W*", re.IGNORECASE)


def refers_back(text: str, tongue: str) -> bool:
    """Whether a message speaks of something that it does not name: "is it there?", "¿y cuándo llega?"."""
    return bool(_BACK[tongue].search(text)) or leans(_AND.sub("", text), tongue)


def recall(task: Task) -> str | None:
    """The answer to a question about what an earlier call found, the latest first; None where none did."""
    if "?" not in task.text or _TO_US.search(task.text) or not refers_back(task.text, task.tongue):
        return None
    if read(task.text, task.today, task.tongue):  # "is it 4 kg?", "is it in Lima?": that asks something else
        return None
    for one in task.found:
        value = parse(one.result.content) if one.result and not one.result.is_error else None
        if isinstance(value, dict) and named_key(value, one.call, task.text, task.tongue):
            if said := asked_for(value, one, task):
                return said.format(where=about(one, task.tongue))
    return None
