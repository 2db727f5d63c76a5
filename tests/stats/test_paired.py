"""Before and after against paired_comparison.json: 1e-6 for computed values, 5e-4 for published ones.

The reference states first minus second; we state after minus before, so its limits come back negated and swapped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.core.estimates import Interval
from adjudicate.stats.paired import PairedTable, mcnemar, newcombe, noninferiority, paired_change, tango
from tests.stats import reference

NAMES = [
    "bentur_2009", "cavo_2012", "approval_1600", "agresti_min_160", "no_discordant", "two_by_two_diag",
    "all_discordant_one_way", "rare_hc_200", "br_250",
]  # fmt: skip
tables = st.builds(PairedTable, *(st.integers(0, 60) for _ in range(4))).filter(lambda table: table.n > 0)


def entry(shared: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = reference.read(shared, "paired_comparison.json")[name]
    return found


def table_of(found: dict[str, Any]) -> PairedTable:
    counts = found["table"]
    return PairedTable(counts["both"], counts["first_only"], counts["second_only"], counts["neither"])


def first_minus_second(interval: Interval) -> list[float]:
    return [-interval.high, -interval.low]


def test_every_entry_of_the_reference_is_known(shared: Path) -> None:
    assert set(reference.read(shared, "paired_comparison.json")) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_computed_values_are_reproduced(shared: Path, name: str) -> None:
    found = entry(shared, name)
    table, computed = table_of(found), found["computed"]
    estimate = paired_change(table, group={})
    assert estimate.n == computed["n"]
    assert estimate.details["before"] == pytest.approx(computed["p_first"], abs=1e-6)
    assert estimate.details["after"] == pytest.approx(computed["p_second"], abs=1e-6)
    assert -table.difference == pytest.approx(computed["difference"], abs=1e-6)
    assert first_minus_second(tango(table)) == pytest.approx(computed["tango"], abs=1e-6)
    assert first_minus_second(newcombe(table)) == pytest.approx(computed["newcombe_adjusted_phi"], abs=1e-6)
    assert first_minus_second(newcombe(table, adjusted=False)) == pytest.approx(computed["newcombe"], abs=1e-6)
    test = mcnemar(table)
    assert test.exact_p == pytest.approx(computed["mcnemar_exact_p"], abs=1e-6)
    assert test.mid_p == pytest.approx(computed["mcnemar_midp"], abs=1e-6)
    assert (test.z is None) is (computed["mcnemar_z"] is None)
    if test.z is not None:
        assert -test.z == pytest.approx(computed["mcnemar_z"], abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("margin", [0.01, 0.02, 0.05])
def test_noninferiority_is_reproduced(shared: Path, name: str, margin: float) -> None:
    found = entry(shared, name)
    expected, test = found["computed"][f"noninferiority_margin_{margin}"], noninferiority(table_of(found), margin)
    assert test.z == pytest.approx(expected["z"], abs=1e-6)
    assert test.p == pytest.approx(expected["one_sided_p"], abs=1e-6)
    assert test.passes is expected["passes_at_2_5pct"]
    assert test.passes is (tango(table_of(found)).high < margin)


@pytest.mark.parametrize("name", NAMES)
def test_published_values_are_reproduced(shared: Path, name: str) -> None:
    found = entry(shared, name)
    table, published, test = table_of(found), found["published"], mcnemar(table_of(found))
    ours: dict[str, Any] = {
        "tango": first_minus_second(tango(table)), "newcombe": first_minus_second(newcombe(table)),
        "difference": -table.difference, "mcnemar_exact_p": test.exact_p, "mcnemar_midp": test.mid_p,
    }  # fmt: skip
    if test.z is not None:
        ours |= {"mcnemar_z": -test.z, "mcnemar_chi2": test.z**2}
    for key in published.keys() & ours.keys():
        tolerance = 5e-3 if key == "mcnemar_chi2" else 5e-4
        assert ours[key] == pytest.approx(published[key], abs=tolerance), key
    # Not offered: Wald (zero width without a discordant pair), and the normal and continuity-corrected p-values.
    assert published.keys() - ours.keys() <= {"wald", "mcnemar_p", "mcnemar_cc_p"}


def test_no_changed_prompt_still_leaves_a_width() -> None:
    # statistics.md 6: n = 11 gives +-0.259.
    limits = tango(PairedTable(10, 0, 0, 1))
    assert [limits.low, limits.high] == pytest.approx([-0.259, 0.259], abs=5e-4)


def test_a_rate_that_should_rise_is_tested_the_other_way() -> None:
    up, down = PairedTable(40, 6, 14, 190), PairedTable(40, 14, 6, 190)
    assert noninferiority(up, 0.02, better="higher") == noninferiority(down, 0.02, better="lower")


def test_nothing_to_compare_is_undefined_not_zero() -> None:
    assert paired_change(PairedTable(0, 0, 0, 0), group={}).undefined == "no prompt on both sides"


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        PairedTable(1, -1, 0, 0)
    with pytest.raises(ValueError, match="margin"):
        noninferiority(PairedTable(1, 1, 1, 1), 2)
    with pytest.raises(ValueError, match="at least one"):
        tango(PairedTable(0, 0, 0, 0))


@given(tables)
@settings(max_examples=300, deadline=None)
def test_the_score_interval_contains_the_difference_and_has_a_width(table: PairedTable) -> None:
    limits = tango(table)
    assert -1 <= limits.low <= table.difference <= limits.high <= 1
    assert limits.width > 0


@given(tables)
@settings(max_examples=100, deadline=None)
def test_swapping_before_and_after_turns_the_interval_round(table: PairedTable) -> None:
    turned = tango(PairedTable(table.both, table.after_only, table.before_only, table.neither))
    assert [-turned.high, -turned.low] == pytest.approx([tango(table).low, tango(table).high], abs=1e-7)
