"""The alternative annotator test: does a judge match the other annotators as well as each annotator does?

Calderon, Reichart and Dror (2025). It never stands alone: on a rare outcome a judge that always says no passes it, so the
sensitivity for the outcome travels with every result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement_counts import Ratings, rating_array
from adjudicate.stats.multiplicity import benjamini_yekutieli

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]

FEWEST_ITEMS = 30
"""Items an annotator needs, as the authors advise; others are left out and named."""
FEWEST_RATERS = 3
"""Below this many tested annotators the result is marked."""
LEVEL = 0.05
"""Level of the false-discovery rate over annotators."""
METHOD = "alternative annotator test, one-sided t tests, Benjamini-Yekutieli at 0.05"
ASSUMES = (
    "the other annotators are the standard, errors included; items are a random sample; says nothing about rare outcomes: "
    "read it beside the sensitivity in the details"
)


@dataclass(frozen=True, slots=True)
class RaterTest:
    """The judge in place of one annotator, over the items that this annotator and another one labelled."""

    rater: str
    n: int
    rho_judge: float
    """Share of items on which the judge matches the others at least as well as the annotator does, 0 to 1."""
    rho_human: float
    """Share of items on which the annotator matches the others at least as well as the judge does, 0 to 1."""
    mean_d: float
    """Mean advantage of the annotator, ``rho_human - rho_judge``, -1 to 1."""
    p: float
    """One-sided p value of *the advantage is below epsilon*."""
    zero_variance: bool
    """Whether all differences were equal, so that the t statistic is infinite: p is 0 below epsilon, else 1."""


def alt_test(
    ratings: Ratings,
    verdicts: Sequence[int],
    *,
    categories: int,
    sensitivity: Estimate,
    epsilon: float,
    group: Mapping[str, str],
    fewest_items: int = FEWEST_ITEMS,
) -> list[Estimate]:
    """Winning rate and advantage probability of a judge among annotators.

    For each annotator and item with another label: the share of other labels that the verdict matches, against the share that
    the annotator's label matches; ``d = 1[annotator >= judge] - 1[judge >= annotator]``, a tie is 0.

    Args:
        ratings: Positions of categories, raters x units, -1 for none.
        verdicts: Positions of the judge's outcomes, one per unit; -1 where it failed, which matches nobody.
        categories: Number of categories of the policy.
        sensitivity: The judge's sensitivity (``judge_sensitivity``) for the outcome in question; goes into the details.
        epsilon: Advantage an annotator is allowed for the price of labelling: 0.2 experts, 0.15 skilled, 0.1 crowd.
        group: What the estimates speak for.
        fewest_items: Items an annotator needs to be tested.

    Returns:
        ``alt_test_winning_rate``, the share of annotators against whom the judge holds, and ``alt_test_advantage``, the mean
        of `RaterTest.rho_judge`; fractions without interval. Undefined where the sensitivity is, with fewer than two raters,
        or where no annotator has enough items. Details hold every `RaterTest`, the sensitivity, and ``passed`` (0.5 or more).

    Raises:
        ValueError: `sensitivity` is another statistic, the ratings do not fit, not one verdict per unit, or epsilon is
            outside 0 to 1.
    """
    if sensitivity.statistic != "judge_sensitivity":
        raise ValueError(f"the test is never shown without judge_sensitivity; was given {sensitivity.statistic}")
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon is a fraction from 0 to below 1, not {epsilon}")
    array = rating_array(ratings, categories)
    if len(verdicts) != array.shape[1]:
        raise ValueError(f"expected one verdict per unit, {array.shape[1]}; found {len(verdicts)}")
    tests, skipped = _tests(ratings.raters, array, verdicts, epsilon, fewest_items)
    failed = sum(verdict < 0 for verdict in verdicts)
    details: dict[str, Any] = {"epsilon": epsilon, "judge_failed": failed, **_beside(sensitivity)}
    details |= {"too_few_items": skipped, "per_rater": [asdict(test) for test in tests]}
    reason = _reason(array, tests, sensitivity, fewest_items)
    n = int(((array >= 0).sum(axis=0) >= 2).sum()) if len(array) else 0
    if reason is not None:
        return [Estimate(name, None, n, METHOD, group=group, assumes=ASSUMES, undefined=reason, details=details)
                for name in ("alt_test_winning_rate", "alt_test_advantage")]  # fmt: skip
    adjusted = benjamini_yekutieli([test.p for test in tests])
    rejected = [test.rater for test, p in zip(tests, adjusted, strict=True) if p <= LEVEL]
    winning = len(rejected) / len(tests)
    details |= {"rejected": rejected, "passed": winning >= 0.5, "few_raters": len(tests) < FEWEST_RATERS}
    advantage = sum(test.rho_judge for test in tests) / len(tests)
    return [
        Estimate("alt_test_winning_rate", winning, n, METHOD, group=group, assumes=ASSUMES, details=details),
        Estimate(
            "alt_test_advantage", advantage, n, "mean over annotators, ties count for the judge", group=group, assumes=ASSUMES,
            details=details,
        ),
    ]  # fmt: skip


def _beside(sensitivity: Estimate) -> dict[str, Any]:
    return {
        "sensitivity": sensitivity.value,
        "sensitivity_low": sensitivity.low,
        "sensitivity_high": sensitivity.high,
        "sensitivity_n": sensitivity.n,
    }


def _reason(array: IntArray, tests: Sequence[RaterTest], sensitivity: Estimate, fewest_items: int) -> str | None:
    if sensitivity.undefined is not None:
        return f"never shown without sensitivity, which is undefined: {sensitivity.undefined}"
    raters = int((array >= 0).any(axis=1).sum()) if array.size else 0
    if raters < 2:
        return f"needs two annotators, found {raters}"
    return None if tests else f"no annotator shares {fewest_items} items with another one"


def _tests(
    raters: Sequence[str], array: IntArray, verdicts: Sequence[int], epsilon: float, fewest_items: int
) -> tuple[list[RaterTest], list[dict[str, Any]]]:
    """Tests of the annotators with enough items, and the names and items of those without."""
    import numpy as np

    judge = np.asarray(verdicts, dtype=np.int64)
    tests: list[RaterTest] = []
    skipped: list[dict[str, Any]] = []
    for place, rater in enumerate(raters):
        own, others = array[place], np.delete(array, place, axis=0)
        shared = (own >= 0) & (others >= 0).any(axis=0)
        n = int(shared.sum())
        if n < max(2, fewest_items):
            skipped.append({"rater": rater, "n": n})
            continue
        # Both are shares of the same number of other labels, so counts compare exactly where quotients might not.
        human = ((others == own) & (others >= 0)).sum(axis=0)[shared]
        machine = ((others == judge) & (others >= 0)).sum(axis=0)[shared]
        tests.append(_test(rater, human >= machine, machine >= human, epsilon))
    return tests, skipped


def _test(rater: str, human_wins: npt.NDArray[np.bool_], judge_wins: npt.NDArray[np.bool_], epsilon: float) -> RaterTest:
    difference = human_wins.astype(float) - judge_wins.astype(float)
    n, mean = difference.size, float(difference.mean())
    error = float(difference.std(ddof=1)) / sqrt(n)
    rho_judge, rho_human = float(judge_wins.mean()), float(human_wins.mean())
    return RaterTest(rater, n, rho_judge, rho_human, mean, _one_sided(mean - epsilon, error, n), error == 0)


def _one_sided(distance: float, error: float, n: int) -> float:
    """P value of a t statistic; without variance it is infinite, and on epsilon itself nothing is shown."""
    from scipy.special import stdtr

    if error == 0:
        return 0.0 if distance < 0 else 1.0
    return float(stdtr(n - 1, distance / error))
