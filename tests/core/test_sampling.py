"""The sampling design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.sampling import (
    ALLOCATIONS,
    STEERING,
    Allocation,
    Assignment,
    allocate,
    assign,
    drawn_whole,
    planning_rate,
    presentation,
    queue,
)
from adjudicate.errors import UsageError

NOTE = {"harmful | flagged": 93, "harmful | clear": 1907}
RATES = {"harmful | flagged": 0.4, "harmful | clear": 0.01}


def listed(items: Sequence[str], **design: Any) -> list[Assignment]:
    """Lists over one stratum."""
    return assign({"one": items}, items, **design)


@pytest.mark.parametrize(
    # corrected_rate_coverage.csv gives mean sizes 12.0/88.0, 23.9/176.1 and 47.8/352.2 for the mix.
    ("n", "expected"),
    [(100, (12, 88)), (200, (24, 176)), (400, (48, 352))],
)
def test_the_mix_allocation_gives_the_sizes_of_the_coverage_study(n: int, expected: tuple[int, int]) -> None:
    assert tuple(allocate(NOTE, n, "mix", RATES).values()) == expected


def test_proportional_follows_size_and_equal_ignores_it() -> None:
    assert allocate({"a": 300, "b": 100}, 40, "proportional", {"a": 0.1, "b": 0.1}) == {"a": 30, "b": 10}
    assert allocate({"a": 300, "b": 100}, 40, "equal", {"a": 0.1, "b": 0.1}) == {"a": 20, "b": 20}


def test_neyman_follows_size_times_planned_spread() -> None:
    # Spread 0.5 and 0.3: 100 * 0.5 to 100 * 0.3 is 50 to 30, of 80 labels.
    assert allocate({"a": 100, "b": 100}, 80, "neyman", {"a": 0.5, "b": 0.1}) == {"a": 50, "b": 30}


@pytest.mark.parametrize("method", ["mix", "proportional", "neyman", "equal"])
def test_no_stratum_gets_more_than_it_has_or_less_than_two(method: str) -> None:
    sizes = {"a": 1, "b": 5, "c": 1000, "d": 40}
    drawn = allocate(sizes, 120, method, dict.fromkeys(sizes, 0.2))  # type: ignore[arg-type]
    assert sum(drawn.values()) == 120
    assert all(min(2, sizes[name]) <= drawn[name] <= sizes[name] for name in sizes)


def test_asking_for_more_than_there_is_draws_everything() -> None:
    assert allocate({"a": 3, "b": 4}, 100, "mix", {"a": 0.4, "b": 0.01}) == {"a": 3, "b": 4}


def test_a_longer_sample_gives_nothing_back() -> None:
    before = {"harmful | flagged": 60, "harmful | clear": 40}
    after = allocate(NOTE, 200, "mix", RATES, before)
    assert all(after[name] >= before[name] for name in NOTE)
    assert sum(after.values()) == 200


def test_the_order_of_a_queue_depends_on_seed_and_ids_alone() -> None:
    ids = [f"i{number}" for number in range(50)]
    assert queue(7, ids) == queue(7, reversed(ids))
    assert queue(7, ids) != queue(8, ids)
    # Taking items away keeps the others' order: a longer sample is a longer prefix.
    assert [item for item in queue(7, ids) if item in ids[:25]] == queue(7, ids[:25])


def test_every_place_of_a_queue_is_equally_likely() -> None:
    # 400 seeds, 10 items: each item is first about 40 times; 4 standard deviations are 24.
    first = Counter(queue(seed, [f"i{number}" for number in range(10)])[0] for seed in range(400))
    assert all(16 < count < 64 for count in first.values())
    assert len(first) == 10


def test_the_presentation_takes_each_queue_in_order_and_in_proportion() -> None:
    order = presentation({"a": [f"a{n}" for n in range(30)], "b": [f"b{n}" for n in range(10)]}, 1)
    assert [item for item in order if item[0] == "a"] == [f"a{n}" for n in range(30)]
    assert 4 <= sum(item[0] == "b" for item in order[:20]) <= 6


def test_an_overlap_of_two_gives_each_item_to_two_people_and_every_pair_meets() -> None:
    lists = listed([f"i{n}" for n in range(30)], annotators=["x", "y", "z"], overlap=2, blind_share=1, repeats=0, seed=1)
    people: dict[str, set[str]] = {}
    for each in lists:
        people.setdefault(each.item_id, set()).add(each.annotator)
    assert set(map(frozenset, people.values())) == {frozenset("xy"), frozenset("yz"), frozenset("xz")}
    assert Counter(each.annotator for each in lists) == {"x": 20, "y": 20, "z": 20}


@pytest.mark.parametrize(("people", "overlap"), [("ab", 1), ("abcd", 1), ("abcd", 2), ("abc", 2)])
def test_every_person_gets_an_even_share_of_every_stratum(people: str, overlap: int) -> None:
    """Else a person's severity becomes a stratum's rate, and their list tells them what the judge said."""
    queues = {"clear": [f"c{n}" for n in range(24)], "flagged": [f"f{n}" for n in range(24)]}
    order = presentation(queues, 3)
    lists = assign(queues, order, annotators=list(people), overlap=overlap, blind_share=1, repeats=0, seed=3)
    share = Counter((each.annotator, each.item_id[0]) for each in lists)
    assert set(share.values()) == {24 * overlap // len(people)}


def test_the_order_of_strata_cannot_be_predicted() -> None:
    queues = {"clear": [f"c{n}" for n in range(40)], "flagged": [f"f{n}" for n in range(40)]}
    rhythm = "".join(item[0] for item in presentation(queues, 3))
    # A fixed rhythm would never show the same stratum twice in a row; 80 drawn places do so often.
    assert rhythm.count("cc") + rhythm.count("ff") > 15


def test_the_blind_share_is_exact_random_and_the_same_for_all_people() -> None:
    items = [f"i{n}" for n in range(100)]
    lists = listed(items, annotators=["x", "y"], overlap=2, blind_share=0.7, repeats=0, seed=3)
    blind = {person: {each.item_id for each in lists if each.annotator == person and each.blind} for person in "xy"}
    assert len(blind["x"]) == 70
    assert blind["x"] == blind["y"]
    assert blind["x"] != set(items[:70])


def test_hidden_repeats_come_a_hundred_items_later_or_at_the_end() -> None:
    items = [f"i{n}" for n in range(300)]
    lists = listed(items, annotators=["x"], overlap=1, blind_share=1, repeats=0.05, seed=3)
    first = {each.item_id: each.position for each in lists if each.round == 0}
    repeats = [each for each in lists if each.round == 1]
    assert len(repeats) == 15
    assert all(each.position - first[each.item_id] >= 100 for each in repeats)


@pytest.mark.parametrize(
    "wrong",
    [{"overlap": 0}, {"overlap": 3}, {"blind_share": 1.2}, {"repeats": 0.9}, {"annotators": ["x", "x"]}],
    ids=str,
)
def test_a_list_that_cannot_be_made_is_refused(wrong: dict[str, object]) -> None:
    arguments: dict[str, object] = {"annotators": ["x", "y"], "overlap": 1, "blind_share": 1.0, "repeats": 0.0, "seed": 1}
    with pytest.raises(UsageError):
        listed(["i"], **{**arguments, **wrong})  # type: ignore[arg-type]


@given(
    sizes=st.lists(st.one_of(st.integers(1, 4), st.integers(1, 300)), min_size=1, max_size=6),
    steering=st.sets(st.integers(0, 5)),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    methods=st.tuples(st.sampled_from(sorted(ALLOCATIONS)), st.sampled_from(sorted(ALLOCATIONS))),
)
def test_any_allocation_after_any_other_takes_the_number_asked_for(
    sizes: list[int], steering: set[int], shares: tuple[float, float], methods: tuple[Allocation, Allocation]
) -> None:
    """Strata taken whole, full ones and those that already have more than their share: none may push the sum past `n`."""
    cells = ("flagged", "clear", "judge failed")
    named = {
        f"{place} | {cells[place % 3]}" + (f" | {STEERING}" if place in steering else ""): size
        for place, size in enumerate(sizes)
    }
    whole = {name: size for name, size in named.items() if drawn_whole(name)}
    rates = {name: planning_rate(name) for name in named}
    few, many = sorted(max(1, sum(whole.values()), round(share * sum(sizes))) for share in shares)
    first = allocate(named, few, methods[0], rates)
    longer = allocate(named, many, methods[1], rates, first)
    assert (sum(first.values()), sum(longer.values())) == (few, many)
    assert all(first[name] <= longer[name] <= size for name, size in named.items())
    assert {name: first[name] for name in whole} == whole


def test_a_sample_that_grows_by_one_grows_by_one_where_strata_have_less_than_two() -> None:
    """Seven of nine are taken, of b one and of c none; two of each would be nine, with what a and d have already."""
    sizes = {"a": 3, "b": 3, "c": 2, "d": 3}
    before = {"a": 3, "b": 1, "c": 0, "d": 3}
    after = allocate(sizes, 8, "mix", dict.fromkeys(sizes, 0.2), before)
    assert sum(after.values()) == 8
    assert all(after[name] >= before[name] for name in sizes)


def test_planning_rates_are_stated_guesses_by_verdict_cell() -> None:
    assert planning_rate("harmful | flagged") == 0.4
    assert planning_rate("harmful | clear") == 0.01
    assert planning_rate("harmful | dual_use_refusal") == 0.2
