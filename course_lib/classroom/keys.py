"""A learner's API keys, from the environment, a .env file, or Colab's Secrets, in this order.

Nothing here asks the learner (a notebook that runs unattended could not answer), and nothing shows a key, not
even its end. What went wrong on the way is kept as sentences for whoever has no key.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from practice_model.facts.services import PRACTICE_KEY, SERVICES, Service

from ..errors import BadKey, SetupError
from ..messages import localized

# The .env file ----------------------------------------------------------------------------------------


@dataclass
class DotEnv:
    """A .env file: where it is, its values, what was wrong with it, and the lines that were not read."""

    path: Path | None = None
    values: dict[str, str | None] = field(default_factory=dict, repr=False)
    problem: str = ""
    unread: dict[int, str] = field(default_factory=dict, repr=False)


def read_dotenv(folder: Path) -> DotEnv:
    """Return the first .env file found in `folder` or above it; without one, an empty DotEnv."""
    path = _find(folder, (".env",))
    if path is None:
        # Notepad and Explorer like to add an ending that they then hide.
        twin = _find(folder, (".env.txt", "env.txt"))
        return DotEnv(problem=localized("keys.dotenv_txt", name=twin.name) if twin else "")
    try:
        from dotenv.parser import parse_stream

        text = decode(path.read_bytes())
    except ImportError:
        return DotEnv(path, problem=localized("keys.dotenv_missing_package"))
    except UnicodeDecodeError:
        return DotEnv(path, problem=localized("keys.dotenv_encoding"))
    except OSError as error:
        return DotEnv(path, problem=localized("keys.dotenv_unreadable", reason=type(error).__name__))
    # Parsed here and not by dotenv_values(), which prints that it cannot read a line and does not say so to
    # us; and nothing is interpolated: a key may hold a dollar sign.
    found = DotEnv(path)
    for binding in parse_stream(io.StringIO(text)):
        if binding.key is not None:
            found.values[binding.key] = binding.value
        if binding.error or (binding.key and not re.fullmatch(r"[A-Za-z_][\w.-]*", binding.key)):
            line = binding.original.string
            blank = line[: len(line) - len(line.lstrip())]
            found.unread[binding.original.line + blank.count("\n")] = line.strip()
    return found


def decode(raw: bytes) -> str:
    """Return the text of a file written as UTF-8 or UTF-16, with or without a byte order mark.

    Not left to python-dotenv: its older versions keep Notepad's byte order mark, which hides the first key,
    and none of them reads the UTF-16 that PowerShell's `>` writes.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16")
    if b"\x00" in raw[:200]:
        return raw.decode("utf-16-le" if raw[1:2] == b"\x00" else "utf-16-be")
    return raw.decode("utf-8-sig")


def _find(folder: Path, names: tuple[str, ...]) -> Path | None:
    for up in (folder, *folder.parents):
        for name in names:
            try:
                # A folder called .env is somebody's virtual environment.
                if (up / name).is_file():
                    return up / name
            except OSError:
                continue
    return None


# Colab's Secrets --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColabSecret:
    """A secret, or why there is none: missing, no_access, timeout, unavailable; outside Colab neither."""

    value: str | None = field(default=None, repr=False)
    reason: str = ""


_unavailable = ""  # the reason, once nobody answered


def in_colab() -> bool:
    """Return whether this is a Colab runtime (that `google.colab` can be imported is no proof)."""
    return sys.modules.get("google.colab") is not None or "COLAB_RELEASE_TAG" in os.environ


def colab_secret(name: str) -> ColabSecret:
    """Return Colab's secret `name`; never raises.

    Asked for only in live mode: the question can open a dialog in the learner's browser, and takes ten
    seconds to fail where no browser answers. That failure is remembered; a missing secret or a missing
    permission is asked for again at the next setup(), because the learner can add it meanwhile.
    """
    global _unavailable
    if not in_colab():
        return ColabSecret()
    if _unavailable:
        return ColabSecret(reason=_unavailable)
    try:
        from google.colab import userdata

        value = userdata.get(name)
    except Exception as error:  # noqa: BLE001 - its exceptions share no base class and have changed before
        reason = _reason(error)
        if reason not in ("missing", "no_access"):
            _unavailable = reason
        return ColabSecret(reason=reason)
    if not value or not isinstance(value, str):
        return ColabSecret(reason="missing")
    return ColabSecret(value)


def forget_colab() -> None:
    """Forget that Colab did not answer (for tests)."""
    global _unavailable
    _unavailable = ""


