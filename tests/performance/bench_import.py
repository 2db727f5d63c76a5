"""Import speed beside `sqlite-utils insert --nl` of the same file, measured in turns in one run; peak memory of both.

    python tests/performance/bench_import.py [ROWS] [ROUNDS]

The file is made by ../shared/tools/latency/gen_tasks.py: about 1.8 kB a row. Each round runs both programs as a user
would, start of the interpreter included, each into a new database. The ratio is ours to theirs: 1.0 is as fast.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT.parent / "shared" / "tools" / "latency" / "gen_tasks.py"
BIN = Path(sys.executable).parent
MAPPING = (
    "--map",
    "verdict=prediction",
    "--set",
    "intent=benign",
    "--outcome",
    "pass=full_compliance",
    "--outcome",
    "fail=full_refusal",
)


class Cost(NamedTuple):
    """What one run of a program took."""

    seconds: float
    cpu: float
    megabytes: float


def cost(*command: str | Path) -> Cost:
    """Run a program to its end."""
    started = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main(rows: int = 100_000, rounds: int = 3) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "tasks.jsonl"
        subprocess.run([sys.executable, str(GENERATOR), str(rows), str(file)], check=True)
        ours, theirs = [], []
        for number in range(rounds):
            workspace = folder / f"ws{number}"
            subprocess.run(
                [sys.executable, "-m", "adjudicate", "init", str(workspace), "--policy", "xstest"], check=True, cwd=ROOT
            )
            os.sync()
            ours.append(cost(sys.executable, "-m", "adjudicate", "-w", workspace, "import", file, *MAPPING))
            os.sync()
            theirs.append(cost(BIN / "sqlite-utils", "insert", folder / f"su{number}.db", "rows", file, "--nl", "--silent"))
        for title, costs in (("adjudicate import", ours), ("sqlite-utils insert --nl", theirs)):
            seconds = statistics.median(each.seconds for each in costs)
            cpu = statistics.median(each.cpu for each in costs)
            peak = max(each.megabytes for each in costs)
            print(f"{title:26} {rows / seconds:8,.0f} rows/s  {seconds:6.2f} s  cpu {cpu:5.2f} s  peak {peak:4.0f} MB")
        ratios = [mine.seconds / other.seconds for mine, other in zip(ours, theirs, strict=True)]
        print(
            f"time, ours to theirs: median {statistics.median(ratios):.2f}; by round "
            + ", ".join(f"{each:.2f}" for each in ratios)
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
