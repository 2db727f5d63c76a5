"""The rule of turns: what counts of labels that were there before the draw, and that counting so is unbiased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from adjudicate.core.queue_turns import Listed, turns

BATCH = ("d", "s")


def entries(acts: str, *, person: str = "ann", start: int = 0, step: int = 1) -> list[Listed]:
    """A list in its order. n: labelled since the draw, o: labelled before it, -: not dealt with."""
    return [
        Listed(person, f"i{start + step * place}", start + step * place, BATCH, act != "-", act == "n")
        for place, act in enumerate(acts)
    ]


def shown(listed: Sequence[Listed], *, drawn: int | None = None, also: Sequence[str] = ()) -> str:
    """Turns of the labelled items in the order of the queue, by first letter; `also` has labels from outside every list."""
    labelled = {entry.item for entry in listed if entry.dealt_with} | set(also)
    found = turns(dict.fromkeys(labelled, BATCH), {BATCH: len(listed) if drawn is None else drawn}, listed)
    return " ".join(f"{item}:{found[item][0]}" for item in sorted(found, key=lambda item: int(item[1:])))


def test_labels_from_before_the_draw_wait_until_somebody_labels() -> None:
    assert shown(entries("oo-o-")) == "i0:w i1:w i3:w"


def test_they_count_with_the_rest_up_to_the_first_item_that_is_left() -> None:
    assert shown(entries("onoo-oo-")) == "i0:c i1:c i2:c i3:c i5:w i6:w"


def test_everything_counts_where_every_drawn_item_is_labelled() -> None:
    assert shown(entries("oooo")) == "i0:c i1:c i2:c i3:c"
    assert shown([], drawn=2, also=["i0", "i1"]) == "i0:c i1:c"
    assert shown([], drawn=3, also=["i0", "i1"]) == "i0:w i1:w"


def test_a_label_beyond_a_gap_is_ahead_and_waits_only_where_old_ones_wait() -> None:
    assert shown(entries("nn-n-")) == "i0:c i1:c i3:a"
    assert shown(entries("nn-no-")) == "i0:c i1:c i3:w i4:w"


def test_labels_from_outside_the_lists_count_where_the_list_has_gone_past() -> None:
    # Somebody else had labelled i1 and i4; ann skipped the first (dealt with) and has not come to the second.
    assert shown(entries("nnn--"), also=["i1", "i4"]) == "i0:c i1:c i2:c i4:w"


def test_each_person_goes_through_their_own_part() -> None:
    ann, ben = entries("non-", step=2), entries("o-o-", person="ben", start=1, step=2)
    assert shown([*ann, *ben]) == "i0:c i1:w i2:c i4:c i5:w"


def test_a_longer_draw_is_a_batch_of_its_own() -> None:
    longer = ("e", "s")
    listed = [
        *entries("oo"),
        Listed("ann", "i2", 2, longer, dealt_with=True, in_turn=False),
        Listed("ann", "i3", 3, longer, dealt_with=False, in_turn=False),
    ]
    found = turns({"i0": BATCH, "i1": BATCH, "i2": longer}, {BATCH: 2, longer: 2}, listed)
    assert found == {"i0": "counts", "i1": "counts", "i2": "waits"}


def replicate(rng: np.random.Generator, *, people: int, effort: Sequence[int]) -> Mapping[str, float]:
    """Rate of what counts, and of all labels: 60 % of the stratum was labelled before, with a rate of 5 % and not 40 %."""
    old = rng.permutation(200) < 120
    event = np.where(old, rng.random(200) < 0.05, rng.random(200) < 0.4)
    queue, listed = rng.permutation(200)[:120], []
    left = list(effort)
    for place, item in enumerate(queue):
        person = place % people
        new = not old[item] and left[person] > 0
        left[person] -= new
        listed.append(Listed(f"a{person}", str(item), place, BATCH, bool(old[item] or new), bool(new)))
    labelled = {entry.item for entry in listed if entry.dealt_with}
    found = turns(dict.fromkeys(labelled, BATCH), {BATCH: 120}, listed)
    counted = [event[int(item)] for item, turn in found.items() if turn == "counts"]
    naive = [event[int(item)] for item in labelled]
    return {"turns": float(np.mean(counted)), "naive": float(np.mean(naive)), "truth": float(event.mean())}


def errors(*, people: int, effort: Sequence[int]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Errors of 1,500 samples that were broken off, of what counts and of all labels together."""
    runs = [replicate(np.random.default_rng([20284, people, run]), people=people, effort=effort) for run in range(1500)]
    return np.array([run["turns"] - run["truth"] for run in runs]), np.array([run["naive"] - run["truth"] for run in runs])


def test_what_counts_is_unbiased_and_all_labels_together_are_not() -> None:
    counted, naive = errors(people=1, effort=(12,))
    assert abs(counted.mean()) < 4 * counted.std() / np.sqrt(1500)
    assert naive.mean() < -0.05


def test_parts_broken_off_at_different_places_leave_the_bias_of_a_ratio() -> None:
    """Each part is unbiased; pooled they are a ratio of random numbers, here of 15 labels: under a point of 20."""
    counted, naive = errors(people=2, effort=(12, 3))
    assert abs(counted.mean()) < 0.01
    assert naive.mean() < -0.05
