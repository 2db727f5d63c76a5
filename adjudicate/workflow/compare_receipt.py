"""A workspace against a release receipt: is all that the receipt names still here, unchanged? What was added since is fine.

Only a receipt (or a backup) kept elsewhere shows that the end of a chain was cut off: what is left of it is a whole chain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.verification import event_ids, stored_policies
from adjudicate.workflow.pseudonyms import pseudonyms

KNOWN_LAYOUT = 1
SHOWN = 40


def read_receipt(path: Path) -> Mapping[str, Any]:
    """The receipt in a file.

    Raises:
        InputError: It cannot be read, or is no receipt.
    """
    shown = visible_line(str(path))
    try:
        receipt = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no JSON"
        raise InputError(f"--receipt {shown}: cannot be read ({reason})") from error
    if not isinstance(receipt, dict) or receipt.get("receipt") != KNOWN_LAYOUT:
        raise InputError(f"--receipt {shown}: not a receipt; 'adjudicate export receipt' writes one")
    return receipt


def compare_receipt(store: SqliteStore, receipt: Mapping[str, Any]) -> list[str]:
    """What the receipt names and the workspace lacks or has otherwise, in words.

    Raises:
        InputError: The receipt lacks what every receipt has.
    """
    try:
        return [problem for compare in (_chains, _policy, _runs, _draws, _judges) for problem in compare(store, receipt)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError("--receipt: incomplete or changed: it lacks what every receipt has") from error


def _chains(store: SqliteStore, receipt: Mapping[str, Any]) -> Iterator[str]:
    people = {name: annotator_id for annotator_id, name in pseudonyms(store).items()}
    for said in receipt["event_heads"]:
        name, count, head = str(said["annotator"]), int(said["events"]), said["head"]
        person = shortened(name, SHOWN)
        events = event_ids(store, people[name]) if name in people else {}
        if not events:
            yield f"{person}: the receipt has {count} events, here is none"
        elif count not in events:
            yield f"{person}: the receipt has {count} events, here are {len(events)}: the end of the chain is missing"
        elif events[count] != head:
            yield f"{person}: event {count} is not the one of the receipt: the chain was changed"


def _policy(store: SqliteStore, receipt: Mapping[str, Any]) -> Iterator[str]:
    fingerprint = str(receipt["policy"]["fingerprint"])
    if fingerprint not in {known for known, _, _ in stored_policies(store)}:
        yield f"the policy of the receipt ({shortened(fingerprint, SHOWN)}) is not here"


def _runs(store: SqliteStore, receipt: Mapping[str, Any]) -> Iterator[str]:
    runs = {run.id: run for run in store.runs()}
    for said in receipt["runs"]:
        run, name = runs.get(said["run"]), shortened(str(said["run"]), SHOWN)
        if run is None:
            yield f"run {name} of the receipt is not here"
        elif run.source_sha256 != said["sha256"]:
            yield f"run {name}: the receipt says it came from another file"
        elif run.items < int(said["items"]):
            yield f"run {name}: the receipt counts {int(said['items'])} items, here are {run.items}"


def _draws(store: SqliteStore, receipt: Mapping[str, Any]) -> Iterator[str]:
    draws = {draw.id: draw for draw in store.draws()}
    for said in receipt["draws"]:
        draw, name = draws.get(said["draw"]), shortened(str(said["draw"]), SHOWN)
        if draw is None:
            yield f"draw {name} of the receipt is not here"
        elif (draw.seed, [(each.name, each.size, each.drawn) for each in draw.strata]) != (
            said["seed"],
            [(each["stratum"], each["size"], each["drawn"]) for each in said["strata"]],
        ):
            yield f"draw {name}: seed or strata are not those of the receipt"


def _judges(store: SqliteStore, receipt: Mapping[str, Any]) -> Iterator[str]:
    judges = {judge.name: judge.verdicts for judge in store.judges()}
    for said in receipt["judges"]:
        if judges.get(said["judge"], 0) < int(said["verdicts"]):
            name = shortened(str(said["judge"]), SHOWN)
            yield f"judge {name}: the receipt counts {int(said['verdicts'])} verdicts, here are {judges.get(said['judge'], 0)}"
