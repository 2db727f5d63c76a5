"""A workspace with something of everything, made at random, and what its rows say when all of them are simply read."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudicate.core import labels
from adjudicate.core.gold import Gold, current_labels, settle
from adjudicate.core.labels import Act, live
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.browse_filter import parse
from adjudicate.workflow.browse_items import ORDERS, look_for
from tests.factory import AT, Answer, make_store

POPULATIONS = ("benign/general", "benign/borderline", "harmful/direct")
WORDS = ("shade", "water", "rest", "Hitze", "Sommer", "don't", "first-aid", "日光浴", "ÉTÉ", "shadow")
PEOPLE = ("ann", "bo", "cy")
OUTCOMES = ("full_compliance", "full_refusal", "partial_refusal")


@dataclass(frozen=True)
class Seen:
    """One item, read whole."""

    rowid: int
    id: str
    row: Mapping[str, Any]
    verdict: str | None
    judged: bool
    score: float | None
    gold: Gold | None
    labelled_by: frozenset[str]
    clauses: frozenset[str]
    flagged: bool

    @property
    def text(self) -> str:
        """Prompt and response."""
        return f"{self.row['response']} {self.row['prompt']}"


def make_world(folder: Path, seed: int, *, count: int = 80) -> SqliteStore:
    """The workspace; nothing in it is drawn."""
    chance = random.Random(seed)
    said = [" ".join(chance.choices(WORDS, k=chance.randint(0, 12))) for _ in range(2 * count)]
    answers = [
        Answer(chance.choice((*OUTCOMES, None)), response=said[2 * number], prompt=said[2 * number + 1] or "?")
        for number in range(count)
    ]
    store = make_store(folder, answers)
    with writing(store.database) as connection:
        connection.execute("INSERT INTO runs VALUES ('r2', 'second run', 'set', 'test', 'b', '1', '{}', ?, 'test')", (AT,))
        connection.execute("INSERT INTO judges VALUES ('j2', 'other', '', '', '', '')")
        for number in range(count):
            item, prompt = f"i{number:04d}", f"p{number:04d}"
            connection.execute(
                "UPDATE prompts SET population = ?, category = ?, language = ? WHERE id = ?",
                (chance.choice(POPULATIONS), chance.choice(("", "health", "home care")), chance.choice(("en", "de")), prompt),
            )
            connection.execute(
                "UPDATE items SET model = ?, run_id = ? WHERE id = ?",
                (chance.choice(("m", "model two")), chance.choice(("r", "r2")), item),
            )
            connection.execute("UPDATE verdicts SET score = ? WHERE item_id = ?", (chance.choice((None, 0.1, 0.5, 0.9)), item))
            if chance.random() < 0.2:
                connection.execute("DELETE FROM verdicts WHERE item_id = ?", (item,))
            if chance.random() < 0.3:
                connection.execute(
                    "INSERT INTO verdicts VALUES (?, 'j2', ?, NULL, NULL, NULL, '', '')", (item, chance.choice(OUTCOMES))
                )
    for _ in range(2 * count):
        _act(store, chance, f"i{chance.randrange(count):04d}")
    return store


def _act(store: SqliteStore, chance: random.Random, item: str) -> None:
    policy = store.policy()
    person = store.annotator(chance.choice(PEOPLE))
    clause = chance.choice((None, *(clause.id for clause in policy.clauses[:2])))
    acts = (
        *[labels.label(policy, item_id=item, outcome=chance.choice(OUTCOMES), mode="blind", clause=clause)] * 4,
        Act("flag", item, body={"on": chance.random() < 0.6}),
        Act("undecided", item),
        labels.resolution(policy, item_id=item, outcome=chance.choice(OUTCOMES), rationale="so", settles=_standing(store, item)),
    )
    event = store.append(person.id, chance.choice(acts), policy=policy.fingerprint, at=AT)
    if chance.random() < 0.15:
        store.append(person.id, Act("undo", item, target=event.id), policy=policy.fingerprint, at=AT)


def _standing(store: SqliteStore, item: str) -> list[str]:
    gold = settle(store.events_on([item]).get(item, []))
    return [event.id for event in (*gold.labels, *gold.undecided)] if gold else []


def read_all(store: SqliteStore) -> list[Seen]:
    """Every item, without any index."""
    connection = store.database.connection
    names = {person.id: person.name for person in store.annotators()}
    fields = ("response", "model", "run", "prompt", "intent", "population", "category", "language")
    query = (
        "SELECT i.rowid, i.id, i.response, i.model, r.name, p.text, p.intent, p.population, p.category, p.language"
        " FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id JOIN runs AS r ON r.id = i.run_id ORDER BY i.rowid"
    )
    found = []
    for rowid, item, *values in connection.execute(query).fetchall():
        events = store.events_on([item]).get(item, [])
        standing = live(events)
        gold = settle(events)
        flags = {event.annotator_id: bool(event.body["on"]) for event in standing if event.kind == "flag"}
        citing = [*current_labels(events), *([gold.settlement] if gold and gold.settlement else [])]
        verdicts = store.verdicts(item)
        first = verdicts[0] if verdicts else None
        found.append(
            Seen(
                rowid,
                item,
                dict(zip(fields, values, strict=True)),
                first.outcome if first else None,
                bool(verdicts),
                first.score if first else None,
                gold,
                frozenset(names[event.annotator_id] for event in current_labels(events)),
                frozenset(str(event.body["clause"]) for event in citing if event.body.get("clause")),
                any(flags.values()),
            )
        )
    return found


def looked_for(store: SqliteStore, line: str, *, order: int = 0, person: str = "reader") -> Sequence[int]:
    """Rowids that a filter line finds."""
    portions = look_for(
        store,
        store.annotator(person).id,
        store.policy(),
        parse(line),
        ORDERS[order],
        is_cancelled=lambda: False,
        told=lambda _what, _now: True,
    )
    return [rowid for found in portions for rowid in found.rowids]
