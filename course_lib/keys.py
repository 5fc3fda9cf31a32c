"""Where a learner's API keys come from: the environment, a .env file, Colab Secrets, in this order.

Nothing here asks the learner (a notebook that runs unattended could not answer), and nothing shows
a key, not even its end. What went wrong on the way is kept as sentences for whoever has no key.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from . import secrets_colab
from .dotenv_file import DotEnv, read_dotenv
from .errors import BadKey, SetupError
from .say import say

__all__ = ["PROVIDERS", "Key", "Provider", "Search", "clean", "search"]

DUMMY = "practice"


@dataclass(frozen=True)
class Provider:
    """A service, the names its key may stand under, and what else finds or moves its address."""

    id: str
    label: str
    key_names: tuple[str, ...]
    base_urls: tuple[str, ...]
    default_url: str


PROVIDERS = (
    Provider(
        "anthropic",
        "Anthropic",
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"),
        "https://api.anthropic.com",
    ),
    Provider(
        "openai",
        "OpenAI",
        ("OPENAI_API_KEY",),
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        "https://api.openai.com/v1",
    ),
    Provider(
        "gemini",
        "Gemini",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("GOOGLE_GEMINI_BASE_URL",),
        "https://generativelanguage.googleapis.com",
    ),
)


@dataclass(frozen=True)
class Key:
    """A provider's key, where it was found (environment, dotenv or colab), and the address it is for."""

    provider: Provider
    name: str
    value: str = field(repr=False)
    where: str
    base_url: str


@dataclass
class Search:
    """What a search found: keys by provider id, and a sentence for each thing that was wrong on the way."""

    keys: dict[str, Key] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    dotenv: DotEnv = field(default_factory=DotEnv)

    def note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def search(environ: Mapping[str, str], folder: Path | None = None, *, colab: bool = True) -> Search:
    """Look for every provider's key in `environ`, then in a .env file from `folder` upward, then in Colab.

    `folder` is the current one by default: a notebook's kernel runs in the notebook's folder.

    Raises SetupError for a provider's address that is none.
    """
    found = Search(dotenv=read_dotenv(folder or Path.cwd()))
    answers: dict[str, str] = {}  # secret -> why Colab did not give it
    for provider in PROVIDERS:
        address = _address(provider, "environment", environ)
        key = _first(provider, "environment", environ, address, found)
        if key is None:
            # A gateway's key in .env must not go to the provider itself, so an address beside it counts.
            in_file = found.dotenv.values
            key = _first(provider, "dotenv", in_file, _address(provider, "dotenv", in_file) or address, found)
        if key is None and colab:
            key = _from_colab(provider, address, found, answers)
        if key is not None:
            found.keys[provider.id] = key
    if found.dotenv.path and found.dotenv.problem:
        found.note(found.dotenv.problem)
    _note_unread(found)
    if not found.keys:
        _note_absence(answers, found)
        for where, names in (("environment", environ), ("dotenv", found.dotenv.values)):
            _note_near_misses(where, names, found)
    return found


def _address(provider: Provider, where: str, values: Mapping[str, str | None]) -> str:
    """Return the learner's own address for a provider, or ""; raise SetupError if it can be none."""
    if any(values.get(name) == DUMMY for name in provider.key_names):
        return ""  # both are left over from practice mode, e.g. in a process started from a notebook
    for name in provider.base_urls:
        url = (values.get(name) or "").strip()
        if url and not _is_address(url):
            # Not the text itself: an address may hold a password, and a key may stand here by mistake.
            place = say(f"keys.in_{where}")
            raise SetupError(say("keys.bad_address", name=name, place=place, example=provider.default_url))
        if url:
            return url
    return ""


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)


def _first(
    provider: Provider, where: str, values: Mapping[str, str | None], address: str, found: Search
) -> Key | None:
    """Return the provider's key if `values` has a usable one; note why not if there is one that is not."""
    for name in provider.key_names:
        if name not in values:
            continue
        place = say(f"keys.in_{where}")
        try:
            value = clean(values[name])
            if value == DUMMY:
                continue
            if value is None:
                found.note(say("keys.empty", name=name, place=place))
                continue
            _check_owner(provider, value, own_address=bool(address))
        except BadKey as error:
            found.note(say("keys.unusable", name=name, place=place, reason=str(error)))
            continue
        return Key(provider, name, value, where, address or provider.default_url)
    return None


