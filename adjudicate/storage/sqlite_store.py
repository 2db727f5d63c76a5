"""The SQLite store: policies, people, events and items. Draws are in `sampling`, bulk import in `import_rows`."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudicate.core.items import Item, Verdict
from adjudicate.core.labels import FIRST, TRIAGE, Act, Event, broken_links, chained, note_digest
from adjudicate.core.policy import Policy
from adjudicate.errors import StoreError
from adjudicate.storage import frames, outdated, policy_versions, queue_turns, same_prompts, verdict_repeats
from adjudicate.storage.connection import Database, backup, open_database, writing
from adjudicate.storage.draws import DrawTables
from adjudicate.storage.outdated import Outdated
from adjudicate.storage.policy_versions import JudgeVerdicts, Placed, PolicyVersion
from adjudicate.storage.pseudonym_numbers import insert_annotator
from adjudicate.storage.rows import (
    EVENT_COLUMNS,
    ITEM_COLUMNS,
    VERDICT_COLUMNS,
    Annotator,
    Judge,
    Run,
    event_from,
    event_row,
    item_from,
    policy_from,
    policy_json,
    verdict_from,
)
from adjudicate.storage.store import Frame, FrameCell, FrameItem, RepeatedVerdict

POLICY_IN_FORCE = "SELECT compiled FROM policies ORDER BY adopted_at DESC, rowid DESC LIMIT 1"
ANNOTATOR = "SELECT id, name, source, pseudonym FROM annotators WHERE name = ?"
LAST_EVENT = "SELECT seq, id FROM events WHERE annotator_id = ? ORDER BY seq DESC LIMIT 1"
INSERT_EVENT = f"INSERT INTO events ({EVENT_COLUMNS}) VALUES ({', '.join('?' * 13)})"
# What an adjudicator called unclear is a flag, but no act of labelling (`dispute_rows.last_act`).
LAST_ACT = f"""
SELECT {EVENT_COLUMNS} FROM live_events
WHERE annotator_id = ? AND kind IN (SELECT value FROM json_each(?)) AND json_extract(body, '$.unclear') IS NULL
    AND (round = {TRIAGE}) = ?
ORDER BY seq DESC LIMIT 1
"""
OPEN_ITEMS = """
SELECT item_id FROM disagreements AS d ORDER BY (SELECT min(rowid) FROM events AS e WHERE e.item_id = d.item_id)
"""
RUNS = """
SELECT r.id, r.name, r.dataset, r.format, r.source_name, r.source_sha256, r.imported_at,
    (SELECT count(*) FROM items WHERE run_id = r.id)
