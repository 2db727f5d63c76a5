"""Parts of a data set, decided by a hash of the name."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.splits import part_of

SHARES = {"holdout": 0.1, "test": 0.2, "train": 0.7}


@given(st.text(), st.integers(0, 2**31))
def test_a_name_is_always_in_one_and_the_same_part(name: str, seed: int) -> None:
    assert part_of(name, SHARES, seed=seed) == part_of(name, SHARES, seed=seed)
    assert part_of(name, SHARES, seed=seed) in SHARES


@pytest.mark.parametrize("part", SHARES)
def test_parts_have_their_shares(part: str) -> None:
    """Of 20,000 names, within four standard errors sqrt(p (1 - p) / n) of the share."""
    n = 20_000
    found = Counter(part_of(f"pair-{number}", SHARES, seed=1) for number in range(n))
    share = SHARES[part]
    assert abs(found[part] / n - share) < 4 * sqrt(share * (1 - share) / n)


def test_another_seed_gives_another_split() -> None:
    names = [f"pair-{number}" for number in range(100)]
    assert [part_of(name, SHARES, seed=1) for name in names] != [part_of(name, SHARES, seed=2) for name in names]
