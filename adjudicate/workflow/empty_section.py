"""Why a section of a report has nothing to show: the first thing that it needs and the workspace does not hold yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adjudicate.stats.evidence import Evidence

Check = tuple[Callable[[Evidence], bool], str]


def _has_items(given: Evidence) -> bool:
    return bool(given.cells)


def _has_verdicts(given: Evidence) -> bool:
    return bool(given.judges)


def _has_labels(given: Evidence) -> bool:
    return bool(given.items)


def _has_pairs(given: Evidence) -> bool:
    return any(len(item.labels) > 1 for item in given.items)


def _has_blind(given: Evidence) -> bool:
    return any(item.blind_gold is not None for item in given.items)


def _has_judged(given: Evidence) -> bool:
    return any(item.blind_gold is not None and item.verdicts.keys() & set(given.judges) for item in given.items)


def _has_scored(given: Evidence) -> bool:
    return any(item.blind_gold is not None and item.scores.keys() & set(given.judges) for item in given.items)


ITEMS: Check = (_has_items, "no item yet; import a log")
VERDICTS: Check = (_has_verdicts, "no verdict of a judge yet")
LABELS: Check = (_has_labels, "no label yet")
BLIND: Check = (_has_blind, "no blind label yet that is settled; labels made with the verdict in view do not count here")
CHECKS: Mapping[str, tuple[Check, ...]] = {
    "agreement": (ITEMS, LABELS, (_has_pairs, "no item has labels by two people yet")),
    "accuracy": (ITEMS, VERDICTS, LABELS, BLIND, (_has_judged, "no item has both a blind label and a verdict yet")),
    "anchoring": (ITEMS, VERDICTS, LABELS, (lambda _given: False, "no label of a draw is on an item with a verdict yet")),
    "calibration": (ITEMS, VERDICTS, LABELS, BLIND, (_has_scored, "no item has both a blind label and a score of a judge yet")),
    "rates": (ITEMS, (lambda _given: False, "no item is of an intent that a rate of the policy speaks of")),
}
"""Section to what it needs, in order, each with the words for its lack."""


def why_empty(given: Evidence, section: str) -> str:
    """The reason why a section without estimates has none."""
    return next((words for holds, words in CHECKS[section] if not holds(given)), "nothing of what is labelled allows it")
