"""Items that people dispute and nobody has ruled on, in the text of a report and in its warnings."""

from __future__ import annotations

from pathlib import Path

from adjudicate.core.labels import label
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.present_report import table
from tests.factory import AT, Answer, make_store

YES, NO = "full_compliance", "full_refusal"


def disputed(folder: Path) -> SqliteStore:
    """Twenty refusals, by the judge, labelled by two people, half of them blind.

    Blind, six are disputed, one is overruled by both and three are confirmed; with the verdict in view, all are confirmed.
    """
    store = make_store(folder, [Answer(NO)] * 20)
    draw_sample(store, DrawSettings(n=20, annotators=("ann", "ben"), overlap=2, blind_share=0.5, seed=3), at=AT)
    picks = store.pending(store.annotator("ann").id, after=-1, limit=20)
    blind = [pick.item_id for pick in picks if pick.blind]
    said = dict.fromkeys((pick.item_id for pick in picks), (NO, NO))
    said |= dict.fromkeys(blind[:6], (YES, NO)) | {blind[6]: (YES, YES)}
    policy = store.policy()
    for item, outcomes in said.items():
        for person, outcome in zip(("ann", "ben"), outcomes, strict=True):
            act = label(policy, item_id=item, outcome=outcome, mode="blind" if item in blind else "assisted", seconds=9.0)
            store.append(store.annotator(person).id, act, policy=policy.fingerprint, at=AT)
    return store


def test_a_gap_is_shown_with_what_disputed_items_could_make_of_it(tmp_path: Path) -> None:
    """Blind 3 of 4 right, 6 open: 3/10 to 9/10. Assisted 10 of 10. The gap is 25 points, from 10 to 70: its sign is certain."""
    report = build_report(disputed(tmp_path), ReportOptions(section="anchoring"))
    gap = next(
        each for each in report.estimates
        if each.statistic == "anchoring_gap" and each.group == {"of": "measured_judge_accuracy"}
    )  # fmt: skip
    assert gap.value == 0.25
    assert [round(bound, 9) for bound in gap.details["unresolved_bounds"]] == [0.1, 0.7]
    assert not any("direction is open" in warning for warning in report.warnings)
    shown = table("anchoring", report)
    column = shown.headers.index("open either way")
    assert [row[column] for row in shown.rows if row[column]][:2] == ["30.0 % to 90.0 %", "+10.0 to +70.0 points"]


def test_the_table_of_judges_shows_what_disputed_items_could_make_of_the_accuracy(tmp_path: Path) -> None:
    report = build_report(disputed(tmp_path), ReportOptions(section="accuracy"))
    shown = table("judge", report)
    first = dict(zip(shown.headers, shown.rows[0], strict=True))
    # A sample of all twenty, of which only the blind ones speak of the judge.
    assert (first["measure"], first["value"], first["open either way"]) == ("accuracy", "75.0 %", "30.0 % to 90.0 %")


def test_an_open_direction_is_a_warning(tmp_path: Path) -> None:
    """One of the assisted items overruled by both: 9 of 10 there, against 3/10 to 9/10 and one more open item."""
    store = disputed(tmp_path)
    assisted = [pick for pick in (store.pick(store.annotator("ann").id, f"i{n:04d}", 0) for n in range(20)) if not pick.blind]
    policy = store.policy()
    for person, item in (("ann", 0), ("ben", 0), ("ann", 1)):
        act = label(policy, item_id=assisted[item].item_id, outcome=YES, mode="assisted", seconds=9.0)
        store.append(store.annotator(person).id, act, policy=policy.fingerprint, at=AT)
    report = build_report(store, ReportOptions(section="anchoring"))
    [told] = [warning for warning in report.warnings if "direction is open" in warning and "rate" not in warning.split(")")[0]]
    # Assisted 8 of 9 right and 1 open: 8/10 to 9/10. From 8/10 - 9/10 to 9/10 - 3/10.
    assert "7 unresolved items it is -10.0 to +60.0 points" in told
