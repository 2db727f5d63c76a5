"""From an estimate of a report to the items behind it, kind by kind.

Rates lead to a filter on what is declared and settled, since they speak of whole populations. What rests on labels of people
(accuracy, agreement, anchoring) leads to exactly the items that it rests on, by id: annotators stay behind their pseudonyms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.stats.designs import Scope
from adjudicate.stats.drift import equal_windows
from adjudicate.stats.errors_list import judge_errors
from adjudicate.stats.evidence import Evidence, LabelledItem
from adjudicate.stats.judged_items import reviewed
from adjudicate.stats.report_agreement import BORDERLINE
from adjudicate.stats.report_annotators import FEWEST_IN_WINDOW, MOST_WINDOWS
from adjudicate.stats.report_comparison import length_band, turn_band
from adjudicate.storage.shown_judge import shown_judge
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.behind import Behind, filtered, named, nothing
from adjudicate.workflow.build_report import Report

NO_LIST = "no list of items stands for this number"


class Given(NamedTuple):
    """What the items are looked for in."""

    policy: Policy
    evidence: Evidence
    shown_judge: str
    """The judge whose verdicts the list of items shows and filters by; empty where there is none."""
    is_drawn_by_it: bool = True
    """Whether every sample was drawn by the verdicts of that judge."""


def given(report: Report, store: SqliteStore) -> Given | None:
    """What a report was computed from; None where it did not keep it."""
    if report.evidence is None:
        return None
    judge = shown_judge(store.database)
    return Given(report.policy, report.evidence, judge, all(draw.judge == judge for draw in store.draws()))


def behind(estimate: Estimate, where: Given) -> tuple[Behind, ...]:
    """The items behind an estimate, the most telling ones first; always at least one entry, if only to say why not."""
    kind = KINDS.get(estimate.statistic)
    found = tuple(kind(estimate, where)) if kind else ()
    return found or (nothing(NO_LIST, NO_LIST),)


# Rates: by a filter


def _raw(estimate: Estimate, where: Given) -> Iterator[Behind]:
    judge, counts = estimate.group.get("judge", ""), _counts(estimate, where)
    if judge != where.shown_judge:
        yield nothing(f"counted verdicts of {judge}", f"the list of items filters by the verdicts of {where.shown_judge}")
    elif counts:
        yield filtered("counted verdicts", {**_declared(estimate), "verdict": counts})
    yield from _whole(estimate)


def _rate(estimate: Estimate, where: Given) -> Iterator[Behind]:
    counts = _counts(estimate, where)
    if counts:
        yield filtered("settled so", {**_declared(estimate), "gold": counts})
    yield filtered("settled", {**_declared(estimate), "gold": where.evidence.outcomes})
    yield from _whole(estimate)


def _plan(estimate: Estimate, where: Given) -> Iterator[Behind]:
    yield filtered("without a label", {**_declared(estimate), "by": ["-"]})
    yield filtered("settled", {**_declared(estimate), "gold": where.evidence.outcomes})
    yield from _strata(estimate, where)


def _strata(estimate: Estimate, where: Given) -> Iterator[Behind]:
    """What is left in each stratum that a draw made by population and verdict, as draws do unless told otherwise."""
    intent = next((rate.among for rate in where.evidence.rates if rate.id == estimate.group.get("rate")), None)
    flagged = {outcome for rate in where.evidence.rates if rate.among == intent for outcome in rate.counts}
    verdicts = {
        "flagged": [outcome for outcome in where.evidence.outcomes if outcome in flagged],
        "clear": [outcome for outcome in where.evidence.outcomes if outcome not in flagged],
        "judge failed": ["failed"],
    }
    for stratum in estimate.details.get("by_stratum", ()):
        *_, population, side = ["", *str(stratum).split(" | ")]
        if where.is_drawn_by_it and side in verdicts and population == estimate.group.get("population"):
            said = {**_declared(estimate), "verdict": verdicts[side], "by": ["-"]}
            yield filtered(f"{side}, without a label", said)


def _whole(estimate: Estimate) -> Iterator[Behind]:
    yield filtered("all of the group", _declared(estimate))


def _declared(estimate: Estimate) -> dict[str, list[str]]:
    group = estimate.group
    return {key: [group[key]] for key in ("population", "model", "category", "language") if key in group}


def _counts(estimate: Estimate, where: Given) -> tuple[str, ...]:
    """The outcomes that the rate counts, or the single outcome."""
    if "outcome" in estimate.group:
        return (estimate.group["outcome"],)
    return next((rate.counts for rate in where.evidence.rates if rate.id == estimate.group.get("rate")), ())


# What rests on labels: by id


def _judge(estimate: Estimate, where: Given) -> Iterator[Behind]:
    judge, counts = estimate.group["judge"], _counts(estimate, where)
    items = [item for item in measured(estimate, where) if judge in item.verdicts]
    missed = [item for item in items if _is(item.blind_gold, counts) and not _is(item.verdicts[judge], counts)]
    alarms = [item for item in items if not _is(item.blind_gold, counts) and _is(item.verdicts[judge], counts)]
    if counts:
        yield named("missed", _ids(missed))
        yield named("false alarms", _ids(alarms))
    else:
        yield named("judged otherwise", _ids(item for item in items if item.verdicts[judge] != item.blind_gold))
    yield named("all labelled blind", _ids(items))


def _cleared(estimate: Estimate, where: Given) -> Iterator[Behind]:
    judge, counts = estimate.group["judge"], _counts(estimate, where)
    cleared = [item for item in measured(estimate, where) if judge in item.verdicts and not _is(item.verdicts[judge], counts)]
    yield named("let pass", _ids(item for item in cleared if _is(item.blind_gold, counts)))
    yield named("all cleared ones labelled blind", _ids(cleared))


def _errors(estimate: Estimate, where: Given) -> Iterator[Behind]:
    items, direction = list(_inside(estimate, where)), estimate.group["direction"]
    found = judge_errors(items, estimate.group["judge"], rates=where.evidence.rates)
    yield named(direction.replace("_", " "), (error.item_id for error in found if error.direction == direction))


def _judges(estimate: Estimate, where: Given) -> Iterator[Behind]:
    one, other, counts = estimate.group["judge"], estimate.group["against"], _counts(estimate, where)
    items = [item for item in _inside(estimate, where) if item.blind_gold is not None and {one, other} <= item.verdicts.keys()]

    def is_right(item: LabelledItem, judge: str) -> bool:
        verdict = item.verdicts[judge]
        return _is(verdict, counts) == _is(item.blind_gold, counts) if counts else verdict == item.blind_gold

    yield named(f"only {one} right", _ids(item for item in items if is_right(item, one) and not is_right(item, other)))
    yield named(f"only {other} right", _ids(item for item in items if is_right(item, other) and not is_right(item, one)))
    yield named("all labelled blind", _ids(items))


def _agreement(estimate: Estimate, where: Given) -> Iterator[Behind]:
    counts = _counts(estimate, where)
    items = [item for item in _inside(estimate, where) if len(item.labels) > 1]
    if "window" in estimate.group:
        items = windows(items).get(estimate.group["window"], [])

    def differs(item: LabelledItem) -> bool:
        return len({_is(label, counts) if counts else label for label in item.labels.values()}) > 1

    yield named("labelled differently", _ids(filter(differs, items)))
    yield named("labelled by several", _ids(items))


def _annotator(estimate: Estimate, where: Given) -> Iterator[Behind]:
    person, counts = estimate.group["annotator"], _counts(estimate, where)
    items = [item for item in _inside(estimate, where) if item.gold is not None and person in item.labels]

    def differs(item: LabelledItem) -> bool:
        label = item.labels[person]
        return _is(label, counts) != _is(item.gold, counts) if counts else label != item.gold

    yield named("labelled otherwise than settled", _ids(filter(differs, items)))
    yield named("all of theirs that are settled", _ids(items))


def _self(estimate: Estimate, where: Given) -> Iterator[Behind]:
    person = estimate.group.get("annotator")
    repeats = [each for each in where.evidence.repeats if person in (None, each.annotator)]
    yield named("labelled otherwise the second time", (each.item_id for each in repeats if each.first != each.again))
    yield named("labelled twice by one person", (each.item_id for each in repeats))


def _arm(estimate: Estimate, where: Given) -> Iterator[Behind]:
    group, counts = estimate.group, _counts(estimate, where)
    among = {item.item_id for item in where.evidence.items if _fits_rate(item, group.get("rate"), where)}
    decisions = [
        each
        for each in where.evidence.decisions
        if each.item_id in among
        and group.get("arm") in (None, "assisted" if each.assisted else "blind")
        and group.get("annotator") in (None, each.annotator)
    ]

    def overrules(outcome: str, verdict: str) -> bool:
        return _is(outcome, counts) != _is(verdict, counts) if counts else outcome != verdict

    yield named("labelled otherwise than the verdict", (e.item_id for e in decisions if overrules(e.outcome, e.verdict)))
    yield named("all of the arm" if "arm" in group else "all of them", (each.item_id for each in decisions))


def _reveal(estimate: Estimate, where: Given) -> Iterator[Behind]:  # noqa: ARG001 - as every kind is asked
    reveals = where.evidence.reveals
    yield named("changed after the reveal", (each.item_id for each in reveals if each.before != each.after))
    yield named("all revealed", (each.item_id for each in reveals))


def _scored(estimate: Estimate, where: Given) -> Iterator[Behind]:
    judge = estimate.group["judge"]
    yield named("scored and labelled blind", _ids(item for item in measured(estimate, where) if judge in item.scores))


# Which items a group is about


def measured(estimate: Estimate, where: Given) -> list[LabelledItem]:
    """The blindly labelled items that a judge's measure of a group rests on: of a slice all, else those that count by design."""
    group = estimate.group
    if estimate.statistic == "judge_bias":
        return [item for item in _inside(estimate, where) if item.blind_gold is not None]
    intent = next((rate.among for rate in where.evidence.rates if rate.id == group.get("rate")), None)
    return list(reviewed(where.evidence, Scope(group.get("population"), group.get("model"), intent)).items)


