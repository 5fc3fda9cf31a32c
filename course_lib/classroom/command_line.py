"""The command line: python -m course_lib doctor | run | progress | lint | practice serve | practice run."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import threading
from contextlib import redirect_stdout
from pathlib import Path

from ..errors import CourseError
from ..messages import localized

INTERRUPTED = 130  # what shells report for a program ended by Ctrl-C


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 fine, 1 a problem was found, 2 it could not be started."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark, and the program goes on.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    try:
        code = options.command(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # `… | head` has seen enough; what is still in the buffer must not raise again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m course_lib", description=localized("cli.description"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    doctor = commands.add_parser("doctor", help=localized("cli.doctor_help"))
    doctor.set_defaults(command=_doctor)

    run = commands.add_parser("run", help=localized("cli.run_help"))
    run.add_argument("lesson", metavar="LESSON", help=localized("cli.run_lesson_help"))
    run.set_defaults(command=_run)

    progress = commands.add_parser("progress", help=localized("progress.help"))
    progress.add_argument("lesson", metavar="LESSON", nargs="?", help=localized("progress.lesson_help"))
    progress.set_defaults(command=_progress)

    lint = commands.add_parser("lint", help=localized("lint.file.help"))
    lint.add_argument("file", metavar="FILE", help=localized("lint.file.path_help"))
    lint.set_defaults(command=_lint)

    practice = commands.add_parser("practice", help=localized("cli.practice_help"))
    actions = practice.add_subparsers(required=True, metavar="ACTION")

    serve = actions.add_parser("serve", help=localized("cli.serve_help"))
    serve.add_argument("--port", type=int, default=0, metavar="N", help=localized("cli.serve_port_help"))
    serve.add_argument("--host", default="127.0.0.1", help=localized("cli.serve_host_help"))
    serve.set_defaults(command=_serve)

    script = actions.add_parser("run", help=localized("cli.script_help"))
    script.add_argument("script", metavar="SCRIPT", help=localized("cli.script_path_help"))
    script.add_argument("args", nargs=argparse.REMAINDER, metavar="…", help=localized("cli.script_args_help"))
    script.set_defaults(command=_run_script)
    return parser


def _doctor(options: argparse.Namespace) -> int:
    from .doctor import doctor

    report = doctor()
    print(report)
    return 0 if report.ok else 1


def _run(options: argparse.Namespace) -> int:
    from .run_lesson import find_notebook, run_notebook

    failed = run_notebook(find_notebook(options.lesson))
    if failed is None:
        return 0
    print(localized("cli.cell_failed", cell=failed), file=sys.stderr)
    return 1


def _progress(options: argparse.Namespace) -> int:
    from .checks import progress

    print(progress(options.lesson))
    return 0


def _lint(options: argparse.Namespace) -> int:
    from ..linting import lint
    from ..linting.files import definitions_in

    findings = lint(definitions_in(options.file))
    print(findings)
    return 1 if findings.errors else 0


def _run_script(options: argparse.Namespace) -> int:
    """Run a script as `python SCRIPT …` would, with every SDK pointed at the practice model."""
    from . import setup as start
    from .run_lesson import main_module, print_error

    path = Path(options.script)
    if not path.is_file():
        raise CourseError(localized("cli.no_script", path=options.script))
    # The script's output may be read by another program, so our own line goes elsewhere.
    with redirect_stdout(sys.stderr):
        start.setup(live=False)
    sys.argv = [options.script, *options.args]
    if not sys.flags.safe_path:
        sys.path[0] = str(path.resolve().parent)
    with main_module(__file__=options.script, __cached__=None) as module:
        try:
            # compile() reads the source as Python does: with its encoding line or byte order mark.
            exec(compile(path.read_bytes(), options.script, "exec", dont_inherit=True), module.__dict__)
        except Exception as error:  # noqa: BLE001 - shown as Python shows it, from the script's first line on
            print_error(error, options.script)
            return 1
    return 0


def _serve(options: argparse.Namespace) -> int:
    from practice_model import PracticeModel, Server

    from . import setup as start

    if options.host not in ("127.0.0.1", "localhost"):
        raise CourseError(localized("cli.bad_host"))
    if not 0 <= options.port <= 65535:
        raise CourseError(localized("cli.bad_port", port=options.port))
    stop = threading.Event()
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: stop.set())
    try:
        server = Server(PracticeModel().handle, port=options.port)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CourseError(localized("cli.port_taken", port=options.port, reason=reason)) from error
    with server:
        print(localized("cli.serving", url=server.url))
        print(_how_to_set(start.practice_variables(server.url, os.environ)), flush=True)
        # In short waits: on Windows a wait without end would not notice Ctrl-C.
        while not stop.wait(0.5):
            pass
    print(localized("cli.stopped"))
    return 0


def _how_to_set(variables: dict[str, str | None]) -> str:
    """Return the lines that set the variables, for bash and for PowerShell, ready to paste."""
    bash, powershell = [], []
    for name, value in variables.items():
        if value is not None:
            bash.append(f"export {name}={shlex.quote(value)}")
            # Environment names have one case on Windows, so the second spelling would be a repetition.
            if name != "no_proxy":
                quoted = value.replace("'", "''")
                powershell.append(f"$env:{name} = '{quoted}'")
        elif os.environ.get(name):
            bash.append(f"unset {name}")
            powershell.append(f"Remove-Item Env:{name}")
    return "\n".join(
        [
            localized("cli.serving_how"),
            "",
            "# bash, zsh",
            *bash,
            "",
            "# PowerShell",
            *powershell,
            "",
            localized("cli.serving_stop"),
        ]
    )
