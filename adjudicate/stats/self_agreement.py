"""Annotators against themselves: items that were served again, unannounced. It bounds what two annotators can reach.

Repeats stay out of the agreement between annotators. A judge against itself is `self_consistency`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.present import is_few
from adjudicate.stats.agreement import alpha_estimate
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.bootstrap import RESAMPLES
from adjudicate.stats.plain_share import share_estimate

METHOD = "share of repeated items labelled alike"
ASSUMES = (
    "the annotator did not recognise the item; repeats are a random sample of the annotator's items; "
    "agreeing with oneself is not being right"
)
POOLED = "annotators are alike: where they differ the interval is too short"
NO_REPEAT = "no item was labelled twice by the same annotator"


@dataclass(frozen=True, slots=True)
class RepeatedLabel:
    """One item that one annotator labelled twice, the second time without being told."""

    annotator: str
    item_id: str
    first: str
    """Outcome the first time."""
    again: str
    """Outcome the second time."""


def self_agreement_estimates(
    repeats: Sequence[RepeatedLabel],
    outcomes: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Self-agreement of everybody together, then of each annotator (sorted), group ``annotator``.

    Args:
        repeats: Pairs of labels.
        outcomes: Every outcome of the policy.
        group: What the estimates speak for.
        seed: Seed of the bootstrap of alpha.
        resamples: Bootstrap replicates.
        confidence: Two-sided, 0 to 1.

    Returns:
        ``self_agreement`` (fraction, Jeffreys) and ``self_alpha`` (Krippendorff's nominal alpha, unit bootstrap) for each;
        only the first pair, undefined, without repeats. Details: ``few`` below 20, and ``changes`` by first and second outcome.

    Raises:
        ValueError: A label that is not an outcome.
    """
    unknown = sorted({label for repeat in repeats for label in (repeat.first, repeat.again)} - set(outcomes))
    if unknown:
        raise ValueError(f"not an outcome of the policy: {', '.join(unknown)}")
    annotators = sorted({repeat.annotator for repeat in repeats})
    parts: list[tuple[dict[str, str], Sequence[RepeatedLabel], str]] = [
        ({}, repeats, f"{ASSUMES}; {POOLED}" if len(annotators) > 1 else ASSUMES)
    ]
    parts += [({"annotator": name}, [r for r in repeats if r.annotator == name], ASSUMES) for name in annotators]
    estimates = []
    for named, part, assumes in parts:
        shown = {**group, **named}
        alpha = alpha_estimate(
            _ratings(part, outcomes), outcomes, group=shown, seed=seed, resamples=resamples, confidence=confidence
        )
        estimates += [
            _share(part, shown, assumes, confidence),
            replace(
                alpha, statistic="self_alpha", group=shown, assumes=assumes,
                undefined=alpha.undefined if part else NO_REPEAT, details={**alpha.details, **_details(part)},
            ),
        ]  # fmt: skip
    return estimates


def _ratings(repeats: Sequence[RepeatedLabel], outcomes: Sequence[str]) -> Ratings:
    code = {outcome: place for place, outcome in enumerate(outcomes)}
    return Ratings(("first", "again"), [[code[repeat.first] for repeat in repeats], [code[repeat.again] for repeat in repeats]])


def _share(repeats: Sequence[RepeatedLabel], group: Mapping[str, str], assumes: str, confidence: float) -> Estimate:
    alike = sum(repeat.first == repeat.again for repeat in repeats)
    return share_estimate(
        "self_agreement", alike, len(repeats), method=METHOD, group=group, assumes=assumes, undefined=NO_REPEAT,
        details=_details(repeats), confidence=confidence,
    )  # fmt: skip


def _details(repeats: Sequence[RepeatedLabel]) -> dict[str, Any]:
    changes = Counter((repeat.first, repeat.again) for repeat in repeats if repeat.first != repeat.again)
    listed = [{"first": first, "again": again, "n": changes[first, again]} for first, again in sorted(changes)]
    return {"few": is_few(len(repeats)), "changes": listed}
