"""XSTest files come back as the same items with the same labels, under the names of XSTest's own files."""

from __future__ import annotations

from pathlib import Path

from tests.factory import make_store
from tests.workflow.written_back import imported, item_ids, label, state, written


def test_real_completions_come_back_with_all_labels(tmp_path: Path, shared: Path) -> None:
    store = make_store(tmp_path, [])
    path = min((shared / "data" / "xstest" / "model_completions").glob("*.csv"))
    imported(store, path)
    label(store, "ann", {item_ids(store)[0]: "partial_refusal"})
    out, _ = written(store, "xstest", tmp_path / "out", with_text=True)
    assert out.name == path.name
    before = state(store)
    assert not imported(store, out).changed
    assert state(store) == before
    other = make_store(tmp_path / "other", [])
    imported(other, out)
    assert sorted(item_ids(other)) == sorted(item_ids(store))
    # The label of the newcomer is a third column, which the reader of XSTest's own two does not take.
    said = [
        {
            item: sorted((e.kind, str(e.outcome)) for e in events if e.annotator_id != ann)
            for item, events in each.events_on().items()
        }
        for each, ann in ((store, store.annotator("ann").id), (other, ""))
    ]
    opened = item_ids(store)[0]
    assert {item: events for item, events in said[0].items() if item != opened} == {
        item: events for item, events in said[1].items() if item != opened
    }
    store.close()
    other.close()
