"""Whether a message asks to speak with a person, and whether a tool brings one."""

from __future__ import annotations

import re

from .language import one_of

_SOMEBODY = one_of(
    "humans?", "persons?", "people", "someone", "somebody", "representatives?", "operators?", "advis[eo]rs?",
    "(?:human|live|real|support|(?:customer )?service) (?:agents?|team|staff)",
    "your (?:team|staff|boss|manager)", "a manager", "a colleague", "an agent",
    "personas?", "humanos?", "alguien", "operador(?:a|es)?", "asesor(?:a|es)?",
    "una? (?:agente|encargad[oa]|responsable|compañer[oa])",
    "(?:vuestro|su) (?:equipo|encargado|responsable)",
)  # fmt: skip
_REACH = one_of(
    "talk", "speak", "chat", "connect", "put", "hand", "transfer", "pass", "escalate", "forward", "get",
    "call", "reach", "contact", "need", "want", "prefer",
    "habl(?:ar|e)", "conversar", r"p[aá]s[ae]\w*", r"comun[ií]c\w+", r"con[eé]ct\w+", r"deriv\w+",
    r"transf[ei]\w+", "contactar", "quiero", "necesito", "prefiero",
)  # fmt: skip
_WANTS = re.compile(
    rf"\b{_REACH}\b(?:\W+\w+){{0,4}}?\W+{_SOMEBODY}\b(?!'s)"
    r"|^\W*(?:an? |una? )?(?:human|agent|operator|humano|agente|operador)\b\W*(?:please|por favor|$)",
    re.IGNORECASE,
)
_BRINGS = re.compile(
    r"\b"
    + one_of(
        r"transfer\w*", "hand(?:s|ing)?", r"escalat\w*", "takes? (?:it )?over", r"connect\w*", r"forward\w*",
        "pass(?:es)?", r"deriva\w*", r"transfier\w*", r"pasa\w*", r"traspas\w*",
    )
    + r"\b[^.\n]{0,80}\b"
    + one_of(
        "humans?", "persons?", "people", "colleagues?", "operators?", "representatives?", "staff",
        "personas?", "humanos?", r"operador\w*", "agentes?",
    )
    + r"\b|\b(?:human|person|persona|humano)\b[^.\n]{0,20}\bto (?:take over|answer)",
    re.IGNORECASE,
)  # fmt: skip


def wants_a_person(text: str) -> bool:
    """Whether a message asks for somebody to speak with: "connect me with a human"."""
    return bool(_WANTS.search(text))


def brings_a_person(described: str) -> bool:
    """Whether a tool, by its name and description, hands the conversation to a person."""
    return bool(_BRINGS.search(described))
