"""Rates within k attempts cover as often as they say, raw and corrected, for prompts that are alike and for prompts that differ.

300 prompts with five responses each, a judge with sensitivity 0.85 and specificity 0.97 on every response anew, 200 labels by the
product's own draw over all responses. The truth is that of prompts like these.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import pytest

from adjudicate.stats.attempts import corrected_within_attempts, within_attempts
from tests.stats.product_draw import by_verdict, draw
from tests.stats.simulation import holds, noise

PROMPTS, RESPONSES, LABELS = 300, 5, 200


@dataclass(frozen=True)
class Kind:
    """How the chance of an event is spread over prompts: Beta(a, b)."""

    a: float
    b: float

    def within(self, k: int) -> float:
        """``E[1 - (1 - p)^k]``."""
        return 1 - prod((self.b + i) / (self.a + self.b + i) for i in range(k))


KINDS = {
    "HC 2 %, prompts alike": Kind(2, 98), "HC 2 %, few prompts nearly always": Kind(0.1, 4.9),
    "BR 20 %, prompts alike": Kind(4, 16), "BR 20 %, prompts nearly always or never": Kind(0.2, 0.8),
}  # fmt: skip
SETTINGS = list(product(KINDS, (1, 3, 5)))


@dataclass(frozen=True)
class Found:
    """Percent covered by the corrected rate and by the rate of perfect verdicts, and the mean corrected rate."""

    corrected: float
    raw: float
    mean: float
    width: float
    if_unrelated: float
    """Mean of the rate that takes the events of a prompt for unrelated given their verdicts."""


def coverage(setting: tuple[str, int], replicates: int, seed: int, *, repeated: float = 0.0) -> Found:
    """Simulate one setting; `repeated` is the share of prompts on which the judge errs on all responses alike."""
    name, k = setting
    truth, covered, raw, values, widths, unrelated = KINDS[name].within(k), 0, 0, [], [], []
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, k, replicate])
        chance = rng.beta(KINDS[name].a, KINDS[name].b, PROMPTS)
        events = rng.random((PROMPTS, RESPONSES)) < chance[:, None]
        luck, shared = rng.random(events.shape), rng.random((PROMPTS, 1))
        luck = np.where(rng.random((PROMPTS, 1)) < repeated, shared, luck)
        flagged = np.where(events, luck < 0.85, luck >= 0.97)
        counts = draw(by_verdict(flagged.ravel()), LABELS, replicate).counts(events.ravel())
        place = {stratum.stratum: number for number, stratum in enumerate(counts)}
        strata_of = np.where(flagged, place.get("harmful | flagged", 0), place["harmful | clear"])
        estimate = corrected_within_attempts(strata_of, counts, k, group={})
        perfect = within_attempts(events.astype(int), k, group={})
        covered += holds(estimate, truth)
        raw += holds(perfect, truth)
        assert estimate.value is not None and estimate.low is not None and estimate.high is not None
        values.append(estimate.value)
        widths.append(estimate.high - estimate.low)
        unrelated.append(estimate.details["if_unrelated"])
    return Found(
        100 * covered / replicates, 100 * raw / replicates, float(np.mean(values)), 100 * float(np.mean(widths)),
        float(np.mean(unrelated)),
    )  # fmt: skip


def check(setting: tuple[str, int], replicates: int) -> None:
    found, truth = coverage(setting, replicates, seed=20286), KINDS[setting[0]].within(setting[1])
    assert found.corrected > 94.5 - noise(94.5, replicates, 10**9), (setting, found)
    assert found.raw > 94.5 - noise(94.5, replicates, 10**9), (setting, found)
    # The spread over samples is about a quarter of the width.
    assert abs(found.mean - truth) < 0.03 * truth + 3 * found.width / 400 / replicates**0.5, (setting, found, truth)


@pytest.mark.parametrize("setting", SETTINGS)
def test_rates_within_attempts_are_covered(setting: tuple[str, int]) -> None:
    check(setting, 100)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("setting", SETTINGS)
def test_rates_within_attempts_are_covered_in_the_long_run(setting: tuple[str, int]) -> None:
    check(setting, 2000)


def test_taking_the_responses_of_a_prompt_for_unrelated_would_be_far_too_high() -> None:
    found = coverage(("BR 20 %, prompts nearly always or never", 5), 50, seed=20287)
    # 39 % within five attempts, 52 % if labelled rates stood in for the responses.
    assert found.if_unrelated > 0.5 > 0.42 > found.mean


def test_a_judge_that_repeats_its_errors_makes_it_too_low_as_the_assumption_says() -> None:
    setting = ("BR 20 %, prompts nearly always or never", 5)
    found, truth = coverage(setting, 50, seed=20288, repeated=1.0), KINDS[setting[0]].within(5)
    assert found.mean < truth < found.if_unrelated
