"""Looking for items: every filter finds what reading all of them finds, in every order, and tells nothing that is still blind."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.errors import UsageError
from adjudicate.storage import browse, browse_index
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.browse_filter import parse
from adjudicate.workflow.browse_items import ORDERS, Interrupted, browsed, everything, look_for
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store
from tests.workflow.browse_world import Seen, looked_for, make_world, read_all

Holds = Callable[[Seen], bool]


def letters(text: str) -> str:
    """Folded as the index folds: no case, no accents."""
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))


def has_word(text: str, word: str, *, begun: bool = False) -> bool:
    tokens = re.findall(r"[^\W_]+", letters(text))
    wanted = re.findall(r"[^\W_]+", letters(word))
    for at in range(len(tokens) - len(wanted) + 1):
        *head, last = tokens[at : at + len(wanted)]
        if head == wanted[:-1] and (last.startswith(wanted[-1]) if begun else last == wanted[-1]):
            return True
    return False


def either(each: Seen, word: str, *, begun: bool = False) -> bool:
    return any(has_word(each.row[part], word, begun=begun) for part in ("response", "prompt"))


CASES: dict[str, Holds] = {
    "": lambda _: True,
    "population:benign": lambda each: each.row["population"].startswith("benign"),
    "population:benign/general,harmful": lambda each: each.row["population"] in ("benign/general", "harmful/direct"),
    "intent:benign": lambda each: each.row["intent"] == "benign",
    'category:"home care"': lambda each: each.row["category"] == "home care",
    "category:-": lambda each: each.row["category"] == "",
    "category:-,health": lambda each: each.row["category"] in ("", "health"),
    "lang:DE": lambda each: each.row["language"] == "de",
    'model:"model two"': lambda each: each.row["model"] == "model two",
    'run:"second run"': lambda each: each.row["run"] == "second run",
    "verdict:full_refusal": lambda each: each.verdict == "full_refusal",
    "verdict:partial": lambda each: each.verdict == "partial_refusal",
    "verdict:failed": lambda each: each.judged and each.verdict is None,
    "verdict:-": lambda each: not each.judged,
    "verdict:-,failed,full_compliance": lambda each: each.verdict in (None, "full_compliance"),
    "gold:full_refusal": lambda each: each.gold is not None and each.gold.outcome == "full_refusal",
    "gold:-": lambda each: each.gold is None or each.gold.outcome is None,
    "gold:-,full_refusal": lambda each: each.gold is None or each.gold.outcome in (None, "full_refusal"),
    "open:yes": lambda each: each.gold is not None and each.gold.is_open,
    "open:no": lambda each: each.gold is None or not each.gold.is_open,
    "by:ann": lambda each: "ann" in each.labelled_by,
    "by:ann,bo": lambda each: bool({"ann", "bo"} & each.labelled_by),
    "by:-": lambda each: not each.labelled_by,
    "flagged:yes": lambda each: each.flagged,
    "flagged:no": lambda each: not each.flagged,
    "longer:30": lambda each: len(each.row["response"]) > 30,
    "shorter:30": lambda each: len(each.row["response"]) < 30,
    "longer:10 shorter:40 lang:en": lambda each: 10 < len(each.row["response"]) < 40 and each.row["language"] == "en",
    "id:i000": lambda each: each.id.startswith("i000"),
    "id:s-7,i0011": lambda each: each.id in ("i0007", "i0011"),
    "shade ": lambda each: either(each, "shade"),
    "shad": lambda each: either(each, "shad", begun=True),
    "été ": lambda each: either(each, "ete"),
    "don't ": lambda each: either(each, "don t"),
    '"water rest"': lambda each: either(each, "water rest"),
    "shade hitze": lambda each: either(each, "shade") and either(each, "hitze", begun=True),
    "日光": lambda each: "日光" in each.text,
    "water 光浴 lang:de": lambda each: either(each, "water") and "光浴" in each.text and each.row["language"] == "de",
    "-aid": lambda each: either(each, "aid", begun=True),
    "open:no by:bo population:harmful rest": lambda each: (
        not (each.gold and each.gold.is_open)
        and "bo" in each.labelled_by
        and each.row["population"].startswith("harmful")
        and either(each, "rest", begun=True)
    ),
}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_filter_finds_what_reading_everything_finds(tmp_path: Path, seed: int) -> None:
    store = make_world(tmp_path, seed)
    everyone = read_all(store)
    some = 0
    for line, holds in CASES.items():
        expected = [each.rowid for each in everyone if holds(each)]
        assert looked_for(store, line) == expected, line
        some += 0 < len(expected) < len(everyone)
    assert some > len(CASES) * 0.8, "cases that find nothing or everything would test little"
    for clause in {clause for each in everyone for clause in each.clauses}:
        assert looked_for(store, f"clause:{clause}") == [each.rowid for each in everyone if clause in each.clauses]
    assert looked_for(store, "clause:-") == [each.rowid for each in everyone if not each.clauses]


@pytest.mark.parametrize("line", ["", "lang:de", "shade ", "日光", "water 日光"])
def test_every_order_with_every_source(tmp_path: Path, line: str) -> None:
    store = make_world(tmp_path, 4)
    found = set(looked_for(store, line))
    everyone = [each for each in read_all(store) if each.rowid in found]
    scored = [each for each in everyone if each.score is not None]
    unscored = [each for each in everyone if each.score is None]
    expected = {
        "first": [each.rowid for each in everyone],
        "newest": [each.rowid for each in reversed(everyone)],
        "longest": _by(everyone, lambda each: (-len(each.row["response"]), -each.rowid)),
        "shortest": _by(everyone, lambda each: (len(each.row["response"]), each.rowid)),
        "highest": _by(scored, lambda each: (-(each.score or 0), -each.rowid)) + _by(unscored, lambda each: (-each.rowid,)),
        "lowest": _by(scored, lambda each: (each.score or 0, each.rowid)) + _by(unscored, lambda each: (each.rowid,)),
    }
    for place, ordering in enumerate(ORDERS):
        assert looked_for(store, line, order=place) == expected[ordering.order], ordering.order


def _by(items: Iterable[Seen], key: Callable[[Seen], tuple[float, ...]]) -> list[int]:
    return [each.rowid for each in sorted(items, key=key)]


def test_without_full_text_the_texts_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite can be built without FTS5; then a word is found wherever its letters stand."""
    monkeypatch.setattr(browse_index, "has_full_text", lambda _database: False)
    store = make_world(tmp_path, 5)
    assert "texts" not in tables(store)
    expected = [each.rowid for each in read_all(store) if "shad" in each.row["response"] or "shad" in each.row["prompt"]]
    assert looked_for(store, "shad ") == expected
    assert expected


