"""The change between two runs on the same prompts when only a stratified sample of the prompts is labelled, on both sides.

A prompt is worse, better or the same after the change. Fully labelled pairs are in `paired`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.contrast import TwoCounts, contrast
from adjudicate.stats.corrected import StratumCount, worst_case_bounds
from adjudicate.stats.design_effect import DesignEffect
from adjudicate.stats.stratum_bounds import Target, stratum_bounds

PAIRED_ASSUMES = "settled labels are right on both sides, and the labelled prompts of a stratum are a random sample of it"


@dataclass(frozen=True, slots=True)
class PairedStratum:
    """What is known of one stratum of prompts, usually one cell of (verdict before, verdict after)."""

    stratum: str
    """Name of the stratum, fixed before the labels."""
    size: int
    """Prompts in the stratum, N_h."""
    labelled: int
    """Prompts with a settled label on both sides, n_h."""
    gained: int
    """Labelled prompts that are events after and were not before, d = 1."""
    lost: int
    """Labelled prompts that were events before and are not after, d = -1."""
    unresolved: int = 0
    """Prompts in the sample without a settled label on one side or both."""

    def __post_init__(self) -> None:
        fits = self.gained + self.lost <= self.labelled and self.labelled + self.unresolved <= self.size
        if min(self.gained, self.lost, self.unresolved) < 0 or not fits:
            raise ValueError(f"impossible counts in a stratum of pairs: {self}")


def paired_difference(
    strata: Sequence[PairedStratum],
    *,
    group: Mapping[str, str],
    statistic: str = "paired_difference",
    limits: str = "wilson",
    target: Target = "finite",
    confidence: float = 0.95,
    effect: DesignEffect | None = None,
    details: Mapping[str, Any] | None = None,
) -> Estimate:
    """Rate after minus rate before on the same prompts: ``sum W_h (gained_h - lost_h) / n_h``.

    The interval is MOVER on P(d = 1) and P(d = -1) in every stratum *with their covariance*. Lowest coverage of a nominal
    95 % over 98 simulated settings (``tests/stats/test_paired_sample.py``): Jeffreys limits without the covariance 92 %, with
    it 92.5 %, so neither holds 94 %; Wilson limits with it 94.5 % (the default here, unlike for a single rate);
    Clopper-Pearson limits with it 96 %, which is what a gate should use. The process target covers as well.

    Args:
        strata: Counts per stratum, in any order; strata without prompts are dropped.
        group: What the estimate speaks for.
        statistic: Name for the estimate.
        limits: A key of `LIMITS`; ``clopper_pearson`` for a decision.
        target: ``finite`` for these prompts, ``process`` for prompts like these.
        confidence: Two-sided, 0 to 1.
        effect: Of the process, on the change of each prompt, where prompts share a pair; None where each stands alone.
        details: More by-products to carry along.

    Returns:
        A fraction in -1 to 1. Undefined without prompts, with a stratum that has no settled pair (then ``details["bounds"]``
        holds the worst case), and where all settled prompts are of one cluster.
        ``details["unresolved_bounds"]`` sets every unresolved prompt to lost, and to gained.

    Raises:
        ValueError: `limits` or `target` is unknown, or confidence is out of range.
    """
    lacking = effect.lacking if effect is not None else None
    how = stratum_bounds(limits, target, confidence, effect if lacking is None else None)
    filled = sorted((stratum for stratum in strata if stratum.size), key=lambda stratum: stratum.stratum)
    method = f"stratified paired difference, MOVER on gained and lost with covariance, {how.title}"
    n = sum(stratum.labelled for stratum in filled)
    by_products = {
        **_counts(filled), **(details or {}), "target": target, **(effect.as_details() if effect is not None else {})
    }  # fmt: skip
    reason = _undefined(filled) or lacking
    if reason is not None:
        bounds = {"bounds": _bounds(filled)} if filled else {}
        return Estimate(
            statistic, None, n, method, group=group, assumes=PAIRED_ASSUMES, undefined=reason, details=by_products | bounds
        )
    found = contrast([TwoCounts(s.size, s.labelled, s.gained, s.lost) for s in filled], how)
    return Estimate(
        statistic, found.value, n, method, group=group, low=max(-1.0, found.low), high=min(1.0, found.high),
        confidence=confidence, assumes=PAIRED_ASSUMES, details=by_products,
    )  # fmt: skip


def _undefined(strata: Sequence[PairedStratum]) -> str | None:
    if not strata:
        return "no prompts"
    empty = sum(not stratum.labelled for stratum in strata)
    if not empty:
        return None
    return "no settled pair" if empty == len(strata) else f"{empty} of {len(strata)} strata have no settled pair"


def _bounds(strata: Sequence[PairedStratum]) -> list[float]:
    gained = worst_case_bounds([StratumCount(s.stratum, s.size, s.labelled, s.gained) for s in strata])
    lost = worst_case_bounds([StratumCount(s.stratum, s.size, s.labelled, s.lost) for s in strata])
    return [gained[0] - lost[1], gained[1] - lost[0]]


def _counts(strata: Sequence[PairedStratum]) -> dict[str, Any]:
    unresolved = sum(stratum.unresolved for stratum in strata)
    counts: dict[str, Any] = {
        "N": sum(stratum.size for stratum in strata),
        "gained": sum(stratum.gained for stratum in strata),
        "lost": sum(stratum.lost for stratum in strata),
        "unresolved": unresolved,
        "strata": [
            {"stratum": s.stratum, "N": s.size, "n": s.labelled, "gained": s.gained, "lost": s.lost, "unresolved": s.unresolved}
            for s in strata
        ],
    }
    if unresolved and all(stratum.labelled + stratum.unresolved for stratum in strata):
        counts["unresolved_bounds"] = [
            sum(s.size * (s.gained - s.lost + sign * s.unresolved) / (s.labelled + s.unresolved) for s in strata) / counts["N"]
            for sign in (-1, 1)
        ]
    return counts
