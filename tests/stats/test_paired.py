"""Before and after on the same prompts: worked examples, symmetry, and refusals. Reference values: test_reference_comparison."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.stats.paired import PairedTable, mcnemar, newcombe, noninferiority, paired_change, tango

tables = st.builds(PairedTable, *(st.integers(0, 60) for _ in range(4))).filter(lambda table: table.n > 0)


def test_no_changed_prompt_still_leaves_a_width() -> None:
    # statistics.md 6: n = 11 gives +-0.259.
    limits = tango(PairedTable(10, 0, 0, 1))
    assert [limits.low, limits.high] == pytest.approx([-0.259, 0.259], abs=5e-4)


def test_the_mid_p_value_takes_half_of_the_observed_table_off() -> None:
    # 1 and 3 changed of 4: exact 2 (1 + 4) / 16 = 0.625, the table itself 4 / 16.
    assert (mcnemar(PairedTable(5, 1, 3, 9)).exact_p, mcnemar(PairedTable(5, 1, 3, 9)).mid_p) == pytest.approx((0.625, 0.375))


@pytest.mark.parametrize(("each", "mid_p"), [(0, 1.0), (1, 1 - 2 / 4 / 2), (2, 1 - 6 / 16 / 2)])
def test_a_tie_is_one_table_and_gives_up_half_of_its_own_probability(each: int, mid_p: float) -> None:
    # Fagerland, Lydersen and Laake 2013, supplement: 1 - f / 2; no changed prompt is no evidence at all.
    test = mcnemar(PairedTable(5, each, each, 9))
    assert (test.exact_p, test.mid_p) == (1.0, pytest.approx(mid_p))


def test_newcombe_limits_reproduce_a_published_example() -> None:
    # Cavo 2012 in the book of Fagerland, Lydersen and Laake: before minus after -0.1186 to -0.0046.
    limits = newcombe(PairedTable(59, 6, 16, 80))
    assert [limits.low, limits.high] == pytest.approx([0.0046, 0.1186], abs=5e-4)


def test_the_odds_ratio_compares_the_two_kinds_of_change() -> None:
    assert paired_change(PairedTable(59, 6, 16, 80), group={}).details["discordant_odds_ratio"] == pytest.approx(6 / 16)
    assert paired_change(PairedTable(1, 2, 0, 1), group={}).details["discordant_odds_ratio"] is None


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
