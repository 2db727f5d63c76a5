"""Power and sizes against each other, and the mid-p power. Reference values: test_reference_comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.stats.power import (
    independent_power,
    independent_sample_size,
    noninferiority_sample_size,
    paired_minimum_detectable,
    paired_power,
    paired_sample_size,
)
from tests.stats import reference


def test_the_mid_p_power_differs_from_the_reference_by_the_empty_table(shared: Path) -> None:
    for row in reference.read(shared, "planning.json")["paired_power"]:
        gained, lost, n = row["p10"], row["p01"], row["n"]
        # The reference counts a table without a discordant prompt as a mid-p rejection, although its own p-value there is 1
        # (paired_comparison.json, no_discordant). That adds P(no discordant prompt): 8e-5 at n = 100 and 9 % discordant.
        never = (1 - gained - lost) ** n
        assert paired_power(gained, lost, n, mid_p=True) + never == pytest.approx(row["midp"], abs=1e-6)


def test_a_size_gives_the_power_it_was_asked_for() -> None:
    assert independent_power(0.2, 0.15, independent_sample_size(0.2, 0.15)) == pytest.approx(0.8, abs=0.01)
    change = paired_minimum_detectable(500, 0.15)
    assert change is not None
    assert paired_sample_size((0.15 + change) / 2, (0.15 - change) / 2) == pytest.approx(500, abs=1)


def test_nothing_happening_is_found_at_most_as_often_as_the_level() -> None:
    assert paired_power(0.05, 0.05, 200) <= 0.05
    assert paired_power(0, 0, 200) == 0
    assert independent_power(0.2, 0.2, 200) == pytest.approx(0.05, abs=0.01)


def test_impossible_input_is_refused() -> None:
    for wrong in (
        lambda: paired_power(0.6, 0.6, 10), lambda: paired_power(0.1, 0.1, 0), lambda: independent_power(0.1, 0.2, 0),
        lambda: paired_minimum_detectable(0, 0.1), lambda: noninferiority_sample_size(0, 0.1),
        lambda: paired_sample_size(0.1, 0.2, power=80),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="equal rates"):
        paired_sample_size(0.1, 0.1)
    with pytest.raises(ValueError, match="equal rates"):
        independent_sample_size(0.1, 0.1)
