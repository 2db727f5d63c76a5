"""Asking a judge: time of the loop beside the ideal, processor time a request, connections, and memory.

    python tests/performance/bench_judge.py [REQUESTS] [--width N]

The server is ../shared/tools/latency/stub_chat_server.py on loopback, which answers after 50 ms. The ideal is what the server
alone allows: requests / width x 50 ms. Bounds: loop within 1.3 of the ideal, 1.0 ms of processor time a request. Everything a
run does is in it: prompt, flags for responses that speak to the judge, an attempt committed before each send and the reply after.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT.parent / "shared" / "tools" / "latency" / "stub_chat_server.py"
ADJUDICATE = [sys.executable, "-m", "adjudicate"]
LATENCY = 0.05
MOST_OF_IDEAL = 1.3
MOST_CPU_MS = 1.0
WORDS = "The library opens at nine and closes at six; on Sundays it stays shut, and books can be left in the box by the door. "


def workspace(folder: Path, items: int) -> Path:
    """A workspace with so many answers of about 500 characters, none of them judged."""
    made = folder / "ws"
    subprocess.run([*ADJUDICATE, "init", made, "--policy", "answered-deflected-refused"], check=True, capture_output=True)
    log = folder / "log.jsonl"
    rows = ({"prompt": f"When do you open in town {number}?", "response": f"{number}. {WORDS * 4}"} for number in range(items))
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = [*ADJUDICATE, "-w", made, "import", log, "--set", "intent=benign", "--set", "model=m"]
    subprocess.run(command, check=True, capture_output=True)
    return made


def stats(port: int) -> dict[str, int]:
    """The counters of the server."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats") as reply:
        return dict(json.load(reply))


def judged(folder: Path, port: int, width: int) -> tuple[float, float, int]:
    """Seconds of the loop, seconds of processor time in all, and peak kilobytes, of one run over a workspace."""
    command = [*ADJUDICATE, "-w", str(folder), "judge", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "stub"]
    read, write = os.pipe()
    started = os.posix_spawn(
        sys.executable, [*command, "--width", str(width), "--json"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)]
    )
    os.close(write)
    with os.fdopen(read) as output:
        told = json.load(output)
    _, status, usage = os.wait4(started, 0)
    if status:
        raise SystemExit(f"the run failed: {told}")
    return told["seconds"], usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main() -> None:
    """Measure and print; exit 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requests", nargs="?", type=int, default=2000)
    parser.add_argument("--width", type=int, default=64)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        port_file = Path(scratch) / "port"
        command = [sys.executable, SERVER, "--port", "0", "--latency", str(LATENCY * 1000), "--port-file", port_file]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while not port_file.exists() or not port_file.read_text().strip():
                time.sleep(0.01)
            port = int(re.findall(r"\d+", port_file.read_text())[-1])
            small, large = (workspace(Path(tempfile.mkdtemp(dir=scratch)), items) for items in (1, chosen.requests))
            _, start_cpu, _ = judged(small, port, chosen.width)
            seconds, cpu, peak = judged(large, port, chosen.width)
            opened = stats(port)["accepted"]
        finally:
            server.terminate()
    ratio = seconds / (chosen.requests / chosen.width * LATENCY)
    each = (cpu - start_cpu) / chosen.requests * 1000
    print(f"{chosen.requests:,} requests, {chosen.width} at a time; load {os.getloadavg()[0]:.1f}")
    print(f"  loop {seconds:.2f} s, {ratio:.2f} of the ideal (limit {MOST_OF_IDEAL}), {peak / 1024:.0f} MB, {opened} connections")
    print(f"  processor time {each:.2f} ms a request (limit {MOST_CPU_MS}); {start_cpu:.2f} s to start")
    raise SystemExit(ratio > MOST_OF_IDEAL or each > MOST_CPU_MS)


if __name__ == "__main__":
    main()
