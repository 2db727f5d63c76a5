"""Percent and fraction are never mixed in output: every number of a table carries its unit, every estimate of JSON its scale."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adjudicate.core.present import DIFFERENCES
from adjudicate.stats import STATISTICS
from adjudicate.stats.evidence import Evidence
from adjudicate.workflow.build_report import Report
from adjudicate.workflow.present_report import TextTable, tables
from tests.cli.running import adjudicate
from tests.factory import xstest_policy
from tests.stats.random_evidence import OPTIONS, evidences

NUMBER = re.compile(r"(?<![\w.])[+-]?\d+\.\d+(?![\d.])")
AMOUNT = re.compile(r"[+-]?\d+\.\d+(?: to [+-]?\d+\.\d+)? (?:%|points)|\(\d+\.\d+\)")
"""A number, or two, with its unit; in brackets a weighted count."""
PLAIN = re.compile(
    r"kappa|alpha|AC[12]|MCC|\bpi\b|PABAK|index|Brennan|follows length|design effect|\bp\b|^Holm|^Benjamini|^BH", re.IGNORECASE
)
"""What has no unit: coefficients and p values."""


def without_unit(table: TextTable) -> Iterator[str]:
    """Cells with a decimal number whose unit is neither in the cell, nor in its header, nor in the title."""
    for row in table.rows:
        for header, cell in zip(table.headers, row, strict=True):
            bare = NUMBER.search(AMOUNT.sub("", cell))
            told = re.search(r"points", f"{header} {table.title}") or PLAIN.search(header) or PLAIN.search(" ".join(row))
            if bare and not told:
                yield f"{table.title} / {header}: {cell}"


def on_scale(estimate: dict[str, Any]) -> bool:
    ends = {"fraction": (0, 1), "points": (0, 100), "coefficient": (-float("inf"), float("inf")), "count": (0, float("inf"))}
    low, high = ends[estimate["unit"]]
    if estimate["statistic"] in DIFFERENCES:
        low = -high
    values = [estimate[key] for key in ("value", "low", "high") if estimate[key] is not None]
    return all(low - 1e-9 <= value <= high + 1e-9 for value in values)


@given(evidences(resamples=40), st.sampled_from(OPTIONS))
@settings(
    max_examples=10, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
def test_every_number_of_a_report_carries_its_unit(evidence: Evidence, option: dict[str, Any]) -> None:
    changed = replace(evidence, **option)
    estimates = tuple(estimate for row in STATISTICS for estimate in row.compute(changed))
    report = Report(xstest_policy(), estimates, (), len(evidence.items), len(evidence.items), 0)
    assert [cell for table in tables(report) for cell in without_unit(table)] == []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("units") / "demo"
    adjudicate("demo", "--folder", folder)
    return folder


COMMANDS = [
    ("report", "all"), ("gate", "--max", "harmful_compliance=0.99", "--max", "benign_refusal=0.99"), ("plan",), ("frontier",),
    ("frontier", "--example"),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_estimates_are_on_the_scale_of_their_unit(demo: Path, command: tuple[str, ...]) -> None:
    found = json.loads(adjudicate("-w", demo, *command, "--json"))
    assert [estimate for estimate in found["estimates"] if not on_scale(estimate)] == []
    assert {estimate["unit"] for estimate in found["estimates"]} <= {"fraction", "points", "coefficient", "count"}
    # A percent sign belongs to text for people.
    assert "%" not in {key for estimate in found["estimates"] for key in estimate["details"]}


@pytest.mark.parametrize("command", [COMMANDS[1], COMMANDS[3]], ids=" ".join)
def test_rates_are_printed_in_percent(demo: Path, command: tuple[str, ...]) -> None:
    text = adjudicate("-w", demo, *command)
    rates = [line for line in text.splitlines() if re.search("refusal|compliance", line) and re.search(r"\d\.\d", line)]
    assert rates
    for line in rates:
        assert re.search(r"\d %|points|threshold", line), line


def test_a_plan_states_its_widths_in_points(demo: Path) -> None:
    text = adjudicate("-w", demo, "plan")
    assert "Labels for ± 2.0 points" in text and "± points now" in text
