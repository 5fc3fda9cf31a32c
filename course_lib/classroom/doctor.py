"""doctor(): what could keep the course from working here, with one line of advice per problem.

It looks and never changes anything, never raises, imports no SDK, and shows no key.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from urllib.parse import urlsplit

from practice_model.facts.services import SERVICES

from .. import models
from ..errors import CourseError
from ..messages import localized
from . import keys, setup

MINIMUM_PYTHON = (3, 11)
MINIMUM_FREE_MB = 50

# distribution -> (oldest version that the course works with, what to install)
REQUIRED = {
    "anthropic": ((2, 14), "anthropic>=2.14,<3"),
    "docstring-parser": ((0, 16), "docstring-parser>=0.16,<1"),
    "openai": ((3, 57), "openai>=3.57,<4"),
    "httpx2": ((2,), "httpx2>=2,<3"),
    "pydantic": ((2, 13), "pydantic>=2.13,<3"),
    "python-dotenv": ((1, 0), "python-dotenv>=1.0,<2"),
    "simpleeval": ((1, 0, 7), "simpleeval>=1.0.7,<2"),
    "snowballstemmer": ((2, 2), "snowballstemmer>=2.2,<4"),
}
# distribution -> module
OPTIONAL = {
    "langchain": "langchain",
    "langchain-anthropic": "langchain_anthropic",
    "langchain-openai": "langchain_openai",
    "google-genai": "google.genai",
}
# The last SDKs that break with httpx 0.28 or newer, which dropped an argument that they pass.
LAST_WITH_PROXIES = {"anthropic": (0, 40), "openai": (1, 55, 2)}


@dataclass(frozen=True)
class Line:
    """One finding; with advice it is a problem."""

    text: str
    advice: str = ""


@dataclass
class DoctorReport:
    """All findings; `ok` if none is a problem. Its text is what a learner reads or sends to a teacher."""

    lines: list[Line] = field(default_factory=list)

    @property
    def problems(self) -> list[Line]:
        return [line for line in self.lines if line.advice]

    @property
    def ok(self) -> bool:
        return not self.problems

    def __repr__(self) -> str:
        out = [f"  ok   {line.text}" for line in self.lines if not line.advice]
        for line in self.problems:
            out += [f"  !!   {line.text}", "       " + localized("doctor.advice", advice=line.advice)]
        count = len(self.problems)
        out.append(
            localized("doctor.title_problems", count=count) if count else localized("doctor.title_fine")
        )
        return "\n".join(out)


def doctor() -> DoctorReport:
    """Check Python, packages, mode, keys, local connections, proxy, Colab and temporary space."""
    report = DoctorReport()
    checks = (_python, _packages, _mode, _models, _keys)
    for check in (*checks, _loopback, _practice, _proxy, _colab, _temporary):
        # Two checks may find the same unusable setting.
        report.lines += [line for line in _safely(check) if line not in report.lines]
    return report


def _safely(check: Callable[[], Iterator[Line]]) -> list[Line]:
    """Return what a check finds; what it raises is one more finding."""
    lines: list[Line] = []
    try:
        for line in check():
            lines.append(line)
    except CourseError as error:  # a setting that cannot be used: its own text says what to write
        lines.append(Line(str(error), localized("doctor.setting_advice")))
    except Exception as error:  # noqa: BLE001 - a broken check is a finding, and the others still count
        name = check.__name__.strip("_")
        text = localized("doctor.broken", check=name, reason=type(error).__name__)
        lines.append(Line(text, localized("doctor.broken_advice")))
    return lines


def _problem(key: str, **values: object) -> Line:
    """Return the problem doctor.<key> of the catalogue with its advice, both filled from `values`."""
    return Line(localized(f"doctor.{key}", **values), localized(f"doctor.{key}_advice", **values))


# Python and packages ----------------------------------------------------------------------------------


def _python() -> Iterator[Line]:
    version, minimum = platform.python_version(), ".".join(map(str, MINIMUM_PYTHON))
    if sys.version_info[:2] < MINIMUM_PYTHON:
        yield _problem("python_old", version=version, minimum=minimum)
    else:
        yield Line(localized("doctor.python", version=version))


def _packages() -> Iterator[Line]:
    for name, (minimum, requirement) in REQUIRED.items():
        yield _package(name, minimum, f'pip install "{requirement}"')
    for name, module in OPTIONAL.items():
        # A lesson's report must not depend on what else is installed, so it names only what the lesson uses.
        if setup.lesson() is not None and module not in sys.modules:
            continue
        version = installed(name)
        if version:
            yield Line(localized("doctor.package", name=name, version=version))
        else:
            yield Line(localized("doctor.package_optional", name=name))
    yield from _httpx_clash()


def _package(name: str, minimum: tuple[int, ...], install: str) -> Line:
    version = installed(name)
    if version is None:
        return _problem("package_missing", name=name, install=install)
    if numbers(version) < minimum:
        wanted = ".".join(map(str, minimum))
        return _problem("package_old", name=name, version=version, minimum=wanted, install=install)
    # Installing over a package that is already imported changes the files, not the running kernel.
    loaded = getattr(sys.modules.get(name), "__version__", version)
    if isinstance(loaded, str) and numbers(loaded) != numbers(version):
        return _problem("package_stale", name=name, loaded=loaded, version=version)
    return Line(localized("doctor.package", name=name, version=version))


def _httpx_clash() -> Iterator[Line]:
    httpx = installed("httpx")
    if httpx is None or numbers(httpx) < (0, 28):
        return
    for name, last in LAST_WITH_PROXIES.items():
        version = installed(name)
        if version is not None and numbers(version) <= last:
            install = f'pip install "{REQUIRED[name][1]}"'
            yield _problem("httpx_clash", name=name, version=version, httpx=httpx, install=install)


def installed(name: str) -> str | None:
    """Return the version of an installed distribution, or None, without importing it."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: "2.14.0rc1" gives (2, 14, 0)."""
    result = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        result.append(int(digits))
        if digits != part:
            break
    return tuple(result)


