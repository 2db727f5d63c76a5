"""A workspace in which every field of everything holds a hostile text, and one of the same shape that is harmless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adjudicate.core import labels
from adjudicate.core.policy import Clause
from adjudicate.settings import make_workspace as make_folder
from adjudicate.storage.connection import writing
from tests.tui.factory import AT, Row, Workspace, make_policy, make_workspace

NAME = "heat-study"
BOB, CY = "bob", "cy"


def clause_id(number: int) -> str:
    """A short name, by which the clause is told from the others."""
    return f"K{number:03d}"


def hostile_desk(folder: Path, texts: Sequence[str]) -> Workspace:
    """An item, a clause, a run and a note for each text.

    Bob has called every item a refusal and Cy none, so that all are to be settled; the judge says compliance of all, so that
    ann sees a verdict wherever she does not. Two neighbours are the halves of a pair.
    """
    paths = make_folder(folder, NAME)
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    policy = make_policy(lambda text: f"{text} {texts[len(text) % len(texts)]}"[:200])
    policy = replace(
        policy, clauses=tuple(Clause(clause_id(number), text[:200], text[:2000], number) for number, text in enumerate(texts))
    )
    made = make_workspace(
        paths.database.parent, [row(texts, number) for number in range(len(texts))], policy=policy, annotators=("ann", BOB, CY)
    )
    with writing(made.store().database) as connection:
        connection.executemany(
            "INSERT INTO runs VALUES (?, ?, ?, 'jsonl', ?, 'ab', '{}', ?, 'test')",
            [(f"x{number}", text, text, text, AT) for number, text in enumerate(texts)],
        )
    say(made, texts)
    return made


def row(texts: Sequence[str], number: int) -> Row:
    """Everything about an item is its text; the model and the pair are those of its twin."""
    text, of_both = texts[number], texts[number // 2 * 2]
    return Row(
        response=text,
        prompt=text,
        messages=[[text, text], ["assistant", text], ["user", text]] if number % 3 == 0 else None,
        reason=text,
        population=text,
        category=text,
        language=text,
        model=of_both,
        pair=f"{number // 2} {of_both}",
    )


def say(made: Workspace, texts: Sequence[str]) -> None:
    """The labels of Bob and Cy, and everybody's notes."""
    store, policy = made.store(), made.policy
    people = [store.annotator(name).id for name in ("ann", BOB, CY)]
    for number, text in enumerate(texts):
        item = f"{number:04}item"
        for person, outcome in zip(people, (None, "refused", "complied"), strict=True):
            store.append(person, labels.Act("note", item, note=text), policy=policy.fingerprint, at=AT)
            if outcome:
                act = labels.label(policy, item_id=item, outcome=outcome, mode="blind", clause=clause_id(number))
                store.append(person, act, policy=policy.fingerprint, at=AT)
    store.close()