def _reason(error: Exception) -> str:
    """Return the reason of a failure, known by the exception's name: its class is Colab's alone."""
    names = {base.__name__ for base in type(error).__mro__}
    if "SecretNotFoundError" in names:
        return "missing"
    if "NotebookAccessError" in names:
        return "no_access"
    if names & {"TimeoutException", "TimeoutError"}:
        return "timeout"
    return "unavailable"


# The search -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Key:
    """A provider's key, with where it was found (environment, dotenv, colab) and the address it is for."""

    provider: Service
    name: str
    value: str = field(repr=False)
    where: str
    base_url: str


@dataclass
class Search:
    """The result of a search: keys by provider id, and a sentence for each thing that was wrong."""

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
    for provider in SERVICES:
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


def _address(provider: Service, where: str, values: Mapping[str, str | None]) -> str:
    """Return the learner's own address for a provider, or ""; raise SetupError if it can be none."""
    if any(values.get(name) == PRACTICE_KEY for name in provider.key_names):
        return ""  # both are left over from practice mode, e.g. in a process started from a notebook
    for name in provider.base_urls:
        url = (values.get(name) or "").strip()
        if url and not _is_address(url):
            # Not the text itself: an address may hold a password, and a key may stand here by mistake.
            place = localized(f"keys.in_{where}")
            raise SetupError(localized("keys.bad_address", name=name, place=place, example=provider.address))
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
    provider: Service, where: str, values: Mapping[str, str | None], address: str, found: Search
) -> Key | None:
    """Return the provider's key if `values` has a usable one; note why not if there is one that is not."""
    for name in provider.key_names:
        if name not in values:
            continue
        place = localized(f"keys.in_{where}")
        try:
            value = clean(values[name])
            if value == PRACTICE_KEY:
                continue
            if value is None:
                found.note(localized("keys.empty", name=name, place=place))
                continue
            _check_owner(provider, value, own_address=bool(address))
        except BadKey as error:
            found.note(localized("keys.unusable", name=name, place=place, reason=str(error)))
            continue
        return Key(provider, name, value, where, address or provider.address)
    return None


def _from_colab(provider: Service, address: str, found: Search, answers: dict[str, str]) -> Key | None:
    for name in provider.key_names:
        answer = colab_secret(name)
        answers[name] = answer.reason
        if answer.reason == "no_access":
            found.note(localized("keys.colab_no_access", name=name))
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
        found.note(localized("keys.colab_missing", names=", ".join(missing)))
    for reason in ("timeout", "unavailable"):
        if reason in answers.values():
            found.note(localized(f"keys.colab_{reason}"))


# A key from a pasted text -----------------------------------------------------------------------------

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
        raise BadKey(localized("keys.placeholder"))
    if re.search(r"\s", text):
        raise BadKey(localized("keys.inner_space"))
    if not text.isascii() or not text.isprintable():
        raise BadKey(localized("keys.not_ascii"))
    return text


def _check_owner(provider: Service, value: str, *, own_address: bool) -> None:
    """Raise BadKey if the key plainly belongs to another provider, or is of a kind that cannot send messages.

    With an address of the learner's own (a gateway) any key may be right.
    """
    if own_address:
        return
    if any(value.startswith(service.other_key_starts) for service in SERVICES):
        raise BadKey(localized("keys.wrong_kind"))
    for service in SERVICES:
        if value.startswith(service.key_starts) and service is not provider:
            raise BadKey(localized("keys.wrong_provider", looks_like=service.label, wanted=provider.label))


# Names that were nearly right -------------------------------------------------------------------------


def _note_near_misses(where: str, names: Mapping[str, str | None], found: Search) -> None:
    wanted = {_squash(name): name for provider in SERVICES for name in provider.key_names}
    for name in names:
        if name in wanted.values() or not name.upper().endswith(("KEY", "KEYS", "TOKEN", "API")):
            continue
        near = get_close_matches(_squash(name), wanted, n=1, cutoff=0.88)
        if near:
            found.note(
                localized(
                    "keys.misspelt", name=name, right=wanted[near[0]], place=localized(f"keys.in_{where}")
                )
            )


def _note_unread(found: Search) -> None:
    """Note each line of .env that is not read and seems to hold a key that is missing."""
    for number, line in found.dotenv.unread.items():
        for provider in SERVICES:
            name = next((name for name in provider.key_names if name in line.upper()), None)
            if name and provider.id not in found.keys:
                found.note(localized("keys.dotenv_line", line=number, name=name))


def _squash(name: str) -> str:
    """Return a name without what people vary: case, underscores, "API", the plural."""
    return re.sub(r"[^A-Z]|API", "", name.upper()).replace("CLAUDE", "ANTHROPIC").removesuffix("S")
