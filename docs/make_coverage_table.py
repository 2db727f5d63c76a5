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

# `tests` is beside this folder, not installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.stats import test_clusters, test_paired_sample, test_sequential  # the path comes first
from tests.stats.simulation import cells, corrected, drawn, frame, labels_by, summary

REPLICATES = 4000
SEED = 20270
LABELS = (100, 200, 400)
MAKES = [
    ("Jeffreys limits, the default", "jeffreys", "finite"),
    ("Clopper-Pearson limits, `--conservative` and every gate", "clopper_pearson", "finite"),
    ("Wilson limits", "wilson", "finite"),
    ("Jeffreys limits, `--target process`", "jeffreys", "process"),
]
STOPS = [("peek_jeffreys", "usual interval, looked at every 20 labels"), ("anytime", "anytime set")]
GATES = [
    ("peek_jeffreys", "usual interval, looked at every 20 labels"),
    ("peek_clopper_pearson", "Clopper-Pearson limits, looked at every 20 labels"),
    ("anytime", "anytime set, `gate --anytime`"),
]
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
    """The corrected rate: strata by verdict, mix allocation."""
    for n in LABELS:
        samples = []
        for replicate in range(replicates):
            rng = np.random.default_rng([SEED, n, replicate])
            population = frame(rng)
            strata = cells(population, "verdict")
            labels = labels_by("mix", {name: size for name, (size, _) in strata.items()}, n)
            samples.append((population.rate, drawn(rng, strata, labels)))
        for title, limits, target in MAKES:
            study = summary((rate, corrected(counts, limits=limits, target=target)) for rate, counts in samples)  # type: ignore[arg-type]
            covered = study.coverage if target == "finite" else study.process_coverage
            yield f"{title}, {n} labels", f"{covered:.1f} %", f"{study.width:.2f}", f"{study.bias:+.3f}"


def width_rows(replicates: int) -> Iterator[Row]:
    """Stopping as soon as the interval is narrow enough."""
    for method, title in STOPS:
        for width in (2.0, 1.0):
            row: dict[str, Any] = {"method": method, "stop_half_width_pp": width, "n_max": 1500}
            stops = test_sequential.stops_on_width(row, replicates, SEED + 1)
            study = summary((stop.truth, stop.estimate) for stop in stops)
            labels = float(np.mean([stop.n for stop in stops]))
            yield f"{title}, until ± {width:g} points", f"{study.coverage:.1f} %", f"{labels:.0f}", f"{study.bias:+.3f}"


def gate_rows(replicates: int) -> Iterator[Row]:
    """Stopping as soon as the gate passes, where the truth is exactly the bound."""
    for method, title in GATES:
        for gate in (2.0, 3.0):
            row: dict[str, Any] = {"method": method, "gate_pct": gate, "n_max": 800}
            stops = test_sequential.stops_on_gate(row, replicates, SEED + 2)
            passes = 100 * sum(stop.stopped for stop in stops) / replicates
            yield f"{title}, bound {gate:g} %", f"{passes:.2f} %"


def cluster_rows(replicates: int) -> Iterator[Row]:
    """Several prompts of one conversation: effective size by the design effect."""
    for rate, icc, clusters, size in CLUSTERS:
        row = {"rate": rate, "icc": icc, "clusters": clusters, "size": size}
        found = test_clusters.coverage(row, replicates, SEED + 3)
        yield (
            f"{clusters} clusters of {size}, rate {100 * rate:g} %, correlation {icc:g}",
            f"{found['effective_n_wilson_t_cover']:.1f} %", f"{found['naive_wilson_cover']:.1f} %", f"{found['mean_deff']:.2f}",
        )  # fmt: skip


def paired_rows(replicates: int) -> Iterator[Row]:
    """The change between two runs from a labelled sample of their prompts: lowest and mean coverage over all settings."""
    limits = ("jeffreys", "wilson", "clopper_pearson")
    found = [test_paired_sample.coverage(each, replicates, limits, SEED + 4) for each in test_paired_sample.SETTINGS]
    for name in limits:
        values = [each[name] for each in found]
        place = int(np.argmin(values))
        change, size, n, by_verdicts = test_paired_sample.SETTINGS[place]
        strata = "verdict strata" if by_verdicts else "one stratum"
        yield name.replace("_", "-"), f"{min(values):.1f} %", f"{np.mean(values):.1f} %", f"{change}, N {size}, n {n}, {strata}"


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
        "The same, labelled in batches of 20 until the interval is narrow enough. Coverage where the labelling stopped.",
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
    parts.append(f"Seeds {SEED} to {SEED + 4}; {versions}. Another version may draw other numbers from the same seed.")
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


if __name__ == "__main__":
    target = Path(__file__).with_name("coverage.md")
    text = page(int(sys.argv[1]) if len(sys.argv) > 1 else REPLICATES)
    target.write_text(text, encoding="utf-8")
    print(f"Wrote {target.name}")
