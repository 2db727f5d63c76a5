"""What a program takes from start to end, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

# The peak that a process reports begins with that of its parent, so a small one stands in between.
BETWEEN = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, done.stdout, done.stderr, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime]))
"""


class Measured(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str
    megabytes: float
    """At its peak."""
    seconds: float
    """Of processor time, so that a busy machine does not count."""


def measured(arguments: Sequence[str | Path], timeout: float | None = None) -> Measured:
    """Run Python with these arguments."""
    command = [sys.executable, "-c", BETWEEN, sys.executable, *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=timeout)
    return Measured(*json.loads(ran.stdout))
