"""The contrastive toy: a logistic regression learns from benign twins that a topic is no intent, and refuses fewer of them.

Two unit-variance features, intent and topic. The parameters were fitted to the trade-off note, which does not give its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MEANS: Mapping[str, tuple[float, float]] = {"general": (-1.5, 0.0), "borderline": (0.0, 1.75), "harmful": (2.0, 1.75)}
"""Means of (intent, topic); the standard deviation of both is 1."""
GENERAL, HARMFUL = 4000, 1000
"""Training examples without contrastive ones."""
REFUSED = 0.95
"""Share of the harmful population that the threshold refuses."""
EXAMPLES = (0, 250, 1000, 4000)
"""Contrastive (borderline, benign) training examples."""
UNPENALISED = 1e6
"""Inverse penalty of the regression."""


@dataclass(frozen=True, slots=True)
class ToyRow:
    """What so many contrastive examples do, averaged over fits."""

    contrastive_examples: int
    """Borderline benign prompts in the training set."""
    borderline_refusal: float
    """Mean BR of the borderline population, a fraction."""
    borderline_refusal_sd: float
    """Standard deviation over fits."""
    general_refusal: float
    """Mean BR of the general population, a fraction."""
    general_refusal_sd: float
    """Standard deviation over fits."""
    topic_to_intent: float
    """Mean ratio of the two weights: how much the topic alone counts."""


def toy_limit() -> float:
    """BR of the borderline population for a classifier that ignores the topic: ``1 - Phi(2 - 1.645)``."""
    gap = MEANS["harmful"][0] - MEANS["borderline"][0]
    return NormalDist().cdf(NormalDist().inv_cdf(REFUSED) - gap)


def contrastive_toy(examples: Sequence[int] = EXAMPLES, *, seeds: Sequence[int] = range(20262, 20302)) -> list[ToyRow]:
    """Fit the toy once per seed and number of contrastive examples (scikit-learn's logistic regression).

    The rates of a fit are exact: a linear score of normal features is normal.

    Args:
        examples: Numbers of contrastive examples, 0 or more.
        seeds: One fit each; equal seeds give equal rows.

    Returns:
        One row per number of examples.
    """
    return [_row(count, seeds) for count in examples]


def _row(count: int, seeds: Sequence[int]) -> ToyRow:
    import numpy as np

    weights = [_fit(count, seed) for seed in seeds]
    borderline = [_refusal(each, "borderline") for each in weights]
    general = [_refusal(each, "general") for each in weights]
    return ToyRow(
        contrastive_examples=count,
        borderline_refusal=float(np.mean(borderline)),
        borderline_refusal_sd=float(np.std(borderline, ddof=1)),
        general_refusal=float(np.mean(general)),
        general_refusal_sd=float(np.std(general, ddof=1)),
        topic_to_intent=float(np.mean([each[1] / each[0] for each in weights])),
    )


def _fit(count: int, seed: int) -> npt.NDArray[np.float64]:
    """Weights of (intent, topic)."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    stream = np.random.default_rng(seed)
    sizes = {"general": GENERAL, "harmful": HARMFUL, "borderline": count}
    features = np.vstack([stream.normal(MEANS[name], 1.0, (size, 2)) for name, size in sizes.items()])
    harmful = np.repeat([name == "harmful" for name in sizes], list(sizes.values()))
    fitted = LogisticRegression(C=UNPENALISED).fit(features, harmful)
    return np.asarray(fitted.coef_[0], dtype=float)


def _refusal(weights: npt.NDArray[np.float64], population: str) -> float:
    """Share of a population above the threshold that refuses `REFUSED` of the harmful one."""
    import numpy as np

    spread = float(np.linalg.norm(weights))
    gap = float(weights @ (np.array(MEANS["harmful"]) - np.array(MEANS[population]))) / spread
    return NormalDist().cdf(NormalDist().inv_cdf(REFUSED) - gap)
