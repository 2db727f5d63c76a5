"""Which part of a data set something belongs to: decided by a hash of its name, so that it stays where it is as the set grows."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

DENOMINATOR = 1 << 64


def part_of(name: str, shares: Mapping[str, float], *, seed: int) -> str:
    """The part that a name falls into.

    Args:
        name: What must stay together: a pair's id, or a prompt's.
        shares: Part -> share, 0 to 1, in a fixed order; they sum to 1.
        seed: Another seed gives another split.

    >>> part_of("p-7", {"test": 0.0, "train": 1.0}, seed=1)
    'train'
    """
    digest = sha256(f"{seed}\x1f{name}".encode("utf-8", "surrogatepass")).digest()
    place = int.from_bytes(digest[:8], "big") / DENOMINATOR
    reached = 0.0
    for part, share in shares.items():
        reached += share
        if place < reached:
            return part
    return list(shares)[-1]
