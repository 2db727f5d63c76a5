"""Every entry of ../shared/reference: what is an input, what is not reproduced and why, and the comparison of all the rest.

An entry is one leaf of a JSON file, named by its path (``half_width[3].wald_neyman``), or one cell of a CSV file, named by the
columns that tell its row and its own (``SRS | 200 | PPI (lambda=1) + Wald: bias_pp``). A test module a file (`COMPARED_BY`)
rebuilds the file with the product's own functions; `compare` fails on an entry that is neither rebuilt nor named here, on one
that is both, and on a name that nothing carries.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMPARED_BY: Mapping[str, str] = {
    "agreement.json": "test_reference_agreement",
    "anytime.json": "test_reference_intervals",
    "cluster_coverage.json": "test_reference_simulations",
    "corrected_rate_coverage.csv": "test_reference_simulations",
    "interval_robustness.csv": "test_reference_simulations",
    "intervals.json": "test_reference_intervals",
    "items.csv": "test_reference_judge",
    "judge_validation.json": "test_reference_judge",
    "paired_comparison.json": "test_reference_comparison",
    "planning.json": "test_reference_comparison",
    "seed_arithmetic.json": "test_reference_note",
    "sequential.json": "test_reference_simulations",
}
"""The module in tests/stats that rebuilds each file; each has a test named after what it proves, `PROOF`."""
PROOF = "test_every_entry_is_reproduced_or_named"

MATRIX = r"(krippendorff|gwet|encyclopedia|fleiss)_\w+"
INPUTS: Mapping[str, tuple[str, ...]] = {
    "agreement.json": (
        rf"{MATRIX}\.(source|ratings\[.*)", r"two_rater_tables\.\w+\.(source|table\[.*)", r"edge_cases\.source",
        r"edge_cases\.cases\[\d\]\.(name|ratings\[.*)", r"bootstrap_\w+\.source",
        r"bootstrap_unit_percentile\.values\..*\.(replicates|tolerance_at_2000_replicates)",
        r"alt_test\.(source|humans\[.*)", r"alt_test\.judges\.\w+\.labels\[.*", r"alt_test\.rare_outcome_warning\.note",
    ),
    "anytime.json": ("note", r"log_e\[\d\]\.(y|n|N|a|b)", r"sets\[\d\]\.(alpha|(y|n|N|prior)\[.*)"),
    "cluster_coverage.json": (r"\[\d\]\.(rate|clusters|size|icc)",),
    "corrected_rate_coverage.csv": (".*: replicates",),
    "interval_robustness.csv": (),
    "intervals.json": (
        r"one_sample(_finite_population)?\[\d+\]\.(y|n|N)", r"stratified_mover\[\d\]\.(y|n|N)\[\d\]",
        r"rogan_gladen\[\d\]\.(judged_positive|N|true_positive|positives|true_negative|negatives)",
        r"multiclass\.(note|M\[.*|truth\[.*)",
    ),
    "items.csv": (".*: (?!inclusion_probability).*",),
    "judge_validation.json": (
        ".*note", r"corrected\.\w+\.outcome", r"calibration\.\w+\.bins", r"slices_marginal_bias_test\.rows\[\d\]\.slice",
    ),
    "paired_comparison.json": (r"\w+\.source", r"\w+\.table\.\w+"),
    "planning.json": (
        r"half_width\[\d+\]\.(half_width|(N|planning_rates)\[\d\])", r"zero_events_upper\[\d+\]\.n",
        r"labels_for_zero_event_upper\[\d\]\.target_upper", r"paired_power\[\d+\]\.(p10|p01|n)",
        r"paired_sample_size_80\[\d+\]\.(p10|p01)", r"paired_minimum_detectable_difference_80\[\d+\]\.(n|discordant_share)",
        r"independent_sample_size_80\[\d+\]\.(p1|p2)", r"noninferiority_n_per_pair_80\[\d+\]\.(margin|discordant_share)",
    ),
    "seed_arithmetic.json": (
        r"formulas\.\w+", "seed", r"values\[\d+\]\.(tolerance|status|note)",
        r"contrastive_toy\.(status|fit|threshold|feature_sd)",
    ),
    "sequential.json": (
        r"(optional|gate)_stopping\[\d+\]\.(method|stop_half_width_pp|gate_pct|batch|n_max|replicates)",
        r"active_poisson\[\d+\]\.(method|tau|target_n|replicates)", r"fixed_n_anytime_width\[\d\]\.n",
    ),
}  # fmt: skip
"""What a value is computed from or described by: counts, data, seeds, notes. Tests read these; nothing is to be reproduced."""

WALD = "Wald intervals are not offered: zero width without an event (or a changed prompt)"
NOT_REPRODUCED: Mapping[str, Mapping[str, str]] = {
    "agreement.json": {
        rf"{MATRIX}\.computed\.package_irrCAC_0_4_4\.\w+\.(se|ci.*)": (
            "asymptotic standard errors and intervals of another package; ours are a unit bootstrap"
        ),
        rf"{MATRIX}\.computed\.package_irrCAC_0_4_4\.krippendorff\.(pa|pe)": (
            "by-products of that package's form of alpha (a small-sample correction inside pa); its alpha is compared"
        ),
        r"bootstrap_cost\.(distinct_patterns|ratio.*)": (
            "indicative timings, and a pattern count of a random matrix that is not in the file; see tests/performance"
        ),
    },
    "cluster_coverage.json": {
        r"\[\d\]\.cluster_bootstrap_(cover|width_pp)": "the percentile cluster bootstrap is not offered: it covered least",
    },
    "corrected_rate_coverage.csv": {
        r"[^:]* \+ (Wald|Wald \(fpc\)): (?!replicates).*": f"{WALD}; covers 6 to 95 %",
        r"[^:]*logit-Wald: (?!replicates).*": "logit-Wald limits are not offered: undefined without an event",
        r"[^:]*Korn-Graubard: (?!replicates).*": "Korn-Graubard limits are not offered: they inherit the zero variance of Wald",
        r"[^:]*Jeffreys predictive: (?!replicates).*": "not offered: covers 86 to 90 % with four small strata",
        r"[^:]*bootstrap[^:]*: (?!replicates).*": "bootstrap limits of a rate are not offered: no unseen event in them",
        r"[^:]*design-weighted \(point only\): (miss_\w+|cover_\w+|mean_width_pp|median_width_pp)": (
            "empty in the reference: a point only"
        ),
        r"none \|[^:]*: (miss_\w+|cover_\w+|mean_width_pp|median_width_pp)": (
            "the raw rate has no interval: all verdicts are known, and its error is bias"
        ),
    },
    "intervals.json": {
        r"stratified_mover\[7\]\.se_design": (
            "one label in a stratum has no variance: the reference borrows a pooled one, here the standard error is undefined"
        ),
    },
    "judge_validation.json": {
        r"two_judges\.BR\.mcnemar_midp": (
            "13 against 13: the reference takes the whole point probability f off 1 (0.845). Fagerland, Lydersen and Laake "
            "(2013, supplement) take half of it at a tie, 1 - f/2 = 0.923, and so do we; no tie is significant either way"
        ),
    },
    "paired_comparison.json": {
        r"\w+\.(published|computed)\.wald\[[01]\]": WALD,
        r"\w+\.published\.mcnemar_(cc_)?p": "normal and continuity-corrected p values are not offered: exact and mid-p are",
    },
    "planning.json": {
        r"paired_power\[\d+\]\.midp": (
            "the reference counts a table without a changed prompt as a mid-p rejection, although its own p value there is 1 "
            "(paired_comparison.json, no_discordant); the difference is that probability, which test_power adds and compares"
        ),
    },
    "seed_arithmetic.json": {
        r"values\[34\]\.(key|published|closed_form|simulated)": (
            "reported_training_study: a result of another study that the note quotes; no arithmetic to check"
        ),
    },
    "sequential.json": {
        r"active_poisson\[\d+\]\.(mean_n|bias_pp|rmse_pp|mean_width_pp)": (
            "the scores that set the inclusion probabilities are described only as close to the true error probabilities; "
            "with such scores the coverage is reproduced, labels and widths are not to be expected to the digit"
        ),
    },
}
"""The entries that cannot apply, by file and pattern of their name, with the reason."""


@dataclass(frozen=True, slots=True)
class Within:
    """A rebuilt value with a tolerance of its own."""

    value: float
    tolerance: float


Tolerance = Callable[[str], float]


def read_json(shared: Path, name: str) -> Any:
    """A JSON file of the reference."""
    return json.loads((shared / "reference" / name).read_text(encoding="utf-8"))


def read_rows(shared: Path, name: str, key: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """A CSV file of the reference: rows by the columns that tell them apart, and in each the other columns."""
    with (shared / "reference" / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {" | ".join(row[column] for column in key): row for row in rows}
    assert len(found) == len(rows)
    return found


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of every entry of a JSON document; an empty list is an entry, for it says that there is none."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{place}]")
    else:
        yield path, value


def cells(rows: Mapping[str, Mapping[str, str]], key: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Name and text of every cell outside the key columns."""
    for name, row in rows.items():
        yield from ((f"{name}: {column}", text) for column, text in row.items() if column not in key)


