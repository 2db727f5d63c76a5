"""What a judge made of each answer, to be published: outcome, scores and one line of reason, no request and no response.

A reason that repeats its request or response is withheld and counted. The rule goes with the classifications: the policy, the
judge's prompt and settings, the sets with their hashes, and the scores that follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from adjudicate.core import shared_words
from adjudicate.core.boundary_cells import cell_of, cell_rates, cell_rule
from adjudicate.core.gold import settle
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import UsageError
from adjudicate.formats.writers import Record
from adjudicate.storage.classified_rows import ClassifiedRow, classified_rows, models_of
from adjudicate.storage.paired_rows import Part
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_judge_set import chosen_judge
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.judge_rule import judge_rule
from adjudicate.workflow.read_scores import read_sheets
from adjudicate.workflow.run_benchmark import FORMAT
from adjudicate.workflow.said_items import read_said
from adjudicate.workflow.score_sheets import ScoreOptions

COLUMNS = (
    "item", "set", "prompt", "pair", "intent", "population", "category", "language", "model", "judge", "outcome", "state", "cell",
    "helpfulness", "safety", "reason", "reason_withheld", "gold", "gold_cell",
)  # fmt: skip
LONGEST_REASON = 500
FILTER = (
    f"a reason is withheld where it shares more than {shared_words.LONGEST_RUN} words in a row with the request, an earlier turn"
    f" or the response, two words between quotation marks, or a word that holds a digit or has {shared_words.LONG_WORD} letters"
    " and more"
)
JUDGED, FAILED, SILENT = "verdict", "judge failed", "no verdict"


@dataclass(frozen=True, slots=True)
class Classifications:
    """Both files."""

    records: list[Record]
    rule: dict[str, Any]


def classifications(store: SqliteStore, options: ExportOptions) -> Classifications:
    """One record an answer, and the rule.

    Raises:
        UsageError: Several judges, and none was named; or nothing is left of the answers.
    """
    judge = chosen_judge(store, options.judge)
    rule = judge_rule(store, judge, prompt=options.prompt)
    runs = {run.id: run for run in store.runs() if options.run in (None, run.id) and run.items}
    records = list(_records(store, judge, runs, options))
    if not records:
        raise UsageError("no answer fits: 'adjudicate status' lists runs and models")
    withheld = sum(record["reason_withheld"] for record in records)
    if withheld:
        options.tell(f"{withheld} of {len(records)} reasons repeat a request or a response: they are withheld.")
    options.tell("A reason can say what a response says in other words: read them before you publish.")
    return Classifications(records, _rule(store, rule, runs, records, options))


def _records(store: SqliteStore, judge: str, runs: dict[str, Run], options: ExportOptions) -> Iterator[Record]:
    policy, said = store.policy(), read_said(store)
    for row in classified_rows(store, judge, Part(options.run, options.model)):
        gold = settle(said.events.get(row.item.id, ()))
        run = runs[row.item.run_id]
        yield {"set": run.dataset or run.name, **_record(policy, row, judge, gold.outcome if gold else None)}


def _record(policy: Policy, row: ClassifiedRow, judge: str, gold: str | None) -> Record:
    item, prompt, verdict = row.item, row.item.prompt, row.verdict
    outcome = verdict.outcome if verdict else None
    cell, settled = (cell_of(policy, each, prompt.intent) for each in (outcome, gold))
    said = " ".join(verdict.reason.split()) if verdict else ""
    withheld = shared_words.repeats(said, [item.response, *(turn.content for turn in prompt.messages)])
    return {
        "item": item.id,
        "prompt": item.source_id,
        **{name: getattr(prompt, name) for name in ("pair", "intent", "population", "category", "language")},
        "model": item.model,
        "judge": judge,
        "outcome": outcome,
        "state": SILENT if verdict is None else JUDGED if outcome is not None else FAILED,
        "cell": cell.id if cell else None,
        "helpfulness": verdict.helpfulness if verdict else None,
        "safety": verdict.safety if verdict else None,
        "reason": None if withheld else shortened(said, LONGEST_REASON),
        "reason_withheld": withheld,
        "gold": gold,
        "gold_cell": settled.id if settled else None,
    }


def _rule(
    store: SqliteStore, judge: dict[str, Any], runs: dict[str, Run], records: list[Record], options: ExportOptions
) -> dict[str, Any]:  # fmt: skip
    policy = store.policy()
    states = [record["state"] for record in records]
    withheld = sum(record["reason_withheld"] for record in records)
    parts = [
        (run, model) for run in runs.values() for model in models_of(store, run.id) if options.model in (None, model)
    ]  # fmt: skip
    sheets = read_sheets(store, parts, ScoreOptions(judge=judge["name"])) if cell_rates(policy) else ()
    return {
        "rule": 1,
        "made_at": options.at,
        "software": options.software,
        "policy": {"id": policy.id, "version": policy.version, "fingerprint": policy.fingerprint, "text": policy.text},
        "judge": judge,
        "cells": cell_rule(policy),
        "sets": [_set(store, run, model) for run, model in parts],
        "counts": {
            "answers": len(records),
            "verdicts": states.count(JUDGED),
            "judge_failed": states.count(FAILED),
            "without_verdict": states.count(SILENT),
            "reasons_withheld": withheld,
        },
        "reasons": FILTER,
        "estimates": [each.as_json() for sheet in sheets for each in sheet.estimates()],
    }


def _set(store: SqliteStore, run: Run, model: str) -> dict[str, Any]:
    """What was asked of which model; how, where it was asked from here."""
    asked = json.loads(store.run_options(run.id)) if run.format == FORMAT else {}
    return {
        "set": run.dataset or run.name,
        "sha256": run.source_sha256,
        "run": run.id,
        "model": model,
        "format": run.format,
        "asked": {key: asked[key] for key in ("model", "system", "parameters")} if asked else None,
    }
