"""Python imports this at start when tests/guard is on PYTHONPATH: it arms the network guard."""

from __future__ import annotations

import os
import sys

if os.environ.get("COURSE_NETWORK_RECORD"):
    import network_guard

    network_guard.arm()

# Unrelated, but this is where it reaches every worker: jsonschema, which nbformat imports, can do without
# this package, and with it every start costs two seconds.
sys.modules.setdefault("rfc3987_syntax", None)
