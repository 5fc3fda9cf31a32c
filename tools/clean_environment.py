"""An environment without what a shell may say about the course or a provider.

Tests, transcript and stored outputs must be the same for everybody: an author's own key, model, address or
tracing switch is no part of the course. Everything that runs the course for them starts from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# Whole families, not a list of names: the SDKs read more variables with each release.
_FAMILIES = re.compile(
    r"(?:COURSE|ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|GOOGLE|GEMINI|LANGCHAIN|LANGSMITH)_.*|.*_API_KEY",
    re.IGNORECASE,
)


def clean(environ: Mapping[str, str], keep: Iterable[str] = ()) -> dict[str, str]:
    """Return a copy without the course's and the providers' variables; those of `keep` stay."""
    kept = set(keep)
    return {name: value for name, value in environ.items() if name in kept or not _FAMILIES.fullmatch(name)}
