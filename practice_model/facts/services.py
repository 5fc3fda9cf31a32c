"""The services: addresses, environment variables, ids of models, limits of a request, and the shapes of keys.

From the vendors' API references and from what their SDKs read from the environment (2026-11).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

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

# The limits of a request --------------------------------------------------------------------------

# Those on strict tools are in strict.py, those on tokens in models.py.
OPENAI_MAX_TOOLS = 128
OPENAI_MAX_STOP_SEQUENCES = 4
GEMINI_MAX_STOP_SEQUENCES = 5

# How API keys give themselves away ----------------------------------------------------------------

PRACTICE_KEY = "practice"
"""The key that lessons use for the practice model: no secret, and a word that may stand in any text."""


class KeyFamily(NamedTuple):
    """The keys of one service."""

    owner: str
    starts: tuple[str, ...]
    """How they begin, which is the same in all of them."""
    rest: str
    """A regular expression for what follows, which differs from key to key."""

    @property
    def start(self) -> str:
        """A regular expression for how they begin."""
        return f"(?:{'|'.join(map(re.escape, self.starts))})"


# Ordinary words may follow "sk-": a digit, or a long run without a hyphen, tells a key.
_AFTER_SK = r"(?=[\w-]{0,200}(?:[0-9]|\w{16}))[\w-]{8,}"

# As of 2026-11. A longer beginning stands before a shorter one that it starts with.
KEY_FAMILIES = (
    KeyFamily("Anthropic", ANTHROPIC.key_starts, _AFTER_SK),
    KeyFamily("OpenAI", (*OPENAI.key_starts, *OPENAI.other_key_starts, "sk-None-"), _AFTER_SK),
    KeyFamily("OpenRouter", ("sk-or-",), _AFTER_SK),
    KeyFamily("OpenAI or a similar service", ("sk-",), _AFTER_SK),
    KeyFamily("Stripe", ("sk_live_", "sk_test_"), r"\w{8,}"),
    KeyFamily("Google", (*GEMINI.key_starts, "AQ.", "ya29."), r"[\w-]{16,}"),
    KeyFamily("Groq", ("gsk_",), r"\w{16,}"),
    KeyFamily("Hugging Face", ("hf_",), r"\w{16,}"),
    KeyFamily("LangSmith", ("lsv2_pt_", "lsv2_sk_"), r"\w{16,}"),
    KeyFamily("xAI", ("xai-",), r"[\w-]{16,}"),
    KeyFamily("Perplexity", ("pplx-",), r"[\w-]{16,}"),
    KeyFamily("Replicate", ("r8_",), r"\w{16,}"),
    KeyFamily("GitHub", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), r"\w{16,}"),
    KeyFamily("GitLab", ("glpat-",), r"[\w-]{16,}"),
    KeyFamily("AWS", ("AKIA", "ASIA"), r"[0-9A-Z]{16,}"),
    KeyFamily("Slack", ("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"), r"[\w-]{10,}"),
    KeyFamily("npm", ("npm_",), r"\w{20,}"),
    KeyFamily("PyPI", ("pypi-",), r"[\w-]{20,}"),
    KeyFamily("SendGrid", ("SG.",), r"[\w-]{10,}\.[\w-]{10,}"),
    KeyFamily("a signed token (JWT)", ("eyJ",), r"[\w-]{8,500}\.[\w-]{8,}\.[\w-]*"),
)

ANY_KEY = re.compile(r"\b(?:" + "|".join(one.start + one.rest for one in KEY_FAMILIES) + ")")

KEY_IN_QUERY = re.compile(r"([?&](?:key|api_key|access_token)=)[^&\s]*", re.IGNORECASE)
"""A key of any form in an address: Gemini's REST examples put it there."""


def may_hold_a_key(text: str) -> bool:
    """Return whether a text has the beginning of a key somewhere: a fast look before the search."""
    return any(start in text for one in KEY_FAMILIES for start in one.starts)
