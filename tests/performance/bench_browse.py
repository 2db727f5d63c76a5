"""The list of a million items through a pty: scrolling, searching, opening, memory, beside a bare labeller in the same run.

    python tests/performance/bench_browse.py [--items 1000000] [--keep FOLDER] [--tools ../shared/tools/latency]

The texts are made of 20,000 invented words, 60 to a response, a few of them common and most of them rare. Rows are inserted
directly; how fast an import is, `bench_import` says. What is timed is from a key's byte going in to the paint that shows its
effect; of a search, to the paint of its first results. The floor is the bare Textual labeller of `bench_screen`.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared_parts import add_tools, bare_labeller, empty_workspace, insert_run, painted, tool

from adjudicate.storage.browse_index import attach_index, fill
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore

SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "do", "fe", "ga", "hi")
WORDS_PER_RESPONSE = 60
POPULATIONS = ("benign/general", "benign/borderline", "harmful/direct")
OUTCOMES = ("full_compliance", "full_refusal", "partial_refusal", None)
LIMITS = {"scroll p99 ms": 40.0, "search p99 ms": 150.0, "open p50 ms": 50.0, "memory MB": 150.0, "row p50 / bare": 3.0}


def vocabulary() -> list[str]:
    """Invented words of three syllables and more."""
    chance = random.Random(1)
    return sorted({"".join(chance.choices(SYLLABLES, k=chance.randint(3, 5))) for _ in range(20_000)})


def texts(count: int, most: int = WORDS_PER_RESPONSE) -> Iterator[str]:
    """Responses of up to so many words, half of them at least: common words often, rare ones seldom."""
    chance, words = random.Random(2), vocabulary()
    weights = [1 / (rank + 10) for rank in range(len(words))]
    pool = chance.choices(words, weights, k=2_000_000)
    for _ in range(count):
        start = chance.randrange(len(pool) - most)
        yield " ".join(pool[start : start + most - chance.randrange(most // 2)])


def build(folder: Path, count: int, *, words: int = WORDS_PER_RESPONSE, judged: bool = True) -> Path:
    """A workspace of so many items, each with a verdict or none with one; nothing is drawn. Five items share a prompt."""
    store, policy, database = empty_workspace(folder)
    with writing(store.database, bulk=True) as connection:
        insert_run(connection, policy)
        connection.executemany(
            "INSERT INTO prompts VALUES (?, ?, NULL, ?, ?, ?, 'en', '')",
            (
                (f"p{number:07d}", f"Question {number}?", POPULATIONS[number % 3][:7].strip("/"), POPULATIONS[number % 3], "")
                for number in range(count // 5 + 1)
            ),
        )
        connection.executemany(
            "INSERT INTO items VALUES (?, ?, 'r', ?, ?, ?, ?, '')",
            (
                (f"{number:07x}", f"p{number // 5:07d}", f"model {number % 5}", f"s{number}", number + 1, text)
                for number, text in enumerate(texts(count, words))
            ),
        )
        connection.executemany(
            "INSERT INTO verdicts VALUES (?, 'j', ?, ?, NULL, NULL, '', '')",
            ((f"{number:07x}", OUTCOMES[number % 17 % 4], number % 101 / 100) for number in range(count if judged else 0)),
        )
    store.close()
    return database


def index(database: Path) -> dict[str, float]:
    """Seconds that each part of the index takes the first time."""
    store = SqliteStore.open(database)
    attach_index(store.database)
    taken = {}
    for part in ("facets", "texts"):
        began = time.perf_counter()
        fill(store.database, part, lambda _now: True)  # type: ignore[arg-type]
        taken[part] = time.perf_counter() - began
    store.close()
    return taken


def main() -> int:
    """Build, measure, print; 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_tools(parser)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, default=None, help="build here, or use what was built here before")
    parser.add_argument("--repeat", type=int, default=60)
    chosen = parser.parse_args()
    if not chosen.tools.is_dir():
        print(f"needs the measuring tools: {chosen.tools} is not there")
        return 2
    with tempfile.TemporaryDirectory() as name:
        return measure(Path(name), chosen)


