"""The simulated files of the reference, entry by entry: each is compared by the study that simulates it, or named.

The comparisons are in test_coverage_rows, test_interval_robustness, test_sequential, test_hajek and test_clusters, small in the
suite and full-size in ``make simulate``. They go through tables of columns; the same tables are held against the files here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.reference_entries import cells, leaves, read_json, read_rows, unaccounted
from tests.stats import test_clusters, test_coverage_rows, test_interval_robustness, test_sequential
from tests.stats.reference import CSV_KEYS

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "optional_stopping": tuple(test_sequential.WIDTH_COLUMNS), "gate_stopping": tuple(test_sequential.GATE_COLUMNS),
    "fixed_n_anytime_width": test_sequential.FIXED_N_COLUMNS,
    # test_hajek compares the coverage of all twelve rows, test_anytime the priors.
    "active_poisson": ("coverage_pct",), "prior_by_stratum": ("judged_harmful", "judged_not_harmful"),
}  # fmt: skip


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    assert coverage_table(shared) + robustness_table(shared) + clusters(shared) + sequential(shared) == []


def coverage_table(shared: Path) -> list[str]:
    file = "corrected_rate_coverage.csv"
    rows = read_rows(shared, file, CSV_KEYS[file])
    compared = {
        f"{name}: {column}"
        for name, row in rows.items()
        for column in test_coverage_rows.compared(row["design"], row["estimator"])
    }
    return unaccounted(file, (name for name, _ in cells(rows, CSV_KEYS[file])), compared.__contains__)


def robustness_table(shared: Path) -> list[str]:
    file = "interval_robustness.csv"
    rows = read_rows(shared, file, CSV_KEYS[file])
    compared = {f"{name}: {column}" for name in rows for column in test_interval_robustness.compared()}
    return unaccounted(file, (name for name, _ in cells(rows, CSV_KEYS[file])), compared.__contains__)


def clusters(shared: Path) -> list[str]:
    paths = (path for path, _ in leaves(read_json(shared, "cluster_coverage.json")))
    return unaccounted("cluster_coverage.json", paths, lambda path: path.rpartition(".")[2] in test_clusters.COLUMNS)


def sequential(shared: Path) -> list[str]:
    def compared(path: str) -> bool:
        section, column = re.fullmatch(r"(\w+)(?:\[\d+\])?\.(\w+)(?:\[\d+\])?", path).groups()  # type: ignore[union-attr]
        return column in SECTIONS[section]

    return unaccounted("sequential.json", (path for path, _ in leaves(read_json(shared, "sequential.json"))), compared)