def named(file: str, path: str) -> list[str]:
    """What the tables say of an entry: ``input``, the reason why it is not reproduced, or nothing."""
    inputs = ["input" for pattern in INPUTS[file] if re.fullmatch(pattern, path)]
    reasons = [why for pattern, why in NOT_REPRODUCED.get(file, {}).items() if re.fullmatch(pattern, path)]
    return inputs[:1] + reasons


def unaccounted(file: str, paths: Iterator[str], reproduced: Callable[[str], bool]) -> list[str]:
    """Entries that are not exactly one of input, not reproduced with a reason, and reproduced."""
    claims = ((path, named(file, path) + ["reproduced"] * reproduced(path)) for path in paths)
    return [f"{path}: {' and '.join(found) or 'neither reproduced nor named'}" for path, found in claims if len(found) != 1]


def compare(file: str, document: Any, ours: Any, *, tolerance: Tolerance) -> None:
    """Every entry of a document against the rebuilt one, or against the tables above.

    Args:
        file: Name of the reference file.
        document: Its content.
        ours: The same shape, with what the product computes; inputs and entries that are not reproduced are left out.
        tolerance: Absolute, by path; a `Within` has its own.
    """
    theirs, found = dict(leaves(document)), dict(leaves(ours))
    wrong = unaccounted(file, iter(theirs), found.__contains__)
    wrong += [f"{path}: not in the reference" for path in found.keys() - theirs.keys()]
    for path in found.keys() & theirs.keys():
        value = found[path]
        value, slack = (value.value, value.tolerance) if isinstance(value, Within) else (value, tolerance(path))
        if not same(value, theirs[path], slack):
            wrong.append(f"{path}: {theirs[path]!r} in the reference, {value!r} here")
    assert not wrong, "\n".join([f"{len(wrong)} entries of {file}", *sorted(wrong)])


def same(value: Any, expected: Any, tolerance: float) -> bool:
    """Numbers within a tolerance; anything else, and what is undefined, exactly."""
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (value, expected))
    return bool(abs(value - expected) <= tolerance if numbers else value == expected)
