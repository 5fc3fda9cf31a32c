"""Environment variables that point every SDK at the practice model, and at nothing else.

A program then makes its clients as in production, `Anthropic()` or `OpenAI()`, without a key or an address.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from .facts.services import PRACTICE_KEY, SERVICES

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")

# What could carry a request, or a real key, past the practice model. In practice mode none of it stays.
ELSEWHERE = tuple(
    """
    ANTHROPIC_AUTH_TOKEN ANTHROPIC_PROFILE ANTHROPIC_CUSTOM_HEADERS ANTHROPIC_API_URL
    ANTHROPIC_IDENTITY_TOKEN ANTHROPIC_IDENTITY_TOKEN_FILE ANTHROPIC_FEDERATION_RULE_ID
    OPENAI_API_BASE OPENAI_ADMIN_KEY OPENAI_CUSTOM_HEADERS OPENAI_API_TYPE OPENAI_WEBSOCKET_BASE_URL
    OPENAI_ORG_ID OPENAI_ORGANIZATION OPENAI_PROJECT_ID OPENAI_PROJECT
    GOOGLE_API_KEY GOOGLE_GENAI_USE_VERTEXAI GOOGLE_GENAI_USE_ENTERPRISE
    LANGSMITH_TRACING_V2 LANGCHAIN_TRACING_V2 LANGCHAIN_TRACING
    """.split()
)
# LangChain sends everything through these, whatever NO_PROXY says.
PROXIES = ("ANTHROPIC_PROXY", "OPENAI_PROXY")
# Programs that report what a learner does to a service on the network, unless these are set.
TRACING_OFF = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false"}
TRACING_CHOICES = (*TRACING_OFF, "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING")


def practice_variables(url: str, environ: Mapping[str, str]) -> dict[str, str | None]:
    """Return the variables that point every SDK at the practice model at `url`; None means: remove it."""
    # The addresses come first: another thread that makes a client in between may send a real key to this
    # machine, but never the practice key to a real service.
    return {
        **{service.base_urls[0]: url + service.path for service in SERVICES},
        **dict.fromkeys((*ELSEWHERE, *PROXIES, *unusable_proxies(environ))),
        **{service.key_names[0]: PRACTICE_KEY for service in SERVICES},
        **with_loopback(environ),
        **TRACING_OFF,
    }


def unusable_proxies(environ: Mapping[str, str]) -> list[str]:
    """Return the proxy variables that keep an SDK from making a client at all, even for this machine.

    An SDK prepares every proxy that it finds, whatever NO_PROXY says: one for SOCKS wants a package that is
    not installed, and one that is no address raises.
    """
    names = [name for name in environ if re.fullmatch(r"(?:https?|all)_proxy", name, re.IGNORECASE)]
    return [
        name
        for name in names
        if environ[name].strip() and not re.match(r"(?:https?://)?[\w.\[\]@%:-]+/?$", environ[name].strip())
    ]


def with_loopback(environ: Mapping[str, str]) -> dict[str, str]:
    """Return both spellings of NO_PROXY with this machine added to what they hold.

    Programs read one spelling or the other, so a spelling that is missing starts from its twin:
    adding only our hosts to it would hide the twin's from those programs.
    """
    result = {}
    for name, twin in (("NO_PROXY", "no_proxy"), ("no_proxy", "NO_PROXY")):
        value = environ.get(name) or environ.get(twin) or ""
        hosts = [host.strip() for host in value.split(",") if host.strip()]
        if hosts != ["*"]:
            hosts += [host for host in LOOPBACK_HOSTS if host not in hosts]
        result[name] = ",".join(hosts)
    return result


def shell_lines(variables: Mapping[str, str | None], environ: Mapping[str, str]) -> str:
    """Return the lines that set the variables, for bash and for PowerShell, ready to paste."""
    bash, powershell = [], []
    for name, value in variables.items():
        if value is not None:
            bash.append(f"export {name}={shlex.quote(value)}")
            # Environment names have one case on Windows, so the second spelling would be a repetition.
            if name != "no_proxy":
                quoted = value.replace("'", "''")
                powershell.append(f"$env:{name} = '{quoted}'")
        elif environ.get(name):
            bash.append(f"unset {name}")
            powershell.append(f"Remove-Item Env:{name}")
    return "\n".join(["# bash, zsh", *bash, "", "# PowerShell", *powershell])
