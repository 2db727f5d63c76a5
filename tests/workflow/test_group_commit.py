"""Writes of one turn of the loop share a transaction, keep their order, and are on disk when somebody has waited for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from adjudicate.errors import StoreError
from adjudicate.workflow.group_commit import GroupCommit


class Disk:
    """Keeps the transactions; breaks at an entry."""

    def __init__(self, breaks_at: str = "") -> None:
        self.transactions: list[list[str]] = []
        self._breaks_at = breaks_at

    def write(self, entries: Sequence[str]) -> None:
        if self._breaks_at in entries:
            raise StoreError("the disk is full")
        self.transactions.append(list(entries))


async def test_what_is_put_in_one_turn_is_one_transaction() -> None:
    disk = Disk()
    ledger = GroupCommit(disk.write)
    await asyncio.gather(*(ledger.put(entry) for entry in "abc"))
    await ledger.put("d")
    assert disk.transactions == [["a", "b", "c"], ["d"]]


async def test_what_was_noted_is_on_disk_before_what_is_put_after_it() -> None:
    disk = Disk()
    ledger = GroupCommit(disk.write)
    ledger.note("reply to the first")
    await ledger.put("the second is sent")
    assert disk.transactions == [["reply to the first", "the second is sent"]]


async def test_a_flush_writes_what_nobody_waits_for_and_nothing_twice() -> None:
    disk = Disk()
    ledger = GroupCommit(disk.write)
    ledger.note("the last reply")
    ledger.flush()
    ledger.flush()
    assert disk.transactions == [["the last reply"]]


async def test_who_is_cancelled_does_not_take_the_others_with_them() -> None:
    disk = Disk()
    ledger = GroupCommit(disk.write)
    impatient, patient = (asyncio.ensure_future(ledger.put(entry)) for entry in "ab")
    # Both have asked, and nothing is written yet.
    await asyncio.sleep(0)
    impatient.cancel()
    await patient
    assert disk.transactions == [["a", "b"]]


async def test_a_write_that_fails_is_told_to_everyone_from_then_on() -> None:
    """What comes after a reply that was lost is not written: a request must never be sent on top of it."""
    disk = Disk(breaks_at="b")
    ledger = GroupCommit(disk.write)
    await ledger.put("a")
    ledger.note("b")
    for entry in "cd":
        with pytest.raises(StoreError, match="full"):
            await ledger.put(entry)
    with pytest.raises(StoreError, match="full"):
        ledger.flush()
    assert disk.transactions == [["a"]]


async def test_a_flush_tells_of_a_failed_write_that_nobody_waited_for() -> None:
    ledger = GroupCommit(Disk(breaks_at="b").write)
    ledger.note("b")
    with pytest.raises(StoreError, match="full"):
        ledger.flush()
