"""The HTML report of a large workspace: time and memory of `adjudicate export report.html`, start included.

    python tests/performance/bench_page.py [--verdicts 100000]

The workspace is that of `bench_report`: 5 models, three populations, 20 categories, 2,500 items labelled by two people. Its
floor is the same too. Three runs, of which the median counts; bounded to 3 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

from bench_report import FLOOR, build, cost

MOST_SECONDS = 3.0
ROUNDS = 3


def main() -> None:
    """Build, measure, print; exit 1 where the bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verdicts", type=int, default=100_000)
    verdicts = parser.parse_args().verdicts
    with tempfile.TemporaryDirectory() as name:
        workspace, page = Path(name) / "workspace", Path(name) / "report.html"
        # In a process of its own: a child's peak memory, as the system counts it, begins with that of its parent.
        builder = get_context("spawn").Process(target=build, args=(workspace, verdicts, 1))
        builder.start()
        builder.join()
        if builder.exitcode:
            raise SystemExit("the workspace could not be built")
        floor = cost("-c", FLOOR, str(workspace / "db" / "adjudicate.db"))
        found = []
        for _ in range(ROUNDS):
            page.unlink(missing_ok=True)
            found.append(cost("-m", "adjudicate", "-w", str(workspace), "export", "report.html", "--out", str(page)))
        seconds, cpu = (statistics.median(each[place] for each in found) for place in (0, 1))
        print(
            f"{verdicts:,} items, report.html of {page.stat().st_size / 1000:,.0f} kB: {seconds:.2f} s, {cpu:.2f} s of processor"
            f" time, {max(each.megabytes for each in found):.0f} MB; {cpu / floor.cpu:.1f} times the floor ({floor.cpu:.2f} s)"
        )
    sys.exit(seconds > MOST_SECONDS)


if __name__ == "__main__":
    main()
