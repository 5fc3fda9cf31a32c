"""Text without secrets: for what goes to a model, or into a record, and may quote an address or a header."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus

from practice_model.facts.services import ANY_KEY, KEY_IN_QUERY, PRACTICE_KEY

MASK = "***"
SHORTEST = 8
"""A value of fewer characters is not searched for: it would be found inside ordinary words."""

_NAMES_A_SECRET = re.compile(
    r"(?:key|token|secret|passw(?:or)?d|pwd|(?:^|_)pass|passphrase|credentials?|dsn|connection_string)s?$",
    re.IGNORECASE,
)
_FOLDERS = ("PWD", "OLDPWD")
"""Variables that a shell sets to folders; MYSQL_PWD and the like are passwords."""
# What stands between a name and its value, also in JSON inside of JSON, where quotes have backslashes.
_QUOTE = r"""(?: \\{0,4} ["'] )"""
# Names after which anything is a secret, and names that are often ordinary words.
_SURE = r"passw(?:or)?d | pass(?:wd|phrase)? | pwd | contraseña | clave | (?:client|shared|app)[_-]?secret"
_OFTEN = (
    r"(?:api|access|secret|private|auth|account|signing|encryption)[\ _-]?key | (?:access|auth|bearer|id"
    r"|refresh|session|csrf|security)[_-]?token | token | key | secret | sig(?:nature)? | authorization"
)
_NAMED = re.compile(
    rf"""(?ix)
    (?P<name> (?<![a-z0-9]) (?: [a-z0-9]{{1,30}}[_-] ){{0,4}}
      (?: (?P<sure> {_SURE} ) | (?: {_OFTEN} ) ) (?! [a-zñ] ) )
    (?P<sign> {_QUOTE}? \s{{0,4}} (?: [=-]?> | = | : | %3D | ,?\s (?={_QUOTE}) ) \s{{0,4}} )
    (?! {_QUOTE}? \*\*\* )
    (?: (?P<open> {_QUOTE} )
        (?P<quoted> (?(sure) [^"'\\]{{4,500}}
          | (?= [^"'\\]{{0,500}}[0-9] | [^"'\\\s]{{20}} ) [^"'\\]{{6,500}} ) )
        (?= \\{{0,4}}["'] )
      | (?P<begin> {_QUOTE}? )
        (?P<value> (?(sure) [^\s"'\\&,;<>)\]}}]{{4,}}
          | (?= [^\s"'\\&,;<>)\]}}]*[0-9] | \S{{20}} ) [^\s"'\\&,;<>)\]}}]{{6,}} ) ) )
    """
)
"""A name and its value, as in an address, a header, JSON, XML or a call. After a name that is often an
ordinary word ("token: expired") only what looks like a secret counts: with a digit, or long."""
# Names in one word, which no ordinary word ends like: AccountKey=, accessToken:, MyAppToken=.
_CAMEL = re.compile(
    r"""(?x) \b
    (?P<name> [A-Za-z][a-z0-9]{1,30} (?: [A-Z][a-z0-9]{1,30} ){0,3} (?: Key | Token | Secret | Password ) )
    (?P<sign> \\{0,4} ["']? \s{0,4} [=:>] \s{0,4} \\{0,4} ["']? ) (?! \*\*\* )
    (?= [\w.~+/=-]{0,200}[0-9] | [\w.~+/=-]{20} ) [\w.~+/=-]{6,}"""
)
_OPTION = re.compile(
    r"(?i)(--?(?:[a-z0-9]{1,20}-){0,3}(?:password|passphrase|token|secret|key)\s{1,4}[\"']?)(?!\*\*\*)(?!-)[^\s\"']{6,}"
)
_PROVIDED = re.compile(
    r"(?i)((?:api[ _-]?key|token|password|secret|credentials?)\b[a-z ]{0,20}"
    r"(?:\bprovided|\bgiven|\bused|\breceived|\bis):?\s{1,4}[\"']?)(?!\*\*\*)(?=[\w.~+/=*-]{0,200}[0-9])[\w.~+/=*-]{8,}"
)
_AUTHORIZATION = re.compile(
    r"(?i)(\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?!\*\*\*|(?:bearer|basic|token|digest)\b)"
    r"((?:[a-z]{2,20}\s{1,4})?)(?=[\w.~+/=-]{0,500}[0-9]|[\w.~+/=-]{20})[\w.~+/=-]{8,}"
)
# A word after a scheme may be an ordinary one: "Basic authentication required".
_SCHEME = re.compile(
    r"(?i)\b(bearer|basic|token|digest)(\s{1,4}|%20)(?!\*\*\*)"
    r"(?=[\w.~+/%-]{0,500}[0-9=]|[\w.~+/%-]{20}|(?-i:[a-z]*[A-Z]+[a-z]+[A-Z]))[\w.~+/=%-]{8,}"
)
_USER_INFO = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]{0,30}://[^\s:/@]*:)(?!\*\*\*)[^\s/]{1,500}(?=@)")
_USER_TOKEN = re.compile(
    r"(?i)(\b[a-z][a-z0-9+.-]{0,30}://)(?!\*\*\*)(?=[^\s:/@]{0,200}[0-9])[^\s:/@]{10,500}(?=@)"
)
_BARE = re.compile(
    r"(?i)(\b(?:api[ _-]?key|passwo?r?d)\s{1,4})(?!\*\*\*)(?=[\w.~+/=-]{0,200}[0-9])[\w.~+/=-]{12,}"
)
# Keys that open nothing: of tables, dictionaries, pages.
_OPENS_NOTHING = re.compile(
    r"(?i)(?:primary|foreign|partition|row|sort|page|missing|unknown|duplicate|dictionary|order|cache|unexpected"
    r"|idempotency|any|argument:?)[ _-](?:key|token)\Z"
)
# What a rule or a complaint about a secret says in place of one.
_ORDINARY = re.compile(
    r"(?i)(?:required|incorrect|invalid|missing|expired|wrong|must|none|null|true|false|too|please|cannot|should"
    r"|is|not|generated|empty|unknown|delivered\w*|reset)\b|/"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)

# A word of each name and sign in the patterns above: most texts have none, and are done sooner.
_MAY_NAME_A_SECRET = re.compile(
    "key|token|secret|pass|pwd|clave|contraseña|sig|auth|credential|bearer|basic|digest|://"
)


def mask(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the text with *** for every secret that can be recognized as one.

    These are: values of variables of the environment whose name ends like KEY, TOKEN, SECRET or PASSWORD,
    plain or percent-encoded; what follows a name such as api_key, token or password; Bearer and Basic values;
    passwords and tokens in addresses; and keys of well-known shapes. A secret of no shape under no name is
    not found.
    """
    for secret in _secrets_in(tuple((os.environ if environment is None else environment).items())):
        for spelling in dict.fromkeys((secret, quote(secret, safe=""), quote(secret), quote_plus(secret))):
            text = text.replace(spelling, MASK)
    if _MAY_NAME_A_SECRET.search(text.casefold()):
        text = _mask_named(text)
    return ANY_KEY.sub(MASK, text)


def mask_address(text: str) -> str:
    """Return an address without secrets, also without a key in its query that does not look like one."""
    return mask(KEY_IN_QUERY.sub(rf"\1{MASK}", text))


def _mask_named(text: str) -> str:
    """Return the text with *** for what follows a name, a scheme or a sign that announces a secret."""
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _USER_INFO.sub(rf"\g<1>{MASK}", text)
    text = _USER_TOKEN.sub(rf"\g<1>{MASK}", text)
    text = _AUTHORIZATION.sub(rf"\g<1>\g<2>{MASK}", text)
    text = _SCHEME.sub(rf"\g<1>\g<2>{MASK}", text)
    text = _NAMED.sub(_masked, text)
    text = _CAMEL.sub(rf"\g<name>\g<sign>{MASK}", text)
    text = _OPTION.sub(rf"\g<1>{MASK}", text)
    text = _PROVIDED.sub(rf"\g<1>{MASK}", text)
    return _BARE.sub(rf"\g<1>{MASK}", text)


def _masked(found: re.Match[str]) -> str:
    """Return a name, its sign and *** for its value; what was found, where the value is an ordinary word."""
    value = found["quoted"] or found["value"]
    end = found.end("name")
    if found["sure"] and _ORDINARY.match(value):
        return found[0]
    if not found["sure"] and _OPENS_NOTHING.search(found.string[max(0, end - 40) : end]):
        return found[0]
    return f"{found['name']}{found['sign']}{found['open'] or found['begin'] or ''}{MASK}"


@lru_cache(maxsize=4)  # a page masks thousands of texts, and the environment hardly changes
def _secrets_in(variables: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the secret values of an environment, the longest first: one may be the beginning of another."""
    found = {
        value.strip()
        for name, value in variables
        if _NAMES_A_SECRET.search(name) and name not in _FOLDERS and _looks_secret(name, value.strip())
    }
    return sorted(found, key=len, reverse=True)


def _looks_secret(name: str, value: str) -> bool:
    """Return whether a value is worth searching for: long enough, not the practice model's key and, where
    the name is only some KEY, no ordinary word, which any text may hold."""
    named = not re.search(r"(?i)keys?\Z", name) or re.search(
        r"(?i)(?:api|access|secret|private)_?keys?\Z", name
    )
    return (
        SHORTEST <= len(value)
        and value != PRACTICE_KEY
        and bool(named or not re.fullmatch("[a-z]{1,15}", value))
    )
