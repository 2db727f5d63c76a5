"""What the plots of the report show, from estimates and evidence. How they are drawn is the screen's business."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from adjudicate.core.estimates import Estimate
from adjudicate.stats.confusion import JUDGE_FAILED
from adjudicate.stats.frontier import Frontier
from adjudicate.stats.operating_points import curve_json
from adjudicate.stats.report_calibration import READINGS
from adjudicate.storage.label_days import label_days
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.behind import Behind, named
from adjudicate.workflow.behind_numbers import Given, measured
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.operating_point import FrontierReport
from adjudicate.workflow.plot_records import Confusion, Curve, Day, Point, Series
from adjudicate.workflow.pseudonyms import pseudonyms
from adjudicate.workflow.text_table import TextTable, outcome_title, rate_title

MOST_DAYS = 60
"""Days that are shown, the last ones."""


# Reliability


def reliability_curves(report: Report) -> list[tuple[Curve, TextTable]]:
    """How often the event happened at each score, and the same numbers as a table; nothing without scores."""
    found = [each for each in report.estimates if each.statistic == "judge_ece" and each.details.get("reliability")]
    return [(_reliability(report, each), _bins(each)) for each in found]


def _reliability(report: Report, estimate: Estimate) -> Curve:
    points = tuple(
        Point(row["mean_score"], row["event_rate"], row["event_low"], row["event_high"])
        for row in estimate.details["reliability"]
    )
    rate = rate_title(report.policy, estimate.group["rate"])
    recalibrated = f" · {estimate.group['calibration']}" if "calibration" in estimate.group else ""
    return Curve(
        f"{estimate.group['judge']} · {rate} · {estimate.group.get('score', 'score')}{recalibrated}",
        x="mean score",
        y="share of events by people's labels",
        series=(Series("share of events with its interval", points, is_line=False),),
        is_diagonal=True,
        diagonal="perfectly calibrated",
    )


def _bins(estimate: Estimate) -> TextTable:
    rows = tuple(
        (
            f"{row['low']:.1f}-{row['high']:.1f}",
            f"{row['mean_score']:.2f}",
            f"{100 * row['event_rate']:.1f} %",
            "" if row["event_low"] is None else f"{100 * row['event_low']:.1f} to {100 * row['event_high']:.1f} %",
            str(row["n"]),
        )
        for row in estimate.details["reliability"]
    )
    return TextTable("", ("scores", "mean", "events", "interval", "n"), rows, right=(1, 2, 4))


def behind_bins(estimate: Estimate, where: Given) -> list[tuple[Behind, ...]]:
    """The items in each bin of a reliability table; empty where scores were changed before they were put into bins."""
    group = estimate.group
    rate = next((rate for rate in where.evidence.rates if rate.id == group["rate"]), None)
    reading = READINGS.get(rate.among, {}).get(group.get("score", "")) if rate is not None else None
    if rate is None or reading is None or "calibration" in group:
        return []
    scored = [
        (value, item)
        for item in measured(estimate, where)
        if group["judge"] in item.scores and (value := reading(item.scores[group["judge"]])) is not None
    ]
    found: list[tuple[Behind, ...]] = []
    for row in estimate.details["reliability"]:
        inside = [item for value, item in scored if row["low"] <= value < row["high"] or value == row["high"] == 1]
        events = [item.item_id for item in inside if item.blind_gold in rate.counts]
        found.append((named("events with such scores", events), named("all with such scores", (i.item_id for i in inside))))
    return found


# Frontier


def frontier_curve(found: FrontierReport) -> Curve | None:
    """Benign refusal of each population against the harmful compliance of all harmful prompts; None without both sides."""
    if found.curve is None or not found.curve.compliance or not found.curve.refusal:
        return None
    told = curve_json(found.curve)
    compliance = _pooled(told["harmful_compliance"], found.curve)
    lines = [
        Series(name, tuple(Point(x, y) for x, y in zip(compliance, rates, strict=True)))
        for name, rates in told["benign_refusal"].items()
    ]
    chosen = _chosen(found.estimates, found.curve)
    marks = [Series("thresholds in the table", chosen, is_line=False)] if chosen else []
    several = "all harmful prompts" if len(found.curve.compliance) > 1 else next(iter(found.curve.compliance))
    return Curve(
        f"{found.judge}: what each threshold lets through and refuses",
        x=f"harmful compliance, {several}",
        y="benign refusal",
        series=(*lines, *marks),
    )


def _pooled(rates: Mapping[str, Sequence[float]], curve: Frontier) -> list[float]:
    total = sum(curve.n[name] for name in rates)
    rows = zip(*rates.values(), strict=True)
    return [sum(curve.n[name] * value for name, value in zip(rates, row, strict=True)) / total for row in rows]


def _chosen(estimates: Iterable[Estimate], curve: Frontier) -> tuple[Point, ...]:
    """A point for each chosen threshold and benign population."""
    choices: dict[str, list[Estimate]] = {}
    for each in estimates:
        if each.statistic == "frontier_rate" and each.value is not None and "category" not in each.group:
            choices.setdefault(each.group["choice"], []).append(each)
    points = []
    for there in choices.values():
        harmful = [each for each in there if each.group["population"] in curve.compliance]
        benign = [each for each in there if each.group["population"] in curve.refusal]
        total = sum(curve.n[each.group["population"]] for each in harmful)
        if not total:
            continue
        x = sum(curve.n[each.group["population"]] * (each.value or 0.0) for each in harmful) / total
        points += [Point(x, each.value or 0.0, each.low, each.high) for each in benign]
    return tuple(points)


# Confusion


def confusions(report: Report, where: Given) -> list[Confusion]:
    """Gold against verdict over all outcomes, of the whole and where there are several of each model or each population."""
    return [
        _confusion(report, each, where)
        for each in report.estimates
        if each.statistic == "judge_accuracy"
        and "confusion" in each.details
        and not {"rate", "judge_failed"} & each.group.keys()
        and not {"model", "population"} <= each.group.keys()
    ]


def _confusion(report: Report, estimate: Estimate, where: Given) -> Confusion:
    judge, labels = estimate.group["judge"], estimate.details["labels"]
    cells: dict[tuple[str, str], list[str]] = {}
    for item in measured(estimate, where):
        if judge in item.verdicts:
            cells.setdefault((item.blind_gold or "", item.verdicts[judge] or JUDGE_FAILED), []).append(item.item_id)
    titles = {name: outcome_title(report.policy, name) for name in labels}
    group = ", ".join(str(value) for key, value in estimate.group.items() if key != "judge")
    return Confusion(
        title=f"{judge} · {group or 'all'}",
        names=tuple(titles.values()),
        counts=tuple(tuple(map(float, row)) for row in estimate.details["confusion"]),
        weighted=tuple(tuple(map(float, row)) for row in estimate.details["confusion_weighted"]),
        behind=tuple(
            tuple(named(f"gold {titles[gold]}, verdict {titles[verdict]}", cells.get((gold, verdict), ())) for verdict in labels)
            for gold in labels
        ),
    )


# Time


def days(store: SqliteStore) -> list[Day]:
    """Labels by day, the last `MOST_DAYS` with any; changed labels and repeats count, imported and undone ones do not."""
    names = pseudonyms(store)
    by_day: dict[str, list[tuple[str, str]]] = {}
    for day, person, item_id in label_days(store.database):
        by_day.setdefault(day, []).append((names[person], item_id))
    return [
        Day(day, len(rows), Counter(name for name, _ in rows), named("labelled that day", (item for _, item in rows)))
        for day, rows in sorted(by_day.items())[-MOST_DAYS:]
    ]
