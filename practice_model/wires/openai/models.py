"""OpenAI model ids: which exist, which are retired, and what each family refuses.

Ids are matched by family, so that a dated id works too. Which ids are retired is a list, never decided by
the date: a lesson must not change its output overnight.
"""

from __future__ import annotations

import re

from .. import Refused, which_model

SLOPPY = "practice-sloppy"
"""The temperament that makes, on purpose, the mistakes that real models make rarely."""

SNAPSHOTS = {
    "gpt-6.2-astra": "",
    "gpt-6.2-sol": "",
    "gpt-6.1-sol": "",
    "gpt-6.1-terra": "",
    "gpt-6-astra": "",
    "gpt-6-sol": "",
    "gpt-6-luna": "",
    "gpt-5.6": "",
    "gpt-5.6-sol": "",
    "gpt-5.6-terra": "",
    "gpt-5.6-luna": "",
    "gpt-5.5": "2026-04-23",
    "gpt-5.4": "",
    "gpt-5.4-mini": "2026-03-17",
    "gpt-5.4-nano": "2026-03-17",
    "gpt-5.2": "2025-12-11",
    "gpt-5.2-pro": "2025-12-11",
    "gpt-5.1": "2025-11-13",
    "gpt-5": "2025-08-07",
    "gpt-5-mini": "2025-08-07",
    "gpt-5-nano": "2025-08-07",
    "o3": "2025-04-16",
    "gpt-4.1": "2025-04-14",
    "gpt-4.1-mini": "2025-04-14",
    "gpt-4o": "2024-08-06",
    "gpt-4o-mini": "2024-07-18",
    SLOPPY: "",
}
"""The ids that GET /v1/models shows, newest first, each with the date of the version it stands for."""

KNOWN = re.compile(
    rf"(gpt-(?P<version>4o|4\.1|5(?:\.[12456])?|6(?:\.\d)?)(-(mini|nano|pro|sol|terra|luna|astra))?|o3|{SLOPPY})"
    r"(?P<date>-\d{4}-\d{2}-\d{2})?"
)
RETIRED = re.compile(
    r"gpt-3\.5-.*|gpt-4(-.*)?|gpt-4\.1-nano(-.*)?|gpt-4o-2024-05-13|gpt-4o-.*(audio|search).*|chatgpt-4o-latest"
    r"|gpt-5(\.\d)?-(chat-latest|codex)|o1(-.*)?|o3-mini(-.*)?|o4-mini(-.*)?|codex-mini-latest"
    r"|text-davinci-.*|davinci.*|gpt-3.*"
)
_RESPONSES_ONLY = re.compile(r".*-pro(-\d{4}-\d{2}-\d{2})?")


def check(model: str) -> None:
    """Refuse an id that does not exist or no longer does, as the real service does: 404."""
    if RETIRED.fullmatch(model):
        message = (
            f"The model `{model[:200]}` has been deprecated, learn more here: "
            "https://platform.openai.com/docs/deprecations (a current one is gpt-5.4-mini)"
        )
    elif KNOWN.fullmatch(model) and model.split("-20")[0] in SNAPSHOTS:
        return
    else:
        hint = which_model(model, SNAPSHOTS)
        message = f"The model `{model[:200]}` does not exist or you do not have access to it. ({hint})"
    raise Refused(404, "invalid_request_error", message, {"code": "model_not_found"})


def version(model: str) -> tuple[int, int]:
    """(5, 4) for gpt-5.4-mini; (4, 0) for gpt-4o; the practice model's own ids count as gpt-4.1 does."""
    match = KNOWN.fullmatch(model)
    if not match or not match["version"]:
        return (5, 0) if model.startswith("o") else (4, 1)
    major, _, minor = match["version"].replace("o", "").partition(".")
    return int(major), int(minor or 0)


def resolved(model: str) -> str:
    """The dated id that an answer names: gpt-4o is gpt-4o-2024-08-06."""
    date = SNAPSHOTS.get(model)
    return f"{model}-{date}" if date else model


def efforts(model: str) -> tuple[str, ...]:
    """The reasoning efforts that the model takes; none at all for a model that does not reason."""
    if model.startswith("o"):
        return ("low", "medium", "high")
    generation = version(model)
    if generation < (5, 0):
        return ()
    if generation == (5, 0):
        return ("minimal", "low", "medium", "high")
    if generation == (5, 1):
        return ("none", "low", "medium", "high")
    return ("none", "low", "medium", "high", "xhigh", *(["max"] if generation >= (6, 0) else []))


def default_effort(model: str) -> str | None:
    """The effort where the request names none."""
    if not efforts(model):
        return None
    return "none" if (5, 1) <= version(model) <= (5, 4) else "medium"


def reasons(model: str, effort: str | None) -> bool:
    """Whether the model reasons before it answers, at this effort."""
    return (effort or default_effort(model) or "none") != "none"


def takes_sampling(model: str, effort: str | None) -> bool:
    """Whether temperature, top_p and the like may be set."""
    return version(model) <= (5, 4) and not reasons(model, effort)


def max_output(model: str) -> int:
    """The most tokens that an answer may have."""
    if model.startswith("o"):
        return 100_000
    if version(model) == (4, 0):
        return 16_384
    return 32_768 if version(model) == (4, 1) else 128_000


def tools_in_chat_need_no_effort(model: str, effort: str | None) -> bool:
    """Whether Chat Completions refuses tools at this effort."""
    generation = version(model)
    if generation >= (5, 6):
        return effort != "none"
    return generation >= (5, 4) and (effort or "none") != "none"


def only_in_responses(model: str) -> bool:
    """Whether Chat Completions does not have the model."""
    return bool(_RESPONSES_ONLY.fullmatch(model))


def describe(model: str) -> dict[str, object]:
    """The model as GET /v1/models/{id} shows it."""
    owner = "practice" if model == SLOPPY else "system"
    return {"id": model, "object": "model", "created": 1_700_000_000, "owned_by": owner}