def _from_colab(provider: Provider, address: str, found: Search, answers: dict[str, str]) -> Key | None:
    for name in provider.key_names:
        answer = secrets_colab.ask(name)
        answers[name] = answer.reason
        if answer.reason == "no_access":
            found.note(say("keys.colab_no_access", name=name))
        if answer.value is not None:
            key = _first(provider, "colab", {name: answer.value}, address, found)
            if key is not None:
                return key
    return None


def _note_absence(answers: dict[str, str], found: Search) -> None:
    """Note what is a problem only for somebody who has no key at all."""
    if found.dotenv.path is None and found.dotenv.problem:
        found.note(found.dotenv.problem)
    missing = [name for name, reason in answers.items() if reason == "missing"]
    if missing:
        found.note(say("keys.colab_missing", names=", ".join(missing)))
    for reason in ("timeout", "unavailable"):
        if reason in answers.values():
            found.note(say(f"keys.colab_{reason}"))


# --- one pasted text -> a key ---------------------------------------------------------------------

_QUOTES = "\"'`´‘’‚‛“”„‟‹›«»＂＇"
_ASSIGNMENT = re.compile(r"(?:export\s+|setx?\s+|\$env:)?[a-z][a-z0-9_]*(?:key|token)\s*[=:]\s*", re.I)
_HEADER = re.compile(r"Bearer\s+", re.I)
_PLACEHOLDER = re.compile(
    r"^<.*>$|\.\.\.|…|your[-_ ]?(?:\w+[-_ ])?(?:api[-_ ]?)?key|^(?:sk-)?(?:ant-)?x{3,}$", re.I
)


def clean(pasted: str | None) -> str | None:
    """Return a pasted key without what pasting adds: blanks, quotes, line breaks, invisible characters.

    A whole pasted line such as `export OPENAI_API_KEY="…"` gives its value. Nothing left gives None.
    Raises BadKey, without showing the text, if what is left cannot be a key.
    """
    text = "".join(c for c in pasted or "" if unicodedata.category(c) != "Cf")
    while True:
        before = text
        text = text.strip().strip(_QUOTES).rstrip(",;").strip()
        for prefix in (_ASSIGNMENT, _HEADER):
            match = prefix.match(text)
            if match:
                text = text[match.end() :]
        if text == before:
            break
    if not text:
        return None
    if _PLACEHOLDER.search(text):
        raise BadKey(say("keys.placeholder"))
    if re.search(r"\s", text):
        raise BadKey(say("keys.inner_space"))
    if not text.isascii() or not text.isprintable():
        raise BadKey(say("keys.not_ascii"))
    return text


def _check_owner(provider: Provider, value: str, *, own_address: bool) -> None:
    """Raise BadKey if the key plainly belongs to another provider, or is of a kind that cannot send messages.

    With an address of the learner's own (a gateway) any key may be right.
    """
    if own_address:
        return
    if value.startswith(("sk-ant-admin", "sk-admin-", "sk-ant-oat")):
        raise BadKey(say("keys.wrong_kind"))
    marks = {"sk-ant-": "Anthropic", "sk-proj-": "OpenAI", "sk-svcacct-": "OpenAI", "AIza": "Gemini"}
    for start, owner in marks.items():
        if value.startswith(start) and owner != provider.label:
            raise BadKey(say("keys.wrong_provider", looks_like=owner, wanted=provider.label))


# --- names that were nearly right -----------------------------------------------------------------


def _note_near_misses(where: str, names: Mapping[str, str | None], found: Search) -> None:
    wanted = {_squash(name): name for provider in PROVIDERS for name in provider.key_names}
    for name in names:
        if name in wanted.values() or not name.upper().endswith(("KEY", "KEYS", "TOKEN", "API")):
            continue
        near = get_close_matches(_squash(name), wanted, n=1, cutoff=0.88)
        if near:
            found.note(say("keys.misspelt", name=name, right=wanted[near[0]], place=say(f"keys.in_{where}")))


def _note_unread(found: Search) -> None:
    """Note each line of .env that is not read and seems to hold a key that is missing."""
    for number, line in found.dotenv.unread.items():
        for provider in PROVIDERS:
            name = next((name for name in provider.key_names if name in line.upper()), None)
            if name and provider.id not in found.keys:
                found.note(say("keys.dotenv_line", line=number, name=name))


def _squash(name: str) -> str:
    """Return a name without what people vary: case, underscores, "API", the plural."""
    return re.sub(r"[^A-Z]|API", "", name.upper()).replace("CLAUDE", "ANTHROPIC").removesuffix("S")
