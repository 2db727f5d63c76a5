"""Columns in cells: a name of wide signs takes two cells a sign, and shifts no column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from adjudicate.core.sampling import Stratum
from adjudicate.storage.policy_versions import PolicyVersion
from adjudicate.storage.rows import Annotator
from adjudicate.tui.keys import with_keys
from adjudicate.tui.widgets.cells import end_fitted, fitted, padded, widest
from adjudicate.tui.widgets.overview_rows import people_rows, progress_rows, waiting_rows
from adjudicate.tui.widgets.policy_rows import Entry, entry_row, version_rows
from adjudicate.workflow.overview import NextStep, Overview, PersonProgress
from adjudicate.workflow.triage import TriageState
from tests.factory import AT, xstest_policy

WIDE = "評価者の長い名前です"


@pytest.mark.parametrize("text", ["", "a", "abcdefghij", "abcdefghijk", WIDE, "a評価者評価", "評\x00\n\u200b", "e\u0301" * 30])
def test_a_foreign_text_takes_exactly_its_cells(text: str) -> None:
    assert cell_len(fitted(text, 10)) == cell_len(fitted(text, 10, right=True)) == cell_len(end_fitted(text, 10)) == 10


def test_what_is_cut_says_so_at_the_end_that_is_cut() -> None:
    # Four wide signs are eight cells; a fifth would need the cell of the ellipsis, so a space takes the ninth.
    assert fitted(WIDE, 10) == "評価者の …"
    assert end_fitted(WIDE, 10) == "…名前です "
    assert fitted("shade", 10) == "shade     " and fitted("shade", 10, right=True) == "     shade"


def test_padding_cuts_nothing() -> None:
    assert padded("評価", 3) == "評価" and padded("評価", 5) == "評価 " and padded("7", 3, right=True) == "  7"
    assert widest(["a", "評価", "x" * 50], 20) == 20 and widest(["a", "評価"], 20) == 4 and widest([], 20) == 0


def overview() -> Overview:
    people = tuple(PersonProgress(Annotator(str(at), name, "", at), 1, 2) for at, name in enumerate((WIDE, "bo", "x" * 40)))
    strata = ((Stratum("有害/直接 | flagged", 9, 4), 1), (Stratum("harmful/direct | clear", 9, 4), 4))
    return Overview(
        xstest_policy(), (), (), (), strata, people, 0, 0, TriageState(0, 0, ()), NextStep("Go on.", "adjudicate", "")
    )


def test_counts_of_strata_and_people_stand_below_each_other() -> None:
    seen = overview()
    heading, first, second = (row.text for row in progress_rows(seen))
    assert cell_len(first[: first.index("1/4") + 3]) == cell_len(second[: second.index("4/4") + 3]) == cell_len(heading)
    assert len({cell_len(row.text[: row.text.index("1/2")]) for row in people_rows(seen)}) == 1


def test_home_tells_of_intents_and_triage_only_where_there_are_any() -> None:
    seen = overview()
    assert [row.text for row in waiting_rows(seen)] == ["disagreements  none open ✓"]
    rows = waiting_rows(replace(seen, open_items=2, contested=3, triage=TriageState(5, 4, ())))
    told = [with_keys(row.text, {}) for row in rows if row.told]
    assert told == [
        "disagreements  2 open · r resolves",
        "only intent contested  3 · r rules",
        "triage  5 in it, 4 labels in no rate · T labels",
    ]


def test_columns_of_clauses_and_versions_hold_wide_headings() -> None:
    entries = [Entry("clause", f"B{number}", f"B{number}", heading, "") for number, heading in enumerate((WIDE * 3, "Shade"))]
    shown = [entry_row(entry, None, [], chosen=False, width=60).text for entry in entries]
    assert cell_len(shown[0]) <= 60
    versions = [
        PolicyVersion(fingerprint=f"{number}" * 64, id="p", version=version, title="", adopted_at=AT, labels=3, draws=0)
        for number, version in enumerate((WIDE, "2"))
    ]
    rows = [row.text for row in version_rows(versions, chosen=0)][1:]
    assert len({cell_len(row[: row.index("2026-11-29")]) for row in rows}) == 1
