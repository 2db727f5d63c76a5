"""Two runs, two models or two judges side by side, without asking for a decision: `decide_release` is the one that decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import UsageError
from adjudicate.stats.rate_counts import bounded_rate, rate_counts
from adjudicate.stats.run_change import run_change
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import Report, ReportOptions, build_report
from adjudicate.workflow.comparable import Pair
from adjudicate.workflow.judge_tables import judge_pairs_table, judge_table, judges_table
from adjudicate.workflow.read_side import Frame, side
from adjudicate.workflow.release import GateQuestion
from adjudicate.workflow.release_pairs import check_same_model, read_pairs
from adjudicate.workflow.text_table import TextTable, rate_title

JUDGED = ("judge_accuracy", "judge_difference", "judge_agreement")
"""Rows of STATISTICS that speak of two judges."""
SHOWN = 24
"""Characters of a name over a column."""
HOW = {"paired_difference": "the same prompts", "rate_difference": "two rates of their own"}
"""How a change was estimated, in words."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison gave."""

    changes: tuple[Estimate, ...]
    """Differences of runs or models; empty for judges."""
    tables: tuple[TextTable, ...]
    notes: tuple[str, ...]
    report: Report | None = None
    """What the tables of judges come from."""


def compare(store: SqliteStore, wanted: Pair) -> Comparison:
    """Compare two.

    Raises:
        UsageError: They cannot be compared, with the reason.
    """
    return _judges(store, wanted) if wanted.kind == "judges" else _sides(store, wanted)


def _judges(store: SqliteStore, wanted: Pair) -> Comparison:
    report = build_report(store, ReportOptions(only=JUDGED))
    both = {wanted.first, wanted.second}
    about = tuple(each for each in report.estimates if _judges_of(each) <= both and _speaks_of(each, both))
    part = replace(report, estimates=about)
    whole = tuple(each for each in about if not {"population", "judge_failed"} & each.group.keys())
    side_by_side = replace(part, estimates=whole)
    tables = [table for table in (judges_table(part), judge_pairs_table(part), judge_table(side_by_side)) if table.rows]
    if not tables:
        raise UsageError("these two judges have no labelled item, and no item at all, in common")
    return Comparison((), tuple(tables), (), report)


def _judges_of(estimate: Estimate) -> set[str]:
    return {estimate.group[key] for key in ("judge", "against", "second") if key in estimate.group}


def _speaks_of(estimate: Estimate, both: set[str]) -> bool:
    """Whether it is a difference of the two, or the accuracy of one."""
    return _judges_of(estimate) == both or estimate.statistic.startswith("judge_")


def _sides(store: SqliteStore, wanted: Pair) -> Comparison:
    frame = Frame(store)
    rows = list(_changes(frame, wanted))
    if not rows:
        raise UsageError("no rate of the policy speaks for items of both")
    headers = ("rate", "group", shortened(wanted.names[1], SHOWN), shortened(wanted.names[0], SHOWN), "compared as")
    cells = tuple(
        (
            rate_title(frame.policy, change.group["rate"]),
            present.speaks_for(change, "rate"),
            present.value(one) if one else "none",
            present.value(two) if two else "none",
            HOW.get(change.statistic, ""),
        )
        for one, two, change in rows
    )
    changes = tuple(change for _, _, change in rows)
    table = TextTable("", headers, cells, (2, 3), present.footnotes(changes))
    minus = f"Differences are {wanted.names[0]} minus {wanted.names[1]}."
    return Comparison(changes, (table,), (minus, _meaning(frame.policy), *_unpaired(changes)))


def _changes(frame: Frame, wanted: Pair) -> Iterator[tuple[Estimate | None, Estimate | None, Estimate]]:
    # The limits of the gate, so that nobody reads two different intervals of one change.
    how = GateQuestion().bounding
    before, after = side(frame, wanted.second), side(frame, wanted.first)
    for each, name in zip((after, before), wanted.names, strict=True):
        if len(each.models) > 1:
            raise UsageError(f"{name} has several models ({', '.join(each.models)}): compare models instead")
    shared = read_pairs(frame.store, before.whole, after.whole)
    check_same_model(before, after, shared)
    old = {(counts.rate.id, counts.group["population"]): counts for counts in rate_counts(before.evidence)}
    new = {(counts.rate.id, counts.group["population"]): counts for counts in rate_counts(after.evidence)}
    for key in (*new, *(key for key in old if key not in new)):
        one, two = old.get(key), new.get(key)
        rates = tuple(bounded_rate(each, how) if each else None for each in (one, two))
        if one and two:
            change = run_change(one, two, shared[key[1], two.rate.among], how)
        else:
            group = (one or two).group  # type: ignore[union-attr]  # the key is of one of them
            change = Estimate("rate_difference", None, 0, "none", group=group, undefined="only one of the two has such items")
        yield rates[0], rates[1], replace(change, group={key: change.group[key] for key in ("rate", "population")})


def _meaning(policy: Policy) -> str:
    better = ", ".join(f"{rate.title} {rate.better}" for rate in policy.rates)
    return f"Better is: {better}. 'adjudicate gate' decides by margins that were stated before."


def _unpaired(changes: tuple[Estimate, ...]) -> Iterator[str]:
    if any(each.statistic == "rate_difference" and each.undefined is None for each in changes):
        yield "Rates compared as two of their own do not use that both answered the same prompts: label both sides of prompts."
