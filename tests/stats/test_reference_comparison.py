"""paired_comparison.json and planning.json, rebuilt: 1e-6 for computed values, 5e-4 for published ones, sizes exact.

The reference states first minus second; we state after minus before, so its limits come back negated and swapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from adjudicate.core.estimates import Interval
from adjudicate.stats.intervals import clopper_pearson, jeffreys, normal_quantile, wilson
from adjudicate.stats.paired import PairedTable, mcnemar, newcombe, noninferiority, paired_change, tango
from adjudicate.stats.planning import (
    Allocation,
    labels_for_half_width,
    labels_for_zero_event_limit,
    wald_labels,
    zero_event_limit,
)
from adjudicate.stats.power import (
    independent_sample_size,
    noninferiority_sample_size,
    paired_minimum_detectable,
    paired_power,
    paired_sample_size,
)
from tests.reference_entries import compare, read_json

MARGINS = ("0.01", "0.02", "0.05")


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    document = read_json(shared, "paired_comparison.json")
    ours = {name: {"published": published(row), "computed": computed(table(row))} for name, row in document.items()}
    compare("paired_comparison.json", document, ours, tolerance=paired_tolerance)


def test_every_entry_of_the_planning_file_is_reproduced_or_named(shared: Path) -> None:
    document = read_json(shared, "planning.json")
    compare("planning.json", document, plans(document), tolerance=lambda _: 1e-6)


def paired_tolerance(path: str) -> float:
    if ".published." not in path:
        return 1e-6
    # The squared statistic is printed with two decimals.
    return 5e-3 if path.endswith("mcnemar_chi2") else 5e-4


def table(row: Mapping[str, Any]) -> PairedTable:
    counts = row["table"]
    return PairedTable(counts["both"], counts["first_only"], counts["second_only"], counts["neither"])


def turned(interval: Interval) -> list[float]:
    return [-interval.high, -interval.low]


def computed(found: PairedTable) -> dict[str, Any]:
    details, test = paired_change(found, group={}).details, mcnemar(found)
    return {
        "n": paired_change(found, group={}).n, "p_first": details["before"], "p_second": details["after"],
        "difference": -found.difference, "newcombe": turned(newcombe(found, adjusted=False)),
        "newcombe_adjusted_phi": turned(newcombe(found)), "tango": turned(tango(found)),
        "mcnemar_exact_p": test.exact_p, "mcnemar_midp": test.mid_p, "mcnemar_z": None if test.z is None else -test.z,
        "discordant_odds_ratio": details["discordant_odds_ratio"],
        **{f"noninferiority_margin_{margin}": within_margin(found, float(margin)) for margin in MARGINS},
    }  # fmt: skip


def within_margin(found: PairedTable, margin: float) -> dict[str, Any]:
    test = noninferiority(found, margin)
    assert test.passes is (tango(found).high < margin)
    return {"z": test.z, "one_sided_p": test.p, "passes_at_2_5pct": test.passes}


def published(row: Mapping[str, Any]) -> dict[str, Any]:
    """What we have of what the sources print; the published Newcombe limits use the adjusted phi."""
    found = computed(table(row))
    z = found["mcnemar_z"]
    ours = found | {"newcombe": found["newcombe_adjusted_phi"], "mcnemar_chi2": None if z is None else z * z}
    return {name: value for name, value in ours.items() if name in row["published"]}


def plans(document: Any) -> dict[str, Any]:
    return {
        "half_width": [half_width(row) for row in document["half_width"]],
        "zero_events_upper": [no_events(row["n"]) for row in document["zero_events_upper"]],
        "labels_for_zero_event_upper": [labels_without_events(row) for row in document["labels_for_zero_event_upper"]],
        "paired_power": [{"exact": paired_power(row["p10"], row["p01"], row["n"])} for row in document["paired_power"]],
        "paired_sample_size_80": [{"n": paired_sample_size(row["p10"], row["p01"])} for row in document["paired_sample_size_80"]],
        "paired_minimum_detectable_difference_80": [
            {"mdd": paired_minimum_detectable(row["n"], row["discordant_share"])}
            for row in document["paired_minimum_detectable_difference_80"]
        ],
        "independent_sample_size_80": [
            {"n_per_arm": independent_sample_size(row["p1"], row["p2"])} for row in document["independent_sample_size_80"]
        ],
        "noninferiority_n_per_pair_80": [
            {"n": noninferiority_sample_size(row["margin"], row["discordant_share"])}
            for row in document["noninferiority_n_per_pair_80"]
        ],
    }


def half_width(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exact: tuple[Allocation, ...] = ("proportional", "mix")
    formula: tuple[Allocation, ...] = ("proportional", "neyman")
    for method in exact:
        plan = labels_for_half_width(row["N"], row["planning_rates"], row["half_width"], method=method, limits="wilson")
        assert plan.reached and plan.half_width <= row["half_width"]
        found |= {
            f"mover_wilson_{method}": plan.labels, f"allocation_{method}": [round(labels, 1) for labels in plan.allocation],
        }  # fmt: skip
    for method in formula:
        found[f"wald_{method}"] = wald_labels(
            row["N"], row["planning_rates"], row["half_width"], method=method, z=normal_quantile(0.95)
        )
    return found


def no_events(n: int) -> dict[str, float]:
    limits = {"wilson": wilson, "jeffreys": jeffreys, "clopper_pearson": clopper_pearson}
    found = {name: function(0, n).high for name, function in limits.items()}
    return found | {"one_sided_exact": zero_event_limit(n), "rule_of_three": 3 / n}


def labels_without_events(row: Mapping[str, Any]) -> dict[str, int]:
    target = row["target_upper"]
    return {
        "wilson": next(n for n in count(1) if wilson(0, n).high <= target),
        "one_sided_exact": labels_for_zero_event_limit(target),
    }
