"""setup(): practice or live, one status line; exchanges(): what went over the wire since then.

Practice mode starts the practice model and points the SDKs at it through environment variables, so that a
learner writes `Anthropic()` and `OpenAI()` as in production. Live mode points them at a relay on this machine
that forwards to the real services. Either way the variables that were there before come back when the mode
changes; a learner's own keys are covered, never overwritten for good.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

from practice_model.facts.services import PRACTICE_KEY, SERVICES

from .. import models
from ..errors import KeyNotFound, SetupError
from ..messages import language, localized, set_language
from . import keys
from .keys import in_colab

if TYPE_CHECKING:
    from practice_model import Exchange, Server

    from .relay import Relay

# Environment variables that are changed for a while, and put back exactly -----------------------------


class Overlay:
    """Changes to an environment that can be replaced by other changes, or undone.

    It remembers what each variable was before and what it was set to. Putting back touches only a variable
    that still has the value it was given here: what somebody set since then is theirs.
    """

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

        There is no moment in between at which the environment has neither: a thread that
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


# The mode ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Status:
    """What the last setup() decided."""

    lesson: int | None = None
    providers: tuple[str, ...] = ()  # labels of those that are live

    @property
    def live(self) -> bool:
        return bool(self.providers)


@dataclass(frozen=True)
class _Live:
    relay: Relay
    server: Server
    process: int


_lock = threading.RLock()
_overlay = Overlay()
_status: Status | None = None
_live: _Live | None = None


def setup(lesson: int | str | None = None, *, lang: str = "en", live: bool | None = None) -> None:
    """Get ready for a lesson: practice mode, or real models with `live=True`; prints a line that says which.

    `live` left out follows the environment variable COURSE_LIVE, and is practice without it, even where
    a key exists. May be called again, with other arguments too.

    Raises SetupError for an argument it cannot use, and KeyNotFound if live mode has no key to use;
    then everything stays as it was.
    """
    global _status
    with _lock:
        language_before = language()
        set_language(lang)
        try:
            number = _lesson_number(lesson)
            _status, lines = _go_live(number) if would_be_live(live) else _go_practice(number)
        except BaseException:
            set_language(language_before)
            raise
        print("\n".join(lines))


def exchanges() -> list[Exchange]:
    """Return what went over the wire since the last setup(), oldest first; keys are masked."""
    with _lock:
        if _status is None:
            raise SetupError(localized("setup.first"))
        if _status.live:
            return _live.relay.log.list() if _live else []
        import practice_model

        running = practice_model.current()
        return running.model.log.list() if running else []


def is_live() -> bool:
    """Return whether the last setup() chose real models."""
    return _status is not None and _status.live


def lesson() -> int | None:
    """Return the lesson of the last setup(), or None."""
    return _status.lesson if _status else None


def status() -> Status | None:
    """Return what the last setup() decided, or None before the first."""
    return _status


def learners_environment() -> dict[str, str]:
    """Return the environment as the learner has it, without what setup() changed."""
    return _overlay.underneath()


def changed_since() -> list[str]:
    """Return the variables that somebody changed after setup() had set them."""
    return _overlay.changed_since()


def teardown() -> None:
    """Undo setup(): put back each variable that still is as setup() left it."""
    global _status
    with _lock:
        _stop_live()
        _close_practice("")
        _overlay.undo()
        _status = None


# Practice mode ----------------------------------------------------------------------------------------

_MODEL_OF = {
    "ANTHROPIC": ("/v1/models/", {"x-api-key": PRACTICE_KEY, "anthropic-version": "2023-06-01"}),
    "OPENAI": ("/v1/models/", {"authorization": f"Bearer {PRACTICE_KEY}"}),
    "GEMINI": ("/v1beta/models/", {"x-goog-api-key": PRACTICE_KEY}),
}


def unknown_models() -> dict[str, str]:
    """Return the settings whose model the practice model would answer with 404, each with the model's id."""
    if not models.overrides():
        return {}
    from practice_model import PracticeModel

    apart = PracticeModel()  # not the learner's: its log is what exchanges() shows
    found = {}
    for name, model in models.overrides().items():
        path, headers = _MODEL_OF[name]
        path += quote(model.removeprefix("models/"), safe="")
        if apart.handle("GET", path, headers, b"").status == 404:
            found[name] = model
    return found


def _go_practice(number: int | None) -> tuple[Status, list[str]]:
    import practice_model
    from practice_model.environment import practice_variables

    running = practice_model.start()
    running.model.closed = ""
    _stop_live()
    _overlay.apply(practice_variables(running.url, _overlay.underneath()))
    running.model.log.clear()
    return Status(number), [_with_lesson(number, localized("setup.practice"))]


# Live mode --------------------------------------------------------------------------------------------


