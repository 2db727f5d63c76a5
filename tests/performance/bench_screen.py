"""Start-up and key-to-next-item of the labelling screen, as ratios to a bare Textual labeller in the same run.

    python tests/performance/bench_screen.py [--tools ../shared/tools/latency] [--large 100000] [--repeat 100]

Both programs run in a real pty; a step is timed from the key's byte going in to the paint that shows the next item. The
floor commits one row with the same durability (WAL, synchronous=FULL) and paints one text.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LIMITS = {"start": 2.0, "key p50": 2.5, "large/small": 1.3, "p99 ms": 60.0}


def tool(tools: Path, *arguments: str | Path) -> dict[str, Any]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("OPENBLAS", "PYTHONDONTWRITE"))}
    command = [sys.executable, str(tools / "pty_latency.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def adjudicate(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "adjudicate", *map(str, arguments)], check=True, capture_output=True)


def workspace(folder: Path, tasks: Path, labels: int) -> Path:
    """Items without verdicts, so that each digit goes straight to the next item, as the floor does."""
    made = folder / f"ws-{tasks.stem}"
    adjudicate("init", made, "--policy", "xstest")
    adjudicate("-w", made, "import", tasks, "--set", "intent=benign")
    adjudicate("-w", made, "draw", "--n", str(labels), "--annotators", "ann", "--seed", "1")
    return made


def fsync_p99(folder: Path) -> float:
    """The machine's own durable commit, in ms: what no labeller can be faster than."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE t (x)")
    times = []
    for number in range(200):
        began = time.perf_counter()
        connection.execute("INSERT INTO t VALUES (?)", (number,))
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times)[197]


def steps(result: dict[str, Any]) -> dict[str, float]:
    painted = [step["painted"] for step in result["keys"]["steps"]]
    return {"p50": sum(step["p50_ms"] for step in painted) / len(painted), "p99": max(step["p99_ms"] for step in painted)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "tools" / "latency")
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--starts", type=int, default=10)
    chosen = parser.parse_args()
    if not chosen.tools.is_dir():
        print(f"needs the measuring tools: {chosen.tools} is not there")
        return 2
    with tempfile.TemporaryDirectory() as name:
        return measure(Path(name), chosen)


def measure(folder: Path, chosen: argparse.Namespace) -> int:
    needed = 2 * chosen.repeat + 20
    sizes = {"small": 1000, "large": chosen.large}
    ours, floor_app = {}, chosen.tools / "apps" / "textual_minimal.py"
    made = {}
    for size, count in sizes.items():
        tasks = folder / f"{size}.jsonl"
        subprocess.run([sys.executable, str(chosen.tools / "gen_tasks.py"), str(count), str(tasks)], check=True)
        made[size] = workspace(folder, tasks, needed)
    # What the import left to be written would otherwise compete with the commits that are timed.
    os.sync()
    for size in sizes:
        command = [sys.executable, "-m", "adjudicate", "-w", made[size], "label", "--annotator", "ann"]
        ours[size] = (
            tool(chosen.tools, "--ready", r"item 1 of", "--starts", str(chosen.starts), "--", *command),
            tool(
                chosen.tools, "--ready", r"item 1 of", "--starts", "1", "--repeat", str(chosen.repeat),
                "--step", r"1 => +1 /item (\d+) of/", "--step", r"2 => +1 /item (\d+) of/", "--", *command,
            ),
        )  # fmt: skip
    floor_start = tool(chosen.tools, "--ready", "ready to label", "--starts", str(chosen.starts), "--", sys.executable, floor_app)
    floor = tool(
        chosen.tools, "--ready", r"item 1 of", "--starts", "1", "--repeat", str(chosen.repeat),
        "--step", r"y => differs /item (\d+)/", "--step", r"n => differs /item (\d+)/",
        "--", sys.executable, floor_app, folder / "small.jsonl", folder / "labels.db",
    )  # fmt: skip
    start = {size: result[0]["start"]["ready_s"]["median"] for size, result in ours.items()}
    base = floor_start["start"]["ready_s"]["median"]
    keys, floor_keys, sync = {size: steps(result[1]) for size, result in ours.items()}, steps(floor), fsync_p99(folder)
    rows = [
        ("start, large workspace / bare Textual", start["large"] / base, LIMITS["start"],
         f"{start['large']:.3f} s / {base:.3f} s"),
        ("start, large / small", start["large"] / start["small"], LIMITS["large/small"], f"{start['small']:.3f} s small"),
        ("key to next item p50 / bare labeller", keys["large"]["p50"] / floor_keys["p50"], LIMITS["key p50"],
         f"{keys['large']['p50']:.1f} ms / {floor_keys['p50']:.1f} ms"),
        ("key to next item p50, large / small", keys["large"]["p50"] / keys["small"]["p50"], LIMITS["large/small"],
         f"{keys['small']['p50']:.1f} ms small"),
        ("key to next item p99 in ms", keys["large"]["p99"], LIMITS["p99 ms"] + sync, f"this machine's commit p99 {sync:.1f} ms"),
    ]  # fmt: skip
    print(f"{chosen.large:,} items against 1,000; load {os.getloadavg()[0]:.2f}")
    for title, value, limit, note in rows:
        print(f"{'ok  ' if value <= limit else 'OVER'} {title:<42} {value:7.2f}  limit {limit:6.2f}  ({note})")
    return 0 if all(value <= limit for _, value, limit, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
