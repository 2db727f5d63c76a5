"""Two runs on the same, fully labelled prompts: the 2x2 table of before and after, its difference and its tests.

Every difference is *after minus before*. Tables from a labelled sample of the prompts are in `paired_sample`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import copysign, inf, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.design_effect import DesignEffect
from adjudicate.stats.intervals import normal_quantile, wilson
from adjudicate.stats.stratum_bounds import share_kept

Better = Literal["lower", "higher"]
PAIRS_ASSUME = "settled labels are right on both sides; prompts are independent of each other"
CLUSTERS_ASSUME = (
    "settled labels are right on both sides; clusters of prompts are independent of each other; the p values take every prompt "
    "for independent"
)


@dataclass(frozen=True, slots=True)
class PairedTable:
    """Prompts by what their responses were before and after a change, in counts."""

    both: int
    """Events before and after."""
    before_only: int
    """Events before, no longer after."""
    after_only: int
    """Events after, not before."""
    neither: int
    """No event on either side."""

    def __post_init__(self) -> None:
        if min(self.both, self.before_only, self.after_only, self.neither) < 0:
            raise ValueError(f"counts cannot be negative: {self}")

    @property
    def n(self) -> int:
        """Prompts in all."""
        return self.both + self.before_only + self.after_only + self.neither

    @property
    def difference(self) -> float:
        """Rate after minus rate before, -1 to 1; needs at least one prompt."""
        return (self.after_only - self.before_only) / self.n

    @property
    def odds_ratio(self) -> float | None:
        """Conditional odds ratio ``before_only / after_only``, 0 or more; None without a prompt in `after_only`."""
        return self.before_only / self.after_only if self.after_only else None


@dataclass(frozen=True, slots=True)
class McNemar:
    """Tests of "the rates before and after are equal", two-sided."""

    exact_p: float
    """Exact binomial p-value over the discordant prompts, 0 to 1; 1 without any."""
    mid_p: float
    """The same with half of the probability of the observed table, 0 to 1: less conservative, may slightly exceed its level."""
    z: float | None
    """``(after_only - before_only) / sqrt(discordant)``; None without a discordant prompt."""
    discordant: int
    """Prompts that changed."""


@dataclass(frozen=True, slots=True)
class Noninferiority:
    """Test of "the rate is not worse by the margin or more", one-sided."""

    z: float
    """Score statistic of Tango at the margin, positive where the data speak for "not worse"."""
    p: float
    """One-sided p-value, 0 to 1."""
    passes: bool
    """Whether p is below half of 1 - confidence: the same answer as the upper Tango limit being under the margin."""


def mcnemar(table: PairedTable) -> McNemar:
    """McNemar's test, exact and mid-p (Fagerland, Lydersen and Laake 2013, with the tie rule of their supplement).

    With f the probability of the observed table, the mid-p value is the exact one minus f. As many prompts lost as gained is
    the middle of the distribution, one table instead of a pair of mirrored ones, so only ``f / 2`` is taken off 1 there.
    """
    from scipy.special import bdtr

    changed, fewer = table.before_only + table.after_only, min(table.before_only, table.after_only)
    if not changed:
        return McNemar(1.0, 1.0, None, 0)
    tail = float(bdtr(fewer, changed, 0.5))
    point = tail - (float(bdtr(fewer - 1, changed, 0.5)) if fewer else 0.0)
    exact = min(1.0, 2 * tail)
    mid = exact - (point / 2 if table.before_only == table.after_only else point)
    return McNemar(exact, mid, (table.after_only - table.before_only) / sqrt(changed), changed)


def tango(table: PairedTable, confidence: float = 0.95) -> Interval:
    """Score interval of the paired difference (Tango 1998): all differences that the score test does not reject.

    Never of zero width, also without a discordant prompt.

    Args:
        table: At least one prompt.
        confidence: Two-sided, 0 to 1.

    Returns:
        Limits in -1 to 1.

    Raises:
        ValueError: No prompt, or confidence out of range.

    >>> limits = tango(PairedTable(both=59, before_only=6, after_only=16, neither=80))
    >>> round(limits.low, 4), round(limits.high, 3)
    (0.0054, 0.124)
    """
    return _tango(table, normal_quantile(confidence), 1.0)


def noninferiority(table: PairedTable, margin: float, *, better: Better = "lower", confidence: float = 0.95) -> Noninferiority:
    """Score test that the rate got worse by less than the margin (Tango 1998).

    Args:
        table: At least one prompt.
        margin: Largest change for the worse that is accepted, a fraction above 0 and below 1.
        better: Which direction of the rate is good.
        confidence: Two-sided; the one-sided level is half of the rest, 2.5 % for 0.95.

    Raises:
        ValueError: Margin or confidence out of range, or no prompt.
    """
    _check(table)
    if not 0 < margin < 1:
        raise ValueError(f"a margin is a fraction above 0 and below 1, not {margin}")
    normal_quantile(confidence)
    sign = 1 if better == "lower" else -1
    z = -sign * _score(_counted(table), sign * margin)
    p = NormalDist().cdf(-z)
    return Noninferiority(z, p, p < (1 - confidence) / 2)


def newcombe(table: PairedTable, confidence: float = 0.95, *, adjusted: bool = True) -> Interval:
    """Square-and-add interval of the paired difference from Wilson limits (Newcombe 1998, method 10), for reference.

    Args:
        table: At least one prompt.
        confidence: Two-sided, 0 to 1.
        adjusted: Whether the numerator of phi is reduced by n/2 when positive, as in the published values; without it the
            interval can collapse to zero width.

    Raises:
        ValueError: No prompt, or confidence out of range.
    """
    _check(table)
    n, before, after = table.n, table.both + table.before_only, table.both + table.after_only
    first, second = wilson(before, n, confidence), wilson(after, n, confidence)
    before_down, before_up = before / n - first.low, first.high - before / n
    after_down, after_up = after / n - second.low, second.high - after / n
    phi = _phi(table, adjusted=adjusted)
    below = sqrt(max(0.0, after_down**2 - 2 * phi * after_down * before_up + before_up**2))
    above = sqrt(max(0.0, after_up**2 - 2 * phi * after_up * before_down + before_down**2))
    return Interval(table.difference - below, table.difference + above)


def clustered_tango(table: PairedTable, effect: DesignEffect, confidence: float = 0.95) -> Interval:
    """Tango's interval at the effective size ``n / effect (z / t)^2``, where prompts come in clusters.

    Args:
        table: At least one prompt.
        effect: Of the change per prompt, with at least two clusters.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: No prompt, too few clusters, or confidence out of range.
    """
    return _tango(table, normal_quantile(confidence), share_kept(effect, confidence))


def paired_change(
    table: PairedTable, *, group: Mapping[str, str], confidence: float = 0.95, effect: DesignEffect | None = None
) -> Estimate:
    """Rate after minus rate before on the same prompts, with Tango's interval and the tests beside it.

    Args:
        table: All prompts.
        group: What the difference speaks for.
        confidence: Two-sided, 0 to 1.
        effect: Of the change per prompt, where prompts share a pair; None where each stands alone.

    Returns:
        A fraction in -1 to 1; undefined without a prompt, and where all are of one cluster. ``details`` holds both rates, the
        four counts and the p-values. A large p-value is not a pass: that is for `noninferiority` and the gate.
    """
    method = "paired difference, Tango score interval" + (" at n / design effect" if effect is not None else "")
    assumes = PAIRS_ASSUME if effect is None else CLUSTERS_ASSUME
    reason = None if table.n else "no prompt on both sides"
    reason = reason or (effect.lacking if effect is not None else None)
    if reason is not None:
        return Estimate("paired_difference", None, table.n, method, group=group, assumes=assumes, undefined=reason)
    limits = tango(table, confidence) if effect is None else clustered_tango(table, effect, confidence)
    test = mcnemar(table)
    details = {
        "before": (table.both + table.before_only) / table.n, "after": (table.both + table.after_only) / table.n,
        "both": table.both, "before_only": table.before_only, "after_only": table.after_only, "neither": table.neither,
        "mcnemar_exact_p": test.exact_p, "mcnemar_mid_p": test.mid_p, "discordant_odds_ratio": table.odds_ratio,
        **(effect.as_details() if effect is not None else {}),
    }  # fmt: skip
    return Estimate(
        "paired_difference", table.difference, table.n, method, group=group, low=limits.low, high=limits.high,
        confidence=confidence, assumes=assumes, details=details,
    )  # fmt: skip


class _Counted(NamedTuple):
    """What Tango's statistic is made of, in prompts; no whole numbers at an effective size."""

    n: float
    gained: float
    lost: float