def measure(scratch: Path, chosen: argparse.Namespace) -> int:
    """Every measurement of one run."""
    folder = chosen.keep or scratch / "ws"
    if not folder.exists():
        index_seconds = index(build(folder, chosen.items))
        print(", ".join(f"{part} of {chosen.items:,} items indexed in {taken:.1f} s" for part, taken in index_seconds.items()))
    os.sync()
    home = [sys.executable, "-m", "adjudicate", "-w", folder]
    size = ("--size", "120x36")
    common = [*size, "--ready", "Next step", "--starts", "1", "--repeat", str(chosen.repeat), "--before", "i => /as imported/"]
    row, many = r"differs /row ([\d,]+) of/", r"differs /─ ([\d,]+ found[a-z ]*)/"
    scroll = tool(
        chosen.tools, *common, "--step", f"<pgdn> => {row}", "--step", f"<end> => {row}", "--step", f"<pgup> => {row}",
        "--step", f"<home> => {row}", "--", *home,
    )  # fmt: skip
    lines = tool(chosen.tools, *common, "--step", f"j => {row}", "--step", f"j => {row}", "--", *home)
    opened = tool(chosen.tools, *common, "--step", "<enter> => /read only/", "--step", "q => /as imported/", "--", *home)
    search = tool(
        chosen.tools, *common, "--before", "/ => /back to the list/", "--before", "zu => /found/", "--gap", "400",
        "--step", f"r => {many}", "--step", f"av => {many}",
        "--step", f"<backspace><backspace> => {many}", "--step", f"<backspace> => {many}",
        "--", *home,
    )  # fmt: skip
    narrow = tool(
        chosen.tools, *common, "--before", "/ => /back to the list/", "--before", "verdict:full => /found/", "--gap", "400",
        "--step", f"_r => {many}", "--step", f"<backspace><backspace> => {many}", "--", *home,
    )  # fmt: skip
    tasks = scratch / "tasks.jsonl"
    subprocess.run([sys.executable, str(chosen.tools / "gen_tasks.py"), "1000", str(tasks)], check=True)
    floor = bare_labeller(chosen.tools, tasks, scratch / "labels.db", *size, repeat=chosen.repeat)
    base = sum(step["p50_ms"] for step in painted(floor)) / 2
    rows = [
        ("scrolling by pages and to the ends, p99 in ms", max(step["p99_ms"] for step in painted(scroll)), "scroll p99 ms"),
        ("a row down p50 / bare labeller", painted(lines)[0]["p50_ms"] / base, "row p50 / bare"),
        ("a letter of a word to its first results, p99 in ms", max(step["p99_ms"] for step in painted(search)), "search p99 ms"),
        (
            "a letter of a filter to its first results, p99 in ms",
            max(step["p99_ms"] for step in painted(narrow)),
            "search p99 ms",
        ),
        ("opening an item, p50 in ms", painted(opened)[0]["p50_ms"], "open p50 ms"),
        ("memory after searching, in MB", memory(search), "memory MB"),
    ]
    print(f"{chosen.items:,} items; load {os.getloadavg()[0]:.2f}; bare labeller p50 {base:.1f} ms")
    for title, value, limit in rows:
        print(f"{'ok  ' if value <= LIMITS[limit] else 'OVER'} {title:<54} {value:7.2f}  limit {LIMITS[limit]:6.2f}")
    return 0 if all(value <= LIMITS[limit] for _, value, limit in rows) else 1


def memory(result: dict[str, Any]) -> float:
    """Resident memory at the end, in MB."""
    return float(result["keys"]["memory"]["rss_mb"])


if __name__ == "__main__":
    sys.exit(main())
