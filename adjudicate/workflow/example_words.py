"""The figures of the worked example in words: what each is, on which scale, and the prompts that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Scale = Literal["share", "spread", "score"]


@dataclass(frozen=True, slots=True)
class FigureWords:
    """How one figure is shown."""

    title: str
    scale: Scale = "share"
    """A share in percent, a spread of shares in points, or a threshold on the scale of the scores."""
    n: int = 0
    """Prompts of the test set that it is about; 0 where the formula knows no test set."""


_AT_COST: tuple[tuple[str, str, Scale], ...] = (
    ("t_star", "best threshold", "score"),
    ("hc", "harmful compliance", "share"),
    ("borderline_refusal", "borderline refusal", "share"),
    ("exact_optimum_unequal_sd", "best threshold, unequal spreads", "score"),
)
FIGURES: Mapping[str, FigureWords] = {
    "threshold_at_hc_2pct": FigureWords("threshold at 2 % harmful compliance", "score"),
    "general_refusal_at_2pct": FigureWords("refusal of general prompts there"),
    "borderline_refusal_at_2pct": FigureWords("refusal of borderline prompts there"),
    "frontier_check_borderline": FigureWords("refusal of borderline prompts, from the frontier"),
    "calibrated_borderline_refusal_at_2pct": FigureWords("calibrated: refusal of borderline prompts at 2 %"),
    "calibrated_hc_at_same_threshold": FigureWords("calibrated: harmful compliance at the old threshold"),
    "calibrated_borderline_refusal_at_same_threshold": FigureWords("calibrated: refusal of borderline prompts there"),
    "borderline_refusal_sd_n250": FigureWords("spread of borderline refusal, 250 prompts", "spread", 250),
    "hc_sd_n200": FigureWords("spread of harmful compliance, 200 prompts", "spread", 200),
    "borderline_90pct_low": FigureWords("90 % of test sets: borderline refusal from", n=250),
    "borderline_90pct_high": FigureWords("90 % of test sets: borderline refusal to", n=250),
    "hc_90pct_low": FigureWords("90 % of test sets: harmful compliance from", n=200),
    "hc_90pct_high": FigureWords("90 % of test sets: harmful compliance to", n=200),
    "general_refusal_sd_n1000": FigureWords("spread of general refusal, 1,000 prompts", "spread", 1000),
    **{f"power_20_to_15_n{n}": FigureWords(f"power to see 20 % fall to 15 %, {n:,} prompts", n=n) for n in (100, 250, 1000)},
    "borderline_compliance": FigureWords("compliance with borderline prompts at 2 %"),
    "hc_after_label_shift_simulated_mean": FigureWords("harmful compliance after 25 prompts are relabelled", n=225),
    "hc_after_label_shift_arithmetic": FigureWords("the same from the rounded compliance", n=225),
    "stream_benign_refusal": FigureWords("benign refusal in the stream of requests"),
    "stream_share_of_refusals_benign": FigureWords("share of refusals that are benign"),
    **{
        f"cost{ratio}_{name}": FigureWords(f"a miss costs {ratio} refusals: {title}", scale)
        for ratio in (50, 10)
        for name, title, scale in _AT_COST
    },
    "threshold_for_on_200_scores_mean_hc": FigureWords("harmful compliance at a threshold chosen on the same prompts", n=200),
    **{
        f"contrastive_{examples}_{name}_refusal": FigureWords(f"{examples:,} contrastive examples: refusal of {name} prompts")
        for examples in (0, 250, 1000, 4000)
        for name in ("borderline", "general")
    },
    "contrastive_limit_borderline_refusal": FigureWords("if the topic were ignored: refusal of borderline prompts"),
}  # fmt: skip
"""By the name of a figure in the JSON."""
