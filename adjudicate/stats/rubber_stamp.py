"""Signs that verdicts may have been confirmed without reading, per annotator: a reason to talk, never a finding.

The effect of seeing verdicts on the labels themselves is measured by `anchoring` and `reveal`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.present import is_few
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.longest_run import longest_run, run_probability
from adjudicate.stats.plain_share import share_estimate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FASTEST_READING = 60.0
"""Characters a second, about 600 words a minute: faster than people read with understanding."""
FEWEST_TIMED = 10
"""Below this many timed decisions no rank correlation is given an interval."""
ASSUMES = (
    "a sign to look into together with the annotator, not evidence of carelessness: easy items, prompts seen before, skimming a "
    "clear refusal and interrupted clocks look the same"
)
ORDER_ASSUMES = f"{ASSUMES}; the probability takes items to come in random order, which batches of like items do not"
NO_TIME = "no decision of this annotator has a time and a length"
NO_SPREAD = "decision times or lengths are all equal"


@dataclass(frozen=True, slots=True)
class TimedDecision:
    """One decision of an annotator with the verdict in view."""

    annotator: str
    item_id: str
    agreed: bool
    """Whether the label is the verdict."""
    seconds: float | None
    """Time on the item; None where it was not measured."""
    characters: int | None
    """Length of what there was to read; None where unknown."""


def rubber_stamp_estimates(
    decisions: Sequence[TimedDecision],
    *,
    group: Mapping[str, str],
    fastest: float = FASTEST_READING,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Three signs for each annotator (sorted), group ``annotator``.

    Args:
        decisions: Assisted decisions, each annotator's in the order in which they were made.
        group: What the estimates speak for.
        fastest: Characters a second above which a text cannot have been read, more than 0.
        confidence: Two-sided, 0 to 1.

    Returns:
        ``faster_than_reading``: share of timed decisions made in less time than `fastest` needs (fraction, Jeffreys).
        ``time_follows_length``: Spearman correlation of time and length (coefficient, -1 to 1, Fisher's z with the variance of
        Bonett and Wright 2000 from 10 decisions on); near 0 where longer texts get no more time.
        ``longest_agreement_run``: longest unbroken run of agreement (count), with the probability of one as long in random
        order in the details. Undefined, with the reason, where there is nothing to count.

    Raises:
        ValueError: `fastest` is not positive, or a negative time or length.
    """
    if not fastest > 0:
        raise ValueError(f"a reading speed is more than 0 characters a second, not {fastest}")
    if any((d.seconds or 0) < 0 or (d.characters or 0) < 0 for d in decisions):
        raise ValueError("times and lengths cannot be negative")
    estimates: list[Estimate] = []
    for name in sorted({decision.annotator for decision in decisions}):
        own, named = [decision for decision in decisions if decision.annotator == name], {**group, "annotator": name}
        timed = [(d.seconds, d.characters) for d in own if d.seconds is not None and d.characters is not None]
        estimates += [
            _quick(timed, len(own) - len(timed), named, fastest, confidence),
            _correlation(timed, named, confidence),
            _run(own, named),
        ]
    return estimates


def _quick(
    timed: Sequence[tuple[float, int]], untimed: int, group: Mapping[str, str], fastest: float, confidence: float
) -> Estimate:
    quick = sum(seconds * fastest < characters for seconds, characters in timed)
    return share_estimate(
        "faster_than_reading", quick, len(timed), method=f"share of decisions faster than {fastest:g} characters a second",
        group=group, assumes=ASSUMES, undefined=NO_TIME, details={"untimed": untimed, "characters_a_second": fastest},
        confidence=confidence,
    )  # fmt: skip


def _correlation(timed: Sequence[tuple[float, int]], group: Mapping[str, str], confidence: float) -> Estimate:
    n, method = len(timed), "Spearman's rank correlation of decision time and length"
    value = _spearman([seconds for seconds, _ in timed], [characters for _, characters in timed]) if n > 1 else None
    if value is None:
        reason = NO_TIME if not n else NO_SPREAD if n > 1 else "one timed decision shows no relation"
        return Estimate(
            "time_follows_length", None, n, method, "coefficient", group, assumes=ASSUMES, undefined=reason
        )  # fmt: skip
    details: dict[str, Any] = {"few": is_few(n)}
    if n < FEWEST_TIMED or abs(value) > 1 - 1e-12:
        few = f"fewer than {FEWEST_TIMED} timed decisions"
        details["no_interval"] = few if n < FEWEST_TIMED else "the order of times is exactly that of lengths, or its reverse"
        return Estimate(
            "time_follows_length", value, n, method, "coefficient", group, assumes=ASSUMES, details=details
        )  # fmt: skip
    half = normal_quantile(confidence) * sqrt((1 + value**2 / 2) / (n - 3))
    return Estimate(
        "time_follows_length", value, n, f"{method}, Fisher's z", "coefficient", group, tanh(atanh(value) - half),
        tanh(atanh(value) + half), confidence, assumes=ASSUMES, details=details,
    )  # fmt: skip


def _run(own: Sequence[TimedDecision], group: Mapping[str, str]) -> Estimate:
    answers = [decision.agreed for decision in own]
    length, agreed = longest_run(answers), sum(answers)
    details = {"agreed": agreed, "probability": run_probability(length, yes=agreed, n=len(own)), "few": is_few(len(own))}
    return Estimate(
        "longest_agreement_run", float(length), len(own), "longest unbroken run of agreement with the verdict", "count", group,
        assumes=ORDER_ASSUMES, details=details,
    )  # fmt: skip


def _spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson correlation of mid-ranks; None where either has no spread."""
    import numpy as np

    ranks = [_mid_ranks(np.asarray(values, dtype=float)) for values in (first, second)]
    centred = [rank - rank.mean() for rank in ranks]
    scale = float((centred[0] ** 2).sum() * (centred[1] ** 2).sum()) ** 0.5
    return None if scale == 0 else max(-1.0, min(1.0, float((centred[0] * centred[1]).sum()) / scale))


def _mid_ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    import numpy as np

    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle: npt.NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return middle[place]
