"""Text without secrets: for what goes to a model, or into a record, and may quote an address or a header."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

MASK = "***"
SHORTEST = 8
"""A value of fewer characters is not searched for: it would be found inside ordinary words."""

_NAMES_A_SECRET = re.compile(
    r"(?:key|token|secret|passw(?:or)?d|pwd|credentials?|dsn|connection_string)s?$", re.IGNORECASE
)
_NAMED = re.compile(
    r"""(?ix)
    (?P<name> (?<![a-z0-9]) (?: [a-z0-9]{1,30}[_-] ){0,4}
      (?: (?P<sure> passw(?:or)?d | pwd | (?:client|shared|app)[_-]?secret | secret )
        | (?: (?:api|access|secret|private|auth)[_-]?key | (?:access|auth)[_-]?token | token | key
            | sig(?:nature)? ) )
      (?![a-z]) )
    (?P<sign> ["']? \s* (?: = | : | %3D | \s (?=["']) ) \s* ["']? )
    (?! \*\*\* )
    (?P<value> (?(sure) [^\s"'&,;<>)\]}]{4,} | (?= [^\s"'&,;<>)\]}]*[0-9] | \S{20} ) [^\s"'&,;<>)\]}]{6,} ) )
    """
)
"""A name and its value, as in an address, a header, JSON, a command line or a call. After a name that is
often an ordinary word ("token: expired") only what looks like a secret counts: with a digit, or long."""
_SCHEME = re.compile(r"(?i)\b(bearer|basic|token|digest)(\s+|%20)(?!\*\*\*)[\w.~+/=%-]{8,}")
_USER_INFO = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]{0,30}://[^\s:/@]*:)(?!\*\*\*)[^\s/@]+(?=@)")
# Keys that give themselves away by how they begin.
_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{8,}|sk_(?:live|test)_\w{8,}|AIza[\w-]{20,}|gsk_\w{16,}|hf_\w{16,}|xai-[\w-]{16,}|gh[pousr]_\w{20,}"
    r"|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,500}\.[\w-]{8,}\.[\w-]*)"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)

__all__ = ["MASK", "mask"]


def mask(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with *** for every secret that can be told as one.

    These are: values of variables of the environment whose name ends like KEY, TOKEN, SECRET or PASSWORD,
    plain or percent-encoded; what follows a name such as api_key, token or password; Bearer and Basic values;
    passwords in addresses; and keys of well-known shapes. A secret of no shape under no name is not found.
    """
    for secret in _of_environment(os.environ if environment is None else environment):
        for spelling in dict.fromkeys((secret, quote(secret, safe=""), quote(secret), quote_plus(secret))):
            text = text.replace(spelling, MASK)
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _USER_INFO.sub(rf"\g<1>{MASK}", text)
    text = _SCHEME.sub(rf"\g<1>\g<2>{MASK}", text)
    text = _NAMED.sub(rf"\g<name>\g<sign>{MASK}", text)
    return _SHAPES.sub(MASK, text)


def _of_environment(environment: Mapping[str, str]) -> list[str]:
    """The secret values, the longest first: one may be the beginning of another."""
    found = {
        value.strip()
        for name, value in environment.items()
        if _NAMES_A_SECRET.search(name) and len(value.strip()) >= SHORTEST
    }
    return sorted(found, key=len, reverse=True)
