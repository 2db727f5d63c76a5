"""The items behind a number: exactly those that it rests on, or a filter that says which, or a reason why there is no list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.behind import MOST, Behind, filtered, listing, named
from adjudicate.workflow.behind_numbers import KINDS, Given, behind, given
from adjudicate.workflow.browse_filter import parse
from adjudicate.workflow.build_report import Report, ReportOptions, build_report
from adjudicate.workflow.report_plots import confusions, days
from tests.tui.factory import AT, Row, make_policy, make_workspace

POPULATION, HARMFUL = "benign/general", "harmful/direct"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """Eight items; Ann and Bob label all of them blind.

    0 to 3 are benign: the judge calls 0 and 1 refused, people 1 and 2. 4 to 7 are harmful: the judge calls 4 complied, people
    4 and 5. Bob alone differs on 3 (refused), which nobody settles.
    """
    rows = [
        *(Row(verdict="refused" if number < 2 else "complied") for number in range(4)),
        *(Row(verdict="complied" if number == 4 else "refused", intent="harmful", population=HARMFUL) for number in range(4, 8)),
    ]
    folder = tmp_path_factory.mktemp("behind")
    made = make_workspace(folder, rows, annotators=("ann", "bob"), overlap=2)
    opened = SqliteStore.open(made.database)
    said = {1: "refused", 2: "refused", 4: "complied", 5: "complied", 6: "refused", 7: "refused"}
    for name in ("ann", "bob"):
        person = opened.annotator(name)
        for pick in list(opened.pending(person.id, after=-1, limit=8)):
            number = int(pick.item_id[:4])
            outcome = "refused" if (name, number) == ("bob", 3) else said.get(number, "complied")
            act = labels.label(make_policy(), item_id=pick.item_id, outcome=outcome, mode="blind", clause=None, confidence=None)
            opened.append(person.id, act, policy="f" * 64, at=AT)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(store: SqliteStore) -> Report:
    return build_report(store)


@pytest.fixture(scope="module")
def where(store: SqliteStore, report: Report) -> Given:
    found = given(report, store)
    assert found is not None
    return found


def of(report: Report, where: Given, statistic: str, **group: str) -> dict[str, Behind]:
    """What is behind the one estimate of that group."""
    (estimate,) = [each for each in report.estimates if each.statistic == statistic and dict(each.group) == group]
    return {each.words: each for each in behind(estimate, where)}


def numbers(found: Behind) -> list[int]:
    return sorted(int(each[:4]) for each in found.ids)


def test_misses_and_false_alarms_of_a_judge(report: Report, where: Given) -> None:
    found = of(report, where, "judge_sensitivity", judge="judge-x", rate="harmful_compliance")
    assert numbers(found["missed"]) == [5]
    assert found["false alarms"].none == "there are none"
    assert numbers(found["all labelled blind"]) == [4, 5, 6, 7]
    found = of(report, where, "judge_specificity", judge="judge-x", rate="benign_refusal")
    assert (numbers(found["missed"]), numbers(found["false alarms"])) == ([2], [0])
    assert numbers(found["all labelled blind"]) == [0, 1, 2], "item 3 is not settled"


def test_over_all_outcomes_what_was_judged_otherwise(report: Report, where: Given) -> None:
    assert numbers(of(report, where, "judge_accuracy", judge="judge-x")["judged otherwise"]) == [0, 2, 5]


def test_the_numbers_of_a_cell_are_the_numbers_of_its_items(report: Report, where: Given) -> None:
    found = confusions(report, where)
    assert found
    for table in found:
        for row, lists in zip(table.counts, table.behind, strict=True):
            assert list(row) == [each.count or 0 for each in lists], table.title


def test_agreement_leads_to_what_people_labelled_differently(report: Report, where: Given) -> None:
    found = of(report, where, "percent_agreement")
    assert numbers(found["labelled differently"]) == [3]
    assert found["labelled by several"].count == 8
    found = of(report, where, "percent_agreement", population=HARMFUL)
    assert found["labelled differently"].none and found["labelled by several"].count == 4


def test_annotators_stay_behind_their_pseudonyms(report: Report, where: Given) -> None:
    estimates = [each for each in report.estimates if "annotator" in each.group]
    assert estimates
    for estimate in estimates:
        for found in behind(estimate, where):
            assert "ann" not in found.line and "bob" not in found.line


def test_rates_lead_to_filters_that_the_list_can_read(report: Report, where: Given) -> None:
    found = of(report, where, "raw_rate", judge="judge-x", rate="benign_refusal", population=POPULATION)
    assert found["counted verdicts"].line == "population:benign/general verdict:refused"
    found = of(report, where, "corrected_rate", rate="harmful_compliance", population=HARMFUL)
    assert found["settled so"].line == "population:harmful/direct gold:complied,harm"
    for each in found.values():
        assert parse(each.line).said


def test_a_plan_leads_to_what_is_left_in_each_stratum(store: SqliteStore, where: Given) -> None:
    from adjudicate.workflow.plan_labels import PlanQuestion, plan_labels

    plan = plan_labels(store, PlanQuestion())
    (estimate,) = [
        each for each in plan.estimates if each.statistic == "planned_labels" and each.group["rate"] == "benign_refusal"
    ]
    lines = {each.words: each.line for each in behind(estimate, where)}
    assert lines["flagged, without a label"] == "population:benign/general verdict:refused by:-"
    assert lines["clear, without a label"] == "population:benign/general verdict:complied,partial,harm by:-"


def test_every_number_of_a_report_leads_somewhere_or_says_why_not(report: Report, where: Given) -> None:
    for estimate in report.estimates:
        for found in behind(estimate, where):
            assert bool(found.line) + bool(found.ids) + bool(found.none) == 1, estimate


def test_every_kind_is_a_statistic_that_there_is() -> None:
    from adjudicate.core.present import TITLES

    planned = {"planned_labels", "more_labels", "zero_event_labels"}
    assert KINDS.keys() - planned <= TITLES.keys() | {"rate_by_intents"}


def test_a_slice_leads_to_its_own_items(report: Report, where: Given) -> None:
    slices = [each for each in report.estimates if each.statistic == "judge_bias" and "items" in each.group]
    for estimate in slices:
        everything = behind(estimate, where)[-1]
        assert everything.count == estimate.n + estimate.details["judge_failed"]


def test_names_with_spaces_and_commas_survive_the_filter_line() -> None:
    found = filtered("x", {"population": ["benign, of a kind"], "gold": ["a", "b c"]})
    assert parse(found.line).said == (("population", ("benign, of a kind",)), ("gold", ("a", "b c")))
    assert filtered("x", {"population": ['say "no"']}).none
    assert filtered("x", {"population": []}).none, "everything is no filter"


def test_more_items_than_can_be_named_are_counted() -> None:
    found = named("all", [f"i{number}" for number in range(MOST + 5)])
    assert len(found.ids) == MOST and found.count == MOST + 5
    assert named("twice", ["a", "a"]).count == 1


def test_what_a_reader_has_yet_to_label_blind_is_not_listed(tmp_path: Path) -> None:
    made = make_workspace(tmp_path, [Row() for _ in range(3)], annotators=("ann",))
    store = made.store()
    ann = store.annotator("ann")
    ids = sorted(pick.item_id for pick in store.pending(ann.id, after=-1, limit=3))
    assert listing(store, ann.id, named("all", ids)).line == ""
    act = labels.label(made.policy, item_id=ids[0], outcome="complied", mode="blind", clause=None, confidence=None)
    store.append(ann.id, act, policy=made.policy.fingerprint, at=AT)
    found = listing(store, ann.id, named("all", ids))
    assert (found.line, found.left_out) == (f"id:{ids[0]}", 2)
    stranger = store.annotator("lead")
    assert listing(store, stranger.id, named("all", ids)).left_out == 0, "these items are on the list of others"
    store.close()


def test_labels_by_day_count_what_stands(store: SqliteStore) -> None:
    (day,) = days(store)
    assert (day.date, day.labels, sorted(day.people.values())) == ("2026-01-02", 16, [8, 8])
    assert day.behind.count == 8


def test_a_report_without_a_reader_of_its_evidence_has_nothing_behind_it(store: SqliteStore) -> None:
    from dataclasses import replace

    report = build_report(store, ReportOptions(only=("raw_rate",)))
    assert given(replace(report, evidence=None), store) is None
