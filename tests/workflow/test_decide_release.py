"""Deciding a release on a real store: pairing, the choice of estimator, and demands that do not fit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from adjudicate.core.demands import Asked, asked_from
from adjudicate.core.labels import label
from adjudicate.errors import UsageError
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.compare_policies import decide_both
from adjudicate.workflow.decide_release import decide_release
from adjudicate.workflow.draw_pairs import draw_pairs
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.present_release import reasons, release_cases, release_markdown, release_table
from adjudicate.workflow.release import GateQuestion, Release, ReleaseRow
from tests.factory import AT, Answer, make_store

MARGIN = (asked_from("margin", "benign_refusal=0.05"),)


def two_runs(folder: Path, before: Sequence[bool], after: Sequence[bool], *, shared: bool = True) -> SqliteStore:
    """Two models on the same benign prompts (or others), True where the response is a refusal; the judge says the same."""
    answers = [
        Answer(
            "full_refusal" if refused else "full_compliance", prompt=f"q{number if shared else f'{model} {number}'}", model=model
        )
        for model, side in (("old", before), ("new", after))
        for number, refused in enumerate(side)
    ]
    return make_store(folder, answers)


def say(store: SqliteStore, item: str, outcome: str, name: str = "ann") -> None:
    policy = store.policy()
    act = label(policy, item_id=item, outcome=outcome, mode="blind")
    store.append(store.annotator(name).id, act, policy=policy.fingerprint, at=AT)


def confirm(store: SqliteStore, items: Sequence[str]) -> None:
    """Label items as the judge said."""
    for item in items:
        outcome = store.verdicts(item)[0].outcome
        assert outcome is not None
        say(store, item, outcome)


def benign(release: Release) -> ReleaseRow:
    return next(row for row in release.rows if row.group["rate"] == "benign_refusal")


def compare(store: SqliteStore, asked: Sequence[Asked] = MARGIN, **more: object) -> Release:
    return decide_release(store, GateQuestion(tuple(asked), baseline="old", candidate="new", **more))  # type: ignore[arg-type]


def test_fully_labelled_prompts_are_paired(tmp_path: Path) -> None:
    """20 prompts, refused before 0-9, after 0-4 and 10: both 5, before only 5, after only 1, neither 9."""
    store = two_runs(tmp_path, [n < 10 for n in range(20)], [n < 5 or n == 10 for n in range(20)])
    confirm(store, [f"i{n:04d}" for n in range(40)])
    row = benign(compare(store))
    assert row.difference is not None and row.before is not None
    assert row.difference.statistic == "paired_difference" and "Tango" in row.difference.method
    assert [row.difference.details[name] for name in ("both", "before_only", "after_only", "neither")] == [5, 5, 1, 9]
    assert [row.before.value, row.after.value, row.difference.value] == pytest.approx([0.5, 0.3, -0.2])
    assert (row.size, row.n, row.result) == (20, 20, "pass")


def test_an_open_disagreement_counts_either_way(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [False] * 20, [False] * 20)
    confirm(store, [f"i{n:04d}" for n in range(40)])
    say(store, "i0020", "full_refusal", name="bo")
    release = compare(store, [asked_from("margin", "benign_refusal=0.5"), asked_from("max", "benign_refusal=0.04")])
    row = benign(release)
    assert row.difference is not None
    assert row.difference.details["unresolved_bounds"] == [0.0, 0.05]
    # 0 of 19 settled; the one that is open may be a refusal: 1 of 20 is past 4 %, 0 is not.
    assert [check.result for check in row.decided.checks] == ["undecided", "pass"] if row.decided else False
    assert (row.after.low, row.after.high) == (0.0, 0.05)
    assert any("wait for a ruling" in warning for warning in release.warnings)


def test_labels_on_both_sides_of_most_sampled_prompts_are_paired_by_strata(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [n < 20 for n in range(60)], [n < 15 for n in range(60)])
    draw_sample(store, DrawSettings(n=100, seed=3, allocation="proportional"), at=AT)
    drawn = [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")]
    confirm(store, drawn)
    release = compare(store)
    row = benign(release)
    assert row.difference is not None
    both = sum(f"i{n:04d}" in drawn and f"i{n + 60:04d}" in drawn for n in range(60))
    assert row.difference.statistic == "paired_difference" and "MOVER on gained and lost" in row.difference.method
    assert "Clopper-Pearson" in row.difference.method
    assert (row.difference.n, row.difference.details["N"], row.n) == (both, 60, both)
    # The judge is right, so the strata say all: 5 prompts of 60 are no longer refused.
    assert row.difference.value == pytest.approx(-5 / 60)


def test_few_labels_on_both_sides_are_compared_as_independent_and_said_so(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [n < 20 for n in range(60)], [n < 15 for n in range(60)])
    draw_sample(store, DrawSettings(n=40, seed=3), at=AT)
    confirm(store, [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")])
    release = compare(store)
    row = benign(release)
    assert row.difference is not None
    assert row.difference.statistic == "rate_difference" and "independent" in row.difference.assumes
    assert row.difference.value == pytest.approx(-5 / 60)
    assert any("independent" in warning for warning in release.warnings)
    anytime = benign(compare(store, anytime=True)).difference
    assert anytime is not None and anytime.low is not None and row.difference.low is not None
    assert "anytime" in anytime.method
    assert anytime.low < row.difference.low
    assert anytime.confidence == pytest.approx(0.95)


def test_other_prompts_need_the_rate_of_the_process(tmp_path: Path) -> None:
    """Censuses of different prompts: the difference of these items is known, that of the models is not."""
    store = two_runs(tmp_path, [False] * 20, [False] * 20, shared=False)
    confirm(store, [f"i{n:04d}" for n in range(40)])
    row = benign(compare(store))
    assert row.difference is not None and row.difference.high is not None
    assert row.difference.details["shared"] == 0
    assert row.difference.high > 0.1 and row.result == "undecided"
    assert benign(compare(store, anytime=True)).result == "undecided"


def test_a_prompt_asked_twice_is_no_pair(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [False] * 10, [False] * 10)
    with writing(store.database) as connection:
        connection.execute("UPDATE items SET prompt_id = 'p0000' WHERE id = 'i0001'")
    confirm(store, [f"i{n:04d}" for n in range(20)])
    row = benign(compare(store))
    assert row.difference is not None and row.difference.statistic == "rate_difference"


def test_labels_outside_the_draw_never_pair(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [False] * 60, [False] * 60)
    confirm(store, [f"i{n:04d}" for n in (*range(30), *range(60, 90))])
    row = benign(compare(store))
    assert row.difference is not None and row.difference.undefined is not None
    assert "without a recorded draw" in row.difference.undefined
    assert row.result == "undecided"


def test_items_outside_every_draw_leave_the_rate_undefined(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_compliance")] * 30)
    draw_sample(store, DrawSettings(n=20, seed=1), at=AT)
    confirm(store, [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")])
    question = GateQuestion((asked_from("max", "benign_refusal=0.5"),))
    assert decide_release(store, question).decision == "pass"
    with writing(store.database) as connection:
        connection.execute("INSERT INTO items SELECT 'late', 'p0000', 'r', 'm', 's-late', 99, 'Late.', ''")
    release = decide_release(store, question)
    assert release.decision == "undecided"
    assert benign(release).after.undefined == "1 of 31 items are outside every draw"


def test_several_models_are_rows_of_their_own_and_must_all_pass(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [False] * 10, [True] * 10)
    confirm(store, [f"i{n:04d}" for n in range(20)])
    release = decide_release(store, GateQuestion((asked_from("max", "benign_refusal=0.5"),)))
    assert {row.group["model"]: row.result for row in release.rows} == {"new": "fail", "old": "pass"}
    assert release.decision == "fail"


def test_a_rate_nobody_asked_about_is_shown_and_warned_of(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_compliance"), Answer("full_refusal", "harmful")])
    confirm(store, ["i0000", "i0001"])
    release = decide_release(store, GateQuestion((asked_from("max", "harmful_compliance=0.5"),)))
    assert [row.result for row in release.rows] == ["pass", "not asked"]
    assert any("half a result" in warning for warning in release.warnings)
    assert [case.outcome for case in release_cases(release)] == ["pass", "skipped"]


def test_equal_models_with_missing_responses_are_refused(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_compliance", prompt=f"q{n}") for n in range(4)])
    with writing(store.database) as connection:
        connection.execute("INSERT INTO runs VALUES ('later', 'later', 's', 't', 'f', '0', '{}', ?, 't')", (AT,))
        connection.execute("INSERT INTO items SELECT 'late', 'p0000', 'later', 'm', 's', 9, 'Another answer.', ''")
    with pytest.raises(UsageError, match="--set model=NAME"):
        decide_release(store, GateQuestion(MARGIN, baseline="r", candidate="later"))


def test_runs_are_named_by_id_prefix_name_or_model(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [False] * 4, [False] * 4)
    asked = (asked_from("max", "benign_refusal=0.5"),)
    with writing(store.database) as connection:
        connection.execute("INSERT INTO runs VALUES ('abcdef12', 'nightly', 's', 't', 'f', '0', '{}', ?, 't')", (AT,))
        connection.execute("UPDATE items SET run_id = 'abcdef12' WHERE model = 'new'")
    for name in ("abcd", "nightly", "new"):
        assert {row.size for row in decide_release(store, GateQuestion(asked, candidate=name)).rows} == {4}
    with pytest.raises(UsageError, match="no run and no model"):
        decide_release(store, GateQuestion(asked, candidate="abc"))


def test_the_same_run_under_two_policies_names_the_items_they_part_on(tmp_path: Path) -> None:
    answers = [Answer("full_compliance"), Answer("full_refusal", "harmful"), Answer("full_compliance", "harmful")]
    here, there = make_store(tmp_path / "here", answers), make_store(tmp_path / "there", answers)
    for store, outcomes in ((here, ("full_compliance", "full_refusal", "full_refusal")), (there, ("full_refusal",) * 2)):
        for number, outcome in enumerate(outcomes):
            say(store, f"i{number:04d}", outcome)
    found = decide_both(here, there, GateQuestion((asked_from("max", "benign_refusal=0.1"),)))
    assert (found.here.decision, found.there.decision, found.decision) == ("pass", "fail", "fail")
    # i0000 is answered here and refused there, i0001 refused in both, i0002 not labelled there.
    assert (found.apart.here_only, found.apart.there_only) == (("i0000",), ())
    assert (found.apart.compared, found.apart.missing) == (2, 1)
    shape = json.loads(json.dumps(found.as_json()))
    assert shape["items"]["right_here_wrong_there"] == ["i0000"]
    # People find it again by what their log calls it.
    assert found.apart.named("i0000") == shape["items"]["names"]["i0000"] == "s-0"
    assert {row["workspace"] for row in shape["rows"]} == {"here", "there"}


def test_changes_are_shown_in_points_and_reasons_in_words(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [n < 10 for n in range(20)], [n < 5 for n in range(20)])
    confirm(store, [f"i{n:04d}" for n in range(40)])
    release = compare(store, [asked_from("margin", "benign_refusal=0.01"), asked_from("max", "benign_refusal=0.2")])
    table = release_table(release)
    assert table.rows[0][-3].startswith("-25.0 points [-46.")
    assert "at most 20.0 %, rise at most 1.0 points" in table.rows[0]
    assert any("past the limit" in line for line in reasons(release))
    assert "| Benign refusal |" in release_markdown(release)


def test_a_draw_of_pairs_is_labelled_on_both_sides_and_extends_in_pairs(tmp_path: Path) -> None:
    """80 prompts, judged right: refused before 0-29, after 0-19 and 70-74; so 20 flagged, 45 clear, 10 and 5 changed."""
    store = two_runs(tmp_path, [n < 30 for n in range(80)], [n < 20 or 70 <= n < 75 for n in range(80)])
    first = draw_pairs(store, DrawSettings(n=40, seed=3, pair=("old", "new")), at=AT)
    sizes = {stratum.name: stratum.size for stratum in first.draw.strata}
    assert sizes == {
        "benign | clear": 90, "benign | flagged": 40, "benign | flagged > clear": 20, "benign | clear > flagged": 10,
    }  # fmt: skip
    assert draw_pairs(store, DrawSettings(n=61), at=AT).added == 20
    drawn = {row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")}
    assert len(drawn) == 60
    assert all((f"i{n:04d}" in drawn) is (f"i{n + 80:04d}" in drawn) for n in range(80))
    confirm(store, sorted(drawn))
    row = benign(compare(store))
    assert row.difference is not None and row.before is not None
    assert "MOVER on gained and lost" in row.difference.method
    assert (row.difference.n, row.difference.details["N"]) == (30, 80)
    # 25 of 80 after, 30 of 80 before; the strata say all, since the judge is right.
    assert (row.before.value, row.after.value, row.difference.value) == pytest.approx((30 / 80, 25 / 80, -5 / 80))
    with pytest.raises(UsageError, match="fixed as old, new at the first draw"):
        draw_pairs(store, DrawSettings(n=80, pair=("new", "old")), at=AT)


@pytest.mark.parametrize(("pair", "words"), [(("old",), "two runs"), (("old", "old"), "same items"), (("old", "x"), "no run")])
def test_a_pair_that_is_none_is_refused(tmp_path: Path, pair: tuple[str, ...], words: str) -> None:
    store = two_runs(tmp_path, [False] * 4, [False] * 4)
    with pytest.raises(UsageError, match=words):
        draw_pairs(store, DrawSettings(n=4, pair=pair), at=AT)


def test_runs_on_other_prompts_have_no_pairs_to_draw(tmp_path: Path) -> None:
    store = two_runs(tmp_path, [False] * 4, [False] * 4, shared=False)
    with pytest.raises(UsageError, match="share no prompt"):
        draw_pairs(store, DrawSettings(n=4, pair=("old", "new")), at=AT)
