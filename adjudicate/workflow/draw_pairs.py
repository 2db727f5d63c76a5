"""Drawing prompts that two runs share, so that both responses are labelled: what a paired comparison of a sample needs.

Strata are the cross of both verdicts. Prompts on which they differ say most about a change; the allocation gives them more.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from adjudicate.core.sampling import STEERING
from adjudicate.errors import UsageError
from adjudicate.storage.paired_rows import FreePair, free_pairs
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import DrawReport, chosen_judge, draw_sample
from adjudicate.workflow.draw_settings import DEFAULT_BY, DrawSettings
from adjudicate.workflow.read_side import Frame, side
from adjudicate.workflow.search_steering import search_steering


def draw_pairs(store: SqliteStore, settings: DrawSettings, *, at: str) -> DrawReport:
    """Record a draw of prompts where ``settings.pair`` names two runs or models; otherwise, and to extend, `draw_sample`.

    Raises:
        UsageError: As `draw_sample`; the runs share no prompt that is free, or one has several responses to a prompt.
    """
    if not settings.pair or (store.draws() and not settings.new):
        return draw_sample(store, settings, at=at)
    if len(settings.pair) != 2:
        raise UsageError("--pair takes two runs or models: --pair BASELINE,CANDIDATE")
    if settings.by not in (None, DEFAULT_BY):
        raise UsageError("--pair: the strata are population and both verdicts; leave out --by")
    frame = Frame(store)
    before, after = (side(frame, name) for name in settings.pair)
    if before.part == after.part:
        raise UsageError("--pair: baseline and candidate are the same items")
    pairs = free_pairs(store, before.part, after.part, chosen_judge(store, settings.judge))
    items = Counter(item for pair in pairs for item in (pair.before_item, pair.after_item))
    if not pairs or items.most_common(1)[0][1] > 1:
        reason = "a prompt has several responses in one of them" if pairs else "they share no prompt outside earlier draws"
        raise UsageError(f"--pair {', '.join(settings.pair)}: {reason}")
    search_steering(store)
    steering = store.steering()
    bundles: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for pair in pairs:
        both = (pair.before_item, pair.after_item)
        name = _stratum(frame, pair)
        bundles[name if steering.isdisjoint(both) else f"{name} | {STEERING}"].append(both)
    return draw_sample(store, settings, at=at, bundles=bundles)


def _stratum(frame: Frame, pair: FreePair) -> str:
    """Population and verdict where both agree, so that what is known of such strata applies; both verdicts where they differ."""
    policy = frame.policy
    one = policy.flags(pair.before, pair.intent) if pair.before_judged else "no verdict"
    two = policy.flags(pair.after, pair.intent) if pair.after_judged else "no verdict"
    return f"{pair.population} | {one if one == two else f'{one} > {two}'}"
