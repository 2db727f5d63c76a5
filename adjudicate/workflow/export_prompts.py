"""The prompt set with the intents that people ruled on, so that a wrong declaration is right in the next run."""

from __future__ import annotations

from collections.abc import Iterator

from adjudicate.core.gold import intent_ruling
from adjudicate.core.items import Prompt
from adjudicate.formats.writers import Record
from adjudicate.storage.prompt_rows import prompt_rows
from adjudicate.storage.sqlite_store import SqliteStore

COLUMNS = (
    "id", "intent", "population", "category", "language", "pair", "changed", "declared_intent", "declared_population", "clause",
)  # fmt: skip
TEXT = ("prompt", "messages", "reason")
"""Only where texts are asked for: the request, and the adjudicator's own words."""


def prompt_records(store: SqliteStore, *, run: str | None, model: str | None, with_text: bool) -> Iterator[Record]:
    """One row a prompt, with the intent that holds.

    The population of a prompt that a ruling moved is its new intent: a ruling names no population.
    """
    events = store.events_on()
    for row in prompt_rows(store, run=run, model=model):
        prompt = row.prompt
        ruling = intent_ruling(event for item in row.items for event in events.get(item.id, ()))
        intent = str(ruling.body["intent"]) if ruling else prompt.intent
        changed = intent != prompt.intent
        yield {
            "id": next((item.source_id for item in row.items if item.source_id), prompt.id),
            "intent": intent,
            "population": intent if changed else prompt.population,
            "category": prompt.category,
            "language": prompt.language,
            "pair": prompt.pair,
            "changed": changed,
            "declared_intent": prompt.intent,
            "declared_population": prompt.population,
            "clause": ruling.body.get("clause") if ruling else None,
            **(_texts(prompt, str(ruling.body.get("rationale", "")) if ruling else None) if with_text else {}),
        }


def turns_of(prompt: Prompt) -> list[dict[str, str]]:
    """The turns of a prompt as chat messages."""
    return [{"role": turn.role, "content": turn.content} for turn in prompt.messages]


def _texts(prompt: Prompt, reason: str | None) -> Record:
    turns = turns_of(prompt)
    alone = len(turns) == 1 and turns[0]["role"] == "user"
    return {"prompt": turns[0]["content"] if alone else None, "messages": None if alone else turns, "reason": reason}
