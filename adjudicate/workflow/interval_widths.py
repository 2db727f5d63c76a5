"""What the quiet line of the labelling screen needs and is slow to get, computed by a process of its own.

Statistics take a second to load and hold the interpreter while they compute; in a thread, keys would wait for them.
Run as ``python -m adjudicate.workflow.interval_widths DATABASE ANNOTATOR_ID``, this prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from adjudicate.core.work_time import worked

if TYPE_CHECKING:
    from adjudicate.storage.store import Store

LOWER_PRIORITY = 10
TARGET = 0.02
"""Half-width that the further labels are counted for: 2 points."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the numbers are, without any of them: a blind labeller may see this."""

    widths: Mapping[str, float | None]
    """Width of the corrected rate's interval by population, as a fraction; None where the rate is undefined yet."""
    more: Mapping[str, int | None]
    """Further labels until `TARGET` by population; None where all its items together would not be enough."""
    today: float
    """Seconds that the person has worked today, pauses left out."""


class WidthsAside:
    """Measures one database for one person; one measurement at a time."""

    def __init__(self, database: Path, annotator_id: str) -> None:
        # -P: a file called json.py in the folder where somebody labels must not be run.
        module = "adjudicate.workflow.interval_widths"
        self._command = [sys.executable, "-P", "-m", module, str(database), annotator_id]
        self._process: subprocess.Popen[bytes] | None = None

    def measure(self) -> Standing | None:
        """Measure. Blocks until the process has ended; None where it was stopped or failed."""
        self._process = subprocess.Popen(  # noqa: S603  # our own module, with path and id as one argument each
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        output, _ = self._process.communicate()
        return Standing(**json.loads(output)) if self._process.returncode == 0 else None

    def stop(self) -> None:
        """End a measurement that nobody waits for any more, so that leaving never waits for it."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()


def worked_today(store: Store, annotator_id: str, midnight: datetime) -> float:
    """Seconds that a person has worked since midnight, pauses left out."""
    times = (datetime.fromisoformat(event.at).timestamp() for event in store.chain(annotator_id))
    return worked(at for at in times if at >= midnight.timestamp())


def main() -> None:
    """Print the standing of the database and the person that are named."""
    from adjudicate.storage.sqlite_store import SqliteStore
    from adjudicate.storage.twins import has_pairs, know_pairs
    from adjudicate.workflow.build_report import interval_widths
    from adjudicate.workflow.plan_labels import labels_to_go

    os.nice(LOWER_PRIORITY)
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    store = SqliteStore.open(Path(sys.argv[1]))
    try:
        standing = Standing(interval_widths(store), labels_to_go(store, TARGET), worked_today(store, sys.argv[2], midnight))
        # A response and its twin are compared while labelling: the way there is got ready before anybody asks.
        if has_pairs(store):
            know_pairs(store)
    finally:
        store.close()
    sys.stdout.write(json.dumps(asdict(standing)))


if __name__ == "__main__":
    main()
