"""What annotators do once the verdict is shown: labels given blind and changed afterwards, and in which direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.plain_share import share_estimate

ASSUMES = (
    "labels are independent of each other; a change towards the verdict may be a mistake seen or a judgement given up: "
    "the count cannot tell"
)
NOT_SHOWN = "no label that agreed with the verdict was followed by a reveal: the verdict is shown where the label differs from it"


@dataclass(frozen=True, slots=True)
class Reveal:
    """One label given blind, and what stood after the verdict was shown."""

    item_id: str
    annotator: str
    before: str
    """Outcome given blind."""
    after: str
    """Outcome that stood in the end; the same where nothing was changed."""
    verdict: str
    """Outcome that was shown."""


def reveal_estimates(reveals: Sequence[Reveal], *, group: Mapping[str, str], confidence: float = 0.95) -> list[Estimate]:
    """Shares of labels changed after the reveal.

    Args:
        reveals: One per blind label whose verdict was shown afterwards.
        group: What the estimates speak for.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions with Jeffreys limits. ``changed_after_reveal`` among all; ``moved_to_verdict`` among labels that differed
        from the verdict; ``moved_from_verdict`` among labels that agreed with it, where it was
        shown all the same. Details of the first: ``toward_verdict``, ``away_from_verdict``, ``between_others``, and the
        ``changes`` by outcome before and after.
    """
    differed = [reveal for reveal in reveals if reveal.before != reveal.verdict]
    agreed = [reveal for reveal in reveals if reveal.before == reveal.verdict]
    toward = sum(reveal.after == reveal.verdict for reveal in differed)
    away = sum(reveal.after != reveal.verdict for reveal in agreed)
    changes = Counter((reveal.before, reveal.after) for reveal in reveals if reveal.before != reveal.after)
    details: dict[str, Any] = {
        "toward_verdict": toward,
        "away_from_verdict": away,
        "between_others": changes.total() - toward - away,
        "changes": [{"before": before, "after": after, "n": changes[before, after]} for before, after in sorted(changes)],
    }
    return [
        share_estimate(
            "changed_after_reveal", changes.total(), len(reveals), method="share of labels changed after the verdict was shown",
            group=group, assumes=ASSUMES, undefined="no blind label was followed by a reveal", details=details,
            confidence=confidence,
        ),
        share_estimate(
            "moved_to_verdict", toward, len(differed), method="share of differing labels changed to the verdict", group=group,
            assumes=ASSUMES, undefined="no label that differed from the verdict was followed by a reveal", confidence=confidence,
        ),
        share_estimate(
            "moved_from_verdict", away, len(agreed), method="share of agreeing labels changed to something else", group=group,
            assumes=ASSUMES, undefined=NOT_SHOWN, confidence=confidence,
        ),
    ]  # fmt: skip
