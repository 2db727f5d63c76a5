"""Readers for the reference values; every number in them was computed by other code (see reference/README.md)."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.reliability import ScoredItems

CSV_KEYS: Mapping[str, tuple[str, ...]] = {
    "corrected_rate_coverage.csv": ("design", "n", "estimator"),
    "interval_robustness.csv": ("N", "true_rate", "n", "design"),
    "items.csv": ("item",),
}
"""Columns that tell the rows of a file apart."""


def read(shared: Path, name: str) -> Any:
    return json.loads((shared / "reference" / name).read_text(encoding="utf-8"))


def items(shared: Path) -> list[dict[str, str]]:
    with (shared / "reference" / "items.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scored(rows: Sequence[Mapping[str, str]], *, weighted: bool) -> ScoredItems:
    """The labelled rows of items.csv with the scores of judge a."""
    labelled = [row for row in rows if row["human"]]
    return ScoredItems(
        [int(row["score_a"]) / 100 for row in labelled], [row["human"] == "1" for row in labelled],
        [1 / float(row["inclusion_probability"]) if weighted else 1.0 for row in labelled], [row["stratum"] for row in labelled],
        Counter(row["stratum"] for row in rows) if weighted else {}, "sample" if weighted else "reviewed",
    )  # fmt: skip


def strata(y: Sequence[int], n: Sequence[int], size: Sequence[int]) -> list[StratumCount]:
    return [StratumCount(str(h), size[h], n[h], y[h]) for h in range(len(y))]


def population_strata(rows: Sequence[dict[str, str]], population: str) -> list[StratumCount]:
    inside = [row for row in rows if row["population"] == population]
    size = Counter(row["stratum"] for row in inside)
    labelled = Counter(row["stratum"] for row in inside if row["human"])
    events = Counter(row["stratum"] for row in inside if row["human"] == "1")
    return [StratumCount(name, size[name], labelled[name], events[name]) for name in size]


def ratings(matrix: Sequence[Sequence[int | None]], declared: Sequence[int] | None = None) -> tuple[Ratings, tuple[str, ...]]:
    """Ratings and the names of the categories; the declared ones, or those that occur."""
    values = list(declared) if declared else sorted({value for row in matrix for value in row if value is not None})
    coded = [[-1 if value is None else values.index(value) for value in row] for row in matrix]
    return Ratings(tuple(f"r{number}" for number in range(len(matrix))), coded), tuple(map(str, values))


def table_ratings(table: Sequence[Sequence[int]]) -> tuple[Ratings, tuple[str, ...]]:
    """Two raters whose cross table is given."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return Ratings(("a", "b"), [[i for i, _ in pairs], [j for _, j in pairs]]), tuple(map(str, range(len(table))))
