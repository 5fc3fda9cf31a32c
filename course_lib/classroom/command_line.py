"""The command line: python -m course_lib doctor | run | progress | lint | practice serve | practice run."""

from __future__ import annotations

import argparse
import sys

from ..errors import CourseError
from ..messages import localized

INTERRUPTED = 130  # what shells report for a program ended by Ctrl-C


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 fine, 1 a problem was found, 2 it could not be started."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark, and the program goes on.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["practice"]:
        return _practice(arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        code = options.command(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        from .run_lesson import discard_output

        discard_output()  # `… | head` has seen enough
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

    commands.add_parser("practice", help=localized("cli.practice_help"))
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
    from ..linting.forms import definitions_in

    findings = lint(definitions_in(options.file))
    print(findings)
    return 1 if findings.errors else 0


def _practice(arguments: list[str]) -> int:
    """Run a command of the practice model; a script finds everything as after setup()."""
    from practice_model.__main__ import main as practice

    from .setup import setup

    return practice(arguments, prog="python -m course_lib practice", prepare=lambda: setup(live=False))
