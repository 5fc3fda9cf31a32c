"""The command line: python -m practice_model serve | run SCRIPT."""

from __future__ import annotations

import argparse
import builtins
import logging
import os
import signal
import sys
import threading
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from .environment import practice_variables, shell_lines

INTERRUPTED = 130
"""The exit code that shells report for a program ended by Ctrl-C."""


class CommandError(Exception):
    """A command that cannot be started; the message says why, and what to write instead."""


def use_practice_model() -> None:
    """Start the practice model, and point every SDK of this process at it."""
    from .running import start

    for name, value in practice_variables(start().url, os.environ).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    print("Practice mode: a rule-based stand-in answers, not an LLM. No key, no cost.")


def main(
    arguments: list[str] | None = None,
    *,
    prog: str = "python -m practice_model",
    prepare: Callable[[], None] = use_practice_model,
) -> int:
    """Run one command and return its exit code: 0 fine, 1 a script failed, 2 it could not be started.

    `prepare` is called before a script runs; what it prints goes to stderr.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark, and the program goes on.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = _parser(prog).parse_args(arguments)
    try:
        if options.action == "serve":
            code = serve(options.host, options.port)
        else:
            code = run_script(options.script, options.args, prepare)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # `… | head` has seen enough; what is still in the buffer must not raise again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except CommandError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog)
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")

    text = "serve the practice model on this machine until Ctrl-C"
    serving = actions.add_parser("serve", help=text)
    text = "the port to use (0, the default, takes a free one)"
    serving.add_argument("--port", type=int, default=0, metavar="N", help=text)
    text = "this machine only: 127.0.0.1 or localhost"
    serving.add_argument("--host", default="127.0.0.1", help=text)

    running = actions.add_parser("run", help="run a Python script against the practice model")
    running.add_argument("script", metavar="SCRIPT", help="the script")
    running.add_argument("args", nargs=argparse.REMAINDER, metavar="…", help="arguments of the script")
    return parser


# serve ----------------------------------------------------------------------------------------------


def serve(host: str, port: int) -> int:
    """Serve the practice model until Ctrl-C, after printing what to set in the terminal of a program."""
    from . import PracticeModel, Server

    if host not in ("127.0.0.1", "localhost"):
        raise CommandError("The practice model serves this machine only. Leave --host out, or use 127.0.0.1.")
    if not 0 <= port <= 65535:
        raise CommandError(f"{port} is not a port. Use a number from 0 to 65535; 0 takes a free one.")
    logger = logging.getLogger(__package__)
    if not any(isinstance(handler, _Tracebacks) for handler in logger.handlers):
        logger.addHandler(_Tracebacks())
    stop = threading.Event()
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: stop.set())
    try:
        server = Server(PracticeModel().handle, port=port)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        text = f"Port {port} cannot be used ({reason}). Use another one, or 0 for a free one."
        raise CommandError(text) from error
    with server:
        print(f"The practice model (a rule-based stand-in, not an LLM) answers at {server.url}")
        print("Set these in the terminal where your program runs:\n")
        print(shell_lines(practice_variables(server.url, os.environ), os.environ))
        print("\nCtrl-C stops it.", flush=True)
        # In short waits: on Windows a wait without end would not notice Ctrl-C.
        while not stop.wait(0.5):
            pass
    print("Stopped.")
    return 0


class _Tracebacks(logging.StreamHandler):
    """Prints the traceback of a fault of ours to stderr: of each place in the code once."""

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[tuple[str, int]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        frames = traceback.extract_tb(record.exc_info[2]) if record.exc_info else []
        place = (frames[-1].filename, frames[-1].lineno or 0) if frames else (record.pathname, record.lineno)
        if place not in self._printed:
            self._printed.add(place)
            super().emit(record)


# run ------------------------------------------------------------------------------------------------


def run_script(script: str, arguments: list[str], prepare: Callable[[], None]) -> int:
    """Run a script as `python SCRIPT …` would, with every SDK pointed at the practice model."""
    path = Path(script)
    if not path.is_file():
        raise CommandError(f"There is no script {script}. Give the path of a Python file.")
    # The script's output may be read by another program, so our own line goes elsewhere.
    with redirect_stdout(sys.stderr):
        prepare()
    sys.argv = [script, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = str(path.resolve().parent)
    with main_module(__file__=script, __cached__=None) as module:
        try:
            # compile() reads the source as Python does: with its encoding line or byte order mark.
            exec(compile(path.read_bytes(), script, "exec", dont_inherit=True), module.__dict__)
        except Exception as error:  # noqa: BLE001 - shown as Python shows it, from the script's first line on
            print_error(error, script)
            return 1
    return 0


@contextmanager
def main_module(**names: object) -> Iterator[types.ModuleType]:
    """Give code a fresh `__main__` to run in: pickling and type hints look there for what it defines."""
    module = types.ModuleType("__main__")
    module.__dict__.update(names, __builtins__=builtins)
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield module
    finally:
        sys.modules["__main__"] = before


def print_error(error: BaseException, filename: str) -> None:
    """Print a traceback from the learner's own code on, without the frames that brought it there."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != filename:
        frames = frames.tb_next
    print(
        "".join(traceback.format_exception(type(error), error, frames)), end="", file=sys.stderr, flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
