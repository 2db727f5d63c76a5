"""Runs as people name them."""

from __future__ import annotations

from adjudicate.storage.rows import Run
from adjudicate.workflow.run_names import shown_names


def run(run_id: str, name: str) -> Run:
    return Run(run_id, name, "set", "jsonl", "log.jsonl", "0", "2026-11-29T12:00:00.000Z", 1)


def test_a_run_shows_by_its_name_and_by_its_id_where_the_name_is_shared_or_missing() -> None:
    runs = [run("a" * 32, "nightly"), run("b" * 32, "weekly"), run("c" * 32, "weekly"), run("d" * 32, "")]
    assert shown_names(runs) == {
        "a" * 32: "nightly",
        "b" * 32: f"weekly ({'b' * 12})",
        "c" * 32: f"weekly ({'c' * 12})",
        "d" * 32: "d" * 12,
    }
