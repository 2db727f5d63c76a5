"""The coverage studies as one page, `docs/coverage.md`: how often an interval holds what it claims, by simulation.

    python docs/make_coverage_table.py [REPLICATES]

Every number is made by the product's own drawing and estimating, with the populations of the test suite and stated seeds.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from adjudicate.stats.corrected import Target

# `tests` is beside this folder, not installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.stats import (  # the path comes first
    test_clusters,
    test_coverage,
    test_coverage_attempts,
    test_coverage_clusters,
    test_paired_sample,
    test_sequential,
)
from tests.stats.simulation import Stop, summary

REPLICATES = 4000
SEED = 20270
LABELS = (100, 200, 400)
MAKES = {
    "stratified/difference + MOVER-Jeffreys (fpc)": "Jeffreys limits, the default",
    "stratified/difference + MOVER-Clopper-Pearson (no fpc)": "Clopper-Pearson limits, `--conservative` and every gate",
    "stratified/difference + MOVER-Wilson (fpc)": "Wilson limits",
    "stratified/difference + MOVER-Jeffreys (superpopulation)": "Jeffreys limits, `--target process`",
}
STOPS = [("peek_jeffreys", "usual interval, looked at every 20 labels"), ("anytime", "anytime set")]
GATES = [
    ("peek_jeffreys", "usual interval, looked at every 20 labels"),
    ("peek_clopper_pearson", "Clopper-Pearson limits, looked at every 20 labels"),
    ("anytime", "anytime set, `gate --anytime`"),
]
EXTENDED = "; labels by extending the draw"
ADAPTIVE = "; next labels where they tell most"
CLUSTERS = [(0.05, 0.3, 50, 4), (0.05, 0.3, 100, 4), (0.2, 0.3, 100, 4)]

Row = Sequence[str]

INTRODUCTION = """\
How often the intervals of this program hold what they claim. Made by `make coverage-table`; the same studies, smaller, run in the
test suite, and the full ones with `make simulate`."""


def table(headers: Row, rows: Iterator[Row]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(headers) + " |", "| --- |" + " ---: |" * (len(headers) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def corrected_rows(replicates: int) -> Iterator[Row]:
    """The corrected rate by the default draw, labelled in full and in part."""
    for n in LABELS:
        for name, study in test_coverage.studies(n, replicates, SEED).items():
            covered = study.process_coverage if "superpopulation" in name else study.coverage
            yield f"{MAKES[name]}, {n} labels", f"{covered:.1f} %", f"{study.width:.2f}", f"{study.bias:+.3f}"
    part = test_coverage.studies(400, replicates, SEED, labelled=200)
    for name in list(MAKES)[:2]:
        study = part[name]
        title = f"{MAKES[name]}, the first 200 of 400 drawn"
        yield title, f"{study.coverage:.1f} %", f"{study.width:.2f}", f"{study.bias:+.3f}"


def width_rows(replicates: int) -> Iterator[Row]:
    """Stopping as soon as the interval is narrow enough."""
    for method, title in STOPS:
        for width in (2.0, 1.0):
            row: dict[str, Any] = {"method": method, "stop_half_width_pp": width, "n_max": 1500}
            adaptive = test_sequential.stops_on_width(row, replicates, SEED + 1)
            extended = test_coverage.until_narrow(test_sequential.INTERVALS[method], width, replicates, SEED + 1)
            for how, stops in ((EXTENDED, extended), (ADAPTIVE, adaptive)):
                yield (f"{title}, until ± {width:g} points{how}", *stopped(stops))


def stopped(stops: Sequence[Stop]) -> Row:
    """Coverage, mean labels and bias where the labelling stopped."""
    study = summary((stop.truth, stop.estimate) for stop in stops)
    labels = float(np.mean([stop.n for stop in stops]))
    return f"{study.coverage:.1f} %", f"{labels:.0f}", f"{study.bias:+.3f}"


def gate_rows(replicates: int) -> Iterator[Row]:
    """Stopping as soon as the gate passes, where the truth is exactly the bound."""
    for method, title in GATES:
        for gate in (2.0, 3.0):
            row: dict[str, Any] = {"method": method, "gate_pct": gate, "n_max": 800}
            adaptive = test_sequential.stops_on_gate(row, replicates, SEED + 2)
            extended = test_coverage.until_passed(test_sequential.INTERVALS[method], gate, replicates, SEED + 2)
            for how, stops in ((EXTENDED, extended), (ADAPTIVE, adaptive)):
                passes = 100 * sum(stop.stopped for stop in stops) / replicates
                yield f"{title}, bound {gate:g} %{how}", f"{passes:.2f} %"


def cluster_rows(replicates: int) -> Iterator[Row]:
    """Several prompts of one conversation: effective size by the design effect."""
    for rate, icc, clusters, size in CLUSTERS:
        row = {"rate": rate, "icc": icc, "clusters": clusters, "size": size}
        found = test_clusters.coverage(row, replicates, SEED + 3)
        yield (
            f"{clusters} clusters of {size}, rate {100 * rate:g} %, correlation {icc:g}",
            f"{found['effective_n_wilson_t_cover']:.1f} %", f"{found['naive_wilson_cover']:.1f} %", f"{found['mean_deff']:.2f}",
        )  # fmt: skip


def stratified_cluster_rows(replicates: int) -> Iterator[Row]:
    """Clusters over the strata of a draw."""
    for name, setting in test_coverage_clusters.SETTINGS.items():
        found = test_coverage_clusters.coverage(name, replicates, SEED + 5)
        of = "prompts like these" if setting.target == "process" else "these items"
        yield f"{name}; {of}", f"{found.clustered:.1f} %", f"{found.ignored:.1f} %", f"{found.effect:.2f}"


def attempts_rows(replicates: int) -> Iterator[Row]:
    """Rates within k answers to one prompt."""
    for name, k in test_coverage_attempts.SETTINGS:
        found = test_coverage_attempts.coverage((name, k), replicates, SEED + 6)
        truth = 100 * test_coverage_attempts.KINDS[name].within(k)
        yield (
            f"{name}, {k} attempt{'s' * (k > 1)}", f"{truth:.1f} %", f"{100 * found.mean:.1f} %", f"{found.corrected:.1f} %",
            f"{found.raw:.1f} %",
        )  # fmt: skip


def paired_rows(replicates: int) -> Iterator[Row]:
    """The change between two runs from a labelled sample of their prompts: lowest and mean coverage over all settings."""
    limits, settings = ("jeffreys", "wilson", "clopper_pearson"), test_paired_sample.SETTINGS
    targets: tuple[tuple[Target, str], ...] = (("finite", "these prompts"), ("process", "prompts like these"))
    for target, title in targets:
        found = [test_paired_sample.coverage(each, replicates, limits, SEED + 4, target) for each in settings]
        for name in limits:
            values = [each[name] for each in found]
            change, size, n, by_verdicts = settings[int(np.argmin(values))]
            where = f"{change}, N {size}, n {n}, {'verdict strata' if by_verdicts else 'one stratum'}"
            yield f"{name.replace('_', '-')}, {title}", f"{min(values):.1f} %", f"{np.mean(values):.1f} %", where


@dataclass(frozen=True)
class CoverageStudy:
    """One table of the page."""

    title: str
    what: str
    """What is simulated, in words."""
    headers: Row
    rows: Callable[[int], Iterator[Row]]
    """Takes the number of replicates."""
    share: float
    """Of the replicates asked for, by what the study costs."""


STUDIES = (
    CoverageStudy(
        "Corrected rates",
        """2,000 responses, 2 % of them events; a judge with sensitivity 0.85 and specificity 0.97 that is worse in a borderline
