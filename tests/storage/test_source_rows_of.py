"""The rows of a run come out of the store as they went in, and rows that are read again find their items."""

from __future__ import annotations

from pathlib import Path

from adjudicate.core.items import Message, RowDraft
from adjudicate.core.source_rows import packed
from adjudicate.storage.connection import open_database
from adjudicate.storage.import_rows import RunDraft, importing
from adjudicate.storage.source_rows_of import item_lines, items_of_rows, source_rows

AT = "2026-11-29T12:00:00.000Z"
LONG = "A response that is long enough to be taken out of its row."


def row(
    line: int, source: str, *, source_id: str | None = None, response: str = LONG, repeat: int = 0, chat: bool = False
) -> RowDraft:
    messages = (Message("user", "one"), Message("user", "A prompt that is long enough, too.")) if chat else None
    prompt = "A prompt that is long enough, too."
    kept = packed(source, prompt="" if chat else prompt, response=response, kinds="ua")
    return RowDraft(line, source_id, prompt, messages, response, "m", "benign", "benign", "", "", "", (), (), None, kept, repeat)


def test_rows_are_restored_and_read_again_as_the_same_items(tmp_path: Path) -> None:
    """Equal rows without an id are items of their own, a repeat is the item of the row that it repeats."""
    text = f'{{"prompt": "A prompt that is long enough, too.", "response": "{LONG}"}}'
    rows = [
        row(1, text),
        row(2, f" {text}"),
        row(3, text, repeat=1),
        row(4, text, repeat=1),
        row(5, text, chat=True),
        row(7, "x", source_id="s"),
    ]
    database = open_database(tmp_path / "a.db", create=True)
    with importing(database, "p", AT, "test") as transaction:
        run = transaction.run(RunDraft("r", "r", "jsonl", "f", "0", "{}"))
        transaction.add(rows)
    found = list(source_rows(database.connection, run))
    assert [(each.line, each.text) for each in found] == [(1, text), (2, f" {text}"), (5, text), (7, "x")]
    assert list(item_lines(database.connection, run)) == [(each.item_id, each.line) for each in found]
    ids = {each.line: each.item_id for each in found}
    again = {draft.line: item for draft, item in items_of_rows(rows)}
    assert again == {**ids, 3: ids[1], 4: ids[2]}
    database.close()
