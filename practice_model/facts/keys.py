"""How API keys give themselves away: the shapes that services issue, for all that hides or refuses keys.

Three parts of the project use this list: the masking of texts that a model or a learner reads, the log of
exchanges, and the check that no notebook holds a key.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .services import ANTHROPIC, GEMINI, OPENAI

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
