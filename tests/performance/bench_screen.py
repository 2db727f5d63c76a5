"""Labelling in a workspace of a million items, beside a bare Textual labeller in the same run.

    python tests/performance/bench_screen.py [--tools ../shared/tools/latency] [--items 1000000] [--keep FOLDER]

All programs run in a real pty of 120x36; a step is timed from the key's byte going in to the paint that shows what it did.
The floor commits one row with the same durability (WAL, synchronous=FULL) and paints one text of the same length. The
workspace is built once; the labels of one measurement stay for the next. Typed ahead is measured twice: 20 keys that go to
another item, in one piece; and 20 labels at the pace of a fast hand (33 ms), timed from the last key, where none may be lost.
Faster labels the program refuses on purpose, as a paste.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bench_browse import build, texts
from hand import Hand
from shared_parts import add_tools, painted, tool

from adjudicate.storage.sqlite_store import SqliteStore

WORDS = 240
"""Most words of a response: about 1,500 characters then."""
SHARE_A_PROMPT = 5
TYPED = 20
BURSTS = 30
WARM_LABELS, LABELS, ENDS = 500, 5_000, 500
LONG_CHARACTERS = 1_000_000
SIZE = ("--size", "120x36")


class Row(NamedTuple):
    """One printed line."""

    title: str
    value: float
    limit: float
    note: str


def adjudicate(*arguments: str | Path) -> None:
    """The program itself, silent."""
    subprocess.run([sys.executable, "-m", "adjudicate", *map(str, arguments)], check=True, capture_output=True)


def labeller(workspace: Path) -> list[str | Path]:
    """The command that is measured."""
    return [sys.executable, "-m", "adjudicate", "-w", workspace, "label", "--annotator", "ann"]


def draw(workspace: Path, count: int) -> Path:
    """A sample without verdicts, so that each digit goes straight to the next item, as the floor does."""
    adjudicate("-w", workspace, "draw", "--n", str(count), "--annotators", "ann", "--seed", "1")
    return workspace


def long_item(folder: Path) -> Path:
    """A workspace of one response of a megabyte."""
    words = " ".join(texts(2 * LONG_CHARACTERS // (5 * WORDS), WORDS))
    (folder / "long.jsonl").write_text(json.dumps({"id": "long", "prompt": "?", "response": words[:LONG_CHARACTERS]}) + "\n")
    adjudicate("init", folder / "long", "--policy", "xstest")
    adjudicate("-w", folder / "long", "import", folder / "long.jsonl", "--set", "intent=benign")
    return draw(folder / "long", 1)


def bare_command(folder: Path, chosen: argparse.Namespace, labels: str) -> list[str | Path]:
    """The floor, with labels of its own."""
    return [sys.executable, chosen.tools / "apps" / "textual_minimal.py", floor_tasks(folder), folder / labels]


def floor_tasks(folder: Path) -> Path:
    """What the bare labeller shows: responses of the same length."""
    path = folder / "tasks.jsonl"
    rows = [
        {"id": f"t{number}", "prompt": f"Question {number}?", "response": text, "prediction": "pass", "score": 0.5}
        for number, text in enumerate(islice(texts(2000, WORDS), 2000))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


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


def start_rows(made: dict[str, Path], chosen: argparse.Namespace) -> list[Row]:
    """Start to the first item, beside an app that shows one line."""
    bare = [sys.executable, chosen.tools / "apps" / "textual_minimal.py"]
    seconds = {
        name: tool(chosen.tools, *SIZE, "--ready", ready, "--starts", str(chosen.starts), "--", *command)["start"]["ready_s"][
            "median"
        ]
        for name, ready, command in (
            ("large", "item 1 of", labeller(made["large"])),
            ("small", "item 1 of", labeller(made["small"])),
            ("bare", "ready to label", bare),
        )
    }
    return [
        Row("start to first item / bare Textual app", seconds["large"] / seconds["bare"], 2.0,
            f"{seconds['large']:.3f} s / {seconds['bare']:.3f} s"),
        Row("start, large / small workspace", seconds["large"] / seconds["small"], 1.3, f"small {seconds['small']:.3f} s"),
    ]  # fmt: skip


def key_rows(folder: Path, made: dict[str, Path], chosen: argparse.Namespace) -> list[Row]:
    """Key to next item, and keys typed ahead: all in the same sittings."""
    database = made["large"] / "db" / "adjudicate.db"
    store = SqliteStore.open(database)
    ours = Hand(chosen.tools, "item 1 of", *labeller(made["large"]))
    small = Hand(chosen.tools, "item 1 of", *labeller(made["small"]))
    bare = Hand(chosen.tools, "item 1 of", *bare_command(folder, chosen, "labels.db"))
    number, one = r"item (\d+) of", r"+1 /item (\d+) of/"
    floor = bare.each(chosen.repeat, lambda place: "yn"[place % 2], one)
    keys = ours.each(chosen.repeat, lambda place: "12"[place % 2], one)
    few = small.each(chosen.repeat, lambda place: "12"[place % 2], one)
    floor_burst = [bare.at_once("y" * TYPED, f"+{TYPED} /{number}/") for _ in range(BURSTS)]
    floor_ahead = [bare.ahead("yn" * (TYPED // 2), f"+{TYPED} /{number}/") for _ in range(BURSTS)]
    ahead = [ours.ahead("12" * (TYPED // 2), f"+{TYPED} /{number}/") for _ in range(BURSTS)]
    pending = [pick.item_id for pick in store.pending(store.annotator("ann").id, after=-1, limit=(BURSTS + 1) * TYPED)]
    prompts = [int(item, 16) // SHARE_A_PROMPT for item in pending]
    burst = [ours.at_once("n" * TYPED, rf"/Question {prompts[(place + 1) * TYPED]}\?/") for place in range(BURSTS)]
    store.close()
    for each in (ours, small, bare):
        each.close()
    base = ms(floor)
    return [
        Row("key to next item p50 / bare labeller", ms(keys) / base, 2.5, f"{ms(keys):.1f} ms / {base:.1f} ms"),
        Row("key to next item p50, large / small workspace", ms(keys) / ms(few), 1.3, f"small {ms(few):.1f} ms"),
        Row(f"{TYPED} keys at once (n) to the last item / {TYPED} of the bare labeller", ms(burst) / ms(floor_burst), 2.0,
            f"{ms(burst):.1f} ms / {ms(floor_burst):.1f} ms"),
        Row(f"{TYPED} labels at a hand's pace, last key to its paint / bare", ms(ahead) / ms(floor_ahead), 2.5,
            f"{ms(ahead):.1f} ms / {ms(floor_ahead):.1f} ms; {TYPED * BURSTS} keys, none lost"),
    ]  # fmt: skip


def long_rows(folder: Path, chosen: argparse.Namespace) -> list[Row]:
    """Paging through a response of a megabyte."""
    where = r"differs /(\d+-\d+) of \d+ lines, \d+ %/"
    result = tool(
        chosen.tools, *SIZE, "--ready", "item 1 of", "--starts", "1", "--repeat", str(chosen.repeat),
        "--step", f"<pgdn> => {where}", "--step", f"<pgdn> => {where}", "--step", f"<pgup> => {where}",
        "--", *labeller(long_item(folder)),
    )  # fmt: skip
    times = painted(result)
    return [
        Row("page down in a response of 1 MB, p50 in ms", max(step["p50_ms"] for step in times), 30.0,
            f"p99 {max(step['p99_ms'] for step in times):.1f} ms"),
        Row("memory with it on screen, in MB", result["keys"]["memory"]["rss_mb"], 150.0, ""),
    ]  # fmt: skip


def growth_rows(folder: Path, made: dict[str, Path], chosen: argparse.Namespace) -> list[Row]:
    """A long day: memory before and after thousands of labels, and whether the last key is as quick as the first.

    The bare labeller is asked at both ends, so that another load of the machine is not taken for growth.
    """
    ours = Hand(chosen.tools, r"item \d+ of", *labeller(made["large"]), quiet=0.005)
    bare = Hand(chosen.tools, "item 1 of", *bare_command(folder, chosen, "day.db"), quiet=0.005)
    one = r"+1 /item (\d+) of/"
    ours.each(WARM_LABELS, lambda place: "12"[place % 2], one)
    before, _ = ours.megabytes()
    bare_first = bare.each(chosen.repeat, lambda place: "yn"[place % 2], one)
    keys = ours.each(LABELS, lambda place: "12"[place % 2], one)
    bare_last = bare.each(chosen.repeat, lambda place: "yn"[place % 2], one)
    after, most = ours.megabytes()
    ours.close()
    bare.close()
    first, last, sync = ms(keys[:ENDS]) / ms(bare_first), ms(keys[-ENDS:]) / ms(bare_last), fsync_p99(folder)
    return [
        Row(
            "key to next item p99 in ms", p99(keys), 60 + sync, f"{LABELS:,} keys; 60 and the machine's commit p99, {sync:.1f} ms"
        ),
        Row("memory, statistics beside it included, in MB", most, 150.0, f"{after:.1f} without"),
        Row(f"growth over {LABELS:,} labels, in MB", after - before, 3.0, ""),
        Row(f"key p50 / bare labeller, last {ENDS} labels / first {ENDS}", last / first, 1.3, f"{last:.2f} / {first:.2f}"),
    ]


def ms(seconds: list[float]) -> float:
    """Median in milliseconds."""
    return statistics.median(seconds) * 1000


def p99(seconds: list[float]) -> float:
    """99th percentile in milliseconds."""
    return sorted(seconds)[-(-99 * len(seconds) // 100) - 1] * 1000


def main() -> int:
    """Build, measure, print; 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_tools(parser)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, default=None, help="build here, or use a copy of what was built here before")
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--starts", type=int, default=10)
    chosen = parser.parse_args()
    if not chosen.tools.is_dir():
        print(f"needs the measuring tools: {chosen.tools} is not there")
        return 2
    with tempfile.TemporaryDirectory() as name:
        return measure(Path(name), chosen)


def measure(folder: Path, chosen: argparse.Namespace) -> int:
    """Every measurement of one run."""
    needed = chosen.repeat + 2 * TYPED * BURSTS + WARM_LABELS + LABELS + 100
    made: dict[str, Any] = {"large": chosen.keep or folder / "large", "small": folder / "small"}
    for name, count in (("large", chosen.items), ("small", max(needed, 1000))):
        if not made[name].exists():
            build(made[name], count, words=WORDS, judged=False)
            draw(made[name], needed)
    # What was built and is still to be written would otherwise compete with the commits that are timed.
    os.sync()
    rows = (
        start_rows(made, chosen) + key_rows(folder, made, chosen) + long_rows(folder, chosen) + growth_rows(folder, made, chosen)
    )
    print(f"{chosen.items:,} items against {max(needed, 1000):,}; load {os.getloadavg()[0]:.2f}")
    for title, value, limit, note in rows:
        told = f"{'ok  ' if value <= limit else 'OVER'} {title:<66} {value:7.2f}  limit {limit:6.2f}"
        print(f"{told}  ({note})" if note else told)
    return 0 if all(row.value <= row.limit for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
