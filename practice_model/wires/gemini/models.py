"""Gemini model ids: which exist, which are retired, and what each family refuses.

Ids are matched by family, so that a preview id or the next minor version works too. Which ids are retired is
a list, never decided by the date: a lesson must not change its output overnight.
"""

from __future__ import annotations

import difflib
import re

from .. import Refused

SLOPPY = "practice-sloppy"
"""The temperament that makes, on purpose, the mistakes that real models make rarely."""

LISTED = (
    "gemini-3.8-flash",
    "gemini-3.7-flash",
    "gemini-3.6-flash",
    "gemini-3.5-flash-lite",
    "gemini-3.5-flash",
    "gemini-3.1-flash-lite",
    "gemini-3.1-pro-preview",
    "gemini-3-flash-preview",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-flash-latest",
    "gemini-flash-lite-latest",
    "gemini-pro-latest",
    SLOPPY,
)
"""What GET /v1beta/models shows, newest first."""

KNOWN = re.compile(
    r"gemini-(?P<major>[2-5])(\.(?P<minor>\d))?-(?P<line>flash|flash-lite|pro|argon)"
    r"(-preview)?(-\d{2}-\d{2,4}|-00\d)?"
    rf"|gemini-(flash|flash-lite|pro)-latest|{SLOPPY}"
)
RETIRED = re.compile(
    r"gemini-(1\.0|1\.5|pro|ultra)(-.*)?"
    r"|gemini-2\.0-(flash|flash-lite|pro)-(exp|preview|thinking).*"
    r"|gemini-2\.5-(flash|flash-lite|pro)-(exp|preview).*"
    r"|gemini-3-pro-preview|gemini-3\.1-flash-lite-preview"
)
NEWEST = (9, 9)
"""The generation of ids that name none: aliases, and the practice model's own."""


def check(model: str, version: str, method: str) -> None:
    """Refuse an id that does not exist or no longer does, as the real service does: 404."""
    if RETIRED.fullmatch(model) and model not in LISTED and not model.endswith("-latest"):
        raise Refused(
            404,
            "NOT_FOUND",
            f"This model models/{model[:200]} is no longer available. Please update your code to use a newer "
            "model for the latest features and improvements.",
        )
    if KNOWN.fullmatch(model):
        return
    near = difflib.get_close_matches(model, LISTED, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise Refused(
        404,
        "NOT_FOUND",
        f"models/{model[:200]} is not found for API version {version}, or is not supported for {method}. "
        f"Call ListModels to see the list of available models and their supported methods.{hint}",
    )


def generation(model: str) -> tuple[int, int]:
    """(3, 5) for gemini-3.5-flash."""
    match = KNOWN.fullmatch(model)
    if not match or not match["major"]:
        return NEWEST
    return int(match["major"]), int(match["minor"] or 0)


def thinks(model: str) -> bool:
    """Whether the model can think before it answers."""
    return generation(model) >= (2, 5)


def must_think(model: str) -> bool:
    """Whether thinking cannot be turned off by a budget of 0."""
    return thinks(model) and "pro" in model


def requires_signatures(model: str) -> bool:
    """Whether a function call of the current turn must come back with its thought signature."""
    return generation(model) >= (3, 0)


def gives_call_ids(model: str) -> bool:
    return generation(model) >= (3, 0)


def takes_model_turn_at_the_end(model: str) -> bool:
    """Whether the conversation may end with the beginning of the model's answer."""
    return generation(model) < (3, 6) and not model.startswith("gemini-3.5-flash-lite")


def takes_json_with_functions(model: str) -> bool:
    """Whether functions and an answer in JSON may be asked for together."""
    return generation(model) >= (3, 0)


def max_output(model: str) -> int:
    return 65_536 if generation(model) >= (2, 5) else 8_192


def describe(model: str) -> dict[str, object]:
    """The model as GET /v1beta/models/{id} shows it."""
    words = " ".join(part.capitalize() for part in model.split("-"))
    return {
        "name": f"models/{model}",
        "version": "001",
        "displayName": words,
        "description": f"{words}, as the practice model plays it",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": max_output(model),
        "supportedGenerationMethods": ["generateContent", "countTokens"],
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "maxTemperature": 2,
        "thinking": thinks(model),
    }
