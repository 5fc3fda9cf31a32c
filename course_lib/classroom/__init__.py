"""The lessons' surroundings: setup, keys, doctor, live relay, command line, exercise checks."""

from __future__ import annotations
