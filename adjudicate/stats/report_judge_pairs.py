"""Judges against each other in a report: how far two of them agree on all the items that both judged, gold or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import agreement_estimates
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.designs import review_scopes
from adjudicate.stats.evidence import Evidence, JudgePairCell

NAMES = {
    "percent_agreement": "judges_percent_agreement",
    "cohen_kappa": "judges_cohen_kappa",
    "krippendorff_alpha": "judges_alpha",
}
"""Coefficient -> its name where judges take the place of annotators; alpha nominal only."""
ASSUMES = (
    "items are a random sample of those the value speaks for; items on which either judge failed are left out; two judges that"
    " agree may be wrong together"
)


def judge_agreement(evidence: Evidence) -> list[Estimate]:
    """Percent agreement, Cohen's kappa and nominal alpha of every two judges, overall, by model, by population and by both.

    Nothing where no two judges saw the same items. The details hold the table of outcomes, first judge in rows.
    """
    return [
        estimate
        for (first, second), found in groupby(sorted(evidence.judge_pairs, key=_pair), key=_pair)
        for scope, cells in _by_scope(evidence, list(found))
        for estimate in _estimates(evidence, cells, {"judge": first, "second": second, **scope})
    ]


def _pair(cell: JudgePairCell) -> tuple[str, str]:
    return cell.first, cell.second


def _by_scope(evidence: Evidence, cells: Sequence[JudgePairCell]) -> list[tuple[dict[str, str], list[JudgePairCell]]]:
    scopes = [(scope.group, [cell for cell in cells if scope.holds(cell)]) for scope in review_scopes(evidence)]
    return [(group, inside) for group, inside in scopes if inside]


def _estimates(evidence: Evidence, cells: Sequence[JudgePairCell], group: dict[str, str]) -> list[Estimate]:
    import numpy as np

    place = {outcome: number for number, outcome in enumerate(evidence.outcomes)}
    counts = np.zeros((len(place), len(place)), dtype=np.int64)
    for cell in cells:
        counts[place[cell.outcomes[0]], place[cell.outcomes[1]]] += cell.items
    rows, columns = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), len(place))
    found = agreement_estimates(
        Ratings((group["judge"], group["second"]), np.stack([rows, columns])), evidence.outcomes, group=group,
        seed=evidence.seed, resamples=evidence.resamples, confidence=evidence.confidence,
    )  # fmt: skip
    details = {"table": counts.tolist(), "outcomes": list(evidence.outcomes)}
    return [
        replace(each, statistic=NAMES[each.statistic], group=group, assumes=ASSUMES, details=details)
        for each in found
        if each.statistic in NAMES and each.group.get("level", "nominal") == "nominal"
    ]
