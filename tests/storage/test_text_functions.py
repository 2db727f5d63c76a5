"""A text that holds U+0000 is counted, listed, searched and stratified by length like any other: nothing ends at that sign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.storage import browse
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.text_functions import BYTES_A_CHARACTER, beginning
from tests.factory import AT, Answer, make_store
from tests.workflow.browse_world import looked_for

BEFORE, BEHIND = "Shade.\x00", "Water in the evening, ä 日光浴."
LENGTH = 35
"""Code points of both: 7 and 28."""


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """A response and a prompt with the sign, beside an ordinary item."""
    return make_store(tmp_path, [Answer("full_refusal", response=BEFORE + BEHIND, prompt=f"Sun\x00{BEHIND}"), Answer(None)])


def test_the_list_shows_and_counts_what_stands_behind_the_sign(store: SqliteStore) -> None:
    found = browse.page(store.database, [1])[0]
    assert (found.response, found.prompt, found.length) == (BEFORE + BEHIND, f"Sun\x00{BEHIND}", LENGTH)


def test_filters_by_length_and_by_words_see_all_of_it(store: SqliteStore) -> None:
    assert looked_for(store, f"longer:{LENGTH - 1}") == [1] and looked_for(store, f"longer:{LENGTH}") == []
    assert looked_for(store, "evening") == [1]


def test_every_turn_of_a_conversation_is_searched_to_its_end(store: SqliteStore) -> None:
    turns = json.dumps([["user", "First\x00umbrella 日傘"], ["assistant", "Hm."], ["user", "Sun?"]])
    with writing(store.database) as connection:
        connection.execute("UPDATE prompts SET messages = ? WHERE id = 'p0001'", (turns,))
    assert looked_for(store, "umbrella") == [2]
    assert looked_for(store, "日傘") == [2], "read word by word, which the index cannot"


def test_the_stratum_of_length_is_that_of_the_whole_response(store: SqliteStore) -> None:
    person, policy = store.annotator("ann").id, store.policy()
    act = labels.label(policy, item_id="i0000", outcome="full_refusal", mode="blind")
    store.append(person, act, policy=policy.fingerprint, at=AT)
    item = store.frame_items()[0]
    assert (item.characters, item.prompt_characters) == (LENGTH, 32), "4 and 28 of the prompt"


@pytest.mark.parametrize("text", ["", "a", "ä日\x00😀" * 9, "😀" * 9, "x" * 40])
def test_a_beginning_is_cut_between_characters(text: str) -> None:
    size = 5
    assert beginning(text.encode()[: size * BYTES_A_CHARACTER], size) == text[:size]
