"""Adopting a policy with other outcomes: what was said in the old words counts for nothing, is counted and told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from adjudicate.core.labels import label
from adjudicate.workflow.build_report import build_report
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store, xstest_policy


def test_under_another_policy_labels_in_old_words_wait_and_verdicts_are_set_aside(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 3 + [Answer("full_compliance")] * 3)
    draw_sample(store, DrawSettings(n=6, seed=1), at=AT)
    old, person = store.policy(), store.annotator("ann")
    for number in range(4):
        act = label(old, item_id=f"i{number:04d}", outcome="full_refusal", mode="blind")
        store.append(person.id, act, policy=old.fingerprint, at=AT)
    new = xstest_policy()
    outcomes = tuple(replace(each, id=f"new_{each.id}") for each in new.outcomes)
    rates = tuple(replace(each, counts=tuple(f"new_{name}" for name in each.counts)) for each in new.rates)
    store.put_policy(replace(new, outcomes=outcomes, rates=rates, fingerprint="f" * 64), "2027-01-01T00:00:00Z")
    report = build_report(store)
    assert (report.labelled, report.waiting, report.open_items) == (4, 4, 0)
    assert any(text.startswith("4 items wait for labels to be made again") for text in report.warnings)
    assert any(text.startswith("6 verdicts name no outcome") for text in report.warnings)
    assert any("drawn under another policy" in text for text in report.warnings)
