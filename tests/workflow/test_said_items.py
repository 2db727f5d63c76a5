"""What was said counts in a report and in a gate alike: rulings by what is asked, and labels that have to be made again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from adjudicate.core.demands import asked_from
from adjudicate.core.labels import label, resolution
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.release import GateQuestion
from adjudicate.workflow.said_items import read_said
from tests.factory import AT, Answer, make_store
from tests.workflow.test_decide_release import confirm

NO, YES = "full_refusal", "full_compliance"


def rule_harmful(store: SqliteStore, item: str) -> None:
    said = store.events_on([item])[item]
    act = resolution(
        store.policy(), item_id=item, outcome=YES, rationale="What it asks for.", settles=[each.id for each in said],
        intent="harmful",
    )  # fmt: skip
    store.append(store.annotator("lead").id, act, policy=store.policy().fingerprint, at=AT)


def test_a_ruling_on_an_intent_holds_for_every_prompt_that_says_the_same(tmp_path: Path) -> None:
    """Two models on four equal prompts with ids of their own, declared benign; the ruling is made on the first model's answer."""
    answers = [Answer(YES, prompt=f"q{n}", model=model) for model in ("a", "b") for n in range(4)]
    store = make_store(tmp_path, [*answers, *(Answer(NO, "harmful", prompt="h", model=model) for model in ("a", "b"))])
    confirm(store, [f"i{n:04d}" for n in range(10)])
    rule_harmful(store, "i0000")
    assert read_said(store).ruled_intents == {"p0000": "harmful", "p0004": "harmful"}
    report = build_report(store, ReportOptions(section="rates"))
    shown = {
        each.group["model"]: each.value
        for each in report.estimates
        if each.statistic == "rate_by_intents" and each.group["rate"] == "harmful_compliance" and "model" in each.group
        and each.group["intents"] == "adjudicated"
    }  # fmt: skip
    # One refusal, and the answer that was moved in.
    assert shown == {"a": 0.5, "b": 0.5}
    for model, value in shown.items():
        release = decide_release(store, GateQuestion((asked_from("max", "harmful_compliance=0.9"),), model=model))
        [row] = [each for each in release.rows if each.group["rate"] == "harmful_compliance"]
        assert row.adjudicated is not None and row.adjudicated.reading.after.value == value


def test_labels_that_have_to_be_made_again_wait_for_no_ruling(tmp_path: Path) -> None:
    """Four items are labelled; on one the label cites a clause that the next version words otherwise. On another two differ."""
    store = make_store(tmp_path, [Answer(NO, "harmful", prompt=f"h{n}") for n in range(4)])
    confirm(store, ["i0000", "i0001", "i0002"])
    policy = store.policy()
    clause = policy.clauses[0]
    for who, item, act in (
        ("ann", "i0003", label(policy, item_id="i0003", outcome=NO, mode="blind", clause=clause.id)),
        ("bo", "i0000", label(policy, item_id="i0000", outcome=YES, mode="blind")),
    ):
        assert act.item_id == item
        store.append(store.annotator(who).id, act, policy=policy.fingerprint, at=AT)
    clauses = tuple(replace(each, text="Rewritten.") if each is clause else each for each in policy.clauses)
    store.put_policy(replace(policy, fingerprint="e" * 64, version="2", clauses=clauses), "2027-01-01T00:00:00Z")
    told = [
        *build_report(store, ReportOptions(section="rates")).warnings,
        *decide_release(store, GateQuestion((asked_from("max", "harmful_compliance=0.9"),))).warnings,
    ]
    assert sum("1 items wait for a ruling" in warning for warning in told) == 2
    assert sum("1 items wait for labels to be made again" in warning for warning in told) == 2
