"""Interval widths for the labelling screen, computed by a process of their own.

Statistics take a second to load and hold the interpreter while they compute; in a thread, keys would wait for them.
Run as ``python -m adjudicate.workflow.interval_widths DATABASE``, this prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LOWER_PRIORITY = 10


class WidthsAside:
    """Measures the widths of one database; one measurement at a time."""

    def __init__(self, database: Path) -> None:
        # -P: a file called json.py in the folder where somebody labels must not be run.
        self._command = [sys.executable, "-P", "-m", "adjudicate.workflow.interval_widths", str(database)]
        self._process: subprocess.Popen[bytes] | None = None

    def measure(self) -> dict[str, float | None] | None:
        """Width of the corrected rate's interval by population, as a fraction; None where the rate is undefined yet.

        Blocks until the process has ended. None instead of a table where it was stopped or failed.
        """
        self._process = subprocess.Popen(  # noqa: S603  # our own module, with the path as one argument
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        output, _ = self._process.communicate()
        widths: dict[str, float | None] | None = json.loads(output) if self._process.returncode == 0 else None
        return widths

    def stop(self) -> None:
        """End a measurement that nobody waits for any more, so that leaving never waits for it."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()


def main() -> None:
    """Print the widths of the database that is named."""
    from adjudicate.storage.sqlite_store import SqliteStore
    from adjudicate.workflow.build_report import interval_widths

    os.nice(LOWER_PRIORITY)
    store = SqliteStore.open(Path(sys.argv[1]))
    try:
        sys.stdout.write(json.dumps(interval_widths(store)))
    finally:
        store.close()


if __name__ == "__main__":
    main()