def _go_live(number: int | None) -> tuple[Status, list[str]]:
    environ = _overlay.underneath()
    found = keys.search(environ)
    if not found.keys:
        _raise_not_found(found)
    _close_practice(localized("relay.live_now"))
    live = _start_live()
    live.relay.upstreams = {id: key.base_url for id, key in found.keys.items()}
    live.relay.log.clear()
    live.relay.reported.clear()
    _overlay.apply(live_variables(live.server.url, environ, found))

    here = [provider.label for provider in SERVICES if provider.id in found.keys]
    missing = [provider.label for provider in SERVICES if provider.id not in found.keys]
    text = localized("setup.live", providers=_listed(here))
    if missing:
        text += " " + localized("setup.live_without", providers=_listed(missing))
    return Status(number, tuple(here)), [_with_lesson(number, text), *found.problems]


def live_variables(url: str, environ: Mapping[str, str], found: keys.Search) -> dict[str, str | None]:
    """Return the variables that send every provider with a key through the relay at `url`.

    A provider without a key keeps what the learner has; only what is left over from practice mode
    goes, so that nothing there is answered by a stand-in unnoticed.
    """
    from practice_model.environment import PROXIES, TRACING_CHOICES, TRACING_OFF, with_loopback

    from .relay import PREFIXES

    changes: dict[str, str | None] = {}
    for provider in SERVICES:
        key = found.keys.get(provider.id)
        if key is not None:
            changes |= dict.fromkeys((*provider.key_names, *provider.base_urls))
            changes[provider.key_names[0]] = key.value
            changes[provider.base_urls[0]] = url + PREFIXES[provider.id]
        elif any(environ.get(name) == PRACTICE_KEY for name in provider.key_names):
            changes |= dict.fromkeys((*provider.key_names, *provider.base_urls))
    if not any(name in environ for name in TRACING_CHOICES):
        changes |= TRACING_OFF
    return {**changes, **dict.fromkeys(PROXIES), **with_loopback(environ)}


def _raise_not_found(found: keys.Search) -> NoReturn:
    """Raise KeyNotFound with all that a learner without a key needs to know."""
    first, *others = [name for provider in SERVICES for name in provider.key_names[:1]]
    colab = in_colab()
    places = [
        localized("keys.in_environment"),
        localized("keys.in_dotenv") if found.dotenv.path else localized("keys.checked_dotenv_none"),
        localized("keys.in_colab") if colab else localized("keys.checked_colab_none"),
    ]
    advice = localized("keys.advice_colab") if colab else localized("keys.advice_local", name=first)
    text = localized(
        "keys.not_found",
        places=_listed(places),
        problems="".join(f"- {problem}\n" for problem in found.problems),
        name=first,
        advice=advice.lstrip("\n"),
        others=_listed(others),
    )
    raise KeyNotFound(text)


def _start_live() -> _Live:
    """Start the relay, or return this process's: clients made earlier keep its address."""
    global _live
    if _live is None or _live.process != os.getpid():
        from practice_model import Server

        from .relay import Relay

        relay = Relay()
        _live = _Live(relay, Server(relay.handle), os.getpid())
    return _live


def _close_practice(why: str) -> None:
    """Let the practice model refuse with this sentence, or answer again if it is empty.

    A client made in practice mode must not pass for live afterwards.
    """
    loaded = sys.modules.get("practice_model.running")
    if loaded and (running := loaded.current()):
        running.model.closed = why


def _stop_live() -> None:
    """Cut off the relay: a client made in live mode must not reach the services after practice is chosen."""
    if _live is not None:
        _live.relay.upstreams = {}


# Arguments and words ----------------------------------------------------------------------------------

_YES = {"1", "true", "yes", "on", "y", "t", "si", "sí"}
_NO = {"", "0", "false", "no", "off", "n", "f"}


def would_be_live(live: bool | None) -> bool:
    """Return whether setup(live=…) would choose live mode; None follows COURSE_LIVE."""
    if live is None:
        value = os.environ.get("COURSE_LIVE", "")
        word = value.strip().casefold()
        if word not in _YES | _NO:
            raise SetupError(localized("setup.bad_switch", value=repr(value)))
        return word in _YES
    if live is True or live is False:
        return live
    raise SetupError(localized("setup.bad_live", live=repr(live)))


def _lesson_number(lesson: object) -> int | None:
    if lesson is None:
        return None
    if isinstance(lesson, int) and not isinstance(lesson, bool) and 0 <= lesson <= 99:
        return lesson
    if isinstance(lesson, str) and re.fullmatch(r"\s*[0-9]{1,2}\s*", lesson):
        return int(lesson)
    raise SetupError(localized("setup.bad_lesson", lesson=repr(lesson)))


def _with_lesson(number: int | None, status: str) -> str:
    return status if number is None else localized("setup.with_lesson", lesson=number, status=status)


def _listed(words: list[str]) -> str:
    """Return words as people list them: a, b and c."""
    *rest, last = words
    return f"{', '.join(rest)} {localized('setup.and')} {last}" if rest else last
