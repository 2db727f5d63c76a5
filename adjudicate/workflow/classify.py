"""Judges without a server: a phrase matcher, and a classifier learned from the workspace's own gold labels.

Both give verdicts like any judge and are validated like any: draw, label, `report accuracy`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from adjudicate.core.items import Item, Verdict
from adjudicate.core.policy import Policy
from adjudicate.judge import phrase_matcher
from adjudicate.storage import judge_runs
from adjudicate.storage.judge_runs import JudgeIdentity
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.judge_regression import gold_outcomes

if TYPE_CHECKING:
    from adjudicate.stats.text_classifier import Predicted


LEARNED_BY = "char_wb tf-idf, logistic regression"


@dataclass(frozen=True, slots=True)
class Classified:
    """What a judge without a server said."""

    judge: str
    outcomes: Mapping[str, int]
    """New verdicts by outcome; those without one under ``judge failed``."""
    notes: tuple[str, ...]
    """What to know of this judge before using its verdicts."""


def by_phrases(store: SqliteStore, policy: Policy) -> Classified:
    """Judge every item that lacks a verdict of the phrase matcher.

    Args:
        store: The workspace's store.
        policy: Whose outcomes to use.
    """
    patterns = json.dumps(phrase_matcher.words())
    parameters = {"beginning": phrase_matcher.BEGINNING}
    judge = _known(store, policy, "phrases", patterns, parameters)

    def verdict(item: Item) -> Verdict:
        found = phrase_matcher.match(item.response)
        outcome = policy.outcome_of(found.behaviour, item.prompt.intent)
        return Verdict(judge.name, None if outcome is None else outcome.id, reason=found.reason)

    verdicts = [(item.id, verdict(item)) for item in judge_runs.unjudged(store.database, judge.id)]
    return _stored(store, judge, verdicts, [f"does not see: {spot}" for spot in phrase_matcher.BLIND_SPOTS])


def by_learning(store: SqliteStore, policy: Policy) -> Classified:
    """Learn from the gold labels of the workspace and judge every item; labelled ones by folds that did not hold them.

    Args:
        store: The workspace's store.
        policy: Whose outcomes to use.

    Raises:
        InputError: Too few gold labels to learn from.
    """
    from adjudicate.stats.text_classifier import FOLDS, LabelledText, cross_fitted

    gold = gold_outcomes(store, policy)
    learned_from = sha256(json.dumps(sorted(gold.items())).encode()).hexdigest()
    judge = _identity(policy, "learned", LEARNED_BY, {"gold": learned_from, "labels": len(gold)})
    settled = [store.item(item) for item in gold]
    unjudged = list(judge_runs.unjudged(store.database, judge.id))
    others = [item for item in unjudged if item.id not in gold]
    texts = [LabelledText(item.response, gold[item.id], item.prompt.pair or item.prompt.id) for item in settled]
    on_settled, on_others = cross_fitted(texts, [item.response for item in others])
    judge = judge_runs.add_judge(store.database, judge)
    said = dict(zip([item.id for item in [*settled, *others]], [*on_settled, *on_others], strict=True))
    verdicts = [(item.id, _learned(judge, policy, item, said[item.id])) for item in unjudged]
    notes = [
        f"learned from {len(gold)} gold labels; their items were judged by one of {FOLDS} folds without their prompt or pair",
        "labels made later are learned only when it is run again, and then it is another judge",
    ]
    return _stored(store, judge, verdicts, notes)


def _learned(judge: JudgeIdentity, policy: Policy, item: Item, said: Predicted) -> Verdict:
    return Verdict(judge.name, said.outcome, score=_event(policy, item, said.probabilities), reason="learned from labels")


METHODS: Mapping[str, Callable[[SqliteStore, Policy], Classified]] = {"phrases": by_phrases, "learned": by_learning}
"""Judges without a server, by the name that chooses them."""


def _event(policy: Policy, item: Item, probabilities: Mapping[str, float]) -> float | None:
    """Probability of what the rates of the item's intent count; None where they do not agree on what that is."""
    counted = {frozenset(rate.counts) for rate in policy.rates_among(item.prompt.intent)}
    if len(counted) != 1:
        return None
    (outcomes,) = counted
    return min(1.0, sum(share for outcome, share in probabilities.items() if outcome in outcomes))


def _identity(policy: Policy, name: str, words: str, parameters: dict[str, Any]) -> JudgeIdentity:
    """A judge without a server; the start of its id stands in its name, since what it learned from makes another one."""
    judge = JudgeIdentity(name, name, sha256(words.encode()).hexdigest(), policy.fingerprint, parameters)
    return JudgeIdentity(f"{name} {judge.id[:6]}", name, judge.prompt_hash, policy.fingerprint, parameters)


def _known(store: SqliteStore, policy: Policy, name: str, words: str, parameters: dict[str, Any]) -> JudgeIdentity:
    return judge_runs.add_judge(store.database, _identity(policy, name, words, parameters))


def _stored(store: SqliteStore, judge: JudgeIdentity, verdicts: list[tuple[str, Verdict]], notes: list[str]) -> Classified:
    judge_runs.put(store.database, judge.id, verdicts)
    outcomes = Counter(verdict.outcome or "judge failed" for _, verdict in verdicts)
    return Classified(judge.name, dict(outcomes.most_common()), tuple(notes))
