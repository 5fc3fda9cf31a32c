"""Environment variables that are changed for a while, and put back exactly.

`Overlay` remembers what each variable was before and what it was set to. Putting back touches only
a variable that still has the value it was given here: what somebody set since then is theirs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping

__all__ = ["Overlay", "with_loopback"]

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


class Overlay:
    """Changes to an environment that can be replaced by other changes, or undone."""

    def __init__(self, environ: MutableMapping[str, str] = os.environ):
        self._environ = environ
        self._changed: dict[str, tuple[str | None, str | None]] = {}  # name -> (before, what we set)

    def underneath(self) -> dict[str, str]:
        """Return the environment as it would be without these changes."""
        result = dict(self._environ)
        for name, (before, ours) in self._changed.items():
            if self._environ.get(name) != ours:
                continue  # changed by somebody else since: theirs
            if before is None:
                result.pop(name, None)
            else:
                result[name] = before
        return result

    def changed_since(self) -> list[str]:
        """Return the names of the variables that somebody else has changed since they were set here."""
        return [name for name, (_, ours) in self._changed.items() if self._environ.get(name) != ours]

    def apply(self, changes: Mapping[str, str | None]) -> None:
        """Replace all earlier changes by these, in their order; None removes a variable.

        There is no moment in between at which the environment stands without either: a thread that
        makes a client meanwhile must not see a real key together with a real address.
        """
        before = self.underneath()
        earlier = self._changed
        self._changed = {name: (before.get(name), value) for name, value in changes.items()}
        for name, value in changes.items():
            self._write(name, value)
        for name, (_, ours) in earlier.items():
            if name not in changes and self._environ.get(name) == ours:
                self._write(name, before.get(name))

    def undo(self) -> None:
        """Put everything back that is still as it was set here."""
        self.apply({})

    def _write(self, name: str, value: str | None) -> None:
        if value is None:
            self._environ.pop(name, None)
        else:
            self._environ[name] = value


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
