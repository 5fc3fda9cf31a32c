"""Model ids: which exist, which are retired, and what each family accepts.

Ids are matched by family, so that a dated id or the next minor version works too. Which ids are retired is a
list, never decided by the date: a lesson must not change its output overnight.

Read from the vendors' pages on models and on deprecations (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .services import SLOPPY


def _first(model: str, families: Sequence[Any]) -> Any:
    return next((family for family in families if re.fullmatch(family.ids, model)), None)


# Anthropic ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claude:
    """What the Claude models of a family accept."""

    ids: str
    """A pattern that the whole id fits."""
    max_output: int
    max_input: int = 1_000_000
    takes_prefill: bool = False
    """Whether the conversation may end with the beginning of an assistant message."""
    takes_system_messages: bool = False
    """Whether a message in the middle of the conversation may have the role "system"."""
    takes_forced_tools: bool = True
    """Whether tool_choice may be "any" or "tool"."""
    thinking: tuple[str, ...] = ("adaptive", "disabled")
    """What thinking.type may be; "enabled" is the one with a budget."""
    thinks_unasked: bool = True
    """Whether it thinks, as much as it sees fit, where the request has no `thinking`."""
    shows_thinking: bool = False
    """Whether the text of thoughts comes where thinking.display is not set: what it is by default."""
    effort_needs_thinking: bool = False
    """Whether the efforts "xhigh" and "max" are refused with thinking turned off."""


CLAUDE_LISTED = (
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

CLAUDE_RETIRED = re.compile(r"claude-(1|2|3|instant|v1|v2)\b.*|claude-mythos-preview")

_CLAUDE = r"claude-(haiku|sonnet|opus|fable|mythos)"
_DATED = r"(-\d{8})?"
# On thinking: Anthropic's page "Troubleshooting thinking" (2026-08), its pages on what is new in Opus 5.5,
# Sonnet 5.5 and Haiku 5.5 (2026-10), and the profiles of pydantic-ai 2.68, which say what was tried on
# the service. Assumed, not read: that Mythos 5.2 is as Fable 5.2, and what the models to come take.
_WITH_BUDGET = {"thinking": ("enabled", "disabled"), "thinks_unasked": False, "shows_thinking": True}
_ALWAYS_THINKS = {"thinking": ("adaptive",), "takes_system_messages": True}
CLAUDE_FAMILIES = (
    Claude(rf"claude-opus-4(-[0-4])?{_DATED}", 32_000, 200_000, takes_prefill=True, **_WITH_BUDGET),
    Claude(rf"{_CLAUDE}-4(-[0-5])?{_DATED}", 64_000, 200_000, takes_prefill=True, **_WITH_BUDGET),
    Claude(
        rf"{_CLAUDE}-4-6{_DATED}",
        128_000,
        thinking=("adaptive", "enabled", "disabled"),
        thinks_unasked=False,
        shows_thinking=True,
    ),
    Claude(rf"{_CLAUDE}-4-7{_DATED}", 128_000, thinks_unasked=False),
    Claude(rf"{_CLAUDE}-4-[89]{_DATED}", 128_000, takes_system_messages=True, thinks_unasked=False),
    Claude(
        rf"claude-((fable|mythos)-5-[12]|opus-5-5){_DATED}",
        128_000,
        takes_forced_tools=False,
        **_ALWAYS_THINKS,
    ),
    Claude(rf"claude-(fable|mythos)-5{_DATED}", 128_000, **_ALWAYS_THINKS),
    Claude(
        rf"claude-sonnet-5-5{_DATED}",
        128_000,
        takes_system_messages=True,
        takes_forced_tools=False,
        thinking=("adaptive", "between_tools"),
        effort_needs_thinking=True,
    ),
    Claude(
        rf"claude-(opus-5|haiku-5-5){_DATED}|{SLOPPY}",
        128_000,
        takes_system_messages=True,
        effort_needs_thinking=True,
    ),
    Claude(rf"{_CLAUDE}-[5-9](-\d)?{_DATED}", 128_000, takes_system_messages=True),
)


def claude(model: str) -> Claude | None:
    """Return the family of a Claude id, or None if there is no such model."""
    return _first(model, CLAUDE_FAMILIES)


# OpenAI -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GPT:
    """What the OpenAI models of a family accept."""

    ids: str
    """A pattern that the whole id fits, without its date."""
    max_output: int = 128_000
    efforts: tuple[str, ...] = ()
    """The reasoning efforts; none at all for a model that does not reason."""
    default_effort: str | None = None
    takes_max_tokens: bool = False
    """Whether Chat Completions takes `max_tokens`, and not `max_completion_tokens` only."""
    takes_sampling: bool = True
    """Whether temperature, top_p and the like may be set where the model does not reason."""
    efforts_with_tools: tuple[str | None, ...] | None = None
    """The efforts at which Chat Completions takes tools (None in it: no effort is given); None: any."""
    in_chat: bool = True
    """Whether Chat Completions has the model."""


GPT_SNAPSHOTS = {
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

GPT_RETIRED = re.compile(
    r"gpt-3\.5-.*|gpt-4(-.*)?|gpt-4\.1-nano(-.*)?|gpt-4o-2024-05-13|gpt-4o-.*(audio|search).*|chatgpt-4o-latest"
    r"|gpt-5(\.\d)?-(chat-latest|codex)|o1(-.*)?|o3-mini(-.*)?|o4-mini(-.*)?|codex-mini-latest"
    r"|text-davinci-.*|davinci.*|gpt-3.*"
)

_BASIC = ("low", "medium", "high")
_NONE_TO_HIGH = ("none", *_BASIC)
_NONE_TO_XHIGH = (*_NONE_TO_HIGH, "xhigh")
_UNLESS_IT_REASONS = (None, "none")
GPT_FAMILIES = (
    GPT(r"gpt-4o(-mini)?", 16_384, takes_max_tokens=True),
    GPT(rf"gpt-4\.1(-mini)?|{SLOPPY}", 32_768, takes_max_tokens=True),
    GPT(r"o3", 100_000, _BASIC, "medium"),
    GPT(r"gpt-5(-\w+)?", efforts=("minimal", *_BASIC), default_effort="medium"),
    GPT(r"gpt-5\.1(-\w+)?", efforts=_NONE_TO_HIGH, default_effort="none"),
    GPT(r"gpt-5\.2-pro", efforts=_NONE_TO_XHIGH, default_effort="none", in_chat=False),
    GPT(r"gpt-5\.2", efforts=_NONE_TO_XHIGH, default_effort="none"),
    GPT(
        r"gpt-5\.4(-\w+)?",
        efforts=_NONE_TO_XHIGH,
        default_effort="none",
        efforts_with_tools=_UNLESS_IT_REASONS,
    ),
    GPT(
        r"gpt-5\.5(-\w+)?",
        efforts=_NONE_TO_XHIGH,
        default_effort="medium",
        takes_sampling=False,
        efforts_with_tools=_UNLESS_IT_REASONS,
    ),
    GPT(
        r"gpt-5\.6(-\w+)?",
        efforts=_NONE_TO_XHIGH,
        default_effort="medium",
        takes_sampling=False,
        efforts_with_tools=("none",),
    ),
    GPT(
        r"gpt-6(\.\d)?(-\w+)?",
        efforts=(*_NONE_TO_XHIGH, "max"),
        default_effort="medium",
        takes_sampling=False,
        efforts_with_tools=("none",),
    ),
)


def gpt(model: str) -> GPT | None:
    """Return the family of an OpenAI id, or None if there is no such model."""
    undated = re.sub(r"-20\d\d-\d\d-\d\d$", "", model)
    return _first(undated, GPT_FAMILIES) if undated in GPT_SNAPSHOTS else None


# Gemini -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gemini:
    """What the Gemini models of a family accept."""

    ids: str
    """A pattern that the whole id fits."""
    max_output: int = 65_536
    thinks: bool = True
    """Whether the model can think before it answers."""
    is_3_or_newer: bool = True
    """Whether it has what came with Gemini 3: calls have ids, and thought signatures that must come back;
    thinking has levels; functions go together with built-in tools and with an answer in JSON."""
    takes_model_turn_at_the_end: bool = False
    """Whether the conversation may end with the beginning of the model's answer."""


