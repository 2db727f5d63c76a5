"""The worked example against seed_arithmetic.json, computed and simulated, each within its own tolerance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudicate.stats.contrastive_toy import EXAMPLES, GENERAL, HARMFUL, MEANS, contrastive_toy, toy_limit
from adjudicate.stats.frontier_example import ExampleFigure, frontier_example
from tests.stats import reference

TOY = {"toy_limit_borderline_refusal", "toy_gain_points", "toy_general_rise_points"}
QUOTED = {"reported_training_study"}
"""A result of another study, with no arithmetic to check."""


@pytest.fixture(scope="module")
def example() -> dict[str, ExampleFigure]:
    return {figure.key: figure for figure in frontier_example()}


def values(shared: Path) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in reference.read(shared, "seed_arithmetic.json")["values"]}


def test_every_figure_of_the_note_is_computed(shared: Path, example: dict[str, ExampleFigure]) -> None:
    assert example.keys() | TOY | QUOTED == values(shared).keys()


def test_computed_figures_are_reproduced(shared: Path, example: dict[str, ExampleFigure]) -> None:
    for key, row in values(shared).items():
        if key in example and row["closed_form"] is not None:
            # One part in a million where the reference states a wider, printed precision.
            assert example[key].computed == pytest.approx(row["closed_form"], abs=min(row["tolerance"], 1e-6)), key


def test_printed_figures_are_within_their_tolerance(shared: Path, example: dict[str, ExampleFigure]) -> None:
    for key, row in values(shared).items():
        if key in example:
            assert example[key].printed == row["published"], key
            if row["published"] is not None:
                assert example[key].computed == pytest.approx(row["published"], abs=row["tolerance"]), key


def test_simulated_figures_agree(shared: Path, example: dict[str, ExampleFigure]) -> None:
    for key, row in values(shared).items():
        if key in example and row["simulated"] is not None:
            found = example[key].simulated
            # The 1e-9 of a figure that the note does not print is for its closed form; two simulations agree to 1 %.
            tolerance = max(row["tolerance"], 0.01 * row["simulated"]) if row["closed_form"] else row["tolerance"]
            if row["published"] is not None and row["tolerance"] < 0.001:
                # Both are simulated: allow each the tolerance that the closed form gets.
                tolerance = 2 * row["tolerance"]
            assert found == pytest.approx(row["simulated"], abs=tolerance), key


def test_the_same_seed_gives_the_same_figures(example: dict[str, ExampleFigure]) -> None:
    assert {figure.key: figure for figure in frontier_example()} == example


def test_the_setting_of_the_toy_is_the_recorded_one(shared: Path) -> None:
    toy = reference.read(shared, "seed_arithmetic.json")["contrastive_toy"]
    assert {name: list(mean) for name, mean in MEANS.items()} == toy["feature_means"]
    assert (toy["n_general"], toy["n_harmful"], toy["feature_sd"]) == (GENERAL, HARMFUL, 1.0)
    assert [row["contrastive_examples"] for row in toy["rows"]] == list(EXAMPLES)


def check_toy(shared: Path, fits: range, errors: float) -> None:
    """Means within so many standard deviations of one fit, and the two figures that the note draws from them."""
    found, rows = values(shared), contrastive_toy(seeds=fits)
    for ours, theirs in zip(rows, reference.read(shared, "seed_arithmetic.json")["contrastive_toy"]["rows"], strict=True):
        assert abs(ours.borderline_refusal - theirs["borderline_refusal_mean"]) < errors * theirs["borderline_refusal_sd"]
        assert abs(ours.general_refusal - theirs["general_refusal_mean"]) < errors * theirs["general_refusal_sd"]
        assert abs(ours.topic_to_intent - theirs["weight_ratio_topic_to_intent"]) < 0.02
    # From no contrastive examples to the limit, and what the general population pays.
    gain = rows[0].borderline_refusal - rows[-1].borderline_refusal
    rise = rows[-1].general_refusal - rows[0].general_refusal
    for key, value in (("toy_gain_points", gain), ("toy_general_rise_points", rise)):
        assert value == pytest.approx(found[key]["simulated"], abs=found[key]["tolerance"])
        if len(fits) == 40:
            assert value == pytest.approx(found[key]["published"], abs=found[key]["tolerance"])


def test_the_toy_is_reproduced_with_few_fits(shared: Path) -> None:
    check_toy(shared, range(20262, 20268), errors=2)
    limit = values(shared)["toy_limit_borderline_refusal"]
    assert toy_limit() == pytest.approx(limit["closed_form"], abs=1e-9)
    assert toy_limit() == pytest.approx(limit["published"], abs=limit["tolerance"])


@pytest.mark.slow
def test_the_toy_is_reproduced_with_all_fits(shared: Path) -> None:
    check_toy(shared, range(20262, 20302), errors=0.8)