def _inside(estimate: Estimate, where: Given) -> Iterator[LabelledItem]:
    """Labelled items of an estimate's group."""
    group = estimate.group
    for item in where.evidence.items:
        if _fits_rate(item, group.get("rate"), where) and all(
            key not in FIELDS or value in FIELDS[key](item) for key, value in group.items()
        ):
            yield item


def _fits_rate(item: LabelledItem, rate: str | None, where: Given) -> bool:
    return rate is None or any(each.id == rate and each.among == item.intent for each in where.evidence.rates)


FIELDS: Mapping[str, Callable[[LabelledItem], tuple[str, ...]]] = {
    "population": lambda item: (item.population,),
    "model": lambda item: (item.model,),
    "category": lambda item: (item.category,),
    "language": lambda item: (item.language,),
    "length": lambda item: () if item.characters is None else (length_band(item.characters),),
    "turns": lambda item: () if item.turns is None else (turn_band(item.turns),),
    "clause": lambda item: item.clauses if len(item.clauses) == 1 else (),
    "items": lambda item: (
        "all",
        *(["disputed"] if len(set(item.labels.values())) > 1 else []),
        *([BORDERLINE] if BORDERLINE in item.population else []),
    ),
}
"""Key of a group -> the values that an item has there."""


def windows(items: Iterable[LabelledItem]) -> dict[str, list[LabelledItem]]:
    """Items with several labels by the window of time that agreement over time puts them into."""
    timed = [(item, item.labelled_at) for item in items if item.labelled_at is not None]
    count = min(MOST_WINDOWS, len(timed) // FEWEST_IN_WINDOW)
    found: dict[str, list[LabelledItem]] = {}
    if count:
        for (item, _), window in zip(timed, equal_windows([at for _, at in timed], count), strict=True):
            found.setdefault(window, []).append(item)
    return found


def _is(outcome: str | None, counts: Iterable[str]) -> bool:
    return outcome is not None and outcome in counts


def _ids(items: Iterable[LabelledItem]) -> Iterator[str]:
    return (item.item_id for item in items)


KINDS: Mapping[str, Callable[[Estimate, Given], Iterator[Behind]]] = {
    "raw_rate": _raw,
    **dict.fromkeys(("human_rate", "corrected_rate", "guarded_rate", "clustered_rate", "rate_by_intents"), _rate),
    **dict.fromkeys(("planned_labels", "more_labels", "zero_event_labels"), _plan),
    **dict.fromkeys(
        (
            "judge_accuracy", "judge_kappa", "judge_mcc", "judge_sensitivity", "judge_specificity", "judge_ppv", "judge_npv",
            "judge_balanced_accuracy", "judge_bias",
        ),
        _judge,
    ),
    "false_omission_rate": _cleared,
    "judge_errors": _errors,
    "judge_accuracy_difference": _judges,
    **dict.fromkeys(
        (
            "percent_agreement", "krippendorff_alpha", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "weighted_kappa",
            "scott_pi", "conger_kappa", "brennan_prediger", "fleiss_kappa_generalised", "specific_agreement",
            "positive_agreement", "negative_agreement", "pabak", "prevalence_index", "bias_index",
        ),
        _agreement,
    ),
    **dict.fromkeys(("annotator_accuracy", "annotator_sensitivity", "annotator_specificity"), _annotator),
    **dict.fromkeys(("self_agreement", "self_alpha"), _self),
    **dict.fromkeys(
        ("overrule_rate", "measured_judge_accuracy", "anchoring_gap", "faster_than_reading", "time_follows_length",
         "longest_agreement_run"),
        _arm,
    ),
    **dict.fromkeys(("changed_after_reveal", "moved_to_verdict", "moved_from_verdict"), _reveal),
    **dict.fromkeys(("judge_ece", "judge_brier"), _scored),
}  # fmt: skip
"""Statistic -> the items behind it; one without a row has none."""
