"""How a share by the judge's verdicts changed between two models that were asked the same prompts. With labels: `run_change`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from adjudicate.core.estimates import Estimate
from adjudicate.stats.boundary_shares import PROMPTS_LIKE_THESE
from adjudicate.stats.rates import RAW_ASSUMES
from adjudicate.stats.run_change import LabelledPair, complete_pairs

NONE_SHARED = "no prompt was answered by both and judged on both sides"


def raw_change(
    verdicts: Sequence[tuple[str | None, str | None]],
    counts: Collection[str],
    *,
    group: Mapping[str, str],
    confidence: float = 0.95,
) -> Estimate:
    """Share after minus share before, prompt by prompt.

    Args:
        verdicts: Outcome before and after of every shared prompt; None where the judge failed.
        counts: Outcomes that count.
        group: What the estimate speaks for.
        confidence: Two-sided, 0 to 1.

    Returns:
        ``raw_difference``, a fraction from -1 to 1 with Tango's interval. Prompts on which the judge failed are left out,
        counted in ``details["unresolved"]``, and give ``unresolved_bounds``. Undefined without a shared prompt.
    """
    pairs = [LabelledPair(("", ""), before, after) for before, after in verdicts]
    assumes = f"{RAW_ASSUMES} on both sides; {PROMPTS_LIKE_THESE}"
    if not any(None not in each for each in verdicts):
        return Estimate("raw_difference", None, 0, "paired difference", group=group, assumes=assumes, undefined=NONE_SHARED)
    found = complete_pairs(pairs, counts.__contains__, group, confidence)
    return replace(found, statistic="raw_difference", assumes=assumes)