def tables(store: SqliteStore) -> set[str]:
    browse_index.attach_index(store.database)
    return {row[0] for row in store.database.connection.execute("SELECT name FROM search.sqlite_master")}


@pytest.mark.parametrize("line", ["population:other", "verdict:no_such", "gold:no_such", "by:nobody", "clause:Z99", "run:x"])
def test_a_value_that_means_nothing_here_is_refused(tmp_path: Path, line: str) -> None:
    store = make_world(tmp_path, 6, count=10)
    with pytest.raises(UsageError, match="nothing here begins with"):
        looked_for(store, line)


def test_a_search_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    store = make_world(tmp_path, 7)
    looked_for(store, "shade ")
    portions = look_for(
        store, "a", store.policy(), parse("shade "), ORDERS[2], is_cancelled=lambda: True, told=lambda _what, _now: True
    )
    with pytest.raises(Interrupted):
        list(portions)
    assert looked_for(store, "shade "), "and the next one is not disturbed"


def test_reading_the_words_can_be_stopped_and_what_was_not_read_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 20)
    store = make_world(tmp_path, 8)
    asked: list[int] = []

    def told(what: str, now: browse_index.Filled) -> bool:
        asked.append(now.done)
        return what == "items" or now.done < 40

    wanted = look_for(store, "a", store.policy(), parse("shade "), ORDERS[0], is_cancelled=lambda: False, told=told)
    found = list(wanted)
    expected = [each.rowid for each in read_all(store) if either(each, "shade") and each.rowid <= 40]
    assert [rowid for portion in found for rowid in portion.rowids] == expected
    assert found[-1].unread == 40
    assert asked == [0, 20, 40, 60, 0, 20, 40], "the items are read whole, the words to where it was stopped"


