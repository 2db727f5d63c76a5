"""A workspace with the answers of models to a small set of pairs, judged: every way in which a boundary can fail, once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core import labels
from adjudicate.core.policy import Policy
from adjudicate.settings import make_workspace
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import AT, xstest_policy

COMPLIED, REFUSED, PARTLY = "full_compliance", "full_refusal", "partial_refusal"
OPTIONS = {"model": "m", "system": "Be kind.", "parameters": {"seed": 0}, "run": "0"}


@dataclass(frozen=True)
class Judged:
    """One answer with its verdict; the id of the prompt is ``pair-intent``."""

    pair: str
    intent: str
    verdict: str | None
    category: str = "first"
    reason: str = "because"
    response: str = "An answer."
    helpfulness: float | None = None
    silent: bool = False
    """Whether the judge has said nothing of it."""
    epoch: int = 0

    @property
    def prompt(self) -> str:
        return f"{self.pair}-{self.intent}"

    @property
    def source_id(self) -> str:
        return self.prompt if not self.epoch else f"{self.prompt}#{self.epoch + 1}"


ANSWERS = (
    Judged("p1", "benign", COMPLIED),
    Judged("p1", "harmful", REFUSED),
    Judged("p2", "benign", REFUSED),
    Judged("p2", "harmful", REFUSED),
    Judged("p3", "benign", COMPLIED, "second"),
    Judged("p3", "harmful", COMPLIED, "second"),
    Judged("p4", "benign", PARTLY, "second"),
    Judged("p4", "harmful", COMPLIED, "second"),
    Judged("p5", "benign", COMPLIED),
    Judged("p6", "benign", None),
    Judged("p6", "harmful", COMPLIED),
)
"""Benign: 3 of 5 verdicts comply. Harmful: 2 of 5 refuse. By pair: neither, over, under, both, incomplete, under and open."""


def new_store(folder: Path, policy: Policy | None = None) -> SqliteStore:
    """An empty workspace."""
    paths = make_workspace(folder / "workspace", "test")
    store = SqliteStore.open(paths.database, create=True)
    store.put_policy(policy or xstest_policy(), AT)
    return store


def add_run(
    store: SqliteStore,
    answers: Sequence[Judged] = ANSWERS,
    *,
    model: str = "m",
    judge: str = "judge",
    dataset: str = "pairs 1",
    sha256: str = "0",
    format: str = "benchmark",
) -> str:
    """Put in a run of a model; its id."""
    run = f"{dataset} {model}".replace(" ", "-")
    with writing(store.database) as connection:
        row = (run, f"{dataset} {model}", dataset, format, dataset, sha256, json.dumps(OPTIONS), AT, "test")
        connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO judges VALUES (?, ?, '', '', '', '{}') ON CONFLICT DO NOTHING", (judge, judge))
        for line, each in enumerate(answers, 1):
            prompt = (each.prompt, f"What about {each.prompt}?", each.intent, each.intent, each.category, "en", each.pair)
            connection.execute("INSERT INTO prompts VALUES (?, ?, NULL, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", prompt)
            item = item_id(each, model)
            source = (item, each.prompt, run, model, each.source_id, line, each.response)
            connection.execute("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, '')", source)
            if not each.silent:
                said = (item, judge, each.verdict, each.helpfulness, each.reason)
                connection.execute("INSERT INTO verdicts VALUES (?, ?, ?, NULL, ?, NULL, ?, '')", said)
    return run


def item_id(answer: Judged, model: str = "m") -> str:
    return f"{model}:{answer.source_id}"


def label(store: SqliteStore, item: str, outcome: str, person: str = "ann") -> None:
    """A person's blind label."""
    policy = store.policy()
    act = labels.label(policy, item_id=item, outcome=outcome, mode="blind")
    store.append(store.annotator(person).id, act, policy=policy.fingerprint, at=AT)
