"""The longest run of equal answers in a sequence, and how often chance alone makes one as long."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from math import comb


def longest_run(answers: Sequence[bool]) -> int:
    """Length of the longest unbroken run of True, 0 without any."""
    return max((sum(1 for _ in run) for value, run in groupby(answers) if value), default=0)


def run_probability(length: int, *, yes: int, n: int) -> float:
    """Chance that a random order of `yes` True among `n` answers has a run of True of `length` or more, 0 to 1.

    Exact: the True fall into the ``no + 1`` gaps around the False; ways without a gap of `length` by inclusion and exclusion
    (de Moivre; Feller 1968, II.10).

    Args:
        length: Run asked about, 0 or more.
        yes: Answers that are True, 0 to `n`.
        n: Answers.

    Raises:
        ValueError: Counts out of range.

    >>> run_probability(2, yes=2, n=3)  # YYN, NYY, not YNY
    0.6666666666666666
    """
    if not (0 <= yes <= n and length >= 0):
        raise ValueError(f"counts out of range: a run of {length} among {yes} of {n}")
    if length == 0:
        return 1.0
    if length > yes:
        return 0.0
    gaps = n - yes + 1
    # Ways to put `yes` answers into the gaps, none of them with `length` or more.
    short = sum(
        (-1) ** full * comb(gaps, full) * comb(yes - full * length + gaps - 1, gaps - 1)
        for full in range(min(gaps, yes // length) + 1)
    )
    return float(1 - Fraction(short, comb(n, yes)))