FROM runs AS r ORDER BY r.rowid
"""
JUDGES = """
SELECT j.id, j.name, count(v.item_id), count(v.item_id) - count(v.outcome)
FROM judges AS j LEFT JOIN verdicts AS v ON v.judge_id = j.id GROUP BY j.id ORDER BY count(v.item_id) DESC, j.rowid
"""
POPULATIONS = """
SELECT p.population, count(*) FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id GROUP BY 1 ORDER BY 1
"""
VERDICTS = f"""
SELECT {VERDICT_COLUMNS} FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id WHERE v.item_id = ? ORDER BY j.rowid
"""
TRIAGE_LABELS = f"""
SELECT count(DISTINCT annotator_id || ' ' || item_id) FROM live_events WHERE round = {TRIAGE} AND kind = 'label'
"""


class SqliteStore(DrawTables):
    """A workspace's database, opened by and bound to one thread."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def open(cls, path: Path, *, create: bool = False) -> SqliteStore:
        """Open the database at `path`; see `storage.connection.open_database` for what it refuses."""
        return cls(open_database(path, create=create))

    @property
    def path(self) -> Path:
        """The database file."""
        return self.database.path

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def put_policy(self, policy: Policy, at: str) -> None:
        """Make a policy the one in force; adopting the same text again makes it the newest again."""
        row = (policy.fingerprint, policy.id, policy.version, policy.title, policy.text, policy_json(policy), at)
        with writing(self.database) as connection:
            connection.execute(
                "INSERT INTO policies VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET adopted_at = excluded.adopted_at",
                row,
            )
            connection.execute("INSERT INTO adoptions VALUES (?, ?)", (policy.fingerprint, at))
        self.look_again()

    def policy(self, fingerprint: str | None = None) -> Policy:
        """The policy in force, or the one with this fingerprint."""
        if fingerprint is None:
            row = self._read(POLICY_IN_FORCE).fetchone()
        else:
            row = self._read("SELECT compiled FROM policies WHERE fingerprint = ?", (fingerprint,)).fetchone()
        if row is None:
            raise StoreError("the workspace has no policy yet; adopt one with 'adjudicate policy adopt FILE'")
        return policy_from(row[0])

    def annotator(self, name: str, source: str = "os user") -> Annotator:
        """The person with this name, made with a random id where new: the id says nothing about the person."""
        found = self._read(ANNOTATOR, (name,)).fetchone()
        if found is None:
            with writing(self.database) as connection:
                insert_annotator(connection, f"a-{secrets.token_hex(6)}", name, source)
            found = self._read(ANNOTATOR, (name,)).fetchone()
        return Annotator(*found)

    def annotators(self) -> list[Annotator]:
        """Everyone, in order of appearance."""
        return [Annotator(*row) for row in self._read("SELECT id, name, source, pseudonym FROM annotators ORDER BY rowid")]

    def append(self, annotator_id: str, act: Act, *, policy: str, at: str, wait: float | None = None) -> Event:
        """Add an act to the person's chain: one row, one transaction, durable on return."""
        with writing(self.database, wait=wait) as connection:
            last = connection.execute(LAST_EVENT, (annotator_id,)).fetchone()
            seq, previous = (last[0] + 1, last[1]) if last else (1, FIRST)
            salt = secrets.token_hex(16) if act.note else ""
            if act.note:
                act = Act(**{**_act_fields(act), "body": {**act.body, "note_digest": note_digest(act.note, salt)}})
            event = chained(act, annotator_id=annotator_id, seq=seq, previous=previous, policy=policy, at=at)
            connection.execute(INSERT_EVENT, event_row(event))
            if act.note:
                connection.execute("INSERT INTO notes VALUES (?, ?, ?)", (event.id, salt, act.note))
        return event

    def chain(self, annotator_id: str) -> list[Event]:
        """The person's events in order."""
        query = f"SELECT {EVENT_COLUMNS} FROM events WHERE annotator_id = ? ORDER BY seq"
        return [self._event(row) for row in self._read(query, (annotator_id,))]

    def heads(self) -> list[tuple[str, int, str]]:
        """Annotator id, number of events and id of the last one, for everyone who did anything."""
        query = "SELECT annotator_id, max(seq), id FROM events GROUP BY annotator_id ORDER BY annotator_id"
        return [(row[0], row[1], row[2]) for row in self._read(query)]

    def own_events(self, annotator_id: str, item_id: str) -> list[Event]:
        """What the person did on one item, in order."""
        query = f"SELECT {EVENT_COLUMNS} FROM events WHERE item_id = ? AND annotator_id = ? ORDER BY seq"
        return [self._event(row) for row in self._read(query, (item_id, annotator_id))]

    def last_act(self, annotator_id: str, kinds: Sequence[str], *, triage: bool = False) -> Event | None:
        """The person's latest act of these kinds that no undo has taken back: of their list, or of triage."""
        row = self._read(LAST_ACT, (annotator_id, json.dumps(list(kinds)), triage)).fetchone()
        return self._event(row) if row else None

    def events_on(self, item_ids: Sequence[str] | None = None, *, triage: bool = False) -> dict[str, list[Event]]:
        """All events by item; of the named items, or of all. What was said in triage is left out unless it is asked for."""
        query = f"SELECT {EVENT_COLUMNS} FROM events WHERE round >= ?"
        lowest = TRIAGE if triage else 0
        if item_ids is None:
            rows = self._read(f"{query} ORDER BY rowid", (lowest,))
        else:
            values = (lowest, json.dumps(list(item_ids)))
            rows = self._read(f"{query} AND item_id IN (SELECT value FROM json_each(?)) ORDER BY rowid", values)
        by_item: dict[str, list[Event]] = defaultdict(list)
        for row in rows:
            by_item[row[5]].append(self._event(row))
        return dict(by_item)

    def notes(self, event_ids: Sequence[str]) -> dict[str, str]:
        """Text of the notes of these events that have one."""
        query = "SELECT event_id, text FROM notes WHERE event_id IN (SELECT value FROM json_each(?))"
        return dict(self._read(query, (json.dumps(list(event_ids)),)).fetchall())

    def put_draft(self, annotator_id: str, item_id: str, text: str) -> None:
        """Keep an unfinished note; empty text removes it."""
        with writing(self.database) as connection:
            connection.execute("DELETE FROM drafts WHERE annotator_id = ? AND item_id = ?", (annotator_id, item_id))
            if text:
                connection.execute("INSERT INTO drafts VALUES (?, ?, ?)", (annotator_id, item_id, text))

    def draft(self, annotator_id: str, item_id: str) -> str:
        """The unfinished note on an item, or empty."""
        query = "SELECT text FROM drafts WHERE annotator_id = ? AND item_id = ?"
        row = self._read(query, (annotator_id, item_id)).fetchone()
        return row[0] if row else ""

    def item(self, item_id: str) -> Item:
        """One item with its prompt."""
        query = f"SELECT {ITEM_COLUMNS} FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id WHERE i.id = ?"
        row = self._read(query, (item_id,)).fetchone()
        if row is None:
            raise StoreError(f"there is no item {item_id}")
        return item_from(row)

    def item_ids(self) -> dict[str, str]:
        """Ids of items by the id that their log gave them; items without one are left out."""
        return dict(self._read("SELECT source_id, id FROM items WHERE source_id IS NOT NULL").fetchall())

    def verdicts(self, item_id: str) -> list[Verdict]:
        """All judges' verdicts on an item, first judge first."""
        return [verdict_from(row) for row in self._read(VERDICTS, (item_id,))]

    def runs(self) -> list[Run]:
        """Imports, first first."""
        return [Run(*row) for row in self._read(RUNS)]

    def run_options(self, run_id: str) -> str:
        """How the files of a run were read (``map``, ``set``, ``outcome`` ...) and are laid out: JSON."""
        return str(self._read("SELECT options FROM runs WHERE id = ?", (run_id,)).fetchone()[0])

    def item_sources(self, run_id: str) -> dict[str, str]:
        """What the items of a run keep for the way back into their log, by item; packed as in `core.source_rows`."""
        return dict(self._read("SELECT id, source FROM items WHERE run_id = ?", (run_id,)).fetchall())

    def models(self) -> dict[str, int]:
        """Models with their number of items, in the order of their names."""
        return dict(self._read("SELECT model, count(*) FROM items GROUP BY model ORDER BY model").fetchall())

    def populations(self) -> dict[str, int]:
        """Populations with their number of items, in the order of their names."""
        return dict(self._read(POPULATIONS).fetchall())

    def judges(self) -> list[Judge]:
        """Judges, the one with the most verdicts first."""
        return [Judge(*row) for row in self._read(JUDGES)]

    def judge_names(self) -> list[str]:
        """Names of all judges, first first."""
        return [row[0] for row in self._read("SELECT name FROM judges ORDER BY rowid")]

    def frame_cells(self) -> list[FrameCell]:
        """The whole frame, counted by cell."""
        return self.frame_counts(prompts=False).cells

    def frame_counts(self, *, prompts: bool, pairs: bool = False, verdicts: bool = True) -> Frame:
        """The whole frame, counted by cell and, where asked for, by prompts with several answers and by pairs of judges."""
        return frames.frame(self.database.connection, prompts=prompts, pairs=pairs, verdicts=verdicts)

    def frame_stamp(self) -> tuple[int, int]:
        """Another one as soon as the items of any stratum are others."""
        return frames.stamp(self.database.connection)

    def frame_items(self, *, triage: bool = False) -> list[FrameItem]:
        """Items that somebody has said something about; those that were only labelled in triage where these are asked for."""
        return frames.items(self.database.connection, lowest_round=TRIAGE if triage else 0)

    def same_prompts(self, prompts: Iterable[str]) -> dict[str, str]:
        """The other ids of some prompts, which say the same and are declared alike: id -> the one that it repeats."""
        return same_prompts.same_prompts(self.database.connection, prompts)

    def triage_labels(self) -> int:
        """Labels that stand and were made in triage: nothing that is counted rests on them."""
        count: int = self._read(TRIAGE_LABELS).fetchone()[0]
        return count

    def skipped_cells(self) -> list[FrameCell]:
        """Drawn items that everyone who was given them has skipped, and nobody labelled, counted by cell."""
        return queue_turns.skipped_cells(self.database.connection)

    def put_repeats(self, judge: str, readings: Sequence[tuple[str, int, Verdict]]) -> int:
        """Add verdicts of a judge that was asked again: item, number from 1, verdict. How many were new."""
        with writing(self.database) as connection:
            return verdict_repeats.put(connection, judge, readings)

    def repeated_verdicts(self) -> list[RepeatedVerdict]:
        """Every item that a judge was asked about again, in the order of import."""
        return verdict_repeats.read(self.database.connection)

    def label_policies(self) -> set[str]:
        """Fingerprints of the policies under which current labels were made."""
        return {row[0] for row in self._read("SELECT DISTINCT policy FROM current_labels")}

    def policy_versions(self) -> list[PolicyVersion]:
        """Every policy that was ever adopted, with what was made under it; the first is in force."""
        return policy_versions.versions(self.database.connection)

    def judge_verdicts(self, outcomes: Iterable[str]) -> list[JudgeVerdicts]:
        """Every judge with its verdicts, held against the outcomes of a policy."""
        return policy_versions.judge_verdicts(self.database.connection, outcomes)

    def judge_policies(self) -> dict[str, str]:
        """Fingerprint of the policy under which the verdicts of each judge came in, by its name."""
        return policy_versions.judge_policies(self.database.connection)

    def places(self, item_ids: Iterable[str]) -> dict[str, Placed]:
        """Stratum and population of items."""
        return policy_versions.places(self.database.connection, item_ids)

    def on_lists(self, item_ids: Iterable[str]) -> set[tuple[str, str, int]]:
        """Item, annotator and round of every entry of a list that is about these items."""
        return policy_versions.on_lists(self.database.connection, item_ids)

    def resting_on(self, changed: Outdated) -> tuple[list[Event], list[Event]]:
        """Last words of people, and rulings that hold, that rest on what is changed (`storage.outdated`)."""
        return outdated.resting_on(self.database.connection, changed)

    def open_items(self) -> list[str]:
        """Items that wait for an adjudicator, oldest first."""
        disputed = [row[0] for row in self._read(OPEN_ITEMS)]
        if not self.outdated:
            return disputed
        connection = self.database.connection
        events = self.events_on(outdated.touched(connection, self.outdated))
        return outdated.open_items(connection, disputed, events, self.outdated)

    def backup(self, target: Path) -> None:
        """A complete copy; never overwrites."""
        backup(self.database, target)

    def problems(self) -> list[str]:
        """What is broken, in words; empty when all is well."""
        return self.damage() or self.loose_ends()

    def damage(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        return [row[0] for row in self._read("PRAGMA integrity_check") if row[0] != "ok"]

    def loose_ends(self) -> list[str]:
        """References to what is not there, and breaks in people's chains of events."""
        found = [f"{row[0]} row {row[1]} refers to a missing {row[2]}" for row in self._read("PRAGMA foreign_key_check")]
        for person in self.annotators():
            found += broken_links(self.chain(person.id))
        return found

    def _event(self, row: Sequence[Any]) -> Event:
        """The event, marked where the policy in force wants it made again."""
        return outdated.marked(event_from(row), self.outdated)

    def _read(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> sqlite3.Cursor:
        return self.database.connection.execute(query, values)


def _act_fields(act: Act) -> dict[str, Any]:
    return {name: getattr(act, name) for name in Act.__slots__}
