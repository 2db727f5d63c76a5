"""A whole report over a large workspace: time and memory of `adjudicate report --json`, start included.

    python tests/performance/bench_report.py [--verdicts 1000000] [--keep FOLDER]

1,000,000 responses with one verdict each (200,000 prompts, 5 models), a sample of 2,500 items drawn from verdict strata, 5,000
labels of two annotators, 20 categories to slice by; then the same with four responses of each model to each of 50,000 prompts.
Rows are inserted directly; how fast an import is, `bench_import` says.

The floor, measured in the same run, is a plain program that counts the frame: one query over items, verdicts and prompts by
the fields of the report, in `sqlite3` without anything of ours. The ratio is ours to the floor, in processor time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from shared_parts import AT, empty_workspace, insert_run

from adjudicate.core import labels
from adjudicate.core.policy import Policy
from adjudicate.storage.connection import writing
from adjudicate.storage.rows import event_row
from adjudicate.storage.sqlite_store import INSERT_EVENT
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings

MODELS = 5
CATEGORIES = 20
LABELLED = 2500
ANSWERS = 4
"""Responses of a model to a prompt, in the second workspace."""
MOST_SECONDS, MOST_MEGABYTES = 10.0, 1024.0
POPULATIONS = (("benign", "benign/general"), ("benign", "benign/borderline"), ("harmful", "harmful/direct"))
RESPONSE = "An answer of ordinary length, as models give it. " * 8


def content_id(*parts: object) -> str:
    """An id as imports make them: 128 bits in hex, in no order."""
    return hashlib.sha256("\x00".join(map(str, parts)).encode()).hexdigest()[:32]


def prompts(count: int) -> Iterator[tuple[Any, ...]]:
    """Prompts of three populations, 20 categories, two languages."""
    for number in range(count):
        intent, population = POPULATIONS[number % len(POPULATIONS)]
        language = "de" if number % 4 == 0 else "en"
        yield (
            content_id("p", number), f"Question {number}?", None, intent, population, f"category {number % CATEGORIES:02d}",
            language, "",
        )  # fmt: skip


def items(count: int, answers: int) -> Iterator[tuple[Any, ...]]:
    """The responses of each model to each prompt."""
    for number in range(count * MODELS * answers):
        prompt, model = number // (MODELS * answers), number % MODELS
        yield (
            content_id("i", number), content_id("p", prompt), "r", f"model {model}", f"s{number}", number + 1,
            RESPONSE[: 100 + number % 290], "",
        )  # fmt: skip


def verdicts(count: int, answers: int) -> Iterator[tuple[Any, ...]]:
    """A judge that flags about a tenth, scores included."""
    noise = random.Random(20261)
    for number in range(count * MODELS * answers):
        benign = POPULATIONS[(number // (MODELS * answers)) % len(POPULATIONS)][0] == "benign"
        score = round(noise.random() ** 4, 3)
        outcome = "full_refusal" if benign == (score > 0.6) else "full_compliance"
        yield content_id("i", number), "j", outcome, score, 100 - 100 * score, 100 * score, "", ""


def build(workspace: Path, verdict_count: int, answers: int) -> None:
    """Make a workspace."""
    count = verdict_count // MODELS // answers
    store, policy, _ = empty_workspace(workspace)
    with writing(store.database, bulk=True) as connection:
        insert_run(connection, policy)
        connection.executemany("INSERT INTO prompts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", prompts(count))
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?)", items(count, answers))
        connection.executemany("INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", sorted(verdicts(count, answers)))
    people = tuple(store.annotator(name) for name in ("ann", "bo"))
    settings = DrawSettings(n=min(LABELLED, verdict_count // 4), annotators=("ann", "bo"), overlap=2, seed=7, repeats=0.0)
    draw_sample(store, settings, at=AT)
    with writing(store.database, bulk=True) as connection:
        for person in people:
            drawn = connection.execute(
                "SELECT a.item_id, v.outcome FROM assignments AS a JOIN verdicts AS v ON v.item_id = a.item_id"
                " WHERE a.annotator_id = ? ORDER BY a.position",
                (person.id,),
            ).fetchall()
            connection.executemany(INSERT_EVENT, chain(policy, person.id, drawn))
    store.close()


def chain(policy: Policy, annotator: str, drawn: list[tuple[str, str]]) -> Iterator[tuple[Any, ...]]:
    """Blind labels that follow the verdict nine times in ten, both annotators alike nine times in ten."""
    seq, previous = 0, labels.FIRST
    for item, verdict in drawn:
        noise = random.Random(f"{item}{annotator if int(item[:2], 16) < 26 else ''}")
        outcome = verdict if noise.random() < 0.9 else noise.choice([each.id for each in policy.outcomes])
        act = labels.label(policy, item_id=item, outcome=outcome, mode="blind", seconds=round(5 + noise.random() * 20, 2))
        event = labels.chained(
            act,
            annotator_id=annotator,
            seq=seq + 1,
            previous=previous,
            policy=policy.fingerprint,
            at=f"2026-11-29T12:{seq % 60:02d}:00.000Z",
        )
        seq, previous = event.seq, event.id
        yield event_row(event)


class Cost(NamedTuple):
    """What one program took."""

    seconds: float
    cpu: float
    """User and system time, in seconds: what the machine does besides does not count."""
    megabytes: float
    printed: str


def cost(*command: str) -> Cost:
    """Run a program of its own to its end."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        process = subprocess.Popen([sys.executable, *command], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"failed: {' '.join(command)}")
        out.seek(0)
        return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read())


