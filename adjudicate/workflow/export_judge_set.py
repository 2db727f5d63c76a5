"""Gold labels as data for improving a judge: examples to show it where it erred, and a set to test the changed judge on.

No prompt is in both parts, nor is a pair split between them: a judge must not be tested on what it was shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjudicate.core.gold import Gold, settle
from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.core.splits import part_of
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats.writers import Record
from adjudicate.stats.errors_list import error_direction
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import FrameItem
from adjudicate.workflow.export_prompts import turns_of
from adjudicate.workflow.export_records import ExportOptions

SHARES = {"few_shot": 0.25, "regression": 0.75}
SEED = 20261130
COLUMNS = (
    "part", "item", "source_id", "model", "intent", "population", "judge", "verdict", "gold", "how", "direction", "clause",
    "policy",
)  # fmt: skip
TEXT = ("messages", "response", "rationale")


def judge_set_records(store: SqliteStore, options: ExportOptions) -> Iterator[Record]:
    """One row an item with gold and a verdict: all of the regression part, and the disagreements of the other.

    Raises:
        UsageError: Several judges, and none was named.
    """
    chosen = chosen_judge(store, options.judge)
    policy, events = store.policy(), store.events_on()
    agreeing = 0
    for place in store.frame_items():
        gold = settle(events.get(place.item_id, ()))
        fits = options.run in (None, place.run_id) and options.model in (None, place.model)
        if gold is None or gold.outcome is None or chosen not in place.verdicts or not fits:
            continue
        part = part_of(place.pair or place.prompt_id, SHARES, seed=SEED)
        verdict = place.verdicts[chosen]
        if part == "few_shot" and verdict == gold.outcome:
            agreeing += 1
            continue
        yield {
            "part": part,
            "judge": chosen,
            "verdict": verdict,
            **_record(policy, place, gold, verdict),
            **(_texts(store, place.item_id, _basis(gold).body.get("rationale")) if options.with_text else {}),
        }
    if agreeing:
        options.tell(f"{agreeing:,} items on which the judge is right belong to the part for examples and are in neither")


def chosen_judge(store: SqliteStore, judge: str | None) -> str:
    """The judge that is named, or the only one.

    Raises:
        UsageError: There is none of this name, or several and none is named.
    """
    names = [each.name for each in store.judges() if each.verdicts]
    if judge is None and len(names) == 1:
        return names[0]
    if not names:
        raise UsageError("the workspace has no verdicts of a judge")
    if judge not in names:
        raise UsageError(f"--judge: name one of {', '.join(map(visible_line, names))}")
    return str(judge)


def _record(policy: Policy, place: FrameItem, gold: Gold, verdict: str | None) -> Record:
    outcome = str(gold.outcome)
    agrees = verdict == outcome
    return {
        "item": place.item_id,
        "source_id": place.source_id,
        "model": place.model,
        "intent": place.intent,
        "population": place.population,
        "gold": outcome,
        "how": gold.how,
        "direction": None if agrees else error_direction(place.intent, outcome, verdict, policy.rates)[0],
        "clause": _basis(gold).body.get("clause"),
        "policy": policy.fingerprint,
    }


def _basis(gold: Gold) -> Event:
    return gold.settlement or gold.labels[0]


def _texts(store: SqliteStore, item_id: str, rationale: object) -> Record:
    item = store.item(item_id)
    return {"messages": turns_of(item.prompt), "response": item.response, "rationale": rationale}
