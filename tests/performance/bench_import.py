"""Import speed beside plain `sqlite3` and `sqlite-utils insert --nl` of the same file, in turns in one run; peak memory of each.

    python tests/performance/bench_import.py [ROWS ...] [--rounds N]

The files are made by ../shared/tools/latency/gen_tasks.py: about 1.8 kB a row; 100,000 rows, or what is given (1000000 takes
minutes). Each round runs all programs as a user would, start of the interpreter included, each into a new database. A ratio is
ours to theirs: 1.0 is as fast. Time is bounded to 2.0 of plain `sqlite3` and 1.0 of sqlite-utils, memory to 150 MB.

Plain `sqlite3` is what one writes by hand: a table with a column a key, one `executemany` in one transaction, as durable as
ours (WAL, synchronous=FULL, all of it checkpointed at the end).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
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
MOST_MEGABYTES = 150

PLAIN = """
import json, sqlite3, sys

source, target = sys.argv[1:]
connection = sqlite3.connect(target, isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA synchronous = FULL")
with open(source, "rb") as file:
    columns = list(json.loads(file.readline()))
    file.seek(0)
    connection.execute(f"CREATE TABLE rows ({', '.join(columns)})")
    connection.execute("BEGIN IMMEDIATE")
    places = ", ".join(f":{name}" for name in columns)
    connection.executemany(f"INSERT INTO rows VALUES ({places})", map(json.loads, file))
    connection.execute("COMMIT")
connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
connection.close()
"""

# The peak that a process reports begins with that of its parent, so a small one stands in between.
MEASURED = """
import json, resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


class Cost(NamedTuple):
    """What one run of a program took."""

    seconds: float
    cpu: float
    """Processor time of all its threads, in seconds."""
    megabytes: float


class Peer(NamedTuple):
    """What ours is compared with."""

    name: str
    most: float
    """The ratio, ours to theirs, that time may reach."""


OURS = "adjudicate import"
PLAIN_SQLITE = Peer("plain sqlite3", 2.0)
SQLITE_UTILS = Peer("sqlite-utils insert --nl", 1.0)
PEERS = (PLAIN_SQLITE, SQLITE_UTILS)


def cost(*command: str | Path) -> Cost:
    """Run a program to its end."""
    os.sync()
    measured = [sys.executable, "-c", MEASURED, *map(str, command)]
    printed = subprocess.run(measured, stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout
    return Cost(*json.loads(printed))


def one_round(folder: Path, file: Path) -> dict[str, Cost]:
    """All programs, one after the other."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        made = Path(name)
        adjudicate = (sys.executable, "-m", "adjudicate")
        subprocess.run([*adjudicate, "init", str(made / "ws"), "--policy", "xstest"], check=True, cwd=ROOT, capture_output=True)
        return {
            OURS: cost(*adjudicate, "-w", made / "ws", "import", file, *MAPPING),
            PLAIN_SQLITE.name: cost(sys.executable, "-c", PLAIN, file, made / "plain.db"),
            SQLITE_UTILS.name: cost(BIN / "sqlite-utils", "insert", made / "su.db", "rows", file, "--nl", "--silent"),
        }


def measure(rows: int, rounds: int) -> bool:
    """Measure and print one size; whether all bounds hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "tasks.jsonl"
        subprocess.run([sys.executable, str(GENERATOR), str(rows), str(file)], check=True)
        print(f"{rows:,} rows, {file.stat().st_size / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}")
        return report(rows, [one_round(folder, file) for _ in range(rounds)])


def report(rows: int, found: list[Mapping[str, Cost]]) -> bool:
    """Print what the rounds took; whether all bounds hold."""
    for title in found[0]:
        costs = [each[title] for each in found]
        seconds = statistics.median(each.seconds for each in costs)
        cpu = statistics.median(each.cpu for each in costs)
        peak = max(each.megabytes for each in costs)
        print(f"  {title:26} {rows / seconds:8,.0f} rows/s  {seconds:6.2f} s  cpu {cpu:6.2f} s  peak {peak:4.0f} MB")
    held = max(each[OURS].megabytes for each in found) <= MOST_MEGABYTES
    for peer in PEERS:
        ratios = [each[OURS].seconds / each[peer.name].seconds for each in found]
        cpu = statistics.median(each[OURS].cpu / each[peer.name].cpu for each in found)
        rounds = ", ".join(f"{each:.2f}" for each in ratios)
        print(f"  ours to {peer.name}: median {statistics.median(ratios):.2f} ({rounds}), limit {peer.most}; of cpu {cpu:.2f}")
        held = held and statistics.median(ratios) <= peer.most
    return held


def main() -> None:
    """Measure; exit 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="*", default=[100_000])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    sys.exit(not all(measure(rows, given.rounds) for rows in given.rows))


if __name__ == "__main__":
    main()