def _counted(table: PairedTable, share: float = 1.0) -> _Counted:
    _check(table)
    return _Counted(share * table.n, share * table.after_only, share * table.before_only)


def _score(counted: _Counted, difference: float) -> float:
    """Tango's statistic at a difference of after minus before; infinite where the difference is impossible to vary."""
    n, gained, lost = counted
    distance = gained - lost - n * difference
    linear = (2 * n - gained + lost) * difference - gained - lost
    root = sqrt(max(0.0, linear**2 + 8 * n * lost * difference * (1 - difference)))
    rare = (root - linear) / (4 * n)
    variance = n * (2 * rare + difference * (1 - difference))
    if variance <= 1e-14:
        return 0.0 if abs(distance) < 1e-9 else copysign(inf, distance)
    return distance / sqrt(variance)


def _tango(table: PairedTable, z: float, share: float) -> Interval:
    """All differences that the score does not reject, at a share of the prompts."""
    counted = _counted(table, share)
    return Interval(_tango_limit(counted, z), _tango_limit(counted, -z))


def _tango_limit(counted: _Counted, z: float) -> float:
    """The difference at which the statistic is z; an end of the scale where it never gets there."""
    from scipy.optimize import brentq

    end = -1.0 if z > 0 else 1.0
    value = (counted.gained - counted.lost) / counted.n
    if abs(value - end) < 1e-15:
        return end
    inner = end - copysign(1e-12, end)
    if (_score(counted, inner) - z) * (0 - z) > 0:
        return end
    # brentq wants finite ends; the statistic is 0 at the estimate and beyond z at the end of the scale.
    return float(
        brentq(lambda at: max(-1e6, min(1e6, _score(counted, at))) - z, min(inner, value), max(inner, value), xtol=1e-14)
    )


def _phi(table: PairedTable, *, adjusted: bool) -> float:
    a, b, c, d = table.both, table.before_only, table.after_only, table.neither
    denominator = sqrt((a + b) * (c + d) * (a + c) * (b + d))
    numerator = a * d - b * c
    if not denominator:
        return 0.0
    if adjusted and numerator > 0:
        return max(numerator - table.n / 2, 0.0) / denominator
    return numerator / denominator


def _check(table: PairedTable) -> None:
    if not table.n:
        raise ValueError("a paired table needs at least one prompt")
