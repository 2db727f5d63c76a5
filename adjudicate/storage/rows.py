"""Where rows and records meet: each function turns a row of one table into its record, or back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adjudicate.core.items import Item, Message, Prompt, Verdict
from adjudicate.core.labels import Event
from adjudicate.core.policy import Clause, Outcome, Policy, Rate, Severity
from adjudicate.core.sampling import Stratum

Row = Sequence[Any]

EVENT_COLUMNS = "id, annotator_id, seq, previous, kind, item_id, policy, at, outcome, mode, round, target, body"
ITEM_COLUMNS = (
    "i.id, i.response, i.model, i.source_id, i.run_id,"
    " p.id, p.text, p.messages, p.intent, p.population, p.category, p.language, p.pair"
)
VERDICT_COLUMNS = "j.name, v.outcome, v.score, v.helpfulness, v.safety, v.reason, v.raw"


@dataclass(frozen=True, slots=True)
class Place:
    """Where items stand in the frame: what is declared of their prompts, and which model answered in which run."""

    population: str
    intent: str
    model: str
    run_id: str
    category: str
    language: str


@dataclass(frozen=True, slots=True)
class Run:
    """One import, as listed."""

    id: str
    name: str
    dataset: str
    format: str
    source_name: str
    source_sha256: str
    imported_at: str
    items: int


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge, with how far it got."""

    id: str
    name: str
    verdicts: int
    failed: int


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person (or a source of recorded labels). The name never leaves the workspace."""

    id: str
    name: str
    source: str
    pseudonym: int
    """What exports call them by: random, and theirs for ever."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One recorded sampling act."""

    id: str
    extends: str | None
    seed: int
    judge: str | None
    policy: str
    settings: dict[str, Any]
    strata: tuple[Stratum, ...]
    drawn_at: str


@dataclass(frozen=True, slots=True)
class Pick:
    """One item on one person's list, in their order."""

    item_id: str
    position: int
    blind: bool
    round: int
    stratum: str
    judge: str | None
    """Whose verdicts the item was drawn by, and whose is shown; None where the draw knew no judge."""


def event_from(row: Row) -> Event:
    """An event from the columns `EVENT_COLUMNS`."""
    columns = [*row[:12], json.loads(row[12])]
    return Event(*columns)


def event_row(event: Event) -> tuple[Any, ...]:
    """The event as a row of `EVENT_COLUMNS`."""
    body = json.dumps(dict(event.body), ensure_ascii=False, sort_keys=True)
    head = (event.id, event.annotator_id, event.seq, event.previous, event.kind, event.item_id, event.policy, event.at)
    return (*head, event.outcome, event.mode, event.round, event.target, body)


def item_from(row: Row) -> Item:
    """An item with its prompt from the columns `ITEM_COLUMNS`."""
    turns = [Message(*turn) for turn in json.loads(row[7])] if row[7] else [Message("user", row[6])]
    prompt = Prompt(row[5], tuple(turns), row[8], row[9], row[10], row[11], row[12])
    return Item(id=row[0], prompt=prompt, response=row[1], model=row[2], source_id=row[3] or "", run_id=row[4])


def verdict_from(row: Row) -> Verdict:
    """A verdict from the columns `VERDICT_COLUMNS`."""
    return Verdict(*row)


def policy_json(policy: Policy) -> str:
    """The policy as stored beside its text, so that a start needs no YAML."""
    return json.dumps(asdict(policy), ensure_ascii=False)


def policy_from(text: str) -> Policy:
    """The policy that `policy_json` wrote."""
    stored = json.loads(text)
    return Policy(
        **{
            **stored,
            "outcomes": tuple(Outcome(**{**each, "right_for": tuple(each["right_for"])}) for each in stored["outcomes"]),
            "rates": tuple(Rate(**{**each, "counts": tuple(each["counts"])}) for each in stored["rates"]),
            "clauses": tuple(
                Clause(**{**each, "categories": tuple(each["categories"]), "intents": tuple(each["intents"])})
                for each in stored["clauses"]
            ),
            "severities": tuple(Severity(**each) for each in stored["severities"]),
        }
    )


def strata_json(strata: Sequence[Stratum]) -> str:
    """The strata of a draw as stored, inclusion probabilities spelled out."""
    return json.dumps(
        [{**asdict(each), "inclusion_probability": each.drawn / each.size if each.size else None} for each in strata],
        ensure_ascii=False,
    )


def draw_from(row: Row) -> Draw:
    """A draw from its columns in table order, the judge's name in place of its id."""
    strata = tuple(Stratum(each["name"], each["size"], each["drawn"]) for each in json.loads(row[6]))
    return Draw(row[0], row[1], row[2], row[3], row[4], json.loads(row[5]), strata, row[7])
