"""The command line: `python -m course_lib`; see `classroom.command_line`."""

import sys

from .classroom.command_line import main

if __name__ == "__main__":
    sys.exit(main())
