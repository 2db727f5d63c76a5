"""Which events rest on what the policy in force has changed since they were made; the rule is `core.policy_changes`.

Nothing is stored for it: which policy an event was made under is in the event, and all policies are kept. So a re-queue is
there as soon as a policy is adopted, and gone as soon as an older one is taken back into use.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from adjudicate.core.gold import Gold, settle
from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.core.policy_changes import Cited, cited_by, policy_changes
from adjudicate.storage.rows import EVENT_COLUMNS, event_from, policy_from

Outdated = frozenset[str]
"""What must not be named under which policy, each as `_key` writes it; empty with one policy, or with nothing changed."""

POLICIES = "SELECT compiled FROM policies ORDER BY adopted_at DESC, rowid DESC"
# Lists of a handful: SQLite reads the array once a statement.
RESTS_ON_CHANGED = """
(
    ifnull(e.policy || ' clause ' || json_extract(e.body, '$.clause') IN (SELECT value FROM json_each(:outdated)), 0)
    OR ifnull(e.policy || ' outcome ' || e.outcome IN (SELECT value FROM json_each(:outdated)), 0)
    OR ifnull(e.policy || ' severity ' || json_extract(e.body, '$.severity') IN (SELECT value FROM json_each(:outdated)), 0)
)
"""
# The last of what a person said of an item in a round says whether they have dealt with it; a skip rests on nothing.
DEALT_WITH_NOW = f"""
coalesce((
    SELECT NOT {RESTS_ON_CHANGED} FROM events AS e INDEXED BY events_by_item
    WHERE e.item_id = a.item_id AND e.annotator_id = a.annotator_id AND e.round = a.round
        AND e.kind IN ('label', 'skip', 'undecided')
        AND NOT EXISTS (SELECT 1 FROM events AS u WHERE u.target = e.id AND u.kind = 'undo')
    ORDER BY e.seq DESC LIMIT 1
), 0)
"""
LABELS = f"""
SELECT {EVENT_COLUMNS} FROM live_events AS e
WHERE e.kind IN ('label', 'undecided') AND e.round >= 0 AND {RESTS_ON_CHANGED} AND NOT EXISTS (
    SELECT 1 FROM live_events AS later
    WHERE later.item_id = e.item_id AND later.annotator_id = e.annotator_id AND later.round = e.round AND later.seq > e.seq
        AND later.kind IN ('label', 'skip', 'undecided')
)
ORDER BY e.rowid
"""
RULINGS = f"""
SELECT {EVENT_COLUMNS} FROM settlements AS e WHERE {RESTS_ON_CHANGED} ORDER BY e.rowid
"""
TOUCHED = f"""
SELECT DISTINCT e.item_id FROM live_events AS e
WHERE e.kind IN ('label', 'undecided', 'resolution', 'gold') AND e.round >= 0 AND {RESTS_ON_CHANGED}
"""
ON_LISTS = f"""
SELECT a.item_id, a.annotator_id FROM assignments AS a
WHERE a.round = 0 AND a.item_id IN (SELECT value FROM json_each(:items)) AND NOT {DEALT_WITH_NOW}
"""
OLDEST_FIRST = """
SELECT item_id FROM events WHERE item_id IN (SELECT value FROM json_each(?)) GROUP BY item_id ORDER BY min(rowid)
"""


def outdated_by(policies: Iterable[Policy], in_force: Policy) -> Outdated:
    """What events under any of the policies must not name to stand under the one in force."""
    return frozenset(
        _key(older.fingerprint, cited) for older in policies for cited in policy_changes(older, in_force).called_back
    )


def outdated_now(connection: sqlite3.Connection) -> Outdated:
    """The same for the policies that are stored, the newest of which is in force."""
    policies = [policy_from(row[0]) for row in connection.execute(POLICIES)]
    return outdated_by(policies[1:], policies[0]) if len(policies) > 1 else frozenset()


def marked(event: Event, outdated: Outdated) -> Event:
    """The event, marked where it is outdated."""
    if outdated and any(_key(event.policy, cited) in outdated for cited in cited_by(event)):
        return replace(event, outdated=True)
    return event


def resting_on(connection: sqlite3.Connection, outdated: Outdated) -> tuple[list[Event], list[Event]]:
    """Labels (and undecided) that would be last words, and rulings that would hold, if they did not rest on what is outdated."""
    values = {"outdated": as_json(outdated)}
    labels = [event_from(row) for row in connection.execute(LABELS, values)]
    return labels, [event_from(row) for row in connection.execute(RULINGS, values)]


def open_items(
    connection: sqlite3.Connection, disputed: Sequence[str], events_on: Mapping[str, Sequence[Event]], outdated: Outdated
) -> list[str]:
    """Items that wait for an adjudicator, oldest first, where labels or rulings are outdated.

    An item that waits for labels belongs to the people who made them, unless none of them has it on their list: labels that
    came with a file, or that everyone who should make them again has skipped.

    Args:
        connection: To the store.
        disputed: Items that would be open if nothing were outdated.
        events_on: Events of the items that anything outdated was said of, marked.
        outdated: What is outdated.
    """
    settled = {item: gold for item, events in events_on.items() if (gold := settle(events)) is not None}
    waiting = [item for item, gold in settled.items() if gold.waits]
    values = {"items": json.dumps(waiting), "outdated": as_json(outdated)}
    listed = {(row[0], row[1]) for row in connection.execute(ON_LISTS, values)}

    def comes_back(item: str, gold: Gold) -> bool:
        return any((item, event.annotator_id) in listed for event in (*gold.labels, *gold.undecided) if event.outdated)

    found = {item for item, gold in settled.items() if gold.is_open and not (gold.waits and comes_back(item, gold))}
    found |= {item for item in disputed if item not in events_on}
    return [row[0] for row in connection.execute(OLDEST_FIRST, (json.dumps(sorted(found)),))]


def touched(connection: sqlite3.Connection, outdated: Outdated) -> list[str]:
    """Items that anything outdated was said of."""
    return [row[0] for row in connection.execute(TOUCHED, {"outdated": as_json(outdated)})]


def as_json(outdated: Outdated) -> str:
    """For the parameter ``:outdated``."""
    return json.dumps(sorted(outdated))


def _key(fingerprint: str, cited: Cited) -> str:
    return f"{fingerprint} {cited.part} {cited.id}"
