"""Tables of text with marks."""

from __future__ import annotations

from adjudicate.core.estimates import Estimate
from adjudicate.core.present import FEW_NOTE
from adjudicate.workflow.text_table import TextTable, with_marks

TABLE = TextTable("t", ("value", "n"), (("1", "5"), ("2", "50"), ("", "")), (0, 1), ("made so",))


def test_rows_on_few_items_get_a_mark_that_is_explained() -> None:
    shown = with_marks(TABLE, [Estimate("a", 0.1, 5, "m"), Estimate("a", 0.1, 50, "m"), None])
    assert [row[-1] for row in shown.rows] == ["few", "", ""]
    assert (shown.headers, shown.notes) == (("value", "n", ""), (FEW_NOTE, "made so"))


def test_without_few_items_the_table_is_as_it_was() -> None:
    shown = [Estimate("a", 0.1, 50, "m")] * 3
    assert with_marks(TABLE, shown) == TABLE
    assert with_marks(TABLE, shown).about == tuple(shown), "what each row shows is kept for whoever asks what is behind it"
