"""The services themselves: addresses, environment variables, keys, ids of models, and limits of a request.

From the vendors' API references and from what their SDKs read from the environment (2026-11).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SLOPPY = "practice-sloppy"
"""A model on the practice model only: makes, on purpose, the mistakes that real models make rarely."""


@dataclass(frozen=True)
class Service:
    """A service, the names its key may stand under, and what finds or moves its address."""

    id: str
    label: str
    host: str
    key_names: tuple[str, ...]
    """Variables that hold a key, the usual one first."""
    base_urls: tuple[str, ...]
    """Variables that move the address, the SDK's own first."""
    model_ids: re.Pattern[str]
    """How the ids of its models begin."""
    key_starts: tuple[str, ...]
    """How its keys begin, as far as that tells them from those of the others."""
    other_key_starts: tuple[str, ...] = ()
    """How keys begin that it issues for other things than asking a model."""
    other_variables: tuple[str, ...] = ()
    """Further variables by which the SDK finds a key."""
    path: str = ""
    """What a base URL has after the host."""

    @property
    def address(self) -> str:
        """The base URL that the SDK takes where nobody says another."""
        return self.host + self.path

    @property
    def variables(self) -> tuple[str, ...]:
        """Where the SDK looks for the address and for a key."""
        return (self.base_urls[0], *self.key_names, *self.other_variables)


ANTHROPIC = Service(
    "anthropic",
    "Anthropic",
    "https://api.anthropic.com",
    ("ANTHROPIC_API_KEY",),
    ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"),
    re.compile("claude-"),
    ("sk-ant-",),
    ("sk-ant-admin", "sk-ant-oat"),
    ("ANTHROPIC_AUTH_TOKEN",),
)
OPENAI = Service(
    "openai",
    "OpenAI",
    "https://api.openai.com",
    ("OPENAI_API_KEY",),
    ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    re.compile(r"gpt-|chatgpt-|o\d"),
    ("sk-proj-", "sk-svcacct-"),
    ("sk-admin-",),
    path="/v1",
)
GEMINI = Service(
    "gemini",
    "Gemini",
    "https://generativelanguage.googleapis.com",
    ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ("GOOGLE_GEMINI_BASE_URL",),
    re.compile("(models/)?gemini-"),
    ("AIza",),
)
SERVICES = (ANTHROPIC, OPENAI, GEMINI)

# The limits of a request; those on strict tools are in strict.py, those on tokens in models.py.
OPENAI_MAX_TOOLS = 128
OPENAI_MAX_STOP_SEQUENCES = 4
GEMINI_MAX_STOP_SEQUENCES = 5
