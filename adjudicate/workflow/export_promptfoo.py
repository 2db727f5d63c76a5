"""A copy of imported promptfoo results with what people said of them: a human rating beside the judge's components.

A result passes where its outcome is right for the intent of its prompt. Where the policy does not say, it is left as it is.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from adjudicate.core.gold import Gold, settle
from adjudicate.core.labels import origin
from adjudicate.core.policy import Policy
from adjudicate.core.right_wrong import is_right
from adjudicate.errors import AdjudicateError, UsageError
from adjudicate.formats.json_document import is_document
from adjudicate.formats.packed_file import open_any
from adjudicate.formats.promptfoo_rating import Place, Rating, rated, rated_line
from adjudicate.formats.table_copy import is_marked, pieces, write_text
from adjudicate.formats.text_file import SourceFile, open_source
from adjudicate.storage.rows import Run
from adjudicate.storage.source_rows_of import source_rows
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.imported_log import HOW, imported_log
from adjudicate.workflow.pseudonyms import pseudonyms
from adjudicate.workflow.read_again import CANNOT, read_again
from adjudicate.workflow.said_items import read_said

FORMAT = "promptfoo"
TOLD = "{results:,} results got a rating. The copy holds the prompts and responses of the results: handle it with the same care"


def promptfoo_files(store: SqliteStore, options: ExportOptions) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """The one file: the results with ratings.

    Args:
        store: An open store.
        options: ``source`` names the results.

    Raises:
        UsageError: They are not what was imported, or nothing in them is settled.
        InputError: They cannot be read.
    """
    named = open_source(options.source or Path())
    run = imported_log(store, named, of=FORMAT, title="promptfoo", run_id=options.run)
    kept = json.loads(store.run_options(run.id))
    with _opened(named, kept.get("encoding")) as source:
        places = _places(store, run, source, kept, options)
    ratings, left = _ratings(store, places, options)
    if not ratings:
        raise UsageError(f"{named.shown}: no result of this file is settled here, so there is nothing to write back{_told(left)}")
    if left:
        options.tell(f"{named.shown}:{_told(left)}")
    suffix = ".jsonl" if ".jsonl" in named.name.lower() else ".json"

    def write(path: Path) -> None:
        _write(named, kept.get("encoding"), ratings, path)
        options.tell(TOLD.format(results=len(ratings)))

    yield f"{named.stem}-adjudicated{suffix}", write


@contextlib.contextmanager
def _opened(named: SourceFile, encoding: str | None) -> Iterator[SourceFile]:
    """The file, unpacked where it is compressed; it has to be what it was."""
    with tempfile.TemporaryDirectory(prefix="adjudicate-") as scratch:
        source = open_any(named.path, encoding, Path(scratch))
        if source.sha256 != named.sha256:
            raise source.refused("the file changed while it was written back; export again")
        yield source


def _places(
    store: SqliteStore, run: Run, source: SourceFile, kept: Mapping[str, Any], options: ExportOptions
) -> dict[Place, str]:
    """Items by the place of their result; of those that another run brought too."""
    places = {_place(row.text, row.line): row.item_id for row in source_rows(store.database.connection, run.id)}
    try:
        for row, item in read_again(source, run.source_name, FORMAT, kept, store.policy()):
            places.setdefault(_place(row.source, row.line), item)
    except AdjudicateError as error:
        options.tell(f"{CANNOT}: {error}")
    return places


def _place(kept: str, line: int) -> Place:
    """Where a result stands: what its item keeps, or the line of results in JSON lines, whose text is kept instead."""
    found = json.loads(kept)
    if found.keys() == {"row", "output"}:
        return found["row"], found["output"]
    return (found["result"], None) if found.keys() == {"result"} else (line, None)


def _why_not(gold: Gold) -> str:
    if gold.waits:
        return "wait for labels to be made again under the policy in force"
    return "wait for a ruling" if gold.is_open else "have an outcome that the policy calls neither right nor wrong"


def _ratings(store: SqliteStore, places: Mapping[Place, str], options: ExportOptions) -> tuple[dict[Place, Rating], Counter[str]]:
    """Ratings by place, and how many results got none, by reason."""
    policy, said, names = store.policy(), read_said(store), pseudonyms(store)
    frame = {item.item_id: item for item in said.items}
    found: dict[Place, Rating] = {}
    left: Counter[str] = Counter()
    for place, item_id in places.items():
        item, gold = frame.get(item_id), settle(said.events.get(item_id, ()))
        if gold is None or item is None or options.model not in (None, item.model):
            continue
        intent = said.ruled_intents.get(item.prompt_id, item.intent)
        passed = None if gold.outcome is None else is_right(policy, gold.outcome, intent)
        if passed is None:
            left[_why_not(gold)] += 1
        else:
            found[place] = _rating(policy, gold, names, passed=passed, with_text=options.with_text)
    return found, left


def _rating(policy: Policy, gold: Gold, names: Mapping[str, str], *, passed: bool, with_text: bool) -> Rating:
    basis = gold.settlement or gold.labels[0]
    outcome = policy.outcome(str(gold.outcome))
    clause, rationale = basis.body.get("clause"), basis.body.get("rationale") if with_text else None
    told = f"{outcome.title if outcome else gold.outcome} ({HOW[gold.how]}; policy {policy.id} {policy.version}"
    told += f", clause {clause})" if clause else ")"
    labels = {names[event.annotator_id]: event.outcome for event in gold.labels}
    noted = {
        "outcome": gold.outcome,
        "how": gold.how,
        "clause": clause,
        "labels": labels,
        "events": {names[event.annotator_id]: origin(event) for event in gold.labels},
        "modes": {names[event.annotator_id]: event.mode for event in gold.labels if event.mode},
        "settled_by": origin(gold.settlement) if gold.settlement else None,
        "policy": basis.policy,
        "day": basis.at[:10],
    }
    return Rating(passed, f"{told}: {rationale}" if rationale else told, noted)


def _told(left: Mapping[str, int]) -> str:
    return "".join(f" {number:,} results {reason} and are left as they are." for reason, number in left.items())


def _write(named: SourceFile, encoding: str | None, ratings: Mapping[Place, Rating], path: Path) -> None:
    with _opened(named, encoding) as source:
        texts = [rated(source, ratings)] if is_document(source) else _rated_lines(source, ratings)
        write_text(path, texts, encoding=source.encoding, marked=is_marked(source))


def _rated_lines(source: SourceFile, ratings: Mapping[Place, Rating]) -> Iterator[str]:
    for place, text, end in pieces(source, "lines", None):
        rating = ratings.get((place, None)) if place is not None else None
        yield (text if rating is None else rated_line(text, rating)) + end
