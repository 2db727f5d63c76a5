"""seed_arithmetic.json, rebuilt: the worked example and the toy, each figure within the tolerance that stands beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from adjudicate.stats import frontier_example as example
from adjudicate.stats.contrastive_toy import GENERAL, HARMFUL, MEANS, ToyRow, contrastive_toy, toy_limit
from adjudicate.stats.frontier_example import ExampleFigure, frontier_example
from adjudicate.stats.normal_frontier import ScorePopulation
from tests.reference_entries import Within, compare, read_json

POPULATIONS: Mapping[str, ScorePopulation] = {
    "general": example.GENERAL, "borderline": example.BORDERLINE, "harmful": example.HARMFUL,
    "borderline_calibrated": example.BORDERLINE_CALIBRATED, "harmful_calibrated": example.HARMFUL_CALIBRATED,
}  # fmt: skip


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    check(shared, range(20262, 20268))


@pytest.mark.slow
def test_every_entry_is_reproduced_with_all_fits_of_the_toy(shared: Path) -> None:
    check(shared, range(20262, 20302))


def check(shared: Path, fits: range) -> None:
    document, rows = read_json(shared, "seed_arithmetic.json"), contrastive_toy(seeds=fits)
    figures = {figure.key: figure for figure in frontier_example()}
    ours = {
        "populations": {name: [population.mean, population.sd] for name, population in POPULATIONS.items()},
        "values": [value(row, figures, rows) for row in document["values"]],
        "contrastive_toy": {
            "feature_means": {name: list(mean) for name, mean in MEANS.items()}, "n_general": GENERAL, "n_harmful": HARMFUL,
            "rows": [toy(*pair, len(fits)) for pair in zip(rows, document["contrastive_toy"]["rows"], strict=True)],
        },
    }  # fmt: skip
    compare("seed_arithmetic.json", document, ours, tolerance=lambda _: 0.0)
    assert figures.keys() <= {row["key"] for row in document["values"]}


def value(row: Mapping[str, Any], figures: Mapping[str, ExampleFigure], rows: Sequence[ToyRow]) -> dict[str, Any]:
    """One figure; nothing for the one that is quoted from elsewhere."""
    key, tolerance = row["key"], row["tolerance"]
    if key in figures:
        return worked(row, figures[key])
    if key == "toy_limit_borderline_refusal":
        limit = toy_limit()
        return {"key": key, "published": Within(limit, tolerance), "closed_form": Within(limit, 1e-9), "simulated": None}
    gain = rows[0].borderline_refusal - rows[-1].borderline_refusal
    rise = rows[-1].general_refusal - rows[0].general_refusal
    found = {"toy_gain_points": gain, "toy_general_rise_points": rise}.get(key)
    if found is None:
        return {}
    # Few fits may miss what the note printed by as much as they miss the fits of the reference.
    printed = tolerance + abs(row["simulated"] - row["published"]) * (len(rows) < 40)
    return {
        "key": key, "published": Within(found, printed), "closed_form": None, "simulated": Within(found, tolerance),
    }  # fmt: skip


def worked(row: Mapping[str, Any], figure: ExampleFigure) -> dict[str, Any]:
    assert figure.printed == row["published"], figure.key
    # Where a figure can be simulated only, the product computes it so, and the reference states no closed form.
    alone = row["closed_form"] is None and figure.computed == figure.simulated
    closed = None if alone else Within(figure.computed, min(row["tolerance"], 1e-6))
    return {
        "key": figure.key, "closed_form": closed,
        "published": None if figure.printed is None else Within(figure.computed, row["tolerance"]),
        "simulated": None if figure.simulated is None else Within(figure.simulated, simulated_tolerance(row)),
    }  # fmt: skip


def simulated_tolerance(row: Mapping[str, Any]) -> float:
    tolerance = float(row["tolerance"])
    if row["published"] is not None and tolerance < 0.001:
        # Both are simulated: allow each the tolerance that the closed form gets.
        return 2 * tolerance
    # The 1e-9 of a figure that the note does not print is for its closed form; two simulations agree to 1 %.
    return max(tolerance, 0.01 * row["simulated"]) if row["closed_form"] else tolerance


def toy(ours: ToyRow, theirs: Mapping[str, Any], fits: int) -> dict[str, Any]:
    """Means and spreads within three standard errors of a difference.

    Near the limit the refusal rises with the *square* of an error of the fit, so that its spread is that of a chi-square with
    one degree of freedom (kurtosis 15): a standard deviation is then known to ``sqrt(14 / 4 n)`` of itself.
    """
    error = 3 * sqrt(1 / fits + 1 / 40)
    found: dict[str, Any] = {
        "contrastive_examples": ours.contrastive_examples, "weight_ratio_topic_to_intent": Within(ours.topic_to_intent, 0.02),
    }  # fmt: skip
    for name, mean, sd in (
        ("borderline_refusal", ours.borderline_refusal, ours.borderline_refusal_sd),
        ("general_refusal", ours.general_refusal, ours.general_refusal_sd),
    ):
        spread = theirs[f"{name}_sd"]
        found |= {
            f"{name}_mean": Within(mean, error * spread), f"{name}_sd": Within(sd, sqrt(14 / 4) * error * spread),
        }  # fmt: skip
    return found