GEMINI_LISTED = (
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

GEMINI_RETIRED = re.compile(
    r"(?!.*-latest$)gemini-(1\.0|1\.5|pro|ultra)(-.*)?"
    r"|gemini-2\.0-(flash|flash-lite|pro)-(exp|preview|thinking).*"
    r"|gemini-2\.5-(flash|flash-lite|pro)-(exp|preview).*"
    r"|gemini-3-pro-preview|gemini-3\.1-flash-lite-preview"
)
"""To be asked first: some of these ids look like those of a family."""

_LINE = r"-(flash|flash-lite|pro|argon)"
_VERSION = r"(-preview)?(-\d{2}-\d{2,4}|-00\d)?"
GEMINI_FAMILIES = (
    Gemini(
        rf"gemini-2(\.[0-4])?{_LINE}{_VERSION}",
        8_192,
        thinks=False,
        is_3_or_newer=False,
        takes_model_turn_at_the_end=True,
    ),
    Gemini(
        rf"gemini-2\.[5-9]{_LINE}{_VERSION}",
        is_3_or_newer=False,
        takes_model_turn_at_the_end=True,
    ),
    Gemini(rf"gemini-3\.5-flash-lite{_VERSION}"),
    Gemini(rf"gemini-3(\.[0-5])?{_LINE}{_VERSION}", takes_model_turn_at_the_end=True),
    Gemini(rf"gemini-(3\.[6-9]|[45](\.\d)?){_LINE}{_VERSION}|gemini-(flash|flash-lite|pro)-latest|{SLOPPY}"),
)

THINKING_BUDGETS = {"pro": (128, 32_768), "flash-lite": (512, 24_576), "flash": (1, 24_576)}
"""The least and the most tokens for thinking, by line. All but "pro" take 0 as well: no thinking."""


def gemini(model: str) -> Gemini | None:
    """Return the family of a Gemini id, or None if there is no such model."""
    return _first(model, GEMINI_FAMILIES)
