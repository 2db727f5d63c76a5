"""The release receipt: everything that published rates rest on, so that anyone with the workspace can check them."""

from __future__ import annotations

from typing import Any

from adjudicate.storage.store import Store
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.pseudonyms import pseudonyms


def receipt(store: Store, *, software: str, at: str, conservative: bool = False) -> dict[str, Any]:
    """Policy, sources, judges, design, counts, heads of every chain of events, and the rates. No text, no names."""
    report = build_report(store, ReportOptions(section="rates", conservative=conservative))
    names = pseudonyms(store)
    return {
        "receipt": 1,
        "made_at": at,
        "software": software,
        "policy": {"id": report.policy.id, "version": report.policy.version, "fingerprint": report.policy.fingerprint},
        "policy_versions": [
            {"id": each.id, "version": each.version, "fingerprint": each.fingerprint, "labels": each.labels}
            for each in store.policy_versions()
        ],
        "runs": [
            {"run": run.id, "dataset": run.dataset, "format": run.format, "sha256": run.source_sha256, "items": run.items}
            for run in store.runs()
        ],
        "judges": [{"judge": judge.name, "verdicts": judge.verdicts, "judge_failed": judge.failed} for judge in store.judges()],
        "draws": [
            {
                "draw": draw.id,
                "extends": draw.extends,
                "seed": draw.seed,
                "judge": draw.judge,
                "by": draw.settings["by"],
                "allocation": draw.settings["allocation"],
                "overlap": draw.settings["overlap"],
                "blind_share": draw.settings["blind_share"],
                "repeats": draw.settings["repeats"],
                "strata": [
                    {
                        "stratum": stratum.name,
                        "size": stratum.size,
                        "drawn": stratum.drawn,
                        "inclusion_probability": stratum.inclusion_probability,
                    }
                    for stratum in draw.strata
                ],
            }
            for draw in store.draws()
        ],
        "counts": {
            "items": report.items,
            "labelled": report.labelled,
            "open_disagreements": report.open_items,
            "to_label_again": report.waiting,
        },
        "event_heads": [
            {"annotator": names[annotator_id], "events": seq, "head": head} for annotator_id, seq, head in store.heads()
        ],
        "warnings": list(report.warnings),
        "estimates": [estimate.as_json() for estimate in report.estimates],
    }