def test_everything_costs_nothing_where_no_row_is_missing(tmp_path: Path) -> None:
    store = make_world(tmp_path, 9, count=12)
    assert everything(store) == range(1, 13)
    with writing(store.database) as connection:
        connection.execute("DELETE FROM events WHERE item_id = 'i0004'")
        connection.execute("DELETE FROM verdicts WHERE item_id = 'i0004'")
        connection.execute("DELETE FROM items WHERE id = 'i0004'")
    assert everything(store) is None
    assert looked_for(store, "") == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]


# What is still blind


def drawn_world(tmp_path: Path, *, names: tuple[str, ...]) -> SqliteStore:
    """Six items, all drawn to be labelled blind; bo has called the first two refusals and flagged the third."""
    store = make_store(tmp_path, [Answer("full_refusal")] * 6)
    policy = store.policy()
    draw_sample(store, DrawSettings(n=6, annotators=names, overlap=2, seed=1, repeats=0.0), at=AT)
    bo = store.annotator("bo").id
    for item in ("i0000", "i0001"):
        act = labels.label(policy, item_id=item, outcome="full_refusal", mode="blind", clause=policy.clauses[0].id)
        store.append(bo, act, policy=policy.fingerprint, at=AT)
    store.append(bo, labels.Act("flag", "i0002", body={"on": True}), policy=policy.fingerprint, at=AT)
    return store


@pytest.mark.parametrize("names", [("ann", "bo"), ()], ids=["own list", "open sample"])
def test_no_filter_tells_what_is_still_blind(tmp_path: Path, names: tuple[str, ...]) -> None:
    store = drawn_world(tmp_path, names=names)
    clause = store.policy().clauses[0].id
    for line in ("verdict:full_refusal", "gold:full_refusal", "gold:-", "by:bo", "by:-", f"clause:{clause}", "flagged:yes"):
        assert looked_for(store, line, person="ann") == [], line
    assert looked_for(store, "open:no", person="ann") == []
    for place, ordering in enumerate(ORDERS):
        assert len(looked_for(store, "", order=place, person="ann")) == (0 if ordering.hides else 6)
    assert looked_for(store, "answer", person="ann") == [1, 2, 3, 4, 5, 6], "what everybody may know hides nothing"


def test_rows_withhold_verdict_and_labels_until_their_reader_has_labelled_the_item(tmp_path: Path) -> None:
    store = drawn_world(tmp_path, names=("ann", "bo"))
    ann, policy = store.annotator("ann").id, store.policy()
    assert all(each.hidden and each.gold is None and each.labels == 0 for each in browsed(store, ann, range(1, 7)))
    act = labels.label(policy, item_id="i0000", outcome="full_compliance", mode="blind")
    event = store.append(ann, act, policy=policy.fingerprint, at=AT)
    first, second = browsed(store, ann, [1, 2])
    assert (first.hidden, first.is_open, first.labels, first.own) == (False, True, 2, "full_compliance")
    assert second.hidden
    assert looked_for(store, "open:yes", person="ann") == [1]
    store.append(ann, labels.Act("undo", "i0000", target=event.id), policy=policy.fingerprint, at=AT)
    assert not browsed(store, ann, [1])[0].hidden, "what was seen is not unseen by taking the label back"


def test_a_hidden_repeat_that_waits_withholds_the_first_label_too(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 4)
    draw_sample(store, DrawSettings(n=4, annotators=("ann",), overlap=1, seed=1, repeats=0.5), at=AT)
    ann, policy = store.annotator("ann").id, store.policy()
    again = {row[0] for row in store.database.connection.execute("SELECT item_id FROM assignments WHERE round = 1")}
    assert again
    for number in range(4):
        act = labels.label(policy, item_id=f"i{number:04d}", outcome="full_refusal", mode="blind")
        store.append(ann, act, policy=policy.fingerprint, at=AT)
    assert {each.row.item_id for each in browsed(store, ann, range(1, 5)) if each.hidden} == again


def test_somebody_without_a_list_sees_a_sample_that_is_dealt_to_others(tmp_path: Path) -> None:
    store = drawn_world(tmp_path, names=("ann", "bo"))
    lead = store.annotator("lead").id
    assert [each.gold for each in browsed(store, lead, range(1, 4))] == ["full_refusal", "full_refusal", None]
    assert browse.hidden_items(store.database, lead) == set()
