"""The worked example comes out alike twice. Its figures against the note: test_reference_note."""

from __future__ import annotations

from adjudicate.stats.frontier_example import frontier_example


def test_the_same_seed_gives_the_same_figures() -> None:
    assert frontier_example() == frontier_example()