# Mode and keys ----------------------------------------------------------------------------------------


def _mode() -> Iterator[Line]:
    state = setup.status()
    if state is None:
        yield Line(localized("doctor.mode_none_live" if setup.would_be_live(None) else "doctor.mode_none"))
        return
    if state.live:
        yield Line(localized("doctor.mode_live", providers=", ".join(state.providers)))
    else:
        yield Line(localized("doctor.mode_practice"))
    for name in setup.changed_since():
        if name.endswith("_URL"):
            yield _problem("mode_changed", name=name)


def _is_live() -> bool:
    """Return whether setup() chose live mode, or would."""
    return setup.is_live() if setup.status() else setup.would_be_live(None)


def _models() -> Iterator[Line]:
    if _is_live():
        return
    for name, model in setup.unknown_models().items():
        variable, default = models.SETTINGS[name]
        yield _problem("model_unknown", variable=variable, model=repr(model), default=default)


def _keys() -> Iterator[Line]:
    live = _is_live()
    # Colab's Secrets open a dialog when they are asked, so looking there is left to live mode.
    found = keys.search(setup.learners_environment(), colab=live)
    for provider in SERVICES:
        key = found.keys.get(provider.id)
        if key is not None:
            place = localized(f"keys.in_{key.where}")
            yield Line(localized("doctor.key_found", provider=provider.label, place=place, name=key.name))
        else:
            yield Line(localized("doctor.key_none", provider=provider.label))
    for problem in found.problems:
        yield Line(problem, localized("doctor.key_problem_advice"))
    if keys.in_colab() and not live:
        yield Line(localized("doctor.colab_secrets"))
    if live and not found.keys:
        yield _problem("key_live_none")


# This machine -----------------------------------------------------------------------------------------


def _loopback() -> Iterator[Line]:
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(5)
            with socket.create_connection(server.getsockname(), timeout=5) as client:
                accepted, _ = server.accept()
                with accepted:
                    accepted.settimeout(5)
                    client.sendall(b"hello")
                    if accepted.recv(5) != b"hello":
                        raise ConnectionError
    except OSError as error:
        yield _problem("loopback_broken", reason=type(error).__name__)
    else:
        yield Line(localized("doctor.loopback"))


def _practice() -> Iterator[Line]:
    # Only if it is loaded: importing it here would start nothing, and costs time.
    module = sys.modules.get("practice_model.running")
    running = module.current() if module else None
    if running is None:
        return
    address = urlsplit(running.url)
    try:
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    except OSError as error:
        yield _problem("practice_broken", reason=type(error).__name__)


def _proxy() -> Iterator[Line]:
    names = [name for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy") if os.environ.get(name)]
    if not names:
        yield Line(localized("doctor.proxy_none"))
        return
    # The SDKs read one spelling or the other, so each that is set has to name this machine.
    spellings = [os.environ[name] for name in ("NO_PROXY", "no_proxy") if os.environ.get(name)]
    exempt = bool(spellings) and all(
        urllib.request.proxy_bypass_environment("127.0.0.1", {"no": value}) for value in spellings
    )
    if exempt:
        yield Line(localized("doctor.proxy_fine", name=names[0]))
    elif setup.status() is None:
        yield Line(localized("doctor.proxy_later", name=names[0]))
    else:
        yield _problem("proxy_trap", name=names[0])


def _colab() -> Iterator[Line]:
    yield Line(localized("doctor.colab_yes" if keys.in_colab() else "doctor.colab_no"))


def _temporary() -> Iterator[Line]:
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 1024)
        free = shutil.disk_usage(tempfile.gettempdir()).free // 2**20
    except OSError as error:
        yield _problem("temp_broken", reason=type(error).__name__)
        return
    if free < MINIMUM_FREE_MB:
        yield _problem("temp_full", free=free, needed=MINIMUM_FREE_MB)
    else:
        yield Line(localized("doctor.temp"))