fifth; strata by verdict, mix allocation. Coverage of 95 % intervals.""",
        ("interval", "coverage", "mean width, points", "bias, points"),
        corrected_rows,
        2.0,
    ),
    CoverageStudy(
        "Stopping on a width",
        """The same, labelled in batches of 20 until the interval is narrow enough: by extending the draw, as `draw --n` does, or
with the next labels where they tell most by those at hand. Coverage where the labelling stopped.""",
        ("rule", "coverage", "mean labels", "bias, points"),
        width_rows,
        0.5,
    ),
    CoverageStudy(
        "Stopping on a gate",
        """The rate is exactly the bound, and labelling goes on, up to 800 labels, until the upper limit is below it: every
pass is false. Nominal 2.5 %.""",
        ("rule", "false passes"),
        gate_rows,
        0.5,
    ),
    CoverageStudy(
        "Clusters",
        "Prompts that belong together, beta-binomial. Coverage of 95 % intervals with the design effect, and when it is ignored.",
        ("sample", "coverage", "coverage if ignored", "mean design effect"),
        cluster_rows,
        1.0,
    ),
    CoverageStudy(
        "Clusters over strata",
        """Beta-binomial clusters with a judge, strata by verdict, mix allocation. Items that were drawn one by one need a design
effect for prompts like these only, pairs that were drawn whole for these items too. If ignored: Wilson limits without one.""",
        ("sample", "coverage", "coverage if ignored", "mean design effect"),
        stratified_cluster_rows,
        0.5,
    ),
    CoverageStudy(
        "Attempts",
        """300 prompts with five responses each, 200 labels; a judge with sensitivity 0.85 and specificity 0.97 that errs on every
response anew. Rate of at least one event within k attempts, for prompts like these: truth, mean of the corrected rate, its
coverage, and that of the raw rate under perfect verdicts.""",
        ("prompts", "truth", "mean estimate", "coverage", "coverage, perfect verdicts"),
        attempts_rows,
        0.5,
    ),
    CoverageStudy(
        "Paired differences from a sample",
        """98 settings: two runs of the same prompts, 300 or 2,000 of them, 60 to 400 labelled on both sides, strata from both
verdicts or none, rates from 2 to 73 %. Coverage of 95 % intervals; the lowest of 98 is partly chance.""",
        ("limits", "lowest", "mean", "lowest where"),
        paired_rows,
        0.5,
    ),
)


def page(replicates: int) -> str:
    """The whole page."""
    parts = [
        "# Coverage, simulated",
        INTRODUCTION,
    ]
    started = time.monotonic()
    for study in STUDIES:
        count = max(10, round(replicates * study.share))
        error = 100 * (0.05 * 0.95 / count) ** 0.5
        made = table(study.headers, study.rows(count))
        parts += [
            f"## {study.title}",
            f"{study.what} {count:,} replicates: a standard error of {error:.1f} points at 95 %.",
            made,
        ]
        print(f"{study.title}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}"
    parts.append(f"Seeds {SEED} to {SEED + 6}; {versions}. Another version may draw other numbers from the same seed.")
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


if __name__ == "__main__":
    target = Path(__file__).with_name("coverage.md")
    text = page(int(sys.argv[1]) if len(sys.argv) > 1 else REPLICATES)
    target.write_text(text, encoding="utf-8")
    print(f"Wrote {target.name}")
