"""Validation sets for Inspect Scout: which transcripts a scanner should find, by their ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from adjudicate.errors import UsageError
from adjudicate.formats.writers import Record
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.yes_or_no import answered

COLUMNS = ("id", "target", "predicate")
PREDICATE = "eq"
"""How Scout compares what its scanner found with the target."""
PLAIN = re.compile(r"0|[1-9][0-9]{0,17}|[\w.-]*[a-z_-][\w.-]*", re.ASCII | re.IGNORECASE)
"""Ids that Scout reads as they are: it splits at commas, and other numbers lose their zeros."""


def scout_records(store: SqliteStore, options: ExportOptions) -> Iterator[Record]:
    """One row an item with gold: its sample's uuid, which is Scout's transcript id, or the id that its log gave it.

    Args:
        store: An open store.
        options: ``rate`` says which outcomes a scanner should find.

    Raises:
        UsageError: No item has an id, or `answered` says why.
    """
    kept: dict[str, dict[str, str]] = {}
    nameless = found = 0
    for place, yes in answered(store, options):
        if place.run_id not in kept:
            kept[place.run_id] = store.item_sources(place.run_id)
        name = _uuid(kept[place.run_id][place.item_id]) or place.source_id
        if not name:
            nameless += 1
            continue
        found += 1
        yield {"id": _written(name), "target": "True" if yes else "False", "predicate": PREDICATE}
    if not found:
        raise UsageError("scout: no settled item has an id that its log gave it, and Scout knows transcripts by nothing else")
    if nameless:
        options.tell(f"{nameless:,} settled items have no id of their log and are left out")


def _written(name: str) -> str:
    """The id as Scout reads it back; one that it would take for something else is a list of one."""
    return name if PLAIN.fullmatch(name) and not _is_other(name) else json.dumps([name])


def _is_other(name: str) -> bool:
    """Whether a word is a number or a missing value to pandas, with which Scout reads."""
    try:
        return not name.isdecimal() and float(name) is not None
    except ValueError:
        return name.lower() in ("null", "none", "na", "n-a", "true", "false")


def _uuid(kept: str) -> str:
    """The uuid of an Inspect sample; empty for items of other logs."""
    try:
        where = json.loads(kept)
    except ValueError:
        return ""
    found = where.get("uuid") if isinstance(where, dict) and where.keys() >= {"sample", "epoch"} else None
    return found if isinstance(found, str) else ""
