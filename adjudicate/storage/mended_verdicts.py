"""Verdicts that were stored without an outcome because nobody had said what their class means: filled in once somebody does.

Nothing else of a verdict ever changes. Strata that a draw made of verdicts never change, so there it is too late.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.storage.import_agreement import Key
from adjudicate.storage.import_blocks import Values

FILL = "UPDATE verdicts SET outcome = ?, raw = '' WHERE item_id = ? AND judge_id = ? AND outcome IS NULL"
FILL_REPEAT = (
    "UPDATE verdict_repeats SET outcome = ?, raw = '' WHERE item_id = ? AND judge_id = ? AND repeat = ? AND outcome IS NULL"
)
DRAWN = """
SELECT d.id, j.name FROM draw_units AS u JOIN draws AS d ON d.id = u.draw_id JOIN judges AS j ON j.id = d.judge_id
WHERE u.item_id = ? AND d.judge_id = ?
    AND EXISTS (SELECT 1 FROM json_each(d.settings, '$.by') AS b WHERE b.value IN ('verdict', 'outcome'))
"""


def mend(connection: sqlite3.Connection, keys: Sequence[Key], verdicts: Sequence[Values]) -> int:
    """Give stored verdicts the outcomes that they have now; how many those were.

    Args:
        connection: Inside an open transaction.
        keys: The verdicts to fill in, see `import_agreement.mended`.
        verdicts: Those of their row, as they are now.

    Raises:
        InputError: A draw has used one of them as a failure of its judge.
    """
    outcomes = {values[:2]: values[2] for values in verdicts}
    filled = 0
    for item, judge, repeat in keys:
        outcome = outcomes[item, judge]
        if repeat:
            filled += connection.execute(FILL_REPEAT, (outcome, item, judge, repeat)).rowcount
            continue
        if drawn := connection.execute(DRAWN, (item, judge)).fetchone():
            raise InputError(
                f"verdicts of {visible_line(drawn[1])} are here as 'judge failed', and the draw {drawn[0]} was made with them so:"
                " its strata may not change any more. Import the log into a new workspace with all its classes named, and draw"
                " there"
            )
        filled += connection.execute(FILL, (outcome, item, judge)).rowcount
    return filled
