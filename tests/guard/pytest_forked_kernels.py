"""Start the kernels of notebooks as forks of a process that has imported the SDKs, for `make test`.

To import them takes two seconds, most of what a lesson takes. A forked kernel has a process, an environment,
a folder and a course_lib of its own like any other. The jobs on other systems start kernels as Jupyter does.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from typing import Any

# Packages of others only: our own are imported anew in each kernel.
PRELOADED = ("anthropic", "openai", "ipykernel.kernelapp", "ipykernel.zmqshell")

_server: socket.socket | None = None


def pytest_configure() -> None:
    """Let jupyter_client start kernels here, where a process can be forked."""
    if hasattr(os, "fork"):
        from jupyter_client.provisioning import local_provisioner

        local_provisioner.launch_kernel = launch


def launch(command: list[str], *, env: dict[str, str], cwd: str, **_: Any) -> Kernel:
    """Start a kernel, as jupyter_client's function of this name does; `command` ends with its arguments."""
    global _server
    if _server is None:
        _server, theirs = socket.socketpair()
        subprocess.Popen([sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        theirs.close()
    arguments = command[command.index("ipykernel_launcher") :]
    _server.sendall(json.dumps([arguments, env, cwd]).encode() + b"\n")
    return Kernel(int(_server.recv(32)))


class Kernel:
    """A running kernel, with what jupyter_client uses of `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return None while it runs. With which code it ended only its parent knows."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    wait = poll

    def send_signal(self, number: int) -> None:
        """Send a signal to it."""
        os.kill(self.pid, number)


def serve(requests: socket.socket) -> None:
    """Fork a kernel for each request, until the other end is closed."""
    for name in PRELOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that a kernel that has ended is gone at once
    for line in requests.makefile("rb"):
        started, starting = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setsid()  # a group of its own, which jupyter_client ends as a whole
            for here in (started, starting, requests.fileno()):
                os.close(here)
            return become_kernel(*json.loads(line))
        os.close(starting)
        os.read(started, 1)
        os.close(started)
        requests.sendall(str(pid).encode())


def become_kernel(arguments: list[str], env: dict[str, str], cwd: str) -> None:
    """Run IPython's kernel as `python -m` in this environment and folder would."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.path[0] = cwd
    sys.argv = arguments
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
