"""Refuse every connection that leaves this machine, and write down that it was tried.

Python tells an audit hook before it resolves a name or opens a socket. The hook raises for any address that
is not loopback, and first adds a line to a record, so that the attempt is seen even where the code under test
swallows the exception. `sitecustomize.py` beside this file arms it in every Python that inherits the
environment: notebook kernels and subprocesses too.

It does not see sockets that a C library opens by itself (ZeroMQ, which Jupyter uses on loopback, is one).
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import sysconfig
from pathlib import Path

RECORD_VARIABLE = "COURSE_NETWORK_RECORD"
# A file that says what runs now. A variable cannot: a kernel keeps the environment in which it was started.
PLACE_VARIABLE = "COURSE_NETWORK_PLACE"
FOLDER = Path(__file__).parent
# One certificate, whose key nobody has, instead of the system's 150: each SDK client reads them all when it
# is made, which takes 20 ms and more, and behind the guard none is ever needed.
CERTIFICATE = FOLDER / "certificate.pem"

_STDLIB = sysconfig.get_path("stdlib")
_armed = False


class NetworkForbidden(OSError):
    """A test or a notebook tried to reach another machine."""


def environment(record: str | os.PathLike) -> dict[str, str]:
    """The variables that arm the guard in a new Python, with `record` as the file of attempts."""
    paths = [str(FOLDER), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        RECORD_VARIABLE: str(record),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "SSL_CERT_FILE": str(CERTIFICATE),
    }


def enter(place: str) -> None:
    """Say what runs from now on, a test or file#cell: here and in all children, also those started before."""
    if PLACE_VARIABLE in os.environ:
        # Its first line is written over: a file that is emptied first makes each test wait for the disk.
        _write(PLACE_VARIABLE, place)


def attempts(record: str | os.PathLike) -> list[str]:
    """The attempts written down in `record`, one line each."""
    path = Path(record)
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def arm() -> None:
    """Guard this process. It cannot be undone: Python offers no way to remove an audit hook."""
    global _armed
    if not _armed:
        _armed = True
        sys.addaudithook(_hook)


def is_local(host: object) -> bool:
    """Whether `host` (a name, an address, or None for "any") is this machine."""
    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if host is None or host in ("", "localhost", socket.gethostname()):
        return True
    try:
        address = ipaddress.ip_address(str(host).split("%")[0])
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


# The audit events that name a host or an address, and how to find it in their arguments.
_HOST_OF = {
    "socket.connect": lambda args: _host_of_address(args[1]),
    "socket.sendto": lambda args: _host_of_address(args[1]),
    "socket.sendmsg": lambda args: _host_of_address(args[1]),
    "socket.getaddrinfo": lambda args: args[0],
    "socket.gethostbyname": lambda args: args[0],
    "socket.gethostbyaddr": lambda args: args[0],
}


def _host_of_address(address: object) -> object:
    """The host in a socket address; None where there is none (Unix sockets, already connected ones)."""
    return address[0] if isinstance(address, tuple) and address else None


def _hook(event: str, args: tuple) -> None:
    if event not in _HOST_OF or RECORD_VARIABLE not in os.environ:
        return
    host = _HOST_OF[event](args)
    if is_local(host):
        return
    where = _caller()
    # In append mode: several processes share the record.
    _write(RECORD_VARIABLE, f"{event} to {host!r} from {where}, in {_place()}", os.O_APPEND)
    raise NetworkForbidden(
        f"the network guard refused {event} to {host!r} (from {where}): tests and notebooks may only talk to "
        "this machine. Call setup() before the SDK client is made, or use the practice model"
    )


def _place() -> str:
    try:
        text = Path(os.environ[PLACE_VARIABLE]).read_text(encoding="utf-8")
        return text.partition("\n")[0] or "no test"
    except (KeyError, OSError):
        return "no test"


def _caller() -> str:
    """File and line of the nearest caller that is neither the guard nor an installed package."""
    frame = sys._getframe(2)
    outermost = frame
    while frame:
        name = frame.f_code.co_filename
        if "site-packages" not in name and not name.startswith((_STDLIB, "<frozen")):
            return f"{name}:{frame.f_lineno}"
        outermost, frame = frame, frame.f_back
    return f"{outermost.f_code.co_filename}:{outermost.f_lineno}"


def _write(variable: str, line: str, mode: int = 0) -> None:
    # All at once, as several processes write.
    handle = os.open(os.environ[variable], os.O_WRONLY | os.O_CREAT | mode, 0o600)
    try:
        os.write(handle, (line.replace("\n", " ") + "\n").encode("utf-8"))
    finally:
        os.close(handle)