FLOOR = """
import sqlite3, sys
query = (
    "SELECT p.population, p.intent, i.model, p.category, p.language, v.outcome, u.stratum, count(*), total(v.helpfulness)"
    " FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id JOIN verdicts AS v ON v.item_id = i.id"
    " LEFT JOIN draw_units AS u ON u.item_id = i.id GROUP BY 1, 2, 3, 4, 5, 6, 7"
)
print(len(sqlite3.connect(sys.argv[1]).execute(query).fetchall()))
"""

CASES: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1, ()),
    (1, ("rates",)),
    (1, ("accuracy",)),
    (1, ("--by", "category")),
    (ANSWERS, ()),
    (ANSWERS, ("rates",)),
)
"""Responses of a model to a prompt, and what follows `report --json`."""


def main() -> None:
    """Build, measure, print; exit 1 where the bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verdicts", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, default=None, help="build here, or use what was built here before")
    given = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        floors: dict[int, float] = {}
        for answers, arguments in CASES:
            workspace = folder / f"answers-{answers}"
            if not workspace.exists():
                folder.mkdir(parents=True, exist_ok=True)
                # In a process of its own: a child's peak memory, as the system counts it, begins with that of its parent.
                builder = get_context("spawn").Process(target=build, args=(workspace, given.verdicts, answers))
                builder.start()
                builder.join()
                if builder.exitcode:
                    raise SystemExit("the workspace could not be built")
            if answers not in floors:
                floor = cost("-c", FLOOR, str(workspace / "db" / "adjudicate.db"))
                floors[answers] = floor.cpu
                print(f"{answers} answers, floor: {floor.cpu:.1f} s of processor time, {floor.megabytes:.0f} MB")
            found = cost("-m", "adjudicate", "-w", str(workspace), "report", "--json", *arguments)
            worst = max(worst, found.seconds / MOST_SECONDS, found.megabytes / MOST_MEGABYTES)
            print(_line(answers, arguments, found, floors[answers]))
    sys.exit(worst > 1)


def _line(answers: int, arguments: tuple[str, ...], found: Cost, floor: float) -> str:
    printed = json.loads(found.printed)
    slices = {value for each in printed["estimates"] if (value := each["group"].get("category")) is not None}
    return (
        f"{answers} answers, report {' '.join(arguments) or 'all'}: {found.cpu / floor:.2f} of the floor; {found.seconds:.1f} s,"
        f" {found.cpu:.1f} s of processor time, {found.megabytes:.0f} MB; {printed['items']:,} items,"
        f" {printed['labelled']:,} labelled, {len(printed['estimates']):,} estimates, {len(slices)} category slices"
    )


if __name__ == "__main__":
    main()
