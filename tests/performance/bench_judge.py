"""Asking a judge: time of the loop beside the ideal, processor time a request, connections, and memory.

    python tests/performance/bench_judge.py [REQUESTS] [--width N] [--rounds N]
    python tests/performance/bench_judge.py 100000 --memory

The server is ../shared/tools/latency/stub_chat_server.py on loopback, which answers after 50 ms. The ideal is what the server
alone allows: requests / width x 50 ms. Bounds: loop within 1.3 of the ideal, 1.0 ms of processor time a request, the best of a
few rounds counting, since anything else that runs on the machine makes both worse. Everything a run does is in it: prompt, flags
for responses that speak to the judge, an attempt committed before each send and the reply after.

With --memory, what the run holds in memory after a tenth, a half and all of the requests; at most a fifth more than at the
tenth is allowed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT.parent / "shared" / "tools" / "latency" / "stub_chat_server.py"
ADJUDICATE = [sys.executable, "-m", "adjudicate"]
LATENCY = 0.05
MOST_OF_IDEAL = 1.3
MOST_CPU_MS = 1.0
MOST_GROWTH = 1.2
WORDS = "The library opens at nine and closes at six; on Sundays it stays shut, and books can be left in the box by the door. "


def workspace(folder: Path, items: int) -> Path:
    """A workspace with so many answers of about 500 characters, none of them judged."""
    made = folder / "ws"
    subprocess.run([*ADJUDICATE, "init", str(made), "--policy", "answered-deflected-refused"], check=True, capture_output=True)
    log = folder / "log.jsonl"
    rows = ({"prompt": f"When do you open in town {number}?", "response": f"{number}. {WORDS * 4}"} for number in range(items))
    # Row by row: what this process once held is counted as the peak of those that it starts.
    with log.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    command = [*ADJUDICATE, "-w", str(made), "import", str(log), "--set", "intent=benign", "--set", "model=m"]
    subprocess.run(command, check=True, capture_output=True)
    return made


def stats(port: int) -> dict[str, int]:
    """The counters of the server."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats") as reply:
        return dict(json.load(reply))


class Judged(NamedTuple):
    """What one run took."""

    seconds: float
    """Of its loop."""
    cpu: float
    """Seconds of processor time, the start among them."""
    held: list[tuple[int, int]]
    """Requests answered and kilobytes in memory then, as it went on."""


def judged(folder: Path, port: int, width: int, *, watched: bool = False) -> Judged:
    """One run over a workspace."""
    command = [*ADJUDICATE, "-w", str(folder), "judge", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "stub"]
    before = stats(port)["requests"]
    read, write = os.pipe()
    started = os.posix_spawn(
        sys.executable, [*command, "--width", str(width), "--json"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)]
    )
    os.close(write)
    held: list[tuple[int, int]] = []
    with os.fdopen(read) as output:
        while watched and not select.select([output], [], [], 0.5)[0]:
            held.append((stats(port)["requests"] - before, resident(started)))
        told = json.load(output)
    _, status, usage = os.wait4(started, 0)
    if status:
        raise SystemExit(f"the run failed: {told}")
    return Judged(told["seconds"], usage.ru_utime + usage.ru_stime, [*held, (told["requests"], usage.ru_maxrss)])


def resident(process: int) -> int:
    """Kilobytes of a process in memory."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text(encoding="ascii"))
    return int(found[1]) if found else 0


@contextmanager
def server(scratch: str) -> Iterator[int]:
    """The server, in a process of its own; its port."""
    port_file = Path(scratch) / "port"
    command = [sys.executable, str(SERVER), "--port", "0", "--latency", str(LATENCY * 1000), "--port-file", str(port_file)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while not port_file.exists() or not port_file.read_text().strip():
            time.sleep(0.01)
        yield int(re.findall(r"\d+", port_file.read_text())[-1])
    finally:
        running.terminate()


def speed(scratch: str, port: int, chosen: argparse.Namespace) -> bool:
    """Print what the best of the rounds took; whether a bound is broken."""
    small = workspace(Path(tempfile.mkdtemp(dir=scratch)), 1)
    start = judged(small, port, chosen.width).cpu
    opened = stats(port)["accepted"]
    # A judge asks about an item once: each round has a workspace of its own.
    runs = [
        judged(workspace(Path(tempfile.mkdtemp(dir=scratch)), chosen.requests), port, chosen.width) for _ in range(chosen.rounds)
    ]
    # Each look at the counters is a connection too.
    opened = (stats(port)["accepted"] - opened) // chosen.rounds - 1
    ratio = min(run.seconds for run in runs) / (chosen.requests / chosen.width * LATENCY)
    each = (min(run.cpu for run in runs) - start) / chosen.requests * 1000
    peak = max(run.held[-1][1] for run in runs)
    print(f"{chosen.requests:,} requests, {chosen.width} at a time, best of {chosen.rounds}; load {os.getloadavg()[0]:.1f}")
    print(f"  loop {ratio:.2f} of the ideal (limit {MOST_OF_IDEAL}), {peak / 1024:.0f} MB, {opened} connections")
    print(f"  processor time {each:.2f} ms a request (limit {MOST_CPU_MS}); {start:.2f} s to start")
    return bool(ratio > MOST_OF_IDEAL or each > MOST_CPU_MS)


def memory(scratch: str, port: int, chosen: argparse.Namespace) -> bool:
    """Print what a run holds as it goes on; whether it grows."""
    run = judged(workspace(Path(scratch), chosen.requests), port, chosen.width, watched=True)
    places = [chosen.requests * part // 10 for part in (1, 5, 10)]
    *looks, (_, peak) = run.held
    found = [next((held for asked, held in looks if asked >= place), looks[-1][1]) for place in places]
    print(f"{chosen.requests:,} requests, {chosen.width} at a time: {run.seconds:.0f} s; load {os.getloadavg()[0]:.1f}")
    for place, held in zip(places, found, strict=True):
        print(f"  in memory after {place:,}: {held / 1024:.1f} MB")
    print(f"  peak: {peak / 1024:.1f} MB")
    return found[-1] > MOST_GROWTH * found[0]


def main() -> None:
    """Measure and print; exit 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requests", nargs="?", type=int, default=2000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, server(scratch) as port:
        broken = (memory if chosen.memory else speed)(scratch, port, chosen)
    raise SystemExit(broken)


if __name__ == "__main__":
    main()
