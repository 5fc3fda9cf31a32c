"""Claude model ids: which exist, which are retired, and what each family refuses.

Ids are matched by family, so that a dated id or the next minor version works too. Which ids are retired is a
list, never decided by the date: a lesson must not change its output overnight.
"""

from __future__ import annotations

import re

from .. import Refused, which_model

SLOPPY = "practice-sloppy"
"""The temperament that makes, on purpose, the mistakes that real models make rarely."""

LISTED = (
    "claude-fable-5-2",
    "claude-mythos-5-2",
    "claude-haiku-5-5",
    "claude-sonnet-5-5",
    "claude-opus-5-5",
    "claude-fable-5-1",
    "claude-mythos-5-1",
    "claude-sonnet-5",
    "claude-fable-5",
    "claude-mythos-5",
    "claude-opus-5",
    "claude-opus-4-8",
    "claude-opus-4-7",
    "claude-opus-4-6",
    "claude-sonnet-4-6",
    "claude-haiku-4-5",
    "claude-haiku-4-5-20251001",
    "claude-opus-4-5",
    "claude-opus-4-5-20251101",
    "claude-sonnet-4-5",
    "claude-sonnet-4-5-20250929",
    SLOPPY,
)
"""What GET /v1/models shows, newest first."""

DATE = r"(-\d{8})?"
KNOWN = re.compile(
    rf"claude-(haiku|sonnet|opus|fable|mythos)-(?P<major>[4-9])(-(?P<minor>\d))?{DATE}|{SLOPPY}"
)
RETIRED = re.compile(r"claude-(1|2|3|instant|v1|v2)\b.*|claude-mythos-preview")
REFUSES_FORCED_TOOLS = re.compile(rf"claude-((fable|mythos)-5-[12]|(opus|sonnet)-5-5){DATE}")


def check(model: str) -> None:
    """Refuse an id that does not exist or no longer does, as the real service does: 404."""
    if KNOWN.fullmatch(model):
        return
    if RETIRED.fullmatch(model):
        hint = "it is retired; use a current one, such as claude-haiku-5-5"
    else:
        hint = which_model(model, LISTED)
    raise Refused(404, "not_found_error", f"model: {model[:200]} ({hint})")


def generation(model: str) -> tuple[int, int]:
    """(5, 5) for claude-haiku-5-5; the practice model's own ids count as the newest."""
    match = KNOWN.fullmatch(model)
    if not match or not match["major"]:
        return (5, 5)
    return int(match["major"]), int(match["minor"] or 0)


def max_output(model: str) -> int:
    """The largest max_tokens that the model takes."""
    if "opus" in model and generation(model) < (4, 5):
        return 32_000
    return 64_000 if generation(model) < (4, 6) else 128_000


def refuses_forced_tools(model: str) -> bool:
    """Whether tool_choice "any" and "tool" are errors, as on the newest large models."""
    return bool(REFUSES_FORCED_TOOLS.fullmatch(model))


def takes_system_messages(model: str) -> bool:
    """Whether a message in the middle of the conversation may have the role "system"."""
    return generation(model) >= (4, 8)


def takes_prefill(model: str) -> bool:
    """Whether the conversation may end with the beginning of an assistant message."""
    return generation(model) < (4, 6)


def describe(model: str) -> dict[str, object]:
    """The model as GET /v1/models/{id} shows it."""
    line = model.split("-")[1] if model.startswith("claude-") else None
    parts = [part for part in model.split("-") if not re.fullmatch(r"\d{8}", part)]
    words = " ".join(part.capitalize() for part in parts if not part.isdigit())
    version = ".".join(part for part in parts if part.isdigit())
    return {
        "type": "model",
        "id": model,
        "display_name": f"{words} {version}".strip(),
        "created_at": "1970-01-01T00:00:00Z",  # the real service's value where the date is not known
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": line,
        "max_input_tokens": 200_000 if generation(model) < (4, 6) else 1_000_000,
        "max_tokens": max_output(model),
        "capabilities": None,
    }
